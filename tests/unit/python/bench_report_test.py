#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The page of what `gbflow bench` wrote: every figure of each mode is on it; what is no report is named."""

import copy
import json
import os
import pathlib
import subprocess
import unittest

import setting

OLD = pathlib.Path(__file__).resolve().parents[2] / "data" / "reports" / "bench-1.json"

POINT = {"octets": 64, "cipher": "none", "mobiles": 1000, "cells": 10, "workers": 1}
MEDIAN = {"ns_per_npdu": 81.25, "ns_lower_quartile": 80.5, "ns_upper_quartile": 83.5, "ns_median_low": 81.0, "ns_median_high": 82.0}
STEP = ["gn_ring", "decode", "lookup", "buffers", "queue", "pick", "headers", "fcs", "cipher", "hand_over", "gb_ring"]


def report(*trials):
    return {"schema": "gbflow-bench/2",
            "machine": {"cpu": "Some CPU <9>", "processors": 2, "is_virtual": True, "has_avx512": False, "has_huge_pages": True,
                        "tsc_hz": 2600000000, "memory_octets": 24 << 30, "load": 0.25, "kernel": "Linux 6.1", "dpdk": "DPDK 22.11"},
            "plan": {"n201_u": 500, "aqm": "codel", "seed": 1}, "trials": list(trials)}


def preloaded(**more):
    return {"mode": "preloaded", **POINT, **MEDIAN, "npdu_per_s": 12307692.0, "ndr_npdu_per_s": None, "pdr_npdu_per_s": None,
            "ns_with_ports": 99.75, "npdu_per_s_with_ports": 1e7, "latency_us": None, "roofline_share": None, "voided_trials": 17,
            "windows": 100, "fault": None, **more}


def ndr(**more):
    return {"mode": "ndr", **POINT, "npdu_per_s": 5123456.0, "ndr_npdu_per_s": 4234567.0, "pdr_npdu_per_s": 4345678.0,
            "round_trip_ns": 157.4, "ndr_range": {"least": 4111111.0, "most": 4299999.0}, "pdr_range": {"least": 4222222.0, "most": 4444444.0},
            "ns_per_npdu": 236.0, "latency_us": {"p50": 33.5, "p99": 44.25},
            "latency_at": [{"percent": 10, "p50": 11.5, "p99": 12.25}, {"percent": 90, "p50": 33.5, "p99": 44.25}],
            "roofline_share": 0.4567, "roofline_npdu_per_s": 9271000.0, "voided_trials": 3, "tried_trials": 88, "slow_trials": 0,
            "searches": 1, "finished_searches": 1, "wrong_fcs": 0, "reordered": 0, **more}


def stages(**more):
    rows = [{"name": name, "alone_ns": 5.0 + index, "alone_cycles": 13.0, "in_step_ns": 6.5 + index, "part_of": None}
            for index, name in enumerate(STEP)]
    rows.append({"name": "llc", "alone_ns": 3.125, "alone_cycles": 8.0, "in_step_ns": None, "part_of": "headers"})
    return {"mode": "stages", **POINT, **MEDIAN, "npdu_per_s": 1e7, "cycles_per_npdu": 211.0, "floor_ns": 60.5, "floor_share": 0.745,
            "floor_share_low": 0.73, "floor_share_high": 0.76,
            "rest": {"stall_ns": 15.5, "idle_step_ns": 1.125, "unexplained_ns": -0.5}, "stages": rows, "npdu_per_step": 64.0,
            "windows": 9, "voided_trials": 1, "fault": None, **more}


def sched(**more):
    spread = {"median": 71.25, "lower_quartile": 70.5, "upper_quartile": 72.5, "median_low": 70.0, "median_high": 73.0}
    return {"mode": "sched", "mobiles": 4096, "load": "120 %", "load_percent": 120, "rte_load_percent": 120, "backlogged": False,
            "cells_open": False, "rounds": 9, "round_s": 1, "gbflow_ns": {**spread, "median": 141.25}, "rte_all_ns": {**spread, "median": 1771.25},
            "rte_full_ns": spread, "ratio_all": {**spread, "median": 0.0797}, "ratio_full": {**spread, "median": 1.982},
            "gbflow_sent_share": 0.8333, "rte_sent_share": 0.8321, "rte_full_steps_share": 0.7866, "instructions": 1378.4,
            "rte_full_instructions": None, "mispredictions": None, "fault": None, **more}


def side(npdu_per_s):
    return {"program": "./gbflow", "processes": 1, "workers_each": 1, "slowdown_percent": 0, "npdu_per_s": npdu_per_s,
            "npdu_per_s_lower_quartile": npdu_per_s - 1000, "npdu_per_s_upper_quartile": npdu_per_s + 1000}


def comparison(mode, first, second, **more):
    return {"mode": mode, **POINT, first: side(8123456.0), second: side(7654321.0), "ratio": 0.9425, "ratio_low": 0.9375,
            "ratio_high": 0.9465, "slower_percent": 6.1, "verdict": "slower", "ratios": [0.9375, 0.9425, 0.9465], "rounds": 3,
            "pairs": 48, "voided_pairs": 5, **more}


def soak(**more):
    use = {"worker_mbufs": 311, "generator_mbufs": 312, "worker_rss_octets": 100 << 20, "generator_rss_octets": 50 << 20}
    return {"mode": "soak", **POINT, "rate_npdu_per_s": 1234567.0, "ndr_npdu_per_s": None, "took_s": 1800.5, "offered": 2222222222,
            "not_offered": 4, "tx_ring_full": 3, "received": 5, "sent": 5, "dropped": 0, "llc_frames": 5, "llc_frames_received": 5, "wrong_fcs": 0,
            "reordered": 0, "lost": 7654, "lost_in_worker_gaps": 7000, "lost_in_generator_gaps": 600, "lost_outside_gaps": 54,
            "worker_gaps": 81, "generator_gaps": 82, "worker_longest_gap_us": 1.5, "generator_longest_gap_us": 2.5, "gap_us": 100.0,
            "longest_recovery_us": 18.0, "gap_time_share": 0.0123, "before": use, "after_warm_up": use, "after": {**use, "worker_mbufs": 399},
            "fault": "loss outside of gaps: 54 N-PDUs", **more}


def generate(**more):
    return {"mode": "generate", **POINT, "npdu_per_s": 99990.0, "ndr_npdu_per_s": None, "pdr_npdu_per_s": None, "ns_per_npdu": None,
            "roofline_share": None, "latency_us": {"p50": 21.5, "p99": 61.25}, "offered_npdu_per_s": 100001.0, "offered": 200000,
            "tx_ring_full": 21, "frames_expected": 200000, "frames_received": 199979, "loss": 0.000105, "wrong_fcs": 0, "reordered": 0,
            "tried_trials": 1, "voided_trials": 0, "search_finished": False, **more}


def rfc2544(dut="node", **more):
    levels = [{"percent": percent, "offered_npdu_per_s": 1000.0 * percent, "loss": 0.0, "npdus": 4321, "p50": 1.5, "p90": 2.5, "p99": 3.25,
               "p99_9": 8.125, "most": 77.5 + percent, "generator_gap_us": 0.0} for percent in (10, 50, 90)]
    burst = {"searches": 5, "npdus": 2345.0, "least": 2111.0, "most": 2555.0, "offered_npdu_per_s": 7654321.0, "limit_npdus": 9999999,
             "is_limited": False, "buffer_npdus": 1024.0}
    recovery = {"overload_npdu_per_s": 1357000.0, "overload_s": 60.0, "then_npdu_per_s": 617000.0, "frames_lost": 4711, "npdus_lost_after": 17,
                "recovery_us": 815.0, "resolution_us": 48.8, "recovered": True}
    is_node = dut == "node"
    return {"mode": "rfc2544", **POINT, "dut": dut, "frames_per_npdu": 1.0, "offered_npdu_per_s": 8765432.0, "npdu_per_s": 3210987.0,
            "ndr_npdu_per_s": 1234567.0, "pdr_npdu_per_s": 1345678.0, "ndr_gn_mbit_per_s": 1363.0, "ns_per_npdu": 810.0,
            "roofline_npdu_per_s": 5432109.0 if is_node else None, "roofline_pdr_npdu_per_s": None, "roofline_share": 0.2273 if is_node else None,
            "latency_at": levels, "back_to_back": burst if is_node else None, "recovery": recovery if is_node else None, "tried_trials": 61,
            "voided_trials": 7, "gap_trials": 3, "slow_trials": 0, "search_finished": True, "complete": True, "wrong_fcs": 0, "reordered": 0, **more}


def port(**more):
    return {"device": "0000:01:00.0", "driver": "net_ice", "firmware": "4.20 <x>", "bus": "pci", "numa_node": 1, "link_mbit_per_s": 100000,
            "mtu": 9000, "mac": "02:00:00:00:00:01", "kind": "card", **more}


class Report(setting.Case):
    def draw(self, *reports):
        files = []
        for index, data in enumerate(reports):
            files.append(self.folder / f"report{index}.json")
            files[-1].write_text(data if isinstance(data, str) else json.dumps(data))
        return setting.warm(self.pyz, "bench", *files, "--html", self.folder / "page.html")

    def page_of(self, *reports):
        done = self.draw(*reports)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = setting.Page((self.folder / "page.html").read_text())
        self.assertEqual(page.faults, [])
        self.assertEqual(page.plots, len(page.figures))
        return page

    def check_texts(self, page, texts):
        for text in texts:
            with self.subTest(text=text):
                self.assertIn(text, page.text)

    def test_sched(self):
        page = self.page_of(report(sched(), sched(load="5 %", rte_all_ns=None, ratio_all=None, fault="rte_sched: no room", instructions=231.0)))
        self.assertEqual(page.figures, ["schedulers"])
        self.check_texts(page, ["141.2", "1771.2", "71.2", "0.080", "1.982", "78.7", "83.3", "83.2", "378", "rte_sched: no room", "70.5 to 72.5"])

    def test_few_values_have_no_interval(self):
        none = {"ns_median_low": None, "ns_median_high": None}
        few = comparison("compare", "a", "b", ratio_low=None, ratio_high=None, verdict="none", rounds_asked=9)
        page = self.page_of(report(preloaded(**none, windows_asked=777), stages(**none, floor_share_low=None, floor_share_high=None), few))
        self.check_texts(page, ["100 of 777", "3 of 9", "\u2013"])
        self.assertNotIn("None", page.text)

    def test_pipe_stays_a_pipe(self):
        """A device or a pipe is written, not replaced by a file of its name."""
        self.page_of(report(preloaded()))
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
        done = setting.warm(self.pyz, "bench", self.folder / "report0.json", "--html", pipe)
        is_pipe = pipe.is_fifo()
        if not is_pipe:
            reader.kill()
        self.assertEqual((done.returncode, done.stderr, is_pipe), (0, "", True))
        text = (self.folder / "page.html").read_text().replace(str(self.folder / "page.html"), str(pipe))
        self.assertEqual(reader.communicate()[0].decode(), text)

    def test_report_is_not_overwritten(self):
        self.page_of(report(preloaded()))
        source = self.folder / "report0.json"
        text = source.read_text()
        done = setting.warm(self.pyz, "bench", source, "--html", source)
        self.assertEqual((done.returncode, done.stdout, source.read_text()), (1, "", text))
        self.assertIn(str(source), done.stderr)

    def test_machine_and_plan(self):
        page = self.page_of(report(preloaded()))
        self.check_texts(page, ["Some CPU <9>", "24.0", "2.600", "0.25", "Linux 6.1", "DPDK 22.11", "n201_u", "codel"])

    def test_qdisc(self):
        qdisc = {"mode": "qdisc", "leaf": "pfifo", "classes": 512, "with_ns": 765.4, "without_ns": 555.2, "fault": None}
        page = self.page_of(report(qdisc, {**qdisc, "leaf": "fq_codel", "with_ns": None, "fault": "tc: no leaf"}))
        self.check_texts(page, ["htb + pfifo 512 765 555 210", "htb + fq_codel", "tc: no leaf"])

    def test_medians_and_their_intervals(self):
        page = self.page_of(report(preloaded(), preloaded(octets="imix", cipher="gea3", workers=2, ns_per_npdu=300.5, ns_median_low=300, ns_median_high=301)))
        self.assertEqual(page.figures, ["times"])
        self.check_texts(page, ["12 307 692", "81.2", "81.0 to 82.0", "80.5 to 83.5", "99.8", "17",
                                "imix, gea3, 1000 mobiles, 2 workers", "300.5"])

    def test_rates_latency_and_roofline(self):
        page = self.page_of(report(ndr(), ndr(octets=512, roofline_share=None, roofline_npdu_per_s=None)))
        self.assertEqual(page.figures, ["rates", "latencies"])
        self.check_texts(page, ["4 234 567", "4 345 678", "4 111 111 to 4 299 999", "45.7",
                                "9 271 000", "11.5 / 12.2", "33.5 / 44.2", "10 %", "90 %"])

    def test_latency_that_is_not_known(self):
        ciphered = ndr(cipher="gea3", latency_us={"p50": None, "p99": None},
                         latency_at=[{"percent": 10, "p50": None, "p99": None}])
        self.assertEqual(self.page_of(report(ciphered)).figures, ["rates"])

    def test_stages_and_the_floor(self):
        page = self.page_of(report(stages()))
        self.assertEqual(page.figures, ["stages"])
        self.check_texts(page, [*STEP, "of headers: llc", "3.1", "60.5", "74.5", "73 to 76", "15.5", "-0.5", "211"])

    def test_two_sides_in_turn(self):
        page = self.page_of(report(comparison("compare", "a", "b"), comparison("pair", "apart", "together", workers=2, verdict="none")))
        self.assertEqual(page.figures, ["ratios"])
        self.check_texts(page, ["8 123 456", "7 654 321", "a, b", "apart, together", "94.2", "93.8 to 94.7", "6.1",
                                "slower", "none"])

    def test_a_long_run_and_what_it_lost(self):
        page = self.page_of(report(soak()))
        self.assertEqual(page.figures, [])
        self.check_texts(page, ["1 234 567", "1800.5", "2 222 222 222", "7 654", "7 000", "600", "54",
                                "81", "82", "1.2", "311, 312", "399, 312", "100.0, 50.0", "loss outside of gaps: 54 N-PDUs"])

    def test_several_reports_on_one_page(self):
        page = self.page_of(report(preloaded()), report(ndr()), report(stages()), report({**preloaded(), "mode": "other"}))
        self.assertEqual(page.figures, ["times", "rates", "latencies", "stages"])
        self.check_texts(page, ["report0.json", "report2.json", "trials of other"])

    def test_from_generate(self):
        page = self.page_of(report(generate(), generate(ndr_npdu_per_s=1234567.0)))
        self.check_texts(page, ["99 990", "100 001", "0.0105", "21.5", "61.2", "1 234 567"])

    def test_sizes_of_rfc2544(self):
        data = report(rfc2544(), rfc2544(octets=512, complete=False), rfc2544("testpmd"))
        data["ports"] = {"gn": port(), "gb": port(kind="virtual", driver="net_memif", firmware=None, numa_node=None, link_mbit_per_s=None)}
        data["stopped"] = "time <limit>"
        data["machine"].update(microcode="0x2b", bios="Maker 1.2", governor="performance", kernel_command_line="isolcpus=2-7")
        page = self.page_of(data)
        self.assertEqual(page.figures, ["rfc2544-rates", "rfc2544-latencies"])
        self.check_texts(page, ["1 234 567", "1 345 678", "5 432 109", "22.7", "8.1", "167.5", "4 321", "2 345", "2 111 to 2 555", "7 654 321",
                                "1 024", "1 357 000", "815", "4 711", "17", "net_ice", "4.20 <x>", "100 000", "9 000", "a card",
                                "no card: a virtual port", "0x2b", "Maker 1.2", "performance", "isolcpus=2-7",
                                "report0.json is not complete: time <limit>."])

    def test_rfc2544_of_testpmd_alone(self):
        page = self.page_of(report(rfc2544("testpmd")))
        self.assertEqual(page.figures, ["rfc2544-rates", "rfc2544-latencies"])
        self.assertNotIn("The longest burst without loss, N-PDUs.", page.text)

    def test_rfc2544_that_found_nothing(self):
        nothing = rfc2544(ndr_npdu_per_s=None, pdr_npdu_per_s=None, ndr_gn_mbit_per_s=None, roofline_share=None, latency_at=[], back_to_back=None,
                          recovery=None, complete=False)
        self.assertEqual(self.page_of(report(nothing)).figures, ["rfc2544-rates"])

    def test_faults_are_shown(self):
        self.assertIn("mbuf leak: <3>", self.page_of(report(preloaded(fault="mbuf leak: <3>"))).text)

    def test_a_count_of_one_is_singular(self):
        for count, noun in ((1, "trial"), (2, "trials")):
            self.check_texts(self.page_of(report(*[preloaded()] * count)), [f"{count} {noun}"])

    def test_a_report_without_trials(self):
        page = self.page_of(report())
        self.assertEqual(page.figures, [])
        self.check_texts(page, ["Nothing was measured."])

    def test_version_1_is_read(self):
        """A report that a build before version 2 wrote: a trial of each mode."""
        old = OLD.read_text()
        page = self.page_of(old)
        self.assertEqual(page.figures, ["times", "ratios", "rates", "latencies", "stages"])
        trials = {trial["mode"]: trial for trial in json.loads(old)["trials"]}
        self.assertEqual(set(trials), {"preloaded", "stages", "compare", "soak", "memif", "outside"})
        soak_trial, floor = trials["soak"], trials["stages"]
        self.check_texts(page, [f"{floor['rest']['not_near_ns']:.1f}", f"{soak_trial['warm']['worker_octets'] / 2**20:.1f}",
                                f"{100 * soak_trial['covered_share']:.1f}", f"{trials['outside']['latency_us']['p50']:.1f}",
                                f"{trials['memif']['round_trip_ns']:.0f} ns", "bvc_rate_percent", "slowdown_percent"])
        self.assertNotIn("Not on this page", page.text)

    def lossless_of(self, page):
        """The card's value, which stands before its name."""
        words = page.text.split("most N-PDU/s without loss")[0]
        return words[-40:]

    def test_what_is_not_valid_is_no_headline(self):
        why = "loads below NDR lose frames"
        page = self.page_of(report(rfc2544(), rfc2544(octets=512, ndr_npdu_per_s=7654321.0, valid=False, not_valid_because=why)))
        self.assertIn("1 234 567", self.lossless_of(page))
        self.assertNotIn("7 654 321", self.lossless_of(page))
        self.check_texts(page, ["NOT VALID: " + why, "carried then", "highest load", "in spite of a gap", "contradicts other measurements"])
        self.assertIn("<pattern", (self.folder / "page.html").read_text())
        page = self.page_of(report(rfc2544(valid=False)))
        self.assertIn("none is valid", self.lossless_of(page))
        self.assertIn("NOT VALID: a load below NDR lost frames", page.text)
        self.page_of(report(rfc2544()))
        self.assertNotIn("<pattern", (self.folder / "page.html").read_text())
        self.page_of(report(rfc2544(), rfc2544("testpmd", valid=False)))
        self.assertIn("<pattern", (self.folder / "page.html").read_text())

    def test_a_search_that_did_not_end(self):
        for trial, words in ((rfc2544(search_finished=False), ["the search did not end in time"]),
                             (generate(ndr_npdu_per_s=1234567.0), [])):
            page = self.page_of(report(trial))
            self.check_texts(page, ["\u2265 1 234 567", *words])
        page = self.page_of(report(rfc2544(search_finished=False)))
        self.assertIn("\u2265 1 234 567", self.lossless_of(page))
        page = self.page_of(report(ndr(searches=3, finished_searches=1, ndr_worth=0.07, ndr_is_least=False, pdr_is_least=True)))
        self.check_texts(page, ["about 4 234 567", "\u2265 4 345 678"])
        self.assertIn("about 4 234 567", self.lossless_of(page))
        self.assertIn("2 of 3 searches exceeded --seconds: NDR may be 7 % off", page.text)

    def test_rates_that_nothing_bounds(self):
        """A guess, and a rate at which the generator's highest load has no loss."""
        guess = ndr(searches=3, finished_searches=0, ndr_worth=1)
        for trial in (guess, {**guess, "ndr_is_least": True, "pdr_is_least": True}, ndr(ndr_is_least=True, pdr_is_least=True),
                      rfc2544(ndr_is_least=True, pdr_is_least=False), generate(ndr_npdu_per_s=4234567.0, ndr_is_least=True)):
            with self.subTest(trial=trial):
                page = self.page_of(report(trial))
                self.assertIn(f"\u2265 {trial['ndr_npdu_per_s']:,.0f}".replace(",", " "), page.text)
                self.assertNotIn("about", page.text.split("Words")[0])
        self.assertIn("the generator limits NDR", self.page_of(report(ndr(ndr_is_least=True))).text)
        self.assertIn("NDR is a guess, at least this", self.page_of(report(guess)).text)
        self.assertNotIn("\u2265 1 345 678", self.page_of(report(rfc2544(ndr_is_least=True, pdr_is_least=False))).text)

    def test_rates_in_ethernet_terms(self):
        gn = {"frame_octets": 118.0, "mpps": 4.2345678, "l2_gbit_per_s": 3.997, "l1_gbit_per_s": 4.675}
        for trial, name in ((ndr(gn=gn), "NDR"), (preloaded(gn=gn), "forwarding"), (soak(gn=gn), "offered load"),
                            (rfc2544("testpmd", gn=gn), "NDR of testpmd"), (generate(gn=gn), "forwarding")):
            with self.subTest(mode=trial["mode"]):
                text = self.page_of(report(trial)).text.split("In Ethernet terms, on Gn.")[1].split("Machine")[0]
                for word in ("frame (octets with FCS)", "118", name, "4.235", "Gbit/s, L2", "4.00", "Gbit/s, L1", "4.67"):
                    self.assertIn(word, text)

    def test_share_of_void_trials(self):
        for trials, say in (((ndr(), ndr(voided_trials=41)), "44 of 176 trials (25.0 %) were void and made again."),
                            ((preloaded(),), "17 of 117 windows (14.5 %) were void"), ((stages(),), "1 of 10 rounds (10.0 %) were void"),
                            ((comparison("compare", "a", "b"),), "5 of 53 pairs of slices (9.4 %) were void"),
                            ((rfc2544(),), "7 of 61 trials (11.5 %) were void")):
            self.assertIn(say, self.page_of(report(*trials)).text)

    def test_rates_come_before_the_machine(self):
        text = self.page_of(report(ndr())).text
        self.assertLess(text.index("NDR and PDR over memif, N-PDU/s."), text.index("What it ran on."))
        self.assertLess(text.index("most N-PDU/s without loss"), text.index("Some CPU"))

    def test_no_rate_was_found(self):
        data = report()
        data["not_found"] = {"mode": "ndr", **POINT, "searches": 3, "tried_trials": 1843, "voided_trials": 1801, "advice": "use idle <CPUs>"}
        self.check_texts(self.page_of(data), ["Nothing was measured.", "no search found a rate for 64, 1000 mobiles. 1 801 of 1843 trials were void",
                                              "Advice: use idle <CPUs>."])
        del data["not_found"]["advice"]  # of a build that gave none
        self.assertNotIn("Advice", self.page_of(data).text)

    def test_gaps_of_the_machine(self):
        data = report(ndr())
        data["gaps"] = {"cpus": 2, "watch_s": 3.0, "bound_us": 100.0, "gaps": 1234, "time_share": 0.0349, "longest_us": 40123.0, "trial_ms": 5.0,
                        "patience_ms": 80.2, "expected_void_share": 0.375, "histogram": []}
        self.check_texts(self.page_of(data), ["Gaps of the CPUs before the searches.", "1 234", "3.5", "40.1", "37.5", "5"])
        self.assertNotIn("Gaps of the CPUs", self.page_of(report(ndr())).text)

    def test_testpmd_that_was_not_measured(self):
        page = self.page_of(report(ndr(roofline_npdu_per_s=None, roofline_share=None, no_roofline_because="no search found a rate",
                                       roofline_trials=40, roofline_voided_trials=39)))
        self.assertIn("testpmd was not measured: no search found a rate, 39 of 40 trials void", page.text)

    def test_the_same_octets_each_time(self):
        pages = []
        for _ in range(2):
            self.page_of(report(preloaded(), ndr(), stages()))
            pages.append((self.folder / "page.html").read_text())
        self.assertEqual(*pages)

    def test_what_is_no_report(self):
        lacking, wrong = copy.deepcopy(report(stages())), report(ndr(ndr_range="wide"))
        del lacking["trials"][0]["rest"]["idle_step_ns"]
        other_sides = report(comparison("pair", "a", "b"))
        for data in ("{", "[]", {"schema": "gbflow-bench/3"}, {"schema": "gbflow-bench/2"}, {"schema": "gbflow-bench/1"}, lacking, wrong, other_sides):
            with self.subTest(data=data):
                (self.folder / "page.html").unlink(missing_ok=True)
                done = self.draw(report(preloaded()), data)
                self.assertEqual(done.returncode, 1)
                self.assertIn("report1.json", done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(done.stderr.count("\n"), 1)
                self.assertFalse((self.folder / "page.html").exists())


if __name__ == "__main__":
    unittest.main()
