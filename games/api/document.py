"""What the OpenAPI document says of the parts of addresses, the same in every operation."""

from typing import Any, Final

PARTS: Final = {
    "public_id": "The id of the race, campaign or league, as its page's address has it.",
    "ask_id": "The id of what was asked, as the race shows it.",
    "car": "The number of a car.",
    "claim_id": "The id of a claim, as the host's list has it.",
    "code": "The code of a problem document.",
    "driver": "The id of a league's driver, as its tables have it.",
    "entrant": "The id of an entrant, as the season's list has it.",
    "entry": "The number of an entry of the record.",
    "fixture": "The id of a fixture, as the season's list has it; not its number.",
    "holiday_id": "The id of a holiday, as your list has it.",
    "name": "The name of a component set.",
    "number": "The number of a season.",
    "order_id": "The id of an order, as your list has it.",
    "other": "The id of the other driver.",
    "ruleset": "The key of a ruleset.",
    "seat_id": "The id of a seat, as the race shows it; not the number of its car.",
    "way_id": "The id of a way to be told, as your list has it.",
}


def parts_described(result: dict[str, Any], **_more: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: say of each part of an address what it is, unless its operation does."""
    for operations in result["paths"].values():
        for operation in operations.values():
            for part in operation.get("parameters", ()):
                if part["in"] == "path" and not part.get("description"):
                    part["description"] = PARTS[part["name"]]
    return result
