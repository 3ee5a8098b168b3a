# SPDX-License-Identifier: BSD-3-Clause
"""Output: what all commands need to speak: lines of progress, whole files, the last words of a program that ended, and the texts that the
build packs beside the modules of gbflow-report.pyz.
"""

import importlib.resources
import os
import pathlib
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gbflow_results import Failure, bounded
from gbflow_results.shown import shown


def at_least_one(text: str) -> int:
    """Of an argument."""
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


at_least_one.__name__ = "number of at least 1"


def plain(text: object) -> str:
    """A line without what a terminal would obey."""
    return shown(text)


def words(message: str) -> str:
    """A line for the terminal; a word of it that is too long for a name or a path is cut, as in control/base/command.c."""
    return re.sub(r"\S{201,}", lambda found: f"{found[0][:60]}...", plain(message))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def last_line(log: str | pathlib.Path) -> str:
    """The last words of a program that ended."""
    return last_of(bounded.log(pathlib.Path(log))) or "it printed nothing"


def last_of(text: str) -> str:
    """The last line that is not empty; "" where there is none."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def write_whole(path: pathlib.Path, text: str) -> None:
    write_octets(path, text.encode())


def write_octets(path: pathlib.Path, octets: bytes) -> None:
    """All of it or nothing: who reads the file never sees half a page. A device or a pipe is written in place: a file
    that takes its name would destroy it. A link keeps its target, a file its mode. Its folder is made. Failure names
    the file."""
    try:
        write_at(path, octets)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def write_at(path: pathlib.Path, octets: bytes) -> None:
    if path.exists() and not path.is_file():
        path.write_bytes(octets)
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        partial.write_bytes(octets)
        if path.exists():
            shutil.copymode(path, partial)
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def packed(name: str) -> str:
    """The text of version.txt or fields.json; Failure where this program was not packed by a build."""
    try:
        return importlib.resources.files("gbflow_report").joinpath(name).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise Failure(f"{name} is missing: build gbflow-report.pyz, which holds it, and run that") from error


def version() -> str:
    """The version of gbflow that this program was built with, for the field `version` of what it writes."""
    return packed("version.txt").strip()


@dataclass(frozen=True)
class Origin:
    """By what a result, a page or a figure was made; "" is not known."""

    version: str
    commit: str
    command: str

    def words(self) -> str:
        return f"gbflow {self.version or 'of an unknown version'}, commit {self.commit or 'unknown'}"


def origin() -> Origin:
    """Of this process: gbflow, which started it, says its commit and its command (control/base/report.c)."""
    return Origin(version(), os.environ.get("GBFLOW_COMMIT", ""),
                  os.environ.get("GBFLOW_COMMAND") or shlex.join(["gbflow-report.pyz", *sys.argv[1:]]))


def origin_of(report: Mapping[str, Any]) -> Origin:
    """As a result has it: `command` is a text, or the words of one."""
    command = report.get("command") or ""
    return Origin(str(report.get("version") or ""), str(report.get("commit") or ""),
                  shlex.join(map(str, command)) if isinstance(command, list) else str(command))
