"""The orders of a mail, done in its race: all of them or none.

Called inside the transaction that notes the mail as done, with the race locked before anything is looked at: an order
is done once or not at all, whatever dies in between.
"""

import zoneinfo
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Final

from django.db import transaction

from games.selectors.campaigns import is_purchase, with_purchase
from games.selectors.races import race_present
from games.selectors.rules import RuleUnknown, rule_told
from games.selectors.words import Listener, Meant, Sort
from games.selectors.words import Unclear as Misheard
from games.services.calendars import player_races_lock
from games.services.campaign_desk import campaign_buying_lock
from games.services.campaigns import purchase_submit
from games.services.desk import race_lock
from games.services.errors import ActionRefused, RaceFaulty, StaleAnswer
from games.services.faults import fault_mark
from games.services.plans import plan_save
from games.services.standing import standing_save
from games.services.talk import message_say
from games.services.turns import action_submit
from games.services.undo import act_undo
from notifications.inbound.absence import Unclear
from notifications.inbound.body import Own
from notifications.inbound.orders import (
    Asked,
    Away,
    Line,
    Number,
    Outcome,
    Recognised,
    Rules,
    Say,
    Word,
    orders_read,
)
from notifications.letters import moment_in_words
from notifications.reply_models import ReplyKey
from notifications.services.replies import reports
from notifications.services.replies.reports import Report, ReportLine
from roadkill_site.accounts.models import User
from roadkill_site.accounts.services import HoursRefused, holiday_take, holiday_take_back

ORIGIN: Final = "mail"
_GIVING_UP: Final = frozenset({"withdraw"})
_SHOWN: Final = {Word.HAND: "hand", Word.STATUS: "status", Word.LOG: "log", Word.HELP: "help"}


class _Ask(Exception):
    """Something must be asked before anything is done; the text is a sentence."""

    def __init__(self, line: "_Deed | None", text: str) -> None:
        super().__init__(text)
        self.line = line


@dataclass
class _Deed:
    """One order: what was read, its line of the report, and for an answer what it means."""

    command: Any
    report: ReportLine
    meant: Meant | None = None


@dataclass
class _Sheet:
    """A mail's orders on the race as it stands."""

    race_id: int
    key: ReplyKey
    presented: Mapping[str, Any]
    listener: Listener
    deeds: list[_Deed] = field(default_factory=list)
    # Of several answers that are given one by one, the one that is being given.
    doing: _Deed | None = None

    @property
    def question(self) -> Mapping[str, Any] | None:
        """What is asked of the seat now, as in the presentation."""
        question: Mapping[str, Any] | None = self.presented["question"]
        return question

    @property
    def is_stale(self) -> bool:
        """Whether the question of the mail that is answered is not the one that is open now."""
        question = self.question
        if question is None or is_purchase(question) != self.key.is_purchase:
            return True
        return bool(question["decision"] != self.key.decision_id)

    @property
    def stale(self) -> str:
        """What is said of a mail that is."""
        return _STALE_PURCHASE if self.key.is_purchase else _STALE

    def of(self, *sorts: Sort) -> list[_Deed]:
        """The orders of the game of these sorts."""
        return [deed for deed in self.deeds if deed.meant is not None and deed.meant.sort in sorts]


def orders_do(*, key: ReplyKey, own: Own, mail_key: str, now: datetime) -> Report:
    """Do what the lines ask for; the report says what became of each. ``mail_key``: of the acts, the mail's own."""
    seat = key.seat
    # Before the race: whoever changes a player's calendar locks in this order.
    User.objects.select_for_update().get(pk=key.player_id)
    zone = zoneinfo.ZoneInfo(key.player.time_zone)
    today = now.astimezone(zone).date()
    # A campaign before any race, as everybody does who works on both.
    campaign_buying_lock(race_id=seat.race_id)
    if _changes_calendar(own, today, zone):
        player_races_lock(player_id=key.player_id, race_id=seat.race_id)
    race = race_lock(seat.race_id)
    assert race is not None, "a seat has a race"
    try:
        presented = with_purchase(race_present(race=race, viewer=seat, log_last=0), race=race, seat=seat)
        listener = Listener(race, presented, buys=key.is_purchase)

        def recognise(line: str) -> Recognised | Unclear | None:
            heard = listener.hear(line)
            if isinstance(heard, Misheard):
                return Unclear(heard.why)
            return None if heard is None else Recognised(heard, heard.words)

        orders = orders_read(
            own.lines,
            recognise=recognise,
            today=today,
            zone=zone,
            is_cut_short=own.is_cut_short,
        )
        lines = [_line_of(line, listener) for line in orders.lines]
        if orders.questions:
            return Report(reports.ASKED, " ".join(orders.questions), lines)
        read = [line for line, told in zip(lines, orders.lines, strict=True) if told.outcome is Outcome.READ]
        deeds = [_Deed(command, line) for command, line in zip(orders.commands, read, strict=True)]
        if not deeds:
            return Report(reports.NOTHING, _nothing_found(listener), lines)
        return _do(_Sheet(race.pk, key, presented, listener, deeds), lines, mail_key, now)
    except RaceFaulty as fault:
        fault_mark(race_id=race.pk, error=fault, now=now, by_player=True)
        return Report(
            reports.REFUSED,
            "This race has stopped: something in its record is broken. Nothing is lost, and who runs this server has"
            " been told. Send your orders again when the race goes on.",
            reports.lines_of(own.lines, "not done"),
        )


def _changes_calendar(own: Own, today: date, zone: zoneinfo.ZoneInfo) -> bool:
    """Whether a line might change the player's calendar; the words of a game are not known before its race is read."""
    commands = [
        command
        for line in own.lines
        for command in orders_read([line], recognise=lambda _line: None, today=today, zone=zone).commands
    ]
    return any(isinstance(one, Away) or (isinstance(one, Asked) and one.word is Word.BACK) for one in commands)


def _line_of(line: Line, listener: Listener) -> ReportLine:
    became = {Outcome.READ: "done", Outcome.UNCLEAR: "unclear", Outcome.END: "end"}.get(line.outcome, "ignored")
    why = line.why
    if line.outcome is Outcome.IGNORED and len(listener.misheard) == 1:
        why = next((said for heard, said in listener.misheard.items() if heard == line.text), why)
    return ReportLine(line.text, became, why)


def _nothing_found(listener: Listener) -> str:
    said = next(iter(listener.misheard.values()), "")
    return said or "Write a number of your mail's list, or your order in words, on the first line."


def _do(sheet: _Sheet, lines: list[ReportLine], mail_key: str, now: datetime) -> Report:
    report = Report(reports.DONE, "", lines)
    try:
        with transaction.atomic():
            _meanings(sheet)
            if any(deed.meant is not None and deed.meant.sort is not Sort.STANDING for deed in sheet.deeds):
                _refuse_stale(sheet)
            for number, deed in enumerate(sheet.deeds):
                _do_word(sheet, deed, report, f"{mail_key}-{number}", now)
            _do_standing(sheet)
            _do_answers(sheet, mail_key)
    except StaleAnswer:
        return _undone(report, reports.STALE, sheet.stale)
    except _Ask as ask:
        return _undone(report, reports.ASKED, str(ask), ask.line)
    except RaceFaulty:
        raise
    except ActionRefused as refused:
        answers = [*sheet.of(Sort.ACT, Sort.PLAN, Sort.FOLLOW, Sort.ASIDE), *filter(_is_undo, sheet.deeds)]
        at_fault = answers[0] if len(answers) == 1 else sheet.doing
        return _undone(report, reports.REFUSED, str(refused), at_fault)
    report.sentence = "Everything you asked for was done." if len(sheet.deeds) > 1 else "It was done."
    if report.shows or report.rules:
        report.sentence = "Here is what you asked for." if len(sheet.deeds) == 1 else report.sentence
    return report


_STALE: Final = (
    "The mail that you answered asked something else, and the race has moved on since. Nothing was played, and nothing"
    " is lost. What is asked now stands below."
)

_STALE_PURCHASE: Final = (
    "The mail that you answered asked about a purchase that is over, or that you have answered since. Nothing was"
    " bought or returned by it."
)
_NOT_BEGUN: Final[Mapping[Word, str]] = {
    Word.HAND: "No cards are dealt yet: the race begins when all have bought.",
    Word.LOG: "Nothing has happened yet: the race begins when all have bought.",
}


def _undone(report: Report, outcome: str, sentence: str, at_fault: _Deed | None = None) -> Report:
    for line in report.lines:
        if line.became in ("done", "kept", "noted"):
            line.became, line.why = "not done", ""
    if at_fault is not None:
        at_fault.report.became, at_fault.report.why = ("refused", sentence)
    report.outcome, report.sentence = outcome, sentence
    report.shows, report.rules = [], []
    return report


# What each order means


def _meanings(sheet: _Sheet) -> None:
    """Give every order of the game its meaning; raises _Ask, StaleAnswer."""
    for deed in sheet.deeds:
        command = deed.command
        if isinstance(command, Recognised):
            deed.meant = command.order
            if deed.meant is not None and deed.meant.action.get("do") in _GIVING_UP:
                raise _Ask(deed, "Giving up a race cannot be taken back, so it is done on the race's page alone.")
        elif isinstance(command, Number):
            _refuse_stale(sheet)
            deed.meant = _numbered(sheet, deed, command)
        elif isinstance(command, Asked) and command.word is Word.PASS:
            _refuse_stale(sheet)
            deed.meant = _passed(sheet, deed)


def _refuse_stale(sheet: _Sheet) -> None:
    if sheet.is_stale:
        raise StaleAnswer(sheet.stale, position=sheet.presented["race"]["position"], question=None)


def _numbered(sheet: _Sheet, deed: _Deed, command: Number) -> Meant:
    question = sheet.question
    assert question is not None
    for answer in question["answers"]:
        if answer["number"] == command.number:
            if command.also is not None and command.also.order.action != answer["action"]:
                said = (
                    f"Number {command.number} is “{answer['words']}”, but beside it you wrote “{command.also.words}”."
                )
                raise _Ask(deed, f"{said} Write the one that you mean.")
            return Meant(Sort.ACT, answer["words"], deed.report.text, action=answer["action"])
    for form in question["forms"]:
        if form["number"] == command.number:
            raise _Ask(
                deed, f"Number {command.number}, “{form['label']}”, leaves something open: write it out in words."
            )
    numbers = [one["number"] for one in (*question["answers"], *question["forms"])]
    raise _Ask(deed, f"There is no answer {command.number}; they are numbered from {min(numbers)} to {max(numbers)}.")


def _passed(sheet: _Sheet, deed: _Deed) -> Meant:
    """The answer of this question that the rules call “pass”; raises _Ask if there is none."""
    question = sheet.question
    assert question is not None
    heard = sheet.listener.hear("pass")
    if isinstance(heard, Meant) and any(answer["action"] == heard.action for answer in question["answers"]):
        return heard
    raise _Ask(deed, "“pass” is no answer to this question: write one of its numbers, or your order in words.")


# Doing


def _do_word(sheet: _Sheet, deed: _Deed, report: Report, mail_key: str, now: datetime) -> None:
    command = deed.command
    if isinstance(command, Asked) and command.word in _SHOWN:
        report.shows.append(_SHOWN[command.word])
        is_begun = sheet.presented["view"] is not None
        deed.report.why = "It stands below." if is_begun else _NOT_BEGUN.get(command.word, "It stands below.")
    elif isinstance(command, Asked) and command.word is Word.UNDO:
        _take_back(sheet, deed, mail_key)
    elif isinstance(command, Rules):
        _tell_rule(sheet, deed, report, command.number)
    elif isinstance(command, Say):
        message_say(race_id=sheet.race_id, seat_id=sheet.key.seat_id, text=command.text, origin=ORIGIN)
        deed.report.why = "All drivers can read it."
    elif isinstance(command, Away):
        _go_away(sheet, deed, command, now)
    elif isinstance(command, Asked) and command.word is Word.BACK:
        _come_back(sheet, deed, now)


def _take_back(sheet: _Sheet, deed: _Deed, mail_key: str) -> None:
    """Take back the last act; the mail that is answered must be the one that asks what is asked now."""
    if sheet.key.is_purchase:
        raise _Ask(deed, "A purchase is not taken back; what you have bought you may return before the next race.")
    if any(one is not deed and (one.meant is not None or _is_undo(one)) for one in sheet.deeds):
        raise _Ask(
            deed, "“undo” takes back one act and stands alone: send your other orders after it, in another mail."
        )
    if sheet.is_stale:
        raise _Ask(deed, "To take back what you played, answer the latest mail, which asks what is asked of you now.")
    receipt = act_undo(
        race_id=sheet.race_id,
        seat_id=sheet.key.seat_id,
        expected_seq=sheet.key.position,
        idempotency_key=mail_key,
        origin=ORIGIN,
    )
    deed.report.why = f"Taken back: {receipt['words']}. {receipt['note']}".strip()


def _is_undo(deed: _Deed) -> bool:
    return isinstance(deed.command, Asked) and deed.command.word is Word.UNDO


def _go_away(sheet: _Sheet, deed: _Deed, command: Away, now: datetime) -> None:
    """A holiday from today to the day before the return; in races that allow holidays no time counts in it."""
    player = sheet.key.player
    today = now.astimezone(zoneinfo.ZoneInfo(player.time_zone)).date()
    last = command.until - timedelta(days=1)
    try:
        holiday_take(user=player, first=today, last=last, now=now)
    except HoursRefused as refused:
        raise _Ask(deed, str(refused)) from refused
    allowed = sheet.presented["race"]["holidays_allowed"]
    counts = "" if allowed else " This race was made without holidays: in it your time counts all the same."
    deed.report.why = f"You are away from {today} to {last}, and back on {command.until}.{counts}"


def _come_back(sheet: _Sheet, deed: _Deed, now: datetime) -> None:
    player = sheet.key.player
    today = now.astimezone(zoneinfo.ZoneInfo(player.time_zone)).date()
    holiday = player.holidays.filter(first__lte=today, last__gte=today).first()
    if holiday is None or not holiday_take_back(user=player, holiday_id=holiday.pk, now=now):
        raise _Ask(deed, "You are not away today, so there is nothing to end; days ahead are taken back on your page.")
    deed.report.why = "Your holiday is over; your time counts again."


def _tell_rule(sheet: _Sheet, deed: _Deed, report: Report, number: str) -> None:
    if not number:
        deed.report.why = "All rules, by number, stand on the site's page of rules; write “rules 6.41” for one."
        return
    try:
        told = rule_told(ruleset=sheet.presented["race"]["ruleset"], number=number)
    except RuleUnknown as unknown:
        raise _Ask(deed, str(unknown)) from unknown
    deed.report.why = "It stands below."
    report.rules.append(
        {
            "number": told.number,
            "title": told.title,
            "words": told.words,
            "rulings": [{"id": ruling, "text": text} for ruling, text in told.rulings],
        }
    )


def _do_standing(sheet: _Sheet) -> None:
    """Standing orders first: what this mail plays may already bring one about."""
    deeds = sheet.of(Sort.STANDING)
    if not deeds:
        return
    saved = standing_save(race_id=sheet.race_id, seat_id=sheet.key.seat_id, texts=[deed.report.text for deed in deeds])
    for deed, kept in zip(deeds, saved, strict=True):
        assert deed.meant is not None
        instead = ", in place of the one you had for that" if kept.replaced else ""
        deed.report.became, deed.report.why = "kept", f"From the next question on: {deed.meant.words}{instead}."


def _do_answers(sheet: _Sheet, mail_key: str) -> None:
    for number, deed in enumerate(sheet.of(Sort.ASIDE)):
        receipt = _submit(sheet, deed, f"{mail_key}-aside-{number}", {})
        deed.report.became, deed.report.why = "noted", f"{receipt['words']}; it stands in the race's next entry."
    steps = sheet.of(Sort.ACT, Sort.PLAN)
    follow_ups = sheet.of(Sort.FOLLOW)
    if follow_ups and (len(steps) != 1 or sheet.of(Sort.PLAN)):
        raise _Ask(follow_ups[0], "What may follow is answered together with one answer to the question.")
    if not steps:
        return
    if sheet.key.is_purchase:
        _buy(sheet, steps, f"{mail_key}-answer")
    elif len(steps) == 1 and steps[0] in sheet.of(Sort.ACT):
        given = {one.meant.trigger: one.meant.value for one in follow_ups if one.meant is not None}
        _answer(sheet, steps[0], follow_ups, f"{mail_key}-answer", given)
    else:
        _plan(sheet, steps, f"{mail_key}-plan")


def _buy(sheet: _Sheet, steps: Sequence[_Deed], mail_key: str) -> None:
    """The answers to a purchase, one after the other: what is returned, and then what is bought, or nothing."""
    for place, deed in enumerate(steps):
        assert deed.meant is not None
        sheet.doing = deed
        receipt = purchase_submit(
            seat=sheet.key.seat,
            purchase_id=sheet.key.decision_id,
            expected_seq=sheet.key.position + place,
            idempotency_key=f"{mail_key}-{place}",
            action=deed.meant.action,
            origin=ORIGIN,
            goes_on=False,
        )
        more = "" if receipt["is_over"] else " You may go on to return others, and to buy one."
        deed.report.why = f"{receipt['words']}.{more if place == len(steps) - 1 else ''}"


def _submit(sheet: _Sheet, deed: _Deed, mail_key: str, follow_ups: Mapping[str, str]) -> dict[str, Any]:
    assert deed.meant is not None
    return action_submit(
        race_id=sheet.race_id,
        seat_id=sheet.key.seat_id,
        expected_seq=sheet.key.position,
        idempotency_key=mail_key,
        action=deed.meant.action,
        origin=ORIGIN,
        follow_ups=follow_ups,
    )


def _answer(
    sheet: _Sheet, deed: _Deed, following: Sequence[_Deed], mail_key: str, follow_ups: Mapping[str, str]
) -> None:
    receipt = _submit(sheet, deed, mail_key, follow_ups)
    if receipt["status"] == "sealed":
        deed.report.became = "kept"
        until = moment_in_words(datetime.fromisoformat(receipt["closes_by"]), sheet.key.player.time_zone)
        deed.report.why = (
            f"{receipt['words']}. Another answer takes its place until the window closes, at the latest {until}."
        )
    else:
        deed.report.why = f"{receipt['words']}."
    for one in following:
        assert one.meant is not None
        one.report.became, one.report.why = "kept", f"{one.meant.words}, in this turn."


def _plan(sheet: _Sheet, steps: Sequence[_Deed], mail_key: str) -> None:
    """Several orders: the rest of one's own turn, one after the other, each if what came before got what it wanted."""
    question = sheet.question
    assert question is not None
    if question["clock"] != "turn" or question["is_window"]:
        raise _Ask(None, f"This question takes one answer, and you gave {len(steps)}. Write the one that you mean.")
    texts = []
    for deed in steps:
        assert deed.meant is not None
        # A later order's words are read when its turn comes; what a number stands for is known now only.
        texts.append(deed.meant.written if isinstance(deed.command, Recognised) else deed.meant.words)
    told = plan_save(race_id=sheet.race_id, seat_id=sheet.key.seat_id, lines=texts, idempotency_key=mail_key)
    if told["state"] == "stopped" and not told["done"]:
        raise ActionRefused(told["why"])
    for place, deed in enumerate(steps):
        assert deed.meant is not None
        if place < told["done"]:
            deed.report.why = f"{texts[place]}."
        elif told["state"] == "stopped":
            deed.report.became, deed.report.why = "not done", told["why"] if place == told["done"] else ""
        else:
            deed.report.became, deed.report.why = "kept", "Queued; it is done when the race comes to it."
