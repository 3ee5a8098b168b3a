#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Compares phones at gbflow and at the packaged osmo-sgsn: the same phones, osmo-hlr and osmo-ggsn, in namespaces.

usage: attaches.py [OPTION...]
  --program FILE   gbflow (build/gbflow of this tree)
  --rounds N       of both SGSNs in turn, each in a lab of its own (3)
  --phones N       that attach and activate a context, and detach (200); 999 at most
  --rate N         attaches that begin in a second (50); at higher ones both SGSNs lose phones
  --json FILE      also write the figures of all rounds there; -: to standard output, without the table

The phones are those of `gbflow emulate` in one cell of 3.8 Mbit/s; osmo-hlr authenticates each of them, GEA/3 ciphers.
Times are processor time of the SGSN, all threads, less that of the same time without phones: from the start of the
phones until all have a context, and while they detach. Octets a phone are what the process grows by from its start
until all have a context, of gbflow also those in Lua, garbage included. Then gbflow's control restarts, and the phones
that it knows are counted.
gbflow has one worker, which sleeps when it has nothing to do. Needs
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
POOL, TRIES, LIMIT_S, IDLE_S, STAY_S = "10.46.0.0/18", 3, 60, 5, 20
BUCKETS = (', flow_control = { bvc = { bucket = "500 kB", rate = "5 Mbit/s" }, '
           'ms_default = { bucket = "500 kB", rate = "5 Mbit/s" } }')
TEXT = test_emulate_phones.TEXT.replace("attaches_per_s = 100, ", "")
PHONES = 'count = %d, attaches_per_s = %d, ki = "%s", script = { { after = "%d s", what = "detach" } }'
POLICY = 'policy = "hlr", ciphering = { 3 }, hlr = { address = "127.0.0.1" }, half_open = %d, half_open_per_cell = %d'
HEAD = f"{'SGSN':<10}{'figure':<46}{'median':>9}{'least':>9}{'most':>9}"


def processor_s(pid):
    """Of a process and those below it."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rpartition(")")[2].split()
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        below = sum(processor_s(int(child)) for child in file.read().split())
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") + below


def resident_octets(pid):
    with open(f"/proc/{pid}/statm", encoding="utf-8") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Gbflow:
    def __init__(self, place, given):
        gn_more = test_ggsn.CALM % ""
        more = test_phones.PHONES % (POLICY % (given.phones, given.phones))
        self.node = node.Node(place, gn_more=gn_more, cell_more="", mobiles="", more=more, limit=given.phones + 16)
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.process = self.node.process

    def lua_octets(self):
        return self.node.show("control")[0]["lua_octets"]

    def restart(self):
        """Its figures, after a restart of control."""
        words = ["env", f"RUNTIME_DIRECTORY={self.node.runtime}", node.program(), "restart-control"]
        lab.run(*words, "--prefix", self.node.prefix)
        control = self.node.show_until("control", lambda rows: rows[0]["restarts_order"] == 1)[0]
        return {"restart of control, ms": control["restart_us"] / 1e3,
                "phones known after the restart": len(self.node.show("subscribers"))}

    def close(self):
        self.node.kill()


class Osmo(osmo_sgsn.OsmoSgsn):
    def __init__(self, place, _given):
        super().__init__(place)

    @staticmethod
    def lua_octets():
        return None

    @staticmethod
    def restart():
        return {}


SGSNS = {"gbflow": Gbflow, "osmo-sgsn": Osmo}


def imsi(number):
    return str(int(test_phones.IMSI) + number)


class Meter:
    """Processor time of a process beyond what it takes without phones."""

    def __init__(self, pid):
        self.pid, self.idle_s = pid, 0
        self.begin()
        time.sleep(IDLE_S)
        self.idle_s = self.taken_s() / IDLE_S

    def begin(self):
        self.began_at, self.before_s = time.monotonic(), processor_s(self.pid)

    def taken_s(self):
        return processor_s(self.pid) - self.before_s - self.idle_s * (time.monotonic() - self.began_at)


def attached(given, sgsn, meter, bss):
    """Figures until all have a context, before the first detaches."""
    before, lua_before = resident_octets(meter.pid), sgsn.lua_octets()
    meter.begin()
    part = bss()
    part.wait_for(f"all {given.phones} phones have a context", given.phones / given.rate + LIMIT_S)
    taken_s, wall_s = meter.taken_s(), time.monotonic() - meter.began_at
    grown = (resident_octets(meter.pid) - before) / given.phones
    lua = 0 if lua_before is None else (sgsn.lua_octets() - lua_before) / given.phones
    figures = {"an attach with its context, ms": taken_s / given.phones * 1e3,
               "attaches, 1/s and core": given.phones / max(taken_s, 1e-9),
               f"attaches, 1/s, of {given.rate} begun": given.phones / wall_s,
               "octets a phone": grown, "octets of C a phone": grown - lua}
    if lua_before is not None:
        figures["octets of Lua a phone"] = lua
    figures.update(sgsn.restart())
    if time.monotonic() - meter.began_at > given.phones / given.rate + STAY_S:
        raise AssertionError("phones detach before the last one has attached")
    return part, figures


def detached(given, meter, part):
    meter.begin()
    part.wait_for(f"all {given.phones} phones have played their script", given.phones / given.rate + STAY_S + LIMIT_S)
    time.sleep(IDLE_S)
    taken_s = meter.taken_s()
    part.stop()
    counts = {row["name"]: row["count"] for row in part.report["phone_counts"]}
    return {"a detach, ms": taken_s / given.phones * 1e3, "detaches, 1/s and core": given.phones / max(taken_s, 1e-9),
            "phones detached": counts.get("detached", 0)}


def measured(given, name):
    """Figures by their texts, of a lab of its own."""
    place, parts = lab.Lab(), []
    try:
        with unittest.mock.patch.object(ggsn, "POOL", POOL):
            parts.append(ggsn.Ggsn(place))
        others = [(imsi(number), test_phones.KI) for number in range(1, given.phones)]
        parts.append(hlr.Hlr(place, imsi(0), test_phones.KI, *others))
        parts[-1].wait_for(".")
        parts.append(SGSNS[name](place, given))
        sgsn = parts[-1]
        place.add("ms")
        time.sleep(1)
        meter = Meter(sgsn.process.pid)
        words = PHONES % (given.phones, given.rate, test_phones.KI.hex(), given.phones / given.rate + STAY_S)
        bss = []

        def begin():
            bss.append(emulator.Emulator(place, TEXT, imsi=imsi(0), cell='pdchs = 64, coding = "MCS-9"',
                                         cell_more=BUCKETS, phones=words))
            return bss[0]

        try:
            part, figures = attached(given, sgsn, meter, begin)
            figures.update(detached(given, meter, part))
        except BaseException:
            for part in bss:
                part.kill()
            raise
        return {**figures, "a second without phones, ms": meter.idle_s * 1e3}
    finally:
        for part in reversed(parts):
            part.close()
        place.close()


def tried(given, sgsn):
    """measured(), once more where an SGSN has refused or lost a phone, TRIES times at most."""
    for left in reversed(range(TRIES)):
        try:
            return measured(given, sgsn)
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
        for text in rounds[0]:
            values = [figures_of[text] for figures_of in rounds]
            yield {"sgsn": sgsn, "figure": text, "median": statistics.median(values), "least": min(values),
                   "most": max(values), "rounds": values}


def main():
    parser = script.parser_of(__doc__, "gbflow")
    script.add_count(parser, "--rounds", 3, 1, 100)
    script.add_count(parser, "--phones", 200, 1, 999)
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
            print(f"{row['sgsn']:<10}{row['figure']:<46}{row['median']:9.2f}{row['least']:9.2f}{row['most']:9.2f}")
    if given.json:
        script.write(given.json, {"schema": SCHEMA, "rows": rows})
    return 0


if __name__ == "__main__":
    sys.exit(main())
