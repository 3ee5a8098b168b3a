# SPDX-License-Identifier: BSD-3-Clause
"""The story of a sweep, what a study says: which axis matters, and which differences from the baseline are more than
chance.

Which axis matters: eta squared, the share of a figure's variance over all runs that lies between the means of the
axis's labels (sum of squares between, by the sum of squares of all runs). What only combinations of axes explain,
what the seed does in all points alike, and the rest stand beside it; where every run has the figure they add up to 1.

Chance: of the rest each degree of freedom has its part, and so would an axis without any effect, of k labels k - 1
parts.

Differences: of an axis with a baseline each label against that baseline, paired by seed; before, each seed's values
are averaged over the other axes, so that a label has one difference for each figure. Where the axis acts together
with another one, a mean over that one would hide what happens: there a label has a difference for each label of the
other. Its interval of 95 % is Student's t of the ratio's logarithm (difference.py). A difference is sure when it
holds after Holm's correction over all these differences: even one false one among the sure ones has a chance of at
most 5 %. Of page times the log-rank test has to show it, too (page_times.py).
"""

import dataclasses
import fnmatch
import itertools
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any, NamedTuple

from gbflow_report import compare, difference, fields, looks, page, traffic
from gbflow_report.sweep_results import Axis, Point, Results, row_between

# What a study is mostly about; of those a study names without *, these.
HEADLINES = ("classes.*.delay_s.p50", *(f"classes.*.{look.figure}" for look in looks.LOOKS), "cells.*.air_utilisation")
TOLD = 6  # differences that have a sentence
MATTERS = 0.05  # share of variance from which on an axis is drawn, not averaged over
JOINT = 0.2  # of an axis's own share; a combination that explains so much is not averaged over
NOTHING = 1e-9  # share of variance that the last digits make
LEAST_PERCENT = 0.05  # of a difference; below, it would be told as 0.0 %


@dataclass(frozen=True)
class Shares:
    """Of one figure's variance. whole[axis]: with all combinations that the axis is in; pairs: what two axes explain
    only together; points: all axes together; labels: of each axis;
    freedom: degrees of freedom of the rest, 0 with one seed."""

    figure: str
    axes: Mapping[str, float]
    whole: Mapping[str, float]
    pairs: Mapping[frozenset[str], float]
    points: float
    seed: float
    spread: float  # standard deviation of all runs by their mean
    runs: int  # that have the figure
    all_runs: int
    labels: Mapping[str, int]
    freedom: int

    @property
    def combined(self) -> float:
        return max(0.0, self.points - sum(self.axes.values()))

    @property
    def rest(self) -> float:
        return max(0.0, 1.0 - self.points - self.seed)

    @property
    def strongest(self) -> str:
        return max(self.axes, key=self.axes.__getitem__)

    def chance(self, freedom: int) -> float | None:
        """The share that so many degrees of freedom have without any effect; None: one seed does not tell."""
        return freedom * self.rest / self.freedom if self.freedom > 0 else None

    def is_more(self, share: float, freedom: int, level: float = difference.LEVEL) -> bool:
        """Whether a share is more than chance: the F test over the rest."""
        if self.freedom <= 0 or freedom <= 0 or share <= NOTHING:
            return False
        if self.rest <= NOTHING:
            return True
        from scipy.special import fdtrc  # pylint: disable=import-outside-toplevel,no-name-in-module
        return float(fdtrc(freedom, self.freedom, share / freedom / (self.rest / self.freedom))) <= level

    def of_axis(self, name: str) -> float | None:
        return self.chance(self.labels[name] - 1)

    def of_whole(self, name: str) -> int:
        """Degrees of freedom of an axis with all its combinations."""
        found = self.labels[name] - 1
        for other, labels in self.labels.items():
            found *= labels if other != name else 1
        return found

    @property
    def effect(self) -> float:
        """The standard deviation that the strongest axis alone makes, by the mean."""
        return self.axes[self.strongest] ** 0.5 * self.spread


class Row(NamedTuple):
    """What one run says of a figure."""

    point: Point
    seed: int
    value: float


def between(rows: Sequence[Row], key: Callable[[Row], Hashable]) -> float:
    """Sum of squares between the groups that have the same key."""
    groups: dict[Hashable, list[float]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row.value)
    middle = mean(row.value for row in rows)
    return sum(len(group) * (mean(group) - middle) ** 2 for group in groups.values())


def between_labels(rows: Sequence[Row], axes: Sequence[str]) -> float:
    """Between the groups that have the same labels of these axes."""
    return between(rows, lambda row: tuple(row.point.labels[name] for name in axes))


def shares_of(results: Results, figure: str) -> Shares | None:
    """None for a figure that is the same in all runs."""
    rows = [Row(point, seed, value) for point, of_point in results.values.items()
            for seed, value in of_point.get(figure, {}).items()]
    if len(rows) < 2:
        return None
    middle = mean(row.value for row in rows)
    total = sum((row.value - middle) ** 2 for row in rows)
    if total <= 1e-18 * len(rows) * middle ** 2 or total == 0:
        return None
    names = [axis.name for axis in several(results)]
    others = {name: [other for other in names if other != name] for name in names}
    points, seeds = {row.point for row in rows}, {row.seed for row in rows}
    of_points = between(rows, lambda row: row.point)
    own = {name: between_labels(rows, [name]) / total for name in names}
    return Shares(figure, own,
                  whole={name: (of_points - between_labels(rows, others[name])) / total for name in names},
                  pairs={frozenset(pair): max(0.0, between_labels(rows, pair) / total - own[pair[0]] - own[pair[1]])
                         for pair in itertools.combinations(names, 2)},
                  points=of_points / total,
                  seed=between(rows, lambda row: row.seed) / total if len(seeds) > 1 else 0.0,
                  spread=(total / len(rows)) ** 0.5 / abs(middle) if middle else 0.0,
                  runs=len(rows), all_runs=len(results.values) * results.study.seeds,
                  labels={name: len({row.point.labels[name] for row in rows}) for name in names},
                  freedom=max(0, len(rows) - len(points) - len(seeds) + 1))


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


def is_cut(results: Results, figure: str) -> bool:
    """A page time that some runs do not reach: what the others say of an axis holds for their points alone."""
    return any(results.lacks(point, figure) for point in results.values)


def cut_names(results: Results) -> list[str]:
    return [name_of(figure) for figure in headlines(results) if is_cut(results, figure)]


def shared(results: Results, found: Sequence[Shares]) -> list[Shares]:
    """Those whose shares of the variance hold for all points."""
    return [one for one in found if not is_cut(results, one.figure)]


def judged_figures(results: Results, found: Sequence[Shares]) -> list[str]:
    """Those that vary, and page times that some runs do not reach, whose variance nothing tells."""
    names = [one.figure for one in found]
    return names + [name for name in headlines(results) if name not in names and is_cut(results, name)]


# --- differences from the baseline ---

@dataclass(frozen=True)
class Step:
    """One label against the baseline of its axis. row: as compare.row_of() has it; where: the labels of the axes that
    it acts together with, which are not averaged over."""

    axis: str
    label: str
    row: Mapping[str, Any]
    where: Mapping[str, str] = dataclasses.field(default_factory=dict)

    @property
    def place(self) -> str:
        """ "queues shares and pdchs 2" """
        return listed([f"{axis} {label}" for axis, label in self.where.items()])

    @property
    def beside(self) -> str:
        return f"with {self.place}" if self.where else ""

    @property
    def name(self) -> str:
        return " ".join(filter(None, [self.axis, self.label, self.beside]))

    @property
    def interval(self) -> Sequence[float] | None:
        return self.row["interval_percent"]

    @property
    def is_unreached(self) -> bool:
        """A page time that some runs do not reach: the log-rank test tells which is longer, no number how much."""
        return any(isinstance(side, dict) and side["mean"] is None for side in (self.row["a"], self.row["b"]))

    @property
    def is_from_zero(self) -> bool:
        """The baseline is 0 with each seed: no percentage of it tells the difference."""
        return self.row["difference_percent"] is None and self.row["p"] is not None and not self.is_unreached

    @property
    def is_fixed(self) -> bool:
        """No seed changes the difference: its interval has no width."""
        return (self.interval is None and self.row["p"] is not None and self.row["difference_percent"] is not None
                and abs(self.percent) >= LEAST_PERCENT)

    @property
    def is_equal(self) -> bool:
        """With each seed the label has the value of the baseline, but for less than can be told."""
        if self.row["verdict"] == compare.EQUAL:
            return True
        return (self.interval is None and self.row["p"] is not None and self.row["difference_percent"] is not None
                and not self.is_fixed)

    @property
    def is_sure(self) -> bool:
        """After Holm's correction."""
        return self.row["verdict"] in (compare.HIGHER, compare.LOWER)

    @property
    def is_perhaps(self) -> bool:
        """Without it."""
        return self.row["verdict"] in (compare.PERHAPS_HIGHER, compare.PERHAPS_LOWER)

    @property
    def is_told_as_zero(self) -> bool:
        """Difference and interval would be told as 0.0 %."""
        return (self.row["difference_percent"] is not None and self.interval is not None
                and all(abs(value) < LEAST_PERCENT for value in (self.percent, *self.interval[:2])))

    @property
    def is_higher(self) -> bool:
        return self.row["verdict"] in (compare.HIGHER, compare.PERHAPS_HIGHER)

    @property
    def order(self) -> float:
        """Among differences: those without a number at the ends."""
        return (math.inf if self.is_higher else -math.inf) if self.row["difference_percent"] is None else self.percent

    @property
    def percent(self) -> float:
        return self.row["difference_percent"] or 0.0


def pairs_of(results: Results, axis: Axis, label: str, where: Mapping[str, str]) -> list[tuple[Point, Point]]:
    """Baseline and label: the points of both that have equal labels of the other axes, those of `where` given."""
    by_labels = {tuple(point.labels.values()): point for point in results.values}
    found = []
    for point in results.values:
        base = by_labels.get(tuple({**point.labels, axis.name: axis.baseline}.values()))
        if base and {**where, axis.name: label}.items() <= point.labels.items():
            found.append((base, point))
    return found


def equal_labels(results: Results, axis: Axis) -> list[list[str]]:
    """The labels in groups whose runs are equal in all figures, a baseline first. Of runs that do not reach a page time
    nobody knows."""
    groups: dict[str, list[str]] = {}
    for label in sorted(axis.labels, key=lambda label: label != axis.baseline):
        points = [point for point in results.values if point.labels[axis.name] == label]
        is_known = points and not any(results.lacks(point, figure) for point in points for figure in results.figures)
        found = sorted((tuple({**point.labels, axis.name: ""}.values()),
                        sorted((figure, sorted(values.items())) for figure, values in results.values[point].items()))
                       for point in points)
        groups.setdefault(repr(found) if is_known else label, []).append(label)
    return list(groups.values())


def partners(shares: Shares | None, name: str) -> list[str]:
    """The axes that an axis acts together with: their combination explains a fifth of what the axis explains, and
    more than chance would, or it is more than chance by the F test."""
    found = []
    for pair, share in shares.pairs.items() if shares else ():
        if shares and name in pair:
            (other,) = pair - {name}
            freedom = (shares.labels[name] - 1) * (shares.labels[other] - 1)
            is_large = share >= JOINT * shares.axes[name] and share > max(NOTHING, shares.chance(freedom) or 0.0)
            found += [other] if is_large or shares.is_more(share, freedom) else []
    return found


def combined_labels(results: Results, names: Sequence[str]) -> list[dict[str, str]]:
    """All combinations of the labels of some axes, of equal ones once."""
    axes = [axis for axis in results.study.axes if axis.name in names]
    return [dict(zip((axis.name for axis in axes), labels, strict=True))
            for labels in itertools.product(*([group[0] for group in equal_labels(results, axis)] for axis in axes))]


def steps_of(results: Results, figures: Sequence[str]) -> list[Step]:
    """All differences of one family; labels whose runs are equal have one."""
    found = []
    shares = {figure: None if is_cut(results, figure) else shares_of(results, figure) for figure in figures}
    for axis in results.study.axes:
        groups = ([group for group in equal_labels(results, axis) if axis.baseline not in group]
                  if axis.baseline is not None else [])
        for group, figure in itertools.product(groups, figures):
            for where in combined_labels(results, partners(shares[figure], axis.name)):
                row = row_between(results, figure, pairs_of(results, axis, group[0], where))
                if row:
                    found.append(Step(axis.name, listed(group), row, where))
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
    if parts[0] in traffic.lists():
        words = f"{traffic.items(figure).spoken} {words}".strip()
    owner = {"classes": "class", "cells": "cell"}.get(parts[0])
    return (f"{words} of {owner} {parts[1]}" if owner else f"{words} of {parts[1]}"
            if field.path.startswith(parts[0] + "[]") else words)


def percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share < 5e-4 or share >= 0.01 else f"{100 * share:.1f} %"


def listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def base_of(results: Results) -> str:
    """ "queues one or bss_target none": a difference is from the baseline of its own axis. """
    return " or ".join(f"{axis} {label}" for axis, label in results.study.baseline.items())


def told_axes(results: Results, found: Sequence[Shares]) -> list[str]:
    """Which axis explains most, over all figures and of single ones."""
    cut = cut_names(results)
    without = [f"No share of the variance is told of {short(cut)}: some runs do not reach them."] if cut else []
    found = shared(results, found)
    if not found:
        count = page.plural(len(headlines(results)), "figure")
        return without or [f"None of {count} looked at differs between the runs."]
    names = [axis.name for axis in several(results)]
    means = sorted(((mean(one.axes[name] for one in found), name) for name in names), reverse=True)
    most, first = means[0]
    seed = mean(one.seed for one in found)
    others = [f"{name} {percent(share)}" for share, name in means[1:]]
    others += [f"combinations of axes {percent(mean(one.combined for one in found))}"] if len(names) > 1 else []
    others += ([f"the seed {percent(seed)}", f"the rest {percent(mean(one.rest for one in found))}"]
               if results.study.seeds > 1 else [])
    over = f"in the mean of {page.plural(len(found), 'figure')}"
    joint = mean(one.combined for one in found)
    words = ["One seed: what chance does cannot be told from what the axes do."] if results.study.seeds == 1 else []
    words += ([f"The seed explains more than any axis: {percent(seed)} of the variance, {over}."]
              if seed > max(most, joint) else [])
    if not is_any_more(found):
        count = page.plural(len(found), "figure")
        words.append(f"No axis explains more than chance would of any of {count} looked at. The most is {first}: "
                     f"{percent(most)} of the variance, {over}")
    elif joint > most:
        words.append(f"Combinations of axes matter most: they explain {percent(joint)} of the variance, {over}. Alone "
                     f"{first} explains {percent(most)}")
    else:
        words.append(f"{'Of the axes ' if seed > most else ''}{first} matters most: it explains {percent(most)} of the "
                     f"variance, {over}")
    words[-1] += f". The others: {listed(others)}." if others else "."
    return words + [told_axis(results, found, name) for _, name in means] + told_chance(found, names) + without


def is_any_more(found: Sequence[Shares]) -> bool:
    """Whether an axis or all of them together explain more than chance of any figure, by the F test; one seed does
    not tell."""
    level = difference.LEVEL / len(found)
    return any(one.freedom <= 0 or one.is_more(one.points, math.prod(one.labels.values()) - 1, level)
               or any(one.is_more(one.axes[name], one.labels[name] - 1, level) for name in one.axes) for one in found)


def told_axis(results: Results, found: Sequence[Shares], name: str) -> str:
    """The figure of which an axis explains most beyond chance; or that it explains no more than chance."""
    best = max(found, key=lambda one: (one.axes[name] - (one.of_axis(name) or 0.0), one.spread))
    own = f"{percent(best.axes[name])}{chance_text(best.of_axis(name))}"
    level = difference.LEVEL / len(found)
    if best.freedom > 0 and not any(one.is_more(one.axes[name], one.labels[name] - 1, level) for one in found):
        return (f"{name} alone explains no more than chance of any of {page.plural(len(found), 'figure')} looked at, "
                f"most of {name_of(best.figure)}: {own} of its variance.")
    if best.axes[name] < MATTERS:
        return (f"{name} alone explains less than {percent(MATTERS)} of each figure, most of {name_of(best.figure)}: "
                f"{own} of its variance.")
    return (f"{name} has its largest effect on {name_of(best.figure)}: {own} of its "
            f"variance{ends_of(results, best.figure, name)}.")


def chance_text(chance: float | None) -> str:
    return "" if chance is None else f" (by chance {percent(chance)})"


def told_chance(found: Sequence[Shares], names: Sequence[str]) -> list[str]:
    """The share that each axis would have without any effect."""
    chances = {name: [chance for one in found if (chance := one.of_axis(name)) is not None] for name in names}
    told = [f"{name} {percent(mean(values))}" for name, values in chances.items() if values]
    return [f"Without any effect, chance alone would explain in the mean: {listed(told)}."] if told else []


def ends_of(results: Results, figure: str, name: str) -> str:
    """", from 4.5 s (pdchs 1) to 12.5 s (pdchs 3)": the labels with the least and the largest mean."""
    axis = next(axis for axis in results.study.axes if axis.name == name)
    found = {label: values for label in axis.labels
             if (values := [value for point, of_point in results.values.items() if point.labels[name] == label
                            for value in of_point.get(figure, {}).values()])}
    least, most = (choose(found, key=lambda label: mean(found[label])) for choose in (min, max))
    return (f", from {value_text(figure, mean(found[least]))} ({name} {least}) to "
            f"{value_text(figure, mean(found[most]))} ({name} {most})")


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
    if step.is_equal:
        return "equal"
    if step.is_unreached:
        cut = " against ".join(f"{side.get('unfinished', 0)} of {side.get('pages', 0)}"
                               for side in (step.row["b"], step.row["a"]))
        return (f"{('longer' if step.is_higher else 'shorter') if step.is_sure or step.is_perhaps else 'not told'} "
                f"({cut} pages unfinished)")
    if step.is_from_zero:
        figure, b = step.row["figure"], step.row["b"]
        return f"from 0 to {value_text(figure, b['mean'] if isinstance(b, dict) else b)}"
    if not step.interval:
        return f"{signed(step.percent)} %" + (" (with each seed)" if step.is_fixed else "")
    return f"{signed(step.percent)} % ({signed(step.interval[0])} to {signed(step.interval[1])})"


def told_steps(results: Results, steps: Sequence[Step]) -> list[str]:
    """The sure differences of each label, the largest first, and how many are not sure."""
    if not steps:
        return ["The study names no baseline, so no difference is judged." if not results.study.baseline else
                "No point has a figure that its baseline has, too."]
    judged = [step for step in steps if step.row["verdict"] not in (compare.ONE_RUN, compare.NO_VALUES)
              and not step.is_equal]
    equal = [step for step in steps if step.is_equal]
    if not judged and not equal or results.study.seeds == 1:
        return ["One run of each point: differences have no interval, so none is sure."]
    sure = [step for step in judged if step.is_sure]
    words = [f"{len(sure)} of {page.plural(len(judged), 'difference')} from {base_of(results)} "
             f"{'is' if len(sure) == 1 else 'are'} sure{same_text(sure)}: even one "
             "false one among them has a chance of at most 5 % (Holm's correction). Behind each difference stands its "
             "95 % interval."] if judged else []
    figures = [figure for figure in dict.fromkeys(step.row["figure"] for step in steps)
               if any(step.row["figure"] == figure for step in sure)]
    words += [told_figure(figure, sure, judged) for figure in figures[:TOLD]]
    return words + told_perhaps(judged) + unsure(judged) + told_equal(results, equal) + told_together(results, steps)


def short(words: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    return listed([*words[:TOLD], *([f"{len(words) - TOLD} more"] if len(words) > TOLD else [])])


def told_perhaps(judged: Sequence[Step]) -> list[str]:
    """What one test alone shows, and the family's does not."""
    lost = [f"{name_of(step.row['figure'])}, {step.name} {change_text(step)}" for step in judged
            if step.is_perhaps and not step.is_told_as_zero]
    return [f"Perhaps: {short(lost)}. Each alone would be sure at 5 %; so would {0.05 * len(judged):.2g} of all by "
            "chance."] if lost else []


def told_equal(results: Results, equal: Sequence[Step]) -> list[str]:
    """Differences without any, and labels whose runs are equal."""
    names = [f"{name_of(step.row['figure'])}, {step.name}" for step in equal]
    words = [f"Equal to the baseline with each seed: {short(names)}."] if names else []
    for axis in several(results):
        words += [f"{axis.name}: {listed(group)} give equal runs; they count once."
                  for group in equal_labels(results, axis) if len(group) > 1]
    return words


def told_together(results: Results, steps: Sequence[Step]) -> list[str]:
    """Where a difference is not a mean over all other axes, and why."""
    by_axes: dict[tuple[str, ...], dict[str, None]] = {}
    for step in steps:
        if step.where:
            by_axes.setdefault((step.axis, *step.where), {})[name_of(step.row["figure"])] = None
    return [f"{axis} acts together with {listed(others)} on {short(list(names))}: the differences stand for each label "
            f"of {listed(others)}, not as a mean." for (axis, *others), names in by_axes.items()]


def told_figure(figure: str, sure: Sequence[Step], judged: Sequence[Step]) -> str:
    """The lowest and the highest of its sure differences."""
    kept = sorted((step for step in sure if step.row["figure"] == figure), key=lambda step: step.order)
    of_figure = [step for step in judged if step.row["figure"] == figure]
    ends = [f"{step.name} {change_text(step)}" for step in (kept if len(kept) == 1 else (kept[0], kept[-1]))]
    kind = "differences" if any(step.where for step in of_figure) else "labels"
    count = f"{len(kept)} of {len(of_figure)} {kind} are sure, from " if len(kept) > 1 else \
        f"1 of {len(of_figure)} {kind} is sure, " if len(of_figure) > 1 else "sure, "
    return f"{capital(name_of(figure))}: {count}{' to '.join(ends)}."


def same_text(sure: Sequence[Step]) -> str:
    fixed = sum(step.is_fixed for step in sure)
    return f", {fixed} of them with each seed" if fixed else ""


def unsure(judged: Sequence[Step]) -> list[str]:
    """Figures in which no label differs surely."""
    figures = dict.fromkeys(step.row["figure"] for step in judged)
    none = [figure for figure in figures if not any(step.is_sure for step in judged if step.row["figure"] == figure)]
    if not none:
        return []
    most = max((step for step in judged if step.row["figure"] in none), key=lambda step: abs(step.percent))
    more = f" and {len(none) - TOLD} more" if len(none) > TOLD else ""
    return [f"Not sure for any point: {', '.join(map(name_of, none[:TOLD]))}{more}. The largest of these differences: "
            f"{name_of(most.row['figure'])}, {most.name} {change_text(most)}."]
