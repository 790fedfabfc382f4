"""The public log of a public race as a feed (Atom, RFC 4287)."""

from datetime import datetime
from typing import Any, Final

from django.conf import settings
from django.contrib.syndication.views import Feed
from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from games.runtime.errors import RaceFaulty
from games.selectors.errors import RaceUnknown
from games.selectors.log import log_of
from games.selectors.races import race_get

LINES: Final = 60


class LogFeed(Feed):  # type: ignore[type-arg]  # generic for the checker only
    """The latest lines, as everybody may know them, whoever asks: it is read by programs without a session."""

    feed_type = Atom1Feed

    def get_object(self, request: HttpRequest, *, public_id: str) -> Any:
        """The race, if it is public."""
        del request
        try:
            race = race_get(public_id=public_id)
        except RaceUnknown as unknown:
            raise Http404(str(unknown)) from unknown
        return race

    def title(self, race: Any) -> str:
        """The race's name."""
        return f"{race.name}: log"

    def subtitle(self, race: Any) -> str:
        """What stands in it."""
        return f"What has happened in {race.name}, as everybody may know it."

    def link(self, race: Any) -> str:
        """The page of the log."""
        return settings.SITE_URL + reverse("games:log", args=[race.public_id])

    def feed_guid(self, race: Any) -> str:
        """The feed's own name."""
        return self.link(race)

    def items(self, race: Any) -> list[dict[str, Any]]:
        """Lines, the latest first, each with its place within its entry, by which it is known for ever."""
        try:
            lines = log_of(race=race, viewer=None, last=LINES)
            if len(lines) == LINES:
                # A line's place counts from the first of its entry, so the oldest entry is not cut.
                lines = log_of(race=race, viewer=None, since=lines[0]["entry"] - 1)
        except RaceFaulty:
            return []
        places: dict[int, int] = {}
        told = []
        for line in lines:
            place = places[line["entry"]] = places.get(line["entry"], 0) + 1
            told.append({**line, "guid": f"{self.link(race)}#{line['entry']}.{place}", "page": self.link(race)})
        return told[::-1]

    def item_title(self, item: dict[str, Any]) -> str:
        """The line itself."""
        return str(item["text"])

    def item_description(self, item: dict[str, Any]) -> str:
        """Where it stands."""
        return f"Entry {item['entry']}, turn {item['turn']}"

    def item_link(self, item: dict[str, Any]) -> str:
        """The page of the log, at the line's entry."""
        return f"{item['page']}?before={item['entry'] + 1}"

    def item_guid(self, item: dict[str, Any]) -> str:
        """The line's own name, which stays."""
        return str(item["guid"])

    def item_updateddate(self, item: dict[str, Any]) -> datetime:
        """When it happened."""
        return datetime.fromisoformat(item["at"])
