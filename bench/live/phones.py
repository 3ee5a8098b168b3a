#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures phones' load on a node's control plane: attaches a second, memory, longest call, flood in another cell.

usage: phones.py [--program FILE] [--rounds N] [--phones N] [--updates N] [--json FILE] [FIGURE...]
  --program FILE   phones_load (build/bench/live/phones_load of this tree)
  --rounds N       of each figure, each in a process of its own (5)
  --phones N       of `hold` and `life` (100000); `attach` has a twentieth of them
  --updates N      of `hold` (20000)
  --json FILE      also write the figures of all rounds there; -: to standard output, without the table
  FIGURE           attach, hold, life, flood (all)

  attach   phones that attach and activate a context, from an empty node: how many a second and core
  hold     --phones phones with a context each: memory; the longest call while they attach, while they update their
           routeing area or attach again, and when all timers are due at once; the longest step of the collection of
           garbage in idle time
  life     --phones phones attach and activate a context, control restarts, they detach: octets of a phone in Lua, in C
           (the process without Lua's memory) and of GSUP on the link to the HLR; time of the restart; phones that the
           node knows after it, and after the last has detached
  flood    100 phones attach in a cell: the time until all have, in a flood of 10000 new phones a second in another
           cell, divided by the same without

Times are processor time of GMM and SM in Lua with their intents and records, without workers, GTP-C and TCP. Status:
0, 1 when a phone was not answered, 2 usage. Goals are not judged.
"""
import os
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import script  # noqa: E402  pylint: disable=wrong-import-position

SCHEMA = "gbflow-bench-phones/1"
FLOOD_PHONES, FLOOD_PPS, FLOOD_BEFORE_S = 100, 10000, (0, 1, 6, 31)
POLICIES = {"accept_all": "", "hlr": "hlr = { address = '10.99.0.9' }, "}
NODE = """return {
  gb = { address = '10.99.0.1' }, gn = { addresses = { '10.0.8.1' } },
  nses = { { nsei = 101, nsvcs = { { nsvci = 11, address = '10.99.0.2' } }, cells = {
    { bvci = 2, cell_id = { mcc = '262', mnc = '42', lac = 1, rac = 1, ci = 1 } },
    { bvci = 3, cell_id = { mcc = '262', mnc = '42', lac = 1, rac = 1, ci = 2 } } } } },
  mobiles = { cells = { 2, 3 } }, limits = { mobiles = 1000000, contexts = 1000000 },
  phones = { policy = '%s', %sapns = { { name = 'internet', sgsn_address = '10.0.8.1', ggsn_address = '10.0.0.2' } } },
}
"""
# Name of phones_load, text, goal.
HOLD = (("attach_per_s", "attach and activate until all have, 1/s and core", ""),
        ("lua_mib", "memory of Lua's objects, MiB", "<= 250"),
        ("allocated_mib", "memory that Lua took, with garbage, MiB", ""),
        ("records_mib", "memory of records, MiB", ""),
        ("attach_longest_ms", "longest call while they attach, ms", "<= 5"),
        ("update_per_s", "routeing area updates, 1/s and core", ""),
        ("update_longest_ms", "longest call while they update, ms", "<= 5"),
        ("advance_longest_ms", "longest call when all timers are due, ms", "<= 5"),
        ("tidy_longest_ms", "longest step of collection after attaches, ms", "<= 5"),
        ("update_tidy_longest_ms", "longest step of collection in updates, ms", "<= 5"))
LIFE = (("attach_per_s", "attach and activate until all have, 1/s and core", ""),
        ("lua_octets", "octets of Lua a phone, without garbage", ""),
        ("c_octets", "octets of C a phone, with its records", ""),
        ("record_octets", "octets of records a phone", ""),
        ("hlr_octets", "octets of GSUP a phone, by its attach", ""),
        ("restart_ms", "restart of control to the first answer, ms", ""),
        ("known", "phones known after the restart", ""),
        ("detach_per_s", "detach until all have, 1/s and core", ""),
        ("left", "phones known after the last detach", ""))
HEAD = f"{'policy':<11}{'figure':<52}{'median':>9}{'least':>9}{'most':>9}  goal"


def run(given, policy, *words):
    """The figures of one process by name."""
    with tempfile.NamedTemporaryFile("w", suffix=".lua", encoding="utf-8") as node:
        node.write(NODE % (policy, POLICIES[policy]))
        node.flush()
        done = subprocess.run([given.program, node.name, *map(str, words)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"phones: phones_load ends with status {done.returncode}\n{done.stderr[-2000:]}")
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def attach(given, policy):
    """Yields (text, goal, values of the rounds)."""
    phones = max(1, given.phones // 20)
    rounds = [run(given, policy, "attach", phones, 0, 0)["attach_per_s"] for _ in range(given.rounds)]
    yield f"attach and activate, {phones} phones, 1/s and core", ">= 2000", rounds


def rows_of(given, policy, figure, rows):
    rounds = [run(given, policy, figure, given.phones, given.updates, 0) for _ in range(given.rounds)]
    for name, text, goal in rows:
        yield f"{given.phones}: {text}", goal, [figures[name] for figures in rounds]


def hold(given, policy):
    yield from rows_of(given, policy, "hold", HOLD)


def life(given, policy):
    yield from rows_of(given, policy, "life", LIFE)


def flood_ms(given, pps, before_s):
    return run(given, "accept_all", "flood", FLOOD_PHONES, pps, before_s)["flood_ms"]


def flood(given, policy):
    if policy != "accept_all":
        return
    for before_s in FLOOD_BEFORE_S:
        rounds = [(flood_ms(given, FLOOD_PPS, before_s), flood_ms(given, 0, before_s)) for _ in range(given.rounds)]
        yield (f"{FLOOD_PHONES} attach, flood since {before_s} s: time, of that without", "<= 2",
               [flooded / quiet for flooded, quiet in rounds])


FIGURES = {"attach": attach, "hold": hold, "life": life, "flood": flood}


def row_of(policy, text, goal, values):
    return {"policy": policy, "figure": text, "goal": goal, "median": statistics.median(values), "least": min(values),
            "most": max(values), "rounds": values}


def line(row):
    return (f"{row['policy']:<11}{row['figure']:<52}{row['median']:9.2f}{row['least']:9.2f}{row['most']:9.2f}  "
            f"{row['goal']}".rstrip())


def arguments():
    parser = script.parser_of(__doc__, "bench", "live", "phones_load")
    script.add_count(parser, "--rounds", 5, 1, 100)
    script.add_count(parser, "--phones", 100000, 1, 1000000)
    script.add_count(parser, "--updates", 20000, 0, 10000000)
    parser.add_argument("figures", nargs="*", metavar="FIGURE")
    given = script.given_to(parser)
    if set(given.figures) - set(FIGURES):
        parser.error(f"figures are {', '.join(FIGURES)}")
    return given


def main():
    given = arguments()
    has_table, rows = given.json != "-", []
    if has_table:
        print(HEAD, flush=True)
    for policy in POLICIES:
        for name in given.figures or FIGURES:
            for text, goal, values in FIGURES[name](given, policy):
                rows.append(row_of(policy, text, goal, values))
                if has_table:
                    print(line(rows[-1]), flush=True)
    if given.json:
        script.write(given.json, {"schema": SCHEMA, "rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
