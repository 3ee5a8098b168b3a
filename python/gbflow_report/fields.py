# SPDX-License-Identifier: BSD-3-Clause
"""What the program says of the fields of its reports: fields.json, which `gbflow fields --format json` writes at build
time and which is packed beside this module. Titles of axes and columns, units and explanations come from it.
"""

import functools
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import output, page

# Parts of names that are written otherwise in a title.
SPOKEN = {"npdu": "N-PDUs", "sgsn": "SGSN", "bss": "BSS", "rtt": "RTT", "tcp": "TCP", "jain": "Jain's index",
          "avg": "mean", "acked": "acknowledged"}
ENDINGS = ("_bps", "_s")


@dataclass(frozen=True)
class Shown:
    """How values of a unit are shown: in which unit, times what, and with which digits."""

    unit: str
    factor: float
    text: Callable[[float | None], str]


COUNT = Shown("", 1.0, page.count)
PERCENT = Shown("%", 100.0, page.percent)
SHOWN = {
    "seconds": Shown("s", 1.0, page.seconds),
    "bit/s": Shown("kbit/s", 1e-3, page.kbps),
    "octets": Shown("octets", 1.0, page.count),
    "ratio": Shown("", 1.0, lambda value: page.fixed(value, 3)),
}
# On an axis octets are too small.
AXES = {**SHOWN, "octets": Shown("kB", 1e-3, page.count), "ratio": PERCENT}


@dataclass(frozen=True)
class Field:
    """One value of a report, or what holds values; words: names that its counters have, with their sentences."""

    path: str
    unit: str
    sentence: str
    words: Mapping[str, str]

    @property
    def name(self) -> str:
        """The last part of the path as words, without its unit: "delay" of delay_s, "drops" of drops.REASON."""
        last = [part for part in self.path.split(".") if not part.isupper()][-1].removesuffix("[]")
        ending = next((ending for ending in ENDINGS if last.endswith(ending)), "")
        return " ".join(SPOKEN.get(part, part) for part in last.removesuffix(ending).replace("_octets", "").split("_"))


@functools.cache
def described() -> Mapping[str, Any]:
    return json.loads(output.packed("fields.json"))


def field_of(report: str, path: str) -> Field:
    """KeyError for what no report has: a mistake in this program."""
    row = described()[report][path]
    return Field(path, row["unit"], row["sentence"], row.get("words", {}))


@functools.cache
def patterns(report: str) -> Sequence[tuple[re.Pattern[str], str]]:
    """Each path as figures are called by it: CLASS is any name, and [] a row's name below it."""
    found = []
    for path in described()[report]:
        parts = (part.removesuffix("[]") for part in path.split("."))
        words = [("[^.]+" if part.isupper() else re.escape(part))
                 + (r"\.[^.]+" if f"{part}[]" in path.split(".") else "") for part in parts]
        found.append((re.compile(r"\.".join(words)), path))
    return found


def of_figure(report: str, figure: str) -> Field | None:
    """The field of a figure, whose path has names in the places of CLASS or []; None: no field has such a path."""
    path = next((path for pattern, path in patterns(report) if pattern.fullmatch(figure)), None)
    return field_of(report, path) if path else None


def titled(text: str, unit: str) -> str:
    return f"{text} ({unit})" if unit not in ("", text) else text


def holder_of(report: str, path: str) -> Field | None:
    """What holds a field as one of its values: delay_s of delay_s.p95."""
    above = path.rpartition(".")[0]
    holder = field_of(report, above) if above in described()[report] and not above.endswith("[]") else None
    return holder if holder and holder.path.endswith(ENDINGS) else None


def name_of(report: str, path: str) -> str:
    """The field's name, after that of what holds it as a value: "delay p95"."""
    holder = holder_of(report, path)
    return f"{holder.name} {field_of(report, path).name}" if holder else field_of(report, path).name


def head(report: str, path: str, *, name: str | None = None, shown: Shown | None = None) -> page.Head:
    """Of a column: the field's name, or another one, with the unit;
    its sentence, and that of what holds it, explain it."""
    field, holder = field_of(report, path), holder_of(report, path)
    text = name or name_of(report, path)
    note = f"{holder.sentence} {field.sentence}" if holder else field.sentence
    return page.Head(titled(text, (shown or SHOWN.get(field.unit, COUNT)).unit), note)


def text_of(report: str, path: str, value: float | None) -> str:
    """A value as its unit is shown."""
    return SHOWN.get(field_of(report, path).unit, COUNT).text(value)


def axis(name: str) -> tuple[str, float]:
    """Title of an axis for a series, and what its values are multiplied by."""
    field = field_of("series", name)
    shown = AXES.get(field.unit, COUNT)
    return titled(field.name, shown.unit), shown.factor
