# SPDX-License-Identifier: BSD-3-Clause
"""P2: the passive analysis of TCP over GPRS.

Populations with the paper's mix of TCPs are played, captured at Gi and analysed. This file is the only place where the
paper's figures and their bands stand.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.measures import (BySeed, Measure, Outcomes, excess, joined, mean, near, percent_more, pick_of,
                                           quotient, scaled)
from gbflow_report.papers.verdict import FITTED, INPUT, SIGN, Figure, of_kind
from gbflow_results import bounded, files
from gbflow_results.files import number, pick


# --- cases ---

CELLS = 20
BULK_OCTETS = 32000
# Half of the readers are in cells with two timeslots for a mobile, the odd ones;
# of the even ones so many have SACK in case terminals.
READERS, THREE_SLOTS_SACK = 120, 37
PEAK_PDCHS = 2  # of a cell, for each slot of a mobile; 20 off the peak


@dataclass(frozen=True, order=True)
class Case:
    """scenario: in place of the population's; hour: at which the capture begins."""

    name: str
    scenario: str = ""
    settings: tuple[str, ...] = ()
    hour: int = 3

    @property
    def results(self) -> list[str]:
        return ["summary.json", "analysis.json", "connections.csv", "gi.truth.json"]

    @property
    def scratch(self) -> list[str]:
        return ["gi.pcapng"]

    def commands(self, run: Sequence[str], folder: Path, _: int) -> list[list[str]]:
        analyze = ["analyze", str(folder / "gi.pcapng"), "--json", str(folder / "analysis.json"), "--connections",
                   str(folder / "connections.csv"), "--set", f"utc_offset_h={self.hour}", "--no-report"]
        return [[*run, "--pcap=gi"], analyze]

    def read(self, folder: Path) -> Mapping[str, Any]:
        found = files.read_json(folder / "analysis.json")
        rows = folder / "connections.csv"
        return {**found, "bulk_bottleneck": bottleneck(rows, BULK_OCTETS), "bottleneck": bottleneck(rows, 0),
                "truth": true_losses(files.read_json(folder / "gi.truth.json"))}


def side_of(row: Mapping[str, str]) -> str:
    """As the analysis has it for all connections."""
    access, internet = int(row["access_lost"]), int(row["internet_lost"])
    return "none" if access + internet == 0 else "access" if access >= internet else "internet"


def bottleneck(path: Path, octets: int) -> dict[str, float]:
    """Shares of the connections with more than so many octets."""
    sides = [side_of(row) for row in csv.DictReader(bounded.lines(path)) if int(row["payload_octets"]) > octets]
    return {side: sides.count(side) / len(sides) for side in ("none", "access", "internet")} if sides else {}


def true_losses(truth: Mapping[str, Any]) -> dict[str, float]:
    """Shares of the segments lost on either side, as the simulation counts them."""
    sent, passed, internet, access = (sum(row[name] for row in truth["connections"])
                                      for name in ("sent", "passed", "internet_lost", "access_lost"))
    return {"internet": internet / sent, "access": access / passed} if sent and passed else {}


def terminals() -> tuple[str, ...]:
    """Readers with SACK have three timeslots more often than those without: of each kind of terminal THREE_SLOTS_SACK
    or the rest."""
    settings = []
    for reader in range(1, READERS + 1):
        rank, share = (reader - 1) // 2, THREE_SLOTS_SACK if reader % 2 == 0 else READERS // 2 - THREE_SLOTS_SACK
        has_sack = (rank + 1) * share // (READERS // 2) > rank * share // (READERS // 2)
        settings.append(f"mobiles.reader{reader}.traffic[1].web.tcp.sack={str(has_sack).lower()}")
    return tuple(settings)


GPRS = Case("gprs")
# The same users and voice calls that leave fewer channels.
PEAK = Case("peak",
            settings=tuple(f"cells[{cell}].pdchs={PEAK_PDCHS * (2 + (cell - 1) % 2)}" for cell in range(1, CELLS + 1)),
            hour=10)
FEW_LOSSES = Case("few-losses", settings=("sgsn.queue_limit=70 kB", "network.gn_loss=0 %",
                                          "sgsn.lifetime.sgsn_max=40 s"))
MANY_LOSSES = Case("many-losses", settings=("sgsn.queue_limit=16 kB", "network.gn_loss=1 %"))
TIMEOUTS = Case("timeouts", settings=("tcp.recovery=time-out", "network.gn_loss=2 %"))
TERMINALS = Case("terminals", settings=terminals())
DIALUP = Case("dialup", "dialup-population.lua")
CASES = [GPRS, PEAK, FEW_LOSSES, MANY_LOSSES, TIMEOUTS, TERMINALS, DIALUP]


# --- the paper and its figures ---

NAME = "P2"
TITLE = "Passive analysis of TCP over GPRS"
SOURCE = ("the study \"A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS\" of captures at Gi of "
          "networks in seven countries")
SCENARIO = "gprs-population.lua"
HAS_SERIES = False
SETUP = ("280 users in 20 cells of CS-2, half of which give a mobile two timeslots, half three: 120 read one "
         "file at a time (40 to 140 kB), 40 read pages of small objects, 120 load files of 100 to 300 kB, half of "
         "them several at a time, while they read pages. TCPs are mixed as in tables I and III. Every mobile changes "
         "the cell every 400 s on average, is without a cell for 2 to 30 s, and what the BSS had queued is lost. Ten "
         "minutes are captured at Gi and analysed with gbflow analyze. peak: the same with a tenth of the channels, "
         "at ten o'clock. dialup: 120 users of modems. few-losses and many-losses: other buffers and losses, which "
         "the paper does not state. timeouts: senders without SACK repeat by time-outs alone, and 2 % are lost on Gn. "
         "terminals: readers with SACK have more often three timeslots. Seeds vary who has "
         "which TCP, sizes, start times, cell changes and losses.")

# Fig. 3's tail; clusters of Fig. 14 to 17 with fewer samples are those of one or two users.
TAIL_S, CLUSTER_SAMPLES, BEST_SAMPLES = 2, 10, 30
TENTH, QUARTER = ("10 % of the published value: users are dealt these shares, those with fast TCPs read more",
                  "25 % of the published value")
KBPS = {"mss_low": 20.05, "mss_high": 24.94, "sack": 25.43, "no_sack": 23.14, "timestamp": 25.34, "no_timestamp": 24.05,
        "window_low": 22.54, "window_medium": 25.72, "window_high": 24.38, "overall": 24.23}
# Of the 124 707 samples of table III, per cent.
SAMPLES = {"mss_low": 14.35, "mss_high": 80.71, "sack": 47.91, "timestamp": 14.22, "window_low": 34.28,
           "window_medium": 35.87, "window_high": 29.85}
TABLE_1 = {"sack": (55.49, 59.48), "timestamp": (9.48, 2.45), "mss_low": (25.12, 49.29), "mss_high": (22.52, 7.96),
           "window_low": (55.90, 96.74), "window_medium": (25.54, 1.01), "window_high": (18.56, 2.25)}


def number_at(case: Case, *path: str, factor: float = 1.0) -> Measure:
    return lambda runs: scaled(number(runs[case], *path), factor)


def compared(above: Measure, below: Measure, in_percent: bool = False) -> Measure:
    """The quotient of two measures, or how many per cent the first is above the second."""
    return joined(percent_more if in_percent else quotient, above, below)


def goodput(case: Case, name: str) -> Measure:
    return number_at(case, "table_3", name, "mean", factor=0.001)


def bars_of(case: Case, runs: Outcomes, low_bps: float, high_bps: float) -> list[tuple[float, float]]:
    found = runs[case]["channel_rate_bps"]
    return [(start, count) for start, count in (found["bars"] if found else []) if low_bps <= start < high_bps]


def peak(case: Case, low_bps: float, high_bps: float) -> Measure:
    """Median channel rate of the periods in a range, kbit/s, by bars of 1 kbit/s."""
    def measure(runs: Outcomes) -> float | None:
        rates = [start + 500 for start, count in bars_of(case, runs, low_bps, high_bps) for _ in range(int(count))]
        return median(rates) / 1000 if rates else None
    return measure


def in_range(case: Case, *ranges: tuple[float, float]) -> Measure:
    """Share of the periods with a channel rate in the ranges, per cent."""
    def measure(runs: Outcomes) -> float | None:
        total = sum(count for _, count in bars_of(case, runs, 0, float("inf")))
        return 100 * sum(count for one in ranges for _, count in bars_of(case, runs, *one)) / total if total else None
    return measure


def mode_s(case: Case) -> Measure:
    """Middle of the largest bar of the set-up times."""
    def measure(runs: Outcomes) -> float | None:
        found = runs[case]["setup_s"]["all"]
        return max(found["bars"], key=lambda bar: bar[1])[0] + found["bar_width"] / 2 if found else None
    return measure


def optimal_alone(case: Case, branch: str = "optimal_alone") -> Measure:
    """Share of the set-ups in a branch, per cent."""
    share = compared(number_at(case, "tree", branch, "count"), number_at(case, "tree", "all", "count"))
    return lambda runs: scaled(share(runs), 100)


def with_parallel(runs: Outcomes) -> float | None:
    """Share of the connections with more than 100 kB that have at least 5 % of the user's octets beside them,
    per cent."""
    shares = runs[GPRS]["user_throughput_bps"]["own_share"]
    return 100 * sum(shares[:-1]) / sum(shares) if sum(shares) else None


def of_loss(name: str) -> Measure:
    def measure(runs: Outcomes) -> float | None:
        row = next((row for row in runs[GPRS]["single"]["by_loss"] if row["loss"] == name), None)
        return number(row, "goodput_bps", "mean")
    return measure


def spread_s(case: Case, *path: str) -> Measure:
    """95th less 5th percentile."""
    return joined(excess, number_at(case, *path, "p95"), number_at(case, *path, "p5"))


def above(case: Case, name: str, least_s: float) -> float:
    """Set-ups of a kind that take longer."""
    found = (pick(case, "setup_s", name) or {}).get("bars", [])
    return sum(count for start, count in found if start >= least_s)


def tail_with_background(runs: Outcomes) -> float | None:
    """Share of the set-ups above TAIL_S, per cent."""
    kinds = [above(runs[GPRS], f"{kind}_{which}", TAIL_S) for which in ("background", "alone")
             for kind in ("optimal", "slight")]
    return 100 * sum(kinds[:2]) / sum(kinds) if sum(kinds) else None


def merged(rows: Sequence[Mapping[str, Any]], keys: Sequence[str]) -> dict[tuple[Any, ...], tuple[int, float]]:
    """Samples and goodput of the clusters that are equal in `keys`."""
    found: dict[tuple[Any, ...], tuple[int, float]] = {}
    for row in rows:
        name, one = tuple(row[key] for key in keys), row["goodput_bps"]
        count, mean = found.get(name, (0, 0.0))
        found[name] = (count + one["count"], (count * mean + one["count"] * one["mean"]) / (count + one["count"]))
    return found


def clusters_above(case: Case, key: str, values: tuple[Any, Any], keys: Sequence[str]) -> Measure:
    """Share of the pairs of clusters, equal in `keys`, in which the goodput with the first value of `key` is higher,
    per cent."""
    def measure(runs: Outcomes) -> float | None:
        found = {name: mean for name, (count, mean) in merged(runs[case]["clusters"], [*keys, key]).items()
                 if count >= CLUSTER_SAMPLES}
        pairs = [(mean, found[(*name[:-1], values[1])])
                 for name, mean in found.items() if name[-1] == values[0] and (*name[:-1], values[1]) in found]
        return 100 * sum(high > low for high, low in pairs) / len(pairs) if pairs else None
    return measure


def best_cluster(runs: Outcomes) -> float | None:
    """Its goodput, of clusters with at least BEST_SAMPLES, above the overall one, per cent."""
    means = [row["goodput_bps"]["mean"]
             for row in runs[GPRS]["clusters"] if row["goodput_bps"]["count"] >= BEST_SAMPLES]
    overall = number(runs[GPRS], "table_3", "overall", "mean")
    return 100 * (max(means) / overall - 1) if means and overall else None


SETUP_ALONE, SETUP_BACKGROUND = (number_at(GPRS, "tree", f"optimal_{which}", "setup_s_mean")
                                 for which in ("alone", "background"))
USER = {name: number_at(GPRS, "user_throughput_bps", name, "mean")
        for name in ("background_below_1_3", "background_1_3_to_2_3", "background_above_2_3")}


def table_1_rows() -> list[Figure]:
    return [Figure(f"p2-table1-{case.name}-{name}".replace("_", "-"),
                   f"table I, {case.name}: share of connections with {name.replace('_', ' ')}", "%",
                   published[column], near(published[column], 0.1 if published[column] > 10 else 0.25),
                   number_at(case, "table_1", name, factor=100), TENTH if published[column] > 10 else QUARTER,
                   "" if published[column] > 10 or case is GPRS else FEW_USERS)
            for column, case in enumerate((GPRS, DIALUP)) for name, published in TABLE_1.items()]


def table_3_rows() -> list[Figure]:
    rows = [Figure(f"p2-table3-{name}".replace("_", "-"), f"table III: goodput, {name.replace('_', ' ')}", "kbit/s",
                   published, near(published),
                   goodput(GPRS, name), QUARTER) for name, published in KBPS.items()]
    overall = number_at(GPRS, "table_3", "overall", "count")
    for name, published in SAMPLES.items():
        share = compared(number_at(GPRS, "table_3", name, "count", factor=100), overall)
        rows.append(Figure(f"p2-samples-{name}".replace("_", "-"), "table III: share of samples, "
                           f"{name.replace('_', ' ')}", "%", published, near(published), share, QUARTER))
    return rows


TWO_MSS = "the paper's table III has 24.4 % for the 15 to 20 % of its text"
TWO_STAMPS = "the paper's table III has 5.4 % for the 2 to 3 % of its text"
FEW_IN_CLUSTERS = "at least three quarters: a cluster of ten connections is two or three users"
FEW_USERS = "120 users: one user of such a TCP is 0.8 % of them"
GAIN_RANGE = "a quarter below the least and above the largest published value"
SACK_CAUSE = ("SACK alone is worth 1 to 2 % here: a full queue bridges a recovery. Two cases reach the paper's gain: "
              "timeouts, where senders without SACK have no fast retransmit and more is lost than table II says; and "
              "terminals, where SACK is more frequent on terminals with three timeslots: the paper says that its "
              "clusters are not independent. docs/papers/passive-analysis.md has what else was tried")
STAMP_CAUSE = (f"{TWO_STAMPS}. 12 octets of each segment are timestamps, and nothing makes up for them here; the "
               "paper finds contradicting clusters and suspects "
               "parameters outside of them")
ALL_CAUSE = ("most connections are pages of small objects. Of connections with n segments 47 % lose none at 1.37 % if "
             "n is 55; here the mean is 42, and "
             "losses come in bursts. Of the connections above 32 kB the shares are in band, see p2-bottleneck-none")
LOSS_CAUSE = ("queues of 18 kB overflow with windows above 20 kB and with several connections at once, and cell "
              "changes lose what the BSS has; with queues of 70 kB and no other losses the access loses what table II "
              "says (row p2-loss-access-few, case few-losses)")


def gain_rows() -> list[Figure]:
    others = pick_of(mean, [goodput(GPRS, "window_low"), goodput(GPRS, "window_high")])
    sack_many = compared(goodput(MANY_LOSSES, "sack"), goodput(MANY_LOSSES, "no_sack"), True)
    return [
        Figure("p2-mss-gain", "Fig. 14: goodput with a high MSS against a low one", "%", "15-20 %", (11.25, 25),
               compared(goodput(GPRS, "mss_high"), goodput(GPRS, "mss_low"), True), f"{GAIN_RANGE}; {TWO_MSS}"),
        Figure("p2-mss-clusters", "Fig. 14: pairs of clusters in which the high MSS has the higher goodput",
               "%", "all clusters", (75, 100),
               clusters_above(GPRS, "mss", ("high", "low"), ("window", "sack", "timestamp")), FEW_IN_CLUSTERS),
        Figure("p2-sack-clusters", "Fig. 15: pairs of clusters by MSS and "
               "window in which SACK has the higher goodput, case terminals", "%", "all categories",
               (75, 100), clusters_above(TERMINALS, "sack", (True, False), ("window", "mss")), FEW_IN_CLUSTERS),
        Figure("p2-timestamp-clusters", "Fig. 16: pairs of clusters in which timestamps have the higher goodput", "%",
               "contradicting", (10, 90), clusters_above(GPRS, "timestamp", (True, False), ("window", "sack", "mss")),
               "both signs, each in at least a tenth"),
        Figure("p2-best-cluster",
               "section VIII: goodput of the best cluster with at least 30 samples against the overall one",
               "%", "more than 15 %", (11.25, 30), best_cluster, "a quarter below 15 %; at most the double"),
        Figure("p2-sack-gain", "Fig. 15: goodput with SACK against without", "%", 10,
               near(10), compared(goodput(GPRS, "sack"), goodput(GPRS, "no_sack"), True), QUARTER, SACK_CAUSE),
        Figure("p2-sack-gain-many", "the same in case many-losses, against that in case few-losses", "% points",
               "(not in the paper)", (0.5, 10),
               joined(excess, sack_many, compared(goodput(FEW_LOSSES, "sack"), goodput(FEW_LOSSES, "no_sack"), True)),
               "sign: SACK is worth more where more is lost; up to the published gain",
               "both gains are within the spread of few users, see the seeds"),
            Figure("p2-sack-gain-timeouts",
                   "the same in case timeouts: no fast retransmit without SACK, 2 % lost on Gn",
                   "%", 10, near(10), compared(goodput(TIMEOUTS, "sack"), goodput(TIMEOUTS, "no_sack"), True), QUARTER),
            Figure("p2-sack-gain-terminals",
                   "the same in case terminals: of readers with SACK 62 % have three timeslots, of those without 38 %",
                   "%",
                   10, near(10), compared(goodput(TERMINALS, "sack"), goodput(TERMINALS, "no_sack"), True), QUARTER),
            Figure("p2-timestamp-gain", "Fig. 16: goodput with timestamps against without", "%", "2-3 %", (1.5, 3.75),
                   compared(goodput(GPRS, "timestamp"), goodput(GPRS, "no_timestamp"), True), GAIN_RANGE, STAMP_CAUSE),
            Figure("p2-window-gain", "Fig. 17: goodput with medium windows against the mean of low and high ones",
                   "%", 10, near(10), compared(goodput(GPRS, "window_medium"), others, True), QUARTER,
                   "the best window is the medium one here, too; by how much depends on the buffer, which is not "
                   "stated: see case many-losses"),
    ]


def set_up_rows() -> list[Figure]:
    return [
        Figure("p2-setup-peak", "Fig. 3: peak of the set-up delay", "s", 1, near(1), mode_s(GPRS), QUARTER),
        Figure("p2-setup-alone", "Fig. 5: set-up without background traffic, one SYN and one SYN-ACK",
               "s", "more than 1 s", (1, 1.25), SETUP_ALONE, "above 1 s, by at most a quarter"),
        Figure("p2-setup-background", "Fig. 3, 5: set-up with background traffic against without", "s", "longer",
               (0.05, 2), joined(excess, SETUP_BACKGROUND, SETUP_ALONE),
               "the figure cannot be read: longer, by more than two radio blocks"),
        Figure("p2-setup-all", "Fig. 5: set-up overall",
               "s", "nearly 2 s", (1.5, 2), number_at(GPRS, "tree", "all", "setup_s_mean"),
               "at most 2 s, a quarter below"),
        Figure("p2-setup-share-alone",
               "Fig. 5: set-ups without background traffic, one SYN and one SYN-ACK", "%", "more than 20 %",
               (20, 30), optimal_alone(GPRS), "above 20 %, by at most half: the lower end is published"),
        Figure("p2-setup-alone-tail", "Fig. 3: 95th by 5th percentile of the set-up without background traffic",
               "", "almost deterministic, short tail",
               (1, 1.25), compared(number_at(GPRS, "setup_s", "optimal_alone", "p95"),
                                   number_at(GPRS, "setup_s", "optimal_alone", "p5")),
               "at most a quarter"),
            Figure("p2-setup-tail", "Fig. 3: 95th percentile of all set-ups",
                   "s", "5-10 s", (3.75, 12.5), number_at(GPRS, "setup_s", "all", "p95"), GAIN_RANGE),
            Figure("p2-setup-tail-background", "Fig. 3: of the set-ups above 2 s, those with background traffic",
                   "%", "dominates the tail", (75, 100), tail_with_background, "at least three quarters"),
            Figure("p2-setup-slight", "Fig. 3: set-ups with a repeated SYN or SYN-ACK", "%", "rather low", (0, 20),
                   optimal_alone(GPRS, "slight"), "the paper has no number: at most a fifth"),
            Figure("p2-dialup-rtt-spread", "Fig. 4: 95th less 5th percentile of the round trip, dial-up by GPRS", "",
                   "lower variance", (0, 0.8),
                   compared(spread_s(DIALUP, "rtt_s", "access"), spread_s(GPRS, "rtt_s", "access")),
                   "the figure cannot be read: less by a fifth or more"),
            Figure("p2-rtt-peak-hour", "Fig. 4: round trip on the GPRS side, median of the peak hours against off-peak",
                   "ms", "50-100 ms", (37.5, 125),
                   joined(excess, number_at(PEAK, "rtt_s", "access_peak", "p50", factor=1000),
                          number_at(GPRS, "rtt_s", "access_off_peak", "p50", factor=1000)), GAIN_RANGE),
        Figure("p2-dialup-rtt", "Fig. 4: round trip of dial-up users, median", "ms",
               "100-300 ms", (100, 300), number_at(DIALUP, "rtt_s", "access", "p50", factor=1000),
               "the published range"),
            Figure("p2-dialup-setup-alone", "Fig. 5: set-up of dial-up users without background traffic",
                   "s", 0.3, near(0.3), number_at(DIALUP, "tree", "optimal_alone", "setup_s_mean"), QUARTER),
            Figure("p2-dialup-setup-all", "Fig. 5: set-up overall, GPRS by dial-up", "times", "almost the double",
                   (1.5, 2.5), compared(number_at(GPRS, "tree", "all", "setup_s_mean"),
                                        number_at(DIALUP, "tree", "all", "setup_s_mean")),
                   "25 % of the double"),
        Figure("p2-dialup-share-alone", "Fig. 5: set-ups of dial-up users with the lowest delay", "%", 7, near(7),
               optimal_alone(DIALUP), QUARTER),
    ]


BIN = "the published range and a bar of 1 kbit/s on either side"


def rate_rows() -> list[Figure]:
    return [
        Figure("p2-rate-two", "Fig. 7: channel rate of two timeslots", "kbit/s", "21-22", (20, 23),
               peak(GPRS, 18e3, 27e3), BIN),
        Figure("p2-rate-three",
               "Fig. 7: channel rate of three timeslots", "kbit/s", "34-35", (33, 36), peak(GPRS, 29e3, 40e3), BIN),
        Figure("p2-rate-shares", "Fig. 7: periods with a rate within 3 kbit/s of one of the peaks", "%",
               "two dominant peaks", (75, 100), in_range(GPRS, (19e3, 25e3), (31e3, 37e3)), "at least three quarters"),
        Figure("p2-rate-four", "Fig. 7: periods with more than 37 kbit/s, the rate of four timeslots",
               "%", "only a few", (0, 10), in_range(GPRS, (37e3, 99e3)), "at most a tenth"),
        Figure("p2-dialup-rate-low", "Fig. 7: lower channel rate of dial-up users",
               "kbit/s", 33, (32, 34), peak(DIALUP, 30e3, 36e3), "a bar of 1 kbit/s on either side"),
        Figure("p2-dialup-rate-high", "Fig. 7: periods of dial-up users with 40 to 50 kbit/s, of those above 36", "%",
               "between 40-50 kbit/s", (75, 100),
               compared(in_range(DIALUP, (40e3, 50e3)), lambda runs: (in_range(DIALUP, (36e3, 99e3))(runs) or 0) / 100),
               "at least three quarters"),
        Figure("p2-single", "Fig. 9: median throughput of single connections with more than 100 kB by the median "
               "channel rate", "", "around the peaks",
               (0.75, 1),
               compared(number_at(GPRS, "single", "throughput_bps", "p50"), number_at(GPRS, "channel_rate_bps", "p50")),
               "slow start and losses cost at most a quarter"),
            Figure("p2-by-loss-middle", "Fig. 10: goodput of single connections with 1 to 2 % of losses against those "
                   "below 1 %", "%", "lower", (-40, 0), compared(of_loss("1 to 2 %"), of_loss("below 1 %"), True),
                   "the figure has no readable numbers: sign"),
        Figure("p2-by-loss", "Fig. 10: goodput of single connections with 2 to 3 % of losses against those below 1 %",
               "%", "lower", (-40, 0),
               compared(of_loss("2 to 3 %"), of_loss("below 1 %"), True), "the figure has no readable numbers: sign"),
    ]


def loss_rows() -> list[Figure]:
    sides = {"none": 47, "access": 48, "internet": 5}
    return [
        Figure("p2-loss-internet", "table II: lost in front of the monitor", "%", 0.15, near(0.15),
               number_at(GPRS, "loss", "internet", factor=100), QUARTER),
        Figure("p2-loss-access", "table II: lost behind the monitor", "%", 1.22, near(1.22),
               number_at(GPRS, "loss", "access", factor=100), QUARTER, LOSS_CAUSE),
        Figure("p2-loss-access-few", "the same in case few-losses", "%", 1.22, near(1.22),
               number_at(FEW_LOSSES, "loss", "access", factor=100), QUARTER,
               "cell changes alone lose about 1 % here, full queues of users with several connections the rest"),
        Figure("p2-dialup-loss-internet", "table II: dial-up, in front of the monitor",
               "%", 0.39, near(0.39), number_at(DIALUP, "loss", "internet", factor=100), QUARTER),
        Figure("p2-dialup-loss-access", "table II: dial-up, behind the monitor", "%", 0.16, near(0.16),
               number_at(DIALUP, "loss", "access", factor=100), QUARTER, "needless "
               "retransmissions that leave no trace in ACKs count as "
               "losses (docs/analyze.md): what the simulation counts is in band, see p2-dialup-loss-access-true"),
            Figure("p2-dialup-loss-access-true", "the same as the simulation counts it", "%",
                   0.16, near(0.16), number_at(DIALUP, "truth", "access", factor=100), QUARTER),
            *(Figure(f"p2-bottleneck-all-{side}", f"Fig. 8: all connections, bottleneck {side}",
                     "%", share, near(share), number_at(GPRS, "bottleneck", side, factor=100), QUARTER, ALL_CAUSE)
              for side, share in sides.items()),
            *(Figure(f"p2-bottleneck-{side}", f"Fig. 8: connections with more than 32 kB, bottleneck {side}", "%",
                     share, near(share), number_at(GPRS, "bulk_bottleneck", side, factor=100),
                     QUARTER + "; of all connections most are too short to lose a packet")
              for side, share in sides.items()),
    ]


def parallel_rows() -> list[Figure]:
    low, middle, high = USER.values()
    return [
        Figure("p2-parallel", "Fig. 11: connections with more than 100 kB and at least 5 % of parallel traffic",
               "%", "most", (50, 100), with_parallel, "most: more than half"),
        Figure("p2-parallel-middle", "Fig. 13: user throughput, 1/3 to 2/3 of background traffic against less",
               "%",
               "improves", (0, 25), compared(middle, low, True), "sign; at most what is missing to the channel rate"),
            Figure("p2-parallel-high", "Fig. 13: user throughput, at least 2/3 of background traffic against less than "
                   "1/3", "%", "improves", (0, 25), compared(high, low, True), "sign; at most what is missing to the "
                   "channel rate"),
    ]


# Users are dealt these shares, cells and links these losses and rates: the scenarios' comments say from which figure.
# Cases were made for the gain of SACK; block errors, a loss, a window and a processing time were fitted to the others.
# The last kind has no number that can be read, or a band that hardly fails.
INPUTS = ("p2-table1-*", "p2-samples-*", "p2-loss-internet", "p2-dialup-loss-*", "p2-dialup-rate-*", "p2-rate-four",
          "p2-rate-shares")
FIT_ROWS = ("p2-sack-gain-terminals", "p2-sack-gain-timeouts", "p2-sack-clusters", "p2-rate-two", "p2-rate-three",
            "p2-table3-window-low", "p2-loss-access", "p2-loss-access-few", "p2-dialup-rtt")
SIGNS = ("p2-setup-*", "p2-by-loss*", "p2-parallel*", "p2-sack-gain-many", "p2-timestamp-clusters")
ROWS = [*table_1_rows(), *set_up_rows(), *rate_rows(), *loss_rows(), *parallel_rows(), *table_3_rows(), *gain_rows()]
FIGURES = of_kind(INPUT, of_kind(FITTED, of_kind(SIGN, ROWS, *SIGNS), *FIT_ROWS), *INPUTS)


# --- plots ---

BAR = 0.38
SHARES = {"background_below_1_3": "less than 1/3", "background_1_3_to_2_3": "1/3 to 2/3",
          "background_above_2_3": "at least 2/3"}


def plots(by_seed: BySeed) -> list[Plot]:
    return [set_up(by_seed), round_trips(by_seed), channel_rates(by_seed), parallel(by_seed), throughput(by_seed),
            table_3(by_seed)]


def summed(by_seed: BySeed, case: Any, *path: str) -> dict[float, float]:
    """Bars of a distribution, over all seeds, as shares."""
    found: dict[float, float] = {}
    for runs in by_seed.values():
        for start, count in pick(runs[case], *path, "bars") or []:
            found[start] = found.get(start, 0) + count
    total = sum(found.values())
    return {start: count / total for start, count in sorted(found.items())}


def bars(axes: Axes, shares: Mapping[float, float], scale: float, width: float, look: tuple[str, str]) -> None:
    axes.bar([start * scale + width / 2 for start in shares], list(shares.values()), width, color=look[0],
             label=look[1], alpha=0.75)


def set_up(by_seed: BySeed) -> Plot:
    figure, axes = draw.canvas(rows=2, size=(7.2, 4.2))
    for place, (name, label) in enumerate((("optimal_alone", "no background traffic"),
                                           ("optimal_background", "background traffic"))):
        bars(axes[0], {start: share for start, share in summed(by_seed, GPRS, "setup_s", name).items() if start < 5}, 1,
             0.1, (draw.COLOURS[place], label))
    bars(axes[1], {start: share for start, share in summed(by_seed, GPRS, "setup_s", "all").items() if start < 10}, 1,
         0.1, (draw.COLOURS[2], "all"))
    draw.finish(axes[0], "", "share")
    draw.finish(axes[1], "set-up delay (s)", "share")
    return Plot(figure, "p2-fig3", "Fig. 3: set-up delay",
                "One SYN and one SYN-ACK above, all set-ups below; all seeds.")


def round_trips(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.2))
    rows = ((GPRS, "access_off_peak", "GPRS, off-peak"), (PEAK, "access_peak", "GPRS, peak hours"),
            (DIALUP, "access", "dial-up"))
    for index, (case, name, label) in enumerate(rows):
        curve = next((pick(runs[case], "rtt_s", name, "cdf") for runs in by_seed.values()), None) or []
        axes.plot([value for value, _ in curve], [share for _, share in curve], color=draw.COLOURS[index], label=label)
    axes.set_xlim(0, 3)
    draw.finish(axes, "round trip (s)", "CDF")
    return Plot(figure, "p2-fig4", "Fig. 4: round trip on the access side",
                "SYN-ACK to ACK without background traffic; first seed.")


def channel_rates(by_seed: BySeed) -> Plot:
    figure, axes = draw.canvas(rows=2, size=(7.2, 4.2))
    for index, case in enumerate((GPRS, DIALUP)):
        bars(axes[index], summed(by_seed, case, "channel_rate_bps"), 0.001, 1, (draw.COLOURS[index], case.name))
        axes[index].set_xlim(0, 60)
        draw.finish(axes[index], "channel rate (kbit/s)" if index else "", "share of periods")
    return Plot(figure, "p2-fig7", "Fig. 7: available downlink channel rate",
                "Published: 21-22 and 34-35 kbit/s; dial-up 33 and 40-50 kbit/s. All seeds.")


def parallel(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3))
    counts = [sum(values)
              for values in zip(*(runs[GPRS]["user_throughput_bps"]["own_share"] for runs in by_seed.values()))]
    width = 1 / len(counts)
    axes.bar([(index + 0.5) * width for index in range(len(counts))], [count / (sum(counts) or 1) for count in counts],
             width, color=draw.COLOURS[0])
    draw.finish(axes, "Btcp / (Btcp + Bother)", "share")
    return Plot(figure, "p2-fig11", "Fig. 11: own share of the octets during connections with more than 100 kB",
                "1: no parallel traffic. All seeds.")


def throughput(by_seed: BySeed) -> Plot:
    figure, axes = draw.canvas(rows=len(SHARES), size=(7.2, 5))
    for index, (name, label) in enumerate(SHARES.items()):
        bars(axes[index], summed(by_seed, GPRS, "user_throughput_bps", name), 0.001, 1,
             (draw.COLOURS[index], f"{label} background"))
        draw.finish(axes[index], "user throughput (kbit/s)" if index == len(SHARES) - 1 else "", "share")
    return Plot(figure, "p2-fig13", "Fig. 13: user throughput by the share of background traffic", "All seeds.")


def table_3(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.4))
    for place, (name, published) in enumerate(KBPS.items()):
        values = [number(runs[GPRS], "table_3", name, "mean") for runs in by_seed.values()]
        known = [value / 1000 for value in values if value is not None]
        if known:
            axes.bar(place - BAR / 2, sum(known) / len(known), BAR, color=draw.COLOURS[0],
                     label="gbflow" if place == 0 else None)
        axes.bar(place + BAR / 2, published, BAR, color="#bbbbbb", label="the paper" if place == 0 else None)
    axes.set_xticks(range(len(KBPS)), [name.replace("_", "\n") for name in KBPS], fontsize=7)
    draw.finish(axes, "", "goodput (kbit/s)")
    return Plot(figure, "p2-table3", "Table III: goodput of single connections with more than 32 kB",
                "Means over the seeds.")
