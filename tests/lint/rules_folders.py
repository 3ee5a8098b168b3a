# SPDX-License-Identifier: BSD-3-Clause
"""The picture of the folders, as their include lines have it: in ARCHITECTURE.md and docs/folders.svg (STYLE 14)."""
import hashlib
import re

from rules_layers import FLOORS, folder_of, includes
from tree import Finding

PAGE, DRAWING = "ARCHITECTURE.md", "docs/folders.svg"
MAKER = "scripts/draw_folders.py"
BEGIN, END = f"<!-- folders: made by {MAKER} -->\n", "<!-- end of folders -->\n"
REQUIRE = re.compile(r"""\brequire\s*\(?\s*["']([a-z_]+)\.""")
COLOURS = {"app": "#dbe9ff", "bench": "#eeeeee", "control": "#dff3df", "dataplane": "#ffeccc", "lua": "#f3e3f7"}


def of_c(source):
    """The folder of a C file, and those that it includes files of."""
    others = (folder_of(path) for _, quote, path in includes(source) if quote == '"')
    return folder_of(source.path), {other for other in others if other}


def of_lua(source):
    """The folder below lua/ of a module, and those that it requires modules of."""
    parts = source.path.split("/")
    if parts[0] != "lua" or len(parts) != 3:
        return None, ()
    return f"lua/{parts[1]}", {f"lua/{room}" for room in REQUIRE.findall(source.text)}


def graph_of(tree):
    """For each folder with a floor, and each below lua/, the folders that it includes."""
    graph = {folder: set() for folder in FLOORS}
    for language, read in (("c", of_c), ("lua", of_lua)):
        for folder, others in map(read, tree.of(language)):
            if folder:
                graph.setdefault(folder, set()).update(others)
    return {folder: others - {folder} for folder, others in graph.items()}


def reach(graph, folder):
    """All that a folder includes, and what that includes, and so on."""
    seen, ahead = set(), [folder]
    while ahead:
        new = graph.get(ahead.pop(), set()) - seen
        seen |= new
        ahead += new
    return seen


def reduced(graph):
    """Without what a folder includes by way of another one, too."""
    return {folder: sorted(other for other in others if not any(other in reach(graph, way) for way in others - {other}))
            for folder, others in graph.items()}


def floor_of(graph, folder):
    """Its floor, '' for a folder below lua/."""
    return FLOORS.get(folder, "") if folder in graph else ""


def in_order(graph):
    """From the top floor down; then what lies below lua/, those first that nobody requires."""
    return sorted(graph, key=lambda folder: (folder not in FLOORS, -FLOORS.get(folder, len(reach(graph, folder))), folder))


def text_of(graph):
    """The picture as a table, a line for each folder."""
    lines = [f"{'floor':>5}  {'folder':<19} includes (what these include in turn is left out)"]
    above = None
    for folder in in_order(graph):
        floor = floor_of(graph, folder)
        lines.append(f"{'' if floor == above else floor:>5}  {folder:<19} {' '.join(reduced(graph)[folder])}".rstrip())
        above = floor
    return "\n".join(lines) + "\n"


def dot_of(graph):
    """The picture as Graphviz reads it."""
    lines = ['digraph folders {', '  rankdir=TB; ranksep=0.45; nodesep=0.15; newrank=true;',
             '  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11, height=0.3];',
             '  edge [color="#555555", arrowsize=0.6];']
    for folder in in_order(graph):
        lines.append(f'  "{folder}" [fillcolor="{COLOURS.get(folder.split("/")[0], "#ffffff")}"];')
        lines += [f'  "{folder}" -> "{other}";' for other in reduced(graph)[folder]]
    for floor in sorted(set(FLOORS.values())):
        row = "; ".join(f'"{folder}"' for folder in sorted(graph) if floor_of(graph, folder) == floor)
        lines.append(f"  {{ rank=same; {row} }}")
    return "\n".join(lines) + "\n}\n"


def mark_of(graph):
    """Tells in an SVG which picture it is of; the octets that Graphviz makes of that differ from version to version."""
    return f"<!-- {MAKER} {hashlib.sha256(dot_of(graph).encode()).hexdigest()} -->"


def page_with(page, graph):
    """ARCHITECTURE.md with the picture between its marks; None when it has none."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{BEGIN}\n```\n{text_of(graph)}```\n\n{END}{after}" if begin and end else None


def folders(tree):
    graph = graph_of(tree)
    texts = {source.path: source.text for source in tree.sources if source.path in (PAGE, DRAWING)}
    if texts.get(PAGE) is None or page_with(texts[PAGE], graph) != texts[PAGE]:
        yield Finding(PAGE, 1, f"is not what {MAKER} draws")
    if mark_of(graph) not in texts.get(DRAWING, ""):
        yield Finding(DRAWING, 1, f"is not what {MAKER} draws")
