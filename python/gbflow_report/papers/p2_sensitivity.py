# SPDX-License-Identifier: BSD-3-Clause
"""P2: each thing that the paper leaves open, varied alone over the range that the scenario states: what becomes of
signs and orders of the analysis.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from gbflow_report.papers import p2, verdict
from gbflow_report.papers.measures import Measure, Outcomes, mean, of_seeds, pick_of
from gbflow_report.papers.p2 import CELLS, GPRS, Case
from gbflow_report.papers.verdict import Variation, plain

NAME = "P2-sensitivity"
PAPER = p2
COLUMNS = [("rate_two_kbps", "2 slots kbit/s", 1), ("rate_three_kbps", "3 slots kbit/s", 1),
           ("setup_alone_s", "set-up s", 2), ("setup_background_s", "background s", 2),
           ("loss_access_percent", "access lost %", 2), ("goodput_kbps", "goodput kbit/s", 1),
           ("mss_gain_percent", "MSS %", 1), ("window_gain_percent", "window %", 1), ("sack_gain_percent", "SACK %", 1)]
CAPTION = ("channel rates of two and three timeslots, set-up without and with background traffic, losses behind the "
           "monitor, goodput of connections above 32 kB, and the gains of a high MSS, a medium window and SACK")
of_cells = partial(verdict.of_cells, [f"cells[{cell}]" for cell in range(1, CELLS + 1)])
BASE = Variation("as-assumed", "(as assumed)", "")
VARIATIONS = [
    BASE,
    of_cells("block errors", "bler", "2 %"), of_cells("block errors", "bler", "10 %"),
    of_cells("delay of BSC and mobile", "processing", "150 ms"),
    of_cells("delay of BSC and mobile", "processing", "300 ms"),
    plain("delay to the server", "network.server_delay", "10 ms"),
    plain("delay to the server", "network.server_delay", "200 ms"),
    plain("lost in front of the monitor", "network.internet_loss", "0 %"),
    plain("lost in front of the monitor", "network.internet_loss", "0.5 %"),
    plain("lost on Gn", "network.gn_loss", "0 %"), plain("lost on Gn", "network.gn_loss", "1 %"),
    plain("queue of a mobile", "sgsn.queue_limit", "14 kB"), plain("queue of a mobile", "sgsn.queue_limit", "24 kB"),
    plain("smallest window", "tcp.receive_window", "4 KiB"),
    plain("smallest window", "tcp.receive_window", "5840 octets"),
    plain("recovery without SACK", "tcp.recovery", "reno"), plain("recovery without SACK", "tcp.recovery", "time-out"),
]
CASES = {variation: Case(variation.name, settings=variation.settings) for variation in VARIATIONS}
VARIED = list(CASES.values())


def of_variation(outcomes: Mapping[Case, Mapping], variation: Variation) -> Outcomes:
    """Those of one seed, as if they were the paper's case."""
    return {GPRS: outcomes[CASES[variation]]}


MEASURES: dict[str, Measure] = {
    "rate_two_kbps": p2.peak(GPRS, 18e3, 27e3), "rate_three_kbps": p2.peak(GPRS, 29e3, 40e3),
    "setup_alone_s": p2.SETUP_ALONE,
    "setup_background_s": p2.SETUP_BACKGROUND,
    "loss_internet_percent": p2.number_at(GPRS, "loss", "internet", factor=100),
    "loss_access_percent": p2.number_at(GPRS, "loss", "access", factor=100),
    "goodput_kbps": p2.goodput(GPRS, "overall"),
    "mss_gain_percent": p2.compared(p2.goodput(GPRS, "mss_high"), p2.goodput(GPRS, "mss_low"), True),
    "window_gain_percent": p2.compared(p2.goodput(GPRS, "window_medium"),
                                       pick_of(mean, [p2.goodput(GPRS, "window_low"), p2.goodput(GPRS, "window_high")]),
                                       True),
    "sack_gain_percent": p2.compared(p2.goodput(GPRS, "sack"), p2.goodput(GPRS, "no_sack"), True),
}


def figures(runs: Sequence[Outcomes]) -> dict[str, float | None]:
    """Medians; None where a seed has no value."""
    return {name: of_seeds(runs, measure) for name, measure in MEASURES.items()}


# What has to hold, and the words for where it does not.
CHECKS: list[tuple[str, Callable[[Mapping[str, float]], bool], str]] = [
    ("rate_two_kbps", lambda row: 19 < row["rate_two_kbps"] < 25, "two timeslots have no peak near 22 kbit/s"),
    ("rate_three_kbps", lambda row: 31 < row["rate_three_kbps"] < 37, "three timeslots have no peak near 34 kbit/s"),
    ("setup_alone_s", lambda row: row["setup_alone_s"] > 0.9, "the set-up takes less than 0.9 s"),
    ("setup_background_s", lambda row: row["setup_background_s"] > row["setup_alone_s"], "background traffic does not "
     "slow the set-up"), ("loss_access_percent", lambda row: row["loss_access_percent"] > row["loss_internet_percent"],
                          "the Internet loses more than the access"),
    ("goodput_kbps", lambda row: 0.75 < row["goodput_kbps"] / p2.KBPS["overall"] < 1.25,
     "the goodput is not within a quarter of table III"),
    ("mss_gain_percent", lambda row: row["mss_gain_percent"] > 0, "a high MSS gains nothing"),
    ("window_gain_percent", lambda row: row["window_gain_percent"] > 0, "a medium window gains nothing"),
]


def faults(found: Mapping[str, float | None]) -> list[str]:
    known = {name: value for name, value in found.items() if value is not None}
    told = [f"no value of {name}" for name in found if name not in known]
    return told or [words for _, is_held, words in CHECKS if not is_held(known)]
