"""Mails as the mail programs of many makers and languages send them, each with what must be read of it."""

import json

import pytest

from notifications.inbound.body import clean_lines, own_of_lines
from notifications.inbound.kinds import Kind
from notifications.inbound.message import Unreadable, message_read
from tests.notifications.inbound.sample_mails import FOLDER, Sample, said, samples

SAMPLES = samples()
EVERY = pytest.mark.parametrize("sample", SAMPLES, ids=[sample.file.removesuffix(".eml") for sample in SAMPLES])


@EVERY
def test_a_sample_is_taken_for_what_it_is(sample: Sample) -> None:
    assert sample.read().classified.kind is sample.kind


@EVERY
def test_exactly_the_senders_own_text_is_read(sample: Sample) -> None:
    wanted = [" ".join(line.split()) for line in sample.row["expected"].strip().splitlines()]
    own = [line for line in sample.read().own.lines if line]
    assert own == [line for line in wanted if line]


@EVERY
def test_exactly_the_orders_are_read_and_none_from_what_is_no_reply(sample: Sample) -> None:
    orders = sample.orders(sample.read())
    assert [said(command).casefold() for command in orders.commands] == [w.casefold() for w in sample.row["commands"]]
    assert len(orders.questions) == sample.row.get("questions", 0)


@EVERY
def test_the_reply_key_and_the_sender_are_found(sample: Sample) -> None:
    reading = sample.read()
    if "key" in sample.row:
        assert [found.key for found in reading.keys][:1] == ([sample.row["key"]] if sample.row["key"] else [])
    if sample.row["server"] == "roadkill" and sample.kind is Kind.REPLY:
        assert reading.sender.address == sample.row.get("sender", "rita@player.example")
        assert reading.authentication.dmarc.value == sample.row.get("dmarc", "pass")


@EVERY
def test_a_delivery_report_says_who_failed_for_how_long_and_with_which_mail(sample: Sample) -> None:
    bounce = sample.read().classified.bounce
    told = sample.row.get("bounce")
    if told is None:
        assert bounce is None or sample.row["server"] == "skirmish"
        return
    assert bounce is not None
    assert bounce.is_hard == told["hard"]
    found = {
        "address": bounce.address,
        "reference": bounce.reference,
        "message_id": bounce.message_id,
        "suspected": bounce.is_suspected,
        "about_mailbox": bounce.is_about_mailbox,
    }
    assert {name: found[name] for name in found if name in told} == {n: v for n, v in told.items() if n != "hard"}


@EVERY
def test_without_its_own_lines_a_reply_says_nothing(sample: Sample) -> None:
    message = message_read(sample.raw)
    if sample.kind is not Kind.REPLY or isinstance(message, Unreadable) or message.plain is None:
        return
    lines, _ = clean_lines(message.plain)
    own = list(own_of_lines(lines, sample.server.traces).lines)
    for line in filter(None, own):
        lines.remove(line) if lines.count(line) == 1 else lines.pop(_place(lines, line, sample))
    left = own_of_lines(lines, sample.server.traces).lines
    assert [line for line in left if line not in ("--", "")] == []


def _place(lines: list[str], line: str, sample: Sample) -> int:
    """Where a line stands that the quoted mail has too: below it, where the answer is, else above it."""
    is_below = sample.file.endswith("bottom.eml")
    return len(lines) - 1 - lines[::-1].index(line) if is_below else lines.index(line)


def test_the_index_names_every_file_once_and_no_other() -> None:
    rows = json.loads((FOLDER / "index.json").read_text("utf-8"))["samples"]
    assert sorted(row["file"] for row in rows) == sorted(path.name for path in FOLDER.glob("*.eml"))
    assert all(row["note"] for row in rows)


def test_there_are_samples_of_every_kind() -> None:
    assert {sample.kind for sample in SAMPLES} == set(Kind)
