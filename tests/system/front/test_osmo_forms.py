# SPDX-License-Identifier: BSD-3-Clause
"""gbflow import-osmo of configurations as osmo-sgsn had them from 2010 on (osmo_forms/): each gives a file, which gbflow check
takes, or whose holes are the given ones and name their lines; with these filled gbflow check takes it."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

GBFLOW = os.environ["GBFLOW"]
FORMS = pathlib.Path(__file__).parent / "osmo_forms"
HOLE = re.compile(r'-- (?P<source>\S+?\.cfg)(:(?P<line>\d+))?: .*; fill in (?P<what>.*)\n *([a-z_]+ = )?"fill in"')
VALUES = {"the node's address on Gb": "10.21.0.1", "the node's address on Gn": "10.20.0.1", "the GGSN's address": "10.20.0.9",
          "the HLR's address": "10.22.0.2", "IMSIs": "001010000000001", "the networks of the BSSs, such as 10.0.0.0/24": "10.21.0.0/24"}

# Of each file the lines of its holes, 0 without one, and keys of the node that it becomes.
ROWS = {
    "2010_first": ([0], ['address = "10.21.0.1"', 'policy = "list"', 'networks = { "0.0.0.0/0" }', "alive_retries = 10"]),
    "2011_accept_all": ([], ['address = "10.21.0.1"', "udp_port = 23023", 'policy = "accept_all"']),
    "2012_nse_lines": ([], ["background = 46", 'networks = { "0.0.0.0/0" }']),
    "2013_list_of_imsis": ([], ['imsis = { "001010000000001", "001010000000002" }']),
    "2014_hlr_gea": ([], ["ciphering = { 3 }", 'hlr = { address = "10.22.0.2", port = 4222 }', 'name = "mms"']),
    "2015_all_addresses": ([4, 9], ["udp_port = 23000"]),
    "2016_dynamic_ggsn": ([3], ['format = "osmo_csv"', 'sgsn_address = "10.20.0.1"']),
    "2017_compression": ([], ["rfc1144 = { slots = 8 }", 'v42bis = { codewords = 512, direction = "both", string = 20 }',
                              'mode = "active"', 't3312 = "600 s"']),
    "2018_no_indentation": ([], ['address = "10.21.0.1"', 't3312 = "1200 s"', 'block = "3 s"']),
    "2019_iu": ([], ['authenticate = "always"', 'every = "60 s"']),
    "2020_closed": ([4], ['policy = "list"']),
    "2021_bind": ([], ['address = "10.21.0.1"', "rfc1144 = {}", 'mode = "passive"']),
    "2022_listen_all": ([7], ["thp1 = 46"]),
    "2022_no_indentation": ([], ['networks = { "10.21.0.5/32" }', "nseis = { first = 1800, last = 1800 }", 'test = "30 s"']),
    "2023_no_hlr": ([0, 6], ["ciphering = { 4, 3 }", 'restart_file = "/var/lib/gbflow/gbflow_restarts"']),
    "2024_ipv6": ([], ['address = "2001:db8:21::1"', 'networks = { "::/0" }', 'ready_timer = "44 s"', 'direction = "uplink"']),
}


def run(*words):
    return subprocess.run([GBFLOW, *words], capture_output=True, text=True, check=False, timeout=60)


class Forms(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(prefix="gbflow-forms-")
        self.addCleanup(holder.cleanup)
        self.path = os.path.join(holder.name, "node.lua")

    def check(self, text):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text)
        return run("check", self.path)

    def test_each_has_a_row(self):
        self.assertEqual(sorted(path.stem for path in FORMS.glob("*.cfg")), sorted(ROWS))

    def test_each_gives_a_file(self):
        for name, (lines, keys) in ROWS.items():
            with self.subTest(name):
                done = run("import-osmo", FORMS / (name + ".cfg"))
                self.assertEqual(done.returncode, 0, done.stderr)
                for key in keys:
                    self.assertIn(key, done.stdout)
                self.assertNotIn("no such line", done.stdout)
                self.check_holes(done, lines)

    def check_holes(self, done, lines):
        """As told in the text and on stderr; gbflow check names each."""
        holes = list(HOLE.finditer(done.stdout))
        self.assertEqual(sorted(int(hole["line"] or 0) for hole in holes), lines, done.stdout)
        self.assertEqual(done.stdout.count('"fill in"'), len(lines))
        self.assertEqual(len(done.stderr.splitlines()), 2 + len(lines) if lines else 1, done.stderr)
        checked = self.check(done.stdout)
        self.assertEqual((checked.returncode, checked.stderr.count("'fill in'")), (2 if lines else 0, len(lines)), checked.stderr)
        filled = self.check(HOLE.sub(lambda hole: hole[0].replace('"fill in"', f'"{VALUES[hole["what"]]}"'), done.stdout))
        self.assertEqual((filled.returncode, filled.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
