#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares attaches at gbflow and at the packaged osmo-sgsn: the same phones, osmo-hlr and osmo-ggsn, in namespaces.

usage: attaches.py [OPTION...]
  --program FILE   gbflow (build/gbflow of this tree)
  --rounds N       of both SGSNs in turn, each in a lab of its own (3)
  --phones N       that attach and activate a context (200)
  --rate N         attaches that begin in a second (50); at higher ones both SGSNs lose phones
  --json FILE      also write the figures of all rounds there; -: to standard output, without the table

The phones are those of `gbflow emulate` in one cell of 3.8 Mbit/s; osmo-hlr authenticates each of them, GEA/3 ciphers.
The figure is processor time of the SGSN, all threads, from the start of the phones until all have a context, less
that of the same time without phones, by attach. gbflow has one worker, which sleeps when it has nothing to do. Needs
root, osmo-sgsn, osmo-hlr and osmo-ggsn. Status: 0, 1 when a program failed, 2 usage. No figure is judged.
"""
import os
import statistics
import sys
import time
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
sys.path.insert(0, os.path.join(HERE, "..", "..", "tests", "system", "live"))
import script  # noqa: E402  pylint: disable=wrong-import-position
import emulator  # noqa: E402  pylint: disable=wrong-import-position
import ggsn  # noqa: E402  pylint: disable=wrong-import-position
import hlr  # noqa: E402  pylint: disable=wrong-import-position
import lab  # noqa: E402  pylint: disable=wrong-import-position
import node  # noqa: E402  pylint: disable=wrong-import-position
import osmo_sgsn  # noqa: E402  pylint: disable=wrong-import-position
import test_emulate_phones  # noqa: E402  pylint: disable=wrong-import-position
import test_ggsn  # noqa: E402  pylint: disable=wrong-import-position
import test_phones  # noqa: E402  pylint: disable=wrong-import-position

SCHEMA = "gbflow-bench-attaches/1"
POOL, TRIES, LIMIT_S, IDLE_S = "10.46.0.0/18", 3, 60, 5
BUCKETS = (', flow_control = { bvc = { bucket = "500 kB", rate = "5 Mbit/s" }, '
           'ms_default = { bucket = "500 kB", rate = "5 Mbit/s" } }')
TEXT = test_emulate_phones.TEXT.replace("attaches_per_s = 100, ", "")
PHONES = 'count = %d, attaches_per_s = %d, ki = "%s"'
POLICY = 'policy = "hlr", ciphering = { 3 }, hlr = { address = "127.0.0.1" }, half_open = %d, half_open_per_cell = %d'
HEAD = f"{'SGSN':<10}{'figure':<44}{'median':>9}{'least':>9}{'most':>9}"


def processor_s(pid):
    """Of a process and those below it."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        below = sum(processor_s(int(child)) for child in file.read().split())
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + below


class Gbflow:
    def __init__(self, place, given):
        gn_more = test_ggsn.CALM % ""
        more = test_phones.PHONES % (POLICY % (given.phones, given.phones))
        self.node = node.Node(place, gn_more=gn_more, cell_more="", mobiles="", more=more, limit=given.phones + 16)
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.process = self.node.process

    def close(self):
        self.node.kill()


SGSNS = {"gbflow": Gbflow, "osmo-sgsn": lambda place, given: osmo_sgsn.OsmoSgsn(place)}


def imsi(number):
    return str(int(test_phones.IMSI) + number)


def attach_ms(given, sgsn):
    """Processor time of an attach in ms, and of a second without phones, in a lab of its own."""
    place, parts = lab.Lab(), []
    try:
        with unittest.mock.patch.object(ggsn, "POOL", POOL):
            parts.append(ggsn.Ggsn(place))
        others = [(imsi(number), test_phones.KI) for number in range(1, given.phones)]
        parts.append(hlr.Hlr(place, imsi(0), test_phones.KI, *others))
        parts[-1].wait_for(".")
        parts.append(SGSNS[sgsn](place, given))
        pid = parts[-1].process.pid
        place.add("ms")
        time.sleep(1)
        idle_s = processor_s(pid)
        time.sleep(IDLE_S)
        idle_s = (processor_s(pid) - idle_s) / IDLE_S
        began_at, before_s = time.monotonic(), processor_s(pid)
        bss = emulator.Emulator(place, TEXT, imsi=imsi(0), cell='pdchs = 64, coding = "MCS-9"', cell_more=BUCKETS,
                                phones=PHONES % (given.phones, given.rate, test_phones.KI.hex()))
        try:
            bss.wait_for(f"all {given.phones} phones have a context", given.phones / given.rate + LIMIT_S)
            taken_s = processor_s(pid) - before_s - idle_s * (time.monotonic() - began_at)
        finally:
            bss.kill()
        return taken_s / given.phones * 1e3, idle_s * 1e3
    finally:
        for part in reversed(parts):
            part.close()
        place.close()


def tried(given, sgsn):
    """attach_ms(), once more where an SGSN has refused or lost a phone, TRIES times at most."""
    for left in reversed(range(TRIES)):
        try:
            return attach_ms(given, sgsn)
        except AssertionError as error:
            print(f"{sgsn}: {str(error).splitlines()[0]}", file=sys.stderr)
            if not left:
                sys.exit(f"attaches: {sgsn} does not serve {given.phones} phones at {given.rate} 1/s; lower --rate")
    return None


def rows_of(given):
    figures = {sgsn: [] for sgsn in SGSNS}
    for _ in range(given.rounds):
        for sgsn, rounds in figures.items():
            rounds.append(tried(given, sgsn))
    for sgsn, rounds in figures.items():
        for place, text in enumerate(("an attach with its context, ms", "a second without phones, ms")):
            values = [figure[place] for figure in rounds]
            yield {"sgsn": sgsn, "figure": text, "median": statistics.median(values), "least": min(values),
                   "most": max(values), "rounds": values}


def main():
    parser = script.parser_of(__doc__, "gbflow")
    script.add_count(parser, "--rounds", 3, 1, 100)
    script.add_count(parser, "--phones", 200, 1, 10000)
    script.add_count(parser, "--rate", 50, 1, 1000)
    given = script.given_to(parser)
    os.environ["GBFLOW"] = given.program
    lack = lab.missing() or ggsn.missing() or hlr.missing() or osmo_sgsn.missing()
    if lack:
        sys.exit(f"attaches: {lack}")
    rows = list(rows_of(given))
    if given.json != "-":
        print(HEAD)
        for row in rows:
            print(f"{row['sgsn']:<10}{row['figure']:<44}{row['median']:9.2f}{row['least']:9.2f}{row['most']:9.2f}")
    if given.json:
        script.write(given.json, {"schema": SCHEMA, "rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
