# SPDX-License-Identifier: BSD-3-Clause
"""Output: what all commands need to speak: lines of progress, whole files, the last words of a program that ended, and
the texts that the build packs beside the modules of gbflow-report.pyz.
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
from typing import Any, BinaryIO

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
    """A line for the terminal; a word of it that is too long for a name or a path is cut,
    as in control/base/command.c."""
    return re.sub(r"\S{201,}", lambda found: f"{found[0][:60]}...", plain(message))


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def last_line(log: str | pathlib.Path) -> str:
    """The last words of a program that ended."""
    return last_of(bounded.log(pathlib.Path(log))) or "it printed nothing"


def last_of(text: str) -> str:
    """The last line that is not empty; "" where there is none."""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


def write_whole(path: pathlib.Path, text: str, is_named: bool = False) -> None:
    write_octets(path, text.encode(), is_named)


def write_octets(path: pathlib.Path, octets: bytes, is_named: bool = False) -> None:
    """All of it or nothing: who reads the file never sees half a page. A device or a pipe is written in place: a file
    that takes its name would destroy it. A file keeps its mode. Its folder is made. Failure names the file. A link in
    a folder of results is replaced: its author would choose the file that is written. is_named: the user named the file
    itself; a link then keeps its target."""
    try:
        if is_named and path.exists() and not path.is_file():
            path.write_bytes(octets)
        else:
            write_at(path.resolve() if is_named else path, octets)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error


def new_file(path: pathlib.Path) -> BinaryIO:
    """In place of the file or the link that has its name."""
    path.unlink(missing_ok=True)
    return open(path, "xb")  # noqa: SIM115  pylint: disable=consider-using-with


def write_at(path: pathlib.Path, octets: bytes) -> None:
    is_there = path.exists() and not path.is_symlink()
    if is_there and not path.is_file():
        path.write_bytes(octets)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with new_file(partial) as file:
            file.write(octets)
        if is_there:
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
