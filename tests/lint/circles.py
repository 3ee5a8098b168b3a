#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Finds circles of calls among the units of the program.

usage: circles.py BUILD      the directory of a release build

A unit is a source file with the object made of it. It needs another unit when it names a symbol, function or datum,
that the other defines, as nm says; a circle is a strongly connected set of units: each needs each of the others by
some way. Calls by pointer are not seen, and what the compiler has put in line needs nothing.

Prints each circle with the symbols that tie it. Status: 0 at most MOST_UNITS units are in at most MOST_CIRCLES
circles and no circle spans two folders; 1 else, or an object is missing; 2 usage; 77 the symbols of this build are not the program's (link-time
optimization, sanitizers, no release), or nm is missing here (which is 1 where CI=true).
"""
import argparse
import json
import os
import shutil
import subprocess
import sys

MOST_UNITS, MOST_CIRCLES = 15, 3
# Folders of the program.
PRODUCT = ("analyze/", "app/", "bench/throughput/", "bss/", "capture/", "control/", "dataplane/", "sim/")
DEFINED, UNDEFINED = "ABCDGRSTVWiu", "Uvw"
EXIT_SKIP = 77


# --- units and what they need ---

def parse(text):
    """What `nm -A -P` prints, as {object: (defined symbols, undefined ones)}. Local symbols have small letters."""
    found = {}
    for line in text.splitlines():
        path, _, rest = line.partition(": ")
        words = rest.split()
        if len(words) < 2:
            continue
        defined, undefined = found.setdefault(path, (set(), set()))
        if words[1] in UNDEFINED:
            undefined.add(words[0])
        elif words[1] in DEFINED:
            defined.add(words[0])
    return found


def needs(symbols):
    """{unit: {unit: symbols}} of {unit: (defined, undefined)}."""
    owners = {}
    for unit, (defined, _) in symbols.items():
        for symbol in defined:
            owners.setdefault(symbol, []).append(unit)
    graph = {unit: {} for unit in symbols}
    for unit, (defined, undefined) in symbols.items():
        for symbol in undefined - defined:
            for owner in owners.get(symbol, ()):
                graph[unit].setdefault(owner, set()).add(symbol)
    return graph


class Tarjan:
    """Strongly connected sets of more than one unit (Tarjan 1972), without recursion."""

    def __init__(self, graph):
        self.graph, self.index, self.low = graph, {}, {}
        self.stack, self.circles = [], []
        for unit in sorted(graph):
            if unit not in self.index:
                self.walk(unit)

    def enter(self, unit):
        self.index[unit] = self.low[unit] = len(self.index)
        self.stack.append(unit)
        return unit, iter(sorted(self.graph[unit]))

    def walk(self, start):
        way = [self.enter(start)]
        while way:
            unit, others = way[-1]
            for other in others:
                if other not in self.index:
                    way.append(self.enter(other))
                    break
                if other in self.stack:
                    self.low[unit] = min(self.low[unit], self.index[other])
            else:
                way.pop()
                self.leave(unit, way[-1][0] if way else unit)

    def leave(self, unit, before):
        self.low[before] = min(self.low[before], self.low[unit])
        if self.low[unit] != self.index[unit]:
            return
        at = self.stack.index(unit)
        circle, self.stack[at:] = self.stack[at:], []
        if len(circle) > 1:
            self.circles.append(sorted(circle))


def circles_of(graph):
    return sorted(Tarjan(graph).circles, key=lambda circle: (-len(circle), circle))


# --- judgement ---

def folders_of(circle):
    return sorted({unit.rpartition("/")[0] for unit in circle})


def findings(circles, most=MOST_UNITS, most_circles=MOST_CIRCLES):
    count = sum(map(len, circles))
    if count > most:
        yield f"{count} units are in circles of calls, at most {most}: move what they share into a unit below them"
    if len(circles) > most_circles:
        yield f"{len(circles)} circles of calls, at most {most_circles}: move what the new one shares into a unit below it"
    for circle in circles:
        folders = folders_of(circle)
        if len(folders) > 1:
            yield f"a circle of calls spans {', '.join(folders)}: {' '.join(circle)}"


def describe(graph, circles):
    yield f"{len(graph)} units, {sum(map(len, circles))} in {len(circles)} circles"
    for circle in circles:
        yield f"{', '.join(folders_of(circle))}: {len(circle)} units"
        for unit in circle:
            for other, symbols in sorted(graph[unit].items()):
                if other in circle:
                    yield f"    {unit.rpartition('/')[2]} -> {other.rpartition('/')[2]}: {' '.join(sorted(symbols))}"


# --- a build ---

def objects_of(build):
    """{object's path: unit} of the program. A source that is compiled twice, for a module of the tests, counts once."""
    with open(os.path.join(build, "meson-info", "meson-info.json"), encoding="utf-8") as file:
        root = json.load(file)["directories"]["source"]
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        commands = json.load(file)
    paths = {}
    for command in commands:
        unit = os.path.relpath(os.path.join(command["directory"], command["file"]), root)
        if unit.startswith(PRODUCT):
            paths.setdefault(unit, os.path.join(command["directory"], command["output"]))
    return {path: unit for unit, path in paths.items()}


def other_kind(options):
    """Why this build's symbols are others than the program's; None: they are not. options: of Meson."""
    wanted = {"buildtype": "release", "b_lto": False, "b_sanitize": "none", "b_coverage": False, "unity": "off"}
    for name, value in wanted.items():
        if options.get(name, value) != value:
            return f"{name} is {options[name]}, and symbols are looked at where it is {value}"
    return None


def options_of(build):
    with open(os.path.join(build, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as file:
        return {option["name"]: option["value"] for option in json.load(file)}


def read(build):
    objects = objects_of(build)
    missing = sorted(unit for path, unit in objects.items() if not os.path.exists(path))
    if missing or not objects:
        sys.exit(f"circles: {build}: not built: {' '.join(missing[:5]) or 'anything'}; run ninja first")
    run = subprocess.run(["nm", "-A", "-P", *objects], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"circles: nm: {run.stderr.strip()[:300]}")
    symbols = parse(run.stdout)
    return {unit: symbols.get(path, (set(), set())) for path, unit in objects.items()}


def skipped(build):
    """Status without a look at the symbols, its reason printed; None: they are looked at."""
    reason, status = other_kind(options_of(build)), EXIT_SKIP
    if reason is None and shutil.which("nm") is None:
        reason, status = "nm is not installed", 1 if os.environ.get("CI") == "true" else EXIT_SKIP
    if reason is None:
        return None
    print(f"circles: {'skipped: ' if status == EXIT_SKIP else ''}{reason}")
    return status


def summary(build):
    """A line of figures, of a build that is there and whole."""
    limits = f"at most {MOST_UNITS} units in {MOST_CIRCLES} circles"
    try:
        is_whole = other_kind(options_of(build)) is None and all(map(os.path.exists, objects_of(build)))
    except (OSError, ValueError):
        is_whole = False
    if not is_whole or shutil.which("nm") is None:
        return f"units in circles of calls: {limits} (tests/lint/circles.py BUILD counts them in a whole release build)"
    circles = circles_of(needs(read(build)))
    return f"units in circles of calls: {sum(map(len, circles))} in {len(circles)} circles, {limits}"


def main():
    parser = argparse.ArgumentParser(usage="circles.py BUILD")
    parser.add_argument("build")
    build = parser.parse_args().build
    if not os.path.exists(os.path.join(build, "compile_commands.json")):
        parser.error(f"{build} is no build directory")
    status = skipped(build)
    if status is not None:
        return status
    graph = needs(read(build))
    circles = circles_of(graph)
    found = list(findings(circles))
    for line in [*describe(graph, circles), *(f"{finding} [circles]" for finding in found)]:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
