"""An answer that is put together step by step: paths, what may be filled in next, and what it risks.

Each step is a link to the same page with one letter more in its address, so it works without a script, nothing is
kept, and the browser's way back takes a step back.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict

from games.runtime import rulesets
from games.web.answer_forms import PageField, action_of, page_fields

MOST_SUGGESTED: Final = 400


def fields_in_part(presentation: Mapping[str, Any], form: Mapping[str, Any], given: QueryDict) -> list[PageField]:
    """The fields of a form as the address, or a form that is only looked at, fills them in so far."""
    return with_paths(presentation, form, page_fields(form, given, in_part=True))


def with_paths(
    presentation: Mapping[str, Any], form: Mapping[str, Any], fields: Sequence[PageField]
) -> list[PageField]:
    """The fields, with what each path leads to and what texts may say as the rest stands."""
    ruleset = rulesets.RULESETS[presentation["race"]["ruleset"]]
    view, action = presentation["view"], action_of(form, fields)
    made = []
    for part in fields:
        if part.kind == "path":
            told = rulesets.path(ruleset, view, action, part.name)
            made.append(replace(part, path=None if told is None else _linked(told, part, fields, form)))
        elif part.kind == "text":
            known = rulesets.suggestions(ruleset, view, action, part.name)
            made.append(replace(part, suggested=tuple(str(one["value"]) for one in known[:MOST_SUGGESTED])))
        else:
            made.append(part)
    return made


def _linked(
    told: Mapping[str, Any], part: PageField, fields: Sequence[PageField], form: Mapping[str, Any]
) -> dict[str, Any]:
    """The path with the query of the page that each next step leads to, and those of going back."""
    said = "".join(one["step"] for one in told["taken"])
    known = part.text[len(said) :]
    return {
        **told,
        "form": int(form["number"]),
        "text": said,
        "rest": known,
        "why_rest": _why_rest(told) if known else "",
        "next": [{**one, "query": query_of(fields, {part.name: said + one["step"]})} for one in told["next"]],
        "back": query_of(fields, {part.name: said[:-1]}) if said else "",
        "usual_query": query_of(fields, {part.name: part.usual})
        if part.usual and not said and len(part.usual) <= told["count"]
        else "",
        "risky": [one for one in told["taken"] if one["fatal"] or one["gamble"]],
    }


def _why_rest(told: Mapping[str, Any]) -> str:
    """Why letters behind the steps that are told are not: "unsure", "too_long" or "wrong"."""
    if told["taken"] and told["taken"][-1]["ends"]:
        return "unsure"
    return "too_long" if told["left"] == 0 else "wrong"


def first_step(presentation: Mapping[str, Any]) -> dict[str, Any] | None:
    """What is drawn where a question is mainly for a path: the steps that a path of it may begin with; else None.

    That is a question with a form whose only part is a path.
    """
    for form in (presentation["question"] or {}).get("forms", ()):
        if [part["kind"] for part in form["fields"]] == ["path"]:
            return composed_of(with_paths(presentation, form, page_fields(form)))
    return None


def query_of(fields: Sequence[PageField], changed: Mapping[str, str]) -> str:
    """The query that fills a form in as it stands, but for what is changed."""
    pairs: list[tuple[str, str]] = []
    for part in fields:
        if part.name in changed:
            pairs.append((part.input_name, changed[part.name]))
        elif part.kind in {"one", "some"}:
            pairs += [(part.input_name, option.index) for option in part.options if option.is_taken]
        elif part.text:
            pairs.append((part.input_name, part.text))
    return urlencode(pairs)


def composed_of(fields: Sequence[PageField]) -> dict[str, Any] | None:
    """What a drawing shows of a form: its first path that goes on, or else the last one, and spaces to be named.

    The path as games.engine.extras.Extras.path tells it, with "form" and a "query" for each next step; "places":
    [{"value", "query"}] of a text that may name spaces. None for a form without either.
    """
    paths = [part.path for part in fields if part.path is not None]
    places = [
        {"value": value, "query": query_of(fields, {part.name: value}), "is_taken": value == part.text}
        for part in fields
        for value in part.suggested
    ] + [
        {"value": option.words, "query": query_of_option(fields, part, option.index), "is_taken": option.is_taken}
        for part in fields
        if part.is_list
        for option in part.options
    ]
    going = next((path for path in paths if path["next"]), None) or (paths[-1] if paths else None)
    if going is None and not places:
        return None
    nothing: dict[str, Any] = {"piece": "", "from": "", "taken": [], "next": [], "form": 0, "left": 0}
    return {**(going or nothing), "places": places}


def query_of_option(fields: Sequence[PageField], part: PageField, index: str) -> str:
    """The query that takes this value of a part, the others as they stand."""
    others = [one for one in fields if one.name != part.name]
    own = urlencode([(part.input_name, index)])
    return "&".join(piece for piece in (query_of(others, {}), own) if piece)


def sure_of(risks: Sequence[str]) -> str:
    """What a form sends along once it has told these risks, so that it is not sure of others."""
    return hashlib.sha256("\n".join(risks).encode()).hexdigest()[:16]


def told_risks(risks: Sequence[str], *, again: bool) -> dict[str, Any]:
    """What a page shows of risks; ``again``: the answer was sent without being sure."""
    return {"risks": risks, "sure": sure_of(risks), "is_asked_again": again and bool(risks)}


def risks_of(presentation: Mapping[str, Any], action: Mapping[str, Any]) -> tuple[str, ...]:
    """What an answer may cost, a sentence each; () for nothing to be feared, or before the start."""
    if presentation["view"] is None:
        return ()
    return rulesets.risks(rulesets.RULESETS[presentation["race"]["ruleset"]], presentation["view"], action)
