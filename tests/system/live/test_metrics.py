# SPDX-License-Identifier: BSD-3-Clause
"""Metrics over HTTP: promtool takes them, requests that no client should send do no harm, health and readiness."""
import http.client
import os
import re
import shutil
import socket
import subprocess
import time
import unittest

import node
import test_walk

PORT = 9469
MOBILE = 'imsi="262420000000001"'
OPEN = "application/openmetrics-text; version=1.0.0"
SAMPLE = re.compile(r'^((?:gbflow|process)_[a-z0-9_]+)(\{[^{}]*\})? (\S+)$')


def tool(name):
    """A program of the package prometheus; None, with a printed reason: it is not installed."""
    path = shutil.which(name)
    if not path and os.environ.get("CI") == "true":
        raise AssertionError(f"{name} is missing: package prometheus")
    return path


def samples(text):
    """{(name, labels): value}; a line that is no sample and no comment is an error."""
    found = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels, value = SAMPLE.match(line).groups()
            assert (name, labels) not in found, line
            found[name, labels] = float(value)
    return found


class Metrics(test_walk.Case):
    def start(self, more="", **values):
        self.serve(live_more=f", metrics = {{ {more} }}", **values)

    def connect(self):
        with self.lab.inside("node"):
            connection = http.client.HTTPConnection("127.0.0.1", PORT, timeout=60)
            connection.connect()
        self.addCleanup(connection.close)
        return connection

    def get(self, path, method="GET", **headers):
        connection = self.connect()
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode(), answer.headers["Content-Type"]

    def get_at_last(self, path):
        """Again until the server has seen that other connections have been closed."""
        end = time.monotonic() + 60
        while True:
            try:
                return self.get(path)
            except ConnectionError:
                self.assertLess(time.monotonic(), end)
                time.sleep(0.05)

    def metrics(self):
        status, text, kind = self.get("/metrics")
        self.assertEqual((status, kind), (200, "text/plain; version=0.0.4; charset=utf-8"))
        return text

    def test_values_and_promtool(self):
        self.start("mobiles = 1")
        self.assertEqual(self.get("/readyz")[0], 503)
        self.open_ends()
        self.bss.bring_up()
        self.assertEqual(self.get("/readyz")[:2], (200, "ready\n"))
        self.assertEqual(self.get("/healthz")[:2], (200, "ok\n"))
        self.check_down(400)
        self.ggsn.sendto(test_walk.g_pdu(0x9999, test_walk.ipv4_packet("192.0.2.99", node.ADDRESS, 100)), (test_walk.lab.GN_SGSN, test_walk.GTPU))
        self.node.show_until("drops", lambda rows: any(row["reason"] == "unknown_teid" for row in rows))
        text = self.metrics()
        found = samples(text)
        cell = 'nsei="101",bvci="1800"'
        self.assertEqual(found["gbflow_cell_class_in_total", f'{{{cell},class="background"}}'], 1)
        self.assertEqual(found["gbflow_cell_class_out_octets_total", f'{{{cell},class="background"}}'], 400)
        self.assertEqual(found["gbflow_drops_total", '{side="gn",of="npdu",reason="unknown_teid"}'], 1)
        self.assertEqual(found["gbflow_cell_rate_octets_per_second", f"{{{cell}}}"], 10000)
        self.assertEqual(found["gbflow_cell_usable", f'{{{cell},usable="yes"}}'], 1)
        self.assertEqual(found["gbflow_node_npdu_in_total", None], 2)
        self.assertEqual(found["gbflow_mobile_sent_total", f"{{{MOBILE}}}"], 1)
        self.assertEqual(found["gbflow_mobile_tlli", f'{{{MOBILE},tlli="c0000001"}}'], 1)
        labels = {labels for name, labels in found if name.startswith("gbflow_mobile_") and "tlli=" in labels}
        self.assertEqual(labels, {f'{{{MOBILE},tlli="c0000001"}}'})
        self.assertIn("gbflow_node_uptime_seconds", text)
        self.assertLess(abs(time.time() - found["process_start_time_seconds", None]), 600)
        self.assertRegex(text, r'(?m)^gbflow_build_info\{version="[0-9.+]+",commit="[0-9a-z-]+",dpdk="[0-9.]+"\} 1$')
        self.check_with_promtool(text)

    def check_with_promtool(self, text):
        promtool = tool("promtool")
        if not promtool:
            self.skipTest("promtool is missing: package prometheus")
        done = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), done.stderr)

    def test_the_server_has_no_rights(self):
        self.start()
        folder = f"/proc/{self.node.process.pid}/task"
        threads = sorted(os.listdir(folder))
        self.assertIn("metrics", {self.name_of(folder, thread) for thread in threads})
        if any("no seccomp filter" in line for line in self.node.lines):
            print("a build with AddressSanitizer has no filter, and its threads keep capabilities")
            return
        for thread in threads:
            with open(f"{folder}/{thread}/status", encoding="utf-8") as file:
                status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
            found = [status[key] for key in ("CapEff", "CapPrm", "NoNewPrivs", "Seccomp")]
            self.assertEqual(found, ["0" * 16, "0" * 16, "1", "2"], status["Name"])

    @staticmethod
    def name_of(folder, thread):
        with open(f"{folder}/{thread}/comm", encoding="utf-8") as file:
            return file.read().strip()

    def test_openmetrics(self):
        self.start()
        status, text, kind = self.get("/metrics", Accept=OPEN)
        self.assertEqual((status, kind), (200, OPEN + "; charset=utf-8"))
        self.assertTrue(text.endswith("# EOF\n"))
        self.assertIn("# TYPE gbflow_node_npdu_in counter\ngbflow_node_npdu_in_total 0\n", text)
        self.assertNotIn("imsi=", text)
        self.assertIn("# TYPE gbflow_build info\ngbflow_build_info{", text)

    def test_absolute_targets(self):
        """RFC 9112 3.2.2."""
        self.start()
        rows = [("http://127.0.0.1:9469/metrics", 200), ("HTTP://[::1]/healthz", 200), ("http://127.0.0.1:9469", 404), ("http://", 404),
                ("http:///metrics", 200), ("https://127.0.0.1/metrics", 404), ("ftp://x/metrics", 404), ("http://x/http://x/metrics", 404)]
        for target, status in rows:
            answer = self.send(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:9469\r\n\r\n".encode())
            self.assertTrue(answer.startswith(f"HTTP/1.1 {status} ".encode()), (target, answer[:100]))

    def send(self, octets, timeout_s=15):
        """What comes back for octets that may be no request; b"" if the server closes."""
        with self.lab.inside("node"), socket.create_connection(("127.0.0.1", PORT), timeout=timeout_s) as sock:
            try:
                sock.sendall(octets)
                return sock.recv(4096)
            except ConnectionError:
                return b""

    def test_hostile_requests(self):
        rows = [(b"\x00\xff" * 40 + b"\r\n\r\n", None), (b"GET /metrics HTTP/9.9\r\n\r\n", None), (b"GET\r\n\r\n", None),
                (b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", None),
                (b"GET /metrics HTTP/1.1\r\n" + b"X: y\r\n" * 20000 + b"\r\n", None),
                (b"POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n" + b"z" * 100000, b"405"),
                (b"DELETE /healthz HTTP/1.1\r\nHost: a\r\n\r\n", b"405"),
                (b"GET /../../etc/passwd HTTP/1.1\r\nHost: a\r\n\r\n", b"404"),
                (b"GET /metrics%00 HTTP/1.1\r\nHost: a\r\n\r\n", None)]
        self.start()
        for octets, status in rows:
            with self.subTest(octets[:40]):
                answer = self.send(octets)
                self.assertNotIn(b"root:", answer)
                if status:
                    self.assertIn(status, answer.split(b"\r\n", 1)[0])
                self.assertEqual(self.get("/healthz")[0], 200)
        self.assertEqual(self.node.stop(), 0)

    def test_connections_are_limited(self):
        """Connections that send half a request and wait: 8 of an address stay, further ones are closed, and end with the node."""
        self.start()
        held = []
        with self.lab.inside("node"):
            for _ in range(40):
                sock = socket.create_connection(("127.0.0.1", PORT), timeout=60)
                self.addCleanup(sock.close)
                sock.sendall(b"GET /met")
                held.append(sock)
        closed = 0
        for sock in held:
            sock.settimeout(0.05)
            try:
                closed += sock.recv(1) == b""
            except ConnectionError:
                closed += 1
            except socket.timeout:
                pass
        self.assertEqual(closed, 32)
        for sock in held:
            sock.close()
        self.assertEqual(self.get_at_last("/healthz")[0], 200)
        self.assertEqual(self.node.stop(), 0)

    def hold(self, address, octets):
        """A connection from an address of 127/8 that sends these octets, and no more by itself."""
        with self.lab.inside("node"):
            sock = socket.create_connection(("127.0.0.1", PORT), timeout=60, source_address=(address, 0))
        self.addCleanup(sock.close)
        sock.sendall(octets)
        return sock

    def is_closed(self, sock):
        sock.settimeout(0.01)
        try:
            return sock.recv(1) == b""
        except ConnectionError:
            return True
        except socket.timeout:
            return False

    def drip_until_closed(self, held):
        """Sends an octet on each now and then, until the server has closed them all."""
        end = time.monotonic() + 60
        while held:
            self.assertLess(time.monotonic(), end)
            held = self.drip(held)
            time.sleep(0.2)

    def drip(self, held):
        left = []
        for sock in held:
            try:
                sock.sendall(b"a")
                left += [] if self.is_closed(sock) else [sock]
            except ConnectionError:
                pass
        return left

    def test_slow_clients_lose_their_places(self):
        """All places are held by clients that send an octet now and then: others are served, and the slow ones closed."""
        self.start()
        held = [self.hold(f"127.0.1.{1 + number // 8}", b"GET /met") for number in range(64)]
        self.assertEqual(self.get("/healthz")[0], 200)
        self.drip_until_closed(held)
        self.assertEqual(self.get("/metrics")[0], 200)

    def test_one_slow_client_is_closed(self):
        """One that makes progress all the time, with no other about."""
        self.start()
        held = [self.hold("127.0.0.1", b"GET /met")]
        self.assertEqual(self.get("/healthz")[0], 200)
        self.drip_until_closed(held)
        self.assertEqual(self.node.stop(), 0)

    def test_a_port_in_use(self):
        with self.lab.inside("node"):
            taken = socket.create_server(("127.0.0.1", PORT))
        self.addCleanup(taken.close)
        one = node.Node(self.lab, live_more=", metrics = {}")
        self.addCleanup(one.kill)
        one.wait_for("live.metrics: cannot listen at 127.0.0.1, TCP port 9469: Address already in use")
        self.assertEqual(one.finish(), 1)


if __name__ == "__main__":
    unittest.main()
