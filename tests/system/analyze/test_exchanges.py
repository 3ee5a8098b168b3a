# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges of connections, read from a capture of a scenario whose script names each of them."""
import os
import subprocess
import unittest

import program
from program import gbflow

HEAD = "exchange,after,wait_s,connection,request_octets,response_octets,think_s,page\n"
# (exchange, after, wait, connection, request, response, think): two connections; long and short responses; an upload.
ROWS = [(1, 0, 1, 1, 350, 4910, 0), (2, 1, 3, 1, 700, 20000, 0.5), (3, 1, 0, 2, 1500, 300, 0), (4, 2, 2, 1, 30000, 10, 0), (5, 4, 4, 1, 80, 0, 0)]
CELL = "{ bvci = 2, pdchs = 4, coding = 'CS-2', bler = '%s' }"


class Exchanges(program.Case):
    def play(self, bler):
        with open(self.path("exchanges.csv"), "w", encoding="utf-8") as file:
            file.write(HEAD + "".join(",".join(str(value) for value in row) + ",\n" for row in ROWS))
        with open(self.path("scene.lua"), "w", encoding="utf-8") as file:
            file.write(f"return {{ title = 'x', duration = '60 s', sgsn = {{}}, cells = {{ {CELL % bler} }}, mobiles = {{ {{ name = 'anna', cell = 2, "
                       "traffic = { { script = { file = 'exchanges.csv', again = false } } } } } }")
        out = self.path("out")
        played = gbflow.run("run", self.path("scene.lua"), "--out", out, "--pcap=gi", "--pcap=gn", "--no-report")
        self.assertEqual(played.status, 0, played)
        return out

    def read(self, out, name):
        rows = self.path("rows.csv")
        done = self.run_program(os.path.join(out, name), *program.SMALL, "--exchanges", rows, "--no-report")
        self.assertEqual(done.status, 0, done)
        return program.read_csv(rows)

    def judge(self, found):
        """Octets and order are those of the script. The mobile's own time ends with the next request."""
        found = sorted(found, key=lambda row: float(row["begin_s"]))
        sizes = [(int(row["request_octets"]), int(row["response_octets"])) for row in found]
        self.assertEqual(sorted(sizes), sorted((row[4], row[5]) for row in ROWS))
        by_size = {(int(row["request_octets"]), int(row["response_octets"])): row for row in found}
        one, two, three, four, five = (by_size[row[4], row[5]] for row in ROWS)
        self.assertEqual([row["exchange"] for row in (one, two, four, five)], ["1", "2", "3", "4"])
        self.assertEqual((three["exchange"], three["mobile_port"] != one["mobile_port"]), ("1", True))
        for before, after, wait_s in ((one, two, 3), (two, four, 2), (four, five, 4)):
            # A request takes longer to the monitor than an ACK does, which in turn may be delayed.
            self.assertLess(abs(float(after["begin_s"]) - float(before["done_s"]) - wait_s), 1.9)
        for row in (one, two, three, four):
            times = [float(row[name]) for name in ("begin_s", "request_s", "first_s", "last_s", "done_s")]
            self.assertEqual(times, sorted(times))
        self.assertEqual((five["first_s"], five["last_s"], five["done_s"]), ("", "", ""))
        # The server's delay to the GGSN twice, and its time to think.
        self.assertAlmostEqual(float(two["first_s"]) - float(two["request_s"]) - float(one["first_s"]) + float(one["request_s"]), 0.5, places=6)

    def test_gi_and_gn(self):
        out = self.play("0 %")
        at_gi, at_gn = self.read(out, "gi.pcapng"), self.read(out, "gn.pcapng")
        self.judge(at_gi)
        self.judge(at_gn)

    def test_octets_that_come_again_count_once(self):
        out = self.play("30 %")
        self.judge(self.read(out, "gi.pcapng"))

    def test_other_files(self):
        out = self.play("0 %")
        capture, rows = os.path.join(out, "gi.pcapng"), self.path("rows.csv")
        for words, said in (((capture, "--exchanges", capture), "other files than the capture"),
                            ((capture, "--exchanges", rows, "--periods", rows), "not twice"),
                            ((capture, "--exchanges", rows, "--json", rows), "not twice")):
            done = self.run_program(*words, "--no-report")
            self.assertEqual((done.status, done.stdout), (2, ""), done)
            self.assertIn(said, done.stderr)
        done = self.run_program(capture, "--exchanges", "/dev/full", "--no-report")
        self.assertEqual(done.status, 1, done)

    def test_cut_headers(self):
        """Of frames cut behind the TCP header all is known; of those cut before it nothing."""
        out = self.play("0 %")
        for octets, is_read in ((60, True), (30, False)):
            cut = self.path(f"cut{octets}.pcap")
            cut_capture(os.path.join(out, "gi.pcapng"), cut, octets)
            rows = self.path("cut.csv")
            done = self.run_program(cut, *program.SMALL, "--exchanges", rows, "--no-report")
            self.assertEqual(done.status, 0, done)
            self.assertEqual(len(program.read_csv(rows)), len(ROWS) if is_read else 0)


def cut_capture(path, to, octets):
    subprocess.run(["editcap", "-F", "pcap", "-s", str(octets), path, to], check=True)


if __name__ == "__main__":
    unittest.main()
