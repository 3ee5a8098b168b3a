#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Phones of a lab whose class and EGPRS osmo-pcu hears from the node: timeslots and coding that they get, and the rate of each.

Rates are those of the air's periods, but a BTS that the machine serves late has a node that sends less: the rate with the target
is compared with that without it, in turn.
"""
import re
import shutil
import unittest

import hlr
import lab
import lab_command
import lab_rates

SECONDS = 4
LEAST = 0.75  # of the rate without the target; an R of osmo-pcu that is believed leaves 0.6
MOST = 1.05  # of the air, of which headers take 4 %; a span has a packet more or less
TRIES = 6  # pairs of spans, which a busy machine makes unequal


class Rates(lab_command.Case):
    def setUp(self):
        super().setUp()
        lab.need(self, hlr.missing() or (None if shutil.which("osmo-pcu") else "needs the program osmo-pcu"))

    def span(self, one, kbps, has_target):
        one.set_target(has_target)
        return lab_rates.span_of(one, kbps, SECONDS)

    def play(self, slots, coding):
        """Pairs of Spans without and with the target, until one has LEAST; the last one with it; what osmo-pcu says of the phone."""
        one, kbps = lab_rates.Lab(self.name, slots, coding), lab_rates.MORE * lab_rates.air_kbps(slots, coding)
        shares = []
        while len(shares) < TRIES and max(shares, default=0) < LEAST:
            without, span = (self.span(one, kbps, has_target) for has_target in (False, True))
            shares.append(span.kbps / without.kbps)
        return shares, span, re.findall(r"MS class: +(\d+)", one.pcu("show ms all"))

    def check(self, slots, coding, classes):
        shares, span, told = self.play(slots, coding)
        self.assertEqual(told, classes)
        self.assertEqual((len(span.slots), set(span.blocks) & {coding}), (slots, {coding}), span.blocks)
        self.assertGreaterEqual(shares[-1], LEAST, (shares, span.rates))
        air_kbps = lab_rates.air_kbps(slots, coding)
        self.assertLess(span.kbps, MOST * air_kbps)
        print(f"{slots} timeslots, {coding}: {span.kbps:.1f} of {air_kbps:.1f} kbit/s, R {min(span.rates)} to {max(span.rates)} bit/s")

    def test_one_slot(self):
        """UDP to an idle phone of class 1 uses one timeslot."""
        self.check(1, "CS-4", ["1", "0"])

    def test_four_slots_of_egprs(self):
        """Blocks of MCS-9 on four timeslots, whatever R osmo-pcu announces."""
        self.check(4, "MCS-9", ["8", "8"])


if __name__ == "__main__":
    unittest.main()
