#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A live node whose configuration changes at random under traffic, by `gbflow reload`.

usage: reloads.py [--count 1000] [--seed 1]

Each round writes the file with one to three other values that a running node can take, reloads it, and checks: the command's status
is 0; the node shows the new values in force; the file differs from them in nothing; what the node does follows them (R of a listed
cell and of one by nses_accepted, AQM schemes, mobiles, cells, NS-VCs); all N-PDUs that were sent have come to the node,
and in = out + dropped + queued. The cell's R is below the load, so that N-PDUs wait while schemes and limits change. Prints what was
changed how often and the N-PDUs; exit status 1: a check failed. Needs root.
"""
import argparse
import collections
import json
import os
import queue
import random
import re
import sys
import threading
import time

import lab
import node

import bss_peer
import test_reload
import test_walk

RATE_BPS, BUCKET_OCTETS, OCTETS, EVERY_S = 150000, 30000, 300, 0.005
ACCEPTED_NSEI, ACCEPTED_PORT, ACCEPTED_CELL = 200, 23005, bytes.fromhex("62f2241234070009")

TEXT = """return {
  gn = { port = "%(gn)s" },
  gb = { address = "198.51.100.1", port = "%(gb)s" },
  nses = { { nsei = 101, nsvcs = { { nsvci = 101, address = "198.51.100.2" }%(nsvc)s }%(link)s,
    cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 }%(policy)s }%(cell)s } } },
  nses_accepted = { networks = { "198.51.100.0/24" }, nseis = { first = 200, last = 200 }, most = 1, cells = 1%(policy_accepted)s },
  mobiles = { source = "list", list = { %(first)s%(second)s }%(ready)s%(limit)s },
  queues = { weights = { thp1 = %(weight)s }%(aqm)s%(own)s%(packets)s },
  %(policy_of_node)slifetime = { sgsn_max = "%(age)s" },
  timers = { ns = { test = "%(test)s" }, bssgp = { th = "%(th)s" } },
  phones = { policy = %(policy_of_phones)s, ciphering = { %(ciphering)s }, reject_cause = %(cause)s, apns = { %(apns)s } },
  live = { idle = "%(idle)s", log_lines = %(lines)s, max_sleep = "%(sleep)s"%(metrics)s },
  eal = { prefix = "%(prefix)s", huge_pages = "no" },
  limits = { npdu_buffers = 2047, mobiles = %(mobiles)s, contexts = 16, fragments = 64 }
}
"""
APN = '{ name = "%s", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" }'
SCHEMES = ["tail_drop", "codel", "pie", "red", "blue", "cobalt"]


def shown(key, words):
    """Values that are shown as they are written, quantities, or as texts."""
    return [(word, {key: word}) for word in words]


def texts(key, words):
    return [(word, {key: f'"{word}"'}) for word in words]


# By the name in TEXT: what may stand there, and what the node then shows. The first is that of the start.
CHOICES = {
    "nsvc": [("", {}), (', { nsvci = 102, address = "198.51.100.2", udp_port = 23001 }', {"nses[1].nsvcs[2].nsvci": "102"})],
    "link": [("", {})] + [(f', gb = {{ rate = "{rate} Mbit/s" }}', {"nses[1].gb.rate": f"{rate} Mbit/s"}) for rate in (2, 5, 50)],
    "policy": [("", {})] + [(f', flow_control = {{ max_rate = "{rate} kbit/s" }}',
                             {"nses[1].cells[1].flow_control.max_rate": f"{rate} kbit/s"}) for rate in (100, 120, 400)],
    "policy_accepted": [("", {})] + [(f', flow_control = {{ max_rate = "{rate} kbit/s" }}',
                                      {"nses_accepted.flow_control.max_rate": f"{rate} kbit/s"}) for rate in (90, 110, 400)],
    "policy_of_node": [("", {})] + [(f'flow_control = {{ max_rate = "{rate} kbit/s" }}, ',
                                     {"flow_control.max_rate": f"{rate} kbit/s"}) for rate in (105, 130, 400)],
    "cell": [("", {}), (', { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 } }',
                        {"nses[1].cells[2].bvci": "1801"})],
    "second": [("", {"mobiles.list": "1 items"}), (", " + test_reload.SECOND, {"mobiles.list": "2 items"})],
    "ready": [("", {})] + [(f', ready_timer = "{time_s} s"', {"mobiles.ready_timer": f"{time_s} s"}) for time_s in (20, 30)],
    "limit": [(f', queue_limit = "{octets} kB"', {"mobiles.queue_limit": f"{octets} kB"}) for octets in (64, 20, 100)],
    "weight": shown("queues.weights.thp1", ["50", "1", "700"]),
    "aqm": [("", {})] + [(f', aqm = {{ scheme = "{name}"{scope} }}', {"queues.aqm.scheme": f'"{name}"'}) for name in SCHEMES
                         for scope in ("", ', scope = "class_of_bvc"', ', scope = "class_of_nse"')],
    "own": [("", {})] + [(f', class = {{ background = {{ aqm = {{ scheme = "{name}" }} }} }}',
                          {"queues.class.background.aqm.scheme": f'"{name}"'}) for name in SCHEMES],
    "packets": [("", {})] + [(f", mobile = {{ packets = {count} }}", {"queues.mobile.packets": str(count)}) for count in (20, 100)],
    "age": shown("lifetime.sgsn_max", ["15 s", "2 s", "60 s"]),
    "test": shown("timers.ns.test", ["30 s", "7 s", "5 s"]),
    "th": shown("timers.bssgp.th", ["5 s", "8 s"]),
    "policy_of_phones": [('"accept_all"', {"phones.policy": '"accept_all"'}),
                         ('"list", imsis = { "262420000000007" }', {"phones.imsis": '{ "262420000000007" }'})],
    "ciphering": [("4, 3, 0", {"phones.ciphering": "{ 4, 3, 0 }"}), ("3", {"phones.ciphering": "{ 3 }"})],
    "cause": shown("phones.reject_cause", ["11", "7"]),
    "apns": [(APN % "internet", {"phones.apns[1].name": '"internet"'}),
             (APN % "other" + ", " + APN % "internet", {"phones.apns[2].name": '"internet"'})],
    "idle": texts("live.idle", ["sleep", "poll"]),
    "lines": shown("live.log_lines", ["10", "20"]),
    "sleep": shown("live.max_sleep", ["250 us", "1 ms"]),
    "metrics": [("", {})] + [(f", metrics = {{ port = {port}, mobiles = {mobiles} }}", {"live.metrics.port": str(port)})
                             for port in (9469, 9470) for mobiles in (0, 5)],
    "mobiles": shown("limits.mobiles", ["16", "8"]),
}


class Traffic:
    """Packets to the first mobile, until it is paused."""

    def __init__(self, place):
        with place.inside("ggsn"):
            self.sock = bss_peer.open_socket(lab.GN_GGSN, test_walk.GTPU)
        self.sent, self.is_open, self.is_on, self.lock = 0, True, True, threading.Lock()
        self.message = test_walk.g_pdu(node.TEID, test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, OCTETS))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.is_open:
            with self.lock:
                if self.is_on:
                    self.sock.sendto(self.message, (lab.GN_SGSN, test_walk.GTPU))
                    self.sent += 1
            time.sleep(EVERY_S)

    def pause(self, is_paused):
        with self.lock:
            self.is_on = not is_paused

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()


class Player:
    def __init__(self, place, seed):
        self.random, self.counts, self.seen = random.Random(seed), collections.Counter(), 0
        self.chosen = dict.fromkeys(CHOICES, 0)
        self.node = node.Node(place, text=TEXT, **self.values())
        try:
            self.node.wait_for("running")
            with place.inside("bss"):
                self.bss = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
                self.unlisted = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS, ACCEPTED_PORT), (lab.GB_SGSN, 23000),
                                              nsei=ACCEPTED_NSEI, nsvci=ACCEPTED_NSEI, bvci=1900)
            self.unlisted.cell_id = ACCEPTED_CELL
            for bss in (self.bss, self.unlisted):
                bss.bring_up()
                bss.announce(bucket_octets=BUCKET_OCTETS, rate_bps=RATE_BPS, tag=2)
            self.traffic = Traffic(place)
        except BaseException:
            self.node.kill()
            raise

    def values(self):
        return {"first": node.MOBILE, **{name: CHOICES[name][at][0] for name, at in self.chosen.items()}}

    def change(self):
        for name in self.random.sample(sorted(CHOICES), self.random.randint(1, 3)):
            others = [at for at in range(len(CHOICES[name])) if at != self.chosen[name]]
            self.chosen[name] = self.random.choice(others)
            self.counts[name] += 1

    def round(self):
        """What is wrong, or None."""
        self.change()
        self.bss.send_packet(test_walk.ipv4_packet(node.ADDRESS, "192.0.2.99", 100), node.TLLI)  # it stays in READY
        done = self.node.run_reload(text=TEXT, **self.values())
        if done.returncode != 0:
            return f"reload: status {done.returncode}: {done.stderr}"
        left = json.loads(self.node.run_show("config", "--difference", "--json").stdout)
        rest = [line for line in left["lines"] if not line.startswith("warning: ")]
        if rest != ["nothing changed"] or any(left["counts"].values()):
            return f"the file differs from what is in force: {rest}"
        return self.wrong_values() or self.wrong_effect() or self.wrong_account()

    def wrong_values(self):
        shown_values = {row["key"]: row["value"] for row in self.node.show("config")}
        for name, at in self.chosen.items():
            for key, value in CHOICES[name][at][1].items():
                if shown_values.get(key) != value:
                    return f"{key} is {shown_values.get(key)}, not {value}"
        return None

    def is_chosen(self, name):
        return CHOICES[name][self.chosen[name]][0] != ""

    def rate_of(self, *names):
        """R of a cell whose flow_control is the first of these that there is."""
        texts = [CHOICES[name][self.chosen[name]][0] for name in names if self.is_chosen(name)]
        return min(RATE_BPS, int(re.search(r"\d+", texts[0])[0]) * 1000) if texts else RATE_BPS

    def effects(self):
        """By table: a view of its rows, and what it has to be."""
        schemes = {name: next(iter(CHOICES[name][self.chosen[name]][1].values()), '"none"').strip('"') for name in ("aqm", "own")}
        own = schemes["own"] if self.is_chosen("own") else schemes["aqm"]
        cells = {(101, 1800): self.rate_of("policy", "policy_of_node"), (200, 1900): self.rate_of("policy_accepted", "policy_of_node")}
        return {
            "bvc": (lambda rows: {(row["nsei"], row["bvci"]): row["leak_bps"] for row in rows},
                    cells | ({(101, 1801): 0} if self.is_chosen("cell") else {})),
            "aqm": (lambda rows: {row["class"]: row["scheme"] for row in rows if row["class"] in ("thp1", "background")},
                    {name: scheme for name, scheme in (("thp1", schemes["aqm"]), ("background", own)) if scheme != "none"}),
            "ms": (len, 1 + self.is_chosen("second")),
            "nse": (lambda rows: sorted(row["nsvci"] for row in rows), [101] + [102] * self.is_chosen("nsvc") + [ACCEPTED_NSEI])}

    def wrong_effect(self):
        for table, (view, expected) in self.effects().items():
            try:
                self.node.show_until(table, lambda rows, view=view, expected=expected: view(rows) == expected, timeout_s=10)
            except AssertionError as wrong:
                return f"expected {expected}: {wrong}"
        return None

    def wrong_account(self):
        self.traffic.pause(True)
        try:
            self.node.show_until("node", lambda rows: self.balances({name: int(value) for name, value in rows[0].items()
                                                                     if name.startswith("npdu_")}), timeout_s=30)
        except AssertionError as wrong:
            return f"N-PDUs: {self.traffic.sent} sent, {wrong}"
        finally:
            self.traffic.pause(False)
        return None

    def balances(self, row):
        return row["npdu_in"] == self.traffic.sent == row["npdu_out"] + row["npdu_dropped"] + row["npdu_queued"]

    def drain(self):
        try:
            while True:
                self.bss.pdus.get_nowait()
                self.seen += 1
        except queue.Empty:
            return

    def play(self, count):
        """What is wrong, or None, after so many rounds at most."""
        for number in range(1, count + 1):
            wrong = self.round()
            self.drain()
            if wrong:
                return f"round {number}: {wrong}"
        return None

    def finish(self):
        """Ends the node; its final account."""
        self.traffic.close()
        status = self.node.stop()
        self.bss.close()
        self.unlisted.close()
        assert status == 0, status
        return self.node.report["npdu"]

    def close(self):
        self.traffic.close()
        self.bss.close()
        self.unlisted.close()
        self.node.kill()


def play(place, count, seed):
    """(what is wrong or None, how often what was changed, the final account of N-PDUs)"""
    player = Player(place, seed)
    try:
        wrong = player.play(count)
        account = player.finish()
        if not wrong and account["in"] != account["out"] + account["dropped"] + account["queued"]:
            wrong = f"the final account: {account}"
        return wrong, player.counts, account
    finally:
        player.close()


def main():
    parser = argparse.ArgumentParser(description="A live node whose configuration changes at random under traffic.")
    parser.add_argument("--count", type=int, default=1000, help="reloads (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the changes (default 1)")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("it needs root, for network namespaces and devices")
    place = lab.Lab()
    began = time.monotonic()
    try:
        wrong, counts, account = play(place, arguments.count, arguments.seed)
    finally:
        place.close()
    print("changed:", ", ".join(f"{name} {count}" for name, count in sorted(counts.items())))
    print(f"N-PDUs: {account}; {time.monotonic() - began:.0f} s")
    if wrong:
        print(wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
