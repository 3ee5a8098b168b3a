# SPDX-License-Identifier: BSD-3-Clause
"""Alert rules of Prometheus: each is silent and fires as it should, and has a metric of the node behind it."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
RULES = ROOT / "config" / "grafana" / "gbflow.rules.yml"
CASES = pathlib.Path(__file__).with_name("alerts.yml")
ALERT = re.compile(r"(?m)^ *- alert: (\w+)$")


def promtool(*words):
    return subprocess.run(["promtool", *words], capture_output=True, text=True, check=False, timeout=60)


class Alerts(unittest.TestCase):
    def test_promtool(self):
        if shutil.which("promtool") is None:
            print("skipped: promtool is missing: package prometheus")
            self.assertNotEqual(os.environ.get("CI"), "true")
            self.skipTest("promtool is missing")
        with tempfile.TemporaryDirectory(prefix="gbflow-alerts-") as folder:
            for path in (RULES, CASES):
                shutil.copy(path, folder)
            done = promtool("check", "rules", os.path.join(folder, RULES.name))
            self.assertEqual(done.returncode, 0, done)
            done = promtool("test", "rules", os.path.join(folder, CASES.name))
            self.assertEqual(done.returncode, 0, done)

    def test_each_alert_has_both_cases(self):
        cases = CASES.read_text(encoding="ascii")
        for name in ALERT.findall(RULES.read_text(encoding="ascii")):
            for word in ("is silent", "fires"):
                self.assertIn(f"name: {name} {word}\n", cases)

    def test_each_alert_names_a_remedy(self):
        text = RULES.read_text(encoding="ascii")
        summaries = re.findall(r'(?m)^ *summary: "([^"]+)"$', text)
        self.assertEqual(len(summaries), len(ALERT.findall(text)))
        for summary in summaries:
            self.assertRegex(summary, r"^.*\{\{.*\}\}.*; \w+")


if __name__ == "__main__":
    unittest.main()
