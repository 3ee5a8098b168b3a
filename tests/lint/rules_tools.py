# SPDX-License-Identifier: BSD-3-Clause
"""Rules that another program checks, and words that must not stand in the tree (STYLE 31, 39, 41)."""
import os
import re
import shutil
import subprocess

from tree import Finding

# A folder of the machine that something was written on means nothing on the reader's.
MACHINE_PATH = re.compile(r"(?<![A-Za-z0-9_.~}])/(?:work|farm|root|home/\w+|tmp/gbf)(?=/|\b)")
REGISTRY = re.compile(r"\b(?:deb\.debian\.org|(?:test\.)?pypi\.org|files\.pythonhosted\.org|proxy\.golang\.org|"
                      r"registry\.npmjs\.org|crates\.io|luarocks\.org|rubygems\.org)\b")


class Unavailable(Exception):
    """The tool of a rule is not installed, or is of another version than the tree's layout was made with."""


def run_tool(tree, command, sources):
    if shutil.which(command[0]) is None:
        raise Unavailable(f"{command[0]} is not installed; scripts/setup.sh --test brings it")
    paths = [source.path for source in tree.changed(sources)]
    if not paths:
        return
    run = subprocess.run(command + paths, cwd=tree.root, capture_output=True, text=True, check=False)
    if run.returncode == 0:
        return
    output = run.stdout + run.stderr
    findings = [finding for finding in map(tool_finding, output.splitlines()) if finding]
    yield from findings or [Finding(command[0], 0, f"status {run.returncode}: {output.strip()[:300]}")]


def tool_finding(line):
    match = re.match(r"\s*([^\s:]+):(\d+):(.*)", line)
    return Finding(match.group(1), int(match.group(2)), match.group(3).strip()) if match else None


def clang_format(tree):
    sources = tree.of("c")
    program = "clang-format-14" if shutil.which("clang-format-14") else "clang-format"
    if shutil.which(program):
        version = subprocess.run([program, "--version"], capture_output=True, text=True, check=False).stdout
        if " version 14." not in version:
            raise Unavailable(f"layout is that of clang-format 14, here is: {version.strip()}")
    yield from run_tool(tree, [program, "--dry-run", "-Werror"], sources)


def luacheck(tree):
    config = os.path.join(tree.root, ".luacheckrc")
    options = ["--config", config] if os.path.exists(config) else ["--std", "lua54"]
    yield from run_tool(tree, ["luacheck", "--no-color", "--quiet", *options], tree.of("lua"))


def shellcheck(tree):
    yield from run_tool(tree, ["shellcheck", "-x", "-f", "gcc"], tree.of("sh"))


def words(tree):
    for source in tree.sources:
        for what, pattern in (("a path of one machine", MACHINE_PATH), ("a package registry", REGISTRY)):
            for match in pattern.finditer(source.text):
                yield Finding(source.path, source.text.count("\n", 0, match.start()) + 1, f"names {what}: {match.group(0)}")
