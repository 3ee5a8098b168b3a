#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Rows of messages and intents (docs/messages.md) against the sources that give them.

usage: rules_messages.py      prints the table of all messages and intents, with the files that give them
"""
import os
import re
import sys
from dataclasses import dataclass

from text import blank_c
from tree import Finding, Tree

MESSAGES, INTENTS, EVENTS = "dataplane/worker/msgs.def", "control/core/intents.def", "control/core/events.def"
TYPES, PAGE = "dataplane/worker/msg.h", "docs/messages.md"
PRODUCT = ("app/", "control/", "dataplane/")
# Folders that give the messages of a kind of row.
GIVERS = {"MSG_ORDER": ("app/", "control/"), "MSG_NEWS": ("dataplane/worker/",), "MSG_GUARD": ("dataplane/",)}
# Orders that the product does not give as yet.
UNUSED = {}  # message without a source: why it is there

SUBJECT = re.compile(r"^MSG_SUBJECT\((\w+),", re.MULTILINE)
ROW = re.compile(r"^(MSG_(?:ORDER|INTENT|NEWS|GUARD)|INTENT_(?:MSG|CALL|SESSIONS(?:_MSG|_ASKED)?|LUA))\(([^)]*)\)", re.MULTILINE)
FRAGMENT = re.compile(r'^#include "([^"]+\.def)"', re.MULTILINE)
EVENT = re.compile(r"^EVENT(?:_SET|_ASK)?\(\s*(\w+),\s*(\w+)", re.MULTILINE)
TOLD = re.compile(r"\b(?:core_(?:tell|ask|read|each)|LUA_ROWS_(?:RECORD|LIST))\([^,;]+,\s*(\w+)")
LUA_COMMENT = re.compile(r"--[^\n]*")
LUA_OP = re.compile(r"""(?P<start>[{,]\s*|^\s*|\w\.)(?:op|\["op"\])\s*=(?!=)\s*(?:"(?P<op>\w+)"|(?P<other>[^\s,}]+))""", re.MULTILINE)
GIVEN = re.compile(r"(?<![=!<>]= )(?<![<>] )(?<!case )\bMSG_([A-Z0-9_]+)\b(?! [<>=!]=| [<>])")
CASE = re.compile(r"\bcase MSG_([A-Z0-9_]+)\b")
RANGE = re.compile(r"[<>]=? MSG_([A-Z0-9_]+)\b|\bMSG_([A-Z0-9_]+) [<>]=? ")


@dataclass(frozen=True)
class Row:
    kind: str     # the macro
    columns: list
    path: str
    line: int

    @property
    def message(self):
        """NAME of its message; None: an intent without a message."""
        column = {"INTENT_MSG": 1, "INTENT_SESSIONS_MSG": 1, "INTENT_CALL": None, "INTENT_SESSIONS": None, "INTENT_SESSIONS_ASKED": None, "INTENT_LUA": None}.get(self.kind, 0)
        return None if column is None else self.columns[column]

    @property
    def op(self):
        """Of an intent; None: the row is no intent's."""
        if self.kind.startswith("INTENT_"):
            return self.columns[0]
        return self.columns[1] if self.kind == "MSG_INTENT" else None


def tables_of(tree):
    """Paths of both tables, and of the fragments that they include."""
    own = [source for source in tree.sources if source.path in (MESSAGES, INTENTS)]
    return {source.path for source in own} | {path for source in own for path in FRAGMENT.findall(source.text)}


def rows_of(tree):
    tables = tables_of(tree)
    for source in tree.sources:
        if source.path in tables:
            text = blank_c(source.text)
            for match in ROW.finditer(text):
                columns = [column.strip() for column in match.group(2).split(",")]
                yield Row(match.group(1), columns, source.path, text.count("\n", 0, match.start()) + 1)


def product(tree):
    """(path, text without comments and strings) of the program's sources in C."""
    return [(source.path, source.blanked) for source in tree.of("c") if source.path.startswith(PRODUCT)]


def line_at(text, place):
    return text.count("\n", 0, place) + 1


def ops_given(tree):
    """(op, None where it is not a word in quotes; path; line) of each intent that the state machines in Lua make."""
    for source in tree.of("lua"):
        if source.path.startswith("lua/"):
            text = LUA_COMMENT.sub("", source.text)
            for match in LUA_OP.finditer(text):
                yield match.group("op"), source.path, line_at(text, match.start("op") if match.group("op") else match.end())


def messages_given(tree):
    """{(kind of row, NAME): files} of what C gives."""
    given = {}
    for path, text in product(tree):
        for kind, folders in GIVERS.items():
            if path.startswith(folders):
                for name in GIVEN.findall(text):
                    given.setdefault((kind, name), set()).add(path)
    return given


def givers(tree):
    """{row: files that give it}."""
    rows = list(rows_of(tree))
    in_lua, in_c = {}, messages_given(tree)
    for op, path, _ in ops_given(tree):
        in_lua.setdefault(op, set()).add(path)
    by_intent = {row.message for row in rows if row.kind in ("INTENT_MSG", "INTENT_SESSIONS_MSG")}
    found = {}
    for index, row in enumerate(rows):
        files = in_lua.get(row.op, set()) if row.op else in_c.get((row.kind, row.message), set())
        if row.kind == "MSG_ORDER" and row.message in by_intent:
            files = files | {INTENTS}
        found[index] = files
    return rows, found


# --- the rule ---

def rows_without_giver(tree):
    rows, found = givers(tree)
    for index, row in enumerate(rows):
        what = f"intent '{row.op}'" if row.op else f"message {row.message}"
        if not found[index] and row.message not in UNUSED:
            yield Finding(row.path, row.line, f"no source gives the {what}; delete its row")
        elif found[index] and row.message in UNUSED:
            yield Finding(row.path, row.line, f"the {what} is given; take it out of UNUSED in tests/lint/rules_messages.py")


def ops_without_row(tree):
    ops = [row.op for row in rows_of(tree) if row.op]
    for op, path, line in ops_given(tree):
        if op is None:
            yield Finding(path, line, "an intent's op is a word in quotes, that its row can be looked for")
        elif op not in ops:
            yield Finding(path, line, f"the intent '{op}' has no row in {MESSAGES} or {INTENTS}")
    for row in rows_of(tree):
        if row.op and ops.count(row.op) > 1:
            yield Finding(row.path, row.line, f"the intent '{row.op}' has more rows than one")


def choices_by_type(tree):
    names = {row.columns[0] for row in rows_of(tree) if row.kind.startswith("MSG_")}
    for path, text in product(tree):
        for match in CASE.finditer(text):
            if match.group(1) in names:
                yield Finding(path, line_at(text, match.start()), f"a switch over messages; {MESSAGES} names handlers")
        for match in RANGE.finditer(text):
            if (match.group(1) or match.group(2)) in names:
                yield Finding(path, line_at(text, match.start()), f"depends on the order of rows; give rows a flag in {MESSAGES}")


def page(tree):
    """The page has a line of a table for each subject and flag."""
    texts = {source.path: source.text for source in tree.sources if source.path in (TYPES, MESSAGES, PAGE)}
    flags = re.search(r"enum msg_flag \{(.*?)\}", texts.get(TYPES, ""), re.DOTALL)
    wanted = set(re.findall(r"^    (\w+)", flags.group(1) if flags else "", re.MULTILINE)) | set(SUBJECT.findall(texts.get(MESSAGES, "")))
    told = set(re.findall(r"^\| `(\w+)` \|", texts.get(PAGE, ""), re.MULTILINE))
    for name in sorted(wanted ^ told):
        yield Finding(PAGE, 1, f"{name} is in {'a table here' if name in told else TYPES if name.startswith('MSG_') else MESSAGES} alone")


def events_without_caller(tree):
    told = {name for _, text in product(tree) for name in TOLD.findall(text)}
    for source in tree.sources:
        for match in EVENT.finditer(blank_c(source.text)) if source.path == EVENTS else ():
            if f"{match.group(1)}_{match.group(2)}" not in told:
                yield Finding(EVENTS, line_at(source.text, match.start()), f"no source calls {match.group(2)}() of {match.group(1)}; delete its row")


def messages(tree):
    yield from page(tree)
    yield from rows_without_giver(tree)
    yield from ops_without_row(tree)
    yield from choices_by_type(tree)
    yield from events_without_caller(tree)


# --- the table ---

def main():
    tree = Tree(os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")))
    rows, found = givers(tree)
    for index, row in enumerate(rows):
        files = " ".join(sorted(found[index])) or UNUSED[row.message]
        print(f"{row.kind:11} {' '.join(column for column in row.columns if column != '0')}\n{'':11} given by {files}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
