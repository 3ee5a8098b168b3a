#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Right edges that move back, and TCP stacks that get them: servers behind `gbflow serve` with windows, mobiles of `gbflow emulate`.

usage: stacks_edges.py [--connections N] [--stacks LIST] [--loss PERCENT] [--seed N] [--json FILE]
  --connections N  of each stack (2000)
  --stacks LIST    of cubic, bbr, reno: the kernel's TCP with this congestion control; lwip: lwIP (cubic,bbr,lwip)
  --loss PERCENT   of packets between node and server, each way (1)
  --seed N         of sizes, begins and losses (1)

The first connection of a mobile has a window of some 64 kB, as no other wants the mobile's share; up to 31 more begin, and windows fall
to one to three segments. Each packet is judged at the server's device (edges.py). Prints a line for each stack. Needs root, for
namespaces and TUN devices. Exit status: 0; 1 a connection broke, content was not that of the server, or a server sent an octet beyond
the greatest edge that it was given; 77 no namespaces here. GBFLOW names the program, LWIP_SERVER the server with lwIP.
"""
import argparse
import collections
import contextlib
import json
import os
import random
import select
import signal
import subprocess
import sys
import time

import lab
import node

import edges
import gateway
import stacks
import stacks_network

HOSTS = os.path.join(node.HERE, "stacks_edges_hosts.py")
LWIP, LWIP_ADDRESS, LWIP_DEVICE = "lwip", "198.18.0.2", "lw0"
CELLS, OF_CELL = (2, 3, 4, 5), 8  # mobiles
PORT, WINDOW, AT_ONCE, FIRST, OTHERS, MOST_OCTETS = 8080, 65535, 32, (40000, 120000), (1, 12000), 120000
DELAY_S, MTU, BURST = 0.02, 1040, 64
FIRST_TLLI, FIRST_TEID, FIRST_GGSN_TEID = 0xC0000001, 0x1001, 0x20001
# R of a mobile, 400 kbit/s, in 2/3 of the target and the way to the server: 83 kB.
NODE = """return {
  gn = { port = "net_af_packet0,iface=gn0" },
  gb = { address = "198.51.100.1", port = "net_af_packet1,iface=gb0", mtu = "1600 octets" },
  nses = { { nsei = 101, nsvcs = { { nsvci = 101, address = "198.51.100.2" } }, cells = { %(identities)s } } },
  mobiles = { source = "list", ready_timer = "infinite", n201_u = "1520 octets", queue_limit = "1 MB", list = {
%(mobiles)s } },
  queues = { discipline = "q", pacing = { classes = { "background" }, mobile_target = "2400 ms" } },
  live = { idle = "sleep" },
  eal = { prefix = "%%(prefix)s" },
  limits = { npdu_buffers = 32767, mobiles = 64, contexts = 64, fragments = 64 },
}
"""
BSS = """return {
  nsei = 101,
  nsvcs = { { nsvci = 101, address = "198.51.100.2", sgsn_address = "198.51.100.1" } },
  cells = { %(cells)s },
  mobiles = {
%(mobiles)s },
}
"""
IDENTITY = 'bvci = %d, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = %d }'
CELL = ', pdchs = 10, coding = "MCS-9", block_octets = 1000, block_octets_up = 1000, downlink_slots = 1'


def address_of(number):
    return f"10.45.{number // OF_CELL}.{number % OF_CELL + 1}"


def numbers():
    return range(len(CELLS) * OF_CELL)


def teids_of(number):
    return FIRST_TEID + number, FIRST_GGSN_TEID + number


def identities():
    return [IDENTITY % (bvci, bvci) for bvci in CELLS]


def node_text():
    mobiles = ",\n".join(
        f'    {{ imsi = "26242{number:010d}", tlli = 0x{FIRST_TLLI + number:08X}, bvci = {CELLS[number // OF_CELL]}, contexts = {{ {{ nsapi = 5, '
        f'teid = {teids_of(number)[0]}, sgsn_address = "{lab.GN_SGSN}", ggsn_address = "{lab.GN_GGSN}", ggsn_teid = {teids_of(number)[1]}, '
        f'address = "{address_of(number)}", class = "background" }} }} }}' for number in numbers())
    return NODE % {"mobiles": mobiles, "identities": ", ".join(f"{{ {one} }}" for one in identities())}


def bss_text(namespace):
    mobiles = ",\n".join(
        f'    {{ tlli = 0x{FIRST_TLLI + group * OF_CELL:08X}, count = {OF_CELL}, cell = {bvci}, address = "{address_of(group * OF_CELL)}", '
        f'class = "background", n201_u = "1520 octets", '
        f'tun = {{ device = "gbf{group}", namespace = "{namespace}", mtu = "{MTU} octets" }} }}' for group, bvci in enumerate(CELLS))
    return BSS % {"cells": ", ".join(f"{{ {one}{CELL} }}" for one in identities()), "mobiles": mobiles}


class Gateway(gateway.Gateway):
    """Delays packets in order, loses some between node and server, and judges all at the server's device."""

    def __init__(self, place, tunnels, loss, seed):
        self.late, self.edges = collections.deque(), edges.Edges(time.monotonic)
        self.loss, self.chance = loss, random.Random(seed)
        super().__init__(place, tunnels)
        self.sock.setblocking(False)

    def _run(self):
        while self.is_open:
            wait_s = max(0, self.late[0][0] - time.monotonic()) if self.late else 0.2
            ready, _, _ = select.select([self.tun, self.sock], [], [], wait_s)
            if self.tun in ready:
                self.read(lambda: (os.read(self.tun, 65536),), self.edges.down, self._send)
            if self.sock in ready:
                self.read(lambda: self.sock.recvfrom(65536), None, self._take)
            while self.late and self.late[0][0] <= time.monotonic():
                _, call, words = self.late.popleft()
                call(*words)

    def read(self, take, judge, call):
        due_s = time.monotonic() + DELAY_S
        with contextlib.suppress(BlockingIOError):
            for _ in range(BURST):
                words = take()
                if judge:
                    judge(words[0])
                if self.chance.random() >= self.loss:
                    self.late.append((due_s, call, words))

    def _write(self, packet):
        self.edges.up(packet)
        super()._write(packet)


class Host:
    """A program in a namespace that says "ready"."""

    def __init__(self, place, side, words):
        self.process = subprocess.Popen(place.command(side, *words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                                        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        try:
            self.wait("ready")
        except BaseException:
            self.close()
            raise

    def wait(self, word):
        said = self.process.stdout.readline().strip()
        if said != word:
            raise AssertionError(f"{self.process.args[-2]}: '{said}', not '{word}'; status {self.process.poll()}")

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
        self.process.wait(60)
        self.process.stdout.close()


class Run(stacks_network.Network):
    """One stack. `with` ends all of it."""

    def __init__(self, stack, connections, loss=0.01, seed=1):
        self.name, self.connections, self.loss, self.seed = stack, connections, loss, seed

    def open_network(self, stack):
        self.open_sides({**{f"conf.{where}.rp_filter": "0" for where in ("all", "default")}, "ip_forward": "1"})
        self.open_node(stack, node_text())
        self.open_gateway(stack, Gateway(self.lab, {address_of(number): teids_of(number) for number in numbers()}, self.loss, self.seed), MTU)
        self.open_bss(stack, bss_text(self.lab.names["ms"]), CELLS, range(len(CELLS)))

    def open_hosts(self, stack):
        plan, content = os.path.join(self.folder, "plan.json"), os.path.join(self.folder, "content")
        with open(content, "wb") as file:
            file.write(random.Random(self.seed).randbytes(MOST_OCTETS))
        with open(plan, "w", encoding="utf-8") as file:
            json.dump({"address": LWIP_ADDRESS if self.name == LWIP else gateway.ADDRESS, "port": PORT, "control": self.name,
                       "mobiles": [address_of(number) for number in numbers()], "connections": self.connections, "at_once": AT_ONCE,
                       "first": FIRST, "others": OTHERS, "seed": self.seed, "window": WINDOW, "content": content}, file)
        if self.name == LWIP:
            words = [os.environ["LWIP_SERVER"], LWIP_DEVICE, LWIP_ADDRESS, str(PORT), content]
        else:
            words = [sys.executable, HOSTS, "server", plan]
        self.server = Host(self.lab, "ggsn", words)
        stack.callback(self.server.close)
        if self.name == LWIP:
            self.lab.ip(self.lab.names["ggsn"], "link", "set", LWIP_DEVICE, "mtu", str(MTU), "up")
            self.lab.ip(self.lab.names["ggsn"], "route", "add", LWIP_ADDRESS, "dev", LWIP_DEVICE)
        self.clients = Host(self.lab, "ms", [sys.executable, HOSTS, "mobiles", plan])
        stack.callback(self.clients.close)

    def play(self):
        """Until each connection has ended; what the mobiles and the edges say."""
        began_s = time.monotonic()
        self.clients.wait("done")
        found = json.loads(self.clients.process.stdout.readline())
        seconds = time.monotonic() - began_s
        for host in (self.clients, self.server):
            host.close()
        self.bss.stop(signal.SIGTERM)
        self.node.stop()
        return {"stack": self.name, **found, "edges": {**self.gateway.edges.counts(), "fault": self.gateway.edges.fault},
                "clamped": self.node.report["pacing"][0]["clamped"], "seconds": seconds, "wanted": self.connections}


def is_right(row):
    return not row["broken"] and not row["edges"]["fault"] and row["whole"] == row["wanted"]


def line_of(row):
    edge = row["edges"]
    return (f"{row['stack']}: {row['whole']} of {row['wanted']} connections whole, {row['octets']} octets, broken {row['broken'] or 'none'}; "
            f"edges moved back {edge['moved_back']} times, in {edge['connections_moved_back']} of {edge['connections']} connections, by up to "
            f"{edge['farthest_octets']} octets, in {edge['connections_fallen']} of them from {edges.WIDE_OCTETS} to at most "
            f"{edges.NARROW_OCTETS} octets, {edge['into_sent']} times into octets already sent; beyond the greatest edge: "
            f"{edge['fault'] or 'none'}; {edge['sent_again']} segments sent again; {row['seconds']:.0f} s")


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].split("\n\n", maxsplit=1)[0])
    parser.add_argument("--connections", type=int, default=2000)
    parser.add_argument("--stacks", default="cubic,bbr,lwip")
    parser.add_argument("--loss", type=float, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json")
    given = parser.parse_args()
    given.stacks = given.stacks.split(",")
    return given


def main():
    given = arguments()
    reason = gateway.missing()
    if reason:
        print(f"skipped: {reason}")
        return 77
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # either ends what was started
    controls, rows = stacks.controls_of([name for name in given.stacks if name != LWIP]), []
    for name in [name for name in given.stacks if name in (*controls, LWIP)]:
        with Run(name, given.connections, given.loss / 100, given.seed) as run:
            rows.append(run.play())
        print(line_of(rows[-1]), flush=True)
        if given.json:
            with open(given.json, "w", encoding="utf-8") as file:
                json.dump(rows, file, indent=1)
    return 0 if all(map(is_right, rows)) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
