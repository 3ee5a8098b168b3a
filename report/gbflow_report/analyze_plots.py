# SPDX-License-Identifier: BSD-3-Clause
"""Plots of an analysis about connection set-up: the tree, what set-up delay is made of, round-trip times."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import FancyBboxPatch

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_results.files import number, pick

Data = dict[str, Any]

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
