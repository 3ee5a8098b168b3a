# SPDX-License-Identifier: BSD-3-Clause
"""Packets and captures made octet by octet: IP, TCP, UDP, GTP-U, in pcap and pcapng, for every link that is read."""
import ipaddress
import struct
from dataclasses import dataclass, field

FIN, SYN, RST, ACK = 1, 2, 4, 16
ETHERNET, RAW, COOKED, COOKED2, LOOPBACK = 1, 101, 113, 276, 0
SACK_PERMITTED, NOP = b"\x04\x02", b"\x01"


def mss(octets):
    return struct.pack(">BBH", 2, 4, octets)


def scale(shift):
    return bytes([3, 3, shift])


def timestamp(value=1):
    return struct.pack(">BBII", 8, 10, value, 0)


def sack(*blocks):
    return struct.pack(">BB", 5, 2 + 8 * len(blocks)) + b"".join(struct.pack(">II", *block) for block in blocks)


@dataclass
class Tcp:
    """One segment; src and dst are (address, port)."""

    src: tuple
    dst: tuple
    flags: int = ACK
    seq: int = 0
    ack: int = 0
    window: int = 16000
    options: bytes = b""
    payload: int = 0

    def octets(self):
        options = self.options + bytes(-len(self.options) % 4)
        head = struct.pack(">HHIIBBHHH", self.src[1], self.dst[1], self.seq % 2**32, self.ack % 2**32,
                           (20 + len(options)) // 4 << 4, self.flags, self.window, 0, 0)
        return ip(self.src[0], self.dst[0], 6, head + options + bytes(self.payload))


def udp(src, dst, payload):
    return ip(src[0], dst[0], 17, struct.pack(">HHHH", src[1], dst[1], 8 + len(payload), 0) + payload)


def ip(src, dst, protocol, payload):
    source, target = ipaddress.ip_address(src), ipaddress.ip_address(dst)
    if source.version == 6:
        return struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64) + source.packed + target.packed + payload
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 0, 0, 64, protocol, 0) + source.packed + target.packed + payload


def fragments(packet, size, number):
    """An IPv4 packet in pieces of at most `size` octets of payload."""
    head, payload = packet[:20], packet[20:]
    for at in range(0, len(payload), size):
        piece = payload[at:at + size]
        more = 0x2000 if at + size < len(payload) else 0
        yield head[:2] + struct.pack(">HHH", 20 + len(piece), number, more | at // 8) + head[8:] + piece


def gtpu(packet, teid=1, sequence=None, extension=b""):
    flags, options = 0x30, b""
    if sequence is not None or extension:
        flags |= (2 if sequence is not None else 0) | (4 if extension else 0)
        options = struct.pack(">HBB", sequence or 0, 0, 0xC0 if extension else 0) + extension
    return struct.pack(">BBHI", flags, 255, len(options) + len(packet), teid) + options + packet


def frame(packet, link):
    kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    return {
        ETHERNET: bytes(12) + struct.pack(">H", kind),
        RAW: b"",
        COOKED: bytes(14) + struct.pack(">H", kind),
        COOKED2: struct.pack(">H", kind) + bytes(18),
        LOOPBACK: struct.pack("<I", 2),
    }[link] + packet


@dataclass
class Capture:
    """Packets in the order of time, added as they pass."""

    link: int = RAW
    rows: list = field(default_factory=list)

    def add(self, at_s, packet):
        self.rows.append((round(at_s * 1e9), packet.octets() if isinstance(packet, Tcp) else packet))

    def frames(self):
        return [(at_ns, frame(packet, self.link)) for at_ns, packet in self.rows]

    def pcap(self, path, snap=262144, is_sorted=True, big=False):
        order = ">" if big else "<"
        rows = sorted(self.frames(), key=lambda row: row[0]) if is_sorted else self.frames()
        with open(path, "wb") as file:
            file.write(struct.pack(order + "IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap, self.link))
            for at_ns, octets in rows:
                file.write(struct.pack(order + "IIII", *divmod(at_ns, 10**9), len(octets[:snap]), len(octets)) +
                           octets[:snap])
        return path

    def pcapng(self, path, order="<"):
        return write_pcapng(path, [(self.link, at_ns, octets) for at_ns, octets in sorted(self.frames(), key=lambda row: row[0])],
                            order)


def block(kind, body, order="<"):
    """A block of pcapng."""
    body += bytes(-len(body) % 4)
    return struct.pack(order + "II", kind, len(body) + 12) + body + struct.pack(order + "I", len(body) + 12)


def option(code, value, order="<"):
    return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order="<"):
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link, order="<", resolution=9, offset_s=0):
    options = option(9, bytes([resolution]), order) + option(14, struct.pack(order + "q", offset_s), order) + bytes(4)
    return block(1, struct.pack(order + "HHI", link, 0, 0) + options, order)


def enhanced(number, stamp, octets, order="<"):
    return block(6, struct.pack(order + "IIIII", number, stamp >> 32, stamp & 0xFFFFFFFF, len(octets), len(octets)) + octets, order)


def write_pcapng(path, rows, order="<"):
    """One section of (link, at_ns, frame), an interface for each link."""
    links = sorted({link for link, _, _ in rows})
    with open(path, "wb") as file:
        file.write(section(order) + b"".join(interface(link, order) for link in links))
        for link, at_ns, octets in rows:
            file.write(enhanced(links.index(link), at_ns, octets, order))
    return path
