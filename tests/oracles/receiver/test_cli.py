# SPDX-License-Identifier: BSD-3-Clause
"""The program: its words, its files, its exit status."""
import contextlib
import io
import json
import os
import tempfile
import unittest

import receiver
import sender
from sender import KC3, base, sn_pdu, ui

KEYS = {"mobiles": [{"tlli": "c1234567", "keys": [{"from_nu": 1, "algorithm": 3, "kc": KC3.hex(), "iov_ui": "12345678"}]}]}
FRAMES = [ui(0, sn_pdu(0)), ui(1, sn_pdu(1), (KC3, base(0x12345678) + 1)), sender.u_frame(0x01, 0xE0)]


class Cli(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        self.capture = os.path.join(self.folder, "gb.pcapng")
        sender.capture(self.capture, [(True, sender.unitdata(FRAMES[0])), (True, b"\x0a"),
                                      (True, sender.unitdata(FRAMES[1])), (False, sender.unitdata(FRAMES[2], False))])

    def file(self, text):
        path = os.path.join(self.folder, "keys.json")
        with open(path, "w", encoding="ascii") as out:
            out.write(text if isinstance(text, str) else json.dumps(text))
        return path

    def run_with(self, *words):
        """(status, standard output, standard error)."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            status = receiver.main(list(words))
        return status, out.getvalue(), err.getvalue()

    def test_report(self):
        status, out, _ = self.run_with(self.capture, "--keys", self.file(KEYS), "--json", "-")
        report = json.loads(out)
        self.assertEqual(status, 0)
        self.assertEqual([(row["frame"], row["tlli"], row["direction"], row["sapi"], row["nsapi"], row["n_pdu_number"],
                           bytes.fromhex(row["octets"])) for row in report["n_pdus"]],
                         [(1, "c1234567", "down", 3, 5, 0, b"packet"), (3, "c1234567", "down", 3, 5, 1, b"packet")])
        self.assertEqual(report["count"], {"U frames": 1, "UI frames": 2, "frames": 3})
        self.assertEqual(report["entities"][0]["ciphered"], 1)

    def test_a_file_and_lines(self):
        path = os.path.join(self.folder, "out.json")
        status, out, _ = self.run_with(self.capture, "--keys", self.file(KEYS), "--json", path)
        with open(path, encoding="ascii") as file:
            self.assertEqual(len(json.load(file)["n_pdus"]), 2)
        self.assertEqual((status, out.splitlines()[0]),
                         (0, "packet 1 down c1234567 SAPI 3 NSAPI 5: N-PDU 0, 6 octets"))
        self.assertEqual(self.run_with(self.capture, "--quiet", "--keys", self.file(KEYS))[1].count("packet "), 0)

    def test_faults_show_in_the_status(self):
        status, out, _ = self.run_with(self.capture)
        self.assertEqual(status, 1)
        self.assertIn("fault packet 3 direction down tlli c1234567 sapi 3 nu 1: ciphered, and no key is in force", out)

    def test_another_port(self):
        self.assertIn("0 N-PDUs", self.run_with(self.capture, "--gb-port", "4000")[1])

    def test_bad_words_and_files(self):
        row = KEYS["mobiles"][0]["keys"][0]
        bad = ("{", "[]", {"mobiles": [{"keys": []}]}, {"mobiles": [{"tlli": "c1", "key": []}]},
               {"mobiles": [{"tlli": "c1", "first_nu": {"x": 1}}]},
               *({"mobiles": [{"tlli": "c1", "keys": [dict(row, **change)]}]} for change in (
                   {"algorithm": 1}, {"algorithm": 4}, {"kc": "2b"}, {"kc": "xy"}, {"from_nu": -1}, {"iov_ui": "123456789"},
                   {"sapi": 16}, {"direction": "left"}, {"nu": 1}, {"oc": "?"})))
        for text in bad:
            status, _, err = self.run_with(self.capture, "--keys", self.file(text))
            self.assertEqual((status, err[:10]), (2, "receiver: "), text)
        self.assertEqual(self.run_with(os.path.join(self.folder, "none"))[0], 2)
        self.assertEqual(self.run_with()[0], 2)


if __name__ == "__main__":
    unittest.main()
