#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Capabilities of the node: the files that are theirs alone, and the product files of others that name them.

usage: capabilities.py count            a line for each; status 1 if one has more foreign files than it may
       capabilities.py show NAME        its foreign product files, each with the lines that name it
       capabilities.py page             writes docs/capabilities.md, and lower numbers into descriptions
       capabilities.py cut NAME FOLDER  takes the capability out of a clone of the tree in FOLDER (scripts/without.sh)

capabilities/NAME.toml describes one:

  title, purpose, page   its words, and its page of docs/
  own, tests             globs of files that go with it; ** is any folders. What tests/ has of `own` is of the tests
  names                  regular expression of its words. A word stands by itself: no letter or digit is beside it
  ignore                 regular expression of words that are meant otherwise
  foreign                the most foreign product files that name it; it only falls
  removable              whether scripts/without.sh can take it out
  leave_out              how one leaves it out of a node

A product file is one in Git that is not below tests/, docs/ or capabilities/, and is no page, picture or capture; this
program and the site's list of pages are none either. A line counts once. `cut` deletes own files and tests, and of that
list and all other files of the product and of tests each line that has one of the names: a file of others is written so
that it is right without these lines.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field

ROOT = pathlib.Path(__file__).resolve().parent.parent
HOME, PAGE = "capabilities", "docs/capabilities.md"
NO_PRODUCT = re.compile(r"^(tests|docs|capabilities)/|^\.|^CITATION|\.(md|svg|png|gz|pcapng|pcap)$"
                        r"|^scripts/capabilities\.py$")
# Its lines go with their pages, and count as those of tests.
SITE = "scripts/site/mkdocs.yml"
KEYS = {"title": str, "purpose": str, "page": str, "own": list, "tests": list, "names": str, "ignore": str,
        "foreign": int, "removable": bool, "leave_out": str}
HEAD = """# Capabilities of the node

<!-- made by scripts/capabilities.py page -->

Some networks do without a capability. `capabilities/` has a description of each: which files are its own. Other files
of the product name it where they switch it on. Their number only falls. The lint (`capabilities`) compares it with the
description.

`scripts/capabilities.py show NAME` prints the lines in foreign files. `scripts/without.sh NAME` takes a capability out
of a clone, if the last column says so. It builds the rest and tests it. A new capability is a new file in
`capabilities/`. `scripts/capabilities.py --help` lists its keys.

`scripts/gen-docs.sh` makes the page. Numbers of lines are of that day.

| Capability | Own files | Own lines | Lines of tests | Foreign files | Lines there | `without.sh` |
| --- | --- | --- | --- | --- | --- | --- |
"""
RULE = """
A foreign file is one of the product with a word of the capability. Tests, docs, the site and descriptions are no
product. A word stands by itself: no letter and no digit is beside it. So `esp_guard` has the word esp, and `response`
has none.
"""


class Fault(Exception):
    """A line for the user."""


@dataclass
class Capability:
    """A description, and what the tree has of it, by path: numbers of lines, and of foreign files (number, text) of
    each line that names it."""

    name: str
    given: dict
    own: dict = field(default_factory=dict)
    tests: dict = field(default_factory=dict)
    docs: dict = field(default_factory=dict)
    foreign: dict = field(default_factory=dict)
    foreign_tests: dict = field(default_factory=dict)

    def lines_naming(self, text):
        """(number, text) of the lines that have one of its words."""
        pattern = re.compile(rf"(?<![A-Za-z0-9])(?:{self.given['names']})(?![A-Za-z0-9])")
        ignored = re.compile(self.given["ignore"] or r"(?!)")
        lines = enumerate(text.split("\n"), 1)
        return [(number, line) for number, line in lines if pattern.search(ignored.sub(" ", line))]


def regex_of(glob):
    """A regular expression of a glob, in which * stays in a folder and ** does not."""
    parts = re.split(r"(\*\*)", glob)
    one_folder = [fnmatch.translate(part)[4:-3].replace(".*", "[^/]*") for part in parts]
    return "".join(".*" if part == "**" else one for part, one in zip(parts, one_folder)) + "$"


def read_one(path, text):
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise Fault(f"{path}: {error}") from error
    for key, kind in KEYS.items():
        if type(given.get(key)) is not kind:
            raise Fault(f"{path}: {key} is missing, or no {kind.__name__}")
    for key in given:
        if key not in KEYS:
            raise Fault(f"{path}: {key} is no key of a capability: {', '.join(KEYS)}")
    return Capability(pathlib.PurePath(path).stem, given)


def files_of(root):
    """Text of each file in Git, by its path; without links and what is no text."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=True).stdout
    texts = {}
    for name in filter(None, listed.decode().split("\0")):
        path = pathlib.Path(root, name)
        if path.is_file() and not path.is_symlink():
            data = path.read_bytes()
            if b"\0" not in data:
                texts[name] = data.decode("utf-8", "replace")
    return texts


def place_in(one, path):
    """Where the lines of an own file count."""
    return one.tests if path.startswith("tests/") else one.docs if path.startswith("docs/") else one.own


def fill(one, texts):
    own, tests = ([re.compile(regex_of(glob)) for glob in one.given[key]] for key in ("own", "tests"))
    for path, text in texts.items():
        is_test = path.startswith("tests/") and not path.startswith("tests/lint/") or path == SITE
        if any(glob.match(path) for glob in tests):
            one.tests[path] = text.count("\n")
        elif any(glob.match(path) for glob in own):
            place_in(one, path)[path] = text.count("\n")
        elif is_test or not NO_PRODUCT.search(path):
            found = one.lines_naming(text)
            if found:
                (one.foreign_tests if is_test else one.foreign)[path] = found


def in_texts(texts):
    """The capabilities of a tree, by the texts of its files."""
    paths = sorted(path for path in texts if re.fullmatch(rf"{HOME}/[\w-]+\.toml", path))
    found = [read_one(path, texts[path]) for path in paths]
    for one in found:
        fill(one, texts)
    return found


def find(name, root=ROOT):
    known = {one.name: one for one in in_texts(files_of(root))}
    if name not in known:
        raise Fault(f"'{name}' is no capability: {', '.join(known)}; another one is a file {HOME}/NAME.toml")
    return known[name]


# --- what is printed ---

def lines_in(found):
    return sum(len(lines) for lines in found.values())


def figures_of(one):
    return len(one.own), sum(one.own.values()), sum(one.tests.values()), len(one.foreign), lines_in(one.foreign)


def count(found):
    for one in found:
        files, lines, tests, foreign, named = figures_of(one)
        print(f"{one.name:14} own {files:3} files {lines:6} lines, tests {tests:6} lines, "
              f"foreign {foreign:3} files {named:4} lines, at most {one.given['foreign']} files")
    return int(any(len(one.foreign) > one.given["foreign"] for one in found))


def show(one):
    for path, lines in sorted(one.foreign.items()):
        print(path)
        for number, text in lines:
            print(f"  {number}: {text.strip()[:140]}")
    return 0


def row(one):
    link = f"[{one.given['title']}]({pathlib.PurePath(one.given['page']).name})"
    cells = [link, *figures_of(one), "yes" if one.given["removable"] else "no"]
    return "| " + " | ".join(map(str, cells)) + " |\n"


def section(one):
    text = f"\n## {one.given['title']}\n\n{one.given['purpose']} {one.given['leave_out']}\n"
    if one.given["removable"]:
        text += "\n| Foreign file |\n| --- |\n" + "".join(f"| `{path}` |\n" for path in sorted(one.foreign))
    return text


def page_text(found):
    return HEAD + "".join(map(row, found)) + RULE + "".join(map(section, found))


def without_lines(text):
    """The page without its columns of lines, which change from day to day."""
    return re.sub(r"(?m)^(\| \[[^\n]*?\) \| \d+ \|) \d+ \| \d+ (\| \d+ \|) \d+ \|", r"\1\2", text)


def lower(one):
    """Writes a lower number of foreign files into a description."""
    path = ROOT / HOME / f"{one.name}.toml"
    if len(one.foreign) < one.given["foreign"]:
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"(?m)^foreign = \d+$", f"foreign = {len(one.foreign)}", text), encoding="utf-8")


def page(found):
    for one in found:
        lower(one)
    (ROOT / PAGE).write_text(page_text(found), encoding="utf-8")
    print(f"written: {PAGE}")
    return 0


# --- the cut ---

def remove(root, paths):
    """Files, and folders that are empty without them."""
    for path in paths:
        pathlib.Path(root, path).unlink()
        for folder in pathlib.PurePath(path).parents:
            place = pathlib.Path(root, folder)
            if str(folder) == "." or any(place.iterdir()):
                break
            place.rmdir()


def cut_lines(root, found):
    for path, lines in found.items():
        place = pathlib.Path(root, path)
        gone = {number for number, _ in lines}
        texts = enumerate(place.read_text(encoding="utf-8").split("\n"), 1)
        place.write_text("\n".join(text for number, text in texts if number not in gone), encoding="utf-8")


def cut(name, root):
    """What a clone loses is printed."""
    if pathlib.Path(root).resolve() == ROOT:
        raise Fault(f"{root} is this tree itself: give the folder of a clone")
    one = find(name, root)
    if not one.given["removable"]:
        raise Fault(f"{name} cannot be taken out: its description has removable = false")
    gone = (("own files", one.own), ("tests", one.tests), ("pages", one.docs))
    named = (("foreign files of the product", one.foreign), ("foreign files of tests and site", one.foreign_tests))
    for _, found in gone:
        remove(root, found)
    for _, found in named:
        cut_lines(root, found)
    for words, found in gone:
        print(f"removed: {len(found)} {words}, {sum(found.values())} lines")
    for words, found in named:
        print(f"removed: {lines_in(found)} lines in {len(found)} {words}")
        print("".join(f"  {path}: {len(lines)}\n" for path, lines in sorted(found.items())), end="")
    return 0


def run(arguments):
    match arguments:
        case ["count"]:
            return count(in_texts(files_of(ROOT)))
        case ["show", name]:
            return show(find(name))
        case ["page"]:
            return page(in_texts(files_of(ROOT)))
        case ["cut", name, folder]:
            return cut(name, folder)
        case ["-h" | "--help"]:
            print(__doc__.strip())
            return 0
    print(__doc__.strip(), file=sys.stderr)
    return 2


def main():
    try:
        return run(sys.argv[1:])
    except (Fault, OSError, subprocess.CalledProcessError) as error:
        print(f"capabilities.py: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
