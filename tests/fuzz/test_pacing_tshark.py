# SPDX-License-Identifier: BSD-3-Clause
"""tshark judges the checksums of segments that passed dataplane/pacing.

usage: test_pacing_tshark.py PACING_SOAK GBFLOW SCENARIO SEGMENTS DURATION

SEGMENTS at least: of the fuzzed population of pacing_soak, and on Gi of a scenario of that duration with lowered
windows. One octet of a window that changes afterwards is found.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOAK, GBFLOW, SCENARIO, SEGMENTS, DURATION = sys.argv[1:6] if len(sys.argv) > 5 else ("", "", "", "0", "")
del sys.argv[1:6]
PACING = '{ classes = { "thp2", "thp3", "background" } }'
PER_CONNECTION = 20  # segments of a mobile, at least
RECORD_OCTETS = 16
FILE_OCTETS = 24


def statuses(capture):
    """How many segments that tshark can check have a right checksum, and how many a wrong one."""
    words = ["tshark", "-n", "-r", capture, "-Y", "tcp && !(ip.flags.mf == 1)", "-o", "tcp.check_checksum:TRUE",
             "-T", "fields", "-e", "tcp.checksum.status"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=1500)
    rows = done.stdout.split()
    return rows.count("1"), rows.count("0"), len(rows)


def change_a_window(capture):
    """In the first whole IPv4 segment of a capture of raw IP packets."""
    with open(capture, "r+b") as file:
        octets = file.read()
        at = FILE_OCTETS
        while octets[at + RECORD_OCTETS] != 0x45 or octets[at + RECORD_OCTETS + 6] & 0x20:
            at += RECORD_OCTETS + int.from_bytes(octets[at + 8:at + 12], sys.byteorder)
        window = at + RECORD_OCTETS + 20 + 15
        file.seek(window)
        file.write(bytes([octets[window] ^ 1]))


@unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
class Judged(unittest.TestCase):
    def test_fuzzed_connections(self):
        with tempfile.TemporaryDirectory(prefix="gbflow-pacing-") as folder:
            capture = os.path.join(folder, "soak.pcap")
            connections = str(int(SEGMENTS) // PER_CONNECTION)
            subprocess.run([SOAK, "--connections", connections, "--pcap", capture], check=True, timeout=600)
            right, wrong, count = statuses(capture)
            print(f"pacing_soak: {count} segments, {wrong} wrong")
            self.assertGreaterEqual(right, int(SEGMENTS))
            self.assertEqual((wrong, count), (0, right))
            change_a_window(capture)
            self.assertEqual(statuses(capture)[1], 1)

    def test_scenario(self):
        with tempfile.TemporaryDirectory(prefix="gbflow-pacing-") as folder:
            words = [GBFLOW, "run", SCENARIO, "--out", folder, "--pcap=gi", "--no-report", "--set", f"duration={DURATION}",
                     "--set", "warmup=1 s", "--set", f"sgsn.queues.pacing={PACING}"]
            subprocess.run(words, check=True, capture_output=True, timeout=1500)
            with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
                clamped = sum(row["clamped"] for row in json.load(file)["pacing"])
            right, wrong, count = statuses(os.path.join(folder, "gi.pcapng"))
            print(f"scenario: {count} segments, {wrong} wrong, {clamped} windows lowered")
            self.assertGreater(clamped, 0)
            self.assertGreaterEqual(right, int(SEGMENTS))
            self.assertEqual((wrong, count), (0, right))


if __name__ == "__main__":
    unittest.main()
