# SPDX-License-Identifier: BSD-3-Clause
"""A live node as SGSN of phones: attach, activation at the real osmo-ggsn, ping, update, detach; the real osmo-hlr."""
import contextlib
import http.client
import queue
import struct
import unittest

import hlr
import lab
import node
import phone_peer
import test_ggsn
import test_paging
import test_walk
from gb_oracle import bssgp

IMSI = "262420000000001"
KI = bytes(range(16))
PHONES = (', phones = { %s, timers = { ' + ", ".join(f'{name} = "60 s"' for name in ("t3322", "t3350", "t3360", "t3370", "t3395", "tc1")) + ' }, apns = { { name = "internet", sgsn_address = "'
          + lab.GN_SGSN + '", ggsn_address = "' + lab.GN_GGSN + '" } } }')


def quick(*timers):
    """PHONES for a phone that does not answer: one that answers may be late on a busy machine."""
    text = PHONES
    for name in timers:
        text = text.replace(f'{name} = "60 s"', f'{name} = "1 s"')
    return text


def echo(source, target, kind, seq, octets=56):
    message = test_ggsn.icmp(kind, seq, bytes(i % 251 for i in range(octets)))
    ends = b"".join(bytes(int(part) for part in text.split(".")) for text in (source, target))
    head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(message), 1, 0, 64, 1, 0) + ends
    return head[:10] + struct.pack(">H", test_walk.checksum(head)) + head[12:] + message


class Case(test_ggsn.Case):
    phones = PHONES

    def begin(self, policy='policy = "accept_all"', apns="", ggsn_more="", **values):
        self.open_ggsn(ggsn_more)
        more = (self.phones % policy)[:-len(" } } }")] + " }" + apns + " } }" + values.pop("more", "")
        self.serve(gn_more=self.gn_more, mobiles="", more=more, **values)
        with self.lab.inside("bss"):
            self.bss = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        self.addCleanup(self.bss.close)
        self.bss.bring_up()
        self.handset = phone_peer.Phone(self.bss, IMSI, ki=KI)

    def ping(self, seq):
        phone = self.handset
        phone.send_packet(echo(phone.address, test_ggsn.SERVER, 8, seq))
        answer = phone.packet()
        self.assertEqual((answer[20], answer[26:28]), (0, struct.pack(">H", seq)))


class Phones(Case):
    def test_attach_activate_ping_detach(self):
        self.begin()
        phone = self.handset
        phone.attach_fully()
        self.assertRegex(phone.activate(), r"^10\.46\.0\.\d+$")
        self.assertEqual(phone.pco[:1], b"\x80")
        for seq in range(3):
            self.ping(seq)
        row = self.node.show("subscribers")[0]
        self.assertEqual((row["imsi"], row["state"], row["contexts"]), (IMSI, "registered", "5:" + phone.address))
        counts = {entry["name"]: entry["count"] for entry in self.node.show("phone_counts")}
        self.assertEqual((counts["attach_complete"], counts["activated"]), (1, 1))
        phone.update()
        phone.take_accept(phone.expect(8, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.ping(3)
        phone.send(bytes([phone_peer.SM, 0x46, 36]))
        phone.expect(phone_peer.SM, 0x47)
        phone.activate()
        self.ping(4)
        phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
        phone.expect(8, phone_peer.DETACH_ACCEPT)
        self.node.show_until("ms", lambda rows: rows == [])
        heard = self.finish()
        self.assertEqual([heard.count(kind) for kind in (test_ggsn.CREATE, test_ggsn.DELETE)], [2, 2], heard)

    def test_gtp_before_the_first_context(self):
        """Echo of both planes, other versions and requests of SGSNs are answered; unknown types are not."""
        self.begin()
        echo_request, cause = struct.pack(">BBHIHH", 0x32, 1, 4, 0, 7, 0), bytes([1, 202])  # mandatory elements are missing
        rows = [(2123, echo_request, b"\x32\x02\x00\x06" + bytes(4) + b"\0\7\0\0\x0e"),
                (2152, echo_request, b"\x32\x02\x00\x06" + bytes(4) + b"\0\7\0\0\x0e"),
                (2123, b"\x40\x01\x00\x04\x00\x00\x09\x00", b"\x32\x03\x00\x04" + bytes(8)),
                (2123, b"\x1e\x01" + bytes(18), b"\x32\x03\x00\x04" + bytes(8)),
                (2123, struct.pack(">BBHIHHBI", 0x32, 50, 9, 0, 8, 0, 17, 0x77), struct.pack(">BBHIHH", 0x32, 51, 6, 0x77, 8, 0) + cause),
                (2123, struct.pack(">BBHIHH", 0x32, 48, 4, 0, 9, 0), struct.pack(">BBHIHH", 0x32, 49, 6, 0, 9, 0) + cause),
                (2123, struct.pack(">BBHIHH", 0x32, 200, 4, 0, 9, 0), None)]
        with self.lab.inside("ggsn"), test_ggsn.socket.socket(test_ggsn.socket.AF_INET, test_ggsn.socket.SOCK_DGRAM) as sock:
            sock.settimeout(60)
            for port, request, answer in rows:
                sock.sendto(request, (lab.GN_SGSN, port))
                if answer:
                    self.assertEqual(sock.recv(64)[:len(answer)], answer, request)
        counts = self.node.show("gtpc_counts")[0]
        self.assertEqual([counts[name] for name in ("other_versions", "refused_requests")], [2, 2])
        self.node.show_until("gtpc_counts", lambda rows: rows[0]["unknown_types"] == 1)
        self.finish()

    def test_identity_unknown_and_strange(self):
        """A P-TMSI that the node does not know; an update of an unknown phone; what is no request."""
        self.begin()
        phone = self.handset
        phone.tlli = 0x81234567
        phone.update()
        self.assertEqual(phone.next()[:3], bytes([8, phone_peer.RAU_REJECT, 10]))
        phone.tlli, phone.nu[1] = 0x81234568, 0
        phone.attach(bytes.fromhex("f4c1234568"))
        phone.answer(phone.expect(8, phone_peer.IDENTITY_REQUEST))
        phone.take_accept(phone.expect(8, phone_peer.ATTACH_ACCEPT), phone_peer.ATTACH_COMPLETE)
        self.node.wait_for("attached")
        stranger = phone_peer.Phone(self.bss, IMSI, tlli=0x78000009)
        for octets in (b"\x08", bytes([8, 6]), bytes([8, 0x20, 1]), bytes([0x0A, 0x55, 1]), bytes([9, 1])):
            stranger.send(octets)
        with self.assertRaises(queue.Empty):
            stranger.next(0.5)
        stranger.send(b"")  # a cell update: a phone that takes itself for attached
        self.assertEqual(stranger.next()[:3], bytes([8, phone_peer.DETACH_REQUEST, 1]))
        self.finish()

    def test_accept_is_repeated(self):
        """T3350"""
        self.phones = quick("t3350")
        self.begin()
        phone = self.handset
        phone.attach()
        message = phone.expect(8, phone_peer.ATTACH_ACCEPT)
        self.assertEqual(phone.expect(8, phone_peer.ATTACH_ACCEPT), message)
        phone.take_accept(message, phone_peer.ATTACH_COMPLETE)
        self.node.wait_for("attached")
        self.finish()

    def test_ready_timer_of_a_reload(self):
        self.begin()
        for more, told in (("", 22), (' }, ready_timer = "9 s", moves = { ', 4)):
            if more:
                test_ggsn.test_reload.reload(self.node, "1 key changed; nothing else changed", mobiles=more)
            self.handset.attach()
            message = self.handset.expect(8, phone_peer.ATTACH_ACCEPT)
            self.assertIn(bytes([0x17, told]), message)
            self.handset.take_accept(message, phone_peer.ATTACH_COMPLETE)
        self.finish()

    def test_settings_of_a_reload(self):
        """A phone that imsis does not have attaches once a reload has brought it; registered, it loses nothing when it is taken
        out, and is refused at its next update. The APN for what begins is that of the reload."""
        self.begin(policy='policy = "list", imsis = { "262420000000009" }')
        phone, before = self.handset, self.node.values["more"]
        phone.attach()
        self.assertEqual(phone.next()[:2], bytes([8, phone_peer.ATTACH_REJECT]))
        mine = before.replace("262420000000009", IMSI)
        for more in (mine.replace('"internet"', '"other"'), mine):
            done = self.node.run_reload(more=more)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('phones.apns[1]: none -> name internet', done.stdout)
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        done = self.node.run_reload(more=before)
        self.assertEqual((done.returncode, self.node.show("subscribers")[0]["state"]), (0, "registered"))
        self.ping(2)
        phone.update()
        self.assertEqual(phone.next()[:3], bytes([8, phone_peer.RAU_REJECT, 11]))
        self.node.show_until("subscribers", lambda rows: not rows)
        self.finish()

    def test_listed_by_a_reload(self):
        """A mobile of mobiles.list takes the IMSI of a phone: the phone is forgotten and refused. Taken out, the phone attaches."""
        self.begin()
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        for round_ in range(2):
            done = self.node.run_reload(mobiles=test_ggsn.mobile())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(f"IMSI {IMSI}: the phone that has it is forgotten" in done.stdout, round_ == 0, done.stdout)
            self.node.show_until("ms", lambda rows: [(row["imsi"], row["tlli"]) for row in rows] == [(IMSI, "c0000001")])
            phone.tlli = 0x78000002
            phone.begin_llc()
            phone.attach()
            self.assertEqual(phone.next()[:3], bytes([8, phone_peer.ATTACH_REJECT, 17]))
            self.assertEqual(self.node.run_reload(mobiles="").returncode, 0)
            self.node.show_until("ms", lambda rows: rows == [])
            phone.attach_fully()
            phone.activate()
            self.ping(round_)
            phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
            phone.expect(8, phone_peer.DETACH_ACCEPT)
            self.node.show_until("ms", lambda rows: rows == [])
        self.finish()

    def test_listed_in_a_full_table(self):
        """The only place is that of the phone, whose worker frees it in the midst of the reload."""
        self.begin(workers=2, limit=1, gn=node.VETH["gn"] + ",qpairs=2", gb=node.VETH["gb"] + ",qpairs=2")
        for _ in range(3):
            self.handset.attach_fully()
            self.handset.activate()
            done = self.node.run_reload(mobiles=test_ggsn.mobile())
            self.assertEqual((done.returncode, "has no slot" in done.stdout), (0, False), done.stdout + done.stderr)
            self.node.show_until("ms", lambda rows: [(row["imsi"], row["tlli"]) for row in rows] == [(IMSI, "c0000001")])
            self.assertEqual(self.node.run_reload(mobiles="").returncode, 0)
            self.handset.tlli += 1
            self.handset.begin_llc()
        self.finish()

    def test_no_apn(self):
        """What is no APN, where `*` takes all of them, is refused; the next ping passes."""
        self.begin(apns=f', {{ name = "*", sgsn_address = "{lab.GN_SGSN}", ggsn_address = "{lab.GN_GGSN}" }}')
        phone = self.handset
        phone.attach_fully()
        for label in (b"a" * 64, b"a..b", b"a\0b"):
            phone.send(bytes([phone_peer.SM, 0x41, 5, phone_peer.DATA_SAPI, 3, 0, 0, 0, 2, 1, 0x21, 0x28, len(label) + 1,
                              len(label)]) + label)
            self.assertEqual(phone.next(), bytes([0x8A, 0x43, 27]))
        phone.activate()
        self.ping(1)
        self.finish()

    def suspension(self, kind, rest=b""):
        names = bssgp.tlv(0x1f, struct.pack(">I", self.handset.tlli)) + bssgp.tlv(0x1b, phone_peer.RAI)
        return self.bss.bvc_ask(bytes([kind]) + names + rest, kind + 1)

    def suspended(self, way):
        """A ping, then a packet that comes in a call; returns the answer to SUSPEND."""
        self.begin(f'policy = "accept_all", suspended = "{way}"')
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.ping(1)
        ack = self.suspension(0x0b)
        with self.lab.inside("ggsn"):
            test_ggsn.socket.socket(test_ggsn.socket.AF_INET, test_ggsn.socket.SOCK_DGRAM).sendto(b"late", (phone.address, 9))
        with self.assertRaises(queue.Empty):
            phone.packet(1)
        return ack

    def test_suspended(self):
        """A packet that comes in a call leaves at its end, or is dropped."""
        for way, left in (("hold", 1), ("drop", 0)):
            with self.subTest(way):
                ack = self.suspended(way)
                self.suspension(0x0e, bssgp.tlv(0x1d, ack.elements[0x1d]))
                if left:
                    self.assertIn(b"late", self.handset.packet())
                self.ping(2)
                drops = [row["count"] for row in self.node.show("drops") if "suspended" in row.values()]
                self.assertEqual(sum(drops), 1 - left)
                self.finish()
                self.doCleanups()
                self.setUp()

    def test_update_after_a_call(self):
        """A BSS that sends no RESUME: the phone's routeing area update ends the suspension."""
        self.suspended("hold")
        phone = self.handset
        phone.update()
        phone.take_accept(phone.expect(8, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.assertIn(b"late", phone.packet())
        self.ping(2)
        self.suspension(0x0b)
        self.finish()

    def test_ggsn_restart_deactivates(self):
        """osmo-ggsn deletes its contexts when it ends, and names no cause: the phone hears of a regular deactivation."""
        self.begin()
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.far.stop()
        self.far.start()
        message = phone.next(60)
        self.assertEqual(message, bytes([0x8A, 0x46, 36, 0x91]))
        phone.send(bytes([phone_peer.SM, 0x47]))
        phone.activate(tries=10)  # the new GGSN may not listen yet
        self.ping(1)
        self.finish()


    def test_deactivated_in_standby(self):
        """A phone in STANDBY is paged before it is told that its context is gone (TS 23.060 clause 8.1.4)."""
        self.begin(text=node.TEXT.replace('source = "list"', 'ready_timer = "6 s", source = "list"'))
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        self.node.wait_for_standby()
        self.far.stop()
        self.assertEqual(self.bss.bssgp.get(timeout=60).kind, test_paging.PAGING_PS)
        self.assertTrue(self.bss.pdus.empty())
        phone.send_frame(phone_peer.GMM_SAPI, b"")
        self.assertEqual(phone.next(), bytes([0x8A, 0x46, 36, 0x91]))
        phone.send(bytes([phone_peer.SM, 0x47]))
        self.finish()


class WithHlr(Case):
    def setUp(self):
        lab.need(self, hlr.missing())
        super().setUp()
        self.hlr = hlr.Hlr(self.lab, IMSI, KI)
        self.addCleanup(self.hlr.close)

    def open_with_hlr(self, **values):
        self.begin('policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }', **values)
        self.node.wait_for("HLR 127.0.0.1: connected")

    def test_authenticated(self):
        self.open_with_hlr()
        self.handset.attach_fully()
        self.handset.activate()
        self.ping(1)
        self.assertEqual(self.hlr.sgsn_of(IMSI)[0], "SGSN-gbflow")
        self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 9]))
        self.node.show_until("ms", lambda rows: rows == [])
        self.finish()

    def test_another_hlr(self):
        """A reload names it: it is asked about a phone that is there at its next update, and about others."""
        self.open_with_hlr()
        self.handset.attach_fully()
        second = hlr.SecondHlr(self.lab, IMSI, KI, ("262420000000002", KI))
        self.addCleanup(second.close)
        done = self.node.run_reload(more=self.node.values["more"].replace('"127.0.0.1"', '"127.0.0.2"'))
        self.assertEqual(done.stdout, 'phones.hlr.address: "127.0.0.1" -> "127.0.0.2"\n1 key changed; nothing else changed\n')
        self.node.wait_for("HLR 127.0.0.2: connected")
        self.assertEqual([row["address"] for row in self.node.show("hlr")], ["127.0.0.2"])
        self.handset.update()
        self.handset.answer(self.handset.expect(8, phone_peer.AUTH_REQUEST))
        self.handset.take_accept(self.handset.expect(8, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.assertEqual(second.sgsn_of(IMSI)[0], "SGSN-gbflow")
        phone_peer.Phone(self.bss, "262420000000002", tlli=0x78000002, ki=KI).attach_fully()
        self.finish()

    def check_connection(self, state):
        """In the table, and as metric."""
        self.assertEqual(self.node.show("hlr"), [{"address": "127.0.0.1", "tcp_port": 4222, "state": state}])
        with self.lab.inside("node"):
            client = http.client.HTTPConnection("127.0.0.1", 9469, timeout=60)
            client.connect()
        client.request("GET", "/metrics")
        with contextlib.closing(client):
            families = [line for line in client.getresponse().read().decode().splitlines() if line.startswith("gbflow_hlr_")]
        self.assertEqual(families, [f'gbflow_hlr_state{{address="127.0.0.1",tcp_port="4222",state="{state}"}} 1'])

    def test_imei(self):
        """osmo-hlr is asked about the IMEI of the phone, which is read when the phone does not tell it by itself."""
        self.begin('policy = "hlr", ciphering = { 0 }, check_imei = true, hlr = { address = "127.0.0.1" }')
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.handset.attach_fully()
        self.handset.activate()
        self.ping(1)
        counts = {row["name"]: row["count"] for row in self.node.show("phone_counts")}
        self.assertEqual((counts["gsup_sent_check_imei_request"], counts["gsup_check_imei_result"]), (1, 1), counts)
        self.finish()

    def test_wrong_key_unknown_imsi_and_no_hlr(self):
        self.open_with_hlr(live_more=", metrics = {}")
        self.check_connection("up")
        phone = self.handset
        phone.ki = b"\1" + KI[1:]
        phone.attach()
        phone.answer(phone.expect(8, phone_peer.AUTH_REQUEST))
        phone.expect(8, phone_peer.AUTH_REJECT)
        other = phone_peer.Phone(self.bss, "262420000000009", tlli=0x78000002)
        other.attach()
        self.assertEqual(other.expect(8, phone_peer.ATTACH_REJECT)[2], 2)
        self.hlr.kill()
        self.node.wait_for("the connection is down")
        self.check_connection("down")
        third = phone_peer.Phone(self.bss, IMSI, tlli=0x78000003, ki=KI)
        third.attach()
        self.assertEqual(third.expect(8, phone_peer.ATTACH_REJECT)[2], 17)
        before = len(self.node.lines)
        self.hlr.start()
        self.node.wait_for("HLR 127.0.0.1: connected", start=before)
        self.check_connection("up")
        fourth = phone_peer.Phone(self.bss, IMSI, tlli=0x78000004, ki=KI)
        fourth.attach_fully()
        self.node.wait_for("attached", start=before)
        self.finish()


if __name__ == "__main__":
    unittest.main()
