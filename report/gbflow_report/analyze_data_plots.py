# SPDX-License-Identifier: BSD-3-Clause
"""Plots of an analysis about data transfer: channel rates, losses, throughput, clusters."""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from gbflow_report import draw, page
from gbflow_report.analyze_plots import Data, cdf
from gbflow_report.draw import Plot
from gbflow_results.files import number, pick

THIRDS = [("background_below_1_3", "less than 1/3 background"), ("background_1_3_to_2_3", "1/3 to 2/3 background"),
          ("background_above_2_3", "more than 2/3 background")]
SIDES = [("none", "no loss", draw.COLOURS[2]), ("access", "more in the access", draw.COLOURS[1]),
         ("internet", "more in the Internet", draw.COLOURS[0])]
NAMES = {"sack": "SACK", "no_sack": "no SACK", "timestamp": "timestamps", "no_timestamp": "no timestamps", "mss_low": "MSS low",
         "mss_high": "MSS high", "window_low": "window low", "window_medium": "window medium", "window_high": "window high",
         "overall": "overall"}


def plot(figure: Figure, name: str, title: str, caption: str) -> Plot:
    return Plot(draw.svg(figure, name, title), name, title, caption)


def histogram(axes: Axes, spread: Data, colour: str) -> None:
    kbps = [(start / 1000, count) for start, count in spread["bars"]]
    axes.bar([start for start, _ in kbps], [count for _, count in kbps], width=spread["bar_width"] / 1000, align="edge",
             color=colour, edgecolor="white", linewidth=0.3)
    axes.yaxis.get_major_locator().set_params(integer=True)
    axes.set_xlim(0, max(kbps)[0] * 1.1 + 2)


def channel_rate(data: Data) -> Plot | None:
    """Fig. 7 of the paper."""
    spread = data["channel_rate_bps"]
    if not spread:
        return None
    figure, (axes,) = draw.canvas()
    histogram(axes, spread, draw.COLOURS[0])
    draw.finish(axes, "available channel rate (kbit/s of IP)", "periods")
    limits = data["thresholds"]
    return plot(figure, "channel-rate", "Available channel rate",
                f"Periods of connections without loss or reordering with more than {limits['flight_octets']:g} octets outstanding, "
                f"of at least {limits['period_octets']:g} octets, in classes of 1 kbit/s: {page.count(spread['count'])} periods. "
                "GPRS with CS-2 has its peaks at 21-22 kbit/s (two slots) and 34-35 kbit/s (three).")


def throughput(data: Data) -> Plot | None:
    """Fig. 9 of the paper."""
    spread = pick(data, "single", "throughput_bps")
    if not spread:
        return None
    figure, (axes,) = draw.canvas()
    histogram(axes, spread, draw.COLOURS[2])
    draw.finish(axes, "throughput (kbit/s of IP)", "connections")
    return plot(figure, "throughput", "Throughput of single connections",
                f"Connections with more than {data['thresholds']['long_octets']:g} octets for one request and nothing in parallel, "
                "from the ACK of the first data to that of the last.")


def by_loss(data: Data) -> Plot | None:
    """Fig. 10 of the paper."""
    rows = pick(data, "single", "by_loss") or []
    if not any(row["goodput_bps"]["count"] for row in rows):
        return None
    figure, (axes,) = draw.canvas()
    for offset, name, label, colour in ((-0.2, "throughput_bps", "throughput", draw.COLOURS[0]),
                                        (0.2, "goodput_bps", "goodput", draw.COLOURS[4])):
        heights = [(number(row, name, "mean") or 0) / 1000 for row in rows]
        axes.bar([index + offset for index in range(len(rows))], heights, width=0.38, color=colour, label=label)
    axes.set_xticks(range(len(rows)), [f"{row['loss']}\n{page.plural(row['goodput_bps']['count'], 'connection')}" for row in rows])
    draw.finish(axes, "packets lost of those sent", "mean (kbit/s)")
    return plot(figure, "by-loss", "Throughput against loss", "Of the same connections: IP octets and TCP payload, by the share of "
                "packets lost on either side of the monitor.")


def bottleneck(data: Data) -> Plot | None:
    """Fig. 8 of the paper."""
    if not pick(data, "bottleneck", "connections"):
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 3.2))
    shares = [(label, number(data, "bottleneck", name) or 0, colour) for name, label, colour in SIDES]
    shown = [row for row in shares if row[1] > 0]
    axes.pie([share for _, share, _ in shown], colors=[colour for *_, colour in shown], startangle=90, counterclock=False,
             wedgeprops={"linewidth": 1.5, "edgecolor": "white"})
    axes.legend([Patch(color=colour) for *_, colour in shares], [f"{label}: {100 * share:.1f} %" for label, share, _ in shares],
                loc="center left", bbox_to_anchor=(1.05, 0.5), fontsize=9.5)
    return plot(figure, "bottleneck", "Where connections lose packets",
                f"Of {page.count(number(data, 'bottleneck', 'connections'))} connections with data; as many on one side as on the "
                "other counts for the access. The paper has 47 % without loss, 48 % access, 5 % Internet.")


def shares(data: Data) -> Plot | None:
    """Fig. 11 of the paper."""
    counts = pick(data, "user_throughput_bps", "own_share") or []
    if not sum(counts):
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.9))
    width = 100 / len(counts)
    axes.bar([index * width for index in range(len(counts))], counts, width=width, align="edge", color=draw.COLOURS[5],
             edgecolor="white", linewidth=0.5)
    axes.set_xlim(0, 100)
    axes.yaxis.get_major_locator().set_params(integer=True)
    draw.finish(axes, "the long connection's share of its mobile's octets (%)", "connections")
    return plot(figure, "shares", "How much parallel traffic long connections have",
                "While a connection with more than "
                f"{data['thresholds']['long_octets']:g} octets lasts: its own octets of all that its mobile gets. 100 %: it is alone.")


def user_throughput(data: Data) -> Plot | None:
    """Fig. 13 of the paper."""
    spreads = data["user_throughput_bps"]
    if not any(pick(spreads, name) for name, _ in THIRDS):
        return None
    figure, (axes,) = draw.canvas()
    top = 0.0
    for index, (name, label) in enumerate(THIRDS):
        spread = pick(spreads, name)
        if spread:
            scaled = {**spread, "min": spread["min"] / 1000, "cdf": [(value / 1000, share) for value, share in spread["cdf"]]}
            cdf(axes, scaled, label, index)
            top = max(top, spread["max"] / 1000)
    axes.set_ylim(0, 101)
    axes.set_xlim(0, 1.1 * top)
    draw.finish(axes, "throughput of the mobile (kbit/s of IP)", "connections (%)")
    return plot(figure, "user-throughput", "What a mobile gets, by its parallel traffic",
                "R = 8 (Btcp + Bother) / (T2ack - T1ack): all octets to the mobile from a long connection's first data packet to "
                "its last, over the time between those two packets' ACKs.")


def cluster_name(row: dict[str, Any]) -> str:
    return (f"window {row['window']}, {'' if row['sack'] else 'no '}SACK, MSS {row['mss']}, "
            f"{'' if row['timestamp'] else 'no '}TS")


def clusters(data: Data) -> Plot | None:
    """Fig. 14 to 17 of the paper."""
    rows = data["clusters"]
    totals = [(NAMES[name], row) for name, row in data["table_3"].items() if row["count"]]
    if not totals:
        return None
    named = [(cluster_name(row), row["goodput_bps"]) for row in rows]
    figure, (axes,) = draw.canvas(size=(8.4, 1.2 + 0.27 * (len(named) + len(totals) + 1)))
    places = [*range(len(named)), *range(len(named) + 1, len(named) + 1 + len(totals))]
    for place, (_, row), colour in zip(places, named + totals, [draw.COLOURS[5]] * len(named) + [draw.COLOURS[0]] * len(totals)):
        axes.barh(place, row["mean"] / 1000, height=0.72, color=colour)
        if row["deviation"] is not None:
            axes.errorbar(row["mean"] / 1000, place, xerr=row["deviation"] / 1000, color="#333333", capsize=2.5, linewidth=1)
    axes.set_yticks(places, [f"{name} ({page.count(row['count'])})" for name, row in named + totals], fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0)
    axes.grid(False, axis="y")
    axes.set_xlabel("goodput (kbit/s)")
    return plot(figure, "clusters", "Goodput by TCP's options",
                f"Single connections with more than {data['thresholds']['bulk_octets']:g} octets: mean and standard deviation (no "
                "confidence interval), number of connections in brackets. Above each constellation, below each option on its own.")


PLOTS: list[tuple[str, Callable[[Data], Plot | None]]] = [
    ("channel rates", channel_rate), ("bottlenecks", bottleneck), ("single throughput", throughput),
    ("throughput against loss", by_loss), ("parallel traffic", shares), ("user throughput", user_throughput), ("clusters", clusters)]
