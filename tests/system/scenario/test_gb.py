# SPDX-License-Identifier: BSD-3-Clause
"""The captures of a run: judged by the oracle and by tshark, and against each other and the summary."""
import os
import struct
import unittest

import scenario
from gb_oracle import bssgp, gb, report

# FLOW-CONTROL-BVC and each mobile's FLOW-CONTROL-MS at the start and every ten seconds, each with its ACK: over 120 s.
QUICKSTART_ACKS = 12 * (1 + 3) * 2
# What PDU Lifetime says, in 10 ms, where it is always the same; bss_max is 1200 ms.
TOLD_CS = {"sgsn_only": {0xFFFF}, "per_node": {120}}
MS_OCTETS, MS_BPS, BVC_BPS, TH_S, EVERY_S, START_S = 4000, 16000, 48000, 5, 10, 7

# The mobile's own rate holds for Th after each announcement, then the cell's default is back.
CHANGING = scenario.text(
    duration="60 s", sgsn=f'th = "{TH_S} s", lifetime = {{ mode = "split", sgsn_max = "infinite", bss_max = "infinite" }}',
    cells=f"""pdchs = 4, flow_control = {{ every = "{EVERY_S} s", bucket_time = "500 ms",
      ms = {{ bucket = "{MS_OCTETS} octets", rate = "16 kbit/s", start = "{START_S} s" }} }}""",
    mobiles="""{ name = "a", traffic = { { cbr = { rate = "60 kbit/s", packet = "500 octets" } } } },
      { name = "b", traffic = { { ping = { start = "5 s" } } } }""")


def events_of(result):
    return gb.load(os.path.join(result.out, "gb.pcapng"), report.Report())


def kinds_of(events):
    """How many PDUs of each kind."""
    kinds = [event.pdu.kind for event in events if event.pdu]
    return {kind: kinds.count(kind) for kind in set(kinds)}


def announced(events, tlli):
    """(time_s, octets, bit/s) of each FLOW-CONTROL-MS of a mobile, in the order of their coming."""
    for event in events:
        if event.pdu and event.pdu.kind == bssgp.FC_MS and event.pdu.tlli == tlli:
            yield event.time_ns / 1e9, event.pdu.number(bssgp.MS_BUCKET) * 100, event.pdu.number(bssgp.LEAK_RATE) * 100


def sent_octets(events, tlli, from_s, to_s):
    return sum(event.octets for event in events if isinstance(event, gb.DlPdu) and event.tlli == tlli
               and from_s <= event.time_ns / 1e9 < to_s)


class Gb(scenario.Case):
    def test_quickstart(self):
        result = self.play(scenario.shipped("quickstart"), "--pcap")
        npdus = result.summary["conservation"]["sgsn"]["out"]
        llc_pdus = result.summary["gb"]["llc_frames"]
        self.assertEqual(llc_pdus, npdus)
        self.judge(result, rules="lifetime=2s,bss_min=500ms", minimum={
            "flow_control_ack": QUICKSTART_ACKS, "reassembly_equal": npdus, "pdu_lifetime": npdus, "lifetime": npdus,
            **{name: llc_pdus for name in ("decode", "fcs", "nu_sequence", "conform_ms", "conform_bvc", "not_idle")}})
        self.tshark(result, npdus)
        kinds = kinds_of(events_of(result))
        self.assertEqual((kinds[bssgp.FC_BVC], kinds[bssgp.FC_MS]), (kinds[bssgp.FC_BVC_ACK], kinds[bssgp.FC_MS_ACK]))
        self.assertGreaterEqual(kinds[bssgp.FC_BVC], 12)
        self.assertGreaterEqual(kinds[bssgp.FC_MS], 36)
        discarded = result.summary["cells"]["2"]["drops"]["lifetime"]
        self.assertTrue(discarded > 0 and 0 < kinds[bssgp.LLC_DISCARDED] <= discarded)

    def test_wires_agree(self):
        """What the GGSN tunnels is what reached it; the SGSN counts what came, and both sides of Gi carry whole IP packets."""
        result = self.play(scenario.shipped("quickstart"), "--pcap")
        gi = [frame[scenario.GI_HEADER:] for frame in scenario.frames(result, "gi")]
        down = [packet for packet in gi if packet[12:16] == bytes((10, 46, 0, 1))]
        tpdus = scenario.downlink_tpdus(result)
        self.assertEqual(down, tpdus)
        self.assertEqual(len(tpdus), result.summary["conservation"]["sgsn"]["in"])
        self.assertEqual(sum(map(len, gi)), sum(struct.unpack(">H", packet[2:4])[0] for packet in gi))
        ups = sum(1 for frame in scenario.frames(result, "gn") if frame[26:30] == bytes((10, 98, 0, 2)))
        self.assertEqual(ups, len(gi) - len(down))

    def test_queued_packets_came_in(self):
        """A summary's npdu_in is what came, also of what still waits at the end."""
        lua = scenario.text(duration="20 s", cells='pdchs = 1, flow_control = { bucket_time = "2 s" }',
                            mobiles='{ name = "a", traffic = { { download = { octets = "infinite" } } } }')
        result = self.play_text(lua, "--pcap")
        self.assertGreater(result.summary["conservation"]["sgsn"]["queued"], 0)
        self.assertEqual(result.summary["classes"]["background"]["npdu_in"], len(scenario.downlink_tpdus(result)))

    def test_buckets_that_change(self):
        result = self.play_text(CHANGING, "--pcap")
        events = events_of(result)
        tlli = next(event.tlli for event in events if isinstance(event, gb.DlPdu))
        times = list(announced(events, tlli))
        self.assertEqual({(octets, bps) for _, octets, bps in times}, {(MS_OCTETS, MS_BPS)})
        self.assertEqual(len(times), 6)
        for at_s, _, _ in times[:5]:
            with self.subTest(at_s=at_s):
                own = sent_octets(events, tlli, at_s + 0.5, at_s + TH_S) * 8 / (TH_S - 0.5)
                default = sent_octets(events, tlli, at_s + TH_S + 0.5, at_s + EVERY_S) * 8 / (EVERY_S - TH_S - 0.5)
                self.assertAlmostEqual(own / MS_BPS, 1, delta=0.1)
                self.assertAlmostEqual(default / BVC_BPS, 1, delta=0.1)
        npdus = result.summary["conservation"]["sgsn"]["out"]
        self.judge(result, rules=f"lifetime=infinite,th={TH_S}s", minimum={
            "flow_control_ack": 6 * 3 * 2, "conform_ms": npdus, "conform_bvc": npdus, "not_idle": npdus})
        self.tshark(result, npdus)

    def test_lifetime_modes(self):
        """What PDU Lifetime says in each mode."""
        for mode in ("split", "sgsn_only", "per_node"):
            with self.subTest(mode=mode):
                result = self.play(scenario.shipped("quickstart"), "--pcap", "--set", f"sgsn.lifetime.mode={mode}",
                                   "--set", "sgsn.lifetime.bss_max=1200 ms", name=mode)
                npdus = result.summary["conservation"]["sgsn"]["out"]
                self.judge(result, rules=f"lifetime=2s,bss_min=500ms,bss_max=1200ms,mode={mode}",
                           minimum={"lifetime": npdus, "pdu_lifetime": 0 if mode == "per_node" else npdus})
                told = {event.pdu.number(bssgp.LIFETIME) for event in events_of(result) if isinstance(event, gb.DlPdu)}
                self.assertTrue(told == TOLD_CS.get(mode) or mode == "split" and min(told) >= 50 and max(told) == 120, told)

    def test_two_cells(self):
        """Segments of 500 octets, nine classes of mobiles, two BVCs."""
        result = self.play(scenario.shipped("two-cells"), "--pcap")
        self.judge(result, "--n201-u", "500", rules="lifetime=15s", minimum={"segmentation": result.summary["gb"]["llc_frames"]})


if __name__ == "__main__":
    unittest.main()
