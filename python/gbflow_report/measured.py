# SPDX-License-Identifier: BSD-3-Clause
"""Tables of measured figures in pages: a command writes what stands between the lines "<!-- begin measured: COMMAND
-->" and "<!-- end measured, sha256 DIGEST -->", with the commit, the date and the runs that the figures come from.
DIGEST is that of the lines between, so that the lint's rule "measured" finds a figure that was changed by hand. A block
whose command has --tables NAME,NAME:PATTERN has these tables only, the second one with the rows whose names match.
docs/run.md describes the lines.
"""

import fnmatch
import hashlib
import pathlib
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from gbflow_report import output, page, rerun
from gbflow_report.page import Cell, Table
from gbflow_report.runs import SUMMARY, Run
from gbflow_results import Failure, Unusable, bounded, files
from gbflow_results.words import unknown

BEGIN = re.compile(r"<!-- begin measured: (.*?) -->\r?\n?$")
END = re.compile(r"<!-- end measured(?:, sha256 [0-9a-f]{8})? -->\r?\n?$")
FENCE = "```"
UNKNOWN = "unknown"
SENSITIVITY = " --sensitivity"  # behind the name of a study: its variations
CHOICES = ("--points", "--cases")  # of a study: a part of its runs, behind its name, too


@dataclass(frozen=True)
class Source:
    """Where the figures of a study come from, as its runs say."""

    study: str
    command: str
    commit: str  # of the program that played the runs; several where it changed between them
    day: str  # on which the last run ended
    runs: int
    seeds: int
    seconds: str  # virtual time of a run


def commit_of(run: Run) -> str:
    if not (run.folder / rerun.FILE).is_file():
        return UNKNOWN
    return str(files.read_json(run.folder / rerun.FILE).get("commit") or UNKNOWN)


def seconds_of(runs: Sequence[Run]) -> str:
    """Shortest to longest; nothing where no run has a summary."""
    paths = [run.folder / SUMMARY for run in runs]
    found = {files.read_json(path)["duration_s"] for path in paths if path.is_file()}
    return " to ".join(f"{value:g}" for value in sorted({min(found), max(found)})) if found else ""


def source_of(study: str, runs: Sequence[Run], seeds: int) -> Source:
    last = max(path.stat().st_mtime for run in runs for path in run.results)
    name = study.removesuffix(SENSITIVITY)
    command = f"gbflow reproduce {name} --seeds {seeds}" + study.removeprefix(name)
    return Source(study, command, " and ".join(sorted({commit_of(run) for run in runs})),
                  date.fromtimestamp(last).isoformat(), len(runs), seeds, seconds_of(runs))


def words_of(source: Source) -> str:
    seeds = "seed 1" if source.seeds == 1 else f"seeds 1 to {source.seeds}"
    virtual = f" of {source.seconds} s of virtual time" if source.seconds else ""
    return (f"Measured on {source.day} at commit {source.commit} by `{source.command}`:\n"
            f"{page.plural(source.runs, 'run')}{virtual}, {seeds}.\n")


def rows_like(table: Table, patterns: Sequence[str]) -> Table:
    """With the rows whose names match one of the patterns."""
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(name_of(row), pattern) for row in table.rows):
            names = [name_of(row) for row in table.rows]
            raise Unusable(f"--tables {table.name}: {unknown(pattern, 'row of the table', names)}")
    return replace(table, rows=[row for row in table.rows
                                if any(fnmatch.fnmatchcase(name_of(row), pattern) for pattern in patterns)])


def name_of(row: Sequence[Cell | str]) -> str:
    return page.cell_of(row[0]).text.strip("`")


def chosen(tables: Sequence[Table], names: str) -> list[Table]:
    """Those of a list of NAME or NAME:PATTERN of rows, all patterns of a table together; all without a list."""
    by_name = {table.name: table for table in tables if table.name}
    wanted: dict[str, list[str]] = {}
    for name, _, pattern in (item.partition(":") for item in (names.split(",") if names else by_name)):
        if name not in by_name:
            raise Unusable(f"--tables: {unknown(name, 'table', list(by_name))}")
        wanted.setdefault(name, []).append(pattern or "*")
    return [rows_like(by_name[name], patterns) for name, patterns in wanted.items()]


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def block(source: Source, tables: Sequence[Table], names: str = "") -> str:
    """A block with its two lines."""
    command = source.command + (f" --tables {shlex.quote(names)}" if names else "")
    body = words_of(source) + "".join(map(page.table_markdown, chosen(tables, names)))
    return f"<!-- begin measured: {command} -->\n{body}<!-- end measured, sha256 {digest_of(body)} -->\n"


@dataclass(frozen=True)
class Place:
    """A block in a page: the numbers of its two lines, from 0, and the words of its command."""

    first: int
    last: int
    words: Sequence[str]


def places_in(name: str, lines: Sequence[str]) -> list[Place]:
    """The blocks of a page, but for those in a fence of code. Failure for a line without its other one."""
    found, begun, command, is_fenced = [], -1, "", False
    for number, line in enumerate(lines):
        is_fenced ^= line.startswith(FENCE)
        begin = None if is_fenced else BEGIN.match(line)
        is_end = not is_fenced and END.match(line) is not None
        if (begin and begun >= 0) or (is_end and begun < 0):
            where = begun if begin else number
            raise Failure(f"{name}:{where + 1}: a measured block without its {'end' if begin else 'beginning'}; add "
                          "that line")
        if begin:
            begun, command = number, begin[1]
        elif is_end:
            found.append(Place(begun, number, split(command)))
            begun = -1
    if begun >= 0:
        raise Failure(f"{name}:{begun + 1}: a measured block without its end; add that line")
    return found


def split(command: str) -> list[str]:
    """The words of a command; none of one that no shell would take, which is not of gbflow."""
    try:
        return shlex.split(command)
    except ValueError:
        return []


def read_page(target: pathlib.Path) -> str:
    """With the ends of its lines as they are."""
    if not target.is_file():
        raise Failure(f"{target}: no regular file; name a page, a new file or -")
    if not target.stat().st_mode & 0o222:
        raise Failure(f"{target}: is read-only; allow writing")
    try:
        return b"".join(bounded.blocks(target, bounded.LOG_OCTETS)).decode()
    except UnicodeDecodeError as error:
        raise Failure(f"{target}: octet {error.start} is not UTF-8; save the page as UTF-8") from error


def option(words: Sequence[str], name: str) -> str:
    """The value of an option among the words of a command."""
    return words[words.index(name) + 1] if name in words[:-1] else ""


def choice(*values: str | None) -> str:
    """What stands behind the name of a study of which --points and --cases choose a part."""
    return "".join(f" {name} {shlex.quote(value)}" for name, value in zip(CHOICES, values, strict=True) if value)


def study_of(words: Sequence[str]) -> str:
    """Of a command that a block is written by; nothing for other commands, and with options that change the runs."""
    kind = SENSITIVITY if "--sensitivity" in words else ""
    words = [word for word in words if word != "--sensitivity"]
    is_plain = (words[:2] == ["gbflow", "reproduce"] and len(words) > 2
                and set(words[3::2]) <= {"--seeds", "--tables", *CHOICES})
    return words[2] + choice(*(option(words, name) for name in CHOICES)) + kind if is_plain else ""


def renewed(name: str, text: str, blocks_of: Mapping[str, Callable[[str], str]]) -> str:
    """A page with new blocks of the studies that blocks_of has; blocks_of[study](names) is one."""
    lines = text.splitlines(keepends=True)
    for place in reversed(places_in(name, lines)):
        study = study_of(place.words)
        if study in blocks_of:
            new = blocks_of[study](option(place.words, "--tables"))
            end = "\r\n" if lines[place.first].endswith("\r\n") else "\n"
            lines[place.first:place.last + 1] = [new.replace("\n", end)]
    return "".join(lines)


def must_take(target: pathlib.Path, studies: Sequence[str]) -> None:
    """Failure for a page without a block of one of the studies, or that cannot be written: said before they are run."""
    if str(target) == "-":
        return
    if not target.exists():
        if not target.parent.is_dir():
            raise Failure(f"{target.parent}: no such folder; make it")
        return
    text = read_page(target)
    if not {study_of(place.words) for place in places_in(str(target), text.splitlines(keepends=True))} & set(studies):
        raise Failure(f"{target}: no line <!-- begin measured: gbflow reproduce {studies[0]} --> with its end")


def write(target: pathlib.Path, results: Mapping[str, tuple[Source, Sequence[Table]]], names: str) -> None:
    """Into the blocks of a page, which choose their tables;
    else those of names, into a new file or to standard output ("-")."""
    def block_of(study: str) -> Callable[[str], str]:
        return lambda wanted: block(*results[study], wanted)
    blocks_of = {study: block_of(study) for study in results}
    if str(target) != "-" and target.exists():
        output.write_whole(target, renewed(str(target), read_page(target), blocks_of), is_named=True)
        return
    first = names.split(",")[0].partition(":")[0]
    has_it = [study for study, (_, tables) in results.items() if first in {table.name for table in tables}]
    text = "\n".join(blocks_of[study](names) for study in (has_it if names and has_it else results))
    if str(target) == "-":
        print(text, end="")
    else:
        output.write_whole(target, text, is_named=True)
