# SPDX-License-Identifier: BSD-3-Clause
"""Ends and restarts of each part, as operators have them, and what follows (aftermath.py): one node, and a pool of two, at the real
osmo-ggsn, with four phones of `gbflow emulate`; the one node with the real osmo-hlr.
"""
import signal
import time
import unittest

import aftermath
import hlr
import lab
import node
import pool_hlr
import pool_rig
import test_emulate_phones
import test_ggsn
import test_phones
import test_pool
from test_restart import restart

PHONES = 4
POLICY = 'policy = "hlr", ciphering = { 3, 0 }, hlr = { address = "127.0.0.1" }'


class Walk(aftermath.Walk):
    def __init__(self, case):
        super().__init__(case.lab, case.node)
        self.text = case.text


class Case(test_emulate_phones.Case):
    """A node whose phones are at their host; each walk begins with them."""

    def setUp(self):
        lab.need(self, hlr.missing())
        super().setUp()
        imsis = [str(int(test_phones.IMSI) + number) for number in range(PHONES)]
        self.hlr = hlr.Hlr(self.lab, imsis[0], test_phones.KI, *((imsi, test_phones.KI) for imsi in imsis[1:]))
        self.addCleanup(self.hlr.close)
        self.emulate(POLICY, f'count = {PHONES}, ki = "{test_phones.KI.hex()}"', after=["HLR 127.0.0.1: connected"])
        self.text = node.TEXT

    def use_all(self):
        """Each phone's host sends: a node, or a GGSN, that does not know it any more says so; until all have contexts again."""
        end = time.monotonic() + aftermath.ANSWER_S
        while True:
            addresses = test_emulate_phones.addresses_of(self.lab)
            with self.lab.inside("ms"):
                for address in addresses:
                    with test_ggsn.socket.socket(test_ggsn.socket.AF_INET, test_ggsn.socket.SOCK_DGRAM) as sock:
                        sock.bind((address, 0))
                        sock.sendto(b"", (test_ggsn.SERVER, 9))
            contexts = Walk(self).contexts()
            if len(contexts) == PHONES and sorted(contexts.values()) == sorted(test_emulate_phones.addresses_of(self.lab)):
                return
            self.assertLess(time.monotonic(), end, (contexts, addresses))
            time.sleep(0.5)

    def kill_node(self):
        self.node.process.kill()
        self.node.process.wait(60)
        self.node.reader.join(5)
        began = len(self.node.lines)
        self.node.start()
        self.node.wait_for("NSE 101 BVCI 1800: reset by the BSS", start=began)


class OneNode(Case):
    def finish_walk(self):
        self.use_all()
        aftermath.check(self, Walk(self))
        self.stop()

    def test_control(self):
        restart(self, self.node)
        self.finish_walk()

    def test_node(self):
        self.kill_node()
        self.finish_walk()

    def test_ggsn(self):
        teids = {row["teid"] for row in self.node.show("pdp")}
        self.far.stop(signal.SIGKILL)
        self.far.start()
        self.node.show_until("pdp", lambda rows: len(rows) == PHONES and not teids & {row["teid"] for row in rows})
        self.finish_walk()

    def test_hlr(self):
        self.hlr.kill()
        began = len(self.node.lines)
        self.hlr.start()
        self.node.wait_for("HLR 127.0.0.1: connected", start=began)
        self.finish_walk()

    def test_bss(self):
        """It begins again with the same phones, which attach."""
        self.bss.process.kill()
        self.bss.process.wait(60)
        self.bss.reader.join(5)
        began = len(self.bss.lines)
        self.bss.start()
        self.bss.wait_for("all [0-9]+ phones have a context", start=began)
        self.finish_walk()


class TwoNodes(test_pool.Case):
    def setUp(self):
        self.open(count=8, has_hlr=True)

    def finish_walk(self):
        self.rig.homes_until(lambda homes: len(homes) >= 8 and all(home and home[1] != "-" for home in homes.values()))
        aftermath.check(self, pool_rig.Walk(self.rig))
        self.stop()

    def empty(self, side):
        self.rig.allow(side, "no")
        for words in (("offload", "--all", "--now"), ("drain",)):
            status, text = self.rig.gbflow(side, *words)
            self.assertEqual(status, 0, text)
        self.rig.allow(side, "yes")

    def test_offload(self):
        """And back."""
        self.empty("node")
        self.assertEqual(self.rig.gbflow("node", "offload", "--stop")[0], 0)
        self.rig.gbflow("node2", "offload", "--phones", "4", "--to", "1", "--now")
        self.rig.homes_until(lambda homes: sum(home[0] == "node" for home in homes.values() if home) == 4)
        self.finish_walk()

    def test_control(self):
        for running in self.rig.nodes.values():
            restart(self, running)
        self.finish_walk()

    def test_proxy(self):
        """The BSS hears of it when its NS-ALIVEs have had no answer, in a minute."""
        self.rig.proxy.process.kill()
        self.rig.proxy.process.wait(60)
        self.rig.proxy.process.stderr.close()
        self.rig.proxy.start()
        for side in pool_rig.SIDES:
            self.rig.wait_for_cells(side, timeout_s=4 * pool_rig.WAIT_S)
        self.finish_walk()

    def test_hlr(self):
        self.rig.hlr.stop()
        self.rig.hlr.start()
        self.rig.wait(lambda open_now: len(open_now) == 2, lambda: self.rig.hlr.connections)
        self.finish_walk()

    def test_upgrade_of_both(self):
        """One after the other; the HLR tells each node which phones have gone."""
        for side in pool_rig.SIDES:
            self.empty(side)
            self.assertEqual(self.rig.nodes[side].stop(), 0)
            self.rig.start_node(side)
            self.rig.wait_for_cells(side)
        self.finish_walk()


if __name__ == "__main__":
    unittest.main()
