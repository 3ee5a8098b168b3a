#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A walk through the code: follows the calls of a function in the order of the text, each once, and prints their files.

usage: walk.py FUNCTION [--depth N] [--stop NAME]...
       walk.py --write

N: how deep calls are followed (3). NAME: a function that is not entered. FUNCTION is one of C, or of Lua as it is
defined (gb_ns.receive). A call through a ring, a table of another file or from C into Lua ends a walk: begin another
one there. --write writes the columns of files in ARCHITECTURE.md's walks, and docs/worker-step.svg; the lint (walks)
fails when these are not up to date.
"""
import argparse
import difflib
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lint"))
sys.dont_write_bytecode = True

import rules_walks  # noqa: E402
import step_picture  # noqa: E402
from calls import Calls  # noqa: E402
from tree import Tree, run_quietly  # noqa: E402


def print_walk(calls, given):
    steps = calls.walk(given.function.removesuffix("()"), given.depth, given.stop)
    if steps is None:
        near = difflib.get_close_matches(given.function, calls.homes, n=3)
        sys.exit(f"walk.py: no function {given.function}" + (f"; did you mean {', '.join(near)}?" if near else ""))
    for number, (level, path, function) in enumerate(steps, 1):
        name = "  " * level + f"{function.name}()"
        print(f"{number:4}  {name:50}  {path}:{function.line}")


def write_page(calls):
    page = ROOT / rules_walks.PAGE
    page.write_text(rules_walks.written(page.read_text(encoding="utf-8"), calls), encoding="utf-8")
    (ROOT / step_picture.DRAWING).write_text(step_picture.drawing_of(calls), encoding="utf-8")
    print(f"written: {rules_walks.PAGE}, {step_picture.DRAWING}")


def main():
    usage, more = __doc__.split("usage: ", 1)[1].split("\n\n", 1)
    parser = argparse.ArgumentParser(usage=usage, description=more)
    parser.add_argument("function", nargs="?")
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--stop", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if bool(given.function) == given.write:
        parser.error("name a function, or --write")
    if given.depth < 0:
        parser.error(f"--depth {given.depth}: 0 or more")
    calls = Calls(Tree(str(ROOT)))
    unknown = [name for name in given.stop if name not in calls.homes]
    if unknown:
        parser.error(f"--stop {unknown[0]}: no such function")
    if given.write:
        write_page(calls)
    else:
        print_walk(calls, given)


if __name__ == "__main__":
    sys.exit(run_quietly(main))
