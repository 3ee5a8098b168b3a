#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs gbflow for long and fails on growth, or on what a sanitizer reports of a live node under load, whose tables are
read and whose frames are captured; scripts/soak.sh and tsan.sh --help say how.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import live_pair
import soak_events

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
ROUND_S, RATE, REST_S, TRIES = 10, 500, 2, 3
RACES_RATE = 200
WORKERS = ("--workers", "2")  # of a node that is searched for races: they steer frames to each other
TABLES = ("nse", "bvc", "ms", "pdp", "drops", "workers", "aqm", "counts", "control", "ports", "capture")
SETTLED_PART = 1 / 4
RSS_SLACK, LUA_SLACK = 4 << 20, 1.5  # octets; garbage waits for idle time until Lua has 1.5 times what it keeps
SAMPLE_S = 0.5
RESULT_OCTETS = 64  # of a run's results, kept for each N-PDU: its delay, a ping's or a page's time
SCENARIO = """
local function cell(bvci)
  return { bvci = bvci, pdchs = 4, coding = "CS-2", bler = "2 %%", downlink_slots = 4,
    flow_control = { bucket_time = "500 ms", ms = {}, every = "10 s" } }
end
local mobiles = {}
for i = 0, 59 do
  mobiles[i + 1] = { name = "m" .. i, cell = 2 + i %% 3, class = i %% 2 == 0 and "thp2" or "background",
    traffic = { { ping = { every = "60 s", octets = "64 octets" } },
      { web = { items = 3, reading = "900 s", start = "2 s" } } } }
end
return { title = "soak", duration = "%d s", cells = { cell(2), cell(3), cell(4) }, mobiles = mobiles }
"""


class TooShort(live_pair.Failure):
    def __init__(self):
        super().__init__("the run was too short to compare its begin with its end; give more days")


def row(name, begin, end, grew):
    print(f"{name:12} {begin:14} {end:14}{'   grew' if grew else ''}")
    return grew


def compare(begin, end, rss_slack=RSS_SLACK):
    """Prints a table; the names of what grew."""
    print(f"{'':12} {'begin':>14} {'end':>14}")
    limits = {"rss_octets": begin["rss_octets"] + rss_slack, "lua_octets": begin.get("lua_octets", 0) * LUA_SLACK}
    return [name for name in begin if row(name, begin[name], end[name], end[name] > limits.get(name, begin[name]))]


def soak_live(program, minutes, seed):
    """Rounds of traffic, each after an event. The begin, which a round follows, is after a quarter of the time, and all
    events have happened: memory that is used again is there by then (the buffers of captures come with the first
    ones)."""
    began_at, rounds, sent, again, begin, last = time.monotonic(), 0, 0, 0, None, None
    with tempfile.TemporaryDirectory(prefix="gbflow-clock-") as folder:
        clock = soak_events.Clock(folder)
        with live_pair.Pair(program, clock.environment()) as pair:
            pair.write_node(replace=[soak_events.ROOM])
            pair.serve()
            for name in clock.environment():
                pair.environment.pop(name)
            events = soak_events.Events(pair, clock, seed)
            while begin is None or begin is last or time.monotonic() < began_at + 60 * minutes:
                name = events.play()
                offered, lost = soak_round(pair, name)
                sent, again = sent + offered, again + lost
                rounds += 1
                last = pair.held()
                held = "  ".join(f"{key} {last[key]}" for key in last)
                print(f"{time.monotonic() - began_at:7.0f} s  {name:16} {held}", flush=True)
                has_settled = time.monotonic() >= began_at + SETTLED_PART * 60 * minutes
                begin = begin or (last if has_settled and events.is_each_once() else None)
            report = pair.stop()
    print(", ".join(f"{count} {name}" for name, count in events.counts.items()))
    print(f"{rounds} rounds with all their N-PDUs, {sent} N-PDUs offered in them, {again} rounds played again after a "
          f"loss; in all {report['npdu']}")
    return compare(begin, last)


def state_of(pair):
    """What the node says after a round that lost something."""
    counts = {name: [row for row in pair.show(name) if row.get("count", 1)]
              for name in ("nse", "bvc", "workers", "drops", "counts")}
    return "\n".join([*(f"{name}: {rows}" for name, rows in counts.items()), pair.log()[-4000:]])


def soak_round(pair, name):
    """Nothing of it may be lost. On a busy machine the node may get no time, so a round that lost something is played
    again. N-PDUs offered, and rounds that were played again."""
    lost = []
    while len(lost) < TRIES:
        time.sleep(REST_S)
        try:
            trial = pair.trial(ROUND_S, RATE)
        except live_pair.Failure as failure:
            lost.append(str(failure))
            continue
        time.sleep(REST_S)
        if trial["frames_received"] == trial["frames_expected"]:
            return trial["offered"], len(lost)
        lost.append(f"{trial['frames_received']} of {trial['frames_expected']} frames received")
        print(f"          after '{name}': {lost[-1]}", flush=True)
    raise live_pair.Failure(f"after '{name}': {'; '.join(lost)}\n{state_of(pair)}")


def samples_of(process):
    """Resident memory and open files of a process while it runs."""
    samples = []
    while process.poll() is None:
        try:
            with open(f"/proc/{process.pid}/statm", encoding="ascii") as file:
                rss = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
            samples.append((rss, len(os.listdir(f"/proc/{process.pid}/fd"))))
        except (FileNotFoundError, ProcessLookupError, IndexError):
            break
        time.sleep(SAMPLE_S)
    process.wait()
    return samples


def soak_virtual(program, days):
    with tempfile.TemporaryDirectory() as folder:
        path, log = os.path.join(folder, "soak.lua"), os.path.join(folder, "log")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENARIO % round(86400 * days))
        with open(log, "w", encoding="utf-8") as file, subprocess.Popen(
                [program, "run", path, "--out", os.path.join(folder, "out"), "--no-report"], stdin=subprocess.DEVNULL,
                stdout=file, stderr=file) as process:
            samples = samples_of(process)
        if process.returncode != 0:
            with open(log, encoding="utf-8") as file:
                raise live_pair.Failure("gbflow run: " + file.read()[-2000:])
        with open(os.path.join(folder, "out", "summary.json"), encoding="utf-8") as file:
            summary = json.load(file)
    if len(samples) < 4:
        raise TooShort
    for place, count in summary["conservation"].items():
        if count["in"] != count["out"] + count["dropped"] + count["queued"]:
            raise live_pair.Failure(f"N-PDUs that are not accounted for, {place}: {count}")
    quarter, npdus = len(samples) // 4, summary["conservation"]["sgsn"]["in"]
    begin, end = samples[quarter], samples[-1 - quarter // 2]
    print(f"{days:g} days, {npdus} N-PDUs; begin is a quarter into the run; {RESULT_OCTETS} octets of results for each "
          "N-PDU")
    return compare({"rss_octets": begin[0], "files": begin[1]}, {"rss_octets": end[0], "files": end[1]},
                   RSS_SLACK + RESULT_OCTETS * npdus)


def play(pair, minutes):
    """Rounds of traffic under a capture, with a reload after each; N-PDUs offered."""
    end_at, offered = time.monotonic() + 60 * minutes, 0
    while offered == 0 or time.monotonic() < end_at:
        captured = pair.path(f"frames-{offered}.pcapng")
        pair.must("capture", captured, "--prefix", pair.link)
        offered += pair.trial(ROUND_S, RACES_RATE, *WORKERS)["offered"]
        for table in TABLES:
            pair.show(table)
        pair.must("capture", "--stop", "--prefix", pair.link)
        os.remove(captured)
        pair.process.send_signal(signal.SIGHUP)
    return offered


def races_live(program, minutes):
    """Raises Failure where stop() finds what the sanitizer reported."""
    with live_pair.Pair(program) as pair:
        pair.write_node(*WORKERS)
        pair.serve()
        offered = play(pair, minutes)
        report = pair.stop()
    print(f"no data race: {offered} N-PDUs offered, {report['npdu']}")


def main(argv):
    parser = argparse.ArgumentParser(add_help=False)
    kind = parser.add_mutually_exclusive_group(required=True)
    kind.add_argument("--live", type=float, metavar="MINUTES")
    kind.add_argument("--virtual", type=float, metavar="DAYS")
    kind.add_argument("--races", type=float, metavar="MINUTES")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbflow"))
    options = parser.parse_args(argv)
    kinds = {"virtual": soak_virtual, "live": lambda *words: soak_live(*words, options.seed), "races": races_live}
    kind, amount = next((kind, getattr(options, kind)) for kind in kinds if getattr(options, kind) is not None)
    if amount <= 0 or not os.access(options.program, os.X_OK):
        parser.error("it takes a number above 0, and a built program")
    try:
        grew = kinds[kind](options.program, amount)
    except live_pair.Failure as failure:
        print(f"failed: {failure}")
        return 1
    if kind == "races":
        return 0
    print("failed: grew: " + ", ".join(grew) if grew else "nothing grew")
    return 1 if grew else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
