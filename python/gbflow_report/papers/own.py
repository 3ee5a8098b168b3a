# SPDX-License-Identifier: BSD-3-Clause
"""own: gbflow's own study. P1's scenario with the queue discipline q and lowered TCP windows, beside published
schemes.

This file is the only place where the goals stand. docs/papers/fair-sgsn-queues.md has question, method and results.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import mean
from typing import Any

from gbflow_report import difference, draw, looks, page
from gbflow_report.difference import Difference
from gbflow_report.draw import Plot
from gbflow_report.looks import Look
from gbflow_report.page import Cell, Table
from gbflow_report.papers import measures, own_cases
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.measures import (BySeed, Measure, Value, excess, joined, known_values, largest, middle,
                                           pick_of, ratio, value_in)
from gbflow_report.papers.own_cases import (ECN, EMPTY, LIGHT, NONE, PRIORITY, Q_ONLY, Q_WINDOWS, RED, SCHEMES, TCP,
                                            WEB, Case, Empty, class_value, delay_s, least_of, of_light, over_empty,
                                            seen, total)
from gbflow_report.papers.verdict import IN_BAND, Figure, judge


# --- the study ---

NAME = "own"
TITLE = "Fair queues in a 2G SGSN"
SOURCE = "docs/papers/fair-sgsn-queues.md; the published values are goals, set before the runs"
SCENARIO = "sgsn-aqm.lua"
HAS_SERIES = False
CASES, outcome_of = own_cases.CASES, own_cases.outcome_of
SETUP = ("P1's 110 users and two cells. none, red and ecn: as in P1, one FIFO buffer for each class; codel and pie: "
         "the same buffers, at the best setting of a stated search, and red-best; fq-codel: mobiles take turns, with "
         "FQ-CoDel in each; fq-codel-r: with targets that know the mobile's share; cake: flows in mobiles, with "
         "COBALT; -ecn: with marks. windows: the buffers, with lower TCP windows (queues.pacing). q: "
         "queues.discipline = \"q\"; q-windows: q with lower windows. Hosts: of today, or of 2006, NewReno as in P1 "
         "(-2006). The second user of each class of TCP pings, too. -light: the last user of each class of TCP pings "
         "and loads 10 kB every 15 s, the one before pings and does what all do. empty: no other users of TCP; packets "
         "of 1000 octets measure the path.")


# --- goals ---

MOST = 1e6


IN_BSS = ("it stands in the BSS behind the BSS's priorities, as the BSS announces more than its air carries")
OF_SEGMENTS = ("a window has at least one segment, and each flow of a mobile has one in the queue: case windows, whose "
               "buffers are FIFO, has as long delays")
OF_FLOWS = ("CoDel is one for each flow, of which a page has four: case cake, whose COBALT is, too, has as long "
            "delays; case fq-codel has one for each mobile")
# By the beginning of a row's name: why a goal is missed, and the run that shows it.
CAUSES = {
    "1-loss-streaming": "case codel has its scheme in streaming, too, where it drops one or two N-PDUs in a run",
    "2-delay": OF_SEGMENTS, "7-ping-background": IN_BSS,
    "6-drops-q-windows": "nearly all are repeated segments whose first copy is queued or may still be acknowledged "
                         "(reason duplicate), which costs no air",
    "8-delay": OF_FLOWS,
}


def cause_of(name: str) -> str:
    return next((cause for start, cause in CAUSES.items() if name.startswith(start)), "")


def goal(line: str, case: str, words: tuple[str, str], band: tuple[float, float],
         result: tuple[Measure, str]) -> Figure:
    """words: what and its unit; band: of the goal, open on one side;
    result: the measure, and the cause of a known miss."""
    low, high = band
    text = f"at least {low:g}" if high == MOST else f"at most {high:g}"
    return Figure(f"own-{line}-{case}", words[0], words[1], text, band, result[0], "the goal",
                  result[1] or cause_of(f"{line}-{case}"))


ALL_OCTETS = ("octets of all TCP users by those of none", "times")
Q_DELAYS = (0.65, 1.35, 4.6)
SHORT_DELAYS = (0.65, 0.80, 2.0)
PAGES = (1.08, 0.6, 0.5)  # by those of none, RED and ECN


def rows_of_priority() -> list[Figure]:
    """Line 1: under every scheme."""
    found = [goal("1-delay", name, (f"95th percentile of the delay above that in the empty network, {name}, most of "
                                    "the schemes", "s"), (-MOST, 0.05),
                  (pick_of(largest, [over_empty(case, name, delay_s) for case in SCHEMES]), "")) for name in PRIORITY]
    drops = [goal("1-loss", name, (f"dropped N-PDUs for each sent, {name}, most of the schemes", "times"), (0, 0),
                  (pick_of(largest, [class_value(case, name, seen(looks.DROPPED)) for case in SCHEMES]), ""))
             for name in PRIORITY]
    return [*found, *drops]


def rows_of_delays(line: str, case: Case, goals: Sequence[float]) -> list[Figure]:
    return [goal(f"{line}-delay-{name}", case.name, (f"95th percentile of the delay, {name}", "s"), (0, most),
                 (class_value(case, name, delay_s), ""))
            for name, most in zip(TCP, goals)]


def rows_of_q() -> list[Figure]:
    """Line 8: queues alone."""
    case, none, red = (Case(scheme, True) for scheme in (Q_ONLY, NONE, RED))
    pages = [goal(f"8-page-{name}", case.name, (f"page time p95 of {name} by RED's", "times"), (0, 1),
                  (ratio(case, red, looks.of_class(looks.PAGE, name)), ""))
             for name in WEB]
    octets = goal("8-goodput", case.name, ALL_OCTETS, (0.98, MOST), (ratio(case, none, total), ""))
    return [*rows_of_delays("8", case, Q_DELAYS), *pages, octets]


def rows_of_pages(case: Case) -> list[Figure]:
    """Line 3."""
    others = [Case(scheme, case.is_2006) for scheme in (NONE, RED, ECN)]
    return [goal(f"3-page-{name}-{other.scheme}", case.name,
                 (f"page time p95 of {name} by that of {other.scheme}", "times"), (0, most),
                 (ratio(case, other, looks.of_class(looks.PAGE, name)), "")) for name in WEB
                 for other, most in zip(others, PAGES)]


def rows_of_shares(case: Case) -> list[Figure]:
    """Lines 4 to 6."""
    none = Case(NONE, case.is_2006)
    users = [goal(f"5-user-{name}", case.name, (f"octets of users of {name} by those of none", "times"), (least, MOST),
                  (ratio(case, none, looks.of_class(looks.TOTAL, name)), ""))
             for name, least in zip(TCP, (0.96, 0.96, 1.03))]
    return [goal("4-worst", case.name, ("worst user's goodput by the mean, least of the TCP classes", ""), (0.93, MOST),
                 (least_of(case, seen(looks.WORST)), "")),
            goal("4-jain", case.name, ("Jain's index, least of the TCP classes", ""), (0.99, MOST),
                 (least_of(case, lambda row: row.jain), "")),
            goal("5-goodput", case.name, ALL_OCTETS, (0.99, MOST), (ratio(case, none, total), "")), *users,
            goal("6-drops", case.name, ("dropped N-PDUs for each sent, most of the TCP classes", "times"), (0, 0.02),
                 (pick_of(largest, [class_value(case, name, seen(looks.DROPPED)) for name in TCP]), "")),
            goal("6-repeated", case.name,
                 ("TCP octets that arrived again for each that arrived, most of the TCP classes", "times"), (0, 0.005),
                 (pick_of(largest, [class_value(case, name, lambda row: row.repeated) for name in TCP]), ""))]


def rows_of_light(case: Case) -> list[Figure]:
    """Line 7: light users, and first objects."""
    light = Case(case.scheme, case.is_2006, True)
    found = [goal(f"7-first-{name}", case.name, (f"95th percentile of the time to the first object of a page, {name}",
                                                 "s"), (0, most),
                  (class_value(case, name, seen(looks.FIRST)), "")) for name, most in zip(WEB, (2.0, 6.5))]
    ping = of_light(lambda row: row.ping_p95_s)
    loaded = of_light(lambda row: row.loaded_ping_p95_s)
    for name, more, more_loaded, seconds in zip(TCP, (0.05, 0.08, 1.2), (0.08, 0.10, 0.6), (5, 10, 24)):
        found += [
            goal(f"7-ping-{name}", light.name, (f"ping of a light mobile above the empty network's, p95, {name}", "s"),
                 (-MOST, more), (over_empty(light, name, ping), "")),
            goal(f"7-own-ping-{name}", light.name,
                 (f"ping of a downloading mobile above the empty network's, p95, {name}", "s"), (-MOST, more_loaded),
                 (joined(excess, class_value(light, name, loaded), class_value(EMPTY, name, ping)), "")),
            goal(f"7-object-{name}", light.name, (f"10 kB object, p95, {name}", "s"), (0, seconds),
                 (class_value(light, name, of_light(lambda row: row.object_p95_s)), ""))]
    return [*found, goal("7-lost", light.name, ("pings without an answer, most of the TCP classes", "ratio"), (0, 0),
                         (pick_of(largest, [class_value(light, name, of_light(lambda row: row.lost)) for name in TCP]),
                          ""))]


def rows_of_windows() -> list[Figure]:
    case = Case(Q_WINDOWS, True)
    return [*rows_of_delays("2", case, SHORT_DELAYS), *rows_of_pages(case), *rows_of_shares(case), *rows_of_light(case)]


# They were set for the hosts of 2006.
FIGURES = [*rows_of_priority(), *rows_of_windows(), *rows_of_q()]


# --- tables ---

def looks_of(by_seed: BySeed, case: Case) -> list[str]:
    return [looks.cell(look, TCP, partial(middle, by_seed, case)) for look in looks.LOOKS]


def of_classes(by_seed: BySeed, case: Case | Empty, names: Sequence[str], value_of: Value, digits: int) -> str:
    """A value of each class, between slashes; nothing where no class has one."""
    return looks.joined([middle(by_seed, case, value_in(name, value_of)) for name in names],
                        lambda value: page.fixed(value, digits))


COLUMNS: list[tuple[str, Sequence[str], Value, int]] = [
    ("again on the air", TCP, lambda row: row.repeated, 3),
    ("octets a block", TCP[:1], lambda row: row.block_octets, 1)]
RATES: list[tuple[str, Value, int]] = [
    ("mean of page rates kbit/s", lambda row: row.page_mean_kbps, 1),
    ("mean page time s", lambda row: row.page_mean_s, 1)]
LIGHT_COLUMNS: list[tuple[str, Value]] = [
    ("ping of a light user p95 s", lambda row: row.ping_p95_s),
    ("ping while downloading p95 s", lambda row: row.loaded_ping_p95_s), ("10 kB p95 s", lambda row: row.object_p95_s)]
OF_CLASSES = "thp2 / thp3 / background"


def medians(by_seed: BySeed) -> str:
    return f"Medians over {page.plural(len(by_seed), 'seed')}."


def cures_table(by_seed: BySeed, is_2006: bool) -> Table:
    rows = [[case.scheme, *looks_of(by_seed, case),
             *(of_classes(by_seed, case, names, value_of, digits) for _, names, value_of, digits in COLUMNS)]
            for case in SCHEMES if case.is_2006 == is_2006]
    return Table(f"{words_of(is_2006)}: {OF_CLASSES}. {medians(by_seed)}",
                 ["queues", *looks.TITLES, *(title for title, *_ in COLUMNS)], rows,
                 "newreno" if is_2006 else "today")


def light_table(by_seed: BySeed) -> Table:
    rows = [[case.name, *(looks.cell(look, TCP, partial(middle, by_seed, case)) for look in looks.LOOKS),
             *(of_classes(by_seed, case, TCP, of_light(value_of), 2) for _, value_of in LIGHT_COLUMNS)]
            for case in (EMPTY, *LIGHT)]
    return Table(f"Light users: {OF_CLASSES}. {medians(by_seed)}",
                 ["queues", *looks.TITLES, *(title for title, _ in LIGHT_COLUMNS)], rows, "light")


# --- q-windows beside each other scheme, by pairs of runs of the same seed ---

def pair_of(by_seed: BySeed, pair: tuple[Case, Case], value_of: Value) -> tuple[float, Difference] | None:
    """Mean of the first case, and the difference of the second one; None with one seed, or where a run has no value."""
    if len(by_seed) < 2:
        return None
    a, b = (measures.whole(value_of(runs[case]) for runs in by_seed.values()) for case in pair)
    return (mean(a), difference.of_values(a, b, True)) if a and b else None


def pair_cell(look: Look, found: tuple[float, Difference] | None, chance: float) -> str:
    """In per cent, or points of a share, with the interval of 95 %; in brackets if Holm's correction leaves it open."""
    of = 1.0 if found and look.is_share else found[0] if found else 0.0
    if found is None or not of:
        return page.NONE
    step = found[1]
    low, high = (step.mean if limit is None else limit for limit in (step.low, step.high))
    text = f"{100 * step.mean / of:+.0f} ({100 * low / of:+.0f} to {100 * high / of:+.0f})"
    return text if chance < difference.LEVEL else f"[{text}]"


def pairs_table(by_seed: BySeed, is_2006: bool) -> Table:
    """A row for each scheme and class; what the classes have together stands in the first one."""
    mine = Case(Q_WINDOWS, is_2006)
    others = [case for case in SCHEMES if case.is_2006 == is_2006 and case.scheme != Q_WINDOWS]
    found = {(case, kind, look.name): pair_of(by_seed, (case, mine), value_of)
             for case in others for look in looks.LOOKS
             for kind, (_, value_of) in zip(TCP, looks.values(look, TCP))}
    chances = dict(zip((key for key, pair in found.items() if pair),
                       difference.holm([pair[1].p for pair in found.values() if pair]), strict=True))
    rows: list[list[Cell | str]] = [
        [f"{case.scheme} {kind}", *(pair_cell(look, found.get((case, kind, look.name)),
                                              chances.get((case, kind, look.name), 1.0)) for look in looks.LOOKS)]
        for case in others for kind in TCP]
    return Table(f"q-windows less each other scheme, {words_of(is_2006)}: per cent of the other's mean, of what is "
                 "dropped or lost points, with the interval of 95 % of the pairs of "
                 f"{page.plural(len(by_seed), 'seed')}; [open] where p, by Holm over the table, is 0.05 or more. The "
                 "total is that of the three classes.",
                 ["less", *(look.name for look in looks.LOOKS)], rows, "pairs-newreno" if is_2006 else "pairs")


def rates_table(by_seed: BySeed) -> Table:
    """The published measure, which unequal service raises, beside what users wait for."""
    rows = [[case.name, *(of_classes(by_seed, case, WEB, value_of, digits) for _, value_of, digits in RATES),
             *looks_of(by_seed, case)] for case in SCHEMES]
    return Table(f"{OF_CLASSES}, rates and means of pages of thp2 / thp3. {medians(by_seed)}",
                 ["queues", *(title for title, *_ in RATES), *looks.TITLES], rows, "rates")


def goal_cell(row: Mapping[str, Any]) -> str:
    """Of verdict.judge()."""
    found = row["measured"]["median"]
    return page.NONE if found is None else f"{found:.3g}" + ("" if row["verdict"] == IN_BAND else ", missed")


def goals_table(by_seed: BySeed) -> Table:
    rows = [[figure.name.removeprefix("own-").replace("-2006", ""), figure.what, figure.unit, str(figure.published),
             goal_cell(judge(NAME, figure, by_seed))] for figure in FIGURES]
    return Table(f"Goals, hosts of 2006; line 1 is of all cases. {medians(by_seed)}",
                 ["goal", "figure", "unit", "wanted", "measured"], rows, "goals")


def tables(by_seed: BySeed) -> list[Table]:
    return [cures_table(by_seed, False), cures_table(by_seed, True), light_table(by_seed)]


def page_tables(by_seed: BySeed) -> list[Table]:
    """Of docs/ alone: the report has a row for each goal."""
    return [goals_table(by_seed), pairs_table(by_seed, False), pairs_table(by_seed, True), rates_table(by_seed)]


# --- plots ---

WIDTH = 0.13
SHOWN = ("none", "red", "ecn", "windows", "q", "q-windows")
VALUES: list[tuple[str, str, str, tuple[str, ...], Value]] = [
    ("delay", "End-to-end delay, 95th percentile", "s", TCP, delay_s),
    ("pages", "Page time, 95th percentile", "s", WEB, seen(looks.PAGE)),
    ("worst", "The worst user's goodput by the mean", "", TCP, seen(looks.WORST)),
    ("drops", "Dropped N-PDUs for each sent", "", TCP, seen(looks.DROPPED)),
]


def plots(by_seed: BySeed) -> list[Plot]:
    made = [bars(by_seed, value, is_2006) for value in VALUES for is_2006 in (False, True)]
    return made + [shares(by_seed, name, is_2006) for name in TCP for is_2006 in (False, True)]


def shown(is_2006: bool) -> list[Case]:
    return [case for case in SCHEMES if case.is_2006 == is_2006 and case.scheme in SHOWN]


def words_of(is_2006: bool) -> str:
    return "Hosts of 2006 (NewReno)" if is_2006 else "Hosts of today"


def bars(by_seed: BySeed, value: tuple, is_2006: bool) -> Plot:
    name, title, unit, classes, value_of = value
    cases = shown(is_2006)
    return bars_of.grouped(
        (f"own-{name}{'-2006' if is_2006 else ''}", f"{title}, {words_of(is_2006)}", unit,
         f"Medians over {len(by_seed)} seeds."),
        classes, [case.scheme for case in cases],
        lambda group, index: known_values(by_seed, cases[index], lambda rows: value_of(rows[classes[group]])),
        bars_of.Style(WIDTH, has_lines=True))


def shares(by_seed: BySeed, name: str, is_2006: bool) -> Plot:
    """Goodputs of the users of all seeds, in order."""
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    for index, case in enumerate(shown(is_2006)):
        rates = sorted(rate for runs in by_seed.values() for rate in runs[case][name].users_kbps)
        axes.plot(rates, [(place + 1) / len(rates) for place in range(len(rates))], color=draw.COLOURS[index],
                  label=case.scheme)
    axes.set_ylim(0, 1)
    draw.finish(axes, "goodput of a user (kbit/s)", "share of users")
    return Plot(figure, f"own-users-{name}{'-2006' if is_2006 else ''}", f"Goodputs of the users of {name}, "
                f"{words_of(is_2006)}", f"All users of {len(by_seed)} seeds; a steep line is equal service.")
