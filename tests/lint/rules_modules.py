# SPDX-License-Identifier: BSD-3-Clause
"""How many modules the product has and how full they are (STYLE 2): a table of figures, each with the limit that holds today."""
import re
from collections import defaultdict

from functions import functions_of
from rules_layers import includes
from tree import Finding

SHORT_LINES = 60
ENDINGS = (".c", ".h", ".cc", ".lua", ".py")
# Headers that exist because a module was cut in pieces.
PIECES = re.compile(r"(?:^|[_/])(parts?|types|state|private|internal|impl)\.h$")
# Where the walk of a packet begins, and the folders that it is followed through.
WALK_FROM = "gn_rx_receive"
WALK_FOLDERS = ("dataplane/worker/", "dataplane/sched/")

# Figure: the most that it may be; None: it is printed only, as a new file is no fault. A change that lowers a figure lowers its limit.
LIMITS = {
    "product files": None,
    "product files of fewer than 60 lines": 146,
    "longest C file, lines": 600,
    "headers": None,
    "lines of headers": None,
    "headers that at most one other file includes": 17,
    "headers of pieces (_parts, _types, _state)": 0,
    "files in dataplane/sched": None,
    "files in dataplane/worker": None,
    "files in control/core": None,
    "product lines": 165000,
    "files entered from gn_rx_receive()": None,
    "returns to a .c file that was left": None,
}
# The mean lines of the C files and headers, of a tree with at least so many files, must stay in this range.
MEAN_LINES, MEAN_FILES = (180, 260), 100


def product_of(tree):
    return [source for source in tree.sources if source.path.endswith(ENDINGS) and not source.path.startswith("tests/")]


def of_folder(sources, folder):
    return sum(source.path.rpartition("/")[0] == folder and source.path.endswith((".c", ".h")) for source in sources)


def seldom_included(tree, headers):
    """How many headers are included by at most one file besides the .c file of the same name."""
    users = defaultdict(set)
    for source in tree.of("c"):
        for _, _, path in includes(source):
            if source.path.rpartition(".")[0] != path.rpartition(".")[0]:
                users[path].add(source.path)
    return sum(len(users[source.path]) <= 1 for source in headers)


def bodies_of(sources):
    """{(file, function): words that its body calls, in order}, and {function: files that define it}."""
    bodies, homes = {}, defaultdict(list)
    for source in sources:
        lines = source.blanked.splitlines()
        for function in functions_of(source):
            body = "\n".join(lines[function.line - 1:function.last_line])
            bodies[source.path, function.name] = re.findall(r"\b(\w+)\s*\(", body)[1:]
            homes[function.name].append((source.path, function.public or source.path.endswith(".h")))
    return bodies, homes


def home_of(homes, name, path):
    """The file of a called function: the caller's own, else that which has it for others; None for functions of libraries."""
    files = homes.get(name, ())
    if any(file == path for file, _ in files):
        return path
    return next((file for file, is_public in files if is_public), None)


def walk(sources, first=WALK_FROM):
    """Files entered, and returns to one that was left, by a reader who follows each call once, in the order of the text."""
    bodies, homes = bodies_of(sources)
    start = home_of(homes, first, None)
    if start is None:
        return 0, 0
    trail, seen, entered = [start], set(), {start}

    def follow(path, name):
        seen.add((path, name))
        for called in bodies[path, name]:
            file = home_of(homes, called, path)
            if file and (file, called) not in seen:
                entered.add(file)
                trail.append(file)
                follow(file, called)
                trail.append(path)

    follow(start, first)
    steps = [file for before, file in zip([None, *trail], trail) if file != before]
    return len(entered), sum(file in steps[:index] for index, file in enumerate(steps))


def figures_of(tree):
    product = product_of(tree)
    sources = [source for source in product if source.path.endswith((".c", ".h"))]
    headers = [source for source in sources if source.path.endswith(".h")]
    walked = [source for source in sources if source.path.startswith(WALK_FOLDERS)]
    return {
        "product files": len(product),
        "product files of fewer than 60 lines": sum(len(source.lines) < SHORT_LINES for source in product),
        "longest C file, lines": max((len(source.lines) for source in sources), default=0),
        "headers": len(headers),
        "lines of headers": sum(len(source.lines) for source in headers),
        "headers that at most one other file includes": seldom_included(tree, headers),
        "headers of pieces (_parts, _types, _state)": sum(PIECES.search(source.path) is not None for source in headers),
        "files in dataplane/sched": of_folder(sources, "dataplane/sched"),
        "files in dataplane/worker": of_folder(sources, "dataplane/worker"),
        "files in control/core": of_folder(sources, "control/core"),
        "product lines": sum(len(source.lines) for source in product),
        "files entered from gn_rx_receive()": walk(walked)[0],
        "returns to a .c file that was left": walk([source for source in walked if source.path.endswith(".c")])[1],
    }


def mean_lines(tree):
    sources = [source for source in product_of(tree) if source.path.endswith((".c", ".h"))]
    return sum(len(source.lines) for source in sources) / max(len(sources), 1)


def modules(tree):
    """Prints each figure with its limit."""
    is_whole = len(product_of(tree)) >= MEAN_FILES
    figures = figures_of(tree)
    if is_whole and figures["files entered from gn_rx_receive()"] == 0:
        yield Finding("product", 0, f"{WALK_FROM}() is not in {WALK_FOLDERS[0]}: name where the walk begins in WALK_FROM")
    for figure, value in figures.items():
        limit = LIMITS[figure]
        print(f"{figure}: {value}" + (f", at most {limit}" if limit is not None else ""))
        if limit is not None and value > limit:
            yield Finding("product", 0, f"{figure}: {value}, at most {LIMITS[figure]}")
    mean = mean_lines(tree)
    print(f"mean lines of C files and headers: {mean:.0f}, {MEAN_LINES[0]} to {MEAN_LINES[1]}")
    if not MEAN_LINES[0] <= mean <= MEAN_LINES[1] and is_whole:
        yield Finding("product", 0, f"mean lines of C files and headers: {mean:.0f}, not within {MEAN_LINES[0]} to {MEAN_LINES[1]}")
