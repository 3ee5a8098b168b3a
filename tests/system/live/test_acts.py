# SPDX-License-Identifier: BSD-3-Clause
"""An operator acts on one phone, NS-VC or cell: what peers are sent, what the command answers, and what the node is then."""
import os
import queue
import subprocess
import time
import unittest
from unittest import mock

import node
import phone_peer
import test_ggsn
import test_phones
import test_restart
from gb_oracle import bssgp

IMSI = test_phones.IMSI
QUICK = test_phones.PHONES.replace('t3395 = "1 s"', 't3395 = "1 s", t3322 = "1 s"')
TIMERS = ', timers = { ns = { reset = "1 s", reset_retries = 1, block = "1 s", block_retries = 1 }, bssgp = { t3313 = "1 s", t3313_retries = 1 } }'
DEACTIVATE_REQUEST, DEACTIVATE_ACCEPT = 0x46, 0x47
NS_RESET, NS_BLOCK, NS_BLOCK_ACK, NS_STATUS, BVC_RESET = 0x02, 0x04, 0x05, 0x08, 0x22
REATTACH, NO_REATTACH = 1, 2


class Act:
    """A command of `gbflow` that runs while the test plays the peers."""

    def __init__(self, test, *words):
        self.test = test
        self.process = subprocess.Popen([node.program(), *words, "--prefix", test.node.prefix], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, env=test.node.environment())
        test.addCleanup(self.close)

    def close(self):
        self.process.kill()
        self.process.communicate()

    def ends(self, status, *words):
        """It has ended so, and says these words."""
        out, err = self.process.communicate(timeout=60)
        self.test.assertEqual(self.process.returncode, status, out + err)
        for word in words:
            self.test.assertIn(word, err if status else out)


class Case(test_phones.Case):
    def begin(self, *words, **values):
        with mock.patch.object(test_phones, "PHONES", QUICK):
            super().begin(*words, more=TIMERS + values.pop("more", ""), **values)

    def attach(self, has_context=True):
        self.begin()
        self.handset.attach_fully()
        if has_context:
            self.handset.activate()

    def act(self, *words):
        return Act(self, *words)

    def subscribers(self):
        return [row["state"] for row in self.node.show("subscribers")]

    def next_ns(self, kind):
        """The next one of that kind; answers to repetitions of the bring-up may come before it."""
        octets = self.bss.ns.get(timeout=60)
        while octets[0] != kind:
            self.assertIn(octets[0], (bssgp.NS_RESET_ACK, bssgp.NS_UNBLOCK_ACK))
            octets = self.bss.ns.get(timeout=60)
        return octets

    def is_quiet(self, timeout_s=0.5):
        """The BSS is sent nothing."""
        time.sleep(timeout_s)
        self.assertTrue(self.bss.ns.empty() and self.bss.bssgp.empty() and self.bss.pdus.empty())


class Detach(Case):
    def test_detach(self):
        """Answered; the context is deleted at the GGSN, too."""
        for option, kind in (((), NO_REATTACH), (("--reattach",), REATTACH)):
            with self.subTest(option):
                self.attach()
                act = self.act("detach", IMSI, *option)
                self.assertEqual(self.handset.next(), bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, kind]))
                self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_ACCEPT]))
                act.ends(0, "done: the phone has answered by DETACH ACCEPT")
                self.assertEqual(self.subscribers(), [])
                self.node.wait_for(rf"act 1: detach imsi={IMSI}.*: asked for by uid {os.geteuid()}, pid {act.process.pid}")
                self.node.wait_for(rf"act 1: detach imsi={IMSI}.*: done")
                row = self.node.show("acts")[0]
                self.assertEqual((row["state"], row["uid"], row["pid"]), ("done", os.geteuid(), act.process.pid))
                self.assertEqual(self.finish().count(test_ggsn.DELETE), 1)
                self.doCleanups()
                self.setUp()

    def test_no_answer(self):
        self.attach()
        act = self.act("detach", IMSI)
        for _ in range(5):
            self.assertEqual(self.handset.next()[:2], bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST]))
        act.ends(1, "not done: the phone has answered neither a page nor DETACH REQUEST")
        self.assertEqual(self.subscribers(), [])
        self.finish()

    def test_forget(self):
        """The phone hears nothing; what it sends next is that of an unknown phone."""
        self.attach()
        self.act("forget", IMSI).ends(0, "done: the phone is forgotten")
        self.is_quiet()
        self.assertEqual(self.subscribers(), [])
        self.handset.update()
        self.assertEqual(self.handset.next()[:3], bytes([phone_peer.GMM, phone_peer.RAU_REJECT, 10]))
        self.assertEqual(self.finish().count(test_ggsn.DELETE), 1)


class Nsvc(Case):
    def test_reset(self):
        self.attach(has_context=False)
        act = self.act("nsvc", "101", "reset")
        octets = self.next_ns(NS_RESET)
        self.bss.send(bytes([bssgp.NS_RESET_ACK]) + octets[4:])
        self.next_ns(bssgp.NS_UNBLOCK)
        self.bss.send(bytes([bssgp.NS_UNBLOCK_ACK]))
        act.ends(0, "done: the BSS has answered, and the NS-VC is in service")
        self.assertEqual(self.node.show("nse")[0]["state"], "unblocked")
        self.finish()

    def test_reset_unanswered(self):
        self.attach(has_context=False)
        act = self.act("nsvc", "101", "reset", "--nsei", "101")
        self.next_ns(NS_RESET)
        self.next_ns(NS_RESET)
        act.ends(1, "not done: no answer to NS-RESET")
        self.finish()


if __name__ == "__main__":
    unittest.main()
