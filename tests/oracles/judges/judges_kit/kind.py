# SPDX-License-Identifier: BSD-3-Clause
"""How the fields of tshark become those that our decoders name: what all kinds share."""
from judges_kit.case import Opinion
from judges_kit.tshark import BETWEEN


def number(text):
    """A value of tshark's as decimal text."""
    return str(int(text, 0)) if text[:2] == "0x" else {"True": "1", "False": "0"}.get(text, text)


def numbers(text):
    return [number(part) for part in text.split(BETWEEN)] if text else []


class Row(dict):
    """{field of tshark: text}; those that are not there are empty."""

    def __missing__(self, _):
        return ""

    def first(self, name):
        return number(self[name].split(BETWEEN, 1)[0])

    def value(self, name):
        """As an integer; 0 where it is not."""
        return int(self.first(name) or 0)

    def all(self, name):
        return numbers(self[name])


class Kind:
    """A kind of frame: the dissector's name, fields to ask for, plain ones, and a function for the rest."""

    def __init__(self, dissector, plain, more=(), read=None, **options):
        self.dissector, self.plain, self.read = dissector, plain, read
        self.names = ["_ws.malformed", *plain, *more]
        self.unseen = frozenset(options.get("unseen", ()))
        self.disabled = options.get("disabled", ())
        self.reword = options.get("reword")

    def opinion(self, texts):
        row = Row({name: text for name, text in zip(self.names, texts) if text})
        found = {ours: row.first(theirs) for theirs, ours in self.plain.items() if theirs in row}
        verdict = "malformed" if "_ws.malformed" in row else "ok"
        if self.read:
            verdict = self.read(row, found) or verdict
        return Opinion(verdict, found)
