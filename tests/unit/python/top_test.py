#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow top` without a terminal: numbers, order, filter, columns, curves, keys, sources and the text of a screen."""

import contextlib
import gzip
import io
import itertools
import json
import os
import pathlib
import socket
import tempfile
import threading
import time
import unittest
import unittest.mock

import setting  # noqa: F401  puts the packed file into the import path

from gbflow_results import Failure
from gbflow_top import cli, draw, feed, history, node, recorded, source, state, tables, telemetry, text
from gbflow_top.tables import Column, Order, View

SHORT = [
    (None, "-"), ("x", "x"), (float("nan"), "-"), (float("inf"), "-"), (0, "0"), (7, "7"), (0.25, "0.25"), (12.34, "12.3"), (123.4, "123"), (9999, "9999"),
    (9999.4, "9999"), (9999.6, "10.0k"), (10000, "10.0k"), (12345, "12.3k"), (99949, "99.9k"), (99960, "100k"), (999400, "999k"), (999600, "1.00M"),
    (1234567, "1.23M"), (-1234567, "-1.23M"), (3.5e9, "3.50G"), (1e30, "1000000000000E"),
]
CLEAN = [
    ("anna", "anna", "anna"), ("a\x1b[2Jb", "a?[2Jb", "a?[2Jb"), ("a\nb\tc\x00\x7f\x9b", "a?b?c???", "a?b?c???"), ("ü漢", "ü漢", "??"),
    ("e\u0301", "e?", "e?"), ("\u202eabc\u200b\ufeff", "?abc??", "?abc??"), ("\ud800", "?", "?"),
]
ROWS = [{"name": "b", "n": 2, "t": "x9"}, {"name": "a", "n": None, "t": "x10"}, {"name": "C", "n": 10, "t": "12"}, {"name": "d", "n": 2, "t": "3"}]
VIEW = View("things", (Column("name", "name", 4, is_text=True), Column("n", "n"), Column("t", "t", 3, is_text=True)), ("name",), "n", plots=(("n", "numbers", ""),))
# order, names
ORDERS = [(Order("n", True), "Cbda"), (Order("n", False), "bdCa"), (Order("name", False), "abCd"), (Order("name", True), "dCba"), (Order("t", False), "dCab")]
FILTERS = [("", "baCd"), ("C", "C"), ("c", "C"), ("^[ab]$", ""), ("x1", "a"), ("(", ""), ("2", "C"), ("[", ""), (" X1  A ", "a"), ("x b", "b"),
           ("x c", ""), (" ", "baCd"), (".", ""), ("(a+)+$", "")]


def names(rows):
    return "".join(row["name"] for row in rows)


class Text(unittest.TestCase):
    def test_short(self):
        self.assertEqual([text.short(value) for value, _ in SHORT], [shown for _, shown in SHORT])
        self.assertEqual([value for value, shown in SHORT[:-1] if len(shown) > 6 and value and value > 0], [])

    def test_clean(self):
        for given, utf8, plain in CLEAN:
            self.assertEqual((text.clean(given), text.clean(given, text.ASCII)), (utf8, plain))

    def test_widths(self):
        for given, width, expected in (("abc", 2, "ab"), ("abc", 5, "abc  "), ("漢字", 3, "漢 "), ("漢字", 4, "漢字"), ("", 1, " "), ("a", 0, "")):
            self.assertEqual(text.fit(given, width), expected)
            self.assertEqual(text.width_of(text.fit(given, width)), width)
        self.assertEqual(text.fit("ab", 4, True), "  ab")

    def test_others(self):
        self.assertEqual([text.percent(share) for share in (0.999, 0, None)], ["100%", "0%", "-"])
        self.assertEqual([node.SOJOURN[0].text({"sojourn_p50_us": us}, text.ASCII) for us in (1500, None)], ["1.50", "-"])
        self.assertEqual([text.period(seconds) for seconds in (7.9, 3661, 90061)], ["0:00:07", "1:01:01", "1 d 1:01:01"])


class Tables(unittest.TestCase):
    def test_orders(self):
        for order, expected in ORDERS:
            self.assertEqual(names(tables.sorted_rows(ROWS, order)), expected, order)

    def test_filters(self):
        for pattern, expected in FILTERS:
            self.assertEqual(names(tables.filtered_rows(ROWS, VIEW, pattern)), expected, pattern)

    def test_a_filter_finds_cells(self):
        view = View("mobiles", (Column("name", "name", is_text=True), Column("bvci", "bvci")), ("name",), "name")
        self.assertEqual(tables.filtered_rows([{"name": "b", "bvci": 17}, {"name": "b", "bvci": 20}], view, "17 B"), [{"name": "b", "bvci": 17}])

    def test_the_column_of_the_order_is_visible_and_nothing_is_wider(self):
        columns = tuple(Column(f"c{number}", f"head{number}", 6) for number in range(30))
        view = View("wide", (Column("name", "name", 4, is_text=True), *columns, Column("last", "last", is_text=True)), ("name",), "c0")
        rows = [{"name": "n" * 60, **{f"c{number}": 10 ** number for number in range(30)}, "last": "y" * 300}]
        for width in (31, 40, 80, 133, 500):
            for wanted in ("name", "c0", "c7", "c29", "last"):
                shown = tables.visible(view, rows, width, Order(wanted, True), text.UNICODE)
                self.assertEqual(shown[0].column.name, "name")
                self.assertIn(wanted, [one.column.name for one in shown] if width > 36 else [wanted])
                self.assertLessEqual(len(tables.line_of(shown, 0)), width)
                self.assertEqual(len(tables.line_of(shown, 0)), sum(len(head) + 1 for head, _ in tables.head_of(shown)) - 1)

    def test_the_next_column(self):
        order = Order("n", True)
        self.assertEqual([tables.moved(order, VIEW, step).column for step in (1, 2, -1, -2)], ["t", "name", "name", "t"])


class History(unittest.TestCase):
    def test_plot(self):
        self.assertEqual(history.plot([0, 1, 4, 8, None], 6, 1, 8, text.UNICODE), ["  ▁▄█ "])
        self.assertEqual(history.plot([1, 9, 16], 3, 2, 16, text.UNICODE), [" ▁█", "▁██"])
        self.assertEqual(history.plot([1, 2, 3], 2, 1, 3, text.ASCII), ["+#"])
        self.assertTrue(history.plot(range(9), 9, 3, 8, text.ASCII)[0].isascii())
        self.assertEqual(history.plot([100], 1, 2, 10, text.UNICODE), ["█", "█"])
        self.assertEqual(history.plot([0.001], 1, 1, 10, text.UNICODE), ["▁"])  # little is not nothing

    def test_axis(self):
        for values, top in (([], 1), ([0.5], 1), ([3], 5), ([5], 5), ([5.1], 10), ([1234], 2000), ([None, 1000], 1000), ([1000.1], 2000)):
            self.assertEqual(history.nice_top(values), top)

    def test_limits(self):
        kept = history.Histories()
        for key in range(history.KEPT + 5):
            kept.add(key, {"x": key})
        kept.add(5, {"x": -1, "y": 1})
        self.assertEqual((kept.get(4, "x"), kept.get(5, "x"), kept.get(5, "y"), kept.get("no", "x")), ([], [5, -1], [1], []))
        for value in range(history.SAMPLES + 3):
            kept.add("long", {"x": value})
        self.assertEqual(kept.get("long", "x"), list(range(3, history.SAMPLES + 3)))


class Fixed:
    """A source with a table that does not change."""

    views, overview, needs_two, span = (VIEW,), (("things", 9),), False, None

    def __init__(self, rows=ROWS):
        self.rows, self.moves = rows, []

    def read(self, opened):
        return source.Snapshot(["a source"], [source.Figure("in", "1 bit/s", 1)], {"things": self.rows})

    def curve(self, opened, name):
        return None

    def past(self, label):
        return None

    def move(self, samples):
        self.moves.append(samples)
        return True

    def close(self):
        pass


def drawn(chosen, width=80, height=24, histories=None, glyphs=text.UNICODE):
    return draw.screen_of(chosen, chosen.source.read(chosen.opened), draw.Screen(width, height, glyphs, histories or history.Histories()))


class Keys(unittest.TestCase):
    def pressed(self, *keys, rows=ROWS):
        chosen = state.State(Fixed(rows), 1.0)
        for key in keys:
            drawn(chosen)
            state.press(chosen, key)
        self.screen = draw.text_of(drawn(chosen).lines)
        return chosen

    def test_rows_and_pages(self):
        for keys, opened in ((["ENTER"], "C"), (["DOWN", "ENTER"], "b"), (["END", "ENTER"], "a"), (["END", "UP", "ENTER"], "d"), (["HOME", "UP", "ENTER"], "C"),
                             (["r", "ENTER"], "b"), (["<", "ENTER"], "d"), (["j", "j", "k", "ENTER"], "b"), (["PAGEDOWN", "ENTER"], "a")):
            self.assertEqual(self.pressed(*keys).opened, source.Opened("things", (opened,)), keys)
            self.assertIn(f"things: {opened}", self.screen)
        self.assertIsNone(self.pressed("ENTER", "ESC").opened)
        self.assertIsNone(self.pressed("ENTER", rows=[]).opened)

    def test_filter(self):
        self.assertEqual(self.pressed("/", "x", "1", "ENTER").filter, "x1")
        self.assertIn("things: 1 of 4 with 'x1'", self.screen)
        self.assertEqual(self.pressed("/", "x", "1", "ENTER", "ESC").filter, "")
        self.assertEqual(self.pressed("/", "x", "1", "ESC").filter, "")
        self.assertEqual(self.pressed("/", "x", "q", "BACKSPACE", "ENTER").filter, "x")
        self.assertEqual(len(self.pressed("/", *"y" * 500).prompt.text), state.PROMPT_CHARS)

    def test_interval(self):
        for typed, seconds, message in (("2.5", 2.5, ""), ("0.1", 0.1, ""), ("3600", 3600, ""), ("0.09", 1, "0.1 to 3600"), ("3601", 1, "0.1 to 3600"),
                                        ("", 1, "not a number"), ("nan", 1, "not a number"), ("1_0", 1, "not a number"), ("٣", 1, "not a number"), ("1e1", 1, "not a number"), (" 2", 1, "not a number"),
                                        ("x", 1, "not a number"), ("-1", 1, "0.1 to")):
            chosen = self.pressed("i", *["BACKSPACE"] * 3, *typed, "ENTER")
            self.assertEqual(chosen.interval_s, seconds, typed)
            self.assertIn(message, chosen.message)
        self.assertEqual(self.pressed(*"++").interval_s, 4)
        self.assertEqual(self.pressed(*"-" * 20).interval_s, 0.1)
        self.assertEqual(self.pressed(*"+" * 20).interval_s, 3600)

    def test_others(self):
        self.assertTrue(self.pressed(" ").is_paused)
        self.assertFalse(self.pressed(" ", "p").is_paused)
        self.assertTrue(self.pressed("q").is_over)
        self.assertTrue(self.pressed("h", "q").is_over)
        self.assertTrue(self.pressed("?").is_help)
        self.assertFalse(self.pressed("?", "x").is_help)
        self.assertEqual([self.pressed(*keys).tab for keys in (["2"], ["3"], ["TAB"], ["TAB", "TAB"], ["BACKTAB"])], [1, 0, 1, 0, 1])

    def test_a_row_that_is_gone(self):
        chosen = self.pressed("ENTER")
        chosen.source.rows = []
        self.assertIn("is not there any more", draw.text_of(drawn(chosen).lines))


class Screen(unittest.TestCase):
    def test_each_line_fits_at_each_size(self):
        rows = [{"name": f"漢字{number}" * 9, "n": number * 10 ** 9, "t": "\x1b[1m" * 30} for number in range(100)]
        for keys in ([], ["ENTER"], ["h"], ["/", "漢"]):
            for width, height in ((40, 10), (41, 11), (80, 24), (81, 25), (200, 70), (39, 10), (40, 9), (1, 1)):
                chosen = state.State(Fixed(rows), 1.0)
                for key in keys:
                    drawn(chosen)
                    state.press(chosen, key)
                lines = drawn(chosen, width, height).lines
                self.assertLessEqual(len(lines), height)
                self.assertLessEqual(max(text.width_of("".join(part for part, _ in line)) for line in lines), width)
                self.assertNotIn("\x1b", draw.text_of(lines))
                if width >= 40 and height >= 10:
                    self.assertEqual(len(lines), height)
                else:
                    self.assertIn(f"{width}x{height} is too small"[:width], draw.text_of(lines))

    def test_the_last_lines_are_slider_and_keys(self):
        class Run(Fixed):
            overview, span = (("things", 9),) * 9, source.Span(0, 10, 5)
        for height in (10, 11, 14, 24, 60):
            lines = draw.text_of(drawn(state.State(Run(ROWS * 9), 1.0, is_paused=True), 80, height).lines).split("\n")
            self.assertEqual((len(lines), "●" in lines[-2], "q quit" in lines[-1]), (height, True, True), lines)

    def test_the_chosen_row_is_on_the_screen(self):
        rows = [{"name": f"n{number:03d}", "n": 1000 - number} for number in range(500)]
        chosen = state.State(Fixed(rows), 1.0, tab=1)
        for steps in (0, 5, 100, 300, 400):
            drawn(chosen)
            chosen.choose(chosen.row + steps)
            marked = [part for line in drawn(chosen).lines for part, style in line if style == "chosen"]
            self.assertEqual([part.split()[0] for part in marked], [f"n{min(chosen.row, 499):03d}"])

    def test_curves_grow(self):
        chosen, histories = state.State(Fixed(), 1.0), history.Histories()
        drawn(chosen)
        state.press(chosen, "ENTER")
        seen = drawn(chosen).seen
        self.assertEqual(seen, [("things", ("C",))])
        for number in (1, 5, 10):
            snapshot = source.Snapshot([], [], {"things": [{"name": "C", "n": number}]})
            draw.remember(histories, snapshot, {"things": VIEW}, seen)
        shown = draw.text_of(drawn(chosen, histories=histories).lines)
        self.assertIn("numbers: now 10, most 10", shown)
        self.assertIn("█", shown)


class Server(threading.Thread):
    """A telemetry socket with tables; pages of two rows."""

    def __init__(self, folder, answers):
        super().__init__(daemon=True)
        self.asked, self.answers = [], answers
        path = pathlib.Path(folder) / "dpdk" / "n"
        path.mkdir(parents=True)
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.sock.bind(str(path / telemetry.SOCKET))
        self.sock.listen(5)
        self.start()

    def run(self):
        while True:
            peer, _ = self.sock.accept()
            with peer, contextlib.suppress(ConnectionError):
                self.serve(peer)

    def serve(self, peer):
        peer.send(b'{"version": "x", "pid": 1, "max_output_len": 16384}')
        while question := peer.recv(1024).decode():
            self.asked.append(question)
            peer.send(self.answer(*question.split(",")).encode())

    def answer(self, command, first):
        table = self.answers.get(command.rpartition("/")[2])
        if isinstance(table, str):
            return table
        rows = None if table is None else [*table[:2], *table[2:][int(first):int(first) + 2]]
        return json.dumps({command: rows})


CLASS = [["class", "in_per_s", "in_bps", "out_per_s", "out_bps", "dropped_per_s", "queued_octets", "reasons"], list("snnnnnns"),
         ["thp1", "1", "800", "2", "1600", "3", "500", "aqm 1, lifetime 2"], ["background", "4", "80", "-", "-", "5", "600", "lifetime 5"]]
MS = [["imsi", "tlli", "queued_octets", "level_octets", "max_octets"], list("ssnnn"), *[[f"i{number}", f"t{number}", str(number), "50", "200"] for number in range(5)]]
def command(*words):
    """Status, output and errors."""
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        try:
            status = cli.main(list(words))
        except SystemExit as end:
            status = end.code
    return status, out.getvalue(), errors.getvalue()


NODE = {"node": [["version", "uptime_s", "mobiles", "npdu_queued", "uplink_npdus"], list("snnnn"), ["1", "10.5", "5", "3", "7"]],
        "control": [["rx_buffers", "lua_octets"], list("nn"), ["9", "-"]], "class": CLASS, "bvc": [["bvci"], ["n"]],
        "drops": [["side", "of", "reason", "count"], list("sssn"), ["gn", "npdu", "lifetime", "100"]], "ms": MS}


class Node(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        os.environ["RUNTIME_DIRECTORY"] = self.folder.name
        self.addCleanup(os.environ.pop, "RUNTIME_DIRECTORY")
        self.answers = {name: [list(row) for row in table] for name, table in NODE.items()}
        self.now_s = 100.0

    def connect(self):
        self.server = Server(self.folder.name, self.answers)
        self.node = node.Node(telemetry.Client("n"), lambda: self.now_s)
        self.addCleanup(self.node.close)
        return self.node

    def test_tables_and_figures(self):
        shot = self.connect().read(None)
        self.assertEqual([row["queued_octets"] for row in shot.tables["mobiles"]], [0, 1, 2, 3, 4])
        self.assertEqual(shot.tables["mobiles"][0]["full"], 0.25)
        figures = {figure.label: figure.text for figure in shot.figures}
        self.assertEqual(figures["in"], "5 N-PDU/s  880bit/s")
        self.assertEqual(figures["dropped"], "8 N-PDU/s  lifetime 7, aqm 1")
        self.assertEqual(figures["queued"], "3 N-PDUs  1100 octets")
        self.assertEqual(figures["buffers"], "9 rx  - tx  Lua - octets")
        self.assertIn("up 0:00:10", shot.title)

    def test_rates_are_increases(self):
        reader = self.connect()
        self.assertIsNone(reader.read(None).tables["drops"][0]["per_s"])
        self.now_s, self.answers["drops"][2][3] = 102.0, "150"
        self.assertEqual(reader.read(None).tables["drops"][0]["per_s"], 25)
        self.now_s, self.answers["drops"][2][3], self.answers["node"][2][1] = 103.0, "10", "0.1"  # a new node
        shot = reader.read(None)
        self.assertIsNone(shot.tables["drops"][0]["per_s"])
        self.assertEqual(shot.notes, ("the node has restarted",))
        self.now_s = 109.0
        self.assertEqual(reader.read(None).notes, ())
        self.now_s, self.answers["drops"][2][3] = 110.0, "5"  # a counter that goes back by itself
        self.assertIsNone(reader.read(None).tables["drops"][0]["per_s"])

    def test_many_mobiles_take_a_fifth_of_the_time(self):
        reader = self.connect()
        ticks = itertools.count(100)
        reader.clock = lambda: next(ticks)
        reader.read(None)
        self.assertEqual(reader.reading_s, 1)
        reader.clock, reader.read_at_s = lambda: self.now_s, 100.0
        reader.reading_s = 2.0  # as if it had taken so long
        asked = len(self.server.asked)
        for at_s, is_asked in ((105.0, False), (109.9, False), (110.0, True)):
            self.now_s = at_s
            reader.read(None)
            self.assertEqual(any("/ms," in question for question in self.server.asked[asked:]), is_asked, at_s)

    def test_an_open_mobile_is_read_by_its_place(self):
        reader = self.connect()
        reader.read(None)
        reader.reading_s, opened = 2.0, source.Opened("mobiles", ("i3", "t3"))
        self.answers["ms"][5][2] = "77"
        self.now_s = 101.0
        self.assertEqual([row["queued_octets"] for row in reader.read(opened).tables["mobiles"]], [0, 1, 2, 77, 4])
        del self.answers["ms"][2]  # places have changed: all are read again
        reader.read(opened)
        self.assertEqual([row["queued_octets"] for row in reader.read(opened).tables["mobiles"]], [1, 2, 77, 4])

    def test_answers_that_are_none(self):
        for answer in ("", "x", "[]", "{}", '{"/gbflow/table/node": null}', '{"/gbflow/table/node": [["a"], "b"]}', '{"/gbflow/table/node": [[1], [2], [3]]}'):
            with self.subTest(answer), tempfile.TemporaryDirectory() as folder:
                os.environ["RUNTIME_DIRECTORY"] = folder
                Server(folder, {"node": answer or "\n"})
                with self.assertRaises(Failure):
                    node.Node(telemetry.Client("n")).read(None)

    def test_answers_of_a_hostile_peer(self):
        no_table, huge = "the answer is no table", '{"/gbflow/table/node": [["uptime_s"], ["n"], [' + "9" * 5000 + "]]}"
        for answer in ("[" * 60000, "[1]", "7", huge, '{"/gbflow/table/node": [1, 2, 3]}', '{"/gbflow/table/node": [[{}], [[]], ["1"]]}', '{"/gbflow/table/node": 5}',
                       '{"/gbflow/table/node": [["version"], ["s"], ["1"]]}', '{"/gbflow/table/node": [["version"], ["s"]]}'):
            with self.subTest(answer[:50]), tempfile.TemporaryDirectory() as folder:
                os.environ["RUNTIME_DIRECTORY"] = folder
                Server(folder, {"node": answer})
                status, out, errors = command("--prefix", "n", "--once")
                self.assertEqual((status, out, len(errors.splitlines())), (1, "", 1))
                self.assertIn(no_table, errors)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["RUNTIME_DIRECTORY"] = folder
            Server(folder, {"node": None, "bss": [["nsei"], ["n"]]})  # a BSS without a row
            self.assertIn(no_table, command("--prefix", "n", "--once")[2])

    def test_numbers_of_a_hostile_peer(self):
        for given, value in (("7", 7), ("-1.5", -1.5), ("9" * 4000, None), ("1.e999", None), ("1.0e999", None), ("٣", None), ("1_0", None), ("", None)):
            self.assertEqual(telemetry.value_of(given, "n"), value, given[:20])
        self.assertEqual(node.reasons_of([{"reasons": "aqm 1, x " + "9" * 5000}]), "aqm 1")

    def test_once_has_a_limit(self):
        self.connect()
        with unittest.mock.patch.object(cli, "ONCE_S", 0.0):
            status, out, errors = command("--prefix", "n", "--once")
        self.assertEqual((status, out), (1, ""))
        self.assertIn("the answers take longer than 0 s", errors)
        self.assertEqual(command("--prefix", "n", "--once")[0], 0)

    def test_sizes_without_a_terminal(self):
        self.connect()
        for columns, width in ((None, 80), ("0", 80), ("-1", 80), ("nan", 80), ("9" * 30, cli.COLUMNS_MAX), ("9" * 5000, 80), ("50", 50), ("1", 1)):
            sizes = {} if columns is None else {"COLUMNS": columns, "LINES": columns if columns != "1" else "0"}
            with self.subTest(str(columns)[:9]), unittest.mock.patch.dict(os.environ, sizes):
                if columns is None:
                    os.environ.pop("COLUMNS", None), os.environ.pop("LINES", None)
                with unittest.mock.patch("os.get_terminal_size", side_effect=OSError):
                    status, out, errors = command("--prefix", "n", "--once")
                self.assertEqual((status, errors, max(map(len, out.splitlines()))), (0, "", width))
                self.assertIn("mobiles"[:width], out)

    def test_wrong_arguments(self):
        self.connect()
        for words, part in ((["--interval", "1_0"], "'1_0' is not a number"), (["--interval", "٣"], "is not a number"),
                            (["--prefix", "n", "--table", "\x1b[2J"], "'?[2J'"), (["--prefix", "n", "--sort", "\x1b[2J"], "'?[2J'"),
                            (["--prefix", "n", "--columns", "tlli,\x1b[2J\n"], "'?[2J?'"), (["--prefix", "n", "--table", ""], "'' is no table: one of "),
                            (["--prefix", "n", "--columns", ""], "'' is no column of "), (["--\x1b[2J"], "?[2J"), (["--interval", "\x1b[2J"], "'?[2J'")):
            status, out, errors = command(*words, "--once")
            self.assertEqual((status, out, len(errors.splitlines())), (2, "", 1), words)
            self.assertIn(part, errors)
            self.assertNotIn("\x1b", errors)

    def test_nobody_and_a_long_name(self):
        with self.assertRaisesRegex(telemetry.Gone, "no running node at .*/n/gbflow_telemetry.v2: No such file or directory; none runs"):
            telemetry.Client("n").page("node", 0)
        with unittest.mock.patch("socket.socket.connect", side_effect=PermissionError), self.assertRaisesRegex(telemetry.Gone, "no right to .*; use sudo, or be that user$"):
            telemetry.Client("n").page("node", 0)
        with self.assertRaisesRegex(Failure, "use a shorter --prefix"):
            telemetry.Client("n" * 200).page("node", 0)


class Feed(unittest.TestCase):
    def reading(self, source_, interval_s=0.01):
        woken = threading.Event()
        reader = feed.Feed(source_, woken.set)
        reader.interval_s = interval_s
        reader.start()
        self.addCleanup(reader.stop)
        self.assertTrue(woken.wait(10))
        return reader, woken

    def test_errors_are_told_and_reading_goes_on(self):
        refused, seen = "no answer: refused; tries again", set()

        class Flaky(Fixed):
            count = 0

            def read(self, opened):
                self.count += 1
                if self.count > 1 and refused not in seen:
                    raise telemetry.Gone(pathlib.Path("p"), "refused")
                return super().read(opened)
        reader, woken = self.reading(Flaky())
        end = time.monotonic() + 10
        while not {"", refused} <= seen:
            self.assertLess(time.monotonic(), end)
            woken.wait(1), woken.clear()
            seen.add(reader.take()[1])

    def test_a_reading_that_takes_long_is_told(self):
        begun, may_end = threading.Event(), threading.Event()

        class Slow(Fixed):
            def read(self, opened):
                begun.set(), may_end.wait(10)
                return super().read(opened)
        woken = threading.Event()
        reader = feed.Feed(Slow(), woken.set)
        reader.interval_s = 3600
        with unittest.mock.patch.object(feed, "LONG_S", -1.0):
            reader.start()
            self.addCleanup(reader.stop)
            self.assertTrue(begun.wait(10))
            self.assertIn("reading takes long: 0 s so far", reader.take()[1])
            may_end.set()
        self.assertTrue(woken.wait(10))
        self.assertEqual(reader.take()[1], "")

    def test_a_fault_is_not_lost(self):
        class Broken(Fixed):
            def read(self, opened):
                raise ZeroDivisionError
        reader, _ = self.reading(Broken())
        self.assertRaises(ZeroDivisionError, reader.take)

    def test_an_opened_row_is_read_at_once(self):
        class Counted(Fixed):
            opened = []

            def read(self, opened):
                self.opened = [*self.opened, opened]
                return super().read(opened)
        reader, woken = self.reading(Counted(), 3600)
        woken.clear()
        opened = source.Opened("things", ("a",))
        reader.set(3600, False, opened)
        self.assertTrue(woken.wait(10))
        self.assertEqual(reader.source.opened, [None, opened])


SERIES = """time_s,name,of,value
0,sgsn_backlog_octets,anna b,0
1,sgsn_backlog_octets,anna b,100
2,sgsn_backlog_octets,anna b,50
0,bucket_level_octets,ms anna b,1
1,bucket_level_octets,ms anna b,2
2,bucket_level_octets,ms anna b,3
1,bucket_level_octets,bvc 2,30
1,air_utilisation,2,0.5
0.5,delay_s,anna b thp1,0.1
1.0,delay_s,anna b thp1,0.3
1.5,delay_s,anna b thp1,0.2
0.7,npdu_drop,anna b lifetime,1
0.8,npdu_drop,anna b lifetime,1
1.9,npdu_drop,anna b aqm,1
"""


class Recorded(unittest.TestCase):
    def folder_of(self, series=SERIES, **more):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        summary = {"schema": "gbflow-summary/2", "title": "t", "seed": 3, "mobiles": [{"mobile": "anna b", "class": "thp1"}, {"mobile": "idle", "class": "sms"}],
                   "classes": {"thp1": {}, "sms": {}}, "cells": {"2": {"air_utilisation": 0.7}}, **more}
        path = pathlib.Path(folder.name)
        (path / "summary.json").write_text(json.dumps(summary), encoding="utf-8")
        (path / "series.csv").write_text(series, encoding="utf-8")
        return path

    def run_of(self, series=SERIES, **more):
        return recorded.Recorded(self.folder_of(series, **more))

    def test_series_that_end_early(self):
        for series, duration_s, words in ((SERIES, 2, []), (SERIES, 2.9, []), (SERIES, 120, ["series.csv ends at 2 s of 120 s"]), (SERIES, None, []), (SERIES, 10 ** 19, []),
                                          ("time_s,name,of,value\n", 9, ["series.csv ends at 0 s of 9 s"]),
                                          ("time_s,name,of,value\n0,sgsn_backlog_octets,anna b,1\n", 9, [])):
            self.assertEqual(self.run_of(series, duration_s=duration_s).read(None).title[:-4], words)

    def test_instants(self):
        folder = str(self.folder_of())
        for at in ("nan", "inf", "-1", "2.1", "1e0", "1_0", "٣", "", "\x1b", "9" * 400):
            status, out, errors = command(folder, "--once", f"--at={at}")
            self.assertEqual((status, out), (2, ""), at)
            self.assertIn("is not a number of seconds from 0 to 2, which the run has", errors)
            self.assertNotIn("\x1b", errors)
        self.assertIn(" 2.00 s of 2 s", command(folder, "--once", "--at", "2")[1])

    def test_a_packed_run(self):
        folder = self.folder_of()
        plain = command(str(folder), "--once", "--at", "1")
        for name in ("summary.json", "series.csv"):
            (folder / (name + ".gz")).write_bytes(gzip.compress((folder / name).read_bytes()))
            (folder / name).unlink()
        self.assertEqual(plain[0], 0)
        self.assertEqual(command(str(folder), "--once", "--at", "1"), plain)
        (folder / "series.csv.gz").unlink()
        status, _, errors = command(str(folder), "--once")
        self.assertEqual(status, 1)
        self.assertIn("no series.csv or series.csv.gz; gbflow run writes it without --no-series, a study keeps it with series = true", errors)

    def test_values_at_instants(self):
        run = self.run_of()
        # instant, queue, level, delays' p50 and p95 of the second before, drops of it, drops so far, reasons
        for at_s, *expected in ((0, 0, 1, None, None, 0, 0, ""), (1, 100, 2, 100, 300, 2, 2, "lifetime 2"), (2, 50, 3, 200, 200, 1, 3, "aqm 1")):
            run.go(at_s)
            row = run.read(None).tables["mobiles"][0]
            self.assertEqual([row[name] for name in ("sgsn_octets", "level_octets", "delay_p50_ms", "delay_p95_ms", "dropped_s", "dropped", "reasons")], expected)
        self.assertEqual(run.span, source.Span(0, 2, 2))
        self.assertEqual([run.move(step) for step in (1, -1, -9, -1)], [False, True, True, False])
        self.assertEqual(run.at_s, 0)

    def test_quantiles_are_by_nearest_rank(self):
        for values, p50, p95 in (([], None, None), ([7], 7, 7), ([1738, 1278], 1278, 1738), ([3, 1, 2], 2, 3), (range(1, 21), 10, 19), (range(1, 22), 11, 20),
                                 (range(1, 101), 50, 95)):
            self.assertEqual([recorded.quantile(values, share) for share in (50, 95)], [p50, p95])

    def test_sums_and_curves(self):
        run = self.run_of()
        run.go(2)
        shot = run.read(None)
        self.assertEqual([(row["class"], row["sgsn_octets"], row["dropped"]) for row in shot.tables["classes"]], [("thp1", 50, 3), ("sms", 0, 0)])
        self.assertEqual([(row["reason"], row["dropped_s"], row["dropped"]) for row in shot.tables["drops"]], [("lifetime", 0, 2), ("aqm", 1, 1)])
        self.assertEqual([(row["level_octets"], row["air"], row["air_all"]) for row in shot.tables["cells"]], [(30, 0.5, 0.7)])
        self.assertEqual(run.past("in SGSN"), [0, 100, 50])
        for view, key, name, curve in (("mobiles", "anna b", "sgsn_octets", [0, 100, 50]), ("cells", "2", "level_octets", [None, 30, 30]),
                                       ("classes", "thp1", "dropped_s", [0, 2, 1]), ("mobiles", "nobody", "sgsn_octets", [None] * 3)):
            self.assertEqual(run.curve(source.Opened(view, (key,)), name), curve)

    def test_odd_series(self):
        for series in ("time_s,name,of,value\n", "time_s,name,of,value\n5,npdu_drop,anna b lifetime,1\n", "time_s,name,of,value\n5,unknown,x,1\n"):
            run = self.run_of(series)
            self.assertEqual(len(run.read(None).tables["mobiles"]), 2)
            shown = draw.text_of(drawn(state.State(run, 1.0)).lines)
            self.assertIn("mobiles: 2", shown)


if __name__ == "__main__":
    unittest.main()
