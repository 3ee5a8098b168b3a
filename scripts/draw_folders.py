#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the folders as their include lines have it: the table in ARCHITECTURE.md, and docs/folders.svg.

usage: draw_folders.py

The purposes of folders stand in tests/lint/folder_picture.py.
The lint's rule "folders" fails when either is not up to date.
"""
import pathlib
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


def main(argv):
    if argv[1:]:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    graph = rules_folders.graph_of(Tree(str(ROOT)))
    draw_page(graph)
    write(rules_folders.DRAWING, rules_folders.drawing_of(graph))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
