# SPDX-License-Identifier: BSD-3-Clause
"""A live node and a phone towards a GGSN as strict as Open5GS, with an address for GTP-C and another one for packets."""
import queue
import re
import time

import emulator
import lab
import node
import phone_peer
import strict_ggsn
import test_emulate_phones
import test_ggsn
import test_phones
import test_walk

import sniffer

SM, DEACTIVATE, DEACTIVATE_ACCEPT, ACTIVATE_REJECT = phone_peer.SM, 0x46, 0x47, 0x43
MODIFY, MODIFY_ACCEPT = 0x48, 0x49
REGULAR, REACTIVATE, NETWORK_FAILURE = 36, 39, 38
MS_REFUSES = 197
DNS, DNS_ASKED = b"\x80\x00\x0d\x04" + bytes([192, 0, 2, 53]), b"\x80\x00\x0d\x00"
THP1 = bytes.fromhex("0b511f739656567401ffff")
ALLOWED = f', ggsns = {{ {{ address = "{lab.GN_GGSN}", user_networks = {{ "{strict_ggsn.USER}/32" }} }} }}'
GN = ', path = { t3 = "5 s", n3 = 5 }, gtpc = { retry = "300 ms", time_zone = "+05:30" }'
SUBSCRIBERS = 'policy = "accept_all", subscribers = { { imsi = "262420000000001", msisdn = "491701234567" } }'


class Strict(test_walk.Case):
    def open(self, more=ALLOWED):
        self.open_far()
        self.begin(more)

    def open_far(self):
        self.ear = sniffer.Sniffer(self.lab, "ggsn", "gn1")
        self.addCleanup(self.ear.close)
        self.far = strict_ggsn.StrictGgsn(self.lab)
        self.addCleanup(self.far.stop)

    def serve_phones(self, more=ALLOWED):
        phones = test_phones.PHONES.replace('name = "internet"', 'name = "internet", best = "thp1"')
        self.serve(gn_more=GN + more, mobiles="", more=phones % SUBSCRIBERS)

    def begin(self, more):
        self.serve_phones(more)
        with self.lab.inside("bss"):
            self.bss = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        self.addCleanup(self.bss.close)
        self.bss.bring_up()
        self.phone = phone_peer.Phone(self.bss, test_phones.IMSI)
        self.phone.attach_fully()

    def ask(self, seq):
        self.phone.send_packet(test_phones.echo(self.phone.address, test_ggsn.SERVER, 8, seq))

    def ping(self, seq):
        """The first packet to an address is dropped while its MAC address is not known."""
        for _ in range(10):
            self.ask(seq)
            try:
                self.assertEqual(self.phone.packet(0.5)[20], 0)
                return
            except queue.Empty:
                continue
        self.fail("no answer to a ping")

    def finish(self):
        self.assertEqual(self.node.stop(), 0)
        self.assertEqual(self.ear.faults(), [])
        self.assertEqual(self.far.missing, [])

    def test_life(self):
        """All elements in Create, in Update as well as the table of TS 29.060 has them, as tshark reads them."""
        self.open()
        self.assertRegex(self.phone.activate(), r"^10\.47\.0\.1$")
        self.ping(1)
        self.far.delete(cause=6)
        self.assertEqual(self.phone.expect(SM, DEACTIVATE)[2], REACTIVATE)
        self.phone.send(bytes([SM, DEACTIVATE_ACCEPT]))
        self.phone.activate()
        self.far.delete()
        self.assertEqual(self.phone.expect(SM, DEACTIVATE)[2], REGULAR)
        self.finish()
        heard = self.ear.ask("-Y", "gtp.message == 16", "-T", "fields", *(word for name in (
            "e164.msisdn", "gtp.ext_rat_type", "gtp.geo_loc_type", "gtp.cgi_ci", "gtp.timezone", "gtp.chrg_char") for word in ("-e", name)))
        self.assertEqual(heard[0], "491701234567\t2\t0\t1\t22\t2048")

    def test_addresses_by_the_log_line(self):
        """The log line of the refusal has the entry of gn.ggsns that allows the GGSN's address for packets."""
        self.open(more="")
        with self.assertRaises(AssertionError):
            self.phone.activate()
        line = self.node.wait_for(f"refused here: GGSN {lab.GN_GGSN} names {strict_ggsn.USER} for user packets")
        end = time.monotonic() + 60
        while self.far.contexts and time.monotonic() < end:
            time.sleep(0.02)
        self.assertEqual(self.far.contexts, [])  # deleted at once
        entry = re.search(r"gn\.(ggsns = \{ .* \} \})", line).group(1)
        self.assertEqual(self.node.stop(), 0)
        self.bss.close()
        self.begin(", " + entry)
        self.phone.activate()
        self.ping(1)
        self.finish()

    def modify(self, number, *elements, answer=b""):
        """The phone gets what its GGSN asks for, and accepts; returns the message and the GGSN's answer."""
        self.far.update(number, *elements)
        message = self.phone.expect(SM, MODIFY)
        self.phone.send(bytes([SM, MODIFY_ACCEPT]) + answer)
        return message, self.far.answered(number)

    def test_modification(self):
        """DNS servers, a class and an address of the GGSN's Update reach the phone, whose answer is the GGSN's."""
        self.open()
        self.phone.activate()
        self.ping(1)
        qos = strict_ggsn.tlv(135, bytes([2]) + THP1)
        message, answer = self.modify(1, qos, strict_ggsn.tlv(132, DNS), answer=bytes([0x27, len(DNS_ASKED)]) + DNS_ASKED)
        self.assertEqual(message[3:6], bytes([phone_peer.DATA_SAPI, 3, THP1[0]]))
        self.assertEqual(message[8:], bytes([0x27, len(DNS)]) + DNS)
        self.assertEqual((answer[1], answer[132], answer[135][4] >> 5), (bytes([strict_ggsn.ACCEPTED]), DNS_ASKED, 3))
        self.assertEqual(self.node.show("pdp")[0]["class"], "thp1")
        message, answer = self.modify(2, strict_ggsn.tlv(128, b"\xf1\x21" + strict_ggsn.address("10.47.0.99")))
        self.assertEqual(message[8:], b"\x2b\x06\x01\x21" + strict_ggsn.address("10.47.0.99"))
        self.assertEqual(answer[1], bytes([strict_ggsn.ACCEPTED]))
        self.ask(3)  # the address before is not its own any more
        with self.assertRaises(queue.Empty):
            self.phone.packet(0.5)
        self.phone.address = "10.47.0.99"
        self.ping(4)
        self.far.update(3, strict_ggsn.tlv(132, DNS))
        self.assertEqual(self.phone.expect(SM, MODIFY)[8], 0x27)
        self.phone.send(bytes([SM, DEACTIVATE, REGULAR]))
        self.assertEqual(self.phone.expect(SM, DEACTIVATE_ACCEPT)[1], DEACTIVATE_ACCEPT)
        self.assertEqual(self.far.answered(3)[1], bytes([MS_REFUSES]))
        self.finish()
        heard = self.ear.ask("-Y", "gtp.message == 19", "-T", "fields", "-e", "gtp.cause", "-e", "gtp.qos_traf_class")
        self.assertEqual(heard, ["128\t3", "128\t3", "197\t"])

    def test_emulated_phone(self):
        """A phone of `gbflow emulate` has the DNS servers and the address that its GGSN gives later."""
        self.open_far()
        self.serve_phones()
        self.lab.add("ms")
        phones = emulator.Emulator(self.lab, test_emulate_phones.TEXT, imsi=test_phones.IMSI, phones="count = 1", cell_more="")
        self.addCleanup(phones.kill)
        phones.wait_for("all [0-9]+ phones have a context", node.START_S)
        self.far.update(1, strict_ggsn.tlv(128, b"\xf1\x21" + strict_ggsn.address("10.47.0.99")), strict_ggsn.tlv(132, DNS))
        self.assertEqual(self.far.answered(1)[1], bytes([strict_ggsn.ACCEPTED]))
        self.assertEqual(self.node.show("subscribers")[0]["contexts"], "5:10.47.0.99")
        self.assertEqual(test_emulate_phones.addresses_of(self.lab), ["10.47.0.99"])
        self.assertEqual(phones.stop(), 0)
        row = phones.report["phones"][0]
        self.assertEqual((row["address"], row["dns"], row["session"]), ("10.47.0.99", "192.0.2.53", "active"))
        self.finish()

    def test_restart(self):
        """Silence, in which the context stays, then Error Indications, and the answer that there is no context."""
        self.open()
        self.phone.activate()
        self.ping(1)
        self.far.stop()
        self.ask(2)
        with self.assertRaises(queue.Empty):
            self.phone.packet(0.5)
        self.assertEqual(len(self.node.show("pdp")), 1)
        self.far.start()
        self.ask(3)
        self.assertEqual(self.phone.expect(SM, DEACTIVATE)[2], REACTIVATE)
        self.node.wait_for("lost, an Error Indication came")
        self.phone.send(bytes([SM, DEACTIVATE_ACCEPT]))
        self.phone.activate()
        self.ping(4)
        update = next(elements for kind, elements in self.far.asked if kind == strict_ggsn.UPDATE)
        self.assertTrue({2, 3, 151, 152, 153} <= set(update), update)
        self.finish()
