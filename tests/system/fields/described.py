# SPDX-License-Identifier: BSD-3-Clause
"""Holds reports against the descriptors of their fields, as `gbflow fields --format json` prints them."""
import functools
import json
import re
import subprocess

NAME = re.compile(r"[A-Z]+")  # stands for a name in a path: CLASS, BVCI, REASON


@functools.cache
def descriptors(program):
    """By report and path: kind, unit, sentence, and what else a field has."""
    done = subprocess.run([program, "fields", "--format", "json"], capture_output=True, text=True, check=True, timeout=60)
    return json.loads(done.stdout)


def leaves(value, path=""):
    """Paths of all that is not a list or an object: a.b, list[].c."""
    if isinstance(value, dict):
        return {found for key, inner in value.items() for found in leaves(inner, f"{path}.{key}".lstrip("."))}
    if isinstance(value, list):
        return {found for inner in value for found in leaves(inner, path + "[]")}
    return {path}


def pattern(path, field):
    """What a path of a report looks like; the last name is one of the field's words, if it has some."""
    parts = ["[^.]+" if NAME.fullmatch(part) else re.escape(part) for part in path.split(".")]
    if "words" in field:
        parts[-1] = "|".join(map(re.escape, field["words"]))
    return re.compile(r"\.".join(f"(?:{part})" for part in parts))


def values_of(report):
    """The fields that have values: path, descriptor, pattern."""
    return [(path, field, pattern(path, field)) for path, field in report.items() if field["kind"] != "record"]


def faults(report, *values):
    """What reports have that no field, or more than one, describes, and fields that none of them has, conditional ones
    apart; report: the descriptors of one report."""
    fields, found = values_of(report), set().union(*map(leaves, values))
    told = []
    for path in sorted(found):
        describing = [name for name, _, regex in fields if regex.fullmatch(path)]
        if len(describing) != 1:
            told.append(f"{path}: described by {describing or 'no field'}")
    for path, field, regex in fields:
        if "when" not in field and not any(map(regex.fullmatch, found)):
            told.append(f"{path}: in no report")
    return told


def seen(report, *values):
    """The fields that these reports have."""
    found = set().union(*map(leaves, values))
    return {path for path, _, regex in values_of(report) if any(map(regex.fullmatch, found))}
