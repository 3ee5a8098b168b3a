# SPDX-License-Identifier: BSD-3-Clause
"""The programs of a lab: started in their namespaces, known by pid and start time, ended by SIGTERM."""

import json
import os
import pathlib
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from gbflow_results import Failure

STATE = "lab.json"
START_S, END_S, LOOK_S = 30.0, 5.0, 0.05


@dataclass(frozen=True)
class Program:
    """born: start time in clock ticks (/proc/PID/stat), which tells it from a later process with its pid."""

    name: str
    namespace: str
    command: Sequence[str]
    log: str
    pid: int
    born: int


def born_at(pid: int) -> int | None:
    """None: there is no such process, or it has ended and only its status is left."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def is_running(program: Program) -> bool:
    return born_at(program.pid) == program.born


def start(name: str, namespace: str, command: Sequence[str], folder: pathlib.Path) -> Program:
    log = folder / f"{name}.log"
    words = ["ip", "netns", "exec", namespace, *command]
    with open(log, "wb") as file:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, start_new_session=True,
                                 cwd=folder)
    born = born_at(child.pid)
    if born is None:
        raise Failure(f"{name}: ended at once: {last_line(log)} (all of it: {log})")
    return Program(name, namespace, list(command), str(log), child.pid, born)


def last_line(log: str | pathlib.Path) -> str:
    text = pathlib.Path(log).read_text(encoding="utf-8", errors="replace")
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "it printed nothing")


def wait_for(program: Program, pattern: str) -> None:
    """Waits for a line of the program's log; Failure when the program ends, or after START_S."""
    end = time.monotonic() + START_S
    while not re.search(pattern, pathlib.Path(program.log).read_text(encoding="utf-8", errors="replace")):
        if not is_running(program):
            raise Failure(f"{program.name} ended: {last_line(program.log)} (all of it: {program.log})")
        if time.monotonic() > end:
            raise Failure(f"{program.name}: no line '{pattern}' in {START_S:.0f} s: {last_line(program.log)} (all of it: {program.log})")
        time.sleep(LOOK_S)


def stop(programs: Sequence[Program]) -> list[str]:
    """Ends them, the last one started first; names of those that ran."""
    ran = [program for program in reversed(programs) if is_running(program)]
    for program in ran:
        os.kill(program.pid, signal.SIGTERM)
    end = time.monotonic() + END_S
    while any(map(is_running, ran)) and time.monotonic() < end:
        time.sleep(LOOK_S)
    for program in filter(is_running, ran):
        os.kill(program.pid, signal.SIGKILL)
    return [program.name for program in ran]


def keep(folder: pathlib.Path, mobiles: Sequence[str], programs: Sequence[Program]) -> None:
    from gbflow_report import page  # pylint: disable=import-outside-toplevel  # imports matplotlib
    text = json.dumps({"mobiles": list(mobiles), "programs": [asdict(program) for program in programs]}, indent=1)
    page.write_whole(folder / STATE, text + "\n")


def kept(folder: pathlib.Path) -> tuple[list[str], list[Program]] | None:
    """Mobiles and programs of the lab that is up; None: none is."""
    try:
        given: Mapping = json.loads((folder / STATE).read_text(encoding="utf-8"))
        return given["mobiles"], [Program(**row) for row in given["programs"]]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise Failure(f"{folder / STATE}: is not a lab's: {error}") from error
