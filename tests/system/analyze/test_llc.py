# SPDX-License-Identifier: BSD-3-Clause
"""LLC in acknowledged mode at Gb: frames made octet by octet from TS 44.064 clause 6, and runs whose ends count for themselves."""
import os
import struct
import unittest

import packets
import program

SGSN, BSS, TLLI, SAPI = ("10.0.0.1", 23000), ("10.0.0.2", 23001), 0xC0000123, 3
SABM, UA, DISC, DM = 7, 6, 4, 1
RR, ACK, SACK = 0, 1, 3
SCENARIO = os.path.join(program.gbflow.ROOT, "config", "scenarios", "quickstart.lua")
LOSSY = ("cells[1].rlc=unacknowledged", "cells[1].bler=5 %", "mobiles[1].llc=acknowledged",
         'sgsn.acknowledged={ n201_i = "200 octets", t200 = "1 s", n200 = 15, k_down = 64 }',
         'mobiles[1].acknowledged={ t200 = "1 s", k_down = 64 }')


def i_frame(number, confirms=0, sapi=SAPI, info=b"\x55" * 20):
    return bytes([sapi]) + struct.pack(">I", number << 12 | confirms << 2)[1:] + info + bytes(3)


def s_frame(confirms, kind=RR, bitmap=b"", sapi=SAPI):
    return bytes([sapi]) + struct.pack(">H", 2 << 14 | confirms << 2 | kind) + bitmap + bytes(3)


def u_frame(command, sapi=SAPI):
    return bytes([sapi, 0xE0 | command]) + bytes(3)


def ui_frame(sapi=SAPI):
    return bytes([sapi, 0xC0, 1]) + bytes(10)


class Gb(packets.Capture):
    """A millisecond from frame to frame."""

    def ns(self, pdu, is_down=True):
        ends = (SGSN, BSS) if is_down else (BSS, SGSN)
        self.add(1 + len(self.rows) / 1000, packets.udp(*ends, pdu))

    def down(self, llc, tlli=TLLI):
        self.ns(bytes([0, 0, 0, 9, 0]) + struct.pack(">I", tlli) + bytes(3) + b"\x16\x82\xff\xff" + lv(llc))

    def up(self, llc, tlli=TLLI):
        self.ns(bytes([0, 0, 0, 9, 1]) + struct.pack(">I", tlli) + bytes(3) + b"\x08\x88" + bytes(8) + lv(llc), False)

    def establish(self, sapi=SAPI):
        self.down(u_frame(SABM, sapi))
        self.up(u_frame(UA, sapi))


def lv(llc):
    return struct.pack(">BH", 0x0E, len(llc))[:1] + (bytes([0x80 | len(llc)]) if len(llc) < 128 else struct.pack(">H", len(llc))) + llc


class Llc(program.Case):
    def llc_of(self, capture, *words):
        return self.of(capture, *words)[0]["llc"]

    def expect(self, found, **wanted):
        self.assertEqual({name: found[name] for name in wanted}, wanted)

    def test_order(self):
        capture = Gb()
        capture.establish()
        for number in range(600):
            capture.down(i_frame(number % 512))
            capture.up(s_frame((number + 1) % 512))
        llc = self.llc_of(capture)
        self.expect(llc, sabm=1, ua=1, rr=600, links=1, ns_packets=1202)
        self.expect(llc["downlink"], i_frames=600, octets=600 * 27, repeated=0, needless=0, late=0, confirmed=600, missed_by_capture=0)
        self.expect(llc["uplink"], i_frames=0, confirm_s=None)
        self.assertAlmostEqual(llc["downlink"]["confirm_s"]["p50"], 0.001, delta=1e-5)
        self.expect(llc["links_of"]["c0000123/3"], established=1, refused=0, released=0)

    def test_repetitions(self):
        """0 once, 1 twice before its confirmation, 2 again after it. The uplink's 1 is a gap until 2 has passed."""
        capture = Gb()
        capture.establish()
        for number in (0, 1, 1, 2):
            capture.down(i_frame(number))
        capture.up(s_frame(3))
        capture.down(i_frame(2, info=b"x" * 100))
        for number in (0, 2, 1):
            capture.up(i_frame(number, 3))
        capture.down(s_frame(3))
        llc = self.llc_of(capture)
        self.expect(llc["downlink"], i_frames=5, repeated=2, needless=1, late=0, confirmed=3, repeated_octets=27 + 107)
        self.expect(llc["uplink"], i_frames=3, repeated=0, late=1, confirmed=3)
        self.assertAlmostEqual(llc["downlink"]["confirm_s"]["max"], 0.004, delta=1e-5)

    def test_what_names_frames(self):
        """ACK confirms below N(R) and N(R) + 1; the bitmap of a SACK begins with N(R) + 1."""
        capture = Gb()
        capture.establish()
        for number in range(12):
            capture.down(i_frame(number))
        capture.up(s_frame(1, ACK))
        self.expect(self.llc_of(capture)["downlink"], confirmed=2, needless=0)
        for number in (0, 1, 2):
            capture.down(i_frame(number))
        self.expect(self.llc_of(capture)["downlink"], confirmed=2, repeated=3, needless=2)
        capture.up(s_frame(1, SACK, b"\x40\x01"))
        for number in (3, 4, 11):
            capture.down(i_frame(number))
        self.expect(self.llc_of(capture)["downlink"], confirmed=3, repeated=6, needless=3)

    def test_what_the_capture_missed(self):
        """Numbers 0 to 6 and 8 were not captured; the report about 8 was."""
        capture = Gb()
        for number in (7, 9):
            capture.down(i_frame(number))
        capture.down(i_frame(5))
        capture.up(s_frame(10))
        self.expect(self.llc_of(capture)["downlink"], i_frames=3, repeated=0, late=0, confirmed=2, missed_by_capture=1)

    def test_begins_and_ends(self):
        capture = Gb()
        capture.up(u_frame(SABM))
        capture.down(u_frame(DM))
        capture.establish()
        for number in (0, 1):
            capture.down(i_frame(number))
        capture.up(s_frame(1))
        capture.establish()
        capture.down(i_frame(0))
        capture.up(s_frame(1))
        capture.down(u_frame(DISC))
        capture.up(u_frame(UA))
        llc = self.llc_of(capture)
        self.expect(llc, sabm=3, dm=1, ua=3, disc=1)
        self.expect(llc["downlink"], i_frames=3, repeated=0, confirmed=2, taken_back=1)
        self.expect(llc["links_of"]["c0000123/3"], established=2, refused=1, released=1)

    def test_links(self):
        """One mobile with its local and its foreign TLLI, another SAPI, another mobile; UI frames are no link."""
        capture = Gb()
        for tlli, sapi in ((TLLI, 3), (TLLI & ~(1 << 30), 3), (TLLI, 5), (0xC0000124, 3)):
            capture.down(i_frame(0, sapi=sapi), tlli)
        capture.up(ui_frame(), 0x78000001)
        llc = self.llc_of(capture)
        self.assertEqual(sorted(llc["links_of"]), ["c0000123/3", "c0000123/5", "c0000124/3"])
        self.expect(llc, links=3, ui_frames=1, no_room=0)
        self.expect(llc["downlink"], i_frames=4, repeated=1)
        llc = self.llc_of(capture, "--set", "links=1")
        self.expect(llc, links=1, no_room=2)
        self.assertIn("--set links=N", self.stderr)

    def test_what_is_ns(self):
        """A user's datagram of zeros is none; NS-ALIVE is one only between ends that are known."""
        capture = Gb()
        for payload in (bytes(40), b"\x0a", b""):
            capture.ns(payload)
        found, _ = self.of(capture, "--mobile", BSS[0])
        self.assertIsNone(found["llc"])
        self.assertEqual(found["capture"]["other_packets"], 3)
        capture.down(ui_frame())
        capture.ns(b"\x0a", False)
        found, _ = self.of(capture, "--mobile", BSS[0])
        self.expect(found["llc"], ns_packets=2, ui_frames=1, links=0)
        self.assertEqual(found["capture"]["other_packets"], 3)

    def play(self, *settings):
        """(the run's summary, the analysis of its capture)"""
        words = [word for setting in (*LOSSY, *settings) for word in ("--set", setting)]
        done = program.gbflow.run("run", SCENARIO, *words, "--pcap=gb", "--no-report", "--no-series", "--out", self.path("run"))
        self.assertEqual(done.status, 0, done.stderr)
        return program.gbflow.read_json(self.path("run/summary.json")), self.analyze(self.path("run/gb.pcapng"))[0]["llc"]

    def test_runs(self):
        """What both ends of a lossy link counted, in clear and ciphered."""
        for ciphering in ('algorithm = "gea0"', 'algorithm = "gea3", kc = "0123456789abcdef"'):
            summary, llc = self.play(f"mobiles[1].ciphering={{ {ciphering} }}")
            node, mobile = summary["acknowledged"][0], summary["acknowledged_mobiles"]
            with self.subTest(ciphering):
                self.assertGreater(node["repeated"], 100)
                self.assertEqual(summary["llc"]["drops"]["llc_abm"], node["uplink_again"])
                self.assertGreater(node["uplink_again"], 0)
                self.expect(llc["downlink"], repeated=node["repeated"], missed_by_capture=0, late=0)
                self.expect(llc["uplink"], repeated=node["uplink_again"], missed_by_capture=0)
                self.assertEqual(llc["downlink"]["i_frames"] - llc["downlink"]["repeated"], mobile["received"] - mobile["again"])
                self.assertLessEqual(llc["uplink"]["i_frames"], mobile["i_frames"])
                self.expect(llc["links_of"]["c0000001/3"], established=node["established"])


if __name__ == "__main__":
    unittest.main()
