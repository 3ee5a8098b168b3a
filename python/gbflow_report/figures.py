# SPDX-License-Identifier: BSD-3-Clause
"""Figures: the one list of the figures that results have, and of the data that each shows. Pages draw them for a
screen,
`gbflow figure` (figure_files.py) for paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import analyze_plots, compare_plots, run_plots, sweep_plots
from gbflow_report.draw import Plot


@dataclass(frozen=True)
class Row:
    """name: of the figure; words in capitals stand for what the result names. words: what a page says where there is
    no data for it.
    data: what it shows. make(result): the plots, none where the result has no such data."""

    name: str
    words: str
    data: str
    make: Callable[[Any], Plot | Sequence[Plot] | None]


RUN = (
    Row("delay-cdf", "delay distribution", "delay_s of series.csv", run_plots.delay_cdf),
    Row("delay-time", "delay over time", "delay_s of series.csv", run_plots.delay_time),
    Row("throughput", "throughput", "throughput_bps of series.csv", run_plots.throughput),
    Row("backlog", "backlog", "sgsn_backlog_octets and bss_backlog_octets of series.csv", run_plots.backlog),
    Row("bucket-level", "bucket levels", "bucket_level_octets of series.csv", run_plots.bucket_level),
    Row("air-utilisation", "air utilisation", "air_utilisation of series.csv", run_plots.air_utilisation),
    Row("drops", "drops", "npdu_drop of series.csv", run_plots.drops),
    Row("ping-rtt", "ping round-trip times", "ping_rtt_s of series.csv", run_plots.ping_rtt),
    Row("page-times", "page times", "pages[].time_s of summary.json", run_plots.page_times),
    Row("first-objects", "first objects", "pages[].first_s of summary.json", run_plots.first_objects),
    Row("rtt", "TCP round-trip times", "rtt_s of series.csv", run_plots.rtt),
    Row("sequence-CONNECTION", "TCP sequence plots",
        "sent_octets, acked_octets and retransmitted_octets of series.csv", run_plots.sequences),
)
SWEEP = (
    Row("FIGURE-over-AXIS", "figures over axes", "FIGURE of summary.json, mean over the seeds and its interval",
        sweep_plots.over_axes),
    Row("differences-FIGURE", "differences", "FIGURE of each label less that of the baseline, with its interval",
        sweep_plots.of_differences),
    Row("cdf-MEASURE-AXIS", "distributions of packets", "distributions.json of all runs: delay_s, rtt_s or ping_rtt_s",
        sweep_plots.of_packets),
    Row("mobiles-MEASURE-AXIS", "distributions of mobiles", "mobiles[].goodput_bps or .delay_s.p50 of summary.json",
        sweep_plots.of_mobiles),
)
COMPARISON = (
    Row("delay-cdf", "delay distributions", "delay_s of series.csv, or distributions.json, of both sides",
        compare_plots.delay_cdf),
    Row("throughput", "throughput", "throughput_bps of series.csv of both sides", compare_plots.throughput),
    Row("page-times", "page times", "pages[].time_s of summary.json of both sides", compare_plots.page_times),
    Row("first-objects", "first objects", "pages[].first_s of summary.json of both sides",
        compare_plots.first_objects),
    Row("rtt-cdf", "TCP round-trip times", "rtt_s of series.csv, or distributions.json, of both sides",
        compare_plots.rtt_cdf),
    Row("ping-cdf", "ping round-trip times", "ping_rtt_s of series.csv, or distributions.json, of both sides",
        compare_plots.ping_cdf),
    Row("differences", "differences", "figures[].difference_percent and .interval_percent of comparison.json",
        compare_plots.differences),
)
ANALYSIS = (
    Row("tree", "set-up", "tree of analysis.json", analyze_plots.tree),
    Row("setup", "set-up delay", "setup_s of analysis.json", analyze_plots.setup),
    Row("rtt", "round-trip times", "rtt_s of analysis.json", analyze_plots.rtt),
    Row("rtt-loaded", "round-trip times of data", "rtt_s.access_loaded of analysis.json", analyze_plots.rtt_loaded),
    Row("channel-rate", "channel rates", "channel_rate_bps of analysis.json", analyze_plots.channel_rate),
    Row("bottleneck", "bottlenecks", "bottleneck of analysis.json", analyze_plots.bottleneck),
    Row("throughput", "single throughput", "single.throughput_bps of analysis.json", analyze_plots.throughput),
    Row("by-loss", "throughput against loss", "single.by_loss of analysis.json", analyze_plots.by_loss),
    Row("shares", "parallel traffic", "user_throughput_bps.own_share of analysis.json", analyze_plots.shares),
    Row("user-throughput", "user throughput", "user_throughput_bps of analysis.json", analyze_plots.user_throughput),
    Row("clusters", "clusters", "clusters and table_3 of analysis.json", analyze_plots.clusters),
    Row("llc-confirmation", "acknowledged LLC", "llc of analysis.json", analyze_plots.confirmation),
)


def made(rows: Sequence[Row], result: Any) -> tuple[list[Plot], list[str]]:
    """The plots of a result in the order of the list, and the words of those without data."""
    drawn: list[Plot] = []
    missing: list[str] = []
    for row in rows:
        found = row.make(result)
        plots = [found] if isinstance(found, Plot) else list(found or ())
        drawn += plots
        if not plots:
            missing.append(row.words)
    return drawn, missing
