# SPDX-License-Identifier: BSD-3-Clause
"""ablation: the combinations of the parts of the discipline q and of pacing, the points at which they are played, and
what a run says.

A combination is made of the keys of the single parts, without discipline = "q"; with all parts it is the case
q-windows of the study own. These do not exist:

* FIFO with CoDel: it is one for each flow queue, and a class in order of arrival has none.
* FIFO or turns with the credit, which is one of start tags.
* FIFO or turns with the quantum: `mobile_quantum` is one of order `sfq`, and changes nothing there.
* FIFO by 5-tuples: turns and start tags have 32 flow queues in each mobile, in order of start tags; FIFO has none.

Of those that exist these are played: each order with and without windows and no other part; all parts with and without
windows; each part alone put into start tags, and alone taken out of all parts, with and without windows; and the orders
with the parts that they have in common.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from gbflow_report import looks
from gbflow_report.papers import own_cases, own_sensitivity, p1
from gbflow_report.papers.own_cases import ITEMS, PING, TCP, user
from gbflow_report.papers.p1 import KINDS
from gbflow_report.papers.p1_sensitivity import cells
from gbflow_results import Unusable
from gbflow_results.files import Series
from gbflow_results.words import unknown


# --- combinations ---

FIFO, TURNS, TAGS = ORDERS = ("fifo", "turns", "tags")
NONE, WINDOWS = PACINGS = ("none", "windows")
ORDER_KEYS = {FIFO: "fifo", TURNS: "mobiles", TAGS: "sfq"}
# A set for each mobile of every point: with fewer an idle mobile would lose its tag.
FLOWS = 'flow_queues = 32, flow_order = "sfq", flow_sets = 256'
# What q has, in the order of the names.
SWITCHES = {"quantum": 'mobile_quantum = "1300 octets"', "credit": 'credit = "6000 octets"',
            "filter": "drop_duplicates = true",
            "codel": 'aqm = { scheme = "codel", scope = "flow", ecn = true, target = "5 ms", interval = "100 ms", '
                     'mtu = "0 octets" }'}
UNFILTERED = "drop_duplicates = false"  # pacing has the filter by default


@dataclass(frozen=True)
class Parts:
    """One combination. others: of SWITCHES, in their order."""

    order: str
    others: tuple[str, ...] = ()
    pacing: str = NONE

    @property
    def exists(self) -> bool:
        needs = {"quantum": self.order == TAGS, "credit": self.order == TAGS,
                 "filter": True, "codel": self.order != FIFO}
        return all(needs[name] for name in self.others)

    @property
    def name(self) -> str:
        return "-".join([self.order, *self.others, self.pacing])

    @property
    def settings(self) -> list[str]:
        orders = ", ".join(f'{name} = {{ order = "{ORDER_KEYS[self.order]}" }}' for name in p1.CLASSES)
        words = [f"class = {{ {orders} }}", *([] if self.order == FIFO else [FLOWS]),
                 *(SWITCHES[name] for name in self.others), *([] if "filter" in self.others else [UNFILTERED])]
        return [f"sgsn.queues={{ {', '.join(words)} }}", *([own_cases.WINDOWS] if self.pacing == WINDOWS else [])]


def without(parts: Parts, name: str) -> Parts:
    return replace(parts, others=tuple(other for other in parts.others if other != name))


def whole(pacing: str) -> Parts:
    return Parts(TAGS, tuple(SWITCHES), pacing)


ALL = whole(WINDOWS)
BARE = [Parts(order, pacing=pacing) for order in ORDERS for pacing in PACINGS]
PUT_IN = [Parts(TAGS, (name,), pacing) for pacing in PACINGS for name in SWITCHES]
TAKEN_OUT = [without(whole(pacing), name) for pacing in PACINGS for name in SWITCHES]
# Two orders beside what both can have.
IN_COMMON = {(FIFO, TURNS): ("filter",), (TURNS, TAGS): ("filter", "codel")}
COMMON = [Parts(order, others, WINDOWS) for orders, others in IN_COMMON.items() for order in orders]
PARTS = list(dict.fromkeys([*BARE, *PUT_IN, *(whole(pacing) for pacing in PACINGS), *TAKEN_OUT, *COMMON]))
COMBINATIONS = {parts.name: parts for parts in PARTS}
# At every point; the grid has all combinations.
FEW = list(dict.fromkeys([
    *BARE, *(whole(pacing) for pacing in PACINGS), *(without(ALL, name) for name in SWITCHES),
    *COMMON]))
RIVALS = {name: own_cases.BASELINES[name] for name in ("red-best", "fq-codel", "fq-codel-ecn", "cake")}


# --- parameters of all parts together ---

@dataclass(frozen=True)
class Parameter:
    """A key, and its value halved and doubled."""

    path: str
    value: str
    halved: str
    doubled: str

    @property
    def key(self) -> str:
        return self.path.removeprefix("sgsn.").removeprefix("queues.")

    @property
    def values(self) -> list[tuple[str, str]]:
        return [("halved", self.halved), ("doubled", self.doubled)]

    def scheme(self, what: str) -> str:
        return f"{self.key.replace('.', '-')}-{what}"


PARAMETERS = [
    Parameter("sgsn.queues.pacing.mobile_target", "600 ms", "300 ms", "1200 ms"),
    Parameter("sgsn.queues.mobile_quantum", "1300 octets", "650 octets", "2600 octets"),
    Parameter("sgsn.queues.credit", "6000 octets", "3000 octets", "12000 octets"),
]
VARIED = {parameter.scheme(what): [*ALL.settings, f"{parameter.path}={value}"] for parameter in PARAMETERS
          for what, value in parameter.values}
SCHEMES: dict[str, list[str]] = {**{name: parts.settings for name, parts in COMBINATIONS.items()}, **RIVALS, **VARIED}


# --- points ---

SHORT = '{{ web = {{ page = "6 kB", items = 3, item = "4 kB", persistent = false, start = "{0:.3f} s" }} }}'
STREAM = ('{{ cbr = {{ rate = "80 kbit/s", packet = "500 octets", start = "{0:.3f} s", burst = "2 s", pause = "2 s", '
          'burst_law = "exponential" }} }}')
TALK = '{{ cbr = {{ rate = "8 kbit/s", packet = "100 octets", start = "{0:.3f} s" }} }}'
SMALL = '{{ web = {{ page = "4910 octets", items = 5, item = "4910 octets", start = "{0:.3f} s" }} }}'
FILE = '{{ web = {{ page = "3 MB", items = 0, start = "{0:.3f} s" }} }}'
VIDEO = '{ web = { page = "60 kB", items = 0, reading = "10 s", start = "5 s" } }'


def downloads(name: str) -> str:
    """What the study's users of a class do."""
    return "{{ " + ITEMS[name].replace("{", "{{").replace("}", "}}").replace("5 s", "{0:.3f} s") + " }}"


WEB = {name: downloads(name) for name in TCP}
PRIORITY = {"streaming": (5, STREAM), "thp1": (15, TALK)}


def people(users: Mapping[str, tuple[int, str]], cells_of: Sequence[int] = (3, 2), ci_db: Sequence[int] = ()) -> str:
    """Users in the place of all of P1's, who begin within ten seconds; the second of each class of TCP pings, too.
    users: of a class, how many and what."""
    listed = []
    for name, (count, item) in users.items():
        for place in range(count):
            cell = cells_of[place % len(cells_of)]
            link = f", ci_db = {ci_db[place // len(cells_of) % len(ci_db)]}" if ci_db else ""
            pings = f", {PING}" if name in TCP and place + 1 == own_cases.PINGING else ""
            listed.append(f'{{ name = "{KINDS[name][0]}{place + 1}", cell = {cell}, class = "{name}"{link}, '
                          f"traffic = {{ {item.format(10 * (place + 0.5) / count)}{pings} }} }}")
    return f"mobiles={{ {', '.join(listed)} }}"


def link_cell(bvci: int) -> str:
    """Four slots, half of what waits in the study's BSC, and turns of the mobiles there: by priority background would
    get nothing, as R knows nothing of the C/I."""
    return (f'{{ bvci = {bvci}, pdchs = 4, coding = "MCS-9", downlink_slots = 4, schedule = "mobile", '
            'link = { ci_db = 15, adaptation = "egprs" }, flow_control = { '
            'thresholds = { stop = "20 kB", go = "15 kB" }, bvc = { bucket = "20 kB" }, '
            'ms_default = { bucket = "10 kB" } } }')


@dataclass(frozen=True)
class Point:
    """The study's scenario with other users, cells or hosts."""

    name: str
    what: str
    settings: Sequence[str] = ()


LINKS = f"cells={{ {link_cell(2)}, {link_cell(3)} }}"
HALF = [place for place in range(1, 31) if place % 4 < 2]  # in both cells
OPAQUE = own_sensitivity.opaque("half", "", HALF).settings
VIDEOS = [user(name, place, VIDEO) for name in ("thp2", "thp3") for place in HALF]
UPLOADS = own_sensitivity.uploads(2).settings
GRID = "grid"
POINTS = [
    Point(GRID, "the study's scenario"),
    Point("short", "short flows only, cells of 16 slots",
          (*cells("pdchs=16"), people({**PRIORITY, **dict.fromkeys(TCP, (30, SHORT))}))),
    Point("rtt", "round trip of 2 s", ("network.server_delay=800 ms",)),
    Point("bler", "a BLER of 30 %", cells("bler=30 %")),
    Point("slot", "a cell of one slot, CS-2, six users, pages of 29 kB",
          ("cells[1].pdchs=1", "cells[1].coding=CS-2", "cells[1].downlink_slots=1", "cells[1].schedule=mobile",
           people({"thp2": (2, SMALL), "thp3": (2, SMALL), "background": (2, WEB["background"])}, (2,)))),
    Point("unequal", "cells of 8 and 40 slots", ("cells[1].pdchs=8", "cells[2].pdchs=40")),
    Point("quic", "half of the users over QUIC", OPAQUE),
    Point("uploads", "every second user uploads beside the downloads", UPLOADS),
    Point("video", "half of the users of THP2 and THP3 load 60 kB, then pause for 10 s", VIDEOS),
    Point("ci", "cells of four slots, link adaptation, C/I of 6, 14 and 24 dB, six users of each class",
          (LINKS, people({name: (6, WEB[name]) for name in TCP}, ci_db=(6, 14, 24)))),
    Point("moves", "each user changes its cell every 100 s", own_sensitivity.moves(100).settings),
    Point("ms", "FLOW-CONTROL-MS limits each mobile to 24 kbit/s, no streaming",
          (*cells('flow_control.ms={ rate = "24 kbit/s", bucket = "4 kB" }'),
           people({"thp1": PRIORITY["thp1"], **{name: (30, WEB[name]) for name in TCP}}))),
    Point("files", "four users of each class of TCP; background loads files of 3 MB that end",
          (people({**PRIORITY, **{name: (4, WEB[name]) for name in TCP}, "background": (4, FILE)}),)),
]


@dataclass(frozen=True, order=True)
class At:
    """A scheme at a point."""

    point: str
    scheme: str

    @property
    def name(self) -> str:
        return f"{self.point}-{self.scheme}"

    def settings_of(self, point: Point, scheme: Sequence[str]) -> list[str]:
        """The point's before the scheme's, which may be of the same part of the scenario; and before both who pings."""
        return [*own_cases.TODAY, *own_cases.pings(*TCP), *point.settings, *scheme]


class Case(At):
    """Of the ablation."""

    @property
    def settings(self) -> list[str]:
        return self.settings_of(BY_NAME[self.point], SCHEMES[self.scheme])


BY_NAME = {point.name: point for point in POINTS}
CASES = [*(Case(point.name, scheme) for point in POINTS
           for scheme in (*(COMBINATIONS if point.name == GRID else (parts.name for parts in FEW)), *RIVALS)),
         *(Case(GRID, scheme) for scheme in VARIED)]


def matching(patterns: str, names: Iterable[str], what: str) -> list[str]:
    """Those of a list of patterns, in the order of `names`; Unusable for a pattern that is of none."""
    known, wanted = list(names), patterns.split(",")
    for pattern in wanted:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise Unusable(unknown(pattern, what, known))
    return [name for name in known if any(fnmatchcase(name, pattern) for pattern in wanted)]


def chosen(points: str | None, schemes: str | None) -> list[Case]:
    """Of --points and --cases, each may be none. With --cases every point has the combinations that match."""
    at = matching(points, BY_NAME, "point") if points else list(BY_NAME)
    if not schemes:
        return [case for case in CASES if case.point in at]
    return [Case(point, scheme) for point in at for scheme in matching(schemes, SCHEMES, "combination")]


# --- from summaries ---

Outcome = Mapping[str, looks.Seen]  # by class of TCP; unfinished pages are censored


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    return {name: looks.seen_of(summary["classes"][name]) for name in TCP}
