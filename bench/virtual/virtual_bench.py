#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Measures virtual time: plays config/scenarios/sgsn-aqm.lua with more users and cells, and as it is, by `gbflow run`.

usage: virtual_bench.py [--program FILE] [--users LIST] [--seconds N] [--no-paper] [--json FILE]
  --program FILE   gbflow (build/gbflow of this tree)
  --users LIST     users, with a cell for each 55 and Gb in proportion (110,330,1100,3300,10000); rounded to 22 users
  --seconds N      virtual seconds of each (12), at least 11: users begin within ten
  --no-paper       leave out the scenario as it is, 1000 s
  --json FILE      also write the rows there; -: to standard output, without the table

Processor time is the whole process's, from reading the scenario to writing the summary.
Status: 0, 1 when a run failed, 2 usage.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import script  # noqa: E402  pylint: disable=wrong-import-position

SCENARIO = os.path.join(script.ROOT, "config", "scenarios", "sgsn-aqm.lua")
SCHEMA = "gbflow-bench-virtual/1"
PAPER_USERS, PAPER_CELLS, PAPER_SECONDS, PAPER_GB_KBPS = 110, 2, 1000, 2048
STEP = 22  # the least number with whole users of each class: one stream among them
HEAD = "  users  cells  simulated_s   cpu_s  times_real  system_s   rss_mb  rss_kb_per_user"


def replace(text, pattern, new, times):
    """The text with `times` occurrences replaced; any other number is an error: the scenario has changed."""
    text, count = re.subn(pattern, new, text)
    if count != times:
        sys.exit(f"virtual_bench: {SCENARIO} has {count} places like {pattern}, not {times}; adapt this script")
    return text


def scaled(text, users, cells, seconds):
    """The scenario with that many users and cells; the classes' shares and the load of Gb and of a cell stay."""
    text = replace(text, r'(users\(mobiles, "[^"]+", )(\d+),', lambda m: f"{m[1]}{int(m[2]) * users // PAPER_USERS},",
                   5)
    text = replace(text, r"cell = 2 \+ i % 2,", f"cell = 2 + i % {cells},", 1)
    text = replace(text, r"cells = \{ cell\(2\), cell\(3\) \}", f"cells = list_of({cells})", 1)
    text = replace(text, r"\nreturn \{\n", "\nlocal function list_of(count)\n  local list = {}\n  for i = 1, count do\n"
                   "    list[i] = cell(1 + i)\n  end\n  return list\nend\n\nreturn {\n", 1)
    text = replace(text, f'"{PAPER_GB_KBPS} kbit/s"', f'"{PAPER_GB_KBPS * users // PAPER_USERS} kbit/s"', 1)
    text = replace(text, f'duration = "{PAPER_SECONDS} s"', f'duration = "{seconds} s"', 1)
    return replace(text, r'warmup = "60 s"', f'warmup = "{seconds // 5} s"', 1)


def play(program, text, folder):
    """Plays a scenario; its processor time, the system's part, and its greatest resident memory (s, s, octets)."""
    path = os.path.join(folder, "scenario.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    with subprocess.Popen([program, "run", path, "--out", os.path.join(folder, "out"), "--no-report"],
                          stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as run:
        said = run.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(run.pid, 0)
        run.returncode = os.waitstatus_to_exitcode(status)
    if run.returncode != 0:
        sys.exit(f"virtual_bench: gbflow run ends with status {run.returncode}\n{said[-2000:]}")
    return usage.ru_utime + usage.ru_stime, usage.ru_stime, usage.ru_maxrss * 1024


def measure(program, text, size):
    users, cells, seconds = size
    with tempfile.TemporaryDirectory(prefix="gbflow-virtual-") as folder:
        cpu_s, system_s, rss_octets = play(program, text, folder)
    return {"users": users, "cells": cells, "simulated_s": seconds, "cpu_s": round(cpu_s, 3),
            "system_s": round(system_s, 3), "times_real_time": round(seconds / cpu_s, 2), "rss_octets": rss_octets}


def line(row):
    return (f"{row['users']:7d} {row['cells']:6d} {row['simulated_s']:12d} {row['cpu_s']:7.2f} "
            f"{row['times_real_time']:11.1f} "
            f"{row['system_s']:9.2f} {row['rss_octets'] / 1e6:8.1f} {row['rss_octets'] / 1e3 / row['users']:16.1f}")


def runs(given):
    """Yields (scenario, (users, cells, seconds))."""
    with open(SCENARIO, encoding="utf-8") as file:
        text = file.read()
    for wanted in given.users:
        users = max(STEP, wanted // STEP * STEP)
        cells = max(2, users * PAPER_CELLS // PAPER_USERS)
        yield scaled(text, users, cells, given.seconds), (users, cells, given.seconds)
    if not given.no_paper:
        yield text, (PAPER_USERS, PAPER_CELLS, PAPER_SECONDS)


def user_list(text):
    users = [int(word) for word in text.split(",")]
    if min(users) < 1:
        raise argparse.ArgumentTypeError("users are 1 or more")
    return users


def second_count(text):
    if not 11 <= int(text) <= 86400:
        raise argparse.ArgumentTypeError(f"{text} seconds: 11 to 86400")
    return int(text)


def arguments():
    parser = script.parser_of(__doc__, "gbflow")
    parser.add_argument("--users", type=user_list, default=[110, 330, 1100, 3300, 10000])
    parser.add_argument("--seconds", type=second_count, default=12, metavar="N")
    parser.add_argument("--no-paper", action="store_true")
    given = script.given_to(parser)
    if given.json not in (None, "-") and not os.access(os.path.dirname(os.path.abspath(given.json)), os.W_OK):
        parser.error(f"{given.json} cannot be written: make its folder")
    return given


def main():
    given = arguments()
    rows = []
    has_table = given.json != "-"
    if has_table:
        print(HEAD, flush=True)
    for text, size in runs(given):
        rows.append(measure(given.program, text, size))
        if has_table:
            print(line(rows[-1]), flush=True)
    if given.json:
        script.write(given.json, {"schema": SCHEMA, "rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
