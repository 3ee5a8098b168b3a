# SPDX-License-Identifier: BSD-3-Clause
"""gbflow lab up --pool: phones at several nodes behind a Gb proxy, an offload while a host pings, and nothing left of it.

The proxy is osmo-gbproxy where PATH has it, else gbflow_proxy, as in the lab of a user.
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import aftermath
import hlr
import lab  # before the program's modules, where they are
import lab_command
import node
import test_metrics
import test_prometheus
from gbflow_lab import network, pool, proxy
from gbflow_proxy import config
from gbflow_top import telemetry

PHONES, WAIT_S = 12, 90  # that one node of two has them all happens once in 2048 labs
READ = "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=60).read().decode())"


class Case(lab_command.Case):
    def setUp(self):
        super().setUp()
        lab.need(self, hlr.missing())

    def prefix(self, name):
        return f"{self.name}-{name}"

    def act(self, name, *words):
        done = subprocess.run([node.program(), *words, "--prefix", self.prefix(name)], capture_output=True, text=True, check=False,
                              timeout=WAIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def at(self, name):
        """Addresses of the phones that a node has."""
        rows = json.loads(self.act(name, "show", "subscribers", "--json"))
        return {row["contexts"].removeprefix("5:") for row in rows if row["state"] == "registered"}

    def until_at(self, name, count):
        end = time.monotonic() + WAIT_S
        while len(found := self.at(name)) != count:
            self.assertLess(time.monotonic(), end, (name, found))
            time.sleep(0.1)
        return found

    def download(self, address, times=1):
        for _ in range(times):
            words = [sys.executable, "-c", lab_command.DOWNLOAD_FROM, address]
            self.assertEqual(self.call("shell", "phones", *words).stdout, "20000\n")

    def begin_ping(self, address):
        words = ["ip", "netns", "exec", f"{self.name}-phones", "ping", "-D", "-i", "0.5", "-I", address, network.SERVER]
        child = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def end_ping(self, child):
        """Numbers of the pings that were answered, of which one was after the call."""
        now, numbers = time.time(), []
        for line in child.stdout:
            if answer := re.search(r"^\[([0-9.]+)\] .*icmp_seq=(\d+) .*time=", line):
                numbers.append(int(answer[2]))
                if float(answer[1]) > now:
                    child.kill()
                    return numbers
        return self.fail("ping has ended")

    def programs(self):
        return json.loads(self.call("status", "--json", status=None).stdout)["programs"]

    def check_down(self, programs):
        self.call("down")
        self.assertEqual(self.namespaces(), [])
        self.assertEqual([row["name"] for row in programs if lab_command.is_running(row["pid"])], [])
        self.assertEqual([str(path) for path in telemetry.runtime_folder().glob(f"{self.name}*")], [])
        folder = pathlib.Path("/run") / self.name
        self.assertEqual([path.name for path in (*folder.glob("lab.json"), *folder.glob("*.sock"))], [])


class Walk(aftermath.Walk):
    """The lab of a test."""
    server = network.SERVER

    def __init__(self, case):  # pylint: disable=super-init-not-called
        self.case = case

    def nodes(self):
        return ["node1", "node2"]

    def inside(self):
        return network.inside(f"{self.case.name}-ggsn")

    def shorten(self, one):
        path = pathlib.Path(f"/run/{self.case.name}/{one}.lua")
        path.write_text(aftermath.with_short_timer(path.read_text(encoding="utf-8")), encoding="utf-8")
        self.case.act(one, "reload")

    def wait_for_standby(self, one):
        for imsi in self.of_node(one):
            node.wait_for_standby(self.case.prefix(one), imsi)

    def counts(self, one):
        return json.loads(self.case.act(one, "show", "counts", "--json"))

    def of_node(self, one):
        rows = json.loads(self.case.act(one, "show", "subscribers", "--json"))
        return {row["imsi"]: row["contexts"].removeprefix("5:") for row in rows if row["state"] == "registered"}

    def contexts(self):
        return {imsi: address for one in self.nodes() for imsi, address in self.of_node(one).items()}

    def arrive(self, one):
        imsi = sorted(self.of_node(one))[0]
        self.case.act(one, "detach", imsi, "--reattach")
        end = time.monotonic() + WAIT_S
        while "." not in self.of_node(one).get(imsi, "-"):
            self.case.assertLess(time.monotonic(), end, (one, imsi))
            time.sleep(0.1)
        return imsi


class Pool(Case):
    def test_walk(self):
        """The phones of node1 go to node2 while one of them pings, node1 starts again, and some come back."""
        lab.need(self, None if shutil.which("ping") else "needs the program ping")
        said = self.call("up", "--pool", "2", "--phones", str(PHONES)).stdout
        self.assertIn(f"gbflow offload --all --now --prefix {self.prefix('node1')}\n", said)
        self.assertIn(f"gbflow drain --prefix {self.prefix('node1')}\n", said)
        programs = self.programs()
        named = {row["name"] for row in programs}
        self.assertEqual(named, {"osmo-ggsn", "server", "osmo-hlr", "node1", "node2", "bss", proxy.OSMO if proxy.has_osmo() else proxy.OWN})
        first, second = self.at("node1"), self.at("node2")
        self.assertTrue(first and second)
        self.assertEqual(len(first | second), PHONES)
        self.check_status(len(first), len(second))
        moved = sorted(first)[0]
        self.download(moved, 2)  # its N(U) is beyond what a new SGSN begins with
        self.move_all(moved)
        self.start_again()
        self.assertEqual(self.at("node2"), first | second)
        self.act("node2", "offload", "--phones", "5", "--to", "1", "--now")
        back = self.until_at("node1", 5)
        self.assertEqual(self.until_at("node2", PHONES - 5) | back, first | second)
        self.assertEqual(self.phones_by_status(), [5, PHONES - 5])  # node2 keeps those that have gone for a time
        self.download(sorted(back)[0])
        aftermath.check(self, Walk(self))
        self.check_down([*programs, *self.programs()])

    def phones_by_status(self):
        return [row["phones"] for row in json.loads(self.call("status", "--json").stdout)["nodes"]]

    def check_status(self, *counts):
        nodes = json.loads(self.call("status", "--json").stdout)["nodes"]
        self.assertEqual([(row["name"], row["prefix"], row["phones"]) for row in nodes],
                         [(name, self.prefix(name), count) for name, count in zip(("node1", "node2"), counts)])
        said = self.call("status").stdout
        with open(f"/run/{self.name}/{pool.PROMETHEUS}", encoding="utf-8") as file:
            targets = re.findall(r'targets: \["(.*)"\]', file.read())
        for row, target in zip(nodes, targets, strict=True):
            self.assertRegex(said, rf"{row['name']} .* phones: {row['phones']}, metrics: {re.escape(row['metrics'])}\n")
            self.assertEqual(row["metrics"], f"http://{target}/metrics")
            metrics = self.call("shell", "hlr", sys.executable, "-c", READ, row["metrics"]).stdout
            self.assertIn(f"\ngbflow_node_mobiles {row['phones']}\n", metrics)

    def move_all(self, address):
        child = self.begin_ping(address)
        self.assertIn("gets no phones", self.call("allow-attach", "node1", "no").stdout)
        self.act("node1", "offload", "--all", "--now")
        self.until_at("node2", PHONES)
        self.assertIn("the node can be stopped", self.act("node1", "drain"))
        answered = self.end_ping(child)
        lost = sorted(set(range(1, answered[-1])) - set(answered))
        # A phone drops what its host sends between the order to go and the end of its update, and nothing else.
        self.assertEqual(lost, list(range(lost[0], lost[-1] + 1)) if lost else [])
        self.download(address)

    def start_again(self):
        """With another configuration."""
        path, before = pathlib.Path(f"/run/{self.name}/node1.lua"), self.pid("node1")
        right = path.read_text(encoding="utf-8")
        path.write_text(right.replace("codel", "coddel"), encoding="utf-8")
        self.assertIn("queues.aqm.scheme: 'coddel' is no AQM scheme", self.call("restart", "node1", status=1).stderr)
        self.assertTrue(lab_command.is_running(before))
        path.write_text(right, encoding="utf-8")
        path.write_text(path.read_text(encoding="utf-8").replace('scheme = "codel"', 'scheme = "pie"'), encoding="utf-8")
        self.assertEqual(self.call("restart", "node1").stdout, "node1: runs, and has the cell\n")
        self.assertNotEqual(self.pid("node1"), before)
        self.assertFalse(lab_command.is_running(before))
        self.assertIn("pie", self.act("node1", "show", "aqm"))
        self.assertNotIn("ended", self.call("status").stdout)
        self.assertIn("gets phones", self.call("allow-attach", "node1", "yes").stdout)

    def test_osmo_pcu(self):
        """Phones behind the real osmo-pcu obey offloads there and back; they stay ciphered."""
        lab.need(self, None if shutil.which("osmo-pcu") else "needs the program osmo-pcu")
        self.call("up", "--pool", "2", "--phones", "6", "--bss", "osmo-pcu")
        everybody, programs = self.at("node1") | self.at("node2"), self.programs()
        self.assertEqual(len(everybody), 6)
        self.act("node1", "offload", "--all", "--to", "2", "--now")
        self.assertEqual(self.until_at("node2", 6), everybody)
        rows = json.loads(self.act("node2", "show", "subscribers", "--json"))
        self.assertEqual({row["gea"] for row in rows}, {3})
        for address in sorted(everybody)[:2]:
            self.download(address)
        self.act("node1", "drain")
        self.act("node1", "offload", "--stop")
        self.act("node2", "offload", "--phones", "2", "--to", "1", "--now")
        back = self.until_at("node1", 2)
        self.assertEqual(self.until_at("node2", 4) | back, everybody)
        self.download(sorted(back)[0])
        self.check_down(programs)

    def test_eight_nodes(self):
        """Two phones for each by default."""
        said = self.call("up", "--pool", "8").stdout
        self.assertIn("node8", said)
        nodes = json.loads(self.call("status", "--json").stdout)["nodes"]
        self.assertEqual([len(nodes), sum(row["phones"] for row in nodes)], [8, 16])
        self.check_down(self.programs())

    def test_refusals(self):
        acknowledged = ("--pool", "2", "--bss", "osmo-pcu", "--reliability", "2", "--phones", "2")
        for words in (("--pool", "1"), ("--pool", "9"), ("--pool", "two"), ("--pool", "2", "--mobiles", "anna"), acknowledged):
            with self.subTest(words=words):
                self.call("up", *words, status=2)
        for words in (("restart", "node1"), ("allow-attach", "node1", "no")):
            self.assertIn("no lab is up", self.call(*words, status=1).stderr)
        self.call("allow-attach", "node1", "perhaps", status=2)
        self.call("up", "--phones", "1")
        for words in (("restart", "node"), ("allow-attach", "node", "no")):
            self.assertIn("the lab has no pool", self.call(*words, status=1).stderr)
        self.call("down")
        self.call("up", "--pool", "2", "--phones", "1")
        self.assertIn("is no node of the lab: one of", self.call("restart", "node3", status=1).stderr)

    def test_interrupted(self):
        """SIGTERM when the proxy has started."""
        words = [node.program(), "lab", "up", "--name", self.name, "--pool", "2"]
        with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as child:
            lines = []
            for line in child.stderr:
                lines.append(line)
                if "gbproxy: pid" in line:
                    child.send_signal(signal.SIGTERM)
        self.assertEqual(child.returncode, 1, lines)
        self.assertEqual(self.namespaces(), [])
        pids = [int(line.split()[2].rstrip(",")) for line in lines if ": pid " in line]
        self.assertEqual([pid for pid in pids if lab_command.is_running(pid)], [])


class Dashboard(Case):
    def ask_until(self, query, is_right):
        end = time.monotonic() + WAIT_S
        while True:
            with network.inside(f"{self.name}-hlr"):
                found = test_prometheus.ask_at(test_prometheus.PORT, query)
            if found and is_right(found):
                return
            self.assertLess(time.monotonic(), end, (query, found))
            time.sleep(0.2)

    def start_prometheus(self):
        """With the lab's file, and more scrapes."""
        holder = tempfile.TemporaryDirectory(prefix="gbflow-prometheus-")
        self.addCleanup(holder.cleanup)
        text = pathlib.Path(f"/run/{self.name}/{pool.PROMETHEUS}").read_text(encoding="utf-8")
        path = pathlib.Path(holder.name, "prometheus.yml")
        path.write_text(text.replace("5s", "500ms"), encoding="utf-8")
        words = ["ip", "netns", "exec", f"{self.name}-hlr", "prometheus", f"--config.file={path}",
                 f"--storage.tsdb.path={holder.name}/data", f"--web.listen-address=127.0.0.1:{test_prometheus.PORT}"]
        process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def test_all_nodes(self):
        """Each panel about nodes or pools has both nodes, which the dashboard's variable lists by `up`."""
        if not test_metrics.tool("prometheus"):
            self.skipTest("prometheus is missing: package prometheus")
        self.call("up", "--pool", "2", "--phones", "1")
        self.start_prometheus()
        both = {f"10.47.0.1{number}:9469" for number in (1, 2)}
        asked = [query for query in test_prometheus.queries() if "gbflow_node_" in query or test_prometheus.is_of_pool(query)]
        variables = {row["name"]: row for row in test_prometheus.dashboard()["templating"]["list"]}
        listed = re.fullmatch(r"label_values\((.*), instance\)", variables["instance"]["query"]["query"])[1]
        self.assertGreater(len(asked), 5)
        for query in (listed, *asked):
            self.ask_until(query, lambda found: {row["metric"]["instance"] for row in found} == both)
        for query in test_prometheus.queries():
            self.assertEqual(query.count("gbflow_") + query.count("up{"), query.count('instance=~".*"'), query)


GBPROXY = """log stderr
 logging filter all 1
 logging color 0
 logging print category 1
 logging timestamp 0
line vty
 no login
ns
 timer tns-test 3
 timer tns-alive 1
 timer tns-alive-retries 3
 bind udp bss-side
  listen 198.51.100.1 23000
  accept-ipaccess
 bind udp sgsn-side
  listen 198.51.100.1 23100
 nse 201
  nsvc ipa sgsn-side 198.51.100.11 23000 nsvci 201
 nse 202
  nsvc ipa sgsn-side 198.51.100.12 23000 nsvci 202
 nse 203
  nsvc ipa sgsn-side 198.51.100.13 23000 nsvci 203
gbproxy
 nri bitlen 5
 nri null add 0
 pool bvc-flow-control-ratio 33
sgsn nsei 201
 name node1
 nri add 1
sgsn nsei 202
 name node2
 nri add 2
sgsn nsei 203
 name node3
 nri add 3
"""


class Texts(unittest.TestCase):
    """Configurations of a lab, without the lab."""

    def test_osmo_gbproxy(self):
        self.assertEqual(proxy.osmo_text(network.made_of("lab", [], 3, pool=3)), GBPROXY)

    def test_own_proxy(self):
        """It reads its file, which has the same NRIs and addresses."""
        read = config.read(proxy.own_text(network.made_of("lab", [], 3, pool=3), pathlib.Path("/run/lab")))
        self.assertEqual((read.bss_listen, read.sgsn_listen, read.ratio), (("198.51.100.1", 23000), ("198.51.100.1", 23100), 33))
        self.assertEqual((read.pool.bits, set(read.pool.null_nris)), (5, {0}))
        self.assertEqual([(place.member.nsei, place.member.ranges, place.remote) for place in read.places],
                         [(200 + i, [(i, i)], (f"198.51.100.{10 + i}", 23000)) for i in (1, 2, 3)])

    def test_nodes(self):
        """`gbflow check` finds that the nodes of the largest pool fit each other."""
        plan = network.made_of("lab", [], 8, pool=8)
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, text in pool.texts_of(plan):
                path = os.path.join(folder, name)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
                names += [path] if name.endswith(".lua") else []
            self.assertEqual(len(names), 8)
            done = subprocess.run([node.program(), "check", *names], capture_output=True, text=True, check=False, timeout=WAIT_S)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("warning", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
