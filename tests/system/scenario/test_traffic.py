# SPDX-License-Identifier: BSD-3-Clause
"""Each kind of traffic, a row: what it leaves in the text report and in summary.json, over a cell without errors."""
import os
import re
import unittest

import scenario
from scenario import gbflow

TABLE = os.path.join(gbflow.ROOT, "app", "run", "traffic.def")

# kind, which is the mobile's name: its item, what the text report says of it, its list of summary.json, and members of its row there
ROWS = {
    "download": ('octets = "5 kB"', "download: 5000 octets in ", "tcp", {"way": "down", "connection": "download#0", "octets": 5000}),
    "web": ('pages = 1, page = "1 kB", items = 2, item = "500 octets"', "web: 1 pages, 0 unfinished, median ", "pages", {"octets": 2000}),
    "ping": ("count = 3", "ping: 3 of 3 answered, RTT ", "ping", {"sent": 3, "received": 3}),
    "cbr": ('rate = "8 kbit/s", packet = "500 octets", stop = "2 s"', "cbr: 4 of 4 packets arrived", "datagrams", {"way": "down", "sent": 4}),
    "trace": ('file = "packets.csv", way = "up"', "trace: 2 of 2 packets arrived", "datagrams", {"way": "up", "octets": 100 + 200 - 2 * 28}),
    "upload": ('octets = "3 kB"', "upload: 3000 octets in ", "tcp", {"way": "up", "octets": 3000}),
}


class Traffic(scenario.Case):
    def test_kinds(self):
        with open(TABLE, encoding="utf-8") as file:
            self.assertEqual(re.findall(r"(?m)^TRAFFIC\((\w+)", file.read()), list(ROWS))
        self.write("packets.csv", "time_s,octets\n0,100\n1.5,200\n")
        mobiles = ", ".join(f'{{ name = "{kind}", traffic = {{ {{ {kind} = {{ {row[0]} }} }} }} }}' for kind, row in ROWS.items())
        result = self.play_text(scenario.text(cells="pdchs = 8,", mobiles=mobiles))
        users = {kind for kind in ROWS if kind != "ping"}
        self.assertEqual(result.summary["classes"]["background"]["fairness"]["users"], len(users))
        for kind, (_, line, section, members) in ROWS.items():
            with self.subTest(kind=kind):
                self.assertRegex(result.stdout, f"(?m)^{kind:14}  {line}")
                row = next(row for row in result.summary[section] if row["mobile"] == kind)
                self.assertEqual({name: row[name] for name in members}, members)


if __name__ == "__main__":
    unittest.main()
