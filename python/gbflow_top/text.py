# SPDX-License-Identifier: BSD-3-Clause
"""Texts and numbers of a screen: what is printed has a known width and no control characters."""

import locale
import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# A number, a text, or None: not known.
Value = int | float | str | None

UNITS = ("", "k", "M", "G", "T", "P", "E")
BLOCKS = " ▁▂▃▄▅▆▇█"
ASCII_LEVELS = " .:-=+*%#"
NOT_KNOWN = "-"


@dataclass(frozen=True)
class Glyphs:
    """What the terminal's locale can show; levels: from nothing to a full cell."""

    levels: str
    line: str
    mark: str
    full: str
    is_unicode: bool


UNICODE = Glyphs(BLOCKS, "─", "●", "█", True)
ASCII = Glyphs(ASCII_LEVELS, "-", "#", "#", False)


def glyphs_of_locale() -> Glyphs:
    """Of LC_ALL, LC_CTYPE or LANG; ASCII unless its characters are UTF-8."""
    try:
        locale.setlocale(locale.LC_ALL, "")
    except locale.Error:
        return ASCII
    return UNICODE if locale.nl_langinfo(locale.CODESET).upper() == "UTF-8" else ASCII


def clean(text: str, glyphs: Glyphs = UNICODE) -> str:
    """Every character that moves the cursor, joins another one or cannot be shown becomes a question mark."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isascii() and char.isprintable() or glyphs.is_unicode and is_shown(char) else "?"
                   for char in text)


def is_shown(char: str) -> bool:
    return (char.isprintable() and unicodedata.combining(char) == 0
            and unicodedata.category(char) not in ("Mn", "Me", "Cf", "Co", "Cn"))


def cells_of(char: str) -> int:
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def width_of(text: str) -> int:
    """Columns of the terminal that a clean text takes."""
    return len(text) if text.isascii() else sum(map(cells_of, text))


def cut(text: str, width: int) -> str:
    """The longest beginning of a clean text that is not wider."""
    if text.isascii():
        return text[:max(width, 0)]
    left = width
    for at, char in enumerate(text):
        left -= cells_of(char)
        if left < 0:
            return text[:at]
    return text


def fit(text: str, width: int, is_right: bool = False) -> str:
    """Exactly so wide: cut, or filled with blanks."""
    shorter = cut(text, width)
    blanks = " " * (width - width_of(shorter))
    return blanks + shorter if is_right else shorter + blanks


def short(value: Value) -> str:
    """At most six characters of a number: 9999, 12.3k, 4.56M; a text as it is."""
    if value is None:
        return NOT_KNOWN
    if isinstance(value, str):
        return value
    if not math.isfinite(value):
        return NOT_KNOWN
    size = abs(value)
    if size < 9999.5:
        return (f"{value:.0f}" if size >= 100 or value == int(value) else f"{value:.1f}" if size >= 10
                else f"{value:.2f}")
    power = 0
    while size >= 999.5 and power < len(UNITS) - 1:
        size, value, power = size / 1000, value / 1000, power + 1
    digits = 0 if size >= 99.95 else 1 if size >= 9.995 else 2
    return f"{value:.{digits}f}{UNITS[power]}"


def percent(share: Value) -> str:
    return f"{100 * share:.0f}%" if isinstance(share, (int, float)) else NOT_KNOWN


def period(seconds: float) -> str:
    """0:00:07, 3 d 04:05:06."""
    whole = int(seconds)
    clock = f"{whole // 3600 % 24}:{whole // 60 % 60:02d}:{whole % 60:02d}"
    return f"{whole // 86400} d {clock}" if whole >= 86400 else clock


def numbers(values: Sequence[Value]) -> list[float]:
    """Those that are known."""
    return [value for value in values if isinstance(value, (int, float)) and math.isfinite(value)]
