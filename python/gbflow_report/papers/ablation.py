# SPDX-License-Identifier: BSD-3-Clause
"""ablation: what each part of the discipline q and of pacing earns, alone and beside the others.
docs/papers/ablation.md has question, method and results.

A part earns its place where it adds 3 % to the total of TCP or takes 15 % off a 95th percentile of delays or page
times; it costs where it does the opposite. An effect is the change from a run without the part to the run of the same
point and seed that differs in this part only. The value of a seed is the median over its pairs, and a test of a point
takes the seeds as its sample: pairs of one seed are no independent draws.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from gbflow_report import difference, looks, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import ablation_cases, p1
from gbflow_report.papers.ablation_cases import (ALL, FIFO, IN_COMMON, NONE, ORDERS, PARAMETERS, POINTS, SWITCHES,
                                                 TAGS, TURNS, VARIED, WINDOWS, Case, Outcome, Parts, whole, without)
from gbflow_report.papers.measures import BySeed, Value, excess, middle, percent_more, scaled
from gbflow_report.papers.own_cases import TCP
from gbflow_report.papers.verdict import Figure


# --- the study ---

NAME = "ablation"
TITLE = "The parts of q and of pacing"
SOURCE = "docs/papers/ablation.md; nothing is published, so there are no rows with a band"
SCENARIO = p1.SCENARIO
HAS_SERIES = False
SEEDS = 10
SETUP = ("The study's scenario and other points. An order of mobiles (fifo, turns, tags), then the parts that are on: "
         "quantum, credit, filter of repetitions, CoDel for each flow queue; then none, or windows that pacing lowers. "
         "All of it is queues.discipline = \"q\" with pacing. red-best, fq-codel, fq-codel-ecn, cake: the "
         "best published schemes.")
CASES, chosen, outcome_of = ablation_cases.CASES, ablation_cases.chosen, ablation_cases.outcome_of
FIGURES: Sequence[Figure] = ()


# --- measures ---

@dataclass(frozen=True)
class Look:
    """What is compared: a look, of one class or of all. counts_percent: a change for the better from which a part earns
    its place, 0 if the measure earns none."""

    name: str
    value_of: Value
    of: looks.Look
    counts_percent: float

    def change(self, value: float | None, other: float | None) -> float | None:
        """In per cent of the other, of a share in points."""
        return scaled(excess(value, other), 100) if self.of.is_share else percent_more(value, other)


COUNTS = {looks.TOTAL: 3, looks.DELAY: 15, looks.PAGE: 15}
LOOKS = [Look(name, value_of, look, COUNTS.get(look.name, 0)) for look in looks.LOOKS
         for name, value_of in looks.values(look, TCP)]
HEADS = [look.name for look in looks.LOOKS]


# --- parts ---

@dataclass(frozen=True)
class Part:
    """A step between two combinations. beside: what both of them have."""

    name: str
    beside: str
    pairs: Sequence[tuple[str, str]]  # without and with, of SCHEMES


def step(name: str, beside: str, *pairs: tuple[Parts, Parts]) -> Part:
    return Part(name, beside, [(less.name, more.name) for less, more in pairs])


ORDER_NAMES = {(FIFO, TURNS): "turns", (TURNS, TAGS): "start tags"}


def order_parts() -> list[Part]:
    found = []
    for orders, name in ORDER_NAMES.items():
        for words, others, pacing in (("alone", (), NONE), (WINDOWS, (), WINDOWS),
                                      (f"{', '.join(IN_COMMON[orders])}, {WINDOWS}", IN_COMMON[orders], WINDOWS)):
            less, more = (Parts(order, others, pacing) for order in orders)
            found.append(step(name, words, (less, more)))
    return found


def switch_parts() -> list[Part]:
    """Each put into start tags, and taken out of all parts: what the rest of q leaves for it."""
    found = []
    for name in SWITCHES:
        for pacing, words in ((NONE, ""), (WINDOWS, f", {WINDOWS}")):
            bare = Parts(TAGS, pacing=pacing)
            found.append(step(name, f"start tags{words}", (bare, replace(bare, others=(name,)))))
            found.append(step(name, f"the rest of q{words}", (without(whole(pacing), name), whole(pacing))))
    return found


def pacing_parts() -> list[Part]:
    """Beside an order alone, the median of three, and beside q."""
    orders = [(Parts(order), Parts(order, pacing=WINDOWS)) for order in ORDERS]
    return [step(WINDOWS, "an order", *orders), step(WINDOWS, "q", (whole(NONE), ALL))]


ALL_PARTS = [*order_parts(), *switch_parts(), *pacing_parts()]
VALUES = [Part(f"{parameter.key} {value} (of {parameter.value})", "", [(ALL.name, parameter.scheme(what))])
          for parameter in PARAMETERS for what, value in parameter.values]


@dataclass(frozen=True)
class Effect:
    """Of a part at a point, in per cent of what the run without it has. seeds: of each the median over its pairs."""

    part: Part
    point: str
    look: Look
    seeds: Sequence[float]

    @property
    def percent(self) -> float:
        return median(self.seeds)

    @property
    def p(self) -> float:
        """Of Student's t test that the mean is 0; 1 with one seed."""
        return difference.of_values([0.0] * len(self.seeds), self.seeds, True).p if len(self.seeds) > 1 else 1.0

    @property
    def weight(self) -> float:
        """In changes that count."""
        return abs(self.percent) / self.look.counts_percent if self.look.counts_percent else 0.0

    @property
    def sign(self) -> int:
        """1: it earns its place here; -1: it costs as much; 0: neither."""
        return 0 if self.weight < 1 else 1 if self.percent * self.look.of.better > 0 else -1


def change_of(runs: Mapping[Case, Outcome], point: str, pair: tuple[str, str], look: Look) -> float | None:
    """None where one of both was not played, or has no value."""
    without, with_it = (Case(point, scheme) for scheme in pair)
    if without not in runs or with_it not in runs:
        return None
    return look.change(look.value_of(runs[with_it]), look.value_of(runs[without]))


def effect(by_seed: BySeed, part: Part, point: str, look: Look) -> Effect | None:
    """None where a seed has no pair with values."""
    found = []
    for runs in by_seed.values():
        of_pairs = [change_of(runs, point, pair, look) for pair in part.pairs]
        changes = [change for change in of_pairs if change is not None]
        if not changes:
            return None
        found.append(median(changes))
    return Effect(part, point, look, found)


def effects(by_seed: BySeed) -> list[Effect]:
    found = [effect(by_seed, part, point, look) for part in (*ALL_PARTS, *VALUES) for point in points_of(by_seed)
             for look in LOOKS]
    return [one for one in found if one]


# --- tables ---

CHANGES = "change in per cent, of what is dropped or lost in points, thp2 / thp3 / background"


def played(by_seed: BySeed) -> list[Case]:
    return list(next(iter(by_seed.values())))


def points_of(by_seed: BySeed) -> list[str]:
    there = {case.point for case in played(by_seed)}
    return [point.name for point in POINTS if point.name in there]


def point_table(by_seed: BySeed, point: str) -> Table:
    """A row for each combination and rival."""
    cases = [case for case in played(by_seed) if case.point == point and case.scheme not in VARIED]
    rows = [[case.scheme, *(looks.cell(look, TCP, partial(middle, by_seed, case)) for look in looks.LOOKS)]
            for case in cases]
    what = next(one.what for one in POINTS if one.name == point)
    return Table(f"{point}: {what}. thp2 / thp3 / background. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["combination", *looks.TITLES], rows, point)


Judged = Sequence[tuple[Effect, float]]  # with its p, as corrected by Holm over all


def judged(found: Sequence[Effect]) -> Judged:
    return list(zip(found, difference.holm([one.p for one in found]), strict=True))


def marked(text: str, chance: float) -> str:
    """In brackets if it is open."""
    return text if chance < difference.LEVEL else f"[{text}]"


def percent_cell(found: Judged, part: Part, look: Look, points: Iterable[str] | None = None) -> str:
    """Median over the points; of a single one with brackets if it is open."""
    mine = [(one, chance) for one, chance in found
            if one.part is part and one.look is look and (points is None or one.point in points)]
    if not mine:
        return page.NONE
    text = f"{median(one.percent for one, _ in mine):+.1f}"
    return marked(text, mine[0][1]) if len(mine) == 1 else text


def percent_cells(found: Judged, part: Part, points: Iterable[str] | None = None) -> list[str]:
    """Of each look, its classes between slashes."""
    there = None if points is None else list(points)
    return [looks.slashed([percent_cell(found, part, look, there) for look in LOOKS if look.of is of])
            for of in looks.LOOKS]


def places(found: Judged, part: Part, sign: int) -> str:
    """Where a part earns its place (1) or costs as much (-1): at how many points, and the largest effect of all."""
    mine = [(one, chance) for one, chance in found if one.part is part and one.sign == sign]
    if not mine:
        return page.NONE
    there = {one.point for one, _ in mine}
    best, chance = max(mine, key=lambda pair: (pair[1] < difference.LEVEL, pair[0].weight))
    sure = {one.point for one, other in mine if other < difference.LEVEL}
    text = marked(f"{best.point}, {best.look.name} {best.percent:+.0f} %", chance)
    return f"{len(there)} ({len(sure)} settled): {text}"


def name_of(part: Part) -> str:
    return f"{part.name}, {part.beside}" if part.beside else part.name


def parts_table(by_seed: BySeed, found: Judged) -> Table:
    """One row for each part and what it stands beside."""
    there = [part for part in ALL_PARTS if any(one.part is part for one, _ in found)]
    rows = [[name_of(part), str(len({one.point for one, _ in found if one.part is part})),
             *percent_cells(found, part), places(found, part, 1), places(found, part, -1)]
            for part in there]
    return Table(f"Parts: {CHANGES}, by the runs without it, median over the points. Earns: at how many points "
                 "it adds 3 % to the total or takes 15 % off a 95th percentile, and the clearest of them. "
                 + of_tests(by_seed),
                 ["part, beside", "points", *HEADS, "earns", "costs"], rows, "parts")


def of_tests(by_seed: BySeed) -> str:
    return (f"Settled: p < 0.05 by Student's t over {page.plural(len(by_seed), 'seed')}, corrected by Holm over all "
            "parts, parameters, points and measures; [open] otherwise.")


def effects_table(by_seed: BySeed, found: Judged) -> Table:
    rows = [[name_of(part), point, *percent_cells(found, part, [point])]
            for part in ALL_PARTS for point in points_of(by_seed)
            if any(one.part is part and one.point == point for one, _ in found)]
    return Table(f"Each part at each point: {CHANGES}. {of_tests(by_seed)}",
                 ["part, beside", "point", *HEADS], rows, "effects")


def parameters_table(by_seed: BySeed, found: Judged) -> Table:
    rows = [[part.name, *percent_cells(found, part)] for part in VALUES
            if any(one.part is part for one, _ in found)]
    return Table(f"Parameters of {ALL.name} at the grid, one at a time: {CHANGES}. {of_tests(by_seed)}",
                 ["parameter", *HEADS], rows, "parameters")


def tables(by_seed: BySeed) -> list[Table]:
    """Those that have rows."""
    found = judged(effects(by_seed))
    made = [parts_table(by_seed, found), parameters_table(by_seed, found),
            *(point_table(by_seed, point) for point in points_of(by_seed))]
    return [table for table in made if table.rows]


def page_tables(by_seed: BySeed) -> list[Table]:
    """Of pages alone: the tables of tables() have their medians."""
    table = effects_table(by_seed, judged(effects(by_seed)))
    return [table] if table.rows else []


def plots(_: BySeed) -> list[Plot]:
    return []
