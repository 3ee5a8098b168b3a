#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Sends G-PDUs from many UDP ports to a node's Gn card: what a card spreads over its queues by addresses and ports.

usage: spray.py INTERFACE MAC COUNT MOBILES      in the namespace of the cards; addresses and TEIDs of gbflow bench node
"""
import socket
import struct
import sys
import time

SGSN, GGSN, SERVER = "10.0.0.1", "10.0.0.2", "198.51.100.10"
SOURCE_MAC = bytes.fromhex("026762660001")
MOBILE_NET, GTPU_PORT, FIRST_PORT = 0x64400000, 2152, 20000
OCTETS = 64
PAUSE_S = 0.005  # below what an emulated processor can take


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def ipv4(source, destination, payload):
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, 17, 0) + source + destination
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def udp(source, destination, payload):
    return struct.pack(">HHHH", source, destination, 8 + len(payload), 0) + payload


def frame(mac, number, mobiles):
    mobile = number % mobiles
    user = ipv4(socket.inet_aton(SERVER), struct.pack(">I", MOBILE_NET + mobile), udp(4000, 4000, bytes(OCTETS - 28)))
    gtpu = struct.pack(">BBHI", 0x30, 0xff, len(user), mobile + 1) + user
    outer = ipv4(socket.inet_aton(GGSN), socket.inet_aton(SGSN), udp(FIRST_PORT + number, GTPU_PORT, gtpu))
    return mac + SOURCE_MAC + b"\x08\x00" + outer


def main():
    interface, mac, count, mobiles = sys.argv[1], bytes.fromhex(sys.argv[2].replace(":", "")), int(sys.argv[3]), int(sys.argv[4])
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.bind((interface, 0))
        for number in range(count):
            sock.send(frame(mac, number, mobiles))
            time.sleep(PAUSE_S)


if __name__ == "__main__":
    main()
