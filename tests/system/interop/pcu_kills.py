#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Kills osmo-pcu at random moments of the procedures of phones that it serves.

usage: pcu_kills.py [--kills N] [--seed N] [--phones N] [--programs LIST] [--loss SHARE] [--verbose]     20, 1, 6, pcu, 0

Phones attach, activate, ping, update, deactivate and detach all the time, through a test BTS and the real osmo-pcu, at the real
osmo-hlr and osmo-ggsn. Each kill is a SIGKILL; osmo-pcu is started again up to a second later, sometimes ten: the node has
declared its NS-VC dead then. Half of the times it is killed again before the phones are back. What waits in a phone's radio at
a kill is lost half of the times. Then each phone must be attached and active with its ping answered within 10 s of its timer
of 3 s, with the contexts of the phones and no others in the node and in osmo-ggsn; at the end all detach, and nothing may be
left over. The network may forget no context, and no phone that had one, while nothing but osmo-pcu is killed. --programs may
name hlr, ggsn, gbflow and control, too (kills.py). --loss is the share of downlink data blocks that the radio loses.

The table says how often osmo-pcu was killed, the longest time from its start until all phones were back, and how often they
were not; the line below it, how many procedures of each kind were under way at the kills. Needs root, osmo-pcu, osmo-hlr and
osmo-ggsn.
"""
import collections
import os
import random
import sys
import types

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "live"))
import kills  # noqa: E402  (before this folder's modules: its neighbours have equal names)
import handset  # noqa: E402
import phone_peer  # noqa: E402
from gb_oracle import bssgp  # noqa: E402

from gbflow_bts.air import Air  # noqa: E402
from gbflow_bts.bts import Bts  # noqa: E402
from gbflow_bts.mobile import Mobile  # noqa: E402
from osmo_pcu import OsmoPcu, missing  # noqa: E402
from gbflow_bts.pcuif import Cell, Nsvc  # noqa: E402

FILLING = b"\x43\xc0\x01\x2b"  # the PCU's own
LOCAL = 0xC0000000
NS = {"test_s": 2, "alive_s": 1, "retries": 3}  # a dead NS-VC is noticed in 6 s
NS_TEXT = ', timers = { ns = { test = "%(test_s)d s", alive = "%(alive_s)d s", alive_retries = %(retries)d } }' % NS


class Cellular(Air):
    """The air as handset.Handset knows it."""

    def __init__(self):
        super().__init__()
        self.phones = []

    def end(self):
        """Bts.close() ends it."""


class Radio(Mobile):
    """What is submitted waits for the BTS's thread; None among it: forget all before it."""

    def __init__(self, tlli, imsi, seed):
        super().__init__(tlli, imsi)
        self.inbox, self.chance = collections.deque(), random.Random(f"{seed}/{imsi}/radio")

    def submit(self, octets):
        self.inbox.append(octets)

    def forget(self):
        self.inbox.append(None)

    def fall_silent(self):
        super().fall_silent()
        self._take_in()
        if self.chance.random() < 0.5:
            self.queue.clear()

    def pass_time(self, tick):
        self._take_in()
        super().pass_time(tick)

    def _take_in(self):
        while self.inbox:
            octets = self.inbox.popleft()
            if octets is None:
                self.queue.clear()
                self.up, self.access = None, None
            else:
                self.queue.append(octets)


class Phone(handset.Handset):
    """faults has what the network has forgotten, too, unless more than the PCU is killed."""

    def __init__(self, air, imsi, ki, options):
        self.radio, self.is_known = Radio(0, imsi, options.seed), options.programs == ["pcu"]
        self.procedure, self.is_sure = None, False
        super().__init__(air, imsi, ki, options.seed)
        self.radio.on_pdu, self.radio.on_page, self.radio.loss = self._hear, self._paged, options.loss
        air.mobiles.append(self.radio)

    @property
    def tlli(self):
        return self.radio.tlli

    @tlli.setter
    def tlli(self, tlli):
        """The counters of LLC begin again with one that is not local, and none of the frames before it is sent."""
        if tlli < LOCAL:
            self.radio.forget()
        self.radio.tlli = tlli

    @property
    def old_tlli(self):
        return self.radio.old_tlli

    @old_tlli.setter
    def old_tlli(self, tlli):
        self.radio.old_tlli = tlli

    def send_llc(self, frame):
        self.radio.submit(frame)

    def _hear(self, octets):
        """From the BTS's thread."""
        if not octets.startswith(FILLING):
            self.peer.pdus.put(types.SimpleNamespace(elements={bssgp.LLC_PDU: octets}))

    def _paged(self):
        self.peer.pdus.put(None)

    def ask(self, send, is_done, tries=handset.TRIES):
        """The name of the procedure is the first word of the note before it."""
        self.procedure = "ping" if send == self.send_ping else self.log[-1].split()[2]
        try:
            return super().ask(send, is_done, tries)
        finally:
            self.procedure = None

    def go_attach(self):
        """Its COMPLETE may be lost, and the network gives up the attach then."""
        self.is_sure = False
        super().go_attach()

    def take_sm_42(self, message):
        self.is_sure = True
        super().take_sm_42(message)

    def take_gmm_09(self, message):
        was_active = self.is_active
        super().take_gmm_09(message)
        if was_active and not self.is_active and self.is_known:
            self.fault("the network has forgotten its context")

    def refuse(self, cause):
        if self.is_known and self.is_attached and self.is_sure and cause in (9, 10):
            self.fault(f"the network has forgotten it: GMM cause {cause}")
        super().refuse(cause)


class Rig(kills.Rig):
    """The PCU and its BTS in place of a BSS of Python; osmo-pcu finds by itself that the node was started again."""
    more, pauses_s = kills.PHONES + NS_TEXT, (1, 1, 1, 10)

    def __init__(self, options):
        self.pcu, self.bts, self.cut = None, None, collections.Counter()
        super().__init__(options)

    @staticmethod
    def make_air(options):
        return Cellular()

    def make_phone(self, imsi, ki, options):
        return Phone(self.air, imsi, ki, options)

    def logs(self):
        return super().logs() + self.pcu.text().splitlines()[-60:]

    def start_bss(self):
        mcc, mnc, lac, rac = 262, 42, int.from_bytes(phone_peer.RAI[3:5], "big"), phone_peer.RAI[5]
        cell = Cell(mcc=mcc, mnc=mnc, lac=lac, rac=rac, cell_id=1, bvci=1800, nsvcs=[Nsvc(nsvci=101)])
        self.bts = self.keep(Bts(os.path.join(self.folder, "pcu_bts"), cell, self.air))
        self.start_pcu()
        self.closers.append(lambda: self.pcu.stop())  # the one of then
        self.node.show_until("bvc", lambda rows: rows and rows[0]["usable"] and rows[0]["rate_bps"], 20)

    def kill_pcu(self):
        if not self.pcu.is_running():
            print("osmo-pcu has ended by itself\n" + "\n".join(self.pcu.text().splitlines()[-20:]), flush=True)
        self.cut.update(phone.procedure for phone in self.phones if phone.procedure)
        self.pcu.stop()

    def start_pcu(self):
        self.pcu = OsmoPcu(self.lab, self.folder, self.bts.path, scheme=4, **NS)

    def start_gbflow(self):
        seen = len(self.node.lines)
        self.node.start()
        self.node.wait_for("running", start=seen)

    def print_more(self):
        """The kills' procedures."""
        print("cut by osmo-pcu's kills: " + ", ".join(f"{name} {self.cut[name]}" for name in sorted(self.cut)), flush=True)

    def unsettled(self):
        return f"the BTS: {self.bts.fault}" if self.bts.fault else super().unsettled()


def main():
    return kills.main(__doc__, Rig, ["pcu"], [missing()])


if __name__ == "__main__":
    sys.exit(main())
