# SPDX-License-Identifier: BSD-3-Clause
"""Throughput over C/I of `gbflow reproduce radio`: fixed coding schemes against the rates and reference C/I of the
specifications, link adaptation against the best fixed scheme, incremental redundancy.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers.measures import BySeed, Measure, middle, near, ratio, value_in
from gbflow_report.papers.verdict import Figure
from gbflow_results.files import number

SCENARIOS = ("radio-link.lua",)
SETUP = ("Link: one mobile on one timeslot receives more than it carries, for 400 s, at a constant C/I. Fixed schemes "
         "have no incremental redundancy. GPRS and EGPRS: with link adaptation, up to CS-4 and MCS-9.")

# A packet of 472 octets of payload takes 511 octets of blocks: 28 of UDP and IP, 4 of SNDCP, 6 of LLC, 1 of RLC.
SHARE = 472 / 511
# kbit/s of RLC data of a timeslot (TS 44.060 clauses 10.2.1, 10.3a.1), and the C/I of a BLER of 10 % (TS 45.005 table
# 2: 900 MHz, TU3, ideal frequency hopping).
SCHEMES = {"CS-1": (8.0, 9), "CS-2": (12.0, 13), "CS-3": (14.4, 15), "CS-4": (20.0, 23), "MCS-1": (8.8, 9.5),
           "MCS-2": (11.2, 12), "MCS-3": (14.8, 16.5), "MCS-4": (17.6, 21.5), "MCS-5": (22.4, 14.5),
           "MCS-6": (29.6, 17), "MCS-7": (44.8, 23.5), "MCS-8": (54.4, 29), "MCS-9": (59.2, 32)}
BEST_DB, SWEEP_DB = 45, tuple(range(2, 35, 4))
ADAPTED = {"GPRS": ("gprs", "CS-4", "false"), "EGPRS": ("egprs", "MCS-9", "true"),
           "EGPRS without IR": ("egprs", "MCS-9", "false"), "MCS-9 with IR": ("none", "MCS-9", "true")}


@dataclass(frozen=True, order=True)
class Case:
    """A coding scheme, or a kind of link adaptation, at a C/I."""

    scheme: str
    ci_db: float

    scenario = "../studies/radio-link.lua"

    @property
    def name(self) -> str:
        return f"link-{self.scheme.replace(' ', '-')}-{self.ci_db:g}"

    @property
    def settings(self) -> list[str]:
        adaptation, coding, redundancy = ADAPTED.get(self.scheme, ("none", self.scheme, "false"))
        return [f"cells[1].coding={coding}", f"cells[1].link={{ ci_db = {self.ci_db:g}, adaptation = \"{adaptation}\", "
                f"incremental_redundancy = {redundancy} }}"]


FIXED = [Case(scheme, ci_db) for scheme in SCHEMES for ci_db in SWEEP_DB]
AT_REFERENCE = [Case(scheme, ci_db) for scheme, (_, ci_db) in SCHEMES.items()]
AT_BEST = [Case(scheme, BEST_DB) for scheme in SCHEMES]
LINKS = [Case(scheme, ci_db) for scheme in ADAPTED for ci_db in SWEEP_DB]
CASES = list(dict.fromkeys([*FIXED, *AT_REFERENCE, *AT_BEST, *LINKS]))


@dataclass(frozen=True)
class Outcome:
    """Of RLC: what the payload that arrived took in blocks."""

    rate_kbps: float | None


def outcome_of(summary: Mapping[str, Any]) -> Outcome:
    goodput_bps = number(summary, "classes", "background", "goodput_bps", "total")
    return Outcome(None if goodput_bps is None else goodput_bps / SHARE / 1000)


# --- figures ---

def rate_kbps(run: Outcome) -> float | None:
    return run.rate_kbps


def family(scheme: str) -> list[str]:
    return [name for name in SCHEMES if name.startswith("M") == scheme.startswith("E")]


def by_best(scheme: str, least: bool) -> Measure:
    """The smallest, or the mean, over C/I of the rate with link adaptation by that of the best fixed scheme."""
    def measure(runs: Mapping[Any, Any]) -> float | None:
        ratios = []
        for ci_db in SWEEP_DB:
            best = max(runs[Case(name, ci_db)].rate_kbps or 0 for name in family(scheme))
            ratios.append((runs[Case(scheme, ci_db)].rate_kbps or 0) / best)
        return min(ratios) if least else sum(ratios) / len(ratios)
    return measure


REDUNDANCY = ("repetitions add to what was received before; set after a first run, in which there was no gain where "
              "the best scheme has few errors")

FIGURES = [
    *(Figure(f"radio-rate-{case.scheme.lower()}", f"rate of {case.scheme} without errors", "kbit/s",
             SCHEMES[case.scheme][0],
             near(SCHEMES[case.scheme][0], 0.01, 3), value_in(case, rate_kbps), "TS 44.060 clauses 10.2.1, 10.3a.1")
      for case in AT_BEST),
    *(Figure(f"radio-reference-{case.scheme.lower()}", f"rate of {case.scheme} at its reference C/I, {case.ci_db:g} dB",
             "kbit/s", round(0.9 * SCHEMES[case.scheme][0], 2),
             near(0.9 * SCHEMES[case.scheme][0], 0.02, 3),
             value_in(case, rate_kbps), "TS 45.005 table 2: a BLER of 10 %")
      for case in AT_REFERENCE),
           Figure("radio-adaptation-gprs", "least rate of GPRS with link adaptation by that of the best fixed scheme, "
                  "over C/I", "times", "link adaptation takes the best scheme", (0.85, 1.02),
                  by_best("GPRS", True), "a " "hysteresis of 2 dB may keep a scheme that is not the best"),
           Figure("radio-adaptation-egprs", "mean rate of EGPRS without incremental redundancy by that of the best "
                  "fixed scheme, over C/I", "times", "link adaptation takes the best scheme", (0.95, 1.05),
                  by_best("EGPRS without IR", False), "a block's repetitions may be in another scheme"),
           Figure("radio-redundancy", "rate of MCS-9 with incremental redundancy by that without, at 26 dB", "times",
                  "more than 1", (1.3, 20), ratio(Case("MCS-9 with IR", 26), Case("MCS-9", 26), rate_kbps), REDUNDANCY),
           Figure("radio-redundancy-adapted", "the same with link adaptation, at 2 dB", "times", "more than 1",
                  (1.3, 20),
                  ratio(Case("EGPRS", 2), Case("EGPRS without IR", 2), rate_kbps), REDUNDANCY),
]


# --- tables and plots ---

def tables(by_seed: BySeed) -> list[Table]:
    rows = [[name, *(page.fixed(middle(by_seed, Case(name, ci_db), rate_kbps), 1) for ci_db in SWEEP_DB)]
            for name in (*SCHEMES, *ADAPTED)]
    return [Table(f"RLC data of one timeslot in kbit/s by C/I in dB. Medians over {page.plural(len(by_seed), 'seed')}.",
                  ["scheme", *(f"{ci_db} dB" for ci_db in SWEEP_DB)], rows, "link")]


def plots(by_seed: BySeed) -> list[Plot]:
    return [link_plot(by_seed, "GPRS", ["GPRS"]), link_plot(by_seed, "EGPRS", ["EGPRS", "EGPRS without IR"])]


def link_plot(by_seed: BySeed, kind: str, adapted: list[str]) -> Plot:
    """Fixed schemes thin, link adaptation thick, the reference points as rings."""
    figure, (axes,) = draw.canvas(size=(7.2, 4.2))
    for index, name in enumerate(family(kind)):
        axes.plot(SWEEP_DB, [middle(by_seed, Case(name, ci_db), rate_kbps) for ci_db in SWEEP_DB],
                  color=draw.COLOURS[index % draw.CURVES], linewidth=0.9,
                  linestyle=draw.DASHES[index // draw.CURVES], label=name)
        rate, ci_db = SCHEMES[name]
        axes.plot([ci_db], [0.9 * rate], marker="o", markerfacecolor="none", linestyle="none",
                  color=draw.COLOURS[index % draw.CURVES])
    for index, name in enumerate(adapted):
        axes.plot(SWEEP_DB, [middle(by_seed, Case(name, ci_db), rate_kbps) for ci_db in SWEEP_DB], color="#000000",
                  linewidth=2.2, linestyle=draw.DASHES[index],
                  label=name)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "C/I (dB)", "RLC data of a timeslot (kbit/s)")
    return Plot(figure, f"radio-link-{kind.lower()}", f"Throughput of {kind} by C/I",
                "Rings: 90 % of the scheme's rate at the C/I where TS 45.005 asks for a BLER of 10 %. Medians over "
                f"{len(by_seed)} seeds.")
