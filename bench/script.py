# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts of bench/ do alike: their options, the program that they measure, their report in JSON."""
import argparse
import json
import os
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def parser_of(doc, *program):
    """Options --program, by default of this tree's build, and --json. doc: the script's docstring, with its usage."""
    parser = argparse.ArgumentParser(usage=doc.split("usage: ")[1].split("\n\n", maxsplit=1)[0])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", *program))
    parser.add_argument("--json")
    return parser


def add_count(parser, name, default, least, most):
    def count(text):
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text} is not from {least} to {most}")
        return int(text)

    parser.add_argument(name, type=count, default=default, metavar="N")


def given_to(parser):
    given = parser.parse_args()
    if not os.access(given.program, os.X_OK):
        parser.error(f"no program {given.program}: build it, or name one by --program")
    return given


def write(path, document):
    """path -: to standard output."""
    text = json.dumps(document, indent=2) + "\n"
    if path == "-":
        sys.stdout.write(text)
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
