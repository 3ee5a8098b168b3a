# SPDX-License-Identifier: BSD-3-Clause
"""The page of an analysis (gbflow analyze): plots about connection set-up (the tree, what set-up delay is made of, round-trip
times) and about data transfer (channel rates, losses, throughput, clusters), then its tables.
"""

import pathlib
from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Patch

from gbflow_report import charts, draw, output, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_results import Failure, files
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
        parts.append(f"{setup_s:.2f} s")
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
    axes.text(left + WIDTH / 2, middle + 0.2, heading, ha="center", va="center", fontsize=7.6, color=colour, weight="bold")
    axes.text(left + WIDTH / 2, middle - 0.15, figures_of(node, whole), ha="center", va="center", fontsize=7.4,
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
    figure, (axes,) = draw.canvas(size=(8.4, 5.6))
    axes.axis("off")
    rows = {row[0]: row for row in TREE}
    for row in TREE:
        if row[4]:
            edge(axes, row, rows[row[4]], (number(nodes, row[0], "count") or 0) / whole)
        box(axes, row, nodes[row[0]], whole)
    axes.set_xlim(-0.05, 2 * COLUMN + WIDTH + 0.05)
    axes.set_ylim(-7.55, 0.55)
    return Plot(draw.svg(figure, "tree", "Classification tree of connection set-up"), "tree", "Connection set-up: the classification tree",
                "Of all connections that mobiles opened: how many, the mean set-up delay from the first SYN to the first ACK, "
                "and the share before whose SYN the mobile was not silent. Lines are as thick as many connections went there.")


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
    figure, rows = draw.canvas(len(kinds), (8.4, 1.1 + 1.15 * len(kinds)))
    for index, (axes, (name, label)) in enumerate(zip(rows, kinds)):
        bars(axes, spreads[name], draw.COLOURS[(index - 1) % draw.CURVES] if index else "#8a949e", label)
        draw.finish(axes, "set-up delay (s)" if axes is rows[-1] else "", "connections")
        axes.yaxis.get_major_locator().set_params(integer=True)
    top = max(pick(spreads, name, "p95") or 0 for name, _ in kinds)
    rows[0].set_xlim(0, max(1.0, 1.5 * top))
    return Plot(draw.svg(figure, "setup", "Histograms of set-up delay"), "setup", "What set-up delay is made of",
                "From the first SYN to the first ACK, in classes of 0.1 s. Background: a packet of the same mobile less than "
                f"{data['thresholds']['silence_s']:g} s before the SYN. What is longer than the axis is left out.")


def cdf(axes: Axes, spread: Data | None, label: str, index: int) -> None:
    if not spread:
        return
    style = draw.look(index)
    points = [(spread["min"], 0.0), *spread["cdf"]]
    axes.plot([value for value, _ in points], [100 * share for _, share in points], color=style.colour, linestyle=style.dash,
              label=f"{label} ({page.count(spread['count'])})", drawstyle="steps-post")


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
                                           ("access_peak", "access, peak hours"), ("access_off_peak", "access, off-peak")]):
        cdf(axes, spreads.get(name), label, index)
    finish_cdf(axes, max(spreads[name]["p95"] for name in ("internet", "access")), "connections (%)")
    return Plot(draw.svg(figure, "rtt", "Distributions of round-trip times"), "rtt", "Round-trip times",
                "From set-ups with one SYN and one SYN-ACK without background traffic: SYN to SYN-ACK is the Internet's side, "
                f"SYN-ACK to ACK the access's. Peak hours and off-peak: {hours(data, 'peak')} and {hours(data, 'quiet')} h.")


def rtt_loaded(data: Data) -> Plot | None:
    spread = pick(data, "rtt_s", "access_loaded")
    if not spread:
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.7))
    cdf(axes, spread, "data segments", 4)
    finish_cdf(axes, spread["p95"], "segments (%)")
    return Plot(draw.svg(figure, "rtt-loaded", "Distribution of round-trip times of data"), "rtt-loaded", "Round-trip times of data",
                "From a data segment at the monitor to its ACK, with the mobile's queue in it; counted as by tcptrace.")


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
    return Plot(draw.svg(figure, "llc-confirmation", "Distribution of the time until LLC confirms a frame"), "llc-confirmation",
                "How long LLC frames wait for their confirmation",
                "At Gb, from the first I frame with a number to the first report that confirms it, repetitions in between included. "
                "Frames to mobiles wait in the BSS and cross the radio in this time, frames from mobiles have done so before.")


# --- plots of data transfer ---

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


# --- tables and the page ---

SCHEMA = "gbflow-analysis/1"
PLOTS: list[tuple[str, Callable[[Data], Plot | None]]] = [
    ("set-up", tree), ("set-up delay", setup), ("round-trip times", rtt),
    ("round-trip times of data", rtt_loaded), ("channel rates", channel_rate),
    ("bottlenecks", bottleneck), ("single throughput", throughput),
    ("throughput against loss", by_loss), ("parallel traffic", shares),
    ("user throughput", user_throughput), ("clusters", clusters),
    ("acknowledged LLC", confirmation)]

# What the paper's tables I, II and III say of all its GPRS networks together.
PAPER_1 = {"sack": 0.5549, "timestamp": 0.0948, "mss_low": 0.2512, "mss_high": 0.2252, "window_low": 0.5590,
           "window_medium": 0.2554, "window_high": 0.1856}
PAPER_2 = {"internet": 0.0015, "access": 0.0122}
PAPER_3 = {"mss_low": 20048.52, "mss_high": 24936.86, "sack": 25425.25, "no_sack": 23136.50, "timestamp": 25342.24,
           "no_timestamp": 24049.16, "window_low": 22542.80, "window_medium": 25723.40, "window_high": 24383.82,
           "overall": 24233.09}
TERMS = [
    ("paper", "P. Benko, G. Malicsko, A. Veres, A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS, INFOCOM "
              "2004; its figures are those of all its GPRS networks"),
    ("monitor", "where the capture was taken; the Internet is in front of it, the access (SGSN, BSS, radio) behind it"),
    ("background", "a packet of the same mobile shortly before the SYN"),
    ("channel rate", "what a mobile gets while its queue behind the monitor does not run empty"),
    ("throughput, goodput", "IP octets, and TCP payload without repetitions, over the time from the first data's ACK to the last's"),
]


def percent2(share: float | None) -> str:
    return page.fixed(share, 2, 100.0)


def loss_table(data: Data) -> Table:
    loss = data["loss"]
    table = Table("Packets with data on their way to mobiles, by where they were lost (table II).",
                  ["side", "lost (%)", "the paper (%)", "lost packets"])
    for name, label in (("internet", "Internet, in front of the monitor"), ("access", "access, behind the monitor")):
        table.rows.append([label, percent2(loss[name]), percent2(PAPER_2[name]), page.count(loss[f"{name}_lost"])])
    return table


def events_table(data: Data) -> Table:
    loss = data["loss"]
    names = [("data_packets", "data packets seen"), ("retransmitted", "seen again"), ("spurious", "of these for nothing"),
             ("reordered", "reordered in front of the monitor"), ("missed_by_capture", "acknowledged, but not in the capture")]
    return Table("What sequence numbers and ACKs tell.", ["packets", "count"], [[label, page.count(loss[name])] for name, label in names])


def table_1(data: Data) -> Table:
    table = Table(f"Options of {page.count(data['table_1']['connections'])} connections opened by mobiles (table I).",
                  ["option", "share (%)", "the paper (%)"])
    table.rows += [[NAMES[name], page.percent(data["table_1"][name]), page.percent(share)] for name, share in PAPER_1.items()]
    return table


def table_3(data: Data) -> Table:
    table = Table("Goodput of single connections by option (table III).",
                  ["option", "goodput (bit/s)", "deviation", "samples", "the paper (bit/s)"])
    for name, paper_bps in PAPER_3.items():
        row = data["table_3"][name]
        table.rows.append([NAMES[name], page.count(row["mean"]), page.count(row["deviation"]), page.count(row["count"]),
                           page.count(paper_bps)])
    return table


def llc_table(data: Data) -> Table:
    names = [("i_frames", "I frames"), ("repeated", "of these, seen before"), ("needless", "of these, confirmed before"),
             ("late", "first seen after their successors"), ("confirmed", "confirmed"), ("taken_back", "taken back unconfirmed"),
             ("missed_by_capture", "confirmed, but not in the capture")]
    table = Table("LLC in acknowledged mode at Gb.", ["frames", *(label for _, label in WAYS)])
    table.rows += [[label, *(page.count(data["llc"][way][name]) for way, _ in WAYS)] for name, label in names]
    table.rows.append(["octets repeated (%)", *(octets_again(data["llc"][way]) for way, _ in WAYS)])
    return table


def octets_again(way: Data) -> str:
    return percent2(way["repeated_octets"] / way["octets"] if way["octets"] else None)


def llc_sentences(data: Data) -> str:
    """What acknowledged LLC did, in words; empty: nothing in acknowledged mode passed."""
    llc = data.get("llc")
    if not llc or not llc["links"]:
        return ""
    down, wait_s = llc["downlink"], pick(llc, "downlink", "confirm_s", "p50")
    found = [f"{page.count(down['repeated'])} of {page.count(down['i_frames'])} LLC frames to mobiles were repetitions "
             f"({percent2(down['repeated_share'])} %)"] if down["i_frames"] else []
    if down["needless"]:
        found.append(f"{page.count(down['needless'])} of these repeated a frame that the mobile had confirmed")
    if wait_s is not None:
        found.append(f"of the confirmed frames to mobiles half waited {page.seconds(wait_s)} s or less for it")
    if llc["no_room"]:
        found.append(f"{page.count(llc['no_room'])} frames were ignored, as the table of links was full; --set links=N makes it larger")
    return "".join(f"<p>{text[0].upper()}{text[1:]}.</p>\n" for text in found)


def rtt_table(data: Data) -> Table:
    names = [("internet", "Internet side"), ("access", "access side"), ("access_peak", "access side, peak hours"),
             ("access_off_peak", "access side, off-peak"), ("access_loaded", "access side under load")]
    table = Table("Round-trip times.", ["side", "samples", "p5 (s)", "p50", "p95", "max"])
    for name, label in names:
        spread = pick(data, "rtt_s", name)
        if spread:
            table.rows.append([label, page.count(spread["count"]), *(page.seconds(spread[part]) for part in ("p5", "p50", "p95", "max"))])
    return table


def mobiles_table(data: Data) -> Table:
    table = Table("Mobiles.", ["address", "connections", "octets down", "channel rate, median (kbit/s)", "periods", "lost, access (%)",
                               "lost, Internet (%)"])
    busiest = sorted(data["mobiles"].items(), key=lambda item: (-item[1]["downlink_octets"], draw.natural(item[0])))[:100]
    for address, row in busiest:
        table.rows.append([address, page.count(row["connections"]), page.count(row["downlink_octets"]),
                           page.kbps(number(row, "channel_rate_bps", "median")), page.count(number(row, "channel_rate_bps", "count")),
                           percent2(number(row, "loss", "access")), percent2(number(row, "loss", "internet"))])
    if len(data["mobiles"]) > len(busiest):
        table.caption = f"The {len(busiest)} mobiles of {page.count(len(data['mobiles']))} with the most octets."
    return table


def capture_table(data: Data) -> Table:
    names = [("frames", "frames"), ("tcp", "TCP packets of mobiles"), ("other_packets", "other packets of mobiles"),
             ("cut_short", "cut short by the snap length"), ("unassigned", "with no mobile on either side"),
             ("other_frames", "no IP"), ("malformed", "malformed"), ("headless", "TCP without its header"),
             ("clock_steps", "steps of the clock"), ("no_room", "without room in the tables")]
    counts = [(label, data["capture"][name]) for name, label in names]
    counts += [("of Gb", pick(data, "llc", "ns_packets")), ("of Gb, cut in front of the end of LLC's header", pick(data, "llc", "cut"))]
    return Table("What the capture holds.", ["packets", "count"],
                 [[label, page.count(count)] for label, count in counts if count])


def thresholds_table(data: Data) -> Table:
    return Table("Thresholds of this analysis.", ["name", "value"], [[name, f"{value:g}"] for name, value in data["thresholds"].items()])


def cards(data: Data) -> list[tuple[str, str]]:
    rate, access = data["channel_rate_bps"], pick(data, "rtt_s", "access", "p50")
    found = [("captured", f"{data['capture']['duration_s']:.0f} s"), ("mobiles", page.count(len(data["mobiles"]))),
             ("TCP connections", page.count(data["connections"])),
             ("channel rate, median", f"{page.kbps(rate['p50'])} kbit/s" if rate else ""),
             ("access round trip, median", f"{page.seconds(access)} s" if access is not None else ""),
             ("lost in the access", f"{percent2(data['loss']['access'])} %" if data["loss"]["access"] is not None else ""),
             ("lost in the Internet", f"{percent2(data['loss']['internet'])} %" if data["loss"]["internet"] is not None else "")]
    return [(name, value) for name, value in found if value]


def html_of(data: Data, library: charts.Library | None = None) -> str:
    made = [(name, draw_one(data)) for name, draw_one in PLOTS]
    plots = [plot for _, plot in made if plot]
    missing = [name for name, plot in made if not plot]
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    broken = "" if data["capture"]["is_complete"] else (
        f'<p class="soft">The capture breaks off: {page.escape(data["capture"]["error"])}. What came before was read.</p>\n')
    said = llc_sentences(data)
    tables = [loss_table, events_table, rtt_table, table_1, table_3, mobiles_table] if data["connections"] or not said else []
    llc = [page.section_html("LLC", said, page.table_html(llc_table(data)))] if said else []
    title = "LLC at Gb" if said and not data["connections"] else "TCP over GPRS"
    head = (f'<header>\n<h1>{title}, seen from the monitor</h1>\n<p class="soft">Passive analysis of '
            f"{page.count(data['capture']['frames'])} frames.</p>\n{broken}{page.cards_html(cards(data))}</header>\n")
    return page.page_html(f"{title} - gbflow", len(plots), head,
                          page.section_html("Plots", *charts.figures_html(plots, library), left_out),
                          *llc, page.section_html("Tables", *(page.table_html(make(data)) for make in tables)),
                          page.section_html("Capture and thresholds", page.table_html(capture_table(data)),
                                            page.table_html(thresholds_table(data))),
                          page.section_html("Words", page.terms_html(TERMS)), charts.scripts_html(library))


def write(folder: pathlib.Path, is_static: bool = False) -> pathlib.Path:
    """folder/analysis.json to folder/report.html; returns its path. A static page has SVG and no script."""
    source, target = folder / "analysis.json", folder / "report.html"
    data = files.read_report(source, SCHEMA)
    try:
        output.write_whole(target, html_of(data, None if is_static else charts.library()))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Failure(f"{source}: a field is missing or of another kind: {error}") from error
    return target
