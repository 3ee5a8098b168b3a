# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab up --esp, on a kernel with ESP alone: test_lab_esp.py.

usage: lab_esp_walk.py [TEST]...
"""
import json
import os
import pathlib
import re
import socket
import struct
import sys
import time
import unittest

import lab_command
from gbflow_lab import esp, network

ETH_P_ALL, ETH_P_IP, ESP, UDP, IKE = 3, 0x0800, 50, 17, 500
WAIT_S = 30


class Wire:
    """What is on Gn and Gb, at the node's ends."""

    def __init__(self, namespace):
        self.sockets = []
        with network.inside(namespace):
            for name in ("gn0", "gb0"):
                sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
                sock.bind((name, ETH_P_ALL))
                sock.setblocking(False)
                self.sockets.append(sock)

    def kinds(self):
        """For each link: how many IP packets of each kind came since the last call."""
        return [self.kinds_of(sock) for sock in self.sockets]

    @staticmethod
    def kinds_of(sock):
        found = {}
        while True:
            try:
                frame = sock.recv(65536)
            except BlockingIOError:
                return found
            if struct.unpack(">H", frame[12:14])[0] == ETH_P_IP:
                ports = struct.unpack(">HH", frame[34:38])
                kind = "esp" if frame[23] == ESP else "ike" if frame[23] == UDP and ports == (IKE, IKE) else "other"
                found[kind] = found.get(kind, 0) + 1

    def close(self):
        for sock in self.sockets:
            sock.close()


class Walk(lab_command.Case):
    def begin(self, *words):
        said = self.call("up", "--esp", *words).stdout
        self.assertIn(f"lab shell --name {self.name} ike swanctl --rekey --child gn --uri unix:///run/{self.name}/vici-ike\n", said)
        self.programs = json.loads(self.call("status", "--json").stdout)["programs"]
        self.assertEqual({row["name"] for row in self.programs if row["name"].startswith("charon")}, {"charon-ike", "charon-ggsn", "charon-bss"})
        self.wire = Wire(f"{self.name}-node")
        self.addCleanup(self.wire.close)

    def check_wire(self):
        for found in self.wire.kinds():
            self.assertGreater(found.pop("esp", 0), 20)
            self.assertEqual(set(found) - {"ike"}, set())

    def spis(self):
        """Of the node's daemon, by tunnel."""
        listing = network.run("ip", "-n", f"{self.name}-ike", "xfrm", "state")
        return {tunnel.name: {spi for far, spi in re.findall(r"src \S+ dst (\S+)\n\s+proto esp spi (\w+)", listing) if far in (tunnel.far, tunnel.node)}
                for tunnel in esp.TUNNELS}

    def renew(self):
        """All associations are others afterwards; those before end some seconds later."""
        before = self.spis()
        for name in before:
            self.call("shell", "ike", "swanctl", "--rekey", "--child", name, "--uri", f"unix:///run/{self.name}/vici-ike")
        end = time.monotonic() + WAIT_S
        while any(before[name] & spis for name, spis in self.spis().items()):
            self.assertLess(time.monotonic(), end, "old associations stay")
            time.sleep(0.2)
        self.assertEqual({name: len(spis) for name, spis in self.spis().items()}, {"gn": 2, "gb": 2})

    def check_ports(self):
        """Each port seeks its own neighbour: packets of both connections of IKE leave by the port of their address."""
        self.assertEqual({(row["side"], row["address"]) for row in self.show("neighbours")},
                         {(tunnel.name, tunnel.far) for tunnel in esp.TUNNELS})

    def check_status(self):
        self.assertRegex(self.call("status").stdout, r"(?m)^esp .* ESP on Gn and Gb, 4 associations \(Gn 2, Gb 2\), new keys every 600 s$")
        self.assertEqual(json.loads(self.call("status", "--json").stdout)["esp"], {"gn": 2, "gb": 2})

    def check_drops(self, allowed=()):
        """None for reasons of ESP; AQM drops N-PDUs of downloads."""
        found = {(row["side"], row["of"], row["reason"]) for row in self.show("drops") if row["reason"].startswith("esp")}
        self.assertEqual(found - set(allowed), set())

    def check_down(self):
        self.call("down")
        self.assertEqual(self.namespaces(), [])
        self.assertEqual([row["name"] for row in self.programs if lab_command.is_running(row["pid"])], [])
        folder = pathlib.Path("/run") / self.name
        self.assertEqual([path.name for path in folder.iterdir() if path.name.startswith(("swanctl-", "vici-"))], [])

    def test_mobiles(self):
        self.begin()
        self.assertEqual(self.call("shell", "anna", sys.executable, "-c", lab_command.DOWNLOAD).stdout, "20000\n")
        self.check_status()
        for name in ("charon-ike", "swanctl-ike"):
            self.assertEqual(os.stat(f"/run/{self.name}/{name}.conf").st_mode & 0o777, 0o600)
        self.renew()
        self.assertEqual(self.call("shell", "bert", sys.executable, "-c", lab_command.DOWNLOAD).stdout, "20000\n")
        self.call("shell", "bert", "ping", "-c", "1", "-W", "30", network.SERVER)
        self.check_status()
        self.check_wire()
        self.check_ports()
        self.check_drops([("gn", "unsent", "esp_no_sa")])  # contexts were asked for before the associations were there
        self.check_down()

    def test_pcu(self):
        """Gb is that of the real osmo-pcu."""
        self.begin("--bss", "osmo-pcu", "--phones", "2")
        for row in self.show("subscribers"):
            words = [sys.executable, "-c", lab_command.DOWNLOAD_FROM, row["contexts"].removeprefix("5:")]
            self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")
        self.check_status()
        self.renew()
        self.call("shell", "phones", "ping", "-c", "1", "-W", "30", network.SERVER)
        self.check_wire()
        self.check_ports()
        self.check_drops()
        self.check_down()


if __name__ == "__main__":
    unittest.main(verbosity=2)
