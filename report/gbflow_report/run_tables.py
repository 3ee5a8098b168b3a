# SPDX-License-Identifier: BSD-3-Clause
"""The tables of one run."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from gbflow_report import draw, fields, page
from gbflow_report.page import Cell, Table
from gbflow_report.run_plots import Run, split_of
from gbflow_results.files import Curve, number, pick

CLASS, CELL = "classes.CLASS.", "cells.BVCI."
# Columns of a class, by the paths of its fields.
PACKETS = ["mobiles", "npdu_in", "npdu_out", "marks", "drops.REASON", "delay_s.p50", "delay_s.p95", "delay_s.p99", "delay_s.max",
           "sojourn_s.p50", "sojourn_s.p95"]
GOODPUT = ["goodput_bps.per_user_mean", "goodput_bps.total", "goodput_bps.page_mean", "page_time_s.p50", "page_time_s.p95",
           "fairness.worst_user", "fairness.jain"]


def reasons(drops: Any) -> str:
    """ "12 (lifetime 10, queue_full 2)" """
    counts = {name: number(drops, name) or 0 for name in drops} if isinstance(drops, dict) else {}
    named = ", ".join(f"{name} {page.count(value)}" for name, value in sorted(counts.items()) if value)
    return page.count(sum(counts.values())) + (f" ({named})" if named else "")


def heads(above: str, paths: Sequence[str]) -> list[page.Head]:
    return [fields.head("summary", above + path) for path in paths]


def cell_of(row: dict[str, Any], above: str, path: str) -> Cell | str:
    """A field of a row: the path is that below `above`."""
    way = path.split(".")
    if fields.of("summary", above + path).words:
        return Cell(reasons(pick(row, *way[:-1])), "note")
    return fields.text_of("summary", above + path, number(row, *way))


def of_classes(run: Run, caption: str, paths: Sequence[str]) -> Table:
    return Table(caption, ["class", *heads(CLASS, paths)],
                 [[name, *(cell_of(row, CLASS, path) for path in paths)] for name, row in run.summary["classes"].items()])


def packets(run: Run) -> Table:
    return of_classes(run, "Packets per class.", PACKETS)


def goodput(run: Run) -> Table:
    return of_classes(run, "What the applications of a class got, and how evenly.", GOODPUT)


def mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def quantile(values: Iterable[float], share: float) -> float | None:
    """Nearest rank: always one of the values."""
    known = list(values)
    return float(numpy.quantile(known, share, method="inverted_cdf")) if known else None


def rows_of(run: Run, section: str, mobile: str) -> list[dict[str, Any]]:
    return [row for row in run.summary[section] if row.get("mobile") == mobile]


def tcp_cells(rows: list[dict[str, Any]]) -> list[str]:
    """Of several connections: octets together, retransmissions weighted by octets, the mean of their averages."""
    if not rows:
        return [page.NONE] * 6
    octets = [number(row, "octets") or 0.0 for row in rows]
    again = [(number(row, "retransmitted_fraction") or 0.0) * size for row, size in zip(rows, octets)]
    rate_bps = mean(number(row, "goodput_bps") for row in rows)
    return [page.count(len(rows)), page.count(sum(octets)), page.kbps(rate_bps),
            page.percent(sum(again) / sum(octets) if sum(octets) else None),
            page.seconds(mean(number(row, "rtt_s", "avg") for row in rows)),
            page.seconds(largest(number(row, "rtt_s", "max") for row in rows))]


def ping_cells(rows: list[dict[str, Any]]) -> list[str]:
    if not rows:
        return [page.NONE] * 3
    sent, received = (sum(number(row, key) or 0 for row in rows) for key in ("sent", "received"))
    return [f"{page.count(received)} of {page.count(sent)}", page.seconds(mean(number(row, "rtt_s", "avg") for row in rows)),
            page.seconds(largest(number(row, "rtt_s", "max") for row in rows))]


def delay_cells(curves: list[Curve]) -> list[str]:
    values = [value for curve in curves for value in curve.value.tolist()]
    times = [page.seconds(quantile(values, share)) for share in (0.5, 0.95, 1.0)]
    return [page.count(len(values)) if values else page.NONE, *times]


def page_cells(rows: list[dict[str, Any]]) -> list[str]:
    done = [time_s for time_s in (number(row, "time_s") for row in rows) if time_s is not None]
    return [page.count(len(done)) if done else page.NONE, page.seconds(quantile(done, 0.5))]


def mobile_delays(run: Run) -> Table:
    table = Table("Packets and pings per mobile.", [
        "mobile", "classes", fields.head("summary", "mobiles[].drops.REASON"), "packets delivered",
        *heads("mobiles[].", ["delay_s.p50", "delay_s.p95", "delay_s.max"]), "pings answered",
        fields.head("summary", "ping[].rtt_s.avg", name="ping RTT mean"),
        fields.head("summary", "ping[].rtt_s.max", name="ping RTT max")])
    delays: dict[str, dict[str, Curve]] = {mobile: {} for mobile in run.mobiles}
    for of, curve in run.series.of("delay_s").items():
        mobile, kind = split_of(of)
        delays[mobile][kind] = curve.since(run.warmup_s)
    for mobile, kinds in delays.items():
        dropped = [reasons(row.get("drops")) for row in rows_of(run, "mobiles", mobile)]
        table.rows.append([mobile, Cell(", ".join(sorted(kinds)) or page.NONE, "text"),
                           Cell("; ".join(dropped) or page.NONE, "note"), *delay_cells(list(kinds.values())),
                           *ping_cells(rows_of(run, "ping", mobile))])
    return table


def mobile_tcp(run: Run) -> Table:
    """Mobiles without TCP are not in it."""
    table = Table("TCP per mobile. Goodput and mean round-trip time of several connections are means over them.", [
        "mobile", "TCP connections", *heads("tcp[].", ["octets", "goodput_bps"]),
        fields.head("summary", "tcp[].retransmitted_fraction", name="retransmitted", shown=fields.PERCENT),
        *heads("tcp[].", ["rtt_s.avg", "rtt_s.max"]), "pages", fields.head("summary", "pages[].time_s", name="page time p50")])
    for mobile in run.mobiles:
        found = [*tcp_cells(rows_of(run, "tcp", mobile)), *page_cells(rows_of(run, "pages", mobile))]
        if set(found) != {page.NONE}:
            table.rows.append([mobile, *found])
    return table


def cells(run: Run) -> Table:
    table = Table("Per cell.", ["BVCI", fields.head("summary", CELL + "air_utilisation", shown=fields.PERCENT),
                                *heads(CELL, ["bss_queue_octets_max", "drops.REASON"])])
    for bvci, row in sorted(run.summary["cells"].items(), key=lambda item: draw.natural(item[0])):
        table.rows.append([bvci, page.percent(number(row, "air_utilisation")),
                           *(cell_of(row, CELL, path) for path in ("bss_queue_octets_max", "drops.REASON"))])
    return table


def conservation(run: Run) -> Table:
    """The sum must be right for each node: what went in has come out, was dropped, or still waits."""
    table = Table("Where every N-PDU went: in = delivered on + dropped + still queued.",
                  ["node", "in", "out", "dropped", "queued at the end", "the sum"])
    for node, row in sorted(run.summary["conservation"].items(), reverse=True):
        into, *ways = (number(row, key) for key in ("in", "out", "dropped", "queued"))
        known = into is not None and None not in ways
        short = into - sum(ways) if known else None
        verdict = Cell("agrees", "good") if short == 0 else Cell(f"off by {page.count(short)}" if known else "unknown", "bad")
        table.rows.append([node.upper(), *map(page.count, (into, *ways)), verdict])
    return table


def cards(run: Run) -> list[tuple[str, str]]:
    """What to know first: (name, value), unknown ones left out."""
    rows = list(run.summary["classes"].values())
    busiest = largest(number(row, "air_utilisation") for row in run.summary["cells"].values())
    gb = number(run.summary, "gb", "utilisation")
    out = sum(number(row, "npdu_out") or 0 for row in rows)
    lost = {node: number(run.summary, "conservation", node, "dropped") for node in ("sgsn", "bss")}
    found = [("simulated", f"{run.end_s:g} s"), ("mobiles", page.count(len(run.mobiles))),
             ("N-PDUs sent by the SGSN", page.count(out)),
             *((f"dropped in the {node.upper()}", page.count(count)) for node, count in lost.items() if count is not None),
             ("air in use, busiest cell", f"{busiest:.0%}".replace("%", " %") if busiest is not None else ""),
             ("Gb link in use", f"{gb:.0%}".replace("%", " %") if gb is not None else "")]
    return [(name, value) for name, value in found if value]


def terms(run: Run) -> list[tuple[str, str]]:
    """What the columns of the classes mean, and the reasons of drops that the run had."""
    meant = [(fields.of("summary", CLASS + name).name, fields.of("summary", CLASS + name).sentence)
             for name in ("delay_s", "sojourn_s", "page_time_s")]
    meant += [(head.text, head.note) for head in heads(CLASS, GOODPUT) if not head.text.startswith("page time")]
    return meant + dropped_by(run, CLASS, "classes", "dropped in the SGSN") + dropped_by(run, CELL, "cells", "dropped by the BSS")


def dropped_by(run: Run, above: str, section: str, where: str) -> list[tuple[str, str]]:
    """Reasons with a drop, and their causes."""
    words = fields.of("summary", above + "drops.REASON").words
    rows = run.summary[section].values()
    return [(f"{where}: {name}", sentence) for name, sentence in words.items() if any(number(row, "drops", name) for row in rows)]
