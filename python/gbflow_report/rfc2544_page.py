# SPDX-License-Identifier: BSD-3-Clause
"""Plots and tables of `gbflow bench generate --rfc2544`: a node by N-PDU size,
and dpdk-testpmd on the same ports beside it."""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbflow_report import draw, page
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table

Trial = dict[str, Any]

BAR = 0.27
PANEL_INCHES = 2.1
PERCENTILES = (("p50", "50 %"), ("p90", "90 %"), ("p99", "99 %"), ("p99_9", "99.9 %"), ("most", "largest"))
KINDS = {"virtual": "no card: a virtual port", "emulated": "no card: emulated by a hypervisor",
         "card_in_virtual_machine": "a card of a virtual machine", "card": "a card"}
# reports before not_valid_because
UNKNOWN_FAULT = "a load below NDR lost frames or was not offered, or NDR is above testpmd's"
HATCH = "////"
TERMS = [
    ("valid", "no: the rate contradicts other measurements, loads below it for example. It is no "
     "result, only a hint; measure again"), ("complete", "no: the run ended before all of the row was measured"),
    ("in spite of a gap", "trials that count though the generator had a gap, because those before them were void, too"),
    ("highest load", "the most that the generator can offer, without any search"),
    ("carried then", "what comes out at the highest load; the rest of it is lost"),
    ("roofline", "NDR of dpdk-testpmd, which forwards each frame unchanged, in the node's place: what ports, "
     "generator and machine carry"), ("back to back", "the longest burst without loss, at the generator's "
                                      "highest rate (RFC 2544 26.4); buffer: the part of it that had to wait (RFC "
                                      "9004)"), ("recovery", "overload for a while, then half of NDR: from the "
                                                 "change until the last lost N-PDU was sent (RFC 2544 26.5)"),
]


def name_of(trial: Trial) -> str:
    cipher = "" if trial["cipher"] == "none" else f", {trial['cipher']}"
    return f"{trial['octets']}{cipher}"


def nodes(trials: Sequence[Trial]) -> list[Trial]:
    return [trial for trial in trials if trial["dut"] == "node"]


def is_valid(trial: Trial) -> bool:
    return bool(trial.get("valid", True))


def is_finished(trial: Trial) -> bool:
    """Modes without this field have other words for it."""
    return bool(trial.get("search_finished", True))


def is_least(trial: Trial, rate: str = "ndr") -> bool:
    """Whether nothing bounds a rate, "ndr" or "pdr", from above. Older reports only know whether the search ended."""
    return bool(trial.get(f"{rate}_is_least", not is_finished(trial)))


def at_least(value: float | None, trial: Trial, rate: str = "ndr") -> str:
    """A rate of a search with its mark."""
    return f"\u2265 {page.count(value)}" if value is not None and is_least(trial, rate) else page.count(value)


def is_shown_valid(trial: Trial, field: str, trials: Sequence[Trial]) -> bool:
    """Testpmd's rate in a node's entry is as valid as testpmd's own entry."""
    if not field.startswith("roofline"):
        return is_valid(trial)
    return all(is_valid(other) for other in trials if other["dut"] == "testpmd" and other["octets"] == trial["octets"])


# --- plots ---

def by_size(trials: Sequence[Trial], rows: int = 1, size: tuple[float, float] = draw.WIDE) -> tuple[Figure, list[Axes]]:
    """Axes with a place for each trial."""
    figure, panels = draw.canvas(rows, size)
    panels[-1].set_xticks(range(len(trials)), [name_of(trial) for trial in trials])
    return figure, panels


def rates(trials: Sequence[Trial]) -> Plot | None:
    """A report of testpmd alone has bars of its NDR and PDR."""
    shown = nodes(trials) or list(trials)
    kinds = [("ndr_npdu_per_s", "NDR"), ("pdr_npdu_per_s", "PDR (0.5 % lost)"),
             ("roofline_npdu_per_s", "NDR of testpmd on the same ports")]
    figure, (axes,) = by_size(shown)
    for index, (field, label) in enumerate(kinds):
        known = [(place, trial[field] / 1e6) for place, trial in enumerate(shown) if trial[field]]
        if known:
            bars = axes.bar([place + (index - 1) * BAR for place, _ in known], [value for _, value in known],
                            width=BAR - 0.02, color=draw.COLOURS[index], label=label)
            for bar, (place, _) in zip(bars, known, strict=True):
                if not is_shown_valid(shown[place], field, trials):
                    bar.set(facecolor="white", edgecolor=draw.COLOURS[index], hatch=HATCH)
    draw.finish(axes, "N-PDU size (octets)", "million N-PDUs a second")
    return Plot(figure, "rfc2544-rates", "Rate without loss by N-PDU size",
                "The longer an N-PDU, the more LLC frames it becomes; testpmd forwards one frame for each. "
                "Hatched bars are not valid.")


def latencies(trials: Sequence[Trial]) -> Plot | None:
    """A panel for each load."""
    shown = [trial for trial in nodes(trials) or trials if trial["latency_at"]]
    loads = sorted({level["percent"] for trial in shown for level in trial["latency_at"]})
    if not loads:
        return None
    figure, panels = by_size(shown, len(loads), (draw.WIDE[0], 0.9 + PANEL_INCHES * len(loads)))
    for axes, load in zip(panels, loads, strict=True):
        levels = [next((level for level in trial["latency_at"] if level["percent"] == load), None) for trial in shown]
        for index, (field, label) in enumerate(PERCENTILES):
            known = [(place, level[field]) for place, level in enumerate(levels) if level and level[field]]
            style = draw.look(index)
            axes.plot([place for place, _ in known], [value for _, value in known], color=style.colour,
                      marker=style.marker, label=label if axes is panels[0] else None)
        axes.set_yscale("log")
        draw.finish(axes, "N-PDU size (octets)" if axes is panels[-1] else "", f"us at {load} % of NDR")
    return Plot(figure, "rfc2544-latencies", "Latency by load",
                "From sending an N-PDU on Gn until its last LLC frame has come on Gb. The generator's own gaps are in "
                "it: see the table.")


# --- tables ---

def rates_table(trials: Sequence[Trial]) -> Table:
    table = Table("NDR and PDR, N-PDU/s.",
                  ["octets, cipher", "frame on Gn (octets)", "measured", "LLC frames each", "NDR", "Gn (Mbit/s, L1)",
                   "PDR", "testpmd", "share (%)", "highest load", "carried then",
                   "trials", "void", "in spite of a gap", "wrong FCS", "reordered", "complete", "valid"])
    for trial in trials:
        table.rows.append([Cell(name_of(trial)), page.fixed(trial.get("gn", {}).get("frame_octets"), 0),
                           Cell(trial["dut"], "text"), page.fixed(trial["frames_per_npdu"], 1),
                           at_least(trial["ndr_npdu_per_s"], trial), at_least(trial["ndr_gn_mbit_per_s"], trial),
                           at_least(trial["pdr_npdu_per_s"], trial, "pdr"),
                           page.count(trial["roofline_npdu_per_s"]),
                           page.percent(trial["roofline_share"]),
                           *(page.count(trial[field]) for field in (
                               "offered_npdu_per_s", "npdu_per_s",
                               "tried_trials", "voided_trials", "gap_trials", "wrong_fcs", "reordered")),
                           *(Cell("yes" if trial.get(name, True) else "no", "text" if trial.get(name, True) else "bad")
                             for name in ("complete", "valid"))])
    return table


def remarks_of(trial: Trial) -> list[Cell]:
    remarks = [] if is_valid(trial) else [Cell(f"NOT VALID: {trial.get('not_valid_because') or UNKNOWN_FAULT}", "bad")]
    if not trial.get("complete", True):
        remarks.append(Cell("not everything was measured", "note"))
    if trial["ndr_npdu_per_s"] and not is_finished(trial):
        remarks.append(Cell("the search did not end in time: NDR and PDR are at least these", "note"))
    elif trial["ndr_npdu_per_s"] and is_least(trial):
        remarks.append(Cell("no offered load lost frames: the generator limits NDR", "note"))
    return remarks


def remarks_table(trials: Sequence[Trial]) -> Table:
    return Table("What these rates are worth.", ["octets, cipher", "measured", "remark"],
                 [[Cell(name_of(trial)), Cell(trial["dut"], "text"), remark] for trial in trials
                  for remark in remarks_of(trial)])


def latency_table(trials: Sequence[Trial]) -> Table:
    table = Table("Latency, in microseconds.", ["octets, cipher", "measured", "load (% of NDR)", "N-PDU/s",
                                                *(label for _, label in PERCENTILES),
                                                "N-PDUs", "lost (%)", "longest gap of the generator"])
    for trial in trials:
        for level in trial["latency_at"]:
            table.rows.append([Cell(name_of(trial)), Cell(trial["dut"], "text"), page.count(level["percent"]),
                               page.count(level["offered_npdu_per_s"]),
                               *(page.fixed(level[field], 1) for field, _ in PERCENTILES), page.count(level["npdus"]),
                               page.percent(level["loss"]), page.fixed(level["generator_gap_us"], 1)])
    return table


def burst_table(trials: Sequence[Trial]) -> Table:
    table = Table("The longest burst without loss, N-PDUs.",
                  ["octets, cipher", "mean", "least to most", "sent at (N-PDU/s)", "buffer", "searches",
                   "no longer burst was tried"])
    for trial in trials:
        burst = trial["back_to_back"]
        if burst:
            table.rows.append([Cell(name_of(trial)), page.count(burst["npdus"]),
                               Cell(f"{page.count(burst['least'])} to {page.count(burst['most'])}", "text"),
                               page.count(burst["offered_npdu_per_s"]), page.count(burst["buffer_npdus"]),
                               page.count(burst["searches"]),
                               page.count(burst["limit_npdus"]) if burst["is_limited"] else page.NONE])
    return table


def recovery_table(trials: Sequence[Trial]) -> Table:
    table = Table("Recovery after overload.",
                  ["octets, cipher", "overload (N-PDU/s)", "for (s)", "then (N-PDU/s)", "recovery (us)",
                   "resolution (us)", "LLC frames lost", "N-PDUs lost after the change", "no loss at the end"])
    for trial in trials:
        one = trial["recovery"]
        if one:
            table.rows.append([Cell(name_of(trial)), page.count(one["overload_npdu_per_s"]),
                               page.fixed(one["overload_s"], 2), page.count(one["then_npdu_per_s"]),
                               page.fixed(one["recovery_us"], 0), page.fixed(one["resolution_us"], 1),
                               page.count(one["frames_lost"]), page.count(one["npdus_lost_after"]),
                               Cell("yes" if one["recovered"] else "no", "text" if one["recovered"] else "bad")])
    return table


def tables(trials: Sequence[Trial]) -> list[Table]:
    return [table for table in (rates_table(trials), remarks_table(trials), latency_table(trials),
                                burst_table(trials), recovery_table(trials))
            if table.rows]


def ports_table(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> Table:
    """Of the reports that have ports."""
    table = Table("The generator's ports.", ["report", "port", "device", "kind", "driver", "firmware", "bus",
                                             "NUMA node", "link (Mbit/s)", "MTU", "MAC"])
    for name, data in zip(names, datas, strict=True):
        for side, port in data.get("ports", {}).items():
            table.rows.append([name, Cell(side, "text"), Cell(page.worded(port["device"]), "text"),
                               Cell(KINDS[port["kind"]], "text"),
                               *(Cell(port[field] or page.NONE, "text") for field in ("driver", "firmware", "bus")),
                               page.count(port["numa_node"]), page.count(port["link_mbit_per_s"]),
                               page.count(port["mtu"]), Cell(port["mac"], "text")])
    return table
