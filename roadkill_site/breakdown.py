"""What a page that failed answers: 503 and "again later" where only the database was away, else 500."""

import sys
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template import loader
from django.views.defaults import server_error

RETRY_SECONDS: Final = 5


def page_failed(request: HttpRequest) -> HttpResponse:
    """The page for an exception that nobody caught; Django calls it while that is being handled, and has logged it.

    Templates of failures ask neither the database nor who is signed in.
    """
    if not isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return server_error(request)
    page = HttpResponse(loader.get_template("503.html").render(), status=503)
    page.headers["Retry-After"] = str(RETRY_SECONDS)
    return page
