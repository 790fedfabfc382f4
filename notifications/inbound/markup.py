"""The text of an HTML mail; one marked line stands where mail programs put a container for what they quote."""

import re
from typing import Any, Final

import lxml.html
from inscriptis.css_profiles import CSS_PROFILES
from inscriptis.html_engine import Inscriptis
from inscriptis.model.config import ParserConfig
from lxml import etree

QUOTE_PLACEHOLDER: Final = "> …"
"""Stands where a quoted part stood; a marked line, as is_marked() tells them."""

_CONFIG: Final = ParserConfig(css=CSS_PROFILES["strict"], display_links=False, display_images=False)
# Elements that hold a quoted mail and nothing of the player's: by class, id, name or other attribute.
_QUOTE_CLASSES: Final = frozenset(
    {
        "gmail_quote",
        "gmail_quote_container",
        "gmail_attr",
        "gmail_extra",
        "yahoo_quoted",
        "yahoo-quoted-begin",
        "moz-cite-prefix",
        "protonmail_quote",
        "tutanota_quote",
        "zmail_extra",
        "zimbra-quote",
        "gmx_quote",
        "mailru-blockquote",
        "mail-quote-collapse",
        "moz-forward-container",
        "replyheader",
        "ntes_quote",
        "qmbox",
        "freebirdfnameclass",
        "hey-quote",
        "front-blockquote",
        "outlookmessageheader",
        "x_gmail_quote",
    }
)
_QUOTE_IDS: Final = frozenset(
    {"isreplycontent", "oriMsgHtml".lower(), "reply-intro", "replysplit", "mailcontent_quote"}
)
_QUOTE_NAMES: Final = frozenset({"quote", "messagereplysection"})
# From these on everything is quoted: nothing of a player's can stand below.
_END_IDS: Final = frozenset(
    {"divrplyfwdmsg", "appendonsend", "stopspelling", "zwchr", "mail-editor-reference-message-container", "omsg"}
)
_END_STYLE: Final = re.compile(
    r"border:\s{0,4}none;\s{0,4}border-top:\s{0,4}solid\s{1,4}#?[a-z0-9]{3,9}\s{1,4}1\.0pt", re.IGNORECASE
)
_UNSEEN_STYLE: Final = re.compile(r"display:\s{0,4}none|visibility:\s{0,4}hidden|mso-hide:\s{0,4}all", re.IGNORECASE)
_UNSEEN_TAGS: Final = frozenset(
    {
        "script",
        "style",
        "head",
        "title",
        "template",
        "noscript",
        "svg",
        "math",
        "select",
        "textarea",
        "object",
        "iframe",
    }
)
_STYLE_MOST: Final = 400
# Tables are only taken for their rows: laid out as columns they grow to the product of their rows and widths.
_PLAINER: Final = {
    "table": "div",
    "tbody": "div",
    "thead": "div",
    "tfoot": "div",
    "caption": "div",
    "tr": "div",
    "td": "span",
    "th": "span",
    "ul": "div",
    "menu": "div",
    "dir": "div",
    "ol": "div",
    "li": "div",
}


def html_text(html: str) -> str:
    """The text, quoted parts replaced by QUOTE_PLACEHOLDER; "" if there is none. Raises nothing, whatever is in it."""
    parser = lxml.html.HTMLParser(encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True)
    data = html.replace("\0", " ").encode("utf-8", "replace")
    if not data.strip():
        return ""
    try:
        tree = lxml.html.document_fromstring(data, parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return ""  # nothing but comments, or no markup at all
    _strip_after_end(tree)
    for element in list(tree.iter(etree.Element)):
        if _is_quote(element):
            _replace_quote(element)
        elif _is_unseen(element):
            _drop(element)
    for element in tree.iter(etree.Element):
        _make_plain(element)
    return str(Inscriptis(tree, _CONFIG).get_text())


def _strip_after_end(tree: Any) -> None:
    """Drop the first element that ends a player's text and all that follows it in the document."""
    for element in tree.iter(etree.Element):
        if _is_end(element):
            node = element
            while node is not None and node.getparent() is not None:
                parent = node.getparent()
                for later in list(node.itersiblings()):
                    parent.remove(later)
                if node is not element:
                    node.tail = None
                node = parent
            parent = element.getparent()
            if parent is not None:
                element.clear()
                element.tag = "div"
                element.text = QUOTE_PLACEHOLDER
            return


def _is_end(element: Any) -> bool:
    return (
        _attribute(element, "id") in _END_IDS
        or _attribute(element, "data-marker") == "__quoted_text__"
        or (element.tag == "div" and _END_STYLE.search(element.get("style", "")[:_STYLE_MOST]) is not None)
    )


def _is_quote(element: Any) -> bool:
    return (
        element.tag == "blockquote"
        or not _QUOTE_CLASSES.isdisjoint(element.get("class", "")[:_STYLE_MOST].lower().split())
        or _attribute(element, "id") in _QUOTE_IDS
        or "yahoo_quoted" in _attribute(element, "id")
        or _attribute(element, "name") in _QUOTE_NAMES
    )


def _is_unseen(element: Any) -> bool:
    return element.tag in _UNSEEN_TAGS or _UNSEEN_STYLE.search(element.get("style", "")[:_STYLE_MOST]) is not None


def _attribute(element: Any, name: str) -> str:
    return str(element.get(name, ""))[:_STYLE_MOST].lower()


_UNFIT: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What HTML lets through, as "&#1;" too, and XML, which this library keeps a tree by, does not."""


def _fit(text: str | None) -> str | None:
    return None if text is None else _UNFIT.sub(" ", text)


def _replace_quote(element: Any) -> None:
    tail = _fit(element.tail)
    element.clear()
    element.tag = "div"
    element.text = QUOTE_PLACEHOLDER
    # What follows is a paragraph of its own: a player's lines below a quoted mail stand after a blank line.
    gap = etree.SubElement(element, "br")
    gap.tail = ""
    etree.SubElement(element, "br")
    element.tail = tail


def _drop(element: Any) -> None:
    tail = _fit(element.tail)
    element.clear()
    element.tag = "span"
    element.tail = tail


def _make_plain(element: Any) -> None:
    tag = element.tag
    if tag in ("td", "th") and element.tail is None:
        element.tail = " "
    if tag in _PLAINER:
        element.tag = _PLAINER[tag]
    # One by one they could not be dropped: names that HTML forgives are none to this library.
    element.attrib.clear()
