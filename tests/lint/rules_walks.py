# SPDX-License-Identifier: BSD-3-Clause
"""The walks of ARCHITECTURE.md, tables | Step | Function | File | between marks (STYLE 43).

Also the picture of the worker's step.

The sentence and the functions of a row are the author's; scripts/walk.py --write puts the files in. Each function is
there, and an earlier one of the walk calls it, by way of others perhaps. Where a walk crosses a ring, goes from C to Lua
or back, or begins with another thread or event, the row's sentence says so: it has one of the words of CROSSING.
"""
import re

import step_picture
from calls import Calls
from tree import Finding

PAGE = "ARCHITECTURE.md"
BLOCK = re.compile(r"^<!-- walk: .*?-->\n(.*?)^<!-- end of walk -->$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"`((?:\w+[.:])?\w+)\(\)`")
CROSSING = re.compile(r"\b(?:rings?|Lua|threads?|MSG_\w+|timers?|callback)\b")
HEADINGS = ("Step", "---")
WHOLE_FILES = 100


def homes_in(cell, calls):
    """[(name, home)] of the functions that a cell names."""
    return [(name, calls.home_of(name)) for name in CALL.findall(cell)]


def row_of(line):
    """(sentence, functions) of a step; None: the line is none."""
    cells = [cell.strip() for cell in line.split("|")]
    return cells[1:3] if len(cells) == 5 and cells[1] not in HEADINGS else None


def written(page, calls):
    """The page with the files of each row's functions."""
    def row_with_files(line):
        row = row_of(line)
        if row is None:
            return line
        files = dict.fromkeys(f"`{home[0]}`" for _, home in homes_in(row[1], calls) if home)
        return f"| {row[0]} | {row[1]} | {', '.join(files)} |"

    def block(match):
        rows = "".join(row_with_files(line) + "\n" for line in match.group(1).splitlines())
        return match.group(0).replace(match.group(1), rows)

    return BLOCK.sub(block, page)


def faults_of(rows, calls):
    """(line, what is wrong) of the rows of a walk: (line, sentence, functions)."""
    reached = set()
    for line, sentence, cell in rows:
        homes = homes_in(cell, calls)
        if not reached or CROSSING.search(sentence):
            reached = calls.reach([home for _, home in homes if home], reached)
        for name, home in homes:
            if home is None:
                yield line, f"no such function: {name}()"
            elif (home[0], home[1].line) not in reached:
                yield line, (f"no function above calls {name}(): "
                             "name the one that does, or what the walk crosses here (a ring, Lua, a thread)")


def walks(tree):
    text = next((source.text for source in tree.sources if source.path == PAGE), "")
    calls = Calls(tree)
    if written(text, calls) != text:
        yield Finding(PAGE, 1, "its walks have files that their functions are not in: scripts/walk.py --write")
    drawing = next((source.text for source in tree.sources if source.path == step_picture.DRAWING), "")
    if calls.home_of(step_picture.STEP) and drawing != step_picture.drawing_of(calls):
        yield Finding(step_picture.DRAWING, 1, "is not what scripts/walk.py --write draws: a stage came, went or moved; look at the difference that it makes")
    blocks = list(BLOCK.finditer(text))
    if not text.count("<!-- walk") == text.count("<!-- end of walk") == len(blocks) or not blocks and len(tree.sources) >= WHOLE_FILES:
        yield Finding(PAGE, 1, "a walk stands between lines <!-- walk: ... --> and <!-- end of walk -->; one of the marks is not there")
    for block in blocks:
        first = text.count("\n", 0, block.start(1)) + 1
        lines = list(enumerate(block.group(1).splitlines(), first))
        for line, row in lines:
            if row.count("|") != 4:
                yield Finding(PAGE, line, "is no row | step | functions | files | of a walk")
        for line, fault in faults_of([(number, *row_of(line)) for number, line in lines if row_of(line)], calls):
            yield Finding(PAGE, line, fault)
