#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds our decoders against programs that others wrote, on random frames of every kind.

A difference must be one of the rows in tests/oracles/judges/judge-faults.md, each row a predicate in judges_kit/rows_*.py; a row that never
matches is no longer true. Exit status 0 = all hold, 1 = something does not, 2 = usage, 77 = no judge is here (1 if CI=true).
"""
import argparse
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from judges_kit import faults, osmo, trial, tshark  # noqa: E402
from judges_kit.kinds import KINDS  # noqa: E402

TABLE = os.path.join(HERE, "judge-faults.md")
ENOUGH = 20000  # frames of a kind after which every row must have matched


def arguments(words):
    parser = argparse.ArgumentParser(description="Holds our decoders against tshark and libosmocore.")
    parser.add_argument("--frames", required=True, metavar="PROGRAM", help="judge_frames, which makes frames and says what they are")
    parser.add_argument("--osmo", metavar="PROGRAM", help="osmo_judge, where libosmogb is")
    parser.add_argument("--count", type=int, default=1000000, help="frames of each kind (default: 1000000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("kinds", nargs="*", help=f"which of {', '.join(KINDS)} (default: all)")
    given = parser.parse_args(words)
    unknown = [kind for kind in given.kinds if kind not in KINDS]
    if unknown or given.count < 1:
        parser.error(f"no kind '{unknown[0]}'" if unknown else "--count wants a number above 0")
    return given


def undocumented():
    """Complaints about rows that stand only in the table or only in the code."""
    with open(TABLE, encoding="utf-8") as file:
        table = set(faults.documented(file.read()))
    for name in sorted(table ^ set(faults.ROWS)):
        yield f"row {name} stands only in {'judge-faults.md' if name in table else 'the code'}"


def idle(results):
    """Complaints about rows that nothing matched although there was enough to match."""
    tried = {name for one in results if one.frames >= ENOUGH for name in one.ledger.rows}
    matched = {name for one in results for name in one.ledger.matched}
    # A row of several kinds may have been tried in one of them only.
    complete = {(one.judge, one.kind) for one in results}
    for name in sorted(tried - matched):
        row = faults.ROWS[name]
        if all((row.judge, kind) in complete for kind in row.kinds):
            yield f"row {name} matched nothing: it is out of date"


def judge(given):
    """Prints what comes out; returns the number of complaints."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        court = trial.Court(given.frames, given.osmo, folder)
        if tshark.is_judge():
            tshark.prepare(folder)
        for kind in given.kinds or KINDS:
            for one in court.try_kind(kind, given.count, given.seed):
                print("\n".join(one.lines()), flush=True)
                results.append(one)
    complaints = [*undocumented(), *idle(results)]
    complaints += [f"{one.kind} before {one.judge}: {one.unexplained} differences without a row" for one in results
                   if one.unexplained]
    print("\n".join(complaints + [f"{sum(one.frames for one in results)} judgements, {len(complaints)} complaints"]))
    return len(complaints)


def main(words):
    """Returns the exit status."""
    try:
        given = arguments(words)
    except SystemExit as end:
        return end.code
    version = tshark.version()
    if version and not tshark.is_judge():
        print(f"tshark {version} does not judge: the rows are those of {tshark.ROWS_ARE_OF}x")
    if not tshark.is_judge() and not given.osmo:
        print(f"neither tshark {tshark.ROWS_ARE_OF}x nor libosmogb is here: nothing was judged")
        return 1 if os.environ.get("CI") == "true" else 77
    try:
        return 1 if judge(given) else 0
    except (tshark.TsharkFault, osmo.OsmoFault) as fault:
        print(f"judges: {fault}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
