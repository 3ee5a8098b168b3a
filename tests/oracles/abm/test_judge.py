# SPDX-License-Identifier: BSD-3-Clause
"""The judge of acknowledged mode finds what is wrong: faults put into traces that are right."""
import os
import subprocess
import unittest

from abm_judge import Judge

FRAMES = 1500


def trace():
    command = [os.environ["ABM_PLAY"], "--frames", str(FRAMES), "--seed", "3", "--loss", "200"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def change_octet(line, at, flip):
    words = line.split()
    octets = bytearray(bytes.fromhex(words[2]))
    octets[at] ^= flip
    words[2] = octets.hex()
    return " ".join(words)


def change_word(line, at, by):
    words = line.split()
    words[at] = str(int(words[at]) + by)
    return " ".join(words)


# Name, the lines that may get the fault, what becomes of the line: another, or two, or none.
FAULTS = (
    ("a frame is not delivered", "D", lambda line: []),
    ("a frame is delivered twice", "D", lambda line: [line, line]),
    ("a frame is not confirmed", "C", lambda line: []),
    ("a frame is confirmed twice", "C", lambda line: [line, line]),
    ("N(S) is another", "N", lambda line: [change_octet(line, 2, 0x10)]),
    ("N(R) of an I frame is another", "N", lambda line: [change_octet(line, 3, 0x04)]),
    ("N(R) of a repetition is another", "G", lambda line: [change_octet(line, 3, 0x04)]),
    ("N(R) of an S frame is another", "S", lambda line: [change_octet(line, 2, 0x04)]),
    ("A of an S frame is another", "S", lambda line: [change_octet(line, 1, 0x20)]),
    ("C/R of an S frame is another", "S", lambda line: [change_octet(line, 0, 0x40)]),
    ("S bits of an S frame are others", "S", lambda line: [change_octet(line, 2, 0x02)]),
    ("a frame is repeated twice", "G", lambda line: [line, line]),
    ("another frame is repeated", "G", lambda line: [change_word(line, 4, 16)]),
    ("a count is another", "G", lambda line: [change_word(line, 6, 1)]),
    ("an N-PDU is not delivered", "U", lambda line: []),
    ("an N-PDU is delivered twice", "U", lambda line: [line, line]),
    ("an N-PDU is not confirmed", "V", lambda line: []),
    ("an N-PDU is confirmed twice", "V", lambda line: [line, line]),
    ("F of a segment is another", "N", lambda line: [line.replace(" 45", " 05").replace(" 55", " 15")]),
    ("an S frame is sent twice", "S", lambda line: [line, line]),
    ("the fate of a frame is another", "W", lambda line: ["W " + line.split()[1] + " 5 0"]),
    ("the end is not told", "E", lambda line: []),
    ("an N-PDU more was sent", "E", lambda line: [f"E {int(line.split()[1]) + 1} {line.split()[2]}"]),
    ("it fails", "Q", lambda line: ["F " + line.split()[1] + " 1"]),
)


class FaultsAreFound(unittest.TestCase):
    def test_the_trace_is_right(self):
        judge = Judge()
        judge.judge(trace())
        self.assertEqual([], judge.wrong)
        for what in "NGSRXAQTB":
            self.assertGreater(judge.counts[what], 0, what)

    def test_faults(self):
        lines = trace()
        for name, kind, change in FAULTS:
            with self.subTest(name):
                at = next(i for i, line in enumerate(lines) if line[0] == kind and change(line) != [line])
                judge = Judge()
                judge.judge(lines[:at] + change(lines[at]) + lines[at + 1:])
                self.assertNotEqual([], judge.wrong)

    def test_t201_does_not_run(self):
        judge = Judge()
        judge.judge(line for line in trace() if line[0] != "T")
        self.assertIn("T201", judge.wrong[0])


if __name__ == "__main__":
    unittest.main()
