# SPDX-License-Identifier: BSD-3-Clause
"""What meson installs, in a folder of its own, away from the tree: the program, its report, scenarios, man page, completion."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

GALLERY = pathlib.Path(__file__).resolve().parents[3] / "config/gallery"
NODE = pathlib.Path(__file__).resolve().parents[3] / "docs/reference/node.md"
STUDIES = pathlib.Path(__file__).resolve().parents[3] / "config/studies"
INSTALLED = {"bin/gbflow", "include/gbflow/dataplane/aqm/aqm.h", *(f"share/gbflow/studies/{path.name}" for path in STUDIES.iterdir()), "share/gbflow/gbflow-report.pyz",
             "share/bash-completion/completions/gbflow.bash", "share/zsh/site-functions/_gbflow",
             "share/fish/vendor_completions.d/gbflow.fish"}


class Install(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="gbflow-install-")
        cls.addClassCleanup(cls.holder.cleanup)
        subprocess.run(["meson", "install", "-C", os.environ["BUILD"], "--no-rebuild", "--quiet", "--destdir",
                        cls.holder.name], check=True, timeout=60, stdin=subprocess.DEVNULL)
        cls.prefix = next(pathlib.Path(cls.holder.name).rglob("bin/gbflow")).parent.parent

    def run_program(self, *arguments):
        return subprocess.run([self.prefix / "bin/gbflow", *arguments], capture_output=True, text=True, check=False,
                              cwd=self.holder.name, timeout=600)

    def test_files(self):
        files = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()}
        scenarios = {path for path in files if path.startswith(("share/gbflow/scenarios/", "share/gbflow/gallery/"))}
        manual = {path for path in files if path.startswith("share/man/")}
        module = {path for path in files if path.endswith("pkgconfig/gbflow-aqm.pc")}
        self.assertEqual(len(module), 1)
        self.assertEqual(files - scenarios - manual - module, INSTALLED)
        self.assertEqual(manual, {"share/man/man1/gbflow.1", "share/man/man5/gbflow.lua.5",
                                  *(f"share/man/man1/gbflow-{name}.1" for name in self.commands())})
        self.assertIn("share/gbflow/scenarios/quickstart.lua", scenarios)

    def test_quick_start_with_report(self):
        out = pathlib.Path(self.holder.name) / "out"
        run = self.run_program("run", self.prefix / "share/gbflow/scenarios/quickstart.lua", "--out", out)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual({path.name for path in out.iterdir()}, {"summary.json", "series.csv", "report.html", "provenance.json"})

    def test_gallery(self):
        """Each file finds its presets where it is installed."""
        files = sorted((self.prefix / "share/gbflow/gallery").glob("*.lua"))
        self.assertEqual([path.name for path in files], sorted(path.name for path in GALLERY.glob("*.lua")))
        checked = self.run_program("check", *files)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        self.assertEqual(checked.stdout.count(": right: a study of "), len(files))
        run = self.run_program("run", files[0], "--out", "gallery", "--no-report")
        self.assertEqual(run.returncode, 0, run.stderr)
        swept = self.run_program("sweep", files[0], "--out", "swept", "--seeds", "1", "--dry-run")
        self.assertEqual(swept.returncode, 0, swept.stderr)

    def test_reproduce_finds_the_installed_scenarios(self):
        """A broken one shows which file was read."""
        scenario = self.prefix / "share/gbflow/scenarios/gprs-buffering.lua"
        self.addCleanup(scenario.write_bytes, scenario.read_bytes())
        scenario.write_text("return 'broken'\n", encoding="ascii")
        run = self.run_program("reproduce", "P4", "--seeds", "1", "--jobs", "1")
        self.assertEqual(run.returncode, 1)
        self.assertIn(str(scenario), run.stdout + run.stderr)

    def test_report_that_is_not_there(self):
        report = self.prefix / "share/gbflow/gbflow-report.pyz"
        hidden = report.with_suffix(".away")
        report.rename(hidden)
        self.addCleanup(hidden.rename, report)
        run = self.run_program("compare", "a", "b")
        self.assertEqual(run.returncode, 1)
        self.assertIn("neither beside the program nor in ../share/gbflow", run.stderr)

    def commands(self):
        return re.findall(r"^  ([a-z][a-z-]*)  +", self.run_program("--help").stdout, re.MULTILINE)

    def page(self, name):
        page = (self.prefix / "share/man" / name).read_text(encoding="utf-8")
        self.check_troff(page)
        return page

    def test_pages_of_commands(self):
        commands = self.commands()
        self.assertGreater(len(commands), 8)
        listed = re.findall(r"^\.BR gbflow\\-(\S+) \(1\)$", self.page("man1/gbflow.1"), re.MULTILINE)
        self.assertEqual([name.replace("\\-", "-") for name in listed], commands)
        for name in commands:
            self.assertRegex(self.page(f"man1/gbflow-{name}.1").replace("\\-", "-"), rf"(?m)^\.SH SYNOPSIS\n\.nf\ngbflow {name}\b")

    def test_page_of_keys(self):
        """As many keys as a node's page has, each with its sentence."""
        keys = re.findall(r"^\.B (\S+)\n\(.*\) \S", self.page("man5/gbflow.lua.5"), re.MULTILINE)
        self.assertGreater(len(keys), 200)
        self.assertIn("gn.mac", keys)
        self.assertEqual(len(keys), len(re.findall(r"^\| `(([^|\n]|\\\|)*\|){3}", NODE.read_text(encoding="utf-8"), re.MULTILINE)))

    def check_troff(self, page):
        if shutil.which("groff") is None:
            return
        run = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z"], input=page, capture_output=True, text=True,
                             check=False, timeout=60)
        self.assertEqual(run.stderr, "")


if __name__ == "__main__":
    unittest.main()
