# SPDX-License-Identifier: BSD-3-Clause
"""The picture of the folders, as their include lines have it: in ARCHITECTURE.md and docs/folders.svg (STYLE 14)."""
import re

from folder_picture import PURPOSES, svg_of
from rules_layers import FLOORS, folder_of, includes
from tree import Finding

PAGE, DRAWING = "ARCHITECTURE.md", "docs/folders.svg"
MAKER = "scripts/draw_folders.py"
BEGIN, END = f"<!-- folders: made by {MAKER} -->\n", "<!-- end of folders -->\n"
REQUIRE = re.compile(r"""\brequire\s*\(?\s*["']([a-z_]+)\.""")


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
    return {folder: {other for other in others - {folder} if other in graph} for folder, others in graph.items()}


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


def level_of(graph, folder):
    """Of a folder below lua/: how many others are below each other beneath it."""
    return 1 + max((level_of(graph, other) for other in graph[folder] if other not in FLOORS and other in graph), default=0)


def bands_of(graph):
    """(label, folders) of each floor from the top down, then those of lua/ that need most others first."""
    floors = [(str(floor), [folder for folder in in_order(graph) if FLOORS.get(folder) == floor]) for floor in sorted(set(FLOORS.values()), reverse=True)]
    rest = [folder for folder in in_order(graph) if folder not in FLOORS]
    levels = sorted({level_of(graph, folder) for folder in rest}, reverse=True)
    return floors + [("Lua", [folder for folder in rest if level_of(graph, folder) == level]) for level in levels]


def text_of(graph):
    """The picture as a table, a line for each folder."""
    lines = ["| Floor | Folder | Purpose | Includes or requires (what that includes in turn is left out) |", "| --- | --- | --- | --- |"]
    for label, folders in bands_of(graph):
        for folder in folders:
            others = ", ".join(f"`{other}`" for other in reduced(graph)[folder])
            lines.append(f"| {label} | `{folder}` | {PURPOSES.get(folder, '')} | {others} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def drawing_of(graph):
    return svg_of([band for band in bands_of(graph) if band[1]], reduced(graph))


def page_with(page, graph):
    """ARCHITECTURE.md with the picture between its marks; None when it has none."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    return f"{before}{BEGIN}\n{text_of(graph)}\n{END}{after}" if begin and end else None


def folders(tree):
    graph = graph_of(tree)
    texts = {source.path: source.text for source in tree.sources if source.path in (PAGE, DRAWING)}
    if texts.get(PAGE) is None or page_with(texts[PAGE], graph) != texts[PAGE]:
        yield Finding(PAGE, 1, f"is not what {MAKER} draws")
    if texts.get(DRAWING) != drawing_of(graph):
        yield Finding(DRAWING, 1, f"is not what {MAKER} draws")
    for folder in sorted(set(graph) - set(PURPOSES)):
        yield Finding("tests/lint/folder_picture.py", 1, f"has no purpose of {folder}")
