# SPDX-License-Identifier: BSD-3-Clause
"""Trials of `gbflow bench workers`: the rate of each number of workers, measured beside modelled, and the counts."""

from collections.abc import Sequence
from typing import Any

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table

Trial = dict[str, Any]

MILLION = 1e-6
LINES = ("tail_lines", "slot_lines", "record_lines", "header_lines", "rest_lines", "room_lines")


def series_of(trials: Sequence[Trial]) -> dict[str, list[Trial]]:
    """By size, cipher and deal; one worker belongs to each deal."""
    found: dict[str, list[Trial]] = {}
    for trial in trials:
        cipher = "" if trial["cipher"] == "none" else f", {trial['cipher']}"
        found.setdefault(f"{trial['octets']}{cipher}, {trial['dealt']}", []).append(trial)
    return found


def rates(trials: Sequence[Trial]) -> Plot:
    figure, (axes,) = draw.canvas(size=(8.4, 4.2))
    for place, (name, rows) in enumerate(series_of(trials).items()):
        colour = draw.COLOURS[place % len(draw.COLOURS)]
        axes.plot([row["workers"] for row in rows], [row["modelled"]["npdu_per_s"] * MILLION for row in rows],
                  color=colour, linestyle="--", marker=".", label=f"{name}, modelled")
        known = [row for row in rows if row["npdu_per_s"] is not None]
        axes.plot([row["workers"] for row in known], [row["npdu_per_s"] * MILLION for row in known], color=colour,
                  linestyle="none", marker="o", label=f"{name}, measured")
    draw.finish(axes, "workers", "million N-PDU/s")
    axes.legend(fontsize="small")
    return Plot(figure, "workers", "Rate by the number of workers", "N-PDU octets, cipher, and how frames are dealt.")


def interval(low: float | None, high: float | None, scale: float, decimals: int) -> Cell:
    if low is None or high is None:
        return Cell("-", "text")
    return Cell(f"{low * scale:.{decimals}f} to {high * scale:.{decimals}f}", "text")


def rates_table(trials: Sequence[Trial]) -> Table:
    table = Table("Million N-PDU/s. Efficiency: share of as many times one worker.",
                  ["octets", "cipher", "workers", "dealt by", "modelled", "bounds", "efficiency (%)", "measured",
                   "95 % of median", "efficiency (%)", "95 % of median", "rounds", "void", "not measured because"])
    for trial in trials:
        model = trial["modelled"]
        measured = [None if trial[field] is None else trial[field] * scale
                    for field, scale in (("npdu_per_s", MILLION), ("efficiency", 100))]
        table.rows.append([Cell(str(trial["octets"]), "text"), Cell(trial["cipher"], "text"),
                           page.count(trial["workers"]), Cell(trial["dealt"], "text"),
                           page.fixed(model["npdu_per_s"] * MILLION, 2),
                           interval(model["npdu_per_s_low"], model["npdu_per_s_high"], MILLION, 2),
                           page.fixed(model["efficiency"] * 100, 1), page.fixed(measured[0], 2),
                           interval(trial["npdu_per_s_low"], trial["npdu_per_s_high"], MILLION, 2),
                           page.fixed(measured[1], 1),
                           interval(trial["efficiency_low"], trial["efficiency_high"], 100, 1),
                           page.count(trial["windows"]), page.count(trial["voided_trials"]),
                           Cell(trial["not_measured"] or "", "note")])
    return table


def counts_table(trials: Sequence[Trial]) -> Table:
    table = Table("Counted, per N-PDU. Lines: written by one worker, read by another one.",
                  ["octets", "workers", "dealt by", "steered", "uses of rings", "ring full", "tails", "slots",
                   "buffers' records", "headers", "rest of frames", "tails back", "with buffers back"])
    for trial in trials:
        counted = trial["counted"]
        n_pdus = counted["npdus"]
        table.rows.append([Cell(str(trial["octets"]), "text"), page.count(trial["workers"]),
                           Cell(trial["dealt"], "text"), page.fixed(counted["steered"] / n_pdus, 4),
                           page.fixed((counted["ring_puts"] + counted["ring_takes"]) / n_pdus, 4),
                           page.count(counted["ring_full"]),
                           *(page.fixed(counted[field] / n_pdus, 3) for field in (*LINES, "back_lines"))])
    return table


def parts_table(trials: Sequence[Trial]) -> Table:
    table = Table("The model's parts, ns.", ["octets", "cipher", "a worker alone", "receive and hand over",
                                             "take and send", "line, many at a time", "line, one after the other"])
    for trial in trials:
        if trial["dealt"] != "teid" or trial is not next(one for one in trials if one["octets"] == trial["octets"]
                                                         and one["cipher"] == trial["cipher"]):
            continue
        model = trial["modelled"]
        table.rows.append([Cell(str(trial["octets"]), "text"), Cell(trial["cipher"], "text"),
                           *(page.fixed(model[field], 1)
                             for field in ("alone_ns", "sender_ns", "receiver_ns", "line_ns", "chase_ns"))])
    return table


def tables(trials: Sequence[Trial]) -> list[Table]:
    return [rates_table(trials), counts_table(trials), parts_table(trials)]
