# SPDX-License-Identifier: BSD-3-Clause
"""report.html of one run: its plots (figures.py), its tables, what happened in at most seven sentences computed from
its results, and what the run was made of.

Where the delay was: the mean time in the SGSN is measured (sojourn_s). The time in the BSS is estimated by Little's
law: the mean of the octets that the class's mobiles have in the BSS, divided by the octets that the SGSN sends them
in a second. It contains the transmission of an LLC-PDU for as long as the BSS holds it. What is left of the mean
delay is air and links. Data that waits at the server for TCP's window is in none of them: a packet's delay begins
when the server sends it.
"""

import pathlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy

from gbflow_report import charts, draw, fields, figures, looks, output, page, rerun, traffic, waterfall
from gbflow_report.page import Cell, Table
from gbflow_report.run_plots import Run, split_of
from gbflow_results import files
from gbflow_results.files import Curve, number, pick


# --- tables ---

CLASS, CELL, RESELECTION = "classes.CLASS.", "cells.BVCI.", "reselection."
# Columns of a class, by the paths of its fields.
PACKETS = ["mobiles", "npdu_in", "npdu_out", "marks", "drops.REASON", "delay_s.n", "delay_s.p50", "delay_s.p95",
           "delay_s.p99", "delay_s.max", "sojourn_s.p50", "sojourn_s.p95"]
GOODPUT = ["goodput_bps.per_user_mean", *(look.figure for look in looks.LOOKS), "goodput_bps.page_mean",
           "rtt_s.n", "page_time_s.pages", "page_time_s.unfinished", "fairness.users", "fairness.jain"]
TIMES = ("delay_s", "sojourn_s", "page_time_s", "first_object_s", "rtt_s", "ping_rtt_s")  # that hold values
PAGES = ["page_time_s.pages", "page_time_s.unfinished", "page_time_s.p50"]
# In place of names of fields.
HEADS = {"npdus": "N-PDUs", "delay_s.n": "packets with a delay", "rtt_s.n": "RTT samples", "gap_s.n": "changes",
         "page_time_s.pages": "pages", "page_time_s.unfinished": "unfinished pages",
         "fairness.users": "users that wait", "rtt_s.avg": "senders' RTT mean"}
COMPRESSION = "compression_mobiles.rfc1144.down."
PACKED = ["npdus", "shorter", "full", "octets_before", "octets_after", "lost"]
MOVED = ["mobiles", "crossings", "reselections", "area_changes", "gap_s.mean", "gap_s.p95", "outage_s.mean",
         "outage_s.p95"]


def reasons(drops: Any) -> str:
    """ "12 (lifetime 10, queue_full 2)" """
    counts = {name: number(drops, name) or 0 for name in drops} if isinstance(drops, dict) else {}
    named = ", ".join(f"{name} {page.count(value)}" for name, value in sorted(counts.items()) if value)
    return page.count(sum(counts.values())) + (f" ({named})" if named else "")


def heads(above: str, paths: Sequence[str]) -> list[page.Head]:
    return [fields.head("summary", above + path, name=HEADS.get(path)) for path in paths]


def cell_of(row: dict[str, Any], above: str, path: str) -> Cell | str:
    """A field of a row: the path is that below `above`."""
    way = path.split(".")
    if fields.field_of("summary", above + path).words:
        return Cell(reasons(pick(row, *way[:-1])), "note")
    return fields.text_of("summary", above + path, number(row, *way))


def of_classes(run: Run, caption: str, paths: Sequence[str]) -> Table:
    """Groups, whose fields are those of classes, stand below the classes."""
    groups = (run.summary.get("groups") or {}).items()
    return Table(caption, ["class or group" if groups else "class", *heads(CLASS, paths)],
                 [[name, *(cell_of(row, CLASS, path) for path in paths)]
                  for name, row in (*run.summary["classes"].items(), *groups)])


def packets(run: Run) -> Table:
    return of_classes(run, "Packets per class, and per group of mobiles.", PACKETS)


def goodput(run: Run) -> Table:
    return of_classes(run, "What the applications of a class or group got, and how evenly.", GOODPUT)


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
    return [f"{page.count(received)} of {page.count(sent)}",
            page.seconds(mean(number(row, "rtt_s", "avg") for row in rows)),
            page.seconds(largest(number(row, "rtt_s", "max") for row in rows))]


def delay_cells(curves: list[Curve]) -> list[str]:
    values = [value for curve in curves for value in curve.value.tolist()]
    times = [page.seconds(quantile(values, share)) for share in (0.5, 0.95, 1.0)]
    return [page.count(len(values)) if values else page.NONE, *times]


def page_cells(run: Run, mobile: str) -> list[str]:
    """Pages, those unfinished, and the median, as the run says them."""
    row = next((row for row in rows_of(run, "mobiles", mobile) if number(row, "page_time_s", "pages")), None)
    return ([fields.text_of("summary", f"mobiles[].{path}", number(row, *path.split("."))) for path in PAGES] if row
            else [page.NONE] * len(PAGES))


def mobile_delays(run: Run) -> Table:
    table = Table("Packets and pings per mobile.", [
        "mobile", "classes", fields.head("summary", "mobiles[].drops.REASON"), "packets delivered",
        *heads("mobiles[].", ["delay_s.p50", "delay_s.p95", "delay_s.max"]), "pings answered",
        fields.head("summary", "ping[].rtt_s.avg", name="ping RTT mean"),
        fields.head("summary", "ping[].rtt_s.max", name="ping RTT max")])
    delays: dict[str, dict[str, Curve]] = {mobile: {} for mobile in run.mobiles}
    for of, curve in run.series.curves_of("delay_s").items():
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
        *heads("tcp[].", ["rtt_s.avg", "rtt_s.max"]), *heads("mobiles[].", PAGES)])
    for mobile in run.mobiles:
        found = [*tcp_cells(rows_of(run, "tcp", mobile)), *page_cells(run, mobile)]
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


def reselection(run: Run) -> Table:
    """Of mobiles that move; no rows without such mobiles."""
    table = Table("Cell reselections.", [*heads(RESELECTION, MOVED),
                                         fields.head("summary", RESELECTION + "without_cell", shown=fields.PERCENT)])
    row = run.summary.get("reselection")
    if row:
        table.rows.append([*(cell_of(row, RESELECTION, path) for path in MOVED),
                           page.percent(number(row, "without_cell"))])
    return table


def ways_of_compression(run: Run) -> list[tuple[str, str, dict[str, Any]]]:
    """(kind, direction, counts), of what had N-PDUs."""
    kinds = run.summary.get("compression_mobiles") or {}
    return [(kind, f"{way}link", kinds[kind][way]) for kind in ("rfc1144", "v42bis") for way in ("down", "up")
            if number(kinds, kind, way, "npdus")]


def saved_share(counts: dict[str, Any]) -> float | None:
    before, after = number(counts, "octets_before"), number(counts, "octets_after")
    return 1 - after / before if before and after is not None else None


def compression(run: Run) -> Table:
    """Of mobiles that offer it; no rows without."""
    table = Table("SNDCP compression at all mobiles together, by kind and direction.",
                  ["kind", "direction", *heads(COMPRESSION, PACKED),
                   page.Head("saved (%)", "1 - octets after / octets before.")])
    for kind, direction, counts in ways_of_compression(run):
        cells_of = [cell_of(counts, COMPRESSION, path) for path in PACKED]
        table.rows.append([kind, direction, *cells_of, page.percent(saved_share(counts))])
    return table


def tables_of(run: Run) -> list[Table]:
    found = (*traffic.tables(run.summary), reselection(run), compression(run))
    return [make(run) for make in TABLES] + [table for table in found if table.rows]


def conservation(run: Run) -> Table:
    """The sum must be right for each node: what went in has come out, was dropped, or still waits."""
    table = Table("Where every N-PDU went: in = delivered on + dropped + still queued.",
                  ["node", "in", "out", "dropped", "queued at the end", "the sum"])
    for node, row in sorted(run.summary["conservation"].items(), reverse=True):
        into, *ways = (number(row, key) for key in ("in", "out", "dropped", "queued"))
        known = into is not None and None not in ways
        short = into - sum(ways) if known else None
        verdict = Cell("agrees", "good") if short == 0 else Cell(f"off by {page.count(short)}" if known else "unknown",
                                                                 "bad")
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
             *((f"dropped in the {node.upper()}", page.count(count))
               for node, count in lost.items() if count is not None),
             ("air in use, busiest cell", f"{busiest:.0%}".replace("%", " %") if busiest is not None else ""),
             ("Gb link in use", f"{gb:.0%}".replace("%", " %") if gb is not None else "")]
    return [(name, value) for name, value in found if value]


def terms(run: Run) -> list[tuple[str, str]]:
    """What the columns of the classes mean, and the reasons of drops that the run had."""
    meant = [(fields.field_of("summary", CLASS + name).name, fields.field_of("summary", CLASS + name).sentence)
             for name in TIMES]
    meant += [(head.text, head.note) for path, head in zip(GOODPUT, heads(CLASS, GOODPUT), strict=True)
              if path.split(".")[0] not in TIMES]
    return (meant + dropped_by(run, CLASS, "classes", "dropped in the SGSN")
            + dropped_by(run, CELL, "cells", "dropped by the BSS"))


def dropped_by(run: Run, above: str, section: str, where: str) -> list[tuple[str, str]]:
    """Reasons with a drop, and their causes."""
    words = fields.field_of("summary", above + "drops.REASON").words
    rows = run.summary[section].values()
    return [(f"{where}: {name}", sentence)
            for name, sentence in words.items() if any(number(row, "drops", name) for row in rows)]


# --- what happened ---

FULL = 0.9  # of a cell's radio blocks: what waits then waits for the air
Sentence = tuple[str, str]  # the text, and the name of its plot


def seconds(value_s: float) -> str:
    return f"{value_s:.3f} s" if value_s < 0.1 else f"{value_s:.2f} s"


def mobiles_of(run: Run, kind: str) -> list[str]:
    return [str(row.get("mobile")) for row in run.summary["mobiles"] if row.get("class") == kind]


def time_in_bss_s(run: Run, kind: str, row: dict[str, Any]) -> float | None:
    """Little's law; None without samples or octets."""
    octets, span_s = number(row, "octets_out"), run.end_s - run.warmup_s
    curves = run.series.curves_of("bss_backlog_octets")
    kept = [curves[name].since(run.warmup_s) for name in mobiles_of(run, kind) if name in curves]
    if not octets or span_s <= 0 or not any(map(len, kept)):
        return None
    return sum(float(curve.value.mean()) for curve in kept if len(curve)) * span_s / octets


def parts_of(run: Run, kind: str, row: dict[str, Any]) -> list[tuple[str, float]] | None:
    """Where the mean delay of a class was, in seconds, with the words for it. The parts add up to the mean delay."""
    delay_s, sgsn_s, bss_s = (number(row, "delay_s", "mean"), number(row, "sojourn_s", "mean"),
                              time_in_bss_s(run, kind, row))
    if not delay_s or sgsn_s is None or bss_s is None:
        return None
    sgsn_s = min(sgsn_s, delay_s)
    # octets that the BSS drops count in the samples, so the estimate can be more than there is
    if bss_s >= delay_s - sgsn_s:
        return [("in the SGSN's queue", sgsn_s), ("in the BSS and on the air", delay_s - sgsn_s)]
    return [("in the SGSN's queue", sgsn_s), ("in the BSS", bss_s),
            ("on the air and the links", delay_s - sgsn_s - bss_s)]


def where(run: Run) -> Sentence | None:
    """Of the class with the longest mean delay."""
    rows = {kind: row for kind, row in run.summary["classes"].items() if number(row, "delay_s", "mean") is not None}
    kind = max(rows, key=lambda name: number(rows[name], "delay_s", "mean") or 0.0, default=None)
    parts = parts_of(run, kind, rows[kind]) if kind else None
    if not kind or not parts:
        return None
    most = max(parts, key=lambda part: part[1])[0]
    spread = ", ".join(f"{seconds(value)} {name}" for name, value in parts)
    return (f"Most of the delay of class {kind} was {most}: of {seconds(sum(value for _, value in parts))} on average, "
            f"{spread} (time in the BSS by Little's law).", "backlog")


def slowest(run: Run) -> Sentence | None:
    rows = [row for row in run.summary["mobiles"] if number(row, "delay_s", "p50") is not None]
    if not rows:
        return None
    row = max(rows, key=lambda row: number(row, "delay_s", "p50") or 0.0)
    median_s, p95_s = number(row, "delay_s", "p50") or 0.0, number(row, "delay_s", "p95") or 0.0
    return (f"{row.get('mobile')} has the longest delays: half of the packets take at least {seconds(median_s)}, 95 % "
            f"at most {seconds(p95_s)}.", "delay-time")


def pings(run: Run) -> Sentence | None:
    """A mobile that pings beside its own TCP, against the fastest that only pings."""
    median_s = {str(row.get("mobile")): value
                for row in run.summary["ping"] if (value := number(row, "rtt_s", "p50")) is not None}
    busy = {str(row.get("mobile")) for row in run.summary["tcp"]}
    beside = {name: value for name, value in median_s.items() if name in busy}
    alone = {name: value for name, value in median_s.items() if name not in busy}
    if not beside or not alone:
        return None
    slow, fast = max(beside, key=beside.__getitem__), min(alone, key=alone.__getitem__)
    return (f"A ping of {slow} takes {seconds(beside[slow])} (median) beside {slow}'s own TCP; one of {fast}, who has "
            f"no TCP, {seconds(alone[fast])}.", "ping-rtt")


def air(run: Run) -> Sentence | None:
    used = {bvci: value
            for bvci, row in run.summary["cells"].items() if (value := number(row, "air_utilisation")) is not None}
    if not used:
        return None
    bvci = max(used, key=used.__getitem__)
    reason = "the cell is full, so packets wait for the air" if used[bvci] >= FULL else \
        "the air is not what limits the busiest cell over the whole run"
    return f"Cell {bvci} used {100 * used[bvci]:.0f} % of its downlink radio blocks: {reason}.", "air-utilisation"


def lost(run: Run) -> Sentence | None:
    """In acknowledged mode the BSS gets each frame as an N-PDU of its own, so that its share is of what it got."""
    (into, sgsn), (frames, bss) = ((number(run.summary, "conservation", node, "in"),
                                    number(run.summary, "conservation", node, "dropped"))
                                   for node in ("sgsn", "bss"))
    if not into or sgsn is None or bss is None:
        return None
    of = f" of {page.count(frames)} LLC-PDUs and N-PDUs that it got" if run.summary.get("acknowledged") else ""
    return (f"Of {page.count(into)} N-PDUs the SGSN dropped {page.count(sgsn)} ({100 * sgsn / into:.1f} %), the BSS "
            f"{page.count(bss)}{of} ({100 * bss / ((frames if of else into) or into):.1f} %).", "drops")


def repeated(run: Run) -> Sentence | None:
    """What LLC in acknowledged mode sent again, down and up."""
    down, up = run.summary.get("acknowledged") or [], run.summary.get("acknowledged_mobiles") or {}
    frames, again = (sum(int(row.get(name) or 0) for row in down) for name in ("frames", "repeated"))
    if not frames:
        return None
    up_frames, up_again, given_up = (number(up, name) or 0 for name in ("i_frames", "repeated", "abandoned"))
    given_up += sum(int(row.get("abandoned") or 0) for row in down)
    ends = "no N-PDU was given up" if not given_up else f"{page.count(given_up)} N-PDUs were given up"
    return (f"LLC in acknowledged mode repeated {page.count(again)} of {page.count(frames)} downlink frames "
            f"({100 * again / frames:.1f} %) "
            f"and {page.count(up_again)} of {page.count(up_frames)} uplink I frames; {ends}.", "drops")


def compressed(run: Run) -> Sentence | None:
    """What became of the mobiles' offers, and what each kind saved."""
    row = run.summary.get("compression_mobiles")
    if not row:
        return None
    accepted, refused, silent = (number(row, name) or 0 for name in ("accepted", "refused", "unanswered"))
    ways = ", ".join(f"{kind} {100 * share:.1f} % of the {direction}" for kind, direction, counts
                     in ways_of_compression(run) if (share := saved_share(counts)) is not None)
    return (f"SNDCP compression: the SGSN accepted {page.count(accepted)} offered entities, refused "
            f"{page.count(refused)}, and left {page.count(silent)} offers unanswered"
            + (f"; saved octets of N-PDUs: {ways}." if ways else "."), "compression")


MAKERS: Sequence[Callable[[Run], Sentence | None]] = (where, slowest, pings, air, repeated, lost, compressed)


def sentences(run: Run) -> list[Sentence]:
    return [found for make in MAKERS if (found := make(run))]


def story_html(run: Run, plots: Sequence[str]) -> str:
    """Each sentence with a link to its plot, if the page has that plot."""
    rows = "".join(f"<li>{page.escape(text)}" + (f' <a href="#{name}">Plot</a>' if name in plots else "") + "</li>\n"
                   for text, name in sentences(run))
    return page.section_html("What happened", f"<ul>\n{rows}</ul>\n") if rows else ""


# --- the page ---

TABLES = [packets, goodput, mobile_delays, mobile_tcp, cells]


def head_html(run: Run) -> str:
    scenario = page.escape(run.summary.get("scenario") or "?")
    title = page.escape(run.summary.get("title") or run.summary.get("scenario") or "Scenario run")
    warmup = ""
    if run.warmup_s:
        warmup = f"; delays, goodput and page times count from {run.warmup_s:g} s on"
    seed = run.summary.get("seed")
    return (f'<header>\n<h1>{title}</h1>\n<p class="soft">Scenario <code>{scenario}</code>, seed '
            f"<code>{page.escape('?' if seed is None else seed)}</code>: {run.end_s:g} s in virtual time{warmup}.</p>\n"
            f"{page.cards_html(cards(run))}</header>\n")


def provenance_html(folder: pathlib.Path) -> str:
    """What the run was made of; nothing for the runs of versions that did not write it."""
    if not files.plain_or_packed(folder / rerun.FILE).is_file():
        return ""
    given = rerun.read(folder)
    machine = " ".join(str(given["machine"].get(key, "")) for key in ("system", "release", "architecture"))
    schemes = ", ".join(f"{row.get('file')} (CRC-32 {row.get('crc32')})" for row in given["aqm_files"]) or "none"
    rows = [("machine", machine), ("files of AQM schemes", schemes)]
    about = ('<p class="soft"><code>gbflow rerun DIR</code> plays this run again and compares the octets of its '
             'results.</p>\n')
    text = f"<details><summary>The scenario's text</summary><pre>{page.escape(given['text'])}</pre></details>\n"
    return page.section_html("Provenance", about, page.terms_html(rows), text)


def origin_at(folder: pathlib.Path, summary: dict[str, Any]) -> output.Origin:
    """Of a run; an older version wrote less of it."""
    return output.origin_of(rerun.read(folder) if files.plain_or_packed(folder / rerun.FILE).is_file() else summary)


def html_of(run: Run, folder: pathlib.Path, library: charts.Library | None) -> str:
    plots, missing = figures.made(figures.RUN, run)
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    return page.page_html(
        f"{run.summary.get('title') or 'Scenario run'} - gbflow", len(plots),
                          [("Run by", origin_at(folder, run.summary))], head_html(run),
        story_html(run, [plot.name for plot in plots]),
        page.section_html("Summary", *map(page.table_html, tables_of(run))),
        waterfall.html_of(folder / waterfall.FILE),
        page.section_html("Plots", *charts.figures_html(plots, library), left_out),
        page.assumptions_html(run.summary["assumptions"]),
        page.section_html("Conservation", page.table_html(conservation(run))),
        page.section_html("Words", page.terms_html(terms(run))),
        provenance_html(folder), charts.scripts_html(library))


def write(folder: pathlib.Path, is_static: bool = False) -> pathlib.Path:
    """Reads folder/summary.json and folder/series.csv, writes folder/report.html; returns its path. A static page has
    SVG and no script; so has one that is written where the library of charts is not installed."""
    run = Run(files.read_summary(folder / "summary.json"), files.read_series(folder / "series.csv"))
    target = folder / "report.html"
    output.write_whole(target, html_of(run, folder, None if is_static else charts.library()))
    return target
