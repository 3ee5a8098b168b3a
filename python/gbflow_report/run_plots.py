# SPDX-License-Identifier: BSD-3-Clause
"""The plots of one run: queues, cells and packets, then TCP connections.
Each function gives None where the run has no data for it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbflow_report import draw, fields, traffic
from gbflow_report import page_times as pages
from gbflow_report.draw import Look, Plot
from gbflow_report.page import plural
from gbflow_results.files import Curve, Series, number

TIME = "time (s)"
BANDS = " Where points would be too many, a line is their median and the band reaches from the smallest to the largest."


@dataclass(frozen=True)
class Run:
    """What a run left, and which colour each mobile has in all plots."""

    summary: dict[str, Any]
    series: Series

    @cached_property
    def warmup_s(self) -> float:
        return number(self.summary, "warmup_s") or 0.0

    @cached_property
    def end_s(self) -> float:
        return number(self.summary, "duration_s") or 0.0

    @cached_property
    def mobiles(self) -> list[str]:
        names = traffic.mobiles(self.summary)
        for key in ("goodput_bps", "sgsn_backlog_octets", "bss_backlog_octets", "ping_rtt_s"):
            names |= set(self.series.curves_of(key))
        names |= {split_of(of)[0] for of in self.series.curves_of("delay_s")}
        return sorted(names, key=draw.natural)

    def looks(self, names: list[str]) -> dict[str, Look]:
        """By mobile while there are few; else in the order of what is drawn."""
        few = len(self.mobiles) <= draw.CURVES and set(names) <= set(self.mobiles)
        order = self.mobiles if few else names
        return {name: draw.look(order.index(name)) for name in names}

    def frame(self, axes: Axes) -> None:
        """The whole run on the x axis, the y axis from 0; what the summary does not count is grey."""
        if self.end_s > 0:
            axes.set_xlim(0, self.end_s)
        if self.warmup_s > 0:
            axes.axvspan(0, self.warmup_s, color="#000000", alpha=0.05, linewidth=0)
        axes.set_ylim(bottom=0)


def in_order(curves: Mapping[str, Curve]) -> dict[str, Look]:
    return {name: draw.look(index) for index, name in enumerate(curves)}


def split_of(of: str) -> tuple[str, str]:
    """ "anna thp2" -> ("anna", "thp2") """
    mobile, _, kind = of.rpartition(" ")
    return (mobile, kind) if mobile else (kind, "")


def delays(run: Run) -> dict[str, Curve]:
    """By mobile and class; by class alone where there are more mobiles than colours."""
    counted = {of: curve.since(run.warmup_s) for of, curve in run.series.curves_of("delay_s").items()}
    counted = {of: curve for of, curve in counted.items() if len(curve)}
    if len(counted) <= draw.CURVES:
        return {f"{split_of(of)[0]}, {split_of(of)[1]}": counted[of] for of in sorted(counted, key=draw.natural)}
    groups: dict[str, list[Curve]] = {}
    for of, curve in counted.items():
        groups.setdefault(split_of(of)[1], []).append(curve)
    return {kind: merged(groups[kind]) for kind in sorted(groups)}


def merged(curves: list[Curve]) -> Curve:
    time_s = numpy.concatenate([curve.time_s for curve in curves])
    value = numpy.concatenate([curve.value for curve in curves])
    order = numpy.argsort(time_s, kind="stable")
    return Curve(time_s[order], value[order])


def delay_cdf(run: Run) -> Plot | None:
    curves, note = draw.most(delays(run))
    if not curves:
        return None
    figure, (axes,) = draw.canvas()
    for name, style in in_order(curves).items():
        draw.step(axes, *draw.distribution(curves[name].value, draw.POINTS), name, style)
    axes.set_ylim(0, 1.01)
    axes.axhline(0.95, color="#999999", linewidth=0.8)
    axes.text(1.0, 0.945, "95 % ", transform=axes.get_yaxis_transform(), ha="right", va="top", color="#777777",
              fontsize=8)
    axes.set_xlim(left=0)
    draw.finish(axes, fields.axis("delay_s")[0], "share of packets")
    return Plot(figure, "delay-cdf", "How long packets took",
                "Read upwards: the share of delivered packets that took at most so long from the sender to the mobile. "
                "The further left and the steeper, the better; a long tail to the right is a standing queue." + note)


def clouds(run: Run, series: str, curves: dict[str, Curve],
           looks: Mapping[str, Look] | None = None) -> tuple[Figure, str]:
    """Points over time, and a sentence where there are so many that bands stand in their place."""
    figure, (axes,) = draw.canvas()
    styles = looks or in_order(curves)
    banded = [draw.cloud(axes, curve, name, styles[name]) for name, curve in curves.items()]
    run.frame(axes)
    draw.finish(axes, TIME, fields.axis(series)[0])
    return figure, BANDS if any(banded) else ""


def delay_time(run: Run) -> Plot | None:
    curves, note = draw.most(delays(run))
    if not curves:
        return None
    figure, bands = clouds(run, "delay_s", curves)
    return Plot(figure, "delay-time", "Delay over time",
                "Each packet at the moment of its delivery: a ramp is a queue that fills, a cliff one that was emptied "
                "or cut." + bands + note)


HELD = " Data behind a lost packet count when that comes, so that a hill can be higher than the cell's rate."


def throughput_of(series: Series) -> str:
    """Older runs have only what reached the applications."""
    return "throughput_bps" if series.curves_of("throughput_bps") else "goodput_bps"


def throughput(run: Run) -> Plot | None:
    name = throughput_of(run.series)
    curves, note = draw.most(run.series.curves_of(name))
    if not any(curve.value.any() for curve in curves.values()):
        return None
    figure, (axes,) = draw.canvas()
    draw.finish(axes, TIME, draw_lines(run, axes, name, curves, run.looks(list(curves))))
    return Plot(figure, "throughput", "Throughput",
                "IP packets that reached each mobile, per interval, each when it was whole; a hole at one mobile and a "
                "hill at another is the cell's air changing hands." + (HELD if name == "goodput_bps" else "") + note)


def draw_lines(run: Run, axes: Axes, series: str, curves: Mapping[str, Curve], looks: Mapping[str, Look]) -> str:
    """Gives the title of the y axis."""
    title, factor = fields.axis(series)
    for name, curve in curves.items():
        draw.line(axes, Curve(curve.time_s, curve.value * factor), name, looks[name])
    run.frame(axes)
    return title


def backlog(run: Run) -> Plot | None:
    sides = [(side, run.series.curves_of(f"{side}_backlog_octets")) for side in ("sgsn", "bss")]
    sides = [(side, curves) for side, curves in sides if curves]
    if not sides:
        return None
    shown = {name for _, curves in sides for name in draw.most(curves)[0]}
    looks = sorted(shown, key=draw.natural)[:draw.CURVES]
    figure, panels = draw.canvas(len(sides), (8.4, 1.2 + 2.0 * len(sides)))
    for axes, (side, curves) in zip(panels, sides):
        drawn = {name: curves[name] for name in looks if name in curves}
        axes.set_ylabel(draw_lines(run, axes, f"{side}_backlog_octets", drawn, run.looks(list(drawn))))
    draw.legend(panels[0])
    panels[-1].set_xlabel(TIME)
    left_out = len({name for _, curves in sides for name in curves}) - len(looks)
    note = f" {plural(left_out, 'mobile')} with lower peaks left out." if left_out else ""
    return Plot(figure, "backlog", "Where the octets wait",
                "Octets queued per mobile in the SGSN, where its AQM and lifetime act on them, and in the BSS, where "
                "they are out of its reach." + note)


def bucket_level(run: Run) -> Plot | None:
    curves, note = draw.most(run.series.curves_of("bucket_level_octets"))
    if not curves:
        return None
    figure, (axes,) = draw.canvas()
    looks = run.looks([of.removeprefix("ms ") for of in curves if of.startswith("ms ")])
    named = {of.removeprefix("ms ") if of.startswith("ms ") else of.replace("bvc ", "cell BVCI "): curve
             for of, curve in curves.items()}
    others = {name: draw.look(draw.CURVES - 1 - index) for index, name in enumerate(named)}
    title = draw_lines(run, axes, "bucket_level_octets", named, {**others, **looks})
    most = bucket_tops(run, named, {**others, **looks})
    for name, (top, style) in most.items():
        axes.step(top.time_s, top.value, where="post", color=style.colour, linestyle=TOP, linewidth=1.1,
                  marker=style.marker, markersize=3.6, label=name)
    draw.finish(axes, TIME, title)
    tops = " Lines of single dots, far apart, are their tops, Bmax." if most else ""
    return Plot(figure, "bucket-level", "Flow-control buckets",
                "How full the SGSN believes the BSS's leaky buckets to be, for the cell and for its "
                "mobiles." + tops + " A curve that stays at its top is a closed bucket: it, not the queue's length, "
                "holds packets back." + note)


TOP = (0, (1, 4))  # dots, of no curve (draw.DASHES)


def bucket_tops(run: Run, curves: Mapping[str, Curve], looks: Mapping[str, Look]) -> dict[str, tuple[Curve, Look]]:
    """Bmax of the buckets that have a curve, in the unit of the axis, until the end; of equal ones one line."""
    factor = fields.axis("bucket_level_octets")[1]
    found: dict[tuple[float, ...], tuple[list[str], Curve]] = {}
    for of, curve in run.series.curves_of("bucket_max_octets").items():
        name = of.removeprefix("ms ") if of.startswith("ms ") else of.replace("bvc ", "cell BVCI ")
        if name in curves:
            key = (*curve.time_s.tolist(), *curve.value.tolist())
            top = Curve(numpy.append(curve.time_s, run.end_s), factor * numpy.append(curve.value, curve.value[-1]))
            found.setdefault(key, ([], top))[0].append(name)
    return {f"Bmax of {' and '.join(names)}": (top, looks[names[0]]) for names, top in found.values()}


def ping_rtt(run: Run) -> Plot | None:
    curves, note = draw.most(run.series.curves_of("ping_rtt_s"))
    if not curves:
        return None
    figure, bands = clouds(run, "ping_rtt_s", curves, run.looks(list(curves)))
    lost = sum((number(row, "sent") or 0) - (number(row, "received") or 0) for row in run.summary["ping"])
    return Plot(figure, "ping-rtt", "What a ping feels",
                f"Each answered echo at the time of its answer ({lost:.0f} without one). A mobile that pings "
                "beside its own download waits in its own queue; one that pings alone shows what the cell takes by "
                "itself." + bands + note)


def air_utilisation(run: Run) -> Plot | None:
    curves, note = draw.most(run.series.curves_of("air_utilisation"))
    if not curves:
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.5))
    cells = {f"cell BVCI {of}": curve for of, curve in curves.items()}
    title = draw_lines(run, axes, "air_utilisation", cells, in_order(cells))
    axes.set_ylim(0, max(102.0, axes.dataLim.ymax))
    draw.finish(axes, TIME, title)
    return Plot(figure, "air-utilisation", "How busy the air is",
                "Share of downlink radio blocks that carried something. At 100 % only a queue can give; below it, "
                "whatever waits is held back by something else." + note)


def drops(run: Run) -> Plot | None:
    events: dict[str, list[Curve]] = {}
    for of, curve in run.series.curves_of("npdu_drop").items():
        events.setdefault(split_of(of)[1] or of, []).append(curve)
    if not events:
        return None
    figure, (axes,) = draw.canvas(size=(8.4, 2.5))
    totals = {reason: merged(curves) for reason, curves in sorted(events.items())}
    for reason, style in list(in_order(totals).items())[:draw.CURVES]:
        small = draw.thinned(added_up(totals[reason], run.end_s), draw.POINTS)
        draw.step(axes, small.time_s, small.value, reason, style)
    run.frame(axes)
    draw.finish(axes, TIME, "N-PDUs dropped")
    return Plot(figure, "drops", "Drops in the SGSN, added up",
                "N-PDUs that the SGSN has dropped so far, by reason. Steps say that drops come in bunches, which TCP "
                "minds more than the same number spread out.")


def added_up(curve: Curve, end_s: float) -> Curve:
    """The running sum, from nothing at 0 to the end of the run."""
    total = numpy.cumsum(curve.value)
    return Curve(numpy.concatenate([[0.0], curve.time_s, [max(end_s, curve.time_s[-1])]]),
                 numpy.concatenate([[0.0], total, total[-1:]]))


# --- pages ---

def page_curves(run: Run, field: str) -> tuple[Figure, str] | None:
    """A curve for each class with pages, and how many of these were unfinished, in words."""
    found = {kind: times for kind in run.summary["classes"]
             if (times := pages.of_figure(run.summary, f"classes.{kind}.{field}.p50"))}
    if not found:
        return None
    figure, (axes,) = draw.canvas()
    for index, (kind, times) in enumerate(found.items()):
        at, shares = pages.distribution(times)
        draw.step(axes, numpy.array(at), numpy.array(shares), f"class {kind}", draw.look(index))
    axes.set_xlim(left=0)
    axes.set_ylim(0, 1.01)
    draw.finish(axes, fields.titled(fields.field_of("summary", f"classes.CLASS.{field}").name, "s"), "share of pages")
    return figure, ", ".join(f"{kind} {pages.unfinished(times)} of {len(times)}" for kind, times in found.items())


def page_times(run: Run) -> Plot | None:
    drawn = page_curves(run, pages.FIELD)
    return drawn and Plot(drawn[0], "page-times", "How long pages took",
                          "The share of pages that took at most so long, with unfinished ones censored (Kaplan "
                          f"and Meier). Unfinished at the end: {drawn[1]}.")


def first_objects(run: Run) -> Plot | None:
    drawn = page_curves(run, pages.FIRST_FIELD)
    return drawn and Plot(drawn[0], "first-objects", "How long a page's first object took",
                          "The share of pages whose first object was there after at most so long: what a user sees "
                          f"first. Without it at the end: {drawn[1]}.")


# --- TCP connections ---

# A page of the web makes many connections; those with the most octets tell the story.
SEQUENCES = 6


def connections(run: Run) -> list[str]:
    """By the octets that were acknowledged or sent, most first."""
    octets: dict[str, float] = {}
    for name in ("acked_octets", "sent_octets"):
        for of, curve in run.series.curves_of(name).items():
            octets[of] = max(octets.get(of, 0.0), float(curve.value.max()))
    return sorted(octets, key=lambda of: (-octets[of], draw.natural(of)))


def largest_first(run: Run, curves: dict[str, Curve]) -> tuple[dict[str, Curve], str]:
    order = [of for of in connections(run) if of in curves]
    order += sorted(set(curves) - set(order), key=draw.natural)
    note = f" Drawn are the {draw.CURVES} largest of {len(order)} connections." if len(order) > draw.CURVES else ""
    return {of: curves[of] for of in order[:draw.CURVES]}, note


def rtt(run: Run) -> Plot | None:
    curves, note = largest_first(run, run.series.curves_of("rtt_s"))
    if not curves:
        return None
    figure, bands = clouds(run, "rtt_s", curves)
    return Plot(figure, "rtt", "Round-trip time of each TCP connection",
                "One point per sample that the sender could take without ambiguity (none from acknowledgements after a "
                "loss). A climb is the sender's window filling the queue; a fall follows a loss." + bands + note)


def sequences(run: Run) -> list[Plot]:
    return [sequence(run, of) for of in connections(run)[:SEQUENCES]]


def sequence(run: Run, of: str) -> Plot:
    figure, (axes,) = draw.canvas()
    sent, acked, again = (run.series.curves_of(name).get(of)
                          for name in ("sent_octets", "acked_octets", "retransmitted_octets"))
    if sent is not None:
        draw.line(axes, scaled(progress(sent)), "sent", draw.look(0))
    if acked is not None:
        draw.line(axes, scaled(acked), "acknowledged", draw.look(2))
    if again is not None:
        few = draw.thinned(scaled(again), draw.POINTS)
        axes.plot(few.time_s, few.value, linestyle="none", marker="x", markersize=5, color=draw.COLOURS[1],
                  label=f"sent again ({len(again)})")
    axes.set_ylim(bottom=0)
    draw.finish(axes, TIME, "stream offset (kB)")
    return Plot(figure, sequence_name(of), f"Sequence plot of connection {of}",
                "The gap between the two lines is what is under way: its height is octets in queues and on the air, "
                "its width the round-trip time." + rest_note(run, of))


def rest_note(run: Run, of: str) -> str:
    """Said once, under the last of the plots."""
    every = connections(run)
    if len(every) <= SEQUENCES or of != every[SEQUENCES - 1]:
        return ""
    return f" The other {len(every) - SEQUENCES} connections carried less and are not drawn."


def progress(curve: Curve) -> Curve:
    """The highest offset so far: what is sent again is drawn by itself."""
    return Curve(curve.time_s, numpy.maximum.accumulate(curve.value))


def scaled(curve: Curve) -> Curve:
    return Curve(curve.time_s, curve.value * 1e-3)


def sequence_name(of: str) -> str:
    return draw.slug("sequence", of)
