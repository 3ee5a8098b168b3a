# SPDX-License-Identifier: BSD-3-Clause
"""What is wrong with a scenario, an option or a folder is said with its place, and with the right status."""
import filecmp
import os
import re
import signal
import stat
import subprocess
import time
import unittest

import scenario
from scenario import gbflow

KEY = re.compile(r"(?<=[{,])\s*(\w+)\s*=(?!=)")
KEYS_AT_LEAST = {"quickstart": 40, "gprs-buffering": 80, "two-cells": 45}

# Text of the quick start, what replaces it, and what the message says after FILE:LINE: .
VALUES = [
    ('server_delay = "20 ms"', 'server_delay = "-20 ms"', "network.server_delay: .*out of range"),
    ('server_delay = "20 ms"', 'server_delay = "20"', "network.server_delay: .*needs a unit"),
    ('server_delay = "20 ms"', "server_delay = 20", "network.server_delay: .*needs a unit"),
    ('server_delay = "20 ms"', 'server_delay = "20 kB"', "network.server_delay: "),
    ('duration = "120 s"', 'duration = "0 s"', "duration: .*out of range"),
    ('queue_limit = "64 kB"', 'queue_limit = "64"', "sgsn.queue_limit: .*needs a unit"),
    ('bler = "2 %"', 'bler = "-2 %"', r"cells\[1\].bler: .*out of range"),
    ('bler = "2 %"', 'bler = "2"', r"cells\[1\].bler: "),
    ('bucket_time = "500 ms"', 'bvc = { rate = "-48 kbit/s" }', r"cells\[1\].flow_control.bvc.rate: .*out of range"),
    ('bucket_time = "500 ms"', 'bvc = { rate = "48" }', r"cells\[1\].flow_control.bvc.rate: .*needs a unit"),
    ("pdchs = 4", "pdchs = 0", r"cells\[1\].pdchs: "),
    ('coding = "CS-2"', 'coding = "CS-5"', r"cells\[1\].coding: .*CS-4"),
    ('name = "bert", class', 'name = "bert", cell = 7, class', r"mobiles\[2\].cell: 7 is no cell"),
    ('name = "bert"', 'name = "anna"', "anna"),
    ('class = "thp2"', 'class = "thp4"', r"mobiles\[2\].class: "),
    ('download = { octets = "300 kB"', 'download = { octets = "-1 kB"', r"mobiles\[1\].traffic\[1\].download.octets: "),
    ('start = "1 s"', 'start = "130 s"', r"mobiles\[1\].traffic\[1\]"),
    ('title = "Quick', 'title = nope .. "Quick', "nope"),
]
SETS = [
    ("network.server_dely=1 s", "server_dely"), ("nonsense.key=1", "nonsense"), ("cells[9].pdchs=2", r"cells\[9\]"),
    ("mobiles.zoe.cell=2", "zoe"), ("mobiles.anna.cell=7", "7 is no cell"), ("duration=-5 s", "out of range"),
    ("sgsn.lifetime.sgsn_max=2", "needs a unit"), ("cells[1].pdchs=two", r"cells\[1\].pdchs"), ("duration", "path=value"),
    ("=5", "path=value"),
]
OPTIONS = [
    ("--seed", "x"), ("--seed", "-1"), ("--seed", "1.5"), ("--seed", ""), ("--seed", "9223372036854775808"), ("--speed", "2"),
    ("two.lua",), ("--set",),
]


def without_text(lua):
    """Comments and strings as spaces, so that what is found is code, at its place."""
    return re.sub(r'--[^\n]*|"[^"\n]*"', lambda found: " " * len(found.group()), lua)


def shipped_text(name):
    with open(scenario.shipped(name), encoding="utf-8") as file:
        return file.read()


class Inputs(scenario.Case):
    def refuse(self, *words, status=2):
        """Runs with an output folder that must not appear; returns what was said on stderr."""
        out = self.path("never")
        result = gbflow.run("run", *words, "--out", out, "--no-report")
        self.assertEqual((result.status, result.stdout), (status, ""), result)
        self.assertFalse(os.path.exists(out))
        return result.stderr

    def refuse_text(self, lua):
        return self.refuse(self.write("bad.lua", lua))

    def test_every_key(self):
        """A letter too many in any key is told with the file and the line of the key, or of its table's place in the answer."""
        for name, least in KEYS_AT_LEAST.items():
            lua = shipped_text(name)
            code = without_text(lua)
            keys = list(KEY.finditer(code))
            self.assertGreaterEqual(len(keys), least)
            for key in keys:
                with self.subTest(file=name, key=key.group(1), at=key.start(1)):
                    self.misspell(lua, key, is_direct=key.start() > code.index("\nreturn {"))

    def misspell(self, lua, key, is_direct):
        said = self.refuse_text(lua[:key.end(1)] + "x" + lua[key.end(1):])
        line = lua.count("\n", 0, key.end(1)) + 1 if is_direct else r"\d+"
        # Without its mark an assumption is a table where a value belongs.
        told = rf"\b{key.group(1)}x\b" + ("|a table where" if key.group(1) == "assumed" else "")
        self.assertRegex(said, rf"(?m)^\S*bad\.lua:{line}: .*({told})")

    def test_values(self):
        lua = shipped_text("quickstart")
        for old, new, message in VALUES:
            with self.subTest(new=new):
                self.assertIn(old, lua)
                line = lua.count("\n", 0, lua.index(old)) + 1
                self.assertRegex(self.refuse_text(lua.replace(old, new, 1)), rf"(?m)^\S*bad\.lua:{line}: .*{message}")

    def test_sets(self):
        for text, message in SETS:
            with self.subTest(text=text):
                self.assertRegex(self.refuse(scenario.shipped("quickstart"), "--set", text), message)

    def test_options(self):
        for words in OPTIONS:
            with self.subTest(words=words):
                result = gbflow.run("run", scenario.shipped("quickstart"), *words)
                self.assertEqual((result.status, result.stdout), (2, ""), result)
                self.assertIn("try: gbflow run --help", result.stderr)

    def test_budget(self):
        """The program's own meter ends a text, long before the time and the memory of the process do."""
        for lua, said in (("\nwhile true do end", "bad.lua:2: takes too long: more than 10000000 steps"),
                          ("local t = {}\nfor i = 1, 1e9 do t[i] = { i } end", "bad.lua:2: takes too much memory: more than 33554432 octets")):
            with self.subTest(lua=lua):
                self.assertIn(said, self.refuse_text(lua))

    def test_no_scenario(self):
        self.assertIn("missing SCENARIO.lua", self.refuse())
        self.assertIn("nowhere.lua", self.refuse("nowhere.lua"))
        for lua in ("", "return 7", "return {", "while true do end"):
            with self.subTest(lua=lua):
                self.assertIn("bad.lua", self.refuse_text(lua))

    def test_folders(self):
        """Where nothing can be written the run fails, and says where."""
        file = self.write("file", "")
        for folder in (file, os.path.join(file, "below"), "/proc/nowhere"):
            with self.subTest(folder=folder):
                result = gbflow.run("run", scenario.shipped("quickstart"), "--out", folder, "--no-report")
                self.assertEqual(result.status, 1, result)
                self.assertIn(folder.split("/")[-1], result.stderr)

    def test_captures_of_some_links(self):
        for links in ("gi", "gb,gn"):
            folder = self.path(links)
            result = gbflow.run("run", scenario.shipped("quickstart"), "--out", folder, "--no-report", f"--pcap={links}")
            self.assertEqual(result.status, 0, result)
            captures = {name for name in os.listdir(folder) if name.endswith(".pcapng")}
            self.assertEqual(captures, {link + ".pcapng" for link in links.split(",")})
            self.assertEqual(os.path.exists(os.path.join(folder, "gi.truth.json")), links == "gi")
        for links in ("gx", "gi=1", "gi gn"):
            result = gbflow.run("run", scenario.shipped("quickstart"), "--out", self.path("no"), f"--pcap={links}")
            self.assertEqual(result.status, 2, result)

    def test_without_series(self):
        """All other files are equal; those that an earlier run left, and what is drawn from them, go."""
        words = (scenario.shipped("quickstart"), "--pcap", "--set", "duration=20 s")
        for folder, more in (("with", ("--no-report",)), ("without", ("--no-report",)), ("without", ("--no-series",))):
            os.makedirs(self.path(folder), exist_ok=True)
            self.write(f"{folder}/report.html", "of an earlier run")
            result = gbflow.run("run", *words, "--out", self.path(folder), *more)
            self.assertEqual(result.status, 0, result)
        left = sorted(os.listdir(self.path("without")))
        self.assertEqual(left, sorted(set(os.listdir(self.path("with"))) - {"series.csv"}))
        for name in left:
            if name != "provenance.json":
                self.assertTrue(filecmp.cmp(self.path(f"with/{name}"), self.path(f"without/{name}"), shallow=False), name)

    def make_full(self, path):
        """A device, for a link to one would be replaced."""
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.stat("/dev/full").st_rdev)
            open(path, "ab").close()
        except PermissionError:
            self.skipTest("devices cannot be made here")

    def test_full_disk(self):
        for name in ("series.csv", "summary.json", "gi.pcapng", "gi.truth.json", "gn.pcapng", "gb.pcapng"):
            with self.subTest(name=name):
                os.makedirs(self.path(name))
                self.make_full(os.path.join(self.path(name), name))
                result = gbflow.run("run", scenario.shipped("quickstart"), "--out", self.path(name), "--pcap", "--no-report")
                self.assertEqual(result.status, 1, result)
                self.assertIn(name, result.stderr)



class Interrupted(scenario.gbflow.Case):
    def test_no_half_file(self):
        """series.csv is open when the captures are there; a signal leaves the file of the run before."""
        out = self.path("out")
        series, capture = os.path.join(out, "series.csv"), os.path.join(out, "gb.pcapng")
        os.mkdir(out)
        with open(series, "w", encoding="ascii") as file:
            file.write("before\n")
        with subprocess.Popen([gbflow.program(), "run", scenario.shipped("gprs-buffering"), "--set", "duration=86400 s",
                               "--out", out, "--pcap=gb"], stdout=subprocess.DEVNULL) as process:
            self.addCleanup(process.kill)
            while not os.path.exists(capture) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), -signal.SIGINT)
        with open(series, encoding="ascii") as file:
            self.assertEqual(file.read(), "before\n")
        self.assertEqual(sorted(os.listdir(out)), ["gb.pcapng", "series.csv"])


if __name__ == "__main__":
    unittest.main()
