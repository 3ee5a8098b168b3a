# SPDX-License-Identifier: BSD-3-Clause
"""Sizes that pages give: of rings, beside the constants of the code; of files, beside their lines (STYLE 44)."""
import fnmatch
import re

from tree import Finding

# (what a page says, with its number; the constant of the code; number less constant)
CONSTANTS = [
    (re.compile(r"\b(?:rings?\.to_\w+,|ring of) (\d+) messages\b"), "MESSAGES", -1),
    (re.compile(r"\b(?:xworker rings,|ring of) (\d+) (?:items|entries)\b"), "XWORKER_RING", -1),
    (re.compile(r"\btap, (\d+) records\b"), "TAP_RECORDS", 0),
]
DEFINED = re.compile(r"#define (\w+)\s+(\d+)\b")
# A row | what (`file`, `file`) | lines | of the tables whose rows are whole files.
LIBRARIES, WHOLE = "docs/decisions/libraries.md", re.compile(r"^\| (?:C|Lua)\b")
ROW = re.compile(r"^\| ([^|]*`[^|]*) \| (\d+) \|")
LEAST_LINES, PART = 100, 0.15


def constants_in(tree):
    return {name: int(value) for source in tree.of("c") if not source.path.startswith("tests/")
            for name, value in DEFINED.findall(source.text)}


def wrong_constants(tree, constants):
    for source in tree.sources:
        for pattern, name, difference in CONSTANTS if source.path.endswith(".md") else ():
            for match in pattern.finditer(source.text):
                line = source.text.count("\n", 0, match.start(1)) + 1
                if name not in constants:
                    yield Finding(source.path, line, f"no constant {name}: name in tests/lint/rules_sizes.py the one that replaces it")
                elif int(match.group(1)) != constants[name] + difference:
                    yield Finding(source.path, line, f"says {match.group(1)}, the code {constants[name] + difference} ({name})")


def lines_of(tree, pattern):
    return sum(len(source.lines) for source in tree.sources
               if fnmatch.fnmatch(source.name, pattern) and not source.path.startswith("tests/"))


def wrong_lines(tree):
    page = next((source for source in tree.sources if source.path == LIBRARIES), None)
    is_whole = False
    for number, line in enumerate(page.lines if page else (), 1):
        is_whole = is_whole and line.startswith("|") or WHOLE.match(line) is not None
        row = ROW.match(line) if is_whole else None
        said = int(row.group(2)) if row else 0
        lines = sum(lines_of(tree, name) for name in re.findall(r"`([^`]+)`", row.group(1))) if row else 0
        if max(said, lines) >= LEAST_LINES and abs(said - lines) > PART * lines:
            yield Finding(LIBRARIES, number, f"says {said} lines, its files have {lines}")


def sizes(tree):
    yield from wrong_constants(tree, constants_in(tree))
    yield from wrong_lines(tree)
