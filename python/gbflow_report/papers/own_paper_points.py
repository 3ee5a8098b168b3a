# SPDX-License-Identifier: BSD-3-Clause
"""own: points off the study's scenario for the paper, and q with pacing less one of its parts.

The points are those of papers/ablation_cases.py and one more, whose cells and users each seed draws.
"""

import pathlib
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gbflow_report import page
from gbflow_report.page import Table
from gbflow_report.papers import ablation_cases, own
from gbflow_report.papers.ablation_cases import GRID, MODERN, Outcome
from gbflow_report.papers.measures import Value, change, difference, of_seeds, ratio
from gbflow_report.papers.own_cases import Q_BOTH, Q_ONLY, RED, SETTINGS, TCP, WEB
from gbflow_report.runs import SUMMARY, Kind
from gbflow_results import files


# --- points ---

RIVAL = "fq-codel"
SCHEMES = [scheme for scheme in (RED, RIVAL, "cake", Q_ONLY, Q_BOTH) if scheme in SETTINGS]
DRAWN = ablation_cases.Point("drawn", "three to five cells and all users as each seed draws them", MODERN)
POINTS = [*(point for point in ablation_cases.POINTS if point.name != GRID), DRAWN]
BY_NAME = {point.name: point for point in (*POINTS, *ablation_cases.POINTS)}
# What users of a class may do in place of what those of the study do.
OTHER = {"thp2": ablation_cases.SHORT, "thp3": ablation_cases.SHORT, "background": ablation_cases.FILE}
# As a cell of the study's scenario.
BSC = ('bler = "10 %", window = 512, downlink_slots = 4, schedule = "class", flow_control = { thresholds = { '
       'stop = "40 kB", go = "30 kB" }, bvc = { bucket = "20 kB" }, ms_default = { bucket = "10 kB" } }')
PLACES = 40  # more than users of a class
CODINGS = ("MCS-5", "MCS-7", "MCS-9")


def drawn(seed: int) -> list[str]:
    """Cells of 8 to 32 slots, each with its own coding; 15 to 35 users of each class of TCP, who are anywhere."""
    dice = random.Random(seed)
    bvcis = range(2, 2 + dice.randint(3, 5))
    of_cells = [f'{{ bvci = {bvci}, pdchs = {dice.randint(8, 32)}, coding = "{dice.choice(CODINGS)}", {BSC} }}'
                for bvci in bvcis]
    doing = {name: dice.choice((ablation_cases.WEB[name], OTHER[name])) for name in TCP}
    users = {**ablation_cases.PRIORITY, **{name: (dice.randint(15, 35), doing[name]) for name in TCP}}
    places = [dice.choice(bvcis) for _ in range(PLACES)]
    return [f"cells={{ {', '.join(of_cells)} }}", ablation_cases.people(users, places)]


# --- parts ---

# Each by the settings that take it out.
LESS: dict[str, list[str]] = {
    "windows": ["sgsn.queues.pacing.clamp=false"], "held ACKs": ["sgsn.queues.pacing.hold=false"],
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
        return [*BY_NAME[self.point].settings, *SETTINGS[self.scheme], *LESS.get(self.less, [])]

    def read(self, folder: pathlib.Path) -> Outcome:
        return ablation_cases.outcome(files.read_summary(folder / SUMMARY), None)  # type: ignore[arg-type]


CASES = list(dict.fromkeys([*(At(point.name, scheme) for point in POINTS for scheme in SCHEMES),
                            *(At(point, Q_BOTH, less) for point in PART_POINTS for less in ("", *LESS))]))


def kind() -> Kind:
    return Kind(f"{own.NAME}-points", own.SCENARIO, CASES, has_series=False,
                of_seed=lambda case, seed: drawn(seed) if case.point == DRAWN.name else [])


# --- measures ---

Runs = Sequence[Mapping[At, Outcome]]  # by seed


def total(rows: Outcome) -> float:
    return sum(row.kbps for row in rows.values())


def delay(name: str) -> Value:
    return lambda rows: rows[name].delay_p95_s


def page_p95(name: str) -> Value:
    return lambda rows: rows[name].page_p95_s


def worst(name: str) -> Value:
    return lambda rows: rows[name].worst_user


def middle(runs: Runs, case: At, value_of: Value) -> float | None:
    return of_seeds(runs, lambda outcomes: value_of(outcomes[case]))


# Not worse than the rival by more than this; below the last a user has nothing.
LEAST_TOTAL, MOST_PAGE, MOST_WORST, NOTHING = 0.98, 1.05, 0.05, 0.005


def faults(runs: Runs, point: str) -> list[tuple[str, str]]:
    """Where q with pacing is worse than FQ-CoDel, or its delays are longer than RED's: the measure, and how; by pairs of
    runs of a seed. late: the 95th percentile is beyond the end of the run, and the rival's is not."""
    mine, rival, red = (At(point, scheme) for scheme in (Q_BOTH, RIVAL, RED))

    def times(other: At, value_of: Value) -> float:
        return of_seeds(runs, ratio(mine, other, value_of)) or 0
    by = times(rival, total)
    told = [] if by >= LEAST_TOTAL else [("total", f"total {by:.2f}")]
    for name in WEB:
        by = times(rival, page_p95(name))
        is_late = middle(runs, mine, page_p95(name)) is None and middle(runs, rival, page_p95(name)) is not None
        told += [("pages", f"pages of {name} {'late' if is_late else f'{by:.2f}'}")] if is_late or by > MOST_PAGE else []
    for name in TCP:
        least = middle(runs, mine, worst(name)) or 0
        by = of_seeds(runs, difference(mine, rival, worst(name))) or 0
        told += [("worst users", f"worst of {name} {by:+.2f}")] if by < -MOST_WORST else []
        told += [("worst users", f"worst of {name} has nothing")] if least < NOTHING else []
        by = times(red, delay(name))
        told += [("delays", f"delay of {name} {by:.2f}")] if by > 1 else []
    return told


def slashed(values: Sequence[float | None], digits: int) -> str:
    """Of classes; nothing where none has a value."""
    is_empty = all(value is None for value in values)
    return page.NONE if is_empty else " / ".join(page.fixed(value, digits) for value in values)


def cells_of(runs: Runs, case: At) -> list[str]:
    looks = [(delay, 2), (page_p95, 0), (worst, 2)]
    return [page.fixed(middle(runs, case, total), 0),
            *(slashed([middle(runs, case, look(name)) for name in TCP], digits) for look, digits in looks)]


HEAD = ["total kbit/s", "delay p95 s", "page p95 s", "worst user"]


def points_table(runs: Runs) -> Table:
    rows = []
    for point in POINTS:
        for place, scheme in enumerate(SCHEMES):
            worse = ", ".join(how for _, how in faults(runs, point.name)) or "holds"
            told = worse if scheme == Q_BOTH else ""
            rows.append([point.what if place == 0 else "", scheme, *cells_of(runs, At(point.name, scheme)), told])
    return Table(f"Off the study's scenario: thp2 / thp3 / background. Medians over "
                 f"{page.plural(len(runs), 'seed')}.", ["point", "queues", *HEAD, f"{Q_BOTH} by {RIVAL}, delays by {RED}"], rows, "points")


def more(runs: Runs, pair: tuple[At, At], value_of: Value) -> float | None:
    """Per cent by which the first is above the second, by pairs of runs of a seed."""
    return of_seeds(runs, change(*pair, value_of))


COUNTS = 3.0  # per cent; the text leaves out what is less
PART_LOOKS: list[tuple[str, Value]] = [
    ("total", total), *((f"delay {name}", delay(name)) for name in TCP),
    *((f"page {name}", page_p95(name)) for name in WEB),
    *((f"worst {name}", worst(name)) for name in TCP)]


def parts_table(runs: Runs) -> Table:
    rows = []
    for point in PART_POINTS:
        for place, less in enumerate(LESS):
            pair = (At(point, Q_BOTH, less), At(point, Q_BOTH))
            found = [more(runs, pair, value_of) for _, value_of in PART_LOOKS]
            rows.append([BY_NAME[point].what if place == 0 else "", less,
                         *(page.NONE if by is None else f"{by:+.0f}" for by in found)])
    return Table(f"{Q_BOTH} less one part: change in per cent from the run with all. Medians over "
                 f"{page.plural(len(runs), 'seed')}.", ["point", "without", *(title for title, _ in PART_LOOKS)], rows, "less")
