"""A question with its answers, forms and what may follow: the one place where answers get numbers and words."""

from collections.abc import Mapping, Sequence
from typing import Any

from games.engine import codec
from games.engine.contract import JSON, Decision, Field, Follow, Form, Ruleset
from games.models import Decision as DecisionRow
from games.models import FollowUp
from games.runtime import rulesets
from games.runtime.play import action_of
from games.runtime.words import cards_of, optional_stamp, stamp, with_names

ASK = "ask"
"""The value of a follow-up that wants the question to be put."""


def question(
    ruleset: Ruleset[Any],
    view: JSON,
    decision: Decision,
    row: DecisionRow,
    *,
    names: Mapping[str, str],
    chosen: Sequence[FollowUp] = (),
    guided: bool = False,
) -> dict[str, JSON]:
    """The question as its owner sees it. ``view`` is that seat's, ``chosen`` its follow-ups of this turn.

    ``guided``: with a word on what to do now.
    """
    answers = [_answer(ruleset, view, decision, number, action) for number, action in enumerate(decision.menu, start=1)]
    forms = [
        _form(ruleset, view, decision, number, form)
        for number, form in enumerate(decision.forms, start=len(answers) + 1)
    ]
    return {
        "decision": row.pk,
        "key": decision.key,
        "kind": decision.kind,
        "clock": decision.clock,
        "rule": decision.rule,
        "text": with_names(ruleset.ask(view, decision), names),
        "what_now": rulesets.what_now(ruleset, view, decision) if guided else "",
        "position": row.position,
        "due_at": stamp(row.due_at),
        "due_rule": row.due_rule,
        "otherwise": f"If you have not answered by then, this is your answer: {ruleset.say(view, decision.default)}.",
        "is_window": row.window is not None,
        "answers": answers,
        "forms": forms,
        "sealed": _sealed(ruleset, view, row),
        "follow": [_follow(ruleset, view, follow, chosen) for follow in rulesets.follows(ruleset, view, decision)],
    }


def turn_forms(ruleset: Ruleset[Any], view: JSON) -> list[dict[str, JSON]]:
    """What an own turn might take, as the forms of a question: {"number", "label", "action", "fields"}."""
    return [
        {
            "number": number,
            "label": form.label,
            "action": codec.to_json(form.action),
            "fields": [_field(ruleset, view, field) for field in form.fields],
        }
        for number, form in enumerate(rulesets.extras_of(ruleset).turn_forms(view), start=1)
    ]


def follow_action(ruleset: Ruleset[Any], view: JSON, follow: Follow, value: str) -> Any | None:
    """The answer that a follow-up's value stands for; None for ASK. Raises KeyError for a value that is not offered."""
    if value == ASK:
        return None
    return {ruleset.say(view, action): action for action in follow.answers}[value]


def _answer(ruleset: Ruleset[Any], view: JSON, decision: Decision, number: int, action: Any) -> dict[str, JSON]:
    plain = codec.to_json(action)
    return {
        "number": number,
        "words": ruleset.say(view, action),
        "rule": rulesets.rule_of(ruleset, decision, action),
        "action": plain,
        "cards": cards_of(plain),
        "risks": list(rulesets.risks(ruleset, view, plain)),
    }


def _form(ruleset: Ruleset[Any], view: JSON, decision: Decision, number: int, form: Form) -> dict[str, JSON]:
    plain = codec.to_json(form.action)
    return {
        "number": number,
        "label": form.label,
        "rule": rulesets.rule_of(ruleset, decision, form.action),
        "action": plain,
        "cards": cards_of(plain),
        "fields": [_field(ruleset, view, field) for field in form.fields],
    }


def _field(ruleset: Ruleset[Any], view: JSON, field: Field) -> dict[str, JSON]:
    return {
        "name": field.name,
        "label": field.label,
        "kind": field.kind,
        "values": [
            {"value": value, "words": rulesets.value_words(ruleset, view, field.name, value)} for value in field.values
        ],
        "least": field.least,
        "most": field.most,
        "empty": field.empty,
    }


def _sealed(ruleset: Ruleset[Any], view: JSON, row: DecisionRow) -> dict[str, JSON] | None:
    if row.sealed_action is None:
        return None
    return {
        "words": ruleset.say(view, action_of(ruleset, row.sealed_action)),
        "action": row.sealed_action,
        "origin": row.sealed_origin,
        "at": optional_stamp(row.sealed_at),
    }


def _follow(ruleset: Ruleset[Any], view: JSON, follow: Follow, chosen: Sequence[FollowUp]) -> dict[str, JSON]:
    said = {ruleset.say(view, action): codec.to_json(action) for action in follow.answers}
    kept = next((c.action for c in chosen if c.trigger == follow.trigger), None)
    return {
        "trigger": follow.trigger,
        "label": follow.label,
        "answers": [{"value": ASK, "words": "ask me"}, *({"value": words, "words": words} for words in said)],
        "chosen": next((words for words, action in said.items() if action == kept), ASK),
    }
