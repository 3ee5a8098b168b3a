# SPDX-License-Identifier: BSD-3-Clause
"""The paper's Fig. 2 to 10: the same grid, over the latency or over the RLC RTT."""

from collections.abc import Callable, Mapping
from statistics import median

from matplotlib.axes import Axes

from gbflow_report import draw
from gbflow_report.draw import Plot
from gbflow_report.papers.p3 import LATENCIES_MS, RTTS_MS, Case, Outcome

BySeed = Mapping[int, Mapping[Case, Outcome]]
Value = Callable[[Outcome], float | None]

RTT, LATENCY = "RLC RTT (ms)", "server-to-BTS latency, one way (ms)"
# (latency, RLC RTT, value) of numbers that the paper states, by figure.
PUBLISHED = {"p3-fig2": [(10, 50, 90)], "p3-fig3": [(10, 50, 280)], "p3-fig4": [(10, 50, 280)],
             "p3-fig5": [(10, 50, 8.8), (200, 300, 30.3)], "p3-fig6": [(10, 50, 8.8), (200, 300, 30.3)],
             "p3-fig7": [(10, 50, 90)]}


def plots(by_seed: BySeed) -> list[Plot]:
    made = [
        grid(by_seed, lambda run: run.edge_kbps, LATENCY, ("p3-fig2", "Fig. 2: ftp, EDGE", "average bit rate (kbit/s)")),
        grid(by_seed, lambda run: run.gev_kbps, LATENCY, ("p3-fig3", "Fig. 3: ftp, GEV", "average bit rate (kbit/s)")),
        grid(by_seed, lambda run: run.gev_kbps, RTT, ("p3-fig4", "Fig. 4: ftp, GEV", "average bit rate (kbit/s)")),
        grid(by_seed, lambda run: run.page_s, LATENCY, ("p3-fig5", "Fig. 5: web page, GEV", "download time (s)")),
        grid(by_seed, lambda run: run.page_s, RTT, ("p3-fig6", "Fig. 6: web page, GEV", "download time (s)")),
        grid(by_seed, in_ms(lambda run: run.ping64_s), RTT, ("p3-fig7", "Fig. 7: ping of 64 octets", "average RTT (ms)")),
        grid(by_seed, in_ms(lambda run: run.ping1500_s), RTT,
             ("p3-fig8", "Fig. 8: ping of 1500 octets", "average RTT (ms)")),
        grid(by_seed, in_ms(lambda run: run.ping64_min_s), RTT,
             ("p3-fig9", "Fig. 9: ping of 64 octets", "smallest RTT (ms)")),
        grid(by_seed, in_ms(lambda run: run.ping1500_min_s), RTT,
             ("p3-fig10", "Fig. 10: ping of 1500 octets", "smallest RTT (ms)")),
    ]
    return [one for one in made if one]


def in_ms(value_of: Value) -> Value:
    def scaled(run: Outcome) -> float | None:
        value = value_of(run)
        return None if value is None else 1000 * value
    return scaled


def grid(by_seed: BySeed, value_of: Value, axis: str, words: tuple[str, str, str]) -> Plot | None:
    """One curve for each value of what is not on the axis."""
    name, title, unit = words
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    curves, points = (RTTS_MS, LATENCIES_MS) if axis == LATENCY else (LATENCIES_MS, RTTS_MS)
    for index, curve in enumerate(curves):
        cases = [Case(curve, point) if axis == LATENCY else Case(point, curve) for point in points]
        known = [(point, middle(by_seed, case, value_of)) for point, case in zip(points, cases)]
        shown = [(point, value) for point, value in known if value is not None]
        if not shown:
            return None
        style = draw.look(index)
        axes.plot(*zip(*shown), color=style.colour, linestyle=style.dash, marker=style.marker, markersize=4,
                  label=f"{curve} ms")
    mark(axes, name, axis)
    axes.set_ylim(bottom=0)
    draw.finish(axes, axis, unit)
    other = RTT if axis == LATENCY else LATENCY
    return Plot(figure, name, title, f"Medians over {len(by_seed)} seeds; one curve for each {other}. Black: numbers that the "
                "paper states in words, where it has any.")


def middle(by_seed: BySeed, case: Case, value_of: Value) -> float | None:
    values = [value_of(runs[case]) for runs in by_seed.values()]
    known = [value for value in values if value is not None]
    return median(known) if known else None


def mark(axes: Axes, name: str, axis: str) -> None:
    for latency_ms, rtt_ms, value in PUBLISHED.get(name, ()):
        axes.plot(latency_ms if axis == LATENCY else rtt_ms, value, linestyle="none", marker="*", markersize=11,
                  color="black")
