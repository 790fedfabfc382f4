"""Answers with parts: a form of the presentation as fields of a page, and what was filled in as an action."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

FEW: Final = 7
"""Up to so many values are shown as buttons to tick; more as a list to open."""


class Filled(Protocol):
    """What a posted form holds, as Django gives it."""

    def get(self, name: str) -> Any:
        """The last value under this name."""
        ...

    def getlist(self, name: str) -> list[Any]:
        """All values under this name."""
        ...


@dataclass(frozen=True, slots=True)
class Option:
    """One value that may be taken; ``index`` stands for it in the page."""

    index: str
    words: str
    is_taken: bool


@dataclass(slots=True)
class PageField:
    """One part of the form as the page shows it."""

    name: str
    label: str
    kind: str
    least: int
    most: int
    options: tuple[Option, ...] = ()
    text: str = ""
    error: str = ""
    value: Any = field(default=None)
    may_be_empty: bool = False
    empty: str = ""
    usual: str = ""
    suggested: tuple[str, ...] = ()
    path: Mapping[str, Any] | None = None

    @property
    def input_name(self) -> str:
        """The name of its inputs: marked, so that it is never taken for one of the page's own."""
        return f"part-{self.name}"

    @property
    def is_list(self) -> bool:
        """Whether it is shown as a list to open."""
        return self.kind == "one" and len(self.options) > FEW

    @property
    def help(self) -> str:
        """How much may be filled in, in words."""
        if self.kind == "number":
            bounds = f"{self.least} to {self.most}"
            return f"{bounds}; left empty, {self.empty}" if self.may_be_empty and self.empty else bounds
        if self.kind in {"text", "path"}:
            return f"at most {self.most} letters" if self.most else ""
        if self.kind == "some":
            return _count_help(self.least, self.most, len(self.options))
        return ""


def _count_help(least: int, most: int, available: int) -> str:
    if least == most:
        return f"exactly {least}"
    if least == 0 and most >= available:
        return "as many as you like, or none"
    return f"at most {most}" if least == 0 else f"{least} to {most}"


def page_fields(form: Mapping[str, Any], filled: Filled | None = None, *, in_part: bool = False) -> list[PageField]:
    """The fields of a form; with ``filled`` they keep what was filled in and say what is wrong with it.

    ``in_part``: it was not sent and is being put together, so what is not there stands as before, and nothing is wrong.
    """
    return [_page_field(part, form["action"], filled, in_part=in_part) for part in form["fields"]]


def _page_field(
    part: Mapping[str, Any], action: Mapping[str, Any], filled: Filled | None, *, in_part: bool
) -> PageField:
    values = part.get("values") or []
    shown = PageField(
        name=part["name"],
        label=part["label"],
        kind=part["kind"],
        least=int(part.get("least", 0)),
        most=int(part.get("most", 0)),
        empty=str(part.get("empty", "")),
    )
    standing = action.get(shown.name)
    if in_part and filled is not None and filled.get(shown.input_name) is None:
        filled = None
    if shown.kind in {"one", "some"}:
        taken = _taken(shown, values, standing, filled)
        shown.options = tuple(
            Option(str(index), str(value["words"]), index in taken) for index, value in enumerate(values)
        )
        _check_taken(shown, values, taken, standing)
    elif shown.kind == "number":
        _read_number(shown, standing, filled)
    else:
        _read_text(shown, standing, filled)
    if filled is None or in_part:
        # Nobody has filled anything in yet that could be wrong.
        shown.error = ""
    return shown


def _taken(shown: PageField, values: Sequence[Mapping[str, Any]], standing: Any, filled: Filled | None) -> list[int]:
    """The indices of the values that are taken: those filled in, else those of the action as it stands."""
    if filled is not None:
        found = [index for index in filled.getlist(shown.input_name) if str(index).isascii()]
        return sorted({int(i) for i in found if str(i).isdigit() and len(str(i)) < 6 and int(i) < len(values)})
    if shown.kind == "one":
        return [index for index, value in enumerate(values) if value["value"] == standing][:1]
    left = list(standing or ())
    taken: list[int] = []
    for index, value in enumerate(values):
        if value["value"] in left:
            left.remove(value["value"])
            taken.append(index)
    return taken


def _check_taken(shown: PageField, values: Sequence[Mapping[str, Any]], taken: Sequence[int], standing: Any) -> None:
    if shown.kind == "one":
        shown.value = values[taken[0]]["value"] if taken else standing
        if len(taken) > 1:
            shown.error = "Choose one."
        return
    shown.value = [values[index]["value"] for index in taken]
    if len(taken) < shown.least:
        shown.error = f"Choose at least {shown.least}."
    elif len(taken) > shown.most:
        shown.error = f"Choose at most {shown.most}."


def _read_number(shown: PageField, standing: Any, filled: Filled | None) -> None:
    shown.may_be_empty = standing is None
    if filled is None:
        shown.value = standing
        shown.text = "" if standing is None else str(standing)
        return
    shown.text = str(filled.get(shown.input_name) or "").strip()
    if not shown.text:
        shown.value = standing
        return
    try:
        shown.value = int(shown.text[:12])
    except ValueError:
        shown.error = f"Write a whole number from {shown.least} to {shown.most}."
        return
    if not shown.least <= shown.value <= shown.most:
        shown.error = f"Write a number from {shown.least} to {shown.most}."


def _read_text(shown: PageField, standing: Any, filled: Filled | None) -> None:
    raw = standing if filled is None else filled.get(shown.input_name)
    shown.text = str(raw or "").strip()
    if shown.kind == "path":
        # A way is put together from its beginning; what would stand is offered beside it.
        shown.usual = str(standing or "")
        shown.text = "" if filled is None else "".join(shown.text.upper().split())
    shown.value = shown.text
    if shown.kind == "path" and len(shown.text) < shown.least:
        shown.error = "Say at least one step."
    if shown.most and len(shown.text) > shown.most:
        shown.error = f"At most {shown.most} letters; these are {len(shown.text)}."


def action_of(form: Mapping[str, Any], fields: Sequence[PageField]) -> dict[str, Any]:
    """The action that the fields say: the form's own with every part that was filled in."""
    parts = {part.name: part.value for part in fields if part.value is not None}
    return {**form["action"], **parts}


def has_errors(fields: Sequence[PageField]) -> bool:
    """Whether any field is filled in wrongly."""
    return any(part.error for part in fields)
