#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""ESP by scapy between a TUN device and an interface of this network namespace: a second opinion of RFC 4303.

usage: esp_gateway.py '{"device": "gn1", "far": "192.0.2.1", "out": SA, "in": SA, "repeat": 0.1, "spoil": 0.1, "seed": 1}'

SA: {"spi", "suite", "key", "auth": hexadecimal digits, "from", "to", "mode", "esn", "udp": [from, to]}. What the kernel sends
to `far` leaves in ESP; of what leaves so, the part `repeat` leaves twice, and a copy of the part `spoil` with another octet
leaves before; with "cut" in fragments of so many octets, in any order. What comes in ESP goes to the kernel. Prints "ready". A line of its input, {"in": SA} or {"out": SA}, is another
association: to be accepted, too, or the one that protects what leaves from now on; it prints "ready". Prints the counts as JSON
at the end of its input.
"""
import fcntl
import json
import os
import random
import select
import socket
import struct
import subprocess
import sys

from scapy.config import conf
from scapy.layers.inet import IP, UDP, fragment
from scapy.layers.inet6 import IPv6
from scapy.layers.ipsec import ESP, SecurityAssociation

TUN, TUNSETIFF, IFF_TUN, IFF_NO_PI = "esp0", 0x400454CA, 1, 0x1000
SUITES = {"aes-gcm-128": ("AES-GCM", "NULL"), "aes-gcm-256": ("AES-GCM", "NULL"), "aes-cbc-128-sha-256": ("AES-CBC", "SHA2-256-128"),
          "aes-cbc-256-sha-256": ("AES-CBC", "SHA2-256-128"), "null-sha-256": ("NULL", "SHA2-256-128")}
ESP_PROTOCOL, ETHER_IP, ETHER_IPV6 = 50, 0x0800, 0x86DD


def association(given):
    cipher, auth = SUITES[given["suite"]]
    outer = (IPv6 if ":" in given["from"] else IP)(src=given["from"], dst=given["to"]) if given["mode"] == "tunnel" else None
    return SecurityAssociation(ESP, spi=given["spi"], crypt_algo=cipher, crypt_key=bytes.fromhex(given["key"]), auth_algo=auth,
                               auth_key=bytes.fromhex(given["auth"]) or None, tunnel_header=outer, esn_en=given["esn"],
                               nat_t_header=UDP(sport=given["udp"][0], dport=given["udp"][1]) if given.get("udp") else None)


def read_ip(octets):
    return (IP if octets[0] >> 4 == 4 else IPv6)(octets)


class Fragments:
    """Of IPv4: put() returns the whole packet that a fragment completes."""
    def __init__(self):
        self.waiting = {}

    def put(self, octets):
        packet = IP(octets)
        if not packet.flags.MF and packet.frag == 0:
            return octets
        key = packet.src, packet.dst, packet.id, packet.proto
        parts = self.waiting.setdefault(key, {})
        parts[packet.frag * 8] = octets[4 * packet.ihl:packet.len], bool(packet.flags.MF)
        whole = b""
        while len(whole) in parts:
            part, more = parts[len(whole)]
            whole += part
            if not more:
                del self.waiting[key]
                return bytes(IP(src=packet.src, dst=packet.dst, proto=packet.proto, tos=packet.tos) / whole)
        return None


class Gateway:
    def __init__(self, given):
        conf.verb = 0
        self.out, self.back, self.given = association(given["out"]), {given["in"]["spi"]: association(given["in"])}, given
        self.chance = random.Random(given.get("seed", 1))
        self.counts = {"out": 0, "in": 0, "bad": 0, "repeated": 0, "spoilt": 0, "plain": 0, "longest": 0, "cut": 0, "sent_cut": 0}
        self.fragments = Fragments()
        self.tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(self.tun, TUNSETIFF, struct.pack("16sH", TUN.encode(), IFF_TUN | IFF_NO_PI))
        for words in (("link", "set", TUN, "mtu", "1400", "up"), ("route", "replace", given["far"], "dev", TUN, "src", given["near"])):
            subprocess.run(["ip", *words], check=True)
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(3))
        self.wire.bind((given["device"], 3))
        self.quiet = socket.socket(socket.AF_INET, socket.SOCK_RAW, ESP_PROTOCOL)  # else the kernel answers by ICMP
        if given["in"].get("udp"):
            self.quiet_udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            self.quiet_udp.bind(("", given["in"]["udp"][1]))
        self.raw = {version: self.raw_socket(family) for version, family in ((4, socket.AF_INET), (6, socket.AF_INET6))}

    def raw_socket(self, family):
        """Whole packets, for which the kernel finds the neighbour."""
        sock = socket.socket(family, socket.SOCK_RAW, socket.IPPROTO_RAW)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, self.given["device"].encode())
        return sock

    def send(self, octets):
        """With `cut` in fragments of so many octets, in any order."""
        packet = read_ip(octets)
        pieces = [octets]
        if 0 < self.given.get("cut", 0) < len(octets) - 4 * packet.ihl:
            self.counts["sent_cut"] += 1
            packet.id = 1 + self.counts["sent_cut"]
            del packet.chksum
            pieces = [bytes(piece) for piece in fragment(packet, self.given["cut"])]
            self.chance.shuffle(pieces)
        for piece in pieces:
            self.raw[packet.version].sendto(piece, (packet.dst, 0))

    def leave(self):
        packet = read_ip(os.read(self.tun, 65536))
        if packet.dst != self.given["far"]:
            return  # multicast of the kernel
        octets = bytes(self.out.encrypt(packet))
        if self.chance.random() < self.given.get("spoil", 0):
            self.counts["spoilt"] += 1
            self.send(octets[:-1] + bytes([octets[-1] ^ 1]))
        self.send(octets)
        self.counts["out"] += 1
        if self.chance.random() < self.given.get("repeat", 0):
            self.counts["repeated"] += 1
            self.send(octets)

    def come(self):
        octets, sender = self.wire.recvfrom(65536)
        if sender[2] == socket.PACKET_OUTGOING or sender[1] not in (ETHER_IP, ETHER_IPV6):
            return
        packet = read_ip(octets)
        if packet.version == 4 and packet.src in (self.given["far"], self.given["in"]["from"]):
            self.counts["longest"] = max(self.counts["longest"], packet.len)
            self.counts["cut"] += packet.frag > 0
            octets = self.fragments.put(octets)
            if octets is None:
                return
            packet = IP(octets)
        if packet.haslayer(ESP):
            try:
                os.write(self.tun, bytes(self.back[packet[ESP].spi].decrypt(packet)))
                self.counts["in"] += 1
            except Exception as error:  # pylint: disable=broad-except
                self.counts["bad"] += 1
                print(repr(error), file=sys.stderr, flush=True)
        elif packet.src == self.given["far"]:
            self.counts["plain"] += 1

    def change(self):
        """False: the input is at its end."""
        line = sys.stdin.readline()
        for direction, given in json.loads(line or "{}").items():
            if direction == "in":
                self.back[given["spi"]] = association(given)
            else:
                self.out = association(given)
        if line:
            print("ready", flush=True)
        return bool(line)

    def serve(self):
        ready = {self.tun: self.leave, self.wire: self.come}
        is_open = True
        print("ready", flush=True)
        while is_open:
            for one in select.select([*ready, sys.stdin], [], [])[0]:
                if one is sys.stdin:
                    is_open = self.change()
                else:
                    ready[one]()
        print(json.dumps(self.counts), flush=True)


if __name__ == "__main__":
    Gateway(json.loads(sys.argv[1])).serve()
