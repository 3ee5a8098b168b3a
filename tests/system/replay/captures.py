# SPDX-License-Identifier: BSD-3-Clause
"""Captures made out of other captures: frames as lists, written with whatever header a test wants."""
import struct

import gbflow
from gb_oracle import capture, gtp, inet, writer

ETHERNET, RAW_IP, COOKED = 1, 101, 113


class Frame:
    """One frame; full_octets is what it had on the wire."""

    def __init__(self, time_ns, octets, full_octets=None):
        self.time_ns, self.octets = time_ns, octets
        self.full_octets = len(octets) if full_octets is None else full_octets

    def cut(self, snap_octets):
        return Frame(self.time_ns, self.octets[:snap_octets], self.full_octets)

    def changed(self, octets):
        return Frame(self.time_ns, octets)

    def later(self, by_ns):
        return Frame(self.time_ns + by_ns, self.octets, self.full_octets)


def shipped():
    """Frames of the shipped capture."""
    return [Frame(frame.time_ns, frame.octets) for frame in capture.read(gbflow.CAPTURE)]


def pcap(path, frames, link_type=ETHERNET, snap_octets=262144):
    """Writes frames with nanoseconds; returns the path."""
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap_octets, link_type))
        for frame in frames:
            seconds, rest_ns = divmod(frame.time_ns, 10**9)
            file.write(struct.pack("<IIII", seconds, rest_ns, len(frame.octets), frame.full_octets) + frame.octets)
    return path


def pcapng(path, frames):
    writer.pcapng(path, [(frame.time_ns, frame.octets) for frame in frames])
    return path


def pcapng_of_links(path, rows):
    """One interface for each link type among rows of (link type, frame); nanoseconds."""
    links = sorted({link for link, _ in rows})
    with open(path, "wb") as file:
        file.write(_block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        for link in links:
            file.write(_block(1, struct.pack("<HHI", link, 0, 0) + struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)))
        for link, frame in rows:
            head = struct.pack("<IIIII", links.index(link), frame.time_ns >> 32, frame.time_ns % 2**32, len(frame.octets),
                               frame.full_octets)
            file.write(_block(6, head + frame.octets))
    return path


def _block(kind, body):
    body += bytes(-len(body) % 4)
    octets = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + octets + body + octets


def is_fragment(frame):
    """Whether it is an IPv4 packet that is not all of its datagram."""
    return frame.octets[12:14] == b"\x08\x00" and struct.unpack_from(">H", frame.octets, 20)[0] & 0x3FFF != 0


def without_deletes(frames):
    """All but requests and answers that end a PDP context: nothing that waits is taken away then."""
    seen = [capture.Frame(number, frame.time_ns, ETHERNET, frame.octets, True) for number, frame in enumerate(frames)]
    return [frame for frame, (_, datagram) in zip(frames, inet.datagrams(seen)) if not _is_delete(datagram)]


def _is_delete(datagram):
    if datagram is None or 2123 not in (datagram.source[1], datagram.destination[1]):
        return False
    message = gtp.decode(datagram.payload)
    return message is not None and message.kind in (gtp.DELETE_REQUEST, gtp.DELETE_RESPONSE)
