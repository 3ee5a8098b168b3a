# SPDX-License-Identifier: BSD-3-Clause
"""LLC in acknowledged mode at Gb: frames made octet by octet from TS 44.064 clause 6, and runs whose ends count for themselves."""
import os
import random
import struct
import unittest

import llc_count
import packets
import program

SGSN, BSS, TLLI, SAPI = ("10.0.0.1", 23000), ("10.0.0.2", 23001), 0xC0000123, 3
SABM, UA, DISC, DM = 7, 6, 4, 1
RR, ACK, SACK = 0, 1, 3
SCENARIO = os.path.join(program.gbflow.ROOT, "config", "scenarios", "quickstart.lua")
LOSSY = ("cells[1].rlc=unacknowledged", "cells[1].bler=5 %", "mobiles[1].llc=acknowledged",
         'sgsn.acknowledged={ n201_i = "200 octets", t200 = "1 s", n200 = 15, k_down = 64 }',
         'mobiles[1].acknowledged={ t200 = "1 s", k_down = 64 }')

BOUNDS = '{ n201_i = "140 octets", n200 = 15, t200 = "2 s", k_down = 64, k_up = 32 }'
CELL = 'coding = "MCS-9", pdchs = 4, rlc = "unacknowledged"'


def scene(traffic, cells='bler = "10 %"', bounds=BOUNDS, count="", rest=""):
    return f"""return {{ title = "LLC", duration = "60 s", cells = {{ {{ bvci = 2, {CELL}, {cells} }} }}, {rest}
        sgsn = {{ acknowledged = {bounds}, lifetime = {{ sgsn_max = "infinite" }} }},
        mobiles = {{ {{ name = "anna", {count} llc = "acknowledged", acknowledged = {bounds}, traffic = {{ {traffic} }} }} }} }}"""


SCENES = {
    "upload": scene('{ upload = { octets = "infinite" } }'),
    "two mobiles": scene('{ download = { octets = "infinite" } }, { upload = { octets = "infinite" } }', count="count = 2,"),
    "cells": scene('{ download = { octets = "infinite" } }', f'bler = "10 %" }}, {{ bvci = 3, {CELL}, bler = "10 %"',
                   rest='moves = { { at = "9 s", mobile = "anna", cell = 3 }, { at = "20 s", mobile = "anna", cell = 2 } },'),
    "short T200": scene('{ download = { octets = "infinite" } }, { upload = { octets = "infinite" } }',
                        bounds=BOUNDS.replace("2 s", "300 ms").replace("15", "8"), rest='network = { gb_delay = "150 ms" },'),
}


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

    def test_a_capture_from_the_middle(self):
        """It begins with a report and with repetitions, 107 and 109; 108 was sent before. 111 was sent later and not captured."""
        capture = Gb()
        capture.up(s_frame(100))
        for number in (107, 109, 105):
            capture.down(i_frame(number))
        capture.up(s_frame(110))
        self.expect(self.llc_of(capture)["downlink"], i_frames=3, repeated=0, late=0, confirmed=2, missed_by_capture=0)
        for number in (110, 112):
            capture.down(i_frame(number))
        capture.up(s_frame(113))
        self.expect(self.llc_of(capture)["downlink"], i_frames=5, repeated=0, late=0, confirmed=4, missed_by_capture=1)

    def test_what_the_capture_missed(self):
        """The first frame of an establishment, two before a report, 229 in a row."""
        capture = Gb()
        capture.establish()
        capture.down(i_frame(1))
        capture.up(s_frame(2))
        self.expect(self.llc_of(capture)["downlink"], i_frames=1, late=0, confirmed=1, missed_by_capture=1)
        capture.up(s_frame(4))
        self.expect(self.llc_of(capture)["downlink"], confirmed=1, missed_by_capture=3)
        for number in (4, 234):
            capture.down(i_frame(number))
        capture.up(s_frame(235))
        self.expect(self.llc_of(capture)["downlink"], repeated=0, late=0, confirmed=3, missed_by_capture=3 + 229)

    def test_what_takes_frames_back(self):
        """DISC with its UA, and DM that nothing asked for, of both directions."""
        for ends in (((True, DISC), (False, UA)), ((False, DM),)):
            capture = Gb()
            capture.establish()
            capture.down(i_frame(0))
            for number in (0, 1):
                capture.up(i_frame(number))
            for is_down, command in ends:
                (capture.down if is_down else capture.up)(u_frame(command))
            llc = self.llc_of(capture)
            self.expect(llc["downlink"], taken_back=1)
            self.expect(llc["uplink"], taken_back=2)

    def test_frames_that_cross_a_sabm(self):
        """The mobile's frames are of the earlier establishment until it has answered."""
        capture = Gb()
        capture.establish()
        capture.up(i_frame(0))
        capture.down(u_frame(SABM))
        capture.up(i_frame(1))
        capture.up(u_frame(UA))
        llc = self.llc_of(capture)
        self.expect(llc["uplink"], i_frames=2, taken_back=2)
        self.expect(llc["links_of"]["c0000123/3"], established=2)

    def test_uas(self):
        """One that answers nothing new changes nothing: to a second SABM, or to that of the other side."""
        for is_crossing in (False, True):
            capture = Gb()
            capture.down(u_frame(SABM))
            (capture.up if is_crossing else capture.down)(u_frame(SABM))
            capture.up(u_frame(UA))
            for number in range(3):
                capture.down(i_frame(number))
            (capture.down if is_crossing else capture.up)(u_frame(UA))
            capture.up(s_frame(3))
            llc = self.llc_of(capture)
            self.expect(llc["downlink"], i_frames=3, confirmed=3, taken_back=0, missed_by_capture=0)
            self.expect(llc["links_of"]["c0000123/3"], established=1)

    def test_a_lost_ua(self):
        """An I frame of the side that sent SABM proves that it has the UA."""
        capture = Gb()
        capture.establish()
        for number in range(300):
            capture.down(i_frame(number))
            capture.up(s_frame(number + 1))
        capture.down(u_frame(SABM))
        for number in range(10):
            capture.down(i_frame(number))
        capture.up(s_frame(10))
        llc = self.llc_of(capture)
        self.expect(llc["downlink"], i_frames=310, confirmed=310, repeated=0, missed_by_capture=0)
        self.expect(llc["links_of"]["c0000123/3"], established=2)

    def test_old_reports(self):
        """A report that another overtook; N(R) of an I frame confirms, too."""
        capture = Gb()
        capture.establish()
        for number in range(20):
            capture.down(i_frame(number))
        capture.up(i_frame(0, 12))
        capture.up(s_frame(7))
        capture.up(s_frame(10, ACK))
        self.expect(self.llc_of(capture)["downlink"], confirmed=12, missed_by_capture=0)
        capture.down(i_frame(20, 1))
        self.expect(self.llc_of(capture)["uplink"], confirmed=1)

    def test_a_wide_window(self):
        """Reports are lost while 300 frames pass: the last 256 numbers are known."""
        capture = Gb()
        capture.establish()
        for number in range(300):
            capture.down(i_frame(number))
        capture.up(s_frame(300))
        self.expect(self.llc_of(capture)["downlink"], i_frames=300, repeated=0, confirmed=256, missed_by_capture=0)

    def test_cut_frames(self):
        """The header of LLC is enough; without it the packet is still none of a user's."""
        capture = Gb()
        capture.establish()
        for number in (0, 1, 1):
            capture.down(i_frame(number, info=bytes(400)))
        capture.up(s_frame(2))
        for snap, cut, frames, repeated, confirmed in ((64, 0, 3, 1, 2), (49, 5, 0, 0, 0), (43, None, 0, 0, 0)):
            llc = self.analyze(capture.pcap(self.path("cut.pcap"), snap=snap))[0]["llc"]
            if cut is None:
                self.assertIsNone(llc)  # no frame has shown that it is Gb
                continue
            self.expect(llc, cut=cut, ns_packets=6)
            self.expect(llc["downlink"], i_frames=frames, octets=frames * 407, repeated=repeated, confirmed=confirmed)

    def test_fragments(self):
        """Of IP are not read."""
        whole, capture = Gb(), Gb()
        whole.down(i_frame(0, info=bytes(800)))
        for piece in packets.fragments(whole.rows[0][1], 600, 9):
            capture.add(1, piece)
        self.assertIsNone(self.of(capture)[0]["llc"])

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
        for tlli in (0x78000001, 0x38000001):
            capture.down(i_frame(0), tlli)
        llc = self.llc_of(capture)
        self.assertEqual(sorted(llc["links_of"]), ["38000001/3", "78000001/3", "c0000123/3", "c0000123/5", "c0000124/3"])
        self.expect(llc, links=5, ui_frames=1, no_room=0)
        self.expect(llc["downlink"], i_frames=6, repeated=1)
        llc = self.llc_of(capture, "--set", "links=1")
        self.expect(llc, links=1, no_room=4)
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

    def test_what_a_user_sends(self):
        """IKE behind NAT: four octets of 0, and what BSSGP PDUs without mandatory elements look like."""
        capture = packets.Capture()
        for kind in (4, 5, 0x42, *range(0x59, 0x65), 0x80, 0x91, 0, 1):
            capture.add(1 + kind / 1000, packets.udp(("10.45.0.7", 4500), ("8.8.8.8", 4500), bytes(4) + bytes([kind]) + bytes(100)))
        found, _ = self.of(capture)
        self.assertIsNone(found["llc"])
        self.assertEqual(found["capture"]["other_packets"], len(capture.rows))

    def compare(self, found, rows):
        """All counts with those of the second counter."""
        links = llc_count.count(rows)
        self.assertEqual(sorted(found["links_of"]), sorted(f"{tlli:08x}/{sapi}" for tlli, sapi in links))
        for (tlli, sapi), link in links.items():
            row = found["links_of"][f"{tlli:08x}/{sapi}"]
            self.assertEqual(row["established"], link.established)
            for name, is_down in (("downlink", True), ("uplink", False)):
                self.expect(row[name], **link.ways[is_down].counts)
        for name, is_down in (("downlink", True), ("uplink", False)):
            waits_s = sorted(wait * 1e-9 for link in links.values() for wait in link.ways[is_down].waits)
            spread = found[name]["confirm_s"] or {"count": 0}
            self.assertEqual(spread["count"], len(waits_s))
            for part, wait_s in (("min", waits_s[0]), ("mean", sum(waits_s) / len(waits_s)), ("max", waits_s[-1])) if waits_s else ():
                self.assertAlmostEqual(spread[part], wait_s, delta=1e-6)

    def play(self, text, *words):
        """(the run's summary, its frames, the analysis of them)"""
        path, out = self.write("scenario.lua", text), self.path("run")
        done = program.gbflow.run("run", path, *words, "--pcap=gb", "--no-report", "--no-series", "--out", out)
        self.assertEqual(done.status, 0, done.stderr)
        capture = os.path.join(out, "gb.pcapng")
        return program.gbflow.read_json(os.path.join(out, "summary.json")), llc_count.read(capture), self.analyze(capture)[0]["llc"]

    def test_runs(self):
        """What both ends of a lossy link counted, in clear and ciphered, and what the second counter does, of parts as well."""
        with open(SCENARIO, encoding="utf-8") as file:
            text = file.read()
        for ciphering in ('algorithm = "gea0"', 'algorithm = "gea3", kc = "0123456789abcdef"'):
            words = [word for setting in (*LOSSY, f"mobiles[1].ciphering={{ {ciphering} }}") for word in ("--set", setting)]
            with self.subTest(ciphering):
                summary, rows, llc = self.play(text, *words)
                self.expect_ends(summary, llc)
                self.compare(llc, rows)
                self.compare_parts(rows)

    def expect_ends(self, summary, llc):
        node, mobile = summary["acknowledged"][0], summary["acknowledged_mobiles"]
        self.assertGreater(node["repeated"], 100)
        self.assertGreater(node["uplink_again"], 0)
        self.assertEqual(summary["llc"]["drops"]["llc_abm"], node["uplink_again"])
        self.expect(llc["downlink"], repeated=node["repeated"], missed_by_capture=0, late=0)
        self.expect(llc["uplink"], repeated=node["uplink_again"], missed_by_capture=0)
        self.assertEqual(llc["downlink"]["i_frames"] - llc["downlink"]["repeated"], mobile["received"] - mobile["again"])
        self.assertLessEqual(llc["uplink"]["i_frames"], mobile["i_frames"])
        self.expect(llc["links_of"]["c0000001/3"], established=node["established"])

    def compare_parts(self, rows):
        """Captures that begin late, and that lack a frame in fifty."""
        chance = random.Random(7)
        for part in (rows[len(rows) // 3:], rows[len(rows) // 2:], [row for row in rows if chance.random() > 0.02]):
            path = llc_count.write(self.path("part.pcapng"), part)
            self.compare(self.analyze(path)[0]["llc"], part)

    def test_scenes(self):
        """Uploads, two mobiles, cell changes, and a T200 below the way there and back, so that SABMs cross and UAs come twice."""
        for name, text in SCENES.items():
            with self.subTest(name):
                _, rows, llc = self.play(text)
                self.assertGreater(llc["downlink"]["i_frames"] + llc["uplink"]["i_frames"], 300)
                self.compare(llc, rows)

    def test_merged(self):
        """Frames in two captures, in any order of these, are those of one."""
        with open(SCENARIO, encoding="utf-8") as file:
            _, rows, llc = self.play(file.read(), *(word for setting in LOSSY for word in ("--set", setting)))
        groups = [[row for row in rows if row[0] // 1000 % 3 == rest] for rest in range(3)]  # frames of one instant stay together
        middle_ns = rows[len(rows) // 2][0]
        halves = [[row for row in rows if (row[0] < middle_ns) == is_first] for is_first in (False, True)]
        for parts in (groups, groups[::-1], halves):
            paths = [llc_count.write(self.path(f"{i}.pcapng"), part) for i, part in enumerate(parts)]
            found = self.analyze(*paths)[0]
            self.assertEqual(found["llc"], llc)
            self.assertEqual((found["capture"]["frames"], found["capture"]["clock_steps"]), (len(rows), 0))


if __name__ == "__main__":
    unittest.main()
