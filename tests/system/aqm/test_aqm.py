# SPDX-License-Identifier: BSD-3-Clause
"""gbflow aqm: what it says of schemes, what it refuses, and what its curves are."""
import os
import pathlib
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "replay"), os.path.join(HERE, "..", "..", "unit", "python")]

import gbflow  # noqa: E402  pylint: disable=wrong-import-position
import setting  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(gbflow.ROOT)
PLUGIN = os.environ.get("EXAMPLE_PLUGIN")
SCRIPT = str(ROOT / "config" / "aqm" / "drop-front.lua")
SCHEMES = re.findall(r"(?m)^AQM_SCHEME\((\w+)\)", (ROOT / "dataplane" / "aqm" / "schemes.def").read_text())

# words after `gbflow aqm`, what stderr then has, all with status 2
WRONG = [
    (["curve"], "must be list, show NAME or curve NAME, not curve"),
    (["shows", "red"], "'shows' is no part: one of list, show, curve; did you mean 'show'?"),
    (["show", "red", "green"], "not green"),
    (["show", "green"], "'green' is no scheme: one of tail_drop, lifetime_only, "),
    (["show", "CODLE"], "did you mean 'codel'?"),
    (["curve", "red", "--set", "min=1 octets", "--set", "max=1 octets"], "max: size '1 octets' is out of range: 2 octets .. 100 MB"),
    (["curve", "red", "--set", "min=45 kB"], "min must be less than max"),
    (["curve", "red", "--set", "min=15"], "min: size '15' needs a unit: one of octets, kB, MB, KiB, MiB; allowed 1 octets .. 100 MB"),
    (["curve", "red", "--set", "mim=15 kB"], "mim: unknown key 'mim'; did you mean 'min'?"),
    (["curve", "red", "--set", "min"], "'min' is not of the form parameter=value"),
    (["curve", "red", "--set", "gentle=yes"], "gentle: 'yes' where true or false belongs"),
    (["curve", "red", "--set", "mode=bits"], "mode: 'bits' is not a known word: one of octets, packets"),
    (["curve", "red", "--set", "min_packets=0"], "min_packets: 0 is out of range: 1 .. 1000000"),
    (["curve", "red", "--set", "max_chance=101 %"], "max_chance: share '101 %' is out of range: 0.0001 % .. 100 %"),
    (["curve", "ttlred1", "--set", "period=1 s", "--set", "low=3 s"], "low must be less than high"),
    (["curve", "codel", "--set", "target=1 s"], "target must be less than interval"),
    (["curve", "red", "--rate", "-5"], "--rate takes whole numbers from 100 to 100000000000, not -5"),
    (["curve", "red", "--packets", "0"], "--packets takes whole numbers from 1 to 100000000, not 0"),
    (["curve", "red", "--reach", "0"], "--reach must be a number above 0, not 0"),
    (["list", "--plugin", "/nowhere.so"], "/nowhere.so"),
    (["list", "--lua", "/nowhere.lua"], "/nowhere.lua"),
    (["list", "--markdwon"], "unknown option --markdwon; did you mean --markdown?"),
    (["list", "--frob"], "try: gbflow aqm --help"),
]


class Aqm(gbflow.Case):
    def run_well(self, *words):
        result = gbflow.run("aqm", *words)
        self.assertEqual(result.status, 0, result)
        return result.stdout

    def curve(self, name, *words):
        self.run_well("curve", name, "--out", self.folder, "--no-report", *words)
        return gbflow.read_json(self.path(f"aqm-{name}.json"))

    def test_list(self):
        self.assertEqual([line.split()[0] for line in self.run_well("list").splitlines()], SCHEMES)

    def test_show(self):
        """Every scheme tells its law, its source and each parameter with default and range."""
        for name in SCHEMES:
            text = self.run_well("show", name)
            self.assertTrue(text.startswith(name + ": "))
            self.assertRegex(text, r"(?m)^law: .{30}")
            self.assertRegex(text, r"(?m)^source: ..")
        text = self.run_well("show", "red")
        self.assertIn('  min              "15 kB" (1 octets .. 100 MB)\n', text)
        self.assertIn('  mode             "octets" (one of octets, packets)\n', text)
        self.assertIn('  max_chance       "20 %" (0.0001 % .. 100 %)\n', text)

    def test_reference(self):
        """The Markdown reference has what show has."""
        text = self.run_well("list", "--markdown")
        for name in SCHEMES:
            section = re.split(r"(?m)^## ", text.split(f"## {name}: ")[1])[0]
            shown = re.findall(r"(?m)^  (\w+) {2,}", self.run_well("show", name))
            self.assertEqual(re.findall(r"(?m)^\| `(\w+)`", section), shown)

    def test_refusals(self):
        for words, expected in WRONG:
            result = gbflow.run("aqm", *words)
            self.assertEqual(result.status, 2, (words, result))
            self.assertIn(expected, result.stderr, words)

    def test_curves_follow_formulas(self):
        """Measured within four sigma of the published formula, wherever there is one."""
        for name in SCHEMES:
            data = self.curve(name, "--packets", "20000")
            self.assertEqual(data["schema"], "gbflow-aqm-curve/1")
            self.assertGreater(len(data["points"]), 50)
            for point in data["points"]:
                self.assertTrue(0 <= point["signalled"] <= 1)
                if point["formula"] is not None:
                    sigma = (point["formula"] * (1 - point["formula"]) / 20000) ** 0.5
                    self.assertAlmostEqual(point["signalled"], point["formula"], delta=4 * sigma + 2e-4, msg=(name, point))
            for onset in data["onset"]:
                self.assertTrue(all(share is None or 0 <= share <= 1 for share in onset["shares"]))

    def test_figure2(self):
        """The paper's point is reached; formula and drawn packets agree within 0.001."""
        figure = self.curve("ttlred1", "--packets", "1000000")["figure2"]
        stated = figure["stated"]
        self.assertAlmostEqual(stated["formula"], stated["published"], delta=0.00005)
        self.assertAlmostEqual(stated["signalled"], stated["published"], delta=0.001)
        for case in figure["cases"]:
            self.assertEqual(len(case["formula"]), 201)
            worst = max(abs(a - b) for a, b in zip(case["formula"], case["signalled"]))
            self.assertLess(worst, 0.0025)
        first = figure["cases"][0]
        self.assertLess(max(abs(a - b) for a, b in zip(first["formula"], first["signalled"])), 0.0015)

    def test_settings_count(self):
        wide = self.curve("red", "--set", "max=90 kB", "--set", "gentle=true", "--packets", "1000")
        self.assertEqual(wide["parameters"]["max"], "90000 octets")
        self.assertEqual(wide["parameters"]["gentle"], "true")
        self.assertLess(max(point["formula"] for point in wide["points"] if point["at"] < 90000), 0.5)

    def test_equal_seeds_are_equal(self):
        words = ("--packets", "1000", "--seed")
        first, again, other = (self.curve("ttlred2", *words, seed) for seed in ("1", "1", "2"))
        self.assertEqual(first, again)
        self.assertNotEqual(first["points"], other["points"])

    def test_report(self):
        """The page needs nothing else, and each plot lies beside it as SVG."""
        for name, plots in (("ttlred1", ["figure2", "standing", "onset"]), ("codel", ["standing", "onset"])):
            self.run_well("curve", name, "--out", self.folder, "--packets", "1000")
            page = setting.Page(pathlib.Path(self.path(f"aqm-{name}.html")).read_text(encoding="utf-8"))
            self.assertEqual((page.faults, page.figures, page.plots), ([], plots, len(plots)))
            for plot in plots:
                text = pathlib.Path(self.path(f"aqm-{name}-{plot}.svg")).read_text(encoding="utf-8")
                self.assertTrue(text.startswith("<svg ") and 'xmlns="http://www.w3.org/2000/svg"' in text)

    def test_report_of_something_else(self):
        path = self.write("x.json", '{"schema": "gbflow-summary/2"}')
        done = setting.call(os.path.join(os.path.dirname(gbflow.program()), "gbflow-report.pyz"), "aqm", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("schema is not gbflow-aqm-curve/1", done.stderr)

    def test_plugin(self):
        self.assertIn("one_second ", self.run_well("list", "--plugin", PLUGIN))
        data = self.curve("one_second", "--plugin", PLUGIN, "--packets", "10", "--reach", "20000")
        self.assertEqual({point["signalled"] for point in data["points"] if point["at"] > 10000}, {1})
        self.assertEqual({point["signalled"] for point in data["points"] if point["at"] <= 10000}, {0})
        self.assertIn("there is a scheme of that name", gbflow.run("aqm", "list", "--plugin", PLUGIN, "--plugin", PLUGIN).stderr)

    def test_lua(self):
        self.assertIn("drop_front ", self.run_well("list", "--lua", SCRIPT))
        data = self.curve("drop_front", "--lua", SCRIPT, "--packets", "100", "--reach", "2")
        self.assertEqual({point["signalled"] > 0 for point in data["points"] if point["at"] >= 0.5}, {True})
        self.assertEqual({point["signalled"] for point in data["points"] if point["at"] < 0.5}, {0})

    def test_lua_that_fails(self):
        rows = [
            ("return 7", 2, "a configuration is a text that ends in"),
            ("return { enqueue = function() end }", 2, "name: missing"),
            ("return { name = 'x' }", 2, "enqueue and dequeue: missing"),
            ("return { name = 'x', enqueue = 7 }", 2, "enqueue and dequeue must be functions"),
            ("return { name = 'red', enqueue = function() end }", 2, "there is a scheme of that name"),
            ("return { name = 'x', enqueue = function() return 'burn' end }", 1, 'must return "pass", "mark" or "drop"'),
            ("return { name = 'x', enqueue = function(v) v.tag = -1 end }", 1, "view.tag must be a whole number"),
            ("return { name = 'x', enqueue = function(v) return v.nothing.more end }", 1,
             "x.lua:1: enqueue, N-PDU 1: "),
            ("return { name = 'x', enqueue = function() return io.read() end }", 1, "io"),
        ]
        for text, status, expected in rows:
            path = self.write("x.lua", text)
            result = gbflow.run("aqm", "curve", "x", "--lua", path, "--packets", "10", "--no-report", "--out", self.folder)
            self.assertEqual((result.status, expected in result.stderr), (status, True), (text, result))

    def test_lua_parameters(self):
        """`show` knows them, --set sets them in their range, and mistakes in them have their line."""
        form = """return { name = "limit", title = "a limit", summary = "Drops above it.", parameters = {
          { name = "most", kind = "octets", min = "1 kB", max = "50 kB", default = %s, doc = "most octets" } },
          enqueue = function(view, memory, now_s, parameters) return view.backlog_octets > parameters.most and "drop" or "pass" end }"""
        path = self.write("x.lua", form % '"10 kB"')
        shown = self.run_well("show", "limit", "--lua", path)
        self.assertRegex(shown, r"(?s)a limit.*Drops above it.*most +\"10 kB\" \(1 kB \.\. 50 kB\)\s+most octets")
        for setting, most in (((), 10000), (("--set", "most=20 kB"), 20000)):
            data = self.curve("limit", "--lua", path, "--packets", "10", "--reach", "40000", *setting)
            for point in data["points"]:
                self.assertEqual(point["signalled"], int(point["at"] > most), point)
        for text, words, message in (('"10 kB"', ("--set", "most=51 kB"), "most: size '51 kB' is out of range: 1 kB .. 50 kB"),
                                     ('"60 kB"', (), "x.lua:2: parameters[1].default: is out of the range"),
                                     ("7", (), "x.lua:2: parameters[1].default: ")):
            path = self.write("x.lua", form % text)
            result = gbflow.run("aqm", "curve", "limit", "--lua", path, *words)
            self.assertEqual(result.status, 2, result)
            self.assertIn(message, result.stderr)

    def test_example_is_short(self):
        """Fewer than 20 lines of Lua make a scheme."""
        lines = [line for line in pathlib.Path(SCRIPT).read_text(encoding="utf-8").splitlines() if not line.startswith("--")]
        self.assertLess(len(lines), 20)

    def test_page_names_what_exists(self):
        """docs/aqm.md speaks of schemes and options that there are, and explains every field."""
        text = (ROOT / "docs" / "aqm.md").read_text(encoding="utf-8")
        usage = "".join(gbflow.run(*words, "--help").stdout for words in ((), ("aqm",), ("check",)))
        for option in re.findall(r"--[a-z][a-z-]*", text):
            self.assertIn(option, usage)
        for name in re.findall(r"(?m)^\| `(\w+)`", text.split("## Choices")[0]):
            self.assertIn(name, SCHEMES)
        for name in SCHEMES[:9]:
            self.assertIn(f"| `{name}`", text)
        fields = text.split("| Field of aqm-NAME.json |")[1]
        for field in self.curve("ttlred1", "--packets", "10"):
            self.assertIn(f"`{field}`", fields)


if __name__ == "__main__":
    unittest.main()
