# SPDX-License-Identifier: BSD-3-Clause
"""One frame with two opinions about it."""
import struct
from dataclasses import dataclass

VERDICT = "verdict"


@dataclass(slots=True)
class Opinion:
    """verdict: ok, or why not; fields: {name: text}."""
    verdict: str
    fields: dict

    @property
    def is_good(self):
        return self.verdict == "ok"


@dataclass(slots=True)
class Case:
    """differing holds names of fields, or VERDICT alone; two that refuse a frame do not differ."""
    octets: bytes
    ours: Opinion
    theirs: Opinion
    differing: frozenset


def saying(line):
    """The Opinion that judge_frames wrote."""
    verdict, *pairs = line.rstrip("\n").split("\t")
    return Opinion(verdict, dict(pair.split("=", 1) for pair in pairs))


def difference(ours, theirs, unseen=frozenset()):
    """Names of what differs; unseen are fields that this judge never tells."""
    if ours.is_good != theirs.is_good:
        return frozenset((VERDICT,))
    if not ours.is_good or ours.fields == theirs.fields:
        return frozenset()
    names = (ours.fields.keys() | theirs.fields.keys()) - unseen
    # Nothing said and said to be of no octets: no judge tells these apart.
    return frozenset(name for name in names if ours.fields.get(name, "") != theirs.fields.get(name, ""))


def captured(path):
    """Frames of the capture that judge_frames wrote."""
    with open(path, "rb") as file:
        data = file.read()
    at = 24
    while at < len(data):
        octets = struct.unpack_from("=I", data, at + 8)[0]
        yield data[at + 16:at + 16 + octets]
        at += 16 + octets
