#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the rules of STYLE.md that a program can check.

usage: lint.py [--root DIR] [--since COMMIT] [RULE]...      all rules when none is named
       lint.py --list

With --since, clang-format, luacheck, shellcheck and yamllint look at the files that differ from COMMIT.

Prints FILE:LINE: MESSAGE for each violation. Status: 0 none, 1 some, 2 usage, 77 the rule's tool is missing here
(which is 1 where CI=true). Files are those that git tracks or would track, else all below the root.
"""
import argparse
import itertools
import os
import sys
import time

import owed
import prose
import rules_capabilities
import rules_claims
import rules_docker
import rules_exits
import rules_folders
import rules_heads
import rules_layers
import rules_messages
import rules_modules
import rules_names
import rules_pages
import rules_prose
import rules_site
import rules_size
import rules_sizes
import rules_tools
import rules_walks
import rules_workflows
from tree import Tree, run_quietly

RULES = {
    "function-lines": rules_size.function_lines,
    "function-params": rules_size.function_params,
    "function-median": rules_size.function_median,
    "function-prefix": rules_size.function_prefix,
    "file-lines": rules_size.file_lines,
    "spdx": rules_size.spdx,
    "modules": rules_modules.modules,
    "layers": rules_layers.layers,
    "folders": rules_folders.folders,
    "capabilities": rules_capabilities.capabilities,
    "include-paths": rules_layers.include_paths,
    "parts-headers": rules_layers.parts_headers,
    "heads": rules_heads.heads,
    "exits": rules_exits.exits,
    "dpdk-headers": rules_layers.dpdk_headers,
    "lua-headers": rules_layers.lua_headers,
    "ipsec-mb-header": rules_layers.ipsec_mb_header,
    "clock-reads": rules_layers.clock_reads,
    "ends": rules_layers.ends,
    "messages": rules_messages.messages,
    "clang-format": rules_tools.clang_format,
    "luacheck": rules_tools.luacheck,
    "shellcheck": rules_tools.shellcheck,
    "docker": rules_docker.docker,
    "workflows": rules_workflows.workflows,
    "yamllint": rules_workflows.yamllint,
    "words": rules_tools.words,
    "pages": rules_pages.pages,
    "nav": rules_site.nav,
    "names": rules_names.names,
    "walks": rules_walks.walks,
    "missing": rules_claims.missing,
    "measured": rules_claims.measured,
    "sizes": rules_sizes.sizes,
    "prose": rules_prose.prose,
    "sentences": prose.sentences,
    "owed": owed.owed,
}

EXIT_SKIP = 77


def check(name, tree):
    """Status of one rule, its findings printed."""
    try:
        findings = sorted(set(RULES[name](tree)))
    except rules_tools.Unavailable as reason:
        print(f"{name}: {reason}")
        return 1 if os.environ.get("CI") == "true" else EXIT_SKIP
    for finding in findings:
        print(f"{finding} [{name}]")
    return 1 if findings else 0


def check_all(names, tree):
    """Statuses of rules. On a terminal a line says how long those of each group, the rules of one file, took."""
    statuses = set()
    for group, rules in itertools.groupby(names, lambda name: RULES[name].__module__.removeprefix("rules_")):
        began, rules = time.monotonic(), list(rules)
        statuses |= {check(rule, tree) for rule in rules}
        if sys.stderr.isatty():
            print(f"{group + ':':10} {' '.join(rules)} ({time.monotonic() - began:.1f} s)", file=sys.stderr)
    return statuses


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n", 1)[1].split("\n\n", maxsplit=1)[0])
    default_root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    parser.add_argument("--root", default=default_root)
    parser.add_argument("--since")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("rules", nargs="*")
    given = parser.parse_args()
    unknown = [rule for rule in given.rules if rule not in RULES]
    if unknown:
        parser.error(f"unknown rule '{unknown[0]}'; --list names them")
    return given


def main():
    given = arguments()
    if given.list:
        print("\n".join(RULES))
        return 0
    tree = Tree(os.path.realpath(given.root), given.since)
    if not tree.sources:
        print(f"nothing to check below {tree.root}")
        return 1
    try:
        statuses = check_all(given.rules or RULES, tree)
    except ValueError as reason:  # of --since
        print(reason)
        return 2
    return 1 if 1 in statuses else max(statuses)


if __name__ == "__main__":
    sys.exit(run_quietly(main))
