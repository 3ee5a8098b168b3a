# SPDX-License-Identifier: BSD-3-Clause
"""A live node without any rights: virtual devices, clean ends, what goes wrong before it runs, and what it shows."""
import os
import pwd
import resource
import shutil
import signal
import subprocess
import tempfile
import unittest
from unittest import mock

import node

CAPTURE = os.path.join(node.ROOT, "tests", "data", "captures", "gn-osmo-ggsn.pcap")
RING = {"gn": "net_ring0", "gb": "net_ring1"}
NOBODY = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else None


class Case(unittest.TestCase):
    def serve(self, **values):
        running = node.Node(user=NOBODY, **values)
        self.addCleanup(running.kill)
        running.wait_for("running")
        return running

    def fail_to_serve(self, status, pattern, **values):
        failed = node.Node(user=NOBODY, **values)
        self.addCleanup(failed.kill)
        self.assertEqual(failed.finish(), status, failed.lines)
        self.assertRegex("\n".join(failed.lines), pattern)


class Program(Case):
    """A node of a copied program, which another file replaces as dpkg does it."""

    def test_replaced_then_deleted(self):
        with tempfile.TemporaryDirectory(prefix="gbflow-program-") as folder:
            os.chmod(folder, 0o755)
            path = os.path.join(folder, "gbflow")
            shutil.copy(node.program(), path)
            with mock.patch.dict(os.environ, GBFLOW=path):
                running = self.serve(**RING)
                self.check(running, "current", False)
                shutil.copy(path, path + ".dpkg-new")
                self.check(running, "current", False)
                os.rename(path + ".dpkg-new", path)
                self.check(running, "replaced on disk: restart the node", True)
                again = self.serve(**RING)
                self.check(again, "current", False)
                self.assertEqual(again.stop(), 0)
            os.unlink(path)
            self.check(running, "deleted from disk", False)
            self.assertEqual(running.stop(), 0)

    def check(self, running, program, is_replaced):
        row, = running.show("node")
        self.assertEqual((row["program"], row["program_replaced_s"] > 0), (program, is_replaced))


class Devices(Case):
    def test_rings_both_signals_both_ways_of_idling(self):
        for number, idle in ((signal.SIGINT, "sleep"), (signal.SIGTERM, "poll")):
            running = self.serve(idle=idle, **RING)
            running.show_until("workers", lambda rows: rows[0]["gn_frames"] > 0)  # its own announcements come back
            self.assertEqual(running.stop(number), 0)
            self.assertEqual(running.report["npdu"], {"in": 0, "out": 0, "dropped": 0, "queued": 0})
            self.assertGreater(running.report["gn_frames"]["received"], 0)

    def test_memif(self):
        running = self.serve(gn=f"net_memif0,role=server,socket=gbflow-live{os.getpid()}",
                             gb=f"net_memif1,role=server,id=1,socket=gbflow-live{os.getpid()}")
        self.assertEqual(running.stop(), 0)

    def test_a_capture_as_a_port(self):
        running = self.serve(gn=f"net_pcap0,rx_pcap={CAPTURE},tx_pcap=gn.pcap",
                             gb=f"net_pcap1,rx_pcap={CAPTURE},tx_pcap=gb.pcap")
        running.show_until("drops", lambda rows: rows)
        self.assertEqual(running.stop(), 0)
        frames = running.report["gn_frames"]
        self.assertGreater(frames["received"], 100)
        self.assertEqual(frames["received"], running.report["npdu"]["in"] + sum(frames["drops"].values()) + sum(frames["handled"].values()))

    def test_two_workers(self):
        running = self.serve(workers=2, gn="net_null0", gb="net_null1")
        self.assertEqual(len(running.show("workers")), 2)
        self.assertEqual(running.stop(), 0)
        self.assertEqual(len(running.report["workers"]), 2)


class Settings(Case):
    """Keys of a port, as they come to the device."""

    def ports(self, **values):
        running = self.serve(gn="net_null0", gb="net_null1", **values)
        rows = running.show("ports")
        self.assertEqual(running.stop(), 0)
        return rows

    def test_mtu_and_vlan_of_each_side(self):
        gn, gb = self.ports(gn_more=', mtu = "1900 octets", vlan = 7', gb_more=', mtu = "2000 octets", vlan = 8')
        self.assertEqual([(row["mtu"], row["vlan"]) for row in (gn, gb)], [(1900, "7"), (2000, "8")])

    def test_defaults(self):
        for row in self.ports():
            self.assertEqual((row["mtu"], row["vlan"], row["queues"], row["spread"]), (1500, "none", 1, "one queue"))


class Refusals(Case):
    def test_configurations(self):
        rows = (
            ("gn.port: missing", {"gn": "net_ring0", "text": node.TEXT.replace('port = "%(gn)s"', "")}),
            ("is gn.port, too", {"gn": "net_ring0", "gb": "net_ring0"}),
            (r"live\.cores\[1\]: CPU 1023", {"live_more": ", cores = { 1023 }", **RING}),
            (r"gn\.routes\[1\]\.to: .*IPv4 network", {"gn_more": ', routes = { { to = "10.0.0.0/33" } }', **RING}),
            (r"gn\.routes\[1\]\.to: .*bits set", {"gn_more": ', routes = { { to = "10.0.0.1/8" } }', **RING}),
            (r"gb\.neighbours\[1\]\.mac: .*missing|gb\.neighbours\[1\]\.mac",
             {"gb_more": ', neighbours = { { address = "10.0.0.1" } }', **RING}),
            (r"live\.max_sleep: .*10 us \.\. 10 ms", {"live_more": ', max_sleep = "1 s"', **RING}),
            (r"eal\.prefix: ", {"prefix": "a/b", **RING}),
        )
        for pattern, values in rows:
            with self.subTest(pattern):
                self.fail_to_serve(2, pattern, **values)

    def test_devices(self):
        rows = (
            (r"gn\.port 'net_af_packet0,iface=nope9': there is no network interface 'nope9'",
             {"gn": "net_af_packet0,iface=nope9"}),
            (r"gn\.port 'net_nothing0': DPDK does not make a port", {"gn": "net_nothing0"}),
            (r"gn\.port 'net_af_packet0,iface=lo': no permission", {"gn": "net_af_packet0,iface=lo"}),
            (r"gb\.port 'net_tap1': .*root", {"gn": "net_ring0", "gb": "net_tap1"}),
            (r"gn\.port 'net_pcap0,.*': the device has 1 queue for 2 workers",
             {"workers": 2, "gn": f"net_pcap0,rx_pcap={CAPTURE},tx_pcap=gn.pcap", "gb": "net_ring1"}),
            (r"gn\.port 'net_pcap0,.*': rx_pcap=/no/file: No such file", {"gn": "net_pcap0,rx_pcap=/no/file,tx_pcap=gn.pcap"}),
            (r"gn\.port 'net_null0,size=9000': size=9000: at most 2048", {"gn": "net_null0,size=9000"}),
            (r"gn\.port 'net_vhost0,.*': the folder of the socket /no/where/gn does not exist", {"gn": "net_vhost0,iface=/no/where/gn"}),
            (r"gn\.port 'net_vhost0,.*': the path of its socket has more than 106 characters", {"gn": "net_vhost0,iface=/tmp/" + 120 * "x"}),
            (r"--json /no/where/x: No such file", {"gn": "net_ring0", "gb": "net_ring1", "words": ("--json", "/no/where/x")}),
        )
        for pattern, values in rows:
            with self.subTest(pattern):
                self.fail_to_serve(1, pattern, **values)

    def test_few_open_files(self):
        """With 16 DPDK ended the process by a panic. A soft limit is raised."""
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        for count in (12, 16, 24):
            with self.subTest(count):
                failed = node.Node(user=NOBODY, words=(), wrapper=("prlimit", f"--nofile={count}"), **RING)
                self.addCleanup(failed.kill)
                self.assertEqual(failed.finish(), 1, failed.lines)
                self.assertRegex("\n".join(failed.lines), f"limit of open files is {count}, needed are 80; raise it")
        soft = node.Node(user=NOBODY, wrapper=("prlimit", f"--nofile=20:{limits[1]}"), **RING)
        self.addCleanup(soft.kill)
        soft.wait_for("running")
        self.assertEqual(soft.stop(), 0)

    def test_words(self):
        for words in ((), ("a", "b"), ("--nonsense", "a")):
            done = subprocess.run([node.program(), "serve", *words], capture_output=True, text=True, check=False, timeout=60)
            self.assertEqual(done.returncode, 2, done.stderr)


class Shows(Case):
    def test_all_tables(self):
        running = self.serve(**RING)
        for what in ("nse", "bvc", "ms", "pdp", "gtpc", "drops", "workers", "aqm", "counts", "neighbours", "ports",
                     "gtpc_counts", "control", "capture"):
            self.assertIsInstance(running.show(what), list)
            self.assertEqual(running.run_show(what).returncode, 0)
        self.assertEqual(running.show("nse"), [{"nsei": 101, "nsvci": 101, "address": "198.51.100.2", "udp_port": 23000, "source": "nses",
                                                "state": "dead", "test": "off"}])
        self.assertEqual(running.show("pdp")[0]["teid"], "00001001")
        self.assertEqual(running.stop(), 0)
        self.assertEqual([row["side"] for row in running.report["ports"]], ["gn", "gb"])
        self.assertEqual(set(running.report["gtpc"].values()), {0})

    def test_long_tables_come_in_parts(self):
        count = 1000
        mobiles = ", ".join(
            f'{{ imsi = "26242{i:010d}", tlli = {0xC0000000 + i}, bvci = 1800, contexts = {{ {{ nsapi = 5, sgsn_address = '
            f'"192.0.2.1", ggsn_address = "192.0.2.2", ggsn_teid = {i + 1}, address = "10.45.{i >> 8}.{i & 255}" }} }} }}'
            for i in range(count))
        running = self.serve(mobiles=mobiles, limit=count, **RING)
        for what in ("ms", "pdp"):
            self.assertEqual([row["imsi"] for row in running.show(what)], [f"26242{i:010d}" for i in range(count)])
        self.assertEqual(running.stop(), 0)

    def test_nobody_answers(self):
        done = subprocess.run([node.program(), "show", "nse", "--prefix", "gbflow-there-is-none"], capture_output=True,
                              text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        done = subprocess.run([node.program(), "show", "nonsense"], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main()
