# SPDX-License-Identifier: BSD-3-Clause
"""Navigation of the site: each page of docs/ is in it or left out by name, and each of its entries is a page."""
import ast
import re

from rules_tools import Unavailable
from tree import Finding

CONFIG, HOOKS = "scripts/site/mkdocs.yml", "scripts/site/hooks.py"
# scripts/site/hooks.py adds the records to the navigation.
RECORD = re.compile(r"decisions/[a-z][^/]*\.md$")


def read(source):
    """The configuration of MkDocs; its tags of Python are nothing here. (configuration, what is wrong with it)"""
    try:
        import yaml  # pylint: disable=import-outside-toplevel
    except ImportError as error:
        raise Unavailable("python3-yaml is not installed; scripts/setup.sh --test brings it") from error

    class Loader(yaml.SafeLoader):  # pylint: disable=too-many-ancestors
        """Without Python's objects."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: None)
    try:
        text = yaml.load(source.text, Loader)
    except yaml.YAMLError as error:
        return {}, f"no YAML: {error}".replace("\n", " ")
    is_sound = isinstance(text, dict) and isinstance(text.get("nav"), list)
    return (text, None) if is_sound else ({}, "no list 'nav'")


def entries_of(nav):
    """Pages of a navigation, in its order, without what leads to other sites."""
    for entry in nav:
        for value in entry.values() if isinstance(entry, dict) else [entry]:
            if isinstance(value, list):
                yield from entries_of(value)
            elif not re.match(r"[a-z]+://", str(value)):
                yield str(value)


def pages_of_root(tree):
    """{page of the site: its file}, of those outside docs/: the table PAGES of the hooks."""
    hooks = next((source for source in tree.sources if source.path == HOOKS), None)
    for node in ast.parse(hooks.text).body if hooks else ():
        if isinstance(node, ast.Assign) and node.targets[0].id == "PAGES":
            return {name: path for path, name in ast.literal_eval(node.value).items()}
    return {}


def pattern_of(line):
    """A line of not_in_nav, as in .gitignore: from the top with a slash in front, else in any folder."""
    name = re.escape(line.lstrip("/")).replace(r"\*\*/", "(?:.*/)?").replace(r"\*", "[^/]*")
    return re.compile(("" if line.startswith("/") else "(?:.*/)?") + name + "$")


class Navigation:
    """Compares the entries with the pages."""

    def __init__(self, tree, source, config):
        self.source, self.entries = source, list(entries_of(config["nav"]))
        self.left_out = [line for line in str(config.get("not_in_nav", "")).split() if not line.startswith("#")]
        self.pages = {source.path.removeprefix("docs/"): source.path for source in tree.sources
                      if source.path.startswith("docs/") and source.path.endswith(".md")}
        self.pages |= {name: path for name, path in pages_of_root(tree).items() if path in tree.paths()}

    def wrong(self, word, message):
        line = next((number for number, line in enumerate(self.source.lines, 1) if word in line), 1)
        return Finding(self.source.path, line, message)

    def missing(self):
        """Pages that nothing leads to."""
        patterns = [pattern_of(line) for line in self.left_out]
        for page, path in self.pages.items():
            is_listed = page in self.entries or RECORD.match(page) or any(pattern.match(page) for pattern in patterns)
            if not is_listed:
                yield self.wrong("nav:", f"no entry leads to {path}: add it where a reader would look for it, or to not_in_nav")

    def findings(self):
        yield from self.missing()
        for entry in self.entries:
            if entry not in self.pages:
                yield self.wrong(entry, f"no such page: {entry}")
            elif self.entries.count(entry) > 1:
                yield self.wrong(entry, f"twice in nav: {entry}")
        for line in self.left_out:
            if not any(pattern_of(line).match(page) for page in self.pages):
                yield self.wrong(line, f"not_in_nav leaves out nothing: {line}")


def nav(tree):
    source = next((source for source in tree.sources if source.path == CONFIG), None)
    if source is None:
        return
    config, error = read(source)
    if error:
        yield Finding(source.path, 1, error)
    else:
        yield from Navigation(tree, source, config).findings()
