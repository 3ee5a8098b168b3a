#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Whether the name of an instant says that it is one (STYLE 7): it ends in _at_ns, in Lua in _at, in Python in _at, _at_s
or _at_ns; a span ends in its unit alone. What is an instant shows in its use: it is taken from now, or now from it, it is
compared with now, as by moment_min() and moment_max(), or a span is added to it by moment_add(). What is added to now
is a span.

usage: rules_instants.py [LANGUAGE]     the faults of C, Lua or Python (c, lua, py; c) by folder
"""
import os
import re
import sys
from collections import Counter

from tree import Tree

ENDINGS = {"c": ("_at_ns",), "lua": ("_at",), "py": ("_at", "_at_s", "_at_ns")}
NOW = r"(?:(?:\w+(?:->|\.))*now(?:_s|_ns)?(?![\w.]|->)|time\.monotonic(?:_ns)?\(\))"
# A variable or a member; no call, constant or number.
PLACE = r"((?:[A-Za-z_]\w*(?:\[[^][]*\])?(?:->|\.))*[a-z_]\w*)\b(?!\s*\(|\[|\.|->)"
COMPARED = r"(?:<=?|>=?)"
INSTANTS = [re.compile(pattern) for pattern in (
    rf"(?<![\w.>])(?<![<>] )(?<![<>]= ){NOW} - {PLACE}(?! [*/])",
    rf"(?<![\w.>])(?<![-+*/] ){PLACE} - {NOW}",
    rf"(?<![\w.>])(?<![-+*/] ){NOW} {COMPARED} {PLACE}(?! [-+*/])",
    rf"(?<![\w.>])(?<![-+*/] ){PLACE} {COMPARED} {NOW}(?! [-+*/])",
    rf"\bmoment_(?:min|max)\({PLACE}, {NOW}",
    rf"\bmoment_(?:min|max)\({NOW}, {PLACE}\)",
    rf"\bmoment_add\({PLACE}, ")]
SPANS = re.compile(rf"(?<![\w.>]){NOW} \+ {PLACE}")
IS_NOW = re.compile(rf"{NOW}$")


def code_of(source):
    return source.text if source.language == "py" else source.blanked


def last_name(place):
    return re.split(r"->|\.", place)[-1]


def says_so(name, language):
    return name.endswith(ENDINGS[language]) or f"_{name}" in ENDINGS[language]


def misnamed(source):
    """(line, place) of instants whose name does not say so, and of spans whose name says that they are one."""
    text, language, found = code_of(source), source.language, set()
    for is_instant, patterns in ((True, INSTANTS), (False, [SPANS])):
        for match in (match for pattern in patterns for match in pattern.finditer(text)):
            place = match[1]
            if not IS_NOW.match(place) and says_so(last_name(place), language) != is_instant:
                found.add((text.count("\n", 0, match.start(1)) + 1, place))
    return sorted(found)


def misnamed_instants(language, tree):
    """A text for each place of the product's files of a language."""
    return [f"{source.path}:{line}: {place}" for source in tree.of(language)
            if not source.path.startswith("tests/") for line, place in misnamed(source)]


def main():
    tree = Tree(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    faults = misnamed_instants(sys.argv[1] if len(sys.argv) > 1 else "c", tree)
    for folder, count in sorted(Counter(os.path.dirname(fault.partition(":")[0]) for fault in faults).items()):
        print(f"{count:5} {folder}")


if __name__ == "__main__":
    main()
