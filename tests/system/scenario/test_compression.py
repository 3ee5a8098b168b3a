# SPDX-License-Identifier: BSD-3-Clause
"""SNDCP's compression between the SGSN and mobiles of scenarios: uplink ACKs shrink, and all payload arrives."""
import os
import unittest

import scenario

OCTETS = 200000
OFFER = "compression = { rfc1144 = { slots = 8 } },"


def mobile(*, offer="", mode=""):
    return f'{{ name = "a", {offer} {mode} traffic = {{ {{ download = {{ octets = "{OCTETS} octets", start = "1 s" }} }} }} }},'


def text(mobiles, *, sgsn="", cells="", rest=""):
    return scenario.text(duration="120 s", sgsn=sgsn, cells=f"pdchs = 4, {cells}", mobiles=mobiles,
                         rest=f"tcp = {{ timestamps = false }}, {rest}")


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

    def test_what_the_sgsn_refuses_stays_plain(self):
        summary = self.play_one("off", mobile(offer=OFFER), sgsn='compression = { mode = "off" },')
        counts = summary["compression_mobiles"]
        self.assertEqual((counts["accepted"], counts["refused"], counts["unanswered"]), (0, 1, 0))
        self.assertEqual(counts["rfc1144"]["up"]["npdus"], 0)

    def test_losses_on_the_air_are_survived(self):
        summary = self.play_one("lossy", mobile(offer=OFFER), cells='rlc = "unacknowledged", bler = "0.1 %",')
        self.assertEqual(summary["compression_mobiles"]["accepted"], 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
