#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Has the oracle judge who gets what: classes by weight inside a limited cell, across a limited link, both at once; equal mobiles.

usage: share_grid.py SCHED_SHARE [--windows N]
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

ORACLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sched_oracle")
WEIGHTS = {"background": 5, "thp3": 15, "thp2": 35, "thp1": 50, "streaming": 900}
WINDOW = 200
NEIGHBOURS = ("idle", "equal", "over")
CELLS = 4
JAIN_SECONDS = 10
NPDUS_OF_EQUAL = 60000
# Scene, whose share is judged, LLC-PDUs that leave for one of those (an upper bound). In "both", cell 0 has a tenth of the link.
SCENES = (("cell", "0", 1), ("link", "links", 1), ("both", "0", 10), ("both", "1,2,3", 2))


def rows(windows):
    """(scene, classes, neighbours, cells that are judged, N-PDUs)."""
    for scene, of, times in SCENES:
        for classes in (2, 3, 4, 5):
            for neighbours in NEIGHBOURS:
                if neighbours == "idle" and scene == "both":
                    continue  # then nothing is left for the link to limit
                weights = list(WEIGHTS.values())[:classes]
                window = WINDOW * sum(weights) // weights[0]
                most = CELLS if scene == "cell" and neighbours != "idle" else times
                yield scene, classes, neighbours, of, (windows + 1) * window * most


def judge(play, words, options):
    """The oracle's verdict."""
    with tempfile.NamedTemporaryFile(mode="r", suffix=".json", encoding="utf-8") as verdict:
        with subprocess.Popen([play, *words], stdout=subprocess.PIPE) as player:
            run = subprocess.run([sys.executable, ORACLE, "-", "--quiet", "--json", verdict.name, *options], stdin=player.stdout,
                                 capture_output=True, text=True, check=False)
            player.stdout.close()
            if player.wait() != 0 or run.returncode not in (0, 1):
                sys.exit(f"{' '.join(words)}: {run.stdout} {run.stderr}")
        return json.load(verdict)


def shares(play, row):
    """(line of the table, whether all is well)."""
    scene, classes, neighbours, of, npdus = row
    names = list(WEIGHTS)[:classes]
    words = [scene, "--classes", str(classes), "--neighbours", neighbours, "--npdus", str(npdus)]
    weights = ",".join(f"{name}={WEIGHTS[name]}" for name in names)
    verdict = judge(play, words, ["--shares", weights, "--of", of, "--window", str(WINDOW)])
    errors = [f"{verdict['notes'].get(f'shares: largest error of {name}, in 10^-6', 0) / 10000:8.3f}" for name in names]
    examined, wrong = verdict["checks"]["shares"]["examined"], sum(check["wrong"] for check in verdict["checks"].values())
    line = f"{scene:7}{of:>6}{neighbours:>7}{examined // classes:>9}{wrong:>7} {' '.join(errors)}"
    return line, examined > 0 and wrong == 0


def equal(play):
    verdict = judge(play, ["equal", "--npdus", str(NPDUS_OF_EQUAL)], ["--jain", str(JAIN_SECONDS)])
    check, lack = verdict["checks"]["jain"], verdict["notes"].get("jain: largest lack, in 10^-6", 0)
    return (f"100 equal mobiles over {JAIN_SECONDS} s: {check['examined']} windows, {check['wrong']} wrong, smallest Jain's index "
            f"{1 - lack / 10**6:.6f}"), check["examined"] > 0 and check["wrong"] == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("play", help="the program sched_share")
    parser.add_argument("--windows", type=int, default=2, help="of each row, at least (default 2)")
    options = parser.parse_args()
    print(f"{'scene':7}{'cells':>6}{'others':>7}{'windows':>9}{'wrong':>7} largest error in % of {', '.join(WEIGHTS)}")
    good = True
    for row in rows(options.windows):
        line, is_good = shares(options.play, row)
        good = good and is_good
        print(line, flush=True)
    line, is_good = equal(options.play)
    print(line)
    return 0 if good and is_good else 1


if __name__ == "__main__":
    sys.exit(main())
