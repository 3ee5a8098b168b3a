# SPDX-License-Identifier: BSD-3-Clause
"""A pool of two live nodes with phones: each phone has one of them, and goes to the other one with its context and address."""
import contextlib
import itertools
import os
import signal
import sys
import time
import unittest

import aftermath
import ggsn
import lab
import node
import pool_lab
import pool_rig
import pool_storm
import test_ggsn

sys.path.append(os.path.join(node.ROOT, "tests", "unit", "lua"))

import mobility_messages  # noqa: E402  pylint: disable=wrong-import-position


class Case(unittest.TestCase):
    kind = pool_rig.Rig

    def open(self, has_hlr=False, **values):
        lab.need(self, ggsn.missing())
        self.rig = self.kind(**values)
        self.addCleanup(self.rig.close)
        if has_hlr:
            self.rig.with_hlr()
        self.rig.open()

    def stop(self):
        if self.rig.bss.report is None:
            self.assertEqual(self.rig.bss.stop(), 0)
        for running in self.rig.nodes.values():
            self.assertEqual(running.stop(), 0)
        self.assertEqual(self.rig.proxy.stop(), (0, ""))

    def wait_for_updates(self, count):
        """By all phones, at either node, from now on."""
        def updates():
            return sum(self.rig.counts(side).get("rau_complete", 0) for side in pool_rig.SIDES)

        self.rig.wait(lambda have, end=updates() + count: have >= end, updates)

    def check_homes(self):
        """Both nodes have some phones, with NRIs of their own in their P-TMSIs."""
        found = self.rig.rows()
        self.assertEqual(len(found), pool_rig.COUNT)
        sides = set()
        for imsi, rows in found.items():
            self.assertEqual([row["state"] for _, row in rows], ["registered"], imsi)
            side, row = rows[0]
            sides.add(side)
            self.assertTrue(pool_rig.is_own(side, int(row["tlli"], 16)), (side, row))
            self.assertIn(row["contexts"].removeprefix("5:"), self.rig.addresses)
        self.assertEqual(sides, set(pool_rig.SIDES))
        self.assertEqual(len(self.rig.addresses), pool_rig.COUNT)

    def empty(self, side, *words):
        """Of its phones, which the other node has then; returns how many these were."""
        other = pool_rig.OTHER[side]
        self.rig.allow(other, "yes")
        self.rig.allow(side, "no")
        before = self.rig.homes_until(lambda homes: all(homes.values()))
        here = self.rig.counts(side).get("sgsn_left", 0)
        count = sum(home == side for home, _ in before.values())
        self.assertGreater(count, 0)
        for command in (("offload", "--all", *words), ("drain",)):
            status, text = self.rig.gbflow(side, *command)
            self.assertEqual(status, 0, text)
        self.assertEqual(self.rig.nodes[side].show("subscribers"), [])
        self.assertEqual(self.rig.homes_until(lambda homes: all(homes.values())),
                         {imsi: (other, address) for imsi, (_, address) in before.items()})
        self.assertIn(self.rig.counts(side)["sgsn_left"] - here, range(1, count + 1))  # the HLR may tell of others first
        self.assertEqual(self.rig.gbflow(side, "offload", "--stop")[0], 0)
        return count

    def check_ggsn(self, side, count):
        """It was told of a node's contexts that came from the other node, and of no context's end."""
        messages = self.rig.gtpc(side)
        self.assertEqual((messages.count(test_ggsn.UPDATE), messages.count(test_ggsn.DELETE)), (count, 0), side)


class LateRig(pool_rig.Rig):
    """Its nodes are no pool when they start: a reload makes them one."""

    def start_node(self, side, **values):
        whole = self.node_more(side)
        self.node_more = lambda _: whole[:whole.index(",\n    pool = ")] + " }"
        super().start_node(side, **values)
        del self.node_more
        done = self.nodes[side].run_reload(text=pool_lab.TEXT, more=whole)
        assert done.returncode == 0, done.stderr


class Late(Case):
    kind = LateRig

    def test_a_reload_makes_the_pool(self):
        """Phones have NRIs, go to the other node with their contexts, and back."""
        self.open()
        self.check_homes()
        count = self.empty("node", "--now")
        self.check_ggsn("node2", count)
        self.assertEqual(self.empty("node2", "--now"), pool_rig.COUNT)
        self.assertEqual(self.rig.phone_addresses(), self.rig.addresses)
        self.stop()


class Pool(Case):
    def test_attach(self):
        """20 phones attach and activate: both nodes have some, with NRIs of their own in their P-TMSIs."""
        self.open()
        self.check_homes()
        self.stop()

    def check_counter(self):
        """By tshark: all Creates of the node, before it was emptied, and the first Update after its start have the same Recovery."""
        told = self.rig.sniffers["node"].ask("-Y", f"gtp.message in {{16, 18}} and ip.src == {pool_lab.GN['node']}", "-T", "fields",
                                             "-e", "gtp.message", "-e", "gtp.recovery")
        rows = [tuple(line.split("\t")) for line in told]
        counters = {counter for message, counter in rows if int(message, 0) == test_ggsn.CREATE}
        updates = [counter for message, counter in rows if int(message, 0) == test_ggsn.UPDATE]
        self.assertEqual((len(counters), updates[0]), (1, *counters), rows)

    def check_forwarded(self):
        """What one node has forwarded has come to the other one."""
        first, second = (self.rig.nodes[side].show("node")[0] for side in pool_rig.SIDES)
        for one, other in ((first, second), (second, first)):
            self.assertEqual(one["forward_npdu_out"], other["forward_npdu_in"])

    def check_numbers(self):
        """Each number has arrived once, but those on their way to a phone that had a TLLI of the other node meanwhile: the nodes have
        dropped none. How many are late is the machine's, but not a tenth. In order, but those that one node has
        forwarded: GTP marks no last one, and the other node holds the others until the update is complete. The BSS ends."""
        traffic = self.rig.traffic
        traffic.stop()
        lost, dropped = traffic.lost(), self.rig.dropped()
        self.assertEqual(self.rig.bss.stop(), 0)
        late = self.rig.bss.report["unknown_tlli_data"]
        self.assertEqual((traffic.twice(), dropped), ([], {}))
        self.assertLessEqual(len(traffic.wrong()), sum(self.rig.nodes[side].show("node")[0]["forward_npdu_in"] for side in pool_rig.SIDES))
        self.assertLessEqual(sum(map(len, lost.values())), late, lost)
        self.assertLess(late, sum(traffic.sent.values()) / 10)

    def test_offload_at_once(self):
        """All phones of a node go to the other one, then all back, while numbered packets come for each."""
        self.open()
        self.rig.send_numbers()
        count = self.empty("node", "--now")
        self.check_ggsn("node2", count)
        self.assertEqual(self.empty("node2", "--now"), pool_rig.COUNT)
        self.check_ggsn("node", pool_rig.COUNT)
        self.check_ggsn("node2", count)
        self.check_forwarded()
        self.assertEqual(self.rig.phone_addresses(), self.rig.addresses)
        self.check_numbers()
        for side, pattern in (("node", "drain: done: no phone is here any more"), ("node2", "offload begins")):
            self.rig.nodes[side].wait_for(pattern)
        self.assertEqual([fault for side in pool_rig.SIDES for fault in self.rig.sniffers[side].faults()], [])
        self.stop()

    def test_ciphered(self):
        """The same with an HLR: phones are authenticated and ciphered at the other node, too, and the HLR tells the first one."""
        self.open(has_hlr=True)
        self.rig.send_numbers()
        count = self.empty("node", "--now")
        self.assertEqual(len(set(self.rig.hlr.cancelled)), count)
        self.assertEqual(self.empty("node2", "--now"), pool_rig.COUNT)
        self.check_ggsn("node", pool_rig.COUNT)
        self.assertEqual(self.rig.phone_addresses(), self.rig.addresses)
        self.check_numbers()
        self.stop()

    def test_upgrade(self):
        """A node is emptied, ends, starts with another configuration, and gets half of all phones back."""
        self.open()
        self.rig.send_numbers()
        self.empty("node", "--now")
        self.assertEqual((self.rig.dropped(), self.rig.nodes["node"].stop()), ({}, 0))
        self.rig.values["phones_more"] = ', network_name = "upgraded"'
        self.rig.start_node("node")
        self.rig.wait_for_cells("node")
        self.rig.allow("node", "yes")
        half = pool_rig.COUNT // 2
        status, text = self.rig.gbflow("node2", "offload", "--phones", str(half), "--to", "1", "--now")
        self.assertEqual(status, 0, text)
        homes = self.rig.homes_until(lambda homes: all(homes.values()) and sum(side == "node" for side, _ in homes.values()) == half)
        self.assertEqual(sorted(address for _, address in homes.values()), sorted("5:" + one for one in self.rig.addresses))
        self.assertEqual(self.rig.counts("node2")["sgsn_left"], half)
        self.check_ggsn("node", half)
        self.assertEqual(self.rig.phone_addresses(), self.rig.addresses)
        self.check_counter()
        self.rig.traffic.stop()
        aftermath.check(self, pool_rig.Walk(self.rig))
        self.check_numbers()
        self.stop()


class Updates(Case):
    """Phones go when they update their routeing area, which they do every second."""

    def setUp(self):
        self.open(phones='script = { { after = "1 s", what = "update" } }, rounds = 1000')

    def left(self, side):
        return self.rig.counts(side).get("sgsn_left", 0)

    def offload(self, side, *words):
        status, text = self.rig.gbflow(side, "offload", *words)
        self.assertEqual(status, 0, text)

    def home_count(self, side):
        return sum(home == side for home, _ in self.rig.homes_until(lambda homes: all(homes.values())).values())

    @contextlib.contextmanager
    def silent_phones(self):
        """Nothing of theirs is on its way to the nodes."""
        os.kill(self.rig.bss.process.pid, signal.SIGSTOP)
        try:
            before = {}
            while before != (before := {side: self.rig.counts(side) for side in pool_rig.SIDES}):
                pass
            yield
        finally:
            os.kill(self.rig.bss.process.pid, signal.SIGCONT)

    def test_offload(self):
        """Some, those that an NRI is for, and until it is told to stop; no phone loses its address."""
        count = self.home_count("node")
        self.rig.allow("node", "no")
        self.offload("node", "--phones", "3")
        self.rig.wait(lambda left: left == 3, self.left, "node")
        self.wait_for_updates(2 * pool_rig.COUNT)
        self.assertEqual((self.left("node"), self.home_count("node")), (3, count - 3))
        self.rig.allow("node", "yes")
        self.offload("node", "--all", "--to", "4")
        self.assertEqual(self.rig.gbflow("node", "drain")[0], 0)
        self.offload("node", "--stop")
        self.assertEqual((self.left("node"), self.home_count("node2")), (count, pool_rig.COUNT))
        half = pool_rig.COUNT // 2
        self.offload("node2", "--phones", str(half), "--to", "2")
        self.rig.wait(lambda left: left == half, self.left, "node2")
        with self.silent_phones():  # so that none is told before the end
            self.offload("node2", "--all", "--to", "2")
            self.offload("node2", "--stop")
        self.wait_for_updates(2 * pool_rig.COUNT)
        self.assertEqual((self.left("node2"), self.home_count("node")), (half, half))
        self.assertEqual(self.rig.phone_addresses(), self.rig.addresses)
        self.assertEqual([self.rig.gtpc(side).count(test_ggsn.DELETE) for side in pool_rig.SIDES], [0, 0])
        for side, words, says in (("node", ("--stop",), "no offload is in progress"), ("node", ("--all", "--to", "9"), "has NRI 9")):
            status, text = self.rig.gbflow(side, "offload", *words)
            self.assertTrue(status == 1 and says in text, text)
        self.stop()


class Messages(Case):
    """What the nodes say to each other, read by tshark and by a decoder in Python."""
    KINDS = {48, 49, 50, 51, 52}

    def test_messages(self):
        """The proxy gives the phones of a node to the other one, and all back: they update, are switched off, and attach."""
        self.open(count=6, phones='script = { { after = "1 s", what = "update" }, { after = "1 s", what = "power_off" }, '
                                  '{ after = "1 s", what = "attach" } }, rounds = 1000')
        heard, end = self.rig.sniffers["node"], time.monotonic() + pool_rig.WAIT_S
        for side in itertools.cycle(reversed(pool_rig.SIDES)):
            for nri in (nri for one in pool_rig.SIDES for nri in pool_rig.nris_of(one)):
                self.rig.give_nri(nri, side)
            self.wait_for_updates(6)
            if self.KINDS.issubset(octets[1] for octets in heard.datagrams(2123)):
                break
            self.assertLess(time.monotonic(), end)
        messages = [octets for octets in heard.datagrams(2123) if octets[1] in self.KINDS]
        for octets in messages:
            self.assertIsInstance(mobility_messages.decode(octets), dict, octets.hex())
        self.assertEqual(heard.faults(), [])
        self.stop()


class Storm(unittest.TestCase):
    def test_storm(self):
        """Some random steps; pool_storm.py has more, and kills."""
        lab.need(self, ggsn.missing())
        storm = pool_storm.Storm(seed=1, count=pool_rig.COUNT)
        self.addCleanup(storm.close)
        self.assertEqual(storm.play(steps=8), [])
        self.assertGreater(sum(storm.rig.counts(side).get("sgsn_left", 0) for side in pool_rig.SIDES), 0)


if __name__ == "__main__":
    unittest.main()
