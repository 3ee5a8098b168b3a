#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The rate that a phone gets in a lab with the real osmo-pcu, beside that of the same cell in virtual time: UDP packets of 500 octets
at a third more than the air carries, with and without `flow_control.bss_target`.

usage: lab_rates.py [--seconds 20] [--slots 1,2,4] [--codings CS-4,MCS-9]      needs root, and osmo-pcu, osmo-hlr, osmo-ggsn

Prints a table for docs/interop.md, kbit/s of IP octets. Seconds are those of the air, 50 periods of 20 ms that the lab's BTS has played: a
busy machine has fewer periods, which does not count. Each of two rounds has the target on, then off, both from an idle radio on.
"timeslots": those with a block to the phone; "blocks": data blocks in a period without the target; "repeated": RLC blocks in a period
that the phone had already; "announced": the least and the largest R of the cell with the target.
"""
import argparse
import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

import node

sys.path.append(os.path.normpath(os.path.join(node.ROOT, "python")))

from gbflow_lab import network, phones  # noqa: E402

PERIODS_S = 50
CLASSES = {1: 1, 2: 2, 4: 8}  # multislot class with so many timeslots downlink, and one uplink
PAYLOAD = {"CS-4": 50, "MCS-9": 148}  # octets in a period
PACKET, PORT, MORE = 500, 5000, 4 / 3
SETTLE_S, QUIET_S, MOST_S, ROUNDS = 10, 2, 600, 2
TARGET = '  flow_control = { bss_target = "250 ms" },\n'
SCENARIO = """return {
  title = "A phone's rate", duration = "60 s", warmup = "20 s", sgsn = { queues = { aqm = { scheme = "codel" } }, %(target)s },
  cells = { { bvci = 2, pdchs = 4, coding = "%(coding)s", downlink_slots = %(slots)d, retransmission = "100 ms",
    flow_control = { policy = "osmo_pcu", bucket_time = "10 s", every = "1 s", measurement = true } } },
  mobiles = { { name = "phone", traffic = { { cbr = { rate = "%(kbps)d kbit/s" } } } } },
}
"""


def air_kbps(slots, coding):
    return slots * PAYLOAD[coding] * 8 * PERIODS_S / 1000


class Lab:
    """A lab with one phone, which has a context."""

    def __init__(self, name, slots, coding):
        self.name, self.folder = name, pathlib.Path("/run") / name
        self.call("up", "--bss", "osmo-pcu", "--phones", "1", "--coding", coding, "--multislot", str(CLASSES[slots]))
        self.address, = next(iter(json.loads(self.call("status", "--json"))["phone_addresses"].values()))

    def call(self, part, *words):
        return self.run("lab", part, "--name", self.name, *words)

    @staticmethod
    def run(*words):
        done = subprocess.run([node.program(), *words], capture_output=True, text=True, check=False, timeout=MOST_S)
        if done.returncode != 0:
            raise AssertionError(f"{' '.join(words)}: {done.stderr}")
        return done.stdout

    def counts(self):
        """Of the BTS: periods so far, the phone's blocks by scheme and by timeslot, and those that it had already."""
        read = json.loads((self.folder / "bts-counts.json").read_text())
        return read["periods"], *(read["mobiles"][0][key] for key in ("blocks", "slots", "repeated"))

    def next_counts(self):
        """The same, as soon as the BTS has written new ones."""
        before = self.counts()[0]
        while (now := self.counts())[0] == before:
            time.sleep(0.005)
        return now

    def wait(self, seconds):
        """Of the air."""
        began, end = self.counts()[0], time.monotonic() + MOST_S
        while self.counts()[0] < began + seconds * PERIODS_S:
            if time.monotonic() > end:
                raise AssertionError("the BTS stands still")
            time.sleep(0.1)

    def wait_for_quiet(self):
        """Until the phone has heard nothing for some time: its TBF is over."""
        before = None
        while (now := self.counts()[1]) != before:
            before = now
            self.wait(QUIET_S)

    def rate_bps(self):
        """R that the cell has announced."""
        return json.loads(self.run("show", "bvc", "--json", "--prefix", self.name))[0]["rate_bps"]

    def set_target(self, is_on):
        path = self.folder / "node.lua"
        text = path.read_text().replace(TARGET, "").replace("  queues = ", (TARGET if is_on else "") + "  queues = ")
        if text.count(TARGET) != is_on or text.count("bss_target") != is_on:
            raise AssertionError(f"target {is_on}: {text}")
        path.write_text(text)
        self.run("reload", "--prefix", self.name)

    def pcu(self, command):
        """What osmo-pcu answers at its console."""
        with contextlib.closing(phones.Vty(f"{self.name}-bss", 4240, "OsmoPCU")) as vty:
            return vty.ask(command)

    def close(self):
        self.call("down")
        shutil.rmtree(self.folder)


class Stream:
    """UDP to the phone, from a thread; octets that arrived counts IP octets."""

    def __init__(self, lab, kbps):
        self.address, self.gap_s, self.octets, self.is_open = lab.address, PACKET * 8 / kbps / 1000, 0, True
        with network.inside(f"{lab.name}-phones"):
            self.far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with network.inside(f"{lab.name}-ggsn"):
            self.near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.far.bind((lab.address, PORT))
        self.far.settimeout(0.2)
        self.near.bind((network.SERVER, PORT))
        self.threads = [threading.Thread(target=work, daemon=True) for work in (self._send, self._receive)]
        for thread in self.threads:
            thread.start()

    def _send(self):
        due = time.monotonic()
        while self.is_open:
            self.near.sendto(bytes(PACKET - 28), (self.address, PORT))
            due += self.gap_s
            time.sleep(max(0.0, due - time.monotonic()))

    def _receive(self):
        while self.is_open:
            with contextlib.suppress(TimeoutError):
                self.octets += len(self.far.recv(2 * PACKET)) + 28

    def close(self):
        self.is_open = False
        for thread in self.threads:
            thread.join(5)
        self.near.close()
        self.far.close()


class Span:
    """What the phone got in some seconds of the air; rates: R of the cell meanwhile, bit/s. used, repeated: data blocks in a
    period, and RLC blocks that it had already."""

    def __init__(self, lab, stream, seconds):
        periods, blocks, slots, repeated = lab.next_counts()
        octets, self.rates = stream.octets, []
        for _ in range(seconds):
            lab.wait(1)
            self.rates.append(lab.rate_bps())
        now, blocks_now, slots_now, repeated_now = lab.next_counts()
        self.kbps = (stream.octets - octets) * 8 / 1000 / ((now - periods) / PERIODS_S)
        self.blocks = {scheme: count - blocks.get(scheme, 0) for scheme, count in blocks_now.items() if count > blocks.get(scheme, 0)}
        self.used = sum(self.blocks.values()) / (now - periods)
        self.repeated = (repeated_now - repeated) / (now - periods)
        self.slots = sorted(slot for slot, count in slots_now.items() if count > slots.get(slot, 0))


def measure(name, slots, coding, seconds):
    """Spans with the target, and without."""
    lab = Lab(name, slots, coding)
    try:
        found = {True: [], False: []}
        for _ in range(ROUNDS):
            for is_on in found:
                lab.set_target(is_on)
                found[is_on].append(span_of(lab, MORE * air_kbps(slots, coding), seconds))
        return found[True], found[False]
    finally:
        lab.close()


def span_of(lab, kbps, seconds):
    """From an idle radio on: osmo-pcu has no queue of a span before."""
    lab.wait_for_quiet()
    stream = Stream(lab, kbps)
    try:
        lab.wait(SETTLE_S)
        return Span(lab, stream, seconds)
    finally:
        stream.close()


def virtual_kbps(slots, coding, has_target):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "cell.lua"
        path.write_text(SCENARIO % {"target": TARGET.strip(" ,\n") if has_target else "", "coding": coding, "slots": slots,
                                    "kbps": MORE * air_kbps(slots, coding)})
        Lab.run("run", str(path), "--no-report", "--out", folder)
        return json.loads((pathlib.Path(folder) / "summary.json").read_text())["mobiles"][0]["goodput_bps"] / 1000 * PACKET / (PACKET - 28)


def mean(spans):
    return sum(span.kbps for span in spans) / len(spans)


def row(slots, coding, bound, free):
    virtual = [virtual_kbps(slots, coding, has_target) for has_target in (False, True)]
    rates = [rate / 1000 for span in bound for rate in span.rates]
    used = max((span.slots for span in bound + free), key=len)
    cells = [slots, coding, f"{air_kbps(slots, coding):.1f}", *(f"{value:.1f}" for value in virtual), f"{mean(free):.1f}",
             f"{mean(bound):.1f}", f"{100 * mean(bound) / mean(free):.1f} %", len(used),
             f"{free[0].used:.2f}", f"{free[0].repeated:.2f}", f"{min(rates):.1f} to {max(rates):.1f}"]
    return "| " + " | ".join(map(str, cells)) + " |"


HEAD = ["slots", "coding", "air", "virtual", "with target", "osmo-pcu", "with target", "with by without", "timeslots", "blocks", "repeated", "announced"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--slots", type=lambda text: [int(word) for word in text.split(",")], default=list(CLASSES))
    parser.add_argument("--codings", type=lambda text: text.split(","), default=list(PAYLOAD))
    given = parser.parse_args()
    name = f"gblr{os.getpid() % 10000}"
    print("| " + " | ".join(HEAD) + " |\n" + "|" + " --- |" * len(HEAD), flush=True)
    for coding in given.codings:
        for slots in given.slots:
            print(row(slots, coding, *measure(name, slots, coding, given.seconds)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
