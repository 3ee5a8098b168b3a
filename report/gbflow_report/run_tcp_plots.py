# SPDX-License-Identifier: BSD-3-Clause
"""The plots of one run that are about its TCP connections."""

import re

import numpy

from gbflow_report import draw, fields
from gbflow_report.draw import Plot
from gbflow_report.run_plots import TIME, Run, band_note
from gbflow_results.files import Curve

# A page of the web makes many connections; those with the most octets tell the story.
SEQUENCES = 6


def connections(run: Run) -> list[str]:
    """By the octets that were acknowledged or sent, most first."""
    octets: dict[str, float] = {}
    for name in ("acked_octets", "sent_octets"):
        for of, curve in run.series.of(name).items():
            octets[of] = max(octets.get(of, 0.0), float(curve.value.max()))
    return sorted(octets, key=lambda of: (-octets[of], draw.natural(of)))


def largest_first(run: Run, curves: dict[str, Curve]) -> tuple[dict[str, Curve], str]:
    order = [of for of in connections(run) if of in curves]
    order += sorted(set(curves) - set(order), key=draw.natural)
    note = f" Drawn are the {draw.CURVES} largest of {len(order)} connections." if len(order) > draw.CURVES else ""
    return {of: curves[of] for of in order[:draw.CURVES]}, note


def rtt(run: Run) -> Plot | None:
    curves, note = largest_first(run, run.series.of("rtt_s"))
    if not curves:
        return None
    figure, (axes,) = draw.canvas()
    banded = [draw.cloud(axes, curve, of, draw.look(index)) for index, (of, curve) in enumerate(curves.items())]
    run.frame(axes)
    axes.set_ylim(bottom=0)
    draw.finish(axes, TIME, fields.axis("rtt_s")[0])
    return Plot(figure, "rtt", "Round-trip time of each TCP connection",
                "One point per sample that the sender could take without ambiguity (none from acknowledgements after a "
                "loss). A climb is the sender's window filling the queue; a fall follows a loss." + band_note(any(banded))
                + note)


def sequences(run: Run) -> list[Plot]:
    return [sequence(run, of) for of in connections(run)[:SEQUENCES]]


def sequence(run: Run, of: str) -> Plot:
    figure, (axes,) = draw.canvas()
    sent, acked, again = (run.series.of(name).get(of) for name in ("sent_octets", "acked_octets", "retransmitted_octets"))
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
                "The gap between the two lines is what is under way: its height is octets in queues and on the air, its "
                "width the round-trip time." + rest_note(run, of))


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
    return "sequence-" + re.sub(r"[^A-Za-z0-9]+", "-", of).strip("-")
