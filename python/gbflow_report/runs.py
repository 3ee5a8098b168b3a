# SPDX-License-Identifier: BSD-3-Clause
"""Runs of scenarios: one self-contained process each, in a folder of its own. A run that ended is not run again while
its command, the program and the scenario stay what they were.
"""

import argparse
import functools
import hashlib
import json
import os
import pathlib
import shlex
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gbflow_report import output, spread
from gbflow_report.output import say
from gbflow_results import Failure, Unusable, bounded, files

RECORD, LOG = "finished.json", "log.txt"
CRC32 = "crc32"  # key of the record: of each result, by its name
SUMMARY, SERIES = "summary.json", "series.csv"


@dataclass(frozen=True)
class Program:
    """What runs a scenario, and the digest by which a newer build of it is told."""

    path: pathlib.Path
    digest: str


@dataclass(frozen=True)
class Kind:
    """Runs that belong together: the folder below runs/, the scenario, the cases, and whether series.csv is kept.
    at_end(folder) is called when a run has ended, before series.csv goes. of_seed(case, seed): settings that a
    repetition varies; number_of(case, seed): its --seed, if not the seed. is_packed: what a run leaves is kept with
    gzip.

    A case has `name` and `settings`. It may also have `scenario`, a file in place of the kind's; commands(run, folder,
    seed), the arguments of one call of gbflow or several in place of those of `run`; `results`, the files that these
    leave; `scratch`, files that are deleted afterwards; read(folder), its outcome."""

    name: str
    scenario: str
    cases: Sequence[Any]
    has_series: bool = True
    of_seed: Callable[[Any, int], list[str]] | None = None
    at_end: Callable[[pathlib.Path], None] | None = None
    number_of: Callable[[Any, int], int] | None = None
    is_packed: bool = False

    def number(self, case: Any, seed: int) -> int:
        """The run's --seed: the seed itself where cases may draw the same random numbers."""
        return self.number_of(case, seed) if self.number_of else seed

    def settings(self, case: Any, seed: int) -> list[str]:
        """Of the case, then those that a repetition varies."""
        return [*case.settings, *(self.of_seed(case, seed) if self.of_seed else [])]

    def results(self, case: Any) -> list[str]:
        return getattr(case, "results", None) or ([SUMMARY, SERIES] if self.has_series else [SUMMARY])


@dataclass(frozen=True)
class Run:
    """One case with one seed."""

    kind: Kind
    case: Any
    seed: int
    folder: pathlib.Path
    command: list[str]
    record: dict[str, Any]

    @property
    def name(self) -> str:
        return f"{self.kind.name} {self.case.name} seed {self.seed}"

    @property
    def results(self) -> list[pathlib.Path]:
        return [self.folder / name for name in self.kind.results(self.case)]

    @property
    def unwanted(self) -> list[pathlib.Path]:
        """Files that go once the run has ended."""
        series = [] if self.kind.has_series else [SERIES]
        return [self.folder / name for name in (*series, *getattr(self.case, "scratch", ()))]


def digest_of(path: pathlib.Path) -> str:
    found = hashlib.sha256()
    for block in bounded.blocks(path, bounded.TABLE_OCTETS):
        found.update(block)
    return found.hexdigest()


def program_at(path: pathlib.Path) -> Program:
    """An absolute path, for a name without a folder would be looked up in PATH."""
    return Program(path.resolve(), digest_of(path))


def joined(program: Program, calls: Sequence[Sequence[str]]) -> list[str]:
    """One command for several calls of the program, of which each has to succeed."""
    commands = [[str(program.path), *words] for words in calls]
    return commands[0] if len(commands) == 1 else ["sh", "-c", " && ".join(map(shlex.join, commands))]


def folder_of(out: pathlib.Path, kind: Kind, case: Any, seed: int) -> pathlib.Path:
    return out / "runs" / kind.name / f"{case.name}-seed{seed}"


def run_of(kind: Kind, case: Any, seed: int, given: argparse.Namespace, program: Program) -> Run:
    scenario = given.scenarios / (getattr(case, "scenario", None) or kind.scenario)
    if given.scenarios != pathlib.Path() and not scenario.is_file():
        raise Unusable(f"{scenario}: is not there; name the folder of the scenario files by --scenarios DIR")
    folder = folder_of(given.out, kind, case, seed)
    options = ["--seed", str(kind.number(case, seed))]
    for setting in kind.settings(case, seed):
        options += ["--set", setting]
    words = ["run", str(scenario.absolute()), *options, "--out", str(folder.absolute()), "--no-report"]
    # It would take a seventh of a run of P1, and 58 MB.
    words += [] if kind.has_series or kind.at_end else ["--no-series"]
    record = {"options": options, "scenario": digest_of(scenario), "program": program.digest}
    if hasattr(case, "commands"):
        calls = case.commands(words, folder.absolute(), seed)
        record["commands"] = [list(call) for call in calls]
    else:
        calls = [words]
    return Run(kind, case, seed, folder, joined(program, calls), record)


def runs_of(kind: Kind, given: argparse.Namespace, program: Program) -> list[Run]:
    return [run_of(kind, case, seed, given, program) for seed in range(1, given.seeds + 1) for case in kind.cases]


def is_finished(run: Run) -> bool:
    try:
        record = bounded.read_json(run.folder / RECORD)
    except (OSError, Failure):
        return False
    return isinstance(record, dict) and isinstance(record.pop(CRC32, None), dict) and record == run.record \
        and all(files.plain_or_packed(path).is_file() for path in run.results)


def damage(run: Run) -> str | None:
    """What is wrong with a result of a run that ended; None: all are as the run left them."""
    was = bounded.read_json(run.folder / RECORD)[CRC32]
    for name in run.kind.results(run.case):
        path = files.plain_or_packed(run.folder / name)
        try:
            crc = bounded.crc32(path)
        except Failure as failure:
            return str(failure)
        if crc != was.get(name):
            return f"{path}: its CRC-32 is {crc}, was {was.get(name)}"
    return None


def forget(runs: Sequence[Run], why: Callable[[Run], str | None]) -> None:
    """Runs that ended, and of which why() says why they are made again."""
    for run in runs:
        reason = why(run) if is_finished(run) else None
        if reason:
            say(output.plain(f"{run.name} is made again: {reason}"))
            (run.folder / RECORD).unlink()


def start_over(run: Run) -> None:
    """What an older run left must never pass for the result of this one. A link would lead the run
    into another folder."""
    link = next((folder for folder in (run.folder, *run.folder.parents[:2]) if folder.is_symlink()), None)
    if link:
        raise Failure(f"{link}: is a link to {os.readlink(link)}, where runs would overwrite files; remove the link")
    run.folder.mkdir(parents=True, exist_ok=True)
    for path in (run.folder / RECORD, run.folder / SUMMARY, run.folder / SERIES, *run.results):
        path.unlink(missing_ok=True)
        path.with_name(path.name + bounded.PACKED).unlink(missing_ok=True)


def keep_record(run: Run) -> None:
    if run.kind.at_end:
        run.kind.at_end(run.folder)
    for path in run.results:
        if not path.is_file():
            raise Failure(f"{run.name}: status 0 and no {path}")
    for path in run.unwanted:
        path.unlink(missing_ok=True)
    crc32 = {name: bounded.crc32(run.folder / name) for name in run.kind.results(run.case)}
    for path in (*run.results, run.folder / LOG) if run.kind.is_packed else ():
        files.pack(path)
    output.write_whole(run.folder / RECORD, json.dumps({**run.record, CRC32: crc32}))


def run_missing(runs: Sequence[Run], given: argparse.Namespace) -> None:
    forget(runs, damage)
    missing = [run for run in runs if not is_finished(run)]
    if len(missing) < len(runs):
        say(f"{len(runs) - len(missing)} of {len(runs)} runs are there already")
    for run in missing:
        start_over(run)
    tasks = [spread.Task(run.name, run.command, run.folder / LOG, functools.partial(keep_record, run))
             for run in missing]
    began_at = time.monotonic()
    ended: list[str] = []

    def progress(task: spread.Task) -> None:
        ended.append(task.name)
        took_s = time.monotonic() - began_at
        left_s = took_s / len(ended) * (len(tasks) - len(ended))
        say(f"[{len(ended)}/{len(tasks)}] {task.name}, {took_s:.0f} s"
            + (f", about {left_s:.0f} s left" if left_s else ""))

    elsewhere = spread.made_by(given) if tasks else None
    if elsewhere:
        elsewhere.run_all(tasks, given.jobs, progress)
    else:
        spread.run_all(tasks, given.jobs, progress)
