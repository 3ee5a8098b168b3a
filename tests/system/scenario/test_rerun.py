# SPDX-License-Identifier: BSD-3-Clause
"""provenance.json and gbflow rerun: the same octets again, also when the scenario's file changed; what else changed is said."""
import json
import os
import shutil
import subprocess
import unittest

import scenario
from scenario import gbflow

SCHEME = "config/aqm/drop-front.lua"
TEXT = scenario.text(duration="20 s", sgsn='queues = { aqm = { lua = "scheme.lua" } }',
                     cells='pdchs = 1, bler = "5 %", flow_control = { bucket_time = "2 s" }',
                     mobiles='{ name = "a", traffic = { { download = { octets = "infinite" } } } }')


class Rerun(scenario.gbflow.Case):
    def setUp(self):
        super().setUp()
        shutil.copy(os.path.join(gbflow.ROOT, SCHEME), self.path("scheme.lua"))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        with open("s.lua", "w", encoding="ascii") as file:
            file.write(TEXT)

    def play(self, *words):
        result = gbflow.run("run", "s.lua", "--out", "out", "--no-report", "--seed", "7", *words)
        self.assertEqual(result.status, 0, result)
        return gbflow.read_json(os.path.join("out", "provenance.json"))

    def rerun(self, status, *words):
        result = gbflow.run("rerun", "out", *words)
        self.assertEqual(result.status, status, result)
        return dict(line.split("  ", 1) for line in result.stdout.splitlines()[2:]), result

    def test_contents(self):
        given = self.play("--set", "duration=10 s", "--pcap=gb,gi")
        self.assertEqual((given["schema"], given["scenario"], given["seed"]), ("gbflow-provenance/1", "s.lua", 7))
        self.assertEqual(given["command"], ["gbflow", "run", "s.lua", "--out", "out", "--no-report", "--seed", "7", "--set",
                                            "duration=10 s", "--pcap=gb,gi"])
        self.assertEqual((given["set"], given["pcap"]), ([{"path": "duration", "value": "10 s"}], ["gi", "gb"]))
        self.assertEqual((given["text"], given["folder"]), (TEXT, os.path.realpath(self.folder)))
        self.assertEqual([(row["kind"], row["file"], len(row["crc32"])) for row in given["aqm_files"]], [("lua", "scheme.lua", 8)])
        self.assertEqual(given["machine"]["system"], "Linux")

    def test_equal(self):
        """The text and the changes of that time count, not the scenario's file of now, nor the folder one stands in."""
        self.play("--set", "duration=10 s", "--pcap=gb")
        os.remove("s.lua")
        os.mkdir("elsewhere")
        rows, _ = self.rerun(0)
        self.assertEqual({name.strip(): verdict.strip() for name, verdict in rows.items()},
                         {"summary.json": "equal", "series.csv": "equal", "gb.pcapng": "equal"})
        self.rerun(0, "--out", "again")
        self.assertTrue(os.path.exists("again/summary.json"))

    def test_without_series(self):
        self.play("--set", "duration=10 s", "--no-series")
        rows, _ = self.rerun(0)
        self.assertEqual([name.strip() for name in rows], ["summary.json"])

    def change(self, **values):
        path = os.path.join("out", "provenance.json")
        given = gbflow.read_json(path)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({**given, **values}, file)

    def test_different(self):
        """Each thing that provenance.json holds counts."""
        self.play()
        for changed in ({"seed": 8}, {"set": [{"path": "cells[1].pdchs", "value": "2"}]},
                        {"text": TEXT.replace('bler = "5 %"', 'bler = "6 %"')}):
            with self.subTest(changed=list(changed)):
                self.play()
                self.change(**changed)
                rows, _ = self.rerun(1)
                self.assertEqual(rows["summary.json"].strip(), "different")

    def test_scheme_changed(self):
        self.play()
        with open("scheme.lua", "a", encoding="ascii") as file:
            file.write("-- another one\n")
        _, result = self.rerun(0)
        self.assertRegex(result.stderr, r"changed: .*scheme\.lua: its CRC-32 is [0-9a-f]{8}, was [0-9a-f]{8}\n")
        os.remove("scheme.lua")
        _, result = self.rerun(1)
        self.assertIn("the run failed", result.stderr)

    def test_wrong(self):
        self.play()
        for words, status, message in ((["nowhere"], 2, "nowhere/provenance.json"), ([], 2, "required: DIR"),
                                       (["out", "--out", "out"], 1, "is the folder of the old run")):
            result = gbflow.run("rerun", *words)
            self.assertEqual(result.status, status, result)
            self.assertIn(message, result.stderr)
        for changed in ({"schema": "gbflow-provenance/9"}, {"seed": "x"}, {"set": [5]}, {"set": [{"path": "a"}]}, {"aqm_files": [1]},
                        {"scenario": "a\0b"}, {"set": [{"path": "a\0", "value": "1"}]}, {"folder": "a\0b"}, {"text": ""}):
            self.play()
            self.change(**changed)
            _, result = self.rerun(1)
            self.assertEqual((len(result.stderr.splitlines()), result.stdout), (1, ""))

    def test_pipe(self):
        """A scenario from a pipe, which can be read only once, has its text, too."""
        os.mkfifo("pipe.lua")
        with subprocess.Popen(["cp", "s.lua", "pipe.lua"]) as writer:
            result = gbflow.run("run", "pipe.lua", "--out", "out", "--no-report")
            writer.wait(30)
        self.assertEqual((result.status, gbflow.read_json("out/provenance.json")["text"]), (0, TEXT), result)
        self.rerun(0)

    def test_terminal(self):
        """Control characters of the file do not reach the terminal."""
        self.play()
        self.change(commit="\x1b[2J")
        self.assertNotIn("\x1b", self.rerun(0)[1].stdout)

    def test_used_folder(self):
        """A report of an earlier run does not stay beside the results of one without."""
        os.mkdir("out")
        with open("out/report.html", "w", encoding="ascii") as file:
            file.write("old")
        self.play()
        self.assertEqual(sorted(os.listdir("out")), ["provenance.json", "series.csv", "summary.json"])


if __name__ == "__main__":
    unittest.main()
