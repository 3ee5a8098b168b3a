# SPDX-License-Identifier: BSD-3-Clause
"""Echo: a ping of a lab's own (RFC 792): it shows that the chain carries packets,
on a machine without the program ping."""

import os
import socket
import struct
import time

from gbflow_lab import network

REQUEST, REPLY, IP_OCTETS = 8, 0, 20
EVERY_S = 1.0
WORD = b"gbflow lab"


def checksum(octets: bytes) -> int:
    """RFC 1071, of an even number of octets."""
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def request(number: int, sequence: int) -> bytes:
    body = struct.pack(">HH", number, sequence) + WORD
    return struct.pack(">BBH", REQUEST, 0, checksum(struct.pack(">BBH", REQUEST, 0, 0) + body)) + body


def answered(sock: socket.socket, number: int, until_at: float) -> bool:
    """Whether an answer to any request of this number arrives until then."""
    while (left := until_at - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            message = sock.recv(2048)[IP_OCTETS:]
        except TimeoutError:
            return False
        if message[:1] == bytes([REPLY]) and message[4:6] == struct.pack(">H", number):
            return True
    return False


def wait_ms(namespace: str, address: str, limit_s: float) -> float | None:
    """From the first request of a host until an answer, one request a second; None: no answer."""
    number, began_at = os.getpid() & 0xFFFF, time.monotonic()
    with network.inside(namespace):
        sock = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    with sock:
        for sequence in range(int(limit_s / EVERY_S)):
            sock.sendto(request(number, sequence), (address, 0))
            if answered(sock, number, time.monotonic() + EVERY_S):
                return 1000 * (time.monotonic() - began_at)
    return None
