"""Pages and mails quote in one way: “…”."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
READ_BY_PEOPLE = ("games/selectors", "games/services", "games/templates", "games/web", "notifications")


def test_pages_and_mails_have_no_quotation_marks_of_another_kind() -> None:
    files = [
        path
        for folder in READ_BY_PEOPLE
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in {".py", ".html", ".txt"}
    ]
    assert len(files) > 100
    assert [
        f"{path.relative_to(ROOT)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if set(line) & set("«»„")
    ] == []
