# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Fig. 3, 4, 7, 11, 13 and 14 to 17 from the runs."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.p2 import KBPS
from gbflow_report.papers.p2_cases import DIALUP, GPRS, PEAK
from gbflow_results.files import number, pick

BySeed = Mapping[int, Mapping[Any, Any]]
BAR = 0.38
SHARES = {"background_below_1_3": "less than 1/3", "background_1_3_to_2_3": "1/3 to 2/3", "background_above_2_3": "at least 2/3"}


def plots(by_seed: BySeed) -> list[Plot]:
    return [set_up(by_seed), round_trips(by_seed), channel_rates(by_seed), parallel(by_seed), throughput(by_seed), table_3(by_seed)]


def summed(by_seed: BySeed, case: Any, *path: str) -> dict[float, float]:
    """Bars of a distribution, over all seeds, as shares."""
    found: dict[float, float] = {}
    for runs in by_seed.values():
        for start, count in pick(runs[case], *path, "bars") or []:
            found[start] = found.get(start, 0) + count
    total = sum(found.values())
    return {start: count / total for start, count in sorted(found.items())}


def bars(axes: Axes, shares: Mapping[float, float], scale: float, width: float, look: tuple[str, str]) -> None:
    axes.bar([start * scale + width / 2 for start in shares], list(shares.values()), width, color=look[0], label=look[1], alpha=0.75)


def set_up(by_seed: BySeed) -> Plot:
    figure, axes = draw.canvas(rows=2, size=(7.2, 4.2))
    for place, (name, label) in enumerate((("optimal_alone", "no background traffic"), ("optimal_background", "background traffic"))):
        bars(axes[0], {start: share for start, share in summed(by_seed, GPRS, "setup_s", name).items() if start < 5}, 1, 0.1,
             (draw.COLOURS[place], label))
    bars(axes[1], {start: share for start, share in summed(by_seed, GPRS, "setup_s", "all").items() if start < 10}, 1, 0.1, (draw.COLOURS[2], "all"))
    draw.finish(axes[0], "", "share")
    draw.finish(axes[1], "set-up delay (s)", "share")
    return Plot(figure, "p2-fig3", "Fig. 3: set-up delay", "One SYN and one SYN-ACK above, all set-ups below; all seeds.")


def round_trips(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.2))
    rows = ((GPRS, "access_off_peak", "GPRS, off-peak"), (PEAK, "access_peak", "GPRS, peak hours"), (DIALUP, "access", "dial-up"))
    for index, (case, name, label) in enumerate(rows):
        curve = next((pick(runs[case], "rtt_s", name, "cdf") for runs in by_seed.values()), None) or []
        axes.plot([value for value, _ in curve], [share for _, share in curve], color=draw.COLOURS[index], label=label)
    axes.set_xlim(0, 3)
    draw.finish(axes, "round trip (s)", "CDF")
    return Plot(figure, "p2-fig4", "Fig. 4: round trip on the access side", "SYN-ACK to ACK without background traffic; first seed.")


def channel_rates(by_seed: BySeed) -> Plot:
    figure, axes = draw.canvas(rows=2, size=(7.2, 4.2))
    for index, case in enumerate((GPRS, DIALUP)):
        bars(axes[index], summed(by_seed, case, "channel_rate_bps"), 0.001, 1, (draw.COLOURS[index], case.name))
        axes[index].set_xlim(0, 60)
        draw.finish(axes[index], "channel rate (kbit/s)" if index else "", "share of periods")
    return Plot(figure, "p2-fig7", "Fig. 7: available downlink channel rate", "Published: 21-22 and 34-35 kbit/s; dial-up 33 and 40-50 kbit/s. All seeds.")


def parallel(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3))
    counts = [sum(values) for values in zip(*(runs[GPRS]["user_throughput_bps"]["own_share"] for runs in by_seed.values()))]
    width = 1 / len(counts)
    axes.bar([(index + 0.5) * width for index in range(len(counts))], [count / (sum(counts) or 1) for count in counts], width, color=draw.COLOURS[0])
    draw.finish(axes, "Btcp / (Btcp + Bother)", "share")
    return Plot(figure, "p2-fig11", "Fig. 11: own share of the octets during connections with more than 100 kB", "1: no parallel traffic. All seeds.")


def throughput(by_seed: BySeed) -> Plot:
    figure, axes = draw.canvas(rows=len(SHARES), size=(7.2, 5))
    for index, (name, label) in enumerate(SHARES.items()):
        bars(axes[index], summed(by_seed, GPRS, "user_throughput_bps", name), 0.001, 1, (draw.COLOURS[index], f"{label} background"))
        draw.finish(axes[index], "user throughput (kbit/s)" if index == len(SHARES) - 1 else "", "share")
    return Plot(figure, "p2-fig13", "Fig. 13: user throughput by the share of background traffic", "All seeds.")


def table_3(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.4))
    for place, (name, published) in enumerate(KBPS.items()):
        values = [number(runs[GPRS], "table_3", name, "mean") for runs in by_seed.values()]
        known = [value / 1000 for value in values if value is not None]
        if known:
            axes.bar(place - BAR / 2, sum(known) / len(known), BAR, color=draw.COLOURS[0], label="gbflow" if place == 0 else None)
        axes.bar(place + BAR / 2, published, BAR, color="#bbbbbb", label="the paper" if place == 0 else None)
    axes.set_xticks(range(len(KBPS)), [name.replace("_", "\n") for name in KBPS], fontsize=7)
    draw.finish(axes, "", "goodput (kbit/s)")
    return Plot(figure, "p2-table3", "Table III: goodput of single connections with more than 32 kB", "Means over the seeds.")
