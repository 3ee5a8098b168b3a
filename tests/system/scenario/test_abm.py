# SPDX-License-Identifier: BSD-3-Clause
"""LLC's acknowledged mode between the SGSN and mobiles of scenarios, over cells that lose LLC-PDUs: all arrives."""
import os
import unittest

import scenario
from scenario import gbflow

OCTETS = 200000
BOUNDS = '{ n201_i = "140 octets", n200 = 15, t200 = "2 s", k_down = 64, k_up = 32 }'
KC = 'ciphering = { algorithm = "%s", kc = "%s" },'
KEYS = {"clear": "", "gea3": KC % ("gea3", "2bd6459f82c5bc00"), "gea4": KC % ("gea4", "d3c5d592327fb11c4035c6680af8c6d1")}
LOSSY = 'pdchs = 4, rlc = "unacknowledged", bler = "10 %",'
# Key of both sides, traffic, a value that binds and one that does not; the figure, and 1 if the first has more of it, -1 if less.
SIDES = ("sgsn", "mobiles[1]")
BOTH = [
    ("n201_i", "download", "140 octets", "400 octets", "frames", 1),
    ("k_down", "download", "1", "64", "octets", -1),
    ("k_up", "upload", "1", "32", "octets", -1),
    ("m_down", "download", "10", "0", "octets", -1),
    ("m_up", "upload", "10", "0", "octets", -1),
    ("t200", "download", "20 s", "2 s", "octets", -1),
    ("n200", "download", "15", "1", "failed", -1),
]


def mobile(name, traffic, *, is_acknowledged=True, ciphering=""):
    mode = f'llc = "acknowledged", acknowledged = {BOUNDS},' if is_acknowledged else ""
    return f'{{ name = "{name}", {mode} {ciphering} traffic = {{ {traffic} }} }},'


def transfer(kind):
    return f'{{ {kind} = {{ octets = "{OCTETS} octets", start = "1 s" }} }}'


def text(mobiles, *, cells=LOSSY, duration="120 s", rest=""):
    """A block of MCS-9 holds an I frame of BOUNDS, and two that an LLC-PDU of 1500 octets does not get through 10 % BLER."""
    flow = 'flow_control = { ms_default = { bucket = "12 kB", rate = "80 kbit/s" } }'
    return scenario.text(duration=duration, cells=f"{cells} {flow}", mobiles=mobiles,
                         sgsn=f'acknowledged = {BOUNDS}, lifetime = {{ sgsn_max = "infinite" }}', rest=rest
                         ).replace('coding = "CS-2"', 'coding = "MCS-9"')


def llc_controls(frame):
    """The first octet of the control field of the LLC-PDU of a frame on Gb; None: another PDU."""
    ns = frame[14 + 20 + 8:]
    if len(ns) < 12 or ns[0] != 0 or ns[4] > 1:
        return None
    at = 4 + 8
    while at < len(ns):
        size = ns[at + 1] & 0x7f if ns[at + 1] & 0x80 else int.from_bytes(ns[at + 1:at + 3], "big") & 0x7fff
        body = at + (2 if ns[at + 1] & 0x80 else 3)
        if ns[at] == 0x0e:
            return ns[body + 1]
        at = body + size
    return None


class Acknowledged(scenario.Case):
    def play_one(self, kind, key, *words):
        result = self.play_text(text(mobile("anna", transfer(kind), ciphering=KEYS[key])), *words, name=f"{kind}-{key}")
        tcp, llc, phone = (result.summary["tcp"][0], result.summary["acknowledged"][0], result.summary["acknowledged_mobiles"])
        self.assertEqual(tcp["octets"], OCTETS)
        self.assertGreater(result.summary["cells"]["2"]["drops"]["rlc"], 50 if kind == "download" else 0)
        self.assertEqual(result.summary["cells"]["2"]["blocks"]["down"]["repeated"], 0)
        self.assertEqual(llc["established"], phone["established"])
        self.assertEqual(phone["abandoned"] + llc["abandoned"], 0)
        drops = result.summary["llc"]["drops"]
        self.assertEqual(drops["llc_fcs"] + drops["llc_decipher"], 0)
        self.assertGreaterEqual(drops["llc_abm"], llc["uplink_again"])
        return llc, phone

    def test_downloads(self):
        for key in KEYS:
            llc, phone = self.play_one("download", key)
            self.assertGreater(llc["repeated"], 50, key)
            self.assertGreater(phone["received"], OCTETS / 140, key)

    def test_uploads(self):
        for key in KEYS:
            _, phone = self.play_one("upload", key)
            self.assertGreater(phone["repeated"], 50, key)
            self.assertGreater(phone["i_frames"], OCTETS / 140, key)

    def test_without(self):
        """The same cell in unacknowledged mode: most of a download is still missing at the end."""
        result = self.play_text(text(mobile("anna", transfer("download"), is_acknowledged=False)))
        self.assertLess(result.summary["tcp"][0]["octets"], OCTETS / 4)
        self.assertNotIn("acknowledged", result.summary)

    def test_equal_seeds(self):
        files = ("summary.json", "gb.pcapng", "gi.pcapng", "series.csv")
        octets = []
        for name, seed in (("one", "5"), ("two", "5"), ("three", "6")):
            result = self.play_text(text(mobile("anna", transfer("download"), ciphering=KEYS["gea3"])), "--pcap", "--seed", seed,
                                    name=name)
            read = {}
            for file in files:
                with open(os.path.join(result.out, file), "rb") as stream:
                    read[file] = stream.read().replace(name.encode() + b".lua", b"")
            octets.append(read)
        self.assertEqual(octets[0], octets[1])
        self.assertNotEqual(octets[0]["gb.pcapng"], octets[2]["gb.pcapng"])

    def test_frames_on_gb(self):
        """Users' packets of anna go in I frames, those of bert in UI frames."""
        mobiles = mobile("anna", transfer("download")) + mobile("bert", "{ ping = {} }", is_acknowledged=False)
        result = self.play_text(text(mobiles, duration="60 s"), "--pcap=gb")
        controls = [llc_controls(frame) for frame in scenario.frames(result, "gb")]
        kinds = [None if control is None else "I" if control < 0x80 else "S" if control < 0xc0 else "UI" if control < 0xe0
                 else "U" for control in controls]
        self.assertGreater(kinds.count("I"), OCTETS / 140)
        self.assertGreater(kinds.count("S"), 10)
        self.assertGreaterEqual(kinds.count("U"), 2)
        self.assertIn(kinds.count("UI"), range(30, 130))

    def test_rlc_repeats(self):
        """Where RLC loses nothing, LLC repeats nothing, and waits for no time-out."""
        result = self.play_text(text(mobile("anna", transfer("download")), cells='pdchs = 4, bler = "10 %",'))
        llc = result.summary["acknowledged"][0]
        self.assertEqual(result.summary["tcp"][0]["octets"], OCTETS)
        self.assertEqual((llc["repeated"], result.summary["acknowledged_mobiles"]["repeated"], llc["failed"]), (0, 0, 0))
        self.assertEqual(result.summary["cells"]["2"]["drops"]["rlc"], 0)

    def test_moves(self):
        """Cell changes in the middle of a transfer, within the routeing area and out of it; in clear, as the frame by which a
        mobile of scenarios tells of its new cell is never ciphered."""
        cells = f'{LOSSY} }}, {{ bvci = 3, coding = "CS-2", {LOSSY} }}, {{ bvci = 4, coding = "CS-2", routing_area = 2, {LOSSY}'
        moves = ", ".join(f'{{ at = "{at} s", mobile = "anna", cell = {cell}, gap = "200 ms" }}'
                          for at, cell in ((4, 3), (7, 4), (10, 2)))
        result = self.play_text(text(mobile("anna", transfer("download")), cells=cells,
                                     rest=f"moves = {{ {moves} }},"))
        self.assertEqual(result.summary["tcp"][0]["octets"], OCTETS)
        self.assertEqual(result.summary["acknowledged"][0]["abandoned"], 0)

    def figures(self, kind, settings, mobiles=1, duration="30 s"):
        traffic = f'{{ {kind} = {{ octets = "infinite", start = "1 s" }} }}'
        words = [word for setting in settings for word in ("--set", setting)]
        names = [f"anna{i}" for i in range(mobiles)]
        summary = self.play_text(text("".join(mobile(name, traffic) for name in names), duration=duration), *words).summary
        return summary["acknowledged"][0] | {"octets": sum(row["octets"] for row in summary["tcp"])}

    def test_each_key_matters(self):
        """Of each side on its own: sizes and windows are the least of both sides, T200 and N200 the greatest."""
        for key, kind, first, second, figure, sign in BOTH:
            for side, other in (SIDES, SIDES[::-1]):
                with self.subTest(key=key, side=side):
                    one, two = (self.figures(kind, [f"{other}.acknowledged.{key}={second}", f"{side}.acknowledged.{key}={value}"])[figure]
                                for value in (first, second))
                    print(f"{side + ' ' + key:20} {figure:8} {one:8} {two:8}")
                    self.assertGreater(sign * (one - two), 0)

    def test_limits(self):
        """Room for links, which must suffice; segments that wait for their confirmation."""
        self.assertEqual(self.figures("download", ["sgsn.acknowledged.links=3"])["links"], 3)
        path = self.write("two.lua", text(mobile("anna", "{ ping = {} }") + mobile("bert", "{ ping = {} }"), duration="10 s"))
        result = gbflow.run("run", path, "--set", "sgsn.acknowledged.links=1", "--out", self.path("two"))
        self.assertEqual(result.status, 2, result)
        self.assertIn("1 is less than the 2 mobiles in acknowledged mode", result.stderr)
        few, many = (self.figures("download", [f"sgsn.acknowledged.buffers={buffers}"], mobiles=4) for buffers in (8, 1000))
        self.assertLessEqual(few["unconfirmed"], 8 + 4)  # and one frame of each link
        self.assertGreater(many["unconfirmed"], 40)
        self.assertLess(few["octets"], many["octets"])

    def test_packet_is_refused(self):
        path = self.write("p.lua", text(mobile("anna", "{ ping = {} }"), duration="10 s"))
        result = gbflow.run("run", path, "--out", self.path("p"), "--no-report", "--packet=anna:1")
        self.assertEqual(result.status, 2, result)
        self.assertIn("LLC of 'anna' is in acknowledged mode", result.stderr)


if __name__ == "__main__":
    unittest.main()
