# SPDX-License-Identifier: BSD-3-Clause
"""Spreads processes by Snakemake: over the processors of this machine, or elsewhere by an executor or a profile.

Snakemake comes from PyPI into an environment of its own. It is given one rule, whose jobs need nothing of each other:
each runs the command in FOLDER/job.sh, which ends by making FOLDER/job.done. Which runs are missing at all is decided
before (runs.py), so that Snakemake never has to guess from times of files.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gbflow_report import environment, fanout
from gbflow_report.output import say
from gbflow_results import Failure

REQUIREMENT = "snakemake>=9,<10"
LOOK_S = 0.2

SNAKEFILE = """# SPDX-License-Identifier: BSD-3-Clause
# Made by gbflow reproduce: every run is a job of its own.
import json

with open(config["folders"], encoding="utf-8") as file:
    FOLDERS = json.load(file)


rule all:
    input:
        [folder + "/job.done" for folder in FOLDERS],


rule run:
    input:
        "{folder}/job.sh",
    output:
        "{folder}/job.done",
    shell:
        "sh {input:q}"
"""


@dataclass(frozen=True)
class Spread:
    """program: Snakemake's own; folder: for its files and its log; options: of whoever called, an executor say."""

    program: pathlib.Path
    folder: pathlib.Path
    options: Sequence[str]

    def run_all(self, tasks: Sequence[fanout.Task], jobs: int, ended: Callable[[fanout.Task], None]) -> None:
        """As fanout.run_all()."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for task in tasks:
            write_job(task)
        (self.folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
        folders = [str(folder_of(task)) for task in tasks]
        (self.folder / "folders.json").write_text(json.dumps(folders), encoding="utf-8")
        with open(self.folder / "log.txt", "wb") as log:
            child = subprocess.Popen(self.command(jobs), stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                     env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})
            with child:
                left = watch(child, tasks, ended)
        if left:
            raise Failure(self.words(left[0], child.returncode))

    def command(self, jobs: int) -> list[str]:
        # Elsewhere there may be any number of processors; here the jobs share this machine's.
        many = ["--jobs" if self.options else "--cores", str(jobs)]
        return [str(self.program), "--snakefile", str(self.folder / "Snakefile"), "--directory", str(self.folder), *many,
                "--config", f"folders={self.folder / 'folders.json'}", "--nolock", "--rerun-incomplete", *self.options]

    def words(self, task: fanout.Task, status: int) -> str:
        """What to say of a task that did not end; of those that began the one that failed is told."""
        if task.log.is_file():
            return f"{task.name}: {fanout.last_line(task.log)} (all of it: {task.log})"
        log = self.folder / "log.txt"
        return f"snakemake: status {status}: {fanout.last_line(log)} (all of it: {log})"


def folder_of(task: fanout.Task) -> pathlib.Path:
    return task.log.parent.absolute()


def write_job(task: fanout.Task) -> None:
    """The job fails where the command does; what it prints goes to the task's log."""
    folder = folder_of(task)
    for name in ("job.done", task.log.name):
        (folder / name).unlink(missing_ok=True)
    text = (f"{shlex.join(task.command)} </dev/null >{shlex.quote(str(task.log.absolute()))} 2>&1 &&\n"
            f": >{shlex.quote(str(folder / 'job.done'))}\n")
    (folder / "job.sh").write_text(text, encoding="utf-8")


def finish(tasks: Sequence[fanout.Task], ended: Callable[[fanout.Task], None]) -> list[fanout.Task]:
    """Finishes those that are done and returns the others, those that began first."""
    done = [task for task in tasks if (folder_of(task) / "job.done").is_file()]
    for task in done:
        task.finish()
        ended(task)
    left = [task for task in tasks if task not in done]
    return sorted(left, key=lambda task: not task.log.is_file())


def watch(child: subprocess.Popen, tasks: Sequence[fanout.Task], ended: Callable[[fanout.Task], None]) -> list[fanout.Task]:
    """Tells of each task as it ends; returns those that never did."""
    left = list(tasks)
    try:
        while child.poll() is None:
            left = finish(left, ended)
            time.sleep(LOOK_S)
        return finish(left, ended)
    except BaseException:
        child.terminate()
        child.wait()
        raise


def made_by(given: argparse.Namespace) -> Spread | None:
    """What the options ask for; None: the pool of this process, after a word where Snakemake cannot be had."""
    options = [*(["--executor", given.executor] if given.executor else []),
               *(["--profile", str(given.profile)] if given.profile else [])]
    if given.spread == "local" and not options:
        return None
    folder = (given.environment or given.out / "environment").absolute()
    failed = environment.make(folder, REQUIREMENT)
    if not failed:
        return Spread(folder / "bin" / "snakemake", (given.out / "snakemake").absolute(), options)
    if given.spread == "snakemake" or options:
        raise Failure(f"snakemake cannot be installed: {failed}")
    say(f"snakemake cannot be installed ({failed}); this process spreads the runs itself")
    return None
