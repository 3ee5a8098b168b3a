# SPDX-License-Identifier: BSD-3-Clause
"""The program and what it writes tell the version of the build; pages tell that of the release; the places of its date agree."""
import email.utils
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(os.environ["GBFLOW_ROOT"])
PROGRAM = os.environ["GBFLOW"]
RELEASE = os.environ["RELEASE"]
VERSION = pathlib.Path(os.environ["VERSION_FILE"]).read_text(encoding="ascii").strip()
CAPTURE = ROOT / "tests/data/captures/gn-osmo-ggsn.pcap"


def said(*arguments):
    return subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=60, check=False).stdout


def found(pattern, path):
    """What the first match of a pattern with one group says."""
    match = re.search(pattern, pathlib.Path(path).read_text(encoding="utf-8"), re.MULTILINE)
    return match and match.group(1)


def in_doctor():
    return json.loads(said("doctor", "--json"))["version"]


def written(name, *arguments):
    """The field `version` of a report that a command writes into its last argument, a folder; `name` is the report's."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([PROGRAM, *arguments, folder], stdout=subprocess.DEVNULL, timeout=60, check=True)
        return json.loads((pathlib.Path(folder) / name).read_text(encoding="utf-8"))["version"]


def in_bench():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "bench.json"
        said("bench", "preloaded", "--octets", "64", "--mobiles", "50", "--cells", "2", "--windows", "1",
             "--set", "gap_us=5000000", "--json", str(path))
        return json.loads(path.read_text(encoding="utf-8"))["version"]


def in_replay():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "replay.json"
        said("replay", str(ROOT / "config/nodes/replay-open.lua"), "--in", str(CAPTURE), "--json", str(path))
        return json.loads(path.read_text(encoding="utf-8"))["version"]


def in_run():
    return written("summary.json", "run", str(ROOT / "config/scenarios/quickstart.lua"), "--no-report", "--out")


def in_compare():
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "compare.json"
        said("run", str(ROOT / "config/scenarios/quickstart.lua"), "--no-report", "--out", folder)
        said("compare", folder, folder, "--json", str(path))
        return json.loads(path.read_text(encoding="utf-8"))["version"]


def in_analysis():
    return written("analysis.json", "analyze", str(CAPTURE), "--no-report", "--out")


def in_curve():
    return written("aqm-red.json", "aqm", "curve", "red", "--packets", "100", "--no-report", "--out")


def in_report_program():
    with zipfile.ZipFile(os.environ["REPORT_PROGRAM"]) as program:
        return program.read("gbflow_report/version.txt").decode().strip()


def in_debian_date():
    """The day of the newest entry, as YYYY-MM-DD."""
    said_there = found(r"^ -- .*>  (.*)$", ROOT / "debian/changelog")
    return email.utils.parsedate_to_datetime(said_there).date().isoformat()


# The place of the date of the release, and how it is read.
DATES = [
    ("CITATION.cff", lambda: found(r'^date-released: "([^"]+)"$', ROOT / "CITATION.cff")),
    ("debian/changelog", in_debian_date),
]


# The place of the version of the release, and how it is read. The Debian version may have an epoch before and a revision behind.
RELEASES = [
    ("meson.build", lambda: found(r"^\s*version: '([^']+)'", ROOT / "meson.build")),
    ("debian/changelog", lambda: found(r"^gbflow \((?:\d+:)?([^()-]+)(?:-[^()-]+)?\) ", ROOT / "debian/changelog")),
    ("CHANGELOG.md", lambda: found(r"^## \[(\d[^\]]*)\]", ROOT / "CHANGELOG.md")),
    ("python/pyproject.toml", lambda: found(r'^version = "([^"]+)"', ROOT / "python/pyproject.toml")),
    ("CITATION.cff", lambda: found(r"^version: (\S+)$", ROOT / "CITATION.cff")),
]
# The place of the version of the build, and how it is read.
PLACES = [
    ("gbflow --version", lambda: said("--version").splitlines()[0].removeprefix("gbflow ")),
    ("gbflow -V", lambda: said("-V").splitlines()[0].removeprefix("gbflow ")),
    ("gbflow --help", lambda: said("--help").removeprefix("gbflow ").partition(":")[0]),
    ("man page", lambda: found(r'^\.TH GBFLOW 1 "" "gbflow ([^"]+)"', os.environ["MAN_PAGE"])),
    ("gbflow-report.pyz", in_report_program),
    ("doctor --json", in_doctor),
    ("bench --json", in_bench),
    ("replay --json", in_replay),
    ("run --out", in_run),
    ("compare --json", in_compare),
    ("analyze --out", in_analysis),
    ("aqm curve --out", in_curve),
]


class Version(unittest.TestCase):
    def test_every_place_agrees(self):
        for place, read in PLACES:
            with self.subTest(place):
                self.assertEqual(read(), VERSION)

    def test_every_place_of_the_release_agrees(self):
        for place, read in RELEASES:
            with self.subTest(place):
                self.assertEqual(read(), RELEASE)

    def test_what_it_was_built_of(self):
        """Commit, DPDK, Lua and licence; behind a command, a mode and a file, too."""
        whole = said("--version")
        self.assertRegex(whole, r"^gbflow \S+\ncommit (unknown|[0-9a-f]{7,}(-dirty)?)\nDPDK \d+\.\d+\S*\nLua 5\.4\.\d+\nlicence BSD-3-Clause, [^\n]+\n$")
        listed = re.findall(r"(?m)^  ([a-z][a-z-]*)  +\S", said("--help"))
        self.assertGreater(len(listed), 15)
        for words in ([name] for name in listed):
            with self.subTest(words):
                self.assertEqual(said(*words, "--version"), whole)
                self.assertEqual(said(*words, "-V"), whole)
        self.assertEqual(said("bench", "ndr", "--version"), whole)
        self.assertEqual(said("run", "x.lua", "--version"), whole)

    def test_every_date_agrees(self):
        released = found(r"^## \[\d[^\]]*\] - (\d{4}-\d\d-\d\d)$", ROOT / "CHANGELOG.md")
        for place, read in DATES:
            with self.subTest(place):
                self.assertEqual(read(), released)

    def test_the_newest_supported_version_is_this_one(self):
        self.assertEqual(found(r"^\| (\d+\.\d+)\.x \| yes \|$", ROOT / "SECURITY.md"), RELEASE.rpartition(".")[0])

    def test_version_is_the_release_and_a_number_of_commits(self):
        self.assertRegex(RELEASE, r"^\d+\.\d+\.\d+$")
        self.assertRegex(VERSION, rf"^{re.escape(RELEASE)}(\+[1-9]\d*)?$")


if __name__ == "__main__":
    unittest.main()
