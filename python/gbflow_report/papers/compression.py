# SPDX-License-Identifier: BSD-3-Clause
"""compression: what SNDCP's compression of headers (RFC 1144) and data (V.42bis) is worth beside queues.
docs/papers/compression.md has the question and the answer.
"""

from gbflow_report import page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers import plots as bars_of
from gbflow_report.papers.compression_cases import (BOTH, CASES, HEADERS, PLAIN, POINTS, SECONDS, WARMUP, Case,
                                                    Outcome, Saved, outcome_of)
from gbflow_report.papers.measures import (BySeed, Measure, Outcomes, Value, excess, middle, quotient, ratio, scaled,
                                           value_in, whole)
from gbflow_report.papers.p1 import SCENARIO
from gbflow_report.papers.verdict import REGRESSION, Figure

__all__ = ["CASES", "SCENARIO", "Outcome", "Saved", "outcome_of"]


# --- the study ---

NAME = "compression"
TITLE = "Compression of headers and data by SNDCP, beside queues"
SOURCE = ("docs/papers/compression.md; no study is published of compression beside AQM, so bands were set after a "
          "first run")
HAS_SERIES = False
SETUP = (f"Each run takes {SECONDS} s, of which {WARMUP} s do not count. plain: nothing is compressed. rfc1144, "
         "v42bis, both: all users of TCP offer headers by RFC 1144 with 16 slots, data by V.42bis with 2048 codewords "
         "and strings of 20 octets, or both, each way. none: no AQM. red, fq-codel: as in P1, and in the study own. "
         "fq-codel-rfc: as its RFC has it. q: queues.discipline = \"q\"; q-windows: with lowered windows. "
         "-ecn: with ECN. "
         + " ".join(f"{name}: {point.what}." for name, point in POINTS.items()))


# --- measures ---

def total_kbps(run: Outcome) -> float:
    return run.total_kbps


def page_s(run: Outcome) -> float | None:
    return run.page_p50_s


def blocks(run: Outcome) -> float | None:
    return run.up_blocks_per_kb


def saved(way: str) -> Value:
    """Per cent of the octets of N-PDUs."""
    def value(run: Outcome) -> float | None:
        found: Saved | None = getattr(run, way)
        return found.percent if found else None
    return value


def whole_headers(way: str) -> Value:
    """Per cent of N-PDUs."""
    def value(run: Outcome) -> float | None:
        found: Saved | None = getattr(run, way)
        return scaled(found.whole, 100) if found else None
    return value


Column = tuple[str, Value, int]
FIRST: list[Column] = [("total kbit/s", total_kbps, 0), ("delay p95 s", lambda run: run.delay_p95_s, 2)]
DROPPED: Column = ("dropped", lambda run: run.dropped, 0)
SAVED: list[Column] = [("saved up %", saved("up"), 1), ("saved down %", saved("down"), 1)]
COLUMNS: list[Column] = [
    *FIRST, ("page p50 s", page_s, 1), ("page p95 s", lambda run: run.page_p95_s, 1),
    ("uplink blocks per kB", blocks, 2), DROPPED, ("not restored", lambda run: run.lost, 0), *SAVED]
ECN_COLUMNS: list[Column] = [
    *FIRST, DROPPED, ("marked", lambda run: run.marked, 0), ("whole headers up %", whole_headers("up"), 1),
    ("whole headers down %", whole_headers("down"), 1), *SAVED]


# --- rows ---

BY_PLAIN: dict[str, tuple[str, Value]] = {"total": ("goodput of all users of TCP", total_kbps),
                                          "page": ("median of page times", page_s),
                                          "blocks": ("uplink blocks for a kilobyte", blocks)}
ALONE: dict[str, tuple[str, Value]] = {"saved-up": ("octets saved on the uplink", saved("up")),
                                       "saved-down": ("octets saved on the downlink", saved("down")),
                                       "whole-down": ("whole headers on the downlink", whole_headers("down"))}
AFTER = "set after a first run"
# Point, queues and kind; what is measured; its band.
ROWS: list[tuple[str, str, float, float]] = [
    ("p1 none rfc1144", "total", 1.01, 1.08), ("p1 red rfc1144", "total", 1, 1.03),
    ("p1 fq-codel rfc1144", "total", 0.99, 1.02), ("p1 q rfc1144", "total", 0.99, 1.02),
    ("p1 q-windows rfc1144", "total", 1, 1.02),
    ("p1 none rfc1144", "blocks", 0.8, 0.9), ("p1 red rfc1144", "blocks", 0.9, 0.97),
    ("p1 q-windows rfc1144", "blocks", 0.9, 0.97),
    ("p1 none rfc1144", "saved-up", 25, 33), ("p1 red rfc1144", "saved-up", 20, 27),
    ("p1 q rfc1144", "saved-up", 13, 20), ("p1 q-windows rfc1144", "saved-up", 26, 34),
    ("p1 q-windows rfc1144", "saved-down", 2.8, 3.8),
    ("p1-stamps none rfc1144", "saved-up", 6, 13), ("p1-stamps q-windows rfc1144", "saved-up", 0, 1),
    ("p1-stamps q-windows rfc1144", "total", 0.99, 1.01),
    ("p1-ecn red rfc1144", "whole-down", 9, 16), ("p1-ecn red-ecn rfc1144", "whole-down", 60, 78),
    ("p1-ecn fq-codel-ecn rfc1144", "whole-down", 52, 70), ("p1-ecn q-ecn rfc1144", "whole-down", 67, 85),
    ("mss none rfc1144", "total", 1.05, 1.12), ("mss red rfc1144", "total", 1.05, 1.12),
    ("mss q-windows rfc1144", "total", 1.05, 1.12),
    ("cs1 none rfc1144", "page", 0.92, 1), ("cs1 fq-codel-rfc rfc1144", "page", 0.92, 1),
    ("cs1 q-windows rfc1144", "page", 0.92, 1), ("cs1 q-windows rfc1144", "blocks", 0.6, 0.75),
    ("short none rfc1144", "page", 0.86, 0.94), ("short fq-codel-rfc rfc1144", "page", 0.86, 0.94),
    ("short q-windows rfc1144", "page", 0.86, 0.94), ("short q-windows rfc1144", "blocks", 0.6, 0.75),
    ("acks none rfc1144", "total", 1.3, 1.5), ("acks fq-codel-rfc rfc1144", "total", 1.3, 1.5),
    ("acks q-windows rfc1144", "total", 1.3, 1.5), ("acks q-windows rfc1144", "blocks", 0.4, 0.52),
    ("nb-iot q-windows rfc1144", "page", 0.9, 1), ("nb-iot q-windows rfc1144", "blocks", 0.62, 0.77),
    ("random none v42bis", "total", 0.98, 1.02), ("random none v42bis", "saved-down", 0, 0.1),
    ("text none v42bis", "saved-down", 32, 38), ("text-abm none v42bis", "saved-down", 47, 54),
    ("text none both", "total", 1.65, 1.95), ("text red both", "total", 1.45, 1.75),
    ("text q-windows both", "total", 1.45, 1.75),
    ("text-abm none both", "total", 1.9, 2.3), ("text-abm red both", "total", 1.75, 2.1),
    ("text-abm q-windows both", "total", 1.75, 2.1),
    ("cs1-text none both", "page", 0.54, 0.67), ("cs1-text q-windows both", "page", 0.55, 0.69),
    ("cs1-text-abm none both", "page", 0.43, 0.54), ("cs1-text-abm q-windows both", "page", 0.45, 0.57),
]


def figure_of(words: str, name: str, low: float, high: float) -> Figure:
    case, is_alone = Case(*words.split()), name in ALONE
    what, value_of = (ALONE if is_alone else BY_PLAIN)[name]
    measure = value_in(case, value_of) if is_alone else ratio(case, Case(case.point, case.scheme), value_of)
    return Figure(f"compression-{case.name}-{name}",
                  f"{case.point}, {case.scheme}: {what}, {case.kind}" + ("" if is_alone else " by plain"),
                  "%" if is_alone else "times", AFTER, (low, high), measure, POINTS[case.point].what, kind=REGRESSION)


def more_for_a_mark(runs: Outcomes) -> float | None:
    """Whole headers of the downlink that ECN adds to RED's, for each mark."""
    marking, dropping = (runs[Case("p1-ecn", scheme, HEADERS)] for scheme in ("red-ecn", "red"))
    return quotient(scaled(excess(marking.down.whole, dropping.down.whole), marking.down.npdus), marking.marked)


def most_lost(runs: Outcomes) -> float:
    return max(run.lost for run in runs.values())


def regression(name: str, what: str, band: tuple[float, float], measure: Measure, why: str) -> Figure:
    return Figure(f"compression-{name}", what, "", AFTER, band, measure, why, kind=REGRESSION)


FIGURES = [
    *(figure_of(*row) for row in ROWS),
    regression("whole-for-a-mark", "p1-ecn, red-ecn: whole headers on the downlink, beyond those with red, for each "
               "mark", (1.7, 2.7), more_for_a_mark, "two for the mark that comes and goes, and others for CWR"),
    regression("lost", "N-PDUs that could not be restored, most of a run", (0, 0), most_lost,
               "RLC repeats, and the SGSN drops before it compresses"),
]


# --- tables and plots ---

def table_of(by_seed: BySeed, name: str) -> Table:
    columns = ECN_COLUMNS if name == "p1-ecn" else COLUMNS
    rows = [[f"{case.scheme} {case.kind}",
             *(page.fixed(middle(by_seed, case, value_of), digits) for _, value_of, digits in columns)]
            for case in CASES if case.point == name]
    return Table(f"{name}: {POINTS[name].what}. Medians over {page.plural(len(by_seed), 'seed')}.",
                 ["queues, compression", *(title for title, _, _ in columns)], rows, name)


def tables(by_seed: BySeed) -> list[Table]:
    return [table_of(by_seed, name) for name in POINTS]


SHOWN = {"compression-headers": ("Pages with headers by RFC 1144, median", HEADERS,
                                 ("p1", "mss", "cs1", "short", "acks", "nb-iot")),
         "compression-text": ("Pages with text by both, median", BOTH,
                              ("text", "text-abm", "cs1-text", "cs1-text-abm"))}
BAR = 0.2
PLOTTED = ("none", "q-windows")


def plots(by_seed: BySeed) -> list[Plot]:
    return [bars(by_seed, name, *row) for name, row in SHOWN.items()]


def bars(by_seed: BySeed, name: str, title: str, kind: str, points: tuple[str, ...]) -> Plot:
    def values_of(group: int, index: int) -> list[float]:
        case = Case(points[group], PLOTTED[index], kind)
        by_plain = ratio(case, Case(case.point, case.scheme, PLAIN), page_s)
        return whole(by_plain(runs) for runs in by_seed.values()) or []
    words = (name, title, "by that without compression",
             f"Medians over {len(by_seed)} seeds, whiskers their smallest and largest.")
    return bars_of.grouped(words, list(points), PLOTTED, values_of, bars_of.Style(BAR, has_whiskers=True))
