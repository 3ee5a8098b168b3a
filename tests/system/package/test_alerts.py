# SPDX-License-Identifier: BSD-3-Clause
"""Alert rules of Prometheus: their cases pass, and fail when any part of a rule is another; each names a remedy, and metrics of the node."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
RULES = (ROOT / "config" / "grafana" / "gbflow.rules.yml").read_text(encoding="ascii")
CASES = pathlib.Path(__file__).with_name("alerts.yml").read_text(encoding="ascii")
CHANGES = (  # a part of a rule, and what takes its place
    (r"\b\d+m(?=\]|$)", lambda time: (f"{int(time[:-1]) * 30}s", f"{int(time[:-1]) * 2}m")),
    (r"(?<=[=>] )[\d.]+", lambda limit: [f"{float(limit) + way * max(float(limit) / 50, limit in '01'):g}" for way in (-1, 1)]),
    (r"\w+\|\w+", lambda words: words.split("|")),
    (r"(?<=\()\w+(?:, \w+)+(?=\))", lambda labels: [labels.replace(label, "other") for label in labels.split(", ")]),
    (r'\{\w+=~?"[^"]+"\}', lambda labels: ("",)),
    (r"\bgbflow_\w+_(?:total|state|usable)\b", lambda metric: (f"{metric}x",)),
    (r"(?<=severity: )\w+", lambda severity: ("none",)),
    (r"==|>(?= \d)|\bunless\b", {"==": ("!=",), ">": ("<",), "unless": ("and",)}.get),
)


def promtool(*words):
    return subprocess.run(["promtool", *words], capture_output=True, text=True, check=False, timeout=60)


def blocks(text):
    """The text before the first rule or case, and {alert: text of its rule or case}."""
    head, *rest = re.split(r"(?m)^(?= +- (?:alert|name): Gbflow)", text)
    return head, {re.search(r"Gbflow\w+", block)[0]: block for block in rest}


def changes(rule):
    for part, others in CHANGES:
        for found in re.finditer(f"(?m){part}", rule[:rule.index("annotations:")]):
            for other in others(found[0]):
                yield f"{found[0]} -> {other}", f"{rule[:found.start()]}{other}{rule[found.end():]}"


class Alerts(unittest.TestCase):
    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory(prefix="gbflow-alerts-"))

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def judge(self, pairs):
        """Whether the cases of each pair (rules, cases) pass."""
        if shutil.which("promtool") is None:
            print("skipped: promtool is missing: package prometheus")
            self.assertNotEqual(os.environ.get("CI"), "true")
            self.skipTest("promtool is missing")
        rules = [self.write(f"{i}.rules.yml", text) for i, (text, _) in enumerate(pairs)]
        cases = [self.write(f"{i}.yml", text.replace("gbflow.rules.yml", f"{i}.rules.yml")) for i, (_, text) in enumerate(pairs)]
        done = promtool("check", "rules", *rules)
        self.assertEqual(done.returncode, 0, done)
        done = promtool("test", "rules", *cases)
        return [f"{path}\n  SUCCESS\n" in done.stdout for path in cases], done.stderr

    def test_cases(self):
        passed, text = self.judge([(RULES, CASES)])
        self.assertEqual(passed, [True], text)

    def test_each_change_fails(self):
        (rules_head, rules), (cases_head, cases) = blocks(RULES), blocks(CASES)
        self.assertEqual(list(rules), list(cases))
        names, pairs = [], []
        for alert, rule in rules.items():
            for name, text in changes(rule):
                names.append(f"{alert}: {name}")
                pairs.append((rules_head + text, cases_head + cases[alert]))
        passed, _ = self.judge(pairs)
        self.assertGreater(len(pairs), 5 * len(rules))
        self.assertEqual([name for name, survives in zip(names, passed, strict=True) if survives], [])

    def test_each_metric_is_one_of_the_node(self):
        families = re.findall(r'(?m)^ *\{"(\w+)", "(\w+)",', (ROOT / "control" / "live" / "exporter.c").read_text(encoding="ascii"))
        columns = re.findall(r"(?m)^\| `(\w+)\[\]\.(\w+)`", (ROOT / "docs" / "reference" / "show.md").read_text(encoding="ascii"))
        known = {f"gbflow_{family}_{column}" for table, family in families for of, column in columns if of == table}
        metrics = set(re.findall(r"\bgbflow_\w+", RULES))
        self.assertGreater(len(metrics), len(blocks(RULES)[1]))
        self.assertEqual({metric for metric in metrics if metric.removesuffix("_total") not in known}, set())

    def test_each_alert_has_a_severity(self):
        """Page where phones have no service, by the sentence of docs/watch.md; ticket else."""
        page = (ROOT / "docs" / "watch.md").read_text(encoding="utf-8")
        severities = {alert: re.findall(r"(?m)^ {8}labels:\n {10}severity: (\w+)$", rule) for alert, rule in blocks(RULES)[1].items()}
        self.assertTrue(all(found in (["page"], ["ticket"]) for found in severities.values()), severities)
        told = re.findall(r"`(Gbflow\w+)`", page.partition("severity `page`")[2].partition(".")[0])
        self.assertEqual(sorted(told), sorted(alert for alert, found in severities.items() if found == ["page"]))

    def test_each_alert_names_a_remedy(self):
        summaries = re.findall(r'(?m)^ *summary: "([^"]+)"$', RULES)
        self.assertEqual(len(summaries), len(blocks(RULES)[1]))
        for summary in summaries:
            self.assertRegex(summary, r"^.*\{\{.*\}\}.*; \w+")


if __name__ == "__main__":
    unittest.main()
