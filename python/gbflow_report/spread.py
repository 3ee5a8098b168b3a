# SPDX-License-Identifier: BSD-3-Clause
"""Spreads processes: over the processors of this machine by this process; over the nodes of a Slurm cluster; or by
Snakemake, which may also use an executor or a profile. Whatever spreads them is given tasks that need nothing of each
other and nothing of this process, and calls back as each one ends.

Snakemake comes from PyPI into an environment of its own. It is given one rule, whose jobs need nothing of each other:
each runs the command in FOLDER/job.sh, which ends by making FOLDER/job.done; both go when all have ended. Which runs
are missing at all is decided before (runs.py), so that Snakemake never has to guess from times of files.
"""

import argparse
import concurrent.futures
import contextlib
import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gbflow_report import output
from gbflow_report.output import say
from gbflow_results import Failure, bounded


@dataclass(frozen=True)
class Task:
    """A command, and the file that gets what it prints. `finish` runs in this process when the status was 0."""

    name: str
    command: Sequence[str]
    log: pathlib.Path
    finish: Callable[[], None]


class Children:
    """The processes of a pool, which end with it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.running: set[subprocess.Popen] = set()
        self.is_over = False

    def run(self, task: Task) -> tuple[int, bytes]:
        """The status, and what the command said on stderr: a full disk keeps that out of the log.
        The log has it behind the rest."""
        with output.new_file(task.log) as log:
            with self.lock:
                if self.is_over:
                    raise Failure(f"{task.name}: interrupted")
                child = subprocess.Popen(task.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.PIPE)
                self.running.add(child)
            with child:
                said = child.communicate()[1]
            with self.lock:
                self.running.discard(child)
        with contextlib.suppress(OSError), open(task.log, "ab") as log:
            log.write(said)
        return child.returncode, said

    def end(self) -> None:
        """None starts afterwards."""
        with self.lock:
            self.is_over = True
            for child in self.running:
                child.terminate()


def run_one(task: Task, children: Children) -> None:
    task.log.parent.mkdir(parents=True, exist_ok=True)
    status, said = children.run(task)
    if status == -signal.SIGINT:  # the terminal's, which this process may get later
        raise KeyboardInterrupt
    if status != 0:
        words = output.last_of(said.decode(errors="replace")) or output.last_line(task.log)
        raise Failure(f"{task.name}: status {status}: {words} (all of it: {task.log})")
    task.finish()


def run_all(tasks: Sequence[Task], jobs: int, ended: Callable[[Task], None]) -> None:
    """At most `jobs` at a time. The first that fails ends it: those running come to their end, the rest never start. An
    interruption ends those running, too."""
    children = Children()
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        try:
            running = {pool.submit(run_one, task, children): task for task in tasks}
            for future in concurrent.futures.as_completed(running):
                future.result()
                ended(running[future])
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            children.end()
            raise
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


# --- libraries from PyPI ---

# Isolated: `-m` and `-c` alone would import from the current folder first.
ISOLATED = "-I"
# A registry that does not answer is given up soon; a slow one is waited for.
PIP = [ISOLATED, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
READY = "gbflow-ready"


def shared_environment() -> pathlib.Path:
    """A folder of the user's that all studies share, for the libraries are larger than most results, and programs of a
    folder of results are not run. A relative name counts as none: it would be below the current folder."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    return pathlib.Path(cache if os.path.isabs(cache) else os.path.expanduser("~/.cache")) / "gbflow" / "environment"


def environment_of(given: argparse.Namespace) -> pathlib.Path:
    return (given.environment or shared_environment()).absolute()


def quietly(command: Sequence[str | pathlib.Path]) -> str | None:
    """None, or the last line of a command that failed."""
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", check=False)
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    return None if done.returncode == 0 else lines[-1] if lines else f"status {done.returncode}"


def make_environment(folder: pathlib.Path, requirement: str) -> str | None:
    """None when the library is there, else why not. requirement: as pip takes it, "pyarrow>=15"."""
    ready = folder / READY
    lines = bounded.log(ready).splitlines() if ready.is_file() else []
    if requirement in lines:
        return None
    say(f"installing {requirement} into {folder}, once")
    failed = None if (folder / "bin" / "pip").exists() else quietly([sys.executable, ISOLATED, "-m", "venv", folder])
    failed = failed or quietly([folder / "bin" / "python3", *PIP, requirement])
    if not failed:
        output.write_whole(ready, "".join(f"{line}\n" for line in (*lines, requirement)))
    return failed


# --- Snakemake ---

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

    def run_all(self, tasks: Sequence[Task], jobs: int, ended: Callable[[Task], None]) -> None:
        """As the function run_all()."""
        make_new(self.folder)
        for task in tasks:
            write_job(task)
        (self.folder / "Snakefile").write_text(SNAKEFILE, encoding="utf-8")
        folders = [str(folder_of(task)) for task in tasks]
        (self.folder / "folders.json").write_text(json.dumps(folders), encoding="utf-8")
        with open(self.folder / "log.txt", "wb") as log:
            child = subprocess.Popen(self.command(jobs), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                                     stderr=subprocess.STDOUT,
                                     env={**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")})
            with child:
                left = watch(child, tasks, ended)
        if left:
            raise Failure(self.words(left[0], child.returncode))
        forget_jobs(tasks)  # Snakemake has seen them

    def command(self, jobs: int) -> list[str]:
        # Elsewhere there may be any number of processors; here the jobs share this machine's.
        many = ["--jobs" if self.options else "--cores", str(jobs)]
        return [str(self.program), "--snakefile", str(self.folder / "Snakefile"), "--directory", str(self.folder),
                *many, "--workflow-profile", "none",
                "--config", f"folders={self.folder / 'folders.json'}", "--nolock", "--rerun-incomplete", *self.options]

    def words(self, task: Task, status: int) -> str:
        """What to say of a task that did not end; of those that began the one that failed is told."""
        if task.log.is_file():
            return f"{task.name}: {output.last_line(task.log)} (all of it: {task.log})"
        log = self.folder / "log.txt"
        return f"snakemake: status {status}: {output.last_line(log)} (all of it: {log})"


def make_new(folder: pathlib.Path) -> None:
    """Empty: Snakemake executes profiles, modules and pickled objects of the folder that it works in. Its name is
    one that a user gives to no folder, which would be deleted with all files."""
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)
    folder.mkdir(parents=True)


def folder_of(task: Task) -> pathlib.Path:
    return task.log.parent.absolute()


def write_job(task: Task) -> None:
    """The job fails where the command does; what it prints goes to the task's log."""
    folder = folder_of(task)
    for name in ("job.sh", "job.done", task.log.name):
        (folder / name).unlink(missing_ok=True)
    text = (f"{shlex.join(task.command)} </dev/null >{shlex.quote(str(task.log.absolute()))} 2>&1 &&\n"
            f": >{shlex.quote(str(folder / 'job.done'))}\n")
    output.write_whole(folder / "job.sh", text)


def forget_jobs(tasks: Sequence[Task]) -> None:
    for task in tasks:
        for name in ("job.sh", "job.done"):
            (folder_of(task) / name).unlink(missing_ok=True)


def finish(tasks: Sequence[Task], ended: Callable[[Task], None]) -> list[Task]:
    """Finishes those that are done and returns the others, those that began first."""
    done = [task for task in tasks if (folder_of(task) / "job.done").is_file()]
    for task in done:
        task.finish()
        ended(task)
    left = [task for task in tasks if task not in done]
    return sorted(left, key=lambda task: not task.log.is_file())


def watch(child: subprocess.Popen, tasks: Sequence[Task], ended: Callable[[Task], None]) -> list[Task]:
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


# --- Slurm ---

ARRAY = 1000  # tasks of a job array: Slurm's default MaxArraySize is 1001
LAG_S = 60.0  # in which a network file system shows what another node wrote

ARRAY_SCRIPT = """#!/bin/sh
# Made by gbflow sweep: task N of the job array runs job.sh in the folder that line N of the list names.
folder=$(sed -n "${SLURM_ARRAY_TASK_ID}p" "$1")
exec sh "$folder/job.sh"
"""


@dataclass(frozen=True)
class Slurm:
    """Job arrays of sbatch, each run a task with one processor. Partition, account and time limit are those of the
    variables that sbatch reads, SBATCH_PARTITION and others. The folder is in a file system that all nodes share."""

    folder: pathlib.Path

    def run_all(self, tasks: Sequence[Task], jobs: int, ended: Callable[[Task], None]) -> None:
        """As the function run_all(); but a task that fails stops no other one of its array."""
        make_new(self.folder)
        (self.folder / "array.sh").write_text(ARRAY_SCRIPT, encoding="utf-8")
        for task in tasks:
            write_job(task)
        for first in range(0, len(tasks), ARRAY):
            self.run_array(tasks[first:first + ARRAY], jobs, ended)
        forget_jobs(tasks)

    def run_array(self, tasks: Sequence[Task], jobs: int, ended: Callable[[Task], None]) -> None:
        (self.folder / "list.txt").write_text("".join(f"{folder_of(task)}\n" for task in tasks), encoding="utf-8")
        log = self.folder / "log.txt"
        with open(log, "wb") as file, subprocess.Popen(self.command(len(tasks), jobs), stdin=subprocess.DEVNULL,
                                                       stdout=file,
                                                       stderr=subprocess.STDOUT) as child:
            try:
                left = watch(child, tasks, ended)
            except BaseException:
                self.cancel(log)
                raise
        until_at = time.monotonic() + LAG_S
        while left and child.returncode == 0 and time.monotonic() < until_at:
            time.sleep(LOOK_S)
            left = finish(left, ended)
        if left:
            raise Failure(self.words(left[0], child.returncode))

    def command(self, tasks: int, jobs: int) -> list[str]:
        return ["sbatch", "--wait", "--parsable", "--job-name=gbflow", "--ntasks=1", "--cpus-per-task=1",
                f"--array=1-{tasks}%{jobs}", "--output=/dev/null", f"--chdir={pathlib.Path.cwd()}",
                str(self.folder / "array.sh"), str(self.folder / "list.txt")]

    def cancel(self, log: pathlib.Path) -> None:
        """The tasks that have not ended, when this process is ended."""
        number = bounded.log(log).split(";")[0].strip()
        if number.isdigit():
            quietly(["scancel", number])

    def words(self, task: Task, status: int) -> str:
        if task.log.is_file():
            return f"{task.name}: {output.last_line(task.log)} (all of it: {task.log})"
        return f"{task.name}: sbatch: status {status}: {output.last_line(self.folder / 'log.txt')}"


def slurm_of(given: argparse.Namespace) -> Slurm:
    missing = next((name for name in ("sbatch", "scancel") if not shutil.which(name)), None)
    if missing:
        raise Failure(f"--spread slurm: {missing} is missing; the Debian package is slurm-client")
    return Slurm((given.out / ".gbflow-slurm").absolute())


def made_by(given: argparse.Namespace) -> Spread | Slurm | None:
    """What the options ask for; None: the pool of this process, after a word where Snakemake cannot be had."""
    if given.spread == "slurm":
        return slurm_of(given)
    options = [*(["--executor", given.executor] if given.executor else []),
               *(["--profile", str(given.profile.absolute())] if given.profile else [])]
    if given.spread == "local" and not options:
        return None
    folder = environment_of(given)
    failed = make_environment(folder, REQUIREMENT)
    if not failed:
        return Spread(folder / "bin" / "snakemake", (given.out / ".gbflow-snakemake").absolute(), options)
    if given.spread == "snakemake" or options:
        raise Failure(f"snakemake cannot be installed: {failed}")
    say(f"snakemake cannot be installed ({failed}); this process spreads the runs itself")
    return None
