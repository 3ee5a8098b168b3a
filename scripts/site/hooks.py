# SPDX-License-Identifier: BSD-3-Clause
"""Hooks of the site: its front page, README and the other pages of the root become pages of it, linked files of the
tree lie below files/, and the words of the glossary are explained by hover."""
import pathlib
import posixpath
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Pages outside docs/, and their names in the site.
PAGES = {"scripts/site/start.md": "index.md", "README.md": "readme.md", "ARCHITECTURE.md": "architecture.md",
         "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "STYLE.md": "style.md",
         "SECURITY.md": "security-policy.md", "CODE_OF_CONDUCT.md": "conduct.md"}
ASSETS = {name: f"scripts/site/{name}" for name in ("site.css", "scroll.js", "worker.js")}
# Material's plugin "offline" would load this from another host.
SHIM = '<script src="https://unpkg.com/iframe-worker/shim"></script>'
# What a search finds first: a page of the guide before records of what was done. The first pattern counts.
WEIGHTS = ((r"aqm\.md$", 4), (r"(first-\w+|packaging|building)\.md$", 2), (r"(decisions/|changelog)", 0.1),
           (r"papers/", 0.5))
OF_SITE = {name: path for path, name in PAGES.items()}
FENCE = re.compile(r"(?ms)(^```.*?^```$)")
LINK = re.compile(r"(?m)(\]\(|^\[[^\]\n]+\]:[ \t]+)([^)\s#]+)(#[^)\s]*)?(?=\)|[ \t]+\"|$)")
# A link that shows a page's file.
NAMED = re.compile(r"\[`?[\w./-]+\.md`?\](?=\(([^)\s#]+)(?:#[^)\s]*)?\))")
TITLE = re.compile(r"(?m)^# (.+)$")
ITEM = re.compile(r"( *)(?:[*+-]|\d+\.) +(?=\S)")
WORD = re.compile(r"(?m)^\| ([^|]+?) \| ([^|]+?) \|")
HEADING = re.compile(r"\A(?:\s*<!--.*?-->)*\s*# ", re.S)


def source_of(uri):
    """The path in the tree of a page of the site."""
    return OF_SITE.get(uri) or "docs/" + uri


def place_of(path):
    """Where a file of the tree is in the site; None: it is no file."""
    if path in PAGES:
        return PAGES[path]
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return "files/" + path if (ROOT / path).is_file() else None


def links_of(text):
    return [match for part in FENCE.split(text)[::2] for match in LINK.finditer(part)]


def resolved(source, target):
    """The file of the tree that a link of a page means; None: it leads elsewhere."""
    if re.match(r"[a-z]+:", target):
        return None
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), target))


def indented(text):
    """Lists as Python-Markdown reads them: an empty line in front, and what belongs to an item four columns further
    than its mark. The pages have the lists of CommonMark, where it is as far as the item's text."""
    lines, inside, before = [], [], ""  # inside: columns of the text of the items that are open
    for line in text.split("\n"):
        indent, item = len(line) - len(line.lstrip(" ")), ITEM.match(line)
        if line.strip():
            while inside and indent < inside[-1] and (item or not before.strip()):
                inside.pop()
        if not line.strip() or (not inside and not item):
            lines.append(line)
        else:
            # A line below its item's text belongs to it, wherever it begins.
            text_column = inside[-1] if inside else 0
            lines.append(" " * (4 * len(inside) + max(indent - text_column, 0)) + line.lstrip(" "))
        if item and indent - (inside[-1] if inside else 0) < 4:
            if not inside and before.strip():
                lines.insert(-1, "")
            inside.append(len(item.group(0)))
        before = line
    return "\n".join(lines)


def on_config(config):
    """Adds each record of a decision to its section."""
    sections = next(entry["Contribute"] for entry in config.nav if "Contribute" in entry)
    records = next(entry["Decisions"] for entry in sections if "Decisions" in entry)
    records += sorted(f"decisions/{path.name}" for path in (ROOT / "docs" / "decisions").glob("[a-z]*.md"))
    return config


def on_files(files, config):
    for path, uri in PAGES.items():
        if (ROOT / path).exists():
            files.append(File.generated(config, uri, content=(ROOT / path).read_text(encoding="utf-8")))
    for uri, path in ASSETS.items():
        files.append(File.generated(config, uri, content=(ROOT / path).read_bytes()))
    for file in list(files.documentation_pages()):
        source = source_of(file.src_uri)
        for match in links_of((ROOT / source).read_text(encoding="utf-8")):
            path = resolved(source, match.group(2))
            place = path and place_of(path)
            if place and place.startswith("files/") and not files.get_file_from_path(place):
                # As text: a browser would offer a Lua file for download.
                shown = (place if pathlib.PurePath(place).suffix in (".html", ".json", ".svg", ".txt", ".yml")
                         else place + ".txt")
                files.append(File.generated(config, shown, content=(ROOT / path).read_bytes()))
    return files


def weight_of(uri):
    return next((weight for pattern, weight in WEIGHTS if re.match(pattern, uri)), 1)


def on_page_markdown(markdown, page, config, files):
    source = source_of(page.file.src_uri)
    page.meta.setdefault("search", {})["boost"] = weight_of(page.file.src_uri)

    def led(match):
        path = resolved(source, match.group(2))
        place = path and place_of(path)
        if place is None:
            return match.group(0)
        if place.startswith("files/") and not files.get_file_from_path(place):
            place += ".txt"
        target = posixpath.relpath(place, posixpath.dirname(page.file.src_uri) or ".")
        return match.group(1) + target + (match.group(3) or "")

    def title_of(match):
        path = resolved(source, match.group(1))
        if not path or not path.endswith(".md") or not (ROOT / path).is_file():
            return match.group(0)
        title = TITLE.search((ROOT / path).read_text(encoding="utf-8"))
        return f"[{title.group(1)}]" if title else match.group(0)

    parts = FENCE.split(markdown)
    parts[::2] = [indented(LINK.sub(led, NAMED.sub(title_of, part))) for part in parts[::2]]
    return "".join(parts) + ("" if page.file.src_uri == "glossary.md" else glossary())


def on_post_page(output, page, config):
    """The page asks no other host for anything."""
    place = posixpath.relpath("worker.js", posixpath.dirname(page.file.dest_uri) or ".")
    output = output.replace(SHIM, f'<script src="{place}"></script>')
    foreign = re.search(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=\"?https?://[^>]*>", output)
    if foreign:
        raise PluginError(f"{page.file.src_uri}: loads something from another host: {foreign.group(0)}")
    return output


def glossary():
    """The words of docs/glossary.md as abbreviations: those that no one takes for common English."""
    lines = []
    for words, meaning in WORD.findall((ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")):
        meaning = re.sub(r"\s*\(`[^)]*`[^)]*\)|\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", meaning).strip()
        for word in re.sub(r"\s*\([^)]*\)", "", words).replace("`", "").split(", "):
            if len(word) > 1 and re.search(r"[A-Z_ -]", word):
                lines += [f"*[{word}]: {meaning}", f"*[{word}s]: {meaning}"]
    return "\n\n" + "\n".join(lines) + "\n"
