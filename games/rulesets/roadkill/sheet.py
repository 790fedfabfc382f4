"""The Beginner's Track sheet beside the book: which of its numbers stands for which of the book's."""

from typing import Final

OPEN: Final = "open"
BEGINNER: Final = "beginner"
TRACKS: Final = (OPEN, BEGINNER)
"""The option ``track``: the course is laid as the race goes on, or it is the printed map."""

ON_THE_SHEET: Final = {
    "3": "BT3",
    "4": "BT4",
    "4.1": "BT4.1",
    "4.2": "BT4.2",
    "4.3": "BT4.3",
    "4.4": "BT4.4",
    "4.5": "BT4.5",
    "5": "BT5",
    "5.2": "BT5.1",
    "5.3": "BT5.2",
    "5.4": "BT5.3",
    "6.1": "BT6.1",
    "6.2": "BT6.2",
    "6.21": "BT6.21",
    "6.22": "BT6.21",
    "6.23": "BT6.22",
    "6.24": "BT6.23",
    "6.25": "BT6.24",
    "6.3": "BT6.3",
    "6.4": "BT6.4",
    "6.41": "BT6.41",
    "6.42": "BT6.42",
    "6.43": "BT6.42",
    "6.44": "BT6.43",
    "6.5": "BT6.5",
    "6.51": "BT6.51",
    "6.6": "BT6.6",
    "6.61": "BT6.61",
    "6.62": "BT6.62",
    "6.7": "BT6.7",
    "7.1": "BT7.1",
    "7.3": "BT7.2",
    "7.4": "BT7.3",
    "7.5": "BT7.4",
}
"""A number of the book -> the number under which the sheet has it. What the sheet is silent on keeps its number."""


def on_the_sheet(number: str) -> str:
    """The number to cite on the Beginner's Track."""
    return ON_THE_SHEET.get(number, number)
