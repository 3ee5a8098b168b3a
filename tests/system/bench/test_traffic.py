# SPDX-License-Identifier: BSD-3-Clause
"""bench/traffic: the frames that other generators send are those that the node of `gbflow bench node --set teids=foreign` knows.
tshark decodes them, and the node's file is asked for its mobiles."""
import ipaddress
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import GBFLOW

ROOT = pathlib.Path(__file__).parents[3]
TRAFFIC = ROOT / "bench" / "traffic"
FIELDS = ("eth.dst", "ip.src", "ip.dst", "ip.len", "udp.dstport", "gtp.teid", "gtp.message", "gtp.length", "ip.checksum.status", "_ws.malformed")
FIRST = int(ipaddress.ip_address("100.64.0.0"))
PYTHON = "/usr/bin/python3"  # Debian's, which python3-scapy is of
SCENARIO = """
local mobiles = {}
for i = 1, 30 do
  mobiles[i] = { name = "m" .. i, cell = 2, traffic = { { cbr = { rate = "4096 bit/s", packet = "512 octets", start = i .. " ms" } } } }
end
return { title = "a few", duration = "3 s", cells = { { bvci = 2, pdchs = 8, coding = "MCS-9" } }, mobiles = mobiles }
"""


@unittest.skipUnless(shutil.which("tshark"), "tshark is missing")
class Traffic(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-traffic-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.pcap = self.folder / "gn.pcap"

    def decoded(self):
        """The fields of each frame, those of the outer header first."""
        names = [word for name in FIELDS for word in ("-e", name)]
        done = subprocess.run(["tshark", "-r", self.pcap, "-o", "ip.check_checksum:TRUE", "-T", "fields", *names], capture_output=True, text=True,
                              check=True)
        return [dict(zip(FIELDS, line.split("\t"))) for line in done.stdout.splitlines()]

    def node(self, mobiles):
        """SGSN's and GGSN's address, TEID and address of the last mobile, as the node's file has them."""
        path = self.folder / "node.lua"
        subprocess.run([GBFLOW, "bench", "node", path, "--set", "teids=foreign", "--mobiles", str(mobiles)], check=True)
        text = path.read_text(encoding="utf-8")
        self.assertIn("teid = i + 1", text)
        sgsn, ggsn = re.search(r'sgsn_address = "([^"]+)", ggsn_address = "([^"]+)"', text).groups()
        self.assertIn('format("100.%d.%d.", 64 + (block >> 8), block & 255)', text)
        return sgsn, ggsn

    def check(self, frames, mobiles, octets, mac):
        sgsn, ggsn = self.node(mobiles)
        seen = set()
        for frame in frames:
            teid = int(frame["gtp.teid"], 16)
            seen.add(teid)
            self.assertTrue(1 <= teid <= mobiles, frame)
            self.assertEqual(frame["eth.dst"], mac)
            self.assertEqual(frame["ip.src"].split(",")[0], ggsn)
            self.assertEqual(frame["ip.dst"], f"{sgsn},{ipaddress.ip_address(FIRST + teid - 1)}")
            self.assertEqual((frame["ip.checksum.status"], frame["_ws.malformed"], frame["gtp.message"]), ("1,1", "", "0xff"))
            self.assertEqual(frame["udp.dstport"].split(",")[0], "2152")
            self.assertEqual((frame["ip.len"], frame["gtp.length"]), (f"{octets + 36},{octets}", str(octets)))
        return seen

    def test_trex(self):
        if subprocess.run([PYTHON, "-c", "import scapy"], capture_output=True, check=False).returncode != 0:
            self.skipTest("python3-scapy is missing")
        for octets in (64, 1500):
            with self.subTest(octets=octets):
                subprocess.run([PYTHON, pathlib.Path(__file__).parent / "trex" / "play.py", TRAFFIC / "trex_gtpu.py", self.pcap, "400",
                                f"octets={octets}", "mobiles=50", "mac=02:00:00:00:00:07"], check=True)
                frames = self.decoded()
                self.assertEqual(len(frames), 400)
                self.assertEqual(self.check(frames, 50, octets, "02:00:00:00:00:07"), set(range(1, 51)))

    def test_pktgen(self):
        """The capture has each frame of the scenario on Gn, in its order."""
        scenario = self.folder / "few.lua"
        scenario.write_text(SCENARIO, encoding="utf-8")
        done = subprocess.run([PYTHON, TRAFFIC / "pktgen_capture.py", self.pcap, "--scenario", scenario, "--gbflow", GBFLOW, "--mac", "02:00:00:00:00:08"],
                              capture_output=True, text=True, check=False, env=dict(os.environ, PYTHONDONTWRITEBYTECODE="1"))
        self.assertEqual(done.returncode, 0, done.stderr)
        frames = self.decoded()
        self.assertEqual(done.stdout.splitlines(), [f"{self.pcap}: {len(frames)} frames to 30 mobiles",
                                                    "gbflow bench node node.lua --set teids=foreign --mobiles 30"])
        self.assertEqual(self.check(frames, 30, 512, "02:00:00:00:00:08"), set(range(1, 31)))
        self.assertEqual([int(frame["gtp.teid"], 16) for frame in frames[:30]], list(range(1, 31)))

    def test_the_scenario_of_pktgen_is_right(self):
        done = subprocess.run([GBFLOW, "check", TRAFFIC / "pktgen_scenario.lua"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_scenario_that_fails(self):
        done = subprocess.run([PYTHON, TRAFFIC / "pktgen_capture.py", self.pcap, "--scenario", "/nowhere.lua", "--gbflow", GBFLOW, "--mac", "02:00:00:00:00:08"],
                              capture_output=True, text=True, check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(self.pcap.exists())


if __name__ == "__main__":
    unittest.main()
