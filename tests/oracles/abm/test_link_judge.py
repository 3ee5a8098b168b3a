# SPDX-License-Identifier: BSD-3-Clause
"""The judge of links finds what is wrong: faults put into traces that are right."""
import os
import subprocess
import unittest

from link_judge import Judge
from test_judge import change_octet, change_word

SABM, UA, DISC = "f7", "f6", "f4"


def trace():
    command = [os.environ["LINK_PLAY"], "--frames", "4000", "--seed", "11"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def is_u(line, side, what):
    words = line.split()
    return words[:2] == ["O", side] and words[2][2:4] == what


def is_new(line, repeated="0"):
    words = line.split()
    return words[0] == "O" and len(words) == 9 and words[8] == repeated


# Name, whether a line may get the fault, what becomes of the line: another, or two, or none.
FAULTS = (
    ("SABM proposes another T200", lambda line: is_u(line, "1", SABM), lambda line: [change_octet(line, 4, 1)]),
    ("SABM has P = 0", lambda line: is_u(line, "0", SABM), lambda line: [change_octet(line, 1, 0x10)]),
    ("SABM has another C/R", lambda line: is_u(line, "0", SABM), lambda line: [change_octet(line, 0, 0x40)]),
    ("SABM goes twice", lambda line: is_u(line, "0", SABM), lambda line: [line, line]),
    ("UA answers with another value", lambda line: is_u(line, "1", UA) and len(line) > 20,
     lambda line: [change_octet(line, 3, 1)]),
    ("UA goes twice", lambda line: is_u(line, "1", UA), lambda line: [line, line]),
    ("UA is missing", lambda line: is_u(line, "1", UA), lambda line: []),
    ("DISC goes twice", lambda line: is_u(line, "0", DISC), lambda line: [line, line]),
    ("DISC instead of SABM", lambda line: is_u(line, "0", SABM), lambda line: ["O 0 43f4"]),
    ("IOV-I of the network is another", lambda line: line[0] == "+", lambda line: [change_word(line, 2, 1)]),
    ("N201-I in force is another", lambda line: line[0] == "+", lambda line: [change_word(line, 3, 1)]),
    ("acknowledged mode is not told", lambda line: line[0] == "+", lambda line: []),
    ("acknowledged mode is told twice", lambda line: line[0] == "+", lambda line: [line, line]),
    ("it fails", lambda line: line[0] == "S", lambda line: ["F 0"]),
    ("T200 is longer", lambda line: line[0] == "H" and not line.endswith("-1"), lambda line: [change_word(line, 2, 1)]),
    ("N(S) is another", is_new, lambda line: [change_octet(line, 2, 0x10)]),
    ("a frame is new twice", is_new, lambda line: [line, line]),
    ("a segment is missing", is_new, lambda line: []),
    ("a segment begins elsewhere", is_new, lambda line: [change_word(line, 4, 1)]),
    ("octets of a segment are others", is_new, lambda line: [change_word(line, 6, 1)]),
    ("a repetition is another segment", lambda line: is_new(line, "1"), lambda line: [change_word(line, 5, -1)]),
    ("an N-PDU is not delivered", lambda line: line[0] == "U", lambda line: []),
    ("an N-PDU is delivered twice", lambda line: line[0] == "U", lambda line: [line, line]),
    ("an N-PDU is altered", lambda line: line[0] == "U", lambda line: [change_word(line, 4, 1)]),
    ("an N-PDU is given up twice", lambda line: line[0] == "A", lambda line: [line, line]),
    ("an N-PDU is left", lambda line: line[0] == "Q", lambda line: ["Q 0 1"]),
    ("the end is not told", lambda line: line[0] == "Q", lambda line: []),
)


class FaultsAreFound(unittest.TestCase):
    def test_the_trace_is_right(self):
        judge = Judge()
        judge.judge(trace())
        self.assertEqual([], judge.wrong)
        for what in ("O U", "O I", "R S", "+", "F", "L", "Z", "G", "K", "T", "A", "N-PDUs", "again"):
            self.assertGreater(judge.counts[what], 0, what)

    def test_faults(self):
        lines = trace()
        for name, is_kind, change in FAULTS:
            with self.subTest(name):
                at = next(i for i, line in enumerate(lines) if is_kind(line))
                judge = Judge()
                judge.judge(lines[:at] + change(lines[at]) + lines[at + 1:])
                self.assertNotEqual([], judge.wrong)


if __name__ == "__main__":
    unittest.main()
