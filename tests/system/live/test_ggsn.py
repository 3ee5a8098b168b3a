# SPDX-License-Identifier: BSD-3-Clause
"""A live node towards the real osmo-ggsn: contexts over GTP-C, the kernel's ping through them, restarts of either end."""
import contextlib
import os
import queue
import signal
import socket
import struct
import tempfile
import threading
import time
import unittest

import ggsn
import lab
import node
import test_reload
import test_walk

import sniffer

SERVER = "198.18.0.1"  # on the GGSN's machine
CREATE, UPDATE, DELETE, ECHO = 16, 18, 20, 1
CALM = ', path = { every = "200 ms", t3 = "5 s", n3 = 5, lab = true }, gtpc = { retry = "300 ms"%s }'
QUICK = CALM.replace('t3 = "5 s", n3 = 5', 't3 = "300 ms", n3 = 3')  # for a GGSN that is gone: another one may be late on a busy machine


def mobile(number=1, more="", apn="internet"):
    return (f'{{ imsi = "26242000000000{number}", msisdn = "49170123456{number}", tlli = {0xC0000000 + number}, bvci = 1800, '
            f'contexts = {{ {{ nsapi = 5, sgsn_address = "{lab.GN_SGSN}", ggsn_address = "{lab.GN_GGSN}", apn = "{apn}"{more} }} }} }}')


def icmp(kind, seq, octets):
    message = struct.pack(">BBHHH", kind, 0, 0, 9, seq) + octets
    return message[:2] + struct.pack(">H", test_walk.checksum(message)) + message[4:]


class Phone:
    """The mobile behind the BSS: answers pings, keeps the answers to its own."""

    def __init__(self, peer, tlli):
        self.peer, self.tlli, self.answers, self.is_open = peer, tlli, queue.Queue(), True
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while self.is_open:
            try:
                packet = self.peer.packet(self.tlli, timeout_s=0.2)
            except queue.Empty:
                continue
            self._take(packet)

    def _take(self, packet):
        if packet[9] != 1:
            return
        if packet[20] == 8:
            answer = b"\0\0\0\0" + packet[24:]
            answer = answer[:2] + struct.pack(">H", test_walk.checksum(answer)) + answer[4:]
            self.send(packet[16:20], packet[12:16], answer)
        else:
            self.answers.put(packet)

    def send(self, source, target, message):
        head = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(message), 1, 0, 64, 1, 0) + source + target
        head = head[:10] + struct.pack(">H", test_walk.checksum(head)) + head[12:]
        self.peer.send_packet(head + message, self.tlli)

    def ping(self, address, target, seq, octets):
        source, target = (bytes(int(part) for part in text.split(".")) for text in (address, target))
        message = icmp(8, seq, bytes(i % 251 for i in range(octets)))
        self.send(source, target, message)
        answer = self.answers.get(timeout=60)
        assert answer[20:22] == b"\0\0" and answer[24:] == message[4:], answer.hex()

    def close(self):
        self.is_open = False
        self.thread.join(5)


class Case(test_walk.Case):
    timers = CALM

    def setUp(self):
        lab.need(self, ggsn.missing())
        super().setUp()
        self.lab.ip(self.lab.names["ggsn"], "address", "add", SERVER + "/32", "dev", "lo")
        self.folder = tempfile.TemporaryDirectory(prefix="gbflow-restart-")
        os.chmod(self.folder.name, 0o777)
        self.addCleanup(self.folder.cleanup)
        self.gn_more = self.timers % f', restart_file = "{self.folder.name}/restarts"'
        self.ear = sniffer.Sniffer(self.lab, "ggsn", "gn1")
        self.addCleanup(self.ear.close)

    def open_ggsn(self, more=""):
        self.far = ggsn.Ggsn(self.lab, more=more)
        self.addCleanup(self.far.close)

    def open_bss(self):
        with self.lab.inside("bss"):
            self.bss = test_walk.bss_peer.Peer(test_walk.bss_peer.open_socket(lab.GB_BSS), (lab.GB_SGSN, 23000))
        self.addCleanup(self.bss.close)
        self.bss.bring_up()
        self.phone = Phone(self.bss, node.TLLI)
        self.addCleanup(self.phone.close)

    def open(self, mobiles=mobile()):
        self.open_ggsn()
        self.serve(gn_more=self.gn_more, mobiles=mobiles)
        self.open_bss()
        return self.wait_for_context()

    def wait_for_context(self, is_right=lambda row: True):
        """The address that the GGSN gave."""
        rows = self.node.show_until("pdp", lambda rows: rows and all(is_right(row) for row in rows))
        self.assertRegex(rows[0]["address"], r"^10\.46\.0\.\d+$")
        return rows[0]["address"]

    def kernel_ping(self, address, octets=56, tries=1):
        """Through the GGSN's routing: its kernel asks, the mobile answers. More tries: while a context may be of before a restart."""
        message = icmp(8, octets, bytes(i % 239 for i in range(octets)))
        with self.lab.inside("ggsn"), socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as sock:
            sock.settimeout(60 / tries)
            sock.bind((SERVER, 0))
            for _ in range(tries):
                sock.sendto(message, (address, 0))
                with contextlib.suppress(TimeoutError):
                    packet, (sender, _) = sock.recvfrom(65536)
                    break
            else:
                self.fail("no answer\n" + "\n".join(self.node.lines[-10:] + self.far.lines[-10:]))
        self.assertEqual((sender, packet[20:22], packet[24:]), (address, b"\0\0", message[4:]))

    def both_ways(self, address):
        for octets in (0, 56, 1000, 1400):
            self.kernel_ping(address, octets)
        for seq, octets in enumerate((0, 56, 1000, 1400)):
            self.phone.ping(address, SERVER, seq, octets)

    def finish(self):
        self.assertEqual(self.node.stop(), 0)
        report = self.node.report["npdu"]
        self.assertEqual(report["in"], report["out"] + report["dropped"] + report["queued"])
        self.assertEqual(self.ear.faults(), [])
        return self.ear.gtpc()


class Life(Case):
    def test_created_updated_deleted(self):
        address = self.open()
        self.both_ways(address)
        test_reload.reload(self.node, "1 context changed; nothing else changed", mobiles=mobile(more=', class = "thp1"'))
        self.node.wait_for("the GGSN grants background instead of thp1")  # osmo-ggsn repeats what it gave at first
        self.both_ways(address)
        time.sleep(0.5)  # for Echo
        test_reload.reload(self.node, "1 mobile added, 1 mobile removed", mobiles=mobile(2))
        self.node.show_until("pdp", lambda rows: rows and rows[0]["imsi"].endswith("2"))
        self.far.wait_for(r"PDP\(262420000000001:5\).*[Dd]elet")
        heard = self.finish()
        for asked, count in ((CREATE, 2), (UPDATE, 1), (DELETE, 1)):
            self.assertEqual((heard.count(asked), heard.count(asked + 1)), (count, count), heard)
        self.assertGreaterEqual(heard.count(ECHO), 2)
        self.assertLessEqual(heard.count(ECHO) - heard.count(ECHO + 1), 2)  # the last of each side may have no answer yet


class Silent(Case):
    timers = QUICK

    def test_refused_and_silent(self):
        """Another PDP type than the GGSN has; then it is gone, and comes back."""
        self.open_ggsn()
        self.serve(gn_more=self.gn_more, mobiles=mobile(more=', pdp_type = "ipv6"'))
        self.node.wait_for("262420000000001/5: the GGSN refuses: cause 220, unknown PDP address or PDP type")
        self.assertEqual(self.node.show("pdp"), [])
        row = self.node.show("gtpc")[0]
        self.assertEqual((row["nsapi"], row["apn"], row["ggsn_address"], row["cause"]), (5, "internet", lab.GN_GGSN, "220"))
        self.far.stop(signal.SIGKILL)
        test_reload.reload(self.node, "1 mobile added, 1 mobile removed", mobiles=mobile())
        self.node.wait_for("262420000000001/5: no answer from GGSN 192.0.2.2")
        self.far.start()
        self.open_bss()
        self.both_ways(self.wait_for_context())
        self.finish()


class Retry(Case):
    """Another gn.gtpc.retry, for contexts that are refused from then on."""
    timers = QUICK.replace('retry = "300 ms"', 'retry = "24 h"')

    def test_reload(self):
        self.open_ggsn()
        refused = ', pdp_type = "ipv6"'
        self.serve(gn_more=self.gn_more, mobiles=mobile(more=refused))
        self.node.wait_for("262420000000001/5: the GGSN refuses: cause 220")
        test_reload.reload(self.node, "1 key changed, 1 mobile added; nothing else changed",
                           gn_more=self.gn_more.replace("24 h", "100 ms"), mobiles=mobile(more=refused) + ", " + mobile(2, refused))
        self.ear.wait_for(2123, 6)
        test_reload.reload(self.node, "2 mobiles added, 2 mobiles removed; nothing else changed", mobiles=mobile() + ", " + mobile(2))
        self.node.show_until("pdp", lambda rows: len(rows) == 2)
        self.assertGreaterEqual(self.finish().count(CREATE), 6)

    def test_restart_file(self):
        self.serve(gn_more=self.gn_more)
        done = self.node.run_reload(gn_more=self.gn_more.replace("/restarts", "/other"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"gn\.gtpc\.restart_file cannot change while the node runs: the file is read at the start; a restart of the node ")
        self.assertEqual(self.node.stop(), 0)


class Restarts(Case):
    timers = QUICK

    def test_of_the_ggsn(self):
        address = self.open()
        self.kernel_ping(address)
        self.far.stop(signal.SIGKILL)
        self.far.start()
        began = time.monotonic()
        self.node.wait_for("GGSN 192.0.2.2: restarted")
        self.kernel_ping(self.wait_for_context(), tries=60)
        print(f"packets both ways {time.monotonic() - began:.2f} s after the restart")
        self.finish()

    def test_of_the_ggsn_seen_by_data_alone(self):
        self.gn_more = self.gn_more.replace('every = "200 ms", ', "")
        address = self.open()
        self.far.stop(signal.SIGKILL)
        self.far.start()
        ping = bytes(map(int, address.split("."))), bytes(map(int, SERVER.split("."))), icmp(8, 1, b"")
        end = time.monotonic() + 60
        while time.monotonic() < end and not any("an Error Indication came" in line for line in self.node.lines):
            self.phone.send(*ping)  # the first ones may come before the GGSN listens
            time.sleep(0.1)
        self.node.wait_for("262420000000001/5: lost, an Error Indication came")
        self.kernel_ping(self.wait_for_context(), tries=60)
        self.finish()

    def test_of_the_node(self):
        address = self.open()
        self.kernel_ping(address)
        self.phone.close()
        self.bss.close()
        self.node.process.kill()
        self.node.process.wait(60)
        began = len(self.far.lines)
        self.serve(gn_more=self.gn_more, mobiles=mobile())
        self.far.wait_for("[Rr]ecovery|dropped|[Rr]estart", began)
        self.open_bss()
        self.both_ways(self.wait_for_context())
        self.finish()


class Floods(Case):
    OTHER = "192.0.2.77"

    def flood(self):
        with self.lab.inside("ggsn"), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((self.OTHER, 0))
            while self.is_on:
                sock.sendto(struct.pack(">BBHIHH", 0x32, ECHO, 4, 0, 7, 0), (lab.GN_SGSN, 2123))

    def test_another_address_does_not_stop_the_ggsn(self):
        self.lab.ip(self.lab.names["ggsn"], "address", "add", self.OTHER + "/24", "dev", "gn1")
        self.open()
        self.is_on = True
        flood = threading.Thread(target=self.flood, daemon=True)
        flood.start()
        self.node.show_until("drops", lambda rows: any(row["reason"] == "punt_full" and row["count"] > 1000 for row in rows))
        for number in (2, 3):
            test_reload.reload(self.node, "1 mobile added, 1 mobile removed", mobiles=mobile(number))
            self.node.show_until("pdp", lambda rows: rows and rows[0]["imsi"].endswith(str(number)))
        self.is_on = False
        flood.join(5)
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main()
