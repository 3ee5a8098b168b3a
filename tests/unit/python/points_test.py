# SPDX-License-Identifier: BSD-3-Clause
"""Points off the scenario, and the search of settings: orders, losses, scores, from outcomes made up for each case."""
import unittest

import setting  # noqa: F401  pylint: disable=unused-import

from gbflow_report import looks
from gbflow_report.papers import own_cases, points, search
from gbflow_report.papers.own_cases import FQ_CODEL_R, Q_WINDOWS, TCP
from gbflow_report.papers.points import At

ROW = dict(zip(looks.BY_NAME, (10.0, 1.0, 2.5, 50.0, 50.0, 1.5, 0.9, 0.0, 0.25, 0.75, 0.0), strict=True))
# what a scheme has at a point, look, and the order of q-windows there
ORDERS = [
    ({}, looks.TOTAL, "equal"), ({Q_WINDOWS: {looks.TOTAL: 9.8}}, looks.TOTAL, "worse"), ({Q_WINDOWS: {looks.TOTAL: 10.2}}, looks.TOTAL, "better"),
    ({"cake": {looks.TOTAL: 10.2}}, looks.TOTAL, "worse"), ({"cake": {looks.TOTAL: 9.0}}, looks.TOTAL, "equal"),
    ({Q_WINDOWS: {looks.PAGE: 52.0}}, looks.PAGE, "equal"), ({Q_WINDOWS: {looks.PAGE: 53.0}}, looks.PAGE, "worse"), ({"red-best": {looks.PAGE: 40.0}}, looks.PAGE, "worse"),
    ({Q_WINDOWS: {looks.PAGE: None}}, looks.PAGE, "worse"), ({"red-best": {looks.PAGE: None}}, looks.PAGE, "equal"),
    ({Q_WINDOWS: {looks.WORST: 0.84}}, looks.WORST, "worse"), ({Q_WINDOWS: {looks.WORST: 0.86}}, looks.WORST, "equal"),
    ({Q_WINDOWS: {looks.PING: 0.77}}, looks.PING, "worse"), ({Q_WINDOWS: {looks.LOST: 0.001}}, looks.LOST, "worse"), ({Q_WINDOWS: {looks.DROPPED: 0.005}}, looks.DROPPED, "equal"),
]


def runs_of(changed, seeds=3):
    return {seed: {case: {name: {**ROW, **changed.get(case.scheme, {})} for name in TCP} for case in points.CASES if case.point == "rtt"} for seed in range(1, seeds + 1)}


class Points(unittest.TestCase):
    def test_orders(self):
        for changed, name, order in ORDERS:
            with self.subTest(name, **{key.replace("-", "_"): value for key, value in changed.items()}):
                found = [one for one in points.all_beside(runs_of(changed)) if one.look.name == name]
                self.assertEqual({one.order for one in found}, {order})

    def test_tables(self):
        """Losses of goals; strict is worse in no figure, with a goal or without."""
        by_seed = runs_of({Q_WINDOWS: {looks.RTT: 5.0, looks.PAGE: 60.0}, "cake-ecn": {looks.WORST: 0.92}})
        losses, order, of_one, table, values = points.tables(by_seed)
        self.assertEqual([(row[1], row[-1]) for row in losses.rows], [(f"page p95 {name}", "1.20 (1.20 to 1.20)") for name in TCP])
        counts = {row[0]: row[2:] for row in order.rows}
        self.assertEqual(counts["page p95"], ["0", "0", "3", "0 of 1"])
        self.assertEqual((counts["rtt"][-1], counts["total"][-1], counts["all goals"][-1], counts["strict: all figures"][-1]), ("0 of 1", "1 of 1", "0 of 1", "0 of 1"))
        late = "page p95 thp2, page p95 thp3, page p95 background"
        self.assertEqual(table.rows[0][-4:], [late, "no", "cake-ecn", late])
        self.assertEqual({row[0]: row[2:5] for row in of_one.rows}["page p95"], ["0", "0", "3"])
        self.assertEqual(len(values.rows), len(points.SCHEMES))
        self.assertEqual(points.tables(runs_of({}))[1].rows[-1][-1], "1 of 1")

    def test_pings(self):
        """A percentile is one of all pings: with more than a twentieth lost there is no 95th, with more than half no median."""
        for lost, expected in ((0.0, (0.25, 0.75)), (0.05, (0.25, 0.75)), (0.06, (0.25, None)), (0.6, (None, None))):
            with self.subTest(lost=lost):
                summary = {"classes": {name: {"pings_lost": lost, "ping_rtt_s": {"p50": 0.25, "p95": 0.75}} for name in TCP}}
                row = points.outcome_of(summary, None)["thp2"]
                self.assertEqual((row[looks.PING_P50], row[looks.PING]), expected)

    def test_drawn(self):
        """Each seed has its own cells and users, the same each time; no other point is changed by it."""
        drawn, other = At("drawn", Q_WINDOWS), At("short", Q_WINDOWS)
        self.assertEqual(len({tuple(points.of_seed(drawn, seed)) for seed in (1, 2, 1)}), 2)
        self.assertEqual(points.of_seed(other, 1), [])
        self.assertIn("target", points.of_seed(At("drawn", FQ_CODEL_R), 1)[-1])
        self.assertEqual(len({case.name for case in points.CASES}), len(points.CASES))

    def test_shares(self):
        """A segment of 1440 octets at what the weights leave a mobile; less where the air has less."""
        shares = own_cases.shares_kbps(1920, dict.fromkeys(TCP, 30))
        self.assertEqual([round(shares[name], 1) for name in TCP], [33.9, 14.5, 4.8])
        self.assertIn('thp2 = { aqm = { scheme = "fq_codel", scope = "ms", mtu = "20 octets", mtus = "0 %", target = "339 ms", interval = "1356 ms"', own_cases.with_share(shares))
        self.assertIn('target = "463 ms"', At("bler", FQ_CODEL_R).settings[-1])
        self.assertIn('target = "245 ms"', own_cases.Case(FQ_CODEL_R, True).settings[-1])


class Search(unittest.TestCase):
    def score(self, **changed):
        runs = {case: dict.fromkeys(TCP, {**ROW, **(changed if case == search.CASES[0] else {})}) for case in search.CASES}
        return search.score({1: runs}, search.CASES[0])

    def test_score(self):
        """1 for what the base has; each figure but the packet delay counts as much as any other."""
        self.assertEqual(self.score(), 1)
        self.assertEqual(self.score(delay=9.0), 1)
        for name, value in (("rtt", 5.0), ("page p50", 100.0), ("page p95", 100.0), ("first object", 3.0), ("worst user", 0.45), ("dropped", 1.0), ("ping p50", 0.5), ("ping p95", 1.5),
                            ("pings lost", 0.5)):
            with self.subTest(name):
                self.assertAlmostEqual(self.score(**{name: value}), 2 ** (1 / (len(looks.LOOKS) - 1)))

    def test_none(self):
        self.assertIsNone(self.score(**{looks.PAGE: None}))
        self.assertIsNone(self.score(total=9.7))
        self.assertIsNotNone(self.score(total=9.9))

    def test_tables(self):
        runs = {case: dict.fromkeys(TCP, {**ROW, looks.RTT: 1.0 if case.what == "r" else 2.5, looks.TOTAL: 1.0 if case.scheme == "red" and case != search.BASE else 10.0})
                for case in search.CASES}
        table = search.tables({1: runs})[0]
        self.assertEqual((table.rows[0][0], table.rows[-1][1]), ("fq-codel r", "–"))


if __name__ == "__main__":
    unittest.main()
