# SPDX-License-Identifier: BSD-3-Clause
"""Puts NS PDUs on Gb in somebody else's name: the node's towards the PCU, or the PCU's towards the node."""
import fcntl
import socket
import struct

import lab

from gb_oracle import writer

SIOCGIFHWADDR, NODE_PORT = 0x8927, 23000


def mac_of(place, side, interface):
    with place.inside(side), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        return fcntl.ioctl(sock, SIOCGIFHWADDR, struct.pack("16s24x", interface.encode()))[18:24]


class Injector:
    def __init__(self, place):
        self.macs = {"node": mac_of(place, "node", "gb0"), "bss": mac_of(place, "bss", "gb1")}
        self.socks = {}
        for side, interface in (("node", "gb0"), ("bss", "gb1")):
            with place.inside(side):
                self.socks[side] = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
            self.socks[side].bind((interface, 0))

    def to_pcu(self, ns_pdu, port=23000):
        frame = writer.frame((lab.GB_SGSN, NODE_PORT), (lab.GB_BSS, port), ns_pdu)
        self.socks["node"].send(self.macs["bss"] + self.macs["node"] + frame[12:])

    def to_node(self, ns_pdu, port=23000):
        frame = writer.frame((lab.GB_BSS, port), (lab.GB_SGSN, NODE_PORT), ns_pdu)
        self.socks["bss"].send(self.macs["node"] + self.macs["bss"] + frame[12:])

    def close(self):
        for sock in self.socks.values():
            sock.close()


def unitdata(bvci, bssgp_pdu):
    """An NS-UNITDATA."""
    return struct.pack(">BBH", 0, 0, bvci) + bssgp_pdu
