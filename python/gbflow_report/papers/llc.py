# SPDX-License-Identifier: BSD-3-Clause
"""llc: P1 with LLC in acknowledged mode over an RLC that repeats nothing, beside RLC in acknowledged mode.
docs/papers/radio.md has the question and the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report import page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import p1
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.measures import (BySeed, Value, difference, excess, middle, ratio, scaled, smallest, value_in,
                                           whole)
from gbflow_report.papers.p1 import ELASTIC, KINDS, OfClass
from gbflow_report.papers.verdict import Figure
from gbflow_results.files import Series, number, pick


# --- the study ---

NAME = "llc"
TITLE = "LLC in acknowledged mode over lossy RLC"
SOURCE = "docs/papers/radio.md; nothing is published, so rows are formulas, or bands that were set after a first run"
SCENARIO = p1.SCENARIO
HAS_SERIES = False
SECONDS = 300
SETUP = (f"P1's scenario for {SECONDS} s in place of 1000 s. rlc: RLC repeats blocks, LLC repeats nothing, "
         "as in P1. neither: neither of them repeats. llc: RLC repeats nothing, and the links of the users of THP2, "
         "THP3 and background are in LLC's acknowledged mode. none: no AQM. red: RED as in P1. ewa: explicit window "
         "adaptation, as published, in a buffer of 45 kB, where RED drops all; ewa-1mb: in "
         "one of 1 MB, the limit of P1's queues. share: gbflow's own windows, by shares.")

# Octets of an RLC block and a half of MCS-7, and of an I frame's header and FCS.
BLOCK_OCTETS, FRAME_OCTETS = 112, 12
N201_I, N_PDU_OCTETS = 200, 1040
# k covers a window of TCP; T200 is longer than the BSS's queue; N200 is the most there is.
BOUNDS = f'{{ n201_i = "{N201_I} octets", t200 = "2 s", n200 = 15, k_down = 32, k_up = 16 }}'
USERS = [f"{KINDS[name][0]}{number}" for name in ELASTIC for number in range(1, KINDS[name][1] + 1)]
ACKNOWLEDGED = [f"sgsn.acknowledged={BOUNDS}", *(f"mobiles.{user}.{setting}" for user in USERS
                                                 for setting in ("llc=acknowledged", f"acknowledged={BOUNDS}"))]
LAYERS = {"rlc": ("acknowledged", []), "neither": ("unacknowledged", []), "llc": ("unacknowledged", ACKNOWLEDGED)}
WINDOWS = 'sgsn.queues.pacing={{ classes = {{ "thp2", "thp3", "background" }}, window = "{}", buffer = "{}" }}'
SCHEMES: dict[str, list[str]] = {"none": p1.NONE.settings, "red": p1.RED.settings,
                                 "ewa": [WINDOWS.format("ewa", "45 kB")], "ewa-1mb": [WINDOWS.format("ewa", "1 MB")],
                                 "share": [WINDOWS.format("share", "45 kB")]}
# Without repetitions below TCP there is hardly a queue.
PLAYED = {"rlc": tuple(SCHEMES), "neither": ("none", "red"), "llc": tuple(SCHEMES)}
BLERS = (2, 10)  # %


@dataclass(frozen=True, order=True)
class Case:
    """Who repeats, at a rate of block errors, and what the SGSN's queues do."""

    layer: str
    bler: int
    scheme: str = "none"

    @property
    def name(self) -> str:
        return f"{self.layer}-{self.bler}-{self.scheme}"

    @property
    def settings(self) -> list[str]:
        mode, more = LAYERS[self.layer]
        cells = [f"{cell}.{setting}" for cell in p1.CELLS for setting in (f"rlc={mode}", f"bler={self.bler} %")]
        return [f"duration={SECONDS} s", *cells, *more, *SCHEMES[self.scheme]]


CASES = [Case(layer, bler, scheme) for bler in BLERS for layer in LAYERS for scheme in PLAYED[layer]]


# --- from summaries ---

@dataclass(frozen=True)
class Outcome:
    """One run. classes: those with TCP."""

    classes: Mapping[str, OfClass]
    sojourn_p95_s: Mapping[str, float | None]  # in the SGSN, by class
    total_kbps: float  # of the classes with TCP
    dropped: int  # N-PDUs of them, in the SGSN
    repeated: float | None  # I frames of the downlink that repeat one, by all
    gb: float | None  # share of the Gb link's rate that was used


def repeated_of(summary: Mapping[str, Any]) -> float | None:
    """A frame was received or is repeated, but for the few that are on their way. None without acknowledged mode."""
    if not summary.get("acknowledged"):
        return None
    repeated = sum(row["repeated"] for row in summary["acknowledged"])
    sent = repeated + summary["acknowledged_mobiles"]["received"]
    return repeated / sent if sent else None


def outcome_of(summary: Mapping[str, Any], series: Series) -> Outcome:
    classes, rows = p1.outcome_of(summary, series), {name: summary["classes"][name] for name in ELASTIC}
    return Outcome({name: classes[name] for name in ELASTIC},
                   {name: number(row, "sojourn_s", "p95") for name, row in rows.items()},
                   sum(row["goodput_bps"]["total"] for row in rows.values()) / 1000,
                   sum(sum(pick(row, "drops").values()) for row in rows.values()), repeated_of(summary),
                   number(summary, "gb", "utilisation"))


# --- measures ---


def page_kbps(run: Outcome) -> float | None:
    return p1.page_rate_kbps(run.classes)


def delay_s(name: str) -> Value:
    return lambda run: run.classes[name].delay_p95_s


def sojourn_s(name: str) -> Value:
    return lambda run: run.sojourn_p95_s[name]


def behind_s(run: Outcome) -> float | None:
    """Of the delay of THP2, what the SGSN's queue is not: the 95th percentiles' difference."""
    return excess(delay_s("thp2")(run), sojourn_s("thp2")(run))


def worst(run: Outcome) -> float | None:
    """The least share of all classes."""
    return smallest(row.worst_user for row in run.classes.values())


# --- formulas ---

def lost(bler: int, octets: float) -> float:
    """Share of LLC frames with a bad block. Frames follow each other without a gap: n octets are in 1 + n /
    BLOCK_OCTETS blocks."""
    return 1 - (1 - bler / 100) ** (1 + octets / BLOCK_OCTETS)


def capacity(bler: int) -> float:
    """Octets of users that the blocks carry with LLC's repetitions, by those with RLC's."""
    parts = -(-N_PDU_OCTETS // N201_I)
    headers = (N_PDU_OCTETS + FRAME_OCTETS) / (N_PDU_OCTETS + parts * FRAME_OCTETS)
    return headers * (1 - lost(bler, N_PDU_OCTETS / parts + FRAME_OCTETS)) / (1 - bler / 100)


# --- figures ---

AFTER = "set after a first run"


def formula_rows(bler: int) -> list[Figure]:
    most = round(110 * lost(bler, N201_I + FRAME_OCTETS), 2)
    least = round(100 * lost(bler, N_PDU_OCTETS % N201_I + FRAME_OCTETS), 2)
    share = round(capacity(bler), 3)
    return [
        Figure(f"llc-repeated-{bler}", f"I frames that are repetitions at a BLER of {bler} %", "%", f"{least:g} to "
               f"{most:g}", (least, most), value_in(Case("llc", bler), lambda run: scaled(run.repeated, 100)), "1 "
               "- (1 - BLER)^blocks, of an N-PDU's last segment "
               "and of a full one; a tenth more, as T200 repeats frames that are not lost"),
        Figure(f"llc-capacity-{bler}", f"octets of TCP with LLC's repetitions by those with RLC's at {bler} %",
               "times", share, (round(0.8 * share, 3), round(1.05 * share, 3)),
               ratio(Case("llc", bler), Case("rlc", bler), lambda run: run.total_kbps), "what the blocks carry; a "
               "fifth less, as the Gb link carries each repetition and a header for each frame, and 5 % more"),
    ]


def rows_of(bler: int) -> list[Figure]:
    """At one rate of block errors."""
    neither, llc, red, ewa = (Case("neither", bler), Case("llc", bler), Case("llc", bler, "red"),
                              Case("llc", bler, "ewa"))
    return [
        *formula_rows(bler),
        Figure(f"llc-worst-{bler}", f"worst user's share of the mean, llc less neither, {bler} %", "",
               "more than 0", (0.05, 1), difference(llc, neither, worst), "losses of radio starve single flows of TCP"),
        Figure(f"llc-red-{bler}", f"delay of THP2 with LLC's repetitions, none by RED, {bler} %",
               "times", "more than 1", (1.2, 6.25), ratio(llc, red, delay_s("thp2")),
               "RED reads the SGSN's queue, which LLC's repetitions make longer; " + AFTER),
        Figure(f"llc-behind-{bler}", f"delay of THP2 behind the SGSN's queue with RED, llc by rlc, {bler} %",
               "times", "more than 1", (1.5, 30), ratio(red, Case("rlc", bler, "red"), behind_s),
               "a frame that is lost waits for a report or T200 after it has left the queue; " + AFTER),
        Figure(f"llc-ewa-drops-{bler}", f"drops in the SGSN with LLC's repetitions, ewa by red, {bler} %", "times",
               "windows in place of drops", (0, 0.01), ratio(ewa, red, lambda run: run.dropped),
               "the least window of all flows together is less than the queues' limit"),
        Figure(f"llc-ewa-delay-{bler}", f"delay of THP2 with LLC's repetitions, none by ewa, {bler} %", "times",
               "more than 1", (1.2, 6.25), ratio(llc, ewa, delay_s("thp2")), "as for RED; " + AFTER),
        Figure(f"llc-ewa-worst-{bler}",
               f"worst user's share of the mean with LLC's repetitions, ewa less red, {bler} %", "", "more than 0",
               (0.1, 1), difference(ewa, red, worst), "all flows of a queue have the same window; " + AFTER),
        Figure(f"llc-ewa-buffer-{bler}", f"delay of THP2 with LLC's repetitions, ewa-1mb by none, {bler} %", "times",
               "about 1", (0.75, 1.25), ratio(Case("llc", bler, "ewa-1mb"), llc, delay_s("thp2")),
               "the queue stays below the marks of a buffer that TCP does not fill; " + AFTER),
    ]


FIGURES = [
    *(figure for bler in BLERS for figure in rows_of(bler)),
    Figure("llc-neither-10", "page rates at a BLER of 10 % with no repetition below TCP, by those with RLC's", "times",
           "TCP does not get through",
           (0, 0.1), ratio(Case("neither", 10), Case("rlc", 10), lambda run: page_kbps(run) or 0),
           f"of packets of {N_PDU_OCTETS} octets {100 * lost(10, N_PDU_OCTETS):.0f} % are lost"),
]


# --- tables and plots ---

COLUMNS: list[tuple[str, Value, int]] = [
    *((f"delay {name} s", delay_s(name), 2) for name in ELASTIC),
    *((f"in the SGSN {name} s", sojourn_s(name), 2) for name in ELASTIC),
    ("pages kbit/s", page_kbps, 1), ("octets kbit/s", lambda run: run.total_kbps, 0),
    ("dropped", lambda run: run.dropped, 0), ("repeated %", lambda run: scaled(run.repeated, 100), 1),
    ("Gb %", lambda run: scaled(run.gb, 100), 0), ("worst user", worst, 2),
]


def table_of(by_seed: BySeed, bler: int) -> Table:
    cases = [case for case in CASES if case.bler == bler]
    rows = [[f"{case.layer} {case.scheme}",
             *(page.fixed(middle(by_seed, case, value_of), digits) for _, value_of, digits in COLUMNS)]
            for case in cases]
    return Table(f"BLER {bler} %. Delays and times in the SGSN are 95th percentiles. Medians over "
                 f"{page.plural(len(by_seed), 'seed')}.",
                 ["who repeats, queues", *(title for title, _, _ in COLUMNS)], rows, f"llc-{bler}")


def tables(by_seed: BySeed) -> list[Table]:
    return [table_of(by_seed, bler) for bler in BLERS]


SHOWN: list[tuple[str, str, str, Value]] = [
    ("llc-delay", "Delay of THP2, 95th percentile", "s", delay_s("thp2")),
    ("llc-sojourn", "Time of THP2 in the SGSN, 95th percentile", "s", sojourn_s("thp2")),
    ("llc-octets", "Octets of TCP", "kbit/s", lambda run: run.total_kbps),
]
BAR = 0.16


def plots(by_seed: BySeed) -> list[Plot]:
    return [bars(by_seed, *row) for row in SHOWN]


def bars(by_seed: BySeed, name: str, title: str, unit: str, value_of: Value) -> Plot:
    """A group for each rate of block errors and who repeats, a bar for each scheme."""
    groups, schemes = [(layer, bler) for bler in BLERS for layer in LAYERS], list(SCHEMES)

    def values_of(group: int, index: int) -> list[float]:
        case = Case(*groups[group], schemes[index])
        return whole(value_of(runs[case]) for runs in by_seed.values()) or [] if case in CASES else []
    return bars_of.grouped((name, title, unit, f"Who repeats, and the BLER. Medians over {len(by_seed)} seeds."),
                           [f"{layer}, {bler} %" for layer, bler in groups], schemes, values_of, bars_of.Style(BAR))
