# SPDX-License-Identifier: BSD-3-Clause
"""Figures of the whole product that only get better (STYLE 2), each with its limit and what to do beyond it.

A new file is no fault: no figure grows with the number of files. A change that betters a figure moves its limit along.
"""
import functools
import os
import re
from collections import Counter, defaultdict
from typing import Callable, NamedTuple

import circles
from rules_layers import includes
from rules_instants import misnamed_instants
from rules_nouns import EMPTY, MANY_FILES, Nouns, empty_names, names_in_many_files
from tree import Finding

SHORT_LINES, WHOLE_FILES, WIDE_COLUMNS = 60, 100, 120
MAY_BE_SHORT = re.compile(r"(?:config|docker|dataplane/aqm)/|.*/shown\.lua$")
ENDINGS = (".c", ".h", ".cc", ".lua", ".py")
# Headers that exist because a module was cut in pieces.
PIECES = re.compile(r"(?:^|[_/])(parts?|types|state|private|internal|impl)\.h$")
MOST_NAMED = 5


def product_of(tree):
    return [source for source in tree.sources if source.path.endswith(ENDINGS) and not source.path.startswith("tests/")]


def headers_of(tree):
    return [source for source in product_of(tree) if source.path.endswith(".h")]


def modules_of(tree):
    """{path without ending: lines of x.c and x.h together}, but for what may be short: examples, AQM schemes, rows of tables."""
    lines = Counter()
    for source in product_of(tree):
        if not MAY_BE_SHORT.match(source.path):
            lines[source.path.rpartition(".")[0]] += len(source.lines)
    return lines


def short_modules(tree):
    return [path for path, lines in modules_of(tree).items() if lines < SHORT_LINES]


def percent_short(tree):
    """Of a whole product: a tree of a few files, as a test has it, has no share worth a limit."""
    count = len(modules_of(tree))
    return 100 * len(short_modules(tree)) / count if count >= WHOLE_FILES else 0.0


def seldom_included(tree):
    """Headers that at most one file includes besides the .c file of the same name."""
    users = defaultdict(set)
    for source in tree.of("c"):
        for _, _, path in includes(source):
            if source.path.rpartition(".")[0] != path.rpartition(".")[0]:
                users[path].add(source.path)
    return [source.path for source in headers_of(tree) if len(users[source.path]) <= 1]


def pieces(tree):
    return [source.path for source in headers_of(tree) if PIECES.search(source.path)]


def wide_lines(tree):
    return [f"{source.path}:{number}" for source in product_of(tree) if source.language == "py"
            for number, line in enumerate(source.lines, 1) if len(line) > WIDE_COLUMNS]


class Nameds:
    """Nouns of a tree, read once."""

    def __init__(self):
        self.tree, self.nouns = None, None

    def of(self, tree):
        if self.tree is not tree:
            self.tree, self.nouns = tree, Nouns(tree)
        return self.nouns


NOUNS = Nameds()


class Figure(NamedTuple):
    name: str
    limit: float
    is_least: bool
    value: Callable
    whats: Callable  # the things that make the figure bad, a text each
    remedy: str


def at_most(name, limit, whats, remedy):
    return Figure(name, limit, False, lambda tree: len(whats(tree)), whats, remedy)


FIGURES = [
    Figure("% of exported functions that bear their file's noun", 94, True, lambda tree: NOUNS.of(tree).percent_with_noun,
           lambda tree: [f"{path}: {name}()" for path, name in NOUNS.of(tree).without_noun],
           "begin a function's name with its file's (bucket.c: bucket_take), or move it to the file whose noun it has"),
    Figure("% of prototypes in the header beside their .c file", 91, True, lambda tree: NOUNS.of(tree).percent_beside,
           lambda tree: [f"{path}: {name}()" for path, name in NOUNS.of(tree).elsewhere],
           "put the prototype of x.c into x.h, or the function into the .c file beside its header"),
    at_most(f"names of static functions in {MANY_FILES} files or more", 0,
            lambda tree: [f"{name}() in {len(paths)} files" for name, paths in NOUNS.of(tree).static_in_many.items()],
            "put the file's noun before it, as a profile or a backtrace should read: put() of gn_rx.c is gn_rx_put()"),
    at_most(f"functions of Lua and Python named {', '.join(sorted(EMPTY))}", 0, empty_names,
            "add the noun of what it returns (curves_of, row_of), or a verb (find)"),
    at_most(f"names of functions of Lua or Python in {MANY_FILES} files or more", 26, names_in_many_files,
            "add a noun: what take() takes"),
    *(at_most(f"instants of {name} by another name, spans by that of one", limit,
              functools.partial(misnamed_instants, language), remedy)
      for name, language, limit, remedy in (
          ("C", "c", 256, "end an instant's name in _at_ns, a span's in _ns"),
          ("Lua", "lua", 0, "end an instant's name in _at, a span's in _ns"),
          ("Python", "py", 0, "end an instant's name in _at, a span's in _s or _ns"))),
    Figure(f"% of modules of fewer than {SHORT_LINES} lines", 8, False, percent_short, short_modules,
           "put what a short module has into the one that it is a piece of"),
    at_most("headers that at most one other file includes", 17, seldom_included,
            "put what only one file uses into that file, static"),
    at_most("headers of pieces (_parts, _types, _state)", 0, pieces, "name the header by its concept"),
    at_most(f"lines of Python (without tests) over {WIDE_COLUMNS} columns", 0, wide_lines,
            f"break lines before column {WIDE_COLUMNS}: name what is long, or use one more line"),
]


def is_kept(figure, value):
    return value >= figure.limit if figure.is_least else value <= figure.limit


def shown(value):
    return f"{value:.1f}" if isinstance(value, float) else f"{value}"


def fault_of(figure, value, whats):
    side = "at least" if figure.is_least else "at most"
    named = "; ".join(whats[:MOST_NAMED]) + ("; ..." if len(whats) > MOST_NAMED else "")
    return Finding("product", 0, f"{figure.name}: {shown(value)}, {side} {figure.limit}: {figure.remedy} ({named})")


def modules(tree):
    """Prints each figure with its limit."""
    product = product_of(tree)
    print(f"{len(product)} product files, {sum(len(source.lines) for source in product)} lines")
    for figure in FIGURES:
        value = figure.value(tree)
        print(f"{figure.name}: {shown(value)}, {'at least' if figure.is_least else 'at most'} {figure.limit}")
        if not is_kept(figure, value):
            yield fault_of(figure, value, figure.whats(tree))
    print(circles.summary(os.path.join(tree.root, "build")))
