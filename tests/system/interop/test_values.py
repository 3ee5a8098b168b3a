#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values that one side sets and another side reads: phone - osmo-pcu - gbflow - osmo-hlr and osmo-ggsn, all real but the radio.

What the others have is read on their VTYs, or by tshark on their side. osmo-hlr 1.5 has no quality of service of a subscriber, and sends
the APN *; the class is that of the node's APN here. osmo-ggsn grants the quality of service that it is asked for, so ACCEPT shows that
the granted one passes, not that it wins over the one asked. docs/values.md has where each field of each message goes.
"""
import re
import time
import unittest
import unittest.mock

import test_chain
import ggsn
import sniffer
import vty
from gbflow_bts import layer3

GB, GN, LO = "gb1", "gn1", "lo"
PORTS = "-d", "udp.port==23000,gprs-ns"
HLR_VTY, GGSN_VTY, WAIT_S, PAUSE_S = 4258, 4260, 60, 0.1
MSISDN, IMEISV, DRX = "491709999", "3512345678901234", b"\x20\3"  # SPLIT PG CYCLE CODE 32, non-DRX timer of 4 s
APNS = '"192.0.2.2", class = "thp1" }, { name = "other", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" }'
CONTEXTS = "show pdp-context ggsn ggsn0"
# ACTIVATE with a quality of service of R99, all of it subscribed, which ACCEPT has then.
NSAPI, OTHER = 6, 7
REQUEST = bytes([1 << 4 | layer3.SM, layer3.PDP_REQUEST, NSAPI, layer3.DATA_SAPI, 11]) + bytes(11) + b"\2\1\x21"


def down(more):
    return f"bssgp.pdu_type == 0x00 and {more}"


def gmm(kind, more):
    return f"gsm_a.dtap.msg_gmm_type == {kind:#04x} and {more}"


def sm(kind, more):
    return f"gsm_a.dtap.msg_sm_type == {kind:#04x} and {more}"


# (value, where tshark reads it, display filter), {name} of what the peers have given.
HEARD = (
    ("the phone's DRX parameter", GB, down("gsm_a.gm.gmm.split_pg_cycle_code == 32 and gsm_a.gm.gmm.non_drx_timer == 3")),
    ("the phone's multislot classes", GB, down("gsm_a.gm.gmm.rac.gprs_multi_slot_class == 4 and gsm_a.gm.gmm.rac.egprs_multi_slot_class == 2")),
    ("the cell's routeing area", GB, gmm(layer3.ATTACH_ACCEPT, "gsm_a.lac == 13135 and gsm_a.gm.gmm.rac == 0")),
    ("the P-TMSI", GB, gmm(layer3.ATTACH_ACCEPT, "3gpp.tmsi == 0x{tlli}")),
    ("the TLLI of it", GB, gmm(layer3.ATTACH_COMPLETE, "gsm_a.rr.tlli == 0x{tlli}")),
    ("the HLR's MSISDN", LO, 'gsup.msg_type == 0x10 and e164.msisdn == "{msisdn}"'),
    ("the HLR's MSISDN", GN, 'gtp.message == 16 and e164.msisdn == "{msisdn}"'),
    ("the phone's IMSI", GN, 'gtp.message == 16 and e212.imsi == "{imsi}"'),
    ("the phone's IMEISV", GN, 'gtp.message == 16 and gtp.ext_imeisv == "{imeisv}"'),
    ("the cell", GN, "gtp.message == 16 and gtp.cgi_ci == 20960 and gtp.lac == 13135"),
    ("the phone's APN", GN, 'gtp.message == 16 and gtp.apn == "internet"'),
    ("the APN's class", GN, "gtp.message == 16 and gtp.qos_traf_class == 3 and gtp.qos_traf_handl_prio == 1"),
    ("the GGSN's address", GN, "gtp.message == 17 and gtp.user_ipv4 == {address}"),
    ("the class granted, as asked", GB, sm(layer3.PDP_ACCEPT, "gsm_a.gm.sm.qos.traffic_cls == 3 and gsm_a.gm.sm.qos.traff_hdl_pri == 1")),
    ("the GGSN's DNS servers", GB, sm(layer3.PDP_ACCEPT, "ipcp.opt.pri_dns_address == {dns} and ipcp.opt.sec_dns_address == {dns_too}")),
)
# (value, whose VTY, command, pattern)
READ = (
    ("the phone's classes", "pcu", "show ms all", r"(?s)TLLI={tlli}, IMSI={imsi}\n.*MS class: +4\n +EGPRS MS class: +2\n"),
    ("the phone's address", "ggsn", "show pdp-context ggsn ggsn0 imsi {imsi} 5", r"(?s)IMSI: {imsi}, NSAPI: 5.*Address \(IPv4\): {address}\n"),
    ("the node's name", "hlr", "subscriber imsi {imsi} show", "SGSN number: SGSN-gbflow"),
)


class Values(test_chain.Case):
    phones_wanted = 2

    def bring_up(self):
        taps = {GB: sniffer.Sniffer(self.lab, "bss", GB), LO: sniffer.Sniffer(self.lab, "node", LO)}
        for tap in taps.values():
            self.addCleanup(tap.close)
        with unittest.mock.patch.object(test_chain, "PHONES", test_chain.PHONES.replace('"192.0.2.2" }', APNS)):
            super().bring_up()
        self.taps = {**taps, GN: self.ear}
        self.consoles = {"hlr": vty.Vty(self.lab, "node", HLR_VTY), "ggsn": vty.Vty(self.lab, "ggsn", GGSN_VTY), "pcu": vty.Vty(self.lab)}
        for console in self.consoles.values():
            self.addCleanup(console.close)

    # --- what there is to read

    def filled(self, text):
        for name, value in self.values.items():
            text = text.replace("{" + name + "}", value)
        return text

    def heard(self, interface, display_filter):
        tap = self.taps[interface]
        return tap.ask(*PORTS, "-Y", self.filled(display_filter)) if tap.frames else []

    def said(self, whose, command):
        return self.consoles[whose].command(self.filled(command))

    def until(self, is_so, what):
        end = time.monotonic() + WAIT_S
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(PAUSE_S)

    def check_heard(self, *row):
        self.until(lambda: self.heard(*row[1:]), row)

    def check_said(self, *row):
        self.until(lambda: re.search(self.filled(row[3]), self.said(*row[1:3])), row)

    # --- the walk

    def test_walk(self):
        self.bring_up()
        self.check_attach_and_context()
        self.check_refusal_of_the_hlr()
        self.check_refusal_of_the_ggsn()
        self.check_the_end()
        self.finish()

    def check_attach_and_context(self):
        phone = self.phones[0]
        phone.ra_capability, phone.drx, phone.imeisv = layer3.ra_capability(4, 2), DRX, IMEISV
        self.consoles["hlr"].command(f"subscriber imsi {phone.imsi} update msisdn {MSISDN}")
        phone.attach_fully()
        phone.activate()
        phone.send(REQUEST)
        self.assertEqual(phone.next()[1], layer3.PDP_ACCEPT)
        self.values = {"imsi": phone.imsi, "tlli": f"{phone.tlli:08x}", "msisdn": MSISDN, "imeisv": IMEISV, "address": phone.address,
                       "dns": ggsn.DNS[0], "dns_too": ggsn.DNS[1]}
        for rows, check in ((READ, self.check_said), (HEARD, self.check_heard)):
            for row in rows:
                with self.subTest(value=row[0], at=row[1]):
                    check(*row)
        self.assertEqual(self.heard(GB, "bssgp.pdu_type == 0x00 and !(gsm_a.gm.gmm.split_pg_cycle_code == 32)"), [])

    def refused(self, ask):
        with self.assertRaises(layer3.Refused) as refusal:
            ask()
        return refusal.exception.message

    def check_refusal_of_the_hlr(self):
        """GPRS not allowed."""
        other = self.phones[1]
        self.consoles["hlr"].command(f"subscriber imsi {other.imsi} create")
        self.consoles["hlr"].command(f"subscriber imsi {other.imsi} update aud3g xor k {test_chain.KI.hex()}")
        self.consoles["hlr"].command(f"subscriber imsi {other.imsi} update network-access-mode cs")
        self.assertEqual(self.refused(other.attach_fully)[1:3], bytes([layer3.ATTACH_REJECT, 7]))
        self.check_heard("the HLR's cause", LO, "gsup.cause == 7")
        self.check_heard("the HLR's cause", GB, gmm(layer3.ATTACH_REJECT, "gsm_a.gm.gmm.cause == 7"))

    def check_refusal_of_the_ggsn(self):
        """An APN that it does not have."""
        phone = self.phones[0]
        self.consoles["ggsn"].configure("ggsn ggsn0", "no default-apn")
        self.assertEqual(self.refused(lambda: phone.activate(b"other", OTHER))[1:3], bytes([layer3.PDP_REJECT, 27]))
        self.check_heard("the GGSN's cause", GN, "gtp.message == 17 and gtp.cause == 219")
        self.check_heard("the cause of SM", GB, sm(layer3.PDP_REJECT, "gsm_a.gm.sm.cause == 27"))

    def check_the_end(self):
        """The phone goes: the GGSN has no context, and the HLR no SGSN, of it any more."""
        phone = self.phones[0]
        self.assertIn(self.values["imsi"], self.said("ggsn", CONTEXTS))
        phone.send(bytes([layer3.GMM, layer3.DETACH_REQUEST, 1]))
        phone.expect(layer3.GMM, layer3.DETACH_ACCEPT)
        self.until(lambda: self.values["imsi"] not in self.said("ggsn", CONTEXTS), "the GGSN has a context")
        self.check_heard("the end at the HLR", LO, 'gsup.msg_type == 0x0e')


if __name__ == "__main__":
    unittest.main()
