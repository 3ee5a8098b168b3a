# SPDX-License-Identifier: BSD-3-Clause
"""One narrow cell and its variants: what leaves conforms, what could leave does, what waits too long is dropped."""
import filecmp
import itertools
import os
import unittest

import captures
import gbflow
from gb_oracle import bssgp, gb, report as oracle_report

ONE_SECOND = 'bucket = "10000 octets", rate = "80 kbit/s"'
LIFETIME = 'lifetime = { mode = "split", sgsn_max = "15 s" }'
CELL = "bvc = one_second, ms_default = one_second"
BUCKETS = "bvc=10000:80000,ms=10000:80000"
IN_TIME = BUCKETS + ",lifetime=15s"
NSE_1 = """    {
      nsei = 101,
      nsvcs = { { nsvci = 101, address = "10.99.0.2", udp_port = 23000 } },
      cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } },
    },
"""
NSE_2 = NSE_1.replace("101", "102").replace("10.99.0.2", "10.99.0.3").replace("ci = 1 ", "ci = 2 ")
SECOND_CELL = ("ci = 1 } } }", "ci = 1 } }, { bvci = 1801, cell_id = { mcc = \"262\", mnc = \"42\", lac = 4660, rac = 5, ci = 2 } } }")
HALF = '{ bucket = "5000 octets", rate = "40 kbit/s" }'


def cell(*more):
    """The substitution that gives the emulated cell more keys."""
    return CELL, ", ".join((CELL,) + more)


def lifetime(text):
    return LIFETIME, f"lifetime = {{ {text} }}"


def own(tlli, bucket, rate, at):
    return f'{{ tlli = {tlli:#x}, bucket = "{bucket} octets", rate = "{rate} bit/s", at = "{at} s" }}'


# Name: substitutions in replay-80k.lua, rules for the oracle, more words for the oracle.
VARIANTS = {
    "as shipped": ([], IN_TIME, ()),
    "sgsn_only": ([('"split"', '"sgsn_only"')], IN_TIME + ",mode=sgsn_only", ()),
    "lifetime 3 s": ([('sgsn_max = "15 s"', 'sgsn_max = "3 s"')], BUCKETS + ",lifetime=3s", ()),
    "lifetime for the BSS": ([lifetime('sgsn_max = "15 s", bss_min = "2 s", bss_max = "9 s"')],
                             IN_TIME + ",bss_min=2s,bss_max=9s", ()),
    "n201_u 140": ([('n201_u = "500 octets"', 'n201_u = "140 octets"')], IN_TIME, ("--n201-u", "140")),
    "n201_u 1400": ([('n201_u = "500 octets"', 'n201_u = "1400 octets"')], IN_TIME, ("--n201-u", "1400")),
    "narrow mobiles": ([(CELL, 'bvc = one_second, ms_default = { bucket = "3000 octets", rate = "20 kbit/s" }')],
                       "bvc=10000:80000,ms=3000:20000,lifetime=15s", ()),
    "buckets below one PDU": ([(CELL, 'bvc = one_second, ms_default = { bucket = "400 octets", rate = "20 kbit/s" }'),
                               ('sgsn_max = "15 s"', 'sgsn_max = "600 s"'), ('queue_limit = "64 kB"', 'queue_limit = "8 kB"')],
                              "bvc=10000:80000,ms=400:20000,lifetime=600s", ()),
    "buckets below one PDU, 15 s": ([(CELL, 'bvc = one_second, ms_default = { bucket = "400 octets", rate = "20 kbit/s" }')],
                                    "bvc=10000:80000,ms=400:20000,lifetime=15s", ()),
    "mobiles of their own": ([cell("ms = { %s }" % ", ".join((
        own(0xC0000001, 2000, 10000, 3), own(0xC0000002, 20000, 120000, 0), own(0xC0000003, 600, 0, 12),
        own(0xC0000004, 1000, 0, 20), own(0xC0000004, 4000, 32000, 22), own(0xC0000009, 4000, 32000, 5))))], IN_TIME, ()),
    "announced each second": ([cell('announce_every = "1 s"')], IN_TIME, ()),
    "small queues": ([('queue_limit = "64 kB"', 'queue_limit = "4 kB"')], IN_TIME, ()),
}

def queue_octets(pairs):
    """What a mobile's queue holds in a variant."""
    limits = [int(new.split('"')[1].removesuffix(" kB")) for old, new in pairs if old.startswith("queue_limit")]
    return 1000 * (limits or [64])[0]


# What each check of the oracle must have examined, where it is less than in most variants.
LEAST = {"fcs": 1000, "nu_sequence": 1000, "segmentation": 1000, "reassembly_equal": 600, "order": 600, "causality": 600,
         "flow_control_ack": 2, "before_flow_control": 1000, "blocked": 1000, "conform_ms": 1000, "conform_bvc": 1000,
         "not_idle": 1000, "lifetime": 1000, "pdu_lifetime": 1000, "totals": 12}
FEWER = {"buckets below one PDU, 15 s": 800, "n201_u 1400": 600, "narrow mobiles": 800, "small queues": 500, "buckets below one PDU": 200}


def minimum(name):
    """How much the oracle must examine in a variant."""
    least = {check: min(count, FEWER.get(name, count)) for check, count in LEAST.items()}
    return least | ({"flow_control_ack": 100} if name == "announced each second" else {})


def events(result):
    """The Gb capture as the oracle reads it."""
    return gb.load(result.gb, oracle_report.Report())


class Narrow(gbflow.Case):
    """Takes the shipped capture, in which contexts end while packets wait for them, if a test does not set another."""
    capture = gbflow.CAPTURE

    def replay_text(self, pairs, *words, name="run"):
        node = self.write(name + ".lua", gbflow.node_text("replay-80k", [*pairs, gbflow.SMALL]))
        result = self.replay(node, *words, name=name, capture=self.capture)
        self.assertEqual(result.status, 0, result)
        return result

    def judge(self, result, *words, minimum, capture=None):
        return super().judge(result, *words, minimum=minimum, capture=capture or self.capture)

    def without_deletes(self):
        """A capture in which nobody leaves: what waits is not taken away."""
        return captures.pcap(self.path("gn.pcap"), captures.without_deletes(captures.shipped()))

    def test_variants(self):
        # The short form has each variant once, with the two captures in turn.
        both = list(itertools.product(VARIANTS.items(), (gbflow.CAPTURE, self.without_deletes())))
        for (name, (pairs, rules, words)), self.capture in both[::4] + both[3::4] if gbflow.IS_SHORT else both:
            with self.subTest(variant=name, capture=self.capture):
                result = self.replay_text(pairs)
                self.judge(result, "--rules", f"{rules},queue={queue_octets(pairs)}", *words, minimum=minimum(name))
                self.assertGreater(result.report["npdu"]["dropped"], 0)
                self.assertEqual(result.report["npdu"]["in"], 1736)
                self.assertEqual(result.report["npdu"]["queued"], 0)

    def test_shipped_file(self):
        """The file and the capture as they are, contexts that end included; small limits change nothing."""
        result = self.replay(os.path.join(gbflow.NODES, "replay-80k.lua"))
        self.assertEqual((result.status, result.stderr), (0, ""), result)
        self.judge(result, "--rules", IN_TIME, minimum=LEAST, capture=gbflow.CAPTURE)
        self.judge_by_tshark(result, result.report["npdu"]["out"])
        for reason in ("queue_full", "lifetime", "partial", "context_deleted"):
            self.assertGreater(result.report["drops"][reason], 0, reason)
        self.capture = gbflow.CAPTURE
        small = self.replay_text([], name="small")
        for ending in ("pcapng", "json"):
            self.assertTrue(filecmp.cmp(self.path("run." + ending), self.path("small." + ending), shallow=False), ending)
        self.assertEqual(result.stdout, small.stdout)

    def test_stopped_cell(self):
        """A bucket of nothing lets nothing through, and every packet grows too old or finds no room."""
        nothing = 'bvc = { bucket = "0 octets", rate = "0 bit/s" }, ms_default = one_second'
        result = self.replay_text([(CELL, nothing)])
        self.assertEqual(result.report["npdu"], {"in": 1736, "out": 0, "dropped": 1736, "queued": 0})
        self.assertFalse([event for event in events(result) if isinstance(event, gb.DlPdu)])
        self.assertEqual(result.report["sessions"][0]["sojourn_s"], {"n": 0, "p50": None, "p95": None, "max": None})
        self.judge(result, "--rules", "bvc=0:0,ms=10000:80000,lifetime=15s", minimum={"decode": 10, "announced": 2})

    def test_full_cell(self):
        """A bucket that never leaks lets its size through; then the cell waits for ever with what does not fit."""
        for capacity_octets, count in ((10000, 20), (3000, 6)):
            with self.subTest(capacity_octets=capacity_octets):
                full = f'bvc = {{ bucket = "{capacity_octets} octets", rate = "0 bit/s" }}, ms_default = one_second'
                result = self.replay_text([(CELL, full)])
                self.judge(result, "--rules", f"bvc={capacity_octets}:0,ms=10000:80000,lifetime=15s,queue=64000",
                           minimum={"conform_bvc": count, "needless_drop": 100})

    def test_segment_sizes_by_tshark(self):
        for octets in (140, 1400):
            with self.subTest(n201_u=octets):
                result = self.replay_text([('n201_u = "500 octets"', f'n201_u = "{octets} octets"')])
                self.judge_by_tshark(result, result.report["npdu"]["out"])

    def test_per_node(self):
        """Each frame tells the BSS to count anew, whatever its age is here."""
        result = self.replay_text([lifetime('mode = "per_node", sgsn_max = "15 s", bss_max = "20 s"')])
        self.judge(result, "--rules", IN_TIME + ",mode=per_node", minimum=LEAST | {"pdu_lifetime": 0})
        told = {event.pdu.number(bssgp.LIFETIME) for event in events(result) if isinstance(event, gb.DlPdu)}
        self.assertEqual(told, {2000})

    def test_two_cells(self):
        """Two cells of one BSS with rates of their own; mobiles are put in one after the other."""
        halves = f"}}, {{ bvci = 1801, bvc = {HALF}, ms_default = {HALF} }} }} }}"
        result = self.replay_text([SECOND_CELL, (CELL + " } } }", CELL + " " + halves)])
        self.judge(result, "--rules", "lifetime=15s", minimum=LEAST | {"flow_control_ack": 4})
        self.judge_by_tshark(result, result.report["npdu"]["out"])
        self.check_cells(events(result), {1800: (10000, 80000), 1801: (5000, 40000)})

    def test_two_bsses(self):
        """The same BVCI in two NSEs."""
        second = ' } }, { nsei = 102, cells = { { bvci = 1800, bvc = %s, ms_default = %s } } }' % (HALF, HALF)
        result = self.replay_text([(NSE_1, NSE_1 + NSE_2), (CELL + " } } }", CELL + " }" + second)])
        self.judge(result, "--rules", "lifetime=15s", minimum=LEAST | {"flow_control_ack": 4})
        for nsei, bucket in ((101, (10000, 80000)), (102, (5000, 40000))):
            self.check_cells([event for event in events(result) if event.nse == nsei.to_bytes(2, "big")], {1800: bucket})

    def check_cells(self, found, buckets):
        """Each cell announced its bucket and got LLC-PDUs."""
        announced = {event.bvci: (event.pdu.scaled(bssgp.BVC_BUCKET), event.pdu.scaled(bssgp.LEAK_RATE))
                     for event in found if event.pdu is not None and event.pdu.kind == bssgp.FC_BVC}
        self.assertEqual(announced, buckets)
        self.assertEqual({event.bvci for event in found if isinstance(event, gb.DlPdu)}, set(buckets))

    def test_stopped_mobile(self):
        """R = 0 for one mobile holds until Th has passed, five seconds after it was announced."""
        stop = cell("ms = { %s }" % own(0xC0000004, 1000, 0, 20))
        result = self.replay_text([stop])
        self.judge(result, "--rules", IN_TIME, minimum=LEAST | {"flow_control_ack": 4})
        found = events(result)
        ages = [(event.time_ns - found[0].time_ns, event.octets) for event in found
                if isinstance(event, gb.DlPdu) and event.tlli == 0xC0000004]
        stopped = [octets for age_ns, octets in ages if 20 * 10**9 < age_ns < 25 * 10**9]
        self.assertLessEqual(sum(stopped), 1000)
        self.assertTrue([octets for age_ns, octets in ages if 15 * 10**9 < age_ns < 20 * 10**9], "sent before")
        self.assertTrue([octets for age_ns, octets in ages if 25 * 10**9 <= age_ns < 26 * 10**9], "sent again")

    def test_cut_off(self):
        """Without lifetime and without time to drain, what waits at the end is queued; here that is something of everybody."""
        self.capture = self.without_deletes()
        endless = lifetime('sgsn_max = "infinite", bss_max = "infinite"')
        pairs = [endless, ('queue_limit = "64 kB"', 'queue_limit = "10 MB"'), ("80 kbit/s", "16 kbit/s")]
        result = self.replay_text(pairs, "--drain", "0")
        least = LEAST | {check: 100 for check in LEAST if check not in ("lifetime", "flow_control_ack", "totals")}
        self.judge(result, "--rules", "bvc=10000:16000,ms=10000:16000,lifetime=infinite", minimum=least | {"lifetime": 0})
        self.assertEqual(result.report["npdu"]["dropped"], 0)
        self.assertGreater(result.report["npdu"]["queued"], 1000)

    def test_cut_while_the_cell_waits(self):
        """Wherever the capture ends, with no time to drain, the cell may wait with a PDU that never leaves."""
        shipped = captures.shipped()
        for count in gbflow.some(range(300, len(shipped), len(shipped) // 8)):
            with self.subTest(frames=count):
                self.capture = captures.pcap(self.path("cut.pcap"), shipped[:count])
                result = self.replay_text([("10000 octets", "1000 octets")], "--drain", "0")
                self.judge(result, "--rules", "bvc=1000:80000,ms=1000:80000,lifetime=15s,queue=64000", minimum={"not_idle": 20})

    def test_drain(self):
        """The longer the drain, the more leaves; with enough of it all that was not dropped."""
        self.capture = self.without_deletes()
        endless = lifetime('sgsn_max = "infinite", bss_max = "infinite"')
        out = [self.replay_text([endless], "--drain", seconds).report["npdu"] for seconds in ("0", "5", "1000")]
        self.assertLess(out[0]["out"], out[1]["out"])
        self.assertLess(out[1]["out"], out[2]["out"])
        self.assertEqual(out[2]["queued"], 0)
        self.assertEqual(sum(out[0].values()), sum(out[2].values()))

    def test_twice(self):
        """Two runs over the same input give the same octets everywhere."""
        for name in ("as shipped", "mobiles of their own"):
            with self.subTest(variant=name):
                first = self.replay_text(VARIANTS[name][0], name="first")
                second = self.replay_text(VARIANTS[name][0], name="second")
                self.assertTrue(filecmp.cmp(first.gb, second.gb, shallow=False))
                self.assertTrue(filecmp.cmp(first.json, second.json, shallow=False))
                self.assertEqual((first.stdout, first.stderr), (second.stdout, second.stderr))


if __name__ == "__main__":
    unittest.main()
