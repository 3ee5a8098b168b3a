# SPDX-License-Identifier: BSD-3-Clause
"""IP-SNS of one BSS (TS 48.016 clause 6.2) as its SGSN: it says how many endpoints it has, then which, and hears the
one of ours."""

import math
import socket
from collections.abc import Callable

from gbflow_proxy import wire

Remote = tuple[str, int]
ENDPOINT4_OCTETS, ENDPOINT6_OCTETS = 8, 20


def endpoint(here: Remote) -> bytes:
    """An element of a list, with weights of 1."""
    family = socket.AF_INET6 if ":" in here[0] else socket.AF_INET
    return socket.inet_pton(family, here[0]) + wire.octets_of(here[1]) + b"\1\1"


def endpoints(octets: bytes, at: int) -> list[Remote]:
    """Those of an SNS-CONFIG, SNS-ADD or SNS-DELETE whose list begins at `at`."""
    found = wire.elements(octets, at)
    iei = wire.IP6_LIST if wire.IP6_LIST in found else wire.IP4_LIST
    family, size = (socket.AF_INET6, ENDPOINT6_OCTETS) if iei == wire.IP6_LIST else (socket.AF_INET, ENDPOINT4_OCTETS)
    body = found.get(iei, b"")
    if not body or len(body) % size:
        raise wire.Malformed("no list of IP endpoints")
    parts = [body[start:start + size] for start in range(0, len(body), size)]
    return [(socket.inet_ntop(family, part[:-4]), int.from_bytes(part[-4:-2], "big")) for part in parts]


class Sns:
    """here: our endpoint; send(octets): to where the BSS began; put(remote), take(remote): an NS-VC comes, goes."""

    def __init__(self, nsei: int, here: Remote, retry_s: float) -> None:
        self.ids, self.here, self.retry_s = wire.tlv(wire.NS_EI, wire.octets_of(nsei)), here, retry_s
        self.send: Callable[[bytes], None]
        self.put: Callable[[Remote, float], None]
        self.take: Callable[[Remote, float], None]
        self.offered: list[Remote] = []
        self.known: list[Remote] = []
        self.retry_at = math.inf

    def size(self, now: float) -> None:
        """SNS-SIZE is a new start at any time."""
        for remote in self.known:
            self.take(remote, now)
        self.known, self.offered, self.retry_at = [], [], math.inf
        self.send(bytes([wire.SNS_SIZE_ACK]) + self.ids)

    def receive(self, octets: bytes, now: float) -> None:
        """Another PDU than SNS-SIZE."""
        kind, ids = octets[0], len(self.ids)
        if kind == wire.SNS_CONFIG:
            self._config(octets[1] & 1 == 1, endpoints(octets, 2 + ids), now)
        elif kind == wire.SNS_CONFIG_ACK:
            self.retry_at = math.inf
        elif kind in (wire.SNS_ADD, wire.SNS_DELETE, wire.SNS_CHANGEWEIGHT):
            self._change(kind, octets[1 + ids:2 + ids], endpoints(octets, 2 + ids), now)

    def _config(self, is_last: bool, listed: list[Remote], now: float) -> None:
        self.offered += listed
        self.send(bytes([wire.SNS_CONFIG_ACK]) + self.ids)
        if is_last:
            for remote in self.offered:
                self._put(remote, now)
            self.offered = []
            self._tell(now)

    def _tell(self, now: float) -> None:
        """Our own SNS-CONFIG, until it is acknowledged."""
        iei = wire.IP6_LIST if ":" in self.here[0] else wire.IP4_LIST
        self.send(bytes([wire.SNS_CONFIG, 1]) + self.ids + wire.tlv(iei, endpoint(self.here)))
        self.retry_at = now + self.retry_s

    def _put(self, remote: Remote, now: float) -> None:
        if remote not in self.known:
            self.known.append(remote)
            self.put(remote, now)

    def _change(self, kind: int, transaction: bytes, listed: list[Remote], now: float) -> None:
        """Weights are taken and mean nothing: each NS-VC has the same share."""
        for remote in listed:
            if kind == wire.SNS_ADD:
                self._put(remote, now)
            elif kind == wire.SNS_DELETE and remote in self.known:
                self.known.remove(remote)
                self.take(remote, now)
        self.send(bytes([wire.SNS_ACK]) + self.ids + transaction)

    def tick(self, now: float) -> None:
        if now >= self.retry_at:
            self._tell(now)
