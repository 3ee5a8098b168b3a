# SPDX-License-Identifier: BSD-3-Clause
"""Mistakes planted into what our decoders say: the judges must see each.

usage: test_planted.py JUDGE_FRAMES [OSMO_JUDGE]
"""
import contextlib
import io
import os
import sys
import tempfile
import unittest

import judges
from judges_kit import tshark

PROGRAMS = []
COUNT, EVERY = 2000, 7
# Runs the real program, then changes the last digit of a field in every so many lines that have it.
WRAPPER = """#!{python}
import re, subprocess, sys
subprocess.run([{program!r}, *sys.argv[1:]], check=True)
found, lines = 0, open(sys.argv[5]).read().split("\\n")
for number, line in enumerate(lines):
    if line.startswith("ok") and "\\t{name}=" in line:
        found += 1
        if found % {every} == 0:
            lines[number] = re.sub(r"(\\t{name}=\\w*)(\\w)", lambda match: match[1] + "01"[match[2] == "0"], line)
open(sys.argv[5], "w").write("\\n".join(lines))
"""
FIELDS = (("gtpu", "teid"), ("gtpu", "seq"), ("gtpc", "teid_data"), ("gtpc", "arp"), ("ns", "nsvci"), ("ns", "cause"),
          ("sns", "transaction"), ("bssgp", "tag"), ("bssgp", "rate_bps"), ("bssgp", "tlli"), ("llc", "nu"), ("llc", "ns"),
          ("llc", "frmr_vs"), ("sndcp", "n_pdu_number"), ("sndcp", "segment"))


class Planted(unittest.TestCase):
    def complaints(self, kind, program, *words):
        """Status and output of the judges about one kind."""
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            status = judges.main(["--frames", program, "--count", str(COUNT), *words, kind])
        return status, out.getvalue()

    def wrapper(self, folder, name):
        path = os.path.join(folder, "wrapper.py")
        with open(path, "w", encoding="ascii") as file:
            file.write(WRAPPER.format(python=sys.executable, program=PROGRAMS[0], name=name, every=EVERY))
        os.chmod(path, 0o755)
        return path

    @unittest.skipUnless(tshark.is_judge(), f"no tshark {tshark.ROWS_ARE_OF}x")
    def test_fields_before_tshark(self):
        for kind, name in FIELDS:
            with self.subTest(kind=kind, name=name), tempfile.TemporaryDirectory() as folder:
                status, text = self.complaints(kind, self.wrapper(folder, name))
                self.assertEqual(status, 1)
                self.assertIn("differences without a row", text)

    def test_elements_before_libosmocore(self):
        if len(PROGRAMS) < 2:
            self.skipTest("no libosmogb")
        for kind in ("ns", "sns", "bssgp"):
            with self.subTest(kind=kind), tempfile.TemporaryDirectory() as folder:
                _, text = self.complaints(kind, self.wrapper(folder, "elements"), "--osmo", PROGRAMS[1])
                self.assertIn(f"{kind} before libosmocore: ", text)
                self.assertRegex(text, f"{kind} before libosmocore: [1-9][0-9]* differences without a row")

    def test_nothing_planted(self):
        words = ["--osmo", PROGRAMS[1]] if len(PROGRAMS) > 1 else []
        if words or tshark.is_judge():
            self.assertEqual(self.complaints("sns", PROGRAMS[0], *words)[0], 0)


if __name__ == "__main__":
    PROGRAMS = [os.path.abspath(program) for program in sys.argv[1:]]
    unittest.main(argv=sys.argv[:1])
