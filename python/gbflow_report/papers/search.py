# SPDX-License-Identifier: BSD-3-Clause
"""search: the settings with which published schemes do best in the scenario of the study own, with hosts of today.
papers/own_cases.py has the winners; docs/papers/fair-sgsn-queues.md quotes the table.

The score of a setting is the geometric mean of ten ratios to RED with P1's thresholds, less is better: 1 / total,
the senders' round trip, the median and the 95th percentile of page times, the 95th percentile of the time to the first
object, 1 / the worst user's part, N-PDUs that came for each that was sent, pings' median and 95th percentile, and pings
sent for each that was answered (the last three of the user of a class who pings beside what all do). A ratio is the
geometric mean over the classes that have one. Packet delay is printed and does not count: it leaves out where data
waits at the sender. A setting has no score where a class has no page time, or where the total is less than 98 % of
that of the base: idle air is no remedy.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import exp, log
from typing import Any

from gbflow_report import looks, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import ablation_cases, own_cases, p1
from gbflow_report.papers.measures import BySeed, middle
from gbflow_report.papers.own_cases import FLOWS_ECN, TCP, aqm, per_class
from gbflow_report.papers.verdict import Figure


# --- the study ---

NAME = "search"
TITLE = "Published schemes at their best"
SOURCE = "docs/papers/fair-sgsn-queues.md; nothing is published, so there are no rows with a band"
SCENARIO = p1.SCENARIO
HAS_SERIES = False
SEEDS = 2
SETUP = ("The study's scenario with hosts of today. red: one instance for each class, by its thresholds; fq-codel: "
         "mobiles take turns, FQ-CoDel in each by target and interval; rfc: with the RFC's exemption of a packet, and "
         "a target of one and a half times of that packet's time at the mobile's rate; r: with targets that know the "
         "mobile's share, and no exemption; cake: 32 flow queues in each mobile with COBALT. -ecn: with marks.")
FIGURES: Sequence[Figure] = ()
outcome_of = ablation_cases.outcome_of


# --- cases ---

@dataclass(frozen=True, order=True)
class Case:
    """A scheme with one setting. what: of the table."""

    scheme: str
    what: str
    has_ecn: bool
    queues: str

    @property
    def name(self) -> str:
        return f"{self.scheme}-{self.what}".replace(" ", "-").replace("/", "-") + ("-ecn" if self.has_ecn else "")

    @property
    def settings(self) -> list[str]:
        return [*own_cases.TODAY, *own_cases.pings(*TCP), self.queues, *([FLOWS_ECN] if self.has_ecn else [])]


RED_KB = [(3, 9), (6, 18), (12, 36), (15, 45), (24, 72), (48, 144), (96, 288)]
TIMES_MS = [(5, 100), (20, 100), (50, 200), (100, 500), (200, 1000), (500, 2000)]


def times(target_ms: int, interval_ms: int) -> tuple[str, str]:
    return f'target = "{target_ms} ms"', f'interval = "{interval_ms} ms"'


def cases_of(has_ecn: bool) -> list[Case]:
    ecn = f"ecn = {'true' if has_ecn else 'false'}"
    found = [Case("red", f"{low}/{high} kB", has_ecn, per_class("red", f'min = "{low} kB"', f'max = "{high} kB"', ecn))
             for low, high in RED_KB]
    for target, interval in TIMES_MS:
        what, words = f"{target}/{interval} ms", (*own_cases.NO_EXEMPTION, *times(target, interval), ecn)
        found += [Case("fq-codel", what, has_ecn, aqm("fq_codel", 'scope = "ms"', *words)),
                  Case("cake", what, has_ecn, aqm("cobalt", *words, queues="flow_queues = 32, "))]
    return [*found, Case("fq-codel", "rfc", has_ecn, aqm("fq_codel", 'scope = "ms"', ecn)),
            Case("fq-codel", "r", has_ecn, own_cases.with_share(own_cases.SHARES_KBPS, has_ecn))]


CASES = [*cases_of(False), *cases_of(True)]
BASE = next(case for case in CASES if case.name == "red-15-45-kB")  # P1's thresholds


# --- scores ---

NOT_COUNTED = (looks.DELAY,)


def weight_of(look: looks.Look, value: float) -> float:
    """Of which less is better, and never 0."""
    if look.name == looks.DROPPED:
        return 1 + value
    if look.name == looks.LOST:
        return 1 / max(1 - value, 0.001)
    return 1 / max(value, 0.001) if look.better > 0 else value


def geometric(values: Iterable[float]) -> float:
    logs = [log(value) for value in values]
    return exp(sum(logs) / len(logs))


def ratio_of(by_seed: BySeed, case: Case, look: looks.Look) -> float | None:
    """None where a class has no value and the base has one."""
    found = []
    for _, value_of in looks.values(look, TCP):
        mine, base = (middle(by_seed, one, value_of) for one in (case, BASE))
        if base is None:
            continue
        if mine is None:
            return None
        found.append(weight_of(look, mine) / weight_of(look, base))
    return geometric(found)


LEAST_TOTAL = 0.98


def score(by_seed: BySeed, case: Case) -> float | None:
    mine, base = (middle(by_seed, one, looks.total(TCP)) for one in (case, BASE))
    if mine is None or base is None or mine < LEAST_TOTAL * base:
        return None
    ratios = [ratio_of(by_seed, case, look) for look in looks.LOOKS if look.name not in NOT_COUNTED]
    return None if None in ratios else geometric(ratios)  # type: ignore[arg-type]


# --- tables ---

def table_of(by_seed: BySeed, has_ecn: bool) -> Table:
    """The best first."""
    found = [(score(by_seed, case), case) for case in CASES if case.has_ecn == has_ecn]
    rows = [[f"{case.scheme} {case.what}", page.fixed(value, 3),
             *(looks.cell(look, TCP, partial(middle, by_seed, case)) for look in looks.LOOKS)]
            for value, case in sorted(found, key=lambda pair: (pair[0] is None, pair[0] or 0))]
    return Table(f"Settings {'with' if has_ecn else 'without'} ECN, hosts of today, thp2 / thp3 / background, by the "
                 f"score. Medians over {page.plural(len(by_seed), 'seed')}.", ["setting", "score", *looks.TITLES], rows,
                 "search-ecn" if has_ecn else "search")


def tables(by_seed: BySeed) -> list[Table]:
    return [table_of(by_seed, False), table_of(by_seed, True)]


def plots(_: Mapping[int, Any]) -> list[Plot]:
    return []
