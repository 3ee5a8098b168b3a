# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Fig. 5 and 6 as bars, and what stands beside its measure of goodput: totals, page times, fairness."""

from collections.abc import Callable, Mapping
from statistics import median

from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers import p1_words
from gbflow_report.papers.p1 import CLASSES, ECN, FIGURES, NONE, RED, SCHEMES, VARIED, WEB, Case, OfClass, Outcome, rate

BySeed = Mapping[int, Mapping[Case, Outcome]]
Value = Callable[[OfClass], float | None]

BAR = 0.15


def plots(by_seed: BySeed) -> list[Plot]:
    made = [
        bars(by_seed, lambda row: row.delay_p95_s, CLASSES,
             ("p1-fig5", "Fig. 5: end-to-end delay, 95th percentile", "delay (s)", "Black: the paper's number in its band.")),
        bars(by_seed, lambda row: row.page_mean_kbps, WEB,
             ("p1-fig6", "Fig. 6: TCP goodput as the mean of page rates", "kbit/s",
              "The paper's order is ECN, RED, none. A mean of rates rises when some pages become fast and others slow.")),
        bars(by_seed, lambda row: row.user_kbps, CLASSES[2:],
             ("p1-user", "Beside it: what a user gets on average", "kbit/s",
              "Octets over time: this changes less than page rates, for the air is full.")),
        bars(by_seed, lambda row: row.page_p95_s, WEB,
             ("p1-pages", "Beside it: page time, 95th percentile", "s", "Unfinished pages are censored (Kaplan-Meier).")),
        bars(by_seed, lambda row: row.worst_user, CLASSES[2:],
             ("p1-worst", "Beside it: the worst user's goodput by the mean", "", "1 is fair.")),
        bars(by_seed, lambda row: row.jain, CLASSES[2:], ("p1-jain", "Beside it: Jain's index", "", "1 is fair.")),
        others(by_seed, "p1-others-delay", "Other numbers of slots and users: delay of THP3, 95th percentile", "delay (s)",
               lambda runs, case: runs[case]["thp3"].delay_p95_s),
        others(by_seed, "p1-others-rate", "Other numbers of slots and users: mean of page rates", "kbit/s", rate),
    ]
    return [one for one in made if one]


def words(by_seed: BySeed) -> list[str]:
    """Paragraphs above the table."""
    return p1_words.lines(by_seed)


def others(by_seed: BySeed, name: str, title: str, unit: str,
           value_of: Callable[[Mapping[Case, Outcome], Case], float | None]) -> Plot | None:
    """none, RED and ECN at other numbers of slots and users, beside the paper's."""
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    rows = {"as stated": [NONE, RED, ECN], **VARIED}
    for place, cases in enumerate(rows.values()):
        for index, case in enumerate(cases):
            values = [value for value in (value_of(runs, case) for runs in by_seed.values()) if value is not None]
            if values:
                bar(axes, place + (index - 1) * BAR, values, (draw.COLOURS[index], (case.name if place == 0 else None)))
    axes.set_xticks(range(len(rows)), list(rows))
    axes.grid(axis="x", visible=False)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "", unit)
    return Plot(figure, name, title, f"Medians over {len(by_seed)} seeds. 48 slots and 110 users are stated; slots32 and slots72 have other "
                "numbers of slots, users2of3 and users4of3 two and four thirds of the users of each class.")


def bars(by_seed: BySeed, value_of: Value, classes: tuple[str, ...], words: tuple[str, str, str, str]) -> Plot | None:
    name, title, unit, caption = words
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    for index, case in enumerate(SCHEMES):
        for place, of in enumerate(classes):
            values = [value for value in (value_of(runs[case][of]) for runs in by_seed.values()) if value is not None]
            if values:
                bar(axes, place + (index - 2) * BAR, values, (draw.COLOURS[index], case.name if place == 0 else None))
            if name == "p1-fig5":
                mark_published(axes, f"p1-delay-{case.name}-{of}", place + (index - 2) * BAR)
    axes.set_xticks(range(len(classes)), classes)
    axes.grid(axis="x", visible=False)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "", unit)
    return Plot(figure, name, title, f"Medians over {len(by_seed)} seeds, whiskers their smallest and largest. {caption}")


def bar(axes: Axes, place: float, values: list[float], look: tuple[str, str | None]) -> None:
    middle = median(values)
    axes.bar(place, middle, BAR, color=look[0], label=look[1])
    axes.errorbar(place, middle, yerr=[[middle - min(values)], [max(values) - middle]], color="#333333", capsize=2)


def mark_published(axes: Axes, name: str, place: float) -> None:
    for figure in FIGURES:
        if figure.name == name and not isinstance(figure.published, str):
            low, high = figure.band
            axes.bar(place, high - low, BAR, bottom=low, fill=False, edgecolor="black", linewidth=0.9, linestyle=(0, (3, 2)))
            axes.hlines(figure.published, place - BAR / 2, place + BAR / 2, color="black", linewidth=2)
