#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills the programs around a live node, and the node itself, at random moments of phones' procedures.

usage: kills.py [--kills N] [--seed N] [--phones N] [--programs LIST] [--loss SHARE] [--verbose]     20, 1, 6, all, 0

Phones attach, activate, ping, update, deactivate and detach all the time, at the real osmo-hlr and osmo-ggsn. Each kill is a
SIGKILL (bss: its socket is closed; control: `gbflow restart-control`); the program is started again with the same
configuration up to a second later, sometimes five. Half of the times a second one is killed at once, or before the phones are
back. Then each phone must be attached and active with its ping answered within 10 s of its timer of 3 s, all addresses in their
places, and nothing left over. --loss is the share of frames that the radio loses in each direction; phones then have three
times as long. The table says how often each was killed, the longest time until all phones were back, and how often they were
not. Needs root, osmo-hlr and osmo-ggsn.
"""
import argparse
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

import ggsn
import handset
import hlr
import lab
import node
import test_ggsn
import test_walk

sys.path.insert(0, os.path.join(node.ROOT, "tests", "system", "interop"))
import vty  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = ("hlr", "ggsn", "bss", "gbflow", "control")
BACK_S = handset.RETRY_S + 10
SKIPPED, GGSN_VTY = 77, 4260
PHONES = (', phones = { policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }, timers = { t3322 = "2 s", t3350 = "2 s", '
          't3360 = "2 s", t3370 = "2 s", t3395 = "2 s", hlr = "2 s", guard = "5 s" }, apns = { { name = "internet", sgsn_address = "'
          + lab.GN_SGSN + '", ggsn_address = "' + lab.GN_GGSN + '" } } }')


class Rig:
    """The programs and the phones."""
    more, pauses_s = PHONES, (1, 1, 1, 5)  # of the configuration; the longest times without a killed program

    def __init__(self, options):
        self.closers, self.air = [], self.make_air(options)
        self.lab = self.keep(lab.Lab())
        self.lab.ip(self.lab.names["ggsn"], "address", "add", test_ggsn.SERVER + "/32", "dev", "lo")
        folder = tempfile.TemporaryDirectory(prefix="gbflow-kills-")
        self.closers.append(folder.cleanup)
        os.chmod(folder.name, 0o777)
        self.folder = folder.name
        subscribers = [(f"2624200000001{i:02}", bytes([i] * 16)) for i in range(options.phones)]
        self.hlr = self.keep(hlr.Hlr(self.lab, *subscribers[0], *subscribers[1:]))
        self.ggsn = self.keep(ggsn.Ggsn(self.lab))
        self.node = node.Node(self.lab, mobiles="", limit=64, more=self.more,
                              gn_more=test_ggsn.QUICK % f', restart_file = "{folder.name}/restarts"')
        self.closers.append(self.node.kill)
        self.node.wait_for("running")
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.start_bss()
        self.phones = [self.keep(self.make_phone(*subscriber, options)) for subscriber in subscribers]

    @staticmethod
    def make_air(options):
        return handset.Air(options.loss, options.seed)

    def make_phone(self, imsi, ki, options):
        return handset.Handset(self.air, imsi, ki, options.seed)

    def logs(self):
        """The last lines of the programs around the node."""
        return self.hlr.lines[-40:] + self.ggsn.lines[-40:]

    def print_more(self):
        """What stands below the table."""

    def keep(self, part):
        self.closers.append(part.close)
        return part

    def close(self):
        self.air.end()
        while self.closers:
            self.closers.pop()()

    # --- kills and starts

    def kill_hlr(self):
        self.hlr.kill()

    def start_hlr(self):
        """That the node is connected is a line that its log may leave out."""
        self.hlr.start()

    def kill_ggsn(self):
        self.ggsn.stop(test_ggsn.signal.SIGKILL)

    def start_ggsn(self):
        self.ggsn.start()

    def kill_bss(self):
        bss = self.air.bss
        self.air.end()
        if bss:
            bss.close()

    def start_bss(self):
        if self.air.bss:
            return
        with self.lab.inside("bss"):
            bss = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        bss.bring_up()
        bss.announce(600000, 600000, 2)
        self.air.begin(bss)

    def kill_gbflow(self):
        self.node.process.kill()
        self.node.process.wait(60)
        self.node.reader.join(5)

    def start_gbflow(self):
        """The BSS begins again as one does whose SGSN does not answer any more."""
        seen = len(self.node.lines)
        self.node.start()
        self.node.wait_for("running", start=seen)
        self.kill_bss()
        self.start_bss()

    def kill_control(self):
        done = subprocess.run([node.program(), "restart-control", "--prefix", self.node.prefix], capture_output=True, text=True,
                              check=False, timeout=60, env=self.node.environment())
        if done.returncode != 0:
            raise AssertionError("restart-control: " + done.stderr)

    def start_control(self):
        pass

    # --- what must hold

    def aim(self, goal):
        for phone in self.phones:
            phone.aim(goal)

    def at_ggsn(self):
        """[IMSI] of the contexts that the GGSN has."""
        console = vty.Vty(self.lab, "ggsn", GGSN_VTY)
        try:
            return sorted(re.findall(r"IMSI: (\d+)", console.command("show pdp-context ggsn ggsn0")))
        finally:
            console.close()

    def unsettled(self):
        """What is not as it must be while all phones are active; None: nothing."""
        late = [phone.imsi for phone in self.phones if not phone.is_back()]
        if late:
            return "not back: " + " ".join(late)
        wanted = sorted((phone.imsi, "registered", "5:" + phone.address) for phone in self.phones)
        rows = sorted((row["imsi"], row["state"], row["contexts"]) for row in self.node.show("subscribers"))
        if rows != wanted:
            return f"show subscribers: {rows} instead of {wanted}"
        for what in ("ms", "pdp"):
            rows = self.node.show(what)
            if len(rows) != len(self.phones):
                return f"show {what}: {rows}"
        shared = self.shared()
        if shared:
            return shared
        imsis = self.at_ggsn()
        if imsis != sorted(phone.imsi for phone in self.phones):
            return f"the GGSN has contexts of {imsis}"
        return self.unreached()

    def shared(self):
        """An identity that two subscribers have: P-TMSIs as the phones were given them, the rest as the node shows it."""
        rows = self.node.show("subscribers"), self.node.show("pdp")
        values = {"P-TMSI": [phone.p_tmsi for phone in self.phones], "TLLI": [row["tlli"] for row in rows[0]],
                  "TEID": [row["teid"] for row in rows[1]], "address": [phone.address for phone in self.phones]}
        for name, all_values in values.items():
            twice = {value for value in all_values if all_values.count(value) > 1}
            if twice:
                return f"two phones with one {name}: {twice}"
        return None

    def unreached(self):
        """A datagram for each address."""
        with self.lab.inside("ggsn"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            for phone in self.phones:
                phone.told.clear()
                sock.sendto(phone.address.encode(), (phone.address, 9))
        end = time.monotonic() + 2
        while time.monotonic() < end:
            if all(phone.address in phone.told for phone in self.phones):
                return None
            time.sleep(0.02)
        return "not reached: " + " ".join(f"{phone.imsi} {phone.address}" for phone in self.phones if phone.address not in phone.told)

    def leftover(self):
        """What is left after all phones have detached; None: nothing."""
        if not all(phone.is_away for phone in self.phones):
            return "not detached: " + " ".join(phone.imsi for phone in self.phones if not phone.is_away)
        for what in ("subscribers", "ms", "pdp"):
            rows = self.node.show(what)
            if rows:
                return f"show {what}: {rows}"
        imsis = self.at_ggsn()
        return f"the GGSN has contexts of {imsis}" if imsis else None

    @staticmethod
    def wait(judge, timeout_s):
        """Until nothing is wrong; else what is."""
        end = time.monotonic() + timeout_s
        while True:
            wrong = judge()
            if not wrong or time.monotonic() > end:
                return wrong
            time.sleep(0.1)


class Kills:
    def __init__(self, options, rig):
        self.options, self.chance = options, random.Random(options.seed)
        self.rig = rig(options)
        self.back_s = BACK_S * (3 if options.loss else 1)
        self.rows = {name: {"kills": 0, "longest": 0.0, "failures": 0} for name in options.programs}
        self.names = []

    def next_name(self):
        """Each program as often as the others."""
        if not self.names:
            self.names = self.chance.sample(self.options.programs, len(self.options.programs))
        return self.names.pop()

    def left(self):
        return self.options.kills - sum(row["kills"] for row in self.rows.values())

    def all_back(self):
        self.rig.aim("back")
        wrong = self.rig.wait(self.rig.unsettled, self.back_s)
        faults = [fault for phone in self.rig.phones for fault in phone.faults]
        for phone in self.rig.phones:
            phone.faults = []
        return "; ".join(([wrong] if wrong else []) + faults)

    def kill(self, names):
        """At once, then starts them; the node before those that it answers."""
        time.sleep(self.chance.uniform(0.05, 2))  # the random moment, not a wait for something
        for name in sorted(names, key=("control", "bss", "pcu", "hlr", "ggsn", "gbflow").index):
            getattr(self.rig, "kill_" + name)()
            self.rows[name]["kills"] += 1
        time.sleep(self.chance.choice(self.rig.pauses_s) * self.chance.random())
        for name in sorted(names, key=("gbflow", "hlr", "ggsn", "bss", "pcu", "control").index):
            getattr(self.rig, "start_" + name)()

    def round(self, most):
        """One kill, or two at once or before the phones are back from the first; returns how many."""
        way, lines = self.chance.choice(("one", "one", "once", "then")) if most > 1 else "one", len(self.rig.node.lines)
        names = [self.next_name() for _ in range(1 if way == "one" else 2)]
        if way == "once" and len(set(names)) == 1:
            way = "then"
        self.rig.aim("play")
        self.kill(set(names) if way == "once" else names[:1])
        if way == "then":
            self.rig.aim("back")
            self.kill(names[1:])
        began = time.monotonic()
        wrong = self.all_back()
        took = max(phone.back_at or 0 for phone in self.rig.phones) - began
        for name in set(names):
            self.rows[name]["longest"] = max(self.rows[name]["longest"], took)
            self.rows[name]["failures"] += bool(wrong)
        if self.options.verbose or wrong:
            said = f"seed {self.options.seed}, kill {sum(row['kills'] for row in self.rows.values())}, {f' {way} '.join(names)}"
            print(said + (": FAILED: " + wrong if wrong else f": back after {took:.1f} s"), flush=True)
        if wrong:
            self.tell(lines)

    def tell(self, lines):
        """What the node and the phones have seen."""
        for line in self.rig.node.lines[lines:] + self.rig.logs():
            print("    " + line)
        for what in ("subscribers", "ms", "pdp", "phone_counts", "drops", "llc"):
            print(self.rig.node.run_show(what).stdout)
        for phone in self.rig.phones:
            for line in phone.log:
                print("    " + line)
        if self.rig.wait(self.rig.unsettled, 60):
            raise AssertionError("the phones do not come back at all")

    def end(self):
        self.rig.aim("away")
        wrong = self.rig.wait(self.rig.leftover, self.back_s)
        if wrong:
            print(f"left over, seed {self.options.seed}: {wrong}")
        return wrong

    def play(self):
        wrong = self.all_back()
        if wrong:
            self.tell(0)
            raise AssertionError("before the first kill: " + wrong)
        try:
            while self.left() > 0:
                self.round(self.left())
            wrong = self.end()
        finally:
            print(f"{'killed':<10} {'kills':>5} {'longest s':>10} {'failures':>8}")
            for name, row in self.rows.items():
                print(f"{name:<10} {row['kills']:>5} {row['longest']:>10.1f} {row['failures']:>8}", flush=True)
            self.rig.print_more()
        return bool(wrong) or any(row["failures"] for row in self.rows.values())


def main(text=__doc__, rig=Rig, programs=PROGRAMS, missing=()):
    """programs: those that are killed if none are named; missing: why other programs are not here, or None."""
    reader = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("kills", 20), ("seed", 1), ("phones", 6), ("loss", 0.0)):
        reader.add_argument("--" + name, type=type(default), default=default)
    reader.add_argument("--programs", type=lambda text: text.split(","), default=list(programs))
    reader.add_argument("--verbose", action="store_true")
    options = reader.parse_args()
    known = dict.fromkeys([*programs, *PROGRAMS])
    unknown = [name for name in options.programs if name not in known]
    if unknown:
        reader.error(f"--programs: no program is called '{unknown[0]}': {', '.join(known)}")
    reason = next(filter(None, (hlr.missing(), ggsn.missing(), *missing)), None)
    if reason:
        print(reason, file=sys.stderr)
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    kills = Kills(options, rig)
    try:
        return 1 if kills.play() else 0
    finally:
        kills.rig.close()


if __name__ == "__main__":
    sys.exit(main())
