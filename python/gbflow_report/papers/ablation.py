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
from statistics import median

from gbflow_report import difference, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import ablation_cases, p1
from gbflow_report.papers.ablation_cases import (ALL, CLAMP, FIFO, FULL, HOLD, IN_COMMON, NONE, ORDERS, PARAMETERS,
                                                 POINTS, SWITCHES, TAGS, TURNS, VARIED, Case, Outcome, Parts, whole,
                                                 without)
from gbflow_report.papers.measures import BySeed, Value, middle, percent_more
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
         "quantum, credit, filter of repetitions, CoDel for each flow queue; then pacing: none, clamp, hold, both. "
         "All of it is queues.discipline = \"q\" with pacing. fq-codel, cake, red: the best published schemes.")
CASES, chosen, outcome = ablation_cases.CASES, ablation_cases.chosen, ablation_cases.outcome
FIGURES: Sequence[Figure] = ()


# --- measures ---

@dataclass(frozen=True)
class Look:
    """What is compared. better: 1 if more is better, -1 if less is; counts_percent: a change for the better from which
    a part earns its place, 0 if the measure earns none."""

    name: str
    value_of: Value
    better: int
    counts_percent: float


def total(rows: Outcome) -> float:
    return sum(row.kbps for row in rows.values())


LOOKS = [Look("total", total, 1, 3),
         *(Look(f"delay {name}", lambda rows, name=name: rows[name].delay_p95_s, -1, 15) for name in TCP),
         *(Look(f"page {name}", lambda rows, name=name: rows[name].page_p95_s, -1, 15) for name in TCP),
         *(Look(f"worst {name}", lambda rows, name=name: rows[name].worst_user, 1, 0) for name in TCP)]


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
PACED = "clamp + hold"
PACING_STEPS = [("clamp", "", NONE, CLAMP), ("clamp", "hold", HOLD, FULL), ("hold", "", NONE, HOLD),
                ("hold", "clamp", CLAMP, FULL), (PACED, "", NONE, FULL)]


def order_parts() -> list[Part]:
    found = []
    for orders, name in ORDER_NAMES.items():
        for words, others, pacing in (("alone", (), NONE), (PACED, (), FULL),
                                      (f"{', '.join(IN_COMMON[orders])}, {PACED}", IN_COMMON[orders], FULL)):
            less, more = (Parts(order, others, pacing) for order in orders)
            found.append(step(name, words, (less, more)))
    return found


def switch_parts() -> list[Part]:
    """Each put into start tags, and taken out of all parts: what the rest of q leaves for it."""
    found = []
    for name in SWITCHES:
        for pacing, words in ((NONE, ""), (FULL, f", {PACED}")):
            bare = Parts(TAGS, pacing=pacing)
            found.append(step(name, f"start tags{words}", (bare, replace(bare, others=(name,)))))
            found.append(step(name, f"the rest of q{words}", (without(whole(pacing), name), whole(pacing))))
    return found


def pacing_parts() -> list[Part]:
    """Beside an order alone, the median of three, and beside q."""
    found = []
    for name, half, less, more in PACING_STEPS:
        orders = [(Parts(order, pacing=less), Parts(order, pacing=more)) for order in ORDERS]
        found.append(step(name, ", ".join(filter(None, ["an order", half])), *orders))
        found.append(step(name, ", ".join(filter(None, ["q", half])), (whole(less), whole(more))))
    return found


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
        return 0 if self.weight < 1 else 1 if self.percent * self.look.better > 0 else -1


def change_of(runs: Mapping[Case, Outcome], point: str, pair: tuple[str, str], look: Look) -> float | None:
    """None where one of both was not played, or has no value."""
    without, with_it = (Case(point, scheme) for scheme in pair)
    if without not in runs or with_it not in runs:
        return None
    return percent_more(look.value_of(runs[with_it]), look.value_of(runs[without]))


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

def played(by_seed: BySeed) -> list[Case]:
    return list(next(iter(by_seed.values())))


def points_of(by_seed: BySeed) -> list[str]:
    there = {case.point for case in played(by_seed)}
    return [point.name for point in POINTS if point.name in there]


def triple(by_seed: BySeed, case: Case, name: str, digits: int) -> str:
    """A field of a row, of each class of TCP, between slashes; nothing where no class has it."""
    values = [middle(by_seed, case, lambda rows, of=of: getattr(rows[of], name)) for of in TCP]
    has_none = all(value is None for value in values)
    return page.NONE if has_none else " / ".join(page.fixed(value, digits) for value in values)


COLUMNS = [("delay p95 s", "delay_p95_s", 2), ("page p95 s", "page_p95_s", 0), ("worst user", "worst_user", 2),
           ("dropped", "dropped", 2)]


def point_table(by_seed: BySeed, point: str) -> Table:
    """A row for each combination and rival."""
    cases = [case for case in played(by_seed) if case.point == point and case.scheme not in VARIED]
    rows = [[case.scheme, page.fixed(middle(by_seed, case, total), 0),
             *(triple(by_seed, case, name, digits) for _, name, digits in COLUMNS)] for case in cases]
    what = next(one.what for one in POINTS if one.name == point)
    return Table(f"{point}: {what}. thp2 / thp3 / background. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["combination", "total kbit/s", *(title for title, _, _ in COLUMNS)], rows, point)


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
             *(percent_cell(found, part, look) for look in LOOKS), places(found, part, 1), places(found, part, -1)]
            for part in there]
    return Table("Parts: change in per cent by the runs without it, median over the points. Earns: at how many points "
                 "it adds 3 % to the total or takes 15 % off a 95th percentile, and the clearest of them. "
                 + of_tests(by_seed),
                 ["part, beside", "points", *(look.name for look in LOOKS), "earns", "costs"], rows, "parts")


def of_tests(by_seed: BySeed) -> str:
    return (f"Settled: p < 0.05 by Student's t over {page.plural(len(by_seed), 'seed')}, corrected by Holm over all "
            "parts, parameters, points and measures; [open] otherwise.")


def effects_table(by_seed: BySeed, found: Judged) -> Table:
    rows = [[name_of(part), point, *(percent_cell(found, part, look, [point]) for look in LOOKS)]
            for part in ALL_PARTS for point in points_of(by_seed)
            if any(one.part is part and one.point == point for one, _ in found)]
    return Table(f"Each part at each point: change in per cent. {of_tests(by_seed)}",
                 ["part, beside", "point", *(look.name for look in LOOKS)], rows, "effects")


def parameters_table(by_seed: BySeed, found: Judged) -> Table:
    rows = [[part.name, *(percent_cell(found, part, look) for look in LOOKS)] for part in VALUES
            if any(one.part is part for one, _ in found)]
    return Table(f"Parameters of {ALL.name} at the grid, one at a time: change in per cent. {of_tests(by_seed)}",
                 ["parameter", *(look.name for look in LOOKS)], rows, "parameters")


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
