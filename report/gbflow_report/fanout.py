# SPDX-License-Identifier: BSD-3-Clause
"""Spreads processes over this machine. Whatever spreads them elsewhere replaces this file: it is given tasks that need
nothing of each other and nothing of this process, and calls back as each one ends.
"""

import concurrent.futures
import pathlib
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gbflow_results import Failure


@dataclass(frozen=True)
class Task:
    """A command, and the file that gets what it prints. `finish` runs in this process when the status was 0."""

    name: str
    command: Sequence[str]
    log: pathlib.Path
    finish: Callable[[], None]


def run_one(task: Task) -> None:
    task.log.parent.mkdir(parents=True, exist_ok=True)
    with open(task.log, "wb") as log:
        done = subprocess.run(task.command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        raise Failure(f"{task.name}: status {done.returncode}: {last_line(task.log)} (all of it: {task.log})")
    task.finish()


def last_line(path: pathlib.Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it printed nothing")


def run_all(tasks: Sequence[Task], jobs: int, ended: Callable[[Task], None]) -> None:
    """At most `jobs` at a time. The first that fails ends it: those running come to their end, the rest never start."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        running = {pool.submit(run_one, task): task for task in tasks}
        try:
            for future in concurrent.futures.as_completed(running):
                future.result()
                ended(running[future])
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
