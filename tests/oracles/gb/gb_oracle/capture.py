# SPDX-License-Identifier: BSD-3-Clause
"""Reads pcap and pcapng; a frame's time is an integer number of nanoseconds since the epoch."""
import struct
from dataclasses import dataclass

PCAP_MAGICS = {0xA1B2C3D4: 1000, 0xA1B23C4D: 1}
SHB, IDB, SPB, EPB = 0x0A0D0D0A, 1, 3, 6


class CaptureError(Exception):
    """The file is no capture, or breaks off inside a record."""


@dataclass(slots=True)
class Frame:
    """One captured frame; `whole` is false when the capture kept only its beginning."""
    number: int
    time_ns: int
    linktype: int
    octets: bytes
    whole: bool


def read(path, may_be_cut=False):
    """All frames of a capture file, in file order; may_be_cut: a file that breaks off counts as far as it goes."""
    with open(path, "rb") as file:
        data = file.read()
    frames = []
    try:
        for frame in parse(data, path):
            frames.append(frame)
    except CaptureError:
        if not may_be_cut:
            raise
    return frames


def parse(data, path):
    """Frame by frame, of the octets of a file or a map of it."""
    if len(data) < 12:
        raise CaptureError(f"{path}: too short for a capture")
    if data[:4] == b"\x0a\x0d\x0d\x0a":
        return _pcapng(data, path)
    for order in "<>":
        magic = struct.unpack(order + "I", data[:4])[0]
        if magic in PCAP_MAGICS:
            return _pcap(data, order, PCAP_MAGICS[magic], path)
    raise CaptureError(f"{path}: neither pcap nor pcapng")


def _pcap(data, order, unit_ns, path):
    if len(data) < 24:
        raise CaptureError(f"{path}: file header is cut")
    linktype = struct.unpack(order + "I", data[20:24])[0] & 0xFFFF
    at, number = 24, 0
    while at < len(data):
        if at + 16 > len(data):
            raise CaptureError(f"{path}: record header at {at} is cut")
        sec, part, kept, full = struct.unpack_from(order + "IIII", data, at)
        at += 16
        if at + kept > len(data):
            raise CaptureError(f"{path}: record at {at} is cut")
        number += 1
        yield Frame(number, sec * 10**9 + part * unit_ns, linktype, data[at:at + kept], kept >= full)
        at += kept


class _Interface:
    def __init__(self, order, body):
        self.linktype, _, self.snaplen = struct.unpack_from(order + "HHI", body)
        self.per_second, self.offset_s = 10**6, 0
        for code, value in _options(order, body, 8):
            if code == 9:
                self.per_second = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
            elif code == 14:
                self.offset_s = struct.unpack(order + "q", value[:8])[0]

    def time_ns(self, high, low):
        return (high << 32 | low) * 10**9 // self.per_second + self.offset_s * 10**9


def _options(order, body, at):
    while at + 4 <= len(body):
        code, length = struct.unpack_from(order + "HH", body, at)
        if code == 0:
            return
        yield code, body[at + 4:at + 4 + length]
        at += 4 + (length + 3 & ~3)


def _blocks(data, path):
    """(byte order, type, body) of each block; the order may change at each section header."""
    at, order = 0, "<"
    while at < len(data):
        if at + 12 > len(data):
            raise CaptureError(f"{path}: block header at {at} is cut")
        if data[at:at + 4] == b"\x0a\x0d\x0d\x0a":
            order = "<" if data[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
        kind, total = struct.unpack_from(order + "II", data, at)
        if total < 12 or total % 4 or at + total > len(data):
            raise CaptureError(f"{path}: block at {at} has a wrong length")
        if struct.unpack_from(order + "I", data, at + total - 4)[0] != total:
            raise CaptureError(f"{path}: block at {at} has two different lengths")
        yield order, kind, data[at + 8:at + total - 4]
        at += total


def _pcapng(data, path):
    interfaces, number, last_ns = [], 0, 0
    for order, kind, body in _blocks(data, path):
        if kind == SHB:
            interfaces = []
        elif kind == IDB:
            interfaces.append(_Interface(order, body))
        elif kind in (EPB, SPB):
            number += 1
            which, head = (struct.unpack_from(order + "I", body)[0], 20) if kind == EPB else (0, 4)
            if which >= len(interfaces):
                raise CaptureError(f"{path}: packet {number} names an interface that is not there")
            face = interfaces[which]
            if kind == EPB:
                high, low, kept, full = struct.unpack_from(order + "IIII", body, 4)
                last_ns = face.time_ns(high, low)
            else:
                full = struct.unpack_from(order + "I", body)[0]
                kept = min(full, face.snaplen or full, len(body) - 4)
            if head + kept > len(body):
                raise CaptureError(f"{path}: packet {number} is cut")
            yield Frame(number, last_ns, face.linktype, body[head:head + kept], kept >= full)
