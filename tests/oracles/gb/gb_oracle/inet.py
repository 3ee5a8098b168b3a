# SPDX-License-Identifier: BSD-3-Clause
"""Ethernet, IPv4 (with reassembly), IPv6 (without extension headers) and UDP down to datagrams."""
import socket
import struct
from dataclasses import dataclass

from gb_oracle.writer import checksum

FRAGMENT_AGE_NS = 30 * 10**9


@dataclass(slots=True)
class Datagram:
    """A UDP datagram; number and time are of the frame that completed it; addresses are 4 or 16 octets."""
    number: int
    time_ns: int
    source: tuple
    destination: tuple
    payload: bytes
    faults: tuple


def dotted(octets):
    """An address as text."""
    return socket.inet_ntop(socket.AF_INET if len(octets) == 4 else socket.AF_INET6, octets)


def ip_packet(frame):
    """The octets of an IP packet inside a frame, or None."""
    octets = frame.octets
    if frame.linktype in (12, 101, 228):
        return octets if octets[:1] and octets[0] >> 4 in (4, 6) else None
    if frame.linktype != 1:
        return None
    at, kind = 14, octets[12:14]
    while kind in (b"\x81\x00", b"\x88\xa8"):
        kind, at = octets[at + 2:at + 4], at + 4
    return octets[at:] if kind in (b"\x08\x00", b"\x86\xdd") else None


class Fragments:
    """IPv4 reassembly: put() gives the payload once all of it is there."""

    def __init__(self):
        self.waiting = {}

    def put(self, key, offset, more, payload, time_ns):
        start_ns, parts, total = self.waiting.get(key, (time_ns, {}, None))
        if time_ns - start_ns > FRAGMENT_AGE_NS:
            start_ns, parts, total = time_ns, {}, None
        parts[offset] = payload
        if not more:
            total = offset + len(payload)
        whole = self._whole(parts, total)
        if whole is None:
            self.waiting[key] = (start_ns, parts, total)
        else:
            self.waiting.pop(key, None)
        return whole

    @staticmethod
    def _whole(parts, total):
        if total is None:
            return None
        at, pieces = 0, []
        while at < total:
            if not parts.get(at):
                return None
            pieces.append(parts[at])
            at += len(parts[at])
        return b"".join(pieces) if at == total else None


def _datagram(frame, source, destination, payload, faults):
    if len(payload) < 8:
        return None
    source_port, destination_port, length, value = struct.unpack_from(">HHHH", payload)
    if not 8 <= length <= len(payload):
        return None
    if value:
        pseudo = source + destination + struct.pack(">HH", 17, length)
        if checksum(pseudo + payload[:length]):
            faults.append("UDP checksum")
    return Datagram(frame.number, frame.time_ns, (source, source_port), (destination, destination_port),
                    payload[8:length], tuple(faults))


def datagrams(frames, assembly=None):
    """Yields (frame, Datagram or None); a fragment that completes nothing gives None. assembly: of the frames before these."""
    assembly = assembly or Fragments()
    for frame in frames:
        yield frame, _from_frame(frame, assembly)


def _from_ipv6(frame, packet):
    octets = struct.unpack_from(">H", packet, 4)[0]
    payload = packet[40:40 + octets]
    if packet[6] != 17 or len(payload) != octets:
        return None
    source, destination = packet[8:24], packet[24:40]
    faults = ["no UDP checksum"] if payload[6:8] == bytes(2) else []
    return _datagram(frame, source, destination, payload, faults)


def _from_frame(frame, assembly):
    packet = ip_packet(frame)
    if packet is not None and len(packet) >= 40 and packet[0] >> 4 == 6:
        return _from_ipv6(frame, packet)
    if packet is None or len(packet) < 20 or packet[0] >> 4 != 4 or packet[9] != 17:
        return None
    head, total = (packet[0] & 15) * 4, struct.unpack_from(">H", packet, 2)[0]
    if head < 20 or not head <= total <= len(packet):
        return None
    faults = ["IP header checksum"] if checksum(packet[:head]) else []
    source, destination, payload = packet[12:16], packet[16:20], packet[head:total]
    field = struct.unpack_from(">H", packet, 6)[0]
    offset, more = (field & 0x1FFF) * 8, bool(field & 0x2000)
    if offset or more:
        key = (source, destination, packet[4:6])
        payload = assembly.put(key, offset, more, payload, frame.time_ns)
        if payload is None:
            return None
    return _datagram(frame, source, destination, payload, faults)
