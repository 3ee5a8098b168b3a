# SPDX-License-Identifier: BSD-3-Clause
"""Words: the message for a word that is not among the known names, with the one that was probably meant.
control/base/words.c and lua/schema/scalar.lua judge alike: tests/data/words.txt has the cases."""

import argparse
import difflib
import re
from collections.abc import Callable, Sequence
from typing import NoReturn

LONGEST = 40  # characters of a word that is compared
FAR = 3  # edits from which two words are not alike
SHOWN = 40  # names in a message
NEAR = 3  # names of figures that are said in place of a wrong one


def distance(a: str, b: str) -> int:
    """Insertions, deletions, replacements and swaps of neighbours."""
    rows = [[i + j if i == 0 or j == 0 else 0 for j in range(len(b) + 1)] for i in range(len(a) + 1)]
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            rows[i][j] = min(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]))
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
    return rows[len(a)][len(b)]


def nearest(word: str, known: Sequence[str]) -> str | None:
    """The name with the fewest edits, the first of several, capitals or not. Names that differ by digits alone are no
    slip of each other."""
    found, least = None, FAR
    for name in known if len(word) < LONGEST else ():
        if len(name) < LONGEST and abs(len(word) - len(name)) < least:
            edits = distance(word.lower(), name.lower())
            if edits < least and edits < len(name):
                found, least = name, edits
    return None if found is None or (found != word and re.sub(r"\d", "", found) == re.sub(r"\d", "", word)) else found


def question(word: str, known: Sequence[str]) -> str:
    """'; did you mean 'x'?', or '' where no name is alike."""
    found = nearest(word, known)
    return f"; did you mean '{found}'?" if found else ""


def unknown(word: str, noun: str, known: Sequence[str]) -> str:
    """'P9' is no study: one of P1, P2."""
    more = ", ..." if len(known) > SHOWN else ""
    return f"'{word}' is no {noun}: one of {', '.join(known[:SHOWN]) or 'none at all'}{more}{question(word, known)}"


def one_of(noun: str, known: Sequence[str]) -> Callable[[str], str]:
    """The type of an argument."""
    def read(text: str) -> str:
        if text not in known:
            raise argparse.ArgumentTypeError(unknown(text, noun, known))
        return text
    return read


class Parser(argparse.ArgumentParser):
    """Names the option that was probably meant by an unknown one, before its argument is taken for something else. Its
    messages have the form of the program's own (control/base/command.c)."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\ntry: {self.prog} --help\n")

    def refuse_unknown(self, words: Sequence[str]) -> None:
        there = [name for name in self._option_string_actions if name.startswith("--")]
        for word in words:
            option = word.partition("=")[0]
            if word == "--":
                return
            if word.startswith("--") and not any(name.startswith(option) for name in there):
                meant = nearest(option, there)
                self.error(f"unknown option {option}" + (f"; did you mean {meant}?" if meant else ""))

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def,override]
        if args and not any(action.nargs in (argparse.REMAINDER, argparse.PARSER) for action in self._actions):
            self.refuse_unknown(args)
        return super().parse_known_args(args, namespace)


# --- names of figures: too many to list, of several parts ---

def likeness(name: str, other: str) -> float:
    """Parts in another order are nearly the same name."""
    parts = difflib.SequenceMatcher(None, sorted(name.split(".")), sorted(other.split("."))).ratio()
    return parts + difflib.SequenceMatcher(None, name, other).ratio()


def near_figures(name: str, known: Sequence[str]) -> str:
    """Those that are most alike, for messages."""
    return ", ".join(sorted(known, key=lambda other: (-likeness(name, other), other))[:NEAR])
