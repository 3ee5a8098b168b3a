# SPDX-License-Identifier: BSD-3-Clause
"""Two BSSs, their cells at the same worker or at two: mobiles that go to and fro between them lose nothing in the SGSN."""
import unittest

import scenario

MOBILES = 12
INFINITE = 'lifetime = { sgsn_max = "infinite", bss_max = "infinite" },'
CBR = 'traffic = { { cbr = { rate = "6 kbit/s", packet = "300 octets" } } }'
PING = 'traffic = { { ping = { count = 40 } } }'
BOTH = 'traffic = { { ping = { count = 40 } }, { cbr = { rate = "2 kbit/s" } } }'
CIPHERING = 'ciphering = { algorithm = "gea3", kc = "2bd6459f82c5bc00", iov_ui = 0xFFFFFF00 }'
ICMP, ECHO_REQUEST = 1, 8


def moves(mobiles, seconds):
    """Each goes to the other cell every second, at another time than the others."""
    return "".join(f'{{ at = "{2 + i / mobiles + second:.3f} s", mobile = "m{i + 1}", cell = {2 + (i + second + 1) % 2} }}, '
                   for second in range(seconds) for i in range(mobiles))


def text(workers, traffic=CBR):
    lua = scenario.text(sgsn=f"{INFINITE} workers = {workers},", cells='pdchs = 4, flow_control = { bucket_time = "60 s" }',
                        mobiles=f'{{ name = "m", count = {MOBILES}, cell = 2, {traffic} }}', rest=f"moves = {{ {moves(MOBILES, 50)} }},")
    cells = next(line for line in lua.splitlines() if "cells = {" in line)
    cell = cells.strip()[len("cells = { "):-len(" },")]
    other = cell.replace("bvci = 2", "bvci = 3, nse = 2")
    return lua.replace(cells, f"  cells = {{ {cell}, {other} }},").replace("1520 octets", "500 octets")


class Workers(scenario.Case):
    def check_workers(self, summary, count):
        workers = summary["workers"]
        self.assertEqual(len(workers), count)
        for worker in workers:
            books = worker["npdu"]
            self.assertEqual(books["in"] + books["xworker_in"], books["out"] + books["dropped"] + books["queued"] + books["xworker_out"])
        for key in ("in", "out", "dropped", "queued"):
            self.assertEqual(sum(worker["npdu"][key] for worker in workers), summary["conservation"]["sgsn"][key])
        self.assertEqual(*(sum(worker["npdu"][way] for worker in workers) for way in ("xworker_out", "xworker_in")))

    def play_moves(self, name, workers, *words, traffic=CBR):
        """All that came in leaves, in order, nothing twice."""
        result = self.play_text(text(workers, traffic), "--pcap", *words, name=name)
        books = result.summary["conservation"]["sgsn"]
        self.assertEqual((books["dropped"], books["queued"]), (0, 0))
        self.judge(result, "--expect-all", "--n201-u", "500", rules="lifetime=infinite", minimum={
            "nu_sequence": books["out"], "order": books["out"], "completeness": books["out"]})
        return result

    @staticmethod
    def by_mobile(summary):
        return [(row["mobile"], row["npdu_in"], row["npdu_out"]) for row in summary["mobiles"]]

    def test_to_and_fro(self):
        """Every mobile changes the worker every second; everybody gets what one worker would give."""
        alone = self.play_moves("alone", 1).summary
        self.assertNotIn("workers", alone)
        for name, words in (("two", ()), ("unsteered", ("--unsteered",))):
            summary = self.play_moves(name, 2, *words).summary
            self.check_workers(summary, 2)
            self.assertEqual(self.by_mobile(summary), self.by_mobile(alone))
            mobility = summary["mobility"]
            self.assertGreater(mobility["moved"], MOBILES * 48)
            self.assertEqual((mobility["refused"], mobility["frames_dropped"], mobility["unknown_tlli"]), (0, 0, 0))
            self.assertGreaterEqual(mobility["frames_forwarded"], mobility["moved"] - 1)
            self.assertEqual(sum(worker["gb"]["steered_out"] for worker in summary["workers"]) > 0, bool(words))

    def test_uplink(self):
        """What mobiles send arrives, also what comes before its mobile: every request of all of them is on Gi once."""
        for workers in (1, 2):
            result = self.play_moves(f"w{workers}", workers, traffic=PING)
            self.check_requests(result)

    def check_requests(self, result):
        packets = [frame[scenario.GI_HEADER:] for frame in scenario.frames(result, "gi")]
        requests = [packet[12:16] + packet[24:28] for packet in packets if (packet[9], packet[20]) == (ICMP, ECHO_REQUEST)]
        self.assertEqual(sum(row["sent"] for row in result.summary["ping"]), MOBILES * 40)
        self.assertEqual((len(requests), len(set(requests))), (MOBILES * 40, MOBILES * 40))

    def test_ciphered(self):
        """Keys and counters go along: what is ciphered is understood after every move, both ways."""
        books = []
        for workers in (1, 2):
            lua = text(workers, BOTH).replace('name = "m",', f'name = "m", {CIPHERING},')
            result = self.play_text(lua, "--pcap", name=f"c{workers}")
            self.check_requests(result)
            books.append(result.summary["conservation"])
        self.assertEqual(books[0], books[1])
        self.assertEqual((books[1]["sgsn"]["dropped"], books[1]["sgsn"]["queued"]), (0, 0))
        self.assertGreater(books[1]["bss"]["out"], MOBILES * 40)

    def test_queued(self):
        """What waits at the end is counted for its mobile, at whichever worker that is."""
        summaries = []
        for workers in (1, 2):
            lua = text(workers, CBR.replace("6 kbit", "30 kbit")).replace(moves(MOBILES, 50), moves(MOBILES, 3))
            lua = lua.replace('bucket_time = "60 s"', 'bucket_time = "1 s"').replace('duration = "60 s"', 'duration = "5 s"')
            summaries.append(self.play_text(lua, name=f"q{workers}").summary)
        self.assertEqual(*(self.by_mobile(summary) for summary in summaries))
        self.assertGreater(summaries[1]["mobility"]["moved"], MOBILES * 2)
        self.assertTrue(all(row["npdu_in"] > row["npdu_out"] + 10 for row in summaries[1]["mobiles"]))

    def test_twice(self):
        files = []
        for name in ("one", "other"):
            result = self.play_moves(name, 2, "--unsteered", "--seed", "7")
            files.append([scenario.frames(result, link) for link in ("gb", "gn", "gi")])
        self.assertEqual(files[0], files[1])

    def test_order_of_cells(self):
        """Cells of one BSS stand together."""
        lua = text(2).replace("nse = 2", "nse = 3")
        done = scenario.gbflow.run("run", self.write("bad.lua", lua), "--out", self.path("bad"), "--no-report")
        self.assertEqual(done.status, 2)
        self.assertIn("cells[2].nse: 3 is out of order: 1 or 2", done.stderr)

    def test_bad_workers(self):
        for workers in (0, 17):
            lua = text(workers)
            done = scenario.gbflow.run("run", self.write("bad.lua", lua), "--out", self.path("bad"), "--no-report")
            self.assertEqual(done.status, 2)
            self.assertIn(f"sgsn.workers: {workers} is out of range: 1 .. 16", done.stderr)


if __name__ == "__main__":
    unittest.main()
