# SPDX-License-Identifier: BSD-3-Clause
"""Whatever a capture looks like, the same results; and of one that is damaged, those of its sound part."""
import gzip
import os
import random
import struct
import unittest

import packets
import program
from packets import Capture
from world import Flow, Link, World


class Formats(program.Case):
    @classmethod
    def setUpClass(cls):
        cls.world = World(Link(access_loss=0.02)).run([Flow(1, 120000, has_sack=True), Flow(2, 60000, start_s=3)])
        cls.rows = cls.world.capture.rows

    def capture(self, link=packets.RAW, change=lambda packet: [packet]):
        capture = Capture(link)
        for at_ns, packet in self.rows:
            capture.rows += [(at_ns, changed) for changed in change(packet)]
        return capture

    def expect_same(self, path, *words, stdin=None):
        found, _ = self.analyze(path, *words, stdin=stdin)
        self.assertEqual(program.results(found), self.expected)
        return found

    def setUp(self):
        super().setUp()
        found, rows = self.of(self.capture())
        self.assertEqual(len(rows), 2)
        self.assertGreater(found["loss"]["access_lost"], 1)
        self.expected = program.results(found)

    def test_links(self):
        for link in (packets.ETHERNET, packets.COOKED, packets.COOKED2, packets.LOOPBACK):
            with self.subTest(link=link):
                self.expect_same(self.capture(link).pcap(self.path("link.pcap")))
                self.expect_same(self.capture(link).pcap(self.path("big.pcap"), big=True))

    def test_pcapng_gzip_and_standard_input(self):
        self.expect_same(self.capture().pcapng(self.path("a.pcapng")))
        plain = self.capture().pcap(self.path("a.pcap"))
        with open(plain, "rb") as file, gzip.open(self.path("a.gz"), "wb") as packed:
            packed.write(file.read())
        self.expect_same(self.path("a.gz"))
        for name in ("a.pcap", "a.gz", "a.pcapng"):
            with open(self.path(name), "rb") as file:
                self.expect_same("-", stdin=file)

    def test_vlan_tags(self):
        tagged = self.capture(packets.ETHERNET)
        frames = [(at_ns, octets[:12] + bytes.fromhex("88a80001" "81000002") + octets[12:]) for at_ns, octets in tagged.frames()]
        tagged.frames = lambda: frames
        self.expect_same(tagged.pcap(self.path("tagged.pcap")))

    def test_interfaces_of_different_links_in_one_file(self):
        """Each packet on another link than the one before, in either byte order."""
        links = (packets.ETHERNET, packets.RAW, packets.COOKED, packets.COOKED2, packets.LOOPBACK)
        rows = [(links[index % 5], at_ns, packets.frame(packet, links[index % 5])) for index, (at_ns, packet) in
                enumerate(sorted(self.rows))]
        for order in "<>":
            found = self.expect_same(packets.write_pcapng(self.path("mixed.pcapng"), rows, order))
            self.assertEqual(found["capture"]["other_frames"], 0)

    def test_a_link_that_is_not_read_beside(self):
        rows = [(packets.RAW, at_ns, packet) for at_ns, packet in sorted(self.rows)]
        rows += [(105, rows[-1][1], bytes(60))]
        found = self.expect_same(packets.write_pcapng(self.path("mixed.pcapng"), rows))
        self.assertEqual(found["capture"]["other_frames"], 1)
        self.assertIn("1 frames with unsupported link types were ignored", self.stderr)

    def test_sections_and_resolutions(self):
        """A second section of another byte order, whose interface counts in other units and from another second."""
        rows = sorted(self.rows)
        half = len(rows) // 2
        text = packets.section("<") + packets.interface(packets.RAW) + packets.block(0xBAD, bytes(8))
        text += b"".join(packets.enhanced(0, at_ns, packet) for at_ns, packet in rows[:half])
        text += packets.section(">") + packets.interface(packets.RAW, ">", 0x80 | 30, -7)
        for at_ns, packet in rows[half:]:
            stamp = -(-(at_ns + 7 * 10**9) * 2**30 // 10**9)
            text += packets.enhanced(0, stamp, packet, ">")
        with open(self.path("sections.pcapng"), "wb") as file:
            file.write(text)
        self.expect_same(self.path("sections.pcapng"))

    def test_simple_and_obsolete_blocks(self):
        text = packets.section() + packets.interface(packets.RAW, resolution=6)
        text += packets.block(2, struct.pack("<HHIIII", 0, 0, 0, 10**6, len(self.rows[0][1]), len(self.rows[0][1])) + self.rows[0][1])
        text += packets.block(3, struct.pack("<I", len(self.rows[1][1])) + self.rows[1][1])
        with open(self.path("blocks.pcapng"), "wb") as file:
            file.write(text)
        found, _ = self.analyze(self.path("blocks.pcapng"))
        self.assertEqual((found["capture"]["frames"], found["capture"]["tcp"], found["capture"]["start_s"]), (2, 2, 1))

    def simple(self, *others):
        """A pcapng of Simple Packet Blocks, with other blocks between."""
        with open(self.path("simple.pcapng"), "wb") as file:
            file.write(packets.section() + packets.interface(packets.RAW) + b"".join(others))
            file.writelines(packets.block(3, struct.pack("<I", len(packet)) + packet) for _, packet in self.rows)
        return self.path("simple.pcapng")

    def test_packets_without_a_time(self):
        """A capture of Simple Packet Blocks alone is refused; behind others their number is told, and they have the time of the one before."""
        done = self.run_program(*program.SMALL, self.simple(), "--json", self.path("none.json"))
        self.assertEqual((done.status, done.stdout, os.path.exists(self.path("none.json"))), (1, "", False))
        self.assertEqual(done.stderr, f"gbflow analyze: {self.path('simple.pcapng')}: packet 1 has no time: it is a Simple Packet Block of pcapng; "
                                      "capture with Enhanced Packet Blocks, as tcpdump and dumpcap do\n")
        found, _ = self.analyze(self.simple(packets.enhanced(0, 10**9, self.rows[0][1])))
        self.assertEqual((found["capture"]["start_s"], found["capture"]["duration_s"], found["capture"]["no_time"]), (1, 0, len(self.rows)))
        self.assertEqual(self.stderr, f"gbflow analyze: {len(self.rows)} packets have no time (Simple Packet Blocks of pcapng) and got that of the packet "
                                      "before them; capture with Enhanced Packet Blocks, as tcpdump and dumpcap do\n")

    def test_blocks_that_contradict_themselves(self):
        """What came before is read, and the reason is told."""
        good = packets.section() + packets.interface(packets.RAW) + packets.enhanced(0, 10**9, self.rows[0][1])
        rows = [
            (struct.pack("<III", 6, 13, 0), "a block of type 0x6 has the length 13; a length is 12 to 16777216, a multiple of 4"),
            (struct.pack("<III", 6, 1 << 28, 0), "a block of type 0x6 has the length 268435456"),
            (packets.block(6, bytes(4)), "a packet's block has 16 octets, less than 32"),
            (packets.block(1, bytes(4)), "an interface's block has 16 octets, less than 20"),
            (packets.block(6, struct.pack("<IIIII", 0, 0, 0, 999, 999)), "a packet has the captured length 999, in a block with room for 0 octets"),
            (packets.block(6, struct.pack("<IIIII", 1, 0, 0, 0, 0)), "a packet has interface 1, but only 1 interfaces are described"),
            (packets.block(5, bytes(8))[:-4] + bytes(4), "a block has the length 20 at its beginning and 0 at its end"),
            (packets.block(0x0A0D0D0A, bytes(16)), "byte-order magic is 0x00000000"),
            (packets.interface(packets.RAW) * 256, "more than 256"),
            (packets.block(5, bytes(8))[:-1], "the file ends 19 octets into a block of 20"),
            (bytes(3), "the file ends 3 octets into a block of 12"),
        ]
        for bad, reason in rows:
            with self.subTest(reason=reason, bad=bad[:20]):
                with open(self.path("bad.pcapng"), "wb") as file:
                    file.write(good + bad)
                found, _ = self.analyze(self.path("bad.pcapng"))
                self.assertEqual((found["capture"]["frames"], found["capture"]["is_complete"]), (1, False))
                at = len(good) + (255 * len(packets.interface(packets.RAW)) if "more than 256" in reason else 0)
                self.assertIn(f"bad.pcapng: damaged at octet {at}, after 1 packets: ", self.stderr)
                self.assertIn(reason, self.stderr)
        for octets in (packets.section()[:20], packets.block(0x0A0D0D0A, bytes(16)), b"\n" * 40):
            with open(self.path("bad.pcapng"), "wb") as file:
                file.write(octets)
            self.assertEqual(self.run_program(self.path("bad.pcapng")).status, 1)

    def test_capture_is_not_overwritten(self):
        """An output that is one of the captures, also as standard input: status 2, and it stays as it is."""
        capture, other = self.capture().pcap(self.path("in.pcap")), self.capture().pcap(self.path("other.pcap"))
        with open(capture, "rb") as file:
            octets = file.read()
        for option in ("--json", "--connections", "--periods"):
            for words in ((other, capture), ("-",)):
                with self.subTest(option=option, words=words):
                    with open(capture, "rb") as file:
                        done = self.run_program(*words, option, capture, stdin=file)
                    self.assertEqual((done.status, done.stdout), (2, ""), done)
                    self.assertIn(words[-1], done.stderr)
                    with open(capture, "rb") as file:
                        self.assertEqual(file.read(), octets)

    def test_a_link_in_out_leads_to_the_capture(self):
        for name in ("analysis.json", "report.html"):
            with self.subTest(name=name):
                capture, out = self.capture().pcap(self.path("in.pcap")), self.path(f"out-{name}")
                os.mkdir(out)
                os.symlink(capture, os.path.join(out, name))
                with open(capture, "rb") as file:
                    octets = file.read()
                done = self.run_program(capture, "--out", out, "--no-report")
                self.assertEqual((done.status, done.stdout), (2, ""), done)
                self.assertIn(capture, done.stderr)
                with open(capture, "rb") as file:
                    self.assertEqual(file.read(), octets)

    def test_snap_length(self):
        found = self.expect_same(self.capture(packets.ETHERNET).pcap(self.path("short.pcap"), snap=68))
        self.assertGreater(found["capture"]["cut_short"], 100)

    def test_several_captures_in_a_row(self):
        half = len(self.rows) // 2
        for name, rows in (("one", self.rows[:half]), ("two", self.rows[half:])):
            Capture(packets.RAW, rows).pcap(self.path(name))
        self.expect_same(self.path("one"), self.path("two"))

    def gn(self, **options):
        count = iter(range(10**6))

        def wrap(packet):
            inner = packets.gtpu(packet, **options)
            outer = packets.udp(("198.51.100.1", 2152), ("198.51.100.2", 2152), inner)
            return packets.fragments(outer, 1400, next(count) % 65536)
        return wrap

    def test_gtp_with_outer_fragments(self):
        for options in ({}, {"sequence": 7}, {"sequence": 7, "extension": bytes([1, 0, 5, 0])}):
            found = self.expect_same(self.capture(packets.ETHERNET, self.gn(**options)).pcap(self.path("gn.pcap")))
            self.assertEqual(found["capture"]["gtp"]["packets"], len(self.rows))
            self.assertGreater(found["capture"]["gtp"]["fragments"], 100)

    def test_fragments_that_come_backwards(self):
        wrap = self.gn()
        self.expect_same(self.capture(packets.RAW, lambda packet: list(wrap(packet))[::-1]).pcap(self.path("back.pcap")))

    def test_a_lost_fragment_takes_its_packet_with_it(self):
        capture = self.capture(packets.RAW, self.gn())
        firsts = [index for index, (_, octets) in enumerate(capture.rows) if octets[6] & 0x20]
        del capture.rows[firsts[10]]
        found, _ = self.of(capture)
        self.assertEqual(found["capture"]["gtp"]["packets"], len(self.rows) - 1)

    def test_ipv6(self):
        def widen(packet):
            source, target = (b"\xfd" + bytes(11) + packet[at:at + 4] if packet[at] == 10 else
                              b"\x20\x01" + bytes(10) + packet[at:at + 4] for at in (12, 16))
            return [struct.pack(">IHBB", 6 << 28, len(packet) - 20, 6, 64) + source + target + packet[20:]]
        found, rows = self.of(self.capture(packets.ETHERNET, widen))
        self.assertEqual(list(found["mobiles"]), ["fd00::a01:1"])
        self.assertEqual(found["loss"]["access_lost"], self.expected["loss"]["access_lost"])
        self.assertEqual({row["branch"] for row in rows}, {"optimal"})

    def test_mobiles_that_are_told(self):
        for prefix in ("10.0.0.0/8", "10.1.0.1", "0.0.0.0/1"):
            self.expect_same(self.capture().pcap(self.path("told.pcap")), "--mobile", prefix)
        found, _ = self.analyze(self.capture().pcap(self.path("told.pcap")), "--mobile", "203.0.113.0/24")
        self.assertEqual((found["connections"], found["capture"]["unassigned"]), (0, len(self.rows)))
        self.assertIn("--mobile", self.stderr)

    def test_mobiles_that_are_found_by_who_opens(self):
        def public(packet):
            return [packet.replace(bytes([10, 1, 0, 1]), bytes([203, 0, 113, 5]))]
        found, _ = self.of(self.capture(change=public))
        self.assertEqual(list(found["mobiles"]), ["203.0.113.5"])
        self.assertEqual(found["loss"], self.expected["loss"])

    def test_cut_anywhere(self):
        for name in ("cut.pcap", "cut.pcapng", "cut.gz"):
            write = self.capture().pcapng if name.endswith("ng") else self.capture().pcap
            with open(write(self.path("whole")), "rb") as file:
                octets = file.read()
            octets = gzip.compress(octets) if name.endswith("gz") else octets
            for size in (len(octets) - 1, len(octets) // 2, len(octets) // 3):
                with self.subTest(name=name, size=size):
                    with open(self.path(name), "wb") as file:
                        file.write(octets[:size])
                    found, _ = self.analyze(self.path(name))
                    self.assertFalse(found["capture"]["is_complete"])
                    self.assertRegex(self.stderr, r"damaged at octet \d+.*, after \d+ packets: .*; packets before it are analysed")
                    self.assertGreater(found["connections"], 0)

    def test_what_cannot_be_read_at_all(self):
        for octets in (b"", b"garbage" * 100):
            with open(self.path("bad"), "wb") as file:
                file.write(octets)
            done = self.run_program(self.path("bad"))
            self.assertEqual(done.status, 1)
            self.assertIn("bad: ", done.stderr)
        self.assertEqual(self.run_program(self.path("none")).status, 2)
        wireless = Capture(packets.RAW, self.rows)
        wireless.frames, wireless.link = lambda: [], 105
        self.assertIn("link type 105", self.run_program(wireless.pcap(self.path("wireless"))).stderr)

    def test_garbage_inside(self):
        source = random.Random(3)
        with open(self.capture(packets.ETHERNET).pcap(self.path("whole")), "rb") as file:
            octets = bytearray(file.read())
        for _ in range(30):
            damaged = bytearray(octets)
            for _ in range(200):
                damaged[source.randrange(24, len(damaged))] = source.randrange(256)
            with open(self.path("damaged"), "wb") as file:
                file.write(damaged)
            self.analyze(self.path("damaged"))

    def test_a_clock_that_is_set_back(self):
        rows = [(at_ns - (3600 * 10**9 if index > len(self.rows) // 2 else 0), packet)
                for index, (at_ns, packet) in enumerate((at_ns + 10**13, packet) for at_ns, packet in self.rows)]
        found, _ = self.analyze(Capture(packets.RAW, rows).pcap(self.path("clock"), is_sorted=False))
        self.assertEqual(found["capture"]["clock_steps"], 1)
        self.assertIn("clock", self.stderr)
        self.assertEqual(found["loss"], self.expected["loss"])
        self.assertLess(found["capture"]["duration_s"], 200)

    def test_a_clock_that_leaps_between_the_ends_of_time(self):
        far_ns = 2**64 - 10**9
        text = packets.section() + packets.interface(packets.RAW)
        for index, (_, packet) in enumerate(self.rows[:40]):
            text += packets.enhanced(0, far_ns if index % 2 else index, packet)
        with open(self.path("leaps.pcapng"), "wb") as file:
            file.write(text)
        found, _ = self.analyze(self.path("leaps.pcapng"))
        self.assertEqual((found["capture"]["frames"], found["capture"]["clock_steps"]), (40, 39))

    def test_wrong_arguments(self):
        path = self.capture().pcap(self.path("a.pcap"))
        for words in ([], [path, "--mobile", "10.0.0.0/33"], [path, "--set", "silence_s"], [path, "--set", "silence_s=x"],
                      [path, "--set", "silence_s=-1"], [path, "--set", "nothing=1"], [path, "--unknown"]):
            with self.subTest(words=words):
                self.assertEqual(self.run_program(*words).status, 2)
        self.assertEqual(self.run_program("--help").status, 0)
        self.assertIn("flight_octets", self.run_program("--thresholds").stdout)
        self.assertEqual(self.run_program(path, "--json", os.path.join(path, "x")).status, 1)


if __name__ == "__main__":
    unittest.main()
