# SPDX-License-Identifier: BSD-3-Clause
"""Small scenarios whose outcome can be written down beforehand.

An LLC-PDU has 10 octets around its IP packet (SNDCP 4, LLC 3, FCS 3); in RLC it takes one octet more, and a block of 20 ms
on each PDCH takes 30 octets with CS-2.
"""
import math
import unittest

import scenario

BLOCK_NS = 20_000_000
MS_NS = 1_000_000
PAYLOADS = {"CS-1": 20, "CS-2": 30, "CS-3": 36, "CS-4": 50}
LLC_OCTETS, RLC_OCTETS, TCP_OCTETS = 10, 1, 20 + 20 + 12
PACKET_OCTETS = 1500
INFINITE = 'lifetime = { sgsn_max = "infinite", bss_max = "infinite" },'
DOWNLOAD = 'traffic = { { download = { octets = "infinite" } } }'

# IP octets, PDCHs, coding, start in ms: on the grid of blocks, beside it, and just before it.
PINGS = [
    (64, 4, "CS-2", 5000), (64, 1, "CS-2", 5000), (64, 4, "CS-2", 5007), (64, 4, "CS-2", 5019), (64, 1, "CS-1", 5001),
    (28, 1, "CS-4", 5000), (500, 1, "CS-4", 5010), (1500, 4, "CS-1", 5003), (1500, 3, "CS-3", 5000), (49, 2, "CS-2", 5000),
]


def blocks_of(ip_octets, coding):
    return math.ceil((ip_octets + LLC_OCTETS + RLC_OCTETS) / PAYLOADS[coding])


def next_block(at_ns):
    return -(-at_ns // BLOCK_NS) * BLOCK_NS


def ping_rtt_ns(ip_octets, pdchs, coding, start_ms):
    """Up on one timeslot after the access, down on four at most; the uplink TBF is still open when the answer comes."""
    blocks = blocks_of(ip_octets, coding)
    up_ns = next_block(start_ms * MS_NS + 200 * MS_NS) + blocks * BLOCK_NS
    at_bss_ns = up_ns + 2 * (1 + 1) * MS_NS
    down_ns = next_block(at_bss_ns + 100 * MS_NS) + math.ceil(blocks / min(pdchs, 4)) * BLOCK_NS
    return down_ns - start_ms * MS_NS


def bulk_bps(pdchs, coding="CS-2"):
    """TCP payload of a saturated air."""
    air_bps = PAYLOADS[coding] * 8 * 50 * pdchs
    return air_bps * (PACKET_OCTETS - TCP_OCTETS) / (PACKET_OCTETS + LLC_OCTETS + RLC_OCTETS)


def bulk(pdchs, cell="", mobiles=f'{{ name = "a", {DOWNLOAD} }}', sgsn=INFINITE):
    return scenario.text(duration="15 min", sgsn=sgsn, mobiles=mobiles, rest='warmup = "2 min",',
                         cells=f'pdchs = {pdchs}, flow_control = {{ bucket_time = "2 s", ms = {{}}, every = "10 s" }}, {cell}')


class Closed(scenario.Case):
    def goodput(self, text, *words, name="run"):
        return self.play_text(text, *words, name=name).summary["classes"]["background"]["goodput_bps"]["total"]

    def test_lone_ping(self):
        """Access, blocks up, two wires twice, set-up, blocks down: to the nanosecond, each time from an idle cell."""
        for octets, pdchs, coding, start_ms in PINGS:
            with self.subTest(octets=octets, pdchs=pdchs, coding=coding, start_ms=start_ms):
                cells = f'pdchs = {pdchs}, flow_control = {{ bucket_time = "5 s" }}'
                lua = scenario.text(duration="70 s", cells=cells, mobiles=f"""
                    {{ name = "a", traffic = {{ {{ ping = {{ octets = "{octets} octets", every = "20 s", count = 3,
                      start = "{start_ms} ms" }} }} }} }}""").replace('"CS-2"', f'"{coding}"')
                row = self.play_text(lua).summary["ping"][0]
                want = ping_rtt_ns(octets, pdchs, coding, start_ms) / 1e9
                self.assertEqual((row["sent"], row["received"]), (3, 3))
                self.assertEqual((row["rtt_s"]["min"], row["rtt_s"]["max"]), (want, want))

    def test_cbr_below_capacity(self):
        """One packet of 18 blocks each half second on one PDCH: 2 ms of wire, 18 ms until the next block, 18 blocks."""
        lua = scenario.text(duration="60 s", cells='pdchs = 1, flow_control = { bucket_time = "2 s" }', mobiles="""
            { name = "a", traffic = { { cbr = { rate = "8 kbit/s", packet = "500 octets", start = "1 s" } } } }""")
        result = self.play_text(lua)
        delays = [value for _, _, value in scenario.lines_of(result, "delay_s")]
        self.assertEqual(blocks_of(500, "CS-2"), 18)
        # The first also waits for the TBF; its last block has room for the beginning of the second.
        self.assertEqual(delays[:2], [0.58, 0.42])
        self.assertEqual(set(delays[2:]), {0.38})
        summary, books = result.summary, result.summary["conservation"]
        self.assertEqual((len(delays), books["bss"]["out"], books["sgsn"]["in"]), (118, 118, 118))
        self.assertEqual(summary["classes"]["background"]["sojourn_s"]["max"], 0)

    def test_bulk(self):
        for pdchs in (1, 2, 3, 4):
            with self.subTest(pdchs=pdchs):
                self.assertAlmostEqual(self.goodput(bulk(pdchs)) / bulk_bps(pdchs), 1, delta=0.015)

    def test_bulk_with_errors(self):
        """Each block goes as often as it takes: a share p of bad blocks takes a share p of the rate."""
        for percent in (1, 5, 20):
            with self.subTest(percent=percent):
                found = self.goodput(bulk(3, cell=f'bler = "{percent} %", bler_up = "0 %", window = 2048,'))
                self.assertAlmostEqual(found / (bulk_bps(3) * (1 - percent / 100)), 1, delta=0.015)

    def test_control_blocks(self):
        """One block in 12 is lost to control."""
        self.assertAlmostEqual(self.goodput(bulk(2, cell="control_one_in = 12,")) / (bulk_bps(2) * 11 / 12), 1, delta=0.015)

    def test_coding(self):
        for coding in PAYLOADS:
            with self.subTest(coding=coding):
                found = self.goodput(bulk(2).replace('"CS-2"', f'"{coding}"'))
                self.assertAlmostEqual(found / bulk_bps(2, coding), 1, delta=0.015)

    def test_lifetime_bounds_delay(self):
        """A packet begins its first block within its lifetime, which runs from the SGSN; air time comes on top."""
        air_s = (blocks_of(PACKET_OCTETS, "CS-2") + 1) * scenario.BLOCK_S
        for lifetime_s in (2, 5, 15):
            with self.subTest(lifetime_s=lifetime_s):
                lua = bulk(1, sgsn=f'lifetime = {{ sgsn_max = "{lifetime_s} s" }},')
                summary = self.play_text(lua).summary
                delay = summary["classes"]["background"]["delay_s"]
                self.assertLessEqual(delay["max"], 0.001 + lifetime_s + air_s + 0.01)
                self.assertGreaterEqual(delay["max"], lifetime_s - 1)
                self.assertGreater(summary["conservation"]["sgsn"]["dropped"] + summary["conservation"]["bss"]["dropped"], 0)

    def test_more_packets_than_numbers(self):
        """Over 4096 N-PDUs in the BSS for one mobile: numbers of SNDCP come twice, and everything is still accounted for."""
        lua = scenario.text(duration="40 s", sgsn=INFINITE, cells="""pdchs = 1, buffer = { mobile = "4 MB" },
            flow_control = { bvc = { bucket = "4 MB", rate = "1 Mbit/s" }, ms_default = { bucket = "4 MB", rate = "1 Mbit/s" } }""",
                            mobiles='{ name = "a", traffic = { { cbr = { rate = "50 kbit/s", packet = "44 octets" } } } }')
        bss = self.play_text(lua).summary["conservation"]["bss"]
        self.assertGreater(bss["queued"], 4096)
        self.assertEqual(bss["dropped"], 0)

    def test_equal_shares(self):
        """Two, and seven, downloads of one class share a cell equally, and together have all of it."""
        for count in (2, 7):
            with self.subTest(count=count):
                lua = bulk(4, mobiles=f'{{ name = "m", count = {count}, {DOWNLOAD} }}')
                row = self.play_text(lua).summary["classes"]["background"]
                self.assertGreaterEqual(row["fairness"]["jain"], 0.99)
                self.assertGreaterEqual(row["fairness"]["worst_user"], 0.95)
                self.assertAlmostEqual(row["goodput_bps"]["total"] / bulk_bps(4), 1, delta=0.02)


if __name__ == "__main__":
    unittest.main()
