# SPDX-License-Identifier: BSD-3-Clause
"""A BSS that configures its NSE by IP-SNS (TS 48.016 clause 6.2), from one or more sockets."""
import socket
import struct

import bss_peer
from gb_oracle import bssgp

SNS_ACK, SNS_ADD, SNS_CHANGEWEIGHT, SNS_CONFIG, SNS_CONFIG_ACK, SNS_DELETE, SNS_SIZE, SNS_SIZE_ACK = range(12, 20)
IP4_LIST, IP6_LIST = 5, 6
IP4_ENDPOINTS, IP6_ENDPOINTS = 8, 9


def endpoint(address, port, signalling=1, data=1):
    """One element of a list."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return socket.inet_pton(family, address) + struct.pack(">HBB", port, signalling, data)


def endpoints(octets):
    """The elements of an SNS-CONFIG's or SNS-ADD's list: (address, port, weights)."""
    family, size = (socket.AF_INET, 4) if octets[6] == IP4_LIST else (socket.AF_INET6, 16)
    body = octets[8:]
    assert octets[6:8] == bytes([octets[6], 0x80 | len(body)]), octets.hex()
    return [(socket.inet_ntop(family, body[i:i + size]), *struct.unpack(">HBB", body[i + size:i + size + 4]))
            for i in range(0, len(body), size + 4)]


class Peer(bss_peer.Peer):
    """Where IP-SNS begins. heard: what the node has said of its own endpoints."""

    def nsei_ie(self):
        return bssgp.tlv(4, struct.pack(">H", self.nsei))

    def is_ipv6(self):
        return self.sock.family == socket.AF_INET6

    def endpoint_list(self, listed):
        return bssgp.tlv(IP6_LIST if self.is_ipv6() else IP4_LIST, b"".join(listed))

    def size(self, count, reset=True, most=64):
        """Returns the cause of the answer, None: accepted."""
        octets = bytes([SNS_SIZE]) + self.nsei_ie() + bytes([0x0A, reset, 7]) + struct.pack(
            ">HBH", most, IP6_ENDPOINTS if self.is_ipv6() else IP4_ENDPOINTS, count)
        return self.cause(self.ns_ask(octets, SNS_SIZE_ACK))

    @staticmethod
    def cause(answer):
        return answer[-1] if len(answer) > 5 else None

    def config(self, listed):
        """Both ways: ours is acknowledged, theirs taken and acknowledged."""
        octets = bytes([SNS_CONFIG, 1]) + self.nsei_ie() + self.endpoint_list(listed)
        cause = self.cause(self.ns_ask(octets, SNS_CONFIG_ACK))
        if cause is None:
            theirs = self.take(self.ns, lambda answer: answer[0] == SNS_CONFIG)
            self.heard = endpoints(theirs)
            self.send(bytes([SNS_CONFIG_ACK]) + self.nsei_ie())
        return cause

    def change(self, kind, transaction, listed):
        """SNS-ADD, SNS-DELETE or SNS-CHANGEWEIGHT; returns the cause, None: done."""
        octets = bytes([kind]) + self.nsei_ie() + bytes([transaction]) + self.endpoint_list(listed)
        answer = self.ns_ask(octets, SNS_ACK)
        assert answer[5] == transaction, answer.hex()
        return answer[8] if len(answer) > 6 else None

    def bring_up_ns(self):
        assert self.size(1) is None
        assert self.config([endpoint(*self.sock.getsockname()[:2])]) is None
