# SPDX-License-Identifier: BSD-3-Clause
"""Right edges of TCP windows as servers see them, judged packet by packet beside the server's device.

    edges = Edges(now_s)
    edges.up(packet)      before the server gets it
    edges.down(packet)    as it comes from the server
    edges.fault           None, or the first segment with octets beyond the greatest edge that its connection was given

RFC 9293 clause 3.8.6 has a sender bear an edge that moves back; what it has sent before may lie beyond the edge it has now, but nothing
ever beyond the greatest edge.
"""
import struct

TCP = 6
FIN, SYN, RST, ACK = 1, 2, 4, 16
SCALE_OPTION, NONE = 3, 1 << 32
TIMESTAMPS = bytes([1, 1, 8, 10])  # before the two values, as Linux writes them
HALF = 1 << 31
WIDE_OCTETS, NARROW_OCTETS = 60000, 6000  # a connection falls from a window of so many octets to one of so many


def less(high, low):
    """high - low of sequence numbers, signed."""
    return (high - low + HALF) % NONE - HALF


def scale_of(options):
    """Of a SYN; None: it has none."""
    at = 0
    while at < len(options) and options[at] != 0:
        if options[at] == 1:
            at += 1
            continue
        if at + 1 >= len(options) or options[at + 1] < 2:
            break
        if options[at] == SCALE_OPTION:
            return min(14, options[at + 2])
        at += options[at + 1]
    return None


class Flow:
    """What the server of a connection was given, and has sent."""

    def __init__(self, seq, scale, window):
        self.seq, self.scale, self.syn_window = seq, scale, window  # of the mobile's SYN
        self.sent = self.top = self.edge = self.acked = None
        self.was_wide = self.is_back = self.has_fallen = False
        self.stamps = {}  # of the server's timestamps: when each was sent first


class Edges:
    def __init__(self, now_s):
        self.now_s, self.flows, self.fault = now_s, {}, None
        self.connections = self.moved = self.back = self.fallen = self.into_sent = self.far = self.sent_again = 0
        self.rtt_octets_s, self.rtt_octets = {}, {}  # by the mobile's address

    def up(self, packet):
        if packet[9] != TCP or packet[0] != 0x45:
            return
        source, target, seq, ack, offset, flags, window = struct.unpack_from(">HHIIBBH", packet, 20)
        key = packet[12:16], source, target
        flow = self.flows.get(key)
        if flags & SYN:
            if not flow or flow.seq != seq:
                self.flows[key] = Flow(seq, scale_of(packet[40:20 + 4 * (offset >> 4)]), window)
            return
        if not flow or not flags & ACK or flow.sent is None:
            return
        octets = window << (flow.scale or 0)
        edge = (ack + octets) % NONE
        if less(ack, flow.acked) < 0:
            return  # one that another overtook: the server has a newer edge
        if flow.edge is not None and less(edge, flow.edge) < 0:
            self.move_back(flow, edge)
        flow.was_wide |= octets >= WIDE_OCTETS
        if flow.was_wide and octets <= NARROW_OCTETS and not flow.has_fallen:
            flow.has_fallen = True
            self.fallen += 1
        if ack != flow.acked and packet[40:44] == TIMESTAMPS:
            self.time(packet[12:16], flow, packet[48:52], less(ack, flow.acked))
        flow.acked, flow.edge = ack, edge
        if less(edge, flow.top) > 0:
            flow.top = edge

    def move_back(self, flow, edge):
        self.moved += 1
        self.back += not flow.is_back
        flow.is_back = True
        self.into_sent += less(flow.sent, edge) > 0
        self.far = max(self.far, less(flow.edge, edge))

    def time(self, address, flow, stamp, octets):
        """The round trip as timestamps tell it (RFC 7323 clause 4), also where segments were lost before."""
        sent_s = flow.stamps.pop(stamp, None)
        if sent_s is None:
            return
        flow.stamps = {one: at_s for one, at_s in flow.stamps.items() if at_s > sent_s}
        self.rtt_octets_s[address] = self.rtt_octets_s.get(address, 0) + octets * (self.now_s() - sent_s)
        self.rtt_octets[address] = self.rtt_octets.get(address, 0) + octets

    def down(self, packet):
        if packet[9] != TCP or packet[0] != 0x45:
            return
        source, target, seq, _, offset, flags = struct.unpack_from(">HHIIBB", packet, 20)
        flow = self.flows.get((packet[16:20], target, source))
        if not flow:
            return
        if flags & SYN:
            self.begin(flow, packet, seq, offset)
            return
        octets = int.from_bytes(packet[2:4], "big") - 20 - 4 * (offset >> 4)
        if octets <= 0 or flow.sent is None:
            return
        end = (seq + octets) % NONE
        if less(end, flow.top) > 0 and not self.fault:
            self.fault = f"port {target}: {less(end, flow.top)} octets beyond the greatest edge"
        if packet[40:44] == TIMESTAMPS:
            flow.stamps.setdefault(packet[44:48], self.now_s())
        if less(end, flow.sent) > 0:
            flow.sent = end
        else:
            self.sent_again += 1

    def begin(self, flow, packet, seq, offset):
        """The server's answer to a SYN: it may come again."""
        if flow.sent is not None:
            return
        if scale_of(packet[40:20 + 4 * (offset >> 4)]) is None:
            flow.scale = None
        flow.sent = flow.acked = (seq + 1) % NONE
        flow.top = (flow.sent + flow.syn_window) % NONE
        self.connections += 1

    def warm(self):
        """Round trips count from now on."""
        self.rtt_octets_s, self.rtt_octets = {}, {}

    def counts(self):
        return {"connections": self.connections, "moved_back": self.moved, "connections_moved_back": self.back,
                "connections_fallen": self.fallen, "into_sent": self.into_sent, "farthest_octets": self.far, "sent_again": self.sent_again}
