# SPDX-License-Identifier: BSD-3-Clause
"""The page of an AQM scheme's curves, from what `gbflow aqm curve` wrote (schema gbflow-aqm-curve/1)."""

import pathlib
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes

from gbflow_report import charts, draw, output, page
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table
from gbflow_results import Failure, files

SCHEMA = "gbflow-aqm-curve/1"
# What the axis counts: its label, and what one tick of it is in the file's unit.
AXES = {"backlog_octets": ("backlog (kB)", 1000.0), "age_s": ("age (s)", 1.0)}
CHANCE = "share of packets signalled"


def share_axis(axes: Axes) -> None:
    axes.set_ylim(-0.03, 1.05)
    axes.set_xlim(left=0)


def standing(data: dict[str, Any]) -> Plot:
    """Over the axis: circles as measured, the formula as a line."""
    figure, (axes,) = draw.canvas()
    label, unit = AXES[data["axis"]]
    points = data["points"]
    known = [point for point in points if point["formula"] is not None]
    if known:
        axes.plot([point["at"] / unit for point in known], [point["formula"] for point in known],
                  color=draw.COLOURS[0], label="published formula")
    axes.plot([point["at"] / unit for point in points], [point["signalled"] for point in points], linestyle="none",
              marker="o", markersize=3.4, fillstyle="none", color=draw.COLOURS[1], label="measured")
    share_axis(axes)
    draw.finish(axes, label, CHANCE)
    formula = "" if known else " No closed formula was published for it."
    return Plot(figure, "standing", "A queue that stands still",
                f"Each point: {page.count(data['packets'])} packets through the scheme's own hooks, after "
                f"{page.count(data['settling_packets'])} that it had to settle on. Signalled: marked or "
                f"dropped.{formula}")


def onset(data: dict[str, Any]) -> Plot:
    figure, (axes,) = draw.canvas()
    label, unit = AXES[data["axis"]]
    name, _, measure = label.partition(" ")
    for index, curve in enumerate(data["onset"]):
        look = draw.look(index)
        times = [(slot + 0.5) * data["onset_slot_s"] for slot in range(len(curve["shares"]))]
        axes.plot(times, [float("nan") if share is None else share for share in curve["shares"]], color=look.colour,
                  linestyle=look.dash, label=f"{name} {curve['at'] / unit:.3g} {measure.strip('()')}")
    share_axis(axes)
    draw.finish(axes, "time since the queue began to stand there (s)", CHANCE)
    return Plot(figure, "onset", "How fast it acts",
                "The queue jumps from nothing to where it then stays, whatever is signalled: what the scheme does in "
                f"each {data['onset_slot_s']:g} s after that, as the mean over {data['onset_runs']} queues.")


def case_name(case: dict[str, Any]) -> str:
    return (f"{case['low_s']:g} to {case['high_s']:g} s, maxDP {case['max_chance']:g}, "
            f"T {case['period_s'] * 1000:g} ms")


def figure2(data: dict[str, Any]) -> Plot:
    figure, (axes,) = draw.canvas(size=(8.4, 4.2))
    for index, case in enumerate(data["figure2"]["cases"]):
        look = draw.look(index)
        axes.plot(case["formula"], color=look.colour, linestyle=look.dash, label=case_name(case))
        axes.plot(range(0, len(case["signalled"]), 8), case["signalled"][::8], linestyle="none", marker=look.marker,
                  markersize=3, color=look.colour)
    stated = data["figure2"]["stated"]
    axes.plot(stated["check"], stated["published"], linestyle="none", marker="x", markersize=9, color="black",
              label="stated in the paper")
    share_axis(axes)
    axes.set_xlabel("checks of a packet's age, N")
    axes.set_ylabel("signalled at the N-th check or earlier")
    axes.legend(loc="lower right", fontsize=8)
    return Plot(figure, "figure2", "The paper's Fig. 2: signalled at the N-th check or earlier",
                "Lines: equation 1, multiplied out. Marks: packets drawn through the scheme's hooks. The paper states "
                f"{stated['published']} after {stated['check']} checks; equation 1 gives {stated['formula']:.5f}, the "
                f"hooks {stated['signalled']:.5f}.")


def parameters(data: dict[str, Any]) -> Table:
    return Table("Parameters of these curves.", ["parameter", "value"],
                 [[name, Cell(value, "text")] for name, value in data["parameters"].items()])


def plots_of(data: dict[str, Any]) -> Sequence[Plot]:
    return [*([figure2(data)] if "figure2" in data else []), standing(data), onset(data)]


def html_of(data: dict[str, Any], library: charts.Library | None = None) -> str:
    plots = plots_of(data)
    head = (f"<header>\n<h1>{page.escape(data['title'])}</h1>\n<p>{page.escape(data['summary'])}</p>\n"
            f'<p class="soft">Scheme <code>{page.escape(data["scheme"])}</code>; source: '
            f'{page.escape(data["source"])}. The queue ' f"drains at {page.kbps(data['rate_bps'])} kbit/s in packets "
            f"of {data['packet_octets']} octets.</p>\n</header>\n")
    return page.page_html(f"{data['title']} - gbflow", len(plots), [("Page by", output.origin())], head,
                          page.section_html("Curves", *charts.figures_html(plots, library)),
                          page.section_html("Parameters", page.table_html(parameters(data))),
                          charts.scripts_html(library))


def write(path: pathlib.Path) -> pathlib.Path:
    """PATH.json to PATH.html, and each plot as SVG beside it."""
    data = files.read_report(path, SCHEMA)
    target = path.with_suffix(".html")
    try:
        output.write_whole(target, html_of(data, charts.library()))
        for made in plots_of(data):
            output.write_whole(path.with_name(f"{path.stem}-{made.name}.svg"), svg_file(made))
    except (KeyError, TypeError, ValueError) as error:
        raise Failure(f"{path}: a field is missing or of another kind: {error}") from error
    return target


def svg_file(made: Plot) -> str:
    """A plot on its own needs to say that it is SVG."""
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return made.svg + "\n" if 'xmlns="' in made.svg else made.svg.replace("<svg ", f"<svg {spaces} ", 1) + "\n"
