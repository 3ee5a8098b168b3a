# SPDX-License-Identifier: BSD-3-Clause
"""Shown: texts of others, names say, without what a terminal or a browser would obey: control characters, changes of
direction, separators of lines, characters without width. Each becomes a question mark."""

import unicodedata
from typing import TextIO


def is_shown(char: str) -> bool:
    """Blanks of all widths are."""
    return char.isprintable() or unicodedata.category(char) == "Zs"


def shown(text: object, kept: str = "") -> str:
    """kept: characters that stay, ends of lines say."""
    given = str(text)
    return given if given.isprintable() else "".join(char if char in kept or is_shown(char) else "?" for char in given)


class Stream:
    """Standard output or error, for commands that print names from files."""

    def __init__(self, stream: TextIO):
        self.stream = stream

    def write(self, text: str) -> int:
        return self.stream.write(shown(text, "\n\t"))

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)
