"""The rules by their number: title, our own words, and the rulings that serve them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games.engine.rulebook import Rule
from games.runtime.rulebooks import book_of, keys, rulings_of, words_of
from games.runtime.rulesets import RULESETS


@require_safe
def rules(request: HttpRequest, ruleset: str) -> HttpResponse:
    """Every number of the book, and every ruling, each with an anchor that logs and refusals link to."""
    if ruleset not in keys():
        raise Http404("No such rules are played here.")
    rulings = rulings_of(ruleset)
    chapters: list[dict[str, object]] = []
    told: set[str] = set()
    for rule in book_of(ruleset).rules.values():
        row = {
            "number": rule.number,
            "anchor": f"r{rule.number.lower()}",
            "title": _heading(rule.title),
            "words": words_of(ruleset, rule),
            "is_coming": rule.status == "not-yet",
            "rulings": [
                {"id": ruling, "anchor": f"r{ruling.lower()}", "text": rulings[ruling].text}
                for ruling in rule.rulings
                if ruling in rulings and ruling not in told
            ],
        }
        told |= set(rule.rulings)
        if not chapters or chapters[-1]["part"] != rule.part:
            chapters.append({"part": rule.part, "name": _chapter(rule), "rows": []})
        rows = chapters[-1]["rows"]
        assert isinstance(rows, list)
        rows.append(row)
    games = [(key, RULESETS[key].title) for key in keys() if key in RULESETS]
    context = {"here": "rules", "ruleset": ruleset, "chapters": chapters, "games": games}
    return render(request, "games/rules.html", context)


def _chapter(rule: Rule) -> str:
    """What its part is called: in words already, or the number of a chapter whose first rule is its heading."""
    return f"{rule.part} {_heading(rule.title)}" if rule.part[-1].isdigit() else rule.part


def _heading(title: str) -> str:
    """A chapter's name from the title of its first rule."""
    return title.removesuffix(" (heading)")
