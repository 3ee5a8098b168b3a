# SPDX-License-Identifier: BSD-3-Clause
"""own: gbflow's own study. P1's scenario with queues by start tags and a limit at the mobile's share, beside none, RED and ECN.

This file is the only place where the goals stand. docs/papers/fair-sgsn-queues.md has question, method and results.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report.inputs import Series
from gbflow_report.papers import p1
from gbflow_report.papers.p1 import CLASSES, OfClass
from gbflow_report.verdict import Figure

NAME = "own"
TITLE = "Fair queues in a 2G SGSN"
SOURCE = "docs/papers/fair-sgsn-queues.md; the published values are goals, set before the runs"
SCENARIO = "sgsn-aqm.lua"
HAS_SERIES = False
SETUP = ("P1's 110 users and two cells. none, red and ecn: as in P1, one FIFO buffer for each class. short and long: mobiles and "
         "flow queues by start tags, bss_target 250 ms, and a limit of a mobile's queue in a class: short has 2 packets or 200 ms "
         "of the mobile's share, long has 4 packets or 500 ms, and does not drop a flow's only packet. Hosts: NewReno as in P1, "
         "or SACK and timestamps (-sack).")

TCP = ("thp2", "thp3", "background")
WEB = p1.WEB
FAIR = [*(f'sgsn.queues.class.{name}={{ order = "sfq" }}' for name in CLASSES), "sgsn.queues.flow_queues=32",
        "sgsn.queues.flow_order=sfq", "sgsn.queues.flow_sets=256", 'sgsn.flow_control={ bss_target = "250 ms" }']
LIMITS = {"short": 'sgsn.queues.share_limit={ packets = 2, time = "200 ms" }',
          "long": 'sgsn.queues.share_limit={ packets = 4, time = "500 ms", protect = true }'}


@dataclass(frozen=True, order=True)
class Case:
    """A scheme of P1, or a limit of LIMITS, with one kind of hosts."""

    scheme: str
    has_sack: bool = False

    @property
    def name(self) -> str:
        return self.scheme + ("-sack" if self.has_sack else "")

    @property
    def settings(self) -> list[str]:
        of_p1 = {"none": p1.NONE, "red": p1.RED, "ecn": p1.ECN}
        own = of_p1[self.scheme].settings if self.scheme in of_p1 else [*FAIR, LIMITS[self.scheme]]
        return [*own, *(["tcp.sack=true", "tcp.timestamps=true"] if self.has_sack else [])]


@dataclass(frozen=True)
class Row:
    """A class in one run."""

    base: OfClass
    total_kbps: float
    dropped: float  # N-PDUs that the SGSN dropped, for each that it sent


Outcome = Mapping[str, Row]
Outcomes = Mapping[Case, Outcome]
Measure = Callable[[Outcomes], float | None]

SCHEMES = [Case(scheme, has_sack) for has_sack in (False, True) for scheme in ("none", "red", "ecn", "short", "long")]
CASES = SCHEMES


def outcome(summary: Mapping[str, Any], series: Series) -> Outcome:
    of_p1 = p1.outcome(summary, series)
    rows = {name: summary["classes"][name] for name in CLASSES}
    return {name: Row(of_p1[name], row["goodput_bps"]["total"] / 1000, sum(row["drops"].values()) / max(row["npdu_out"], 1))
            for name, row in rows.items()}


def by(case: Case, against: Case, value_of: Callable[[Outcome], float | None]) -> Measure:
    """A value of a case divided by that of another."""
    def measure(runs: Outcomes) -> float | None:
        mine, other = value_of(runs[case]), value_of(runs[against])
        return mine / other if mine is not None and other else None
    return measure


def page_p95(name: str) -> Callable[[Outcome], float | None]:
    return lambda rows: rows[name].base.page_p95_s


def total(rows: Outcome) -> float:
    return sum(rows[name].total_kbps for name in TCP)


def least(case: Case, value_of: Callable[[OfClass], float | None]) -> Measure:
    """Over the classes of TCP."""
    def measure(runs: Outcomes) -> float | None:
        found = [value_of(runs[case][name].base) for name in TCP]
        known = [value for value in found if value is not None]
        return min(known) if len(known) == len(found) else None
    return measure


def delay(case: Case, name: str) -> Measure:
    return lambda runs: runs[case][name].base.delay_p95_s


def drops(case: Case) -> Measure:
    return lambda runs: max(runs[case][name].dropped for name in TCP)


def goal(line: str, case: Case, words: tuple[str, str], band: tuple[float, float], result: tuple[Measure, str]) -> Figure:
    """words: what and its unit; band: of the goal, open on one side; result: the measure, and the cause of a known miss."""
    low, high = band
    text = f"at most {high:g}" if low == 0 else f"at least {low:g}"
    return Figure(f"own-{line}-{case.name}", words[0], words[1], text, band, result[0], "the goal", result[1])


NO_PACING = ("a goal of queues together with window clamp and ACK pacing, which gbflow does not have; without them a sender keeps "
             "one segment in each flow, or waits for its RTO")
MOST = 1e6
ALL_OCTETS = ("octets of all TCP users by those of none", "times")
DELAY_GOALS = {False: (0.65, 1.35, 4.6), True: (0.55, 0.95, 3.0)}


def rows_of_short(has_sack: bool) -> list[Figure]:
    """Line 8: queues alone, delay first."""
    case, none, red = (Case(scheme, has_sack) for scheme in ("short", "none", "red"))
    delays = [goal(f"8-delay-{name}", case, (f"95th percentile of the delay, {name}", "s"), (0, most), (delay(case, name), ""))
              for name, most in zip(TCP, DELAY_GOALS[has_sack])]
    pages = [goal(f"8-page-{name}", case, (f"page time p95 of {name} by RED's", "times"), (0, 1), (by(case, red, page_p95(name)), ""))
             for name in WEB]
    octets = goal("8-goodput", case, ALL_OCTETS, (0.98, MOST), (by(case, none, total), ""))
    return [*delays, *pages, octets]


def rows_of_long(has_sack: bool) -> list[Figure]:
    """Lines 3 to 6: what the page times, the shares and the drops are where pages go first."""
    case, none, red, ecn = (Case(scheme, has_sack) for scheme in ("long", "none", "red", "ecn"))
    found = []
    for name in WEB:
        for other, most in ((none, 1.08), (red, 0.6), (ecn, 0.5)):
            found.append(goal(f"3-page-{name}-{other.scheme}", case, (f"page time p95 of {name} by that of {other.scheme}", "times"),
                              (0, most), (by(case, other, page_p95(name)), NO_PACING)))
    found += [goal("4-worst", case, ("worst user's goodput by the mean, least of the TCP classes", ""), (0.93, 1),
                   (least(case, lambda row: row.worst_user), NO_PACING)),
              goal("4-jain", case, ("Jain's index, least of the TCP classes", ""), (0.99, 1),
                   (least(case, lambda row: row.jain), NO_PACING)),
              goal("5-goodput", case, ALL_OCTETS, (0.99, MOST), (by(case, none, total), NO_PACING))]
    for name, lowest in zip(TCP, (0.96, 0.96, 1.03)):
        found.append(goal(f"5-user-{name}", case, (f"octets of users of {name} by those of none", "times"), (lowest, MOST),
                          (by(case, none, lambda rows, name=name: rows[name].total_kbps), NO_PACING)))
    found.append(goal("6-drops", case, ("dropped N-PDUs for each sent, most of the TCP classes", "times"), (0, 0.02),
                      (drops(case), NO_PACING)))
    return found


FIGURES = [row for has_sack in (False, True) for row in (*rows_of_short(has_sack), *rows_of_long(has_sack))]
