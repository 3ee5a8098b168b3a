#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Flow control of the real osmo-pcu: what it announces is obeyed, whatever it announces."""
import time
import unittest

import network
from gb_oracle import bssgp
from levels import Levels
from vty import Vty

RATE, MS_RATE, MS_BUCKET = 10000, 2500, 25000  # octets/s and octets: what osmo-pcu announces for 4 slots, CS-1 to CS-4
PACKET = 400


class Flow(network.Case):
    phones_wanted = 4

    def setUp(self):
        super().setUp()
        self.bring_up()

    def load(self, seconds, rate_octets_s, phones=4):
        streams = [network.Stream(self, phone, PACKET, rate_octets_s) for phone in self.phones[:phones]]
        time.sleep(seconds)
        for stream in streams:
            stream.stop()

    def sent(self, phone=None, since_s=0.0, until_s=1e9):
        """LLC octets that went to a mobile, or to all."""
        return sum(len(pdu.bssgp.elements[bssgp.LLC_PDU])
                   for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), since_s)
                   if pdu.at_s < until_s and phone in (None, pdu.bssgp.tlli))

    def levels(self):
        return Levels(self.pdus())


class Buckets(Flow):
    def test_one_mobile_of_many(self):
        """A mobile may not take more than its own bucket, although the cell has room."""
        self.load(8, 9000, phones=1)
        levels, octets, tlli = self.levels(), self.sent(), self.phones[0].radio.tlli
        self.check_used(levels.worst_ms[tlli], levels)
        allowed = MS_BUCKET + 8 * MS_RATE
        self.assertGreater(octets, 0.9 * allowed)
        self.figure(17, f"9000 octets/s for 8 s to one mobile: {octets} octets sent of at most {allowed}; its bucket at the "
                        f"fullest {levels.worst_ms[tlli]:+.0f} octets from the brim")
        self.finish()

    def test_all_mobiles(self):
        self.load(8, 9000)
        levels, octets = self.levels(), self.sent()
        self.check_used(levels.worst_bvc, levels)
        self.assertLessEqual(max(levels.worst_ms.values()), levels.slack)
        self.figure(16, f"36000 octets/s for 8 s to four mobiles: {octets} octets sent, rates {sorted(levels.rates)}; "
                        f"the cell's bucket at the fullest {levels.worst_bvc:+.0f} octets from the brim")
        self.finish()

    def test_lost_blocks(self):
        """What the air loses lowers R; what is sent follows at once, both ways."""
        streams = [network.Stream(self, phone, PACKET, 0.9 * MS_RATE) for phone in self.phones]
        time.sleep(5)
        self.set_loss(0.3)
        time.sleep(10)
        self.set_loss(0.0)
        healed_s = self.tap.now_s()
        first = self.wait_for_rate(0.8 * RATE, healed_s)
        again = self.wait_for_pdu(True, ("bssgp", bssgp.DL_UNITDATA), first.at_s)
        for stream in streams:
            stream.stop()
        levels = self.levels()
        self.assertLessEqual(levels.worst_bvc, levels.slack)
        self.assertLess(min(levels.rates), 0.6 * RATE)
        self.figure(18, f"30 % loss: R down to {min(levels.rates):.0f} octets/s, the bucket {levels.worst_bvc:+.0f} octets from the "
                        f"brim; healed, R was back after {first.at_s - healed_s:.1f} s, and packets {again.at_s - first.at_s:.3f} s later")
        self.finish()

    def set_loss(self, share):
        for phone in self.phones:
            phone.radio.loss = share

    def wait_for_rate(self, rate, since_s):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for pdu in self.pdus(False, ("bssgp", bssgp.FC_BVC), since_s):
                if pdu.bssgp.scaled(bssgp.LEAK_RATE) / 8 >= rate:
                    return pdu
            time.sleep(0.05)
        raise AssertionError(f"R did not reach {rate}: {self.levels().rates}")

    def check_used(self, worst, levels):
        """A bucket was filled to less than a packet below its brim, and not above."""
        self.assertLessEqual(worst, levels.slack)
        self.assertGreater(worst, -1.5 * PACKET)


class Absurd(Flow):
    """The PCU is told what to announce."""
    node_values = {"cell_more": ', flow_control = { max_rate = "80 kbit/s", max_bucket = "100 kB" }'}

    def setUp(self):
        super().setUp()
        self.vty = Vty(self.lab)
        self.addCleanup(self.vty.close)

    def force(self, **values):
        """Announces other values from now on; None: its own again."""
        since_s = self.tap.now_s()
        lines = [f"{'no ' if value is None else ''}flow-control force-{name.replace('_', '-')} {value or ''}"
                 for name, value in values.items()]
        self.vty.configure("pcu", *lines)
        return self.wait_for_pdu(True, ("bssgp", bssgp.FC_BVC_ACK), since_s).at_s

    def test_far_too_much(self):
        self.force(bvc_leak_rate=819175, ms_leak_rate=819175, bvc_bucket_size=6553500, ms_bucket_size=6553500)
        since_s = self.tap.now_s()
        self.load(5, 18000)
        levels = Levels(self.pdus(), max_rate=RATE, max_bucket=100000)
        octets = self.sent(since_s=since_s)
        self.assertLessEqual(levels.worst_bvc, levels.slack)
        self.assertGreater(levels.worst_bvc, -1.5 * PACKET)
        self.figure(19, f"R {max(levels.rates):.0f} octets/s: {octets} octets in 5 s, at most 100000 + 5 x {RATE} by the operator's limit")
        self.finish()

    def test_next_to_nothing(self):
        """A cell at 212 octets/s whose bucket is shorter than an LLC-PDU lives, and recovers."""
        self.force(bvc_leak_rate=212, bvc_bucket_size=300)
        stream = network.Stream(self, self.phones[0], PACKET, 4000)
        since_s = self.tap.now_s()
        time.sleep(8)
        levels, octets = self.levels(), self.sent(since_s=since_s)
        self.assertLessEqual(levels.worst_bvc, levels.slack + 1.1 * PACKET)
        self.assertGreater(octets, 2 * PACKET)
        healed_s = self.force(bvc_leak_rate=None, bvc_bucket_size=None)
        again_s = stream.wait_for_arrival(self.tap.began_ns / 1e9 + healed_s) - self.tap.began_ns / 1e9
        stream.stop()
        self.figure(19, f"R 212 octets/s, bucket 300 octets: {octets} octets in 8 s; packets {again_s - healed_s:.2f} s after R was back")
        self.finish()


class Target(Flow):
    """The operator's bound on what waits in the BSS."""
    node_values = {"more": ', flow_control = { bss_target = "250 ms" }'}

    def test_delay_at_high_load(self):
        streams = [network.Stream(self, phone, PACKET, 0.9 * MS_RATE) for phone in self.phones]
        time.sleep(15)
        for stream in streams:
            stream.stop()
        time.sleep(1)
        measured_s = max(delay_s for _, delay_s in self.levels().measured_s)
        delays_s = sorted(delay_s for stream in streams for delay_s in stream.delays_s())
        self.figure(20, f"90 % load, bss_target 250 ms: BVC Measurement at most {measured_s:.2f} s; packets took "
                        f"{network.quantile(delays_s, 0.5):.2f} s (median), {network.quantile(delays_s, 0.95):.2f} s (p95)")
        self.finish()


class BucketsSns(Buckets):
    dialect = "ip-sns"


class AbsurdSns(Absurd):
    dialect = "ip-sns"


class TargetSns(Target):
    dialect = "ip-sns"


if __name__ == "__main__":
    unittest.main()
