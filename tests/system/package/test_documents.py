# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the package, by its own debhelper steps, without a build: they keep their names, which links have."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEPS = ["dh_installdocs", "dh_compress"]


class Documents(unittest.TestCase):
    def test_pages_are_there_by_their_names(self):
        for tool in ("dh", "make"):
            if shutil.which(tool) is None:
                print(f"skipped: there is no {tool}")
                self.skipTest(f"there is no {tool}")
        with tempfile.TemporaryDirectory(prefix="gbflow-pages-") as holder:
            tree = pathlib.Path(holder, "tree")
            for name in ("debian", "docs"):
                shutil.copytree(ROOT / name, tree / name, symlinks=True)
            for path in ROOT.glob("*.md"):
                shutil.copy(path, tree)
            for step in STEPS:
                self.run_step(tree, step)
            self.check_pages(tree / "debian/gbflow/usr/share/doc/gbflow")

    def run_step(self, tree, step):
        """As dh runs it: by the override of debian/rules if there is one."""
        rules = (tree / "debian/rules").read_text(encoding="utf-8")
        has_override = re.search(rf"(?m)^override_{step}:", rules)
        command = ["make", "-f", "debian/rules", f"override_{step}"] if has_override else [step]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_pages(self, documents):
        self.assertTrue((documents / "packaging.md").is_file())
        self.assertEqual([str(path) for path in documents.rglob("*.md.gz")], [])


if __name__ == "__main__":
    unittest.main()
