# SPDX-License-Identifier: BSD-3-Clause
"""Shares by weight, Jain's index; the command line."""
import contextlib
import io
import json
import os
import tempfile
import unittest

from scene import MS, S, Case, Scene, judge
from sched_oracle import cli, shares

STREAMING, THP1, BACKGROUND = 3, 4, 7


def shared(order, cells=(1,), waiting=None):
    """A cell that its bucket limits; order: of the class that each LLC-PDU of 100 octets is of. waiting: N-PDUs of a class (default 2000)."""
    scene = Scene(cell=(8000, 1526), link=(10**9, 10**7))
    for cell in cells[1:]:
        scene.cell(cell, 8000, 1526).mobile(cell, cell)
    queues = {}
    for cell in cells:
        for qclass in sorted(set(order)):
            count = (waiting or {}).get(qclass, 2000)
            queues[cell, qclass] = iter([scene.put(cell, 100, qclass=qclass, flow=qclass) for _ in range(count)])
    for place, qclass in enumerate(order):
        scene.at(max(0, place - 14) * 100 * MS - 26 * MS if place > 14 else 0)
        for cell in cells:
            scene.go(next(queues[cell, qclass]))
    return scene


def mixed(*parts):
    """Rounds in which each class has so many."""
    return [qclass for qclass, count in parts for _ in range(count)]


class Shares(Case):
    def test_exact(self):
        order = mixed((STREAMING, 9), (BACKGROUND, 1)) * 201
        report = self.verdict(shared(order), shares="streaming=900,background=100")
        self.assertEqual(report.checks["shares"].examined, 2)

    def test_wrong(self):
        """0.2 % more for the larger one is 2 % less for the other."""
        order = (mixed((STREAMING, 9), (BACKGROUND, 1)) * 5 + [STREAMING]) * 42
        report = self.verdict(shared(order), "shares", shares="streaming=900,background=100")
        self.assertEqual(report.checks["shares"].wrong, 1)

    def test_one_percent(self):
        """Of 200 and 200 to 204 LLC-PDUs."""
        for more, wrong in ((4, []), (5, ["shares"])):
            order = [THP1, BACKGROUND] + [THP1] * more + mixed((THP1, 1), (BACKGROUND, 1)) * 200
            with self.subTest(more):
                self.verdict(shared(order), *wrong, shares="thp1=1,background=1")

    def test_only_while_backlogged(self):
        order = [BACKGROUND] * 100 + [THP1] * 300
        report = self.verdict(shared(order, waiting={BACKGROUND: 100}), shares="thp1=1,background=1", window=50)
        self.assertEqual(report.checks["shares"].examined, 0)

    def test_window(self):
        order = mixed((THP1, 1), (BACKGROUND, 1)) * 501
        report = self.verdict(shared(order), shares="thp1=1,background=1", window=100)
        self.assertEqual(report.checks["shares"].examined, 2 * 5)

    def test_of(self):
        order = mixed((THP1, 1), (BACKGROUND, 1)) * 101
        for of, count in (("cells", 4), ("links", 4), ("1", 2), ("1,2", 4), ("7", 0)):
            with self.subTest(of):
                report = self.verdict(shared(order, (1, 2)), shares="thp1=1,background=1", window=100, of=of)
                self.assertEqual(report.checks["shares"].examined, count)

    def test_usage(self):
        for options in ({"shares": "thp1=1"}, {"shares": "thp9=1,thp1=1"}, {"shares": "thp1=0,thp2=1"}, {"shares": "thp1,thp2=1"},
                        {"shares": "thp1=1,thp2=1", "of": "x"}):
            with self.subTest(options), self.assertRaises(shares.UsageError):
                judge(Scene().end(), **options)


class Jain(Case):
    def scene(self, parts):
        """Mobiles that send so many LLC-PDUs a second for 30 s, and always have more."""
        scene = Scene(cell=(8 * 100 * sum(parts), 150))
        for ms in range(2, len(parts) + 1):
            scene.mobile(ms)
        queues = [iter([scene.put(ms, 100) for _ in range(40 * part)]) for ms, part in enumerate(parts, 1)]
        order = [ms for ms, part in enumerate(parts) for _ in range(part)]
        for place in range(30 * len(order)):
            scene.at(0 if not place else -(-(100 * place - 50) * S // (100 * sum(parts))))
            scene.go(next(queues[order[place % len(order)]]))
        return scene

    def test_equal(self):
        report = self.verdict(self.scene((5, 5, 5, 5)), jain=10)
        self.assertEqual(report.checks["jain"].examined, 2)
        self.verdict(self.scene((20, 20, 20, 19)), jain=10)

    def test_unequal(self):
        self.verdict(self.scene((5, 5, 5, 4)), "jain", jain=10)

    def test_who_has_nothing_does_not_count(self):
        scene = Scene().mobile(2)
        for now in range(30):
            scene.at(now * S).go(scene.put(1, 100))
        report = self.verdict(scene, jain=10)
        self.assertEqual(report.checks["jain"].examined, 0)


class CommandLine(unittest.TestCase):
    def run_cli(self, scene, *words):
        """Status and output."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out, \
                contextlib.redirect_stderr(io.StringIO()):
            path = os.path.join(folder, "trace")
            with open(path, "wb") as stream:
                stream.write(b"".join(scene.records))
            verdict = os.path.join(folder, "verdict.json")
            status = cli.main([path, "--json", verdict, *words])
            with open(verdict, encoding="utf-8") as stream:
                return status, out.getvalue(), json.load(stream)

    def test_good(self):
        scene = Scene()
        status, text, verdict = self.run_cli(scene.go(scene.put(1, 10)).end())
        self.assertEqual((status, verdict["checks"]["conform_ms"]["examined"]), (0, 1))
        self.assertIn("conform_ms", text)
        self.assertEqual(self.run_cli(scene, "--quiet")[1], "")

    def test_wrong(self):
        scene = Scene()
        scene.put(1, 10)
        status, text, verdict = self.run_cli(scene.end(), "--quiet")
        self.assertEqual((status, verdict["checks"]["not_idle"]["wrong"]), (1, 1))
        self.assertIn("mobile 1 has an LLC-PDU of 10 octets", text)

    def test_no_end(self):
        self.assertEqual(self.run_cli(Scene())[0], 1)

    def test_options(self):
        status, text, _ = self.run_cli(shared(mixed((THP1, 1), (BACKGROUND, 1)) * 201).end(), "--shares", "thp1=1,background=1",
                                       "--of", "links", "--jain", "1.5", "--idle", "largest")
        self.assertEqual(status, 0, text)
        self.assertRegex(text, r"shares +2 examined")

    def test_usage(self):
        for words in (["--shares", "x"], ["--idle", "x"], ["/no/such/trace"]):
            with self.subTest(words), contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as caught:
                cli.main([*words])
            self.assertEqual(caught.exception.code, 2)


if __name__ == "__main__":
    unittest.main()
