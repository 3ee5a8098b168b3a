# SPDX-License-Identifier: BSD-3-Clause
"""Shown: texts of others, names say, without what a terminal or a browser would obey: control characters, changes of
direction, separators of lines, characters without width. Each becomes a question mark."""

import os
import select
import signal
import sys
import unicodedata
from collections.abc import Callable, Sequence
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
