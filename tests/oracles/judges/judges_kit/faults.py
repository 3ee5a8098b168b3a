# SPDX-License-Identifier: BSD-3-Clause
"""Rows of tests/oracles/judges/judge-faults.md as predicates: which fields of a difference a row accounts for."""
import re
from collections import Counter

ROWS = {}
DOCUMENTED = re.compile(r"^\| ([A-Z]+-\d+) \|(.*)\|$", re.MULTILINE)
COLUMNS = 6  # id, judge and kind, what the judge says, what we say, clause, why


class Row:
    """accounts(case): names of fields, or VERDICT, that this fault makes differ; may be empty."""

    def __init__(self, judge, kinds, accounts):
        self.judge, self.kinds, self.accounts = judge, frozenset(kinds), accounts


def row(identifier, judge, *kinds):
    """Registers a function as the predicate of a row."""
    def register(accounts):
        if identifier in ROWS:
            raise ValueError(f"{identifier} is there twice")
        ROWS[identifier] = Row(judge, kinds, accounts)
        return accounts
    return register


def documented(text):
    """{id: cells} of the table."""
    found = {}
    for identifier, rest in DOCUMENTED.findall(text):
        cells = [cell.strip() for cell in rest.split("|")]
        if identifier in found or len(cells) != COLUMNS - 1 or not all(cells):
            raise ValueError(f"row {identifier} is there twice or lacks a cell")
        found[identifier] = cells
    return found


class Ledger:
    """Counts for one judge and kind which rows were needed."""

    def __init__(self, judge, kind, rows=None):
        rows = ROWS if rows is None else rows
        self.rows = {name: row for name, row in rows.items() if row.judge == judge and kind in row.kinds}
        self.matched = Counter()

    def unexplained(self, case):
        """What of a difference no row accounts for."""
        rest = case.differing
        for name, known in self.rows.items():
            covered = rest & frozenset(known.accounts(case))
            if covered:
                self.matched[name] += 1
                rest -= covered
            if not rest:
                break
        return rest
