# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow top` of a recorded run: tables, slider, order, filter, one mobile, sizes, locales, and hostile names."""
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
import xml.dom.minidom

import screen

SCENARIO = os.path.join(screen.node.ROOT, "config", "scenarios", "quickstart.lua")


def once(folder, *words, **environment):
    return subprocess.run([screen.program(), "top", str(folder), *words], capture_output=True, text=True, check=False, timeout=60,
                          stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "200", **environment})


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp(prefix="gbflow-top-run-")
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.out = os.path.join(cls.folder, "quickstart")
        subprocess.run([screen.program(), "run", SCENARIO, "--out", cls.out, "--no-report"], check=True, capture_output=True, timeout=120)

    def open(self, *words, size=(100, 24), **values):
        terminal = screen.Terminal(self, size=size, **values)
        terminal.run(" ".join([screen.program(), "top", self.out, *words]))
        terminal.wait_for("gbflow top  run")
        return terminal


def order_of(text):
    """The names of the first column below the head of the table of mobiles."""
    lines = text.splitlines()
    at = next(index for index, line in enumerate(lines) if re.match(r"mobile +class", line))
    return [line.split()[0] for line in lines[at + 1:at + 4]]


class Slider(Case):
    def test_it_moves_and_shows_the_values_at_the_instant(self):
        terminal = self.open()
        terminal.wait_for(r" 0\.00 s of 120 s +Space plays")
        for keys, instant in ((["Right"], "1.00"), (["PageDown"] * 4, "41.00"), (["Left"], "40.00"), (["PageUp"], "30.00"), (["End"], "120.00"),
                              (["Right"], "120.00"), (["Home"], "0.00"), (["Left"], "0.00")):
            terminal.keys(*keys)
            terminal.wait_for(rf" {re.escape(instant)} s of 120 s")
        terminal.keys(*["PageDown"] * 5)
        at_50 = terminal.wait_for(r" 50\.00 s of")
        row = re.search(r"^bert +thp2 +(\S+) +(\S+)", at_50, re.MULTILINE)
        expected = {name: self.sample(name, 50.0) for name in ("sgsn_backlog_octets", "bss_backlog_octets")}
        self.assertEqual([row.group(1), row.group(2)], [f"{expected[name]:.0f}" for name in expected])

    def sample(self, name, at_s):
        with open(os.path.join(self.out, "series.csv"), encoding="utf-8") as file:
            rows = (line.rstrip("\n").split(",") for line in file)
            return next(float(value) for time_s, of, who, value in rows if of == name and who == "bert" and time_s != "time_s" and float(time_s) == at_s)

    def test_it_plays_and_stops(self):
        terminal = self.open("--interval", "0.1")
        terminal.keys("Space")
        terminal.wait_for(r" [2-9]\.00 s of 120 s +Space stops")
        terminal.keys("Space")
        terminal.wait_for("Space plays")
        terminal.keys("End")
        terminal.wait_for(r" 120\.00 s of")
        terminal.keys("Space")  # beyond the end
        terminal.wait_for(r" 120\.00 s of 120 s +Space plays")


class Table(Case):
    def test_order_and_filter(self):
        terminal = self.open("--at", "50", "--table", "mobiles")
        text = terminal.wait_for("mobiles: 3, by sgsn ▼")
        self.assertEqual(order_of(text), ["bert", "anna", "carl"])
        terminal.keys("r")
        self.assertEqual(order_of(terminal.wait_for("mobiles: 3, by sgsn ▲")), ["carl", "anna", "bert"])
        terminal.keys("<", "<")
        self.assertEqual(order_of(terminal.wait_for("by mobile ▲")), ["anna", "bert", "carl"])
        terminal.keys("/")
        terminal.type("BACK a")
        terminal.keys("Enter")
        text = terminal.wait_for(re.escape("mobiles: 2 of 3 with 'BACK a'"))
        self.assertIsNone(re.search("^bert ", text, re.MULTILINE))
        terminal.keys("Escape")
        terminal.wait_for("mobiles: 3, by", without=" with ")
        terminal.keys("/")
        terminal.type("(.*a)+$")  # no regular expression
        terminal.keys("Enter")
        terminal.wait_for(re.escape("mobiles: 0 of 3 with '(.*a)+$'"))

    def test_tabs(self):
        terminal = self.open("--at", "50")
        for key, pattern in (("2", "^cells: 1, by bvci"), ("5", "^drops: 1, by since start"), ("4", "^classes: 2"), ("Tab", "^drops: 1"), ("BTab", "^classes: 2"), ("1", "^mobiles: 3")):
            terminal.keys(key)
            terminal.wait_for(pattern)

    def test_one_mobile(self):
        terminal = self.open("--at", "50")
        terminal.keys("Down", "Enter")
        text = terminal.wait_for("^mobiles: anna", without="^mobiles: 3")
        for words in ("queue in the SGSN, octets: now 1500, most", "bucket level, octets: now 0", "delay p95, milliseconds: now"):
            self.assertIn(words, text)
        self.assertRegex(text, "[▁▂▃▄▅▆▇█]{3}")
        terminal.keys("Right")
        self.assertNotEqual(terminal.wait_for(r" 51\.00 s of"), text)
        terminal.keys("Escape")
        terminal.wait_for("^mobiles: 3")

    def test_help_and_interval(self):
        terminal = self.open()
        terminal.keys("h")
        text = terminal.wait_for("any key goes back")
        for words in ("Left, Right", "play, a sample each interval", "sort by the column"):
            self.assertIn(words, text)
        terminal.keys("x", "i", *["BSpace"] * 4)
        terminal.wait_for("interval in seconds: _")
        terminal.type("0.01")
        terminal.keys("Enter")
        terminal.wait_for("'0.01' is not a number of seconds from 0.1 to 3600")
        terminal.keys("i", *["BSpace"] * 4)
        terminal.type("2.5")
        terminal.keys("Enter")
        terminal.wait_for(r"^gbflow top .* 2\.5 s")


class Sizes(Case):
    def test_resized_and_too_small(self):
        terminal = self.open("--at", "50", size=(80, 24))
        terminal.wait_for("Space plays$")
        terminal.resize(30, 8)
        terminal.wait_for("30x8 is too small")
        for columns, lines in ((40, 10), (132, 50), (300, 90)):
            terminal.resize(columns, lines)
            text = terminal.wait_for(rf"\A(.*\n){{{lines - 2}}} ─*●─* 50\.00 s of 120 s", without="too small")
            self.assertEqual(len(text.rstrip("\n").splitlines()), lines)
            self.assertLessEqual(max(map(len, text.splitlines())), columns)
            self.assertIn("q quit" if columns > 60 else "Enter opens", text.splitlines()[lines - 1])

    def test_ascii_without_utf8(self):
        terminal = self.open("--at", "50", lc_all="C")
        terminal.keys("Enter")
        text = terminal.wait_for("^mobiles: bert")
        self.assertTrue(text.isascii(), text)
        self.assertRegex(text, r"[.:=+*%#-]{5}")
        terminal.wait_for(r"^ -*#-* 50\.00 s of 120 s")


class Documented(Case):
    """docs/top.md and docs/pictures/top.svg show what the program shows."""

    def test_the_text_of_the_page(self):
        with open(os.path.join(screen.node.ROOT, "docs", "top.md"), encoding="utf-8") as file:
            words, text = re.search(r"<!-- screen: (.*) -->\n```\n(.*?)```\n", file.read(), re.DOTALL).groups()
        words = shlex.split(words)
        environment = {**os.environ, "LC_ALL": "C.UTF-8", **dict(word.split("=") for word in words if re.match("[A-Z]+=", word))}
        words = [screen.program(), *words[words.index("gbflow") + 1:]]
        folder = tempfile.mkdtemp(dir=self.folder)
        os.mkdir(os.path.join(folder, "out"))
        os.symlink(self.out, os.path.join(folder, "out", "quickstart"))
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=60, stdin=subprocess.DEVNULL)
        self.assertEqual(done.stdout, text)

    def test_the_picture(self):
        screen.lab.need(self, screen.missing())
        folder = tempfile.mkdtemp(dir=self.folder)
        done = subprocess.run([os.path.join(screen.node.ROOT, "scripts", "pictures.sh"), "top"], capture_output=True, text=True, check=False, timeout=120,
                              env={**os.environ, "PICTURES": folder, "GBFLOW": screen.program()})
        self.assertEqual(done.returncode, 0, done.stderr)
        pictures = []
        for path in (folder, os.path.join(screen.node.ROOT, "docs", "pictures")):
            with open(os.path.join(path, "top.svg"), encoding="utf-8") as file:
                pictures.append(file.read())
        self.assertEqual(*pictures)
        self.assertLess(len(pictures[0]), 60000)
        xml.dom.minidom.parseString(pictures[0])


class Once(Case):
    def test_a_pipe_gets_text(self):
        done = once(self.out, "--at", "50", "--table", "mobiles", "--sort", "bss_octets")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(order_of(done.stdout), ["bert", "anna", "carl"])
        self.assertNotIn("\x1b", done.stdout)
        again = once(self.out, "--once", "--at", "50", "--table", "mobiles", "--sort", "bss_octets", "--reverse", "--filter", "a", COLUMNS="50", LINES="30")
        self.assertEqual(order_of(again.stdout + "\n\n\n")[:2], ["carl", "anna"])
        self.assertLessEqual(max(map(len, again.stdout.splitlines())), 50)

    def test_columns(self):
        done = once(self.out, "--at", "50", "--table", "mobiles", "--columns", "bss_octets,mobile")
        self.assertEqual(done.stdout.splitlines()[-4:-1], ["  3648 bert", "  1510 anna", "     0 carl"])

    def test_wrong_arguments(self):
        for words, status, pattern in (
                (["--interval", "0.01"], 2, "'0.01' is not a number of seconds from 0.1 to 3600"), (["--interval", "x"], 2, "'x' is not a number"),
                (["--nonsense"], 2, "--nonsense"), (["--prefix", "x"], 2, "name one of them"), (["more"], 2, "more"),
                (["--table", "x"], 2, "--table: 'x' is no table: one of overview, cells, mobiles"),
                (["--sort", "Mobil"], 2, "did you mean 'mobile'?"), (["--sort", "x"], 2, "'x' is no column of mobiles: one of mobile, class"),
                (["--columns", "mobile,x"], 2, "--columns: 'x' is no column of mobiles: one of ")):
            done = once(self.out, *words)
            self.assertEqual((done.returncode, len(done.stderr.splitlines()), done.stdout), (status, 1, ""), done.stderr)
            self.assertIn(pattern, done.stderr)

    def test_no_run(self):
        empty = tempfile.mkdtemp(dir=self.folder)
        done = once(empty)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no summary.json; name a folder that gbflow run wrote", done.stderr)
        shutil.copy(os.path.join(self.out, "summary.json"), empty)
        self.assertIn("no series.csv", once(empty).stderr)
        with open(os.path.join(empty, "series.csv"), "w", encoding="utf-8") as file:
            file.write("time_s,name,of,value\n1,sgsn_backlog_octets,anna\n")
        done = once(empty)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
        self.assertIn("series.csv:2:", done.stderr)

    def test_control_characters_stay_off_the_screen(self):
        evil = tempfile.mkdtemp(dir=self.folder)
        for name in ("summary.json", "series.csv"):
            with open(os.path.join(self.out, name), encoding="utf-8") as file:
                text = file.read()
            escape = "\\u001b[2J\\u202eü漢" if name.endswith("json") else "\x1b[2J\u202eü漢"
            with open(os.path.join(evil, name), "w", encoding="utf-8") as file:
                file.write(text.replace("anna", escape))
        done = once(evil, "--at", "50", "--table", "mobiles")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("?[2J?ü漢   ", done.stdout)
        self.assertFalse(set(done.stdout) & {"\x1b", "\u202e"})
        self.assertIn("?[2J??", once(evil, "--table", "mobiles", LC_ALL="C").stdout)


if __name__ == "__main__":
    unittest.main()
