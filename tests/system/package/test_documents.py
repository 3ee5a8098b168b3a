# SPDX-License-Identifier: BSD-3-Clause
"""The pages of the package, by its own debhelper steps, without a build: each link leads to a file of the package."""
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
STEPS = ["dh_install", "dh_installdocs", "dh_installexamples", "dh_link", "dh_compress"]
FENCE = re.compile(r"(?ms)^```.*?^```$")
LINK = re.compile(r"\]\(([^)\s#]+)")


class Documents(unittest.TestCase):
    def test_each_link_leads_to_a_file(self):
        for tool in ("dh", "make"):
            if shutil.which(tool) is None:
                print(f"skipped: there is no {tool}")
                self.skipTest(f"there is no {tool}")
        with tempfile.TemporaryDirectory(prefix="gbflow-pages-") as holder:
            tree = pathlib.Path(holder, "tree")
            for name in ("bench/traffic", "config", "debian", "docs"):
                shutil.copytree(ROOT / name, tree / name, symlinks=True)
            for pattern in ("*.md", "*.cff", "LICENSE"):
                for path in ROOT.glob(pattern):
                    shutil.copy(path, tree)
            # What the build installs.
            for name in ("bin", "share"):
                (tree / "debian/tmp/usr" / name).mkdir(parents=True)
            example = tree / "tests/unit/dataplane/aqm/example_plugin.c"
            example.parent.mkdir(parents=True)
            example.touch()
            for step in STEPS:
                self.run_step(tree, step)
            self.check_pages(tree / "debian/gbflow/usr/share/doc/gbflow")

    def run_step(self, tree, step):
        """As dh runs it: by the override of debian/rules if there is one."""
        rules = (tree / "debian/rules").read_text(encoding="utf-8")
        has_override = re.search(rf"(?m)^override_{step}:", rules)
        command = ["make", "-f", "debian/rules", f"override_{step}"] if has_override else [step, "--package", "gbflow"]
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_pages(self, documents):
        pages = sorted(documents.rglob("*.md"))
        self.assertLessEqual({documents / "README.md", documents / "docs/packaging.md"}, {*pages})
        links = [(page, target) for page in pages for target in LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
                 if not re.match(r"[a-z]+:", target)]
        self.assertGreater(len(links), 500)
        self.assertEqual([(str(page.relative_to(documents)), target) for page, target in links if not (page.parent / target).exists()], [])


if __name__ == "__main__":
    unittest.main()
