# SPDX-License-Identifier: BSD-3-Clause
"""SNDCP's compression at Gb: what an analysis restores and counts, against what the mobiles of a run have counted."""
import os
import shutil
import subprocess
import unittest

import llc_count
import program

OFFER = "compression = { rfc1144 = {}, v42bis = {} },"
ACKNOWLEDGED = 'llc = "acknowledged", acknowledged = { t200 = "1 s", n200 = 15, k_down = 64 },'
WAYS = {"downlink": "down", "uplink": "up"}
KINDS = ("rfc1144", "v42bis")


def text(offer, content="text", more="", cells=""):
    return f"""return {{ title = "SNDCP", duration = "60 s",
      sgsn = {{ n201_u = "500 octets", queue_limit = "1 MB", acknowledged = {{ t200 = "1 s", n200 = 15, k_down = 64 }} }}, cells = {{ {{ bvci = 2, coding = "CS-4", pdchs = 4, {cells} }} }},
      tcp = {{ timestamps = false, content = "{content}" }},
      mobiles = {{ {{ name = "a", count = 3, {offer} {more} traffic = {{ {{ download = {{ octets = "60000 octets", start = "1 s" }} }},
        {{ upload = {{ octets = "30000 octets", start = "1 s" }} }} }} }} }} }}"""


class Sndcp(program.Case):
    def play(self, scenario, links="gb"):
        """(compression_mobiles of the summary, path of the capture)"""
        out = self.path("run")
        done = program.gbflow.run("run", self.write("scenario.lua", scenario), f"--pcap={links}", "--no-report", "--no-series", "--out", out)
        self.assertEqual(done.status, 0, done.stderr)
        summary = program.gbflow.read_json(os.path.join(out, "summary.json"))
        return summary.get("compression_mobiles"), os.path.join(out, "gb.pcapng")

    def compression_of(self, path, *words):
        return self.analyze(path, *words)[0]["llc"]["compression"]

    def expect_equal(self, found, counts):
        """All octets and N-PDUs that became shorter are those of the mobiles."""
        for way, name in WAYS.items():
            self.assertEqual(set(found[way]["npdus_lost"].values()), {0})
            self.assertEqual(set(found[way]["frames_not_read"].values()), {0})
            for kind in KINDS:
                ours, theirs = found[way][kind], counts[kind][name]
                self.assertEqual((way, kind, ours["octets_saved"]), (way, kind, theirs["octets_before"] - theirs["octets_after"]), (ours, theirs))
                self.assertEqual(ours["shorter"], theirs["shorter"])

    def saved(self, found, way):
        return sum(found[way][kind]["octets_saved"] for kind in KINDS)

    def would_save(self, found, way):
        return sum(found[way]["would_be"][kind]["octets_saved"] for kind in KINDS)

    def test_what_is_saved_and_would_be(self):
        """Of random octets the two runs have the same N-PDUs; of text the N-PDUs differ, since the compressed run is faster."""
        for content, share in (("random", 0.002), ("text", 0.2)):
            counts, path = self.play(text(OFFER, content))
            found = self.compression_of(path)
            self.expect_equal(found, counts)
            self.assertEqual(found["entities"] | {"proposed": 6, "rfc1144": 3, "v42bis": 3, "refused": 0}, found["entities"])
            none, path = self.play(text("", content))
            plain = self.compression_of(path)
            self.assertIsNone(none)
            for way in WAYS:
                self.assertGreater(self.saved(found, way), 2000)
                self.assertEqual(self.saved(plain, way), 0)
                self.assertAlmostEqual(self.would_save(plain, way) / self.saved(found, way), 1, delta=share)

    def test_all_counts_what_became_shorter(self):
        """Of restored N-PDUs by either kind, whole headers not among them; of plain ones each once, whatever kinds would act."""
        counts, path = self.play(text(OFFER))
        found = self.compression_of(path)
        for way, name in WAYS.items():
            row, both = found[way], [found[way][kind]["shorter"] for kind in KINDS]
            self.assertTrue(max(both) <= row["shorter"] <= sum(both), row)
            self.assertLess(row["shorter"], row["compressed"])  # the first header of a connection is whole
            self.assertEqual(row["octets_before"] - row["octets_after"], sum(row[kind]["octets_saved"] for kind in KINDS))
        _, path = self.play(text(""))
        for row in map(self.compression_of(path).get, WAYS):
            would, both = row["would_be"], [row["would_be"][kind]["shorter"] for kind in KINDS]
            self.assertEqual((would["all"]["npdus"], row["shorter"]), (row["npdus"], 0))
            self.assertTrue(max(both) <= would["all"]["shorter"] <= min(sum(both), row["npdus"]), would)
            self.assertEqual(would["all"]["octets_saved"], sum(would[kind]["octets_saved"] for kind in KINDS))
        said = self.said(path)
        self.assertRegex(said, rf"(?m)^  uplink +all would +{row['npdus']} +{would['all']['shorter']} ")
        self.assertNotIn("unknown", said)

    def said(self, path, *words):
        """What the command prints."""
        done = program.gbflow.run("analyze", path, "--out", self.path("said"), "--no-report", *words)
        self.assertEqual(done.status, 0, done.stderr)
        return done.stdout

    def begun_late(self, path):
        """The last three fifths of a capture: no XID is in it."""
        rows = llc_count.read(path)
        return llc_count.write(self.path("late.pcapng"), rows[2 * len(rows) // 5:])

    def test_a_capture_that_began_after_the_xid(self):
        """Entities are unknown: what they saved is not told, and their plain N-PDUs do not count as those of phones that do not compress."""
        _, path = self.play(text(OFFER))
        late = self.begun_late(path)
        found = self.compression_of(late)
        self.assertEqual((found["entities"]["unknown"], found["entities"]["rfc1144"]), (6, 0))
        said = self.said(late)
        self.assertIn("Entities of some mobiles are unknown: the capture lacks their XID, or began after it", said)
        for way in WAYS:
            row = found[way]
            lost = row["npdus_lost"]["no_entity"]
            self.assertGreater(lost, 30)
            self.assertGreater(row["octets_unknown"], lost)
            self.assertEqual((row["would_be"]["all"]["npdus"], row["would_be"]["rfc1144"]["npdus"]), (0, 0))
            self.assertEqual((row["rfc1144"]["saved_share"], row["v42bis"]["saved_share"]), (None, None))
            self.assertIn(f"  {way:9} entities unknown: {lost} compressed N-PDUs, {row['octets_unknown']} octets, not in the rows above", said)
            self.assertNotRegex(said, rf"(?m)^  {way} .* \d+\.\d\d$")
        _, path = self.play(text(""))
        plain = self.compression_of(self.begun_late(path))
        self.assertEqual(plain["entities"]["unknown"], 0)
        self.assertGreater(self.would_save(plain, "downlink"), 2000)

    def test_tcp(self):
        """Restored N-PDUs have the connections of the same run's capture at Gi."""
        names = ("mobile", "mobile_port", "server", "server_port", "opened_by", "packets", "payload_octets", "uplink_octets", "retransmitted", "mss")
        _, path = self.play(text(OFFER), "gi,gb")
        (gb, at_gb), (gi, at_gi) = self.analyze(path), self.analyze(path.replace("gb.pcapng", "gi.pcapng"))
        picked = [sorted(tuple(row[name] for name in names) for row in rows) for rows in (at_gb, at_gi)]
        self.assertEqual(*picked)
        self.assertEqual((gb["connections"], gb["capture"]["tcp"], gb["loss"]["data_packets"]),
                         (6, gi["capture"]["tcp"], gi["loss"]["data_packets"]))

    def test_losses(self):
        """Of the radio uplink, in front of the monitor: segments are missing, and RFC 1144 restores shifted numbers, which TCP's checksum finds."""
        _, path = self.play(text(OFFER, cells='rlc = "unacknowledged", bler = "0.5 %",'))
        analysis, rows = self.analyze(path)
        found = analysis["llc"]["compression"]
        self.assertEqual(set(found["downlink"]["npdus_lost"].values()), {0})
        lost = found["uplink"]["npdus_lost"]
        self.assertGreater(lost["incomplete"], 0)
        self.assertGreater(lost["checksum"], 0)
        self.assertEqual((lost["no_entity"], lost["header"], lost["data"]), (0, 0, 0))
        self.assertEqual({row["uplink_octets"] for row in rows} & {"30000"}, {"30000"})

    def test_acknowledged(self):
        """I frames are read in the order of N(S), also where the radio loses one in twenty: all that the mobiles count is restored."""
        for cells in ("", 'rlc = "unacknowledged", bler = "5 %",'):
            counts, path = self.play(text(OFFER, more=ACKNOWLEDGED, cells=cells))
            analysis, rows = self.analyze(path)
            self.expect_equal(analysis["llc"]["compression"], counts)
            self.assertEqual(bool(analysis["llc"]["uplink"]["late"]), bool(cells))
            self.assertEqual(sorted(row["payload_octets"] for row in rows), sorted(["60000", "0"] * 3))

    def test_frames_that_the_capture_lacks(self):
        """Dictionaries of V.42bis lack them, too: what follows is counted until the next establishment."""
        _, path = self.play(text(OFFER, more=ACKNOWLEDGED))
        rows = llc_count.read(path)
        part = llc_count.write(self.path("part.pcapng"), rows[:len(rows) // 3] + rows[len(rows) // 3 + 3:])
        found = self.compression_of(part)
        self.assertGreater(sum(found[way]["npdus_lost"]["tossed"] for way in WAYS), 10)
        self.assertEqual([found[way]["npdus_lost"]["data"] for way in WAYS], [0, 0])

    def test_mobiles_beyond_the_limits(self):
        """Their N-PDUs are counted."""
        _, path = self.play(text(OFFER))
        found = self.compression_of(path, "--set", "entities=1")
        self.assertEqual(found["entities"]["no_room"], 5)
        self.assertGreater(found["downlink"]["npdus_lost"]["no_entity"], 100)
        _, path = self.play(text(""))
        found = self.compression_of(path, "--set", "compared=1")["downlink"]
        self.assertEqual(found["would_be"]["no_room"] + found["would_be"]["rfc1144"]["npdus"], found["npdus"])
        self.assertEqual(found["would_be"]["rfc1144"]["npdus"] * 3, found["npdus"])

    @unittest.skipUnless(shutil.which("tshark") or os.environ.get("CI") == "true", "tshark is not installed")
    def test_tshark(self):
        """It names the entities of the XID frames, and PCOMP and DCOMP of first segments; as many as the analysis has."""
        _, path = self.play(text(OFFER))
        found = self.compression_of(path)
        words = ["tshark", "-n", "-r", path, "-d", "udp.port==23000,gprs-ns"]
        tree = subprocess.run([*words, "-V", "-Y", "llcgprs.xidtype == 11"], check=True, capture_output=True, text=True).stdout
        for algorithm in ("Algorithm V.42 bis", "Algorithm RFC 1144"):
            self.assertEqual((tree.count(", " + algorithm), tree.count("decoded as " + algorithm)), (3, 3), tree)
        fields = subprocess.run([*words, "-Y", "sndcp.f == 1", "-T", "fields", "-E", "occurrence=f", "-e", "bssgp.pdu_type",
            "-e", "sndcp.dcomp", "-e", "sndcp.pcomp"], check=True, capture_output=True, text=True).stdout
        rows = [[int(field, 0) for field in line.split("\t")] for line in fields.splitlines()]
        for way, pdu_type in (("downlink", 0), ("uplink", 1)):
            mine = [row for row in rows if row[0] == pdu_type]
            self.assertEqual(len(mine), found[way]["npdus"])
            self.assertEqual(sum(dcomp == 1 for _, dcomp, _ in mine), found[way]["v42bis"]["npdus"])
            self.assertEqual(sum(pcomp == 1 for _, _, pcomp in mine), found[way]["rfc1144"]["full"])
            self.assertEqual(sum(pcomp in (1, 2) for _, _, pcomp in mine), found[way]["rfc1144"]["npdus"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
