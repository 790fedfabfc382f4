"""No mail, however made, takes a second or raises anything, and no quoted line is taken for the sender's own."""

import time
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notifications.inbound.body import Traces, is_marked, own_of_lines
from notifications.inbound.kinds import Kind, Ours
from notifications.inbound.markup import html_text
from notifications.inbound.message import MESSAGE_MOST
from notifications.inbound.orders import orders_read
from notifications.inbound.reading import Envelope, Reading, mail_read
from tests.notifications.inbound.sample_mails import TODAY, ZONE, Sample, samples

TRACES: Final = Traces(("race.example.org",), ("Roadkill Turns",), ("##- Write above this line -##",))
OURS: Final = Ours("race.example.org", ("turns@race.example.org",), (b"secret",))
SECONDS_MOST: Final = 1.0
ROOM: Final = 3000
HEAD: Final = b"From: a@player.example\r\nTo: reply+" + b"a" * 24 + b"@race.example.org\r\nSubject: Re: x\r\n"


def read(raw: bytes, sender: str | None = None) -> Reading:
    """Read it whole and hold it to its time; CPU time, since the machine may be busy."""
    start = time.process_time()
    reading = mail_read(raw, envelope=Envelope(sender), ours=OURS, traces=TRACES, authserv_id="mx")
    orders_read(reading.own.lines, recognise=lambda text: None, today=TODAY, zone=ZONE)
    assert time.process_time() - start < SECONDS_MOST
    return reading


def filled(piece: bytes, size: int = MESSAGE_MOST - ROOM) -> bytes:
    return (piece * (size // len(piece) + 1))[:size]


LETTERS = [
    b"a",
    b">",
    b"> ",
    b">\n",
    b"\n",
    b" \n",
    b"\r",
    b"-",
    b"_",
    b"a:",
    b"a: 1\n",
    b"10:11 2026 4 5\n",
    b"1,",
    b"1 and ",
]
LETTERS += [
    b"*",
    b"say a\n",
    b"pass\n",
    b"1\n",
    b"((1",
    b"away until 1/2 ",
    b"\xff",
    b"\0",
    b"\xe2\x80\x8b",
    b"\xef\xb7\xba",
]
LETTERS += [
    b"race.example.or ",
    b"Roadkill Turn ",
    b"##-",
    b"--\n",
    b"-----BEGIN PGP SIGNED MESSAGE-----\n",
    b"message-id: <a",
]
MARKUP = [
    b"<div>",
    b"<b>x</b>",
    b"<table><tr><td>x",
    b"<td>x</td>",
    b"<ul><li>",
    b"<li>x",
    b"<blockquote>x",
    b"<pre>a\n</pre>",
]
MARKUP += [
    b"<!--",
    b"<",
    b"<a b='",
    b"&amp;",
    b"&#x110000;",
    b"<br>",
    b"<script>",
    b"<svg>",
    b"<scr&#0;ipt \x01a=1>",
    b'<b"""c>x',
]
MARKUP += [
    b"<div style='padding-left:9999em'>x</div>",
    b"<hr id=zwchr>",
    b"<div style='border:none;border-top:solid 'x>",
]
STEERING = [
    b"(",
    b'"',
    b";a=",
    b"; a=b",
    b"\\",
    b"=?",
    b";a*0=",
    b"%",
    b"/",
    b",",
    b"[",
    b"<",
    b"@",
    b"'",
    b"; x*1*=%",
    b"\xff",
]
CHARSETS = [
    b"punycode",
    b"idna",
    b"hex",
    b"zlib",
    b"rot13",
    b"undefined",
    b"unicode_escape",
    b"utf-7",
    b"utf-16",
    b"hz",
]
CHARSETS += [b"iso2022_kr", b"\xff\xfe", b"x" * 900, b"..", b"utf-8\0", b"mbcs", b"gb18030", b"base64"]


@pytest.mark.parametrize("kind", [b"text/plain", b"text/plain; format=flowed; delsp=yes", b"text/html"])
@pytest.mark.parametrize("piece", LETTERS)
def test_a_body_of_one_thing_over_and_over_is_read_in_time(piece: bytes, kind: bytes) -> None:
    read(HEAD + b"Content-Type: " + kind + b"\r\n\r\n" + filled(piece))


@pytest.mark.parametrize("piece", LETTERS)
def test_a_report_of_one_thing_over_and_over_is_read_in_time(piece: bytes) -> None:
    daemon = HEAD.replace(b"a@player", b"mailer-daemon@player")
    read(daemon + b"\r\n" + filled(piece), sender="")
    status = (
        b"Content-Type: multipart/report; report-type=delivery-status; boundary=b\n\n"
        b"--b\nContent-Type: message/delivery-status\n\n"
    )
    read(daemon + status + filled(piece) + b"\n--b--", sender="")


@pytest.mark.parametrize("piece", MARKUP)
def test_markup_over_and_over_is_read_in_time(piece: bytes) -> None:
    read(HEAD + b"Content-Type: text/html\r\n\r\n" + filled(piece))
    read(HEAD + b"Content-Type: text/html\r\n\r\n" + b"<div>" * 240 + filled(piece, 300_000))


@pytest.mark.parametrize("piece", STEERING)
def test_headers_that_steer_mime_are_read_in_time(piece: bytes) -> None:
    kind = b"Content-Type: text/plain" + filled(piece, 1450) + b"\n"
    place = b"Content-Disposition: attachment" + filled(piece, 1450) + b"\n"
    read(HEAD + kind + b"\nhi")
    parts = b"".join(b"--b\n" + kind + place + b"\nhi\n" for _ in range(4))
    read(HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + parts)
    read(HEAD + b"Content-Type: multipart/mixed" + filled(piece, 1400) + b"; boundary=b\n\n--b\n\nhi\n--b--")


@pytest.mark.parametrize("name", [b"From", b"Subject", b"References", b"Authentication-Results", b"Auto-Submitted"])
@pytest.mark.parametrize("piece", [b"(", b";a=", b"=?", b"<", b"=?utf-8?q?a?= ", b"reply+", b"a@b, "])
def test_other_headers_are_read_in_time(piece: bytes, name: bytes) -> None:
    read(HEAD + name + b": " + filled(piece) + b"\n\nhi")
    read(HEAD + filled(name + b": " + filled(piece, 4000) + b"\n", 900_000) + b"\n\nhi")


@pytest.mark.parametrize("charset", CHARSETS)
def test_no_charset_raises_or_takes_long(charset: bytes) -> None:
    read(HEAD + b"Content-Type: text/plain; charset=" + charset + b"\n\n" + filled(b"ab-\x1b$B\xe9", 500_000))
    read(b"From: =?" + charset + b"?b?gICAgA==?= <a@player.example>\n\nhi")


def test_more_than_the_caps_is_refused_with_a_sentence() -> None:
    nested = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(3000))
    parts = HEAD + b"Content-Type: multipart/mixed; boundary=b\n\n" + b"--b\n\nx\n" * 41 + b"--b--"
    for raw, trouble in (
        (HEAD + b"\n" + b"a" * MESSAGE_MOST, "too-large"),
        (HEAD + b"\n" + b"\n" * 50_000, "too-many-lines"),
        (HEAD + b"X: y\n" * 500 + b"\nhi", "too-many-headers"),
        (HEAD + nested, "too-many-parts"),
        (parts, "too-many-parts"),
        (HEAD + b"Content-Type: text/plain" + b"; a=b" * 300 + b"\n\nhi", "header-too-long"),
    ):
        reading = read(raw)
        assert reading.classified.kind is Kind.UNREADABLE
        assert reading.unreadable is not None
        assert reading.unreadable.trouble.value == trouble
        assert reading.unreadable.words.endswith(".")
        assert reading.own.lines == ()


def test_orders_above_a_body_that_is_cut_short_are_asked_about_if_they_reach_its_end() -> None:
    reading = read(HEAD + b"\n" + b"1\n" * 500)
    assert reading.own.is_cut_short
    orders = orders_read(
        reading.own.lines, recognise=lambda text: None, today=TODAY, zone=ZONE, is_cut_short=reading.own.is_cut_short
    )
    assert orders.commands == ()
    assert len(orders.questions) == 2


PIECES = st.sampled_from(
    [*LETTERS, *MARKUP, *STEERING, b"--b\n", b"\n\n", b"Content-Type: multipart/mixed; boundary=b\n"]
)


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(pieces=st.lists(st.tuples(PIECES, st.integers(1, 40_000)), min_size=1, max_size=12), head=st.booleans())
def test_no_mixture_of_hostile_pieces_raises_or_takes_long(pieces: list[tuple[bytes, int]], head: bool) -> None:
    raw = (HEAD if head else b"") + b"".join(piece * times for piece, times in pieces)
    read(raw[:MESSAGE_MOST])


@settings(max_examples=150, deadline=None)
@given(raw=st.binary(max_size=400), sample=st.sampled_from(samples()), at=st.integers(0, 4000), cut=st.integers(0, 60))
def test_no_bytes_put_into_a_mail_make_reading_raise(raw: bytes, sample: Sample, at: int, cut: int) -> None:
    whole = sample.raw
    read(raw)
    read(whole[:at] + raw + whole[at + cut :])


# What is quoted is never the sender's own

TEXT = st.text(st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=40).map(
    lambda t: " ".join(t.split())
)
LINE = st.one_of(
    TEXT,
    st.sampled_from(
        ["pass", "3", "", "> 3", "--", "say hello", "end turn", "From: x", "On 4.12.2026 at 10:11 x wrote:"]
    ),
)
OWN = st.lists(
    st.sampled_from(["pass", "3", "say hello", "if passed: end turn", "play swerve"]), min_size=1, max_size=5
)
SHOWN = st.sampled_from(
    [
        "##- Write above this line -##",
        "From: Roadkill Turns <reply+aaaa@race.example.org>",
        "> ## - write above this LINE -##",
        "see https://RACE.example.org/races/1",
        "On 4 Dec 2026, at 10:11, Roadkill Turns wrote:",
        "2026년 12월 4일 10:11, Roadkill Turns님이 작성:",
    ]
)


@settings(max_examples=300, deadline=None)
@given(own=OWN, shown=SHOWN, below=st.lists(LINE, max_size=12))
def test_whatever_stands_below_a_trace_of_ours_only_what_stands_above_is_read(
    own: list[str], shown: str, below: list[str]
) -> None:
    assert own_of_lines([*own, "", shown, *below], TRACES).lines == tuple(own)


@settings(max_examples=300, deadline=None)
@given(shown=SHOWN, above=st.lists(LINE, max_size=8), below=st.lists(LINE, max_size=8))
def test_below_an_unmarked_quoted_mail_nothing_is_read_even_if_nothing_stands_above(
    shown: str, above: list[str], below: list[str]
) -> None:
    unmarked = "The race: https://race.example.org/races/1"
    lines = [shown, *above, unmarked, *below]
    assert own_of_lines(lines, TRACES).lines == ()


@settings(max_examples=300, deadline=None)
@given(lines=st.lists(st.one_of(LINE, SHOWN), max_size=20))
def test_no_marked_line_and_no_line_with_a_trace_is_ever_the_senders_own(lines: list[str]) -> None:
    own = own_of_lines(lines, TRACES).lines
    assert not any(is_marked(line) for line in own)
    for line in own:
        assert "race.example.org" not in line.casefold()
        assert "Roadkill Turns" not in line
        assert line in lines


def test_a_character_that_no_tree_takes_may_stand_behind_what_is_dropped() -> None:
    for unfit in ("\x01", "&#1;", "&#x1f;", "\ufffe", "&#xffff;"):
        html = f"<p>2</p><span style='display:none'>hidden</span>{unfit} more<blockquote>quoted</blockquote>{unfit}"
        assert html_text(html).split()[0] == "2"
