# SPDX-License-Identifier: BSD-3-Clause
"""Plots of the own study: bars of each class, and the users' shares; its tables are those of own_tables."""

from collections.abc import Callable, Mapping
from statistics import median

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.own import SCHEMES, TCP, WEB, Case, Outcome, Row
from gbflow_report.papers.own_tables import tables  # noqa: F401

BySeed = Mapping[int, Mapping[Case, Outcome]]
WIDTH = 0.13
SHOWN = ("none", "red", "ecn", "clamp", "q", "q-both")
VALUES: list[tuple[str, str, str, tuple[str, ...], Callable[[Row], float | None]]] = [
    ("delay", "End-to-end delay, 95th percentile", "s", TCP, lambda row: row.base.delay_p95_s),
    ("pages", "Page time, 95th percentile", "s", WEB, lambda row: row.base.page_p95_s),
    ("worst", "The worst user's goodput by the mean", "", TCP, lambda row: row.base.worst_user),
    ("drops", "Dropped N-PDUs for each sent", "", TCP, lambda row: row.dropped),
]


def plots(by_seed: BySeed) -> list[Plot]:
    made = [bars(by_seed, value, has_sack) for value in VALUES for has_sack in (False, True)]
    made += [shares(by_seed, name, has_sack) for name in TCP for has_sack in (False, True)]
    return [one for one in made if one]


def shown(has_sack: bool) -> list[Case]:
    return [case for case in SCHEMES if case.has_sack == has_sack and case.scheme in SHOWN]


def words_of(has_sack: bool) -> str:
    return "SACK and timestamps" if has_sack else "NewReno"


def bars(by_seed: BySeed, value: tuple, has_sack: bool) -> Plot | None:
    name, title, unit, classes, value_of = value
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    for index, case in enumerate(shown(has_sack)):
        for place, of in enumerate(classes):
            values = [found for found in (value_of(runs[case][of]) for runs in by_seed.values()) if found is not None]
            if values:
                axes.bar(place + (index - 2.5) * WIDTH, median(values), WIDTH, color=draw.COLOURS[index],
                         label=case.scheme if place == 0 else None)
    axes.set_xticks(range(len(classes)), classes)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "", unit)
    return Plot(figure, f"own-{name}{'-sack' if has_sack else ''}", f"{title}, {words_of(has_sack)}", f"Medians over {len(by_seed)} seeds.")


def shares(by_seed: BySeed, name: str, has_sack: bool) -> Plot | None:
    """Goodputs of the users of all seeds, in order."""
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    for index, case in enumerate(shown(has_sack)):
        rates = sorted(rate for runs in by_seed.values() for rate in runs[case][name].users_kbps)
        axes.plot(rates, [(place + 1) / len(rates) for place in range(len(rates))], color=draw.COLOURS[index], label=case.scheme)
    axes.set_ylim(0, 1)
    draw.finish(axes, "goodput of a user (kbit/s)", "share of users")
    return Plot(figure, f"own-users-{name}{'-sack' if has_sack else ''}", f"Goodputs of the users of {name}, {words_of(has_sack)}",
                f"All users of {len(by_seed)} seeds; a steep line is equal service.")
