# SPDX-License-Identifier: BSD-3-Clause
"""P1: the study of active queue management in the 2G SGSN.

110 users of five classes in two cells behind one Gb link, without AQM and with RED, ECN, TTLRED and TTLECN. This file is
the only place where the paper's figures and their bands stand.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report.inputs import Series, number, pick
from gbflow_report.verdict import Figure

NAME = "P1"
TITLE = "AQM in a 2G SGSN"
SOURCE = "the study \"Active Queue Management in the 2G-SGSN\" of EGPRS, simulated with ns-2"
SCENARIO = "sgsn-aqm.lua"
# Whether its figures or plots need series.csv, which is large.
HAS_SERIES = False
SETUP = ("5 streaming users (UDP, mean 40 kbit/s, at most 80), 15 push-to-talk users of THP1 (8 kbit/s), 30 web users in each of "
         "THP2 and THP3 (a page of 31 objects of 4.91 kB, four connections, 1 s to read), 30 users of background who download "
         "four files of 875 kB over four connections; two cells with 24 EGPRS slots each, one Gb link of 2048 kbit/s; class "
         "weights 900, 50, 35, 15, 5; priorities in the BSS; NewReno. RED and ECN between 15 and 45 kB, TTLRED and TTLECN "
         "(variant 2) between 0.75 and 2.25 s, maxDP 0.2, one instance for each class buffer. What is assumed was "
         "chosen in trials with an independent model of the same system; --sensitivity varies it here.")

CLASSES = ("streaming", "thp1", "thp2", "thp3", "background")
WEB = ("thp2", "thp3")
QUEUES = 'sgsn.queues={{ aqm = {{ scheme = "{}", scope = "class_of_nse", ecn = {} }} }}'


@dataclass(frozen=True, order=True)
class Case:
    """One scheme; red or ttlred2, dropping or marking."""

    scheme: str = ""
    has_ecn: bool = False

    @property
    def name(self) -> str:
        return {"": "none", "red": "red", "ttlred2": "ttlred"}[self.scheme].replace("red", "ecn" if self.has_ecn else "red")

    @property
    def settings(self) -> list[str]:
        if not self.scheme:
            return []
        ecn = ["tcp.ecn=true"] if self.has_ecn else []
        return [QUEUES.format(self.scheme, "true" if self.has_ecn else "false"), *ecn]


@dataclass(frozen=True)
class OfClass:
    """What one run says of one class."""

    delay_p95_s: float | None
    page_mean_kbps: float | None
    user_kbps: float | None
    page_p95_s: float | None
    worst_user: float | None
    jain: float | None


Outcome = Mapping[str, OfClass]

NONE, RED, ECN, TTLRED, TTLECN = Case(), Case("red"), Case("red", True), Case("ttlred2"), Case("ttlred2", True)
CASES = [NONE, RED, ECN, TTLRED, TTLECN]
AQMS = CASES[1:]

Outcomes = Mapping[Case, Outcome]


def in_kbps(value_bps: float | None) -> float | None:
    return None if value_bps is None else value_bps / 1000


def outcome(summary: Mapping[str, Any], _: Series) -> Outcome:
    found = {}
    for name in CLASSES:
        row = pick(summary["classes"], name)
        found[name] = OfClass(number(row, "delay_s", "p95"), in_kbps(number(row, "goodput_bps", "page_mean")),
                              in_kbps(number(row, "goodput_bps", "per_user_mean")), number(row, "page_time_s", "p95"),
                              number(row, "fairness", "worst_user"), number(row, "fairness", "jain"))
    return found


def delay(case: Case, name: str, published: float | str, band: tuple[float, float], why: str = "") -> Figure:
    return Figure(f"p1-delay-{case.name}-{name}", f"95th percentile of the delay, {name}, {case.name}", "s", published, band,
                  lambda runs: runs[case][name].delay_p95_s, why)


def cut(case: Case, name: str) -> Callable[[Outcomes], float | None]:
    """How many times shorter the delay is than without AQM."""
    def measure(runs: Outcomes) -> float | None:
        before, after = runs[NONE][name].delay_p95_s, runs[case][name].delay_p95_s
        return before / after if before is not None and after else None
    return measure


def rate(runs: Outcomes, case: Case) -> float | None:
    """Mean over THP2 and THP3 of their means of page rates."""
    found = [runs[case][name].page_mean_kbps for name in WEB]
    known = [value for value in found if value is not None]
    return sum(known) / len(known) if len(known) == len(found) else None


def gain(after: Case, before: Case) -> Callable[[Outcomes], float | None]:
    def measure(runs: Outcomes) -> float | None:
        old, new = rate(runs, before), rate(runs, after)
        return 100 * (new / old - 1) if old and new is not None else None
    return measure


def largest(names: tuple[str, ...]) -> Callable[[Outcomes], float | None]:
    """Of the delays of some classes, over all schemes."""
    def measure(runs: Outcomes) -> float | None:
        found = [runs[case][name].delay_p95_s for case in CASES for name in names]
        return None if None in found else max(value for value in found if value is not None)
    return measure


UP_TO = "the paper says \"up to\""
MEAN = "on the mean of page rates of THP2 and THP3; what all users get together stays flat, for the air is full"

FIGURES = [
    delay(NONE, "thp2", 5, (4, 6.5), UP_TO), delay(NONE, "thp3", 14, (10, 18), UP_TO),
    delay(NONE, "background", 34, (25, 45), UP_TO),
    delay(RED, "thp2", 1, (0.6, 1.5)), delay(ECN, "thp2", 1, (0.6, 1.5)),
    *(Figure(f"p1-cut-{case.name}-thp3", f"delay of thp3 without AQM by that with {case.name}", "times", "2 to 3 and more",
             (2, 20), cut(case, "thp3")) for case in AQMS),
    Figure("p1-delay-priority", "largest 95th percentile of the delay of streaming and thp1, all schemes", "s",
           "unharmed by load", (0, 0.5), largest(("streaming", "thp1"))),
    Figure("p1-goodput-red", "page rates with RED against none", "%", "+10 to +20 % by class", (0.1, 60), gain(RED, NONE), MEAN),
    Figure("p1-goodput-ecn", "page rates with ECN against none", "%", "+40 to +90 % by class", (10, 100), gain(ECN, NONE), MEAN),
    Figure("p1-goodput-order", "page rates with ECN against RED", "%", "ECN performs even better", (0.1, 100), gain(ECN, RED),
           MEAN),
]
