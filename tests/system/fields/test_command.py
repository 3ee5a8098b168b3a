# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow fields`: its formats agree, sentences are sentences, units are of the list, mistakes are told."""
import json
import os
import re
import subprocess
import unittest

import described

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAM = os.path.abspath(os.environ.get("GBFLOW") or os.path.join(ROOT, "build", "gbflow"))
REPORTS = ["summary", "series", "replay", "serve", "emulate", "show", "bss"]
# Endings of names, and the unit that they promise.
ENDINGS = {"_s": "seconds", "_us": "microseconds", "_octets": "octets", "_octets_max": "octets", "_bps": "bit/s",
           "_fraction": "ratio", "utilisation": "ratio"}
# A sentence: capital letter, digit, or the name of a field or value; one full stop at the end.
SENTENCE = re.compile(r"[A-Za-z0-9][^\n]*[^.\s]\.")
# Words that no sentence has: HOUSE rules of plain English.
TELLS = re.compile(r"\b(nobody|whoever|anew|strangers|goes on|what rests|somebody|not yet)\b", re.IGNORECASE)


def call(*words):
    return subprocess.run([PROGRAM, "fields", *words], capture_output=True, text=True, check=False, timeout=60)


class Formats(unittest.TestCase):
    def test_reports(self):
        self.assertEqual([line.split()[0] for line in call().stdout.splitlines()], REPORTS)
        self.assertEqual(list(json.loads(call("--format", "json").stdout)), REPORTS)

    def test_formats_have_the_same_fields(self):
        for report in REPORTS:
            with self.subTest(report):
                fields = json.loads(call(report, "--format", "json").stdout)
                markdown, text = (call(report, "--format", name).stdout for name in ("markdown", "text"))
                self.assertEqual(re.findall(r"(?m)^\| `([^`]+)` \|", markdown), list(fields))
                self.assertEqual(re.findall(r"(?m)^(\S+)", text), list(fields))
                self.assertEqual(call(report).stdout, text)

    def test_a_part(self):
        whole = described.descriptors(PROGRAM)["replay"]
        part = json.loads(call("replay", "gn.", "--format", "json").stdout)
        self.assertEqual(part, {path: field for path, field in whole.items() if path.startswith("gn.")})
        self.assertGreater(len(part), 10)
        words = whole["drops.REASON"]["words"]
        self.assertEqual(re.findall(r"(?m)^\| `(\w+)` \|", call("replay", "drops.REASON", "--format", "markdown").stdout), list(words))
        self.assertEqual(re.findall(r"(?m)^  (\w+)$", call("replay", "drops.REASON").stdout), list(words))

    def test_mistakes(self):
        for words, said in ((["nothing"], "nothing"), (["summary", "nothing"], "nothing"), (["summary", "a", "b"], "b"),
                            (["--format", "xml"], "xml"), (["--nonsense"], "nonsense")):
            done = call(*words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(said, done.stderr)

    def test_meant(self):
        """The path that was probably meant, also where it is the last of several hundred."""
        for report in REPORTS:
            last = next(path for path in reversed(list(described.descriptors(PROGRAM)[report])) if len(path) < 39)
            self.assertIn(f"did you mean '{last}'?", call(report, last + "x").stderr)


class Descriptors(unittest.TestCase):
    def setUp(self):
        self.rows = [(f"{report} {path}", path, field) for report, fields in described.descriptors(PROGRAM).items()
                     for path, field in fields.items()]

    def test_sentences(self):
        for name, _, field in self.rows:
            for sentence in (field["sentence"], *field.get("words", {}).values()):
                with self.subTest(name, sentence=sentence):
                    self.assertRegex(sentence, SENTENCE)
                    self.assertIsNone(TELLS.search(sentence))

    def test_units(self):
        """Numbers have a unit, texts have none; a name that ends in a unit tells the truth."""
        for name, path, field in self.rows:
            with self.subTest(name):
                self.assertIn(field["kind"], ("record", "label", "counter", "gauge"))
                self.assertEqual(field["unit"] == "", field["kind"] in ("record", "label"))
                for ending, unit in ENDINGS.items():
                    if path.endswith(ending) and field["kind"] != "record":
                        wanted = ("N-PDUs a second", "radio blocks a second") if path.endswith("_per_s") else (unit,)
                        self.assertIn(field["unit"], wanted)

    def test_a_time_and_a_rate_say_so_in_their_name(self):
        """The other way round: the unit stands at the end of the name, or of what holds it."""
        endings = {"seconds": "_s", "microseconds": "_us", "bit/s": "_bps"}
        for name, path, field in self.rows:
            ending = endings.get(field["unit"])
            if ending:
                with self.subTest(name):
                    self.assertTrue(any(part.removesuffix("[]").endswith(ending) for part in path.split(".")))


if __name__ == "__main__":
    unittest.main()
