# SPDX-License-Identifier: BSD-3-Clause
"""The plots of an analysis (gbflow analyze): connection set-up (the tree, what set-up delay is made of, round-trip
times) and data
transfer (channel rates, losses, throughput, clusters). Each function gives None where the analysis has no data for it.
"""

import textwrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_results.files import number, pick

Data = dict[str, Any]


# --- plots of connection set-up ---

# name in the file, title, column, row, parent; rows count downwards
TREE = [
    ("all", "opened by mobiles", 0, 3.5, None),
    ("optimal", "one of each", 1, 0.5, "all"),
    ("slight", "repetitions", 1, 2.5, "all"),
    ("serious", "no ACK", 1, 4.5, "all"),
    ("no_response", "no SYN-ACK", 1, 6.5, "all"),
    ("optimal_alone", "no background traffic", 2, 0, "optimal"),
    ("optimal_background", "background traffic", 2, 1, "optimal"),
    ("slight_alone", "no background traffic", 2, 2, "slight"),
    ("slight_background", "background traffic", 2, 3, "slight"),
    ("serious_reset", "RST", 2, 4, "serious"),
    ("serious_silent", "silence", 2, 5, "serious"),
    ("no_response_refused", "RST", 2, 6, "no_response"),
    ("no_response_silent", "silence", 2, 7, "no_response"),
]
AREAS = {"all": ("", "#5b6570"), "optimal": ("optimal", draw.COLOURS[2]), "slight": ("slight problem", draw.COLOURS[4]),
         "serious": ("serious problem", draw.COLOURS[1]), "no_response": ("no response", draw.COLOURS[3])}
COLUMN, ROW, WIDTH, HEIGHT = 3.55, 1.0, 2.75, 0.8

SETUP = [("optimal_alone", "1 SYN, 1 SYN-ACK, no background"), ("optimal_background", "1 SYN, 1 SYN-ACK, background"),
         ("slight_alone", "repetitions, no background"), ("slight_background", "repetitions, background")]


def area_of(name: str) -> tuple[str, str]:
    return next(AREAS[area] for area in ("optimal", "slight", "serious", "no_response", "all") if name.startswith(area))


def figures_of(node: Data, whole: float) -> str:
    count = number(node, "count") or 0
    parts = [f"{page.count(count)} ({100 * count / whole:.1f} %)"]
    setup_s, background = number(node, "setup_s_mean"), number(node, "background_fraction")
    if setup_s is not None:
        parts.append(f"{setup_s:.2f} s of {page.count(number(node, 'setup_count'))}")
    if background is not None and 0 < background < 1:
        parts.append(f"{100 * background:.0f} % with background")
    return "   ".join(parts[:2]) + ("\n" + parts[2] if len(parts) > 2 else "")


def box(axes: Axes, row: tuple, node: Data, whole: float) -> None:
    name, title, column, line, _ = row
    left, middle = column * COLUMN, -line * ROW
    area, colour = area_of(name)
    axes.add_patch(FancyBboxPatch((left, middle - HEIGHT / 2), WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.12",
                                  facecolor="white", edgecolor=colour, linewidth=1.4))
    heading = f"{area}: {title}" if area and column == 1 else title
    axes.text(left + WIDTH / 2, middle + 0.2, heading, ha="center", va="center", fontsize=8, color="#333333",
              weight="bold")
    axes.text(left + WIDTH / 2, middle - 0.15, figures_of(node, whole), ha="center", va="center", fontsize=8,
              color="#1d232a", linespacing=1.15)


def edge(axes: Axes, row: tuple, parent: tuple, share: float) -> None:
    """Thicker where more connections went."""
    start, end = parent[2] * COLUMN + WIDTH, row[2] * COLUMN
    half = (start + end) / 2
    axes.plot([start, half, half, end], [-parent[3], -parent[3], -row[3], -row[3]], color="#b9c0c8",
              linewidth=0.6 + 5 * share, solid_joinstyle="round", zorder=0)


def tree(data: Data) -> Plot | None:
    nodes = data["tree"]
    whole = number(nodes, "all", "count")
    if not whole:
        return None
    if draw.sheet().is_narrow:
        return narrow_tree(nodes, whole)
    figure, (axes,) = draw.canvas(size=(8.4, 5.6))
    axes.axis("off")
    rows = {row[0]: row for row in TREE}
    for row in TREE:
        if row[4]:
            edge(axes, row, rows[row[4]], (number(nodes, row[0], "count") or 0) / whole)
        box(axes, row, nodes[row[0]], whole)
    axes.set_xlim(-0.05, 2 * COLUMN + WIDTH + 0.05)
    axes.set_ylim(-7.55, 0.55)
    return Plot(figure, "tree", "Connection set-up: the classification tree",
                f"Of {page.count(whole)} connections that mobiles opened: how many, the mean set-up delay from the "
                "first SYN to the first ACK and of how many, and the share before whose SYN the mobile "
                "was not silent. Lines are as thick as many connections went there.")


def narrow_tree(nodes: Data, whole: float) -> Plot:
    """Where the boxes have no room: a row for each, its bar as long as many connections went there."""
    figure, (axes,) = draw.canvas(size=(8.4, 0.7 + 0.3 * len(TREE)), keeps_height=True)
    names = []
    order = [row for parent in TREE if parent[4] in (None, "all")
             for row in (parent, *(row for row in TREE if row[4] == parent[0] != "all"))]
    for place, (name, title, column, _, _) in enumerate(order):
        area, colour = area_of(name)
        axes.barh(place, number(nodes[name], "count") or 0, height=0.7, color=colour,
                  hatch="" if column == 1 else "///" if column == 2 else "", edgecolor="white")
        axes.annotate(figures_of({**nodes[name], "background_fraction": None}, whole),
                      (number(nodes[name], "count") or 0, place), (3, 0),
                      textcoords="offset points", va="center", fontsize=7.5)
        names.append(f"{area}: {title}" if area and column == 1 else title)
    axes.set_yticks(range(len(order)), [textwrap.fill(name, 22) for name in names])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlim(0, 1.8 * whole)
    axes.set_xlabel("connections, share, mean set-up delay")
    return Plot(figure, "tree", "Connection set-up",
                f"Of {page.count(whole)} connections that mobiles opened: how many, the mean set-up delay and of "
                "how many.")


def bars(axes: Axes, spread: Data | None, colour: str, label: str) -> None:
    if not spread:
        return
    width = spread["bar_width"]
    axes.bar([start for start, _ in spread["bars"]], [count for _, count in spread["bars"]], width=width, align="edge",
             color=colour, label=f"{label} ({page.count(spread['count'])})", linewidth=0)


def setup(data: Data) -> Plot | None:
    """Fig. 3 of the paper."""
    spreads = data["setup_s"]
    if not pick(spreads, "all"):
        return None
    kinds = [("all", "all connections"), *[kind for kind in SETUP if pick(spreads, kind[0])]]
    figure, rows = draw.canvas(len(kinds), (8.4, 1.1 + 1.15 * len(kinds)), keeps_height=True)
    for index, (axes, (name, label)) in enumerate(zip(rows, kinds)):
        bars(axes, spreads[name], draw.COLOURS[(index - 1) % draw.CURVES] if index else "#8a949e", label)
        draw.finish(axes, "set-up delay (s)" if axes is rows[-1] else "", "connections")
        axes.yaxis.get_major_locator().set_params(integer=True)
    top = max(pick(spreads, name, "p95") or 0 for name, _ in kinds)
    rows[0].set_xlim(0, max(1.0, 1.5 * top))
    return Plot(figure, "setup", "What set-up delay is made of",
                f"From the first SYN to the first ACK of {page.count(pick(spreads, 'all', 'count'))} connections, in "
                "classes of 0.1 s. Background: a packet of the same mobile less than "
                f"{data['thresholds']['silence_s']:g} s before the SYN. What is longer than the axis is left out.")


def cdf(axes: Axes, spread: Data | None, label: str, index: int) -> None:
    if not spread:
        return
    style = draw.look(index)
    points = [(spread["min"], 0.0), *spread["cdf"]]
    axes.plot([value for value, _ in points], [100 * share for _, share in points],
              label=f"{label} ({page.count(spread['count'])})",
              drawstyle="steps-post", **draw.marked(style))


def finish_cdf(axes: Axes, top_s: float, y_label: str) -> None:
    axes.set_xlim(0, 1.3 * top_s or None)
    axes.set_ylim(0, 101)
    draw.finish(axes, "round-trip time (s)", y_label)


def hours(data: Data, name: str) -> str:
    limits = data["thresholds"]
    return f"{limits[name + '_from_h']:g}-{limits[name + '_to_h']:g}"


def rtt(data: Data) -> Plot | None:
    """Fig. 4 of the paper."""
    spreads = data["rtt_s"]
    if not spreads["access"]:
        return None
    figure, (axes,) = draw.canvas()
    for index, (name, label) in enumerate([("internet", "Internet side"), ("access", "access side"),
                                           ("access_peak", "access, peak hours"),
                                           ("access_off_peak", "access, off-peak")]):
        cdf(axes, spreads.get(name), label, index)
    finish_cdf(axes, max(spreads[name]["p95"] for name in ("internet", "access")), "connections (%)")
    return Plot(figure, "rtt", "Round-trip times",
                f"From {page.count(pick(spreads, 'access', 'count'))} set-ups with one SYN and one SYN-ACK without "
                "background traffic: SYN to SYN-ACK is the "
                "Internet's side, "
                f"SYN-ACK to ACK the access's. Peak hours and off-peak: {hours(data, 'peak')} and "
                f"{hours(data, 'quiet')} h.")


def rtt_loaded(data: Data) -> Plot | None:
    spread = pick(data, "rtt_s", "access_loaded")
    if not spread:
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.7))
    cdf(axes, spread, "data segments", 4)
    finish_cdf(axes, spread["p95"], "segments (%)")
    return Plot(figure, "rtt-loaded", "Round-trip times of data",
                f"From a data segment at the monitor to its ACK, with the mobile's queue in it, of "
                f"{page.count(spread['count'])} segments; counted as by tcptrace.")


WAYS = [("downlink", "to mobiles"), ("uplink", "from mobiles")]


def confirmation(data: Data) -> Plot | None:
    spreads = [(label, pick(data, "llc", way, "confirm_s")) for way, label in WAYS]
    if not any(spread for _, spread in spreads):
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.7))
    for index, (label, spread) in enumerate(spreads):
        cdf(axes, spread, label, index)
    finish_cdf(axes, max(spread["p95"] for _, spread in spreads if spread), "I frames (%)")
    axes.set_xlabel("first frame to confirmation (s)")
    return Plot(figure, "llc-confirmation",
                "How long LLC frames wait for their confirmation",
                "At Gb, from the first I frame with a number to the first report that confirms it, repetitions in "
                "between included. "
                "Frames to mobiles wait in the BSS and cross the radio in this time, frames from mobiles have done so "
                "before.")


# --- plots of data transfer ---

THIRDS = [("background_below_1_3", "less than 1/3 background"), ("background_1_3_to_2_3", "1/3 to 2/3 background"),
          ("background_above_2_3", "more than 2/3 background")]
SIDES = [("none", "no loss", draw.COLOURS[2]), ("access", "more in the access", draw.COLOURS[1]),
         ("internet", "more in the Internet", draw.COLOURS[0])]
NAMES = {"sack": "SACK", "no_sack": "no SACK", "timestamp": "timestamps", "no_timestamp": "no timestamps",
         "mss_low": "MSS low",
         "mss_high": "MSS high", "window_low": "window low", "window_medium": "window medium",
         "window_high": "window high",
         "overall": "overall"}


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
    return Plot(figure, "channel-rate", "Available channel rate",
                f"Periods of connections without loss or reordering with more than {limits['flight_octets']:g} octets "
                f"outstanding, "
                f"of at least {limits['period_octets']:g} octets, in classes of 1 kbit/s: "
                f"{page.count(spread['count'])} periods. "
                "GPRS with CS-2 has its peaks at 21-22 kbit/s (two slots) and 34-35 kbit/s (three).")


def throughput(data: Data) -> Plot | None:
    """Fig. 9 of the paper."""
    spread = pick(data, "single", "throughput_bps")
    if not spread:
        return None
    figure, (axes,) = draw.canvas()
    histogram(axes, spread, draw.COLOURS[2])
    draw.finish(axes, "throughput (kbit/s of IP)", "connections")
    return Plot(figure, "throughput", "Throughput of single connections",
                f"{page.count(spread['count'])} connections with more than {data['thresholds']['long_octets']:g} "
                "octets for one request and nothing in parallel, "
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
    axes.set_xticks(range(len(rows)), [f"{row['loss']}\n({page.count(row['goodput_bps']['count'])})" for row in rows])
    draw.finish(axes, "packets lost of those sent (connections)", "mean (kbit/s)")
    return Plot(figure, "by-loss", "Throughput against loss",
                "Of the same connections: IP octets and TCP payload, by the share of "
                "packets lost on either side of the monitor.")


def bottleneck(data: Data) -> Plot | None:
    """Fig. 8 of the paper."""
    if not pick(data, "bottleneck", "connections"):
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.2), keeps_height=True)
    percents = [100 * (number(data, "bottleneck", name) or 0) for name, *_ in SIDES]
    axes.barh(range(len(SIDES)), percents, height=0.6, color=[colour for *_, colour in SIDES])
    for place, percent in enumerate(percents):
        axes.annotate(f"{percent:.1f} %", (percent, place), (3, 0), textcoords="offset points", va="center")
    axes.set_yticks(range(len(SIDES)), [label for _, label, _ in SIDES])
    axes.invert_yaxis()
    axes.grid(False, axis="y")
    axes.set_xlim(0, 115)
    axes.set_xlabel("connections with data (%)")
    return Plot(figure, "bottleneck", "Where connections lose packets",
                f"Of {page.count(number(data, 'bottleneck', 'connections'))} connections with data; as many on one "
                f"side as on the "
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
    return Plot(figure, "shares", "How much parallel traffic long connections have",
                f"While one of {page.count(sum(counts))} connections with more than "
                f"{data['thresholds']['long_octets']:g} octets lasts: its own octets of all that its mobile gets. 100 "
                f"%: it is alone.")


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
            scaled = {**spread, "min": spread["min"] / 1000,
                      "cdf": [(value / 1000, share) for value, share in spread["cdf"]]}
            cdf(axes, scaled, label, index)
            top = max(top, spread["max"] / 1000)
    axes.set_ylim(0, 101)
    axes.set_xlim(0, 1.1 * top)
    draw.finish(axes, "throughput of the mobile (kbit/s of IP)", "connections (%)")
    return Plot(figure, "user-throughput", "What a mobile gets, by its parallel traffic",
                "R = 8 (Btcp + Bother) / (T2ack - T1ack): all octets to the mobile from a long connection's first "
                "data packet to "
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
    figure, (axes,) = draw.canvas(size=(8.4, 1.2 + 0.27 * (len(named) + len(totals) + 1)), keeps_height=True)
    places = [*range(len(named)), *range(len(named) + 1, len(named) + 1 + len(totals))]
    for place, (_, row), colour in zip(places, named + totals,
                                       [draw.COLOURS[5]] * len(named) + [draw.COLOURS[0]] * len(totals)):
        axes.barh(place, row["mean"] / 1000, height=0.72, color=colour)
        if row["deviation"] is not None:
            axes.errorbar(row["mean"] / 1000, place, xerr=row["deviation"] / 1000, color="#333333", capsize=2.5,
                          linewidth=1)
    words = [f"{name} ({page.count(row['count'])})" for name, row in named + totals]
    axes.set_yticks(places, [textwrap.fill(text, 24) for text in words] if draw.sheet().is_narrow else words,
                    fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0)
    axes.grid(False, axis="y")
    axes.set_xlabel("goodput (kbit/s)")
    return Plot(figure, "clusters", "Goodput by TCP's options",
                f"Single connections with more than {data['thresholds']['bulk_octets']:g} octets: mean and standard "
                f"deviation (no "
                "confidence interval), number of connections in brackets. Above each constellation, below each option "
                "on its own.")
