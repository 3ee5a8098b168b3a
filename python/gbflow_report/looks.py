# SPDX-License-Identifier: BSD-3-Clause
"""Looks: the one list of the figures that tables and pages have of each traffic class. Queues trade them for each
other, so none says enough alone: a packet's delay leaves out where data at the sender waits, which is in the time to a
page's first object and in page times; pings that answer leave out those that are lost.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import page
from gbflow_results.files import number


@dataclass(frozen=True)
class Look:
    """name: in tables of changes; title: of a column, with the unit; figure: of summary.json, below classes.CLASS;
    digits, factor: as a table has it; better: 1 if more is better, -1 if less is. is_sum: the classes have one value
    together; is_share: its changes are told in points, as it may be 0; is_of_pings: a class without pings has none."""

    name: str
    title: str
    figure: str
    digits: int
    better: int = -1
    factor: float = 1.0
    is_sum: bool = False
    is_share: bool = False
    is_of_pings: bool = False


TOTAL, DELAY, RTT, PAGE_P50, PAGE, FIRST, WORST, DROPPED, PING_P50, PING, LOST = (
    "total", "delay", "rtt", "page p50", "page p95", "first object", "worst user", "dropped", "ping p50", "ping p95",
    "pings lost")
LOOKS: Sequence[Look] = [
    Look(TOTAL, "total kbit/s", "goodput_bps.total", 0, 1, 1e-3, is_sum=True),
    Look(DELAY, "delay p95 s", "delay_s.p95", 2),
    Look(RTT, "rtt s", "rtt_s.avg", 1),
    Look(PAGE_P50, "page p50 s", "page_time_s.p50", 0),
    Look(PAGE, "page p95 s", "page_time_s.p95", 0),
    Look(FIRST, "first object p95 s", "first_object_s.p95", 1),
    Look(WORST, "worst user", "fairness.worst_user", 2, 1),
    Look(DROPPED, "dropped", "dropped", 2, is_share=True),
    Look(PING_P50, "ping p50 s", "ping_rtt_s.p50", 2, is_of_pings=True),
    Look(PING, "ping p95 s", "ping_rtt_s.p95", 2, is_of_pings=True),
    Look(LOST, "pings lost", "pings_lost", 2, is_share=True, is_of_pings=True),
]
BY_NAME = {look.name: look for look in LOOKS}
TITLES = [look.title for look in LOOKS]

Seen = Mapping[str, float | None]  # of a class in one run, by name of the look
Rows = Mapping[str, Any]  # of one run, by class; row[name] is what the look of this name says
Value = Callable[[Rows], float | None]


def seen_of(row: Mapping[str, Any]) -> dict[str, float | None]:
    """Of a class's row in summary.json, as a table has it."""
    found = {look.name: number(row, *look.figure.split(".")) for look in LOOKS}
    return {name: None if value is None else value * BY_NAME[name].factor for name, value in found.items()}


def of_class(name: str, kind: str) -> Value:
    """What a look says of one class."""
    return lambda rows: rows[kind][name]


def total(classes: Iterable[str]) -> Value:
    """The sum over the classes; None where one has no value."""
    names = list(classes)

    def found(rows: Rows) -> float | None:
        values = [rows[name][TOTAL] for name in names]
        return None if None in values else sum(values)
    return found


def values(look: Look, classes: Sequence[str]) -> list[tuple[str, Value]]:
    """With their names: "total", "delay thp2", "delay thp3", ..."""
    if look.is_sum:
        return [(look.name, total(classes))]
    return [(f"{look.name} {kind}", of_class(look.name, kind)) for kind in classes]


def slashed(texts: Sequence[str]) -> str:
    """Of classes; nothing where no class has a value."""
    return page.NONE if set(texts) <= {page.NONE} else " / ".join(texts)


def joined(found: Sequence[float | None], text_of: Callable[[float | None], str]) -> str:
    return slashed([text_of(value) for value in found])


def cell(look: Look, classes: Sequence[str], middle: Callable[[Value], float | None]) -> str:
    """middle: of a value over the runs of a row."""
    return joined([middle(value_of) for _, value_of in values(look, classes)],
                  lambda value: page.fixed(value, look.digits))


def lacking(titles: Iterable[str]) -> list[str]:
    """Looks that no column or row of a table is called by."""
    told = list(titles)
    return [look.name for look in LOOKS
            if not any(title == look.name or title.startswith(look.name + " ") for title in told)]
