# SPDX-License-Identifier: BSD-3-Clause
"""History: values over time, and how they are drawn with characters.

A plot has a column for each value, the latest at the right.
A column's height is proportional to its value, and its top is 0 to 8 eighths of a character.
"""

import math
from collections import OrderedDict, deque
from collections.abc import Hashable, Mapping, Sequence

from gbflow_top.text import Glyphs, Value, numbers

SAMPLES = 600
KEPT = 256


class Histories:
    """The last SAMPLES values of each name, of at most KEPT objects;
    that which was asked for least lately goes first."""

    def __init__(self) -> None:
        self.kept: OrderedDict[Hashable, dict[str, deque[Value]]] = OrderedDict()

    def add(self, key: Hashable, values: Mapping[str, Value]) -> None:
        """Names that are new to the object have no value before now."""
        curves = self.kept.setdefault(key, {})
        self.kept.move_to_end(key)
        for name, value in values.items():
            curves.setdefault(name, deque(maxlen=SAMPLES)).append(value)
        while len(self.kept) > KEPT:
            self.kept.popitem(last=False)

    def get(self, key: Hashable, name: str) -> list[Value]:
        return list(self.kept.get(key, {}).get(name, ()))

    def clear(self) -> None:
        self.kept.clear()


def nice_top(values: Sequence[Value], least: float = 1.0) -> float:
    """The end of an axis from 0: 1, 2 or 5 times a power of ten, or `least`."""
    most = max(numbers(values), default=0.0)
    if most <= least:
        return least
    power = 10.0 ** math.floor(math.log10(most))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= most * (1 - 1e-9))


def eighths(value: Value, top: float, cells: int) -> int:
    """0 to 8 * cells; a value above 0 has at least one."""
    if not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0 or top <= 0:
        return 0
    return min(max(round(8 * cells * value / top), 1), 8 * cells)


def plot(values: Sequence[Value], width: int, height: int, top: float, glyphs: Glyphs) -> list[str]:
    """`height` lines of `width` characters, the highest first."""
    shown = list(values)[-width:] if width > 0 else []
    heights = [0] * (width - len(shown)) + [eighths(value, top, height) for value in shown]
    return ["".join(glyphs.levels[min(max(of - 8 * line, 0), 8)] for of in heights) for line in reversed(range(height))]


def sparkline(values: Sequence[Value], width: int, glyphs: Glyphs) -> str:
    """One line, to the greatest value shown."""
    shown = list(values)[-width:] if width > 0 else []
    return plot(shown, width, 1, max(numbers(shown), default=0.0), glyphs)[0] if width > 0 else ""
