# SPDX-License-Identifier: BSD-3-Clause
"""own: gbflow's own study. P1's scenario with the queue discipline q, a window clamp and held ACKs, beside none, RED and ECN.

This file is the only place where the goals stand. docs/papers/fair-sgsn-queues.md has question, method and results.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import p1
from gbflow_report.papers.p1 import CLASSES, KINDS, OfClass, light_user
from gbflow_report.papers.verdict import IN_BAND, Figure, judge
from gbflow_results.files import Series, number, pick


# --- cases ---

TCP = ("thp2", "thp3", "background")
CELL_OF_ODD, CELL_OF_EVEN = 3, 2
# The BSS announces R without block errors and without the empty rest of an LLC-PDU's last block.
RATE_FACTOR = "84 %"
Q = ["sgsn.queues.discipline=q", f'sgsn.flow_control={{ rate_factor = "{RATE_FACTOR}" }}']
PROTECT = "sgsn.queues.share_limit={ protect = true }"
# Windows of one segment for each flow need more room than two packets; with them the limit is for those who do not keep them.
ROOMY = 'sgsn.queues.share_limit={ packets = 8, time = "2 s" }'


def pacing(clamp: bool, hold: bool) -> str:
    classes = ", ".join(f'"{name}"' for name in TCP)
    words = [f"{key} = {'true' if value else 'false'}" for key, value in (("clamp", clamp), ("hold", hold))]
    return f"sgsn.queues.pacing={{ classes = {{ {classes} }}, {', '.join(words)} }}"


CLAMP, HOLD, BOTH = pacing(True, False), pacing(False, True), pacing(True, True)
# What each scheme changes in P1's scenario, in the order of the tables.
SETTINGS: dict[str, list[str]] = {
    "none": p1.NONE.settings, "red": p1.RED.settings, "ecn": p1.ECN.settings,
    "clamp": [CLAMP], "hold": [HOLD],
    "q": Q, "protect": [*Q, PROTECT], "q-clamp": [*Q, ROOMY, CLAMP], "q-hold": [*Q, HOLD],
    "q-both": [*Q, ROOMY, BOTH],
}
LIGHT_SCHEMES = ("red", "q", "q-both")
WEB_ITEM = 'web = {{ page = "{}", items = {}, item = "{}", parallel = 4, reading = "1 s", start = "5 s" }}'
ITEMS = {"thp2": WEB_ITEM.format("4910 octets", 30, "4910 octets"), "thp3": WEB_ITEM.format("4910 octets", 30, "4910 octets"),
         "background": WEB_ITEM.format("1 octet", 4, "875 kB")}
PING = '{ ping = { start = "10 s" } }'
OBJECT = '{ web = { page = "10 kB", items = 0, reading = "15 s", persistent = false, start = "10 s" } }'


def user(name: str, number: int, *items: str) -> str:
    """Another user in the place of one of P1's."""
    title, cell = f"{KINDS[name][0]}{number}", CELL_OF_ODD if number % 2 else CELL_OF_EVEN
    return f'mobiles.{title}={{ name = "{title}", cell = {cell}, class = "{name}", traffic = {{ {", ".join(items)} }} }}'


def pinging_user(name: str) -> str:
    """Who pings and does what all do."""
    return f"{KINDS[name][0]}{KINDS[name][1] - 1}"


def light(name: str) -> list[str]:
    count = KINDS[name][1]
    return [user(name, count, PING, OBJECT), user(name, count - 1, f"{{ {ITEMS[name]} }}", PING)]


def silent(name: str) -> list[str]:
    """All users of a class but the light one receive a packet of 1000 octets every 20 s, each at its own time."""
    count = KINDS[name][1]
    packets = [f'{{ cbr = {{ rate = "400 bit/s", packet = "1000 octets", start = "{20 * number / count:.3f} s" }} }}' for number in range(1, count)]
    return [user(name, number, packet) for number, packet in enumerate(packets, 1)]


@dataclass(frozen=True, order=True)
class Case:
    """A scheme with one kind of hosts. is_light: two users of each class of TCP ping, and one of them does little else."""

    scheme: str
    has_sack: bool = False
    is_light: bool = False

    @property
    def name(self) -> str:
        return self.scheme + ("-sack" if self.has_sack else "") + ("-light" if self.is_light else "")

    @property
    def settings(self) -> list[str]:
        hosts = ["tcp.sack=true", "tcp.timestamps=true"] if self.has_sack else []
        users = [setting for name in TCP for setting in light(name)] if self.is_light else []
        return [*SETTINGS[self.scheme], *hosts, *users]


@dataclass(frozen=True, order=True)
class Empty:
    """No user of TCP but the light ones: what the path itself takes."""

    name: str = "empty"

    @property
    def settings(self) -> list[str]:
        return [setting for name in TCP for setting in (*silent(name), user(name, KINDS[name][1], PING, OBJECT))]


EMPTY = Empty()
SCHEMES = [Case(scheme, has_sack) for has_sack in (False, True) for scheme in SETTINGS]
LIGHT = [Case(scheme, has_sack, True) for has_sack in (False, True) for scheme in LIGHT_SCHEMES]
CASES = [EMPTY, *SCHEMES, *LIGHT]
PRIORITY = tuple(name for name in CLASSES if name not in TCP)


# --- the study ---

NAME = "own"
TITLE = "Fair queues in a 2G SGSN"
SOURCE = "docs/papers/fair-sgsn-queues.md; the published values are goals, set before the runs"
SCENARIO = "sgsn-aqm.lua"
HAS_SERIES = False
SETUP = ("P1's 110 users and two cells. none, red and ecn: as in P1, one FIFO buffer for each class. clamp and hold: the same buffers, with "
         "lower TCP windows or with held ACKs (queues.pacing). q: queues.discipline = \"q\", flow_control.rate_factor = "
         f"{RATE_FACTOR}; protect: q that does not drop a flow's only packet; q-clamp, q-hold, q-both: q with lower windows, with held ACKs, "
         "with both. Hosts: NewReno as in P1, or SACK and timestamps (-sack). -light: the last user of each class of TCP pings and loads "
         "10 kB every 15 s, the one before pings and does what all do. empty: no other users of TCP; packets of 1000 octets measure the path.")

WEB = p1.WEB
Q_ONLY, Q_HOLD, Q_BOTH, NONE, RED, ECN = "q", "q-hold", "q-both", "none", "red", "ecn"


@dataclass(frozen=True)
class Light:
    """Pings and small objects of a class."""

    ping_p95_s: float | None  # of a mobile that does little else
    loaded_ping_p95_s: float | None  # of one that downloads
    lost: float | None  # requests that were not answered, of both
    object_p95_s: float | None


@dataclass(frozen=True)
class Row:
    """A class in one run."""

    base: OfClass
    total_kbps: float
    dropped: float  # N-PDUs that the SGSN dropped, for each that it sent
    repeated: float | None = None  # TCP octets that arrived at mobiles that had them, for each that arrived first
    page_mean_s: float | None = None
    first_p95_s: float | None = None  # until the first object of a page is there
    hold_p95_s: float | None = None  # of held ACKs
    light: Light | None = None
    users_kbps: tuple[float, ...] = ()


Outcome = Mapping[str, Row]
Outcomes = Mapping[Any, Outcome]
Measure = Callable[[Outcomes], float | None]
Value = Callable[[Row], float | None]


# --- from summaries ---

def rows_of(summary: Mapping[str, Any], part: str, names: Iterable[str]) -> list[Mapping[str, Any]]:
    wanted = set(names)
    return [row for row in summary[part] if row["mobile"] in wanted]


def users_of(summary: Mapping[str, Any], name: str) -> list[str]:
    return [row["mobile"] for row in summary["mobiles"] if row["class"] == name]


def times_of(summary: Mapping[str, Any], names: Iterable[str], key: str) -> list[tuple[float, bool]]:
    """Of pages begun after the warm-up: the time, or the age of one that has none."""
    rows = [row for row in rows_of(summary, "pages", names) if row["start_s"] >= summary["warmup_s"]]
    return [(summary["duration_s"] - row["start_s"], False) if row[key] is None else (row[key], True) for row in rows]


def p95(times: Sequence[tuple[float, bool]]) -> float | None:
    return p1.quantile(p1.kaplan_meier(times), 0.95)


def repeated_of(summary: Mapping[str, Any], users: Iterable[str]) -> float | None:
    rows = rows_of(summary, "tcp", users)
    octets = sum(row["octets"] for row in rows)
    return sum(row["repeated_octets"] for row in rows) / octets if octets else None


def hold_of(summary: Mapping[str, Any], name: str) -> float | None:
    """95th percentile, with one worker."""
    workers = summary.get("pacing") or []
    found = workers[0]["hold"].get(name) if workers else None
    return found["p95_s"] if found else None


def light_of(summary: Mapping[str, Any], name: str) -> Light | None:
    """None where nobody of the class pings."""
    pings = {row["mobile"]: row for row in rows_of(summary, "ping", (light_user(name), pinging_user(name)))}
    if not pings:
        return None
    sent, received = (sum(row[key] for row in pings.values()) for key in ("sent", "received"))
    ping, loaded = (number(pings[who], "rtt_s", "p95") if who in pings else None for who in (light_user(name), pinging_user(name)))
    return Light(ping, loaded, max(0, sent - received - len(pings)) / sent, p95(times_of(summary, [light_user(name)], "time_s")))


def row_of(summary: Mapping[str, Any], name: str, base: OfClass) -> Row:
    row, users = summary["classes"][name], users_of(summary, name)
    rates = tuple(one["goodput_bps"] / 1000 for one in rows_of(summary, "mobiles", users))
    shares = p1.kaplan_meier(p1.pages_of(summary, name)) if name in WEB else []
    return Row(base, row["goodput_bps"]["total"] / 1000, sum(pick(row, "drops").values()) / max(row["npdu_out"], 1), repeated_of(summary, users),
               sum(time_s * share for time_s, share in shares) if shares else None, p95(times_of(summary, users, "first_s")) if name in WEB else None,
               hold_of(summary, name), light_of(summary, name) if name in TCP else None, rates)


def outcome(summary: Mapping[str, Any], series: Series) -> Outcome:
    of_p1 = p1.outcome(summary, series)
    return {name: row_of(summary, name, of_p1[name]) for name in CLASSES}


# --- measures ---

def by(case: Case, against: Case, value_of: Callable[[Outcome], float | None]) -> Measure:
    """A value of a case divided by that of another."""
    def measure(runs: Outcomes) -> float | None:
        mine, other = value_of(runs[case]), value_of(runs[against])
        return mine / other if mine is not None and other else None
    return measure


def over_empty(case: Case, name: str, value_of: Value) -> Measure:
    """What a case adds to a value of the empty network."""
    def measure(runs: Outcomes) -> float | None:
        mine, floor = value_of(runs[case][name]), value_of(runs[EMPTY][name])
        return mine - floor if mine is not None and floor is not None else None
    return measure


def most_of(measures: Sequence[Measure]) -> Measure:
    def measure(runs: Outcomes) -> float | None:
        found = [one(runs) for one in measures]
        return None if None in found else max(value for value in found if value is not None)
    return measure


def least_of(case: Case, value_of: Value) -> Measure:
    """Over the classes of TCP."""
    def measure(runs: Outcomes) -> float | None:
        found = [value_of(runs[case][name]) for name in TCP]
        return None if None in found else min(value for value in found if value is not None)
    return measure


def of(case: Case, name: str, value_of: Value) -> Measure:
    return lambda runs: value_of(runs[case][name])


def delay_s(row: Row) -> float | None:
    return row.base.delay_p95_s


def page_p95(name: str) -> Callable[[Outcome], float | None]:
    return lambda rows: rows[name].base.page_p95_s


def total(rows: Outcome) -> float:
    return sum(rows[name].total_kbps for name in TCP)


def of_light(value_of: Callable[[Light], float | None]) -> Value:
    return lambda row: value_of(row.light) if row.light else None


# --- goals ---

MOST = 1e6


def goal(line: str, case: str, words: tuple[str, str], band: tuple[float, float], result: tuple[Measure, str]) -> Figure:
    """words: what and its unit; band: of the goal, open on one side; result: the measure, and the cause of a known miss."""
    low, high = band
    text = f"at least {low:g}" if high == MOST else f"at most {high:g}"
    return Figure(f"own-{line}-{case}", words[0], words[1], text, band, result[0], "the goal", result[1])


ALL_OCTETS = ("octets of all TCP users by those of none", "times")
Q_DELAYS = {False: (0.65, 1.35, 4.6), True: (0.55, 0.95, 3.0)}
BOTH_DELAYS = (0.65, 0.80, 2.0)
# Of none, RED and ECN; the for NewReno, the model's for SACK.
PAGES = {False: (1.08, 0.6, 0.5), True: (1.08, 0.8, 0.6)}


def rows_of_priority() -> list[Figure]:
    """Line 1: under every scheme."""
    found = [goal("1-delay", name, (f"95th percentile of the delay above that in the empty network, {name}, most of the schemes", "s"), (-MOST, 0.05),
                  (most_of([over_empty(case, name, delay_s) for case in SCHEMES]), "")) for name in PRIORITY]
    drops = [goal("1-loss", name, (f"dropped N-PDUs for each sent, {name}, most of the schemes", "times"), (0, 0),
                  (most_of([of(case, name, lambda row: row.dropped) for case in SCHEMES]), "")) for name in PRIORITY]
    return [*found, *drops]


def rows_of_delays(line: str, case: Case, goals: Sequence[float]) -> list[Figure]:
    return [goal(f"{line}-delay-{name}", case.name, (f"95th percentile of the delay, {name}", "s"), (0, most), (of(case, name, delay_s), ""))
            for name, most in zip(TCP, goals)]


def rows_of_q(has_sack: bool) -> list[Figure]:
    """Line 8: queues alone."""
    case, none, red = (Case(scheme, has_sack) for scheme in (Q_ONLY, NONE, RED))
    pages = [goal(f"8-page-{name}", case.name, (f"page time p95 of {name} by RED's", "times"), (0, 1), (by(case, red, page_p95(name)), ""))
             for name in WEB]
    octets = goal("8-goodput", case.name, ALL_OCTETS, (0.98, MOST), (by(case, none, total), ""))
    return [*rows_of_delays("8", case, Q_DELAYS[has_sack]), *pages, octets]


def rows_of_pages(case: Case) -> list[Figure]:
    """Line 3."""
    others = [Case(scheme, case.has_sack) for scheme in (NONE, RED, ECN)]
    return [goal(f"3-page-{name}-{other.scheme}", case.name, (f"page time p95 of {name} by that of {other.scheme}", "times"), (0, most),
                 (by(case, other, page_p95(name)), "")) for name in WEB for other, most in zip(others, PAGES[case.has_sack])]


def rows_of_shares(case: Case) -> list[Figure]:
    """Lines 4 to 6."""
    none = Case(NONE, case.has_sack)
    users = [goal(f"5-user-{name}", case.name, (f"octets of users of {name} by those of none", "times"), (least, MOST),
                  (by(case, none, lambda rows, name=name: rows[name].total_kbps), "")) for name, least in zip(TCP, (0.96, 0.96, 1.03))]
    return [goal("4-worst", case.name, ("worst user's goodput by the mean, least of the TCP classes", ""), (0.93, MOST),
                 (least_of(case, lambda row: row.base.worst_user), "")),
            goal("4-jain", case.name, ("Jain's index, least of the TCP classes", ""), (0.99, MOST), (least_of(case, lambda row: row.base.jain), "")),
            goal("5-goodput", case.name, ALL_OCTETS, (0.99, MOST), (by(case, none, total), "")), *users,
            goal("6-drops", case.name, ("dropped N-PDUs for each sent, most of the TCP classes", "times"), (0, 0.02),
                 (most_of([of(case, name, lambda row: row.dropped) for name in TCP]), "")),
            goal("6-repeated", case.name, ("TCP octets that arrived again for each that arrived, most of the TCP classes", "times"), (0, 0.005),
                 (most_of([of(case, name, lambda row: row.repeated) for name in TCP]), ""))]


def rows_of_light(case: Case) -> list[Figure]:
    """Line 7: light users, and first objects."""
    light = Case(case.scheme, case.has_sack, True)
    found = [goal(f"7-first-{name}", case.name, (f"95th percentile of the time to the first object of a page, {name}", "s"), (0, most),
                  (of(case, name, lambda row: row.first_p95_s), "")) for name, most in zip(WEB, (2.0, 6.5))]
    ping = of_light(lambda row: row.ping_p95_s)
    loaded = of_light(lambda row: row.loaded_ping_p95_s)
    for name, more, more_loaded, seconds in zip(TCP, (0.05, 0.08, 1.2), (0.08, 0.10, 0.6), (5, 10, 24)):
        found += [
            goal(f"7-ping-{name}", light.name, (f"ping of a light mobile above the empty network's, p95, {name}", "s"), (-MOST, more),
                 (over_empty(light, name, ping), "")),
            goal(f"7-own-ping-{name}", light.name, (f"ping of a downloading mobile above the empty network's, p95, {name}", "s"), (-MOST, more_loaded),
                 (lambda runs, name=name: difference(loaded(runs[light][name]), ping(runs[EMPTY][name])), "")),
            goal(f"7-object-{name}", light.name, (f"10 kB object, p95, {name}", "s"), (0, seconds),
                 (of(light, name, of_light(lambda row: row.object_p95_s)), ""))]
    return [*found, goal("7-lost", light.name, ("pings without an answer, most of the TCP classes", "ratio"), (0, 0),
                         (most_of([of(light, name, of_light(lambda row: row.lost)) for name in TCP]), ""))]


def difference(mine: float | None, other: float | None) -> float | None:
    return None if mine is None or other is None else mine - other


def rows_of_honesty() -> list[Figure]:
    """Line 12: held ACKs without a clamp raise the mean of page rates and not the service."""
    case, none = Case(Q_HOLD, True), Case(NONE, True)
    rows = []
    for name in WEB:
        rows += [goal(f"12-rate-{name}", case.name, (f"mean of page rates of {name} by that of none: a measure that unequal service raises", "times"),
                      (1.5, MOST), (by(case, none, lambda found, name=name: found[name].base.page_mean_kbps), "")),
                 goal(f"12-page-{name}", case.name, (f"mean page time of {name} by that of none: it does not fall", "times"), (1, MOST),
                      (by(case, none, lambda found, name=name: found[name].page_mean_s), ""))]
    return rows


def rows_of_both(has_sack: bool) -> list[Figure]:
    case = Case(Q_BOTH, has_sack)
    return [*rows_of_delays("2", case, BOTH_DELAYS), *rows_of_pages(case), *rows_of_shares(case), *rows_of_light(case)]


FIGURES = [*rows_of_priority(), *(row for has_sack in (False, True) for row in (*rows_of_both(has_sack), *rows_of_q(has_sack))), *rows_of_honesty()]


# --- tables ---

BySeed = Mapping[int, Mapping[Case, Outcome]]


def middle(by_seed: BySeed, case: Case, value_of: Callable[[Outcome], float | None]) -> float | None:
    """Median over the seeds; None where one has none."""
    values = [value_of(runs[case]) for runs in by_seed.values()]
    return None if None in values else median(value for value in values if value is not None)


def of_classes(by_seed: BySeed, case: Case, names: Sequence[str], look: tuple[Callable[[Row], float | None], int]) -> str:
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


def cures_table(by_seed: BySeed, has_sack: bool) -> Table:
    hosts = "SACK and timestamps" if has_sack else "NewReno"
    rows = [[case.scheme, page.fixed(middle(by_seed, case, total), 0), *(of_classes(by_seed, case, names, look) for _, names, look in COLUMNS)]
            for case in SCHEMES if case.has_sack == has_sack]
    return Table(f"{hosts}: thp2 / thp3 / background, page times of thp2 / thp3. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", "total kbit/s", *(title for title, _, _ in COLUMNS)], rows, "sack" if has_sack else "newreno")


def light_table(by_seed: BySeed) -> Table:
    def look(value_of: Callable[[Light], float | None]) -> tuple[Callable[[Row], float | None], int]:
        return lambda row: value_of(row.light) if row.light else None, 2
    rows = [[case.name, *(of_classes(by_seed, case, TCP, look(value_of)) for _, value_of in LIGHT_COLUMNS)] for case in (EMPTY, *LIGHT)]
    return Table(f"Light users: thp2 / thp3 / background. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", *(title for title, _ in LIGHT_COLUMNS)], rows, "light")


SACK = re.compile("-sack")


def goal_cell(row: Mapping[str, Any]) -> str:
    """Of verdict.judge()."""
    found = row["measured"]["median"]
    return page.NONE if found is None else f"{found:.3g}" + ("" if row["verdict"] == IN_BAND else ", missed")


def goals_table(by_seed: BySeed) -> Table:
    """A row for each goal, that of both kinds of hosts in one."""
    found: dict[str, dict[bool, Figure]] = {}
    for figure in FIGURES:
        found.setdefault(SACK.sub("", figure.name), {})[bool(SACK.search(figure.name))] = figure
    rows = []
    for name, pair in found.items():
        limits = dict.fromkeys(str(figure.published) for figure in pair.values())
        wanted = " / ".join([next(iter(limits)), *(text.rpartition(" ")[2] for text in list(limits)[1:])])
        measured = [goal_cell(judge(NAME, pair[has_sack], by_seed)) if has_sack in pair else page.NONE for has_sack in (False, True)]
        first = next(iter(pair.values()))
        rows.append([name.removeprefix("own-"), first.what, first.unit, wanted, *measured])
    return Table(f"Goals, NewReno / SACK where they differ; line 1 is of all cases. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["goal", "figure", "unit", "wanted", "NewReno", "SACK"], rows, "goals")


def tables(by_seed: BySeed) -> list[Table]:
    return [cures_table(by_seed, False), cures_table(by_seed, True), light_table(by_seed)]


def page_tables(by_seed: BySeed) -> list[Table]:
    """Of docs/ alone: the report has a row for each goal."""
    return [goals_table(by_seed)]


# --- plots ---

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
