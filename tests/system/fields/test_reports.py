# SPDX-License-Identifier: BSD-3-Clause
"""Every field of every report has a descriptor, and every descriptor a field in some report; the conditions under which
some are left out hold. The report of `gbflow emulate`, which needs TUN devices, is judged in tests/system/live/test_emulate.py."""
import csv
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("scenario", "replay", "live"):
    sys.path.insert(0, os.path.join(os.path.dirname(HERE), folder))

import described  # noqa: E402  pylint: disable=wrong-import-position
import node  # noqa: E402  pylint: disable=wrong-import-position
import scenario  # noqa: E402  pylint: disable=wrong-import-position
import test_traffic  # noqa: E402  pylint: disable=wrong-import-position
from scenario import gbflow  # noqa: E402  pylint: disable=wrong-import-position

AQM = 'aqm = { scheme = "codel" }'
SHARDED = {"workers[]", "mobility"}  # of nodes with several workers only
PACED = {"pacing[]"}                 # of nodes that change the TCP of their mobiles only
LINK = {"cells.BVCI.link.WAY"}      # of cells with link only
MOVED = {"reselection"}              # of scenarios with mobility only
ACCESS = {"cells.BVCI.access", "cells.BVCI.tbf"}  # of cells with access, and with procedures of TBFs, only
ACKNOWLEDGED = {"acknowledged[]"}    # of nodes with links in LLC's acknowledged mode only
COMPRESSION = {"compression[]"}      # of nodes with sndcp.compression only
SGSNS = {"relocation", "sgsns.NAME"}  # of scenarios with several SGSNs only
MESSAGES = {"llc.unhandled[]"}       # of mobiles that send messages of layer 3 only


def two_workers():
    """A scenario of two BSSs at two workers, a mobile that pings, receives UDP and moves."""
    cell = 'bvci = %d, nse = %d, pdchs = 4, coding = "CS-2", flow_control = { bucket_time = "60 s" }'
    text = scenario.text(duration="10 s", sgsn="workers = 2", mobiles='{ name = "m", traffic = { { ping = {} }, { cbr = { rate = "8 kbit/s" } } } }',
                         rest='moves = { { at = "3 s", mobile = "m", cell = 3 } },')
    cells = f"cells = {{ {{ {cell % (2, 1)} }}, {{ {cell % (3, 2)} }} }},"
    return re.sub(r"(?m)^  cells = .*$", lambda _: "  " + cells, text)


def with_items():
    """Fields of scenarios with some items of traffic only: their condition says so, and a run with each kind has them."""
    fields = described.descriptors(gbflow.program())["summary"]
    found = {path for path, field in fields.items() if field.get("when", "").endswith(" items")}
    return {path for path in found if not any(path.startswith(f"{other}.") for other in found | {"groups.GROUP"})}


class Judge(unittest.TestCase):
    """What described.faults() has to find."""

    def test_faults(self):
        number = {"kind": "gauge"}
        fields = {"a.X": {"kind": "record"}, "a.X.b": number, "c[].d": number, "e.REASON": {**number, "words": {"f": "", "g": ""}},
                  "h": {**number, "when": "sometimes"}}
        right = {"a": {"one": {"b": 1}}, "c": [{"d": 1}, {"d": 2}], "e": {"f": 0, "g": 0}}
        rows = [
            ([right], []),
            ([{**right, "h": 1}], []),
            ([{**right, "c": []}, right], []),
            ([{**right, "i": 1}], ["i: described by no field"]),
            ([{**right, "e": {"f": 0, "j": 0}}], ["e.j: described by no field"]),
            ([{**right, "c": []}], ["c[].d: in no report"]),
            ([{**right, "a": {}}, {**right, "c": []}], []),
            ([{**right, "a": {"one": 1}}], ["a.one: described by no field", "a.X.b: in no report"]),
        ]
        for values, expected in rows:
            self.assertEqual(described.faults(fields, *values), expected)
        self.assertEqual(described.seen(fields, right), {"a.X.b", "c[].d", "e.REASON"})


class Reports(scenario.Case):
    def check(self, report, conditional, *values):
        """No fault; the conditions are of these fields and those below them."""
        fields = described.descriptors(gbflow.program())[report]
        self.assertEqual(described.faults(fields, *values), [])
        heads = {path for path, field in fields.items() if "when" in field
                 and not any(path.startswith(f"{head}.") for head in conditional)}
        self.assertEqual(heads, conditional)
        return fields

    def check_sharded(self, fields, one, several):
        """Fields of nodes with several workers are in a report of such a node, and not in that of one worker."""
        for value, expected in ((one, set()), (several, SHARDED)):
            self.assertEqual(SHARDED & {path.split(".")[0] for path in described.seen(fields, value)}, expected)

    def test_summary(self):
        values = [
            self.play(scenario.shipped("quickstart"), "--set", f"sgsn.queues={{ {AQM} }}", name="quick"),
            self.play(scenario.shipped("gprs-buffering"), "--set", "duration=60 s", name="paper"),
            self.play_text(two_workers(), name="workers"),
            self.play_text(test_traffic.each_kind(self).replace("traffic =", "count = 2, traffic ="), name="kinds"),
            self.play(scenario.shipped("quickstart"), "--set", 'sgsn.queues.pacing={ classes = { "thp2" } }', name="paced"),
            self.play(os.path.join(gbflow.ROOT, "config", "studies", "radio-link.lua"), "--set", "duration=60 s", name="link"),
            self.play(scenario.shipped("radio-mobility"), "--set", "duration=60 s", "--set", "cells[1].access={}",
                      "--set", "cells[1].tbf.t3190=5 s", name="moved"),
            self.play(scenario.shipped("quickstart"), "--set", "duration=60 s", "--set", "mobiles[1].llc=acknowledged", name="llc"),
            self.play(scenario.shipped("quickstart"), "--set", "duration=60 s", "--set", "mobiles[1].compression={ rfc1144 = {} }",
                      "--set", "mobiles[1].server_delay=1 s", name="packed"),
            self.play(scenario.shipped("sgsn-change"), "--set", "duration=60 s", "--set", f"sgsn.queues={{ {AQM} }}", "--set",
                      'sgsn.queues.pacing={ classes = { "background" } }', name="sgsns"),
        ]
        alone, _, workers, _, paced, linked, moved, llc, _, sgsns = (result.summary for result in values)
        conditional = SHARDED | MESSAGES | PACED | LINK | MOVED | ACCESS | ACKNOWLEDGED | COMPRESSION | SGSNS
        conditional |= {"acknowledged_mobiles", "compression_mobiles", "groups.GROUP"} | with_items()
        fields = self.check("summary", conditional, *(result.summary for result in values))
        self.check_sharded(fields, alone, workers)
        for value, expected in ((alone, set()), (paced, PACED)):
            self.assertEqual(PACED & {path.split(".")[0] for path in described.seen(fields, value)}, expected)
        for value, expected in ((alone, set()), (moved, MOVED)):
            self.assertEqual(MOVED & {path.split(".")[0] for path in described.seen(fields, value)}, expected)
        for value, expected in ((alone, set()), (sgsns, {"relocation", "sgsns"})):
            self.assertEqual({"relocation", "sgsns"} & {path.split(".")[0] for path in described.seen(fields, value)}, expected)
        for value, expected in ((alone, set()), (llc, {"acknowledged[]", "acknowledged_mobiles"})):
            self.assertEqual({path.split(".")[0] for path in described.seen(fields, value)} & (ACKNOWLEDGED | {"acknowledged_mobiles"}), expected)
        for value, expected in ((alone, 0), (linked, 6)):
            self.assertEqual(sum(path.startswith(f"{head}.") for path in described.seen(fields, value) for head in LINK), expected)

    def test_series(self):
        """The file's names are the descriptors', all of them."""
        found = set()
        for name in ("quickstart", "gprs-buffering"):
            result = self.play(scenario.shipped(name), "--set", "duration=60 s", name=name)
            with open(os.path.join(result.out, "series.csv"), encoding="utf-8", newline="") as file:
                found |= {row["name"] for row in csv.DictReader(file)}
        self.assertEqual(found, set(described.descriptors(gbflow.program())["series"]))

    def test_replay(self):
        pair = [("return {\n", f"return {{\n  queues = {{ {AQM} }},\n")]
        narrow = self.replay(self.write("aqm.lua", gbflow.node_text("replay-80k", pair)), name="narrow").report
        shards = [("return {\n", "return {\n  workers = 2,\n")]
        links = [("return {\n", "return {\n  llc = { acknowledged = { links = 1 } },\n")]
        links += [("  nses = {", "  sndcp = { compression = { mode = \"passive\", rfc1144 = {} } },\n  nses = {")]
        acknowledged = self.replay(self.write("links.lua", gbflow.node_text("replay-80k", links)), name="links").report
        wide = self.replay(self.write("two.lua", gbflow.node_text("replay-open", shards)), name="wide").report
        fields = self.check("replay", SHARDED | MESSAGES | ACKNOWLEDGED | COMPRESSION, narrow, wide, acknowledged)
        self.check_sharded(fields, narrow, wide)

    def serve(self, **values):
        running = node.Node(**values)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running

    def test_serve_and_show(self):
        """A node on virtual devices: its tables have the columns of the descriptors, its report the fields."""
        reports = []
        shown = described.descriptors(gbflow.program())["show"]
        packing = ', sndcp = { compression = { mode = "passive", v42bis = {} } }'
        for workers, paced, packed, ports in ((1, "", "", {"gn": "net_ring0", "gb": "net_ring1"}),
                                              (2, ', pacing = { classes = { "thp2" } }', packing, {"gn": "net_null0", "gb": "net_null1"})):
            running = self.serve(workers=workers, more=f", queues = {{ {AQM}{paced} }}, llc = {{ acknowledged = {{ links = 1 }} }}{packed}", **ports)
            for table in (path[:-2] for path, field in shown.items() if field["kind"] == "record"):
                columns = running.run_show(table).stdout.splitlines()[0].split()
                self.assertEqual([f"{table}[].{column}" for column in columns],
                                 [path for path in shown if path.startswith(f"{table}[].")])
            self.assertEqual(running.stop(), 0)
            reports.append(running.report)
        fields = self.check("serve", SHARDED | MESSAGES | PACED | ACKNOWLEDGED | COMPRESSION, *reports)
        self.check_sharded(fields, *reports)
        self.assertEqual([len(report.get("pacing", [])) for report in reports], [0, 2])


if __name__ == "__main__":
    unittest.main()
