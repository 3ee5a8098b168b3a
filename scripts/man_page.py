#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes gbflow(1) of what the program says of itself.

usage: man_page.py GBFLOW OUT
"""
import re
import subprocess
import sys

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
    return re.findall(r"^  ([a-z]+) +(\S.*)$", text, re.MULTILINE)


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


def main(argv):
    if len(argv) != 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    text = page(argv[1])
    with open(argv[2], "w", encoding="utf-8") as file:
        file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
