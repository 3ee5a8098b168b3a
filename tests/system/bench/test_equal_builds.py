# SPDX-License-Identifier: BSD-3-Clause
"""bench/fitness/equal_builds.py counts the comparisons of a build with itself that show a difference."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
BENCH = os.path.join(ROOT, "bench", "fitness", "equal_builds.py")
# In gbflow's place: the n-th comparison has the n-th word's result.
STUB = """#!{python}
import json, sys
path = sys.argv[sys.argv.index("--json") + 1]
with open("{words}", encoding="utf-8") as file:
    word, *rest = file.read().split()
with open("{words}", "w", encoding="utf-8") as file:
    file.write(" ".join(rest))
low, high = {{"none": (0.99, 1.02), "slower": (0.95, 0.98), "faster": (1.02, 1.05)}}.get(word, (None, None))
trial = {{"verdict": "none" if low is None else word, "ratio": 1.0, "ratio_low": low, "ratio_high": high, "rounds": 6, "pairs": 24,
         "pairs_asked": 24, "voided_pairs": 3}}
with open(path, "w", encoding="utf-8") as file:
    json.dump({{"trials": [] if word == "nothing" else [trial]}}, file)
sys.exit(word in ("slower", "nothing"))
"""


def run(*options):
    return subprocess.run([sys.executable, BENCH, *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=200, check=False)


class EqualBuilds(unittest.TestCase):
    def counted(self, words, *options):
        with tempfile.TemporaryDirectory() as folder:
            path, stub = os.path.join(folder, "words"), os.path.join(folder, "gbflow")
            with open(path, "w", encoding="utf-8") as file:
                file.write(" ".join(words))
            with open(stub, "w", encoding="utf-8") as file:
                file.write(STUB.format(python=sys.executable, words=path))
            os.chmod(stub, 0o755)
            return run("--program", stub, "--comparisons", str(len(words)), "--busy", "1", *options)

    def test_what_counts(self):
        for words, measured, shown, status in ((["none"] * 19 + ["slower"], 20, 1, 0), (["none"] * 18 + ["faster", "slower"], 20, 2, 1),
                                               (["none", "few", "nothing"], 1, 0, 0), (["few", "nothing"], 0, 0, 1)):
            with self.subTest(words=words):
                done = self.counted(words, "--json", "-")
                document = json.loads(done.stdout)
                self.assertEqual((document["comparisons"], document["measured"], document["shown"], done.returncode), (len(words), measured, shown, status))
                self.assertEqual([row["verdict"] or "few" for row in document["rows"]], [word.replace("nothing", "few") for word in words])

    def test_the_table(self):
        done = self.counted(["none", "few", "nothing"])
        head, *rows, last = done.stdout.splitlines()
        self.assertEqual(head.split(), ["n", "verdict", "ratio", "95", "%", "interval", "rounds", "pairs", "void"])
        self.assertEqual([row.split() for row in rows], [["1", "none", "1.0000", "0.9900..1.0200", "6", "24/24", "3"],
                                                         ["2", "-", "1.0000", "-", "6", "24/24", "3"], ["3", "-", "no", "valid", "slice"]])
        self.assertIn("0 of 1 measured comparisons of 3 show a difference between equal builds; 1 busy loops, load average ", last)

    def test_of_gbflow(self):
        """One round has no interval: it is not measured."""
        done = run("--program", os.environ["GBFLOW"], "--comparisons", "1", "--busy", "0", "--rounds", "1", "--slices", "1", "--windows", "4",
                   "--mobiles", "20", "--json", "-")
        document = json.loads(done.stdout)
        self.assertEqual((done.returncode, document["comparisons"], document["measured"]), (1, 1, 0), done.stderr)

    def test_wrong_options(self):
        for options in (["--comparisons", "0"], ["--busy", "x"], ["--program", os.devnull]):
            with self.subTest(options=options):
                self.assertEqual(run(*options).returncode, 2)


if __name__ == "__main__":
    unittest.main()
