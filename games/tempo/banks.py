"""Banks: time beyond a turn's own hours, which a driver keeps from turn to turn. Pure; all figures are seconds.

A turn is played on its own hours first and on the bank after them. What is not used of the bank stays in it; what is
not used of the hours is gone, or one quick turn would fill the bank. A turn that its owner ends adds the increment, up
to the cap; one that lapses has used the bank up and adds nothing.
"""

from dataclasses import dataclass, replace

from games.tempo.calendars import length_text


class BankRefused(ValueError):
    """The bank cannot be; ``field`` is balance_s, increment_s, cap_s, turn_s or used_s, the message a sentence."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


@dataclass(frozen=True)
class Bank:
    """``balance_s``: what is in it; ``increment_s``: what an answered turn adds; ``cap_s``: the most it holds.

    Raises BankRefused.
    """

    balance_s: int
    increment_s: int
    cap_s: int

    def __post_init__(self) -> None:
        for field in ("balance_s", "increment_s", "cap_s"):
            if getattr(self, field) < 0:
                raise BankRefused(field, "A bank, its increment and its cap are no time or more.")
        if self.balance_s > self.cap_s:
            raise BankRefused("balance_s", f"A bank with a cap of {length_text(self.cap_s)} cannot begin above it.")
        if self.increment_s > self.cap_s:
            raise BankRefused("increment_s", f"A bank with a cap of {length_text(self.cap_s)} cannot grow by more.")

    @property
    def text(self) -> str:
        """The bank in one sentence for the lobby."""
        return (
            f"Beyond that a bank of {length_text(self.balance_s)}; each turn that is answered adds "
            f"{length_text(self.increment_s)}, up to {length_text(self.cap_s)}."
        )


def allotted_s(bank: Bank | None, *, turn_s: int) -> int:
    """Counted seconds in which a turn has to be played: its own and the bank's. Raises BankRefused: turn_s."""
    _check("turn_s", turn_s)
    return turn_s if bank is None else turn_s + bank.balance_s


def during(bank: Bank, *, turn_s: int, used_s: int) -> tuple[int, int]:
    """What is left of the turn's own time and of the bank after ``used_s`` counted seconds: what a driver is shown.

    Raises BankRefused: turn_s, used_s.
    """
    _check("turn_s", turn_s)
    _check("used_s", used_s)
    return max(0, turn_s - used_s), max(0, bank.balance_s - max(0, used_s - turn_s))


def after_turn(bank: Bank, *, turn_s: int, used_s: int, is_answered: bool) -> Bank:
    """The bank once a turn is over that took ``used_s`` counted seconds.

    ``is_answered``: its owner ended it; otherwise it lapsed, and has used all there was. Raises BankRefused: turn_s,
    used_s.
    """
    _, left_s = during(bank, turn_s=turn_s, used_s=used_s)
    return replace(bank, balance_s=min(bank.cap_s, left_s + bank.increment_s) if is_answered else 0)


def _check(field: str, seconds: int) -> None:
    if seconds < 0:
        raise BankRefused(field, "A turn takes no time or more.")
