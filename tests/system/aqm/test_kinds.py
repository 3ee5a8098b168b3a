# SPDX-License-Identifier: BSD-3-Clause
"""Parameters of each kind that docs/aqm.md lists, of a scheme in C and of one in Lua: shown, set in their range, refused beyond
it, and read from a configuration."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", part) for part in ("scenario", "replay")]

import scenario  # noqa: E402  pylint: disable=wrong-import-position
from scenario import gbflow  # noqa: E402  pylint: disable=wrong-import-position

ROOT = pathlib.Path(gbflow.ROOT)

# of a kind: enumerator, bounds and default in C; the same in Lua; values in range; values refused, with the message
KINDS = {
    "octets": ("AQM_OCTETS, 1000, 50000, 10000, NULL", 'min = "1 kB", max = "50 kB", default = "10 kB"', ("1 kB", "50 kB"),
               (("51 kB", "is out of range: 1 kB .. 50 kB"), ("7", "needs a unit"))),
    "integer": ("AQM_PACKETS, 1, 9, 3, NULL", "min = 1, max = 9, default = 3", ("1", "9"),
                (("0", "0 is out of range: 1 .. 9"), ("10", "10 is out of range: 1 .. 9"), ("2.5", "a whole number"))),
    "duration": ("AQM_DURATION, 1000000, 1000000000, 5000000, NULL", 'min = "1 ms", max = "1 s", default = "5 ms"',
                 ("1 ms", "1 s"), (("2 s", "is out of range: 1 ms .. 1 s"), ("infinite", "is out of range"))),
    "percent": ("AQM_SHARE, 0, 1000000, 500000, NULL", 'min = "0 %", max = "100 %", default = "50 %"', ("0 %", "100 %"),
                (("101 %", "is out of range: 0 % .. 100 %"),)),
    "boolean": ("AQM_FLAG, 0, 1, 1, NULL", "default = true", ("true", "false"), (("yes", "true or false"),)),
    "enum": ('AQM_CHOICE, 0, 1, 1, "soft hard"', 'values = { "soft", "hard" }, default = "hard"', ("soft", "hard"),
             (("hart", "did you mean 'hard'?"),)),
}
# bounds at the ends of what a number holds, and a value of each
WIDE = {
    "octets": ("AQM_OCTETS, 0, INT64_MAX, 5, NULL", 'min = "0 octets", max = "9223372036854775806 octets", default = "5 octets"',
               ("9223372036854775806 octets",)),
    "integer": ("AQM_PACKETS, 0, INT64_MAX, 5, NULL", "min = 0, max = 9223372036854775807, default = 5", ("9223372036854775807",)),
    "duration": ("AQM_DURATION, 0, INT64_MAX - 1, 5, NULL", 'min = "0 s", max = "9223372036854775806 ns", default = "5 ns"',
                 ("9223372036854775806 ns",)),
    "percent": ("AQM_SHARE, 0, INT64_MAX, 5, NULL", 'min = "0 %", max = "922337203685477 %", default = "5 %"',
                ("922337203685477 %",)),
}
LUA = """return {{ name = "kinds", parameters = {{ {{ name = "{name}", kind = "{kind}", {lua}, doc = "of a kind" }} }},
  enqueue = function(view, memory, now_s, parameters) return parameters.{name} == nil and "drop" or "pass" end }}
"""
C = """#include "dataplane/aqm/aqm.h"
#include <stddef.h>
static enum aqm_verdict enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{{
    return AQM_PASS;
}}
static const struct aqm_param params[] = {{ {{"{name}", "of a kind", {c}}} }};
static const struct aqm_ops kinds_ops = {{.name = "kinds", .title = "t", .summary = "s", .source = "s", .params = params,
                                         .param_count = 1, .enqueue = enqueue}};
AQM_PLUGIN(kinds_ops);
"""


class Kinds(gbflow.Case):
    def setUp(self):
        super().setUp()
        self.plugins = tempfile.mkdtemp(prefix="gbflow-plugins-")
        self.addCleanup(shutil.rmtree, self.plugins)

    def scheme(self, language, kind, row, name="p"):
        """A file with the scheme, and the words by which `gbflow aqm` reads it."""
        values = dict(kind=kind, c=row[0], lua=row[1], name=name)
        if language == "lua":
            path = self.write("kinds.lua", LUA.format(**values))
        else:
            path, source = os.path.join(self.plugins, "kinds.so"), self.write("kinds.c", C.format(**values))
            subprocess.run(["cc", "-shared", "-fPIC", f"-I{ROOT}", "-o", path + ".new", source], check=True)
            os.chmod(path + ".new", 0o644)
            os.replace(path + ".new", path)
        return path, (f"--{language}", path)

    def in_configuration(self, language, path, setting):
        """gbflow check of a node whose queues name the scheme with a setting."""
        name = path if language == "lua" else os.path.basename(path)
        text = scenario.text(sgsn=f'queues = {{ aqm = {{ {language} = "{name}", {setting} }} }},', cells="pdchs = 2",
                             mobiles='{ name = "a", traffic = { { ping = {} } } }')
        path = self.write("s.lua", text)
        return gbflow.run("check", path, "--plugins", self.plugins, "--load-plugins")

    def each(self, rows, verify):
        for kind, row in rows.items():
            for language in ("plugin", "lua"):
                with self.subTest(kind=kind, language=language):
                    verify(kind, row, language, *self.scheme(language, kind, row))

    @staticmethod
    def setting_of(kind, value):
        return f"p = {value}" if kind in ("integer", "boolean") else f'p = "{value}"'

    def test_table_is_whole(self):
        listed = re.search(r"A kind is (.*?) or `enum`", (ROOT / "docs" / "aqm.md").read_text(encoding="utf-8"), re.S).group(1)
        self.assertEqual(set(re.findall(r"`(\w+)`", listed)) - {"min", "max"} | {"enum"}, set(KINDS))

    def test_shown_and_set(self):
        def verify(kind, row, language, path, words):
            shown = gbflow.run("aqm", "show", "kinds", *words)
            self.assertEqual((shown.status, shown.stderr), (0, ""), shown)
            self.assertIn("of a kind", shown.stdout)
            for value in row[2]:
                result = gbflow.run("aqm", "curve", "kinds", *words, "--set", f"p={value}", "--packets", "1", "--reach", "1000",
                                    "--no-report", "--out", self.folder)
                self.assertEqual((result.status, result.stderr), (0, ""), (value, result))
                result = self.in_configuration(language, path, self.setting_of(kind, value))
                self.assertEqual(result.status, 0, (value, result))
        self.each(KINDS, verify)

    def test_refused(self):
        def verify(kind, row, language, path, words):
            for value, message in row[3]:
                results = [gbflow.run("aqm", "curve", "kinds", *words, "--set", f"p={value}", "--no-report")]
                if value != "yes":
                    results.append(self.in_configuration(language, path, self.setting_of(kind, value)))
                for result in results:
                    self.assertEqual((result.status, message in result.stderr), (2, True), (value, result))
                    self.assertNotIn("defect", result.stderr)
        self.each(KINDS, verify)

    def test_wide_bounds(self):
        """Bounds up to the largest number are read, shown and taken."""
        def verify(kind, row, language, path, words):
            shown = gbflow.run("aqm", "show", "kinds", *words)
            self.assertEqual((shown.status, shown.stderr), (0, ""), shown)
            for value in row[2]:
                result = self.in_configuration(language, path, self.setting_of(kind, value))
                self.assertEqual(result.status, 0, (value, result))
        self.each(WIDE, verify)

    def test_names_of_keys(self):
        """A parameter named as a key beside it could not be set."""
        for name in ("scheme", "scope", "plugin", "lua"):
            for language in ("plugin", "lua"):
                with self.subTest(name=name, language=language):
                    _, words = self.scheme(language, "integer", KINDS["integer"], name)
                    result = gbflow.run("aqm", "show", "kinds", *words)
                    self.assertEqual((result.status, "queues.aqm" in result.stderr), (2, True), result)


if __name__ == "__main__":
    unittest.main()
