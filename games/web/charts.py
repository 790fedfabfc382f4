"""Charts as plain figures for a template that draws SVG: places in a box, ticks, one line a series."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil, floor, log10
from typing import Any, Final

WIDTH: Final = 640
HEIGHT: Final = 260
LEFT: Final = 58
RIGHT: Final = 12
TOP: Final = 12
BOTTOM: Final = 30
TICKS: Final = 5


@dataclass(frozen=True)
class Series:
    """One line of a chart. ``band``: lower and upper value at each point, or () for none."""

    name: str
    points: Sequence[tuple[float, float]]
    band: Sequence[tuple[float, float]] = field(default=())


def chart(series: Sequence[Series], *, title: str, across: str, up: str) -> dict[str, Any] | None:
    """What games/_chart.html draws; None if there are no two points to join.

    {"title", "across", "up": words, "width", "height", "lines": [{"name", "number", "points": "x,y x,y", "band": points
    of a polygon or "", "end": {"x", "y"}, "last": value}], "ticks_up": [{"y", "text"}], "ticks_across":
    [{"x", "text"}]}
    """
    xs = [x for one in series for x, _ in one.points]
    ys = [y for one in series for _, y in one.points] + [y for one in series for pair in one.band for y in pair]
    if len(set(xs)) < 2:
        return None
    rise = _ticks(min([0.0, *ys]), max(ys))
    low, high = rise[0], rise[-1]
    first, last = min(xs), max(xs)

    def x_of(value: float) -> float:
        return round(LEFT + (value - first) / (last - first) * (WIDTH - LEFT - RIGHT), 1)

    def y_of(value: float) -> float:
        return round(HEIGHT - BOTTOM - (value - low) / (high - low) * (HEIGHT - TOP - BOTTOM), 1)

    lines = []
    for number, one in enumerate(series, start=1):
        if not one.points:
            continue
        band = ""
        if one.band:
            along = [(x, pair) for (x, _), pair in zip(one.points, one.band, strict=True)]
            upper = [f"{x_of(x)},{y_of(pair[1])}" for x, pair in along]
            lower = [f"{x_of(x)},{y_of(pair[0])}" for x, pair in reversed(along)]
            band = " ".join(upper + lower)
        end_x, end_y = one.points[-1]
        lines.append(
            {
                "name": one.name,
                "number": number,
                "points": " ".join(f"{x_of(x)},{y_of(y)}" for x, y in one.points),
                "band": band,
                "end": {"x": x_of(end_x), "y": y_of(end_y)},
                "last": _text(end_y),
            }
        )
    return {
        "title": title,
        "across": across,
        "up": up,
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "floor": HEIGHT - BOTTOM,
        "lines": lines,
        "ticks_up": [{"y": y_of(value), "text": _text(value)} for value in rise],
        "ticks_across": [
            {"x": x_of(value), "text": _text(value)}
            for value in _ticks(first, last, whole=True)
            if first <= value <= last
        ],
    }


def _ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Round numbers from at most ``low`` to at least ``high``, about TICKS of them; with ``whole`` no broken ones."""
    if high <= low:
        high = low + 1
    rough = (high - low) / TICKS
    power = 10 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    step = max(step, 1) if whole or high - low >= TICKS else step
    first, last = floor(low / step), ceil(high / step)
    return [round(number * step, 6) for number in range(first, last + 1)]


def _text(value: float) -> str:
    return f"{round(value, 1):g}".replace("-", "\N{MINUS SIGN}")
