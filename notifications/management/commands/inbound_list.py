"""`manage.py inbound_list`: the latest mails that came in, and what became of them."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from notifications.reply_models import InboundMail, InboundState


class Command(BaseCommand):
    """Says nothing of what stands in a mail: whoever runs the server may play too."""

    help = "List mails that came in: number, when, by which way, from whom, for which race and seat, what became of it."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take a state, and how many."""
        parser.add_argument("--state", choices=InboundState.values, help="only mails in this state")
        parser.add_argument("--last", type=int, default=50, help="at most so many, the latest (50)")

    def handle(self, *args: Any, state: str | None, last: int, **options: Any) -> None:
        """One line a mail, the latest first."""
        mails = InboundMail.objects.select_related("seat__race").defer("raw", "report")
        if state:
            mails = mails.filter(state=state)
        for mail in mails[: max(0, last)]:
            seat = f"{mail.seat.race.public_id}/{mail.seat.number}" if mail.seat is not None else "-"
            words = (
                f"{mail.pk:>7}  {mail.came_at:%Y-%m-%d %H:%M}  {mail.came_by:<7}  {mail.state:<8}",
                f"{mail.kind or '-':<15}  {seat:<10}  {mail.sender or '-'}",
                f"answer {mail.answer_state}" + (f" ({mail.answer_detail})" if mail.answer_detail else ""),
                mail.reason,
            )
            self.stdout.write("  ".join(word for word in words if word))
