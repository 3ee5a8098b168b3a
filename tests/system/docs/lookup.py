# SPDX-License-Identifier: BSD-3-Clause
"""usage: lookup.py meson test -C FOLDER ... | ninja -C FOLDER TARGET...

Stands for both in a page's shell: says which tests, suites and targets the build does not have. They are built and run by
scripts/test.sh, all of them.
"""
import json
import pathlib
import sys

WITH_VALUE = "--suite", "--no-suite", "--timeout-multiplier", "-t", "-j"


def known(build, name):
    with open(build / "meson-info" / f"intro-{name}.json", encoding="utf-8") as file:
        return json.load(file)


def names_of(words):
    """(option or nothing, name) of each name that the words have."""
    words = iter(words)
    for word in words:
        if word in WITH_VALUE:
            yield word, next(words)
        elif not word.startswith("-"):
            yield "", word


def targets(build):
    """Their names, and their files below the build."""
    found = {pathlib.Path(path).parts[-n:] for one in known(build, "targets") for path in one["filename"] for n in range(1, 9)}
    return {"/".join(parts) for parts in found}


def main(program, *words):
    at = words.index("-C")
    build, words = pathlib.Path(words[at + 1]), words[:at] + words[at + 2:]
    if program == "ninja":
        have = targets(build)
        missing = [name for option, name in names_of(words) if not option and name not in have]
    else:
        tests = known(build, "tests")
        names = {test["name"] for test in tests}
        suites = {suite.rpartition(":")[2] for test in tests for suite in test["suite"]}
        missing = [name for option, name in names_of(words[1:]) if name not in {"": names}.get(option, suites)
                   and option in ("", "--suite", "--no-suite")]
    if missing:
        sys.exit(f"{build} has no {', '.join(missing)}")


if __name__ == "__main__":
    main(*sys.argv[1:])
