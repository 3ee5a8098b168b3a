# SPDX-License-Identifier: BSD-3-Clause
"""Random access of `gbflow reproduce radio`: slotted ALOHA and the AGCH as M/D/1 against their formulas, repetitions
against those of Sarker and Halme, access delay over load.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_report.page import Table
from gbflow_report.papers.measures import BySeed, Measure, Value, middle, quotient, scaled, value_in
from gbflow_report.papers.verdict import Figure
from gbflow_results.files import number

SCENARIOS = ("radio-access.lua",)
SETUP = ("Access: a Poisson process of mobiles, each with one access, over 6000 s. ALOHA: one burst each. Queue: "
         "the AGCH alone, one message takes a slot. Repetitions: up to M, spread over 50 slots, and an AGCH without "
         "limit. Load: four repetitions and an AGCH of three messages in 235 ms.")

SLOT_S = 3.06 / 13 / 51
QUEUE_S = 20000  # waits of one busy time are alike
RESPONSE_S = 0.02
TX, S = 50, 55
AGCH_PER_S = 3 * 13 / 3.06
# Of the scenario: T, S and M.
OWN_TX, OWN_S, OWN_M = 14, 55, 4


@dataclass(frozen=True, order=True)
class Case:
    """value: bursts or messages per slot; of "load" mobiles per second. repeats: M."""

    kind: str
    value: float
    repeats: int = 0

    scenario = "../studies/radio-access.lua"

    @property
    def name(self) -> str:
        return f"access-{self.kind}-{self.value:g}" + (f"-m{self.repeats}" if self.kind == "repeats" else "")

    @property
    def settings(self) -> list[str]:
        per_s = self.value / (1 if self.kind == "load" else SLOT_S)
        longer = [f"duration={QUEUE_S} s"] if self.kind == "queue" else []
        return longer + [f"cells[1].access.{key}"
                         for key in (*KEYS[self.kind], f"background.rate={per_s:.6f}", f"max_retrans={self.repeats}")]


KEYS: dict[str, tuple[str, ...]] = {"aloha": (), "queue": ("contention=false",),
                                    "repeats": (f"tx_integer={TX}", f"s={S}", "agch.rate=0",
                                                f"response={1000 * RESPONSE_S:g} ms"),
        "load": ("agch.rate=3", "agch.queue=16")}
LOADS, RHOS = (0.1, 0.2, 0.5, 1, 1.5, 2), (0.1, 0.3, 0.5, 0.7, 0.8)
ALOHA, QUEUE = [Case("aloha", load) for load in LOADS], [Case("queue", rho) for rho in RHOS]
REPEATS = [Case("repeats", 0.3, repeats) for repeats in (1, 4)]
LOAD = [Case("load", rate, 4) for rate in (1, 2, 4, 5, 6, 8, 12, 20)]
CASES = [*ALOHA, *QUEUE, *REPEATS, *LOAD]


@dataclass(frozen=True)
class Outcome:
    """One run: bursts per slot, and shares of the mobiles that came."""

    load: float | None
    throughput: float | None
    wait_s: float | None
    failed: float | None
    delay_s: float | None
    delay_p95_s: float | None


def outcome_of(summary: Mapping[str, Any]) -> Outcome:
    found = summary["cells"]["2"]["access"]
    came, failed = number(found, "background", "attempts"), number(found, "background", "failures")
    return Outcome(number(found, "load"), number(found, "throughput"), number(found, "agch_wait_s"),
                   quotient(failed, came), number(found, "background", "delay_s", "mean"),
                   number(found, "background", "delay_s", "p95"))


# --- formulas ---

def aloha(load: float) -> float:
    """Decoded bursts per slot: a slot has exactly one burst (Roberts 1975)."""
    return load * math.exp(-load)


def md1_wait_s(rho: float) -> float:
    """Pollaczek and Khinchine, with a constant service time."""
    return rho / (2 * (1 - rho)) * SLOT_S


def repeated_load(rate: float, repeats: int) -> float:
    """Bursts per slot when each mobile repeats: G = rate * sum of p^k, p = 1 - exp(-G) the collision (Sarker,
    Halme 2002)."""
    load = rate
    for _ in range(1000):
        collision = 1 - math.exp(-load)
        load = rate * sum(collision ** k for k in range(repeats + 1))
    return load


def repeated_failures(rate: float, repeats: int) -> float:
    return (1 - math.exp(-repeated_load(rate, repeats))) ** (repeats + 1)


def repeated_delay_s(rate: float, repeats: int, spread: tuple[int, int] = (TX, S)) -> float:
    """Of those that succeed: half a slot and the first draw, a distance for each collision, the burst, the answer."""
    width, least = spread
    collision = 1 - math.exp(-repeated_load(rate, repeats))
    weights = [collision ** k for k in range(repeats + 1)]
    collisions = sum(k * weight for k, weight in enumerate(weights)) / sum(weights)
    slots = 0.5 + (width - 1) / 2 + collisions * (least + (width - 1) / 2) + 1
    return slots * SLOT_S + RESPONSE_S


def loaded_delay_s(per_s: float) -> float:
    """With the AGCH: a message takes 78 ms and waits for the others as in M/D/1."""
    rho = per_s / AGCH_PER_S
    return repeated_delay_s(per_s * SLOT_S, OWN_M, (OWN_TX, OWN_S)) + (1 + rho / (2 * (1 - rho))) / AGCH_PER_S


# --- figures ---

def formula(name: str, words: tuple[str, str], values: tuple[float, float], measure: Measure,
            why: str) -> Figure:
    """A row about a formula's value. words: what, unit; values: the formula's,
    and the share of it that the band has to both sides."""
    published, share = float(f"{values[0]:.5g}"), values[1]
    low, high = (float(f"{published * side:.5g}") for side in (1 - share, 1 + share))
    return Figure(name, *words, published, (low, high), measure, f"{why}; {100 * share:g} % of it")


def repeated(case: Case) -> list[Figure]:
    tail = f"m{case.repeats}-{case.value:g}"
    words = f"with {case.repeats} repetitions and {case.value:g} new mobiles a slot"
    source, rate, repeats = "J. H. Sarker, S. J. Halme 2002", case.value, case.repeats
    again = ("mobiles that collided draw among 50 slots and meet again in 1 of 50 cases; the formula has no such memory"
             if repeats > 1 else "")
    return [formula(f"radio-repeats-load-{tail}", (f"bursts per slot {words}", "bursts"),
                    (repeated_load(rate, repeats), 0.02), value_in(case, lambda run: run.load), source),
            replace(formula(f"radio-repeats-failed-{tail}", (f"accesses that fail {words}", "%"),
                            (100 * repeated_failures(rate, repeats), 0.1),
                            value_in(case, lambda run: scaled(run.failed, 100)), source), cause=again),
            formula(f"radio-repeats-delay-{tail}", (f"mean access delay {words}", "ms"),
                    (1000 * repeated_delay_s(rate, repeats), 0.02),
                    value_in(case, lambda run: scaled(run.delay_s, 1000)),
                    "the distances of TS 44.018, with the same collisions")]


FIGURES = [
    *(formula(f"radio-aloha-{case.value:g}", (f"decoded bursts per slot at a load of {case.value:g}", "bursts"),
              (aloha(case.value), 0.01),
              value_in(case, lambda run: run.throughput), "G exp(-G)") for case in ALOHA),
    *(formula(f"radio-agch-{case.value:g}", (f"mean wait in the AGCH's queue at a utilisation of {case.value:g}", "ms"),
              (1000 * md1_wait_s(case.value), 0.01), value_in(case, lambda run: scaled(run.wait_s, 1000)), "M/D/1")
      for case in QUEUE),
           *(figure for case in REPEATS for figure in repeated(case)),
    *(formula(f"radio-access-delay-{case.value:g}", (f"mean access delay at {case.value:g} mobiles a second", "ms"),
              (1000 * loaded_delay_s(case.value), 0.03), value_in(case, lambda run: scaled(run.delay_s, 1000)),
              "bursts and collisions as above, the AGCH as M/D/1") for case in LOAD if case.value <= 4),
]


# --- tables and plots ---

COLUMNS: list[tuple[str, Value, int]] = [
    ("delay mean s", lambda run: run.delay_s, 3), ("delay p95 s", lambda run: run.delay_p95_s, 3),
    ("failed %", lambda run: scaled(run.failed, 100), 1),
    ("bursts per slot", lambda run: run.load, 3), ("wait in the AGCH s", lambda run: run.wait_s, 3),
]


def tables(by_seed: BySeed) -> list[Table]:
    rows = [[f"{case.value:g}",
             *(page.fixed(middle(by_seed, case, value_of), digits) for _, value_of, digits in COLUMNS)]
            for case in LOAD]
    return [Table(f"Access by load: four repetitions, an AGCH of {AGCH_PER_S:.1f} messages a second. Medians over "
                  f"{page.plural(len(by_seed), 'seed')}.",
                  ["mobiles a second", *(title for title, _, _ in COLUMNS)], rows, "access")]


def plots(by_seed: BySeed) -> list[Plot]:
    seeds = f"Medians over {len(by_seed)} seeds."
    loads, rhos = [0.02 * step for step in range(0, 111)], [0.01 * step for step in range(0, 86)]
    return [
        curve(by_seed, ALOHA, lambda run: run.throughput, (loads, [aloha(load) for load in loads]),
              ("radio-aloha", "Slotted ALOHA", "bursts per slot (G)", "decoded bursts per slot (S)",
               "S = G exp(-G). " + seeds)),
        curve(by_seed, QUEUE, lambda run: scaled(run.wait_s, 1000), (rhos, [1000 * md1_wait_s(rho) for rho in rhos]),
              ("radio-agch", "Wait for the access grant channel", "utilisation", "mean wait (ms)",
               "M/D/1 with a message a slot. " + seeds)),
        delay_plot(by_seed, seeds),
    ]


def curve(by_seed: BySeed, cases: list[Case], value_of: Value, line: tuple[list[float], list[float]],
          words: tuple[str, str, str, str, str]) -> Plot:
    """A formula as a line, the runs as points."""
    name, title, x_label, y_label, caption = words
    figure, (axes,) = draw.canvas(size=(7.2, 3.4))
    axes.plot(*line, color=draw.COLOURS[0], label="formula")
    axes.plot([case.value for case in cases], [middle(by_seed, case, value_of) for case in cases], linestyle="none",
              marker=draw.MARKERS[1], color=draw.COLOURS[1], label="runs")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    draw.finish(axes, x_label, y_label)
    return Plot(figure, name, title, caption)


def delay_plot(by_seed: BySeed, seeds: str) -> Plot:
    figure, (axes,) = draw.canvas(size=(7.2, 3.4))
    shown: list[tuple[str, Value]] = [("delay, mean (s)", lambda run: run.delay_s),
                                      ("delay, p95 (s)", lambda run: run.delay_p95_s),
                                      ("failed, share", lambda run: run.failed)]
    for index, (words, value_of) in enumerate(shown):
        style = draw.look(index)
        axes.plot([case.value for case in LOAD], [middle(by_seed, case, value_of) for case in LOAD], color=style.colour,
                  linestyle=style.dash, marker=style.marker, label=words)
    axes.axvline(AGCH_PER_S, color="#333333", linewidth=1, linestyle=(0, (3, 2)), label="messages of the AGCH a second")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    draw.finish(axes, "mobiles a second", "s, or share")
    return Plot(figure, "radio-access-load", "Access delay by load",
                "Four repetitions; a delay of those that get a TBF. " + seeds)
