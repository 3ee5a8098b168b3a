# SPDX-License-Identifier: BSD-3-Clause
"""What both judges of traces share: runs of a player, read line by line up to the first wrong one."""
import argparse
import collections
import subprocess

MOST_TOLD = 20


class Wrong(Exception):
    """What a side did and should not have done, or did not and should have."""


def need(is_right, *what):
    if not is_right:
        raise Wrong(" ".join(str(word) for word in what))


class TraceJudge:
    """counts: a Counter, with "ends" of traces; wrong: texts. Subclasses have line(), which raises Wrong."""

    def __init__(self):
        self.counts = collections.Counter()
        self.wrong = []

    def judge(self, lines):
        """Reads a trace up to its first wrong line."""
        for number, text in enumerate(lines, 1):
            try:
                self.line(text)
            except (Wrong, IndexError, KeyError, ValueError) as error:
                self.wrong.append(f"line {number}: {text.strip()}: {error or type(error).__name__}")
                return
        if not self.counts["ends"]:
            self.wrong.append("the trace has no end")


def run(judge, play, frames, seed, loss):
    """One run of the player, seen by `judge`, whose texts get the seed."""
    command = [play, "--frames", str(frames), "--seed", str(seed), "--loss", str(loss)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as player:
        judge.judge(player.stdout)
        player.stdout.close()
    if player.returncode != 0 and not judge.wrong:
        judge.wrong.append(f"the player ended with {player.returncode}")
    judge.wrong = [f"seed {seed}: {text}" for text in judge.wrong]
    return judge


def run_all(make_judge):
    """The runs that the command line asks for: sum of counts, texts of what is wrong, number of runs."""
    parser = argparse.ArgumentParser()
    parser.add_argument("play")
    parser.add_argument("--frames", type=int, default=10000)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--loss", type=int, default=300)
    options = parser.parse_args()
    counts, wrong = collections.Counter(), []
    for seed in range(options.seed, options.seed + options.runs):
        judge = run(make_judge(), options.play, options.frames // options.runs, seed, options.loss)
        counts.update(judge.counts)
        wrong += judge.wrong
    return counts, wrong, options.runs
