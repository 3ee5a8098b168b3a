# SPDX-License-Identifier: BSD-3-Clause
"""docker/compose-pool.yaml without containers: each service's program with its addresses in a network namespace, and the commands of
the file's first lines.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import ggsn
import lab
import node
import test_metrics
import test_prometheus
from gbflow_lab import network

FILE = os.path.join(node.ROOT, "docker", "compose-pool.yaml")
WAIT_S = 90
PHONES, BOTH = 6, {"192.0.2.111:9469", "192.0.2.112:9469"}
PROGRAMS = {"gbflow": node.program(), "python3": sys.executable}
# A container has a /run of its own, and its volume.
RUN = 'mount -t tmpfs none /run && mount -t tmpfs none /var/lib && mkdir /var/lib/gbflow && exec "$@"'


def commands():
    """Those behind `exec` in the file's first lines: service and words."""
    with open(FILE, encoding="utf-8") as file:
        return re.findall(r"(?m)^# +docker compose -f \S+ exec (\S+) (.*)$", file.read())


class Stack:
    """The namespaces, with eth0, eth1 ... in the order of priorities, on a bridge for each network."""

    def __init__(self, composed, folder):
        self.prefix, self.folder, self.services, self.programs = f"gbc{os.getpid()}", folder, composed["services"], {}
        for name in (*composed["networks"], *self.services):
            network.run("ip", "netns", "add", self.at(name))
            network.run("ip", "-n", self.at(name), "link", "set", "lo", "up")
        for name in composed["networks"]:
            network.run("ip", "-n", self.at(name), "link", "add", "br0", "type", "bridge")
            network.switch_on(self.at(name), "br0")
        for name, service in self.services.items():
            rows = sorted(service["networks"].items(), key=lambda row: -row[1].get("priority", 0))
            for number, (net, row) in enumerate(rows):
                self.join(name, f"eth{number}", net, row["ipv4_address"])

    def at(self, name):
        return f"{self.prefix}-{name}"

    def join(self, name, interface, net, address):
        far = f"{name}-{interface[3:]}"
        network.run("ip", "link", "add", interface, "netns", self.at(name), "type", "veth", "peer", "name", far, "netns", self.at(net))
        network.switch_on(self.at(name), interface)
        network.switch_on(self.at(net), far)
        network.run("ip", "-n", self.at(net), "link", "set", far, "master", "br0")
        network.give_address(self.at(name), interface, address)

    def mine(self, word):
        if word in PROGRAMS:
            return PROGRAMS[word]
        return word.replace("/tmp/", self.folder + "/").replace("/etc/gbflow/", self.folder + "/")

    def start(self, name):
        service = self.services[name]
        words = ["ip", "netns", "exec", self.at(name), "sh", "-c", RUN, "sh", *map(self.mine, service["entrypoint"])]
        given = dict(service.get("environment", {}))
        if "PYTHONPATH" in given:
            given["PYTHONPATH"] = os.path.join(os.path.dirname(node.program()), os.path.basename(given["PYTHONPATH"]))
        with open(os.path.join(self.folder, f"{name}.log"), "wb") as log:
            self.programs[name] = subprocess.Popen(words, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                                   env={**os.environ, **given}, start_new_session=True)

    def call(self, name, *words):
        inside = ["nsenter", "--target", str(self.programs[name].pid), "--mount", "--net", "--root"]
        return subprocess.run([*inside, *map(self.mine, words)], capture_output=True, text=True, check=False, timeout=WAIT_S)

    def close(self):
        for program in self.programs.values():
            subprocess.run(["kill", "--", f"-{program.pid}"], capture_output=True, check=False)
            try:
                program.wait(20)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait(20)
        for name in network.existing():
            if name.startswith(self.prefix + "-"):
                network.run("ip", "netns", "del", name)


class Pool(unittest.TestCase):
    def setUp(self):
        lab.need(self, ggsn.missing())
        for tool in ("ping", "nsenter"):
            lab.need(self, None if shutil.which(tool) else f"needs the program {tool}")
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("python3-yaml is missing")
        holder = tempfile.TemporaryDirectory(prefix="gbflow-compose-")
        self.addCleanup(holder.cleanup)
        with open(FILE, encoding="utf-8") as file:
            composed = yaml.safe_load(file)
        for part in ("lab", "pool"):
            shutil.copytree(os.path.join(node.ROOT, "docker", part), os.path.join(holder.name, part))
        for name in ("ggsn.sh", "osmo-ggsn.cfg"):
            self.move(os.path.join(holder.name, "lab", name), holder.name)
        self.stack = Stack(composed, holder.name)
        self.addCleanup(self.stack.close)

    @staticmethod
    def move(path, folder):
        """The paths in a file are those of this test."""
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("/tmp", folder).replace("/etc/gbflow", folder))

    def until(self, is_so, what):
        end = time.monotonic() + WAIT_S
        while not is_so():
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.2)

    def count(self, name):
        shown = self.stack.call(name, "gbflow", "show", "subscribers", "--json")
        return sum(row["contexts"] != "-" and row["state"] == "registered" for row in json.loads(shown.stdout or "[]"))

    def test_commands(self):
        for name in self.stack.services:
            if name != "prometheus" or test_metrics.tool("prometheus"):
                self.stack.start(name)
        self.until(lambda: self.count("node1") + self.count("node2") == PHONES, "the phones have no contexts")
        asked = commands()
        self.assertIn(("node1", "gbflow drain"), asked)
        for name, line in asked:
            done = self.stack.call(name, *shlex.split(line))
            self.assertEqual(done.returncode, 0, (line, done.stdout + done.stderr))
        self.assertEqual((self.count("node1"), self.count("node2")), (0, PHONES))
        if "prometheus" in self.stack.programs:
            self.until(self.has_both, "Prometheus has not both nodes")

    def has_both(self):
        with network.inside(self.stack.at("prometheus")):
            found = test_prometheus.ask_at(test_prometheus.PORT, 'up{job="gbflow"} == 1')
        return {row["metric"]["instance"] for row in found or ()} == BOTH


if __name__ == "__main__":
    unittest.main()
