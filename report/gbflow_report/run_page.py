# SPDX-License-Identifier: BSD-3-Clause
"""report.html of one run."""

import pathlib
import shlex
from collections.abc import Callable

from gbflow_report import charts, output, page, rerun, run_plots, run_story, run_tables, run_tcp_plots
from gbflow_report.draw import Plot
from gbflow_report.run_plots import Run
from gbflow_results import files

# What to call each where there is no data for it, in the order of the page.
PLOTS: list[tuple[str, Callable[[Run], Plot | list[Plot] | None]]] = [
    ("delay distribution", run_plots.delay_cdf),
    ("delay over time", run_plots.delay_time),
    ("throughput", run_plots.throughput),
    ("backlog", run_plots.backlog),
    ("bucket levels", run_plots.bucket_level),
    ("air utilisation", run_plots.air_utilisation),
    ("drops", run_plots.drops),
    ("ping round-trip times", run_plots.ping_rtt),
    ("TCP round-trip times", run_tcp_plots.rtt),
    ("TCP sequence plots", run_tcp_plots.sequences),
]

TABLES = [run_tables.packets, run_tables.goodput, run_tables.mobile_delays, run_tables.mobile_tcp, run_tables.cells]


def plots_of(run: Run) -> tuple[list[Plot], list[str]]:
    """The plots, and the names of those without data."""
    drawn: list[Plot] = []
    missing: list[str] = []
    for name, make in PLOTS:
        made = make(run)
        made = [made] if isinstance(made, Plot) else made or []
        drawn += made
        if not made:
            missing.append(name)
    return drawn, missing


def head_html(run: Run) -> str:
    scenario = page.escape(run.summary.get("scenario") or "?")
    title = page.escape(run.summary.get("title") or run.summary.get("scenario") or "Scenario run")
    warmup = ""
    if run.warmup_s:
        warmup = f"; delays, goodput and page times count from {run.warmup_s:g} s on"
    seed = run.summary.get("seed")
    return (f'<header>\n<h1>{title}</h1>\n<p class="soft">Scenario <code>{scenario}</code>, seed '
            f"<code>{page.escape('?' if seed is None else seed)}</code>: {run.end_s:g} s in virtual time{warmup}.</p>\n"
            f"{page.cards_html(run_tables.cards(run))}</header>\n")


def provenance_html(folder: pathlib.Path) -> str:
    """What the run was made of; nothing for the runs of versions that did not write it."""
    if not (folder / rerun.FILE).is_file():
        return ""
    given = rerun.read(folder)
    machine = " ".join(str(given["machine"].get(key, "")) for key in ("system", "release", "architecture"))
    files = ", ".join(f"{row.get('file')} (CRC-32 {row.get('crc32')})" for row in given["aqm_files"]) or "none"
    rows = [("program", f"gbflow {given['version']}, commit {given['commit'] or 'unknown'}"), ("machine", machine),
            ("command", shlex.join(map(str, given["command"]))), ("files of AQM schemes", files)]
    about = '<p class="soft"><code>gbflow rerun DIR</code> plays this run again and compares the octets of its results.</p>\n'
    text = f"<details><summary>The scenario's text</summary><pre>{page.escape(given['text'])}</pre></details>\n"
    return page.section_html("Provenance", about, page.terms_html(rows), text)


def html_of(run: Run, folder: pathlib.Path, library: charts.Library | None) -> str:
    plots, missing = plots_of(run)
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    return page.page_html(
        f"{run.summary.get('title') or 'Scenario run'} - gbflow", len(plots), head_html(run),
        run_story.html(run, [plot.name for plot in plots]),
        page.section_html("Summary", *(page.table_html(make(run)) for make in TABLES)),
        page.section_html("Plots", *charts.figures_html(plots, library), left_out),
        page.assumptions_html(run.summary["assumptions"]),
        page.section_html("Conservation", page.table_html(run_tables.conservation(run))),
        page.section_html("Words", page.terms_html(run_tables.terms(run))),
        provenance_html(folder), charts.scripts_html(library))


def write(folder: pathlib.Path, is_static: bool = False) -> pathlib.Path:
    """Reads folder/summary.json and folder/series.csv, writes folder/report.html; returns its path. A static page has SVG and no
    script; so has one that is written where the library of charts is not installed."""
    run = Run(files.read_summary(folder / "summary.json"), files.read_series(folder / "series.csv"))
    target = folder / "report.html"
    output.write_whole(target, html_of(run, folder, None if is_static else charts.library()))
    return target
