# SPDX-License-Identifier: BSD-3-Clause
"""P1: each thing that the paper leaves open, varied alone over the range that the scenario states, and a little beyond
where the range is said to end: what becomes of the signs and of the order of the schemes.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gbflow_report.papers import p1, verdict
from gbflow_report.papers.measures import Outcomes, of_seeds, smallest, value_in
from gbflow_report.papers.p1 import AQMS, ECN, NONE, RED, SCHEMES
from gbflow_report.papers.verdict import Variation, Varied, plain

NAME = "P1-sensitivity"
PAPER = p1
COLUMNS = [("delay_none_thp2_s", "THP2 s", 1), ("delay_none_thp3_s", "THP3 s", 1),
           ("delay_none_background_s", "background s", 1),
           ("least_cut_thp2", "THP2 cut by", 1), ("least_cut_thp3", "THP3 cut by", 1),
           ("page_rate_red_percent", "RED %", 0),
           ("page_rate_ecn_percent", "ECN %", 0), ("delay_priority_s", "priority s", 2)]
CAPTION = ("95th percentiles of the delay without AQM, the least factor by which one of the four schemes cuts it, page "
           "rates against none, the largest delay of streaming and THP1")
PRIORITY_S = 0.5
CELLS = ("cells[1]", "cells[2]")
STREAMS = tuple(f"mobiles.stream{index}.traffic[1].cbr" for index in range(1, 6))


def cells(*settings: str) -> tuple[str, ...]:
    return tuple(f"{cell}.{setting}" for cell in CELLS for setting in settings)


def slot(octets: int, is_beyond: bool = False, bler_percent: int = 10) -> Variation:
    kbps = octets * 8 * 50 * (100 - bler_percent) / 100e3
    settings = cells(f"block_octets={octets}", f"bler={bler_percent} %")
    what = "rate of a slot" if bler_percent == 10 else "block errors, at the same rate of a slot"
    value = f"{kbps:.0f} kbit/s" if bler_percent == 10 else f"{bler_percent} %"
    return Variation(f"slot{octets}-bler{bler_percent}", what, value, settings, is_beyond)


def bss(stop_kb: int, is_beyond: bool = False) -> Variation:
    return Variation(f"bss{stop_kb}", "octets in the BSC", f"{stop_kb} kB", cells(
        f"flow_control.thresholds={{ stop = \"{stop_kb} kB\", go = \"{stop_kb * 3 // 4} kB\" }}"), is_beyond)


def burst(length: str) -> Variation:
    settings = tuple(f"{stream}.{key}={length}" for stream in STREAMS for key in ("burst", "pause"))
    return Variation(f"burst-{length.replace(' ', '')}", "length of a streaming burst", length, settings)


of_cells = partial(verdict.of_cells, CELLS)
BASE = Variation("as-assumed", "(as assumed)", "")
VARIATIONS = [
    BASE,
    slot(74, True), slot(100), slot(124), slot(140, True),
    slot(106, bler_percent=5), slot(126, bler_percent=20),
    of_cells("timeslots of a mobile", "downlink_slots", "2", True),
    of_cells("timeslots of a mobile", "downlink_slots", "3"), bss(20), bss(60),
    bss(120, True), of_cells("bucket of a cell", "flow_control.bvc.bucket", "10 kB"),
    of_cells("bucket of a cell", "flow_control.bvc.bucket", "40 kB"),
    of_cells("bucket of a mobile", "flow_control.ms_default.bucket", "5 kB"),
    of_cells("bucket of a mobile", "flow_control.ms_default.bucket", "20 kB"), burst("0.5 s"), burst("10 s"),
    plain("delay to the server", "network.server_delay", "10 ms"),
    plain("delay to the server", "network.server_delay", "150 ms"),
    plain("LLC lifetime", "sgsn.lifetime.sgsn_max", "24 s"), plain("LLC lifetime", "sgsn.lifetime.sgsn_max", "42 s"),
    plain("buffer of a mobile", "sgsn.queue_limit", "200 kB"), plain("buffer of a mobile", "sgsn.queue_limit", "4 MB"),
    plain("N201-U", "sgsn.n201_u", "500 octets"),
    plain("MSS", "tcp.mss", "536 octets"), plain("MSS", "tcp.mss", "1460 octets"),
    plain("TCP window", "tcp.receive_window", "10 kB"), plain("TCP window", "tcp.receive_window", "64 kB"),
    plain("initial window", "tcp.initial_cwnd", "2"), plain("initial window", "tcp.initial_cwnd", "4"),
    plain("segments for an ACK", "tcp.delayed_ack.every", "2"),
    plain("first RTO", "tcp.initial_rto", "1 s"), plain("first RTO", "tcp.initial_rto", "6 s"),
]
VARIED = [Varied(variation, case) for variation in VARIATIONS for case in SCHEMES]


def of_variation(outcomes: Mapping[Varied, p1.Outcome], variation: Variation) -> Outcomes:
    """Those of one seed, by scheme."""
    return {case: outcomes[Varied(variation, case)] for case in SCHEMES}


def least_cut(runs: Sequence[Outcomes], name: str) -> float | None:
    return smallest(of_seeds(runs, p1.cut(case, name)) for case in AQMS)


def figures(runs: Sequence[Outcomes]) -> dict[str, float | None]:
    """What signs and order are judged by."""
    return {
        **{f"delay_none_{name}_s": of_seeds(runs, value_in(NONE, p1.delay_s(name))) for name in p1.ELASTIC},
        "least_cut_thp2": least_cut(runs, "thp2"),
        "least_cut_thp3": least_cut(runs, "thp3"),
        "page_rate_red_percent": of_seeds(runs, p1.gain(RED, NONE)),
        "page_rate_ecn_percent": of_seeds(runs, p1.gain(ECN, NONE)),
        "page_rate_ecn_by_red_percent": of_seeds(runs, p1.gain(ECN, RED)),
        "delay_priority_s": of_seeds(runs, p1.longest(("streaming", "thp1"))),
    }


# What has to hold of a figure, and the words for where it does not.
CHECKS: list[tuple[str, Callable[[float], bool], str]] = [
    ("least_cut_thp2", lambda value: value > 1, "a scheme does not cut the delay of THP2"),
    ("least_cut_thp3", lambda value: value > 1, "a scheme does not cut the delay of THP3"),
    ("page_rate_red_percent", lambda value: value > 0, "page rates with RED are not above none"),
    ("page_rate_ecn_percent", lambda value: value > 0, "page rates with ECN are not above none"),
    ("page_rate_ecn_by_red_percent", lambda value: value > 0, "page rates with ECN are not above RED"),
    ("delay_priority_s", lambda value: value < PRIORITY_S, "streaming or THP1 is harmed by load"),
]


def faults(found: Mapping[str, float | None]) -> list[str]:
    """Where signs or the order do not hold."""
    told = []
    for name, is_held, words in CHECKS:
        value = found[name]
        if value is None or not is_held(value):
            told.append(words if value is not None else f"{words} (no value)")
    delays = [found[f"delay_none_{name}_s"] for name in ("thp2", "thp3", "background")]
    if None in delays or sorted(delays) != delays:  # type: ignore[type-var]
        told.append("delays without AQM do not follow the classes")
    return told
