# SPDX-License-Identifier: BSD-3-Clause
"""What the pages name is there: links of all pages; files, functions and messages that the front pages name."""
import posixpath
import re

from tree import Finding, Source

FRONT = re.compile(r"(README|ARCHITECTURE|CONTRIBUTING|docs/glossary|docs/first-change|docs/decisions/[^/]+)\.md$")
# [text](target), [text](target "title"), and the line of a reference, [name]: target.
LINK = re.compile(r"""(?:^\[[^\]\n]+\]:[ \t]+|\[[^\]\n]*\]\()([^)\s]+)(?=\)|[ \t]+"|$)""", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
MADE = re.compile(r"^<!-- (\w+): made by .*?^<!-- end of \1 -->$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"(?<![\w.:/-])((?:\w+[.:])?[a-z]\w{2,})\(\)")
STRUCT = re.compile(r"`struct (\w+)`")
MESSAGE = re.compile(r"\bMSG_[A-Z][A-Z0-9_]+\b")
FILE = re.compile(r"(?<![\w./-])([a-z]\w*(?:/[\w.*-]+)*/?(?:\.(?:c|h|def|lua|py|sh))?)(?![\w/])")
ENDINGS = (".c", ".h", ".cc", ".def", ".lua", ".py", ".sh")
FITTED = ("README.md", "scripts/site/start.md")
INDEX, GLOSSARY = "docs/decisions/README.md", "docs/glossary.md"
PLACEHOLDER = re.compile(r"[A-Z]{2}|\*")


def slug(heading):
    """The anchor that a heading gets."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
    return re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")


def anchors_of(source):
    return {slug(line.lstrip("#")) for line in FENCE.sub("", source.text).splitlines() if line.startswith("#")}


class Names:
    """What there is to be named in a tree."""

    def __init__(self, tree):
        self.pages = {source.path: source for source in tree.sources if source.path.endswith(".md")}
        self.paths = set(tree.paths())
        self.folders = {path.rsplit("/", depth)[0] for path in self.paths for depth in range(1, path.count("/") + 1)}
        self.tops = {path.split("/", 1)[0] for path in self.paths if "/" in path}
        self.files = {path.rsplit("/", 1)[-1] for path in self.paths}
        code = {source.path: source.text for source in tree.sources if source.path.endswith(ENDINGS)}
        self.code = code
        text = "\n".join(code.values())
        self.calls = set(re.findall(r"\b([A-Za-z_]\w*) ?\(", text))
        self.structs = set(re.findall(r"\bstruct \w+", text))
        self.words = set(re.findall(r"\bMSG_\w+", text))
        self.messages = set(re.findall(r"\bMSG\((\w+)", text))

    def has_path(self, path):
        return path.rstrip("/") in self.paths or path.rstrip("/") in self.folders

    def has_call(self, name):
        return re.split(r"[.:]", name)[-1] in self.calls

    def has_message(self, name):
        return name in self.words or name.removeprefix("MSG_") in self.messages

    def has_link(self, page, target):
        path, _, anchor = target.partition("#")
        full = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
        if not self.has_path(full):
            return False
        return not anchor or full not in self.pages or anchor in anchors_of(self.pages[full])


def not_in_index(names):
    """Records of decisions that their index has no link to."""
    index = names.pages.get(INDEX)
    linked = set(LINK.findall(index.text)) if index else set()
    for path in names.pages:
        folder, _, name = path.rpartition("/")
        if folder == posixpath.dirname(INDEX) and path != INDEX and name not in linked:
            yield Finding(path, 1, f"is not in {INDEX}")


def out_of_order(names):
    """Words of the glossary that come before a word above them in their table, or twice."""
    above, page = "", names.pages.get(GLOSSARY)
    for number, line in enumerate(page.lines if page else (), 1):
        word = re.sub(r"[^a-z0-9 ]", "", line.split("|")[1].lower()) if line.startswith("| ") else ""
        if above and word and word <= above:
            yield Finding(GLOSSARY, number, f"'{word.strip()}' is not in the order of the alphabet, or there twice")
        above = "" if word.strip() in ("word", "") else word


def lines_with(source, pattern):
    for number, line in enumerate(source.lines, 1):
        for match in pattern.finditer(line):
            yield number, match.group(match.lastindex or 0).rstrip(".")


def dead_links(names, source):
    for number, target in lines_with(source, LINK):
        if not re.match(r"[a-z]+:", target) and not names.has_link(source.path, target):
            yield Finding(source.path, number, f"nothing is there: {target}")


def is_unknown_file(names, word):
    if PLACEHOLDER.search(word):
        return False
    if "/" in word:
        return word.split("/", 1)[0] in names.tops and not names.has_path(word)
    return word.endswith(ENDINGS) and word not in names.files


def without_made(source):
    """The page, empty lines where a program wrote it."""
    return Source(source.path, MADE.sub(lambda match: "\n" * match.group(0).count("\n"), source.text))


def unknown_names(names, source):
    for number, word in lines_with(source, FILE):
        if is_unknown_file(names, word):
            yield Finding(source.path, number, f"no such file: {word}")
    for number, name in lines_with(source, CALL):
        if not names.has_call(name):
            yield Finding(source.path, number, f"no such function: {name}()")
    for number, name in lines_with(source, STRUCT):
        if f"struct {name}" not in names.structs:
            yield Finding(source.path, number, f"no such struct: {name}")
    for number, name in lines_with(source, MESSAGE):
        if not names.has_message(name):
            yield Finding(source.path, number, f"no such message: {name}")


def is_defined(text, name):
    """Whether C or Lua begins a function of this name in a line: no indentation, nor a semicolon behind."""
    name = re.escape(re.split(r"[.:]", name)[-1])
    return re.search(rf"^(?:\w[\w \t*]*[ \t*])?{name}\([^;{{]*(?:\n?\{{)|^(?:local )?function (?:\w+[.:])?{name}\(", text, re.MULTILINE) is not None


def misplaced(names, source):
    """Functions of a row of a table | what | functions | files | that none of the row's files defines."""
    for number, line in enumerate(source.lines, 1):
        cells = line.split("|")
        if len(cells) != 5:
            continue
        files = [path for path in FILE.findall(cells[3]) if path in names.code]
        for call in CALL.findall(cells[2]) if files else ():
            if not any(is_defined(names.code[path], call) for path in files):
                yield Finding(source.path, number, f"{call}() is not defined in {' or '.join(files)}")


CODE_COLUMNS = 70


def wide_code(source):
    """Lines of code that would not fit the column of the site's page at 1280 px."""
    is_fenced = False
    for number, line in enumerate(source.lines, 1):
        is_fenced ^= line.startswith("```")
        code = line if is_fenced else line[4:] if line.startswith("    ") else ""
        if len(code) > CODE_COLUMNS:
            yield Finding(source.path, number, f"{len(code)} columns of code, at most {CODE_COLUMNS}: break the line, or leave words out")


def pages(tree):
    names = Names(tree)
    yield from not_in_index(names)
    yield from out_of_order(names)
    for source in names.pages.values():
        yield from dead_links(names, source)
        if source.path in FITTED:
            yield from wide_code(source)
        if FRONT.match(source.path):
            yield from unknown_names(names, without_made(source))
            yield from misplaced(names, source)
