# SPDX-License-Identifier: BSD-3-Clause
"""The plots of a report of `gbflow bench`. A trial is named by its traffic."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbflow_report import draw
from gbflow_report.draw import Plot

Trial = dict[str, Any]

BAR_INCHES = 0.34
# The time above the floor: field, label.
REST = (("stall_ns", "stall"), ("idle_step_ns", "idle step"), ("unexplained_ns", "unexplained"))
REST_COLOURS = ("#b3b3b3", "#8c8c8c", "#e0e0e0")
SOAK_TIMES = ("before", "after_warm_up", "after")
# Okabe and Ito's seven, and lighter ones of the same for stages beyond them.
STAGE_COLOURS = (*draw.COLOURS, "#7FB7D8", "#EAAE7F", "#7FCEB9", "#E5BBD3")


def name_of(trial: Trial) -> str:
    cipher = "" if trial["cipher"] == "none" else f", {trial['cipher']}"
    workers = "" if trial["workers"] == 1 else f", {trial['workers']} workers"
    trip = f", {trial['round_trip_ns']:.0f} ns" if trial.get("round_trip_ns") else ""
    return f"{trial['octets']}{cipher}, {trial['mobiles']} mobiles{workers}{trip}"


def rows_of(count: int) -> tuple[Figure, Axes]:
    """Room for so many bars, the first one on top."""
    figure, (axes,) = draw.canvas(size=(8.4, 1.4 + BAR_INCHES * count))
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    return figure, axes


def name_rows(axes: Axes, trials: Sequence[Trial]) -> None:
    axes.set_yticks(range(len(trials)), [name_of(trial) for trial in trials])


def times(trials: Sequence[Trial]) -> Plot:
    figure, axes = rows_of(len(trials))
    for place, trial in enumerate(trials):
        middle = trial["ns_per_npdu"]
        axes.barh(place, middle, height=0.62, color=draw.COLOURS[0], label=None if place else "median")
        axes.errorbar(middle, place, xerr=[[middle - trial["ns_median_low"]], [trial["ns_median_high"] - middle]],
                      color="#333333", capsize=2.5, linewidth=1, label=None if place else "95 % interval of the median")
    name_rows(axes, trials)
    draw.finish(axes, "ns per N-PDU, of a worker's step", "")
    return Plot(figure, "times", "Time per N-PDU",
                "N-PDU octets, cipher, mobiles. From the Gn ring to the Gb ring, on one CPU.")


def sides_of(trial: Trial) -> tuple[str, str]:
    return ("apart", "together") if trial["mode"] == "pair" else ("a", "b")


def ratios(trials: Sequence[Trial]) -> Plot:
    """Of each round, and the interval of their median."""
    figure, axes = rows_of(len(trials) + 1)
    axes.axvline(100, color="black", linewidth=1)
    for place, trial in enumerate(trials):
        values = [100 * value for value in trial["ratios"]]
        axes.plot(values, [place + 0.2] * len(values), ".", color="#8c8c8c", label=None if place else "a round")
        axes.plot([100 * trial["ratio_low"], 100 * trial["ratio_high"]], [place] * 2, color=draw.COLOURS[0], linewidth=5,
                  solid_capstyle="butt", label=None if place else "95 % interval of the median")
        axes.plot(100 * trial["ratio"], place, "|", color="black", markersize=13, label=None if place else "median")
    axes.set_ylim(len(trials) - 0.4, -0.6)
    name_rows(axes, trials)
    draw.finish(axes, "second side's rate, in percent of the first one's", "")
    return Plot(figure, "ratios", "The second side's rate beside the first one's",
                "compare: program b / program a; pair: one process / two processes. Below 100 the second side is slower.")


def rates(trials: Sequence[Trial]) -> Plot:
    figure, axes = rows_of(2 * len(trials))
    kinds = [("ndr_npdu_per_s", "without loss (NDR)"), ("pdr_npdu_per_s", "0.5 % lost (PDR)"),
             ("roofline_npdu_per_s", "testpmd in the worker's place")]
    for index, (field, label) in enumerate(kinds):
        known = [(place, trial) for place, trial in enumerate(trials) if trial.get(field)]
        axes.barh([place + (index - 1) * 0.27 for place, _ in known], [trial[field] / 1e6 for _, trial in known],
                  height=0.25, color=draw.COLOURS[index], label=label if known else None)
        for place, trial in known:
            spread = trial.get(field.replace("_npdu_per_s", "_range"))
            if spread:
                axes.plot([spread["least"] / 1e6, spread["most"] / 1e6], [place + (index - 1) * 0.27] * 2, color="#333333",
                          linewidth=1)
    name_rows(axes, trials)
    draw.finish(axes, "million N-PDUs a second", "")
    return Plot(figure, "rates", "NDR and PDR over memif", "Bars: median of the searches; lines: least to most. "
                "ns: round trip of a cache line between the two CPUs.")


def latencies(trials: Sequence[Trial]) -> Plot | None:
    known = [trial for trial in trials if any(level["p50"] is not None for level in trial["latency_at"])]
    if not known:
        return None
    figure, (axes,) = draw.canvas()
    for index, trial in enumerate(known[:draw.CURVES]):
        levels = [level for level in trial["latency_at"] if level["p50"] is not None]
        percents = [level["percent"] for level in levels]
        style = draw.look(index)
        axes.plot(percents, [level["p50"] for level in levels], color=style.colour, marker=style.marker, label=name_of(trial))
        axes.plot(percents, [level["p99"] for level in levels], color=style.colour, marker=style.marker, linestyle=(0, (3, 1.5)),
                  fillstyle="none")
    axes.set_yscale("log")
    draw.finish(axes, "offered load, percent of NDR", "latency (us)")
    more = f" {len(known) - draw.CURVES} more are in the table." if len(known) > draw.CURVES else ""
    return Plot(figure, "latencies", "Latency", f"Solid lines: median; dashed lines: 99 %. Only without ciphering.{more}")


def parts_of(trial: Trial) -> list[tuple[str, float, str]]:
    """What an N-PDU's time is made of: name, nanoseconds, colour. A part that came out below nothing is nothing."""
    step = [stage for stage in trial["stages"] if stage["part_of"] is None]
    parts = [(stage["name"], stage["alone_ns"], STAGE_COLOURS[index % len(STAGE_COLOURS)]) for index, stage in enumerate(step)]
    parts += [(label, trial["rest"][field], REST_COLOURS[index]) for index, (field, label) in enumerate(REST)]
    return [(label, max(value, 0), colour) for label, value, colour in parts]


def stages(trials: Sequence[Trial]) -> Plot:
    figure, axes = rows_of(2 * len(trials) + 2)
    for place, trial in enumerate(trials):
        left = 0.0
        for label, value, colour in parts_of(trial):
            axes.barh(place, value, left=left, height=0.6, color=colour, edgecolor="white", linewidth=0.4,
                      label=None if place else label)
            left += value
        axes.plot([trial["floor_ns"]] * 2, [place - 0.4, place + 0.4], color="black", linewidth=1.2,
                  label=None if place else "floor")
    name_rows(axes, trials)
    draw.finish(axes, "ns per N-PDU", "")
    return Plot(figure, "stages", "Where the time goes",
                "In colours each stage alone, with all data in the nearest caches; their sum is the floor. In grey the additional "
                "time of whole steps.")
