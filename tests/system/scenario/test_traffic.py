# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of traffic, a row: what it leaves in the text report and in summary.json, over a cell without errors."""
import os
import re
import unittest

import scenario
from scenario import gbflow

TABLE = os.path.join(gbflow.ROOT, "app", "run", "traffic.def")
KINDS = os.path.join(gbflow.ROOT, "lua", "scenario", "traffic.lua")
PROBES = {"ping"}  # kinds that are no users: is_probe of struct app_ops

# kind, which is the mobile's name: its item, what the text report says of it, its list of summary.json, and members of its row there
ROWS = {
    "download": ('octets = "5 kB"', "download: 5000 octets in ", "tcp", {"way": "down", "connection": "download#0", "octets": 5000}),
    "web": ('pages = 1, page = "1 kB", items = 2, item = "500 octets"', "web: 1 pages, 0 unfinished, median ", "pages", {"octets": 2000}),
    "ping": ("count = 3", "ping: 3 of 3 answered, RTT ", "ping", {"sent": 3, "received": 3}),
    "cbr": ('rate = "8 kbit/s", packet = "500 octets", stop = "2 s"', "cbr: 4 of 4 packets arrived", "datagrams", {"way": "down", "sent": 4}),
    "trace": ('file = "packets.csv", way = "up"', "trace: 2 of 2 packets arrived", "datagrams", {"way": "up", "octets": 100 + 200 - 2 * 28}),
    "upload": ('octets = "3 kB"', "upload: 3000 octets in ", "tcp", {"way": "up", "octets": 3000}),
    "request": ('count = 3, every = "2 s"', "request: 3 of 3 answered, 0 repeated, median 0.", "requests", {"sent": 3, "answered_share": 1.0}),
    "script": ('file = "exchanges.csv", again = false', "script: 2 of 2 exchanges done, median ", "scripts", {"begun": 2, "rounds": 1}),
}
TRACE = "time_s,octets\n0,100\n1.5,200\n"
EXCHANGES = "exchange,after,wait_s,connection,request_octets,response_octets\n1,0,0,1,100,500\n2,1,1,1,100,500\n"


def each_kind(case):
    """A scenario with a mobile for each kind, in the folder of a test case."""
    case.write("packets.csv", TRACE)
    case.write("exchanges.csv", EXCHANGES)
    mobiles = ", ".join(f'{{ name = "{kind}", traffic = {{ {{ {kind} = {{ {row[0]} }} }} }} }}' for kind, row in ROWS.items())
    return scenario.text(cells="pdchs = 8,", mobiles=mobiles)


class Traffic(scenario.Case):
    def test_kinds(self):
        with open(TABLE, encoding="utf-8") as file:
            self.assertEqual(re.findall(r"(?m)^TRAFFIC\((\w+)", file.read()), list(ROWS))
        with open(KINDS, encoding="utf-8") as file:
            self.assertEqual(sorted(re.findall(r'(?m)^  \{ name = "(\w+)", noun = ', file.read())), sorted(ROWS))
        result = self.play_text(each_kind(self))
        users = set(ROWS) - PROBES
        fairness = result.summary["classes"]["background"]["fairness"]
        self.assertEqual(fairness["without_load"], len(PROBES))
        self.assertEqual(fairness["users"] + fairness["without_wait"], len(users))
        for kind, (_, line, section, members) in ROWS.items():
            with self.subTest(kind=kind):
                self.assertRegex(result.stdout, f"(?m)^{kind:14}  {line}")
                row = next(row for row in result.summary[section] if row["mobile"] == kind)
                self.assertEqual({name: row[name] for name in members}, members)

    def test_many(self):
        """What a scenario may have at most, 64 items of a mobile, all of one kind, begins and ends, and 2448 downloads of 72
        mobiles do; `check` refuses a 65th."""
        cell = "pdchs = 64, downlink_slots = 8, uplink_slots = 8"
        kinds = {**{kind: row[0] for kind, row in ROWS.items()}, "upload": 'octets = "1 kB"', "download": 'octets = "1 kB"',
                 "web": 'pages = 1, page = "100 octets", items = 15, item = "100 octets", parallel = 16, persistent = false'}
        self.write("packets.csv", TRACE)
        self.write("exchanges.csv", EXCHANGES)
        def mobile(name, kind, count, more=""):
            items = ", ".join(f'{{ {kind} = {{ {kinds[kind]}{more} }} }}' for _ in range(count))
            return f'{{ name = "{name}", class = "thp1", traffic = {{ {items} }} }}'
        for kind, (_, _, section, _) in ROWS.items():
            with self.subTest(kind=kind):
                result = self.play_text(scenario.text(duration="300 s", cells=cell, mobiles=mobile("anna", kind, 64)), "--no-series")
                self.assertEqual(len(result.summary[section]), 64)
                self.assertGreaterEqual(len(re.findall(rf"(?m)^anna {{10}}  {kind}: ", result.stdout)), 64)
                whole = {row.get("octets") for row in result.summary[section]}
                self.assertEqual(whole, {"download": {1000}, "upload": {1000}, "web": {1600}}.get(kind, whole))
        many = ", ".join(mobile(f"m{i}", "download", 34) for i in range(72))
        result = self.play_text(scenario.text(duration="300 s", cells=cell, mobiles=many), "--no-series")
        self.assertEqual([row["octets"] for row in result.summary["tcp"]], [1000] * 2448)
        beyond = gbflow.run("check", self.write("beyond.lua", scenario.text(cells=cell, mobiles=mobile("anna", "ping", 65))))
        self.assertEqual(beyond.status, 2, beyond)
        self.assertIn("mobiles[1].traffic: 65 items are out of range: 1 .. 64 items", beyond.stdout + beyond.stderr)

    def test_requests(self):
        """With a fifth of the packets lost each way, 36 % of requests sent once have no answer, and hardly one of five sendings. The
        warm-up is left out of what is sent and answered, and an answer takes two server delays more."""
        def mobile(name, more):
            return f'{{ name = "{name}", traffic = {{ {{ request = {{ every = "20 s"{more} }} }} }} }}'
        mobiles = ", ".join((mobile("again", ""), mobile("once", ", confirmable = false"), mobile("twice", ", repeats = 1, timeout = '1 s'"),
                             mobile("far", ", server_delay = '2 s'")))
        text = scenario.text(duration="20000 s", cells="pdchs = 8", mobiles=mobiles, rest='warmup = "10000 s",')
        text = text.replace('gn_delay = "1 ms"', 'gn_delay = "1 ms", gn_loss = "20 %"')
        again, once, twice, far = self.play_text(text, "--no-series").summary["requests"]
        lost = 1 - 0.8 ** 2
        for row, share in ((again, 1 - lost ** 5), (once, 1 - lost), (twice, 1 - lost ** 2), (far, 1 - lost ** 5)):
            self.assertAlmostEqual(row["answered_share"], share, delta=0.08)
            self.assertEqual(row["answered"], round(row["answered_share"] * row["sent"]))
        self.assertEqual(once["sent"], 500)
        self.assertTrue(all(400 < row["sent"] <= 500 for row in (again, twice, far)))
        self.assertEqual((once["repeated"], once["given_up"]), (0, 0))
        self.assertGreater(twice["given_up"], again["given_up"])
        self.assertLess(twice["answer_s"]["max"], 1.5 + 1)
        self.assertLess(once["answer_s"]["max"], 2)
        self.assertGreater(again["answer_s"]["p95"], 2)
        self.assertAlmostEqual(far["answer_s"]["p50"], once["answer_s"]["p50"] + 4, delta=0.5)


if __name__ == "__main__":
    unittest.main()
