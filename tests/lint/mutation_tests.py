# SPDX-License-Identifier: BSD-3-Clause
"""Which of Meson's tests can see a mutation, the most related first.

A test sees a file of C when something that it runs has the symbols of that file's object; a Lua module when its spec requires it,
through whatever, or when what it runs carries lua/; a file of python/ when it is one of the report's tests or runs the packed
report; a file of config/ when its text has the file's name.
"""
import json
import os
import re
import shlex
import subprocess
from dataclasses import dataclass, field

# What needs a network, a quiet machine or long, and what looks at no program.
LEFT_OUT = {"slow", "live", "interop", "bench", "lint", "alone"}
REQUIRED = re.compile(r"""\brequire\s*\(?\s*["']([\w.]+)["']""")
EMBEDDED = "lua_embedded.c"


@dataclass
class Test:
    """One of Meson's; paths are from the tree's root. seconds: what it took without a mutation."""

    name: str
    command: list
    environment: dict
    folder: str  # where it runs
    source: str  # the file that it is written in, or the folder of what was compiled of it
    suites: list
    targets: list  # what ninja makes before it can run
    seconds: float = 0.0
    symbols: set = field(default_factory=set)

    @property
    def is_unit(self):
        return self.source.startswith("tests/unit/")


def read_json(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return json.load(file)


def read_text(*path):
    try:
        with open(os.path.join(*path), encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return ""


def symbols_of(path, only=()):
    """Names that nm says are defined in a program, library or object; none where it is none of these."""
    done = subprocess.run(["nm", "--defined-only", "--format=posix", *only, path], capture_output=True, text=True, check=False)
    return {line.split(" ", 1)[0] for line in done.stdout.splitlines() if " " in line} - {"main"}


class Tests:
    """The tests of a build, and the objects of its files. `build` is absolute."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        targets = {target["id"]: target["filename"] for target in read_json(build, "meson-info", "intro-targets.json")}
        rows = read_json(build, "meson-info", "intro-tests.json")
        self.tests = [self.test(row, targets) for row in rows if not LEFT_OUT & {suite.split(":")[-1] for suite in row["suite"]}]
        self.objects = {}
        for row in read_json(build, "compile_commands.json"):
            path = os.path.relpath(os.path.normpath(os.path.join(row["directory"], row["file"])), root)
            self.objects.setdefault(path, []).append(row.get("output") or output_of(row["command"]))
        self.graph = {}

    def test(self, row, targets):
        folder = row["workdir"] or self.build
        files = [os.path.normpath(os.path.join(folder, word)) for word in row["cmd"]]
        inside = [os.path.relpath(path, self.build) for path in files if path.startswith(self.build + os.sep) and os.path.exists(path)]
        made = [os.path.relpath(name, self.build) for target in row["depends"] for name in targets.get(target, [])]
        source = next((os.path.relpath(path, self.root) for path in reversed(files)
                       if path.endswith((".lua", ".py")) and path.startswith(self.root + os.sep)), None)
        if source is None and "unittest" in row["cmd"]:
            source = os.path.relpath(os.path.join(folder, row["cmd"][-1].split(".")[0] + ".py"), self.root)
        return Test(row["name"], row["cmd"], row["env"], folder, source or ([os.path.dirname(name) for name in inside if name != "gbflow"] or [""])[0],
                    [suite.split(":")[-1] for suite in row["suite"]], sorted({*inside, *made}))

    def measured(self, log):
        """Takes each test's time from a log of Meson's; tests that did not pass are left out, their names returned."""
        passed = {tuple(row["command"]): row["duration"] for row in map(json.loads, log.splitlines()) if row["result"] == "OK"}
        failed = [test.name for test in self.tests if tuple(test.command) not in passed]
        self.tests = [test for test in self.tests if tuple(test.command) in passed]
        for test in self.tests:
            test.seconds = passed[tuple(test.command)]
        return failed

    def read_symbols(self):
        known = {}
        for test in self.tests:
            for target in test.targets:
                if target not in known:
                    known[target] = symbols_of(os.path.join(self.build, target))
                test.symbols |= known[target]

    def seeing(self, path):
        """The tests that can see a file, the most related first."""
        find = {"lua": self.requiring, "config": self.naming, "python": self.packing}.get(path.split("/")[0], self.linking)
        ranked = [(rank, -likeness(path, test), test.seconds, index, test) for index, test in enumerate(self.tests)
                  if (rank := find(path, test)) is not None]
        return [row[-1] for row in sorted(ranked)]

    def linking(self, path, test):
        for name in self.objects.get(path, ()):
            symbols = self.symbols_of_object(name)
            if symbols <= test.symbols if symbols else "gbflow" in test.targets:
                return place_of(path, test)
        return None

    def symbols_of_object(self, name):
        if name not in self.graph:
            self.graph[name] = symbols_of(os.path.join(self.build, name), ["--extern-only"])
        return self.graph[name]

    def requiring(self, path, test):
        if test.source.endswith(".lua"):
            depth = self.depths(test.source).get(path)
            return None if depth is None else min(depth, 2) - 1
        embedded = [self.linking(name, test) for name in self.objects if os.path.basename(name) == EMBEDDED]
        return max((rank for rank in embedded if rank is not None), default=None)

    def depths(self, spec):
        """{file: how many requires away}"""
        if spec not in self.graph:
            depths, reached = {spec: 0}, [spec]
            for path in reached:
                for module in REQUIRED.findall(read_text(self.root, path)):
                    name = module.replace(".", "/") + ".lua"
                    for other in ("lua/" + name, os.path.join(os.path.dirname(spec), name)):
                        if other not in depths and os.path.exists(os.path.join(self.root, other)):
                            depths[other] = depths[path] + 1
                            reached.append(other)
            self.graph[spec] = depths
        return self.graph[spec]

    def packing(self, path, test):
        if "report" not in test.suites and not any("report" in target for target in test.targets):
            return None
        return (0 if self.naming(path, test) == 0 else 1) if test.is_unit else 3

    def naming(self, path, test):
        stem = re.escape(os.path.basename(path).rsplit(".", 1)[0])
        if re.search(rf"\b{stem}\b", read_text(self.root, test.source)):
            return 0
        return 3 if path.startswith("config/") and test.source.startswith("tests/system/scenario") else None


def output_of(command):
    words = shlex.split(command)
    return words[words.index("-o") + 1]


def place_of(path, test):
    """0 for a unit test of the file's folder, then other unit tests, oracles, and what runs the program."""
    if os.path.join("tests/unit", os.path.dirname(path)) == (test.source if not test.source.endswith((".lua", ".py")) else os.path.dirname(test.source)):
        return 0
    return 1 if test.is_unit else 2 if test.source.startswith("tests/oracles/") else 3


def likeness(path, test):
    """How many words of the file's path are in the test's."""
    words = set(re.split(r"[/_.\s]", path)) - {"c", "lua", "py"}
    return len(words & set(re.split(r"[/_.\s]", f"{test.name} {test.source}")))
