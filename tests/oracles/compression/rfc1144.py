# SPDX-License-Identifier: BSD-3-Clause
"""TCP/IP header compression written from the rules of RFC 1144, clauses 3.2.2 to 3.2.4 and 4.1, with the types beside the packet."""
import struct

IP, UNCOMPRESSED, COMPRESSED = range(3)
C, I, P, S, A, W, U = 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01
BOTH_BY_DATA, SEQ_BY_DATA = S | W | U, S | A | W | U
PSH, ACK, URG = 0x08, 0x10, 0x20


class Bad(Exception):
    """A packet that cannot be decompressed."""


def ones_sum(octets):
    if len(octets) % 2:
        octets += b"\0"
    total = sum(struct.unpack(f">{len(octets) // 2}H", octets))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


class Header:
    """Both headers of a packet as fields."""

    def __init__(self, packet):
        ip_octets = (packet[0] & 15) * 4
        (self.version, self.tos, self.total, self.id, self.fragment, self.ttl, self.protocol,
         self.sum) = struct.unpack(">BBHHHBBH", packet[:12])
        self.addresses, self.ip_options = packet[12:20], packet[20:ip_octets]
        tcp = packet[ip_octets:]
        (self.ports, self.seq, self.ack, self.offset, self.flags, self.window, self.tcp_sum,
         self.urgent) = struct.unpack(">4sIIBBHHH", tcp[:20])
        self.tcp_options = tcp[20:(self.offset >> 4) * 4]
        self.octets = ip_octets + (self.offset >> 4) * 4

    def written(self):
        ip = struct.pack(">BBHHHBBH", self.version, self.tos, self.total, self.id, self.fragment, self.ttl, self.protocol,
                         0) + self.addresses + self.ip_options
        ip = ip[:10] + struct.pack(">H", 0xFFFF - ones_sum(ip)) + ip[12:]
        return ip + struct.pack(">4sIIBBHHH", self.ports, self.seq, self.ack, self.offset, self.flags, self.window,
                                self.tcp_sum, self.urgent) + self.tcp_options

    def fixed(self):
        """All that a compressed packet takes from the last one."""
        return (self.version, self.tos, self.fragment, self.ttl, self.addresses, self.ip_options, self.ports, self.offset,
                self.flags & ~(PSH | URG), self.tcp_options)


def is_compressible(packet):
    """Clause 3.2.3: TCP with ACK, without SYN, FIN and RST, whole; of the fields each is what it seems."""
    if len(packet) < 40 or packet[0] >> 4 != 4 or packet[0] & 15 < 5 or packet[9] != 6:
        return False
    at, fragment = (packet[0] & 15) * 4, struct.unpack(">H", packet[6:8])[0]
    if fragment & 0x3FFF or struct.unpack(">H", packet[2:4])[0] != len(packet) or at + 20 > len(packet):
        return False
    octets = packet[at + 12] >> 4 << 2
    return octets >= 20 and at + octets <= len(packet) and packet[at + 13] & 0x17 == ACK and ones_sum(packet[:at]) == 0xFFFF


def number(value):
    return bytes((value,)) if 0 < value < 256 else b"\0" + struct.pack(">H", value)


class Compressor:
    """As the appendix does it, but for bits of TCP that it forgets; leaves out the slot that is the last one's if it may."""

    def __init__(self, slots, leaves_out=False):
        self.headers, self.order, self.slots = {}, [], slots  # by slot; keys, the last used one first
        self.slot_of, self.last, self.leaves_out = {}, None, leaves_out

    def use(self, key):
        """The slot of a connection, and whether it had it."""
        known = key in self.slot_of
        if known:
            self.order.remove(key)
        elif len(self.order) < self.slots:
            self.slot_of[key] = len(self.order)
        else:
            self.slot_of[key] = self.slot_of.pop(self.order.pop())
        self.order.insert(0, key)
        return self.slot_of[key], known

    def compress(self, packet):
        """Type and octets."""
        if not is_compressible(packet):
            return IP, packet
        new = Header(packet)
        slot, known = self.use(new.addresses + new.ports)
        change = self.change(self.headers[slot], new) if known else None
        self.headers[slot] = new
        names, self.last = not self.leaves_out or slot != self.last, slot
        if change is None:
            return UNCOMPRESSED, packet[:9] + bytes((slot,)) + packet[10:]
        mask, numbers = change
        return COMPRESSED, (bytes((mask | C, slot) if names else (mask,)) + struct.pack(">H", new.tcp_sum) + numbers +
                            packet[new.octets:])

    @staticmethod
    def change(old, new):
        """Mask and numbers, None: it cannot be said."""
        if old.fixed() != new.fixed() or new.sum == 0xFFFF or (not new.flags & URG and old.urgent != new.urgent):
            return None
        data = old.total - old.octets
        window, ack, seq = (new.window - old.window) % 2**16, (new.ack - old.ack) % 2**32, (new.seq - old.seq) % 2**32
        if ack > 0xFFFF or seq > 0xFFFF:
            return None
        fields = [(U, new.urgent, new.flags & URG), (W, window, window), (A, ack, ack), (S, seq, seq)]
        mask = sum(bit for bit, _, is_there in fields if is_there)
        numbers = b"".join(number(value) for _, value, is_there in fields if is_there)
        if mask in (BOTH_BY_DATA, SEQ_BY_DATA) or mask == 0 and (data or new.total == old.total):
            return None
        if mask == S and seq == data:
            mask, numbers = SEQ_BY_DATA, b""
        elif mask == S | A and seq == ack == data:
            mask, numbers = BOTH_BY_DATA, b""
        step = (new.id - old.id) % 2**16
        if step != 1:
            mask, numbers = mask | I, numbers + number(step)
        return mask | (P if new.flags & PSH else 0), numbers


class Reader:
    def __init__(self, octets):
        self.octets, self.at = octets, 0

    def take(self, count):
        if self.at + count > len(self.octets):
            raise Bad("cut")
        self.at += count
        return self.octets[self.at - count:self.at]

    def number(self):
        value = self.take(1)[0]
        return value or int.from_bytes(self.take(2), "big")


class Decompressor:
    def __init__(self, slots):
        self.headers, self.slots, self.last, self.tosses = {}, slots, None, True

    def decompress(self, kind, octets):
        """The packet; Bad."""
        if kind == IP:
            return octets
        if kind == UNCOMPRESSED:
            slot, packet = octets[9], octets[:9] + b"\6" + octets[10:]
            if slot >= self.slots or not is_compressible(packet):
                raise Bad("uncompressed packet")
            self.headers[slot], self.last, self.tosses = Header(packet), slot, False
            return packet
        reader = Reader(octets)
        mask = reader.take(1)[0]
        if mask & C:
            self.last, self.tosses = reader.take(1)[0], False
        if self.tosses or self.last not in self.headers or mask & 0x80:
            raise Bad("tossed, no slot, or a type")
        header = self.headers[self.last]
        self.change(header, mask, reader)
        data = octets[reader.at:]
        header.total = header.octets + len(data)
        return header.written() + data

    @staticmethod
    def change(header, mask, reader):
        header.tcp_sum = int.from_bytes(reader.take(2), "big")
        data, said = header.total - header.octets, mask & (S | A | W | U)
        ack = seq = 0
        header.flags &= ~(URG | PSH)
        if said == BOTH_BY_DATA:
            ack = seq = data
        elif said == SEQ_BY_DATA:
            seq = data
        else:
            if said & U:
                header.flags |= URG
                header.urgent = reader.number()
            header.window = (header.window + (reader.number() if said & W else 0)) % 2**16
            ack = reader.number() if said & A else 0
            seq = reader.number() if said & S else 0
        header.ack, header.seq = (header.ack + ack) % 2**32, (header.seq + seq) % 2**32
        header.id = (header.id + (reader.number() if mask & I else 1)) % 2**16
        header.flags |= PSH if mask & P else 0
