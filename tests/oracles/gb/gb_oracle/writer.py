# SPDX-License-Identifier: BSD-3-Clause
"""Writes captures (pcapng with nanoseconds, pcap) and wraps octets into UDP/IPv4/Ethernet."""
import struct


def _block(kind, body, order):
    body += bytes(-len(body) % 4)
    total = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + total + body + total


def pcapng(path, frames, linktype=1, order="<", resolution=9):
    """frames: (time_ns, octets) pairs."""
    with open(path, "wb") as file:
        file.write(_block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order))
        option = struct.pack(order + "HHBxxxHH", 9, 1, resolution, 0, 0)
        file.write(_block(1, struct.pack(order + "HHI", linktype, 0, 0) + option, order))
        for time_ns, octets in frames:
            ticks = time_ns * 10**resolution // 10**9
            head = struct.pack(order + "IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(octets), len(octets))
            file.write(_block(6, head + octets, order))


def pcap(path, frames, linktype=1, order="<", nanoseconds=True):
    """frames: (time_ns, octets) pairs; without nanoseconds the times are cut to microseconds."""
    unit = 1 if nanoseconds else 1000
    with open(path, "wb") as file:
        magic = 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
        file.write(struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, linktype))
        for time_ns, octets in frames:
            head = (time_ns // 10**9, time_ns % 10**9 // unit, len(octets), len(octets))
            file.write(struct.pack(order + "IIII", *head) + octets)


def checksum(octets):
    """The Internet checksum (RFC 1071)."""
    if len(octets) % 2:
        octets += b"\0"
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def address(text):
    return bytes(int(part) for part in text.split("."))


def ipv4(source, destination, payload, protocol=17, fragment=(0, 0)):
    """One IPv4 packet; fragment = (identification, flags and offset field)."""
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), *fragment, 64, protocol, 0)
    head += address(source) + address(destination)
    return head[:10] + struct.pack(">H", checksum(head)) + head[12:] + payload


def udp(source, destination, payload):
    """UDP with checksum; source and destination are (address, port)."""
    length = 8 + len(payload)
    pseudo = address(source[0]) + address(destination[0]) + struct.pack(">HH", 17, length)
    head = struct.pack(">HHH", source[1], destination[1], length)
    value = checksum(pseudo + head + b"\0\0" + payload) or 0xFFFF
    return head + struct.pack(">H", value) + payload


def ethernet(packet):
    return bytes.fromhex("020000000002" "020000000001" "0800") + packet


def frame(source, destination, payload):
    """An Ethernet frame with one UDP datagram."""
    return ethernet(ipv4(source[0], destination[0], udp(source, destination, payload)))


def fragments(source, destination, payload, mtu=1500, identification=1):
    """The same datagram as Ethernet frames of IPv4 fragments."""
    whole, step = udp(source, destination, payload), (mtu - 20) // 8 * 8
    return [ethernet(ipv4(source[0], destination[0], whole[at:at + step], 17,
                          (identification, (0x2000 if at + step < len(whole) else 0) | at // 8)))
            for at in range(0, len(whole), step)]
