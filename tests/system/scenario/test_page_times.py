# SPDX-License-Identifier: BSD-3-Clause
"""Page times of random scenarios whose pages take longer than the run: what the program prints beside the definition over the raw pages,
and what a comparison of two rates calls sure. TEST_ALL=1 plays 200 scenarios."""
import random
import unittest
from fractions import Fraction

import scenario
from scenario import gbflow

SEEDS = range(1, 5)
PAIRS = 25 if gbflow.IS_LONG else 2  # of rates; each has a run at both with each seed
CLASSES = ("background", "thp2", "thp3")
PERCENT = {"p50": 50, "p95": 95}


def product_limit(pages, percent):
    """The definition of Kaplan and Meier, in exact numbers: pages are (time or age, whether finished). None: not reached."""
    left = Fraction(1)
    for at in sorted({time for time, is_finished in pages if is_finished}):
        risk = sum(time >= at for time, _ in pages)
        left *= 1 - Fraction(sum(time == at and is_finished for time, is_finished in pages), risk)
        if left <= 1 - Fraction(percent, 100):
            return at
    return None


def ns(seconds):
    return round(seconds * 1e9)


def raw_pages(summary, mobiles, key="time_s"):
    rows = [row for row in summary["pages"] if row["mobile"] in mobiles and row["start_s"] >= summary["warmup_s"]]
    return [(ns(summary["duration_s"]) - ns(row["start_s"]), False) if row[key] is None else (ns(row[key]), True) for row in rows]


def said(seconds):
    return "not reached" if seconds is None else f"{seconds:.3f} s"


def printed(summary, row):
    """As the console says a mobile's pages, in two lines."""
    times, first_ns = row["page_time_s"], product_limit(raw_pages(summary, [row["mobile"]], "first_s"), PERCENT["p95"])
    rtts = [one["rtt_s"] for one in summary["tcp"] if one["mobile"] == row["mobile"] and one["rtt_s"]["avg"] is not None]
    rtt = "".join(f", RTT {rtt['avg']:.2f} s on average, {rtt['max']:.2f} s at most" for rtt in rtts)
    return [f"web: {times['pages']} pages, {times['unfinished']} unfinished, median {said(times['p50'])}, p95 {said(times['p95'])}",
            f"web: first object p95 {said(None if first_ns is None else first_ns / 1e9)}{rtt}"]


def mean_rtt(summary, mobiles):
    """Of the senders, by octets."""
    rows = [row for row in summary["tcp"] if row["mobile"] in mobiles and row["octets"] and row["rtt_s"]["avg"] is not None]
    octets = sum(row["octets"] for row in rows)
    return sum(row["rtt_s"]["avg"] * row["octets"] for row in rows) / octets if octets else None


def random_scenario(chance):
    """One to four mobiles that read pages, of which the larger ones take longer than the run; some only ping."""
    mobiles = []
    for index in range(chance.randint(1, 4)):
        web = (f'{{ web = {{ page = "{chance.randint(1, 20)} kB", items = {chance.choice((0, 3, 30))}, item = "{chance.randint(1, 30)} kB", '
               f'reading = "{chance.randint(1, 9)} s", start = "{chance.randint(0, 20)} s" }} }}')
        traffic = web if index == 0 or chance.random() < 0.7 else '{ ping = { every = "1 s" } }'
        mobiles.append(f'{{ name = "m{index}", class = "{chance.choice(CLASSES)}", traffic = {{ {traffic} }} }},')
    return scenario.text(duration=f"{chance.randint(30, 180)} s", mobiles=" ".join(mobiles), cells='bler = "5 %", downlink_slots = 4, flow_control = { bucket_time = "3 s" }',
                         rest=f'warmup = "{chance.choice((0, 0, 10))} s",')


class PageTimes(scenario.Case):
    def check(self, result):
        """Each class, each mobile, all of them, and the console."""
        summary = result.summary
        mobiles = {row["mobile"]: row["class"] for row in summary["mobiles"]}
        parts = [(row["page_time_s"], [name for name, kind in mobiles.items() if kind == of]) for of, row in summary["classes"].items()]
        parts += [(row.get("page_time_s"), [row["mobile"]]) for row in summary["mobiles"]] + [(summary["page_time_s"], list(mobiles))]
        for times, names in parts:
            pages = raw_pages(summary, names)
            if times is None:
                self.assertFalse(pages)
                continue
            self.assertEqual((times["pages"], times["unfinished"]), (len(pages), sum(not is_finished for _, is_finished in pages)))
            for key, percent in PERCENT.items():
                found = None if times[key] is None else ns(times[key])
                self.assertEqual(found, product_limit(pages, percent), (key, pages))
        self.check_classes(summary, mobiles)
        lines = [line.split(None, 1)[1] for line in result.stdout.splitlines() if "  web: " in line]
        self.assertEqual(lines, [line for row in summary["mobiles"] if "page_time_s" in row for line in printed(summary, row)])
        return summary["page_time_s"]["unfinished"]

    def check_classes(self, summary, mobiles):
        """First objects, round-trip times of senders, pings."""
        for of, row in summary["classes"].items():
            names = [name for name, kind in mobiles.items() if kind == of]
            for key, percent in PERCENT.items():
                found = None if row["first_object_s"][key] is None else ns(row["first_object_s"][key])
                self.assertEqual(found, product_limit(raw_pages(summary, names, "first_s"), percent), (of, key))
                is_known = None not in (row["first_object_s"][key], row["page_time_s"][key])
                self.assertTrue(not is_known or row["first_object_s"][key] <= row["page_time_s"][key], (of, key))
            self.assertAlmostEqual(row["dropped"], sum(row["drops"].values()) / row["npdu_out"])
            rtt = mean_rtt(summary, names)
            self.assertEqual(rtt is None, row["rtt_s"]["avg"] is None)
            self.assertAlmostEqual(rtt or 0, row["rtt_s"]["avg"] or 0, 6)
            pings = [one for one in summary["ping"] if one["mobile"] in names]
            sent, received = (sum(one[key] for one in pings) for key in ("sent", "received"))
            self.assertEqual((row["pings_sent"], row["pings_received"]), (sent, received))
            self.assertAlmostEqual(row["pings_lost"] or 0, 1 - received / sent if sent else 0)
            self.assertEqual((row["pings_lost"] is None, row["ping_rtt_s"]["p95"] is None), (sent == 0, received == 0))

    def compare(self, name):
        """Rows of page times: the baseline is the lower rate."""
        result = gbflow.run("compare", self.path(f"{name}-slow"), self.path(f"{name}-fast"), "--all", "--json", self.path("rows.json"))
        self.assertEqual(result.status, 0, result)
        return [row for row in gbflow.read_json(self.path("rows.json"))["figures"] if row["figure"].endswith(("page_time_s.p50", "page_time_s.p95"))]

    def test_random_scenarios(self):
        chance, unfinished, verdicts = random.Random(61), 0, set()
        for number in range(PAIRS):
            text, rates = random_scenario(chance), {"slow": chance.randint(1, 2), "fast": chance.choice((3, 8))}
            for seed in SEEDS:
                for rate, slots in rates.items():
                    with self.subTest(number=number, seed=seed, rate=rate):
                        unfinished += self.check(self.play_text(text, "--seed", str(seed), "--no-series", "--set", f"cells[1].pdchs={slots}",
                                                                name=f"{number}-{rate}-seed{seed}"))
            for row in self.compare(number):
                verdicts.add(row["verdict"])
                self.assertNotEqual(row["verdict"], "higher", row)  # pages at the higher rate are not surely longer
                self.assertGreaterEqual((row["interval_percent"] or [0])[0], -100, row)
        self.assertGreater(unfinished, PAIRS)
        if gbflow.IS_LONG:
            self.assertIn("lower", verdicts)


if __name__ == "__main__":
    unittest.main()
