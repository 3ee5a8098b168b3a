# SPDX-License-Identifier: BSD-3-Clause
"""The page of one or several reports of `gbflow bench` and gbflow-fitness (schema gbflow-bench/2, and 1, read as 2). A
trial is named by its traffic.
"""

import pathlib
from collections.abc import Callable, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gbflow_report import bench_machine, draw, output, page, rfc2544_page, workers_page
from gbflow_report.draw import Plot
from gbflow_report.page import Cell, Table
from gbflow_results import Failure, files, versions

Trial = dict[str, Any]


# --- plots ---

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
        if trial["ns_median_low"] is None:
            continue
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
        if trial["ratio_low"] is not None:
            axes.plot([100 * trial["ratio_low"], 100 * trial["ratio_high"]], [place] * 2, color=draw.COLOURS[0],
                      linewidth=5, solid_capstyle="butt", label=None if place else "95 % interval of the median")
        axes.plot(100 * trial["ratio"], place, "|", color="black", markersize=13, label=None if place else "median")
    axes.set_ylim(len(trials) - 0.4, -0.6)
    name_rows(axes, trials)
    draw.finish(axes, "second side's rate, in percent of the first one's", "")
    return Plot(figure, "ratios", "The second side's rate beside the first one's",
                "compare: program b / program a; pair: one process / two processes. Below 100 the second side is "
                "slower.")


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
                axes.plot([spread["least"] / 1e6, spread["most"] / 1e6], [place + (index - 1) * 0.27] * 2,
                          color="#333333", linewidth=1)
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
        axes.plot(percents, [level["p50"] for level in levels], color=style.colour, marker=style.marker,
                  label=name_of(trial))
        axes.plot(percents, [level["p99"] for level in levels], color=style.colour, marker=style.marker,
                  linestyle=(0, (3, 1.5)), fillstyle="none")
    axes.set_yscale("log")
    draw.finish(axes, "offered load, percent of NDR", "latency (us)")
    more = f" {len(known) - draw.CURVES} more are in the table." if len(known) > draw.CURVES else ""
    return Plot(figure, "latencies", "Latency",
                f"Solid lines: median; dashed lines: 99 %. Only without ciphering.{more}")


def parts_of(trial: Trial) -> list[tuple[str, float, str]]:
    """What an N-PDU's time is made of: name, nanoseconds, colour. A part that came out below nothing is nothing."""
    step = [stage for stage in trial["stages"] if stage["part_of"] is None]
    parts = [(stage["name"], stage["alone_ns"], STAGE_COLOURS[index % len(STAGE_COLOURS)])
             for index, stage in enumerate(step)]
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
                "In colours each stage alone, with all data in the nearest caches; their sum is the floor. In grey the "
                "additional time of whole steps.")


TERMS = [
    ("N-PDU", "a user's IP packet: GTP-U on Gn, one or more LLC frames on Gb"),
    ("gap", "a turn of worker or generator, or in ndr a silence of the worker, that takes longer than gap_us, mostly "
     "because the CPU was taken away"),
    ("void", "windows or trials with a gap; they are measured again"),
    ("95 % of median", "interval that holds the true median with a probability of 95 %, for any distribution"),
    ("\u2265", "nothing bounds the rate from above: the search ended too early, "
               "or no load that the generator offers had a loss"),
    ("about", "a search did not end in time; the rate may be higher or lower"),
    ("frame, L2, L1", "of the frames on Gn: an N-PDU with GTP-U, UDP, IPv4, Ethernet's header and FCS. "
                      "L2 counts the octets of these frames, L1 also preamble and gap, 20 octets each"),
    ("Mpps", "million frames a second"),
    ("NDR, PDR", "highest offered load without loss (non-drop rate), and with at most 0.5 % loss (partial drop rate)"),
    ("round trip", "of a cache line between the CPUs of worker and generator; one row for each round trip time that "
     "occurred"), ("share", "in ndr: NDR / NDR of testpmd in the worker's place; in stages: floor / time of the whole "
                   "step"), ("slower", "additional time per N-PDU of side b, in percent of side a's; the verdict "
                             "needs the whole 95 % interval"),
    *rfc2544_page.TERMS,
    ("rte_sched", "the hierarchical scheduler of DPDK, with a pipe for each mobile, on a clock that is set"),
    ("all steps", "of rte_sched: whole seconds of its clock with each step, those too that visited every pipe with "
     "packets and found less than a burst"),
    ("full burst", "32 packets, as many as a step asks for. Steps that found them cost rte_sched least"),
    ("alone", "time of a stage on a burst whose records and packets are in the nearest caches"),
    ("more", "additional time of the stage within the step, where they are not"),
]


# --- tables ---

def traffic(trial: Trial) -> list[Cell | str]:
    cells = [Cell(name_of(trial)), page.count(trial["cells"])]
    return [*cells, Cell(trial["fault"], "bad") if trial.get("fault") else Cell("", "note")]


TRAFFIC = ["octets, cipher, mobiles", "cells", "fault"]


def interval(trial: Trial, name: str, digits: int, factor: float = 1) -> Cell:
    """Of a median; fewer than six values have none."""
    low, high = trial[f"{name}_low"], trial[f"{name}_high"]
    return Cell(page.NONE if low is None else f"{factor * low:.{digits}f} to {factor * high:.{digits}f}", "text")


def valid_cell(trial: Trial, name: str) -> Cell:
    """Of so many asked for, which older reports do not say."""
    few = trial[name] < trial.get(f"{name}_asked", 0)
    return Cell(f"{trial[name]} of {trial[f'{name}_asked']}", "bad") if few else Cell(page.count(trial[name]))


def preloaded_table(trials: Sequence[Trial]) -> Table:
    table = Table("Workers fed from memory.", [*TRAFFIC, "N-PDU/s", "ns/N-PDU", "95 % of median", "quartiles",
                                               "ns/turn", "windows", "void"])
    for trial in trials:
        table.rows.append([*traffic(trial), page.count(trial["npdu_per_s"]), page.fixed(trial["ns_per_npdu"], 1),
                           interval(trial, "ns_median", 1),
                           Cell(f"{trial['ns_lower_quartile']:.1f} to {trial['ns_upper_quartile']:.1f}", "text"),
                           page.fixed(trial.get("ns_with_ports"), 1), valid_cell(trial, "windows"),
                           page.count(trial["voided_trials"])])
    return table


def spread(value: dict[str, float]) -> Cell:
    return Cell(f"{page.count(value['least'])} to {page.count(value['most'])}", "text")


def rates_table(trials: Sequence[Trial]) -> Table:
    table = Table("NDR and PDR over memif, N-PDU/s.",
                  [*TRAFFIC, "round trip (ns)", "NDR", "least to most", "PDR", "least to most", "at full load",
                   "testpmd", "share (%)", "searches", "trials", "void", "trials of testpmd", "void of testpmd",
                   "wrong FCS", "reordered"])
    for trial in trials:
        table.rows.append([*traffic(trial), page.count(trial.get("round_trip_ns")),
                           marked(trial, "ndr"),
                           spread(trial["ndr_range"]),
                           marked(trial, "pdr"), spread(trial["pdr_range"]), page.count(trial["npdu_per_s"]),
                           page.count(trial["roofline_npdu_per_s"]), page.percent(trial["roofline_share"]),
                           *(page.count(trial.get(field)) for field in (
                               "searches", "tried_trials", "voided_trials", "roofline_trials",
                               "roofline_voided_trials")),
                           page.count(trial["wrong_fcs"]), page.count(trial["reordered"])])
    return table


def unfinished(trial: Trial) -> bool:
    """Of ndr: a search exceeded --seconds."""
    return bool(trial.get("finished_searches", 0) < trial.get("searches", 0))


def is_guess(trial: Trial) -> bool:
    """Of ndr: it ended before a staircase had a result."""
    return unfinished(trial) and bool(trial.get("ndr_worth", 0) >= 1)


def marked(trial: Trial, rate: str) -> str:
    """NDR or PDR with its mark."""
    if is_guess(trial):
        trial = {f"{rate}_is_least": True, **trial}
    value = rfc2544_page.at_least(trial[f"{rate}_npdu_per_s"], trial, rate)
    return f"about {value}" if unfinished(trial) and not rfc2544_page.is_least(trial, rate) else value


def wire_table(trials: Sequence[Trial]) -> Table:
    """Rates as networks have them. Older reports do not know them."""
    table = Table("In Ethernet terms, on Gn.", [TRAFFIC[0], "frame (octets with FCS)", "rate", "Mpps", "Gbit/s, L2",
                                                "Gbit/s, L1"])
    for trial in trials:
        known = trial.get("gn")
        if known and known["mpps"] is not None:
            name = "offered load" if trial["mode"] == "soak" else "NDR" if trial["ndr_npdu_per_s"] else "forwarding"
            mark = "\u2265 " if name == "NDR" and rfc2544_page.is_least(trial) else ""
            of = f"{name} of testpmd" if trial.get("dut") == "testpmd" else name
            table.rows.append([Cell(name_of(trial)), page.fixed(known["frame_octets"], 0), Cell(of, "text"),
                               mark + page.fixed(known["mpps"], 3),
                               *(mark + page.fixed(known[field], 2) for field in ("l2_gbit_per_s", "l1_gbit_per_s"))])
    return table


def void_html(trials: Sequence[Trial]) -> str:
    """One sentence on windows, trials or pairs that do not count."""
    nouns = {"preloaded": "windows", "workers": "rounds", "stages": "rounds",
             "compare": "pairs of slices", "pair": "pairs of slices"}
    void = sum(trial.get("voided_pairs", trial.get("voided_trials", 0)) + trial.get("roofline_voided_trials", 0)
               for trial in trials)
    all_of = sum(tried_of(trial) for trial in trials)
    if not all_of:
        return ""
    noun, share = nouns.get(trials[0]["mode"], "trials"), page.percent(void / all_of)
    return f"<p>{page.count(void)} of {page.count(all_of)} {noun} ({share} %) were void and made again.</p>\n"


def tried_of(trial: Trial) -> int:
    """With the void ones."""
    if "voided_pairs" in trial:
        return int(trial["pairs"] + trial["voided_pairs"])
    if "tried_trials" in trial:
        return int(trial["tried_trials"] + trial.get("roofline_trials", 0))
    return int(trial["windows"] + trial["voided_trials"]) if "windows" in trial else 0


def ndr_remarks(trial: Trial) -> list[str]:
    remarks = []
    if unfinished(trial):
        worth = trial.get("ndr_worth", 1)
        off = (f"NDR may be {100 * worth:.0f} % off, if the machine did not change" if worth < 1 else "NDR is a guess, "
               "at least this; raise --seconds")
        remarks.append(f"{trial['searches'] - trial['finished_searches']} of {trial['searches']} searches exceeded "
                       f"--seconds: {off}")
    elif trial.get("ndr_is_least"):
        remarks.append("no offered load lost frames: the generator limits NDR")
    if trial.get("no_roofline_because"):
        void = (f", {trial['roofline_voided_trials']} of {trial['roofline_trials']} trials void"
                if trial["roofline_trials"] else "")
        remarks.append(f"testpmd was not measured: {trial['no_roofline_because']}{void}")
    return remarks


def remarks_table(trials: Sequence[Trial]) -> Table:
    return Table("What these rates are worth.", [TRAFFIC[0], "remark"],
                 [[Cell(name_of(trial)), Cell(remark, "note")] for trial in trials for remark in ndr_remarks(trial)])


def latency_table(trials: Sequence[Trial]) -> Table:
    levels = [level["percent"] for level in trials[0]["latency_at"]] if trials else []
    table = Table("Latency at shares of NDR, of the frames of one trial each, in microseconds: median / 99 %.",
                  [TRAFFIC[0], *(f"{level} %" for level in levels)])
    for trial in trials:
        cells = [page.NONE if level["p50"] is None else f"{level['p50']:.1f} / {level['p99']:.1f}"
                 for level in trial["latency_at"]]
        table.rows.append([Cell(name_of(trial)), *cells])
    return table


def comparison_table(trials: Sequence[Trial]) -> Table:
    """Each side's rate, and what one has of the other."""
    table = Table("Two sides in alternating slices, N-PDU/s.",
                  [*TRAFFIC, "sides", "first", "second", "second / first (%)", "95 %", "slower (%)",
                   "verdict on the second", "rounds", "void"])
    for trial in trials:
        first, second = sides_of(trial)
        table.rows.append([*traffic(trial), Cell(f"{first}, {second}", "text"),
                           page.count(trial[first]["npdu_per_s"]), page.count(trial[second]["npdu_per_s"]),
                           page.percent(trial["ratio"]), interval(trial, "ratio", 1, 100),
                           page.fixed(trial["slower_percent"], 1), Cell(trial["verdict"], "text"),
                           valid_cell(trial, "rounds"), page.count(trial["voided_pairs"])])
    return table


def soak_table(trials: Sequence[Trial]) -> Table:
    table = Table("Soak at a constant offered load: N-PDUs, and the gaps that the lost ones lie in.",
                  [*TRAFFIC, "N-PDU/s", "NDR", "seconds", "offered", "lost", "in gaps of the worker",
                   "in gaps of the generator", "outside", "gaps: worker", "generator", "time in gaps (%)"])
    for trial in trials:
        table.rows.append([*traffic(trial), page.count(trial["rate_npdu_per_s"]), page.count(trial["ndr_npdu_per_s"]),
                           page.fixed(trial["took_s"], 1),
                           *(page.count(trial[field]) for field in (
                               "offered", "lost", "lost_in_worker_gaps", "lost_in_generator_gaps", "lost_outside_gaps",
                               "worker_gaps", "generator_gaps")), page.percent(trial["gap_time_share"])])
    return table


def use_table(trials: Sequence[Trial]) -> Table:
    table = Table("mbufs in use and RSS (MiB) of worker and generator.",
                  ["octets, cipher, mobiles", *(f"{what}, {when}" for what in ("mbufs", "MiB") for when in SOAK_TIMES)])
    for trial in trials:
        uses = [trial[when] for when in SOAK_TIMES]
        table.rows.append([Cell(name_of(trial)),
                           *(Cell(f"{page.count(use['worker_mbufs'])}, {page.count(use['generator_mbufs'])}", "text")
                             for use in uses),
                           *(Cell(f"{use['worker_rss_octets'] / 2**20:.1f}, {use['generator_rss_octets'] / 2**20:.1f}",
                                  "text")
                             for use in uses)])
    return table


def generate_table(trials: Sequence[Trial]) -> Table:
    table = Table("Running nodes: NDR and PDR in N-PDU/s, then one trial.",
                  [*TRAFFIC, "NDR", "PDR", "offered", "forwarded", "frames lost (%)", "Gn ring full", "p50 (us)",
                   "p99 (us)", "trials", "void", "wrong FCS", "reordered"])
    for trial in trials:
        table.rows.append([*traffic(trial), marked(trial, "ndr"), marked(trial, "pdr"),
                           page.count(trial["offered_npdu_per_s"]), page.count(trial["npdu_per_s"]),
                           page.fixed(trial["loss"], 4, 100.0), page.count(trial["tx_ring_full"]),
                           page.fixed(trial["latency_us"]["p50"], 1), page.fixed(trial["latency_us"]["p99"], 1),
                           page.count(trial["tried_trials"]), page.count(trial["voided_trials"]),
                           page.count(trial["wrong_fcs"]), page.count(trial["reordered"])])
    return table


def floor_table(trials: Sequence[Trial]) -> Table:
    table = Table("Whole steps and their floor, ns per N-PDU.",
                  [*TRAFFIC, "whole", "95 % of median", "floor", "share (%)", "95 % of share", "stall", "idle step",
                   "unexplained", "cycles", "windows", "void"])
    for trial in trials:
        table.rows.append([*traffic(trial), page.fixed(trial["ns_per_npdu"], 1),
                           interval(trial, "ns_median", 1), page.fixed(trial["floor_ns"], 1),
                           page.percent(trial["floor_share"]), interval(trial, "floor_share", 0, 100),
                           *(page.fixed(trial["rest"][field], 1) for field, _ in REST),
                           page.fixed(trial["cycles_per_npdu"], 0),
                           *(page.count(trial[name]) for name in ("windows", "voided_trials"))])
    return table


def stages_table(trial: Trial) -> Table:
    table = Table(f"{name_of(trial)}: stages, ns per N-PDU.", ["stage", "alone", "cycles", "in the step", "more"])
    for stage in trial["stages"]:
        inside = stage["in_step_ns"]
        name = f"of {stage['part_of']}: {stage['name']}" if stage["part_of"] else stage["name"]
        more = None if inside is None else inside - stage["alone_ns"]
        table.rows.append([name, page.fixed(stage["alone_ns"], 1), page.fixed(stage["alone_cycles"], 0),
                           page.fixed(inside, 1), page.fixed(more, 1)])
    return table


# --- the scheduler beside rte_sched ---

# A bar of each load: field, label.
SCHEDULERS = (("gbflow_ns", "gbflow"), ("rte_all_ns", "rte_sched, all steps"),
              ("rte_full_ns", "rte_sched, steps that found a full burst"))


def schedulers(trials: Sequence[Trial]) -> Plot:
    figure, axes = rows_of(2 * len(trials))
    for index, (field, label) in enumerate(SCHEDULERS):
        known = [(place, trial[field]) for place, trial in enumerate(trials) if trial[field]]
        axes.barh([place + (index - 1) * 0.27 for place, _ in known], [value["median"] for _, value in known],
                  height=0.25, color=draw.COLOURS[index], label=label if known else None)
        for place, value in known:
            axes.plot([value["lower_quartile"], value["upper_quartile"]], [place + (index - 1) * 0.27] * 2,
                      color="#333333", linewidth=1)
    axes.set_yticks(range(len(trials)), [f"{trial['mobiles']} mobiles, {trial['load']}" for trial in trials])
    axes.set_xscale("log")
    draw.finish(axes, "ns of processor time per N-PDU", "")
    return Plot(figure, "schedulers", "The scheduler beside rte_sched",
                "Bars: median of the rounds; lines: quartiles. The scale is logarithmic.")


def schedulers_table(trials: Sequence[Trial]) -> Table:
    table = Table("ns of processor time per N-PDU: offered, or sent of backlogged loads.",
                  ["mobiles", "load", "rounds", *(head for _, label in SCHEDULERS for head in (label, "quartiles")),
                   "gbflow / all steps", "gbflow / full bursts", "full bursts (% of steps)", "sent by gbflow (%)",
                   "sent by rte_sched (%)", "instructions of gbflow",
                   "of full bursts", "mispredictions of gbflow", "fault"])
    for trial in trials:
        cells = []
        for field, _ in SCHEDULERS:
            value = trial[field]
            cells += [page.fixed(value and value["median"], 1),
                      Cell(f"{value['lower_quartile']:.1f} to {value['upper_quartile']:.1f}" if value else page.NONE,
                           "text")]
        table.rows.append([page.count(trial["mobiles"]), Cell(trial["load"], "text"), page.count(trial["rounds"]),
                           *cells, *(page.fixed(trial[field] and trial[field]["median"], 3)
                                     for field in ("ratio_all", "ratio_full")),
                           *(page.percent(trial[field])
                             for field in ("rte_full_steps_share", "gbflow_sent_share", "rte_sent_share")),
                           page.count(trial["instructions"]),
                           page.count(trial["rte_full_instructions"]), page.fixed(trial["mispredictions"], 2),
                           Cell(trial["fault"], "bad") if trial["fault"] else Cell("", "note")])
    return table


def qdiscs_table(trials: Sequence[Trial]) -> Table:
    table = Table("Qdiscs of Linux for scale: ns of processor time of the sender per datagram.",
                  ["qdisc", "classes", "with it", "without", "more", "not measured because"])
    for trial in trials:
        both = [trial[field] for field in ("with_ns", "without_ns")]
        more = both[0] - both[1] if all(both) else None
        table.rows.append([Cell(f"htb + {trial['leaf']}", "text"), page.count(trial["classes"]),
                           *(page.fixed(value, 0) for value in (*both, more)), Cell(trial["fault"] or "", "note")])
    return table


# --- page ---

# The modes that a section shows, its title, plots and tables.
SECTIONS: list[tuple[tuple[str, ...], str, list[Callable[[Sequence[Trial]], Plot | None]],
                     Callable[[Sequence[Trial]], list[Table]]]] = [
    (("preloaded",), "Workers fed from memory", [times], lambda trials: [preloaded_table(trials)]),
    (("workers",), "How the rate grows with the workers", [workers_page.rates], workers_page.tables),
    (("compare", "pair"), "Two sides in alternating slices", [ratios], lambda trials: [comparison_table(trials)]),
    (("ndr",), "NDR and PDR", [rates, latencies],
     lambda trials: [rates_table(trials), remarks_table(trials), latency_table(trials)]),
    (("soak",), "Soak", [], lambda trials: [soak_table(trials), use_table(trials)]),
    (("rfc2544",), "A running node by N-PDU size", [rfc2544_page.rates, rfc2544_page.latencies], rfc2544_page.tables),
    (("generate",), "A running node", [], lambda trials: [generate_table(trials)]),
    (("sched",), "The scheduler beside rte_sched", [schedulers], lambda trials: [schedulers_table(trials)]),
    (("qdisc",), "Linux under light load", [], lambda trials: [qdiscs_table(trials)]),
    (("stages",), "Where the time goes", [stages], lambda trials: [floor_table(trials), *map(stages_table, trials)]),
]


def most_lossless(trials: Sequence[Trial]) -> str:
    """The highest NDR of workers and nodes, not of testpmd, that is valid, with what it is worth."""
    found = [trial
             for trial in trials if (trial["mode"] == "ndr" or trial["mode"] == "rfc2544" and trial["dut"] == "node")
             and trial["ndr_npdu_per_s"]]
    valid = [trial for trial in found if rfc2544_page.is_valid(trial)]
    if not valid:
        return "none is valid" if found else ""
    best = max(valid, key=lambda trial: trial["ndr_npdu_per_s"])
    return marked(best, "ndr")


def stops_html(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    """Reports of runs that did not measure all they should."""
    return "".join(f'<p class="soft">{page.escape(name)} is not complete: {page.escape(data["stopped"])}.</p>\n'
                   for name, data in zip(names, datas, strict=True) if data.get("stopped"))


def not_found_html(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    """Reports of ndr that end at a point without a rate."""
    lines = []
    for name, data in zip(names, datas, strict=True):
        lost = data.get("not_found")
        if lost:
            tried, void = lost["tried_trials"], lost["voided_trials"]
            lines.append(f"{name}: no search found a rate for {name_of(lost)}. {page.count(void)} of "
                         f"{page.plural(tried, 'trial')} were void: worker, testpmd or generator had lost its CPU "
                         "for longer than gap_us, or the distance of the CPUs changed.")
            if lost.get("advice"):
                lines[-1] += f" Advice: {lost['advice']}."
    return "".join(f"<p>{page.escape(line)}</p>\n" for line in lines)


def cards(datas: Sequence[dict[str, Any]], trials: Sequence[Trial]) -> list[tuple[str, str]]:
    def best(mode: str, field: str) -> list[float]:
        return [trial[field] for trial in trials if trial["mode"] == mode and trial[field] is not None]

    most, shares = best("preloaded", "npdu_per_s"), best("stages", "floor_share")
    found = [("most N-PDU/s from memory", page.count(max(most)) if most else ""),
             ("most N-PDU/s without loss", most_lossless(trials)),
             ("least share of the floor", f"{page.percent(min(shares))} %" if shares else ""),
             ("trial" if len(trials) == 1 else "trials", page.count(len(trials))),
             ("processor", datas[0]["machine"]["cpu"])]
    return [(name, value) for name, value in found if value]


def html_of(datas: Sequence[dict[str, Any]], names: Sequence[str]) -> str:
    trials = [trial for data in datas for trial in data["trials"]]
    parts, plots = [], []
    for modes, title, drawers, tables in SECTIONS:
        mine = [trial for trial in trials if trial["mode"] in modes]
        if mine:
            made = [plot for draw_one in drawers if (plot := draw_one(mine))]
            plots += made
            wire = wire_table(mine)
            parts.append(page.section_html(title, void_html(mine), *map(page.plot_html, made),
                                           *map(page.table_html, tables(mine)),
                                           page.table_html(wire) if wire.rows else ""))
    others = sorted({trial["mode"] for trial in trials} - {mode for modes, *_ in SECTIONS for mode in modes})
    left_out = f'<p class="soft">Not on this page: trials of {page.escape(", ".join(others))}.</p>\n' if others else ""
    if not trials:
        left_out = '<p class="soft">Nothing was measured.</p>\n'
    head = ('<header>\n<h1>Throughput of gbflow</h1>\n<p class="soft">From '
            f'{page.escape(", ".join(names))}.</p>\n{left_out}{not_found_html(datas, names)}{stops_html(datas, names)}'
            f"{page.cards_html(cards(datas, trials))}</header>\n")
    return page.page_html("Throughput - gbflow", len(plots), [("Page by", output.origin())], head, *parts,
                          page.section_html("Machine", *map(page.table_html, bench_machine.tables(datas, names))),
                          page.section_html("Plan", page.table_html(bench_machine.plan_table(datas, names))),
                          page.section_html("Words", page.terms_html(TERMS)))


def write(sources: Sequence[pathlib.Path], target: pathlib.Path) -> pathlib.Path:
    """Reports to one page."""
    datas = [files.read_report(path, versions.BENCH_SCHEMA) for path in sources]
    if target.exists() and any(target.samefile(path) for path in sources):
        raise Failure(f"{target}: is one of the reports; give --html another file")
    for path, data in zip(sources, datas, strict=True):
        try:
            html_of([data], [path.name])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise Failure(f"{path}: a field is missing or of another kind: {error}") from error
    output.write_whole(target, html_of(datas, [path.name for path in sources]), is_named=True)
    return target
