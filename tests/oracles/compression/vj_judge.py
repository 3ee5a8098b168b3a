#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Judges dataplane/compression/vj.c by an implementation in Python from RFC 1144, each end against the other's opposite end.

usage: vj_judge.py VJ_PLAY CAPTURE [--packets N] [--seed N]

Random TCP of many connections, then the packets of a capture of Gi by their direction. Prints the packets of each type
and the octets of the headers before and after. Fails if a packet comes out as it did not go in, or if the decompressor
takes a packet without a slot behind a loss.
"""
import argparse
import gzip
import random
import struct
import subprocess
import sys

from rfc1144 import (ACK, COMPRESSED, IP, PSH, UNCOMPRESSED, URG, C, Compressor, Decompressor, ones_sum)

RUN_PACKETS = 50000  # that are in memory at a time
LOST, TOSSED = 3, -4 & 0xFF  # of vj_play.c and enum vj_error
SYN, FIN, RST, ECE, CWR = 2, 1, 4, 0x40, 0x80


def record(kind, octets):
    return struct.pack(">BH", kind, len(octets)) + octets


def records(block):
    at = 0
    while at < len(block):
        kind, octets = struct.unpack(">BH", block[at:at + 3])
        yield kind, block[at + 3:at + 3 + octets]
        at += 3 + octets


def play(program, end, slots, sent):
    return list(records(subprocess.run([program, end, str(slots)], input=b"".join(record(*one) for one in sent),
                                       stdout=subprocess.PIPE, check=True).stdout))


class Connection:
    """One end that sends as a program, its peer and the path have it."""

    def __init__(self, rng):
        self.rng = rng
        self.addresses = bytes((10, 45, 0, rng.randrange(3), 10, 46, 0, rng.randrange(3)))
        self.ports = struct.pack(">HH", rng.randrange(1, 65536), rng.choice((80, 443, 8080)))
        self.seq, self.ack = (rng.choice((rng.randrange(2**32), 2**32 - rng.randrange(20000))) for _ in range(2))
        self.window, self.id, self.ttl, self.tos = rng.randrange(65536), rng.randrange(65536), rng.randrange(1, 256), 0
        self.steps_id, self.data, self.stamp = rng.choice((0, 1, 1, 300)), 0, rng.randrange(2**32)
        self.has_stamps, self.ip_options, self.dont_fragment = rng.random() < 0.4, b"", rng.choice((0, 0x4000))

    def options(self):
        if not self.has_stamps:
            return b""
        self.stamp += self.rng.random() < 0.3
        sack = self.rng.choice((0, 0, 0, 1, 2))
        blocks = b"\1\1\5" + bytes((2 + 8 * sack,)) + struct.pack(">II", self.ack + 9 & 0xFFFFFFFF, 7) * sack
        return b"\1\1\x08\x0a" + struct.pack(">II", self.stamp & 0xFFFFFFFF, 1) + (blocks if sack else b"")

    def packet(self, flags, urgent):
        """The checksum of TCP is any number: it is carried, and never looked at."""
        rng, options = self.rng, self.options()
        self.id = (self.id + (self.steps_id if self.steps_id < 300 else rng.randrange(65536))) % 65536
        tcp = struct.pack(">4sIIBBHHH", self.ports, self.seq % 2**32, self.ack % 2**32, (20 + len(options)) // 4 << 4 | (rng.random() < 0.002),
                          flags, self.window % 65536, rng.randrange(65536), urgent) + options + rng.randbytes(self.data)
        octets = 20 + len(self.ip_options) + len(tcp)
        ip = struct.pack(">BBHHHBBH", 0x40 | 5 + len(self.ip_options) // 4, self.tos, octets, self.id, self.dont_fragment, self.ttl, 6,
                         0) + self.addresses + self.ip_options
        return ip[:10] + struct.pack(">H", 0xFFFF - ones_sum(ip)) + ip[12:] + tcp

    def next(self):
        rng = self.rng
        what = rng.random()
        if what < 0.4:  # new data
            self.seq, self.data = self.seq + self.data, rng.choice((1, 2, 536, 1400, rng.randrange(1400)))
        elif what < 0.75:
            more = rng.choice((1, 1072, 2800, 2800, rng.randrange(90000)))
            self.seq, self.ack, self.data = self.seq + self.data, self.ack + more, 0
            self.window -= more if rng.random() < 0.2 else 0
        elif what < 0.85:  # an echo
            self.seq, self.ack, self.data = self.seq + self.data, self.ack + self.data, rng.choice((1, 2))
        elif what < 0.92:
            self.seq -= rng.choice((0, 0, 1, self.data, rng.randrange(3000)))
        self.window += rng.choice((0,) * 9 + (rng.randrange(-999, 999),))
        if rng.random() < 0.01:
            self.tos, self.ttl = rng.choice(((0, self.ttl), (3, self.ttl), (0, self.ttl ^ 1)))
        if rng.random() < (0.1 if self.ip_options else 0.001):
            self.ip_options = b"" if self.ip_options else b"\1\1\1\0"
        return self.packet(self.flags(), rng.randrange(2000) if rng.random() < 0.02 else 0)

    def flags(self):
        rng = self.rng
        return ACK | rng.choice((0, 0, PSH)) | rng.choices((0, URG, ECE, CWR, FIN, RST, SYN), (900, 20, 5, 5, 2, 2, 2))[0]


def random_tcp(count, seed):
    rng = random.Random(seed)
    connections = [Connection(rng) for _ in range(24)]
    now = 0
    for _ in range(count):
        now = rng.randrange(24) if rng.random() < 0.3 else now
        if rng.random() < 0.001:
            connections[now] = Connection(rng)
        yield connections[now].next()


def capture_ways(path):
    """Packets of a capture of raw IP: to the mobiles, from them; zeros where a packet is cut."""
    with gzip.open(path) as file:
        block = file.read()
    ways, at = ([], []), 24
    while at < len(block):
        octets = struct.unpack("<I", block[at + 8:at + 12])[0]
        packet = block[at + 16:at + 16 + octets].ljust(struct.unpack("<I", block[at + 12:at + 16])[0], b"\0")
        ways[packet[12:14] == bytes((10, 45))].append(packet)
        at += 16 + octets
    return ways


def header_octets(packet):
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[9] != 6:
        return 0
    at = (packet[0] & 15) * 4
    return at + (packet[at + 12] >> 4) * 4 if at + 20 <= len(packet) else 0


def connection_of(packet):
    at = (packet[0] & 15) * 4
    return packet[12:20] + packet[at:at + 4]


def without_options(packet):
    """As a sender without timestamps has it."""
    octets = header_octets(packet)
    if packet[0] != 0x45 or octets <= 40:
        return packet
    ip = packet[:2] + struct.pack(">H", len(packet) - octets + 40) + packet[4:10] + b"\0\0" + packet[12:20]
    ip = ip[:10] + struct.pack(">H", 0xFFFF - ones_sum(ip)) + ip[12:]
    return ip + packet[20:32] + bytes((0x50 | packet[32] & 15,)) + packet[33:40] + packet[octets:]


class Judge:
    def __init__(self, program, slots):
        self.program, self.slots, self.faults = program, slots, 0

    def need(self, is_so, *what):
        self.faults += not is_so
        if not is_so and self.faults < 10:
            print("fault:", *what)

    def compressor(self, name, packets):
        """The program's packets through Python's decompressor."""
        sent = play(self.program, "compress", self.slots, [(IP, packet) for packet in packets])
        self.need(len(sent) == len(packets), name, len(sent), "of", len(packets), "packets")
        end, types = Decompressor(self.slots), [0, 0, 0]
        for number, (packet, (kind, octets)) in enumerate(zip(packets, sent)):
            types[kind] += 1
            try:
                self.need(end.decompress(kind, octets) == packet, name, "packet", number, packet[:60].hex(), kind, octets[:24].hex())
            except Exception as fault:  # any: the program's octets did it
                self.need(False, name, "packet", number, repr(fault), kind, octets[:24].hex())
        before = sum(map(header_octets, packets))
        after = before - sum(map(len, packets)) + sum(len(octets) for _, octets in sent)
        print(f"{name}: {types[IP]} plain, {types[UNCOMPRESSED]} uncompressed, {types[COMPRESSED]} compressed; octets of TCP/IP "
              f"headers {before} to {after}")
        return types

    def decompressor(self, name, packets, leaves_out, loss):
        """Python's packets through the program's decompressor; one of `loss` does not arrive, of 0 all do."""
        end = Compressor(self.slots, leaves_out)
        sent = [end.compress(packet) for packet in packets]
        lost = {number for number in range(len(sent)) if loss and sent[number][0] != IP and number % loss == 0}
        fed = [(LOST, b"") if number in lost else one for number, one in enumerate(sent)]
        got = iter(play(self.program, "decompress", self.slots, fed))
        tosses, shifted, tossed = True, set(), 0
        for number, (kind, octets) in enumerate(sent):
            names = kind == UNCOMPRESSED or kind == COMPRESSED and octets[0] & C
            key = connection_of(packets[number])
            if number in lost:
                tosses = True
                shifted.add(key)
                continue
            error, packet = next(got)
            tosses = tosses and not names
            if kind == COMPRESSED and tosses:
                tossed += 1
                shifted.add(key)
                self.need(error == TOSSED, name, "packet", number, "without a slot gives", error)
                continue
            shifted -= {key} if kind == UNCOMPRESSED else set()
            # A lost packet may have given the slot to another connection.
            if kind == IP or not loss or key not in shifted:
                self.need(error == 0 and packet == packets[number], name, "packet", number, packets[number][:60].hex(), kind,
                          octets[:24].hex(), error, packet[:60].hex())
        print(f"{name}: {sum(kind == COMPRESSED for kind, _ in sent)} of {len(sent)} compressed, {len(lost)} lost, {tossed} tossed")


def streams(given):
    """Names and packets."""
    for run, begin in enumerate(range(0, given.packets, RUN_PACKETS)):
        yield f"random {given.seed + run}", list(random_tcp(min(RUN_PACKETS, given.packets - begin), given.seed + run))
    for way, packets in zip(("to", "from"), capture_ways(given.capture)):
        yield f"capture, {way} mobiles", packets
        yield f"capture without options, {way} mobiles", list(map(without_options, packets))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("capture")
    parser.add_argument("--packets", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    judge = Judge(given.program, 16)
    for name, packets in streams(given):
        types = judge.compressor(name, packets)
        judge.need(types[COMPRESSED] > (0 if name.startswith("capture, ") else len(packets) // 3), name, "compressed too few")
        for leaves_out, loss in ((False, 0), (False, 7), (True, 0), (True, 50)):
            judge.decompressor(f"{name}, slots {'left out' if leaves_out else 'named'}, loss {loss}", packets, leaves_out, loss)
    print(f"{judge.faults} faults")
    return judge.faults > 0


if __name__ == "__main__":
    sys.exit(main())
