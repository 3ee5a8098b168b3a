#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes the tables of fields in the documentation: what `gbflow fields ARGUMENTS --format markdown` prints replaces what
stands between the lines "<!-- fields: ARGUMENTS -->" and "<!-- end of fields -->".

usage: field_tables.py [--check] GBFLOW FILE.md...      --check writes nothing; status 1 where a table is stale
"""
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(?ms)^(<!-- fields: ([^\n]*) -->\n).*?^(<!-- end of fields -->\n)")


def table(program, arguments):
    """What the program prints; its message, and status 1, where there is no such field."""
    done = subprocess.run([program, "fields", *arguments.split(), "--format", "markdown"], capture_output=True, text=True,
                          check=False, timeout=30)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return done.stdout


def renewed(program, text):
    return BLOCK.sub(lambda block: block.group(1) + table(program, block.group(2)) + block.group(3), text)


def main(argv):
    is_check = argv[1:2] == ["--check"]
    words = argv[2:] if is_check else argv[1:]
    if len(words) < 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    stale = 0
    for path in map(pathlib.Path, words[1:]):
        text = path.read_text(encoding="utf-8")
        new = renewed(words[0], text)
        if new == text:
            continue
        stale += 1
        if is_check:
            print(f"{path}: a table of fields is stale: run scripts/gen-docs.sh")
        else:
            path.write_text(new, encoding="utf-8")
            print(f"written: {path}")
    return 1 if is_check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
