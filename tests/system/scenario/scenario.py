# SPDX-License-Identifier: BSD-3-Clause
"""Plays scenarios, shipped ones and ones made here, and checks what must hold in every run of any scenario."""
import csv
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "replay"))

import gbflow  # noqa: E402  pylint: disable=wrong-import-position
from gb_oracle import capture, gtp  # noqa: E402  pylint: disable=wrong-import-position

SCENARIOS = os.path.join(gbflow.ROOT, "config", "scenarios")
# Of gbflow reproduce, which is tested with Snakemake elsewhere.
LOCAL = ("--spread", "local", "--scenarios", SCENARIOS)
SHIPPED = ("quickstart", "gprs-buffering", "two-cells")
SGSN = "10.98.0.2"
GI_HEADER, GN_HEADERS = 14, 14 + 20 + 8 + 8
BLOCK_S = 0.02


def shipped(name):
    """Path of a shipped scenario."""
    return os.path.join(SCENARIOS, name + ".lua")


def text(*, duration="60 s", sgsn="", cells="", mobiles="", rest=""):
    """A small scenario: one cell, bvci 2, CS-2, a mobile's LLC frame takes a whole packet, no delay before Gn."""
    return f"""return {{
  title = "test", duration = "{duration}",
  network = {{ server_delay = "0 s", gn_delay = "1 ms", gb_delay = "1 ms" }},
  sgsn = {{ n201_u = "1520 octets", queue_limit = "1 MB", {sgsn} }},
  cells = {{ {{ bvci = 2, coding = "CS-2", {cells} }} }},
  mobiles = {{ {mobiles} }},
  {rest}
}}
"""


def lines_of(result, name):
    """(time_s, of, value) of one series, as numbers and text."""
    with open(os.path.join(result.out, "series.csv"), encoding="utf-8", newline="") as file:
        return [(float(row["time_s"]), row["of"], float(row["value"])) for row in csv.DictReader(file) if row["name"] == name]


def frames(result, link):
    """Octets of the frames of DIR/link.pcapng."""
    return [frame.octets for frame in capture.read(os.path.join(result.out, link + ".pcapng"))]


def downlink_tpdus(result):
    """The IP packets of the G-PDUs that reached the SGSN from Gn."""
    packets = []
    for octets in frames(result, "gn"):
        if octets[30:34] == bytes(int(part) for part in SGSN.split(".")):
            message = gtp.decode(octets[14 + 20 + 8:])
            packets.append(message.body)
    return packets


class Case(gbflow.Case):
    """Plays into folders of its own; each summary must agree with itself."""

    def play(self, path, *words, name="run"):
        """Runs a scenario without report; result.out is the folder, result.summary what it wrote."""
        result = gbflow.run("run", path, "--out", self.path(name), "--no-report", *words)
        result.out = self.path(name)
        self.assertEqual(result.status, 0, result)
        self.assertNotIn("defect", result.stderr)
        result.summary = gbflow.read_json(os.path.join(result.out, "summary.json"))
        self.check_sums(result.summary)
        return result

    def play_text(self, scenario, *words, name="run"):
        return self.play(self.write(name + ".lua", scenario), *words, name=name)

    def check_sums(self, summary):
        """What must agree in every summary."""
        sgsn, bss = summary["conservation"]["sgsn"], summary["conservation"]["bss"]
        for node in (sgsn, bss):
            self.assertEqual(node["in"], node["out"] + node["dropped"] + node["queued"], node)
        for rows in (summary["classes"].values(), summary["mobiles"]):
            self.assertEqual(sum(row["npdu_in"] for row in rows), sgsn["in"])
            self.assertEqual(sum(row["npdu_out"] for row in rows), sgsn["out"])
            self.assertEqual(sum(sum(row["drops"].values()) for row in rows), sgsn["dropped"])
        self.assertEqual(sum(sum(cell["drops"].values()) for cell in summary["cells"].values()), bss["dropped"])
        self.assertEqual({row["mobile"] for row in summary["tcp"] + summary["pages"] + summary["ping"]}
                         - {row["mobile"] for row in summary["mobiles"]}, set())

    def judge(self, result, *words, minimum, rules):  # pylint: disable=arguments-differ
        """The oracle finds no fault in the run's captures, and examines as many things as minimum says."""
        least = [word for name, count in minimum.items() for word in ("--min", f"{name}={count}")]
        gb_path, gn_path = (os.path.join(result.out, name + ".pcapng") for name in ("gb", "gn"))
        return self._judged("gb_oracle", "--gb", gb_path, "--gn", gn_path, "--sgsn-gn", SGSN, "--n201-u", "1520",
                            "--rules", rules, *least, *words)

    def tshark(self, result, npdus):
        result.gb = os.path.join(result.out, "gb.pcapng")
        return self.judge_by_tshark(result, npdus)
