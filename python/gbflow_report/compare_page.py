# SPDX-License-Identifier: BSD-3-Clause
"""The page of a comparison: both results over each other (compare_plots.py), and the table of all differences. Beside
it stands
comparison.json, of which `gbflow figure` draws the same figures again.
"""

import json
import pathlib
from collections.abc import Mapping, Sequence
from typing import Any

from gbflow_report import charts, compare_plots, figures, output, page
from gbflow_report.compare_plots import Pair
from gbflow_report.page import Cell, Table
from gbflow_results import Failure, files

FILE, SCHEMA = "comparison.json", "gbflow-comparison/2"


def pair_of(report: Mapping[str, Any]) -> Pair:
    """KeyError where a version wrote it that did not name the folders of the runs."""
    names = compare_plots.names_of([report[side]["path"] for side in "ab"])
    runs = [[compare_plots.Run(pathlib.Path(folder)) for folder in report[side]["folders"]] for side in "ab"]
    sides = [compare_plots.Side(name, of_side) for name, of_side in zip(names, runs, strict=True)]
    return Pair(sides, report["figures"])


def read(path: pathlib.Path) -> tuple[Pair, Mapping[str, Any]]:
    report = files.read_report(path, SCHEMA, "figures")
    try:
        return pair_of(report), report
    except (KeyError, TypeError) as error:
        raise Failure(f"{path}: names no folders of runs; compare the results again") from error


def table_of(rows: Sequence[Mapping[str, Any]], words_of: Any, head: Sequence[str], runs: Sequence[int]) -> Table:
    """As the terminal has it; equal figures are left out. runs: of A and of B."""
    table = Table(f"Means of both sides, of A over {page.plural(runs[0], 'run')}, of B over "
                  f"{page.plural(runs[1], 'run')}, in the units of summary.json, and the "
                  "difference of B from A in percent of A.", head)
    table.rows = [[words[0], *words[1:-1], Cell(words[-1], "text")]
                  for row in rows if row["verdict"] != "equal" for words in [words_of(row)]]
    return table


def html_of(report: Mapping[str, Any], table: Table, library: charts.Library | None) -> str:
    pair = pair_of(report)
    plots, missing = figures.made(figures.COMPARISON, pair)
    left_out = f'<p class="soft">no data for {page.escape(", ".join(missing))}</p>\n' if missing else ""
    sides = "; ".join(f"{letter}: {report[side]['path']}, {page.plural(report[side]['runs'], 'run')}"
                      for letter, side in zip(compare_plots.LETTERS, "ab", strict=True))
    verdicts = [row["verdict"] for row in report["figures"]]
    beyond = sum(verdict in ("higher", "lower") for verdict in verdicts)
    verb = "differs" if beyond == 1 else "differ"
    said = f"{beyond} of {page.plural(len(verdicts), 'figure')} {verb} by more than chance."
    if "one run" in verdicts:
        said = "A side has one run, so that no difference can be told from chance."
    head = (f'<header>\n<h1>Two results over each other</h1>\n<p class="soft">{page.escape(sides)}.</p>\n'
            f"<p>{said}</p>\n</header>\n")
    return page.page_html("Two results over each other - gbflow", len(plots),
                          [("Comparison by", output.origin_of(report))], head,
                          page.section_html("Figures", *charts.figures_html(plots, library), left_out),
                          page.section_html("Differences", page.table_html(table)), charts.scripts_html(library))


def write(folder: pathlib.Path, report: Mapping[str, Any], table: Table, is_static: bool) -> pathlib.Path:
    folder.mkdir(parents=True, exist_ok=True)
    output.write_whole(folder / FILE, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    output.write_whole(folder / "report.html", html_of(report, table, None if is_static else charts.library()))
    return folder / "report.html"
