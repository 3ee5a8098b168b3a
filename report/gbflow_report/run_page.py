# SPDX-License-Identifier: BSD-3-Clause
"""report.html of one run."""

import pathlib
from collections.abc import Callable

from gbflow_report import inputs, page, run_plots, run_tables, run_tcp_plots
from gbflow_report.draw import Plot
from gbflow_report.run_plots import Run

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


def html_of(run: Run) -> str:
    plots, missing = plots_of(run)
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    return page.page_html(
        f"{run.summary.get('title') or 'Scenario run'} - gbflow", len(plots), head_html(run),
        page.section_html("Summary", *(page.table_html(make(run)) for make in TABLES)),
        page.section_html("Plots", *map(page.plot_html, plots), left_out),
        page.assumptions_html(run.summary["assumptions"]),
        page.section_html("Conservation", page.table_html(run_tables.conservation(run))),
        page.section_html("Words", page.terms_html(run_tables.terms(run))))


def write(folder: pathlib.Path) -> pathlib.Path:
    """Reads folder/summary.json and folder/series.csv, writes folder/report.html; returns its path."""
    run = Run(inputs.read_summary(folder / "summary.json"), inputs.read_series(folder / "series.csv"))
    target = folder / "report.html"
    page.write_whole(target, html_of(run))
    return target
