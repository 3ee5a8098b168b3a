# SPDX-License-Identifier: BSD-3-Clause
"""A mobile with `count` is a group: its figures beside those of the classes. Shares are those of users that wait."""
import math
import unittest

import scenario

BUSY = 'pdchs = 2, flow_control = { bucket_time = "3 s" }'
METER = '{ request = { every = "10 s" } }, { ping = { every = "20 s" } }'
PAGES = '{ web = { page = "5 kB", items = 4, item = "2 kB" } }'
GROUPS = f"""{{ name = "meter", count = 8, class = "thp3", traffic = {{ {METER} }} }},
  {{ name = "reader", count = 3, class = "thp3", traffic = {{ {PAGES} }} }},
  {{ name = "alone", class = "thp3", traffic = {{ {PAGES} }} }},
  {{ name = "single", count = 1, class = "background", traffic = {{ {{ download = {{ octets = "infinite" }} }} }} }}"""
SUMS = ("mobiles", "npdu_in", "npdu_out", "octets_out", "share")


def rank(values, percent):
    """Nearest rank."""
    return sorted(values)[math.ceil(len(values) * percent / 100) - 1] if values else None


def members(name, count):
    return [f"{name}{i + 1}" for i in range(count)]


class Groups(scenario.Case):
    def play_groups(self):
        text = scenario.text(duration="300 s", cells=BUSY, mobiles=GROUPS, rest='warmup = "50 s",')
        return self.play_text(text)

    def test_figures(self):
        """Those of a group are of its mobiles: quantiles from the series, sums from the lists; a mobile without count is in none."""
        result = self.play_groups()
        groups, mobiles = result.summary["groups"], {row["mobile"]: row for row in result.summary["mobiles"]}
        self.assertEqual(list(groups), ["meter", "reader", "single"])
        delays = [(of.split()[0], value) for time_s, of, value in scenario.lines_of(result, "delay_s") if time_s >= 50]
        for name, count in (("meter", 8), ("reader", 3), ("single", 1)):
            row, names = groups[name], members(name, count)
            self.assertEqual(row["mobiles"], count)
            for percent in (50, 95):
                self.assertAlmostEqual(row["delay_s"][f"p{percent}"], rank([value for of, value in delays if of in names], percent), places=8)
            for key in ("npdu_in", "npdu_out"):
                self.assertEqual(row[key], sum(mobiles[of][key] for of in names))
            self.assertAlmostEqual(row["goodput_bps"]["total"], sum(mobiles[of]["goodput_bps"] for of in names), places=3)
        self.assertEqual(groups["reader"]["page_time_s"]["pages"],
                         sum(mobiles[of]["page_time_s"]["pages"] for of in members("reader", 3)))
        self.assertGreater(groups["reader"]["page_time_s"]["p95"], groups["reader"]["page_time_s"]["p50"])

    def test_classes(self):
        """What the groups and the mobile alone have adds up to what the classes have."""
        result = self.play_groups()
        summary, classes = result.summary, result.summary["classes"]
        for key in SUMS:
            inside = sum(row[key] for row in summary["groups"].values())
            self.assertLess(inside, sum(row[key] for row in classes.values()))
        single, background = summary["groups"]["single"], classes["background"]
        self.assertEqual(single, background)

    def test_requests(self):
        """Answer times of a group of meters are of all their requests, and so in the class, where no other has any."""
        result = self.play_groups()
        group = result.summary["groups"]["meter"]["requests"]
        rows = result.summary["requests"]
        self.assertEqual([row["mobile"] for row in rows], members("meter", 8))
        for key in ("sent", "answered"):
            self.assertEqual(group[key], sum(row[key] for row in rows))
        self.assertEqual(group["answered_share"], group["answered"] / group["sent"])
        self.assertEqual(group["answer_s"]["max"], max(row["answer_s"]["max"] for row in rows))
        self.assertLessEqual(min(row["answer_s"]["p95"] for row in rows), group["answer_s"]["p95"])
        self.assertGreaterEqual(max(row["answer_s"]["p95"] for row in rows), group["answer_s"]["p95"])
        self.assertEqual(result.summary["classes"]["thp3"]["requests"], group)
        for key in ("pings_sent", "pings_received", "ping_rtt_s"):
            self.assertEqual(result.summary["groups"]["meter"][key], result.summary["classes"]["thp3"][key])
        self.assertNotIn("requests", result.summary["groups"]["reader"])

    def test_without(self):
        self.assertNotIn("groups", self.play_text(scenario.text(duration="5 s", cells=BUSY,
                                                                mobiles='{ name = "a", traffic = { { ping = {} } } }')).summary)

    def test_users(self):
        """(1) only pings is without load; (2) the one of an idle cell, whose packets never wait, is without wait; the others share."""
        def mobile(name, traffic, cell=2):
            return f'{{ name = "{name}", cell = {cell}, traffic = {{ {{ {traffic} }} }} }}'
        mobiles = ", ".join((mobile("near", 'download = { octets = "infinite" }'), mobile("far", 'download = { octets = "infinite" }'),
                             mobile("pings", "ping = {}"), mobile("light", 'cbr = { rate = "1 kbit/s", packet = "100 octets" }', 3),
                             mobile("late", 'download = { octets = "infinite", start = "59 s" }')))
        text = scenario.text(cells=BUSY, mobiles=mobiles)
        text = text.replace("  mobiles =", "  mobiles =").replace(" } },\n  mobiles", ' }, { bvci = 3, pdchs = 8, coding = "CS-2" } },\n  mobiles', 1)
        summary = self.play_text(text).summary
        fairness, row = summary["classes"]["background"]["fairness"], {row["mobile"]: row for row in summary["mobiles"]}
        self.assertGreater(row["light"]["goodput_bps"], 0)
        self.assertEqual({key: fairness[key] for key in ("users", "without_load", "without_wait")},
                         {"users": 3, "without_load": 1, "without_wait": 1})
        goodputs = [row[name]["goodput_bps"] for name in ("near", "far", "late")]
        self.assertAlmostEqual(fairness["worst_user"], min(goodputs) * 3 / sum(goodputs), places=6)
        self.assertAlmostEqual(fairness["jain"], sum(goodputs) ** 2 / 3 / sum(value ** 2 for value in goodputs), places=6)
        self.assertAlmostEqual(summary["classes"]["background"]["goodput_bps"]["total"],
                               sum(value["goodput_bps"] for value in row.values()), places=3)

    def test_all_dropped(self):
        """A mobile whose every N-PDU is dropped after it waited is a user with nothing."""
        mobiles = '{ name = "a", traffic = { { cbr = { rate = "64 kbit/s" } } } }, { name = "b", traffic = { { cbr = { rate = "8 kbit/s" } } } }'
        text = scenario.text(sgsn='lifetime = { mode = "split", sgsn_max = "1 s" },', mobiles=mobiles,
                             cells='pdchs = 1, flow_control = { bucket_time = "3 s", bvc = { rate = "0 kbit/s", bucket = "2 kB" } }')
        summary = self.play_text(text).summary
        self.assertGreater(summary["mobiles"][1]["drops"]["lifetime"], 0)
        self.assertEqual(summary["classes"]["background"]["fairness"]["users"], 2)


if __name__ == "__main__":
    unittest.main()
