# SPDX-License-Identifier: BSD-3-Clause
"""A rerun plays a run again from its provenance.json and says of each result whether it has the same octets.

A run's results depend on the program, the scenario's text, the seed and the changes alone. So different octets mean
another program, or a file of an AQM scheme that changed since; both are said.
"""

import itertools
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any

from gbflow_report import output
from gbflow_report.output import plain
from gbflow_results import Failure, bounded, files

SCHEMA, FILE = "gbflow-provenance/1", "provenance.json"
RECORD = "finished.json"  # of runs.py
ROWS = {"set": {"path", "value"}, "aqm_files": {"kind", "file"}, "files": {"kind", "file", "name"}}
RESULTS = ("summary.json", "series.csv", "gi.truth.json", "gi.pcapng", "gn.pcapng", "gb.pcapng")
EQUAL, DIFFERENT, ONLY_BEFORE, ONLY_NOW = "equal", "different", "only in the old run", "only in the new run"
KINDS: dict[str, type] = {"version": str, "commit": str, "command": list, "folder": str, "scenario": str, "seed": int,
                          "set": list, "pcap": list, "is_unsteered": bool, "aqm_files": list, "machine": dict,
                          "text": str, "files": list}


def is_row(row: object, keys: set[str]) -> bool:
    return isinstance(row, dict) and all(isinstance(row.get(key), str) for key in keys)


def texts_of(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for below in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(below)


def read(folder: pathlib.Path) -> Mapping[str, Any]:
    path = folder / FILE
    given = {"files": [], **files.read_report(path, SCHEMA)}  # an older gbflow wrote no files
    wrong = next((name for name, kind in KINDS.items() if not isinstance(given.get(name), kind)), None)
    if not wrong:
        wrong = next((name for name, keys in ROWS.items() if not all(is_row(row, keys) for row in given[name])), None)
    if wrong or any("\0" in text for text in texts_of(given)):
        raise Failure(f"{path}: {wrong or 'a text with a NUL'} is missing or of the wrong type")
    if not given["text"]:
        raise Failure(f"{path}: has no text of a scenario")
    return given


def files_of(given: Mapping[str, Any], kind: str) -> list[Mapping[str, Any]]:
    """Files beside the scenario; a run of an older gbflow has none."""
    return [row for row in given.get("files", []) if row["kind"] == kind]


def changed_files(given: Mapping[str, Any], is_with_modules: bool = False) -> list[str]:
    """Sentences about files of AQM schemes and traces that are not what they were;
    of modules on request: a rerun has their texts."""
    found = []
    for row in [*given["aqm_files"], *files_of(given, "trace"), *files_of(given, "script"),
                *(files_of(given, "module") if is_with_modules else [])]:
        path = pathlib.Path(given["folder"]) / str(row.get("file"))
        try:
            crc = bounded.crc32(path)
        except OSError as error:
            found.append(f"{path}: {error.strerror}")
            continue
        except Failure as failure:
            found.append(str(failure))
            continue
        if crc != row.get("crc32"):
            found.append(f"{path}: its CRC-32 is {crc}, was {row.get('crc32')}")
    return found


def arguments_of(given: Mapping[str, Any], program: pathlib.Path, scenario: pathlib.Path,
                 out: pathlib.Path) -> list[str]:
    words = [str(program), "run", str(scenario), "--out", str(out), "--seed", str(given["seed"]), "--no-report"]
    for row in given["set"]:
        words += ["--set", f"{row['path']}={row['value']}"]
    words += ["--pcap=" + ",".join(map(str, given["pcap"]))] if given["pcap"] else []
    words += ["--no-series"] if "--no-series" in given["command"] else []
    return words + (["--unsteered"] if given["is_unsteered"] else [])


def place(given: Mapping[str, Any], folder: pathlib.Path) -> None:
    """Files beside the scenario: modules as they were, traces as links."""
    for row in given.get("files", []):
        target = folder / row["name"]
        if not target.resolve().is_relative_to(folder.resolve()):
            raise Failure(f"{FILE}: the file {plain(row['name'])} is outside of the scenario's folder")
        target.parent.mkdir(parents=True, exist_ok=True)
        if row["kind"] == "module":
            target.write_text(str(row.get("text", "")), encoding="utf-8")
        elif not target.is_symlink():
            target.symlink_to(pathlib.Path(given["folder"]) / row["file"])


def play(given: Mapping[str, Any], program: pathlib.Path, out: pathlib.Path) -> None:
    """In the folder of the old run, which relative names of AQM files are of."""
    folder = given["folder"] if os.path.isdir(given["folder"]) else None
    with tempfile.TemporaryDirectory(prefix="gbflow-rerun-") as scratch:
        scenario = pathlib.Path(scratch) / pathlib.PurePath(given["scenario"]).name
        scenario.write_text(given["text"], encoding="utf-8")
        place(given, pathlib.Path(scratch))
        done = subprocess.run(arguments_of(given, program, scenario, out.absolute()), cwd=folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise Failure(f"the run failed with status {done.returncode}: "
                      f"{done.stderr.strip().splitlines()[-1:] or ['no message']}")


def are_equal(one: pathlib.Path, other: pathlib.Path) -> bool:
    """Octet by octet, to the first that differs; of packed files what was packed."""
    contents = (bounded.blocks(path, bounded.RESULT_OCTETS) for path in (one, other))
    return all(a == b for a, b in itertools.zip_longest(*contents))


def verdict_of(one: pathlib.Path, other: pathlib.Path) -> str | None:
    """None: neither run has the file."""
    one, other = files.plain_or_packed(one), files.plain_or_packed(other)
    if one.exists() and other.exists():
        return EQUAL if are_equal(one, other) else DIFFERENT
    if one.exists() or other.exists():
        return ONLY_BEFORE if one.exists() else ONLY_NOW
    return None


def verdicts(one: pathlib.Path, other: pathlib.Path) -> dict[str, str]:
    """What a study did not keep is not missed."""
    rows = {name: verdict_of(one / name, other / name) for name in RESULTS}
    is_of_study = (one / RECORD).is_file()
    return {name: verdict for name, verdict in rows.items() if verdict and not (is_of_study and verdict == ONLY_NOW)}


def print_head(given: Mapping[str, Any]) -> None:
    print(plain(f"then: gbflow {given['version']} {given['commit']}: {shlex.join(map(str, given['command']))}"))
    print(f"now:  gbflow {output.version()}, seed {given['seed']}, {len(given['set'])} --set")
    for sentence in changed_files(given):
        print(plain(f"changed: {sentence}"), file=sys.stderr)


def rerun(folder: pathlib.Path, program: pathlib.Path, out: pathlib.Path | None) -> int:
    """Status 1 where a result differs."""
    given = read(folder)
    if out and out.resolve() == folder.resolve():
        raise Failure(f"--out {out}: is the folder of the old run, which the new one would replace")
    print_head(given)
    with tempfile.TemporaryDirectory(prefix="gbflow-rerun-") as scratch:
        target = out or pathlib.Path(scratch)
        play(given, program, target)
        found = verdicts(folder, target)
    for name, verdict in found.items():
        print(f"{name:14}  {verdict}")
    return 0 if found and all(verdict == EQUAL for verdict in found.values()) else 1
