# SPDX-License-Identifier: BSD-3-Clause
"""A neighbour's end is never the node's end: peers of each kind of port, and clients of each socket, are killed under load again
and again. The node lives, the port serves the next peer, and in = out + dropped + queued. NEIGHBOUR_KILLS: how often each."""
import contextlib
import os
import random
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import lab
import node

import bridge
import flood
import ports
import test_memif
import test_ports
import test_ports_files

TELEMETRY = "gbflow_telemetry.v2"
KILLS = int(os.environ.get("NEIGHBOUR_KILLS", "0"))


class Load(bridge.Bridge):
    """testpmd that sends datagrams to GTP-U without a pause through each of its devices."""

    def __init__(self, devices):
        self.sends = devices
        super().__init__(None, {})

    def words(self):
        devices = [word for device in self.sends for word in ("--vdev", device)]
        return [bridge.PROGRAM, "--lcores", f"0@({self.cpus()}),1@({self.cpus()})", "--no-pci", "--no-huge", "-m", "192", "--no-shconf",
                "--no-telemetry", "--iova-mode=va", "--file-prefix", os.path.basename(self.holder.name), *devices, "--",
                "--forward-mode=txonly", "--tx-ip=192.0.2.2,192.0.2.1", "--tx-udp=2152,2152", "--nb-cores=1", "--total-num-mbufs=16383",
                "--no-mlockall", "--auto-start", "--interactive", "--no-flush-rx"]

    def start(self):
        self.lab = self
        super().start()

    def wait(self):
        self._await(bridge.FORWARDS)

    @staticmethod
    def command(_side, *words):
        """In no namespace."""
        return list(words)


class Sockets(unittest.TestCase):
    """vhost and virtio-user, each role. The test of memif is test_memif.py."""

    kinds = {kind: row for kind, row in test_ports.Sockets.kinds.items() if not kind.startswith("memif")}
    kills = KILLS or 5

    def setUp(self):
        lab.need(self, bridge.missing())
        self.folder, self.chance = ports.Folder(self), random.Random(1)

    def devices(self, form):
        """The port of Gn alone."""
        return form % (0, self.folder.path("gn"), 1)

    def serve(self, kind):
        self.node = node.Node(gn=self.devices(self.kinds[kind][0]), gb="net_ring1", gn_more=', peer_mac = "02:00:00:00:00:02"', limit=16)
        self.addCleanup(self.node.kill)
        self.before = 0

    def load(self, kind):
        peer = Load([self.devices(self.kinds[kind][1])])
        self.addCleanup(peer.close)
        return peer

    def kill(self, peer):
        """While frames come."""
        self.node.wait_for("running")
        rows = self.node.show_until("workers", lambda rows: rows[0]["gn_frames"] > self.before)
        time.sleep(self.chance.random() / 10)  # the random moment, not a wait for something
        peer.kill()
        self.node.show_until("ports", lambda rows: rows[0]["link"] == "down")
        self.before = self.node.show("workers")[0]["gn_frames"]
        self.assertGreaterEqual(self.before, rows[0]["gn_frames"])

    def walk(self, kind):
        _, _, is_peer_first, is_served_again = self.kinds[kind]
        if not is_peer_first:
            self.serve(kind)
        for number in range(self.kills):
            if not is_peer_first and "server=1" not in self.kinds[kind][0]:
                self.node.wait_for("running")
            peer = self.load(kind)
            if is_peer_first and (number == 0 or not is_served_again):
                if "server=1" not in self.kinds[kind][1]:
                    peer.wait()
                self.serve(kind)
            peer.wait()
            self.kill(peer)
            for name in os.listdir(self.folder.name) if is_peer_first else ():
                os.unlink(self.folder.path(name))  # which the killed process has left
            if is_peer_first and not is_served_again:
                self.check_counts()
        if not is_peer_first or is_served_again:
            self.check_counts()

    check_counts = test_memif.Case.check_counts


def each_kind(kind):
    def test(self):
        self.walk(kind)
    return test


for _kind in Sockets.kinds:
    setattr(Sockets, "test_" + _kind, each_kind(_kind))


class Interfaces(ports.Case):
    """The interface goes with the namespace that has its other end, while datagrams come through it."""

    kills = max(1, KILLS // 100)

    def walk(self, form):
        for _ in range(self.kills):
            self.begin(gn=form % (0, "gn0"), gb=form % (1, "gb0"))
            self.node.wait_for("running")
            self.open_far_ends()
            self.bring_up()
            before = self.node.show("node")[0]["npdu_in"]
            done = subprocess.Popen(self.lab.command("ggsn", "ping", "-f", "-q", lab.GN_SGSN), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(done.kill)
            self.send_down(0)
            self.node.show_until("node", lambda rows, before=before: rows[0]["npdu_in"] > before)
            for interface in ("gn1", "gb1"):
                self.lab.ip(self.lab.names["ggsn" if interface == "gn1" else "bss"], "link", "del", interface)
            done.kill()
            done.wait(60)
            self.node.show_until("ports", lambda rows: all(row["link"] == "gone" for row in rows))
            test_memif.Case.check_counts(self)
            self.lab.link()

    def test_af_packet(self):
        self.walk("net_af_packet%d,iface=%s")

    def test_pcap(self):
        self.walk("net_pcap%d,iface=%s")


class Clients(unittest.TestCase):
    """Of a node that reads N-PDUs of a file as fast as it can."""

    kills = KILLS or 20

    def setUp(self):
        folder = ports.Folder(self)
        path = test_ports_files.write(folder.path("in.pcap"), [test_memif.users_frame(seed) for seed in range(64)])
        text = node.TEXT.replace('address = "198.51.100.2"', 'address = "198.51.100.2"' + flood.GIVEN_MAC)
        self.node = node.Node(text=text, gn=f"net_pcap0,rx_pcap={path},infinite_rx=1,tx_pcap={folder.path('out.pcap')}", gb="net_ring1",
                              **flood.WITH_MACS)
        self.addCleanup(self.node.kill)
        self.node.wait_for("running")
        self.folder, self.chance = tempfile.TemporaryDirectory(prefix="gbflow-clients-"), random.Random(1)
        self.addCleanup(self.folder.cleanup)

    def walk(self, start, wait=lambda: None):
        """start(number) gives what has to be killed or closed at a random moment, the first one when it is connected: wait()."""
        for number in range(self.kills):
            end = start(number)
            if number == 0:
                wait()
            time.sleep(self.chance.random() / 20)  # the random moment, not a wait for something
            end()
            self.assertIsNone(self.node.process.poll(), f"the node has ended at client {number}")
        self.node.show_until("node", lambda rows: rows[0]["npdu_in"] > 0)
        test_memif.Case.check_counts(self)

    def command(self, *words):
        self.client = process = subprocess.Popen([node.program(), words[0], "--prefix", self.node.prefix, *words[1:]], stdin=subprocess.PIPE,
                                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.node.environment())

        def end():
            process.kill()
            process.wait(60)
            process.stdin.close()
            process.stdout.close()
        self.addCleanup(process.kill)
        return end

    def wait_for_table(self):
        """What a client has asked the node for."""
        found = b""
        while b"npdu_in" not in found:
            octets = os.read(self.client.stdout.fileno(), 65536)
            self.assertTrue(octets, f"the client has ended: {found}")
            found += octets

    def test_show(self):
        self.walk(lambda number: self.command("show", "node", "--watch"), self.wait_for_table)

    def test_log(self):
        self.walk(lambda number: self.command("log", "--follow"), lambda: self.node.show_until("log_followers", lambda rows: len(rows) == 1))

    def test_capture(self):
        self.walk(lambda number: self.command("capture", os.path.join(self.folder.name, f"{number}.pcapng")),
                  lambda: self.node.show_until("capture", lambda rows: rows[0]["state"] == "on"))

    def test_console(self):
        def ask():
            self.client.stdin.write(b"show node\n")
            self.client.stdin.flush()
            self.wait_for_table()
        self.walk(lambda number: self.command("console"), ask)

    def test_telemetry(self):
        """A question without a reader of the answer, and half a connection."""
        path = Path(self.node.runtime, "dpdk", self.node.prefix, TELEMETRY)

        def start(number):
            sock = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            sock.connect(str(path))
            for _ in range(number % 4):
                with contextlib.suppress(BrokenPipeError):
                    sock.send(b"/gbflow/table/drops,0")
            return sock.close
        self.walk(start)


if __name__ == "__main__":
    unittest.main()
