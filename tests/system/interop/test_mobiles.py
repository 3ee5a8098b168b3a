#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What becomes of single mobiles below the real osmo-pcu: other TLLIs, packets thrown away, nobody there."""
import signal
import time
import unittest

import network
import bss_peer
import lab
from gb_oracle import bssgp
from levels import Levels

PACKET, MS_RATE, READY_S = 400, 2500, 4
FRAMES_DISCARDED, IMSI, FLUSH_LL, PAGING_PS = 0x0F, 0x0D, 0x2A, 0x06


class Identity(network.Case):
    def test_another_tlli(self):
        """The PCU knows a mobile by its IMSI and goes on with the TBF that is open."""
        self.bring_up()
        phone = self.phones[0]
        self.check_down(phone, 300, 1)
        phone.radio.tlli = 0xC0ABCDEF
        seen = len(self.node.lines)
        self.node.write(network.TEXT, mobiles=network.mobile_text(phone))
        self.node.process.send_signal(signal.SIGHUP)
        self.node.wait_for("1 mobile added", start=seen)
        since_s = self.tap.now_s()
        took_s = self.check_down(phone, 300, 2)
        first = self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), since_s)[0]
        self.assertEqual((first.bssgp.tlli, first.bssgp.elements[IMSI].hex()), (0xC0ABCDEF, "0910100000000010"))
        assigned = len(self.air.assignments_of(phone.radio))
        self.assertEqual(assigned, 0)
        self.figure(14, f"new TLLI: IMSI in its first DL-UNITDATA, no assignment on the PCH, {1000 * took_s:.0f} ms")
        self.finish()


class Discarded(network.Case):
    node_values = {"more": ', lifetime = { mode = "per_node", bss_max = "1 s" }'}

    def test_packets_that_grew_too_old(self):
        self.bring_up()
        phone = self.phones[0]
        stream = network.Stream(self, phone, PACKET, 40000)
        time.sleep(9)
        stream.stop()
        found = self.pdus(False, ("bssgp", bssgp.LLC_DISCARDED))
        self.assertTrue(found)
        for pdu in found:
            self.assertEqual((pdu.bvci, pdu.bssgp.tlli, pdu.bssgp.number(bssgp.BVCI)), (0, phone.radio.tlli, network.BVCI))
        frames, octets = (sum(pdu.bssgp.number(kind) for pdu in found) for kind in (FRAMES_DISCARDED, bssgp.OCTETS_AFFECTED))
        levels = Levels(self.pdus())
        worst = levels.worst_ms[phone.radio.tlli]
        self.assertLessEqual(worst, levels.slack)
        self.assertGreater(worst, -1.5 * PACKET)
        self.figure(21, f"{len(found)} LLC-DISCARDED, {frames} frames, {octets} octets: each octet went back into the bucket once, "
                        f"which at its fullest was {worst:+.0f} octets from the brim")
        self.finish()


OTHER_NSE = """, { nsei = 102, nsvcs = { { nsvci = 102, address = "198.51.100.2", udp_port = 23001 } }, cells = { { bvci = 1800,
    cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 } } } }"""
FLUSH_S = 2


class Moved(network.Case):
    node_values = {"nses_more": OTHER_NSE, "timers_more": f', bssgp = {{ flush = "{FLUSH_S} s" }}'}
    judged = False  # the other cell's frames have their own counters under the same TLLI

    def move(self, phone, seed):
        """The mobile is heard in the other cell."""
        packet = network.udp_packet(phone.address, network.SERVER, 100, seed)
        self.other.send_packet(packet, phone.radio.tlli)
        self.assertEqual(self.gateway.receive(phone), packet)

    def test_a_flush_that_nobody_answers(self):
        """osmo-pcu knows no FLUSH-LL; what it holds it still delivers, and the mobile is served in its new cell."""
        self.bring_up()
        with self.lab.inside("bss"):
            self.other = bss_peer.Peer(bss_peer.open_socket(lab.GB_BSS, 23001), (lab.GB_SGSN, 23000), 102, 102, 1800)
        self.addCleanup(self.other.close)
        self.other.bring_up()
        phone = self.phones[0]
        held = [self.send_down(phone, 300, seed) for seed in range(8)]
        self.wait_for_pdu(True, ("bssgp", bssgp.DL_UNITDATA))
        self.move(phone, 1)
        asked = self.wait_for_pdu(True, ("bssgp", FLUSH_LL))
        self.assertEqual((asked.bvci, asked.bssgp.tlli), (0, phone.radio.tlli))
        for seed in range(100, 103):
            self.assertEqual(self.packet_elsewhere(phone, seed), self.last)
        self.node.show_until("counts", lambda rows: any(row["name"] == "flush_ll_unanswered" for row in rows), FLUSH_S + 5)
        self.assertEqual([phone.packets.get(timeout=60) for _ in held], held)
        phone.nu = 100
        self.check_up(phone, 100, 9)
        # The gateway has the N-PDU before control has moved the mobile back.
        self.node.show_until("ms", lambda rows: any(row["bvci"] == network.BVCI for row in rows), 5)
        took_s = self.check_down(phone, 300, 200)
        self.figure(23, f"FLUSH-LL without an answer for {FLUSH_S} s: {len(held)} packets came late from the old cell, 3 in the new "
                        f"one meanwhile; back again, {1000 * took_s:.0f} ms")
        self.finish()

    def packet_elsewhere(self, phone, seed):
        self.last = self.send_down(phone, 300, seed)
        return self.other.packet(phone.radio.tlli)


class Unreachable(network.Case):
    phones_wanted = 2
    node_values = {"mobile_more": f', ready_timer = "{READY_S} s"'}

    def talk(self, phone, seconds):
        """The mobile is heard, every two seconds."""
        for seed in range(seconds // 2):
            phone.send(network.udp_packet(phone.address, network.SERVER, 60, seed))
            time.sleep(2)

    def test_a_mobile_that_is_away(self):
        """osmo-pcu never says so: it is given up when it has not been heard for long, and others do not feel it."""
        self.bring_up()
        here, away = self.phones
        away.radio.is_away = True
        streams = [network.Stream(self, phone, PACKET, 0.4 * MS_RATE) for phone in (here, away)]
        self.talk(here, READY_S + 2)
        since_s = self.tap.now_s()
        self.talk(here, 10)
        for stream in streams:
            stream.stop()
        time.sleep(1)
        fed = [pdu for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), since_s) if pdu.bssgp.tlli == away.radio.tlli]
        delays_s, share = streams[0].delays_s(), len(streams[0].arrived) / len(streams[0].sent)
        self.assertEqual((streams[1].arrived, fed), ([], []))
        self.assertGreater(share, 0.95)
        self.figure(22, f"a mobile that is away is sent nothing after {READY_S} s; another beside it gets {100 * share:.0f} % of its "
                        f"packets in {network.quantile(delays_s, 0.95):.2f} s (p95)")
        self.finish()

    def test_a_page(self):
        """What waits for a mobile in STANDBY goes when it has answered its page."""
        self.bring_up()
        phone = self.phones[0]
        time.sleep(1.3 * READY_S + 1)
        packets = [self.send_down(phone, 300, seed) for seed in range(4)]
        began = time.monotonic()
        self.assertEqual([phone.packets.get(timeout=60) for _ in packets], packets)
        took_s = time.monotonic() - began
        self.assertEqual([(group, whom) for _, group, whom in self.air.pages], [("001", phone.radio.tlli)])
        self.assertEqual(len(self.pdus(True, ("bssgp", PAGING_PS))), 1)
        self.figure("paging", f"one page for {len(packets)} packets, which were there after {took_s:.2f} s")
        self.finish()


class IdentitySns(Identity):
    dialect = "ip-sns"


class DiscardedSns(Discarded):
    dialect = "ip-sns"


class MovedSns(Moved):
    dialect = "ip-sns"


class UnreachableSns(Unreachable):
    dialect = "ip-sns"


if __name__ == "__main__":
    unittest.main()
