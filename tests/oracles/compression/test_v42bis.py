#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""dataplane/compression/v42bis.c against V.42bis in Python (v42bis.py), which shares no code with it; V42BIS_PLAY is v42bis_play."""
import os
import random
import subprocess
import unittest
import zlib

import v42bis

PARAMS = [(codewords, longest) for codewords in (512, 1024, 2048, 4096) for longest in (6, 20, 32, 250)]
SHORT_WORDS = [word.encode() for word in ("the ", "of ", "<td>", "</td>", "table ", 'href="', "\r\n", "a", "ing ", "0")]


class Play:
    """The program: its encoder and its decoder."""

    def __init__(self, codewords, longest):
        self.process = subprocess.Popen([os.environ["V42BIS_PLAY"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.order(f"new {codewords} {longest}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.communicate()

    def order(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def recode(self, verb, octets, room):
        answer = self.order(f"{verb} {room} {octets.hex()}")
        return int(answer) if answer.startswith("-") else bytes.fromhex(answer)


def data_of(rng, most):
    """Words, runs, noise, counting, and octets that hit the escape octet."""
    data, kinds = b"", rng.sample(range(9), rng.randint(1, 4))
    wanted = rng.randint(1, most)
    while len(data) < wanted:
        kind, run = rng.choice(kinds), rng.randint(1, 60)
        if kind == 0:
            data += rng.randbytes(run)
        elif kind == 1:
            data += bytes((run,)) * (5 * run)
        elif kind == 2:
            data += bytes(range(run))
        elif kind == 3:
            data += bytes(51 * i % 256 for i in range(run))
        else:
            data += rng.choice(SHORT_WORDS)
    return data[:wanted]


def reference(decoder, stream, room):
    try:
        return decoder.decode(stream, room)
    except v42bis.Broken as broken:
        return broken.args[0]


def wandering(rng):
    """Changes the mode now and then, wherever it is in a string."""
    def choose(encoder):
        if rng.random() < 0.01 and not encoder.is_compressed:
            return None
        return encoder.is_compressed != (rng.random() < 0.05)
    return choose


class V42bis(unittest.TestCase):
    def setUp(self):
        self.rng = random.Random(42)

    def test_vectors(self):
        every = bytes(range(256)) * 4
        for codewords, longest, data, octets, crc in (
                (2048, 20, b"abc", "000064ca980900", None), (2048, 20, b"a" * 20, "000064c80c1c489060c1820100", None),
                (2048, 20, b"ab" * 8, "000064ca0c1c589020c1830100", None),
                (2048, 20, b"\x00\x33\x66\x99", "0000036ca4e11400", None),
                (2048, 20, every, 704, 0x252ca0a0), (512, 20, every, 1156, 0xfb815a96),
                (2048, 20, bytes(1500), 109, 0x6be83803), (2048, 250, bytes(1500), 90, 0x77fe4caf)):
            with self.subTest(codewords=codewords, longest=longest, data=data[:8]), Play(codewords, longest) as play:
                stream = v42bis.Encoder(codewords, longest).encode(data)
                self.assertEqual(len(stream) if crc else stream.hex(), octets)
                self.assertEqual(zlib.crc32(stream), crc or zlib.crc32(stream))
                self.assertEqual(play.recode("decode", stream, len(data)), data)
                self.assertEqual(v42bis.Decoder(codewords, longest).decode(stream, len(data)), data)

    def test_what_it_encodes_decodes_here(self):
        for codewords, longest in PARAMS:
            with self.subTest(codewords=codewords, longest=longest), Play(codewords, longest) as play:
                decoder = v42bis.Decoder(codewords, longest)
                for _ in range(25):
                    data = data_of(self.rng, 1500)
                    stream = play.recode("encode", data, self.rng.choice((len(data) // 2, len(data) - 1, 4000)))
                    if isinstance(stream, int):
                        self.assertEqual(stream, v42bis.NO_ROOM)
                    else:
                        self.assertEqual(decoder.decode(stream, len(data)), data)

    def test_no_choice_of_modes_is_much_shorter(self):
        """One change of the mode at any place, or none, is at most the octets of rounding better."""
        with Play(2048, 20) as play:
            for _ in range(10):
                data = data_of(self.rng, 300)
                best = len(data) * 2
                for change in range(len(data)):
                    at = iter(range(len(data)))
                    best = min(best, len(v42bis.Encoder(2048, 20, lambda _: next(at) >= change).encode(data)))
                play.order("start")
                self.assertLessEqual(len(play.recode("encode", data, 4000)), best + 2)

    def test_what_is_encoded_here_it_decodes(self):
        for codewords, longest in PARAMS:
            with self.subTest(codewords=codewords, longest=longest), Play(codewords, longest) as play:
                encoder = v42bis.Encoder(codewords, longest, wandering(self.rng))
                for _ in range(25):
                    data = data_of(self.rng, 1500)
                    self.assertEqual(play.recode("decode", encoder.encode(data), len(data)), data)

    def test_broken_streams_have_the_same_end(self):
        ends = set()
        for turn in range(1200):
            codewords, longest = PARAMS[turn // 75]
            if turn % 75 == 0:
                play = Play(codewords, longest)
                self.addCleanup(play.__exit__)
            decoder = v42bis.Decoder(codewords, longest)
            encoder = v42bis.Encoder(codewords, longest, wandering(self.rng))
            play.order("start")
            room = self.rng.choice((200, 800))
            for _ in range(3):
                stream = bytearray(encoder.encode(data_of(self.rng, 400)))
                for _ in range(self.rng.randint(0, 2)):
                    stream[self.rng.randrange(len(stream))] ^= 1 << self.rng.randrange(8)
                stream = stream[:self.rng.choice((len(stream), self.rng.randint(1, len(stream))))]
                end = reference(decoder, bytes(stream), room)
                self.assertEqual(play.recode("decode", bytes(stream), room), end, (codewords, longest, stream.hex()))
                if isinstance(end, int):
                    ends.add(end)
                    break
        self.assertEqual(ends, {v42bis.NO_ROOM, v42bis.EMPTY_CODE, v42bis.TOO_MANY_STEPUPS, v42bis.COMMAND, v42bis.CUT})


if __name__ == "__main__":
    unittest.main()
