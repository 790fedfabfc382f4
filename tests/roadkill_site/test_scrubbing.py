"""No secret of an address gets into the log."""

import logging
import logging.config
from typing import Any
from urllib.parse import quote

import pytest
from django.conf import settings

from roadkill_site.scrubbing import ScrubbingFormatter, scrubbed

TOKEN = "WzEsMSw1NDI5XQ:1xXsHE:UiAcC5rFWzRl6-argbGHNKEmqa0_MP3vYaw8sYpn7e0SQ"


@pytest.mark.parametrize(
    "before",
    [
        "GET /act/",
        "POST /mail/stop/",
        "POST /mail/confirm/",
        "GET /account/sign-in-link/",
        "GET /races/k7f3q2/?invitation=",
        "GET /races/k7f3q2/?a=b&invitation=",
        "GET /account/sign-in/?next=%2Fraces%2Fk7f3q2%2F%3Finvitation%3D",
        "GET /account/sign-in/?next=%2Fraces%2Fk7f3q2%2F%3Fa%3Db%26invitation%3d",
        "GET /account/join/?next=/account/sign-in/%3Fnext%3D%252Fraces%252Fk7f3q2%252F%253Finvitation%253D",
        "GET /account/sign-in/?next=%2Fact%2F",
        "GET /account/sign-in/?next=%2Fmail%2Fstop%2F",
        "Authorization: Bearer ",
        "rk_",
    ],
)
def test_a_secret_is_replaced_and_what_stands_around_it_is_kept(before: str) -> None:
    for token in (TOKEN, quote(TOKEN), quote(quote(TOKEN))):
        assert scrubbed(f'"{before}{token} HTTP/1.1" 200') == f'"{before}[secret] HTTP/1.1" 200'


@pytest.mark.parametrize("mark", ["reply+", "REPLY+", "reply=2b", "reply%2B"])
def test_the_key_of_a_reply_address_is_replaced(mark: str) -> None:
    key = "xamloijpqos7m353stmm2wzv"
    assert scrubbed(f"rcpt TO:<{mark}{key}@race.example.org>") == f"rcpt TO:<{mark}[secret]@race.example.org>"
    assert scrubbed("the reply-address of a reply_key") == "the reply-address of a reply_key"


def test_other_addresses_stay_whole() -> None:
    line = "GET /races/k7f3q2/replay/17?eyes=2 /actors/ /api/v1/me"
    assert scrubbed(line) == line


def test_arguments_and_stack_traces_are_scrubbed_too() -> None:
    formatter = ScrubbingFormatter("{message}", style="{")
    error = ValueError(f"/act/{TOKEN}")
    told = "Internal Server Error: %s"
    trace = (ValueError, error, None)
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, told, (f"/act/{TOKEN}",), trace)
    line = formatter.format(record)
    assert TOKEN not in line
    assert line.count("/act/[secret]") == 2


@pytest.mark.parametrize("name", ["", "django", "django.request", "django.server", "gunicorn.access", "gunicorn.error"])
def test_every_handler_that_may_write_an_address_scrubs_it(name: str) -> None:
    configured: dict[str, Any] = settings.LOGGING
    handlers = configured["loggers"].get(name, configured["root"])["handlers"]
    formatters = {configured["handlers"][handler]["formatter"] for handler in handlers}
    made = {configured["formatters"][formatter]["()"] for formatter in formatters}
    assert made == {"roadkill_site.scrubbing.ScrubbingFormatter"}
