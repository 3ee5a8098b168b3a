# SPDX-License-Identifier: BSD-3-Clause
"""Each parameter of the scenarios of P1 to P4, turned alone, changes what the run measures, but for a few of P3 and P4 that their page names."""
import re
import unittest

import scenario
from scenario import gbflow

P1 = [f"cells[1].{setting}" for setting in (
    "pdchs=20", "coding=MCS-6", "bler=5 %", "window=64", "downlink_slots=3", "schedule=mobile", "flow_control.thresholds.stop=60 kB",
    "flow_control.thresholds.go=10 kB", "flow_control.bvc.bucket=40 kB", "flow_control.ms_default.bucket=5 kB", "retransmission=200 ms",
    "processing=50 ms", "control_one_in=12", "tbf.setup=400 ms", "tbf.release=200 ms")] + [
    "network.server_delay=10 ms", "network.gn_delay=30 ms", "network.gb_delay=30 ms", "sgsn.gb.rate=1500 kbit/s", "sgsn.lifetime.mode=split",
    "sgsn.lifetime.sgsn_max=10 s", "sgsn.queue_limit=20 kB", "sgsn.n201_u=500 octets", "sgsn.queues.class.thp2.order=mobiles",
    "sgsn.queues.weights.thp2=20", "tcp.mss=536 octets", "tcp.sack=true", "tcp.timestamps=true", "tcp.receive_window=10 kB", "tcp.initial_cwnd=4",
    "tcp.initial_ssthresh=2", "tcp.max_cwnd=5", "tcp.delayed_ack.every=2", "tcp.initial_rto=1 s", "tcp.min_rto=3 s", "tcp.max_rto=4 s",
    "tcp.recovery=reno", "tcp.cc=cubic", "tcp.growth=octets", "mobiles.web2-1.traffic[1].web.items=10", "mobiles.web2-1.traffic[1].web.parallel=2", "mobiles.web2-1.traffic[1].web.reading=5 s",
    "mobiles.stream1.traffic[1].cbr.burst=5 s", "mobiles.stream1.traffic[1].cbr.burst_law=fixed", "mobiles.poc1.traffic[1].cbr.rate=16 kbit/s"]
P2 = [f"cells[1].{setting}" for setting in (
    "pdchs=2", "downlink_slots=4", "uplink_slots=2", "coding=CS-1", "bler=10 %", "bler_up=20 %", "processing=100 ms", "tbf.setup=400 ms",
    "tbf.setup_with_uplink=300 ms", "tbf.release=0 s", "tbf.uplink_access=400 ms", "tbf.uplink_hold=0 s", "flow_control.bucket_time=1 s",
    "routing_area=2", "window=16", "retransmission=200 ms")] + [
    "network.server_delay=10 ms", "network.internet_loss=1 %", "network.gn_loss=2 %", "network.reorder=5 %", "sgsn.queue_limit=8 kB",
    "sgsn.lifetime.sgsn_max=3 s", "sgsn.lifetime.mode=sgsn_only", "tcp.initial_cwnd=1", "tcp.initial_rto=1 s", "tcp.min_rto=3 s",
    "tcp.receive_window=8 KiB", "tcp.recovery=time-out", "tcp.delayed_ack.every=1", "tcp.delayed_ack.timeout=20 ms", "moves[1].gap=29 s",
    "mobiles.reader1.traffic[1].web.tcp.sack=false", "mobiles.reader1.traffic[1].web.tcp.mss=300 octets", "mobiles.browser1.traffic[1].web.reading=1 s"]
P3 = [f"cells[2].{setting}" for setting in (
    "pdchs=9", "downlink_slots=4", "uplink_slots=4", "block_octets=100", "block_octets_up=50", "bler=5 %", "bler_up=20 %", "retransmission=100 ms",
    "processing=20 ms", "control_one_in=12", "tbf.setup_with_uplink=1 s", "tbf.release=0 s", "tbf.uplink_access=500 ms", "tbf.uplink_hold=0 s",
    "flow_control.bucket_time=100 ms")] + [
    "network.server_delay=100 ms", "network.gn_delay=50 ms", "network.gb_delay=50 ms", "network.ack_delay=0 s", "sgsn.n201_u=500 octets",
    "sgsn.lifetime.sgsn_max=100 ms", "tcp.mss=536 octets", "tcp.sack=true", "tcp.timestamps=true", "tcp.receive_window=10 kB", "tcp.initial_cwnd=4",
    "tcp.initial_ssthresh=4", "tcp.max_cwnd=8", "tcp.min_rto=200 ms", "tcp.delayed_ack.every=1", "tcp.delayed_ack.timeout=20 ms"] + [
    f"mobiles.gev-http.traffic[1].web.{setting}" for setting in ("page=10 kB", "request=1000 octets", "close_awaited=true", "reading=3 s", "persistent=true")] + [
    "mobiles.gev-ftp.traffic[1].web.page=50 kB", "mobiles.gev-ftp.traffic[1].web.start=1 s", "mobiles.ping64.traffic[1].ping.octets=100 octets",
    "mobiles.ping64.traffic[1].ping.every=3 s", "mobiles.ping1500.traffic[1].ping.count=10"]
# Said to be without effect there (docs/papers/latency-buffering-preemption.md).
P3_IDLE = ["cells[2].coding=MCS-9", "cells[2].window=64", "cells[2].tbf.setup=1 s", "cells[2].flow_control.every=1 s", "sgsn.queue_limit=20 kB",
           "tcp.initial_rto=1 s", "tcp.recovery=reno", "tcp.ecn=true"]
P4 = [f"cells[1].{setting}" for setting in (
    "pdchs=3", "coding=CS-1", "bler=5 %", "processing=100 ms", "control_one_in=6", "tbf.setup_with_uplink=1 s", "tbf.release=0 s",
    "tbf.uplink_access=100 ms", "tbf.uplink_hold=0 s", "flow_control.thresholds.stop=30 kB", "flow_control.thresholds.go=10 kB")] + [
    "network.server_delay=100 ms", "sgsn.lifetime.sgsn_max=5 s", "sgsn.queue_limit=20 kB", "sgsn.n201_u=500 octets", "tcp.stack=linux-2.4.17",
    "tcp.mss=536 octets", "tcp.timestamps=false", "tcp.receive_window=20 kB", "tcp.delayed_ack.timeout=200 ms", "tcp.initial_cwnd=4",
    "tcp.initial_rto=1 s", "tcp.min_rto=1 s", "tcp.initial_ssthresh=38"]
# Said to be without effect there (docs/papers/latency-buffering-preemption.md).
P4_IDLE = ["cells[1].tbf.setup=2 s", "cells[1].flow_control.every=1 s", "tcp.delayed_ack.every=1"]
# Scenario, its shorter form, parameters.
ROWS = [("sgsn-aqm", (('"1000 s"', '"150 s"'),), P1), ("gprs-population", (("= 600, 400", "= 90, 60"), ("60 * math.random()", "20 * math.random()")), P2)]
# What a summary says of the changes themselves.
SAID = ("set", "assumptions")


@unittest.skipUnless(gbflow.IS_LONG, "TEST_ALL=1 runs it")
class Knobs(scenario.Case):
    def result(self, text, setting=None):
        words = ("--set", setting) if setting else ()
        found = self.play_text(text, *words, name="run").summary
        return {name: value for name, value in found.items() if name not in SAID}

    def test_every_knob(self):
        for name, changes, settings in ROWS:
            with open(scenario.shipped(name), encoding="utf-8") as file:
                text = file.read()
            for old, new in changes:
                self.assertEqual(text.count(old), 1, old)
                text = text.replace(old, new)
            base = self.result(text)
            idle = [setting for setting in settings if self.result(text, setting) == base]
            print(f"{name}: {len(settings)} parameters, without effect: {idle or 'none'}")
            self.assertEqual(idle, [])

    def test_latency(self):
        with open(scenario.shipped("geran-latency"), encoding="utf-8") as file:
            text = file.read()
        base = self.result(text)
        self.assertEqual([setting for setting in [*P3, *P3_IDLE] if self.result(text, setting) == base], P3_IDLE)

    def test_buffering(self):
        with open(scenario.shipped("gprs-buffering"), encoding="utf-8") as file:
            text = file.read().replace('"15 min"', '"5 min"')
        base = self.result(text)
        self.assertEqual([setting for setting in [*P4, *P4_IDLE] if self.result(text, setting) == base], P4_IDLE)

    def test_assumed(self):
        """Every value that the scenarios mark as assumed is among them."""
        for name, _, settings in ROWS:
            with open(scenario.shipped(name), encoding="utf-8") as file:
                marked = {name.lower() for name in re.findall(r"(\w+) = \{ assumed", file.read())}
            turned = {part for setting in settings for part in re.split(r"[.=\[\]]+", setting.partition("=")[0])}
            self.assertEqual(marked - turned, set(), name)


if __name__ == "__main__":
    unittest.main()
