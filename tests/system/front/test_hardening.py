# SPDX-License-Identifier: BSD-3-Clause
"""What protects the built program (docs/building.md, "Hardening"), as readelf says, and the libraries that a node in service has."""
import json
import os
import pathlib
import re
import subprocess
import unittest

PROGRAM, BUILD = os.environ["GBFLOW"], pathlib.Path(os.environ["BUILD"])
# Libraries that only some commands use: those load them.
LATE = ("capstone",)


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True, check=True, timeout=60).stdout


def option(name):
    options = json.loads((BUILD / "meson-info" / "intro-buildoptions.json").read_text(encoding="utf-8"))
    return next(row["value"] for row in options if row["name"] == name)


class Hardening(unittest.TestCase):
    def test_tables_of_addresses_are_read_only(self):
        self.assertRegex(readelf(PROGRAM, "-d"), r"BIND_NOW")
        self.assertIn("GNU_RELRO", readelf(PROGRAM, "-l"))

    def test_place_is_chance_and_stack_is_no_code(self):
        self.assertRegex(readelf(PROGRAM, "-h"), r"Type:\s+DYN")
        self.assertRegex(readelf(PROGRAM, "-l"), r"GNU_STACK\s.*\sRW\s")

    def test_late_libraries(self):
        needed = re.findall(r"\(NEEDED\).*\[(.+)\]", readelf(PROGRAM, "-d"))
        self.assertIn("libc.so.6", needed)
        for name in LATE:
            self.assertEqual([library for library in needed if name in library], [])

    def test_checks_of_the_compiler(self):
        if not option("b_pie") or option("b_sanitize") != "none" or option("optimization") in ("0", "plain"):
            self.skipTest("a build without them")
        symbols = readelf(PROGRAM, "--dyn-syms")
        for name in ("__stack_chk_fail", "__memcpy_chk", "__snprintf_chk", "__fprintf_chk"):
            self.assertIn(f" {name}@", symbols)


if __name__ == "__main__":
    unittest.main()
