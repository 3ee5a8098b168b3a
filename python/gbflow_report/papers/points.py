# SPDX-License-Identifier: BSD-3-Clause
"""points: points off the scenario of the study own, hosts of today. q with windows beside the best of the published
schemes for each figure, which may be another scheme for each.

Per figure and class q-windows is better, equal or worse: by the mean over the seeds of its quotient by the best rival's
value of the same seed, of shares by the mean difference. The best rival has the best median. Beside it stands the
single rival of a point that is the best on the whole, as an unequal scheme has the shortest median page and pays in the
other figures. A 95th percentile of pings is one of all pings, so a scheme that loses more than 5 % of them has none; a
median neither that loses half.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import log
from statistics import mean, median
from typing import Any

from gbflow_report import difference, looks, page
from gbflow_report.draw import Plot
from gbflow_report.looks import Look
from gbflow_report.page import Table
from gbflow_report.papers import ablation_cases, own_cases, p1, search
from gbflow_report.papers.ablation_cases import BY_NAME as KNOWN, GRID, Point
from gbflow_report.papers.measures import BySeed, Value, middle, whole
from gbflow_report.papers.own_cases import AIR_KBPS, FQ_CODEL_R, Q_WINDOWS, RIVALS, SETTINGS, TCP, shares_kbps
from gbflow_report.papers.p1_sensitivity import cells
from gbflow_report.papers.verdict import Figure
from gbflow_results import Unusable
from gbflow_results.files import Series


# --- the study ---

NAME = "points"
TITLE = "Off the scenario of fair queues"
SOURCE = "docs/papers/fair-sgsn-queues.md; nothing is published, so there are no rows with a band"
SCENARIO = p1.SCENARIO
HAS_SERIES = False
SEEDS = 5
SETUP = ("The study's scenario with other users, cells or paths; hosts of today. The second user of each class of TCP "
         "pings. red-best, fq-codel, fq-codel-ecn, cake, cake-ecn: published schemes at the best setting of a stated "
         "search (reproduce search); fq-codel-r: FQ-CoDel with targets that know the mobile's share of the point; "
         "q-windows: queues.discipline = \"q\" with lowered TCP windows.")
FIGURES: Sequence[Figure] = ()
SCHEMES = (*RIVALS, Q_WINDOWS)


# --- points ---

def one_connection(octets: str, item: str) -> str:
    """A page whose items come one after the other."""
    return (f'{{{{ web = {{{{ page = "{octets}", items = 1, item = "{item}", parallel = 1, reading = "1 s", start = '
            '"{0:.3f} s" }} }}')


PAGE = one_connection("4910 octets", "147300 octets")
H2 = {"thp2": PAGE, "thp3": PAGE, "background": one_connection("1 octet", "3500 kB")}
DRAWN = Point("drawn", "three to five cells and all users as each seed draws them")
POINTS = [*(point for point in ablation_cases.POINTS if point.name != GRID),
          Point("h2", "one connection for each page, as HTTP/2 has it",
                (ablation_cases.people({**ablation_cases.PRIORITY, **{name: (30, H2[name]) for name in TCP}}),)),
          Point("lone", "the study's users with one slot for each mobile", cells("downlink_slots=1")), DRAWN]
BY_NAME = {**KNOWN, **{point.name: point for point in POINTS}}
# What users of a class may do in place of what those of the study do.
OTHER = {"thp2": ablation_cases.SHORT, "thp3": ablation_cases.SHORT, "background": ablation_cases.FILE}
# As a cell of the study's scenario.
BSC = ('bler = "10 %", window = 512, downlink_slots = 4, schedule = "class", flow_control = { thresholds = { '
       'stop = "40 kB", go = "30 kB" }, bvc = { bucket = "20 kB" }, ms_default = { bucket = "10 kB" } }')
PLACES = 40  # more than users of a class
CODINGS = {"MCS-5": 22.4, "MCS-7": 44.8, "MCS-9": 59.2}  # kbit/s of a slot


@dataclass(frozen=True)
class Draw:
    """What a seed draws: cells of 8 to 32 slots, each with its own coding; 15 to 35 users of each class of TCP, who are
    anywhere."""

    settings: list[str]
    shares: own_cases.Shares


def drawn(seed: int) -> Draw:
    dice = random.Random(seed)
    bvcis = range(2, 2 + dice.randint(3, 5))
    slots = [(dice.randint(8, 32), dice.choice(list(CODINGS))) for _ in bvcis]
    of_cells = [f'{{ bvci = {bvci}, pdchs = {count}, coding = "{coding}", {BSC} }}'
                for bvci, (count, coding) in zip(bvcis, slots)]
    doing = {name: dice.choice((ablation_cases.WEB[name], OTHER[name])) for name in TCP}
    counts = {name: dice.randint(15, 35) for name in TCP}
    places = [dice.choice(bvcis) for _ in range(PLACES)]
    users = {**ablation_cases.PRIORITY, **{name: (counts[name], doing[name]) for name in TCP}}
    air_kbps = sum(0.9 * count * CODINGS[coding] for count, coding in slots)
    return Draw([f"cells={{ {', '.join(of_cells)} }}", ablation_cases.people(users, places)],
                shares_kbps(air_kbps, counts))


def users(count: int) -> dict[str, int]:
    return dict.fromkeys(TCP, count)


# What a mobile has at each point, where it is not what it has in the study.
SHARES: dict[str, own_cases.Shares] = {
    "short": shares_kbps(AIR_KBPS * 16 / 24, users(30)), "bler": shares_kbps(AIR_KBPS * 0.7 / 0.9, users(30)),
    "slot": shares_kbps(10.8, users(2), 0), "ci": shares_kbps(8 * CODINGS["MCS-9"], users(6), 0),
    "ms": shares_kbps(AIR_KBPS, users(30), 15 * 8, 24), "files": shares_kbps(AIR_KBPS, users(4)),
}


class At(ablation_cases.At):
    """A scheme at a point off the scenario."""

    @property
    def settings(self) -> list[str]:
        share = SHARES.get(self.point) if self.scheme == FQ_CODEL_R else None
        return self.settings_of(BY_NAME[self.point],
                                [own_cases.with_share(share)] if share else SETTINGS[self.scheme])


CASES = [At(point.name, scheme) for point in POINTS for scheme in SCHEMES]


def of_seed(case: At, seed: int) -> list[str]:
    """Of the point that each seed draws."""
    if case.point != DRAWN.name:
        return []
    found = drawn(seed)
    return [*found.settings, *([own_cases.with_share(found.shares)] if case.scheme == FQ_CODEL_R else [])]


def chosen(points: str | None, schemes: str | None) -> list[At]:
    """Of --points; a scheme is beside all others or says nothing."""
    if schemes:
        raise Unusable("--cases: points has none; it is of ablation")
    at = ablation_cases.matching(points, [point.name for point in POINTS], "point") if points else list(BY_NAME)
    return [case for case in CASES if case.point in at]


def outcome_of(summary: Mapping[str, Any], series: Series) -> ablation_cases.Outcome:
    return {name: {**row, looks.PING_P50: answered(row, looks.PING_P50, 0.5),
                   looks.PING: answered(row, looks.PING, 0.05)}
            for name, row in ablation_cases.outcome_of(summary, series).items()}


def answered(row: looks.Seen, name: str, most_lost: float) -> float | None:
    """A percentile of all pings: none where so many have no answer."""
    return row[name] if (row[looks.LOST] or 0) <= most_lost else None


# --- figures ---

@dataclass(frozen=True)
class Limit:
    """What q-windows may be by the best rival: a quotient, of shares a difference. is_goal: it is judged by it."""

    most: float
    is_goal: bool


LEAST = 1e-6  # of what stands below a quotient
LIMITS = {looks.TOTAL: Limit(0.99, True), looks.DELAY: Limit(1.05, False), looks.RTT: Limit(1.05, False),
          looks.PAGE_P50: Limit(1.05, True), looks.PAGE: Limit(1.05, True), looks.FIRST: Limit(1.1, True),
          looks.WORST: Limit(-0.05, True), looks.DROPPED: Limit(0.01, False), looks.PING_P50: Limit(1.0, True),
          looks.PING: Limit(1.0, True), looks.LOST: Limit(0.0, True)}
FIRST_MOST = 1.4  # at each point
BETTER, SAME, WORSE = "better", "equal", "worse"


@dataclass(frozen=True)
class Beside:
    """A figure of q-windows at a point beside that of its best rival. by: of each seed."""

    point: str
    look: Look
    kind: str  # the class; nothing for the sum
    mine: float | None
    rival: float
    scheme: str
    by: Sequence[float]

    @property
    def is_less(self) -> bool:
        return is_difference(self.look)

    @property
    def value(self) -> float | None:
        return mean(self.by) if self.by else None

    @property
    def loss(self) -> float:
        """How far on the bad side of the rival: 0 as good, of quotients in its parts; endless without a value."""
        if self.value is None:
            return float("inf")
        return -self.look.better * (self.value if self.is_less else self.value - 1)

    @property
    def order(self) -> str:
        limit = LIMITS[self.look.name].most
        most = abs(limit) if self.is_less else abs(limit - 1)
        return WORSE if self.loss > most + 1e-9 else BETTER if self.loss < -most - 1e-9 else SAME

    @property
    def text(self) -> str:
        """With the interval of 95 %."""
        if self.value is None:
            return page.NONE
        limits = difference.interval_of_mean(list(self.by))
        form = "{:+.2f}" if self.is_less else "{:.3f}" if self.look.is_sum else "{:.2f}"
        told = form.format(self.value)
        return f"{told} ({form.format(limits[0])} to {form.format(limits[1])})" if limits else told


def is_difference(look: Look) -> bool:
    return look.is_share or look.name == looks.WORST


def of_all(by_seed: BySeed, case: At, value_of: Value) -> list[float] | None:
    return whole(value_of(runs[case]) for runs in by_seed.values())


def beside(by_seed: BySeed, point: str, look: Look, of: tuple[str, Value], schemes: Sequence[str]) -> Beside | None:
    """of: the class, and its value. None where none of the schemes has a value in all seeds."""
    kind, value_of = of
    rivals = {scheme: found for scheme in schemes if (found := of_all(by_seed, At(point, scheme), value_of))}
    if not rivals:
        return None
    pick: Callable[..., str] = max if look.better > 0 else min
    best = pick(rivals, key=lambda scheme: median(rivals[scheme]))
    mine = of_all(by_seed, At(point, Q_WINDOWS), value_of)
    pairs = list(zip(mine or [], rivals[best]))
    by = [a - b if is_difference(look) else a / max(b, LEAST) for a, b in pairs]
    return Beside(point, look, "" if look.is_sum else kind, median(mine) if mine else None, median(rivals[best]), best,
                  by)


Best = Callable[[BySeed, str], Sequence[str]]  # of a point, the schemes from which the best rival is taken


def each(_: BySeed, __: str) -> Sequence[str]:
    return RIVALS


def single(by_seed: BySeed, point: str) -> Sequence[str]:
    """The one with the least geometric mean of the figures that count in the search of settings, and that all have."""
    logs: dict[str, float] = dict.fromkeys(RIVALS, 0.0)
    for look in looks.LOOKS:
        for _, value_of in looks.values(look, TCP) if look.name not in search.NOT_COUNTED else []:
            values = {scheme: middle(by_seed, At(point, scheme), value_of) for scheme in RIVALS}
            known = {scheme: search.weight_of(look, value) for scheme, value in values.items() if value is not None}
            if len(known) == len(RIVALS):
                share = len(TCP) if look.is_sum else 1
                logs = {scheme: logs[scheme] + share * log(max(known[scheme], LEAST)) for scheme in RIVALS}
    return [min(RIVALS, key=lambda scheme: logs[scheme])]


def all_beside(by_seed: BySeed, best: Best = each) -> list[Beside]:
    found = []
    for point in points_of(by_seed):
        schemes = best(by_seed, point)
        found += [beside(by_seed, point, look, (kind, value_of), schemes) for look in looks.LOOKS
                  for kind, (_, value_of) in zip(TCP, looks.values(look, TCP))]
    return [one for one in found if one]


def points_of(by_seed: BySeed) -> list[str]:
    there = {case.point for case in next(iter(by_seed.values()))}
    return [point.name for point in POINTS if point.name in there]


def faults(found: Sequence[Beside], point: str) -> list[Beside]:
    """Where q-windows is worse than a goal allows."""
    return [one for one in found if one.point == point and LIMITS[one.look.name].is_goal and one.order == WORSE]


def is_strict(found: Sequence[Beside], point: str) -> bool:
    """Not worse in any figure, packet delay and the senders' round trip included."""
    return not any(one.order == WORSE for one in found if one.point == point)


# --- tables ---

def words_of(one: Beside) -> str:
    return f"{one.look.name} {one.kind}".strip()


def losses_table(by_seed: BySeed, found: Sequence[Beside]) -> Table:
    """The largest first."""
    worse = sorted((one for point in points_of(by_seed) for one in faults(found, point)), key=lambda one: -one.loss)
    rows = [[one.point, words_of(one), page.fixed(one.mine, one.look.digits), page.fixed(one.rival, one.look.digits),
             one.scheme, one.text]
            for one in worse]
    return Table(f"Losses: figures with a goal in which {Q_WINDOWS} is worse than the best rival by more than the goal "
                 f"allows. Medians over {page.plural(len(by_seed), 'seed')}; by: mean of the quotients of the seeds, "
                 "of shares of the differences, with its interval of 95 %.",
                 ["point", "figure", Q_WINDOWS, "best rival", "which is", "by"], rows, "losses")


def limit_words(look: Look) -> str:
    limit = LIMITS[look.name]
    edge = "at least" if look.better > 0 else "at most"
    most = f"{limit.most:+g}" if is_difference(look) else f"{limit.most:g}"
    more = f", {FIRST_MOST:g} at each point" if look.name == looks.FIRST else ""
    return f"{edge} {most}{more}" + ("" if limit.is_goal else ", no goal")


def counts_table(by_seed: BySeed, found: Sequence[Beside], name: str, words: str) -> Table:
    rows = []
    for look in looks.LOOKS:
        mine = [one for one in found if one.look is look]
        counts = [str(sum(one.order == order for one in mine)) for order in (BETTER, SAME, WORSE)]
        at = {one.point for one in mine}
        good = at - {one.point for one in mine if one.order == WORSE}
        rows.append([look.name, limit_words(look), *counts, f"{len(good)} of {len(at)}"])
    names = points_of(by_seed)
    told = [point for point in names if not faults(found, point)]
    strict = [point for point in names if is_strict(found, point)]
    rows += [["all goals", "", "", "", "", f"{len(told)} of {len(names)}"],
             ["strict: all figures", "", "", "", "", f"{len(strict)} of {len(names)}"]]
    return Table(f"Order: {Q_WINDOWS} beside {words}, by classes and points. {page.plural(len(by_seed), 'seed')}.",
                 ["figure", "limit", BETTER, SAME, WORSE, "points without a worse one"], rows, name)


def told(found: Sequence[Beside], point: str) -> str:
    """What misses its goal."""
    return ", ".join(words_of(one) for one in faults(found, point)) or "holds"


def short(value: float | None, look: Look) -> str:
    if value is None:
        return page.NONE
    return f"{value:+.2f}" if is_difference(look) else f"{value:.3f}" if look.is_sum else f"{value:.2f}"


def points_table(by_seed: BySeed, found: Sequence[Beside], of_one: Sequence[Beside]) -> Table:
    """of_one: beside the single best rival of each point."""
    rows = []
    for name in points_of(by_seed):
        of_looks = []
        for look in looks.LOOKS:
            mine = {one.kind: short(one.value, look) for one in found if one.point == name and one.look is look}
            of_looks.append(looks.slashed([mine.get(kind, page.NONE) for kind in (("",) if look.is_sum else TCP)]))
        rows.append([name, *of_looks, told(found, name), "yes" if is_strict(found, name) else "no",
                     single(by_seed, name)[0], told(of_one, name)])
    return Table(f"{Q_WINDOWS} by the best rival of each figure, of shares less it, thp2 / thp3 / background. Means "
                 f"over {page.plural(len(by_seed), 'seed')}. Goals: where it is worse than they allow; strict: not "
                 "worse in any figure.",
                 ["point", *(look.name for look in looks.LOOKS), "goals", "strict", "best single rival",
                  "goals beside it"], rows, "points")


def values_table(by_seed: BySeed) -> Table:
    rows = []
    for name in points_of(by_seed):
        for scheme in SCHEMES:
            case = At(name, scheme)
            rows.append([f"{name} {scheme}",
                         *(looks.cell(look, TCP, partial(middle, by_seed, case)) for look in looks.LOOKS)])
    return Table(f"Off the scenario, thp2 / thp3 / background. Medians over {page.plural(len(by_seed), 'seed')}; pings "
                 "of all that were sent.", ["point, queues", *looks.TITLES], rows, "values")


def tables(by_seed: BySeed) -> list[Table]:
    found, of_one = all_beside(by_seed), all_beside(by_seed, single)
    return [losses_table(by_seed, found), counts_table(by_seed, found, "order", "the best rival of each figure"),
            counts_table(by_seed, of_one, "order-one", "the single rival of each point that is the best on the whole"),
            points_table(by_seed, found, of_one), values_table(by_seed)]


def plots(_: BySeed) -> list[Plot]:
    return []
