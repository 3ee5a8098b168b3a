# SPDX-License-Identifier: BSD-3-Clause
"""Scripts of exchanges in a cell without load: times as computed by hand, pages, rounds, equal bytes, bad files."""
import os
import unittest

import scenario
from scenario import gbflow

# TBFs that stay: a packet of up to 240 octets takes one of the block periods of 20 ms. All times of the scripts are
# multiples of these, so they add up exactly.
CELL = "pdchs = 8, downlink_slots = 8, uplink_slots = 8, tbf = { release = '60 s', uplink_hold = '60 s' }"
HEAD = "exchange,after,wait_s,connection,request_octets,response_octets,think_s,page\n"


def mobile(name, file, more=""):
    return f'{{ name = "{name}", traffic = {{ {{ script = {{ file = "{file}", again = false {more} }} }} }} }}'


class Script(scenario.Case):
    def rows(self, *mobiles, words=(), name="run", files=None):
        """Rows of `scripts`, each mobile played by itself, by its name."""
        for file, text in (files or {}).items():
            self.write(file, HEAD + text)
        found = {}
        for number, one in enumerate(mobiles):
            result = self.play_text(scenario.text(cells=CELL, mobiles=one), *words, name=f"{name}{number}")
            found.update({row["mobile"]: (row, result) for row in result.summary["scripts"]})
        return found

    def second_s(self, row):
        """The second of two exchanges, of which the first, on a new connection, takes longer."""
        self.assertEqual((row["begun"], row["done"]), (2, 2), row)
        return 2 * row["exchange_s"]["mean"] - row["exchange_s"]["max"]

    def test_times(self):
        """A round trip more for a new connection; each takes the server's delay twice; thinking is added."""
        two = "1,0,2,1,100,150,{0},1\n2,1,2,1,100,150,{0},1\n"
        found = self.rows(
            mobile("near", "plain.csv"), mobile("far", "plain.csv", ', server_delay = "200 ms"'),
            mobile("slow", "think.csv"), files={"plain.csv": two.format(""), "think.csv": two.format("0.5")})
        near, far, slow = (found[name][0] for name in ("near", "far", "slow"))
        # A block period up, 2 ms to the server and 2 ms back, so that the next but one carries the response.
        self.assertAlmostEqual(self.second_s(near), 3 * scenario.BLOCK_S, places=6)
        self.assertAlmostEqual(self.second_s(far) - self.second_s(near), 2 * 0.2, places=6)
        self.assertAlmostEqual(far["exchange_s"]["max"] - near["exchange_s"]["max"], 4 * 0.2, places=6)
        self.assertAlmostEqual(self.second_s(slow) - self.second_s(near), 0.5, places=6)
        self.assertAlmostEqual(slow["exchange_s"]["max"] - near["exchange_s"]["max"], 0.5, places=6)
        # A page: both exchanges and the wait of 2 s between them.
        for row, result in found.values():
            page = result.summary["page_time_s"]
            self.assertEqual((page["pages"], page["unfinished"]), (1, 0))
            self.assertAlmostEqual(page["p50"], 2 * row["exchange_s"]["mean"] + 2, places=6)
            self.assertEqual(result.summary["tcp"][0]["octets"], 300)

    def test_rounds(self):
        """Again until `stop`; without `again` once. Equal seeds, equal bytes."""
        self.write("one.csv", HEAD + "1,0,5,1,100,150,,\n")
        again = '{ name = "anna", traffic = { { script = { file = "one.csv", stop = "20 s" } } } }'
        text = scenario.text(cells=CELL, mobiles=f'{again}, {mobile("bert", "one.csv")}')
        path = self.write("run.lua", text)
        results = [self.play(path, name=name) for name in ("one", "other")]
        self.assertEqual([(row["mobile"], row["begun"], row["done"]) for row in results[0].summary["scripts"]],
                         [("anna", 3, 3), ("bert", 1, 1)])
        for file in ("summary.json", "series.csv"):
            self.assertEqual(*(self.octets(result, file) for result in results))

    def octets(self, result, name):
        with open(os.path.join(result.out, name), "rb") as file:
            return file.read()

    def refused(self, item, *words, files=None):
        for file, text in (files or {}).items():
            self.write(file, text)
        path = self.write("run.lua", scenario.text(cells=CELL, mobiles=f'{{ name = "anna", traffic = {{ {{ {item} }} }} }}'))
        result = gbflow.run("run", path, "--out", self.path("out"), "--no-report")
        self.assertEqual(result.status, 2, result)
        for word in words:
            self.assertIn(word, result.stderr)

    def test_bad(self):
        self.refused('script = { file = "none.csv" }', "none.csv", "cannot be read")
        self.refused('script = { file = "../x.csv" }', "leaves the scenario's folder")
        self.refused('script = { file = "x.csv", transport = "quic" }', 'need transport = "tcp"', files={"x.csv": HEAD + "1,0,0,1,100,100,,\n"})
        self.refused('script = { file = "x.csv" }', "x.csv:2", "after '1'", files={"x.csv": HEAD + "1,1,0,1,100,100,,\n"})


if __name__ == "__main__":
    unittest.main()
