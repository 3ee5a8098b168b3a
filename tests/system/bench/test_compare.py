# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench compare`: two programs in alternating slices; the processes, the report, the exit status."""
import json
import os
import stat
import tempfile

from comparison import SMALL, Comparison
from harness import GBFLOW, run

# What compare gives to `bench slices` since its protocol 1: builds of any age understand it.
PROTOCOL_1 = ["--octets", "--cipher", "--mobiles", "--cells", "--seed", "--zipf", "--foreign", "--aqm", "--scope", "--n201-u",
              "--gap-us", "--open", "--workers", "--window-ms", "--check-fcs"]


class Compare(Comparison):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def script(self, text):
        path = os.path.join(self.folder, "other")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return path

    def test_two_programs(self):
        # Fewer rounds than a verdict takes: whatever the machine does, none is given.
        trial = self.measure("compare", GBFLOW, GBFLOW, *SMALL)["trials"][0]
        self.check_trial(trial, "compare", [("a", 1, 1), ("b", 1, 1)])
        self.assertEqual((trial["a"]["slowdown_percent"], trial["b"]["slowdown_percent"]), (0, 0))
        self.assertEqual(trial["verdict"], "none")
        self.assertEqual(trial["a"]["program"], GBFLOW)

    def test_what_takes_eleven_times_as_long_is_slower(self):
        slow = self.script(f'exec "{GBFLOW}" "$@" --plant 1000\n')
        self.check_failed(run("compare", GBFLOW, slow, *SMALL, "--rounds", "6", "--set", "gap_us=1000", "--windows", "4"),
                          "b is slower")

    def side(self, starts):
        """A program whose windows are valid in so many rounds, then all void; an N-PDU takes it 50 ns."""
        return self.script(f"""echo >>"{self.folder}/starts"
value=50.0
[ "$(wc -l <"{self.folder}/starts")" -le {starts} ] || value=-
echo gbflow-bench-slices/1
while read -r word at windows; do
  line=
  while [ "$windows" -gt 0 ]; do
    line="$line$value "
    windows=$((windows - 1))
  done
  echo "$line"
done
echo end
""")

    def test_a_row_of_fewer_rounds_and_pairs_than_asked(self):
        """Three rounds of six are void: no interval, a mark, status 1. Six of six: an interval, and no mark."""
        for valid in (3, 6):
            with self.subTest(valid=valid):
                path = os.path.join(self.folder, "report.json")
                done = run("compare", self.side(2 * valid), self.side(2 * valid), *SMALL, "--rounds", "6", "--windows", "4", "--json", path)
                os.unlink(os.path.join(self.folder, "starts"))
                with open(path, encoding="utf-8") as file:
                    trial = json.load(file)["trials"][0]
                self.assertEqual((trial["rounds"], trial["rounds_asked"], trial["pairs"], trial["pairs_asked"]), (valid, 6, 2 * valid, 12))
                self.assertEqual((trial["ratio"], trial["verdict"]), (1, "none"))
                if valid == 6:
                    self.assertEqual((done.returncode, trial["ratio_low"], trial["ratio_high"]), (0, 1, 1), done.stdout)
                    self.assertNotIn("!", done.stdout)
                    continue
                self.assertEqual((done.returncode, trial["ratio_low"], trial["ratio_high"]), (1, None, None), done.stdout)
                self.assertIn(f": 3 of 6 rounds, 6 of 12 pairs of slices, {trial['voided_pairs']} void !\n", done.stdout)
                self.assertIn("no 95 % interval: it takes 6 valid rounds or more, not 3\n", done.stdout)
                self.assertIn(f"! 6 of 12 pairs of slices valid, {trial['voided_pairs']} void by steps above gap_us = 100: ", done.stdout)
                self.assertIn("no difference shown: b takes +0.00 % time per N-PDU (no 95 % interval)\n", done.stdout)

    def test_options_of_protocol_1(self):
        given = os.path.join(self.folder, "given")
        recorder = self.script(f'echo "$@" >"{given}"\n')
        done = run("compare", recorder, GBFLOW, *SMALL, "--check-fcs", "--pages", "small", "--set", "teids=foreign",
                   "--set", "bvc_rate=90", "--set", "zipf=1")
        self.assertEqual(done.returncode, 1)
        with open(given, encoding="utf-8") as file:
            words = file.read().split()
        self.assertEqual(words[:2], ["bench", "slices"])
        options = {word for word in words if word.startswith("--")}
        self.assertLessEqual(options, {*PROTOCOL_1, "--cores", "--huge", "--no-dpdk-huge", "--no-huge"})
        self.assertLessEqual(set(PROTOCOL_1), options)

    def test_a_program_without_slices(self):
        for path, say in ((self.script("echo nothing\n"), "does not know `bench slices`"),
                          (os.path.join(self.folder, "none"), "No such file")):
            done = run("compare", GBFLOW, path, *SMALL)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertIn(say, done.stderr)

    def test_wrong_arguments_are_refused(self):
        for arguments, say in ((["compare"], "it takes two programs, A and B; 0 given"), (["compare", "a"], "A and B; 1 given"),
                               (["compare", "a", "b", "c"], "A and B; 3 given"),
                               (["compare", "a", "b", "--windows", "1001"], "--windows takes"),
                               (["compare", "a", "b", "--rounds", "0"], "--rounds takes"),
                               (["compare", "a", "b", "--margin", "100"], "--margin takes")):
            with self.subTest(arguments=arguments):
                self.refuse(*arguments, say=say)

    def test_slices_by_hand(self):
        done = run("slices", "--octets", "64", "--mobiles", "20", "--cells", "2", stdin="slice 0 2\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        hello, windows, end = done.stdout.splitlines()
        self.assertEqual((hello, windows.split(), end), ("gbflow-bench-slices/1", ["-", "-"], "end"))
        self.assertEqual(run("slices", "--mobiles", "20", "--cells", "2", stdin="slice\n").returncode, 2)
