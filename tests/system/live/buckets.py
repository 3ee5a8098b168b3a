#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A live node whose BSS changes all buckets at random, under more load than they let pass; judged by tests/oracles/flow.

usage: buckets.py [--seconds 600] [--pps 3000] [--seed 1] [--cbl] [--keep FILE]

Eight mobiles with two contexts each, one of a packet flow, in two cells. The BSS changes R, Bmax and defaults of cells, of mobiles
and of packet flows, sends LLC-DISCARDED, moves mobiles and resets cells; the GGSN deletes contexts, which come again. Everything
depends on the seed but for what the kernel's clock does. The capture is the node's own, with the instants at which its scheduler
decided. Prints the figures of the judge; exit status 1: an LLC-PDU broke a bucket. Needs root.
"""
import argparse
import os
import random
import struct
import subprocess
import sys
import tempfile
import threading
import time

import lab
import node

import bss_peer
import strict_ggsn
import test_walk
from gb_oracle import bssgp, gtp, llc, sndcp

sys.path.insert(0, os.path.join(node.ROOT, "tests", "oracles", "flow"))

from flow_judge import cli  # noqa: E402  pylint: disable=wrong-import-position

MOBILES, CELLS, TH_S = 8, (1800, 1801), 5
PFI, FEATURES, CBL = 0x28, 0x21, 0x02
CREATE_PFC, CREATE_PFC_ACK, DELETE_PFC, DELETE_PFC_ACK = 0x51, 0x52, 0x56, 0x57
FLUSH_LL, FLUSH_LL_ACK, FLUSH_ACTION, FLUSHED = 0x2A, 0x2B, 0x0C, 0x25
RATES = (0, 40000, 200000, 400000, 800000, 1600000, 3200000)
SIZES = (500, 700, 1600, 3000, 6000, 12000, 30000)
SERVER = "192.0.2.99"
# How many of each a second.
RATE_OF = {"cell": 1.5, "mobile": 2.5, "flow": 3.0, "twice": 0.5, "discarded": 3.0, "move": 0.5, "delete": 0.3, "reset": 0.03}
CELL_MORE = ' }, { bvci = 1801, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 2 }'


def two(value):
    return struct.pack(">H", value)


def four(value):
    return struct.pack(">I", value)


def tlli_of(number):
    return node.TLLI + number


def mobiles():
    """The list of the configuration: a tunnel that is given, and a context at the GGSN with a packet flow."""
    ends = f'sgsn_address = "{lab.GN_SGSN}", ggsn_address = "{lab.GN_GGSN}"'
    rows = [f'{{ imsi = "26242000000000{number}", msisdn = "4917000000{number}", tlli = {tlli_of(number)}, bvci = {CELLS[number % 2]}, '
            f'contexts = {{ {{ nsapi = 5, teid = {node.TEID + number}, ggsn_teid = {node.GGSN_TEID + number}, '
            f'address = "10.45.0.{number + 1}", {ends} }}, {{ nsapi = 6, apn = "internet", pfi = {8 + number}, {ends} }} }} }}'
            for number in range(MOBILES)]
    return ", ".join(rows) + ' }, moves = { every = "0 s"'


class Ggsn(strict_ggsn.StrictGgsn):
    """Takes any request; a context's address and TEIDs are by its mobile."""

    def _create(self, _, elements):
        self.count += 1
        context = strict_ggsn.Context(1 + self.count % 250, elements)
        context.teid = 0x5000 + self.count
        self.contexts = [*self.contexts, context]
        body = (strict_ggsn.tv(1, b"\x80") + strict_ggsn.tv(8, b"\xfe") + strict_ggsn.tv(16, four(0x6000 + self.count))
                + strict_ggsn.tv(17, four(context.teid)) + strict_ggsn.tv(127, four(self.count))
                + strict_ggsn.tlv(128, b"\xf1\x21" + context.ipv4) + 2 * strict_ggsn.tlv(133, strict_ggsn.address(lab.GN_GGSN))
                + strict_ggsn.tlv(135, context.qos))
        return context.their_teid, body

    def _carry(self, octets, sender):
        """Users' packets up lead nowhere."""


class Bss(bss_peer.Peer):
    """Both cells; answers what the SGSN asks by itself, and counts LLC-PDUs."""

    def __init__(self, *args, features=FEATURES, seed=1):
        self.features, self.chance, self.down, self.flows = features, random.Random(f"{seed}/bss"), 0, {}
        super().__init__(*args)

    def _sort(self, octets, sender):
        if octets[0] != bssgp.NS_UNITDATA or len(octets) < 5:
            super()._sort(octets, sender)
        elif octets[4] == bssgp.DL_UNITDATA:
            self.down += 1
        else:
            self._take(octets[2] << 8 | octets[3], bssgp.decode(octets[4:]))

    def _take(self, bvci, pdu):
        who = bssgp.tlv(bssgp.TLLI, four(pdu.tlli or 0))
        flow = bssgp.tlv(PFI, pdu.elements.get(PFI, b"\0"))
        if pdu.kind == CREATE_PFC:
            self.send_bssgp(bvci, bytes([CREATE_PFC_ACK]) + who + flow + bssgp.tlv(0x3A, pdu.elements[0x3A]))
            self.flows = {**self.flows, (pdu.tlli, pdu.number(PFI)): bvci}
        elif pdu.kind == DELETE_PFC:
            self.send_bssgp(bvci, bytes([DELETE_PFC_ACK]) + who + flow)
            self.flows = {key: where for key, where in self.flows.items() if key != (pdu.tlli, pdu.number(PFI))}
        elif pdu.kind == FLUSH_LL:
            gone = self.chance.randrange(0, 3000)
            self.send_bssgp(0, bytes([FLUSH_LL_ACK]) + who + bssgp.tlv(FLUSH_ACTION, b"\0")
                            + bssgp.tlv(FLUSHED, gone.to_bytes(3, "big")))
        elif pdu.kind in (bssgp.BVC_RESET_ACK, bssgp.BVC_UNBLOCK_ACK):
            self.bssgp.put(pdu)

    def cell_id_of(self, bvci):
        return bss_peer.CELL_ID[:6] + two(CELLS.index(bvci) + 1)

    def reset(self, bvci):
        names, cause = bssgp.tlv(bssgp.BVCI, two(bvci)), bssgp.tlv(7, b"\x08")
        rest = bssgp.tlv(8, self.cell_id_of(bvci)) if bvci else bssgp.tlv(bssgp.FEATURES, bytes([self.features]))
        self.bvc_ask(bytes([bssgp.BVC_RESET]) + names + cause + rest, bssgp.BVC_RESET_ACK)
        if bvci:
            self.bvc_ask(bytes([bssgp.BVC_UNBLOCK]) + names, bssgp.BVC_UNBLOCK_ACK)

    def begin(self):
        self.bring_up_ns()
        for bvci in (0, *CELLS):
            self.reset(bvci)


class Changes:
    """What the BSS and the GGSN do, each by its name in RATE_OF."""

    def __init__(self, bss, ggsn, seed):
        self.bss, self.ggsn, self.chance, self.tag, self.nu = bss, ggsn, random.Random(f"{seed}/changes"), 0, [0] * MOBILES
        self.where = {tlli_of(number): CELLS[number % 2] for number in range(MOBILES)}
        self.counts = dict.fromkeys(RATE_OF, 0)

    def values(self):
        return self.chance.choice(SIZES), self.chance.choice(RATES)

    def announce(self, bvci, kind, who, elements):
        self.tag = (self.tag + 1) % 256
        if self.bss.features & CBL and kind != bssgp.FC_PFC:
            elements = [*elements, (bssgp.RATIO, bytes([self.chance.randrange(0, 130)]))]
        rows = [*who, (bssgp.TAG, bytes([self.tag])), *elements]
        self.bss.send_bssgp(bvci, bytes([kind]) + b"".join(bssgp.tlv(name, value) for name, value in rows))

    def cell(self, bvci=None, is_open=False):
        (size, rate), (ms_size, ms_rate) = self.values(), self.values()
        rate = 6400000 if is_open else 2 * rate
        size = max(size, 1600)
        self.announce(bvci or self.chance.choice(CELLS), bssgp.FC_BVC, [], [
            (bssgp.BVC_BUCKET, two(size // 100)), (bssgp.LEAK_RATE, two(rate // 100)), (bssgp.BMAX_MS_DEFAULT, two(ms_size // 100)),
            (bssgp.RATE_MS_DEFAULT, two(ms_rate // 100))])

    def mobile(self, tlli=None):
        tlli = tlli or self.chance.choice(list(self.where))
        size, rate = self.values()
        self.announce(self.where[tlli], bssgp.FC_MS, [(bssgp.TLLI, four(tlli))], [
            (bssgp.MS_BUCKET, two(size // 100)), (bssgp.LEAK_RATE, two(rate // 100))])

    def flow(self):
        if not self.bss.flows:
            return
        (tlli, pfi), bvci = self.chance.choice(sorted(self.bss.flows.items()))
        size, rate = self.values()
        entry = bytes([1, pfi]) + two(size // 100) + two(rate // 100)
        entry += bytes([self.chance.randrange(0, 130)]) if self.bss.features & CBL else b""
        self.announce(bvci, bssgp.FC_PFC, [(bssgp.TLLI, four(tlli))], [(0x52, entry)])

    def twice(self):
        """Several values, none of which is acknowledged yet."""
        tlli = self.chance.choice(list(self.where))
        for _ in range(3):
            self.mobile(tlli)
            self.cell(self.where[tlli])

    def discarded(self):
        tlli = self.chance.choice(list(self.where))
        flow = next((bssgp.tlv(PFI, bytes([pfi])) for whose, pfi in self.bss.flows if whose == tlli), b"")
        octets = self.chance.randrange(0, 4000)
        self.bss.send_bssgp(0, bytes([bssgp.LLC_DISCARDED]) + bssgp.tlv(bssgp.TLLI, four(tlli)) + bssgp.tlv(0x0F, b"\x01")
                            + bssgp.tlv(bssgp.BVCI, two(self.where[tlli])) + bssgp.tlv(bssgp.OCTETS_AFFECTED, octets.to_bytes(3, "big"))
                            + flow)

    def move(self):
        tlli = self.chance.choice(list(self.where))
        number, bvci = tlli - node.TLLI, sum(CELLS) - self.where[tlli]
        self.where[tlli] = bvci
        packet = test_walk.ipv4_packet(f"10.45.0.{number + 1}", SERVER, 60, self.nu[number])
        frame = llc.encode_ui(3, self.nu[number], next(iter(sndcp.encode(packet, 5, self.nu[number], 500))), command_bit=False)
        self.nu[number] = (self.nu[number] + 1) % 512
        head = bytes([bssgp.UL_UNITDATA]) + four(tlli) + bytes([0, 0, 4])
        self.bss.send_bssgp(bvci, head + bssgp.tlv(8, self.bss.cell_id_of(bvci)) + bssgp.tlv(0, b"") + bssgp.tlv(bssgp.LLC_PDU, frame))

    def delete(self):
        if self.ggsn.contexts:
            context = self.chance.choice(self.ggsn.contexts)
            self.ggsn.contexts = [each for each in self.ggsn.contexts if each is not context] + [context]
            self.ggsn.contexts, gone = self.ggsn.contexts[:-1], self.ggsn.contexts[-1]
            body = strict_ggsn.tv(19, b"\xff") + strict_ggsn.tv(20, bytes([gone.nsapi]))
            head = struct.pack(">BBHIHBB", 0x32, gtp.DELETE_REQUEST, 4 + len(body), gone.their_teid, gone.teid & 0xFFFF, 0, 0)
            self.ggsn.control.sendto(head + body, (lab.GN_SGSN, strict_ggsn.GTPC))

    def reset(self):
        bvci = self.chance.choice(CELLS)
        self.bss.flows = {key: where for key, where in self.bss.flows.items() if where != bvci}
        self.bss.reset(bvci)
        self.cell(bvci)

    def run(self, seconds):
        """For so long; what is late is done at once."""
        end, now = time.monotonic() + seconds, time.monotonic()
        due = {name: now + self.chance.expovariate(rate) for name, rate in RATE_OF.items()}
        while now < end:
            name = min(due, key=due.get)
            time.sleep(max(0, min(due[name], end) - now))
            getattr(self, name)()
            self.counts[name] += 1
            due[name] += self.chance.expovariate(RATE_OF[name])
            now = time.monotonic()


class Load:
    """Packets to all contexts, `pps` in all; sizes at random."""

    def __init__(self, place, ggsn, pps, seed):
        self.ggsn, self.pps, self.chance, self.is_open, self.made = ggsn, pps, random.Random(f"{seed}/load"), True, {}
        with place.inside("ggsn"):
            self.sock = bss_peer.open_socket(lab.GN_GGSN, 40000)
        self.given = [(node.TEID + number, f"10.45.0.{number + 1}") for number in range(MOBILES)]
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _packet(self, address):
        octets = self.chance.choice((40, 60, 80, 100, 150, 200, 300, 480, 1000))
        if (address, octets) not in self.made:
            self.made[address, octets] = test_walk.ipv4_packet(SERVER, address, octets, octets)
        return self.made[address, octets]

    def _run(self):
        sent, began = 0, time.monotonic()
        while self.is_open:
            tunnels = self.given + [(context.their_user, ".".join(map(str, context.ipv4))) for context in self.ggsn.contexts]
            for teid, address in tunnels:
                self.sock.sendto(test_walk.g_pdu(teid, self._packet(address)), (lab.GN_SGSN, strict_ggsn.GTPU))
            sent += len(tunnels)
            time.sleep(max(0.001, began + sent / self.pps - time.monotonic()))

    def close(self):
        self.is_open = False
        self.thread.join(5)
        self.sock.close()


def capture(running, *words):
    command = [node.program(), "capture", "--prefix", running.prefix, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, env=running.environment())
    if done.returncode != 0:
        raise AssertionError(f"capture: {done.stderr}")


def serve(place):
    running = node.Node(place, mobiles=mobiles(), cell_more=CELL_MORE, gn_more=', gtpc = { retry = "500 ms" }',
                        live_more=", log_lines = 1000", more=', timers = { bssgp = { th = "5 s" } }, queues = { mobile = { octets = "20 kB" } }')
    running.wait_for("running")
    return running


def play(place, path, seconds, pps, **more):
    """Captures to a file; returns (records that the capture lost, how often what was done, LLC-PDUs at the BSS)."""
    seed = more.get("seed", 1)
    running, ggsn = serve(place), Ggsn(place)
    try:
        capture(running, path)
        running.show_until("capture", lambda rows: rows[0]["state"] == "on")
        with place.inside("bss"):
            bss = Bss(bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000), features=FEATURES | (CBL if more.get("cbl") else 0), seed=seed)
        bss.begin()
        changes = Changes(bss, ggsn, seed)
        for bvci in CELLS:
            changes.cell(bvci, is_open=True)
        load = Load(place, ggsn, pps, seed)
        changes.run(seconds)
        load.close()
        capture(running, "--stop")
        lost = running.show("capture")[0]["lost"]
        bss.close()
        running.stop()
        return lost, changes.counts, bss.down
    finally:
        ggsn.stop()
        running.kill()


def judge(path):
    return cli.judge(path, th_ns=TH_S * 10**9)


def main():
    parser = argparse.ArgumentParser(description="A live node whose buckets change at random, judged.")
    parser.add_argument("--seconds", type=float, default=600, help="time of traffic (default 600)")
    parser.add_argument("--pps", type=int, default=3000, help="packets a second to all mobiles (default 3000)")
    parser.add_argument("--seed", type=int, default=1, help="of the changes (default 1)")
    parser.add_argument("--cbl", action="store_true", help="with the feature Current Bucket Level")
    parser.add_argument("--keep", help="keep the capture as this file")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        parser.error("it needs root, for network namespaces and devices")
    with tempfile.TemporaryDirectory(prefix="gbflow-buckets-") as folder:
        os.chmod(folder, 0o777)
        path = os.path.abspath(arguments.keep) if arguments.keep else os.path.join(folder, "gb.pcapng")
        place = lab.Lab()
        try:
            lost, counts, _ = play(place, path, arguments.seconds, arguments.pps, seed=arguments.seed, cbl=arguments.cbl)
        finally:
            place.close()
        judged = judge(path)
    print("done:", ", ".join(f"{name} {count}" for name, count in counts.items()))
    print(f"records that the capture lost {lost}")
    for pdu, kind, _, text in judged.found[:30]:
        print(f"violation {kind}: packet {pdu.number} at {pdu.time_ns / 1e9:.9f} s: {text}")
    print("\n".join(cli.lines(judged)))
    return 1 if judged.found or lost else 0


if __name__ == "__main__":
    sys.exit(main())
