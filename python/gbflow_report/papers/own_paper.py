# SPDX-License-Identifier: BSD-3-Clause
"""own: the study as a paper, for `--pdf`. own_paper.html has the text;
each figure, table and plot in it comes from the outcomes here."""

import argparse
import pathlib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gbflow_report import looks, measured, output, page, paper
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import ablation, own, own_cases, own_paper_plots, own_paper_points, points
from gbflow_report.papers.measures import quotient, value_in
from gbflow_report.papers.own_cases import Q_WINDOWS, Q_ONLY, TCP, WEB, Light, Row
from gbflow_report.papers.p1 import CLASSES
from gbflow_report.papers.verdict import IN_BAND
from gbflow_report.runs import SUMMARY, Kind, Program, Run, run_missing, runs_of
from gbflow_results import Failure, files
from gbflow_results.files import Series

TEMPLATE = "papers/own_paper.html"


@dataclass(frozen=True)
class Study:
    """What the paper is filled from. rows: of the verdicts; varied: of the sensitivity, if it was asked for; loads: by
    scheme, the progress of a page; points, parts: by seed, of the points off the scenario and of the parts, if the
    sensitivity was asked for."""

    by_seed: own.BySeed
    rows: Sequence[Mapping[str, Any]]
    source: measured.Source
    varied: Sequence[Mapping[str, Any]] = ()
    robust: Sequence[Table] = ()
    loads: Mapping[str, own_paper_plots.Load] = field(default_factory=dict)
    points: own.BySeed = field(default_factory=dict)
    parts: own_paper_points.Runs = ()


# --- measures ---

@dataclass(frozen=True)
class Measure:
    """Of each of the classes; digits and factor are those of the text."""

    of: Callable[[Row], float | None]
    digits: int
    classes: Sequence[str] = TCP
    factor: float = 1.0


def light(value_of: Callable[[Light], float | None]) -> Callable[[Row], float | None]:
    return own_cases.of_light(value_of)


SEGMENT_KBIT = 1400 * 8 / 1000


def share_kbps(row: Row) -> float | None:
    """What a user of the class gets."""
    return quotient(row[looks.TOTAL], len(row.users_kbps))


MEASURES: dict[str, Measure] = {
    "delay": Measure(own_cases.delay_s, 2), "rtt": Measure(own_cases.seen(looks.RTT), 1),
    "page": Measure(own_cases.seen(looks.PAGE), 0, WEB), "first": Measure(own_cases.seen(looks.FIRST), 1, WEB),
    "rate": Measure(lambda row: row.page_mean_kbps, 1, WEB),
    "page-mean": Measure(lambda row: row.page_mean_s, 0, WEB), "worst": Measure(own_cases.seen(looks.WORST), 2),
    "jain": Measure(lambda row: row.jain, 3), "dropped": Measure(own_cases.seen(looks.DROPPED), 0, factor=100),
    "repeated": Measure(lambda row: row.repeated, 1, factor=100),
    "block": Measure(lambda row: row.block_octets, 1, TCP[:1]), "share": Measure(share_kbps, 1),
    "two-segments": Measure(lambda row: quotient(2 * SEGMENT_KBIT, share_kbps(row)), 1),
    "ping": Measure(light(lambda row: row.ping_p95_s), 2),
    "own-ping": Measure(light(lambda row: row.loaded_ping_p95_s), 2),
    "object": Measure(light(lambda row: row.object_p95_s), 1),
    "lost": Measure(light(lambda row: row.lost), 0, factor=100),
}
TOTAL = "total"
NAMES = own_paper_plots.NAMES
# The study's two schemes and their best rival, whatever the tables call them.
ROLES = {"q": Q_ONLY, "windows": Q_WINDOWS, "rival": own_paper_points.RIVAL}


def listed(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def span(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def with_classes(what: str) -> tuple[str, list[str]]:
    """The words of a goal without its class, and the class."""
    named = re.compile(rf",? ?(?:of )?\b({'|'.join(CLASSES)})\b")
    return named.sub("", what), [NAMES.get(name, name) for name in named.findall(what)]


def missed_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """Goals that are missed, in words, those of several classes and kinds of hosts in one."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row["verdict"] != IN_BAND:
            words, names = with_classes(row["what"])
            of_q = row["id"].removesuffix("-2006").endswith(f"-{Q_ONLY}")
            found.setdefault(f"{Q_ONLY} alone: {words}" if of_q else words, []).extend(names)
    told = [f"{words} ({', '.join(dict.fromkeys(names))})" if names else words for words, names in found.items()]
    return "; ".join(told) or "none"


def change_words(low: float, high: float) -> str:
    """Of two quotients: how much less or more than 1."""
    def one(value: float) -> tuple[str, str]:
        step = round(100 * (value - 1))
        return f"{abs(step)}", "less than" if step < 0 else "more than"
    (small, first), (large, last) = one(low), one(high)
    if small == large == "0":
        return "as much as"
    if first == last:
        return f"{span(*sorted((small, large), key=int))} % {first}"
    return f"between {small} % less and {large} % more than"


# Of each pair of schemes three rows: printed are those of the published schemes that do best, and of q's halves.
PRINTED = [f"{scheme} *" for scheme in (*own_cases.RIVALS, "windows", Q_ONLY)]


def in_print(table: Table) -> Table:
    return measured.rows_like(table, PRINTED) if table.name.startswith("pairs") else table


class Words:
    """What the placeholders stand for."""

    def __init__(self, study: Study) -> None:
        self.study = study
        known = [case for runs in study.by_seed.values() for case in runs]
        self.cases = {case.name: case for case in known}
        self.cases |= {role + case.name.removeprefix(scheme): case for role, scheme in ROLES.items() for case in known
                       if getattr(case, "scheme", "") == scheme}
        self.beside = points.all_beside(study.points) if study.points else []
        off = [*points.tables(study.points), own_paper_points.parts_table(study.parts)] if study.points else []
        tables = [*own.tables(study.by_seed), *own.page_tables(study.by_seed), *study.robust, *off]
        self.tables = {table.name: in_print(table) for table in tables}
        self.plots = {plot.name: plot for plot in plots_of(study)}

    def case(self, name: str) -> Any:
        paper.must_know(name, self.cases, "a case of the paper")
        return self.cases[name]

    def numbers(self, what: str, case: str, name: str = "") -> list[float | None]:
        """Medians over the seeds, of the class or of all classes of the measure."""
        if what == TOTAL:
            return [own.middle(self.study.by_seed, self.case(case), own_cases.total)]
        paper.must_know(what, MEASURES, "a measure of the paper")
        measure = MEASURES[what]
        return [own.middle(self.study.by_seed, self.case(case), value_in(one, measure.of))
                for one in ([name] if name else measure.classes)]

    def text(self, what: str, number: float | None) -> str:
        measure = MEASURES.get(what)
        return page.fixed(number, measure.digits, measure.factor) if measure else page.fixed(number, 0)

    def value(self, arguments: Sequence[str]) -> str:
        """value:MEASURE:CASE[:CLASS]: that of each class."""
        return listed([self.text(arguments[0], number) for number in self.numbers(*arguments)])

    def range(self, arguments: Sequence[str]) -> str:
        """range:MEASURE:CASE: the least and the most of the classes."""
        what, case = arguments
        known = [number for number in self.numbers(what, case) if number is not None]
        return span(self.text(what, min(known)), self.text(what, max(known))) if known else page.NONE

    def quotients(self, arguments: Sequence[str]) -> list[float]:
        """By class, the median over the seeds of one case by that of another; none without both."""
        what, case, other, *name = arguments
        pairs = zip(self.numbers(what, case, *name), self.numbers(what, other, *name), strict=True)
        return [mine / another for mine, another in pairs if mine is not None and another]

    def change(self, arguments: Sequence[str]) -> str:
        """change:MEASURE:CASE:OTHER[:CLASS]: how much less or more than the other."""
        found = self.quotients(arguments)
        return change_words(min(found), max(found)) if found else page.NONE

    def times(self, arguments: Sequence[str]) -> str:
        """times:MEASURE:CASE:OTHER[:CLASS]: how often the other's."""
        found = self.quotients(arguments)
        return span(*(f"{value:.2f}" for value in (min(found), max(found)))) if found else page.NONE

    def table(self, arguments: Sequence[str]) -> str:
        paper.must_know(arguments[0], self.tables, "a table of the paper")
        return paper.table_html(self.tables[arguments[0]], arguments[0])

    def plot(self, arguments: Sequence[str]) -> str:
        paper.must_know(arguments[0], self.plots, "a plot of the paper")
        return paper.plot_html(self.plots[arguments[0]])

    def run(self, arguments: Sequence[str]) -> str:
        """run:FIELD of the source, and what follows from it."""
        source = self.study.source
        found = {"day": source.day, "commit": source.commit, "command": source.command, "runs": str(source.runs),
                 "seeds": str(source.seeds), "seconds": source.seconds, "plural": page.plural(source.seeds, "seed")}
        paper.must_know(arguments[0], found, "a fact of the runs")
        return page.escape(found[arguments[0]])

    def goals(self, arguments: Sequence[str]) -> str:
        """goals:FIELD of the verdicts."""
        missed = sum(row["verdict"] != IN_BAND for row in self.study.rows)
        count = len(self.study.rows)
        found = {"all": str(count), "met": str(count - missed), "missed": str(missed),
                 "words": missed_words(self.study.rows)}
        paper.must_know(arguments[0], found, "a count of the goals")
        return page.escape(found[arguments[0]])

    def robust(self, arguments: Sequence[str]) -> str:
        """robust:FIELD of the variations."""
        rows = self.study.varied
        failed = [f"{row['assumption']} {row['value']} ({row['why'] or row['verdict']})" for row in rows
                  if row["verdict"] != "holds"]
        found = {"all": str(len(rows)), "held": str(len(rows) - len(failed)), "failed": "; ".join(failed) or "none"}
        paper.must_know(arguments[0], found, "a count of the variations")
        return page.escape(found[arguments[0]])

    def points(self, arguments: Sequence[str]) -> str:
        """points:FIELD of the points off the scenario."""
        names = points.points_of(self.study.points)
        told = {points.BY_NAME[name].what: [points.words_of(one) for one in points.faults(self.beside, name)]
                for name in names}
        failed = [f"{what} ({', '.join(measures)})" for what, measures in told.items() if measures]
        strict = sum(points.is_strict(self.beside, name) for name in names)
        found = {"all": str(len(told)), "held": str(len(told) - len(failed)), "lost": str(len(failed)),
                 "strict": str(strict), "failed": "; ".join(failed) or "none"}
        paper.must_know(arguments[0], found, "a count of the points")
        return page.escape(found[arguments[0]])

    def changes_without(self, arguments: Sequence[str]) -> str:
        """less:PART:POINT: what becomes of total, page times and worst users without a part of the mechanism."""
        part, point = arguments
        paper.must_know(part, own_paper_points.LESS, "a part of the paper")
        paper.must_know(point, dict.fromkeys(own_paper_points.PART_POINTS), "a point of the paper")
        cases = (own_paper_points.At(point, Q_WINDOWS, part), own_paper_points.At(point, Q_WINDOWS))
        found = [(look.name, own_paper_points.change_of(self.study.parts, cases, look)) for look in ablation.LOOKS
                 if look.of.name in own_paper_points.TOLD]
        told = [f"{what} {by:+.0f} %" for what, by in found if by is not None and abs(by) >= own_paper_points.COUNTS]
        return ", ".join(told) or "nothing"

    def name(self, arguments: Sequence[str]) -> str:
        """name:ROLE: what the tables call it."""
        paper.must_know(arguments[0], ROLES, "a scheme of the paper")
        return ROLES[arguments[0]]

    def settings(self, arguments: Sequence[str]) -> str:
        """settings:CASE: the words of gbflow run."""
        return page.escape(" ".join(f"--set {shlex.quote(setting)}" for setting in self.case(arguments[0]).settings))

    def all(self) -> dict[str, paper.Word]:
        return {"value": self.value, "range": self.range, "change": self.change, "times": self.times,
                "table": self.table, "plot": self.plot, "run": self.run, "goals": self.goals, "robust": self.robust,
                "points": self.points, "less": self.changes_without, "name": self.name, "settings": self.settings}

    def questions(self) -> dict[str, paper.Question]:
        """Whether a case was run, the sensitivity was asked for, pages were recorded."""
        return {"case": lambda names: all(name in self.cases for name in names),
                "sensitivity": lambda _: bool(self.study.varied), "points": lambda _: bool(self.study.points),
                "plot": lambda names: all(name in self.plots for name in names),
                "pairs": lambda _: len(self.study.by_seed) > 1}


def plots_of(study: Study) -> list[Plot]:
    return own_paper_plots.plots(study.by_seed, study.loads)


def html_of(study: Study) -> str:
    words = Words(study)
    return paper.filled(output.packed(TEMPLATE), words.all(), words.questions())


# --- the command ---

Blocks = Mapping[str, tuple[measured.Source, Sequence[Table]]]


def must_print(target: pathlib.Path, names: Sequence[str]) -> None:
    """Failure where there is no paper, or nothing to print it with; said before the runs."""
    if list(names) != [own.NAME]:
        raise Failure(f"--pdf: only the study {own.NAME} is a paper; say gbflow reproduce {own.NAME} --pdf {target}")
    paper.must_print(target)


def played(kind: Kind, given: argparse.Namespace, program: Program) -> list[Run]:
    runs = runs_of(kind, given, program)
    run_missing(runs, given)
    return runs


def loads_of(given: argparse.Namespace, program: Program) -> dict[str, own_paper_plots.Load]:
    """By scheme; of seed 1 alone."""
    runs = played(own_paper_plots.load_runs(), argparse.Namespace(**{**vars(given), "seeds": 1}), program)
    found = {run.case.scheme: run.case.read(run.folder) for run in runs}
    return {scheme: load for scheme, load in found.items() if load}


def parts_of(given: argparse.Namespace, program: Program) -> own_paper_points.Runs:
    found: list[dict[Any, Any]] = [{} for _ in range(given.seeds)]
    for run in played(own_paper_points.kind(), given, program):
        found[run.seed - 1][run.case] = run.case.read(run.folder)
    return found


def points_of(given: argparse.Namespace, program: Program) -> own.BySeed:
    """Runs that `reproduce points` shares."""
    found: dict[int, dict[Any, Any]] = {}
    kind = Kind(points.NAME, points.SCENARIO, points.CASES, has_series=False, of_seed=points.of_seed)
    for run in played(kind, given, program):
        summary = files.read_summary(run.folder / SUMMARY)
        found.setdefault(run.seed, {})[run.case] = points.outcome_of(summary, Series({}))
    return found


def write(given: argparse.Namespace, program: Program, result: Any, varied: Sequence[Mapping[str, Any]],
          blocks: Blocks) -> None:
    """result: of reproduce; varied: rows of reproduction.json's sensitivity."""
    robust = blocks[own.NAME + measured.SENSITIVITY][1] if varied else ()
    off, parts = (points_of(given, program), parts_of(given, program)) if varied else ({}, ())
    study = Study(result.by_seed, result.rows, result.source, varied, robust, loads_of(given, program), off, parts)
    paper.write_pdf(given.pdf, html_of(study))
