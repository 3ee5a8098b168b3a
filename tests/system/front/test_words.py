# SPDX-License-Identifier: BSD-3-Clause
"""A word that nothing is called by: each command says which word, what there is, and what was probably meant, with status 2."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
QUICKSTART = str(ROOT / "config/scenarios/quickstart.lua")
NODE = str(ROOT / "config/nodes/replay-open.lua")

ONE = 'return { title = "one", duration = "5 s", cells = { { bvci = 2, rate = "12 kbit/s" } }, mobiles = { { name = "a", traffic = { { ping = { every = "9 s" } } } } } }'

# Words after gbflow, and what stderr then has.
WRONG = [
    (["sho"], "unknown command 'sho'; did you mean 'show'?"),
    (["show", "foo"], "gbflow show: 'foo' is no table: one of node, "),
    (["log", "gm=debug"], "'gm=debug' is not LEVEL or CATEGORY=LEVEL; levels: error warn info debug; categories: gb ns "),
    (["log", "gm=debug"], "; did you mean 'gmm'?"),
    (["log", "debgu"], "; did you mean 'debug'?"),
    (["show"], "gbflow show: missing WHAT: "),
    (["show", "mm-context", "all"], "'mm-context' is no table: what osmo-sgsn's VTY shows by it, gbflow show subscribers has"),
    (["show", "subscriber", "cache"], "'cache' is not an IMSI; what osmo-sgsn's VTY shows by it, gbflow show subscribers has"),
    (["show", "foo", "bar"], "gbflow show: 'foo' is no table: one of node, "),
    (["show", "bvc", "all"], "gbflow show: 'all' behind the table bvc: give one table"),
    (["show", "bvcc"], "; did you mean 'bvc'?"),
    (["show", "bvc", "--columns", "bvcy"], "gbflow show: --columns: 'bvcy' is no column of the table: one of "),
    (["show", "bvc", "--columns", "BVCI,nsie"], "did you mean 'bvci'?"),
    (["fields", "sumary"], "gbflow fields: 'sumary' is no report: one of summary, series, replay, serve, emulate, show, bss; did you mean 'summary'?"),
    (["fields", "summary", "warmups"], "gbflow fields: no field's path begins with 'warmups'; did you mean 'warmup_s'?"),
    (["aqm", "lsit"], "gbflow aqm: 'lsit' is no part: one of list, show, curve; did you mean 'list'?"),
    (["aqm", "show", "codle"], "gbflow aqm: 'codle' is no scheme: one of tail_drop, "),
    (["bench", "latncy"], "gbflow bench: 'latncy' is no MODE: one of preloaded, "),
    (["bench", "ndr", "--set", "aqm=codle"], "gbflow bench ndr: --set aqm: 'codle' is no AQM scheme: one of none, tail_drop, "),
    (["bench", "ndr", "--set", "n201=5"], "gbflow bench ndr: --set: 'n201' is no parameter: one of "),
    (["lab", "stats"], "gbflow lab: 'stats' is no PART: one of up, status, shell, phone, restart, allow-attach, capture, down; did you mean 'status'?"),
    (["reproduce", "P9"], "'P9' is no study: one of P1, P2, "),
    (["reproduce", "Own"], "; did you mean 'own'?"),
    (["run", QUICKSTART, "--no-report", "--packet=ana:1", "--out", "{out}"], "--packet: 'ana' is no mobile of the scenario: one of anna"),
    (["run", QUICKSTART, "--set", "mobiles.ana.class=thp1"], "'ana' is no item of mobiles: one of anna"),
    (["run", QUICKSTART, "--set", 'sgsn.queues.aqm.scheme=cake'], "sgsn.queues.aqm.scheme: 'cake' is no AQM scheme: one of tail_drop, "),
]
# Commands, and an option that is near to one of theirs.
OPTIONS = [(["run"], "--sed", "--seed"), (["sweep", "{study}"], "--sed", "--seeds"), (["reproduce"], "--sed", "--seeds"), (["replay"], "--jsno", "--json"),
           (["analyze"], "--otu", "--out"), (["serve"], "--jsno", "--json"), (["emulate"], "--jsno", "--json"), (["show"], "--jsno", "--json"),
           (["capture"], "--gsmpat", "--gsmtap"), (["doctor"], "--jsno", "--json"), (["fields"], "--fromat", "--format"), (["check"], "--load-plugin5", "--load-plugins"),
           (["aqm"], "--markdwon", "--markdown"), (["compare", "a", "b"], "--figrue", "--figure"), (["rerun", "x"], "--otu", "--out"),
           (["lab", "up"], "--mobils", "--mobiles"), (["bench", "ndr"], "--oktets", "--octets"), (["restart-control"], "--perfix", "--prefix"),
           (["log"], "--folow", "--follow"), (["reload"], "--dry-rnu", "--dry-run"), (["top"], "--onec", "--once"), (["figure", "x"], "--lsit", "--list"),
           (["console"], "--keep-goign", "--keep-going"), (["page"], "--dry-rnu", "--dry-run"), (["detach"], "--reatach", "--reattach"), (["deactivate"], "--dry-rnu", "--dry-run"),
           (["import-osmo"], "--one-hsot", "--one-host"), (["offload"], "--phnoes", "--phones"), (["drain"], "--perfix", "--prefix"),
           (["forget"], "--perfix", "--prefix"), (["nsvc"], "--nsie", "--nsei"), (["bvc"], "--nsie", "--nsei")]


class Words(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "s.lua").write_text(pathlib.Path(QUICKSTART).read_text(encoding="utf-8"), encoding="utf-8")
        (self.folder / "study.lua").write_text('return { scenario = "s.lua", axes = { { name = "n", set = { "cells[1].pdchs" }, values = { 3, 4 } } } }\n', encoding="utf-8")

    def errors_of(self, arguments, status=2):
        given = [word.format(out=self.folder / "out", study=self.folder / "study.lua") for word in arguments]
        done = subprocess.run([GBFLOW, *given], capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
        self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
        return done.stderr

    def test_words(self):
        for arguments, said in WRONG:
            with self.subTest(arguments=arguments):
                self.assertIn(said, self.errors_of(arguments))

    def test_options(self):
        for command, word, meant in OPTIONS:
            with self.subTest(command=command):
                self.assertRegex(self.errors_of([*command, word]), re.escape(f"unknown option {word}; did you mean {meant}?"))

    def test_one_is_no_plural(self):
        """A count of one has a noun in the singular, in what commands print of small files."""
        (self.folder / "one.lua").write_text(ONE, encoding="utf-8")
        capture = str(ROOT / "tests/data/captures/gn-osmo-ggsn.pcap")
        for words in (["check", str(ROOT / "config/bss/lab.lua"), "one.lua", "study.lua", NODE, QUICKSTART], ["sweep", "study.lua", "--dry-run"],
                      ["run", "one.lua", "--no-report"], ["replay", NODE, "--in", capture], ["analyze", capture, "--no-report"]):
            with self.subTest(words=words):
                done = subprocess.run([GBFLOW, *words], cwd=self.folder, capture_output=True, text=True, timeout=60, check=True)
                self.assertEqual(re.findall(r"(?<![\d.,])1 (?!axis)[A-Za-z-]{2,}s\b", done.stdout + done.stderr), [])

    def test_every_command_has_a_row(self):
        listed = re.findall(r"(?m)^  ([a-z][a-z-]*)  +\S", subprocess.run([GBFLOW, "--help"], capture_output=True, text=True, check=True).stdout)
        self.assertEqual(set(listed) - {command[0] for command, _, _ in OPTIONS}, {
            "esp",
            "completion"})


if __name__ == "__main__":
    unittest.main()
