# SPDX-License-Identifier: BSD-3-Clause
"""Texts and values beside a scenario: require, traces of packets and block errors, fading. Each key changes what is measured, equal seeds
give equal octets, and a rerun knows the files."""
import os
import shutil
import unittest

import scenario
from scenario import gbflow

CAPTURE = os.path.join(gbflow.ROOT, "tests", "data", "captures", "gi-osmo-ggsn.pcap.gz")
CELL = 'pdchs = 4, flow_control = { bucket_time = "2 s" },'
DOWNLOAD = '{ name = "a", count = 2, traffic = { { download = { octets = "infinite" } } } }'
FADING = 'fading = { good = "3 s", bad = "1 s", bler = "80 %" }'
RATES = "time_s,bler_percent\n# a comment\n0,0\n5,60\n\n10,0\n"
CURVE = 'curve = { { ci_db = 6, bler = "90 %" }, { ci_db = 12, bler = "10 %" }, { ci_db = 15, bler = "0 %" } }'


class Traces(scenario.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def put(self, name, text):
        os.makedirs(os.path.dirname(os.path.join(self.folder, name)), exist_ok=True)
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)

    def measured(self, cells="", mobiles=DOWNLOAD, *words):
        """What a run measured, without what was changed."""
        result = self.play_text(scenario.text(duration="30 s", cells=CELL + cells, mobiles=mobiles), *words)
        return {name: value for name, value in result.summary.items() if name != "set"}

    @staticmethod
    def down(measured):
        return measured["cells"]["2"]["blocks"]["down"]

    def refused(self, message, cells="", mobiles=DOWNLOAD):
        self.put("s.lua", scenario.text(duration="30 s", cells=CELL + cells, mobiles=mobiles))
        for words in (("run", "s.lua", "--out", "out", "--no-report"), ("check", "s.lua")):
            result = gbflow.run(*words)
            self.assertEqual((result.status, result.stdout, os.path.exists("out")), (2, "", False), result)
            self.assertIn(message, result.stderr)

    def test_fading(self):
        base = self.measured(FADING)
        again = self.measured(FADING)
        self.assertEqual(base, again)
        without = self.measured()
        air, plain = (self.down(found) for found in (base, without))
        self.assertEqual(plain["bad"], 0)
        self.assertGreater(air["bad"], 0.1 * air["used"])
        for setting in ("cells[1].fading.good=1 s", "cells[1].fading.bad=3 s", "cells[1].fading.bler=40 %"):
            with self.subTest(setting=setting):
                self.assertNotEqual(self.measured(FADING, DOWNLOAD, "--set", setting), base)
        self.assertNotEqual(self.measured(FADING, DOWNLOAD, "--seed", "2")["cells"], base["cells"])

    def test_rates(self):
        """Errors between 5 s and 10 s only; again 11 s later with `every`; the second column is the uplink's."""
        self.put("t/rates.csv", RATES)
        once = self.down(self.measured('bler_trace = { file = "t/rates.csv" }'))
        twice = self.down(self.measured('bler_trace = { file = "t/rates.csv", every = "11 s" }'))
        self.assertGreater(once["bad"], 0)
        self.assertLess(once["bad"], 0.15 * once["used"])
        self.assertGreater(twice["bad"], 1.5 * once["bad"])
        self.assertEqual(self.down(self.measured('bler_trace = { file = "t/rates.csv" }, bler = "10 %"')), once)
        self.put("t/up.csv", "0,0,50\n")
        blocks = self.measured('bler_trace = { file = "t/up.csv" }')["cells"]["2"]["blocks"]
        self.assertEqual(blocks["down"]["bad"], 0)
        self.assertGreater(blocks["up"]["bad"], 0.3 * blocks["up"]["used"])

    def test_ratios(self):
        """C/I by a curve is the same as the rates that the curve gives; 9 dB lies between two points."""
        self.put("ci.csv", "0,15\n5,9\n10,100\n15,-5\n16,12\n")
        self.put("bler.csv", "0,0\n5,50\n10,0\n15,90\n16,10\n")
        by_ratio = self.measured(f'bler_trace = {{ file = "ci.csv", {CURVE} }}')
        self.assertEqual(by_ratio, self.measured('bler_trace = { file = "bler.csv" }'))
        moved = self.measured('bler_trace = { file = "ci.csv", curve = { { ci_db = 6, bler = "90 %" }, { ci_db = 15, bler = "0 %" } } }')
        self.assertNotEqual(by_ratio, moved)

    def trace(self, rest="", words=()):
        mobile = '{ name = "a", traffic = { { trace = { file = "p.csv", %s } } } }' % rest
        result = self.play_text(scenario.text(duration="30 s", cells=CELL, mobiles=mobile), *words)
        row, = result.summary["datagrams"]
        return row, result

    def test_packets(self):
        self.put("p.csv", "time_s,octets\n0,100\n0,1500\n2.5,44\n8,500\n")
        row, result = self.trace(words=("--pcap=gi",))
        self.assertEqual((row["mobile"], row["item"], row["way"], row["sent"], row["received"], row["not_received"]),
                         ("a", 0, "down", 4, 4, 0))
        self.assertEqual(row["octets"], 100 + 1500 + 44 + 500 - 4 * 28)
        self.assertIn("a               trace: 4 of 4 packets arrived", result.stdout)
        self.assertEqual([len(octets) for octets in scenario.frames(result, "gi")], [114, 1514, 58, 514])
        for rest, sent in (('start = "1 s"', 4), ('stop = "2 s"', 2), ('every = "10 s"', 12), ('every = "10 s", start = "5 s"', 11)):
            with self.subTest(rest=rest):
                self.assertEqual(self.trace(rest)[0]["sent"], sent)
        up, result = self.trace('way = "up"')
        self.assertEqual((up["way"], up["received"], result.summary["mobiles"][0]["npdu_in"]), ("up", 4, 0))
        self.assertNotEqual(up["delay_s"], row["delay_s"])
        ecn, result = self.trace("ecn = true", ("--pcap=gi",))
        self.assertEqual((ecn["sent"], {octets[15] for octets in scenario.frames(result, "gi")}), (4, {2}))

    def test_capture(self):
        """All IP packets of a capture's first 30 s, and those to one address."""
        shutil.copy(CAPTURE, "p.csv")
        frames = scenario.capture.read(self.unpacked())
        packets = [frame.octets for frame in frames if frame.time_ns < frames[0].time_ns + 30_000_000_000]
        to = sum(octets[16:20] == bytes((10, 45, 0, 2)) for octets in packets)
        every, some = self.trace()[0], self.trace('to = "10.45.0.2"')[0]
        self.assertEqual((every["sent"], some["sent"]), (len(packets), to))
        self.assertLess(0, to)

    def unpacked(self):
        import gzip  # pylint: disable=import-outside-toplevel
        with gzip.open(CAPTURE) as source, open("plain.pcap", "wb") as target:
            target.write(source.read())
        return "plain.pcap"

    def test_refused(self):
        self.refused("bler_trace.file: 'x.csv' cannot be read: x.csv: No such file or directory", 'bler_trace = { file = "x.csv" }')
        self.refused("x?? .csv: No such file or directory", r'bler_trace = { file = "x\u{202e}\u{9b} .csv" }')
        for text, message in (("0,5,6,7\n", "x.csv:1: needs a time in seconds, 0 to 2678400, and 2 values at most"),
                              ("0\n", "x.csv:1: needs"), ("0,5x\n", "x.csv:1: needs"), ("-1,5\n", "x.csv:1: needs"),
                              ("0,nan\n", "x.csv:1: needs"), ("0,5\nabc\n", "x.csv:2: needs"), ("0,5,\n", "x.csv:1: needs"),
                              ("t,b\n0,91\n", "x.csv:2: 91 is not a block error rate in percent, 0 to 90"),
                              ("0,1,-1\n", "x.csv:1: -1 is not a block error rate in percent, 0 to 90"),
                              ("0,1\n0,2\n", "x.csv:2: its time is not after that of the row above"),
                              ("t,b\n# none\n", "x.csv: has no row")):
            with self.subTest(text=text):
                self.put("x.csv", text)
                self.refused(message, 'bler_trace = { file = "x.csv" }')
        mobile = '{ name = "a", traffic = { { trace = { file = "x.csv", every = "2 s" } } } }'
        for text, message in (("0,43\n", "x.csv:1: 43 is not octets of an IP packet, 44 to 1500"), ("0,60.5\n", "x.csv:1: 60.5 is not"),
                              ("1,60\n0,60\n", "x.csv:2: its time is before that of the row above"),
                              ("0,60\n2,60\n", "s.lua: mobiles.a.traffic[1].trace.every: x.csv: its last time, 2 s, is not before `every`, 2 s, when it begins again"),
                              ("\u00d4\u00c3\u00b2\u00a1", "x.csv:1: needs")):
            with self.subTest(text=text):
                self.put("x.csv", text)
                self.refused(message, mobiles=mobile)
        with open("x.csv", "wb") as file:
            file.write(b"\xd4\xc3\xb2\xa1\x02\x00")
        self.refused("x.csv: ", mobiles=mobile)
        self.put("x.csv", "0,60" + " " * 5000)
        self.refused("x.csv:1: the line is too long: at most 4094 octets", mobiles=mobile)
        for make in (lambda: os.symlink("/dev/zero", "x.csv"), lambda: os.mkfifo("x.csv"), lambda: os.mkdir("x.csv")):
            os.unlink("x.csv")
            make()
            self.refused("x.csv: is not a regular file", mobiles=mobile)
        os.rmdir("x.csv")

    def test_require(self):
        """A text beside the scenario is run once, with its random numbers; a rerun has it as it was."""
        self.put("lib/cells.lua", 'local m = {} function m.cell(pdchs) return { bvci = 2, coding = "CS-2", pdchs = pdchs } end return m\n')
        self.put("s.lua", 'local lib = require "lib.cells"\nreturn { title = "t", duration = "20 s", cells = { lib.cell(2) },\n'
                          'mobiles = { { name = "a", traffic = { { download = { octets = "infinite" } } } } } }\n')
        self.play("s.lua", name="out")
        self.assertEqual(gbflow.run("check", "s.lua").status, 0)
        given = gbflow.read_json("out/provenance.json")
        self.assertEqual([(row["kind"], row["name"], row["text"][:12]) for row in given["files"]],
                         [("module", "lib/cells.lua", "local m = {}")])
        self.put("lib/cells.lua", "return nil + 1\n")
        result = gbflow.run("rerun", "out")
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        result = gbflow.run("run", "s.lua", "--out", "other")
        self.assertEqual((result.status, result.stderr.splitlines()[0]),
                         (2, "s.lua:1: lib/cells.lua:1: attempt to perform arithmetic on a nil value"), result)

    def test_rerun(self):
        """A trace is read again where it was; a changed one is said."""
        self.put("t/rates.csv", RATES)
        text = scenario.text(duration="30 s", cells=CELL + 'bler_trace = { file = "t/rates.csv" }', mobiles=DOWNLOAD)
        self.play_text(text, name="out")
        self.assertEqual(gbflow.run("rerun", "out").status, 0)
        self.put("t/rates.csv", "0,50\n")
        result = gbflow.run("rerun", "out")
        self.assertEqual(result.status, 1, result)
        self.assertRegex(result.stderr, r"changed: .*/t/rates\.csv: its CRC-32 is ")

    def test_sweep(self):
        """Traces are an axis; runs whose trace or required text changed are run again, the others are kept."""
        self.put("a.csv", "0,0\n")
        self.put("b.csv", "0,50\n")
        self.put("lib.lua", "return 2\n")
        text = scenario.text(duration="20 s", cells=CELL + 'bler_trace = { file = "a.csv" }', mobiles=DOWNLOAD)
        self.put("s.lua", text.replace("bvci = 2,", 'bvci = require "lib",'))
        self.put("study.lua", 'return { scenario = "s.lua", seeds = 1, axes = { { name = "air", set = { "cells[1].bler_trace.file" },\n'
                              'values = { "a.csv", "b.csv" } } } }\n')

        def again():
            result = gbflow.run("sweep", "study.lua", "--out", "out", "--no-parquet", "--no-report")
            self.assertEqual(result.status, 0, result)
            return result.stderr

        again()
        self.assertIn("2 of 2 runs are there already", again())
        self.put("b.csv", "0,60\n")
        self.assertIn("1 of 2 runs are there already", again())
        self.put("lib.lua", "return 2 -- as before\n")
        self.assertNotIn("there already", again())

    def test_upload(self):
        """A file from the mobile: as fast as its one slot upwards, faster with two; a stop and TCP of its own count."""
        mobile = '{ name = "a", traffic = { { upload = { octets = "30 kB", %s } } } }'

        def sent(rest="", cells="", *words):
            result = self.play_text(scenario.text(duration="60 s", cells=CELL + cells, mobiles=mobile % rest), *words)
            row, = result.summary["tcp"]
            return row, result

        row, result = sent()
        self.assertEqual((row["way"], row["octets"], result.summary["mobiles"][0]["goodput_bps"]), ("up", 30000, 0))
        self.assertIn("a               upload: 30000 octets in ", result.stdout)
        self.assertTrue(6000 < row["goodput_bps"] < 12000, row)
        self.assertGreater(sent(cells="uplink_slots = 2,")[0]["goodput_bps"], 1.5 * row["goodput_bps"])
        for rest in ('stop = "10 s"', 'start = "50 s"', 'tcp = { mss = "536 octets" }'):
            with self.subTest(rest=rest):
                self.assertNotEqual(sent(rest)[0], row)
        endless = sent('stop = "30 s"', "", "--set", "mobiles.a.traffic[1].upload.octets=infinite")[0]
        self.assertTrue(30000 < endless["octets"] < 60000, endless)

    def city(self, *words):
        return self.play(scenario.shipped("city"), *words, name="out")

    def test_city(self):
        """A thousand users whose cells and traffic are texts that scenarios share; faded cells repeat more blocks than the others."""
        result = self.city("--set", "duration=65 s")
        self.assertEqual((len(result.summary["mobiles"]), len(result.summary["cells"])), (1000, 20))
        files = gbflow.read_json("out/provenance.json")["files"]
        self.assertEqual([(row["kind"], row["name"]) for row in files],
                         [("module", "preset/radio.lua"), ("module", "preset/users.lua")])
        bad, used = [0, 0], [0, 0]
        for bvci, cell in result.summary["cells"].items():
            bad[int(bvci) % 2] += cell["blocks"]["down"]["bad"]
            used[int(bvci) % 2] += cell["blocks"]["down"]["used"]
        self.assertTrue(0.04 < bad[1] / used[1] < 0.06 < bad[0] / used[0] < 0.2, (bad, used))
        self.assertLess(0, min(result.summary["classes"][name]["npdu_out"] for name in ("streaming", "thp1", "thp2", "thp3", "background")))

    @unittest.skipUnless(gbflow.IS_LONG, "TEST_ALL=1 runs it")
    def test_whole_city(self):
        """Ten minutes; prints the time that they take. Equal seeds give equal octets."""
        result = self.city()
        print(result.stderr.splitlines()[-1])
        with open("out/summary.json", "rb") as file:
            first = file.read()
        self.city()
        with open("out/summary.json", "rb") as file:
            self.assertEqual(file.read(), first)


if __name__ == "__main__":
    unittest.main()
