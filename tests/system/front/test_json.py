# SPDX-License-Identifier: BSD-3-Clause
"""Commands that print an object for programs, and the status of each command whose input is missing."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
VERSION = pathlib.Path(os.environ["VERSION_FILE"]).read_text(encoding="ascii").strip()
QUICKSTART = str(ROOT / "config/scenarios/quickstart.lua")
STUDY = """return { scenario = "%s", seeds = 2,
axes = { { name = "n", set = { "cells[1].pdchs" }, values = { 3, 4 } } }, baseline = { n = "4" } }
"""

# Words after gbflow whose file or folder is missing: status 2, its name on stderr, nothing on stdout.
MISSING = [
    ["run", "gone.lua"], ["sweep", "gone.lua"], ["check", "gone.lua"], ["rerun", "gone"], ["compare", "gone", "gone"],
    ["replay", "gone.lua", "--in", "gone.pcap"], ["replay", str(ROOT / "config/nodes/replay-open.lua"), "--in", "gone.pcap"],
    ["analyze", "gone.pcap"], ["serve", "gone.lua"], ["emulate", "gone.lua"], ["top", "gone", "--once"], ["aqm", "list", "--lua", "gone.lua"],
    ["bench", "report", "gone.json", "--html", "x.html"], ["doctor", "--sysroot", "gone"], ["sweep", "lacks.lua"],
    ["run", "trace.lua"], ["reproduce", "P4", "--scenarios", "gone", "--seeds", "1", "--spread", "local"],
]
TRACE = """return { title = "t", duration = "5 s", cells = { { bvci = 2, pdchs = 1, coding = "CS-2", bler_trace = { file = "gone.csv" } } },
mobiles = { { name = "a", traffic = { { ping = {} } } } } }
"""


class Json(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name, text in (("axes.lua", STUDY % QUICKSTART), ("lacks.lua", STUDY % "gone.lua"), ("trace.lua", TRACE),
                           ("bad.lua", pathlib.Path(QUICKSTART).read_text(encoding="utf-8").replace("duration", "duratoin", 1))):
            (self.folder / name).write_text(text, encoding="utf-8")

    def play(self, *words):
        return subprocess.run([GBFLOW, *words], cwd=self.folder, capture_output=True, text=True, timeout=120, check=False, stdin=subprocess.DEVNULL)

    def object_of(self, *words, status=0):
        done = self.play(*words)
        self.assertEqual((done.returncode, done.stderr), (status, ""))
        found = json.loads(done.stdout)
        self.assertEqual(found["version"], VERSION)
        return found

    def test_check(self):
        found = self.object_of("check", "--json", QUICKSTART, "axes.lua", str(ROOT / "config/nodes/replay-open.lua"), str(ROOT / "config/bss/lab.lua"),
                               "bad.lua", "gone.lua", status=2)
        self.assertEqual(found["schema"], "gbflow-check/1")
        files = found["files"]
        self.assertEqual([row["is_right"] for row in files], [True] * 4 + [False] * 2)
        self.assertEqual([row.get("kind") for row in files], ["scenario", "study", "node", "bss", "scenario", None])
        self.assertEqual((files[0]["cells"], files[0]["mobiles"], files[1]["axes"], files[1]["runs"]), (1, 3, 1, 4))
        message, = [row for row in files[4]["messages"] if row["key"] == "duratoin"]
        self.assertEqual((message["level"], message["file"], message["message"]), ("error", "bad.lua", "unknown key 'duratoin'; did you mean 'duration'?"))
        self.assertIn("duratoin", (self.folder / "bad.lua").read_text(encoding="utf-8").splitlines()[message["line"] - 1])
        self.assertEqual([row["message"] for row in files[5]["messages"]], ["gone.lua: No such file or directory"])

    def test_doctor(self):
        done = self.play("doctor", "--json")
        self.assertEqual(json.loads(done.stdout)["schema"], "gbflow-doctor/1")

    def test_schemes(self):
        found = self.object_of("aqm", "list", "--json")
        self.assertEqual(found["schema"], "gbflow-aqm-list/1")
        names = [line.split()[0] for line in self.play("aqm", "list").stdout.splitlines()]
        self.assertEqual([row["name"] for row in found["schemes"]], names)
        self.assertTrue(all(row["title"] and row["law"] and row["source"] for row in found["schemes"]))

    def test_plan(self):
        found = self.object_of("sweep", "axes.lua", "--dry-run", "--json")
        self.assertEqual((found["schema"], found["seeds"], found["scenario"]), ("gbflow-plan/1", 2, QUICKSTART))
        self.assertEqual(found["axes"], [{"name": "n", "baseline": "4", "labels": ["3", "4"]}])
        self.assertEqual(sorted((row["labels"]["n"], row["set"][0], row["seed"], row["is_there"]) for row in found["runs"]),
                         [(n, f"cells[1].pdchs={n}", seed, False) for n in "34" for seed in (1, 2)])
        done = self.play("sweep", "axes.lua", "--json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("--dry-run", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "lab status needs root")
    def test_lab(self):
        found = self.object_of("lab", "status", "--name", "none", "--json", status=1)
        self.assertEqual({key: value for key, value in found.items() if key != "version"},
                         {"schema": "gbflow-lab/1", "lab": "none", "is_up": False, "programs": [], "mobiles": [], "phones": [],
                          "phone_addresses": {}, "nodes": [],
                          "esp": None,
                          })

    def test_missing_input(self):
        for words in MISSING:
            with self.subTest(words=words):
                done = self.play(*words)
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn("gone", done.stderr)
                self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
