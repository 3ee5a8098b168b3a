# SPDX-License-Identifier: BSD-3-Clause
"""Shown: texts of others, names say, without what a terminal or a browser would obey: control characters, changes of
direction, separators of lines, characters without width. Each becomes a question mark."""

import contextlib
import os
import re
import select
import signal
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO


def is_shown(char: str) -> bool:
    """Blanks of all widths are."""
    return char.isprintable() or unicodedata.category(char) == "Zs"


def shown(text: object, kept: str = "") -> str:
    """kept: characters that stay, ends of lines say."""
    given = str(text)
    return given if given.isprintable() else "".join(char if char in kept or is_shown(char) else "?" for char in given)


# A spreadsheet computes a cell that begins so, also one in quotes; a number is none that it computes.
FORMULA = r"[=+\-@\t\r]"
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
# A text in a CSV file that has one apostrophe more than it had.
GUARDED = re.compile(f"^'('*{FORMULA})")


def guarded(value: object) -> object:
    """A cell of a CSV file: a text that a spreadsheet would compute gets an apostrophe before it, by which it shows the
    text."""
    is_formula = isinstance(value, str) and re.match(f"'*{FORMULA}", value) and not NUMBER.fullmatch(value)
    return f"'{value}" if is_formula else value


def unguarded(text: str) -> str:
    """The text of such a cell."""
    return GUARDED.sub(r"\1", text)


@contextlib.contextmanager
def unwritten_named() -> Iterator[None]:
    """An error of standard output that is full or closed says what could not be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OSError("cannot write to standard output") from error


class Stream:
    """Standard output or error, for commands that print names from files."""

    def __init__(self, stream: TextIO):
        self.stream = stream

    def write(self, text: str) -> int:
        with unwritten_named():
            return self.stream.write(shown(text, "\n\t"))

    def flush(self) -> None:
        with unwritten_named():
            self.stream.flush()

    def __getattr__(self, name: str) -> object:
        return getattr(self.stream, name)


# --- who reads ---

def is_unread() -> bool:
    """Whether the reader of standard output or error has gone, head say: then a BrokenPipeError is no fault."""
    poll = select.poll()
    for stream in (1, 2):
        poll.register(stream, 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def quietly(program: Callable[[Sequence[str]], int], argv: Sequence[str]) -> int:
    """The status of a program that ends without a word, as the signal would end it, once nobody reads what it says."""
    try:
        try:
            return program(argv)
        finally:
            for stream in (sys.stdout, sys.stderr):
                if stream:
                    stream.flush()
    except BrokenPipeError:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)
        raise
