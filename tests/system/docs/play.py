#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plays pages: runs their commands in the order of the page, and looks for each line that they quote in what was printed or written.

usage: play.py [--all] [--limit SECONDS] [--list] [--verbose] [PAGE]...

Without PAGE: README.md, CONTRIBUTING.md and docs/, except docs/reference, which scripts/gen-docs.sh writes. A page has a folder
of its own with a copy of the tree, the build as build/, and a clean HOME. --all runs the blocks of the night, too; --list
prints what would be done with each block. A command that takes longer than --limit is ended, and wrong. GBFLOW_ROOT and BUILD name another tree and its build.

blocks.txt has the blocks that are not run, with the reason, and the lines that may differ from run to run. Each command of a
page runs, or has a row there; each quoted line is found, or has one; each row has its block.
"""
import argparse
import collections
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True

import page as pages  # noqa: E402
from table import Table  # noqa: E402

ROOT = pathlib.Path(os.environ.get("GBFLOW_ROOT", HERE.parents[2]))
BUILD = pathlib.Path(os.environ.get("BUILD", ROOT / "build"))
LIMIT_S = {"gate": 300, "night": 3600}  # then it hangs
PROGRAMS = {"gbflow": "gbflow", "gbflow-report.pyz": "gbflow-report.pyz", "gbflow-fitness": "bench/fitness/gbflow-fitness"}
WRITTEN = "out/**/*.csv", "out/**/*.txt"
LOOKUP = f"/usr/bin/python3 {HERE}/lookup.py"
FUNCTIONS = f'meson() {{ if [ "$1" = test ]; then {LOOKUP} meson "$@"; else command meson "$@"; fi; }}\nninja() {{ {LOOKUP} ninja "$@"; }}\n'
OWN = re.compile(r"((?:python3 )?((?:\./)?(?:build/|scripts/|tests/|bench/|gbflow)[\w./-]*)(?: [a-z][a-z-]*\b(?![./=]))*)")
HELPS = {}  # of a command
NAMED = re.compile(r"`(out/[\w./-]+\.\w+)`")


def all_pages():
    found = [path for path in (ROOT / "docs").rglob("*.md") if "reference" not in path.parts]
    return ["README.md", "CONTRIBUTING.md"] + sorted(str(path.relative_to(ROOT)) for path in found)


def words_of(text):
    """Of a line: blanks do not count, nor does where gbflow lies."""
    return re.sub(r"(?:sudo )?(?:[\w./-]*/)?gbflow (?=[a-z])", "gbflow ", " ".join(text.split()))


class Tree:
    """The tree's files, linked into a folder for each page. What a page writes in place stays in the copy."""

    def __init__(self, folder, root=ROOT):
        self.copy = folder / "tree"
        at_top, below = shutil.ignore_patterns("build*", ".git", "out", "__pycache__"), shutil.ignore_patterns("__pycache__")
        shutil.copytree(root, self.copy, symlinks=True, ignore=lambda at, names: (at_top if pathlib.Path(at) == root else below)(at, names))

    def put(self, folder):
        subprocess.run(["cp", "--archive", "--link", self.copy, folder], check=True, timeout=600)
        for path in ("build", "out"):
            (folder / path).mkdir()
        for path in BUILD.iterdir():
            (folder / "build" / path.name).symlink_to(path)


class Space:
    """Namespaces of a page: its interfaces, /run and processes end with it. Of root alone; others have the machine's."""
    HOLD = "mount -t tmpfs tmpfs /run && ip link set lo up && echo up && exec sleep infinity"

    def __init__(self):
        self.holder, self.words = None, []
        if os.geteuid() == 0:
            self.holder = subprocess.Popen(["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-c",
                                            self.HOLD], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
            self.holder.stdout.readline()
            with open(f"/proc/{self.holder.pid}/task/{self.holder.pid}/children", encoding="ascii") as file:
                inner = file.read().split()[0]
            self.words = ["nsenter", "--target", inner, "--net", "--mount", "--pid", "--"]

    def empty(self):
        """Ends all programs of the page."""
        if self.holder:
            subprocess.run([*self.words, "sh", "-c", "kill -9 -1"], check=False, timeout=60)

    def end(self):
        if self.holder:
            self.holder.kill()
            self.holder.wait()
            self.holder.stdout.close()


class Shell:
    """One shell for a page: a block has the folder and the values that those above it left."""

    def __init__(self, folder):
        self.folder, self.said, self.fault, self.space = folder, [], None, Space()
        self.state, self.at = folder / "state", folder / "at"
        self.home, programs = folder / "home", folder / "bin"
        for path in (self.home, programs):
            path.mkdir()
        for name, built in PROGRAMS.items():
            (programs / name).symlink_to(BUILD / built)
        (programs / "sudo").write_text('#!/bin/sh\nexec env "$@"\n', encoding="ascii")
        (programs / "sudo").chmod(0o755)
        self.at.write_text(f"{folder}/tree\n", encoding="utf-8")
        self.state.touch()
        kept = {name: os.environ[name] for name in ("LANG", "TERM", "TMPDIR", "CI") if name in os.environ}
        self.environment = {**kept, "HOME": str(self.home), "PATH": f"{programs}:/usr/sbin:/sbin:{os.environ['PATH']}",
                            "PYTHONDONTWRITEBYTECODE": "1", "SHELL": "/bin/bash"}

    def run(self, text, limit_s):
        """None, or why it failed."""
        script = (f"{FUNCTIONS}set -e -o pipefail; . {self.state}; cd \"$(cat {self.at})\"\n{text}\n"
                  f"{{ export -p; declare -p | grep -E '^declare -[-aA] [a-z]' || true; }} > {self.state}; pwd > {self.at}\n")
        with open(self.folder / "said", "w+b") as file:  # no pipe: what stays in the background would hold it
            process = subprocess.Popen([*self.space.words, "bash", "-c", script], stdin=subprocess.DEVNULL, stdout=file,
                                       stderr=subprocess.STDOUT, env=self.environment, start_new_session=True)
            try:
                process.wait(limit_s)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                self.space.empty()
                process.wait()
                return f"takes more than {limit_s} s"
            file.seek(0)
            said = file.read().decode(errors="replace")
        self.said += said.splitlines()
        return None if process.returncode == 0 else f"ends with status {process.returncode}:\n{textwrap.indent(said[-2000:], '    ')}"

    def text_of(self, text, limit_s=60):
        """What it prints, kept apart from the page's."""
        before, self.said = self.said, []
        self.fault = self.run(f"({text})", limit_s)
        found, self.said = "\n".join(self.said), before
        return found

    def tree(self):
        return self.folder / "tree"

    def lines(self, since=0):
        """What was printed from a line on, and then what was written; of the tree's own files nothing."""
        written = sorted(path for pattern in WRITTEN for path in self.tree().glob(pattern) if "series" not in path.name)
        return [words_of(line) for line in self.said[since:]] + [words_of(line) for path in written
                                                         for line in path.read_text(encoding="utf-8", errors="replace").splitlines()]


class Page:
    """One page: what is done with each of its blocks, and what was found wrong."""

    def __init__(self, path, table, is_night, text=None):
        self.path, self.table, self.is_night = path, table, is_night
        self.text = text if text is not None else (ROOT / path).read_text(encoding="utf-8")
        self.blocks = pages.blocks_of(path, self.text)
        self.faults, self.counts, self.is_whole, self.was_run = [], collections.Counter(), True, True
        self.is_verbose = False

    def fault(self, block, words):
        self.faults.append(f"{self.path}:{block.line}: {words}")

    def play(self, tree):
        if not self.blocks:
            return self.faults
        with tempfile.TemporaryDirectory(prefix="gbflow-page-") as folder:
            self.shell = Shell(pathlib.Path(folder))
            tree.put(self.shell.tree())
            for block in self.blocks:
                if block.kind == "commands":
                    self.counts[f"blocks: {self.commands(block)}"] += 1
                    continue
                row = self.table.of_block(block)
                is_left = row is not None and not (row.section == "night" and self.is_night)
                self.counts[f"{block.kind}: left" if is_left else block.kind] += 1
                if not is_left:
                    getattr(self, block.kind, self.pass_by)(block)
            self.look_at_names()
            self.shell.space.end()
        return self.faults

    def pass_by(self, block):
        """Of no use to a shell."""

    def file(self, block):
        path = self.shell.tree() / block.name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")

    def python(self, block):
        fault = self.shell.run(f"PYTHONPATH=python /usr/bin/python3 - <<'END'\n{block.text}END", LIMIT_S["gate"])
        if fault:
            self.fault(block, fault)

    def lua(self, block):
        """A configuration, which is right, or a part of one: keys of a table, or statements."""
        if re.search(r"^return \{$", block.text, re.MULTILINE):
            path = self.shell.tree() / "config" / "gallery" / "of-a-page.lua"  # beside the presets of the gallery's files
            path.write_text(block.text, encoding="utf-8")
            self.shell.text_of(f"cd {self.shell.tree()} && gbflow check {path.relative_to(self.shell.tree())}")
            if self.shell.fault:
                self.fault(block, f"gbflow check {self.shell.fault}")
            return
        for text in (block.text, f"return {{ {block.text} }}"):
            if subprocess.run(["luac5.4", "-p", "-"], input=text.encode(), capture_output=True, check=False, timeout=10).returncode == 0:
                return
        self.fault(block, "is no Lua")

    def diff(self, block):
        alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.shell.folder.parent)}
        done = subprocess.run(["git", "apply", "-"], input=block.text.encode(), capture_output=True, check=False, cwd=self.shell.tree(),
                              env=alone, timeout=60)
        if done.returncode != 0:
            self.fault(block, f"does not apply: {words_of(done.stderr.decode())}")

    def synopsis(self, block):
        for text in [text for is_run, text in block.steps if is_run]:
            self.look_up(block, text)

    def look_up(self, block, text):
        """Of a command that is not run: its program is there, and its --help or text has the options."""
        own = re.split(" && | lab shell ", text)[0]
        found = OWN.match(pages.IN_FRONT.sub("", own, count=1))
        if not found:
            return
        self.counts["commands: looked up"] += 1
        path, options = self.shell.tree() / found[2], set(re.findall(r"(?<=[ \[|])--[a-z][\w-]*", found.string.partition("#")[0].partition(" -- ")[0]))
        known = path.read_text(encoding="utf-8", errors="ignore") if "/" in found[2] and path.is_file() else ""
        if "/" in found[2] and not path.exists():
            self.fault(block, f"nothing is there: {found[2]}")
        elif options and not all(option in known for option in options):
            known += self.help_of(found[1])
            missing = [option for option in sorted(options) if not re.search(rf"{option}\b", known)]
            if missing:
                self.fault(block, f"{found[1]} --help has no {' '.join(missing)}")

    def help_of(self, command):
        if command not in HELPS:
            HELPS[command] = self.shell.text_of(f"{command} --help")
        return HELPS[command]

    def commands(self, block):
        """gate, night, elsewhere or not run: of its commands what comes first in this order, is done."""
        quoted, done, since = [], set(), len(self.shell.said)
        for (is_run, text), row in zip(block.steps, self.table.of_steps(block)):
            if not is_run:
                quoted.append(text)
                continue
            self.quote(block, quoted, since)
            since = len(self.shell.said) if quoted else since
            quoted, what = [], row.section if row else "gate"
            done.add("gate" if what == "instead" else what)
            self.was_run = what == "gate" or self.is_night and what in ("night", "instead") or what == "instead"
            self.is_whole &= self.was_run
            if not self.was_run:
                self.look_up(block, text)
            else:
                self.command(block, row.reason if what == "instead" and not self.is_night else text, what)
        self.quote(block, quoted, since)
        return next(what for what in ("gate", "night", "elsewhere", "not run") if what in done)

    def command(self, block, text, what):
        self.counts["commands"] += 1
        began = time.monotonic()
        fault = self.shell.run(text, LIMIT_S["gate" if what == "gate" else "night"])
        if self.is_verbose:
            print(f"{time.monotonic() - began:7.1f} s  {self.path}:{block.line}: {text.splitlines()[0]}", flush=True)
        if fault:
            self.fault(block, f"{text.splitlines()[0]}: {fault}")
            self.is_whole = self.was_run = False

    def missing(self, lines, since=0):
        """The first of the lines that nothing printed behind those above it."""
        said, at = self.shell.lines(since), 0
        for line in lines:
            if not line.strip():
                continue
            pattern = self.table.pattern_of(self.path, words_of(line))
            at = next((i + 1 for i in range(at, len(said)) if pattern.fullmatch(said[i])), None)
            if at is None:
                return line
        return None

    def quote(self, block, lines=None, since=0):
        """Lines of the command right above them, or, in a block of their own, of any above."""
        lines = block.text.splitlines() if lines is None else lines
        line = self.missing(lines, since)
        if line is not None and not self.was_run:
            return  # of a command that is not run
        self.counts["lines"] += len([line for line in lines if line.strip()])
        if line is not None:
            self.fault(block, f"no command above says: {line}")

    def look_at_names(self):
        """Files that the page names are where it says, and figures of its sentences are those that the files have."""
        for name in sorted(set(NAMED.findall(self.text))):
            path = self.shell.tree() / name
            if not path.exists() and (self.is_whole or path.parent.exists() and path.parent != self.shell.tree() / "out"):
                self.faults.append(f"{self.path}: names {name}, which no command wrote")
        for command in self.table.sentences(self.path, self.is_night):
            said = words_of(self.shell.text_of(command))
            self.counts["sentences"] += 1
            if not said or said not in words_of(self.text):
                self.faults.append(f"{self.path}: does not say '{said}', as {command} does")


def main():
    usage, more = __doc__.split("usage: ", 1)[1].split("\n\n", 1)
    parser = argparse.ArgumentParser(usage=usage, description=more)
    parser.add_argument("pages", nargs="*")
    for option in ("--all", "--list", "--verbose"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    LIMIT_S.update(dict.fromkeys(LIMIT_S, given.limit) if given.limit else {})
    table, chosen = Table(HERE / "blocks.txt", ROOT), given.pages or all_pages()
    played = [Page(path, table, given.all) for path in chosen]
    faults = table.faults(played, is_whole=not given.pages)
    print("".join(f"{fault}\n" for fault in faults), end="")
    if given.list:
        for one in played:
            for block in one.blocks:
                rows = [row for (is_run, _), row in zip(block.steps, table.of_steps(block)) if is_run] or [table.of_block(block)]
                what = " ".join(row.section if row else "run" if block.kind == "commands" else block.kind for row in rows)
                print(f"{one.path}:{block.line}: {what}: {block.first}")
        return 0
    counts = collections.Counter()
    with tempfile.TemporaryDirectory(prefix="gbflow-pages-") as folder:
        tree = Tree(pathlib.Path(folder))
        for one in played:
            one.is_verbose = given.verbose
            for fault in one.play(tree):
                print(fault, flush=True)
            faults += one.faults
            counts += one.counts
    print(", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"{len(played)} pages, {len(faults)} wrong")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
