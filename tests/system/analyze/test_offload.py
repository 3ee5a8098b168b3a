# SPDX-License-Identifier: BSD-3-Clause
"""Captures of hosts whose network card segments: packets without a length in their IP header, and jumbo payloads of IPv6."""
import struct
import unittest

import packets
import program
from packets import ACK, FIN, SYN, Capture, Tcp
from world import Flow, Link, World

V6 = (("2001:db8:45::7", 40000), ("2001:db8::1", 80))
LONG = 60000  # octets of data in one packet
BIG = 180000  # more than a length of 16 bits
WARNING = (r"^gbflow analyze: (\d+) packets have no length in the IP header, as a network card was to segment them; the record's length is taken, and "
           r"each may be several packets on the wire; capture with segmentation off: ethtool -K DEV tso off gso off gro off\n$")


def unsized(packet):
    """Without a length, and with the checksum of a header that has none."""
    if packet[0] >> 4 == 6:
        return packet[:4] + bytes(2) + packet[6:]
    head = packet[:2] + bytes(2) + packet[4:10] + bytes(2) + packet[12:20]
    total = sum(struct.unpack(">10H", head))
    total = (total & 0xFFFF) + (total >> 16)
    return head[:10] + struct.pack(">H", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF) + head[12:] + packet[20:]


def jumbo(packet, octets=None):
    """RFC 2675: a hop-by-hop header with the length, which the IP header has not."""
    payload = packet[40:]
    option = struct.pack(">BBBBI", packet[6], 0, 0xC2, 4, len(payload) + 8 if octets is None else octets)
    return packet[:4] + bytes(2) + bytes([0]) + packet[7:40] + option + payload


def ipv6(src, dst, flags, numbers, payload=0):
    """A segment in a packet of any length, which has its length up to 65535 octets. numbers: seq, perhaps ack."""
    head = Tcp(src, dst, flags, *numbers).octets()
    octets = len(head) - 40 + payload
    return head[:4] + struct.pack(">H", octets if octets <= 65535 else 0) + head[6:] + bytes(payload)


class Offload(program.Case):
    def play(self, capture, *words, **form):
        found, rows = self.analyze(capture.pcap(self.path("offload.pcap"), **form), *words)
        return program.results(found), rows, found["capture"]

    @staticmethod
    def changed(capture, change, link=packets.RAW):
        made = Capture(link)
        made.rows = [(at_ns, change(packet)) for at_ns, packet in capture.rows]
        return made

    def test_no_length_in_ipv4(self):
        """What a capture gives with lengths it gives without them: at every link, and with a short snap length."""
        capture = World(Link(access_loss=0.03)).run([Flow(1, 60000), Flow(2, 20000, start_s=3)]).capture
        expected, _, plain = self.play(capture)
        self.assertEqual((plain["no_length"], self.stderr), (0, ""))
        for link in (packets.RAW, packets.ETHERNET, packets.COOKED):
            for snap in (262144, 80):
                with self.subTest(link=link, snap=snap):
                    made = self.changed(capture, lambda packet: unsized(packet) if len(packet) > 600 else packet, link)
                    found, _, counts = self.play(made, snap=snap)
                    self.assertEqual(found, expected)
                    self.assertEqual((counts["malformed"], counts["no_length"]), (0, sum(len(packet) > 600 for _, packet in capture.rows)))
                    self.assertRegex(self.stderr, WARNING)

    def flow(self, payload, change=lambda packet: packet):
        """A handshake, three packets of data of which one passes twice, all confirmed."""
        mobile, server = V6
        capture = Capture()
        capture.add(1, ipv6(mobile, server, SYN, (99,)))
        capture.add(1.1, ipv6(server, mobile, SYN | ACK, (499, 100)))
        capture.add(1.5, ipv6(mobile, server, ACK, (100, 500)))
        for number, place in enumerate((0, 1, 1, 2)):
            capture.add(2 + 2 * number, change(ipv6(server, mobile, ACK, (500 + place * payload, 100), payload)))
            if number != 1:
                capture.add(3 + 2 * number, ipv6(mobile, server, ACK, (100, 500 + (place + 1) * payload)))
        capture.add(20, ipv6(server, mobile, FIN | ACK, (500 + 3 * payload, 100)))
        return capture

    def test_no_length_in_ipv6(self):
        """Zero as segmentation leaves it, and the option of RFC 2675, of which the 8 octets count as octets of IP."""
        words = ("--mobile", "2001:db8:45::/48")
        expected, (right,), _ = self.play(self.flow(LONG), *words)
        self.assertEqual((right["payload_octets"], right["data_packets"], right["access_lost"]), (str(3 * LONG), "4", "1"))
        found, (row,), counts = self.play(self.flow(LONG, unsized), *words)
        self.assertEqual((found, row, counts["no_length"]), (expected, right, 4))
        self.assertRegex(self.stderr, WARNING)
        for payload, change in ((LONG, jumbo), (BIG, jumbo), (BIG, lambda packet: packet)):
            with self.subTest(payload=payload, change=change):
                found, (row,), counts = self.play(self.flow(payload, change), *words)
                self.assertEqual((row["payload_octets"], row["data_packets"], row["access_lost"]), (str(3 * payload), "4", "1"))
                head = 60 + 8 * (change is jumbo)
                self.assertEqual(found["mobiles"][V6[0][0]]["downlink_octets"], 4 * (payload + head) + 2 * 60)
                self.assertEqual((counts["malformed"], counts["no_length"]), (0, 0 if change is jumbo else 4))

    def test_what_is_no_length(self):
        """Nothing behind the header, a jumbo option that contradicts the record, a packet of half a gigabyte: said, not analysed."""
        empty = unsized(packets.ip("2001:db8:45::7", "2001:db8::1", 59, b""))
        data = ipv6(V6[1], V6[0], ACK, (500, 100), 1000)
        rows = [
            (jumbo(data, 65000), "with an IP header that is cut or malformed"),
            (jumbo(data, 4), "with an IP header that is cut or malformed"),
            (jumbo(data)[:46], "with an IP header that is cut or malformed"),
            (unsized(packets.ip("10.1.0.1", "192.0.2.1", 6, b""))[:19], "with an IP header that is cut or malformed"),
        ]
        for octets, reason in rows:
            with self.subTest(octets=octets[:48].hex()):
                capture = Capture()
                capture.add(1, octets)
                _, _, counts = self.play(capture, "--mobile", "2001:db8:45::/48")
                self.assertEqual((counts["malformed"], counts["no_length"]), (1, 0))
                self.assertIn("1 of 1 frames could not be read: 1 " + reason, self.stderr)
        capture = Capture()
        capture.add(1, empty)
        _, _, counts = self.play(capture, "--mobile", "2001:db8:45::/48")
        self.assertEqual((counts["other_packets"], counts["no_length"], self.stderr), (1, 0, ""))
        for order in (2**20 + 1, 2**32 - 1):
            with open(self.path("huge.pcap"), "wb") as file:
                octets = unsized(packets.ip("192.0.2.1", "10.1.0.1", 6, bytes(1000)))
                file.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, packets.RAW) + struct.pack("<IIII", 1, 0, len(octets), order) + octets)
            found, _ = self.analyze(self.path("huge.pcap"))
            self.assertEqual(found["capture"]["malformed"], 1)


if __name__ == "__main__":
    unittest.main()
