# SPDX-License-Identifier: BSD-3-Clause
"""The shipped capture behind other headers, in tunnels and cut: the same sessions, or a warning that counts."""
import os
import struct
import unittest

import captures
import gbflow

NODE = os.path.join(gbflow.NODES, "replay-open.lua")
IPV4 = b"\x08\x00"
HEAD = 14
UNREAD = r"warning: \S+: (\d+) of (\d+) frames could not be read: .*"


def tags(*kinds):
    return lambda octets: octets[:12] + b"".join(bytes.fromhex(kind) + b"\x00\x07" for kind in kinds) + octets[12:]


def typed(kind, front):
    """Ethernet with this type and octets in front of the packet."""
    return lambda octets: octets[:12] + kind + front + octets[HEAD:]


def pppoe(octets):
    return octets[:12] + struct.pack(">HBBHHH", 0x8864, 0x11, 0, 9, len(octets) - HEAD + 2, 0x21) + octets[HEAD:]


def ip(protocol, payload, more=0):
    """Between two routers; the worker asks for a checksum where a packet is for the node, which this one is not."""
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(payload), 7, more, 64, protocol, 0) + bytes([198, 51, 100, 1, 198, 51, 100, 2]) + payload


def tunnel(protocol, front=b""):
    return lambda octets: octets[:HEAD] + ip(protocol, front + octets[HEAD:])


# name, link type, how a frame of Ethernet is changed, a pattern of the warning ("": none)
FORMS = [
    ("a tag", 1, tags("8100"), ""),
    ("a tag of 802.1ad", 1, tags("88a8"), ""),
    ("two tags", 1, tags("88a8", "8100"), ""),
    ("two equal tags", 1, tags("8100", "8100"), ""),
    ("tags from before 802.1ad", 1, tags("9100", "8100"), ""),
    ("PPPoE", 1, pppoe, ""),
    ("MPLS", 1, typed(b"\x88\x47", struct.pack(">II", 0x6040, 0x7140)), ""),
    ("GRE", 1, tunnel(47, b"\0\0" + IPV4), ""),
    ("IP in IP", 1, tunnel(4), ""),
    ("PPP", 9, lambda octets: b"\xff\x03\x00\x21" + octets[HEAD:], ""),
    ("Cisco HDLC", 104, lambda octets: b"\x0f\x00" + IPV4 + octets[HEAD:], ""),
    ("an unknown EtherType", 1, typed(b"\x99\x99", b""), "0x9999"),
    ("Ethernet in MPLS", 1, lambda octets: octets[:12] + b"\x88\x47\x00\x00\x61\x40" + bytes(4) + octets, "MPLS labels and no IP"),
    ("cut in front of IP", 1, lambda octets: octets[:12], "cut in front of IP"),
]


class Forms(gbflow.Case):
    def setUp(self):
        super().setUp()
        self.frames = [frame for frame in captures.shipped() if frame.octets[12:14] == IPV4]

    def test_each_form(self):
        expected = self.replay(NODE, capture=captures.pcap(self.path("plain.pcap"), self.frames), name="expected")
        self.assertEqual((expected.status, expected.stderr), (0, ""), expected)
        for name, link, change, warning in FORMS:
            with self.subTest(form=name):
                path = captures.pcap(self.path("form.pcap"), [frame.changed(change(frame.octets)) for frame in self.frames], link)
                found = self.replay(NODE, capture=path, name="found")
                self.assertEqual(found.status, 0, found)
                if warning:
                    self.assertRegex(found.stderr, UNREAD + warning)
                else:
                    self.assertEqual(found.stderr, "", found)
                    self.assertEqual(found.report["sessions"], expected.report["sessions"])
                    self.assertEqual(found.report["llc_frames"], expected.report["llc_frames"])

    def test_the_captured_length_as_length_on_the_wire(self):
        """Both are cut frames, and are counted as such; what the worker cannot read is told, too."""
        for wire in (None, 68):
            frames = [captures.Frame(frame.time_ns, frame.octets[:68], len(frame.octets) if wire is None else min(68, len(frame.octets)))
                      for frame in self.frames]
            found = self.replay(NODE, capture=captures.pcap(self.path("cut.pcap"), frames))
            with self.subTest(wire=wire):
                longer = sum(len(frame.octets) > 68 for frame in self.frames)
                self.assertEqual(found.report["frames"]["cut_short"], longer)
                self.assertIn(f"{longer} frames are truncated by the capture's snap length\n", found.stderr)
                self.assertRegex(found.stderr, UNREAD + "ip_malformed")


class Pieces(gbflow.Case):
    """IP fragments: of user packets and of GTP-C, with copies (RFC 791)."""

    @staticmethod
    def cut(frame, size, number, order):
        """The frame's IP packet in fragments of so many octets, in the order that a function gives."""
        octets = frame.octets
        head, payload = octets[HEAD:HEAD + 20], octets[HEAD + 20:HEAD + struct.unpack_from(">H", octets, HEAD + 2)[0]]
        parts = []
        for at in range(0, len(payload), size):
            piece = payload[at:at + size]
            more = 0x2000 if at + size < len(payload) else 0
            fields = head[:2] + struct.pack(">HHH", 20 + len(piece), number, more | at // 8) + head[8:10] + b"\0\0" + head[12:]
            total = sum(struct.unpack(">10H", fields))
            total = (total & 0xFFFF) + (total >> 16)
            total = (total & 0xFFFF) + (total >> 16)
            parts.append(frame.changed(octets[:HEAD] + fields[:10] + struct.pack(">H", 0xFFFF - total) + fields[12:] + piece))
        return order(parts)

    def pieces(self, order, is_chosen):
        frames = []
        for number, frame in enumerate(captures.shipped(), 1):
            is_whole = frame.octets[12:14] == IPV4 and not captures.is_fragment(frame)
            is_cut = is_whole and frame.octets[HEAD + 9] == 17 and is_chosen(frame)
            frames += self.cut(frame, 64, number % 65536, order) if is_cut else [frame]
        return captures.pcap(self.path("pieces.pcap"), frames)

    @staticmethod
    def is_gtpc(frame):
        return 2123 in struct.unpack_from(">HH", frame.octets, HEAD + 20)

    def test_signalling_in_fragments(self):
        expected = self.replay(NODE, name="expected")
        for name, order in (("in order", list), ("backwards", lambda parts: parts[::-1]),
                            ("each twice", lambda parts: [part for part in parts for _ in (1, 2)][:-1])):
            with self.subTest(name=name):
                found = self.replay(NODE, capture=self.pieces(order, self.is_gtpc), name="found")
                self.assertEqual((found.status, found.stderr), (0, ""), found)
                self.assertEqual(found.report["gtpc"], expected.report["gtpc"])
                self.assertEqual(found.report["sessions"], expected.report["sessions"])

    def test_signalling_of_which_fragments_are_missing(self):
        expected = self.replay(NODE, name="expected")
        found = self.replay(NODE, capture=self.pieces(lambda parts: parts[:1] + parts[2:], self.is_gtpc), name="found")
        counts = found.report["gtpc"]
        self.assertEqual(found.report["sessions"], [])
        self.assertGreater(counts["incomplete"], 5)
        self.assertEqual(counts["messages"] + counts["incomplete"], expected.report["gtpc"]["messages"])
        self.assertIn("messages in incomplete IP fragments", found.stdout)
        self.assertIn(f"{counts['incomplete']} GTP-C messages were not read: their IP fragments are incomplete\n", found.stderr)

    def test_answers_before_their_requests(self):
        """A capture in the wrong order teaches no session, and its clock steps: both are told."""
        found = self.replay(NODE, capture=captures.pcap(self.path("back.pcap"), captures.shipped()[::-1]), name="found")
        self.assertEqual(found.report["sessions"], [])
        self.assertRegex(found.stderr, r"\d+ GTP-C messages create no session: none accepts a Create PDP Context Request that the capture has before it\n")
        self.assertRegex(found.stderr, r"the clock of the capture stepped \d+ times; times are corrected to never decrease\n")

    def test_copies_of_fragments(self):
        """Of user packets, each fragment of the capture twice: those that come while their datagram waits are dropped alone."""
        expected = self.replay(NODE, name="expected")
        frames = [copy for frame in captures.shipped() for copy in ([frame, frame] if captures.is_fragment(frame) and
                  struct.unpack_from(">H", frame.octets, HEAD + 6)[0] & 0x2000 else [frame])]
        found = self.replay(NODE, capture=captures.pcap(self.path("copies.pcap"), frames), name="found")
        self.assertEqual(found.report["sessions"], expected.report["sessions"])
        self.assertGreater(found.report["frames"]["drops"]["fragment_copy"], 100)


if __name__ == "__main__":
    unittest.main()
