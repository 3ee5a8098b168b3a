# SPDX-License-Identifier: BSD-3-Clause
"""BSSs and cells that the configuration does not list (nses_accepted): a phone attaches in one, through restarts of control."""
import json
import queue
import re
import signal
import struct
import subprocess
import unittest

import lab
import node
import phone_peer
import test_phones
import test_walk

bss_peer = test_walk.bss_peer
CELL = bytes.fromhex("62f224123407") + struct.pack(">H", 9)
ACCEPTED = (', nses_accepted = { networks = { "198.51.100.0/24" }, nseis = { first = 200, last = 209 }, most = 2, cells = 2, nsvcs = 2, '
            'idle = "%(idle)s", %(accepted)srouteing_areas = { { mcc = "262", mnc = "42" } } }')
NSES = node.TEXT[node.TEXT.index("  nses ="):node.TEXT.index("  mobiles =")]


class Accepted(test_phones.Case):
    def unlisted(self, nsei=200, port=23005, bvci=1900, cell=CELL):
        with self.lab.inside("bss"):
            sock = bss_peer.open_socket(lab.GB_BSS, port)
        peer = bss_peer.Peer(sock, (lab.GB_SGSN, 23000), nsei=nsei, nsvci=nsei, bvci=bvci)
        peer.cell_id = cell
        self.addCleanup(peer.close)
        return peer

    def open(self, idle="600 s", accepted="", **values):
        text = ACCEPTED % {"idle": idle, "accepted": accepted}
        self.begin(**values, apns=" } }" + text[:-len(" } }")])  # begin() closes two tables

    def counts(self):
        return {row["name"]: row["count"] for row in self.node.show("counts")}

    def count_until(self, name, count=1):
        self.node.show_until("counts", lambda rows: {"name": name, "count": count} in rows)

    def phone_in(self, peer, cell=CELL):
        phone = phone_peer.Phone(peer, "262420000000003", tlli=0x78000009)
        phone.rai = cell[:6]
        phone.attach_fully()
        phone.activate()
        self.handset = phone
        self.ping(1)

    def restart_control(self):
        subprocess.run([node.program(), "restart-control", "--prefix", self.node.prefix], timeout=60, check=True, capture_output=True,
                       env=self.node.environment())
        self.node.wait_for("records adopted")

    def rows(self, table, nsei):
        return [row for row in self.node.show(table) if row["nsei"] == nsei]

    def test_phone_at_the_other_worker(self):
        self.open(workers=2, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2")
        peer = self.unlisted()
        peer.bring_up()
        self.phone_in(peer)
        self.assertEqual([row["worker"] for row in self.rows("link", 200) + self.rows("link", 101)], [1, 0])
        self.finish()

    def test_phone_through_a_restart(self):
        self.open()
        peer = self.unlisted()
        peer.bring_up()
        self.phone_in(peer)
        self.assertEqual([(row["bvci"], row["source"], row["cell_id"]) for row in self.rows("bvc", 200)],
                         [(1900, "nses_accepted", "262-42-4660-7-9")])
        self.assertEqual([row["source"] for row in self.rows("nse", 200) + self.rows("nse", 101)], ["nses_accepted", "nses"])
        self.restart_control()
        self.ping(2)
        self.assertEqual([row["state"] for row in self.rows("nse", 200)], ["unblocked"])
        other = self.unlisted(201, 23006, cell=CELL[:6] + b"\0\x0a")
        other.bring_up()
        self.ping(3)
        self.assertEqual(len(self.node.show("bvc")), 3)
        self.finish()

    def refused(self, name, **unlisted):
        peer = self.unlisted(**unlisted)
        peer.send(bytes([2, 0, 0x81, 1, 1, 0x82]) + struct.pack(">H", peer.nsvci) + b"\x04\x82" + struct.pack(">H", peer.nsei))
        self.count_until("nse_refused_" + name)
        with self.assertRaises(queue.Empty):
            peer.ns.get(timeout=0.3)

    def test_refusals(self):
        self.open()
        first, second = self.unlisted(), self.unlisted(201, 23006, cell=CELL[:6] + b"\0\x0b")
        first.bring_up()
        second.bring_up()
        self.refused("nsei", nsei=210, port=23007)
        self.refused("most", nsei=202, port=23009)
        self.refused("nsvci_in_use", nsei=200, port=23010)
        first.bvci = 1901  # the same cell identity again, then another country's, then one cell too many
        for cell, why in ((CELL, "cell_id_in_use"), (b"\x02" + CELL[1:], "routeing_area")):
            first.cell_id = cell
            first.send_bssgp(0, self.bvc_reset(first))
            self.count_until("cell_refused_" + why)
        first.cell_id = CELL[:6] + b"\0\x0c"
        first.send_bssgp(0, self.bvc_reset(first))
        self.count_until("cell_accepted", 3)
        first.bvci, first.cell_id = 1902, CELL[:6] + b"\0\x0d"
        first.send_bssgp(0, self.bvc_reset(first))
        self.count_until("cell_refused_most")
        self.assertEqual([row["bvci"] for row in self.rows("bvc", 200)], [1900, 1901])
        first.cell_id = CELL  # a reset of BVCI 0 frees it
        first.bring_up_bvcs()
        self.node.show_until("bvc", lambda rows: [row["bvci"] for row in rows if row["nsei"] == 200] == [1901, 1902])
        self.finish()

    @staticmethod
    def bvc_reset(peer):
        return b"\x22\x04\x82" + struct.pack(">H", peer.bvci) + b"\x07\x81\x08\x08\x88" + peer.cell_id

    @staticmethod
    def block(peer):
        peer.send(b"\x04\x00\x81\x00\x01\x82" + struct.pack(">H", peer.nsvci))

    def wait_blocked(self, nsei):
        self.node.show_until("nse", lambda rows: {"blocked"} == {row["state"] for row in rows if row["nsei"] == nsei})

    def test_idle(self):
        """A BSS that is gone is deleted after `idle` (when, gb_accepted_spec.lua says) with its cells; it may come again."""
        self.open(idle="2 s")
        peer = self.unlisted()
        peer.bring_up()
        self.block(peer)
        self.wait_blocked(200)
        self.node.show_until("nse", lambda rows: all(row["nsei"] != 200 for row in rows))
        self.assertEqual(self.rows("bvc", 200), [])
        peer.bring_up()
        self.phone_in(peer)
        self.finish()

    def test_places_of_others(self):
        """One that is down makes room for another NSE, and an NS-VC that is down for its BSS at another port."""
        self.open()
        first, second = self.unlisted(), self.unlisted(201, 23006, cell=CELL[:6] + b"\0\x0b")
        first.bring_up()
        second.bring_up()
        self.block(second)
        self.wait_blocked(201)
        again = self.unlisted(201, 23011, cell=CELL[:6] + b"\0\x0b")
        again.bring_up()
        self.assertEqual([row["udp_port"] for row in self.rows("nse", 201)], [23011])
        self.block(again)
        self.wait_blocked(201)
        third = self.unlisted(202, 23012, cell=CELL[:6] + b"\0\x0c")
        third.bring_up()
        self.phone_in(third, CELL[:6] + b"\0\x0c")
        self.assertEqual(sorted(row["nsei"] for row in self.node.show("nse")), [101, 200, 202])
        self.finish()

    def test_its_values(self):
        """Initial values of flow control and the rate of the link are those of nses_accepted."""
        self.open(accepted='gb = { rate = "64 kbit/s" }, flow_control = { initial = { bmax = "20000 octets", leak_rate = "40 kbit/s" } }, ')
        announce, bss_peer.Peer.announce = bss_peer.Peer.announce, lambda peer: None
        self.addCleanup(setattr, bss_peer.Peer, "announce", announce)
        peer = self.unlisted()
        peer.bring_up()
        self.assertEqual([row["max_octets"] for row in self.rows("bvc", 200)], [20000])
        self.assertEqual([row["leak_bps"] for row in self.rows("link", 200) + self.rows("link", 101)], [64000, 0])
        self.phone_in(peer)
        self.finish()

    def test_every_table_with_free_places(self):
        """Also behind a reload, which makes new rows: cells of no NSE are in no table."""
        fields = subprocess.run([node.program(), "fields", "--format", "json"], check=True, capture_output=True, timeout=60).stdout
        tables = {re.match("[a-z_]+", path)[0] for path in json.loads(fields)["show"]}
        self.assertGreater(len(tables), 30)
        self.open()
        for behind in ("start", "reload"):
            with self.subTest(behind=behind):
                for table in sorted(tables):
                    self.node.show(table)
                self.assertEqual([row["nsei"] for row in self.node.show("cell_class")], [])
                self.apply(self.node.values["more"])
        self.finish()

    def bounds(self, nsei):
        return [(row["max_octets"], row["leak_bps"]) for row in self.rows("bvc", nsei)]

    def apply(self, more):
        done = self.node.run_reload(more=more)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_flow_control_of_a_reload(self):
        """flow_control that a reload changes holds at once for cells by nses_accepted, and for those that come, also after a restart of
        control: a bucket of 2000 octets that does not leak lets few of 20 answers out, the rest waits until it is as before."""
        self.open()
        peer, more = self.unlisted(), self.node.values["more"]
        peer.bring_up()
        self.phone_in(peer)
        before = self.bounds(200)
        self.apply(more + ', flow_control = { max_rate = "100 bit/s", max_bucket = "2000 octets" }')
        self.assertEqual(self.bounds(200), [(2000, 100)])
        asked = int(self.node.show("node")[0]["npdu_in"])
        for seq in range(20):
            self.handset.send_packet(test_phones.echo(self.handset.address, test_phones.test_ggsn.SERVER, 8, seq, octets=256))
        self.node.show_until("node", lambda rows: int(rows[0]["npdu_in"]) == asked + 20)
        waiting = self.rows("bvc", 200)[0]["queued_npdus"]
        self.assertGreater(waiting, 10)
        self.restart_control()
        late = self.unlisted(201, 23006, cell=CELL[:6] + b"\0\x0b")
        late.bring_up()
        self.assertEqual(self.bounds(200) + self.bounds(201), [(2000, 100)] * 2)
        self.apply(more)
        self.assertEqual(self.bounds(200) + self.bounds(201), before * 2)
        self.assertEqual([self.handset.packet()[27] for _ in range(20)], list(range(20)))
        self.finish()

    def test_initial_values_of_a_reload(self):
        self.open()
        peer, more = self.unlisted(), self.node.values["more"]
        peer.bring_up_ns()
        peer.bring_up_bvcs()
        self.assertEqual([row["usable"] for row in self.rows("bvc", 200)], ["waits for flow control"])
        self.apply(more.replace("most = 2", 'flow_control = { initial = { bmax = "20000 octets", leak_rate = "40 kbit/s" } }, most = 2'))
        self.phone_in(peer)
        late = self.unlisted(201, 23006, cell=CELL[:6] + b"\0\x0b")
        late.bring_up_ns()
        late.bring_up_bvcs()
        self.assertEqual(self.bounds(200) + self.bounds(201), [(20000, 40000)] * 2)
        self.finish()

    def test_listed_by_a_reload(self):
        """A reload that lists an accepted NSE is rejected, and so is one with other settings of nses_accepted."""
        self.open()
        self.unlisted().bring_up()
        other = (' } } }, { nsei = %d, nsvcs = { { nsvci = 300, address = "%s", udp_port = %d } }, cells = { { bvci = 1, '
                 'cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 6, ci = 2 }')
        for values in ((200, lab.GB_BSS, 23099), (102, lab.GB_BSS, 23005)):
            self.node.write(cell_more=(other % values).replace("bvci = 1,", "bvci = 2,"))
            self.reload("NSE 200, or an endpoint or Cell Identity of it, is listed")
        self.node.write(cell_more="", more=self.node.values["more"].replace("most = 2", "most = 3"))
        self.reload("nses_accepted.most cannot change while the node runs: memory and rules")
        self.assertEqual(len(self.rows("bvc", 200)), 1)
        self.finish()

    def test_room_after_a_reload(self):
        """A reload that adds a listed NSE takes no place of nses_accepted; one that lists the identity of an accepted cell is rejected."""
        self.open()
        other = (' } } }, { nsei = 102, nsvcs = { { nsvci = 300, address = "%s", udp_port = 23099 } }, cells = { { bvci = %d, '
                 'cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = %d, ci = %d }')
        test_phones.test_ggsn.test_reload.reload(self.node, "1 NSE added", cell_more=other % (lab.GB_BSS, 2, 6, 2))
        first, second = self.unlisted(), self.unlisted(201, 23006, cell=CELL[:6] + b"\0\x0b")
        first.bring_up()
        second.bring_up()
        self.phone_in(first)
        self.node.write(cell_more=other % (lab.GB_BSS, 3, 7, 9))
        self.reload("NSE 200, or an endpoint or Cell Identity of it, is listed")
        self.finish()

    def reload(self, line):
        before = len(self.node.lines)
        self.node.process.send_signal(signal.SIGHUP)
        self.node.wait_for(line, start=before)
        self.node.wait_for("reload: rejected", start=before)

    def test_only_such(self):
        """A node without any BSS of its own."""
        config = node.TEXT
        node.TEXT = config.replace(NSES, "")
        self.addCleanup(setattr, node, "TEXT", config)
        bring_up = bss_peer.Peer.bring_up
        bss_peer.Peer.bring_up = lambda peer: None
        try:
            self.open()
        finally:
            bss_peer.Peer.bring_up = bring_up
        peer = self.unlisted()
        peer.bring_up()
        self.phone_in(peer)
        self.finish()


if __name__ == "__main__":
    unittest.main()
