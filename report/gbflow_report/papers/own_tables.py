# SPDX-License-Identifier: BSD-3-Clause
"""Tables of the own study, which the command prints as Markdown: all cures beside each other, light users."""

from collections.abc import Callable, Mapping, Sequence
from statistics import median

from gbflow_report import page
from gbflow_report.page import Table
from gbflow_report.papers.own import EMPTY, LIGHT, SCHEMES, TCP, WEB, Case, Light, Outcome, Row, total

BySeed = Mapping[int, Mapping[Case, Outcome]]


def middle(by_seed: BySeed, case: Case, value_of: Callable[[Outcome], float | None]) -> float | None:
    """Median over the seeds; None where one has none."""
    values = [value_of(runs[case]) for runs in by_seed.values()]
    return None if None in values else median(value for value in values if value is not None)


def joined(by_seed: BySeed, case: Case, names: Sequence[str], look: tuple[Callable[[Row], float | None], int]) -> str:
    """A value of each class, between slashes; nothing where no class has one."""
    value_of, digits = look
    values = [middle(by_seed, case, lambda rows, name=name: value_of(rows[name])) for name in names]
    return page.NONE if all(value is None for value in values) else " / ".join(page.fixed(value, digits) for value in values)


COLUMNS: list[tuple[str, Sequence[str], tuple[Callable[[Row], float | None], int]]] = [
    ("delay p95 s", TCP, (lambda row: row.base.delay_p95_s, 2)),
    ("held p95 s", TCP, (lambda row: row.hold_p95_s, 2)),
    ("page p95 s", WEB, (lambda row: row.base.page_p95_s, 0)),
    ("first object p95 s", WEB, (lambda row: row.first_p95_s, 1)),
    ("worst user", TCP, (lambda row: row.base.worst_user, 2)),
    ("dropped", TCP, (lambda row: row.dropped, 2)),
    ("again on the air", TCP, (lambda row: row.repeated, 3)),
]
LIGHT_COLUMNS: list[tuple[str, Callable[[Light], float | None]]] = [
    ("ping p95 s", lambda row: row.ping_p95_s), ("ping while downloading p95 s", lambda row: row.loaded_ping_p95_s),
    ("10 kB p95 s", lambda row: row.object_p95_s), ("pings lost", lambda row: row.lost)]


def of_cures(by_seed: BySeed, has_sack: bool) -> Table:
    hosts = "SACK and timestamps" if has_sack else "NewReno"
    rows = [[case.scheme, page.fixed(middle(by_seed, case, total), 0), *(joined(by_seed, case, names, look) for _, names, look in COLUMNS)]
            for case in SCHEMES if case.has_sack == has_sack]
    return Table(f"{hosts}: thp2 / thp3 / background, page times of thp2 / thp3. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", "total kbit/s", *(title for title, _, _ in COLUMNS)], rows)


def of_light(by_seed: BySeed) -> Table:
    def look(value_of: Callable[[Light], float | None]) -> tuple[Callable[[Row], float | None], int]:
        return lambda row: value_of(row.light) if row.light else None, 2
    rows = [[case.name, *(joined(by_seed, case, TCP, look(value_of)) for _, value_of in LIGHT_COLUMNS)] for case in (EMPTY, *LIGHT)]
    return Table(f"Light users: thp2 / thp3 / background. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", *(title for title, _ in LIGHT_COLUMNS)], rows)


def tables(by_seed: BySeed) -> list[Table]:
    return [of_cures(by_seed, False), of_cures(by_seed, True), of_light(by_seed)]
