# SPDX-License-Identifier: BSD-3-Clause
"""User data between kernels: ping and TCP from a phone's address to a server in the namespace of another side."""
import contextlib
import hashlib
import random
import socket
import struct

import test_walk

PORT, TIMEOUT_S = 5001, 60


def message(kind, seq, octets):
    head = struct.pack(">BBHHH", kind, 0, 0, 9, seq) + bytes(i % 251 for i in range(octets))
    return head[:2] + struct.pack(">H", test_walk.checksum(head)) + head[4:]


def ping(lab, side, source, target, octets=56):
    """An echo request from the kernel address `source` of a side; its answer must have the same octets."""
    asked = message(8, octets, octets)
    with lab.inside(side), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
        sock.settimeout(TIMEOUT_S)
        sock.bind((source, 0))
        sock.sendto(asked, (target, 0))
        packet, (sender, _) = sock.recvfrom(65536)
    assert (sender, packet[16:20], packet[20:22], packet[24:]) == (
        target, socket.inet_aton(source), b"\0\0", asked[4:]), packet.hex()


def fetch(lab, source, server, octets, content=None):
    """The phone at address `source` of side "ms" downloads a file from `server` of side "ggsn", by the kernels' TCP; without
    `content` one of random octets."""
    content = content or random.Random(octets).randbytes(octets)
    with contextlib.ExitStack() as stack:
        with lab.inside("ggsn"):
            listener = stack.enter_context(socket.create_server((server, PORT)))
        with lab.inside("ms"):
            client = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM))
        listener.settimeout(TIMEOUT_S)
        client.settimeout(TIMEOUT_S)
        client.bind((source, 0))
        client.connect((server, PORT))
        far = stack.enter_context(listener.accept()[0])
        far.sendall(content)
        far.shutdown(socket.SHUT_WR)
        got = b"".join(iter(lambda: client.recv(65536), b""))
    assert hashlib.sha256(got).digest() == hashlib.sha256(content).digest(), f"{len(got)} of {octets} octets"
