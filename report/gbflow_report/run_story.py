# SPDX-License-Identifier: BSD-3-Clause
"""What happened in a run, in at most five sentences computed from its results, each with the plot that shows it.

Where the delay was: the mean time in the SGSN is measured (sojourn_s). The time in the BSS is estimated by Little's law: the mean
of the octets that the class's mobiles have in the BSS, divided by the octets that the SGSN sends them in a second. It contains
the transmission of an LLC-PDU for as long as the BSS holds it. What is left of the mean delay is air and links. Data that waits
at the server for TCP's window is in none of them: a packet's delay begins when the server sends it.
"""

from collections.abc import Callable, Sequence
from typing import Any

from gbflow_report import page
from gbflow_report.run_plots import Run
from gbflow_results.files import number

FULL = 0.9  # of a cell's radio blocks: what waits then waits for the air
Sentence = tuple[str, str]  # the text, and the name of its plot


def seconds(value_s: float) -> str:
    return f"{value_s:.3f} s" if value_s < 0.1 else f"{value_s:.2f} s"


def mobiles_of(run: Run, kind: str) -> list[str]:
    return [str(row.get("mobile")) for row in run.summary["mobiles"] if row.get("class") == kind]


def time_in_bss_s(run: Run, kind: str, row: dict[str, Any]) -> float | None:
    """Little's law; None without samples or octets."""
    octets, span_s = number(row, "octets_out"), run.end_s - run.warmup_s
    curves = run.series.of("bss_backlog_octets")
    kept = [curves[name].since(run.warmup_s) for name in mobiles_of(run, kind) if name in curves]
    if not octets or span_s <= 0 or not any(map(len, kept)):
        return None
    return sum(float(curve.value.mean()) for curve in kept if len(curve)) * span_s / octets


def parts_of(run: Run, kind: str, row: dict[str, Any]) -> list[tuple[str, float]] | None:
    """Where the mean delay of a class was, in seconds, with the words for it. The parts add up to the mean delay."""
    delay_s, sgsn_s, bss_s = number(row, "delay_s", "mean"), number(row, "sojourn_s", "mean"), time_in_bss_s(run, kind, row)
    if not delay_s or sgsn_s is None or bss_s is None:
        return None
    sgsn_s = min(sgsn_s, delay_s)
    if bss_s >= delay_s - sgsn_s:  # octets that the BSS drops count in the samples, so the estimate can be more than there is
        return [("in the SGSN's queue", sgsn_s), ("in the BSS and on the air", delay_s - sgsn_s)]
    return [("in the SGSN's queue", sgsn_s), ("in the BSS", bss_s), ("on the air and the links", delay_s - sgsn_s - bss_s)]


def where(run: Run) -> Sentence | None:
    """Of the class with the longest mean delay."""
    rows = {kind: row for kind, row in run.summary["classes"].items() if number(row, "delay_s", "mean") is not None}
    kind = max(rows, key=lambda name: number(rows[name], "delay_s", "mean") or 0.0, default=None)
    parts = parts_of(run, kind, rows[kind]) if kind else None
    if not kind or not parts:
        return None
    most = max(parts, key=lambda part: part[1])[0]
    spread = ", ".join(f"{seconds(value)} {name}" for name, value in parts)
    return (f"Most of the delay of class {kind} was {most}: of {seconds(sum(value for _, value in parts))} on average, {spread} "
            "(time in the BSS by Little's law).", "backlog")


def slowest(run: Run) -> Sentence | None:
    rows = [row for row in run.summary["mobiles"] if number(row, "delay_s", "p50") is not None]
    if not rows:
        return None
    row = max(rows, key=lambda row: number(row, "delay_s", "p50") or 0.0)
    median_s, p95_s = number(row, "delay_s", "p50") or 0.0, number(row, "delay_s", "p95") or 0.0
    return (f"{row.get('mobile')} has the longest delays: half of the packets take at least {seconds(median_s)}, 95 % at most "
            f"{seconds(p95_s)}.", "delay-time")


def pings(run: Run) -> Sentence | None:
    """A mobile that pings beside its own TCP, against the fastest that only pings."""
    median_s = {str(row.get("mobile")): value for row in run.summary["ping"] if (value := number(row, "rtt_s", "p50")) is not None}
    busy = {str(row.get("mobile")) for row in run.summary["tcp"]}
    beside = {name: value for name, value in median_s.items() if name in busy}
    alone = {name: value for name, value in median_s.items() if name not in busy}
    if not beside or not alone:
        return None
    slow, fast = max(beside, key=beside.__getitem__), min(alone, key=alone.__getitem__)
    return (f"A ping of {slow} takes {seconds(beside[slow])} (median) beside {slow}'s own TCP; one of {fast}, who has no TCP, "
            f"{seconds(alone[fast])}.", "ping-rtt")


def air(run: Run) -> Sentence | None:
    used = {bvci: value for bvci, row in run.summary["cells"].items() if (value := number(row, "air_utilisation")) is not None}
    if not used:
        return None
    bvci = max(used, key=used.__getitem__)
    reason = "the cell is full, so packets wait for the air" if used[bvci] >= FULL else \
        "the air is not what limits the busiest cell over the whole run"
    return f"Cell {bvci} used {100 * used[bvci]:.0f} % of its downlink radio blocks: {reason}.", "air-utilisation"


def lost(run: Run) -> Sentence | None:
    into, sgsn, bss = (number(run.summary, "conservation", *path) for path in (("sgsn", "in"), ("sgsn", "dropped"), ("bss", "dropped")))
    if not into or sgsn is None or bss is None:
        return None
    return (f"Of {page.count(into)} N-PDUs the SGSN dropped {page.count(sgsn)} ({100 * sgsn / into:.1f} %), the BSS {page.count(bss)} "
            f"({100 * bss / into:.1f} %).", "drops")


MAKERS: Sequence[Callable[[Run], Sentence | None]] = (where, slowest, pings, air, lost)


def sentences(run: Run) -> list[Sentence]:
    return [found for make in MAKERS if (found := make(run))]


def html(run: Run, plots: Sequence[str]) -> str:
    """Each sentence with a link to its plot, if the page has that plot."""
    rows = "".join(f"<li>{page.escape(text)}" + (f' <a href="#{name}">Plot</a>' if name in plots else "") + "</li>\n"
                   for text, name in sentences(run))
    return page.section_html("What happened", f"<ul>\n{rows}</ul>\n") if rows else ""
