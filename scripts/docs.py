#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes documentation of what the program says of itself: gbflow(1), and the pages of docs/reference/.

usage: docs.py man GBFLOW OUT
       docs.py commands GBFLOW OUT.md
       docs.py fields [--check] GBFLOW FILE.md...      --check writes nothing; status 1 where a table is stale

What `gbflow fields ARGUMENTS --format markdown` prints replaces what stands between the lines "<!-- fields: ARGUMENTS -->" and
"<!-- end of fields -->".
"""
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
.BR dpdk-devbind (1)
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


def page(program):
    first = said(program, "--help")
    name, what = first.splitlines()[0].split(": ", 1)
    parts = [f'.TH GBFLOW 1 "" "{name}"\n.SH NAME\ngbflow \\- {escaped(what)}\n',
             ".SH SYNOPSIS\n.B gbflow\n.IR COMMAND \" ...\"\n.SH COMMANDS\n"]
    for command, purpose in commands_of(first):
        parts.append(f'.SS {command}\n{escaped(purpose)}.\n.PP\n{verbatim(said(program, command, "--help"))}')
    return "".join(parts) + CLOSING


def commands_page(program):
    """The same as the manual page, in Markdown."""
    parts = ["<!-- Made by scripts/gen-docs.sh from gbflow --help; change that one. -->\n\n# Commands\n\n"
             "Each command prints its part of this page with `--help`; `man gbflow` has all of them.\n"]
    for command, purpose in commands_of(said(program, "--help")):
        parts.append(f"\n## gbflow {command}\n\n{purpose[0].upper()}{purpose[1:]}.\n\n```text\n{said(program, command, '--help').rstrip()}\n```\n")
    return "".join(parts)


def table(program, arguments):
    """What the program prints; its message, and status 1, where there is no such field."""
    done = subprocess.run([program, "fields", *arguments.split(), "--format", "markdown"], capture_output=True, text=True,
                          check=False, timeout=30)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return done.stdout


def renewed(program, text):
    return BLOCK.sub(lambda block: block.group(1) + table(program, block.group(2)) + block.group(3), text)


def write_man(program, target):
    pathlib.Path(target).write_text(page(program), encoding="utf-8")
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
    if command == ["man"] and len(words) == 2:
        return write_man(*words)
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
