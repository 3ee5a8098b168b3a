# SPDX-License-Identifier: BSD-3-Clause
"""Plays a TRex profile into a capture, without TRex: stands in for the part of trex_stl_lib.api that bench/traffic uses, which TRex's
manual describes. usage: play.py PROFILE.py OUT.pcap COUNT [NAME=VALUE]...
"""
import random
import runpy
import struct
import sys
import types

from scapy.packet import Packet
from scapy.utils import RawPcapWriter, checksum


class FlowVar:
    """A value that changes from packet to packet."""

    def __init__(self, name, min_value, max_value, size, op):
        assert size == 4 and op in ("random", "inc")
        self.name, self.least, self.most, self.op, self.now = name, min_value, max_value, op, min_value - 1

    def apply(self, _frame, values, chance):
        self.now = chance.randint(self.least, self.most) if self.op == "random" or self.now == self.most else self.now + 1
        values[self.name] = self.now


class Write:
    """The value, and an addend, into the packet."""

    def __init__(self, fv_name, pkt_offset, add_val=0):
        self.name, self.offset, self.more = fv_name, pkt_offset, add_val

    def apply(self, frame, values, _chance):
        struct.pack_into("!I", frame, self.offset, values[self.name] + self.more)


class FixIpv4:
    """The checksum of an IPv4 header."""

    def __init__(self, offset):
        self.offset = offset

    def apply(self, frame, _values, _chance):
        octets = 4 * (frame[self.offset] & 15)
        struct.pack_into("!H", frame, self.offset + 10, 0)
        struct.pack_into("!H", frame, self.offset + 10, checksum(bytes(frame[self.offset:self.offset + octets])))


class Builder:
    """The packet, and the instructions that change it."""

    def __init__(self, pkt, vm):
        assert isinstance(pkt, Packet)
        self.octets, self.program = bytes(pkt), vm


class Stream:
    """One of a profile's streams."""

    def __init__(self, packet, mode):
        assert mode == "continuous"
        self.packet = packet


def stand_in():
    module = types.ModuleType("trex_stl_lib.api")
    module.STLVmFlowVar, module.STLVmWrFlowVar, module.STLVmFixIpv4 = FlowVar, Write, FixIpv4
    module.STLScVmRaw, module.STLPktBuilder, module.STLStream, module.STLTXCont = list, Builder, Stream, lambda: "continuous"
    sys.modules["trex_stl_lib"], sys.modules["trex_stl_lib.api"] = types.ModuleType("trex_stl_lib"), module


def main(profile, out, count, *tunables):
    stand_in()
    stream, = runpy.run_path(profile)["register"]().get_streams(direction=0, port_id=0, **dict(one.split("=", 1) for one in tunables))
    chance = random.Random(1)
    with RawPcapWriter(out, linktype=1) as file:
        file.write_header(None)
        for _ in range(int(count)):
            frame, values = bytearray(stream.packet.octets), {}
            for instruction in stream.packet.program:
                instruction.apply(frame, values, chance)
            file.write(bytes(frame))


if __name__ == "__main__":
    main(*sys.argv[1:])
