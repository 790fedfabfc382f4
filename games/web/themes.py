"""Light, dark, or as the reader's system has it; kept in a cookie of this browser, since it is no fact of the site."""

from typing import Final

from django.http import HttpRequest, HttpResponse

COOKIE: Final = "theme"
THEMES: Final = ("light", "dark")
YEAR: Final = 365 * 24 * 60 * 60


def theme_of(request: HttpRequest) -> str:
    """The chosen theme; "" for the system's, also for a cookie that names none."""
    chosen = request.COOKIES.get(COOKIE, "")
    return chosen if chosen in THEMES else ""


def theme_keep(response: HttpResponse, theme: str, *, secure: bool) -> None:
    """Put the choice into the answer's cookie; anything but a theme takes the cookie away."""
    if theme in THEMES:
        response.set_cookie(COOKIE, theme, max_age=YEAR, httponly=True, samesite="Lax", secure=secure)
    else:
        response.delete_cookie(COOKIE, samesite="Lax")
