# SPDX-License-Identifier: BSD-3-Clause
"""Mobiles that go from one SGSN to another, with and without forwarding: each N-PDU is delivered once and in order, or counted."""
import json
import math
import os
import unittest

import scenario

CELL = '{{ bvci = {bvci}, nse = {nse}, routing_area = {nse}, coding = "CS-2", pdchs = 4, {cell} }}'
DOWNLOAD = 'traffic = { { download = { octets = "infinite" } } }'
STREAM = 'traffic = { { cbr = { rate = "60 kbit/s", packet = "500 octets", stop = "%s" } } }'
A, B = 2, 3  # cells of the two SGSNs


def text(moves, *, mobiles=f'{{ name = "m", cell = 2, {DOWNLOAD} }}', duration="60 s", cell="", rest=""):
    """Two SGSNs with a cell each, of four PDCHs."""
    cells = ", ".join(CELL.format(bvci=bvci, nse=nse, cell=cell) for nse, bvci in enumerate((A, B), 1))
    return f"""return {{
  title = "test", duration = "{duration}",
  network = {{ server_delay = "0 s", gn_delay = "1 ms", gb_delay = "1 ms" }},
  sgsn = {{ n201_u = "1520 octets", queue_limit = "1 MB", lifetime = {{ sgsn_max = "infinite", bss_max = "infinite" }} }},
  sgsns = {{ {{ name = "a", cells = {{ {A} }} }}, {{ name = "b", cells = {{ {B} }} }} }},
  cells = {{ {cells} }},
  mobiles = {{ {mobiles} }},
  moves = {{ {moves} }},
  {rest}
}}
"""


def move(at, cell, mobile="m", gap="0 s"):
    return f'{{ at = "{at}", mobile = "{mobile}", cell = {cell}, gap = "{gap}" }}'


def to_and_fro(every_s, until_s, mobile="m", first_s=0.0):
    """Moves from the first SGSN to the second and back."""
    count = math.ceil((until_s - first_s) / every_s) - 1
    return ", ".join(move(f"{first_s + every_s * (i + 1):.3f} s", (B, A)[i % 2], mobile) for i in range(count))


class Sgsns(scenario.Case):
    def check_sums(self, summary):
        """Each SGSN accounts for its N-PDUs, and what one has sent the others have, but for the last of the run."""
        super().check_sums(summary)
        nodes = summary["sgsns"].values()
        for node in nodes:
            npdus = node["npdus"]
            self.assertEqual(npdus["in"], npdus["out"] + npdus["forwarded"] + npdus["dropped"] + npdus["queued"], node)
            self.assertEqual(npdus["dropped"], sum(node["drops"].values()))
        sent = sum(node["npdus"]["forwarded"] for node in nodes)
        came = sum(node["from_other_sgsns"] for node in nodes)
        self.assertEqual(summary["relocation"]["forwarded"], sent)
        self.assertTrue(0 <= sent - came <= 64, (sent, came))
        self.assertEqual(sum(node["arrived"] for node in nodes), summary["relocation"]["updates"])
        self.assertEqual(sum(node["departed"] for node in nodes), summary["relocation"]["updates"])
        self.assertEqual(sum(node["drops"]["handed_over"] for node in nodes), summary["relocation"]["handed_over"])

    def test_stream(self):
        """Of a stream that waits in the SGSN nothing is lost but what was in the BSS, and nothing changes its place."""
        for forward in ("true", "false"):
            with self.subTest(forward=forward):
                mobiles = f'{{ name = "m", cell = 2, {STREAM % "30 s"} }}'
                lua = text(to_and_fro(10, 45), mobiles=mobiles, rest=f"relocation = {{ forward = {forward} }},")
                summary = self.play_text(lua, name=f"stream-{forward}").summary
                sent, flushed = summary["datagrams"][0], summary["conservation"]["bss"]["dropped"]
                lost = summary["relocation"]["handed_over"] + flushed
                self.assertEqual((sent["out_of_order"], sent["not_received"]), (0, lost))
                self.assertEqual(summary["relocation"]["updates"], 4)
                self.assertEqual(summary["relocation"]["handed_over"] > 0, forward == "false")
                self.assertEqual(summary["relocation"]["forwarded"] > 0, forward == "true")
                self.assertEqual(summary["conservation"]["sgsn"]["queued"], 0)

    def test_download(self):
        """Without forwarding the old SGSN drops what waits; with it, TCP repeats what was in the BSS alone."""
        rates = {}
        for forward in ("true", "false"):
            lua = text(to_and_fro(15, 60), rest=f"relocation = {{ forward = {forward} }},")
            summary = self.play_text(lua, name=f"download-{forward}").summary
            rates[forward] = summary["tcp"][0]
            self.assertGreater(summary["cells"][str(B)]["air_utilisation"], 0.2)
            self.assertEqual(summary["relocation"]["handed_over"] > 20, forward == "false")
        self.assertGreater(rates["false"]["retransmitted_fraction"], rates["true"]["retransmitted_fraction"])
        self.assertGreater(rates["true"]["octets"], rates["false"]["octets"])

    def test_equal_seeds(self):
        """A run of a seed is the same to the octet, captures included."""
        lua = text(to_and_fro(5, 30), duration="30 s")
        found = []
        for name in ("one", "two"):
            out = self.play_text(lua, "--pcap", name=name).out
            parts = {}
            for file in ("summary.json", "series.csv", "gn.pcapng", "gb.pcapng"):
                with open(os.path.join(out, file), "rb") as stream:
                    parts[file] = stream.read()
            parts["summary.json"] = json.loads(parts["summary.json"]) | {"scenario": ""}
            found.append(parts)
        self.assertEqual(found[0], found[1])

    def test_every_five_seconds(self):
        """Ten mobiles go to and fro every five seconds, one twice a second, before its updates end: all is accounted for."""
        names = [f"n{i}" for i in range(1, 11)]
        mobiles = f'{{ name = "n", count = 10, cell = 2, {DOWNLOAD} }}, {{ name = "m", cell = 2, {STREAM % "30 s"} }}'
        moves = [to_and_fro(5, 60, name, i / 7) for i, name in enumerate(names)] + [to_and_fro(0.5, 55)]
        for forward in ("true", "false"):
            with self.subTest(forward=forward):
                lua = text(", ".join(moves), mobiles=mobiles, rest=f"relocation = {{ forward = {forward} }},")
                summary = self.play_text(lua, name=f"five-{forward}").summary
                self.assertGreater(summary["relocation"]["updates"], 100)
                self.assertTrue(all(row["octets"] > 0 for row in summary["tcp"]))
                self.assertEqual(summary["datagrams"][0]["out_of_order"], 0)
                self.assertGreater(summary["datagrams"][0]["received"], 0)

    def test_gap(self):
        """A mobile without a cell is not updated; its update takes what the scenario says, and nothing arrives meanwhile."""
        rest = 'relocation = { request = "1 s", delay = "10 ms", security = "500 ms", update = "200 ms", accept = "300 ms" },'
        result = self.play_text(text(move("20 s", B, gap="3 s"), rest=rest))
        times = result.summary["relocation"]["update_s"]
        self.assertEqual((times["max"], result.summary["relocation"]["updates"]), (3 + 1 + 0.01 + 0.51 + 0.2 + 0.3, 1))
        rates = [value for time, _, value in scenario.lines_of(result, "throughput_bps") if 21 < time <= 25]
        self.assertEqual(rates, [0] * 4)

    def test_gone_and_back(self):
        """One that returns while its update runs is back when the next one ends; a gap without another SGSN is no update."""
        for moves, updates in ((", ".join([move("20 s", B), move("20.1 s", A)]), 1), (move("20 s", A, gap="2 s"), 0)):
            summary = self.play_text(text(moves, duration="40 s")).summary
            self.assertEqual(summary["relocation"]["updates"], updates)
            self.assertEqual(summary["sgsns"]["a"]["arrived"], updates)
            self.assertGreater(summary["tcp"][0]["octets"], 50000)

    def test_after_the_hold(self):
        """When the old SGSN has ended the contexts, nothing is left of the mobile there, and it may come again."""
        lua = text(", ".join([move("10 s", B), move("20 s", A)]), rest='relocation = { hold = "2 s" },')
        summary = self.play_text(lua).summary
        self.assertEqual([path["contexts"] for node in summary["sgsns"].values() for path in node["paths"]], [1, 0])
        self.assertEqual(summary["relocation"]["updates"], 2)
        self.assertEqual(sum(node["drops"]["unknown_teid"] for node in summary["sgsns"].values()), 0)

    def test_packet(self):
        """The way of one packet is that through one SGSN."""
        for words in (("--packet",), ("--packet=m:3",)):
            result = scenario.gbflow.run("run", self.write("packet.lua", text(move("20 s", B))), "--out", self.path("packet"), *words)
            self.assertEqual((result.status, "--packet: the scenario has 2 SGSNs" in result.stderr), (2, True), result)

    def test_own_queues(self):
        """Each SGSN has queues of its own."""
        lua = text(to_and_fro(20, 60)).replace('{ name = "b",', '{ name = "b", queue_limit = "6 kB",')
        nodes = self.play_text(lua).summary["sgsns"]
        self.assertEqual(nodes["a"]["drops"]["queue_full"], 0)
        self.assertGreater(nodes["b"]["drops"]["queue_full"], 0)

    def test_ciphered(self):
        """The key goes with the mobile, and the counters of LLC begin again on both sides."""
        cipher = 'ciphering = { algorithm = "gea3", kc = "2bd6459f82c5bc00", iov_ui = 7 },'
        mobiles = f'{{ name = "m", cell = 2, {cipher} {STREAM % "30 s"} }}'
        summary = self.play_text(text(to_and_fro(10, 45), mobiles=mobiles)).summary
        self.assertEqual(summary["datagrams"][0]["not_received"], summary["conservation"]["bss"]["dropped"])


if __name__ == "__main__":
    unittest.main()
