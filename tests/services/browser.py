"""A browser without scripts: opens pages, fills in their forms and sends them, as a person would."""

from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urljoin

import requests


@dataclass
class Link:
    """A link of a page: where it leads, its classes and its words."""

    address: str
    classes: list[str]
    words: str = ""


@dataclass
class Form:
    """A form of a page: where it goes, and what it sends if nothing is changed."""

    action: str
    method: str
    values: dict[str, str] = field(default_factory=dict)
    # What may be ticked: name -> values, in the order of the page.
    boxes: dict[str, list[str]] = field(default_factory=dict)
    # The words of its buttons.
    buttons: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.links: list[Link] = []
        self._link: Link | None = None
        self._form: Form | None = None
        self._is_in_button = False
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and "href" in given:
            self._link = Link(given["href"], given.get("class", "").split())
            self.links.append(self._link)
        elif tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").lower())
            self.forms.append(self._form)
        elif self._form is None:
            return
        elif tag == "input" and given.get("name"):
            if given.get("type") == "checkbox":
                self._form.boxes.setdefault(given["name"], []).append(given.get("value", "on"))
            if given.get("type") not in {"checkbox", "radio"} or "checked" in given:
                self._form.values[given["name"]] = given.get("value", "on")
        elif tag == "select":
            self._select = given.get("name", "")
        elif tag == "option" and self._select:
            if "selected" in given or self._select not in self._form.values:
                self._form.values[self._select] = given.get("value", "")
        elif tag == "button":
            self._is_in_button = True
            self._form.buttons.append("")
            if given.get("name"):
                self._form.values[given["name"]] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "a":
            self._link = None
        elif tag == "form":
            self._form = None
        elif tag == "button":
            self._is_in_button = False
        elif tag == "select":
            self._select = ""

    def handle_data(self, data: str) -> None:
        if self._is_in_button and self._form is not None:
            self._form.buttons[-1] += data
        if self._link is not None:
            self._link.words += f" {data}"


class Browser:
    """One person's browser: keeps cookies, knows the page it is on."""

    def __init__(self) -> None:
        self.session = requests.Session()
        self.page = requests.Response()

    @property
    def forms(self) -> list[Form]:
        """The forms of the page."""
        return self._read().forms

    def links(self, *, css: str) -> list[Link]:
        """The links of the page that have this class, with their words on one line."""
        found = [link for link in self._read().links if css in link.classes]
        return [
            Link(urljoin(self.page.url, link.address), link.classes, " ".join(link.words.split())) for link in found
        ]

    def _read(self) -> _Reader:
        reader = _Reader()
        reader.feed(self.page.text)
        return reader

    def form(self, *, field: str = "", button: str = "") -> Form:
        """The first form that has this field, or a button with these words."""
        for form in self.forms:
            if (not field or field in form.values) and (not button or any(button in words for words in form.buttons)):
                return form
        raise AssertionError(
            f"no form with field {field!r} and button {button!r} on {self.page.url}:\n{self.page.text}"
        )

    def open(self, address: str) -> requests.Response:
        """Open a page; it must be there."""
        self.page = self.session.get(address, timeout=30)
        self.page.raise_for_status()
        return self.page

    def send(self, form: Form, **values: str | list[str]) -> requests.Response:
        """Send a form of the page with these values changed; follows on to where the answer leads.

        A list stands for boxes ticked.
        """
        assert form.method == "post", form
        address = urljoin(self.page.url, form.action)
        self.page = self.session.post(
            address, data={**form.values, **values}, headers={"Referer": self.page.url}, timeout=30
        )
        return self.page
