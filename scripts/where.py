#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Where a noun has its place in the tree: scripts/where.sh calls it. The glossary is the index; then names of files,
functions, keys of configurations, rows of tables (messages, counters, drop reasons, fields of reports) and headings of
pages."""
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "lint"))
sys.dont_write_bytecode = True

from functions import functions_of  # noqa: E402
from tree import Tree, run_quietly  # noqa: E402

USAGE = "usage: scripts/where.sh NOUN..."
MOST = 6
CODE = (".c", ".h", ".cc", ".def", ".lua", ".py", ".sh")
ROW = re.compile(r"^\s*(?:[A-Z_]{3,}\(|\{[^\"]{0,24}\")\s*(\w+)")
KEY = re.compile(r"""\bname = "(\w+)"|\b(?:group|number|setting)\("(\w+)\"""")
GLOSSARY, PLAN = "docs/glossary.md", "ARCHITECTURE.md"


def plain(text):
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).strip()


class Index:
    """kind: [(name, place)]. A place is PATH, PATH:LINE, or a sentence."""

    def __init__(self, tree):
        self.rows = {kind: [] for kind in ("word", "to add", "file", "test", "function", "key", "row", "page")}
        for source in tree.sources:
            self.add_path(source)
            if source.path.endswith(".md"):
                self.add_page(source)
            elif not source.path.startswith("tests/") and source.path.endswith(CODE):
                self.add_code(source)

    def add(self, kind, name, place):
        self.rows[kind].append((name, place))

    def add_path(self, source):
        if source.path.endswith(CODE):
            is_test = source.path.startswith("tests/")
            name = re.sub(r"^test_|_test$|_spec$", "", source.stem) if is_test else source.stem
            self.add("test" if is_test else "file", name, source.path)

    def add_page(self, source):
        for number, line in enumerate(source.lines, 1):
            cells = [cell.strip() for cell in line.split("|")]
            if line.startswith("#") and not source.path.startswith("CHANGELOG"):
                self.add("page", line.lstrip("# "), f"{source.path}:{number} {line.lstrip('# ')}")
            elif source.path == GLOSSARY and len(cells) > 3:
                self.add("word", cells[1], f"{cells[1]}: {cells[2]}")
            elif source.path == PLAN and len(cells) == 4:
                self.add("to add", cells[1], f"{cells[1]}: {source.path}:{number}")
            elif source.path.startswith("docs/") and len(cells) > 3 and cells[1].startswith("`"):
                self.add("page", cells[1], f"{source.path}:{number} {cells[1]}")

    def add_code(self, source):
        for function in functions_of(source):
            self.add("function", function.name, f"{source.path}:{function.line} {function.name}()")
        for number, line in enumerate(source.lines, 1):
            key = KEY.search(line) if source.path.endswith(".lua") and "schema" in source.stem else None
            row = (ROW.match(line) if source.path.endswith(".def") or source.path.endswith(".c") and '"' in line
                   else None)
            for kind, found in (("key", key), ("row", row)):
                if found:
                    name = next(filter(None, found.groups()))
                    self.add(kind, name, f"{source.path}:{number} {name}")

    def find(self, noun):
        """{kind: places} whose names have each word of the noun at the beginning of a word; the noun itself first."""
        wanted = plain(noun)
        words = [f" {word}" for word in wanted.split()]
        found = {}
        for kind, rows in self.rows.items():
            hits = [(plain(name), place) for name, place in rows]
            hits = [hit for hit in hits if words and all(word in f" {hit[0]}" for word in words)]
            hits.sort(key=lambda hit: (hit[0] != wanted, not hit[0].startswith(wanted), len(hit[0])))
            found[kind] = list(dict.fromkeys(place for _, place in hits))
        return {kind: places for kind, places in found.items() if places}

    def near(self, noun):
        names = {plain(name) for rows in self.rows.values() for name, _ in rows} - {""}
        return difflib.get_close_matches(plain(noun), names, n=3, cutoff=0.7)


def main(words):
    if words[:1] in (["-h"], ["--help"]):
        print(f"{USAGE}\n\n{__doc__}")
        return 0
    words = words[1:] if words[:1] == ["--"] else words
    if not plain(" ".join(words)) or words[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    noun, index = " ".join(words), Index(Tree(str(ROOT)))
    found = index.find(noun)
    if not found:
        near = index.near(noun)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        print(f"where.sh: nothing is named '{noun}'{hint}", file=sys.stderr)
        return 1
    for kind, places in found.items():
        for place in places[:MOST]:
            print(f"{kind:9} {place}")
        if len(places) > MOST:
            print(f"{kind:9} ({len(places) - MOST} more)")
    return 0


if __name__ == "__main__":
    sys.exit(run_quietly(lambda: main(sys.argv[1:])))
