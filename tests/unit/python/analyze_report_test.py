#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""report.html of an analysis: every drawing, also of a capture in which nothing happened, the same octets each time."""

import copy
import json
import unittest

import setting

PLOTS = ["tree", "setup", "rtt", "rtt-loaded", "channel-rate", "bottleneck", "throughput", "by-loss", "shares",
         "user-throughput", "clusters", "llc-confirmation"]
WAY = {"i_frames": 2570, "octets": 400, "repeated": 750, "repeated_octets": 151, "repeated_share": 0.2918, "needless": 13, "late": 30,
       "confirmed": 1820, "missed_by_capture": 1, "taken_back": 7}
NAMES = ["all", "optimal", "slight", "no_response", "serious", "no_response_silent", "no_response_refused", "serious_reset",
         "serious_silent"]
SPREAD = {"count": 3, "mean": 2.0, "min": 1.0, "p5": 1.0, "p25": 1.0, "p50": 2.0, "p75": 3.0, "p95": 3.0, "max": 3.0,
          "cdf": [[1.0, 0.335], [2.0, 0.67], [3.0, 1.0]], "bar_width": 0.5, "bars": [[1.0, 1], [2.0, 1], [3.0, 1]]}
MOMENTS = {"count": 2, "mean": 25000.5, "deviation": 4000.0}
OPTIONS = ["mss_low", "mss_high", "sack", "no_sack", "timestamp", "no_timestamp", "window_low", "window_medium", "window_high",
           "overall"]
NOTHING = {"count": 0, "mean": None, "deviation": None}


def rates(factor=10000):
    scaled = {name: value * factor for name, value in SPREAD.items() if isinstance(value, float)}
    return {**SPREAD, **scaled, "cdf": [[value * factor, share] for value, share in SPREAD["cdf"]],
            "bars": [[start * factor, count] for start, count in SPREAD["bars"]], "bar_width": 1000}


def analysis():
    node = {"count": 5, "setup_count": 4, "setup_s_mean": 1.25, "background_fraction": 0.4}
    return {
        "schema": "gbflow-analysis/1",
        "capture": {"frames": 1234567, "duration_s": 60.0, "is_complete": True, "error": "", "tcp": 9, "other_packets": 2,
                    "cut_short": 0, "unassigned": 0, "no_length": 0, "other_frames": 0, "malformed": 3, "headless": 0, "clock_steps": 0,
                    "no_room": 0},
        "thresholds": {"silence_s": 5, "flight_octets": 4500, "period_octets": 16000, "long_octets": 100000, "bulk_octets": 32000,
                       "peak_from_h": 10, "peak_to_h": 12, "quiet_from_h": 3, "quiet_to_h": 7},
        "connections": 20,
        "tree": {name + ending: node for name in NAMES for ending in ("", "_alone", "_background")},
        "setup_s": {name: SPREAD for name in ("all", "optimal_alone", "optimal_background", "slight_alone", "slight_background")},
        "rtt_s": {name: SPREAD for name in ("internet", "access", "internet_peak", "access_peak", "internet_off_peak",
                                            "access_off_peak", "access_loaded")},
        "channel_rate_bps": rates(),
        "loss": {"internet": 0.0123, "access": 0.0456, "data_packets": 1009, "internet_lost": 13, "access_lost": 46, "internet_of": 1022, "access_of": 1009,
                 "retransmitted": 50, "spurious": 4, "reordered": 2, "missed_by_capture": 0},
        "bottleneck": {"none": 0.5, "access": 0.3, "internet": 0.2, "connections": 10},
        "single": {"throughput_bps": rates(), "goodput_bps": rates(),
                   "by_loss": [{"loss": name, "throughput_bps": MOMENTS, "goodput_bps": MOMENTS} for name in "abcd"]},
        "user_throughput_bps": {"background_below_1_3": rates(), "background_1_3_to_2_3": None, "background_above_2_3": rates(),
                                "own_share": [0] * 19 + [4]},
        "clusters": [{"window": "low", "sack": True, "mss": "high", "timestamp": False, "goodput_bps": MOMENTS}],
        "table_1": {"connections": 20, **{name: 0.5 for name in OPTIONS if not name.startswith("no_")}},
        "table_3": {name: MOMENTS for name in OPTIONS},
        "llc": {"links": 3, "ns_packets": 4435, "cut": 3, "no_room": 99, "downlink": WAY | {"confirm_s": SPREAD}, "uplink": WAY | {"i_frames": 4, "confirm_s": None}},
        "mobiles": {"10.1.0.1": {"connections": 3, "packets": 90, "downlink_octets": 1234, "uplink_octets": 99,
                                 "channel_rate_bps": {"median": 33333.0, "count": 2}, "loss": {"internet": 0, "access": 0.01, "internet_of": 100, "access_of": 100}},
                    "2001:db8::1": {"connections": 1, "packets": 2, "downlink_octets": 9, "uplink_octets": 9,
                                    "channel_rate_bps": None, "loss": {"internet": None, "access": None, "internet_of": 0, "access_of": 0}}},
    }


def empty():
    """What an empty capture leaves."""
    data = analysis()
    for name in data["tree"]:
        data["tree"][name] = {"count": 0, "setup_count": 0, "setup_s_mean": None, "background_fraction": None}
    for part in ("setup_s", "rtt_s"):
        data[part] = dict.fromkeys(data[part])
    data["channel_rate_bps"], data["mobiles"], data["clusters"], data["llc"] = None, {}, [], None
    data["loss"] |= {"internet": None, "access": None}
    data["bottleneck"] = {"none": None, "access": None, "internet": None, "connections": 0}
    data["single"] = {"throughput_bps": None, "goodput_bps": None, "by_loss": [
        {"loss": name, "throughput_bps": NOTHING, "goodput_bps": NOTHING} for name in "abcd"]}
    data["user_throughput_bps"] |= {"background_below_1_3": None, "background_above_2_3": None, "own_share": [0] * 20}
    data["table_1"] = {name: None for name in data["table_1"]} | {"connections": 0}
    data["table_3"] = dict.fromkeys(data["table_3"], NOTHING)
    return data


class Report(setting.Case):
    def draw(self, data):
        (self.folder / "analysis.json").write_text(json.dumps(data))
        return setting.warm(self.pyz, "analyze", self.folder)

    def page_of(self, data):
        done = self.draw(data)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        page = setting.Page((self.folder / "report.html").read_text())
        self.assertEqual(page.faults, [])
        self.assertEqual(page.plots, len(page.figures))
        return page

    def test_every_drawing_and_table(self):
        page = self.page_of(analysis())
        self.assertEqual(page.figures, PLOTS)
        for text in ("1.23", "4.56", "33.3", "25 000", "24 233", "2001:db8::1", "malformed", "flight_octets"):
            self.assertIn(text, page.text)
        self.assertNotIn("no data for", page.text)

    def test_sentences_and_provenance(self):
        """At most four for a reader without words of TCP; who made the page ends it."""
        text = self.page_of(analysis()).text
        self.assertIn("In short In 60 s 2 mobiles had 20 TCP connections. Before the first octet of a connection could flow, half of 3 connections had to "
                      "wait 2 s or longer; for an answer from the mobile alone half of 3 set-ups took 2 s or longer. While a mobile's queue had packets, its "
                      "channel carried 20 kbit/s or less in half of 3 periods. Of 1 009 packets with data to mobiles that passed the monitor 46 were lost "
                      "behind it (SGSN, BSS, radio), of 1 022 on their way to it 13 (Internet).", text)
        self.assertRegex(text, r"Analysis by: gbflow \d\S*, commit \w+: gbflow\S* analyze")
        self.assertNotIn("In short", self.page_of(empty() | {"connections": 0}).text)

    def test_an_empty_capture(self):
        page = self.page_of(empty())
        self.assertEqual(page.figures, [])
        self.assertIn("no data for set-up,", page.text)

    def test_acknowledged_llc(self):
        """Also beside nothing of TCP; a capture of Gb without acknowledged mode says nothing of it."""
        data = empty() | {"llc": analysis()["llc"]}
        page = self.page_of(data)
        self.assertEqual(page.figures, ["llc-confirmation"])
        for text in ("750 of 2 570 LLC frames to mobiles were repetitions (29.18 %)", "13 of these repeated a frame that the mobile",
                     "Of 3 confirmed frames to mobiles half waited 2.000 s or less", "37.75", "4 435", "99 frames were ignored"):
            self.assertIn(text, page.text)
        self.assertIn("table III", page.text)
        page = self.page_of(data | {"connections": 0})
        self.assertNotIn("table III", page.text)
        self.assertIn("LLC at Gb, seen from the monitor", page.text)
        data["llc"] = {"links": 0, "ns_packets": 9, "cut": 0, "no_room": 0, "downlink": WAY | {"confirm_s": None}, "uplink": WAY | {"confirm_s": None}}
        self.assertNotIn("LLC frames", self.page_of(data).text)

    def test_compression(self):
        """Rows of kinds with N-PDUs, and of reasons with a count; a capture without N-PDUs has no such section."""
        none = dict.fromkeys(("npdus", "shorter", "full", "octets_before", "octets_after", "octets_saved"), 0) | {"saved_share": 0}
        some = none | {"npdus": 4321, "octets_before": 98765, "octets_saved": 7654, "saved_share": 0.2345}
        nothing = dict.fromkeys(("npdus", "compressed", "shorter", "octets_before", "octets_after", "llc_octets", "octets_unknown", "saved_of_octets"), 0)
        way = {**nothing, "rfc1144": none, "v42bis": none, "would_be": {"all": none, "rfc1144": none, "v42bis": none},
               "frames_not_read": dict.fromkeys(("ciphered", "cut", "damaged", "malformed"), 0),
               "npdus_lost": dict.fromkeys(("incomplete", "no_entity", "tossed", "header", "data", "checksum", "no_room"), 0)}
        data = empty() | {"llc": analysis()["llc"] | {"compression": {"downlink": way, "uplink": way}}}
        self.assertNotIn("Compression of SNDCP", self.page_of(data).text)
        data["llc"]["compression"] = {
            "downlink": way | {"npdus": 5000, "shorter": 4999, "llc_octets": 80000, "saved_of_octets": 100000, "octets_before": 90000, "octets_after": 70000, "v42bis": some, "npdus_lost": way["npdus_lost"] | {"tossed": 77}},
            "uplink": way | {"would_be": {"all": some, "rfc1144": some, "v42bis": none}, "frames_not_read": way["frames_not_read"] | {"ciphered": 88}}}
        found = self.page_of(data).text
        for text in ("data, V.42bis", "headers of TCP, RFC 1144, would be", "4 321", "98 765", "7 654", "23.45", "tossed after a loss", "77",
                     "ciphered UI frames", "88", "5 000", "all 5 000 4 999 90 000 70 000 20 000 20.00 100 000", "all, would be 4 321"):
            self.assertIn(text, found)
        self.assertNotIn("Entities of some mobiles", found)
        data["llc"]["compression"]["downlink"] |= {"octets_unknown": 5678, "saved_of_octets": None, "npdus_lost": way["npdus_lost"] | {"no_entity": 56}}
        late = self.page_of(data).text
        self.assertRegex(late, r"Entities of some mobiles are unknown: .* \(to mobiles: 56 compressed N-PDUs, 5.678 octets\)")
        self.assertNotIn("20 000 20.00", late)
        self.assertNotIn("with wrong data", found)

    def test_a_tree_without_answers(self):
        data = empty()
        for name in ("all", "no_response", "no_response_silent", "no_response_silent_alone"):
            data["tree"][name] = {"count": 7, "setup_count": 0, "setup_s_mean": None, "background_fraction": 0}
        self.assertEqual(self.page_of(data).figures, ["tree"])
        first = (self.folder / "report.html").read_text()
        self.draw(data)
        self.assertEqual((self.folder / "report.html").read_text(), first)

    def test_a_capture_that_breaks_off(self):
        data = empty()
        data["capture"] |= {"is_complete": False, "error": "truncated <file>"}
        self.assertIn("truncated <file>", self.page_of(data).text)

    def test_what_is_no_analysis(self):
        wrong = copy.deepcopy(analysis())
        del wrong["loss"]["access"]
        for data in ({"schema": "gbflow-analysis/2"}, [], wrong):
            done = self.draw(data)
            self.assertEqual(done.returncode, 1)
            self.assertIn("analysis.json", done.stderr)
            self.assertNotIn("Traceback", done.stderr)


if __name__ == "__main__":
    unittest.main()
