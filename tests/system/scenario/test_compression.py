# SPDX-License-Identifier: BSD-3-Clause
"""SNDCP's compression between the SGSN and mobiles of scenarios: uplink ACKs shrink, and all payload arrives."""
import os
import unittest

import scenario
from gb_oracle import bssgp, gb, report

OCTETS = 200000
OFFER = "compression = { rfc1144 = { slots = 8 } },"
SAPI, XID, UI, PAGE_OCTETS = 3, 0xFB, 0xC0, 20000
VERSION, DATA = b"\0\1\0", 1  # of SNDCP's parameters
# The directions of the mobile, those of the SGSN, and P0 of the command and of the answer (TS 44.065 6.6.2: 1 is from mobile to
# SGSN alone, 2 from SGSN to mobile alone); an answer of None refuses the entity.
DIRECTIONS = (("uplink", "both", 1, 1), ("downlink", "both", 2, 2), ("both", "uplink", 3, 1), ("both", "downlink", 3, 2),
              ("both", "both", 3, 3), ("uplink", "downlink", 1, None))


def mobile(*, offer="", mode=""):
    return f'{{ name = "a", {offer} {mode} traffic = {{ {{ download = {{ octets = "{OCTETS} octets", start = "1 s" }} }} }} }},'


def text(mobiles, *, sgsn="", cells="", rest=""):
    return scenario.text(duration="120 s", sgsn=sgsn, cells=f"pdchs = 4, {cells}", mobiles=mobiles,
                         rest=f"tcp = {{ timestamps = false }}, {rest}")


def frames(result):
    """(whether it is downlink, LLC-PDU) of all UNITDATA at Gb."""
    for event in gb.load(os.path.join(result.out, "gb.pcapng"), report.Report()):
        if event.pdu and event.pdu.kind in (bssgp.UL_UNITDATA, bssgp.DL_UNITDATA):
            yield event.pdu.kind == bssgp.DL_UNITDATA, event.pdu.elements[bssgp.LLC_PDU]


def p0_of(frame):
    """P0 of V.42bis, alone in an XID command or response; None: refused."""
    block = frame[frame.index(VERSION) + 3:-3]
    assert block[0] == DATA, block
    entity = block[2:]
    nsapis = entity[4:] if entity[0] & 0x80 else entity[2:]  # behind number, algorithm, length and DCOMP; or number and length
    return nsapis[2] if nsapis[:2] != b"\0\0" else None


def seen_at_gb(result):
    """P0 of each XID with entities, and the directions (1 up, 2 down) of UI frames with DCOMP."""
    found, ways = [], 0
    for is_down, frame in frames(result):
        if frame[0] & 15 != SAPI:
            continue
        if frame[1] == XID and VERSION in frame:
            found.append(p0_of(frame))
        elif frame[1] & 0xE0 == UI and frame[3] & 0x40 and frame[4] >> 4:
            ways |= 1 + is_down
    return found, ways


class Compression(scenario.Case):
    def play_one(self, name, mobiles, **rest):
        result = self.play_text(text(mobiles, **rest), name=name)
        self.assertEqual(result.summary["tcp"][0]["octets"], OCTETS, result)
        return result.summary

    def octets_of(self, name, mode):
        """The octets of the files of a run, for the comparison of two."""
        result = self.play_text(text(mobile(offer=OFFER, mode=mode)), "--pcap=gb", name=name)
        files = {}
        for file in ("summary.json", "gb.pcapng"):
            with open(os.path.join(result.out, file), "rb") as stream:
                files[file] = stream.read().replace(name.encode() + b".lua", b"")
        return files

    def test_acknowledgements_have_less_than_half_of_the_octets(self):
        """The uplink of the download is its ACKs alone. Two runs are equal."""
        for name, mode in (("ui", ""), ("abm", 'llc = "acknowledged",')):
            summary = self.play_one(name, mobile(offer=OFFER, mode=mode))
            counts = summary["compression_mobiles"]
            self.assertEqual((counts["accepted"], counts["refused"], counts["unanswered"], counts["lost"]), (1, 0, 0, 0))
            up = counts["rfc1144"]["up"]
            self.assertGreater(up["npdus"], 50)
            self.assertLess(up["octets_after"] * 2, up["octets_before"])
            self.assertLess(counts["rfc1144"]["down"]["octets_after"], counts["rfc1144"]["down"]["octets_before"])
            self.assertEqual(self.octets_of(name + "-one", mode), self.octets_of(name + "-two", mode))

    def test_the_printed_table_is_that_of_the_summary(self):
        """Of each kind and direction with N-PDUs; refused offers are said, and nothing without an offer."""
        result = self.play_text(text(mobile(offer=OFFER)), name="printed")
        row = result.summary["compression_mobiles"]
        lines = result.stdout.splitlines()
        at = lines.index("SNDCP compression: 1 entities accepted, 0 refused, 0 offers unanswered, 0 N-PDUs lost")
        for line, (way, name) in zip(lines[at + 1:], (("down", "downlink"), ("up", "uplink"))):
            counts = row["rfc1144"][way]
            saved = 100 * (1 - counts["octets_after"] / counts["octets_before"])
            self.assertEqual(line.split(), ["rfc1144", name, str(counts["npdus"]), "N-PDUs,", str(counts["shorter"]), "shorter:",
                                            str(counts["octets_before"]), "octets", "became", str(counts["octets_after"]) + ",",
                                            f"{saved:.1f}", "%", "saved"])
        self.assertNotIn("v42bis", result.stdout)
        refused = self.play_text(text(mobile(offer=OFFER), sgsn='compression = { mode = "off" },'), name="refused").stdout
        self.assertIn("SNDCP compression: 0 entities accepted, 1 refused, 0 offers unanswered, 0 N-PDUs lost\n\nSGSN:", refused)
        self.assertNotIn("compression", self.play_text(text(mobile()), name="plain").stdout)

    def test_what_the_sgsn_refuses_stays_plain(self):
        summary = self.play_one("off", mobile(offer=OFFER), sgsn='compression = { mode = "off" },')
        counts = summary["compression_mobiles"]
        self.assertEqual((counts["accepted"], counts["refused"], counts["unanswered"]), (0, 1, 0))
        self.assertEqual(counts["rfc1144"]["up"]["npdus"], 0)

    def saved(self, name, traffic):
        """Shares of the octets of N-PDUs that V.42bis saves up and down."""
        offer = "compression = { v42bis = {} },"
        result = self.play_text(text(f'{{ name = "a", {offer} traffic = {{ {{ {traffic} }} }} }},'), name=name)
        up, down = result.summary["compression_mobiles"]["v42bis"]["up"], result.summary["compression"][0]
        return [1 - left / before if before else None
                for before, left in ((up["octets_before"], up["octets_after"]), (down["octets"], down["octets_left"]))]

    def test_payload_is_as_its_content_says(self):
        """Without `content` the payload of what has no TCP is not compressed, but for headers and what numbers packets."""
        rows = ((0.0, 0.06, ""), (0.22, 0.4, 'content = "text",'), (0.85, 1, 'content = "zeros",'))
        self.write("sizes.csv", "time_s,octets\n0,1000\n1,1400\n2,1000\n")
        for place, (least, most, content) in enumerate(rows):
            for kind, ways, traffic in (("cbr", (1,), 'cbr = { rate = "8 kbit/s", packet = "1000 octets", %s }'),
                                        ("ping", (0, 1), 'ping = { octets = "1000 octets", %s }'),
                                        ("trace", (0,), 'trace = { file = "sizes.csv", way = "up", %s }')):
                with self.subTest(kind=kind, content=content):
                    found = self.saved(f"{kind}{place}", traffic % content)
                    for way in ways:
                        self.assertTrue(least <= found[way] <= most, found[way])

    def test_one_direction(self):
        """P0 of the command and of the answer at Gb, and what is compressed: the other direction goes as it is."""
        page = f'octets = "{PAGE_OCTETS} octets", tcp = {{ content = "text" }}'
        for mode in ("unacknowledged", "acknowledged"):
            for place, (own, others, asked, answered) in enumerate(DIRECTIONS):
                with self.subTest(mode=mode, mobile=own, sgsn=others):
                    offer = f'compression = {{ v42bis = {{ direction = "{own}" }} }}, llc = "{mode}",'
                    traffic = f'{{ download = {{ {page} }} }}, {{ upload = {{ {page} }} }}'
                    result = self.play_text(text(f'{{ name = "a", {offer} traffic = {{ {traffic} }} }},',
                                                 sgsn=f'compression = {{ mode = "passive", v42bis = {{ direction = "{others}" }} }},'),
                                            "--pcap=gb", name=f"{mode}{place}")
                    self.assertEqual([record["octets"] for record in result.summary["tcp"]], [PAGE_OCTETS] * 2)
                    self.check_directions(result, asked, answered, mode)

    def check_directions(self, result, asked, answered, mode):
        found, ways = seen_at_gb(result)
        self.assertEqual(found, [asked, answered])
        if mode == "unacknowledged":
            self.assertEqual(ways, answered or 0)
        counts, agreed = result.summary["compression_mobiles"]["v42bis"], answered or 0
        for bit, way in ((1, "up"), (2, "down")):
            with self.subTest(way=way):
                self.assertEqual(counts[way]["shorter"] > 10, bool(agreed & bit), counts)
                self.assertEqual(counts[way]["shorter"] > 0, bool(agreed & bit), counts)

    def test_losses_on_the_air_are_survived(self):
        summary = self.play_one("lossy", mobile(offer=OFFER), cells='rlc = "unacknowledged", bler = "0.1 %",')
        self.assertEqual(summary["compression_mobiles"]["accepted"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
