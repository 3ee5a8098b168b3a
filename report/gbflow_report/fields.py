# SPDX-License-Identifier: BSD-3-Clause
"""What the program says of the fields of its reports: fields.json, which `gbflow fields --format json` writes at build time
and which is packed beside this module. Titles of axes and columns, units and explanations come from it.
"""

import functools
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report import packed, page

# Parts of names that are written otherwise in a title.
SPOKEN = {"npdu": "N-PDUs", "sgsn": "SGSN", "bss": "BSS", "rtt": "RTT", "tcp": "TCP", "jain": "Jain's index", "avg": "mean",
          "acked": "acknowledged"}
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
    return json.loads(packed.text("fields.json"))


def of(report: str, path: str) -> Field:
    """KeyError for what no report has: a mistake in this program."""
    row = described()[report][path]
    return Field(path, row["unit"], row["sentence"], row.get("words", {}))


def titled(text: str, unit: str) -> str:
    return f"{text} ({unit})" if unit not in ("", text) else text


def head(report: str, path: str, *, name: str | None = None, shown: Shown | None = None) -> page.Head:
    """Of a column: the field's name, or another one, with the unit; its sentence, and that of what holds it, explain it."""
    field = of(report, path)
    above = path.rpartition(".")[0]
    holder = of(report, above) if above in described()[report] and not above.endswith("[]") else None
    is_value_of = holder is not None and holder.path.endswith(ENDINGS)
    text = name or (f"{holder.name} {field.name}" if holder and is_value_of else field.name)
    note = f"{holder.sentence} {field.sentence}" if holder and is_value_of else field.sentence
    return page.Head(titled(text, (shown or SHOWN.get(field.unit, COUNT)).unit), note)


def text_of(report: str, path: str, value: float | None) -> str:
    """A value as its unit is shown."""
    return SHOWN.get(of(report, path).unit, COUNT).text(value)


def axis(name: str) -> tuple[str, float]:
    """Title of an axis for a series, and what its values are multiplied by."""
    field = of("series", name)
    shown = AXES.get(field.unit, COUNT)
    return titled(field.name, shown.unit), shown.factor
