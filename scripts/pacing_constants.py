#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What half and twice of each constant of dataplane/pacing/constants.h, and of queues.pacing.mobile_target, changes.

usage: scripts/pacing_constants.py [--seeds N] [--only NAME]... [--build DIR]

Builds the program with each value in a copy of the tree, and plays scenarios with `discipline = "q"` and windows.
Prints a table: the figures that change by at least 1 % (of shares: 1 point), medians over the seeds, of thp2, thp3
and background.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, os.path.join(ROOT, "python"))

from gbflow_report import looks  # noqa: E402
from gbflow_report.papers import ablation_cases, own_cases  # noqa: E402

HEADER = "dataplane/pacing/constants.h"
CONSTANT = re.compile(r"(?m)^#define PACING_(\w+)\s+(\d+)$")
SCENARIO, READERS = "config/scenarios/sgsn-aqm.lua", "config/gallery/web-users.lua"
CHANGE = 0.01
TARGET = "mobile_target"
TARGET_MS = 600
PINGS = own_cases.pings(*own_cases.TCP)
POINTS = {"the study": [*PINGS, *own_cases.TODAY], "hosts of 2006": list(PINGS),
          **{point.what: list(point.settings) for point in ablation_cases.POINTS
             if point.name in ("short", "rtt", "unequal")},
          "three readers on four timeslots": ["mobiles[1].count=3"]}


def values_of(name, value):
    """Half and twice; of an exponent one less and one more."""
    return (value - 1, value + 1) if name.endswith("_LOG2_NS") else (value // 2, value * 2)


class Played:
    """A copy of the tree, and its build."""

    def __init__(self, folder):
        self.tree, self.build = os.path.join(folder, "tree"), os.path.join(folder, "build")
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, stdout=subprocess.PIPE)
        files = listed.stdout.split(b"\0")
        for path in (os.fsdecode(name) for name in files if name):
            place = os.path.join(self.tree, path)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, path), place, follow_symlinks=False)
        subprocess.run(["meson", "setup", "-Dbuildtype=release", "-Dtests=false", self.build, self.tree], check=True,
                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with open(os.path.join(self.tree, HEADER), encoding="utf-8") as file:
            self.text = file.read()

    def make(self, name=None, value=0):
        text = self.text
        if name:
            text = re.sub(rf"(?m)^(#define PACING_{name}\s+)\d+$", rf"\g<1>{value}", text)
        with open(os.path.join(self.tree, HEADER), "w", encoding="utf-8") as file:
            file.write(text)
        subprocess.run(["ninja", "-C", self.build, "--quiet", "program"], check=True)

    def figures(self, point, seeds, target_ms=TARGET_MS):
        """Medians over the seeds, by name and class."""
        found, scenario = {}, READERS if "readers" in point else SCENARIO
        pacing = f'sgsn.queues.pacing={{ classes = {{ "thp2", "thp3", "background" }}, {TARGET} = "{target_ms} ms" }}'
        for seed in range(1, seeds + 1):
            with tempfile.TemporaryDirectory() as out:
                words = [os.path.join(self.build, "gbflow"), "run", os.path.join(self.tree, scenario), "--no-report",
                         "--out", out, "--seed", str(seed)]
                for setting in (*POINTS[point], "sgsn.queues.discipline=q", pacing):
                    words += ["--set", setting]
                subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
                with open(os.path.join(out, "summary.json"), encoding="utf-8") as file:
                    classes = json.load(file)["classes"]
            rows = {kind: looks.seen_of(classes.get(kind, {})) for kind in own_cases.TCP}
            for look in looks.LOOKS:
                for name, value in looks.values(look, own_cases.TCP):
                    number = value(rows)
                    if number is not None:
                        found.setdefault(name, []).append(number)
        return {name: statistics.median(numbers) for name, numbers in found.items()}


def changes(before, after):
    """In words, those that count."""
    told = []
    for look in looks.LOOKS:
        for name, _ in looks.values(look, own_cases.TCP):
            old, new = before.get(name), after.get(name)
            if old is None or new is None:
                continue
            if look.is_share or look.name == looks.WORST:
                told += [f"{name} {new - old:+.2f}"] if abs(new - old) >= CHANGE else []
            elif old and abs(new / old - 1) >= CHANGE:
                told.append(f"{name} {100 * (new / old - 1):+.0f} %")
    return ", ".join(told) or "nothing"


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", action="append")
    parser.add_argument("--build", help="a folder for the copy, kept")
    given = parser.parse_args()
    folder = given.build or tempfile.mkdtemp(prefix="gbflow-constants-")
    try:
        played = Played(folder)
        constants = {name: int(value) for name, value in CONSTANT.findall(played.text)}
        wanted = given.only or [TARGET, *constants]
        unknown = set(wanted) - {TARGET, *constants}
        if unknown:
            names = ", ".join([TARGET, *constants])
            parser.error(f"--only {sorted(unknown)[0]}: no constant of {HEADER}; one of {names}")
        played.make()
        base = {point: played.figures(point, given.seeds) for point in POINTS}
        print("| constant | value | point | halved | doubled |\n| --- | --- | --- | --- | --- |", flush=True)
        for name in wanted:
            value = TARGET_MS if name == TARGET else constants[name]
            rows = {point: [] for point in POINTS}
            for other in values_of(name, value):
                if name != TARGET:
                    played.make(name, other)
                for point in POINTS:
                    after = played.figures(point, given.seeds, other if name == TARGET else TARGET_MS)
                    rows[point].append(changes(base[point], after))
            for point, told in rows.items():
                print(f"| {name} | {value} | {point} | {' | '.join(told)} |", flush=True)
    finally:
        if not given.build:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
