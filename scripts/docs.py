#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes documentation of what the program says of itself: gbflow(1), a page of each command,
and the pages of docs/reference/.

usage: docs.py man GBFLOW OUT.1...              gbflow.1 and gbflow-COMMAND.1; status 1 if a command's is missing
       docs.py keys REFERENCE.md OUT.5          gbflow.lua(5), from docs/reference/node.md
       docs.py commands GBFLOW OUT.md
       docs.py fields [--check] GBFLOW FILE.md...      --check writes nothing; status 1 where a table is stale

What `gbflow fields ARGUMENTS --format markdown` prints replaces what stands between the lines "<!-- fields: ARGUMENTS
-->" and "<!-- end of fields -->".
"""
import itertools
import pathlib
import re
import subprocess
import sys

EDGE = re.compile(r"(?m)^<!-- (?:fields: [^\n]*|end of fields) -->$")
BLOCK = re.compile(r"(?ms)^(<!-- fields: ([^\n]*) -->\n)(?:(?!^<!-- fields: ).)*?^(<!-- end of fields -->\n)")
CLOSING = """\
.SH FILES
.TP
.I /usr/share/gbflow/scenarios
the scenarios of published results
.TP
.I /usr/share/doc/gbflow
documentation, and examples of configurations
.TP
.I /etc/gbflow/NAME.lua
what the service gbflow@NAME runs
.SH SEE ALSO
.BR gbflow.lua (5),
.BR dpdk-devbind (1)
"""
SEE_ALSO = """\
.SH SEE ALSO
.BR gbflow (1),
.BR gbflow.lua (5)
"""


def said(program, *arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True, timeout=30).stdout


def commands_of(text):
    """Names and what they are for, in the order of gbflow --help."""
    return re.findall(r"^  ([a-z][a-z-]*) +(\S.*)$", text, re.MULTILINE)


def escaped(text):
    """Text that troff prints as it stands."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def verbatim(text):
    return f".nf\n{escaped(text.rstrip())}\n.fi\n"


def head(title, section, name, what):
    return (f'.TH {escaped(title.upper())} {section} "" "gbflow {name}"\n.nh\n.ad l\n.SH NAME\n{escaped(title)} \\- '
            f'{escaped(what)}\n')


# --- what --help says, by the sections of a manual page ---

OPTION = re.compile(r"^  (--\S+(?: \S*[A-Z\[=]\S*)?) +(\S.*)$")
ITEM = re.compile(r"^  (\S+(?: \S+)*?) {2,}(\S.*)$")
EXIT = re.compile(r"(?ims)^exit status: (.*)$")
COMMON = [("-h, --help", "print the help and do nothing else"),
          ("--plugins DIR", "folder of AQM plug-ins that configurations may name")]


class Help:
    """The parts of a help: lines of the synopsis, rows (name, text) of options, or (None, text) before a group of
    them, paragraphs and lists of the description, and the exit status."""

    def __init__(self, text):
        self.synopsis, self.options, self.description, self.status = [], [], [], ""
        for block in re.split(r"\n\n+", text.strip("\n")):
            self._take(block)

    def _take(self, block):
        found = EXIT.search(block)
        if found:
            self.status, block = " ".join(found.group(1).split()), block[:found.start()].rstrip()
        lines = block.splitlines()
        if block.startswith("usage: "):
            self.synopsis = [line[7:] for line in lines]
        elif any(map(OPTION.match, lines)):
            self._take_options(lines)
        elif block:
            self.description.append(block)

    def _take_options(self, lines):
        self.options += rows_in(lines)


def rows_in(lines):
    """Names with their texts; (None, line) where a line is none."""
    found = []
    for line in lines:
        row = OPTION.match(line) or ITEM.match(line)
        if row:
            found.append(row.groups())
        elif line.startswith("    ") and found and found[-1][0]:
            name, text = found[-1]
            found[-1] = (name, f"{text} {line.strip()}")
        else:
            found.append((None, line))
    return found


def rows(found):
    return "".join(f".TP\n.B {escaped(name)}\n{escaped(text)}\n" if name else f".PP\n{escaped(text)}\n"
                   for name, text in found)


def paragraphs(blocks):
    """Lines that begin at the margin flow; indented ones are rows of a list, or stand as they are."""
    parts = []
    for block in blocks:
        for is_indented, lines in itertools.groupby(block.splitlines(), lambda line: line.startswith(" ")):
            lines = list(lines)
            text, listed = "\n".join(lines), rows_in(lines)
            if is_indented and all(name for name, _ in listed):
                parts.append(rows(listed))
            else:
                parts.append(".PP\n" + (verbatim(text) if is_indented else f"{escaped(text)}\n"))
    return "".join(parts)


def options_of(given):
    """Of a command, behind those that all commands have."""
    names = {name for name, _ in given.options}
    return ".SH OPTIONS\n" + rows([row for row in COMMON if row[0] not in names] + given.options)


def status_of(given, name):
    if not given.status:
        sys.exit(f"{name} --help has no line that begins with 'Exit status: '")
    return f".SH EXIT STATUS\n{escaped(given.status)}\n"


def modes_of(program, text):
    """The modes of gbflow bench, each with its help."""
    parts = []
    for mode, _ in commands_of(text):
        given = Help(said(program, "bench", mode, "--help"))
        parts.append(f".SS gbflow bench {escaped(mode)}\n" + paragraphs(given.description[:1]) + rows(given.options)
                     + paragraphs(given.description[1:]))
    return "".join(parts)


def first_page(program, commands):
    first = said(program, "--help")
    given = Help(first.partition("\n")[2])
    name, what = first.splitlines()[0].split(": ", 1)
    listed = "".join(f".TP\n.BR gbflow\\-{escaped(command)} (1)\n{escaped(purpose)}\n"
                     for command, purpose in commands)
    told = [block for block in given.description if not block.startswith(" ")]
    return (head("gbflow", 1, name.rpartition(" ")[2], what) + ".SH SYNOPSIS\n" + verbatim("\n".join(given.synopsis))
            + ".SH DESCRIPTION\n" + paragraphs(told) + f".SH COMMANDS\n{listed}" + options_of(given)
            + status_of(given, "gbflow") + CLOSING)


def pages(program):
    """Text of each manual page of section 1 by its file's name."""
    first = said(program, "--help")
    version, commands = first.partition(":")[0].rpartition(" ")[2], commands_of(first)
    made = {"gbflow.1": first_page(program, commands)}
    for command, purpose in commands:
        text = said(program, command, "--help")
        given = Help(text)
        made[f"gbflow-{command}.1"] = (
            head(f"gbflow-{command}", 1, version, purpose) + ".SH SYNOPSIS\n" + verbatim("\n".join(given.synopsis))
            + ".SH DESCRIPTION\n" + paragraphs(given.description) + options_of(given)
            + (modes_of(program, text) if command == "bench" else "") + status_of(given, command) + SEE_ALSO)
    return made


# --- the keys of a node ---

def plain(text):
    """A cell of a table of Markdown without its marks."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text.strip())
    return text.replace("`", "").replace("\\|", "|")


def rows_of(text, columns):
    """Cells of the rows of tables of Markdown that begin with a key and have so many columns."""
    rows = (re.split(r"(?<!\\)\|", row) for row in re.findall(r"(?m)^\| (`.*) \|$", text))
    return [[plain(cell) for cell in row] for row in rows if len(row) == columns]


def keys_page(text):
    """gbflow.lua(5) from the page of the keys of a node."""
    paragraphs = [plain(line)
                  for line in text.partition("| Key |")[0].splitlines() if line and not line.startswith(("<!--", "#"))]
    parts = [head("gbflow.lua", 5, "", "configuration of a node of gbflow") + ".SH DESCRIPTION\n"]
    parts += [f".br\n{escaped(line)}\n" for line in paragraphs]
    parts.append(".SH KEYS\n")
    for key, kind, allowed, default, meaning in rows_of(text, 5):
        limits = "; ".join(part for part in (kind, allowed, default and f"default {default}") if part)
        parts.append(f".TP\n.B {escaped(key)}\n({escaped(limits)}) {escaped(meaning)}\n")
    parts.append(".SH CHANGES WHILE THE NODE RUNS\nA key has the row of the longest path that it begins with.\n")
    parts += [f".TP\n.B {escaped(key)}\n{escaped(when)}\n" for key, when in rows_of(text, 2)]
    return ("".join(parts) + ".SH SEE ALSO\n.BR gbflow (1),\n.BR gbflow\\-check (1),\n.BR gbflow\\-reload (1),\n.BR "
            "gbflow\\-serve (1)\n")


def commands_page(program):
    """What each --help says, in Markdown."""
    parts = ["<!-- Made by scripts/gen-docs.sh from gbflow --help; change that one. -->\n\n# Commands\n\n"
             "Each command prints its part of this page with `--help`; `man gbflow-COMMAND` has it by sections.\n"]
    for command, purpose in commands_of(said(program, "--help")):
        words = said(program, command, "--help").rstrip()
        parts.append(f"\n## gbflow {command}\n\n{purpose[0].upper()}{purpose[1:]}.\n\n```text\n{words}\n```\n")
    return "".join(parts)


def table(program, arguments):
    """What the program prints; its message, and status 1, where there is no such field."""
    done = subprocess.run([program, "fields", *arguments.split(), "--format", "markdown"], capture_output=True,
                          text=True, check=False, timeout=30)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return done.stdout


def renewed(program, text):
    return BLOCK.sub(lambda block: block.group(1) + table(program, block.group(2)) + block.group(3), text)


def write_man(program, targets):
    made, wanted = pages(program), {pathlib.Path(target).name: pathlib.Path(target) for target in targets}
    if set(made) != set(wanted):
        sys.exit(f"manual pages of meson.build differ from the commands: {', '.join(sorted(set(made) ^ set(wanted)))}")
    for name, target in wanted.items():
        target.write_text(made[name], encoding="utf-8")
    return 0


def write_fields(program, paths, is_check):
    stale = 0
    for path in map(pathlib.Path, paths):
        text = path.read_text(encoding="utf-8")
        if len(EDGE.findall(text)) != 2 * len(BLOCK.findall(text)):
            sys.exit(f"{path}: a table of fields has no beginning or no end; add that line")
        new = renewed(program, text)
        if new == text:
            continue
        stale += 1
        if is_check:
            print(f"{path}: a table of fields is stale: run scripts/gen-docs.sh")
        else:
            path.write_text(new, encoding="utf-8")
            print(f"written: {path}")
    return 1 if is_check and stale else 0


def main(argv):
    command, words = argv[1:2], argv[2:]
    if command == ["man"] and len(words) > 1:
        return write_man(words[0], words[1:])
    if command == ["keys"] and len(words) == 2:
        pathlib.Path(words[1]).write_text(keys_page(pathlib.Path(words[0]).read_text(encoding="utf-8")),
                                          encoding="utf-8")
        return 0
    if command == ["commands"] and len(words) == 2:
        pathlib.Path(words[1]).write_text(commands_page(words[0]), encoding="utf-8")
        return 0
    is_check = words[:1] == ["--check"]
    words = words[is_check:]
    if command == ["fields"] and len(words) > 1:
        return write_fields(words[0], words[1:], is_check)
    print(__doc__.strip(), file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv))
