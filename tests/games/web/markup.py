"""Reads a page as a browser would and lists what is wrong with its markup; the pages' tests ask it."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "input", "br", "img", "hr"}
SVG_OPEN = {"path", "rect", "circle", "use"}
HEADINGS = {"h1", "h2", "h3"}


@dataclass
class Element:
    """One element with what is in it."""

    tag: str
    attributes: dict[str, str]
    parents: tuple[str, ...]
    text: str = ""


@dataclass
class Page(HTMLParser):
    """A parsed page: its elements in order, and the faults seen while parsing."""

    source: str
    elements: list[Element] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()
        self.faults += [f"<{element.tag}> is never closed" for element in self._open]

    def __hash__(self) -> int:
        return id(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        names = [name for name, _ in attrs]
        self.faults += [f"<{tag}> has {name} twice" for name in names if names.count(name) > 1]
        element = Element(tag, {name: value or "" for name, value in attrs}, tuple(opened.tag for opened in self._open))
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that closes itself."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened last; anything else is a fault."""
        if not self._open or self._open[-1].tag != tag:
            self.faults.append(f"</{tag}> closes {self._open[-1].tag if self._open else 'nothing'}")
            return
        self._open.pop()

    def handle_data(self, data: str) -> None:
        """Give the words to every open element."""
        for element in self._open:
            element.text += data

    def all(self, tag: str) -> list[Element]:
        """Every element of this kind."""
        return [element for element in self.elements if element.tag == tag]

    def text(self) -> str:
        """The words of the body on one line."""
        return " ".join(self.all("body")[0].text.split())


def faults_of(source: str) -> list[str]:
    """What is wrong with a page: nesting, doubled ids, dangling references, unlabelled controls, anything inline."""
    page = Page(source)
    ids = [element.attributes["id"] for element in page.elements if "id" in element.attributes]
    faults = list(page.faults)
    faults += [f"id {one} twice" for one in sorted(set(ids)) if ids.count(one) > 1]
    for element in page.elements:
        faults += _element_faults(element, set(ids))
    headings = [element for element in page.elements if element.tag in HEADINGS]
    if sum(element.tag == "h1" for element in headings) != 1:
        faults.append("a page has one h1")
    for element in page.elements:
        if element.tag in {"input", "select", "textarea"} and element.attributes.get("type") != "hidden":
            faults += _control_faults(element, page)
    for landmark in ("main", "header"):
        if len(page.all(landmark)) != 1:
            faults.append(f"a page has one {landmark}")
    return faults


def _element_faults(element: Element, ids: set[str]) -> list[str]:
    faults = []
    given = element.attributes
    if "style" in given or element.tag == "style":
        faults.append(f"inline style on <{element.tag}>")
    faults += [f"inline script {name}" for name in given if name.startswith("on")]
    if element.tag == "script" and "src" not in given:
        faults.append("inline script")
    for name in ("aria-labelledby", "aria-describedby", "for"):
        faults += [f"{name} points at no {one}" for one in given.get(name, "").split() if one not in ids]
    href = given.get("href", "")
    if href.startswith("#") and href != "#" and href[1:] not in ids:
        faults.append(f"a link to no {href}")
    if href == "#" or (element.tag == "a" and not href):
        faults.append("a link to nowhere")
    faults += [f"something from elsewhere: {given[n]}" for n in ("src", "href", "action") if "//" in given.get(n, "")]
    if element.tag in {"a", "button"} and {"a", "button"} & set(element.parents):
        faults.append("a control inside a control")
    if element.tag in {"a", "button"} and not element.text.strip() and "aria-label" not in given:
        faults.append("a control without words")
    return faults


def _control_faults(element: Element, page: Page) -> list[str]:
    labels = {label.attributes.get("for") for label in page.all("label")}
    if "label" in element.parents or element.attributes.get("id") in labels or "aria-label" in element.attributes:
        return []
    return [f"no label for {element.attributes.get('name')}"]
