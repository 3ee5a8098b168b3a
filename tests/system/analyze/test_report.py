# SPDX-License-Identifier: BSD-3-Clause
"""The whole report, on the screen, in JSON and on the page: each figure has its unit, and of how many it is."""
import dataclasses
import html
import re
import unittest

import packets
import program
from packets import FIN, Capture, Tcp
from world import Flow, Link, World

# Of a share its number of cases, of a mean or quantile its number of samples: a field of the same object.
WHOLES = {"repeated_share": "i_frames", "saved_share": None, "internet": "internet_of", "access": "access_of", "background_fraction": "count",
          "setup_s_mean": "setup_count", "p5": "count", "p25": "count", "p50": "count", "p75": "count", "p95": "count",
          "mean": "count", "median": "count", "deviation": "count"}
UNITS = re.compile(r"(_s|_h|_bps|_octets|_share|_fraction|_s_mean|bar_width|cdf|bars)$")
# What gives parts their unit, or says that they are shares.
PARTS = {"setup_s", "rtt_s", "channel_rate_bps", "throughput_bps", "goodput_bps", "confirm_s", "user_throughput_bps", "loss", "bottleneck", "table_1",
         "table_3"}


def objects(value, path=()):
    """(path, object) of each object of a document."""
    if isinstance(value, dict):
        yield path, value
        for name, inner in value.items():
            yield from objects(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, path)


def text_of(markup):
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", markup))).strip()


@dataclasses.dataclass
class Grid:
    """A table of the page: its caption, the heads, the rows of cells."""

    caption: str
    heads: list
    rows: list

    @classmethod
    def of(cls, markup):
        head, body = markup.split("</thead>")
        caption = re.search(r"<caption>(.*?)</caption>", head, re.S)
        rows = [[text_of(cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", row, re.S)] for row in re.findall(r"<tr>.*?</tr>", body, re.S)]
        return cls(text_of(caption[1]) if caption else "", [text_of(cell) for cell in re.findall(r"<th[ >].*?</th>", head, re.S)], rows)


class Report(program.Case):
    def play(self):
        """A mobile that loads four files, of which some packets are lost on either side, and one that loads one."""
        flows = [Flow(1, 150000, has_sack=True), Flow(2, 20000, start_s=160), Flow(3, 40000, start_s=190), Flow(4, 9000, start_s=191)]
        capture = World(Link(access_loss=0.05, internet_loss=0.02)).run(flows).capture
        found, _ = self.of(capture, "--out", self.path("out"), "--svg")
        return found, self.run_program(self.path("capture.pcap"), *program.SMALL).stdout

    def test_the_screen(self):
        """Each row with a median or a mean has its number of samples, each loss the packets that could be lost."""
        found, said = self.play()
        loss = found["loss"]
        self.assertEqual((loss["internet_of"], loss["access_of"]), (loss["data_packets"] + loss["internet_lost"], loss["data_packets"]))
        self.assertGreater(min(loss["internet_lost"], loss["access_lost"]), 0)
        self.assertIn(f"loss: Internet {loss['internet_lost']} of {loss['internet_of']} data packets ({100 * loss['internet']:.2f} %), "
                      f"access {loss['access_lost']} of {loss['access_of']} ({100 * loss['access']:.2f} %)\n", said)
        setup = found["tree"]["optimal"]
        self.assertRegex(said, r"(?m)^set-up +alone +background +n +mean s$")
        self.assertRegex(said, rf"(?m)^  optimal +\d+ +\d+ +{setup['setup_count']} +{setup['setup_s_mean']:.3f}$")
        self.assertRegex(said, r"(?m)^ +n +p50 +p95$")
        for label, spread, factor in (("access RTT s", found["rtt_s"]["access"], 1), ("access RTT under load s", found["rtt_s"]["access_loaded"], 1),
                                      ("channel rate kbit/s", found["channel_rate_bps"], 1e-3)):
            self.assertRegex(said, rf"(?m)^  {label} +{spread['count']} +{spread['p50'] * factor:.3f} +{spread['p95'] * factor:.3f}$")
        self.assertRegex(said, r"(?m)^mobile +connections +octets down +channel p50 kbit/s +periods$")
        self.assertRegex(said, r"(?m)^single bulk connections +n +mean kbit/s +the paper's kbit/s$")

    def test_json(self):
        found, _ = self.play()
        known = 0
        for path, row in objects(found):
            for name, value in row.items():
                if name in WHOLES and WHOLES[name] and value is not None and path[:1] not in (("bottleneck",), ("table_1",)) and not isinstance(value, dict):
                    known += 1
                    self.assertGreater(row[WHOLES[name]], 0, (path, name))
                if isinstance(value, float) and not value.is_integer():
                    self.assertTrue(UNITS.search(name) or PARTS & set(path), (path, name, value))
        self.assertGreater(known, 60)
        for part in (found["bottleneck"], found["table_1"]):
            self.assertGreater(part["connections"], 0)
        for row in found["mobiles"].values():
            loss = row["loss"]
            for side in ("access", "internet"):
                self.assertAlmostEqual(loss[side], loss[f"{side}_lost"] / loss[f"{side}_of"], 9)

    def check_table(self, grid):
        """A figure with a fraction has a unit in its head or its row's name; medians and shares stand beside a count."""
        for column, head in enumerate(grid.heads):
            cells = [row[column] for row in grid.rows]
            if any(re.fullmatch(r"[\d\s]*\d\.\d+", cell) for cell in cells if column):
                names = [row[0] for row in grid.rows if re.search(r"\d\.\d", row[column])]
                self.assertTrue("(" in head or all("(" in name or UNITS.search(name) for name in names), (grid.caption, head))
        if any(re.search(r"median|p50|mean|goodput|%", head) for head in grid.heads):
            counts = r"samples|periods|of packets|packets with data|of octets"
            self.assertTrue(any(re.search(counts, head) for head in grid.heads) or re.search(r"Of \d|of \d", grid.caption), (grid.caption, grid.heads))

    def test_the_page(self):
        found, _ = self.play()
        loss = found["loss"]
        with open(self.path("out/report.html"), encoding="utf-8") as file:
            page = file.read().replace("\u202f", "")
        tables = [Grid.of(markup) for markup in re.findall(r"<table>.*?</table>", page, re.S)]
        self.assertGreater(len(tables), 6)
        for grid in tables:
            self.check_table(grid)
        short = text_of(re.search(r"<h2>In short</h2>(.*?)</section>", page, re.S)[1])
        for words in (f"half of {found['setup_s']['all']['count']} connections had to wait", f"in half of {found['channel_rate_bps']['count']} periods",
                      f"Of {loss['access_of']} packets with data to mobiles that passed the monitor {loss['access_lost']} were lost behind it",
                      f"of {loss['internet_of']} on their way to it {loss['internet_lost']}"):
            self.assertIn(words, short)
        cards = dict(re.findall(r"<li><b>(.*?)</b><span>(.*?)</span>", page))
        names = " | ".join(cards.values())
        for words in (f"channel rate, median of {found['channel_rate_bps']['count']} period", f"access round trip, median of {found['rtt_s']['access']['count']} set-up",
                      f"lost in the access, of {loss['access_of']} packets", f"lost in the Internet, of {loss['internet_of']} packets"):
            self.assertIn(words, names)
        self.check_figures(found, page)

    def check_figures(self, found, page):
        counts = {"tree": found["tree"]["all"]["count"], "setup": found["setup_s"]["all"]["count"], "rtt": found["rtt_s"]["access"]["count"],
                  "rtt-loaded": found["rtt_s"]["access_loaded"]["count"], "channel-rate": found["channel_rate_bps"]["count"],
                  "bottleneck": found["bottleneck"]["connections"], "throughput": found["single"]["throughput_bps"]["count"],
                  "shares": sum(found["user_throughput_bps"]["own_share"])}
        figures = dict(re.findall(r'<figure id="([\w-]+)">(.*?)</figure>', page, re.S))
        self.assertLessEqual(set(counts), set(figures))
        for name, count in counts.items():
            self.assertRegex(text_of(figures[name]), rf"\b{count}\b", name)

    def test_one_sample_is_told(self):
        """The median of one set-up is that of one: on the page, too."""
        self.of(World(Link()).run([Flow(1, 9000)]).capture, "--out", self.path("out"))
        with open(self.path("out/report.html"), encoding="utf-8") as file:
            page = file.read()
        for words in ("access round trip, median of 1 set-up<", "1 connection had to wait 0."):
            self.assertTrue(words in page, words)

    def test_nothing_lost_of_nothing(self):
        """Without a packet with data there is no share of it."""
        capture = Capture()
        capture.add(1, Tcp(("10.1.0.1", 4000), ("192.0.2.1", 80), packets.SYN))
        found, _ = self.of(capture)
        self.assertEqual((found["loss"]["access"], found["loss"]["access_of"]), (None, 0))
        self.assertIn("loss: Internet 0 of 0 data packets, access 0 of 0\n", self.run_program(self.path("capture.pcap")).stdout)


if __name__ == "__main__":
    unittest.main()
