# SPDX-License-Identifier: BSD-3-Clause
"""tshark judges one frame of each kind that the worker sends on Gn: test_gn_tshark.py GN_CAPTURE"""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop()) if len(sys.argv) > 1 else ""
FIELDS = ("ip.version", "ipv6.version", "ip.checksum.status", "udp.checksum.status", "gtp.message", "gtp.teid", "gtp.seq_number",
          "gtp.recovery", "gtp.gsn_ipv4", "gtp.gsn_ipv6", "gtp.teid_data", "gtp.ext_hdr.udp_port", "gtp.ext_hdr_type",
          "ip.fragment.count", "ipv6.fragment.count", "ip.flags.df", "_ws.malformed", "_ws.expert.severity")
ERROR = 0x00800000  # severity of an expert message: what is worse than a warning
SGSN = {4: "192.0.2.1", 6: "2001:db8::1"}


def dissect(capture):
    words = ["tshark", "-r", capture, "-T", "fields", "-E", "separator=|", "-E", "occurrence=f", "-o", "ip.check_checksum:TRUE",
             "-o", "udp.check_checksum:TRUE", "-o", "ip.defragment:TRUE", "-o", "ipv6.defragment:TRUE"]
    for field in FIELDS:
        words += ["-e", field]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    plain = {"True": "1", "False": "0"}  # booleans of tshark 4.2 and later
    return [dict(zip(FIELDS, (plain.get(value, value) for value in line.split("|")))) for line in done.stdout.splitlines()]


def kinds(version):
    """What the frames over one IP version hold, in order; None: a fragment that is not the last."""
    peer = {"gtp.gsn_ipv4" if version == 4 else "gtp.gsn_ipv6": SGSN[version], "gtp.teid_data": "0x00007701"}
    pieces = 3 if version == 4 else 2  # of MTU 600, and of IPv6's 1280
    return [{"gtp.message": "0x02", "gtp.seq_number": "0xabcd", "gtp.recovery": "0"},
            {"gtp.message": "0x1a", **peer}, {"gtp.message": "0x1a", "gtp.ext_hdr.udp_port": str(0x1234), **peer},
            {"gtp.message": "0x1f", "gtp.ext_hdr_type": "192"}, {"gtp.message": "0x01", "gtp.seq_number": "0xfffe"},
            {"gtp.message": "0xff", "gtp.teid": "0x00002002"}, *[None] * (pieces - 1),
            {"gtp.message": "0xff", f"ip{'' if version == 4 else 'v6'}.fragment.count": str(pieces)}]


@unittest.skipUnless(shutil.which("tshark"), "tshark is not installed")
class Judged(unittest.TestCase):
    def test_each_kind(self):
        with tempfile.TemporaryDirectory(prefix="gbflow-gn-") as folder:
            capture = os.path.join(folder, "gn.pcap")
            subprocess.run([PROGRAM, capture], check=True, capture_output=True)
            rows = dissect(capture)
        wanted = [(version, kind) for version in (4, 6) for kind in kinds(version)]
        self.assertEqual(len(rows), len(wanted))
        for number, (row, (version, kind)) in enumerate(zip(rows, wanted), 1):
            with self.subTest(frame=number, kind=kind):
                self.assertEqual(row["ip.version" if version == 4 else "ipv6.version"], str(version))
                self.assertEqual(row["_ws.malformed"], "")
                self.assertLess(int(row["_ws.expert.severity"] or 0), ERROR)
                if version == 4:
                    self.assertEqual((row["ip.checksum.status"], row["ip.flags.df"]), ("1", "0"))
                for name, value in (kind or {"gtp.message": ""}).items():
                    self.assertEqual(row[name], value, name)
                if version == 6 and kind:
                    self.assertEqual(row["udp.checksum.status"], "1")


if __name__ == "__main__":
    unittest.main()
