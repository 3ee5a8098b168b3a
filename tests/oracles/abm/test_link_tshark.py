# SPDX-License-Identifier: BSD-3-Clause
"""TShark reads every frame that two links sent: fields as the judge reads them, and the FCS.

TShark 4.0 errs in two places of I frames. It takes the leading bit, A and a spare bit from one octet too late
(llcgprs.ifmt, .ai, .iignore), so that A is compared of S frames alone; and it shows K as the octets of the bitmap, K + 1.
"""
import os
import shutil
import subprocess
import tempfile
import unittest

from link_judge import DISC, DM, FRMR, SABM, UA, Numbered, U

AS_LLC = 'uat:user_dlts:"User 0 (DLT=147)","llcgprs","0","","0",""'
FIELDS = ("sapib", "cr", "ucom", "pf", "nr", "s1s2", "as", "sackns", "sacknr", "sacksfb", "k", "sackrbits", "xidtype", "xidbyte",
          "frmrvs", "frmrvr", "frmrcr", "frmrw4", "frmrw3", "frmrw2", "frmrw1")
SN_FIELDS = ("f", "t", "m", "nsapib", "dcomp", "npdu")
FLAGS = {"False": 0, "True": 1}  # words of tshark 4.2 and later, where 4.0 has numbers
RUNS = [(seed, 1000) for seed in range(1, 11)] + [(118, 10000)]  # the frames of the judge's gate, and one with an FRMR


def numbers(text):
    return [FLAGS[word] if word in FLAGS else int(word, 0) for word in text.split(",")] if text else []


def play(folder, seed, frames):
    """The frames that went, without FCS and without the payload of N-PDUs, and the capture."""
    capture = os.path.join(folder, f"{seed}.pcap")
    command = [os.environ["LINK_PLAY"], "--seed", str(seed), "--frames", str(frames), "--pcap", capture]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [bytes.fromhex(line.split()[2]) for line in done.stdout.splitlines() if line[0] == "O"], capture


def tshark(capture, *words):
    done = subprocess.run(["tshark", "-r", capture, "-o", AS_LLC, *words], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def read(capture):
    """For each frame a list of values for each field."""
    words = ["-T", "fields", "-E", "separator=|"]
    for field in FIELDS:
        words += ["-e", "llcgprs." + field]
    for field in SN_FIELDS:
        words += ["-e", "sndcp." + field]
    for line in tshark(capture, *words):
        yield dict(zip(FIELDS + SN_FIELDS, map(numbers, line.split("|"))))


def of_frmr(info):
    """Clause 6.4.1.5."""
    tail = int.from_bytes(info[6:], "big")
    return {"frmrvs": [tail >> 19 & 511], "frmrvr": [tail >> 9 & 511], "frmrcr": [tail >> 8 & 1],
            **{f"frmrw{w}": [tail >> w - 1 & 1] for w in range(1, 5)}}


def of_u(frame):
    fields = {"ucom": [frame.what], "pf": [frame.pf], "xidtype": [kind for kind, _ in frame.items],
              "xidbyte": [octet for _, octets in frame.items for octet in octets]}
    return {**fields, **(of_frmr(frame.info) if frame.what == FRMR else {})}


def of_sn(sn):
    """TS 44.065 clause 7.2."""
    first = {"dcomp": [sn[1] >> 4], "npdu": [sn[2]]} if sn[0] & 0x40 else {"dcomp": [], "npdu": []}
    return {"f": [sn[0] >> 6 & 1], "t": [sn[0] >> 5 & 1], "m": [sn[0] >> 4 & 1], "nsapib": [sn[0] & 15], **first}


def of_numbered(frame, octets):
    if not frame.is_i:
        return {"nr": [frame.nr], "s1s2": [frame.s], "as": [frame.a], "sackrbits": list(frame.bitmap)}
    return {"sackns": [frame.ns], "sacknr": [frame.nr], "sacksfb": [frame.s], "sackrbits": list(frame.bitmap),
            "k": [len(frame.bitmap)] if frame.s == 3 else [], **of_sn(octets[frame.header_octets:])}


def expected(octets):
    """Fields by the clauses; those that are not named are absent."""
    frame = U(octets) if octets[1] >= 0xe0 else Numbered(octets)
    fields = of_u(frame) if octets[1] >= 0xe0 else of_numbered(frame, octets)
    return {"sapib": [octets[0] & 15], "cr": [frame.command_bit], **fields}


@unittest.skipUnless(shutil.which("tshark") or os.environ.get("CI") == "true", "tshark is not installed")
class Judged(unittest.TestCase):
    def judge(self, frames, capture):
        rows = list(read(capture))
        self.assertEqual(len(rows), len(frames))
        for octets, row in zip(frames, rows):
            want = expected(octets)
            for field in FIELDS + SN_FIELDS:
                self.assertEqual(row[field], want.get(field, []), (field, octets.hex()))
        sums = [line for line in tshark(capture, "-V", "-O", "llcgprs") if line.lstrip().startswith("FCS:")]
        self.assertEqual(len(sums), len(frames))
        self.assertEqual([], [line for line in sums if not line.endswith("(correct)")])

    def test_every_frame(self):
        seen = set()
        with tempfile.TemporaryDirectory() as folder:
            for seed, frames in RUNS:
                with self.subTest(seed=seed):
                    sent, capture = play(folder, seed, frames)
                    self.judge(sent, capture)
                    seen |= {expected(octets).get("ucom", [None])[0] for octets in sent}
        self.assertLessEqual({SABM, UA, DISC, DM, FRMR}, seen)

    def test_other_frames_are_found(self):
        """A frame whose octets changed behind the capture."""
        with tempfile.TemporaryDirectory() as folder:
            sent, capture = play(folder, 1, 300)
            for least, most, at in ((0xe0, 0xff, -1), (0, 0x7f, 2), (0x80, 0xdf, 2)):
                spoiled = next(i for i, octets in enumerate(sent) if least <= octets[1] <= most)
                octets = bytearray(sent[spoiled])
                octets[at] ^= 0x04
                with self.assertRaises(AssertionError):
                    self.judge(sent[:spoiled] + [bytes(octets)] + sent[spoiled + 1:], capture)


if __name__ == "__main__":
    unittest.main()
