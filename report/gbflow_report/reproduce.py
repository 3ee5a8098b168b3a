# SPDX-License-Identifier: BSD-3-Clause
"""Runs a paper's scenarios over several seeds, checks every figure against its band, writes reproduction.json and
report.html. A run that ended is not run again while its command, the program and the scenario stay what they were.
"""

import argparse
import hashlib
import json
import pathlib
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from gbflow_report import fanout, inputs, page, reproduce_page, verdict
from gbflow_report.failure import Failure
from gbflow_report.papers import p4, p4_plots

SCHEMA = "gbflow-reproduction/1"
PAPERS: dict[str, tuple[ModuleType, ModuleType]] = {p4.NAME: (p4, p4_plots)}
RECORD = "finished.json"
RESULTS = ("summary.json", "series.csv")


@dataclass(frozen=True)
class Program:
    """What runs a scenario, and the digest by which a newer build of it is told."""

    path: pathlib.Path
    digest: str


@dataclass(frozen=True)
class Run:
    """One case of a paper with one seed."""

    paper: str
    case: Any
    seed: int
    folder: pathlib.Path
    command: list[str]
    record: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.paper} {self.case.name} seed {self.seed}"


def digest_of(path: pathlib.Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def runs_of(paper: ModuleType, given: argparse.Namespace, program: Program) -> list[Run]:
    scenario = given.scenarios / paper.SCENARIO
    digest = digest_of(scenario)
    made = []
    for seed in range(1, given.seeds + 1):
        for case in paper.CASES:
            folder = given.out / "runs" / paper.NAME / f"{case.name}-seed{seed}"
            options = ["--seed", str(seed)]
            for setting in case.settings:
                options += ["--set", setting]
            command = [str(program.path), "run", str(scenario), *options, "--out", str(folder), "--no-report"]
            record = {"options": options, "scenario": digest, "program": program.digest}
            made.append(Run(paper.NAME, case, seed, folder, command, record))
    return made


def is_finished(run: Run) -> bool:
    try:
        record = json.loads((run.folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return record == run.record and all((run.folder / name).is_file() for name in RESULTS)


def start_over(run: Run) -> None:
    """What an older run left must never pass for the result of this one."""
    run.folder.mkdir(parents=True, exist_ok=True)
    for name in (RECORD, *RESULTS):
        (run.folder / name).unlink(missing_ok=True)


def keep_record(run: Run) -> None:
    for name in RESULTS:
        if not (run.folder / name).is_file():
            raise Failure(f"{run.name}: status 0 and no {run.folder / name}")
    page.write_whole(run.folder / RECORD, json.dumps(run.record))


def run_missing(runs: list[Run], jobs: int) -> None:
    missing = [run for run in runs if not is_finished(run)]
    if len(missing) < len(runs):
        say(f"{len(runs) - len(missing)} of {len(runs)} runs are there already")
    for run in missing:
        start_over(run)
    tasks = [fanout.Task(run.name, run.command, run.folder / "log.txt", lambda run=run: keep_record(run))
             for run in missing]
    began = time.monotonic()
    ended: list[str] = []

    def progress(task: fanout.Task) -> None:
        ended.append(task.name)
        say(f"[{len(ended)}/{len(tasks)}] {task.name}, {time.monotonic() - began:.0f} s")

    fanout.run_all(tasks, jobs, progress)


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def outcomes_of(paper: ModuleType, runs: list[Run]) -> tuple[dict[int, dict[Any, Any]], list[dict]]:
    """Outcomes by seed and case, and what the scenario assumed."""
    by_seed: dict[int, dict[Any, Any]] = {}
    assumptions: list[dict] = []
    for run in runs:
        summary = inputs.read_summary(run.folder / "summary.json")
        if summary.get("seed") != run.seed:
            raise Failure(f"{run.folder / 'summary.json'}: seed is {summary.get('seed')}, not {run.seed}")
        series = inputs.read_series(run.folder / "series.csv")
        by_seed.setdefault(run.seed, {})[run.case] = paper.outcome(summary, series)
        assumptions += [row for row in summary["assumptions"] if row not in assumptions]
    return by_seed, assumptions


def check_paper(name: str, given: argparse.Namespace, program: Program) -> reproduce_page.Result:
    paper, drawings = PAPERS[name]
    runs = runs_of(paper, given, program)
    run_missing(runs, given.jobs)
    by_seed, assumptions = outcomes_of(paper, runs)
    rows = [verdict.judge(name, figure, by_seed) for figure in paper.FIGURES]
    return reproduce_page.Result(paper, rows, drawings.plots(by_seed), assumptions)


def program_at(path: pathlib.Path) -> Program:
    """An absolute path, for a name without a folder would be looked up in PATH."""
    return Program(path.resolve(), digest_of(path))


def print_table(rows: list[Mapping[str, Any]]) -> None:
    width = max(len(row["id"]) for row in rows)
    print(f"{'figure':{width}}  {'published':>10}  {'median':>8}  {'band':>12}  unit     verdict")
    for row in rows:
        published = row["published"] if isinstance(row["published"], (int, float)) else "(in words)"
        found = reproduce_page.short(row["measured"]["median"])
        print(f"{row['id']:{width}}  {published:>10}  {found:>8}  {reproduce_page.band(row):>12}  "
              f"{row['unit']:7}  {row['verdict']}")


def reproduce(given: argparse.Namespace) -> int:
    """Status 1 where a band was missed."""
    names = list(PAPERS) if given.paper == "all" else [given.paper]
    program = program_at(given.gbflow)
    results = [check_paper(name, given, program) for name in names]
    rows = [row for result in results for row in result.rows]
    report = {"schema": SCHEMA, "figures": rows}
    page.write_whole(given.out / "reproduction.json", json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    page.write_whole(given.out / "report.html", reproduce_page.html_of(results, given.seeds))
    print_table(rows)
    print(given.out / "report.html")
    return 1 if any(row["verdict"] == verdict.MISSED for row in rows) else 0
