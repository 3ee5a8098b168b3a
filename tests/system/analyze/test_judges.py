# SPDX-License-Identifier: BSD-3-Clause
"""The capture of real TCP before two other analysers: tcptrace and tshark. Differences in definition: docs/analyze.md."""
import collections
import re
import shutil
import subprocess
import unittest

import program

SERVER = "10.46.0.1"


def judged_by(tool):
    """Skipped where the tool is not installed."""
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


def output_of(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=120).stdout


class Judges(program.Case):
    def setUp(self):
        super().setUp()
        self.found, self.rows = self.analyze(program.GI)
        self.rows.sort(key=lambda row: float(row["start_s"]))

    @judged_by("tcptrace")
    def test_tcptrace(self):
        """Connections in the order of their beginning; b is the server. It also samples the SYN-ACK."""
        text = output_of("tcptrace", "-lr", program.GI)
        ports = re.findall(r"host \S+: +10\.45\.\S+:(\d+)", text)
        again = re.findall(r"rexmt data pkts: +\d+ +rexmt data pkts: +(\d+)", text)
        samples = re.findall(r"RTT samples: +\d+ +RTT samples: +(\d+)", text)
        self.assertEqual(len(ports), len(self.rows))
        self.assertEqual(ports, [row["mobile_port"] for row in self.rows])
        # A FIN without data that is sent again counts there: once in one connection, twice in another.
        more = [int(count) - int(row["retransmitted"]) for count, row in zip(again, self.rows)]
        self.assertEqual(sorted(filter(None, more)), [1, 2])
        # Three downloads have more segments outstanding at times than a connection's record has room for.
        fewer = [int(count) - 1 - int(row["rtt_samples"]) for count, row in zip(samples, self.rows)]
        self.assertEqual(len(list(filter(None, fewer))), 3)
        self.assertTrue(all(0 <= count <= 2 for count in fewer), fewer)

    @judged_by("tshark")
    def test_tshark(self):
        """It tells retransmissions in several ways, and out-of-order segments by time alone."""
        kinds = " || ".join(f"tcp.analysis.{kind}" for kind in ("retransmission", "fast_retransmission", "out_of_order",
                                                                "spurious_retransmission"))
        lines = output_of("tshark", "-r", program.GI, "-Y", f"ip.src=={SERVER} && tcp.len>0 && ({kinds})", "-T", "fields",
                          "-e", "ip.dst").split()
        ours = collections.Counter()
        for row in self.rows:
            ours[row["mobile"]] += int(row["retransmitted"]) + int(row["late"]) + int(row["internet_lost"])
        self.assertEqual(collections.Counter(lines), +ours)
        streams = output_of("tshark", "-r", program.GI, "-Y", "tcp", "-T", "fields", "-e", "tcp.stream").split()
        self.assertEqual(len(set(streams)), self.found["connections"])


if __name__ == "__main__":
    unittest.main()
