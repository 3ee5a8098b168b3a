# SPDX-License-Identifier: BSD-3-Clause
"""The quick start: its table, its files, and whether its figures agree with each other and with the octets on the wires."""
import collections
import os
import re
import subprocess
import unittest

import scenario
from scenario import gbflow

REASONS = ("unknown_teid", "npdu_malformed", "npdu_too_long", "queue_full", "aqm", "lifetime", "partial", "bvc_reset",
           "context_deleted")
ENDS = ("lifetime", "queue_full", "flushed", "incomplete", "preempted")
COUNT, NUMBER, TEXT, NOTHING = int, (int, float), str, type(None)

QUANTILES = [("mean", NUMBER), ("p50", NUMBER), ("p95", NUMBER), ("p99", NUMBER), ("max", NUMBER)]
CLASS = [("npdu_in", COUNT), ("npdu_out", COUNT), ("marks", COUNT), *((f"drops.{reason}", COUNT) for reason in REASONS),
         *((f"{what}.{name}", kind) for what in ("delay_s", "sojourn_s") for name, kind in QUANTILES),
         ("goodput_bps.per_user_mean", NUMBER), ("goodput_bps.total", NUMBER)]
# Each field that a summary has at least, what it is, and whether it may be null (docs/run.md says when).
FIELDS = [
    ("schema", TEXT), ("version", TEXT), ("scenario", TEXT), ("seed", COUNT), ("duration_s", NUMBER), ("warmup_s", NUMBER),
    *((f"classes.background.{path}", kind) for path, kind in CLASS), ("classes.background.goodput_bps.page_mean", NOTHING),
    *((f"classes.thp2.{path}", kind) for path, kind in CLASS), ("classes.thp2.goodput_bps.page_mean", NUMBER),
    ("tcp[].mobile", TEXT), ("tcp[].octets", COUNT), ("tcp[].goodput_bps", NUMBER), ("tcp[].retransmitted_fraction", NUMBER),
    ("tcp[].repeated_octets", COUNT),
    ("tcp[].rtt_s.avg", NUMBER), ("tcp[].rtt_s.max", NUMBER),
    ("pages[].mobile", TEXT), ("pages[].octets", COUNT), ("pages[].first_s", (int, float, NOTHING)),
    ("pages[].time_s", (int, float, NOTHING)),
    ("ping[].mobile", TEXT), ("ping[].sent", COUNT), ("ping[].received", COUNT),
    *((f"ping[].rtt_s.{name}", NUMBER) for name in ("avg", "min", "max", "p95")),
    ("cells.2.air_utilisation", NUMBER), ("cells.2.bss_queue_octets_max", COUNT),
    *((f"cells.2.drops.{end}", COUNT) for end in ENDS), ("gb.utilisation", NOTHING),
    *((f"conservation.{node}.{way}", COUNT) for node in ("sgsn", "bss") for way in ("in", "out", "dropped", "queued")),
]
# A frame of 1510 octets takes 51 blocks; three mobiles share four slots; a few of them come twice.
AIR_S = 52 * scenario.BLOCK_S * 3 / 4 + 5 * 0.12
AIR_BPS = 4 * 12000


def values_at(value, path):
    """All values at a.b[].c."""
    head, _, rest = path.partition(".")
    inner = value[head.removesuffix("[]")]
    items = inner if head.endswith("[]") else [inner]
    return [found for item in items for found in (values_at(item, rest) if rest else [item])]


def rising(quantiles):
    values = [quantiles[name] for name in ("p50", "p95", "p99", "max") if name in quantiles]
    return values == sorted(values)


class Quickstart(scenario.Case):
    def play_it(self, *words, name="run"):
        return self.play(scenario.shipped("quickstart"), *words, name=name)

    def test_closed_streams(self):
        """No file gets what is meant for a standard stream that the caller has closed."""
        self.play_it(name="open")
        closed = self.path("closed")
        command = [os.environ["GBFLOW"], "run", scenario.shipped("quickstart"), "--out", closed, "--no-report"]
        subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *command], check=False)
        for name in ("series.csv", "summary.json"):
            with open(os.path.join(self.path("open"), name), "rb") as one, open(os.path.join(closed, name), "rb") as other:
                self.assertEqual(one.read(), other.read(), name)

    def test_report(self):
        """Table, path of the report as the last line, every plot there, nothing fetched from elsewhere."""
        out = self.path("deep/er")
        result = gbflow.run("run", scenario.shipped("quickstart"), "--out", out)
        self.assertEqual(result.status, 0, result)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[-1], os.path.join(out, "report.html"))
        for name in ("anna", "bert", "carl"):
            self.assertRegex(result.stdout, rf"(?m)^{name} +(background|thp2) ")
        with open(lines[-1], encoding="utf-8") as file:
            html = file.read()
        plots = int(re.search(r'<body[^>]* data-plots="(\d+)"', html).group(1))
        self.assertEqual((len(re.findall("<figure", html)), len(re.findall('<svg|<img|<div class="chart"', html))),
                         (plots, plots))
        self.assertGreaterEqual(plots, 10)
        self.assertIsNone(re.search(r"""(?:src|href)=["']?(?:https?:)?//""", html))
        self.assertEqual(sorted(os.listdir(out)), ["provenance.json", "report.html", "series.csv", "summary.json"])

    def test_fields(self):
        summary = self.play_it().summary
        self.assertEqual((summary["schema"], summary["scenario"]), ("gbflow-summary/2", "quickstart.lua"))
        self.assertEqual((summary["duration_s"], summary["warmup_s"]), (120, 0))
        for path, kind in FIELDS:
            with self.subTest(path=path):
                values = values_at(summary, path)
                self.assertTrue(values)
                for value in values:
                    self.assertIsInstance(value, kind)
        self.assertEqual(set(summary["classes"]), {"background", "thp2"})

    def test_figures(self):
        """Sums were checked by play(); here: order, range, and the scenario's promises."""
        summary = self.play_it().summary
        for row in summary["classes"].values():
            self.assertTrue(rising(row["delay_s"]) and rising(row["sojourn_s"]), row)
            self.assertLessEqual(row["sojourn_s"]["max"], 2 - 0.5)
            self.assertLessEqual(row["delay_s"]["max"], 0.021 + 2 + AIR_S)
        self.assertTrue(0 < summary["cells"]["2"]["air_utilisation"] <= 1)
        for row in summary["ping"]:
            self.assertEqual(row["sent"], 120)
            self.assertLessEqual(row["rtt_s"]["min"], row["rtt_s"]["avg"])
            self.assertLessEqual(row["rtt_s"]["p95"], row["rtt_s"]["max"])
        anna, carl = (next(row for row in summary["ping"] if row["mobile"] == name) for name in ("anna", "carl"))
        self.assertGreater(anna["rtt_s"]["p50"], 2 * carl["rtt_s"]["p50"])
        self.assertEqual(summary["tcp"][0]["octets"], 300000)
        self.assertEqual({row["octets"] for row in summary["pages"] if row["time_s"] is not None}, {10000 + 30 * 4910})

    def test_shares_of_users(self):
        """carl only pings: his goodput of 0 is no unfairness."""
        fairness = self.play_it().summary["classes"]["background"]["fairness"]
        self.assertEqual(fairness, {"users": 1, "without_load": 1, "without_wait": 0, "worst_user": 1.0, "jain": 1.0})
        text = scenario.text(cells='pdchs = 1, flow_control = { bucket_time = "3 s" }', mobiles='{ name = "a", traffic = { { ping = { every = "1 s" } } } }')
        pings = self.play_text(text, name="pings").summary
        self.assertEqual(pings["classes"]["background"]["fairness"],
                         {"users": 0, "without_load": 1, "without_wait": 0, "worst_user": None, "jain": None})

    def test_throughput(self):
        """In the network's order: no more than the air carries in a second, but for a packet of each mobile that began before. Goodput in
        order is more where TCP fills a hole."""
        result = self.play_it()
        sums = {name: collections.Counter() for name in ("throughput_bps", "goodput_bps")}
        for name, of_time in sums.items():
            for time_s, _, value in scenario.lines_of(result, name):
                of_time[time_s] += value
        self.assertLessEqual(max(sums["throughput_bps"].values()), AIR_BPS + 3 * 8 * 1500)
        self.assertGreater(max(sums["goodput_bps"].values()), 2 * AIR_BPS)

    def test_tops_of_buckets(self):
        """A level is at most Bmax, or that of one LLC-PDU in a bucket that was empty."""
        result = self.play_it()
        tops = {of: value for _, of, value in scenario.lines_of(result, "bucket_max_octets")}
        levels = scenario.lines_of(result, "bucket_level_octets")
        self.assertEqual(set(tops), {of for _, of, _ in levels})
        self.assertFalse([row for row in levels if row[2] > max(tops[row[1]], 1526)])

    def test_series(self):
        """Samples and events are those of the summary."""
        result = self.play_it()
        mobiles = {row["mobile"]: row for row in result.summary["mobiles"]}
        for name, row in mobiles.items():
            drops = sum(1 for _, of, _ in scenario.lines_of(result, "npdu_drop") if of.split()[0] == name)
            self.assertEqual(drops, sum(row["drops"].values()))
            delays = sorted(value for _, of, value in scenario.lines_of(result, "delay_s") if of.split()[0] == name)
            self.assertEqual(delays[-1], row["delay_s"]["max"])
            self.assertEqual(delays[(len(delays) + 1) // 2 - 1], row["delay_s"]["p50"])
        delivered = len(scenario.lines_of(result, "delay_s"))
        self.assertEqual(delivered, result.summary["conservation"]["bss"]["out"])
        backlog = [value for _, _, value in scenario.lines_of(result, "bss_backlog_octets")]
        self.assertLessEqual(max(backlog), result.summary["cells"]["2"]["bss_queue_octets_max"])

    def test_seeds(self):
        """Equal seeds give equal octets, with and without captures; another seed gives other figures."""
        first, again = self.play_it("--seed", "7", name="first"), self.play_it("--seed", "7", "--pcap", name="again")
        for file in ("summary.json", "series.csv"):
            with open(os.path.join(first.out, file), "rb") as one, open(os.path.join(again.out, file), "rb") as other:
                self.assertEqual(one.read(), other.read(), file)
        other = self.play_it("--seed", "8", name="other").summary
        self.assertEqual((first.summary.pop("seed"), other.pop("seed")), (7, 8))
        self.assertNotEqual(first.summary, other)

    def test_set(self):
        """The experiment that the file proposes; the summary says what was changed."""
        plain, patient = self.play_it().summary, self.play_it("--set", "sgsn.lifetime.sgsn_max=infinite", name="patient").summary
        self.assertEqual((plain["set"], patient["set"]), ([], [{"path": "sgsn.lifetime.sgsn_max", "value": "infinite"}]))
        self.assertEqual([row["drops"]["lifetime"] for row in patient["mobiles"]], [0, 0, 0])
        self.assertEqual(patient["conservation"]["bss"]["dropped"], 0)
        pings = [next(row["rtt_s"]["p95"] for row in summary["ping"] if row["mobile"] == "anna") for summary in (plain, patient)]
        self.assertGreater(pings[1], 2 * pings[0])


if __name__ == "__main__":
    unittest.main()
