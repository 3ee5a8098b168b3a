#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each file that a command reads, in each form that harms a careless reader: one line that names it and status 1, within 3 GiB."""

import gzip
import json
import os
import pathlib
import resource
import shutil
import tempfile
import unittest
from unittest import mock

import setting
import synthetic
# Those of the commands, once for all the processes below.
from gbflow_report import analyze_page, aqm_page, bench_page, compare, rerun, run_page, runs, text_cdf  # noqa: F401  pylint: disable=unused-import
from gbflow_report import page
from gbflow_results import Failure, bounded, shown
from gbflow_top import telemetry, text
import gbflow_results as results

MEMORY_OCTETS = 3 << 30
GOOD = gzip.compress(b'{"schema": "gbflow-summary/2"}' * 1000)
# Of any file: octets of NAME, or of NAME.gz, or what makes NAME.
ANY = {
    "device": lambda path: path.symlink_to("/dev/zero"),
    "tty": lambda path: path.symlink_to("/dev/tty"),
    "pipe": os.mkfifo,
    "folder": os.mkdir,
    "circle of links": lambda path: path.symlink_to(path.name),
    "not UTF-8": b"\xff\xfe\x00",
    "packed junk": {"gz": b"junk"},
    "packed, cut off": {"gz": GOOD[:-20]},
    "packed, wrong CRC": {"gz": GOOD[:-8] + bytes(4) + GOOD[-4:]},
}
JSON = {
    **ANY,
    "bomb": {"gz": gzip.compress(b" " * (bounded.JSON_OCTETS + 1), 1)},
    "bomb of values": {"gz": gzip.compress(b"[" + b"0," * bounded.JSON_VALUES + b"0]", 1)},
    "deep": b"[" * 10**6,
    "deep objects": b'{"a":' * 10**5,
    "NaN": b'{"seed": NaN}',
    "infinite": b'{"seed": 1e999}',
    "large": b'{"seed": -1e200}',
    "digits": b'{"seed": 1' + b"0" * 10**6 + b"}",
    "columns": b"{" + b",".join(b'"%d": 0' % column for column in range(10**5)) + b"}",
    "NUL": b"\0" * 1000,
}
HEAD = b"time_s,name,of,value\n"
SERIES = {
    **ANY,
    "bomb": {"gz": gzip.compress(bytes(1 << 26), 1)},
    "bomb of lines": {"gz": gzip.compress(HEAD + b"\n" * (1 << 24), 1)},
    "columns of the head": b",".join([b"x"] * 10**6),
    "columns": HEAD + b",".join([b"1"] * 10**6),
    "field": HEAD + b'1,a,"' + b"x" * 10**6,
    "NaN": HEAD + b"1,a,b,nan\n",
    "infinite": HEAD + b"1e999,a,b,1\n",
    "large": HEAD + b"1,a,b,1e200\n",
    "NUL": HEAD + bytes(100) + b"\n",
}
# Command, the file that is damaged, its forms.
COMMANDS = [
    *((words, name, forms) for name, forms in (("summary.json", JSON), ("series.csv", SERIES)) for words in (("run", "."), ("cdf", "."), ("top", ".", "--once"))),
    (("analyze", "."), "analysis.json", JSON),
    (("compare", ".", "."), "summary.json", JSON),
    (("compare", ".", "."), "reproduction.json", JSON),
    (("rerun", ".", "--gbflow", "/bin/true"), "provenance.json", JSON),
]
# Their argument is the file itself, packed or not.
OF_FILES = [("aqm", "FILE"), ("bench", "FILE", "--html", "page.html")]
# What reads no file where there is none of its kind.
NOT_SEEN = {("compare", name) for name in ("device", "tty", "pipe", "folder", "circle of links")}


def some_forms(forms, row, one_in=3):
    """All of them, but where TEST_SHORT=1 one in so many, from another one on in each row: each form in some row of a kind of files."""
    return setting.some(list(forms.items())[row % one_in if setting.IS_SHORT else 0:], one_in)


def make(folder, name, form):
    """The path of the damaged file."""
    path = folder / name
    path.unlink(missing_ok=True)
    if callable(form):
        form(path)
    elif isinstance(form, dict):
        path = folder / f"{name}.gz"
        path.write_bytes(form["gz"])
    else:
        path.write_bytes(form)
    return path


class Hostile(setting.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_OCTETS, before[1]))
        cls.addClassCleanup(resource.setrlimit, resource.RLIMIT_AS, before)

    def fails(self, words, path, folder, is_named=True):
        done = setting.warm(self.pyz, *words, cwd=folder)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (1, "", 1), done.stderr[-3000:])
        self.assertTrue(done.stderr.startswith(f"gbflow {words[0]}: "), done.stderr)
        self.assertNotIn("memory", done.stderr)
        if is_named:
            self.assertIn(path.name, done.stderr)

    def test_commands(self):
        for row, (words, name, forms) in enumerate(COMMANDS):
            for kind, form in some_forms(forms, row):
                with self.subTest(words=words, name=name, kind=kind), tempfile.TemporaryDirectory() as folder:
                    here = synthetic.write(folder)
                    if name == "provenance.json":
                        (here / "summary.json").unlink()
                    path = make(here, name, form)
                    if name == "reproduction.json":
                        (here / "summary.json").unlink()
                    self.fails(words, path, here, (words[0], kind) not in NOT_SEEN)

    def test_files(self):
        for row, words in enumerate(OF_FILES):
            for kind, form in some_forms(JSON, row, len(OF_FILES)):
                with self.subTest(words=words, kind=kind), tempfile.TemporaryDirectory() as folder:
                    path = make(pathlib.Path(folder), "file.json", form)
                    self.fails([path.name if word == "FILE" else word for word in words], path, folder)

    def test_tables(self):
        """The functions of gbflow_results: Failure, or OSError of a file that cannot be opened."""
        readers = [("summary.json", JSON, results.load_run), ("sweep.json", JSON, results.load_sweep), ("analysis.json", JSON, results.load_analysis),
                   ("comparison.json", JSON, lambda folder: results.load_comparison(folder / "comparison.json")),
                   ("series.csv", SERIES, lambda folder: results.load_run(folder).series),
                   ("results.csv", SERIES, lambda folder: results.Sweep(folder, {"axes": []}).values)]
        for row, (name, forms, read) in enumerate(readers):
            for kind, form in some_forms(forms, row, 2):
                if kind in ("bomb of lines", "large"):
                    continue  # pandas leaves out empty lines
                with self.subTest(name=name, kind=kind), tempfile.TemporaryDirectory() as folder:
                    make(synthetic.write(folder), name, form)
                    self.assertRaises((Failure, OSError), read, pathlib.Path(folder))

    def test_another_file_by_then(self):
        """A pipe is not opened; and not read where it was a file when it was looked at."""
        with tempfile.TemporaryDirectory() as folder:
            pipe, regular, files = pathlib.Path(folder) / "pipe", os.stat(__file__), len(os.listdir("/proc/self/fd"))
            os.mkfifo(pipe)
            with mock.patch.object(os, "open") as opened:
                self.assertRaises(Failure, bounded.open_regular, pipe)
            opened.assert_not_called()
            with mock.patch.object(os, "stat", return_value=regular):
                self.assertRaises(Failure, bounded.open_regular, pipe)
            self.assertEqual(len(os.listdir("/proc/self/fd")), files)

    def test_limit_of_a_log(self):
        """Its end."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "log.txt"
            path.write_bytes(b"a" + b"b" * bounded.LOG_OCTETS)
            self.assertEqual(bounded.log(path), "b" * (16 << 20))

    def test_limit_of_a_line(self):
        """Also of one that ends in another block."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "table.csv"
            for before, octets, end in ((0, 65536, b"\n"), (0, 65536, b""), (250000, 65536, b"\n"), (0, 65537, b"\n"), (0, 65537, b""),
                                        (250000, 65537, b"\n"), (0, 300000, b"")):
                with self.subTest(before=before, octets=octets, end=end):
                    path.write_bytes(b"a\n" * (before // 2) + b"x" * octets + end)
                    if octets > 65536:
                        self.assertRaisesRegex(Failure, "a line of more than 65536 octets", list, bounded.lines(path))
                    else:
                        self.assertEqual(list(bounded.lines(path))[-1], "x" * octets)

    def test_limit_of_a_table(self):
        """Octets are counted as they are unpacked."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.gz"
            path.write_bytes(gzip.compress(b"x\n" * 1000))
            self.assertEqual(sum(1 for _ in bounded.lines(path, 2000)), 1000)
            with self.assertRaisesRegex(Failure, "a.gz: has more than 1999 octets unpacked"):
                list(bounded.lines(path, 1999))


class Shown(setting.Case):
    """What a terminal or a browser would obey, in names of a result: no command prints it, no page has it."""

    OBEYED = "".join(map(chr, (*range(0x20), *range(0x7f, 0xa0), 0x61c, *range(0x200b, 0x2010), *range(0x2028, 0x202f), *range(0x2060, 0x2070),
                               0xfeff, *range(0xfff9, 0xfffc), 0xe0001, 0xe0041)))

    def test_texts(self):
        for char in self.OBEYED:
            self.assertEqual(shown.shown(f"a{char}b"), "a?b", hex(ord(char)))
            self.assertEqual(text.clean(f"a{char}b"), "a?b", hex(ord(char)))
            self.assertNotIn(char, page.escape(char) if char != "\n" else "")
        for fine in ("anna", "z\u00fcrich \u6f22", "21\u202f000 10\u00a0%"):
            self.assertEqual(shown.shown(fine), fine)

    def test_commands(self):
        name = f"anna{self.OBEYED}"
        for words in (("compare", ".", ".", "--all"), ("cdf", "."), ("run", "."), ("top", ".", "--once")):
            with self.subTest(words=words), tempfile.TemporaryDirectory() as folder:
                here = synthetic.write(folder)
                summary = json.loads((here / "summary.json").read_text())
                summary["title"] = name
                for row in (*summary["mobiles"], *summary["tcp"]):
                    row["mobile"] = name
                (here / "summary.json").write_text(json.dumps(summary))
                done = setting.warm(self.pyz, *words, cwd=here)
                self.assertEqual(done.returncode, 0, done.stderr)
                written = (here / "report.html").read_text() if words[0] == "run" else ""
                found = {char for char in done.stdout + done.stderr + written if char in self.OBEYED} - {"\n", "\t"}
                self.assertEqual(found, set())


class Moving(unittest.TestCase):
    """Two rows come at the head of a table between two answers, so that an answer repeats the one before it."""

    def rows(self, shifts):
        table = [["a"], ["b"], ["c"]]

        def page(_, __, first):
            if first and shifts:
                table[:0] = [[f"new {shifts.pop()}"]] * 2
            return ["name"], ["s"], table[first:first + 2]

        with mock.patch.object(telemetry.Client, "page", page):
            return [row["name"] for row in telemetry.Client("n").rows("ms", 0)]

    def test_the_table_is_read_again(self):
        self.assertEqual(self.rows([]), ["a", "b", "c"])
        self.assertEqual(self.rows([1]), ["new 1", "new 1", "a", "b", "c"])
        self.assertEqual(self.rows([2, 1]), ["new 2", "new 2", "new 1", "new 1", "a", "b", "c"])

    def test_the_same_rows_for_ever(self):
        self.assertRaises(telemetry.NoTable, self.rows, list(range(1000)))


class Lasting(unittest.TestCase):
    """Of a sweep's run that has ended."""

    RECORD = {"options": [], "scenario": "1", "program": "2"}

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        case = type("Case", (), {"name": "a", "settings": [], "results": ["summary.json", "series.csv"]})()
        self.run_ = runs.Run(runs.Kind("points", "x.lua", [case], is_packed=True), case, 1, self.folder, [], self.RECORD)
        synthetic.write(self.folder)
        (self.folder / "log.txt").write_text("")
        runs.keep_record(self.run_)

    def test_whole(self):
        self.assertTrue(runs.is_finished(self.run_))
        self.assertIsNone(runs.damage(self.run_))
        plain = self.folder / "series.csv"
        plain.write_bytes(gzip.decompress((self.folder / "series.csv.gz").read_bytes()))
        (self.folder / "series.csv.gz").unlink()
        self.assertIsNone(runs.damage(self.run_), "unpacked by the user")

    def test_damaged_results(self):
        """Any octet of any result."""
        for name in ("summary.json.gz", "series.csv.gz"):
            whole = (self.folder / name).read_bytes()
            for damaged in (whole[:100], b"", whole[:-6] + b"x" + whole[-5:], gzip.compress(gzip.decompress(whole)[:-1])):
                with self.subTest(name=name, octets=len(damaged)):
                    (self.folder / name).write_bytes(damaged)
                    self.assertIn(name, runs.damage(self.run_))
            (self.folder / name).write_bytes(whole)

    def test_damaged_record(self):
        """Is no record: the run is made again, and what lies in the way goes."""
        for kind, form in {**JSON, "older": json.dumps(self.RECORD).encode(), "no names": json.dumps({**self.RECORD, "crc32": []}).encode()}.items():
            if not isinstance(form, dict):
                with self.subTest(kind=kind):
                    path = self.folder / runs.RECORD
                    path.rmdir() if path.is_dir() else path.unlink(missing_ok=True)
                    make(self.folder, runs.RECORD, form)
                    self.assertFalse(runs.is_finished(self.run_))
                    if kind == "folder":
                        self.assertRaises(IsADirectoryError, runs.start_over, self.run_)
                    else:
                        runs.start_over(self.run_)
                        self.assertFalse(os.path.lexists(path))

    def test_files_of_a_rerun(self):
        """Files beside the scenario that are there no more as files are named."""
        for kind in ("device", "pipe", "folder", "circle of links"):
            with self.subTest(kind=kind):
                make(self.folder, kind, ANY[kind])
                given = {"folder": str(self.folder), "aqm_files": [{"kind": "lua", "file": kind, "crc32": "0"}]}
                found, = rerun.changed_files(given)
                self.assertIn(kind, found)

    def test_compared_results(self):
        for kind in ("device", "pipe"):
            path = make(self.folder, kind, ANY[kind])
            self.assertRaisesRegex(Failure, "name a regular file", rerun.are_equal, path, path)


if __name__ == "__main__":
    unittest.main()
