# SPDX-License-Identifier: BSD-3-Clause
"""Debian's Prometheus scrapes a node, and answers every query of the Grafana dashboard with data."""
import http.client
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
import urllib.parse

import node
import test_metrics
import test_walk

CONFIG = os.path.join(node.ROOT, "config", "grafana")
PORT, WAIT_S = 9090, 60
LOAD = (', queues = { mobile = { packets = 5 }, aqm = { scheme = "codel" } }, '
        'sndcp = { compression = { mode = "passive", rfc1144 = { slots = 8 }, v42bis = { codewords = 512 } } }')


def metrics_of_alerts():
    """But for that of the HLR, which this node has not; test_phones reads it."""
    with open(os.path.join(CONFIG, "gbflow.rules.yml"), encoding="utf-8") as file:
        return sorted(set(re.findall(r"gbflow_[a-z_]+(?=[\[{) ])", file.read())) - {"gbflow_hlr_state"})


def dashboard():
    with open(os.path.join(CONFIG, "gbflow.json"), encoding="utf-8") as file:
        return json.load(file)


def queries():
    """Those of all nodes, with data of the last 10 s; test_lab_pool has those of pools."""
    exprs = [target["expr"] for panel in dashboard()["panels"] for target in panel["targets"]]
    return [expr.replace("$__rate_interval", "10s").replace("$instance", ".*") for expr in exprs]


def is_of_pool(query):
    return "gbflow_pool_" in query


def ask_at(port, query):
    """The result of a query to a Prometheus on the loopback interface of this thread's namespace; None: it does not answer yet."""
    try:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        connection.connect()
    except OSError:
        return None
    connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": query}))
    response = connection.getresponse()
    octets = response.read()
    connection.close()
    if response.status == http.HTTPStatus.SERVICE_UNAVAILABLE:
        return None
    answer = json.loads(octets)
    assert answer["status"] == "success", (query, answer)
    return answer["data"]["result"]


class Prometheus(test_walk.Case):
    def scrape(self):
        """Starts Prometheus with the example's configuration, which scrapes twice a second here."""
        holder = tempfile.TemporaryDirectory(prefix="gbflow-prometheus-")
        self.addCleanup(holder.cleanup)
        with open(os.path.join(CONFIG, "prometheus.yml"), encoding="utf-8") as file:
            text = file.read()
        path = os.path.join(holder.name, "prometheus.yml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("5s", "500ms"))
        process = subprocess.Popen(self.lab.command("node", test_metrics.tool("prometheus"), f"--config.file={path}",
                                                    f"--storage.tsdb.path={holder.name}/data", f"--web.listen-address=127.0.0.1:{PORT}"),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

    def ask(self, query):
        with self.lab.inside("node"):
            return ask_at(PORT, query)

    def ask_until(self, query):
        end = time.monotonic() + WAIT_S
        while not self.ask(query):
            self.assertLess(time.monotonic(), end, f"no data: {query}")
            for seed in range(20):
                self.down(300, seed)
            time.sleep(0.2)

    def test_every_query_of_the_dashboard(self):
        if not test_metrics.tool("prometheus"):
            self.skipTest("prometheus is missing: package prometheus")
        self.serve(live_more=", metrics = {}", more=LOAD)
        self.open_ends()
        self.bss.bring_up()
        self.bss.announce(2000, 8000, tag=2)
        self.scrape()
        self.ask_until('up{job="gbflow"} == 1')
        asked = [query for query in queries() if not is_of_pool(query)]
        for query in asked:
            self.ask_until(query)
        print(f"{len(asked)} queries have data")
        for name in metrics_of_alerts():
            self.ask_until(name)
        self.assertEqual(self.ask('scrape_samples_scraped{job="gbflow"} < 50'), [])


if __name__ == "__main__":
    unittest.main()
