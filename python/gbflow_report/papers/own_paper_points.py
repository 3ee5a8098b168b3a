# SPDX-License-Identifier: BSD-3-Clause
"""own: q with windows less one of its parts, for the paper."""

import pathlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gbflow_report import looks, page
from gbflow_report.page import Table
from gbflow_report.papers import ablation, ablation_cases, own, own_cases
from gbflow_report.papers.ablation_cases import BY_NAME, GRID, Outcome
from gbflow_report.papers.measures import joined, of_seeds, value_in
from gbflow_report.papers.own_cases import Q_WINDOWS, SETTINGS, TCP
from gbflow_report.runs import SUMMARY, Kind
from gbflow_results import files


RIVAL = "fq-codel"


# --- parts ---

# Each by the settings that take it out.
LESS: dict[str, list[str]] = {
    "windows": ["sgsn.queues.pacing.classes={}"],
    "credit": ["sgsn.queues.credit=0 octets"], "filter": ["sgsn.queues.drop_duplicates=false"],
    "quantum": ["sgsn.queues.mobile_quantum=40 octets"], "CoDel": ['sgsn.queues.aqm={ scheme = "tail_drop" }'],
}
PART_POINTS = (GRID, "short", "rtt", "bler", "quic")


@dataclass(frozen=True, order=True)
class At:
    """A scheme at a point, less a part of it if one is named."""

    point: str
    scheme: str
    less: str = ""

    @property
    def name(self) -> str:
        return "-".join(filter(None, (self.point, self.scheme, self.less.replace(" ", "-"))))

    @property
    def settings(self) -> list[str]:
        """The point's before the scheme's, which may be of the same part of the scenario."""
        return [*own_cases.TODAY, *own_cases.pings(*TCP), *BY_NAME[self.point].settings, *SETTINGS[self.scheme],
                *LESS.get(self.less, [])]

    def read(self, folder: pathlib.Path) -> Outcome:
        return ablation_cases.outcome_of(files.read_summary(folder / SUMMARY), None)  # type: ignore[arg-type]


CASES = [At(point, Q_WINDOWS, less) for point in PART_POINTS for less in ("", *LESS)]


def kind() -> Kind:
    return Kind(f"{own.NAME}-parts", own.SCENARIO, CASES, has_series=False)


# --- measures ---

Runs = Sequence[Mapping[At, Outcome]]  # by seed


def change_of(runs: Runs, pair: tuple[At, At], look: ablation.Look) -> float | None:
    """Of the first from the second, by pairs of runs of a seed."""
    return of_seeds(runs, joined(look.change, *(value_in(case, look.value_of) for case in pair)))


def signed(value: float | None) -> str:
    return page.NONE if value is None else f"{value:+.0f}"


COUNTS = 3.0  # per cent; the text leaves out what is less
TOLD = (looks.TOTAL, looks.DELAY, looks.PAGE, looks.WORST)  # by the text


def parts_table(runs: Runs) -> Table:
    rows = []
    for point in PART_POINTS:
        for place, less in enumerate(LESS):
            pair = (At(point, Q_WINDOWS, less), At(point, Q_WINDOWS))
            found = [looks.joined([change_of(runs, pair, look) for look in ablation.LOOKS if look.of is of], signed)
                     for of in looks.LOOKS]
            rows.append([BY_NAME[point].what if place == 0 else "", less, *found])
    return Table(f"{Q_WINDOWS} less one part: {ablation.CHANGES}, from the run with all. Medians over "
                 f"{page.plural(len(runs), 'seed')}.", ["point", "without", *ablation.HEADS], rows,
                 "less")
