#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A traffic source in the place of a GGSN: users' packets in GTP-U, to each mobile of lab.lua in turn.

PACKETS_PER_S (200) and OCTETS (500) of an N-PDU are taken from the environment. Echo Requests are answered.
"""
import os
import signal
import socket
import struct
import sys
import time

OURS, NODE, PORT = "192.0.2.2", "192.0.2.1", 2152
SERVER, FIRST_ADDRESS, MOBILES = "203.0.113.1", "10.45.0.0", 100
ECHO_REQUEST, ECHO_RESPONSE, G_PDU = 1, 2, 255
RECOVERY = b"\x0e\x00"


def checksum(octets):
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def user_packet(mobile, octets):
    """IPv4 and UDP, zeros inside."""
    address = struct.pack(">I", struct.unpack(">I", socket.inet_aton(FIRST_ADDRESS))[0] + mobile)
    head = struct.pack(">BBHHHBBH", 0x45, 0, octets, 0, 0, 64, 17, 0) + socket.inet_aton(SERVER) + address
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    return head + struct.pack(">HHHH", 4000, 4000, octets - 20, 0) + bytes(octets - 28)


def g_pdu(mobile, octets):
    return struct.pack(">BBHI", 0x30, G_PDU, octets, mobile) + user_packet(mobile, octets)


def answer_echoes(sock):
    while True:
        try:
            octets, sender = sock.recvfrom(2048, socket.MSG_DONTWAIT)
        except (BlockingIOError, ConnectionError):
            return
        if len(octets) >= 12 and octets[1] == ECHO_REQUEST:
            answer = struct.pack(">BBHI", 0x32, ECHO_RESPONSE, 4 + len(RECOVERY), 0) + octets[8:10] + b"\0\0" + RECOVERY
            sock.sendto(answer, sender)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    per_s, octets = int(os.environ.get("PACKETS_PER_S", "200")), int(os.environ.get("OCTETS", "500"))
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.bind((OURS, PORT))
    frames = [g_pdu(mobile, octets) for mobile in range(1, MOBILES + 1)]
    began_at, sent = time.monotonic(), 0
    print(f"source: {per_s} packets of {octets} octets a second to {MOBILES} mobiles", flush=True)
    while True:
        answer_echoes(sock)
        due = int((time.monotonic() - began_at) * per_s)
        for number in range(sent, min(due, sent + per_s)):
            sock.sendto(frames[number % MOBILES], (NODE, PORT))
        sent = due
        time.sleep(0.01)


if __name__ == "__main__":
    main()
