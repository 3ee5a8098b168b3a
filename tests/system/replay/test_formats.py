# SPDX-License-Identifier: BSD-3-Clause
"""The same frames in other clothes: formats of capture files, link types, sessions from a list, another user."""
import filecmp
import gzip
import os
import shutil
import unittest

import captures
import gbflow
from gb_oracle import capture, gb, report, writer

NODE = os.path.join(gbflow.NODES, "replay-open.lua")
WIRELESS = 105
FIRST_TLLI, IMSI = 0xC0000001, 0x0D
COOKED_HEAD = bytes.fromhex("0000000100060200000000010000")


class Formats(gbflow.Case):
    @classmethod
    def setUpClass(cls):
        cls.frames = captures.shipped()

    def check_same(self, path, only_packets=False):
        """The file gives the Gb capture that the shipped one gives."""
        expected, found = self.replay(NODE, name="expected"), self.replay(NODE, capture=path, name="found")
        self.assertEqual((found.status, found.stderr), (0, ""), found)
        self.assertEqual(found.report["sessions"], expected.report["sessions"])
        self.assertEqual(found.report["llc_frames"], expected.report["llc_frames"])
        if not only_packets:
            self.assertTrue(filecmp.cmp(expected.gb, found.gb, shallow=False))

    def test_nanoseconds(self):
        self.check_same(captures.pcap(self.path("gn.pcap"), self.frames))

    def test_pcapng(self):
        self.check_same(captures.pcapng(self.path("gn.pcapng"), self.frames))

    def test_cooked(self):
        frames = [frame.changed(COOKED_HEAD + frame.octets[12:]) for frame in self.frames]
        self.check_same(captures.pcap(self.path("gn.pcap"), frames, captures.COOKED))

    def test_gzip_and_standard_input(self):
        with open(gbflow.CAPTURE, "rb") as file, gzip.open(self.path("gn.pcap.gz"), "wb") as packed:
            packed.write(file.read())
        self.check_same(self.path("gn.pcap.gz"))
        expected = self.replay(NODE, name="expected")
        for path in (gbflow.CAPTURE, self.path("gn.pcap.gz")):
            with self.subTest(path=path), open(path, "rb") as file:
                result = gbflow.run("replay", NODE, "--in", "-", "--out", self.path("found.pcapng"), stdin=file)
                self.assertEqual((result.status, result.stderr), (0, ""), result)
                self.assertTrue(filecmp.cmp(expected.gb, self.path("found.pcapng"), shallow=False))

    def test_interfaces_of_different_links(self):
        """Frames of three links in turn, and between them some of a link that is not read."""
        packets = [frame for frame in self.frames if frame.octets[12:14] == b"\x08\x00"]
        links = ((captures.ETHERNET, b"", 0), (captures.COOKED, COOKED_HEAD, 12), (captures.RAW_IP, b"", 14))
        rows = []
        for place, frame in enumerate(packets):
            link, head, cut = links[place % 3]
            rows.append((link, frame.changed(head + frame.octets[cut:])))
        rows[100:100] = [(WIRELESS, frame) for frame in packets[:7]]
        expected = self.replay(NODE, name="expected")
        found = self.replay(NODE, capture=captures.pcapng_of_links(self.path("gn.pcapng"), rows), name="found")
        self.assertEqual(found.status, 0, found)
        self.assertRegex(found.stderr, r"^warning: \S+gn.pcapng: 7 packets with unsupported link types were ignored; .*\n$")
        self.assertEqual(found.report["frames"]["read"], len(packets))
        self.assertEqual(found.report["sessions"], expected.report["sessions"])

    def test_raw(self):
        frames = [frame.changed(frame.octets[14:]) for frame in self.frames if frame.octets[12:14] == b"\x08\x00"]
        self.assertGreater(len(frames), len(self.frames) - 20)
        self.check_same(captures.pcap(self.path("gn.pcap"), frames, captures.RAW_IP), only_packets=True)

    def test_short_frames(self):
        """Shorter than the link's own header, and longer than any packet."""
        for link_type in (captures.ETHERNET, captures.COOKED, captures.RAW_IP):
            with self.subTest(link_type=link_type):
                lengths = [*range(0, 40), 65535, 65536, 70000, 262144]
                frames = [captures.Frame(10**18, b"\x45" * length) for length in lengths]
                result = self.replay(NODE, capture=captures.pcap(self.path("gn.pcap"), frames, link_type))
                self.assertEqual(result.report["frames"]["read"], len(lengths))
                self.assertEqual(result.report["npdu"]["in"], 0)

    def test_other_link_type(self):
        path = captures.pcap(self.path("gn.pcap"), self.frames[:3], 105)
        result = gbflow.run("replay", NODE, "--in", path)
        self.assertEqual((result.status, result.stderr.count("\n")), (1, 1), result)
        self.assertRegex(result.stderr, "link type 105.*Ethernet")

    def test_times_out_of_range(self):
        """pcapng can tell times that nanoseconds in 64 bits cannot."""
        for name, first in (("late", 2**33), ("too late", 2**40), ("far too late", 2**62)):
            with self.subTest(time=name):
                path = self.path("gn.pcapng")
                writer.pcapng(path, [((first + second) * 10**9, bytes(60)) for second in (0, 1)], resolution=0)
                self.assertEqual(self.replay(NODE, "--drain", "1", capture=path).report["frames"]["read"], 2)

    def test_after_2038(self):
        """Seconds of 32 bits have no sign: what comes out bears the same times."""
        shift_ns = (2**32 - 3600 - self.frames[0].time_ns // 10**9) * 10**9
        path = captures.pcap(self.path("gn.pcap"), [frame.later(shift_ns) for frame in self.frames])
        times = [[frame.time_ns for frame in capture.read(self.replay(NODE, capture=source).gb)] for source in (gbflow.CAPTURE, path)]
        self.assertEqual([time_ns + shift_ns for time_ns in times[0]], times[1])


SESSION = """      {{ imsi = "{imsi}", tlli = {tlli:#x}, bvci = 1800, contexts = {{ {{
        nsapi = 5, teid = {teid}, sgsn_address = "{sgsn_address}", ggsn_address = "10.98.0.1", ggsn_teid = {n},
        address = "{address}", class = "{class_}" }} }} }},
"""


class Listed(gbflow.Case):
    def listed(self, name, learned, leave_out=0):
        """A node that is given the sessions which another one learned, but for the first few."""
        imsis = self.imsis(learned)
        rows = [SESSION.format(n=n + 10, tlli=FIRST_TLLI + n, class_=session["class"], imsi=imsis[FIRST_TLLI + n], **session)
                for n, session in enumerate(learned.report["sessions"])]
        listing = f'source = "list", list = {{\n{"".join(rows[leave_out:])}    }},'
        return self.write("listed.lua", gbflow.node_text(name, [('source = "gtpc",', listing)]))

    @staticmethod
    def imsis(learned):
        """{TLLI: digits}, as DL-UNITDATA has them: BCD, low half first, one half octet for its kind."""
        found = {}
        for event in gb.load(learned.gb, report.Report()):
            if isinstance(event, gb.DlPdu) and event.tlli not in found:
                halves = "".join(octet[::-1] for octet in event.pdu.elements[IMSI].hex(" ").split())
                found[event.tlli] = halves[1:].rstrip("f")
        return found

    def test_same_as_learned(self):
        learned = self.replay(NODE, name="learned")
        listed = self.replay(self.listed("replay-open", learned), name="listed")
        self.assertEqual((listed.status, listed.stderr), (0, ""), listed)
        self.assertTrue(filecmp.cmp(learned.gb, listed.gb, shallow=False))
        for key in ("npdu", "sessions", "llc_frames", "drops"):
            self.assertEqual(learned.report[key], listed.report[key])

    def test_narrow(self):
        """Listed contexts do not end; the same capture without what ends them gives the same through a narrow cell."""
        path = captures.pcap(self.path("gn.pcap"), captures.without_deletes(captures.shipped()))
        learned = self.replay(os.path.join(gbflow.NODES, "replay-80k.lua"), capture=path, name="learned")
        listed = self.replay(self.listed("replay-80k", learned), capture=path, name="listed")
        self.assertTrue(filecmp.cmp(learned.gb, listed.gb, shallow=False))
        self.assertEqual(learned.report["drops"], listed.report["drops"])

    def test_unknown(self):
        """A session that is not listed is dropped, by reason."""
        learned = self.replay(NODE, name="learned")
        sessions = learned.report["sessions"]
        found = self.replay(self.listed("replay-open", learned, leave_out=1), name="listed").report
        self.assertEqual(found["drops"]["unknown_teid"], sessions[0]["npdu_out"])
        self.assertEqual(found["npdu"]["out"], sum(session["npdu_out"] for session in sessions[1:]))


class Unprivileged(gbflow.Case):
    """Without root, and so without huge pages, which only root may take."""

    def test_nobody(self):
        prefix = []
        if os.geteuid() == 0:
            if shutil.which("setpriv") is None:
                self.skipTest("setpriv is not installed, and this runs as root")
            prefix = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs",
                      "--inh-caps=-all", "--bounding-set=-all"]
        for source in (gbflow.program(), NODE, gbflow.CAPTURE):
            shutil.copy(source, self.folder)
        os.chmod(self.folder, 0o777)
        words = ["replay", "replay-open.lua", "--in", os.path.basename(gbflow.CAPTURE), "--out", "gb.pcapng"]
        done = gbflow.run(*words, prefix=prefix, cwd=self.folder, path="./" + os.path.basename(gbflow.program()))
        self.assertEqual((done.status, done.stderr), (0, ""), done)
        self.assertIn("in 1736 = out 1736", done.stdout)
        self.assertEqual(os.stat(self.path("gb.pcapng")).st_uid, 65534 if prefix else os.geteuid())
        self.assertGreater(len(capture.read(self.path("gb.pcapng"))), 4377)


if __name__ == "__main__":
    unittest.main()
