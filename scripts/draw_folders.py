#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the folders as their include lines have it: the table in ARCHITECTURE.md, and docs/folders.svg.

usage: draw_folders.py [--dot]      --dot only prints what Graphviz is given

Needs Graphviz (dot). The lint's rule "folders" fails when either is not up to date.
"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lint"))
sys.dont_write_bytecode = True

import rules_folders  # noqa: E402
from tree import Tree  # noqa: E402


def write(path, text):
    (ROOT / path).write_text(text, encoding="utf-8")
    print(f"drawn: {path}")


def draw_page(graph):
    page = rules_folders.page_with((ROOT / rules_folders.PAGE).read_text(encoding="utf-8"), graph)
    if page is None:
        sys.exit(f"{rules_folders.PAGE}: no line {rules_folders.BEGIN.strip()} with its end")
    write(rules_folders.PAGE, page)


def draw_svg(graph):
    dot = subprocess.run(["dot", "-Tsvg"], input=rules_folders.dot_of(graph), capture_output=True, text=True, check=True)
    write(rules_folders.DRAWING, dot.stdout.rstrip("\n") + "\n" + rules_folders.mark_of(graph) + "\n")


def main(argv):
    if argv[1:] not in ([], ["--dot"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    graph = rules_folders.graph_of(Tree(str(ROOT)))
    if argv[1:]:
        print(rules_folders.dot_of(graph), end="")
        return 0
    draw_page(graph)
    draw_svg(graph)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
