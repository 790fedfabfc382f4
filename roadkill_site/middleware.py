"""What happens around every page.

Caches keep nothing private, times are in the player's own zone, and an address that only takes posts says so.
"""

import zoneinfo
from collections.abc import Callable
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

Page = Callable[[HttpRequest], HttpResponse]


def private_pages_are_not_stored(get_response: Page) -> Page:
    """Mark as not to be stored every answer that does not say itself how it may be cached.

    Pages show hands and links that act; a shared cache or a browser's disk must not keep them.
    """

    def page(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return page


def times_in_the_players_zone(get_response: Page) -> Page:
    """Show times in the zone of the signed-in player, and in the site's for anybody else."""

    def page(request: HttpRequest) -> HttpResponse:
        if not request.user.is_authenticated:
            return get_response(request)
        with timezone.override(zoneinfo.ZoneInfo(request.user.time_zone)):
            return get_response(request)

    return page


def forms_addresses_say_what_they_are(get_response: Page) -> Page:
    """Show a page where a view has refused the method without a word, such as to a reload of what a form led to."""

    def page(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.status_code != HTTPStatus.METHOD_NOT_ALLOWED or response.streaming or response.content:
            return response
        told = render(request, "405.html", status=response.status_code)
        told.headers["Allow"] = response.headers["Allow"]
        return told

    return page
