# SPDX-License-Identifier: BSD-3-Clause
"""compression: the points, queues and kinds of compression that the study plays, and what a run says.
papers/compression.py has the study.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import page_times
from gbflow_report.papers import narrow, own_cases, p1
from gbflow_report.papers.measures import quotient, scaled
from gbflow_report.papers.p1 import ELASTIC, KINDS
from gbflow_results.files import Series, number, pick


# --- kinds of compression, and queues ---

PLAIN, HEADERS, DATA, BOTH = "plain", "rfc1144", "v42bis", "both"
OFFERS = {PLAIN: "", HEADERS: "rfc1144 = {}", DATA: "v42bis = {}", BOTH: "rfc1144 = {}, v42bis = {}"}
BY_HEADERS, BY_DATA = (PLAIN, HEADERS), (PLAIN, HEADERS, DATA, BOTH)
SCHEMES: dict[str, list[str]] = {
    "none": [], "red": p1.RED.settings, "fq-codel": own_cases.BASELINES["fq-codel"], "fq-codel-rfc": [narrow.FQ_CODEL],
    "q": own_cases.Q, "q-windows": [*own_cases.Q, own_cases.WINDOWS], "red-ecn": p1.ECN.settings,
    "fq-codel-ecn": own_cases.BASELINES["fq-codel-ecn"], "q-ecn": [*own_cases.Q, own_cases.FLOWS_ECN],
}
ALL, FEW = ("none", "red", "fq-codel", "q", "q-windows"), ("none", "red", "q-windows")
# RED's thresholds and the best target of CoDel are P1's: in a small cell the one is never reached, and the other is
# less than a packet takes.
SLOW = ("none", "fq-codel-rfc", "q-windows")
MARKING = ("red", "red-ecn", "fq-codel", "fq-codel-ecn", "q", "q-ecn")


# --- points ---

SECONDS, WARMUP = 300, 60
LENGTH = (f"duration={SECONDS} s", f"warmup={WARMUP} s")
USERS = tuple(f"{KINDS[name][0]}{number}" for name in ELASTIC for number in range(1, KINDS[name][1] + 1))
SMALL = '{ web = { page = "4910 octets", items = 5, item = "4910 octets", start = "%.1f s" } }'
SHORT = '{ web = { page = "300 octets", items = 30, item = "300 octets", request = "100 octets", start = "%.1f s" } }'
FILES = '{ web = { page = "1 octet", items = 4, item = "875 kB", parallel = 4, start = "%.1f s" } }'
FILE = '{ download = { octets = "infinite", start = "%.1f s" } }'


def people(*kinds: tuple[str, int, str]) -> tuple[tuple[str, ...], str]:
    """Users in two cells in place of all of P1's: their names, and the setting. kinds: class, number, traffic."""
    rows = [(f"{KINDS[name][0]}{place}", 2 + place % 2, name, traffic % (place + 0.1 * len(name)))
            for name, count, traffic in kinds for place in range(1, count + 1)]
    listed = (f'{{ name = "{user}", cell = {cell}, class = "{name}", traffic = {{ {traffic} }} }}'
              for user, cell, name, traffic in rows)
    return tuple(user for user, *_ in rows), f"mobiles={{ {', '.join(listed)} }}"


def small_cells(slots: int, coding: str, more: str = "") -> str:
    """The BSS serves mobiles in turn and holds a second of the cell's rate."""
    listed = (f'{{ bvci = {bvci}, pdchs = {slots}, coding = "{coding}", bler = "5 %", downlink_slots = {slots}{more}, '
              'flow_control = { bucket_time = "1 s", ms = {}, every = "1 s", measurement = true } }'
              for bvci in (2, 3))
    return f"cells={{ {', '.join(listed)} }}"


@dataclass(frozen=True)
class Point:
    """P1's users, or others, with the queues and kinds of compression that are compared there."""

    what: str
    settings: tuple[str, ...] = ()
    users: tuple[str, ...] = USERS
    schemes: tuple[str, ...] = FEW
    kinds: tuple[str, ...] = BY_HEADERS
    scenario: str = p1.SCENARIO


CS1_USERS, CS1_PEOPLE = people(("thp2", 4, SMALL), ("background", 2, FILES))
SHORT_USERS, SHORT_PEOPLE = people(("thp2", 6, SHORT), ("background", 2, FILES))
ACK_USERS, ACK_PEOPLE = people(("thp2", 2, SMALL), ("background", 2, FILE))
NARROW_USERS = (*(f"firmware{place}" for place in range(1, 4)), *(f"sensor{place}" for place in range(1, 9)),
                "reader1", "reader2")
TEXT = "tcp.content=text"


def confirmed(users: Sequence[str]) -> tuple[str, ...]:
    """LLC in acknowledged mode, where V.42bis keeps its dictionary. T200 is longer than N-PDUs wait in the BSS."""
    return tuple(f"mobiles.{user}.llc=acknowledged" for user in users)


SMALL_CELLS = (*LENGTH, small_cells(4, "CS-1"), CS1_PEOPLE)
POINTS = {
    "p1": Point("P1's users, no timestamps", LENGTH, schemes=ALL),
    "p1-stamps": Point("P1's users, with timestamps", (*LENGTH, "tcp.timestamps=true"), schemes=ALL),
    "p1-ecn": Point("P1's users, with and without ECN", LENGTH, schemes=MARKING, kinds=(HEADERS,)),
    "mss": Point("P1's users, segments of 536 octets", (*LENGTH, "tcp.mss=536 octets")),
    "cs1": Point("cells of four slots, CS-1, pages of 29 kB beside files", SMALL_CELLS, CS1_USERS, SLOW),
    "short": Point("cells of four slots, CS-2, pages of 31 objects of 300 octets beside files",
                   (*LENGTH, small_cells(4, "CS-2"), SHORT_PEOPLE), SHORT_USERS, SLOW),
    "acks": Point("cells of four slots, MCS-7, mobiles that send MCS-1 on one slot, an ACK a segment of 536 octets",
                  (*LENGTH, small_cells(4, "MCS-7", ", block_octets_up = 22"), ACK_PEOPLE, "tcp.mss=536 octets"),
                  ACK_USERS, SLOW),
    "nb-iot": Point("the NB-IoT carrier of the study narrow, no timestamps", (*LENGTH, "tcp.timestamps=false"),
                    NARROW_USERS, SLOW, scenario="narrow-nb-iot.lua"),
    "random": Point("P1's users, payload that cannot be compressed", LENGTH, schemes=("none",), kinds=BY_DATA),
    "text": Point("P1's users, text", (*LENGTH, TEXT), kinds=BY_DATA),
    "text-abm": Point("P1's users, text, LLC in acknowledged mode", (*LENGTH, TEXT, *confirmed(USERS)), kinds=BY_DATA),
    "cs1-text": Point("as cs1, with text", (*SMALL_CELLS, TEXT), CS1_USERS, SLOW, BY_DATA),
    "cs1-text-abm": Point("as cs1, with text and LLC in acknowledged mode",
                          (*SMALL_CELLS, TEXT, *confirmed(CS1_USERS)), CS1_USERS, SLOW, BY_DATA),
}


def offered(users: Sequence[str], kind: str) -> list[str]:
    offer = OFFERS[kind]
    if not offer:
        return []
    return [f'sgsn.compression={{ mode = "passive", {offer} }}',
            *(f"mobiles.{user}.compression={{ {offer} }}" for user in users)]


@dataclass(frozen=True, order=True)
class Case:
    """Queues and a kind of compression at a point."""

    point: str
    scheme: str = "none"
    kind: str = PLAIN

    @property
    def name(self) -> str:
        return f"{self.point}-{self.scheme}-{self.kind}"

    @property
    def scenario(self) -> str:
        return POINTS[self.point].scenario

    @property
    def settings(self) -> list[str]:
        point = POINTS[self.point]
        scheme = SCHEMES[self.scheme]
        if point.scenario != p1.SCENARIO:  # all of its users are in one class
            scheme = [word.replace('"thp2", "thp3", "background"', '"background"') for word in scheme]
        return [*point.settings, *scheme, *offered(point.users, self.kind)]


CASES = [Case(name, scheme, kind) for name, point in POINTS.items()
         for scheme in point.schemes for kind in point.kinds]


# --- from summaries ---

@dataclass(frozen=True)
class Saved:
    """Of all N-PDUs of one direction and of mobiles that compress. whole: share of them with a header that RFC 1144
    left as it was."""

    octets: int
    saved: int
    whole: float | None
    npdus: int

    @property
    def percent(self) -> float | None:
        return scaled(quotient(self.saved, self.octets), 100)


@dataclass(frozen=True)
class Outcome:
    """One run. up, down: None without compression."""

    total_kbps: float
    delay_p95_s: float | None  # of THP2, or of background where there is no other class
    page_p50_s: float | None
    page_p95_s: float | None
    up_blocks_per_kb: float | None  # for each kilobyte that TCP delivered
    dropped: int
    marked: int
    lost: int  # N-PDUs that could not be restored
    up: Saved | None = None
    down: Saved | None = None


def whole_of(npdus: int, shorter: int) -> float | None:
    return 1 - shorter / npdus if npdus else None


def saved_up(mobiles: Mapping[str, Any]) -> Saved:
    """As mobiles count. V.42bis sees what RFC 1144 left."""
    headers, data = (mobiles[kind]["up"] for kind in (HEADERS, DATA))
    saved = sum(kind["octets_before"] - kind["octets_after"] for kind in (headers, data))
    return Saved(max(headers["octets_before"], data["octets_before"]), saved,
                 whole_of(headers["npdus"], headers["shorter"]), headers["npdus"])


def saved_down(workers: Sequence[Mapping[str, int]]) -> Saved:
    """As the SGSN counts."""
    npdus, octets, left, shorter = (sum(row[name] for row in workers)
                                    for name in ("npdus", "octets", "octets_left", "headers"))
    return Saved(octets, octets - left, whole_of(npdus, shorter), npdus)


def lost_of(mobiles: Mapping[str, Any]) -> int:
    return mobiles["lost"] + sum(mobiles[kind]["up"]["lost"] for kind in (HEADERS, DATA))


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    rows = {name: summary["classes"][name] for name in ELASTIC if name in summary["classes"]}
    first = rows.get("thp2", rows["background"])
    readers = [row["mobile"] for row in summary["mobiles"] if row["mobile"].startswith(("web", "reader"))]
    curve = page_times.kaplan_meier(page_times.of_mobiles(summary, readers))
    octets = sum(row["octets"] for row in summary["tcp"])
    blocks = sum(cell["blocks"]["up"]["used"] for cell in summary["cells"].values())
    dropped = sum(sum(pick(row, "drops").values()) for row in rows.values())
    marked = sum(row["marks"] for row in rows.values())
    mobiles = summary.get("compression_mobiles")
    compressed = (lost_of(mobiles), saved_up(mobiles), saved_down(summary["compression"])) if mobiles else (0,)
    return Outcome(sum(row["goodput_bps"]["total"] for row in rows.values()) / 1000, number(first, "delay_s", "p95"),
                   page_times.quantile(curve, 0.5), page_times.quantile(curve, 0.95), quotient(1000 * blocks, octets),
                   dropped, marked, *compressed)
