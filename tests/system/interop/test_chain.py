#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Phones that attach through the real osmo-pcu: phone - BTS - osmo-pcu - gbflow - osmo-hlr and osmo-ggsn, all of it real but the radio."""
import collections
import os
import random
import re
import socket
import struct
import threading
import time
import unittest

import users
import ggsn
import hlr
import phone_peer
import sniffer
from gb_oracle import bssgp, inet
from gbflow_bts import air, cipher, layer3
from gbflow_bts.bts import Bts
from gbflow_bts.handset import Handset
from gbflow_bts.pcuif import Cell, Nsvc

import network
import vty
import wiretap
from osmo_pcu import OsmoPcu
from traffic import Ping

KI, PING_S, TCP_S = bytes(range(16)), 60, 60
UDP_HEADERS = 14 + 20 + 8
READY_S, SILENCE_S, CALL_S = 4, 1, 3
PAGING_PS, SUSPEND_ACK, DRX, IMSI, CAPABILITY = 0x06, 0x0C, 0x0A, 0x0D, 0x13
PORT, FILE_OCTETS = 7008, 30000
PHONES = """, phones = { policy = "hlr", ciphering = { %(ciphering)s }, hlr = { address = "127.0.0.1" },
  apns = { { name = "internet", sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2" } } }"""


class Case(users.Case):
    phones_wanted, pcu_values, ciphering = 1, {"scheme": 4}, "0"

    def skip_where_it_cannot_run(self):
        super().skip_where_it_cannot_run()
        self.skip_for(hlr.missing())

    @staticmethod
    def make_phone(number):
        return Handset(number, KI, Cell().area())

    def bring_up(self):
        self.ear = sniffer.Sniffer(self.lab, "ggsn", "gn1")
        self.addCleanup(self.ear.close)
        self.lab.ip(self.lab.names["ggsn"], "address", "add", users.SERVER + "/32", "dev", "lo")
        self.far = ggsn.Ggsn(self.lab)
        self.addCleanup(self.far.close)
        self.hlr = hlr.Hlr(self.lab, self.phones[0].imsi, KI)
        self.addCleanup(self.hlr.close)
        self.serve(mobiles="", more=PHONES % {"ciphering": self.ciphering})
        self.node.wait_for("HLR 127.0.0.1: connected")
        self.start_bts()
        self.start_pcu()
        self.wait_for_cell()

    def mobile_text(self, phone):
        return ""

    def attach(self, phone):
        """Authenticated by the HLR, and with a context of the GGSN; its user is the kernel then."""
        phone.attach_fully()
        address = phone.activate()
        self.open_users({phone.imsi: address})

    def check_ping(self, phone, wanted=5):
        """Kernel to kernel; returns the median of the round trips."""
        ping, end = self.ping(phone), time.monotonic() + PING_S
        while len(ping.rtts_s) < wanted and time.monotonic() < end:
            time.sleep(0.05)
        self.assertGreaterEqual(len(ping.rtts_s), wanted, len(ping.sent))
        ping.close()
        return sorted(ping.rtts_s.values())[len(ping.rtts_s) // 2]

    def fetch(self, phone, octets=FILE_OCTETS, is_up=False):
        """A file from the GGSN's machine, or to it, by the kernels' TCP; returns the seconds."""
        content = random.Random(octets).randbytes(octets)
        with self.lab.inside("ggsn"):
            listener = socket.create_server((users.SERVER, PORT))
        with self.lab.inside("users"):
            client = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        with listener, client:
            client.bind((phone.address, 0))
            client.settimeout(TCP_S)
            listener.settimeout(TCP_S)
            began = time.monotonic()
            client.connect((users.SERVER, PORT))
            with listener.accept()[0] as far:
                far.settimeout(TCP_S)
                source, sink = (client, far) if is_up else (far, client)
                threading.Thread(target=lambda: (source.sendall(content), source.shutdown(socket.SHUT_WR)), daemon=True).start()
                got = b"".join(iter(lambda: sink.recv(65536), b""))
        self.assertEqual(got, content)
        return time.monotonic() - began

    def resolve(self, phone, name=b"www"):
        """The address of a name, asked of the server that the GGSN named in the protocol configuration options; the seconds."""
        server = inet.dotted(phone.pco[phone.pco.index(b"\x81\x06") + 2:][:4])  # IPCP's primary DNS address (RFC 1877)
        question = b"\0\1\1\0\0\1" + bytes(6) + bytes([len(name)]) + name + b"\3lab\0\0\1\0\1"
        with self.lab.inside("ggsn"):
            self.lab.ip(self.lab.names["ggsn"], "address", "add", server + "/32", "dev", "lo")
            far = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with self.lab.inside("users"):
            near = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        with far, near:
            far.bind((server, 53))
            far.settimeout(PING_S)
            near.bind((phone.address, 0))
            near.settimeout(PING_S)
            began = time.monotonic()
            near.sendto(question, (server, 53))
            asked, sender = far.recvfrom(512)
            self.assertEqual(sender[0], phone.address)
            record = b"\xc0\x0c\0\1\0\1" + struct.pack(">IH", 60, 4) + socket.inet_aton(users.SERVER)
            far.sendto(asked[:2] + b"\x81\x80\0\1\0\1\0\0\0\0" + asked[12:] + record, sender)
            answer = near.recv(512)
        self.assertEqual((asked, answer[-4:]), (question, socket.inet_aton(users.SERVER)))
        return time.monotonic() - began

    def frames_to_judge(self):
        """In clear, by the phones' keys."""
        return [(at_ns, self.in_clear(octets)) for at_ns, octets in super().frames_to_judge()]

    def in_clear(self, octets):
        pdu = wiretap.Pdu(0, False, octets[UDP_HEADERS:], (0, 0)).bssgp
        frame = pdu.elements.get(bssgp.LLC_PDU, b"") if pdu else b""
        if cipher.is_ciphered(frame):
            candidates = (key.in_clear(frame, pdu.kind == bssgp.DL_UNITDATA) for phone in self.phones for key in phone.keys)
            octets = octets.replace(frame, next(filter(None, candidates), frame))
        return octets

    def frames_in_clear(self):
        """SAPIs of UI frames that are not ciphered, (is_down, SAPI): how many."""
        found = collections.Counter()
        for pdu in self.pdus(None, ("bssgp", bssgp.DL_UNITDATA)) + self.pdus(None, ("bssgp", bssgp.UL_UNITDATA)):
            octets = pdu.bssgp.elements[bssgp.LLC_PDU]
            found[pdu.is_down, octets[0] & 15] += not cipher.is_ciphered(octets)
        return found

    def finish(self, accounted=True):
        for phone in self.phones:
            self.assertEqual(phone.faults + [phone.user.faults], [0])
        super().finish(accounted)
        self.assertEqual(self.ear.faults(), [])

    def _from_user(self, packet):
        phone = self.by_address.get(inet.dotted(packet[12:16])) if packet[0] >> 4 == 4 else None
        if phone:
            phone.send_packet(packet)


class Ciphered(Case):
    ciphering = "3, 0"

    def test_a_download(self):
        """GEA3 from the frame after the response on: only the attach request, the challenge and its answer are in clear."""
        self.bring_up()
        phone = self.phones[0]
        self.attach(phone)
        self.node.wait_for("attached.*GEA/3")
        median_s, name_s, took_s = self.check_ping(phone), self.resolve(phone), self.fetch(phone)
        self.assertEqual(self.frames_in_clear(), {(False, 1): 2, (True, 1): 1, (False, 3): 0, (True, 3): 0})
        self.figure("GEA3", f"ping {1000 * median_s:.0f} ms, a name in {1000 * name_s:.0f} ms, {FILE_OCTETS} octets over TCP in {took_s:.1f} s")
        self.finish()


OTHER_NSE = """, { nsei = 102, nsvcs = { { nsvci = 1801, address = "198.51.100.2", udp_port = 23001 } }, cells = { { bvci = 1235,
    cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 1, ci = 20961 } } } }"""


class Areas(Case):
    """Two PCUs, each with a routeing area of its own."""
    ciphering = "3, 0"
    node_values = {"nses_more": OTHER_NSE}

    def start_pcu(self, **values):
        super().start_pcu(**values)
        self.other_air = air.Air()
        self.cells.append(Cell(nsei=102, bvci=1235, rac=1, cell_id=20961, nsvcs=[Nsvc(nsvci=1801, local_port=23001)]))
        path = os.path.join(self.folder, "other")
        os.mkdir(path)
        bts = Bts(os.path.join(path, "pcu_bts"), self.cells[1], self.other_air)
        self.addCleanup(bts.close)
        values = {"test_s": network.TEST_S, "alive_s": network.ALIVE_S, "retries": network.RETRIES, **self.pcu_values}
        pcu = OsmoPcu(self.lab, path, bts.path, vty="127.0.0.2", **values)
        self.addCleanup(pcu.stop)

    def wait_for_cell(self, timeout_s=20):
        self.node.show_until("bvc", lambda rows: len(rows) == 2 and all(row["usable"] and row["rate_bps"] for row in rows), timeout_s)

    def bvcis(self):
        return [row["bvci"] for row in self.node.show("ms")]

    def test_update(self):
        """There and back with ping in between.

        The first PCU has not given up the phone's former TBF when it comes back, and puts the first ACCEPT into that: the repeated one counts.
        """
        self.bring_up()
        phone, airs = self.phones[0], [self.air, self.other_air]
        self.attach(phone)
        self.check_ping(phone)
        for there in (1, 0):
            phone.move(airs)
            began = time.monotonic()
            phone.update_fully(self.cells[there].area())
            took_s = time.monotonic() - began
            self.check_ping(phone)
            self.assertEqual(self.bvcis(), [self.cells[there].bvci])
            self.figure("update", f"into RAC {there} in {took_s:.2f} s")
            airs.reverse()
        self.finish()

    def test_update_in_a_download(self):
        """TCP goes on in the other area."""
        self.bring_up()
        phone = self.phones[0]
        self.attach(phone)
        times = []
        fetch = threading.Thread(target=lambda: times.append(self.fetch(phone)))
        fetch.start()
        time.sleep(4)
        phone.move([self.air, self.other_air])
        phone.update_fully(self.cells[1].area())
        fetch.join(2 * TCP_S)
        self.figure("update", f"{FILE_OCTETS} octets over TCP with it in {times[0]:.1f} s")
        self.assertEqual(self.bvcis(), [1235])
        self.finish()


class Standby(Case):
    ciphering = "3, 0"
    node_values = {"mobile_more": f', ready_timer = "{READY_S} s"'}

    def ping_from_ggsn(self, phone):
        """One, which the phone's kernel answers; returns the Ping."""
        ping = Ping(self.lab, "ggsn", (users.SERVER, phone.address), 60)
        self.addCleanup(ping.close)
        return ping

    def wait_for_answer(self, ping, timeout_s=PING_S):
        end = time.monotonic() + timeout_s
        while not ping.rtts_s and time.monotonic() < end:
            time.sleep(0.02)
        return ping.rtts_s.get(1)

    def test_paged(self):
        """What waits for a phone in STANDBY goes when it has answered its page, in its paging group."""
        self.bring_up()
        phone = self.phones[0]
        self.attach(phone)
        self.check_ping(phone)
        time.sleep(READY_S + 2)
        self.assertEqual(self.air.pages, [])
        took_s = self.wait_for_answer(self.ping_from_ggsn(phone))
        self.assertIsNotNone(took_s)
        self.assertEqual([(group, whom) for _, group, whom in self.air.pages], [("001", phone.tlli)])
        self.assertEqual(len(self.pdus(True, ("bssgp", PAGING_PS))), 1)
        self.figure("page", f"the ping in STANDBY took {took_s:.2f} s")
        self.finish()

    def test_suspended(self):
        """In a call the packets wait; osmo-pcu knows no RESUME, and the phone updates when it is over (TS 23.060 clause 16.2.1.1)."""
        self.bring_up()
        phone = self.phones[0]
        self.attach(phone)
        self.check_ping(phone)
        time.sleep(SILENCE_S)
        self.bts.suspend(phone.radio)
        self.wait_for_pdu(True, ("bssgp", SUSPEND_ACK))
        since_s = self.tap.now_s()
        ping = self.ping_from_ggsn(phone)
        self.assertIsNone(self.wait_for_answer(ping, CALL_S))
        self.assertEqual(self.pdus(True, ("bssgp", bssgp.DL_UNITDATA), since_s), [])
        phone.update_fully(phone.rai)
        took_s = self.wait_for_answer(ping)
        self.assertGreater(took_s, CALL_S)
        self.check_ping(phone)
        self.figure("call", f"the ping in a call of {CALL_S} s took {took_s:.2f} s")
        self.finish()


class Chain(Case):
    capability, classes = layer3.RA_CAPABILITY, ["12", "12"]

    def classes_there(self):
        """Multislot classes of the phones at osmo-pcu, each of GPRS and of EGPRS; it keeps the first that it is told."""
        console = vty.Vty(self.lab)
        self.addCleanup(console.close)
        return re.findall(r"MS class: +(\d+)", console.command("show ms all"))

    def test_attach_activate_ping_detach(self):
        self.bring_up()
        phone = self.phones[0]
        phone.ra_capability = self.capability
        self.attach(phone)
        self.check_ping(phone)
        self.assertEqual(self.hlr.sgsn_of(phone.imsi)[0], "SGSN-gbflow")
        down = [pdu.bssgp for pdu in self.pdus(True, ("bssgp", bssgp.DL_UNITDATA)) if pdu.bssgp.tlli == phone.tlli]
        self.assertEqual({(pdu.elements.get(IMSI), pdu.elements.get(CAPABILITY), pdu.elements.get(DRX)) for pdu in down},
                         {(phone_peer.digits(phone.imsi), self.capability, b"\x0a\0")})
        self.assertEqual(self.classes_there(), self.classes)
        phone.send(bytes([phone_peer.GMM, phone_peer.DETACH_REQUEST, 1]))
        phone.expect(phone_peer.GMM, phone_peer.DETACH_ACCEPT)
        self.node.show_until("ms", lambda rows: rows == [])
        self.finish()


class CipheredOverSns(Ciphered):
    dialect = "ip-sns"


class ChainOverSns(Chain):
    dialect = "ip-sns"
    capability, classes = layer3.ra_capability(4, 2), ["4", "2"]


if __name__ == "__main__":
    unittest.main()
