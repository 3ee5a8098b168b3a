# SPDX-License-Identifier: BSD-3-Clause
"""A whole network for a test: GGSN's end (a socket) - gbflow - osmo-pcu - BTS and mobiles of our own, and a record of Gb."""
import functools
import os
import queue
import random
import socket
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
for folder in ("../live", "../../oracles/gb", "../../oracles/receiver"):
    sys.path.append(os.path.normpath(os.path.join(HERE, folder)))  # behind this folder, which has modules of equal names

import lab  # noqa: E402
import node  # noqa: E402
import tshark_judge  # noqa: E402
from gbflow_bts.air import Air  # noqa: E402
from gbflow_bts.bts import Bts  # noqa: E402
from gb_oracle import gtp, writer  # noqa: E402
from osmo_pcu import OsmoPcu, missing  # noqa: E402
from gbflow_bts.pcuif import Cell, Nsvc  # noqa: E402
from gbflow_bts.phone import Phone  # noqa: E402
from wiretap import Wiretap  # noqa: E402

REAL_TIMERS = os.environ.get("INTEROP_TIMERS") == "real"  # those of TS 48.016 and not short ones
TEST_S, ALIVE_S, RETRIES = (30, 3, 10) if REAL_TIMERS else (2, 1, 3)
LOSS_S = TEST_S + (RETRIES + 1) * ALIVE_S  # after so long at the latest a silent NS-VC is given up
GTPU, BVCI, NSEI, SERVER = 2152, 1234, 101, "203.0.113.9"
TEXT = """return {
  gn = { port = "%(gn)s"%(gn_more)s },
  gb = { address = "%(gb_address)s", port = "%(gb)s"%(gb_more)s },
  nses = { { nsei = 101%(nse_more)s, %(nsvcs)s,
    cells = { { bvci = 1234, cell_id = { mcc = "001", mnc = "01", lac = 13135, rac = 0, ci = 20960 }%(cell_more)s } } }%(nses_more)s },
  mobiles = { source = "list"%(mobile_more)s, list = { %(mobiles)s } },
  live = { idle = "sleep"%(live_more)s },
  eal = { prefix = "%(prefix)s", huge_pages = "no" },
  timers = { ns = { test = "%(test_s)d s", alive = "%(alive_s)d s", alive_retries = %(retries)d }%(timers_more)s },
  limits = { npdu_buffers = 4095, mobiles = 16, contexts = 16, fragments = 64 }%(more)s
}
"""
SNS = 'sns = { address = "%s" }'
NSVCS = 'nsvcs = { { nsvci = 1800, address = "198.51.100.2" }%s }'
NSVCS_IPV6 = 'nsvcs = { { nsvci = 1800, address = "2001:db8:2::2" } }'
GB_IPV6 = "2001:db8:2::1", "2001:db8:2::2"
MOBILE = """{ imsi = "%(imsi)s", tlli = %(tlli)d, bvci = 1234, contexts = { { nsapi = 5, teid = %(teid)d,
    sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2", ggsn_teid = %(ggsn_teid)d, address = "%(address)s" } } }"""
TEID, GGSN_TEID = 0x1000, 0x2000


def mobile_text(phone):
    return MOBILE % {"imsi": phone.radio.imsi, "tlli": phone.radio.tlli, "address": phone.address,
                     "teid": TEID + phone.number, "ggsn_teid": GGSN_TEID + phone.number}


def udp_packet(source, destination, octets, seed):
    """An IPv4 packet of UDP with random content, of so many octets in all."""
    body = random.Random(seed).randbytes(octets - 28)
    return writer.ipv4(source, destination, writer.udp((source, 5000), (destination, 6000), body), 17, (seed & 0xFFFF, 0))


class Gateway:
    """The GGSN's end of the tunnels."""

    def __init__(self, place):
        with place.inside("ggsn"):
            self.sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.sock.bind((lab.GN_GGSN, GTPU))
        self.sock.settimeout(60)

    def send(self, phone, packet):
        message = b"\x30\xff" + len(packet).to_bytes(2, "big") + (TEID + phone.number).to_bytes(4, "big") + packet
        self.sock.sendto(message, (lab.GN_SGSN, GTPU))

    def receive(self, phone):
        message = gtp.decode(self.sock.recv(65536))
        assert message.kind == gtp.G_PDU and message.teid == GGSN_TEID + phone.number, message.teid
        return message.body

    def close(self):
        self.sock.close()


@functools.cache
def reason_to_skip():
    return lab.missing() or missing()


class Case(unittest.TestCase):
    phones_wanted, node_values, pcu_values, cell_values = 1, {}, {}, {}
    dialect = "classic"  # or ip-sns
    judged = True  # by tshark
    gb = lab.GB_SGSN, lab.GB_BSS  # or GB_IPV6

    def skip_where_it_cannot_run(self):
        self.skip_for(reason_to_skip())

    def skip_for(self, reason):
        if reason and os.environ.get("CI") == "true":
            self.fail(reason)
        elif reason:
            self.skipTest(reason)

    def setUp(self):
        self.skip_where_it_cannot_run()
        holder = tempfile.TemporaryDirectory(prefix="gbflow-interop-")
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.lab = self.make_lab()
        self.addCleanup(self.lab.close)
        if self.gb == GB_IPV6:
            self.lab.give_ipv6("bss", "gb1", self.gb[1])
        self.tap = Wiretap(self.lab, "bss", "gb1", self.gb[0])
        self.addCleanup(self.tap.close)
        self.phones = [self.make_phone(1 + i) for i in range(self.phones_wanted)]
        self.air = Air([phone.radio for phone in self.phones])
        self.cell = Cell(**({"nsvcs": [Nsvc(remote=self.gb[0])]} | self.cell_values))
        self.cells, self.node, self.pcu = [self.cell], None, None
        self.open_gateway()

    def open_gateway(self):
        self.gateway = Gateway(self.lab)
        self.addCleanup(self.gateway.close)

    def mobile_text(self, phone):
        """The mobile in the node's configuration."""
        return mobile_text(phone)

    @staticmethod
    def make_lab():
        return lab.Lab()

    @staticmethod
    def make_phone(number):
        return Phone(number)

    # --- parts

    def serve(self, **values):
        mobiles = ", ".join(self.mobile_text(phone) for phone in self.phones)
        classic = NSVCS_IPV6 if self.gb == GB_IPV6 else NSVCS % ""
        values = {"mobiles": mobiles, "nsvcs": classic if self.dialect == "classic" else SNS % self.gb[1],
                  "gb_address": self.gb[0], "test_s": TEST_S, "alive_s": ALIVE_S, "retries": RETRIES, "timers_more": "",
                  "mobile_more": "", "nses_more": "",
                  **self.node_values, **values}
        self.node = node.Node(self.lab, text=TEXT, **values)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")

    def start_bts(self, folder=""):
        self.bts = Bts(os.path.join(self.folder, folder, "pcu_bts"), self.cell, self.air)
        self.addCleanup(self.bts.close)

    def start_pcu(self, **values):
        self.pcu = OsmoPcu(self.lab, self.folder, os.path.join(self.folder, "pcu_bts"), 
                           **{"test_s": TEST_S, "alive_s": ALIVE_S, "retries": RETRIES, "dialect": self.dialect,
                              **self.pcu_values, **values})
        self.addCleanup(self.pcu.stop)

    def bring_up(self):
        """Everything, until the cell may be sent to."""
        self.serve()
        self.start_bts()
        self.start_pcu()
        self.wait_for_cell()

    def wait_for_cell(self, timeout_s=20):
        """Until flow control of the cell is there and acknowledged."""
        self.node.show_until("bvc", lambda rows: rows and rows[0]["usable"] and rows[0]["rate_bps"], timeout_s)

    # --- traffic

    def send_down(self, phone, octets, seed=1):
        packet = udp_packet(SERVER, phone.address, octets, seed)
        self.gateway.send(phone, packet)
        return packet

    def check_down(self, phone, octets, seed=1, timeout_s=15):
        """One packet to a mobile; returns how long it took."""
        began = time.monotonic()
        packet = self.send_down(phone, octets, seed)
        try:
            self.assertEqual(phone.packets.get(timeout=timeout_s), packet)
        except queue.Empty:
            self.fail(f"{octets} octets did not arrive in {timeout_s} s\n{self.pcu.text()[-2000:]}")
        return time.monotonic() - began

    def check_up(self, phone, octets, seed=1):
        packet = udp_packet(phone.address, SERVER, octets, seed)
        began = time.monotonic()
        phone.send(packet)
        self.assertEqual(self.gateway.receive(phone), packet)
        return time.monotonic() - began

    # --- the record

    def pdus(self, is_down=None, kind=None, since_s=0.0):
        """NS PDUs of one direction and kind, see wiretap.Pdu.kind()."""
        return [pdu for pdu in self.tap.pdus(since_s)
                if is_down in (None, pdu.is_down) and kind in (None, pdu.kind())]

    def wait_for_pdu(self, is_down, kind, since_s=0.0, timeout_s=60):
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            found = self.pdus(is_down, kind, since_s)
            if found:
                return found[0]
            time.sleep(0.02)
        raise AssertionError(f"no PDU {kind} in {timeout_s} s; {self.node.lines[-10:]}")

    def figure(self, point, text):
        print(f"point {point}: {text}", file=sys.stderr, flush=True)

    def finish(self, accounted=True):
        """Ends the node cleanly, and lets tshark judge the record."""
        self.assertIsNone(self.bts.fault)
        self.assertEqual(self.node.stop(), 0)
        npdu = self.node.report["npdu"]
        if accounted:
            self.assertEqual(npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"])
        if self.judged:
            self.judge()

    def frames_to_judge(self):
        return [frame for frame in self.tap.frames if is_udp(frame[1])]

    def judge(self):
        path = os.path.join(self.folder, "gb.pcapng")
        writer.pcapng(path, self.frames_to_judge())
        ports = sorted({23000, *(nsvc.local_port for nsvc in self.cell.nsvcs)})
        with tempfile.TemporaryDirectory() as folder:
            verdict = tshark_judge.judge(path, ports, folder)
        print(f"tshark: {verdict.frames} frames, {len(verdict.violations)} violations, warnings {dict(verdict.warnings)}",
              file=sys.stderr, flush=True)
        self.assertEqual(verdict.violations, [])


def is_udp(frame):
    """Over IP of either version."""
    kind = frame[12:14]
    return kind == b"\x08\x00" and frame[23] == 17 or kind == b"\x86\xdd" and frame[20] == 17


def quantile(values, share):
    return values[min(len(values) - 1, int(share * len(values)))]


class Stream:
    """Packets to a mobile at a constant rate, from a thread of its own."""

    def __init__(self, case, phone, octets, rate_octets_s):
        self.case, self.phone, self.octets, self.gap_s = case, phone, octets, octets / rate_octets_s
        self.sent, self.is_open = [], True
        self.arrived = []
        phone.on_packet = lambda packet: self.arrived.append((time.time(), packet))
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def wait_for_arrival(self, since, timeout_s=60):
        """When the first packet arrived that did so after a time (time.time())."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            for at, _ in self.arrived:
                if at > since:
                    return at
            time.sleep(0.01)
        raise AssertionError(f"nothing arrived in {timeout_s} s; {len(self.sent)} sent, {len(self.arrived)} arrived")

    def _run(self):
        due = time.monotonic()
        while self.is_open:
            packet = self.case.send_down(self.phone, self.octets, seed=len(self.sent))
            self.sent.append((time.time(), packet))
            due += self.gap_s
            time.sleep(max(0.0, due - time.monotonic()))

    def stop(self):
        self.is_open = False
        self.thread.join(5)

    def delays_s(self):
        """Of the packets that have arrived, sorted."""
        sent = {packet: at for at, packet in self.sent}
        return sorted(at - sent[packet] for at, packet in self.arrived)
