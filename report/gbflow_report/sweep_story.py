# SPDX-License-Identifier: BSD-3-Clause
"""What a study says: which axis matters, and which differences from the baseline are more than chance.

Which axis matters: eta squared, the share of a figure's variance over all runs that lies between the means of the axis's labels
(sum of squares between, by the sum of squares of all runs). What only combinations of axes explain, what the seed does in all points
alike, and the rest stand beside it; where every run has the figure they add up to 1.

Differences: of an axis with a baseline each label against that baseline, paired by seed; before, each seed's values are averaged
over the other axes, so that a label has one difference for each figure. Its interval of 95 % is Student's t (difference.py). A
difference is sure when the interval excludes 0. Holm's correction is over all these differences.
"""

import fnmatch
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from gbflow_report import compare, fields, page
from gbflow_report.sweep_results import Axis, Point, Results, spread

# What a study is mostly about; of those a study names without *, these.
HEADLINES = ("classes.*.delay_s.p50", "classes.*.delay_s.p95", "classes.*.goodput_bps.total", "classes.*.page_time_s.p50",
             "classes.*.page_time_s.p95", "cells.*.air_utilisation")
TOLD = 6  # differences that have a sentence
MATTERS = 0.05  # share of variance from which on an axis is drawn, not averaged over
LEAST_PERCENT = 0.05  # of a difference; below, it would be told as 0.0 %


@dataclass(frozen=True)
class Shares:
    """Of one figure's variance. whole[axis]: with all combinations that the axis is in; points: all axes together."""

    figure: str
    axes: Mapping[str, float]
    whole: Mapping[str, float]
    points: float
    seed: float
    spread: float  # standard deviation of all runs by their mean
    runs: int  # that have the figure
    all_runs: int

    @property
    def combined(self) -> float:
        return max(0.0, self.points - sum(self.axes.values()))

    @property
    def rest(self) -> float:
        return max(0.0, 1.0 - self.points - self.seed)

    @property
    def strongest(self) -> str:
        return max(self.axes, key=self.axes.__getitem__)

    @property
    def effect(self) -> float:
        """The standard deviation that the strongest axis alone makes, by the mean."""
        return self.axes[self.strongest] ** 0.5 * self.spread


Row = tuple[Point, int, float]  # a run's value: its point, its seed


def between(rows: Sequence[Row], key: Callable[[Row], Hashable]) -> float:
    """Sum of squares between the groups that have the same key."""
    groups: dict[Hashable, list[float]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row[2])
    middle = mean(row[2] for row in rows)
    return sum(len(group) * (mean(group) - middle) ** 2 for group in groups.values())


def shares_of(results: Results, figure: str) -> Shares | None:
    """None for a figure that is the same in all runs."""
    rows = [(point, seed, value) for point, of_point in results.values.items() for seed, value in of_point.get(figure, {}).items()]
    if len(rows) < 2:
        return None
    middle = mean(row[2] for row in rows)
    total = sum((row[2] - middle) ** 2 for row in rows)
    if total <= 1e-18 * len(rows) * middle ** 2 or total == 0:
        return None
    names = [axis.name for axis in several(results)]
    points = between(rows, lambda row: row[0])
    own = {name: between(rows, lambda row, name=name: row[0].labels[name]) / total for name in names}
    whole = {name: (points - between(rows, lambda row, name=name: tuple(row[0].labels[other] for other in names if other != name))) / total
             for name in names}
    seed = between(rows, lambda row: row[1]) / total if results.study.seeds > 1 else 0.0
    return Shares(figure, own, whole, points / total, seed, (total / len(rows)) ** 0.5 / abs(middle) if middle else 0.0,
                  len(rows), len(results.values) * results.study.seeds)


def several(results: Results) -> list[Axis]:
    """The axes that have more than one label."""
    return [axis for axis in results.study.axes if len(axis.labels) > 1] or list(results.study.axes)


def headlines(results: Results) -> list[str]:
    """The figures that the story is about: those that the study names without *, else HEADLINES, else all."""
    named = [name for name in results.figures if name in results.study.figures]
    usual = [name for name in results.figures if any(fnmatch.fnmatchcase(name, pattern) for pattern in HEADLINES)]
    return named or usual or list(results.figures)


def ranked(results: Results) -> list[Shares]:
    """The headlines that vary, in the order of their effect; last those that some runs do not have."""
    found = [shares for name in headlines(results) if (shares := shares_of(results, name))]
    return sorted(found, key=lambda one: (one.runs < one.all_runs, -one.effect, one.figure))


# --- differences from the baseline ---

@dataclass(frozen=True)
class Step:
    """One label against the baseline of its axis. row: as compare.row_of() has it."""

    axis: str
    label: str
    row: Mapping[str, Any]

    @property
    def interval(self) -> Sequence[float] | None:
        return self.row["interval_percent"]

    @property
    def is_fixed(self) -> bool:
        """No seed changes the difference: its interval has no width."""
        return self.interval is None and self.row["p"] is not None and abs(self.percent) >= LEAST_PERCENT

    @property
    def is_sure(self) -> bool:
        return bool(self.interval and (self.interval[0] > 0 or self.interval[1] < 0)) or self.is_fixed

    @property
    def percent(self) -> float:
        return self.row["difference_percent"] or 0.0


def paired(results: Results, axis: Axis, label: str, figure: str) -> tuple[dict[int, float], dict[int, float]]:
    """Baseline and label: of each seed the mean over the other axes, of those points that both have."""
    by_labels = {tuple(point.labels.values()): of_point.get(figure, {}) for point, of_point in results.values.items()}
    pairs: dict[int, list[tuple[float, float]]] = {}
    for point, of_point in results.values.items():
        if point.labels[axis.name] != label:
            continue
        base = by_labels.get(tuple({**point.labels, axis.name: axis.baseline}.values()), {})
        for seed, value in of_point.get(figure, {}).items():
            if seed in base:
                pairs.setdefault(seed, []).append((base[seed], value))
    return ({seed: mean(pair[0] for pair in found) for seed, found in pairs.items()},
            {seed: mean(pair[1] for pair in found) for seed, found in pairs.items()})


def steps_of(results: Results, figures: Sequence[str]) -> list[Step]:
    """All differences of one family."""
    found = []
    for axis in results.study.axes:
        for label in axis.labels if axis.baseline is not None else ():
            for figure in figures if label != axis.baseline else ():
                base, values = paired(results, axis, label, figure)
                if base:
                    found.append(Step(axis.name, label, compare.row_of(figure, spread(base), spread(values), len(base) > 1)))
    compare.judge([step.row for step in found])  # type: ignore[misc]
    return found


# --- words ---

def name_of(figure: str) -> str:
    """ "delay p95 of class thp2" of classes.thp2.delay_s.p95, "ping RTT p95 of anna" of ping.anna.rtt_s.p95 """
    field = fields.of_figure("summary", figure)
    if not field:
        return figure
    parts = figure.split(".")
    last = field.path.rpartition(".")[2]
    words = fields.name_of("summary", field.path) + (f" {parts[-1]}" if last.isupper() else "")
    words = f"ping {words}" if parts[0] == "ping" else words
    owner = {"classes": "class", "cells": "cell"}.get(parts[0])
    return f"{words} of {owner} {parts[1]}" if owner else f"{words} of {parts[1]}" if field.path.startswith(parts[0] + "[]") else words


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share < 5e-4 or share >= 0.01 else f"{100 * share:.1f} %"


def listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def told_axes(results: Results, found: Sequence[Shares]) -> list[str]:
    """Which axis explains most, over all figures and of single ones."""
    if not found:
        return ["No figure differs between the runs."]
    names = [axis.name for axis in several(results)]
    means = sorted(((mean(one.axes[name] for one in found), name) for name in names), reverse=True)
    most, first = means[0]
    others = [f"{name} {percent(share)}" for share, name in means[1:]]
    others += [f"combinations of axes {percent(mean(one.combined for one in found))}"] if len(names) > 1 else []
    others += [f"the seed {percent(mean(one.seed for one in found))}"] if results.study.seeds > 1 else []
    words = [f"{first} matters most: it explains {percent(most)} of the variance, in the mean of {page.plural(len(found), 'figure')}"
             + (f". The others: {listed(others)}." if others else ".")]
    for share, name in means:
        best = max(found, key=lambda one, name=name: (one.axes[name], one.spread))
        if best.axes[name] >= MATTERS:
            words.append(f"{name} has its largest effect on {name_of(best.figure)}: {percent(best.axes[name])} of its variance"
                         f"{ends_of(results, best.figure, name)}.")
        else:
            words.append(f"{name} explains less than {percent(MATTERS)} of the variance of each figure.")
    words += told_chance(results, found[0].all_runs)
    if results.study.seeds == 1:
        words.append("One seed: what chance does cannot be told from what the axes do.")
    return words


def told_chance(results: Results, runs: int) -> list[str]:
    """Of axes with many labels: the share that they would have without any effect."""
    chances = [((len(axis.labels) - 1) / (runs - 1), axis) for axis in several(results)]
    return [f"Without any effect {axis.name} would explain {percent(chance)}, as it has {len(axis.labels)} labels in {runs} runs."
            for chance, axis in chances if chance >= MATTERS and results.study.seeds > 1]


def ends_of(results: Results, figure: str, name: str) -> str:
    """", from 4.5 s (pdchs 1) to 12.5 s (pdchs 3)": the labels with the least and the largest mean."""
    axis = next(axis for axis in results.study.axes if axis.name == name)
    found = {label: values for label in axis.labels
             if (values := [value for point, of_point in results.values.items() if point.labels[name] == label
                            for value in of_point.get(figure, {}).values()])}
    least, most = (choose(found, key=lambda label: mean(found[label])) for choose in (min, max))
    return f", from {value_text(figure, mean(found[least]))} ({name} {least}) to {value_text(figure, mean(found[most]))} ({name} {most})"


def value_text(figure: str, value: float) -> str:
    field = fields.of_figure("summary", figure)
    shown = fields.AXES.get(field.unit, fields.COUNT) if field else fields.COUNT
    return f"{value * shown.factor:.3g} {shown.unit}".strip() if field else f"{value:.3g}"


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def signed(percent_: float) -> str:
    return f"{percent_:+.0f}" if abs(percent_) >= 100 else f"{percent_:+.1f}"


def change_text(step: Step) -> str:
    """ "-4.2 % (-5.1 to -3.3)" """
    if not step.interval:
        return f"{signed(step.percent)} %" + (" (with each seed)" if step.is_fixed else "")
    return f"{signed(step.percent)} % ({signed(step.interval[0])} to {signed(step.interval[1])})"


def told_steps(results: Results, steps: Sequence[Step]) -> list[str]:
    """The sure differences of each label, the largest first, and how many are not sure."""
    if not steps:
        return ["The study names no baseline, so no difference is judged." if not results.study.baseline else
                "No point has a figure that its baseline has, too."]
    judged = [step for step in steps if step.row["verdict"] not in (compare.ONE_RUN, compare.NO_VALUES)]
    if not judged or results.study.seeds == 1:
        return ["One run of each point: differences have no interval, so none is sure."]
    sure = [step for step in judged if step.is_sure]
    holm = sum(step.row["verdict"] in (compare.HIGHER, compare.LOWER) for step in sure)
    base = listed([f"{axis} {label}" for axis, label in results.study.baseline.items()])
    words = [f"{len(sure)} of {page.plural(len(judged), 'difference')} from {base} are sure: their 95 % intervals exclude 0"
             f"{same_text(sure)}. {holm} of them {'holds' if holm == 1 else 'hold'} after Holm's correction, too. "
             f"By chance {0.05 * len(judged):.0f} would be sure. Behind each difference stands its interval."]
    figures = [figure for figure in dict.fromkeys(step.row["figure"] for step in steps) if any(step.row["figure"] == figure for step in sure)]
    words += [told_figure(figure, sure, sum(step.row["figure"] == figure for step in judged)) for figure in figures[:TOLD]]
    return words + unsure(judged)


def told_figure(figure: str, sure: Sequence[Step], judged: int) -> str:
    """The lowest and the highest of its sure differences."""
    kept = sorted((step for step in sure if step.row["figure"] == figure), key=lambda step: step.percent)
    ends = [f"{step.axis} {step.label} {change_text(step)}" for step in (kept if len(kept) == 1 else (kept[0], kept[-1]))]
    count = f"{len(kept)} of {judged} labels are sure, from " if judged > 1 else "sure, "
    return f"{capital(name_of(figure))}: {count}{' to '.join(ends)}."


def same_text(sure: Sequence[Step]) -> str:
    fixed = sum(step.is_fixed for step in sure)
    return f", or no seed changes the difference ({fixed})" if fixed else ""


def unsure(judged: Sequence[Step]) -> list[str]:
    """Figures in which no label differs surely."""
    figures = dict.fromkeys(step.row["figure"] for step in judged)
    none = [figure for figure in figures if not any(step.is_sure for step in judged if step.row["figure"] == figure)]
    if not none:
        return []
    most = max((step for step in judged if step.row["figure"] in none), key=lambda step: abs(step.percent))
    more = f" and {len(none) - TOLD} more" if len(none) > TOLD else ""
    return [f"Not sure for any point: {', '.join(map(name_of, none[:TOLD]))}{more}. The largest of these differences: "
            f"{name_of(most.row['figure'])}, {most.axis} {most.label} {change_text(most)}."]
