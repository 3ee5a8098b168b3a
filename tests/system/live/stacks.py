#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Queue disciplines between real TCP stacks: the kernel's servers and mobiles, `gbflow serve` and `gbflow emulate` in between.

usage: stacks.py [--seconds N] [--users N] [--schemes LIST] [--cc LIST] [--window OCTETS] [--seed N] [--classic] [--json FILE]
       stacks.py --of FILE...
  --seconds N      of each run (900), at least 11: users begin within ten; the first 60 s, or a fifth if that is less, do not count
  --users N        22, 44, 66, 88 or 110 (110), in proportion as in config/scenarios/sgsn-aqm.lua
  --schemes LIST   of none, red, fq-codel, cake, q, windows (red,fq-codel,cake,windows)
  --cc LIST        congestion control of the server's kernel (cubic,bbr); one that the kernel lacks is left out and named
  --window OCTETS  largest receive window of a mobile's connection (65535)
  --seed N         of starts, bursts and block errors (1)
  --classic        the server's kernel without F-RTO, loss probes and RACK; virtual time without RACK-TLP
  --json FILE      also write all figures there
  --of FILE...     play nothing: medians (least..most) of what --json wrote, one file for each seed

The server's kernel sends; HTTP clients of the mobiles' kernel, each with its own address, load pages and files; streams and talk are
UDP. After each run with CUBIC the same users, cells and queues are played in virtual time (`gbflow run`): the row "virtual". Delay: from
the server's TUN device to the mobile's. Needs root, for namespaces and TUN devices. Exit status: 0; 1 a connection broke, an object
came with other octets, or a server sent beyond the greatest edge of a window; 77 no namespaces here; 130 ended by SIGINT or SIGTERM. GBFLOW names the program.
"""
import argparse
import collections
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import lab
import node

import edges
import gateway
import reno
import stacks_network
import stacks_plan
import stacks_rows

HOSTS = os.path.join(node.HERE, "stacks_hosts.py")
SCHEMA = "gbflow-bench-stacks/1"
BEGIN_IN_S, END_S = 2, 60
ETH_P_IP, TUN_OCTETS, TCP, UDP = 0x0800, 65536, 6, 17
COUNTERS = ("OutSegs", "RetransSegs", "OutRsts", "EstabResets", "TCPTimeouts", "TCPSpuriousRTOs", "TCPLossProbes", "TCPAbortOnTimeout",
            "TCPDSACKRecv", "TCPFastRetrans", "TCPSlowStartRetrans", "TCPDSACKOldSent")


class Air:
    """What arrives at the mobiles, and when it was sent. The gateway's thread calls sent(), that of the sniffer arrived()."""

    def __init__(self, plan):
        self.class_of = {socket.inet_aton(user.address): user.qclass for user in plan.users}
        self.warm_s, self.end_s = float("inf"), float("inf")
        self.sent_s, self.segments = {}, collections.defaultdict(set)
        self.datagrams = collections.Counter()  # octets of UDP by address, after the warm-up
        self.delays, self.repeated, self.octets = collections.defaultdict(list), collections.Counter(), collections.Counter()

    @staticmethod
    def key_of(packet):
        """Identification, destination, and the first 20 octets behind the IP header: ports, numbers, checksum."""
        return packet[4:6] + packet[16:40]

    def sent(self, packet):
        self.sent_s[self.key_of(packet)] = time.monotonic()

    def arrived(self, packet):
        now_s = time.monotonic()
        sent_s, qclass = self.sent_s.pop(self.key_of(packet), None), self.class_of.get(packet[16:20])
        if sent_s is None or qclass is None or now_s > self.end_s:
            return
        if now_s >= self.warm_s:
            self.delays[qclass].append(now_s - sent_s)
            self.datagrams[socket.inet_ntoa(packet[16:20])] += len(packet) - 28 if packet[9] == UDP else 0
        if packet[9] == TCP:
            self.take_segment(packet, qclass)

    def take_segment(self, packet, qclass):
        octets = int.from_bytes(packet[2:4], "big") - 20 - 4 * (packet[32] >> 4)
        if octets <= 0:
            return
        flow, number = self.segments[packet[16:24]], packet[24:28]
        (self.repeated if number in flow else self.octets)[qclass] += octets
        flow.add(number)

    def forget_lost(self):
        """Packets that will not arrive any more."""
        oldest_s = time.monotonic() - 4 * END_S
        # A copy in one step: the gateway's thread adds to it.
        for key in [key for key, sent_s in self.sent_s.copy().items() if sent_s < oldest_s]:
            self.sent_s.pop(key, None)


class Gateway(gateway.Gateway):
    """With the delay of the servers' network, each way, in order. Edges and round trips are those at the server's device."""

    def __init__(self, place, tunnels, air):
        self.air, self.late, self.edges = air, collections.deque(), edges.Edges(time.monotonic)
        super().__init__(place, tunnels)

    def _run(self):
        while self.is_open:
            wait_s = max(0, self.late[0][0] - time.monotonic()) if self.late else 0.2
            ready, _, _ = select.select([self.tun, self.sock], [], [], wait_s)
            due_s = time.monotonic() + stacks_plan.SERVER_DELAY_S
            if self.tun in ready:
                packet = os.read(self.tun, TUN_OCTETS)
                self.air.sent(packet)
                self.edges.down(packet)
                self.late.append((due_s, self._send, (packet,)))
            if self.sock in ready:
                self.late.append((due_s, self._take, self.sock.recvfrom(TUN_OCTETS)))
            while self.late and self.late[0][0] <= time.monotonic():
                _, call, words = self.late.popleft()
                call(*words)

    def _write(self, packet):
        self.edges.up(packet)
        super()._write(packet)


class Sniffer:
    """Packets that come out of the mobiles' TUN devices."""

    def __init__(self, place, air):
        with place.inside("ms"):
            self.sock = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_IP))
        self.sock.settimeout(0.2)
        self.air, self.is_open = air, True
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.is_open:
            with contextlib.suppress(TimeoutError):
                self.air.arrived(self.sock.recv(TUN_OCTETS))

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()


class Hosts:
    """stacks_hosts.py in a namespace."""

    def __init__(self, place, side, what, folder):
        words = [sys.executable, HOSTS, what, os.path.join(folder, "plan.json"), os.path.join(folder, "mobiles.json")]
        self.process = subprocess.Popen(place.command(side, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        try:
            self.wait("ready", END_S)
        except BaseException:
            self.close()
            raise

    def wait(self, word, seconds):
        """Reads a line, which must be the word."""
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        said = self.process.stdout.readline().strip() if ready else "nothing"
        if said != word:
            raise AssertionError(f"stacks_hosts.py says '{said}', not '{word}'; status {self.process.poll()}")

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(60)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        self.process.stdout.close()


class Run(stacks_network.Network):
    """One scheme and congestion control, for the plan's time. `with` ends all of it."""

    def __init__(self, plan, scheme, control):
        self.plan, self.scheme, self.control, self.air = plan, scheme, control, Air(plan)
        self.mobiles, self.report, self.counters, self.shown, self.edges = {}, {}, {}, [], None
        self.sent, self.drops = collections.Counter(), collections.defaultdict(dict)

    def open_network(self, stack):
        self.open_sides(reno.CLASSIC if self.plan.is_classic else {})
        self.open_node(stack, stacks_plan.node_text(self.plan, self.scheme))
        self.open_gateway(stack, Gateway(self.lab, {user.address: user.teids for user in self.plan.users}, self.air), stacks_plan.MTU)
        self.edges = self.gateway.edges
        self.open_bss(stack, stacks_plan.bss_text(self.plan, self.lab.names["ms"]), stacks_plan.CELLS,
                      [first.group for first, _ in stacks_plan.groups_of(self.plan)])
        self.sniffer = Sniffer(self.lab, self.air)
        stack.callback(self.sniffer.close)

    def open_hosts(self, stack):
        begin_s = time.monotonic() + BEGIN_IN_S
        self.air.warm_s, self.air.end_s = begin_s + self.plan.warmup_s, begin_s + self.plan.seconds
        with open(os.path.join(self.folder, "plan.json"), "w", encoding="utf-8") as file:
            json.dump({**self.plan.as_json(), "begin_s": begin_s, "control": self.control}, file)
        self.server = Hosts(self.lab, "ggsn", "server", self.folder)
        stack.callback(self.server.close)
        self.clients = Hosts(self.lab, "ms", "mobiles", self.folder)
        stack.callback(self.clients.close)

    def play(self):
        """Until the mobiles are done; then the counters of both kernels and of the node."""
        before, began_s = processor(), time.monotonic()
        time.sleep(max(0, self.air.warm_s - time.monotonic()))
        self.edges.warm()
        while (left_s := self.air.end_s - time.monotonic()) > 0:
            time.sleep(min(left_s, 10))
            self.air.forget_lost()
        self.clients.wait("done", END_S)
        self.load = {"mean_1min": os.getloadavg()[0], **busy(before, processor()), "gbflow_s": cpu_of(self.node) + cpu_of(self.bss),
                     "seconds": time.monotonic() - began_s}
        with open(os.path.join(self.folder, "mobiles.json"), encoding="utf-8") as file:
            self.mobiles = json.load(file)
        for row in self.node.show("cell_class"):
            self.sent[row["class"]] += row["out"]
        for row in self.node.show("cell_drops"):
            drops = self.drops[row["class"]]
            drops[row["reason"]] = drops.get(row["reason"], 0) + row["count"]
        self.shown = self.node.show("pacing")
        self.counters = {side: kernel_counters(self.lab, side) for side in ("ggsn", "ms")}
        self.clients.close()
        self.server.close()
        self.bss.stop(signal.SIGTERM)
        self.node.stop()
        self.report, self.bss_report = self.node.report, self.bss.report

    def broken(self):
        """Connections that broke and objects with other octets, by kind."""
        return dict(sum((collections.Counter(mobile["broken"]) for mobile in self.mobiles.values()), collections.Counter()))

    def row(self):
        return {"time": "wall", "congestion_control": self.control, "queues": self.scheme,
                "classes": stacks_rows.live_row(self.plan, self), "pacing": self.report.get("pacing", []), "load": self.load,
                "objects": sum(mobile["objects"] for mobile in self.mobiles.values()), "broken": self.broken(),
                "edges": {**self.edges.counts(), "fault": self.edges.fault}, "kernels": self.counters,
                "npdu": self.report["npdu"], "cells": self.bss_report["cells"]}


# --- the machine ---

def kernel_counters(place, side):
    """Of COUNTERS, those that are not 0."""
    words, found = lab.run(*place.command(side, "cat", "/proc/net/snmp", "/proc/net/netstat")).splitlines(), {}
    for names, values in zip(words[::2], words[1::2]):
        found.update(zip(names.split()[1:], values.split()[1:]))
    return {name: int(found[name]) for name in COUNTERS if int(found.get(name, 0))}


def processor():
    """Ticks of all processors: all, idle, stolen."""
    with open("/proc/stat", encoding="ascii") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    return sum(ticks), ticks[3] + ticks[4], ticks[7]


def busy(before, after):
    ticks, idle, stolen = (new - old for old, new in zip(before, after))
    return {"busy": 1 - idle / ticks, "stolen": stolen / ticks}


def cpu_of(program):
    """Processor time of a program of the run, s; `ip netns exec` becomes the program."""
    with open(f"/proc/{program.process.pid}/stat", encoding="ascii") as file:
        words = file.read().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def controls_of(wanted):
    """Those congestion controls that the kernel has, after it was asked to load them; the others are named."""
    found = []
    for name in wanted:
        if shutil.which("modprobe"):
            subprocess.run(["modprobe", "-q", f"tcp_{name}"], capture_output=True, check=False)
        with open("/proc/sys/net/ipv4/tcp_available_congestion_control", encoding="ascii") as file:
            available = file.read().split()
        if name in available:
            found.append(name)
        else:
            print(f"no congestion control '{name}' in this kernel, which has {', '.join(available)}: left out", flush=True)
    return found


def virtual(plan, scheme):
    """The twin's summary."""
    with tempfile.TemporaryDirectory(prefix="gbflow-stacks-") as folder:
        path = os.path.join(folder, "stacks.lua")
        with open(path, "w", encoding="utf-8") as file:
            file.write(stacks_plan.scenario_text(plan, scheme))
        done = subprocess.run([node.program(), "run", path, "--out", folder, "--no-report", "--seed", str(plan.seed)], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
            return json.load(file)


def virtual_row(plan, scheme):
    summary = virtual(plan, scheme)
    return {"time": "virtual", "congestion_control": "cubic", "queues": scheme, "classes": stacks_rows.virtual_row(plan, summary),
            "pacing": summary.get("pacing", [])}


def rows_of(plan, scheme, control):
    with Run(plan, scheme, control) as run:
        run.play()
        yield run.row()
    if control == "cubic":
        yield virtual_row(plan, scheme)


def note_of(row):
    """What the table does not have of a wall row."""
    load, counts, edge = row["load"], row["kernels"]["ggsn"], row["edges"]
    pacing = row["pacing"][0] if row["pacing"] else {}
    return (f"# {row['queues']}, {row['congestion_control']}: {row['objects']} objects whole, broken {row['broken'] or 'none'}; sent again "
            f"{counts.get('RetransSegs', 0)} of {counts.get('OutSegs', 0)} segments, {counts.get('TCPTimeouts', 0)} time-outs; clamped "
            f"{pacing.get('clamped', 0)}; edges moved back {edge['moved_back']} times, at {edge['connections_moved_back']} of "
            f"{edge['connections']} connections, {edge['into_sent']} times into sent data; beyond the greatest edge: {edge['fault'] or 'nothing'}; "
            f"processors busy {100 * load['busy']:.0f} %, load {load['mean_1min']:.1f}, gbflow {100 * load['gbflow_s'] / load['seconds']:.0f} % of one")


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=int, default=900, choices=range(11, 86401), metavar="N")
    parser.add_argument("--users", type=int, default=stacks_plan.MOST, choices=range(stacks_plan.STEP, stacks_plan.MOST + 1, stacks_plan.STEP))
    parser.add_argument("--schemes", default="red,fq-codel,cake,windows")
    parser.add_argument("--cc", default="cubic,bbr")
    parser.add_argument("--window", type=int, default=65535, choices=range(4096, 1048577), metavar="OCTETS")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--classic", action="store_true")
    parser.add_argument("--json")
    parser.add_argument("--of", nargs="+", metavar="FILE")
    given = parser.parse_args()
    given.schemes, given.cc = given.schemes.split(","), given.cc.split(",")
    if set(given.schemes) - set(stacks_plan.SCHEMES):
        parser.error(f"schemes are {', '.join(stacks_plan.SCHEMES)}")
    return given


def summary(paths):
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            rows += json.load(file)["rows"]
    print("\n".join(stacks_rows.summary(rows)))
    return exit_status(rows)


def exit_status(rows):
    return 1 if any(row.get("broken") or row.get("edges", {}).get("fault") for row in rows) else 0


def main():
    given = arguments()
    if given.of:
        return summary(given.of)
    reason = gateway.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # either ends what was started
    plan, rows = stacks_plan.plan_of(given.users, given.seconds, given.window, given.seed, given.classic), []
    print(stacks_rows.head(), flush=True)
    for control in controls_of(given.cc):
        for scheme in given.schemes:
            for row in rows_of(plan, scheme, control):
                rows.append(row)
                print(stacks_rows.line_of(row), flush=True)
                if row["time"] == "wall":
                    print(note_of(row), file=sys.stderr, flush=True)
                if given.json:
                    write(given, rows)
    return exit_status(rows)


def write(given, rows):
    with open(given.json, "w", encoding="utf-8") as file:
        json.dump({"schema": SCHEMA, "seconds": given.seconds, "users": given.users, "window": given.window, "seed": given.seed,
                   "classic": given.classic, "rows": rows}, file, indent=1)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
