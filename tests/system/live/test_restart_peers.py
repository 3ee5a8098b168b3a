# SPDX-License-Identifier: BSD-3-Clause
"""Control restarts beside the real osmo-ggsn and osmo-hlr: contexts and phones stay, and each end can still end them."""
import unittest

import hlr
import lab
import phone_peer
import test_ggsn
import test_phones
import test_reload
from test_ggsn import CREATE, DELETE, ECHO, UPDATE
from test_restart import restart


class Contexts(test_ggsn.Case):
    def restart(self):
        restart(self, self.node)
        self.assertEqual(self.node.show("control")[0]["adoption_errors"], 0)

    def test_used_changed_deleted(self):
        address = self.open()
        for _ in range(3):
            self.restart()
            self.both_ways(address)
        test_reload.reload(self.node, "1 context changed; nothing else changed", mobiles=test_ggsn.mobile(more=', class = "thp1"'))
        self.node.wait_for("the GGSN grants background instead of thp1")
        before = self.ear.gtpc().count(ECHO + 1)
        self.restart()
        test_ggsn.time.sleep(1)  # for Echo, five times
        self.assertGreater(self.ear.gtpc().count(ECHO + 1), before)
        self.both_ways(address)
        test_reload.reload(self.node, "1 mobile added, 1 mobile removed", mobiles=test_ggsn.mobile(2))
        self.node.show_until("pdp", lambda rows: rows and rows[0]["imsi"].endswith("2"))
        self.far.wait_for(r"PDP\(262420000000001:5\).*[Dd]elet")
        heard = self.finish()
        for asked, count in ((CREATE, 2), (UPDATE, 1), (DELETE, 1)):
            self.assertEqual((heard.count(asked), heard.count(asked + 1)), (count, count), heard)

    def test_the_ggsn_restarts_later(self):
        address = self.open()
        self.restart()
        self.kernel_ping(address)
        self.far.stop(test_ggsn.signal.SIGKILL)
        self.far.start()
        self.node.wait_for("GGSN 192.0.2.2: restarted")
        self.kernel_ping(self.wait_for_context())
        self.finish()

    def test_while_the_ggsn_is_silent(self):
        """The request that waits is sent again by the new control."""
        self.serve(gn_more=self.gn_more, mobiles=test_ggsn.mobile())
        self.node.wait_for("262420000000001/5: no answer from GGSN 192.0.2.2")
        self.restart()
        self.open_ggsn()
        self.open_bss()
        self.both_ways(self.wait_for_context())
        self.finish()


class Phones(test_phones.Case):
    def restart(self):
        restart(self, self.node)
        self.assertEqual(self.node.show("control")[0]["adoption_errors"], 0)

    def row(self):
        row = self.node.show("subscribers")[0]
        return row["imsi"], row["state"], row["contexts"]

    def test_registered_updated_deactivated_detached(self):
        self.begin()
        phone = self.handset
        phone.attach_fully()
        phone.activate()
        for seq in range(3):
            before = self.row()
            self.restart()
            self.assertEqual(self.row(), before)
            self.ping(seq)
        phone.update()
        phone.take_accept(phone.expect(8, phone_peer.RAU_ACCEPT), phone_peer.RAU_COMPLETE)
        self.restart()
        self.ping(3)
        phone.send(bytes([phone_peer.SM, 0x46, 36]))
        phone.expect(phone_peer.SM, 0x47)
        self.restart()
        phone.activate()
        self.restart()
        self.ping(4)
        phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
        phone.expect(8, phone_peer.DETACH_ACCEPT)
        self.node.show_until("ms", lambda rows: rows == [])
        heard = self.finish()
        self.assertEqual([heard.count(kind) for kind in (CREATE, DELETE)], [2, 2], heard)

    def test_in_an_attach(self):
        """After ATTACH ACCEPT nothing is lost; before it the phone is forgotten, and attaches again."""
        self.begin()
        phone = self.handset
        phone.tlli, phone.nu[1] = 0x81234568, 0
        phone.attach(bytes.fromhex("f4c1234568"))
        phone.expect(8, phone_peer.IDENTITY_REQUEST)
        self.restart()
        self.assertEqual(self.node.show("subscribers"), [])
        self.node.show_until("ms", lambda rows: rows == [])
        other = self.handset = phone_peer.Phone(self.bss, test_phones.IMSI, ki=test_phones.KI)
        other.attach()
        message = other.expect(8, phone_peer.ATTACH_ACCEPT)
        self.restart()
        other.take_accept(message, phone_peer.ATTACH_COMPLETE)
        self.node.wait_for("attached")
        other.activate()
        self.ping(1)
        self.finish()


class WithHlr(Phones):
    test_registered_updated_deactivated_detached = test_in_an_attach = None

    def setUp(self):
        lab.need(self, hlr.missing())
        super().setUp()
        self.hlr = hlr.Hlr(self.lab, test_phones.IMSI, test_phones.KI)
        self.addCleanup(self.hlr.close)

    def test_authenticated(self):
        self.begin('policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }')
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.handset.attach_fully()
        self.handset.activate()
        began = len(self.node.lines)
        self.restart()
        self.ping(1)
        self.node.wait_for("HLR 127.0.0.1: connected", start=began)
        self.handset.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 9]))
        self.node.show_until("ms", lambda rows: rows == [])
        self.finish()

    def test_another_connection_has_the_name(self):
        """osmo-hlr answers the first connection of a name. The node's stays, and has the name when the other one ends."""
        self.hlr.wait_for("CTRL at")  # it listens to GSUP by then
        with self.lab.inside("node"):
            twin = test_ggsn.socket.create_connection(("127.0.0.1", 4222), 20)
        self.addCleanup(twin.close)
        # Unit ID, and the serial number, by which it routes.
        twin.sendall(b"\0\x19\xfe\5" + b"\0\7\x080/0/0\0" + b"\0\x0d\0SGSN-gbflow\0")
        twin.sendall(bytes.fromhex("0012ee0508010862420200000000f9520105280101"))
        twin.settimeout(60)
        while b"\xee\5\x09" not in twin.recv(200):  # an error: IMSI unknown
            pass
        self.begin('policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }')
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.handset.attach()
        self.assertEqual(self.handset.expect(8, phone_peer.ATTACH_REJECT)[2], 17)
        self.node.wait_for("the name is told again")
        counts = {row["name"]: row["count"] for row in self.node.show("phone_counts")}
        twin.close()
        told = counts["gsup_named_again"]
        self.node.show_until("phone_counts", lambda rows: any(
            row["name"] == "gsup_named_again" and row["count"] > told for row in rows))
        other = self.handset = phone_peer.Phone(self.bss, test_phones.IMSI, tlli=0x78000002, ki=test_phones.KI)
        other.attach_fully()
        other.activate()
        self.ping(1)
        self.assertEqual([line for line in self.node.lines if "connection is down" in line], [])
        self.finish()

    def test_the_hlr_has_a_backlog(self):
        """osmo-hlr reads what the former connection holds before its end, and routes nothing to a second one meanwhile."""
        self.begin('policy = "hlr", ciphering = { 0 }, hlr = { address = "127.0.0.1" }', limit=64)
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.hlr.process.send_signal(test_ggsn.signal.SIGSTOP)
        for number in range(40):
            phone_peer.Phone(self.bss, f"2624200000009{number:02}", tlli=0x78000100 + number).attach()
        self.node.show_until("phone_counts", lambda rows: {"name": "gsup_sent_auth_info_request", "count": 40} in rows)
        self.restart()
        test_ggsn.time.sleep(0.5)  # for the second connection
        self.hlr.process.send_signal(test_ggsn.signal.SIGCONT)
        before = len(self.node.lines)
        end = test_ggsn.time.monotonic() + 60
        while not any(test_phones.IMSI + ": attached" in line for line in self.node.lines[before:]):
            self.assertLess(test_ggsn.time.monotonic(), end, self.hlr.lines[-20:])
            other = self.handset = phone_peer.Phone(self.bss, test_phones.IMSI, ki=test_phones.KI)
            other.attach()
            message = other.next()
            while other.answer(message):
                message = other.next()
            if message[1] == phone_peer.ATTACH_ACCEPT:
                other.take_accept(message, phone_peer.ATTACH_COMPLETE)
                self.node.wait_for(test_phones.IMSI + ": attached", start=before)
            test_ggsn.time.sleep(0.3)
        other.activate()
        self.ping(1)
        self.finish()


if __name__ == "__main__":
    unittest.main()
