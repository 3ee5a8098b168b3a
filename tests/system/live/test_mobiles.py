# SPDX-License-Identifier: BSD-3-Clause
"""Tables of mobiles in a running node: read at the start and by a reload, applied with few requests at a time."""
import os
import signal

import node
import test_start

HEADER = "imsi,tlli,bvci,nsapi,sgsn_address,ggsn_address,ggsn_teid,address,class\n"
TEXT = node.TEXT.replace("list = { %(mobiles)s }", 'file = "mobiles.csv"')
MOBILES = 20000
MOST_REQUESTS = 512 + 64  # docs/serve.md, and those of one mobile and of PDUs meanwhile


def row(number, qclass="thp2"):
    return (f"26242{number:010d},0x{0xC0000000 + number:X},1800,5,192.0.2.1,192.0.2.2,{number + 1},"
            f"10.1.{number >> 8}.{number & 255},{qclass}\n")


def table(*rows):
    return {"mobiles.csv": HEADER + "".join(rows)}


class Table(test_start.Case):
    def reload(self, running, rows, pattern, header=HEADER):
        self.begin(running, rows, header)
        return running.wait_for(pattern, start=self.seen)

    def begin(self, running, rows, header=HEADER):
        self.seen = len(running.lines)
        with open(os.path.join(running.holder.name, "mobiles.csv"), "w", encoding="ascii") as file:
            file.write(header + "".join(rows))
        running.process.send_signal(signal.SIGHUP)

    def numbers(self, running):
        return sorted(int(line["imsi"][-4:]) for line in running.show("ms"))

    def test_mobiles_come_change_and_go(self):
        running = self.serve(text=TEXT, files=table(row(1), row(2), row(3)), **test_start.RING)
        self.assertEqual(self.numbers(running), [1, 2, 3])
        self.reload(running, [row(3), row(1)], "reload: 1 mobile removed; nothing else changed")
        self.assertEqual(self.numbers(running), [1, 3])
        self.reload(running, [row(3, "thp1"), row(1), row(4)], "reload: 2 mobiles added, 1 mobile removed; nothing else changed")
        self.assertEqual(self.numbers(running), [1, 3, 4])
        self.assertEqual(sorted(line["class"] for line in running.show("pdp")), ["thp1", "thp2", "thp2"])
        self.reload(running, [row(1), "x\n"], "reload: rejected")
        running.wait_for(r"mobiles\.csv:3:1: 1 fields; the header has 9")
        self.reload(running, map(row, range(17)), "reload: rejected")
        running.wait_for(r"mobiles\.csv:18:1: more mobiles than limits\.mobiles \(16\)")
        self.assertEqual(self.numbers(running), [1, 3, 4])
        self.assertEqual(running.stop(), 0)

    def test_acknowledged_mode(self):
        """As many links as the table's contexts need; a reload may move them, and take none more."""
        modes = lambda *words: [row(i, f"thp2,{word}") for i, word in enumerate(words)]  # noqa: E731
        header = HEADER.replace("class", "class,llc")
        files = {"mobiles.csv": header + "".join(modes("acknowledged", "", "acknowledged"))}
        running = self.serve(text=TEXT, files=files, **test_start.RING)
        self.assertEqual([line["links"] for line in running.show("ms")], [1, 0, 1])
        self.assertEqual([(line["links"], line["links_free"]) for line in running.show("acknowledged")], [(2, 0)])
        self.reload(running, modes("acknowledged", "acknowledged", ""), "reload: 2 mobiles added, 2 mobiles removed; nothing else changed", header)
        self.assertEqual(sorted(line["imsi"][-1] + str(line["links"]) for line in running.show("ms")), ["01", "11", "20"])
        self.reload(running, modes("acknowledged", "acknowledged", "acknowledged"), "reload: rejected", header)
        running.wait_for(r"mobiles\.csv: 3 contexts in acknowledged mode need more links than the 2 of the start")
        self.assertEqual(running.show("control")[0]["refused"], 0)
        self.assertEqual(running.stop(), 0)

    def test_few_requests_wait_during_a_reload(self):
        running = self.serve(text=TEXT, files=table(row(0)), limit=MOBILES, **test_start.RING)
        self.begin(running, map(row, range(MOBILES)))
        most = samples = 0
        while not any("reload: " in line for line in running.lines[self.seen:]):
            most, samples = max(most, running.show("control")[0]["unanswered"]), samples + 1
        running.wait_for(f"reload: {MOBILES - 1} mobiles added; nothing else changed", start=self.seen)
        self.assertGreater(samples, 0)
        self.assertLessEqual(most, MOST_REQUESTS)
        self.reload(running, [row(7)], f"reload: {MOBILES - 1} mobiles removed; nothing else changed")
        self.assertEqual(self.numbers(running), [7])
        self.assertEqual(running.show("control")[0]["refused"], 0)
        self.assertEqual(running.stop(), 0)
