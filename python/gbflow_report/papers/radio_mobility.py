# SPDX-License-Identifier: BSD-3-Clause
"""Cell changes of `gbflow reproduce radio`: border crossings against the fluid-flow model, gaps against the timing of
the broadcast channel, outages against published ones.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import mean
from typing import Any

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers.measures import BySeed, Value, middle, near, ratio, scaled, value_in
from gbflow_report.papers.verdict import Figure
from gbflow_results.files import number

SCENARIOS = ("radio-mobility.lua",)
SETUP = ("Mobility: 96 mobiles drive for 20 minutes over 24 cells of 500 m, on a line or on a plane of hexagons, "
         "and reselect cells by C1 and C2. Gaps: with and without network assisted cell change (NACC), in one routing "
         "area and between two. Hysteresis: the same plane with shadowing of 6 dB and without.")

RADIUS_M, SECONDS, MOBILES = 500, 1200, 96
FRAME_S = 0.06 / 13
KMH = 1 / 3.6


@dataclass(frozen=True, order=True)
class Case:
    """A run of the scenario with other keys of `mobility`. areas: "one" routing area,
    "two" as the scenario has them."""

    kind: str
    value: float = 0
    layout: str = "plane"
    areas: str = "two"
    motion: str = "straight"

    @property
    def name(self) -> str:
        return "-".join(["mobility", self.kind, f"{self.value:g}", self.layout, self.areas, self.motion])

    @property
    def settings(self) -> list[str]:
        return [*(f"mobility.{key}={value}" for key, value in KEYS[self.kind](self)), *areas_of(self), *layout_of(self)]


def areas_of(case: Case) -> list[str]:
    return [f"cells[{i}].routing_area=1" for i in range(1, 25)] if case.areas == "one" else []


def layout_of(case: Case) -> list[str]:
    """A line has no columns: the key as a whole."""
    if case.layout == "plane":
        return [f"mobility.motion={case.motion}"]
    return [f"mobility={{ radius_m = {RADIUS_M}, speed_kmh = {case.value:g}, hysteresis_db = 4 }}"]


# What a kind of case changes.
KEYS: dict[str, Callable[[Case], list[tuple[str, object]]]] = {
    "speed": lambda case: [("speed_kmh", f"{case.value:g}"), ("shadowing_db", 0)],
    "gap": lambda case: [("gap.nacc", "true" if case.value else "false")],
    "update": lambda case: [("gap.routing_area_update", f"{case.value:g} s")],
    "hysteresis": lambda case: [("hysteresis_db", f"{case.value:g}"), ("hysteresis_area_db", f"{case.value:g}")],
    "unshadowed": lambda case: [("hysteresis_db", f"{case.value:g}"), ("hysteresis_area_db", f"{case.value:g}"),
                                ("shadowing_db", 0)],
}

SPEEDS = (10, 50, 120)
HYSTERESES = (0, 2, 4, 6, 8, 10, 12, 14)
LINE = [Case("speed", speed, "line") for speed in SPEEDS]
PLANE = [Case("speed", speed) for speed in SPEEDS]
WAYPOINTS = Case("speed", 50, motion="waypoints")
PLAIN, NACC = Case("gap", 0, areas="one"), Case("gap", 1, areas="one")
AREAS, AUTHENTICATED = Case("gap", 0), Case("update", 2.5)
SHADOWED = [Case("hysteresis", value) for value in HYSTERESES]
CLEAR = [Case("unshadowed", value) for value in HYSTERESES]
CASES = [*LINE, *PLANE, WAYPOINTS, PLAIN, NACC, AREAS, AUTHENTICATED, *SHADOWED, *CLEAR]


@dataclass(frozen=True)
class Outcome:
    """One run. Times in seconds."""

    crossings: float
    reselections: float
    area_changes: float
    gap_s: float | None
    gap_p95_s: float | None
    sync_s: float | None
    information_s: float | None
    outage_s: float | None
    outage_p95_s: float | None
    outage_max_s: float | None
    without_cell: float | None


def outcome_of(summary: Mapping[str, Any]) -> Outcome:
    found = summary["reselection"]
    return Outcome(found["crossings"], found["reselections"], found["area_changes"], number(found, "gap_s", "mean"),
                   number(found, "gap_s", "p95"), number(found, "gap_parts_s", "sync"),
                   number(found, "gap_parts_s", "system_information"), number(found, "outage_s", "mean"),
                   number(found, "outage_s", "p95"), number(found, "outage_s", "max"), number(found, "without_cell"))


# --- formulas ---

def fluid_per_h(case: Case) -> float:
    """Border crossings of a mobile in an hour: v / (2 R) on a line, v L / (pi A) on a plane of hexagons."""
    rate = 1 / 2 if case.layout == "line" else 4 / (math.sqrt(3) * math.pi)
    return 3600 * rate * case.value * KMH / RADIUS_M


def sync_frames() -> float:
    """The mean from the begin of a random frame of 51 to the end of the next one with SCH."""
    ends = [frame + 1 for frame in (1, 11, 21, 31, 41, 52)]
    return mean(min(end - begin for end in ends if end > begin) for begin in range(51))


def information_frames() -> float:
    """The same until blocks (frames 2 to 5) of multiframes with SYSTEM INFORMATION 1 (0), 3 (2 or 6) and 13 (4) have
    come."""
    kinds = {0: 1, 2: 3, 4: 13, 6: 3}
    blocks = [(51 * count + 2, kinds[count % 8]) for count in range(0, 24, 2)]
    ends = []
    for begin in range(8 * 51):
        left = {1, 3, 13}
        for at, kind in blocks:
            if at >= begin and left:
                left.discard(kind)
                end = at + 4
        ends.append(end - begin)
    return mean(ends)


# --- figures ---

def per_h(count: float) -> float:
    return count / MOBILES / SECONDS * 3600


def crossing_figure(case: Case, share: float) -> Figure:
    kind = "line" if case.layout == "line" else "plane" if case.motion == "straight" else "waypoints"
    words = {"line": "a line", "plane": "a plane", "waypoints": "a plane, by waypoints"}[kind]
    formula = "v / (2 R)" if case.layout == "line" else "v L / (pi A), fluid flow"
    value = round(fluid_per_h(case), 2)
    return Figure(f"radio-crossings-{kind}-{case.value:g}",
                  f"border crossings of a mobile in an hour at {case.value:g} km/h on {words}", "per hour", value,
                  near(value, share), value_in(case, lambda run: per_h(run.crossings)),
                  f"{formula}; {100 * share:g} % of it")


SYNC_S, INFORMATION_S = round(sync_frames() * FRAME_S, 4), round(information_frames() * FRAME_S, 3)
VENDOR = "a vendor's presentation of NACC, which does not say in which areas"
REPORT = "TR 44.901, from the last uplink block in the old cell to the first one in the new cell"

FIGURES = [
    *(crossing_figure(case, 0.02) for case in LINE),
    *(crossing_figure(case, share) for case, share in zip(PLANE, (0.06, 0.03, 0.02), strict=True)),
    crossing_figure(WAYPOINTS, 0.04),
    Figure("radio-reselections-line", "reselections for each border crossed, at 50 km/h on a line without shadowing",
           "times", 1, (0.95, 1.02), lambda runs: runs[LINE[1]].reselections / runs[LINE[1]].crossings,
           "each border is reselected once; the last ones come after the end of the run"),
    Figure("radio-sync", "mean time to the next burst of SCH", "s", SYNC_S,
           near(SYNC_S, 0.03),
           value_in(PLAIN, lambda run: run.sync_s), "counted over the frames of TS 45.002 clause 7"),
           Figure("radio-information", "mean time to read SYSTEM INFORMATION 1, 3 and 13",
                  "s", INFORMATION_S, near(INFORMATION_S, 0.02), value_in(PLAIN, lambda run: run.information_s),
                  "counted over the frames of TS 45.002 clause 6.3.1.3"),
           Figure("radio-outage", "mean outage of a cell change in one routing area",
                  "s", "of the order of a few seconds", (1, 5), value_in(PLAIN, lambda run: run.outage_s), REPORT),
           Figure("radio-outage-nacc", "the same with NACC",
                  "s", "0.3 to 0.7", (0.3, 0.7), value_in(NACC, lambda run: run.outage_s), REPORT),
           Figure("radio-outage-nacc-p95", "its 95th percentile",
                  "s", "0.3 to 0.7", (0.3, 0.7), value_in(NACC, lambda run: run.outage_p95_s), REPORT),
           Figure("radio-nacc-saves", "outage with NACC by that without", "times", "from a few seconds to 0.3 to 0.7 s",
                  (0.06, 0.35), ratio(NACC, PLAIN, lambda run: run.outage_s), "0.3 s of 5 s to 0.7 s of 2 s"),
           Figure("radio-outage-vendor", "longest outage between routing areas without NACC", "s", "4 to 5", (4, 5),
                  value_in(AREAS, lambda run: run.outage_max_s), VENDOR,
                  "the routing area "
                  "update of 1.5 s has no authentication; with one more second the row below is in the band"),
           Figure("radio-outage-vendor-update", "the same with a routing area update of 2.5 s",
                  "s", "4 to 5", (4, 5), value_in(AUTHENTICATED, lambda run: run.outage_max_s), VENDOR),
           Figure("radio-hysteresis", "reselections with a hysteresis of 14 dB by those with 0 dB, shadowing of 6 dB",
                  "times", "hysteresis is there against repeated reselections", (0, 0.8),
                  ratio(SHADOWED[-1], SHADOWED[0], lambda run: run.reselections),
                  "TS 45.008 clause 6.6.2; fewer by a fifth at least"),
]


# --- tables ---

COLUMNS: list[tuple[str, Value, int]] = [
    ("reselections per hour", lambda run: per_h(run.reselections), 1), ("gap mean s", lambda run: run.gap_s, 3),
    ("gap p95 s", lambda run: run.gap_p95_s, 3), ("outage mean s", lambda run: run.outage_s, 3),
    ("outage p95 s", lambda run: run.outage_p95_s, 3), ("without cell %", lambda run: scaled(run.without_cell, 100), 2),
]
ROWS = {"one area": PLAIN, "one area, NACC": NACC, "two areas": AREAS}


def tables(by_seed: BySeed) -> list[Table]:
    rows = [[name, *(page.fixed(middle(by_seed, case, value_of), digits) for _, value_of, digits in COLUMNS)]
            for name, case in ROWS.items()]
    return [Table(f"Cell changes at 50 km/h with shadowing of 6 dB. Medians over {page.plural(len(by_seed), 'seed')}.",
                  ["gaps", *(title for title, _, _ in COLUMNS)], rows, "gaps")]


# --- plots ---

def plots(by_seed: BySeed) -> list[Plot]:
    return [crossings_plot(by_seed), parts_plot(by_seed), hysteresis_plot(by_seed)]


def crossings_plot(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.6))
    for index, (words, cases) in enumerate((("line", LINE), ("plane", PLANE))):
        style = draw.look(index)
        axes.plot([0, SPEEDS[-1]], [0, fluid_per_h(cases[-1])], color=style.colour, linestyle=style.dash,
                  label=f"{words}, formula")
        found = [middle(by_seed, case, lambda run: per_h(run.crossings)) for case in cases]
        axes.plot(SPEEDS, found, linestyle="none", color=style.colour, marker=style.marker, label=f"{words}, runs")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "speed (km/h)", "border crossings of a mobile in an hour")
    return Plot(figure, "radio-crossings", "Border crossings by speed",
                f"Formula: v / (2 R) on a line, fluid flow on a plane, R = {RADIUS_M} m. Runs: medians over "
                f"{len(by_seed)} seeds.")


def parts_plot(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(8.4, 3.2))
    parts: list[tuple[str, Value]] = [
        ("sync", lambda run: run.sync_s), ("system information", lambda run: run.information_s),
        ("update", lambda run: None if run.gap_s is None else run.gap_s - (run.sync_s or 0) - (run.information_s or 0)),
        ("access", lambda run: None if run.outage_s is None or run.gap_s is None else run.outage_s - run.gap_s)]
    left = [0.0] * len(ROWS)
    for index, (words, value_of) in enumerate(parts):
        found = [middle(by_seed, case, value_of) or 0 for case in ROWS.values()]
        axes.barh(range(len(ROWS)), found, left=left, color=draw.COLOURS[index], label=words)
        left = [before + value for before, value in zip(left, found, strict=True)]
    axes.axvspan(0.3, 0.7, color="#999999", alpha=0.25, zorder=0, label="TR 44.901 with NACC")
    axes.set_yticks(range(len(ROWS)), list(ROWS))
    draw.finish(axes, "mean outage (s)", "")
    return Plot(figure, "radio-outages", "Outages of a cell change by their parts",
                f"Medians over {len(by_seed)} seeds. Access lasts to the first uplink LLC-PDU. The grey band is what "
                "TR 44.901 has with NACC.")


def hysteresis_plot(by_seed: BySeed) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.4))
    for index, (words, cases) in enumerate((("shadowing of 6 dB", SHADOWED), ("no shadowing", CLEAR))):
        style = draw.look(index)
        found = [middle(by_seed, case, lambda run: per_h(run.reselections)) for case in cases]
        axes.plot(HYSTERESES, found, color=style.colour, linestyle=style.dash, marker=style.marker, label=words)
    axes.axhline(fluid_per_h(PLANE[1]), color="#333333", linewidth=1, linestyle=(0, (3, 2)),
                 label="border crossings, fluid flow")
    axes.set_ylim(bottom=0)
    draw.finish(axes, "CELL_RESELECT_HYSTERESIS (dB)", "reselections of a mobile in an hour")
    return Plot(figure, "radio-hysteresis", "Reselections by hysteresis",
                f"At 50 km/h over hexagons of {RADIUS_M} m. Medians over {len(by_seed)} seeds.")
