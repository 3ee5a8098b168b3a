# SPDX-License-Identifier: BSD-3-Clause
"""gbflow top: rows of the overview, and the first line."""
import dataclasses
import unittest
import unittest.mock

import top_test

from gbflow_top import draw, history, node, source, state, text


class Two(top_test.Fixed):
    """Eight things, of which two are active, above `rows` others."""

    views = (top_test.VIEW, dataclasses.replace(top_test.VIEW, name="others"))
    overview = (("things", 4), ("others", 9))

    def read(self, opened):
        things = [{"name": f"n{number}", "n": 5 if number in (2, 6) else 0} for number in range(8)]
        return source.Snapshot(["a source"], [], {"things": things, "others": [{"name": f"o{number}", "n": 1} for number in range(self.rows)]})


class Overview(unittest.TestCase):
    def test_active_rows_and_the_number_of_the_idle(self):
        for others in (2, 12, 30):
            lines = draw.text_of(top_test.drawn(state.State(Two(others), 1.0), 80, 24).lines).split("\n")
            names = [line.split()[0] for line in lines if line.startswith("n") and line[1:2].isdecimal()]
            self.assertEqual((names, lines.count("things: 6 idle")), (["n2", "n6"], 1))

    def test_without_an_active_row_the_table_has_no_head(self):
        things = source.Snapshot(["a source"], [], {"things": [{"name": "n0", "n": 0}], "others": []})
        screen = draw.Screen(80, 24, text.UNICODE, history.Histories(), "12:34:56")
        lines = draw.text_of(draw.screen_of(state.State(Two(0), 1.0), things, screen).lines).split("\n")
        self.assertEqual([line for line in lines if "name" in line or "idle" in line][0], "things: 1 idle")

    def test_rows_as_many_as_fit(self):
        """A third of the lines, more where the last table leaves some, the busiest of them in the order of the table; the line of the
        idle takes one."""
        for most, others, idle, names in ((4, 30, 0, "n26 n27 n28 n29"), (9, 30, 0, "n24 n25 n26 n27 n28 n29"), (4, 4, 0, 13), (4, 4, 5, 12)):
            with self.subTest(most=most, others=others, idle=idle):
                wide = Two(others)
                wide.overview = (("things", most), ("others", 9))
                things = [{"name": f"n{number}", "n": 1 + number} for number in range(30)] + [{"name": "z", "n": 0}] * idle
                rows = {"things": things, "others": [{"name": f"o{number}", "n": 1} for number in range(others)]}
                (_, shown, found), = draw.overview_of(state.State(wide, 1.0), source.Snapshot([], [], rows), 20)
                self.assertEqual(found, idle)
                self.assertEqual(" ".join(row["name"] for row in shown) if others == 30 else len(shown), names)

    def test_a_low_screen_has_the_last_table_alone(self):
        rows = {"things": [{"name": "n", "n": 1}], "others": []}
        for left, tables in ((draw.OVERVIEW_LINES - 1, 0), (draw.OVERVIEW_LINES, 1)):
            self.assertEqual(len(draw.overview_of(state.State(Two(1), 1.0), source.Snapshot([], [], rows), left)), tables)
        self.assertEqual(draw.OVERVIEW_LINES, 12)


class FirstLine(unittest.TestCase):
    def test_at_80_columns(self):
        """The numbers stay, the version is cut."""
        reader = node.Node(unittest.mock.Mock(prefix="gbflow"), lambda: 100.0)
        reader.uptime.seconds = 36000.0
        shot = source.Snapshot(reader.title({"version": "0.2.0-1234-g0123456789", "mobiles": 999, "contexts": 999}), [], {"things": []})
        screen = draw.Screen(80, 24, text.UNICODE, history.Histories(), "12:34:56")
        first = draw.text_of(draw.screen_of(state.State(top_test.Fixed(), 1.0), shot, screen).lines).split("\n")[0]
        self.assertRegex(first, r"^gbflow top  node gbflow  up 10:00:00  999 mobiles  999 contexts .*1 s  12:34:56$")
        self.assertLessEqual(len(first), 80)


class Waiting(unittest.TestCase):
    def test_mobiles_by_cause(self):
        rows = [{"waits_for": cause} for cause in ("-", "turn", "own bucket", "turn", None)] + [{}]
        self.assertEqual(node.waits_of(rows), source.Figure("waiting", "3 mobiles  turn 2, own bucket 1", 3))



if __name__ == "__main__":
    unittest.main()
