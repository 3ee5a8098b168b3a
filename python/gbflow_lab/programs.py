# SPDX-License-Identifier: BSD-3-Clause
"""The programs of a lab: each runs in a namespace, is known by pid and start time, and ends by SIGTERM."""

import contextlib
import os
import pathlib
import re
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gbflow_report import output
from gbflow_results import Failure, bounded

START_S, LOOK_S = 60.0, 0.05
END_S = 30.0  # a node that is killed does not keep its restart counter, and a GGSN then ends contexts


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


def start_program(name: str, namespace: str, command: Sequence[str], folder: pathlib.Path,
                  keep: Callable[[Program], None]) -> None:
    """keep is told the program before it runs: the process waits for a line on its stdin, and ends by itself when the
    caller, killed in between, can send none. So each program that runs is in the state."""
    log = folder / f"{name}.log"
    words = ["/bin/sh", "-c", 'read -r go && exec "$@" </dev/null', "sh", "ip", "netns", "exec", namespace, *command]
    with open(log, "wb") as file:
        child = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=file, stderr=subprocess.STDOUT,
                                 start_new_session=True, cwd=folder)
    assert child.stdin is not None
    # wait_for says why it has ended
    with contextlib.closing(child.stdin) as gate, contextlib.suppress(BrokenPipeError):
        if born := born_at(child.pid):
            keep(Program(name, namespace, list(command), str(log), child.pid, born))
            gate.write(b"go\n")
            gate.flush()
            return
    raise Failure(f"{name}: ended at once: {output.last_line(log)} (all of it: {log})")


def wait_for(program: Program, pattern: str, limit_s: float = START_S) -> None:
    """Waits for a line of the program's log; Failure when the program ends, or after limit_s."""
    end_at = time.monotonic() + limit_s
    while not re.search(pattern, bounded.log(pathlib.Path(program.log))):
        if not is_running(program):
            raise Failure(f"{program.name} ended: {output.last_line(program.log)} (all of it: {program.log})")
        if time.monotonic() > end_at:
            raise Failure(f"{program.name}: no line '{pattern}' in {limit_s:.0f} s: {output.last_line(program.log)} "
                          f"(all of it: {program.log})")
        time.sleep(LOOK_S)


def stop_programs(programs: Sequence[Program]) -> list[str]:
    """Ends them, the last one started first; names of those that ran."""
    ran = [program for program in reversed(programs) if is_running(program)]
    for program in ran:
        os.kill(program.pid, signal.SIGTERM)
    end_at = time.monotonic() + END_S
    while any(map(is_running, ran)) and time.monotonic() < end_at:
        time.sleep(LOOK_S)
    killed = [program for program in ran if is_running(program)]
    for program in killed:
        os.kill(program.pid, signal.SIGKILL)
    end_at = time.monotonic() + START_S
    while any(map(is_running, killed)) and time.monotonic() < end_at:  # what they hold is free only then
        time.sleep(LOOK_S)
    return [program.name for program in ran]
