#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""circles.py must find the circles of small object graphs, and nothing else: a row for each."""
import unittest

import circles

# what is planted, {unit: "what nm says of it: SYMBOL LETTER, ..."}, circles
GRAPHS = [
    ("nothing", {}, []),
    ("one below the other", {"a/x.c": "x T, y U", "a/y.c": "y T"}, []),
    ("two", {"a/x.c": "x T, y U", "a/y.c": "y T, x U"}, [["a/x.c", "a/y.c"]]),
    ("a ring of three", {"a/x.c": "x T, y U", "a/y.c": "y T, z U", "a/z.c": "z T, x U"}, [["a/x.c", "a/y.c", "a/z.c"]]),
    ("a diamond", {"a/t.c": "l U, r U", "a/l.c": "l T, b U", "a/r.c": "r T, b U", "a/b.c": "b T"}, []),
    ("two that share a unit are one",
     {"a/x.c": "x T, y U", "a/y.c": "y T, x U, z U", "a/z.c": "z T, y U"}, [["a/x.c", "a/y.c", "a/z.c"]]),
    ("two apart, the larger first, and one on a bridge",
     {"a/p.c": "p T, q U", "a/q.c": "q T, p U, m U", "a/m.c": "m T, x U", "b/x.c": "x T, y U", "b/y.c": "y T, z U",
      "b/z.c": "z T, x U"}, [["b/x.c", "b/y.c", "b/z.c"], ["a/p.c", "a/q.c"]]),
    ("way back to one that is closed already",
     {"a/x.c": "x T, y U", "a/y.c": "y T", "a/z.c": "z T, y U, w U", "a/w.c": "w T, z U"}, [["a/w.c", "a/z.c"]]),
    ("its own symbol", {"a/x.c": "x T, x U"}, []),
    ("data tie as functions do", {"a/x.c": "table R, y U", "a/y.c": "y B, table U"}, [["a/x.c", "a/y.c"]]),
    ("initialized and common data", {"a/x.c": "x D, y U", "a/y.c": "y C, x U"}, [["a/x.c", "a/y.c"]]),
    ("weak ones, too", {"a/x.c": "x W, y w", "a/y.c": "y V, x v"}, [["a/x.c", "a/y.c"]]),
    ("what is local ties nothing", {"a/x.c": "x t, y U, n r", "a/y.c": "y T, x U, n U"}, []),
    ("libraries tie nothing", {"a/x.c": "x T, memcpy U", "a/y.c": "y T, x U, memcpy U"}, []),
    ("across folders", {"a/x.c": "x T, y U", "b/y.c": "y T, x U"}, [["a/x.c", "b/y.c"]]),
]


def ring(count, folder="a"):
    return [f"{folder}/{number}.c" for number in range(count)]


# circles, how many units may be in some, words that the findings have, in their order
JUDGEMENTS = [
    ([], 30, []),
    ([ring(30)], 30, []),
    ([ring(31)], 30, ["31 units are in circles"]),
    ([ring(20), ring(11, "b")], 30, ["31 units are in circles"]),
    ([["a/x.c", "b/y.c"]], 30, ["spans a, b: a/x.c b/y.c"]),
    ([["a/x.c", "a/sub/y.c"]], 30, ["spans a, a/sub"]),
    ([ring(2), ["a/x.c", "b/y.c"]], 3, ["4 units are in circles", "spans a, b"]),
    ([ring(2)] * (circles.MOST_CIRCLES + 1), 99, [f"{circles.MOST_CIRCLES + 1} circles of calls, at most"]),
]

RELEASE = {"buildtype": "release", "b_lto": False, "b_sanitize": "none"}
# options that a build has besides, what it is left out for
BUILDS = [
    ({}, None),
    ({"buildtype": "debug"}, "buildtype is debug"),
    ({"b_lto": True}, "b_lto is True"),
    ({"b_sanitize": "address,undefined"}, "b_sanitize is address,undefined"),
    ({"b_coverage": True}, "b_coverage is True"),
    ({"unity": "on"}, "unity is on"),
]


def planted(units):
    """As `nm -A -P` would print it, read."""
    lines = [f"{unit}: {symbol}" + ("" if symbol.endswith((" U", " w", " v")) else " 0000 0010")
             for unit, said in units.items() for symbol in said.split(", ")]
    return circles.parse("\n".join(lines))


class Circles(unittest.TestCase):
    def test_are_found(self):
        for what, units, expected in GRAPHS:
            with self.subTest(what=what):
                graph = circles.needs(planted(units))
                self.assertEqual(set(graph), set(units))
                self.assertEqual(circles.circles_of(graph), expected)

    def test_are_shown_with_what_ties_them(self):
        graph = circles.needs(planted({"a/x.c": "x T, y U, z U", "a/y.c": "y T, z T, x U", "b/up.c": "up T, x U"}))
        self.assertEqual(list(circles.describe(graph, circles.circles_of(graph))), [
            "3 units, 2 in 1 circles", "a: 2 units", "    x.c -> y.c: y z", "    y.c -> x.c: x"])

    def test_of_a_deep_graph_are_found(self):
        units = {f"a/{n}.c": f"s{n} T, s{(n + 1) % 5000} U" for n in range(5000)}
        self.assertEqual([len(circle) for circle in circles.circles_of(circles.needs(planted(units)))], [5000])

    def test_are_judged(self):
        for given, most, expected in JUDGEMENTS:
            with self.subTest(given=given):
                found = list(circles.findings(given, most))
                self.assertEqual(len(found), len(expected), found)
                for finding, words in zip(found, expected):
                    self.assertIn(words, finding)


class Builds(unittest.TestCase):
    def test_of_other_kinds_are_left_out(self):
        for options, expected in BUILDS:
            with self.subTest(options=options):
                reason = circles.other_kind({**RELEASE, **options})
                self.assertEqual(reason is None, expected is None, reason)
                self.assertIn(expected or "", reason or "")


if __name__ == "__main__":
    unittest.main()
