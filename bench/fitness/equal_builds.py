#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts how often `gbflow bench compare` shows a difference between a build and itself, beside busy loops.

usage: equal_builds.py [--program FILE] [--comparisons N] [--busy N] [--rounds N] [--slices N] [--windows N]
                       [--mobiles N] [--json FILE]
  --program FILE     gbflow (build/gbflow of this tree)
  --comparisons N    comparisons of the program with itself (100)
  --busy N           busy loops beside them (4), each a process without a CPU of its own
  --rounds N, --slices N, --windows N, --mobiles N
                     of each comparison (6, 4, 20, 1000), as compare has them
  --json FILE        also write the rows there; -: to standard output, without the table

An interval of 95 % may miss equal builds in 5 of 100 comparisons. A comparison without a valid slice, or with
fewer than six rounds, has no interval and counts as not measured.
Status: 0, 1 when more than 5 % of the measured ones show a difference or none was measured, 2 usage.
"""
import contextlib
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import script  # noqa: E402  pylint: disable=wrong-import-position

SCHEMA = "gbflow-bench-equal/1"
MOST_SHARE = 0.05
HEAD = "     n  verdict  ratio     95 % interval  rounds  pairs   void"
# Ends with this process, however that ends.
BUSY = [sys.executable, "-c", "import os\nparent = os.getppid()\nwhile os.getppid() == parent: pass"]


@contextlib.contextmanager
def busy_loops(count):
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            loop = stack.enter_context(subprocess.Popen(BUSY, stdin=subprocess.DEVNULL))
            stack.callback(loop.kill)
        yield


def compare(given, path):
    """The trial of a comparison; None: nothing was measured."""
    options = [f"--{name}={getattr(given, name)}" for name in ("rounds", "slices", "windows", "mobiles")]
    done = subprocess.run([given.program, "bench", "compare", given.program, given.program, *options,
                           "--cells", str(min(given.mobiles, 100)), "--json", path],
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"equal_builds: gbflow bench compare ends with status {done.returncode}\n{done.stderr[-2000:]}")
    with open(path, encoding="utf-8") as file:
        trials = json.load(file)["trials"]
    return trials[0] if trials else None


def row_of(trial):
    if trial is None:
        return {"verdict": None}
    is_measured = trial["ratio_low"] is not None
    return {"verdict": trial["verdict"] if is_measured else None,
            **{field: trial[field] for field in ("ratio", "ratio_low", "ratio_high", "rounds", "pairs", "pairs_asked",
                                                 "voided_pairs")}}


def line_of(number, row):
    if "ratio" not in row:
        return f"{number:6}  -        no valid slice"
    ends = [row["ratio_low"], row["ratio_high"]]
    interval = "-" if None in ends else "{:.4f}..{:.4f}".format(*ends)
    pairs = f"{row['pairs']}/{row['pairs_asked']}"
    return (f"{number:6}  {row['verdict'] or '-':7}  {row['ratio']:.4f}  {interval:>16}  {row['rounds']:6}  {pairs:>5}"
            f"  {row['voided_pairs']:5}")


def document_of(given, rows):
    measured = [row for row in rows if row["verdict"]]
    shown = sum(row["verdict"] != "none" for row in measured)
    return {"schema": SCHEMA, "busy": given.busy, "load_average": os.getloadavg()[0],
            "rounds": given.rounds, "slices": given.slices,
            "windows": given.windows, "mobiles": given.mobiles, "comparisons": len(rows), "measured": len(measured),
            "shown": shown, "rows": rows}


def main():
    parser = script.parser_of(__doc__, "gbflow")
    for name, default, most in (("comparisons", 100, 10000), ("rounds", 6, 10000), ("slices", 4, 10000),
                                ("windows", 20, 1000), ("mobiles", 1000, 1000000)):
        script.add_count(parser, f"--{name}", default, 1, most)
    script.add_count(parser, "--busy", 4, 0, 1000)
    given = script.given_to(parser)
    rows = []
    with tempfile.TemporaryDirectory() as folder, busy_loops(given.busy):
        if given.json != "-":
            print(HEAD)
        for number in range(1, given.comparisons + 1):
            rows.append(row_of(compare(given, os.path.join(folder, "compare.json"))))
            if given.json != "-":
                print(line_of(number, rows[-1]), flush=True)
    document = document_of(given, rows)
    if given.json:
        script.write(given.json, document)
    if given.json != "-":
        print(f"{document['shown']} of {document['measured']} measured comparisons of {len(rows)} show a difference "
              f"between equal builds; {given.busy} busy loops, load average {document['load_average']:.1f}")
    return 0 if 0 < document["measured"] and document["shown"] <= MOST_SHARE * document["measured"] else 1


if __name__ == "__main__":
    sys.exit(main())
