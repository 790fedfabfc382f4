"""`manage.py operator_status`: what needs a hand, and where everything stands."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand
from django.core.serializers.json import DjangoJSONEncoder
from django.utils import timezone

from roadkill_site.operation.overview import Overview, overview

HELP = """What needs a hand, and where everything stands: signs of life, races held up, deadlines that have passed, the
outbox, notices, mails that came in. Nothing tells what anybody holds, is asked in a window, or wrote.

Exit status 0 if nothing needs a hand, 1 if something does, so that cron or a monitor can call it:

  */10 * * * *  manage.py operator_status --quiet

What helps: race_retry, delivery_retry, inbound_release, inbound_refuse, inbound_retry, heartbeat_gaps --credit; or the
page /operator/."""


class Command(BaseCommand):
    """Shows, and changes nothing."""

    help = HELP

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        """Keep the lines of the help as they are."""
        return super().create_parser(prog_name, subcommand, formatter_class=RawDescriptionHelpFormatter, **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        """How to say it."""
        form = parser.add_mutually_exclusive_group()
        form.add_argument("--json", action="store_true", help="everything as JSON, times in UTC")
        form.add_argument("--quiet", action="store_true", help="only what needs a hand, nothing if all is in order")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look and say."""
        seen = overview(now=timezone.now())
        if options["json"]:
            self.stdout.write(json.dumps(seen.plain(), cls=DjangoJSONEncoder, indent=1))
        elif options["quiet"]:
            for need in seen.needs:
                self.stdout.write(need)
        else:
            self.stdout.write("\n".join(_lines(seen)))
        if seen.needs:
            raise SystemExit(1)


def _lines(seen: Overview) -> Iterator[str]:
    yield f"As of {_at(seen.at)} UTC."
    yield from (f"! {need}" for need in seen.needs or ())
    if not seen.needs:
        yield "Nothing needs a hand."
    yield from _part("Signs of life", _life(seen))
    yield from _part(
        f"Races held up: {seen.races_failed_count}",
        (
            f"{race.race:<12}  since {_at(race.since)}  tries {race.count}  next "
            + ("within a minute" if race.is_due else _at(race.next_at) if race.next_at else "when it is looked after")
            + f"  {race.name}: {race.fault}"
            for race in seen.races_failed
        ),
    )
    yield from _part(
        f"Past the deadline: {seen.overdue_count}",
        (
            f"{one.race:<12}  {'window' if one.seat is None else f'{one.clock} of car {one.seat}':<18}  "
            f"due {_at(one.due_at)}, {one.late_text} ago  {one.name}"
            for one in seen.overdue
        ),
    )
    yield from _part("Outbox and notices, without questions and daily mails", _post(seen))
    yield from _part(
        f"Where nothing gets through: {len(seen.failing)}",
        (
            f"{way.key:<18}  {way.who} by {way.way}: {way.how} since {way.since}  {way.detail}".rstrip()
            for way in seen.failing
        ),
    )
    yield from _part("Mails that came in", (_standing(one.words, one.count, one.oldest) for one in seen.mails))
    yield from _part(
        f"Of these held, refused or stuck: {seen.mails_listed_count}",
        (
            f"{mail.mail:>7}  {_at(mail.came_at)}  {mail.state:<8}  {mail.sender or '-'}  "
            f"{f'for {mail.driver} in {mail.race}' if mail.race else '-'}  {mail.why}"
            for mail in seen.mails_listed
        ),
    )


def _life(seen: Overview) -> Iterator[str]:
    for beat in seen.beats:
        yield f"{beat.name}: {'silent' if beat.is_late else 'alive'}, last {_at(beat.at)}"
    if not seen.beats:
        yield "worker: never seen"
    yield f"queue: {'answers' if seen.queue.is_reachable else 'does not answer'}"
    for gap in seen.gaps:
        credited = "not credited" if gap.credited_at is None else f"credited {_at(gap.credited_at)}"
        yield f"gap {_at(gap.start)} to {_at(gap.end)}, {gap.length_text}, {credited}"


def _post(seen: Overview) -> Iterator[str]:
    yield _standing("news not passed on", seen.outbox.waiting, seen.outbox.stuck_since)
    yield _standing("news passed on", seen.outbox.passed_on, None)
    for one in seen.notices:
        yield _standing(f"notices {one.words}", one.count, one.oldest)


def _standing(words: str, count: int, oldest: datetime | None) -> str:
    return f"{words:<45}{count:>7}" + ("" if oldest is None else f"  since {_at(oldest)}")


def _part(heading: str, lines: Iterator[str]) -> Iterator[str]:
    yield ""
    yield heading
    yield from (f"  {line}" for line in lines)


def _at(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M}"
