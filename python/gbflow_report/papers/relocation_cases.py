# SPDX-License-Identifier: BSD-3-Clause
"""relocation: the points, queues and kinds of changes of SGSN that the study plays, and what a run says.
papers/relocation.py has the study.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report.papers import narrow, own_cases
from gbflow_report.papers.measures import mean, scaled
from gbflow_results.files import Series, number

SCENARIO = "sgsn-change.lua"
USERS, SGSNS = 6, 2

# --- kinds of changes, and queues ---

STAY, FORWARD, DROP = "stay", "forward", "drop"
KINDS = (STAY, FORWARD, DROP)
SCHEMES: dict[str, list[str]] = {
    "fifo": [], "fifo-16k": ["sgsn.queue_limit=16 kB"], "fifo-short": [narrow.BSS_TARGET],
    "fq-codel": [narrow.FQ_CODEL], "q": own_cases.Q,
    "q-windows": [*own_cases.Q, own_cases.WINDOWS],
    "q-windows-short": [*own_cases.Q, own_cases.WINDOWS, narrow.BSS_TARGET],
}


# --- points ---

def moves(first_s: float, gap_s: float = 0, every_s: float = 0, count: int = 1) -> str:
    """Each user goes to the other SGSN at its own second, and to and fro with `every_s`."""
    listed = (f'{{ at = "{first_s + user + every_s * turn:g} s", mobile = "user{user}", gap = "{gap_s:g} s", '
              f"cell = {100 * (1 + (turn + 1) % 2) + user} }}"
              for user in range(1, USERS + 1) for turn in range(count))
    return f"moves={{ {', '.join(listed)} }}"


def in_cells(path: str, value: str) -> tuple[str, ...]:
    return tuple(f"cells[{place}].{path}={value}" for place in range(1, SGSNS * USERS + 1))


def size(text: str) -> tuple[str, ...]:
    return tuple(f"mobiles[{user}].traffic[1].download.octets={text}" for user in range(1, USERS + 1))


@dataclass(frozen=True)
class Point:
    """moves: of all kinds but STAY; changes: of each mobile, every_s from one to the next."""

    what: str
    settings: tuple[str, ...] = ()
    moves: str = moves(20)
    changes: int = 1
    every_s: float = 0

    def changes_in(self, seconds: float) -> int:
        """Those of a mean user while its file of that time is loaded."""
        if not self.every_s:
            return self.changes
        return min(self.changes, math.floor((START_S + seconds - OFTEN_S - (USERS + 1) / 2) / self.every_s) + 1)


START_S = 2  # of a file in the scenario, in the mean
OFTEN, OFTEN_S, EVERY_S = 15, 5, 10
POINTS = {
    "file": Point("500 kB, one change"),
    "far": Point("500 kB, one change, a server 250 ms away", ("network.server_delay=250 ms",)),
    "small": Point("100 kB, one change", size("100 kB"), moves(8)),
    "often": Point("500 kB, a change every 10 s for 150 s, to and fro", (),
                   moves(OFTEN_S, every_s=EVERY_S, count=OFTEN), OFTEN, EVERY_S),
    "gap": Point("500 kB, one change with 2 s without a cell", (), moves(20, gap_s=2)),
    "bss": Point("500 kB, one change, BSSs that hold 4 s of a cell's rate",
                 in_cells("flow_control.bucket_time", "4 s")),
    "edge": Point("2 MB, one change, cells of four slots, MCS-7", (*in_cells("coding", "MCS-7"), *size("2 MB"))),
    "proof": Point("500 kB, one change with 2 s for authentication", ("relocation.security=2 s",)),
}


@dataclass(frozen=True)
class Case:
    """Queues and a kind of change at a point."""

    point: str
    scheme: str
    kind: str = STAY

    @property
    def name(self) -> str:
        return f"{self.point}-{self.scheme}-{self.kind}"

    @property
    def settings(self) -> list[str]:
        point = POINTS[self.point]
        changes = ["moves={}"] if self.kind == STAY else [
            point.moves, f"relocation.forward={'true' if self.kind == FORWARD else 'false'}"]
        return [*point.settings, *SCHEMES[self.scheme], *changes]


CASES = [Case(name, scheme, kind) for name in POINTS for scheme in SCHEMES for kind in KINDS]


# --- from summaries ---

@dataclass(frozen=True)
class Outcome:
    """One run, over its users. seconds: None where a file was not finished; interruption: None without a change."""

    seconds: float | None
    repeated: float | None  # per cent of TCP's octets
    timeouts: int
    delay_p95_s: float | None
    forwarded: int
    handed_over: int
    in_bss: int  # N-PDUs that were lost there
    updates: int = 0
    interruption_s: float | None = None


def seconds_of(rows: Sequence[Mapping[str, Any]]) -> float | None:
    """Mean time of the files. All have one size."""
    most = max(row["octets"] for row in rows)
    return mean(row["end_s"] - row["start_s"] if row["octets"] == most else None for row in rows)


def outcome_of(summary: Mapping[str, Any], _: Series) -> Outcome:
    rows, moved = summary["tcp"], summary["relocation"]
    repeated = mean(row["retransmitted_fraction"] for row in rows)
    return Outcome(seconds_of(rows), scaled(repeated, 100), sum(row["timeouts"] for row in rows),
                   number(summary["classes"]["background"], "delay_s", "p95"), moved["forwarded"], moved["handed_over"],
                   summary["conservation"]["bss"]["dropped"], moved["updates"],
                   number(moved, "interruption_s", "mean"))

