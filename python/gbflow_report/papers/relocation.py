# SPDX-License-Identifier: BSD-3-Clause
"""relocation: what a change of SGSN costs a download, with and without forwarding, with queues of gbflow and with FIFO.
docs/papers/relocation.md has the question and the answer.
"""

from collections.abc import Callable

from gbflow_report import page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.measures import (BySeed, Measure, Outcomes, Value, difference, excess, joined, of_seeds,
                                           quotient, value_in, whole)
from gbflow_report.papers.relocation_cases import (CASES, DROP, FORWARD, KINDS, POINTS, SCENARIO, SCHEMES, STAY, USERS,
                                                   Case, Outcome, outcome_of)
from gbflow_report.papers.verdict import REGRESSION, Figure

__all__ = ["CASES", "SCENARIO", "Outcome", "outcome_of"]


# --- the study ---

NAME = "relocation"
TITLE = "A change of SGSN during a download"
SOURCE = ("docs/papers/relocation.md; no study is published of queues at a change of SGSN, so bands were set after a "
          "first run")
SEEDS = 6
HAS_SERIES = False
SETUP = (f"{USERS} users, each alone in its cells, load a file each. stay: no user leaves. forward: the old SGSN sends "
         "what waits to the new one. drop: it drops that. fifo: a queue of 64 kB for each mobile; fifo-16k: of 16 kB. "
         "fq-codel: FQ-CoDel as its RFC has it. q: queues.discipline = \"q\"; q-windows: with lowered windows. "
         "-short: BSSs hold 250 ms of a mobile's rate at most (flow_control.bss_target). Messages of GMM and "
         "GTP-C are delays: a model. " + " ".join(f"{name}: {point.what}." for name, point in POINTS.items()))


# --- measures ---

def seconds(run: Outcome) -> float | None:
    return run.seconds


def cost(case: Case) -> Measure:
    """Seconds that the file takes longer than without changes."""
    return difference(case, Case(case.point, case.scheme), seconds)


def cost_of_one(case: Case) -> Measure:
    """For each change while the file was loaded."""
    def measure(runs: Outcomes) -> float | None:
        time_s = runs[case].seconds
        return None if time_s is None else quotient(cost(case)(runs), POINTS[case.point].changes_in(time_s))
    return measure


def saving(case: Case) -> Measure:
    """Seconds that forwarding saves."""
    return joined(excess, cost(Case(case.point, case.scheme, DROP)), cost(Case(case.point, case.scheme, FORWARD)))


def repeated(case: Case) -> Measure:
    """Per cent of TCP's octets that a change has repeated."""
    return difference(case, Case(case.point, case.scheme), lambda run: run.repeated)


def interruption(case: Case) -> Measure:
    return value_in(case, lambda run: run.interruption_s)


def users_part(value_of: Callable[[Outcome], float]) -> Value:
    """For each user."""
    return lambda run: value_of(run) / USERS


# --- rows ---

MEASURES: dict[str, tuple[str, str, Callable[[Case], Measure]]] = {
    "cost": ("s", "time of a file beyond that without a change", cost),
    "saving": ("s", "time of a file that forwarding saves", saving),
    "repeated": ("%", "octets of TCP repeated, beyond those without a change", repeated),
    "interruption": ("s", "from the old cell to the first N-PDU in the new one", interruption),
}
AFTER = "set after a first run"
# Point, queues and kind; what is measured; its band.
ROWS: list[tuple[str, str, float, float]] = [
    ("file fifo forward", "cost", 0.9, 1.6), ("file fifo drop", "cost", 12, 17), ("file fifo drop", "saving", 10, 16),
    ("file fifo-16k forward", "cost", 1, 2), ("file fifo-16k drop", "saving", 2, 6),
    ("file fifo-short forward", "cost", 0.9, 1.6), ("file fq-codel forward", "cost", 1.5, 4),
    ("file fq-codel drop", "saving", 0.5, 2.5),
    ("file q forward", "cost", 1.5, 5), ("file q drop", "saving", -0.7, 2), ("file q-windows forward", "cost", 1, 4.5),
    ("file q-windows-short forward", "cost", 4, 11),
    ("file fifo forward", "interruption", 1, 1.6), ("file fifo drop", "interruption", 5, 9),
    ("file fifo forward", "repeated", 1.5, 4), ("file fifo drop", "repeated", 8, 14),
    ("far fifo drop", "saving", 7, 15), ("far q drop", "saving", -0.7, 1),
    ("small fifo forward", "cost", 0.8, 1.5), ("small fifo drop", "cost", 3, 6.5),
    ("small q drop", "saving", -0.7, 0.7), ("often fifo forward", "cost", 20, 40), ("often fifo drop", "cost", 32, 52),
    ("often fifo-short forward", "cost", 8, 19), ("often q-windows forward", "cost", 21, 38),
    ("gap fifo forward", "cost", 2.7, 3.8), ("gap q forward", "cost", 4, 6.5), ("bss fifo forward", "cost", 0.8, 1.6),
    ("bss q forward", "cost", 5, 8.5), ("bss q-windows forward", "cost", 1, 4.5),
    ("edge fifo forward", "cost", 0.8, 1.4),
    ("edge fifo drop", "saving", 5, 10), ("edge q forward", "cost", 0.5, 4), ("proof fifo forward", "cost", 2.7, 3.8),
    ("proof fifo drop", "saving", 10, 15), ("proof q drop", "saving", -0.7, 2),
]


def figure_of(words: str, name: str, low: float, high: float) -> Figure:
    case = Case(*words.split())
    unit, what, measure_of = MEASURES[name]
    return Figure(f"relocation-{case.name}-{name}", f"{case.point}, {case.scheme}, {case.kind}: {what}", unit, AFTER,
                  (low, high), measure_of(case), POINTS[case.point].what, kind=REGRESSION)


def most_handed_over(runs: Outcomes) -> float:
    """With forwarding, and without changes."""
    return max(run.handed_over for case, run in runs.items() if case.kind != DROP)


def fewest_updates(runs: Outcomes) -> float | None:
    """By the changes that the moves of a run are."""
    return min(quotient(run.updates, USERS * POINTS[case.point].changes) or 0
               for case, run in runs.items() if case.kind != STAY)


FIGURES = [
    *(figure_of(*row) for row in ROWS),
    Figure("relocation-handed-over", "N-PDUs that SGSNs dropped as handed over, most of a run that forwards", "", AFTER,
           (0, 0), most_handed_over, "a mobile that has left the SGSN has its N-PDUs sent on", kind=REGRESSION),
    Figure("relocation-updates", "updates that ended, of the moves of a run, fewest", "times", AFTER, (1, 1),
           fewest_updates, "each update of each user ends before its next move", kind=REGRESSION),
]


# --- tables and plots ---

Column = tuple[str, Callable[[Case], Measure], int]


def column(title: str, value_of: Value, digits: int) -> Column:
    return title, lambda case: value_in(case, value_of), digits


COLUMNS: list[Column] = [
    column("time s", seconds, 1), ("cost s", cost, 1), ("of a change s", cost_of_one, 2),
    column("interruption s", lambda run: run.interruption_s, 2), column("repeated %", lambda run: run.repeated, 1),
    column("timeouts", users_part(lambda run: run.timeouts), 1),
    column("delay p95 s", lambda run: run.delay_p95_s, 2),
    column("forwarded", users_part(lambda run: run.forwarded), 1),
    column("handed over", users_part(lambda run: run.handed_over), 1),
    column("lost in BSS", users_part(lambda run: run.in_bss), 1)]


def table_of(by_seed: BySeed, name: str) -> Table:
    rows = [[f"{case.scheme} {case.kind}",
             *(page.fixed(of_seeds(by_seed.values(), measure_of(case)), digits) for _, measure_of, digits in COLUMNS)]
            for case in CASES if case.point == name]
    return Table(f"{name}: {POINTS[name].what}. Means of users, medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues, change", *(title for title, _, _ in COLUMNS)], rows, name)


def tables(by_seed: BySeed) -> list[Table]:
    return [table_of(by_seed, name) for name in POINTS]


BAR = 0.1


def plots(by_seed: BySeed) -> list[Plot]:
    return [bars(by_seed, kind) for kind in KINDS if kind != STAY]


def bars(by_seed: BySeed, kind: str) -> Plot:
    points, schemes = list(POINTS), tuple(SCHEMES)

    def values_of(group: int, index: int) -> list[float]:
        measure = cost(Case(points[group], schemes[index], kind))
        return whole(measure(runs) for runs in by_seed.values()) or []
    words = (f"relocation-{kind}", f"Time of a file beyond that without a change, {kind}", "s",
             f"Medians over {len(by_seed)} seeds, whiskers their smallest and largest.")
    return bars_of.grouped(words, points, schemes, values_of, bars_of.Style(BAR, has_whiskers=True))
