# SPDX-License-Identifier: BSD-3-Clause
"""A node whose associations are those of strongSwan, and as the other end strongSwan with its kernel, as in docs/esp.md. On a
kernel with ESP alone: test_ike.py.

usage: ike_walk.py [TEST]...; GBFLOW_IKE_S: seconds of traffic (15), under rekeying every GBFLOW_IKE_REKEY_S (4)
"""
import collections
import os
import pwd
import re
import socket
import subprocess
import tempfile
import threading
import time
import unittest

import ike_rig
import lab
import node
import test_walk

SECONDS, REKEY_S = float(os.environ.get("GBFLOW_IKE_S", "15")), int(os.environ.get("GBFLOW_IKE_REKEY_S", "4"))


class Case(test_walk.Case):
    rules = f'gn = {{ rules = {{ {{ remote = "{lab.GN_GGSN}" }} }}, others = "drop" }}'

    def setUp(self):
        super().setUp()
        self.folder = tempfile.mkdtemp(prefix="gbflow-ike-")
        self.addCleanup(os.rmdir, self.folder)
        self.near = self.daemon(self.lab.add("ike"), "near")
        self.far = self.daemon(self.lab.names["ggsn"], "far")
        lab.run("ip", "netns", "exec", self.near.namespace, "ip", "tuntap", "add", "dev", ike_rig.INTERFACE, "mode", "tun")
        for words in (("address", "add", f"{lab.GN_SGSN}/32", "dev", ike_rig.INTERFACE), ("link", "set", ike_rig.INTERFACE, "up"),
                      ("route", "add", "default", "dev", ike_rig.INTERFACE)):
            self.lab.ip(self.near.namespace, *words)

    def daemon(self, namespace, name):
        daemon = ike_rig.Daemon(self.folder, namespace, name)
        self.addCleanup(daemon.close)
        return daemon

    def connect(self, **more):
        self.far.start(ike_rig.connection("gn", lab.GN_GGSN, lab.GN_SGSN, **{**more, "start": "none"}))
        self.near.start(ike_rig.connection("gn", lab.GN_SGSN, lab.GN_GGSN, **more))

    def initiate(self):
        start = len(self.node.lines)
        self.near.swanctl("--initiate", "--child", "gn", "--timeout", "20")
        for direction in ("in", "out"):
            self.node.wait_for(f"SPI .* of direction {direction}: ", start=start)
        for direction in ("in", "out"):
            self.node.wait_for(f"policy .* of direction {direction}, priority .*: protect", start=0)
        self.node.show("node")  # workers have changed meanwhile

    def begin(self, **values):
        ike = f'ike = {{ netns = "{self.near.namespace}", interface = "{ike_rig.INTERFACE}" }}'
        self.serve(more=f", esp = {{ {ike}, {self.rules} }}", **values)
        self.open_ends()
        self.bss.bring_up()

    def check_both_ways(self, count=3):
        for seed in range(count):
            self.check_down(40 + 97 * seed % 1200, seed)
            self.check_up(40 + 89 * seed % 1200, seed)

    def dropped(self):
        return {(row["side"], row["reason"]): row["count"] for row in self.node.show("drops") if row["reason"] != "ike"}

    def states(self):
        """SPIs of the kernel of the node's daemon."""
        return lab.run("ip", "-n", self.near.namespace, "xfrm", "state", "list")


class Walk(Case):
    def walk(self, **more):
        self.begin()
        self.connect(**more)
        self.initiate()
        self.check_both_ways()
        self.assertEqual(self.dropped(), {})

    def test_tunnel(self):
        self.walk()
        self.assertEqual(self.node.stop(), 0)

    def test_transport(self):
        self.walk(mode="transport", esp="aes256-sha256-esn")
        self.assertEqual(self.node.stop(), 0)

    def test_in_udp(self):
        self.walk(encap="yes", esp="aes256gcm16-noesn")
        self.assertEqual(self.node.stop(), 0)

    def test_shown(self):
        self.walk()
        rows, daemon = {row["direction"]: row for row in self.node.show("sa")}, self.node.show("ike")
        self.assertEqual({way: (row["name"], row["state"], row["mode"]) for way, row in rows.items()},
                         {"out": ("ike", "used", "tunnel"), "in": ("ike", "accepted", "tunnel")})
        self.assertGreaterEqual(min(row["packets"] for row in rows.values()), 3)
        for row in rows.values():
            self.assertIn(row["spi"], self.states())
        self.assertEqual([(row["process"], row["sas"], row["lost"]) for row in daemon], [("runs", 2, 0)])
        self.assertGreater(min(daemon[0]["to_daemon"], daemon[0]["from_daemon"]), 1)
        self.assertGreater(daemon[0]["policies"], 1)
        self.assertEqual(self.node.stop(), 0)

    def test_deleted(self):
        """What is protected neither comes nor leaves any more."""
        self.walk()
        self.near.swanctl("--terminate", "--ike", "gn")
        self.node.show_until("drops", lambda rows: True)
        self.down(40, 1)
        self.node.show_until("drops", lambda rows: ("gn", "esp_missing") in {(row["side"], row["reason"]) for row in rows})
        self.assertEqual(self.node.stop(), 0)


class Replayer(threading.Thread):
    """Sends each frame with ESP to the node a second time, some seconds later: of an association in use, or of one before."""

    def __init__(self, place, after_s):
        super().__init__(daemon=True)
        with place.inside("ggsn"):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
            self.socket.bind(("gn1", 3))
        self.socket.settimeout(0.05)
        self.after_s, self.waiting, self.sent, self.is_over = after_s, collections.deque(), 0, False

    def run(self):
        while not self.is_over or self.waiting:
            try:
                frame, sender = self.socket.recvfrom(65536)
                if sender[2] == socket.PACKET_OUTGOING and frame[12:14] == b"\x08\x00" and frame[23] == 50 and not self.is_over:
                    self.waiting.append((time.monotonic() + self.after_s, frame))
            except TimeoutError:
                pass
            while self.waiting and time.monotonic() > self.waiting[0][0]:
                self.socket.send(self.waiting.popleft()[1])  # the socket does not see it
                self.sent += 1

    def stop(self):
        self.is_over = True
        self.join()
        self.socket.close()
        return self.sent


class Traffic(Case):
    """Packets both ways without a pause, of which each must arrive."""

    def begin_traffic(self, **more):
        self.begin()
        self.connect(**more)
        self.initiate()
        self.count = 0

    def pass_for(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.check_down(40 + self.count * 97 % 1000, self.count)
            self.check_up(40 + self.count * 89 % 1000, self.count)
            self.count += 1

    def spis(self):
        """How many associations of direction in the node has had."""
        return sum("of direction in: aes" in line for line in self.node.lines)

    def check_far(self):
        with self.lab.inside("ggsn"), open("/proc/thread-self/net/xfrm_stat", encoding="utf-8") as file:
            self.assertEqual([line for line in file if line.split()[1] != "0"], [])

    def finish(self, replays=0):
        dropped = self.dropped()
        # Behind the window extended numbers count as wrong ICVs (docs/esp.md).
        copies = sum(dropped.pop(("gn", reason), 0) for reason in ("esp_replay", "esp_spi", "esp_icv"))
        self.assertEqual((copies, dropped), (replays, {}))
        self.check_far()
        self.assertEqual(self.node.stop(), 0)

    def test_new_keys(self):
        """By both ends at a time, while each packet comes twice."""
        self.begin_traffic(rekey=f"{REKEY_S}s", life=f"{2 * REKEY_S}s")
        replayer = Replayer(self.lab, REKEY_S * 0.6)
        replayer.start()
        self.pass_for(SECONDS)
        replays = replayer.stop()
        self.assertGreater(replays, self.count // 2)
        self.assertGreater(self.spis(), SECONDS // (REKEY_S + 1))
        print(f"{self.count} packets each way, {self.spis()} associations in {SECONDS:.0f} s, {replays} replays", flush=True)
        time.sleep(0.5)
        self.finish(replays)

    def test_new_keys_by_the_other_end(self):
        self.begin_traffic()
        for _ in range(4):
            self.far.swanctl("--rekey", "--child", "gn")
            self.pass_for(1)
        self.assertEqual(self.spis(), 5)
        self.finish()

    def test_limit_of_packets(self):
        """The kernel sees no packet: the node counts them, and tells it of the soft end; the daemon knows the use."""
        self.begin_traffic(more="rekey_packets = 40\n    life_packets = 100000\n    rand_packets = 0")
        self.pass_for(12)
        self.assertGreater(self.spis(), 1)
        self.wait_for_use(r"in .*, +[1-9]\d* bytes, +[1-9]\d* packets")
        self.finish()

    def wait_for_use(self, pattern):
        """The node tells counts every 5 s, and new associations begin with 0: so few packets bring no others about."""
        end = time.monotonic() + 60
        while not re.search(pattern, self.near.swanctl("--list-sas")):
            self.assertLess(time.monotonic(), end, self.near.swanctl("--list-sas"))
            self.check_both_ways(1)
            time.sleep(1)

    def test_daemon_dies(self):
        """Its associations stay, and are those of the node until others come."""
        self.begin_traffic()
        self.near.kill()
        self.pass_for(2)
        self.near.run()
        self.pass_for(1)
        self.near.swanctl("--load-all", "--file", self.near.path("swanctl.conf"))
        self.initiate()
        self.pass_for(2)
        self.finish()


class Restart(Case):
    def test_node(self):
        """No association of the run before is used again: the daemon makes others."""
        self.begin()
        self.connect()
        self.initiate()
        self.check_both_ways()
        before = {line.split()[3] for line in self.states().splitlines() if "spi" in line}
        self.assertEqual(self.node.stop(), 0)
        self.bss.close()
        self.ggsn.close()
        self.begin()
        for direction in ("in", "out"):
            self.node.wait_for(f"SPI .* of direction {direction}: aes-gcm-128, tunnel$")
        self.node.wait_for("of direction in: gone$")  # the other end sends by the former one until this is deleted
        self.check_both_ways()
        used = {line.split("SPI ")[1].split()[0] for line in self.node.lines if "SPI" in line and line.endswith("tunnel")}
        self.assertEqual(used & before, set())
        self.assertEqual(self.node.stop(), 0)

    def processes(self):
        """Of the node's, those for the kernel."""
        found = subprocess.run(["pgrep", "-P", str(self.node.process.pid), "gbflow-ike"], capture_output=True, text=True, check=False)
        return [int(pid) for pid in found.stdout.split()]

    def test_process(self):
        """Without it associations stay, and the log says so."""
        self.begin()
        self.connect()
        self.initiate()
        start, (process,) = len(self.node.lines), self.processes()
        os.kill(process, 9)
        self.node.wait_for("esp: error: the process of esp.ike has ended: associations stay", start=start)
        self.check_both_ways()
        self.assertEqual(self.dropped(), {})
        self.assertEqual(self.node.stop(), 0)

    def test_another_user(self):
        """The node has no capability, its process for the kernel CAP_NET_ADMIN alone."""
        self.begin(words=["--user", "nobody"])
        self.connect()
        self.initiate()
        self.check_both_ways()
        (process,) = self.processes()
        with open(f"/proc/{process}/status", encoding="ascii") as file:
            status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
        self.assertEqual((int(status["CapEff"], 16), int(status["CapPrm"], 16), status["Uid"].split()[0], status["Seccomp"]),
                         (1 << 12, 1 << 12, str(pwd.getpwnam("nobody").pw_uid), "2"))
        self.assertEqual(self.node.stop(), 0)

    def test_rules(self):
        """Of the configuration: they hold behind the daemon's policies, and change by a reload."""
        self.begin()
        self.connect()
        self.initiate()
        ike = f'ike = {{ netns = "{self.near.namespace}", interface = "{ike_rig.INTERFACE}" }}'
        done = self.node.run_reload(more=f', esp = {{ {ike}, gn = {{ rules = {{ {{ remote = "203.0.113.0/24", action = "pass" }} }} }} }}')
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_both_ways()
        self.assertEqual(self.dropped(), {})
        self.assertEqual(self.node.stop(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
