#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Network service towards the real osmo-pcu: tests of life, two NS-VCs, and what comes unasked."""
import time
import unittest

import network
import lab
from gb_oracle import bssgp
from inject import Injector, unitdata
from gbflow_bts.pcuif import Nsvc
from vty import Vty

NS_RESET, NS_STATUS, NS_ALIVE, NS_ALIVE_ACK, SNS_SIZE = 2, 8, 10, 11, 18
SECOND = ', { nsvci = 1801, address = "198.51.100.2", udp_port = 23001 }'


class Life(network.Case):
    begins = NS_RESET

    def test_alive(self):
        self.bring_up()
        time.sleep(70 if network.REAL_TIMERS else 3 * network.TEST_S)
        counts = {is_down: [len(self.pdus(way, ("ns", kind))) for way, kind in ((is_down, NS_ALIVE), (not is_down, NS_ALIVE_ACK))]
                  for is_down in (True, False)}
        for is_down, (asked, answered) in counts.items():
            self.assertGreaterEqual(asked, 3, is_down)
            self.assertLessEqual(asked - answered, 1, is_down)
        self.assertEqual(len(self.pdus(False, ("ns", self.begins))), 1)
        self.check_down(self.phones[0], 100)
        self.finish()
        self.figure(9, f"NS-ALIVE and answers: ours {counts[True]}, the PCU's {counts[False]}; no second beginning")


class LifeSns(Life):
    dialect, begins = "ip-sns", SNS_SIZE


class TwoNsvcs(network.Case):
    cell_values = {"nsvcs": [Nsvc(), Nsvc(1801, 23001)]}
    node_values = {"nsvcs": network.NSVCS % SECOND}

    def wait_for_states(self, *states):
        self.node.show_until("nse", lambda rows: tuple(row["state"] for row in rows) == states)

    def test_fail_over(self):
        self.bring_up()
        self.wait_for_states("unblocked", "unblocked")
        phone, vty = self.phones[0], Vty(self.lab)
        self.addCleanup(vty.close)
        resets = len(self.pdus(False, ("bssgp", bssgp.BVC_RESET)))
        self.assertEqual(resets, 2)
        carried = []
        for number, states in ((None, ("unblocked", "unblocked")), (1800, ("blocked", "unblocked")),
                               (1801, ("unblocked", "blocked"))):
            if number:
                vty.command(f"nsvc {number} block")
            self.wait_for_states(*states)
            since_s = self.tap.now_s()
            self.check_down(phone, 300, number or 1)
            self.check_up(phone, 300, number or 1)
            carried.append({pdu.port for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), since_s)})
            if number:
                vty.command(f"nsvc {number} unblock")
                self.wait_for_states("unblocked", "unblocked")
        self.assertEqual(carried[1:], [{23001}, {23000}])
        self.assertEqual(len(self.pdus(False, ("bssgp", bssgp.BVC_RESET))), resets)
        self.figure(8, f"two NS-VCs: ports in use {carried}; no BVC-RESET on fail-over")
        self.finish()


class TwoNsvcsSns(network.Case):
    """Two endpoints of ours and one of the PCU's: IP-SNS knows no block, so one way is cut until both ends have found out."""
    dialect = "ip-sns"
    node_values = {"nsvcs": 'sns = { address = "198.51.100.2", endpoints = { { }, { udp_port = 23001 } } }'}

    def rule(self, word, port):
        self.lab.ip(self.lab.names["bss"], "rule", word, "to", lab.GB_SGSN, "ipproto", "udp", "dport", str(port), "blackhole")

    def cut(self, port):
        """What the PCU sends to that port of ours is lost, until both have given the NS-VC up."""
        began = time.monotonic()
        self.rule("add", port)
        self.wait_for_states({port: "silent"})
        time.sleep(max(0.0, began + network.LOSS_S + 0.5 - time.monotonic()))

    def heal(self, port):
        self.rule("del", port)
        self.wait_for_states({})

    def wait_for_states(self, others):
        """Those of the NS-VCs by the port at our end; not named: alive."""
        wanted = [others.get(port, "alive") for port in (23000, 23001)]
        self.node.show_until("nse", lambda rows: [row["state"] for row in rows] == wanted, network.LOSS_S + 10)

    def test_fail_over(self):
        self.bring_up()
        self.wait_for_states({})
        resets = len(self.pdus(False, ("bssgp", bssgp.BVC_RESET)))
        carried = []
        for port in (23000, 23001):
            self.cut(port)
            since_s = self.tap.now_s()
            self.check_down(self.phones[0], 300, port)
            self.check_up(self.phones[0], 300, port)
            carried.append({pdu.node_port for pdu in self.pdus(None, None, since_s)
                            if pdu.kind() in (("bssgp", bssgp.DL_UNITDATA), ("bssgp", bssgp.UL_UNITDATA))})
            self.heal(port)
        self.assertEqual(carried, [{23001}, {23000}])
        self.assertEqual((resets, len(self.pdus(False, ("bssgp", bssgp.BVC_RESET)))), (2, 2))
        self.assertEqual(len(self.pdus(False, ("ns", SNS_SIZE))), 1)
        self.figure(8, f"two NS-VCs, each cut: our ports in use {carried}; no BVC-RESET, no SNS-SIZE on fail-over")
        self.finish()


class Oddities(network.Case):
    """What arrives that nobody asked for is counted, and never answered by more of the kind."""

    def setUp(self):
        super().setUp()
        self.bring_up()
        self.injector = Injector(self.lab)
        self.addCleanup(self.injector.close)

    def counts(self):
        return {row["name"]: row["count"] for row in self.node.show("counts")}

    def test_status(self):
        cause, ns_cause = (lambda value: bssgp.tlv(7, bytes([value]))), bssgp.tlv(0, b"\x0a")
        pdus = (unitdata(0, bytes([bssgp.STATUS]) + cause(5)), unitdata(0, bytes([bssgp.STATUS]) + cause(0x27)),
                unitdata(network.BVCI, bytes([bssgp.STATUS]) + cause(0x27)), bytes([NS_STATUS]) + ns_cause,
                unitdata(0, bytes([bssgp.STATUS])))
        since_s = self.tap.now_s()
        for _ in range(20):
            for pdu in pdus:
                self.injector.to_node(pdu)
        names = ("bssgp_status_received_05", "bssgp_status_received_27", "ns_status_received_0a", "bssgp_status_malformed")
        self.node.show_until("counts", lambda _: all(name in self.counts() for name in names))
        self.check_down(self.phones[0], 300)
        counts = self.counts()
        self.assertEqual([counts[name] for name in names], [20, 40, 20, 20])
        for kind in (("bssgp", bssgp.STATUS), ("ns", NS_STATUS)):
            self.assertEqual(self.pdus(True, kind, since_s), [])
        self.assertLess(len(self.node.lines), 40)
        self.figure(25, f"{ {name: counts[name] for name in names} }, none answered")
        self.judged = False  # tshark shall not judge what we injected
        self.finish()

    def test_a_reset_in_traffic(self):
        """BVC-RESET while packets flow: nothing goes before FLOW-CONTROL-BVC, then all goes on."""
        stream = network.Stream(self, self.phones[0], 200, 2000)
        stream.wait_for_arrival(time.time())
        since_s, began = self.tap.now_s(), time.time()
        status = bytes([bssgp.STATUS]) + bssgp.tlv(7, b"\x05") + bssgp.tlv(bssgp.BVCI, network.BVCI.to_bytes(2, "big"))
        self.injector.to_pcu(unitdata(0, status))
        reset = self.wait_for_pdu(False, ("bssgp", bssgp.BVC_RESET), since_s)
        flow = self.wait_for_pdu(False, ("bssgp", bssgp.FC_BVC), reset.at_s)
        arrived = stream.wait_for_arrival(began + 0.5)
        stream.stop()
        early = [pdu for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), reset.at_s)
                 if reset.at_s + 0.0005 < pdu.at_s < flow.at_s]
        self.assertEqual(early, [])
        self.figure(24, f"FLOW-CONTROL-BVC {1000 * (flow.at_s - reset.at_s):.2f} ms after BVC-RESET, nothing sent between; "
                        f"packets went on {arrived - began:.2f} s after")
        self.finish()


class OdditiesSns(Oddities):
    dialect = "ip-sns"


if __name__ == "__main__":
    unittest.main()
