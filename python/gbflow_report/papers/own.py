# SPDX-License-Identifier: BSD-3-Clause
"""own: gbflow's own study. P1's scenario with the queue discipline q, a window clamp and held ACKs, beside none, RED and ECN.

This file is the only place where the goals stand. docs/papers/fair-sgsn-queues.md has question, method and results.
"""

import re
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from gbflow_report import difference, draw, page
from gbflow_report.difference import Difference
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import own_cases
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.measures import BySeed, Measure, Value, known, largest, less, middle, over, ratio
from gbflow_report.papers.own_cases import (ECN, EMPTY, LIGHT, NONE, PRIORITY, Q_BOTH, Q_ONLY, RED, SCHEMES, TCP, WEB,
                                            Case, delay_s, least_of, of, of_light, over_empty, page_p95, total)
from gbflow_report.papers.verdict import IN_BAND, Figure, judge


# --- the study ---

NAME = "own"
TITLE = "Fair queues in a 2G SGSN"
SOURCE = "docs/papers/fair-sgsn-queues.md; the published values are goals, set before the runs"
SCENARIO = "sgsn-aqm.lua"
HAS_SERIES = False
CASES, outcome = own_cases.CASES, own_cases.outcome
SETUP = ("P1's 110 users and two cells. none, red and ecn: as in P1, one FIFO buffer for each class; codel and pie: the same buffers, at the "
         "best setting of a stated search; fq-codel: mobiles take turns, with FQ-CoDel in each; cake: flows in mobiles, with COBALT. clamp and hold: the same buffers, with "
         "lower TCP windows or with held ACKs (queues.pacing). q: queues.discipline = \"q\"; "
         "q-clamp, q-hold, q-both: q with lower windows, with held ACKs, with both. Hosts: NewReno as in P1, or SACK and timestamps (-sack). -light: the last user of each class of TCP pings and loads "
         "10 kB every 15 s, the one before pings and does what all do. empty: no other users of TCP; packets of 1000 octets measure the path.")


# --- goals ---

MOST = 1e6


IN_BSS = ("it stands in the BSS behind the BSS's priorities, as the BSS announces more than its air carries: with flow_control.rate_factor of 84 %, "
          "fitted to the air, the goal is met and the total is 4 % less")
OF_FLOWS = "CoDel is one for each flow, of which a page has four: case cake, whose COBALT is, too, has as long delays; case fq-codel has one for each mobile"
OF_CREDIT = "mobiles that begin spend their credit before it: with queues.credit of 0 octets it is {} s above the empty network's"
# By the beginning of a row's name: why a goal is missed, and the run that shows it.
CAUSES = {
    "1-loss-streaming": "case codel has its scheme in streaming, too, where it drops one or two N-PDUs in a run",
    "2-delay-background-q-both": IN_BSS, "7-ping-background": IN_BSS,
    "6-drops-q-both": "nearly all are repeated segments whose first copy is queued or may still be acknowledged (reason duplicate), which costs no air",
    "6-repeated-q-both": "it comes with lowered windows: cases clamp and q-clamp have as much or more, hold and q-hold a fifth",
    "7-first": "ACKs of a first object wait for the turn of a quantum: with queues.mobile_quantum of 40 octets it is 30 % shorter and the total 2 % less",
    "7-own-ping-thp3": OF_CREDIT.format("0.08"),
    "7-own-ping-background": "as 7-ping-background, and " + OF_CREDIT.format("2.0"),
    "7-object-background": "as 7-first: with queues.mobile_quantum of 40 octets it is 20 s",
    "7-lost": "AQM drops them beside the same user's downloads: with queues.aqm of tail_drop none is lost",
    "8-delay": OF_FLOWS,
}


def cause_of(name: str) -> str:
    return next((cause for start, cause in CAUSES.items() if name.startswith(start)), "")


def goal(line: str, case: str, words: tuple[str, str], band: tuple[float, float], result: tuple[Measure, str]) -> Figure:
    """words: what and its unit; band: of the goal, open on one side; result: the measure, and the cause of a known miss."""
    low, high = band
    text = f"at least {low:g}" if high == MOST else f"at most {high:g}"
    return Figure(f"own-{line}-{case}", words[0], words[1], text, band, result[0], "the goal", result[1] or cause_of(f"{line}-{case}"))


ALL_OCTETS = ("octets of all TCP users by those of none", "times")
Q_DELAYS = {False: (0.65, 1.35, 4.6), True: (0.55, 0.95, 3.0)}
BOTH_DELAYS = (0.65, 0.80, 2.0)
# Of none, RED and ECN; the for NewReno, the model's for SACK.
PAGES = {False: (1.08, 0.6, 0.5), True: (1.08, 0.8, 0.6)}


def rows_of_priority() -> list[Figure]:
    """Line 1: under every scheme."""
    found = [goal("1-delay", name, (f"95th percentile of the delay above that in the empty network, {name}, most of the schemes", "s"), (-MOST, 0.05),
                  (over(largest, [over_empty(case, name, delay_s) for case in SCHEMES]), "")) for name in PRIORITY]
    drops = [goal("1-loss", name, (f"dropped N-PDUs for each sent, {name}, most of the schemes", "times"), (0, 0),
                  (over(largest, [of(case, name, lambda row: row.dropped) for case in SCHEMES]), ""))
                  for name in PRIORITY]
    return [*found, *drops]


def rows_of_delays(line: str, case: Case, goals: Sequence[float]) -> list[Figure]:
    return [goal(f"{line}-delay-{name}", case.name, (f"95th percentile of the delay, {name}", "s"), (0, most), (of(case, name, delay_s), ""))
            for name, most in zip(TCP, goals)]


def rows_of_q(has_sack: bool) -> list[Figure]:
    """Line 8: queues alone."""
    case, none, red = (Case(scheme, has_sack) for scheme in (Q_ONLY, NONE, RED))
    pages = [goal(f"8-page-{name}", case.name, (f"page time p95 of {name} by RED's", "times"), (0, 1),
                  (ratio(case, red, page_p95(name)), ""))
             for name in WEB]
    octets = goal("8-goodput", case.name, ALL_OCTETS, (0.98, MOST), (ratio(case, none, total), ""))
    return [*rows_of_delays("8", case, Q_DELAYS[has_sack]), *pages, octets]


def rows_of_pages(case: Case) -> list[Figure]:
    """Line 3."""
    others = [Case(scheme, case.has_sack) for scheme in (NONE, RED, ECN)]
    return [goal(f"3-page-{name}-{other.scheme}", case.name, (f"page time p95 of {name} by that of {other.scheme}", "times"), (0, most),
                 (ratio(case, other, page_p95(name)), "")) for name in WEB
                 for other, most in zip(others, PAGES[case.has_sack])]


def rows_of_shares(case: Case) -> list[Figure]:
    """Lines 4 to 6."""
    none = Case(NONE, case.has_sack)
    users = [goal(f"5-user-{name}", case.name, (f"octets of users of {name} by those of none", "times"), (least, MOST),
                  (ratio(case, none, lambda rows, name=name: rows[name].total_kbps), ""))
                  for name, least in zip(TCP, (0.96, 0.96, 1.03))]
    return [goal("4-worst", case.name, ("worst user's goodput by the mean, least of the TCP classes", ""), (0.93, MOST),
                 (least_of(case, lambda row: row.base.worst_user), "")),
            goal("4-jain", case.name, ("Jain's index, least of the TCP classes", ""), (0.99, MOST), (least_of(case, lambda row: row.base.jain), "")),
            goal("5-goodput", case.name, ALL_OCTETS, (0.99, MOST), (ratio(case, none, total), "")), *users,
            goal("6-drops", case.name, ("dropped N-PDUs for each sent, most of the TCP classes", "times"), (0, 0.02),
                 (over(largest, [of(case, name, lambda row: row.dropped) for name in TCP]), "")),
            goal("6-repeated", case.name, ("TCP octets that arrived again for each that arrived, most of the TCP classes", "times"), (0, 0.005),
                 (over(largest, [of(case, name, lambda row: row.repeated) for name in TCP]), ""))]


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
                 (lambda runs, name=name: less(loaded(runs[light][name]), ping(runs[EMPTY][name])), "")),
            goal(f"7-object-{name}", light.name, (f"10 kB object, p95, {name}", "s"), (0, seconds),
                 (of(light, name, of_light(lambda row: row.object_p95_s)), ""))]
    return [*found, goal("7-lost", light.name, ("pings without an answer, most of the TCP classes", "ratio"), (0, 0),
                         (over(largest, [of(light, name, of_light(lambda row: row.lost)) for name in TCP]), ""))]


def rows_of_both(has_sack: bool) -> list[Figure]:
    case = Case(Q_BOTH, has_sack)
    return [*rows_of_delays("2", case, BOTH_DELAYS), *rows_of_pages(case), *rows_of_shares(case), *rows_of_light(case)]


FIGURES = [*rows_of_priority(), *(row for has_sack in (False, True) for row in (*rows_of_both(has_sack), *rows_of_q(has_sack)))]


# --- tables ---

def of_classes(by_seed: BySeed, case: Case, names: Sequence[str], look: tuple[Value, int]) -> str:
    """A value of each class, between slashes; nothing where no class has one."""
    value_of, digits = look
    values = [middle(by_seed, case, lambda rows, name=name: value_of(rows[name])) for name in names]
    return page.NONE if all(value is None for value in values) else " / ".join(page.fixed(value, digits) for value in values)


COLUMNS: list[tuple[str, Sequence[str], tuple[Value, int]]] = [
    ("delay p95 s", TCP, (lambda row: row.base.delay_p95_s, 2)),
    ("held p95 s", TCP, (lambda row: row.hold_p95_s, 2)),
    ("page p95 s", WEB, (lambda row: row.base.page_p95_s, 0)),
    ("first object p95 s", WEB, (lambda row: row.first_p95_s, 1)),
    ("worst user", TCP, (lambda row: row.base.worst_user, 2)),
    ("dropped", TCP, (lambda row: row.dropped, 2)),
    ("again on the air", TCP, (lambda row: row.repeated, 3)),
    ("octets a block", TCP[:1], (lambda row: row.block_octets, 1)),
]
LIGHT_COLUMNS: list[tuple[str, Value]] = [
    ("ping p95 s", lambda row: row.ping_p95_s), ("ping while downloading p95 s", lambda row: row.loaded_ping_p95_s),
    ("10 kB p95 s", lambda row: row.object_p95_s), ("pings lost", lambda row: row.lost)]


def cures_table(by_seed: BySeed, has_sack: bool) -> Table:
    hosts = "SACK and timestamps" if has_sack else "NewReno"
    rows = [[case.scheme, page.fixed(middle(by_seed, case, total), 0), *(of_classes(by_seed, case, names, look) for _, names, look in COLUMNS)]
            for case in SCHEMES if case.has_sack == has_sack]
    return Table(f"{hosts}: thp2 / thp3 / background, page times of thp2 / thp3. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", "total kbit/s", *(title for title, _, _ in COLUMNS)], rows, "sack" if has_sack else "newreno")


def light_table(by_seed: BySeed) -> Table:
    def look(value_of: Value) -> tuple[Value, int]:
        return lambda row: value_of(row.light) if row.light else None, 2
    rows = [[case.name, *(of_classes(by_seed, case, TCP, look(value_of)) for _, value_of in LIGHT_COLUMNS)] for case in (EMPTY, *LIGHT)]
    return Table(f"Light users: thp2 / thp3 / background. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues", *(title for title, _ in LIGHT_COLUMNS)], rows, "light")


# --- q-both beside each other scheme, by pairs of runs of the same seed ---

COMPARED: list[tuple[str, Value]] = [
    ("total", total), *((f"delay {name}", lambda rows, name=name: delay_s(rows[name])) for name in TCP),
    *((f"page {name}", page_p95(name)) for name in WEB), ("worst user", lambda rows: min(rows[name].base.worst_user or 0 for name in TCP))]


def pair_of(by_seed: BySeed, pair: tuple[Case, Case], value_of: Value) -> tuple[float, Difference] | None:
    """Mean of the first case, and the difference of the second one; None with one seed, or where a run has no value."""
    a, b = ([value_of(runs[case]) for runs in by_seed.values()] for case in pair)
    if len(by_seed) < 2 or None in a or None in b:
        return None
    return mean(one for one in a if one is not None), difference.of_values(a, b, True)  # type: ignore[arg-type]


def pair_cell(found: tuple[float, Difference] | None, chance: float) -> str:
    """In per cent, with the interval of 95 %; in brackets if Holm's correction leaves it open."""
    if found is None or not found[0]:
        return page.NONE
    of, step = found
    low, high = (step.mean if limit is None else limit for limit in (step.low, step.high))
    text = f"{100 * step.mean / of:+.0f} ({100 * low / of:+.0f} to {100 * high / of:+.0f})"
    return text if chance < difference.LEVEL else f"[{text}]"


def pairs_table(by_seed: BySeed, has_sack: bool) -> Table:
    both = Case(Q_BOTH, has_sack)
    others = [case for case in SCHEMES if case.has_sack == has_sack and case.scheme != Q_BOTH]
    found = [[pair_of(by_seed, (case, both), value_of) for _, value_of in COMPARED] for case in others]
    known = [pair[1].p for row in found for pair in row if pair]
    chances = iter(difference.holm(known))
    rows = [[case.scheme, *(pair_cell(pair, next(chances) if pair else 1.0) for pair in row)] for case, row in zip(others, found, strict=True)]
    return Table(f"q-both less each other scheme, {words_of(has_sack)}: per cent of the other's mean, with the interval of 95 % of the pairs of "
                 f"{page.plural(len(by_seed), 'seed')}; [open] where p, by Holm over the table, is 0.05 or more.",
                 ["less", *(title for title, _ in COMPARED)], rows, "pairs-sack" if has_sack else "pairs")


def rates_table(by_seed: BySeed) -> Table:
    """The published measure, which unequal service raises, beside what users wait for."""
    looks = [("mean of page rates kbit/s", lambda row: row.base.page_mean_kbps, 1), ("mean page time s", lambda row: row.page_mean_s, 1),
             ("page p95 s", lambda row: row.base.page_p95_s, 0), ("worst user", lambda row: row.base.worst_user, 2)]
    rows = [[case.name, *(of_classes(by_seed, case, WEB, (value_of, digits)) for _, value_of, digits in looks)] for case in SCHEMES]
    return Table(f"thp2 / thp3. Medians over {page.plural(len(by_seed), 'seed')}.", ["queues", *(title for title, _, _ in looks)], rows, "rates")


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
    return [goals_table(by_seed), pairs_table(by_seed, False), pairs_table(by_seed, True), rates_table(by_seed)]


# --- plots ---

WIDTH = 0.13
SHOWN = ("none", "red", "ecn", "clamp", "q", "q-both")
VALUES: list[tuple[str, str, str, tuple[str, ...], Value]] = [
    ("delay", "End-to-end delay, 95th percentile", "s", TCP, lambda row: row.base.delay_p95_s),
    ("pages", "Page time, 95th percentile", "s", WEB, lambda row: row.base.page_p95_s),
    ("worst", "The worst user's goodput by the mean", "", TCP, lambda row: row.base.worst_user),
    ("drops", "Dropped N-PDUs for each sent", "", TCP, lambda row: row.dropped),
]


def plots(by_seed: BySeed) -> list[Plot]:
    made = [bars(by_seed, value, has_sack) for value in VALUES for has_sack in (False, True)]
    return made + [shares(by_seed, name, has_sack) for name in TCP for has_sack in (False, True)]


def shown(has_sack: bool) -> list[Case]:
    return [case for case in SCHEMES if case.has_sack == has_sack and case.scheme in SHOWN]


def words_of(has_sack: bool) -> str:
    return "SACK and timestamps" if has_sack else "NewReno"


def bars(by_seed: BySeed, value: tuple, has_sack: bool) -> Plot:
    name, title, unit, classes, value_of = value
    cases = shown(has_sack)
    return bars_of.grouped(
        (f"own-{name}{'-sack' if has_sack else ''}", f"{title}, {words_of(has_sack)}", unit,
         f"Medians over {len(by_seed)} seeds."),
        classes, [case.scheme for case in cases],
        lambda group, index: known(by_seed, cases[index], lambda rows: value_of(rows[classes[group]])),
        bars_of.Style(WIDTH, has_lines=True))


def shares(by_seed: BySeed, name: str, has_sack: bool) -> Plot:
    """Goodputs of the users of all seeds, in order."""
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    for index, case in enumerate(shown(has_sack)):
        rates = sorted(rate for runs in by_seed.values() for rate in runs[case][name].users_kbps)
        axes.plot(rates, [(place + 1) / len(rates) for place in range(len(rates))], color=draw.COLOURS[index], label=case.scheme)
    axes.set_ylim(0, 1)
    draw.finish(axes, "goodput of a user (kbit/s)", "share of users")
    return Plot(figure, f"own-users-{name}{'-sack' if has_sack else ''}", f"Goodputs of the users of {name}, {words_of(has_sack)}",
                f"All users of {len(by_seed)} seeds; a steep line is equal service.")
