#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The small programs behind scripts/build.sh and scripts/test.sh: what they decide, row by row."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

SCRIPTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts")
sys.path.insert(0, SCRIPTS)
import tested  # noqa: E402 pylint: disable=wrong-import-position

# results of a run's tests -> what test_log.py totals prints
TOTALS = [
    ([], "0 0 0"),
    (["OK", "OK", "EXPECTEDFAIL"], "3 0 0"),
    (["FAIL", "TIMEOUT", "ERROR", "INTERRUPT", "UNEXPECTEDPASS", "A WORD OF TOMORROW"], "0 6 0"),
    (["OK", "SKIP", "FAIL"], "1 1 1"),
]

RELEASE = {"buildtype": "release", "werror": False, "b_sanitize": "none", "c_args": []}

# what happened to a build directory, wanted options, verdict
STATES = [
    ("nothing", ["buildtype=release"], "new"),
    ("empty", ["buildtype=release"], "new"),
    ("configured", ["buildtype=release", "werror=false"], "ready"),
    ("configured", ["buildtype=debug"], "changed"),
    ("configured", ["werror=true"], "changed"),
    ("configured", ["nonsense=1"], "changed"),
    ("of another tree", ["buildtype=release"], "foreign"),
    ("moved", ["buildtype=release"], "foreign"),
    ("half configured", ["buildtype=release"], "foreign"),
    ("garbage", ["buildtype=release"], "foreign"),
    ("letters to grandmother", ["buildtype=release"], "other"),
]


def run(script, *arguments):
    return subprocess.run([sys.executable, os.path.join(SCRIPTS, script), *arguments],
                          capture_output=True, text=True, check=False)


def write(folder, path, text):
    full = os.path.join(folder, path)
    os.makedirs(os.path.dirname(full), exist_ok=True)
    with open(full, "w", encoding="utf-8") as file:
        file.write(text)


def make_build(source, build, history):
    if history == "nothing":
        return
    os.makedirs(build)
    if history == "empty":
        return
    if history == "letters to grandmother":
        write(build, "letter.txt", "dear")
        return
    write(build, "meson-private/x", "")
    if history == "half configured":
        return
    places = {"source": "elsewhere" if history == "of another tree" else source,
              "build": "elsewhere" if history == "moved" else build}
    options = [{"name": name, "value": value} for name, value in RELEASE.items()]
    write(build, "meson-info/intro-buildoptions.json", "{" if history == "garbage" else json.dumps(options))
    write(build, "meson-info/meson-info.json", json.dumps({"directories": places}))
    write(build, "build.ninja", "")


class TestTotals(unittest.TestCase):
    def test_rows(self):
        for results, expected in TOTALS:
            with self.subTest(results=results), tempfile.TemporaryDirectory() as folder:
                lines = [json.dumps({"name": "a test", "result": result, "stdout": "1..0\nno hammer\n", "stderr": None})
                         for result in results]
                write(folder, "log.json", "\n".join(lines) + "\n")
                done = run("test_log.py", "totals", os.path.join(folder, "log.json"))
                self.assertEqual(done.stdout.strip(), expected)
                self.assertEqual("skipped: a test: no hammer" in done.stderr, "SKIP" in results)
                self.assertEqual("failed: a test: FAIL: no hammer" in done.stderr, "FAIL" in results)


# seconds of the tests of two phases, --count, what test_log.py slowest prints
SLOWEST = [
    ([1.25], [], 20, ["   1.2 s  a: 0"]),
    ([0.5, 3.0], [2.0, 12.5], 3, ["  12.5 s  b: 1", "   3.0 s  a: 1", "   2.0 s  b: 0"]),
]


class SlowestTests(unittest.TestCase):
    def test_rows(self):
        for a, b, count, expected in SLOWEST:
            with self.subTest(a=a, b=b), tempfile.TemporaryDirectory() as folder:
                for phase, durations in (("a", a), ("b", b)):
                    write(folder, phase, "".join(json.dumps({"name": str(i), "duration": duration}) + "\n"
                                                 for i, duration in enumerate(durations)))
                done = run("test_log.py", "slowest", "--count", str(count), *(f"{phase}={os.path.join(folder, phase)}" for phase in "ab"))
                self.assertEqual(done.stdout.splitlines(), expected, done.stderr)


# what a program that counts prints, its status, the sums of scripts/test.sh after it
COUNTED = [
    ("begins\n3 passed, 0 failed, 1 skipped", 0, "3 0 1"),
    ("3 passed, 2 failed, 0 skipped", 1, "3 2 0"),
    ("3 passed, 0 failed, 0 skipped", 1, "3 1 0"),
    ("0 passed, 0 failed, 2 skipped", 1, "0 0 2"),
    ("0 passed, 0 failed, 0 skipped", 1, "0 1 0"),
    ("Segmentation fault", 139, "0 1 0"),
    ("3 passed, many failed, 0 skipped", 0, "0 1 0"),
    ("", 0, "0 1 0"),
]


class Counted(unittest.TestCase):
    def test_rows(self):
        with open(os.path.join(SCRIPTS, "test.sh"), encoding="utf-8") as file:
            counted = re.search(r"^counted\(\)\n{\n.*?^}$", file.read(), re.MULTILINE | re.DOTALL).group(0)
        for printed, status, expected in COUNTED:
            with self.subTest(printed=printed, status=status), tempfile.TemporaryDirectory() as folder:
                program = ["bash", "-c", 'printf "%s\\n" "$0"; exit "$1"', printed, str(status)]
                script = "\n".join(["set -uo pipefail", "passed=0 failed=0 skipped=0 scratch=$1; shift", "failure() { failed=$((failed + 1)); }",
                                    counted, 'counted "$@" >/dev/null', 'echo "$passed $failed $skipped"'])
                done = subprocess.run(["bash", "-c", script, "bash", folder, *program], capture_output=True, text=True, check=False)
                self.assertEqual((done.stdout.strip(), done.stderr), (expected, ""))


# arguments of build.sh, what becomes of a new build directory, which programs setup.sh fails for, the commands it runs in any order
PROGRAM = ["setup.sh --program", "setup.sh --reports", "meson setup -Dbuildtype=release -Dtests=false", "ninja program"]
FULL = ["setup.sh --build", "meson setup -Dbuildtype=release -Dtests=true", "ninja"]
BUILDS = [
    ("--program", "", 0, PROGRAM),
    ("", "", 0, FULL),
    ("--no-setup --program", "", 0, PROGRAM[2:]),
    ("tests=false", "", 0, ["setup.sh --build", "meson setup -Dtests=false -Dbuildtype=release", "ninja"]),
    ("--program", "--program", 1, PROGRAM[:1]),
    ("--program", "--reports", 1, PROGRAM),
]
STANDS_IN = """#!/bin/sh
word=${0##*/}
for argument; do
    case "$argument" in /*|--quiet|-C) ;; *) word="$word $argument" ;; esac
done
echo "$word" >>"$COMMANDS"
[ "$word" != "setup.sh $FAILS" ]
"""


class Build(unittest.TestCase):
    def test_rows(self):
        for arguments, fails, status, expected in BUILDS:
            with self.subTest(arguments=arguments, fails=fails), tempfile.TemporaryDirectory() as folder:
                for path in ("scripts/setup.sh", "bin/meson", "bin/ninja"):
                    write(folder, path, STANDS_IN)
                    os.chmod(os.path.join(folder, path), 0o755)
                for name in ("build.sh", "build_state.py", "common.sh"):
                    shutil.copy(os.path.join(SCRIPTS, name), os.path.join(folder, "scripts", name))
                commands = os.path.join(folder, "commands")
                done = subprocess.run([os.path.join(folder, "scripts", "build.sh"), *arguments.split()], check=False, capture_output=True, text=True,
                                      env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "COMMANDS": commands, "FAILS": fails})
                with open(commands, encoding="utf-8") as file:
                    self.assertEqual(sorted(file.read().splitlines()), sorted(expected), done.stderr)
                self.assertEqual(done.returncode, status, done.stderr)


# environment, what build/gbflow leaves out, status, what run.sh prints (! what it does not)
NO_DESKTOP = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
RUNS = [
    (NO_DESKTOP, "", 0, ["1 of 3: packages", "2 of 3: build", "3 of 3: gbflow run", "quickstart.lua --out", " --cdf", "for a browser:", "  packages ", "  build ", "  run ", "Try next:", "  scripts/build.sh ", "! xdg-open"]),
    ({"DISPLAY": ":0"}, "", 0, ["xdg-open out/quickstart/report.html", "Try next:", "! --cdf"]),
    (NO_DESKTOP, "report.html", 1, ["left no", "report.html", "! Try next:"]),
]
PROGRAM_STANDS_IN = """#!/bin/sh
echo "gbflow $*"
mkdir -p out/quickstart
for name in summary.json series.csv report.html; do
    [ "$name" = "$LEAVES_OUT" ] || echo x >"out/quickstart/$name"
done
"""


class FirstMinute(unittest.TestCase):
    def test_rows(self):
        for environment, leaves_out, status, expected in RUNS:
            with self.subTest(environment=environment, leaves_out=leaves_out), tempfile.TemporaryDirectory() as folder:
                for path, text in (("scripts/setup.sh", STANDS_IN), ("scripts/build.sh", STANDS_IN), ("build/gbflow", PROGRAM_STANDS_IN),
                                   ("bin/xdg-open", STANDS_IN)):
                    write(folder, path, text)
                    os.chmod(os.path.join(folder, path), 0o755)
                for name in ("run.sh", "common.sh"):
                    shutil.copy(os.path.join(SCRIPTS, name), os.path.join(folder, "scripts", name))
                done = subprocess.run([os.path.join(folder, "scripts", "run.sh")], check=False, capture_output=True, text=True,
                                      env={**os.environ, "PATH": f"{folder}/bin:{os.environ['PATH']}", "COMMANDS": os.path.join(folder, "commands"),
                                           "FAILS": "", "LEAVES_OUT": leaves_out, **environment})
                self.assertEqual(done.returncode, status, done.stderr)
                for text in expected:
                    check = self.assertNotIn if text.startswith("! ") else self.assertIn
                    check(text.removeprefix("! "), done.stdout + done.stderr)


class Packages(unittest.TestCase):
    """What scripts/setup.sh installs, against debian/control."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SCRIPTS, "setup.sh"), encoding="utf-8") as file:
            lists = re.findall(r"^(?:\w+_packages|modules)=\(.*?\)$", file.read(), re.MULTILINE | re.DOTALL)
        script = "\n".join([*lists, *(f'echo "${{{name}[@]}}"' for name in ("program_packages", "report_packages", "build_packages", "modules"))])
        done = subprocess.run(["bash", "-uc", script], capture_output=True, text=True, check=True)
        cls.program, cls.reports, cls.build, cls.modules = (set(line.split()) for line in done.stdout.splitlines())
        with open(os.path.join(SCRIPTS, "..", "debian", "control"), encoding="utf-8") as file:
            cls.control = file.read()

    def field(self, name):
        """The names of the packages in a field of debian/control."""
        lines = re.search(rf"^{name}:\n((?: .*\n)+)", self.control, re.MULTILINE).group(1)
        return {line.split()[0].rstrip(",") for line in lines.splitlines()}

    def test_the_package_is_built_of_what_the_program_needs(self):
        self.assertEqual(self.field("Build-Depends") - {"debhelper-compat"}, self.program - {"gcc", "libc6-dev", "ninja-build"})

    def test_the_package_recommends_what_reports_need(self):
        self.assertLessEqual(self.reports - {"python3-munkres"}, self.field("Recommends"))

    def test_what_is_checked_is_installed(self):
        self.assertLessEqual({pair.partition(":")[2] for pair in self.modules}, self.build)


class BuildState(unittest.TestCase):
    def test_rows(self):
        for history, wanted, expected in STATES:
            with self.subTest(history=history, wanted=wanted), tempfile.TemporaryDirectory() as folder:
                source, build = os.path.join(folder, "source"), os.path.join(folder, "build")
                make_build(source, build, history)
                self.assertEqual(run("build_state.py", source, build, *wanted).stdout.strip(), expected)

    def test_older_than_the_packages_is_changed(self):
        status = "/var/lib/dpkg/status"
        if not os.path.exists(status):
            self.skipTest("no Debian package database here")
        with tempfile.TemporaryDirectory() as folder:
            make_build(folder, os.path.join(folder, "build"), "configured")
            info = os.path.join(folder, "build", "meson-info", "meson-info.json")
            os.utime(info, (1, 1))
            done = run("build_state.py", folder, os.path.join(folder, "build"), "werror=false")
            self.assertEqual(done.stdout.strip(), "changed")


class Usage(unittest.TestCase):
    def test_is_told_with_status_2(self):
        for script, arguments in (("test_log.py", ("totals",)), ("test_log.py", ("slowest",)), ("build_state.py", ("a",)),
                                  ("build_state.py", ("a", "b", "c"))):
            with self.subTest(script=script, arguments=arguments):
                done = run(script, *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn("usage:", done.stderr)


# arguments of a script, its status, and what it says
TOLD = [
    (["release.sh"], 2, "name the tag"),
    (["release.sh", "v0.0.1"], 1, "tag v0.0.1 is not that of version"),
    (["release.sh", "--all"], 2, "unknown argument '--all'"),
    (["version.sh", "x"], 2, "unknown argument 'x'"),
    (["where.sh"], 2, "NOUN"),
    (["where.sh", "--like"], 2, "NOUN"),
    (["tsan.sh", "--live", "0.0"], 2, "--live needs a number of minutes above 0"),
    (["wheel.sh", "--out"], 2, "--out needs a path"),
    (["arm64.sh", "riscv64"], 2, "unknown argument 'riscv64'"),
    (["distribution.sh"], 2, "name a distribution"),
    (["test.sh", "--without", "nonsense"], 2, "no phase 'nonsense'; see --phases"),
    (["test.sh", "--without"], 2, "--without needs a phase"),
    (["distribution.sh", "debian-11"], 2, "unknown argument 'debian-11'; distributions are debian-12"),
    (["distribution.sh", "ubuntu-24.04", "--program"], 2, "--program is for debian-12 and debian-13"),
    (["distribution.sh", "debian-13", "--gate", "--program"], 2, "--program is for debian-12 and debian-13"),
    (["distribution.sh", "debian-13", "--tests"], 2, "not for debian-13"),
]


class InRoot(unittest.TestCase):
    """scripts/in_root.sh, of a system whose programs are this machine's."""

    # Programs in use draw on terminals there.
    PREPARE = """cd "$1" && mkdir dev proc sys usr && mount --rbind /usr usr && mknod -m 666 dev/ptmx c 5 2
        for link in bin lib lib32 lib64 libx32; do ! [ -L /$link ] || ln -s "usr/$link" $link; done
        "$2" "$1" /usr/bin/python3 -c 'import os; print(os.ttyname(os.openpty()[1]))'"""

    def test_has_terminals(self):
        if os.geteuid() != 0 and os.environ.get("CI") != "true":
            self.skipTest("needs root: it mounts")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["unshare", "--mount", "sh", "-ec", self.PREPARE, "sh", folder, os.path.join(SCRIPTS, "in_root.sh")],
                                  capture_output=True, text=True, check=False)
            self.assertEqual((done.stdout, done.stderr, done.returncode), ("/dev/pts/0\n", "", 0))


class Editors(unittest.TestCase):
    def test_configurations_have_the_names_of_the_sandbox(self):
        """config/.luarc.json: the libraries that lua/schema/sandbox.lua gives, and require."""
        root = pathlib.Path(SCRIPTS).parent
        with open(root / "config/.luarc.json", encoding="utf-8") as file:
            given = json.load(file)
        sandbox = (root / "lua/schema/sandbox.lua").read_text(encoding="utf-8")
        tables = re.findall(r"^    (\w+) = \w+_library\(", sandbox, re.MULTILINE)
        self.assertEqual(sorted(name for name, state in given["runtime.builtin"].items() if state == "enable"), sorted(tables))
        self.assertEqual(given["diagnostics.globals"], ["require"])
        json.loads((root / ".luarc.json").read_text(encoding="utf-8"))


# a noun, the lines that scripts/where.sh prints of it (! on stderr, with status 1)
PLACES = [
    ("codel", ["file      dataplane/aqm/codel.c", "file      dataplane/aqm/codel.h", "test      tests/unit/dataplane/aqm/codel_test.c",
               "row       dataplane/aqm/schemes.def:"]),
    ("radio_status", ["row       dataplane/wire/bssgp.c:", "page      docs/wire-lua.md:"]),
    ("drop reason", ["to add    a drop reason: ARCHITECTURE.md:"]),
    ("parked", ["word      park, parked: to put a mobile"]),
    ("lifetime_only", ["row       dataplane/aqm/schemes.def:"]),
    ("Bypass", ["word      bypass: the path of an N-PDU", "page      docs/decisions/bypass.md:1 "]),
    ("bss_target", ["key       lua/node/schema_queues.lua:"]),
    ("pasing", ["! where.sh: nothing is named 'pasing'; did you mean paging"]),
    ("x'y z", ["! where.sh: nothing is named 'x'y z'"]),
]
# arguments of scripts/walk.py, its status, lines that it prints in their order
WALKS = [
    (["budget_take"], 0, ["   1  budget_take() ", "dataplane/base/budget"]),
    (["gn_rx_receive", "--depth", "1"], 0, ["   1  gn_rx_receive() ", "   2    port_receive() ", "admission_queue() "]),
    (["worker_step()", "--stop", "gn_rx_receive"], 0, ["gn_rx_receive() ", "dataplane/worker/gn_rx.c:"]),
    (["gb_bssgp.receive", "--depth", "1"], 0, ["   1  gb_bssgp.receive() ", "on_status() "]),
    (["gn_rx_recive"], 1, ["no function gn_rx_recive; did you mean gn_rx_receive"]),
    ([], 2, ["name a function, or --write"]),
]


class Places(unittest.TestCase):
    def test_of_nouns(self):
        for noun, expected in PLACES:
            with self.subTest(noun=noun):
                done = subprocess.run([os.path.join(SCRIPTS, "where.sh"), *noun.split()], capture_output=True, text=True, check=False)
                lines = [line for line in done.stdout.splitlines() + [f"! {line}" for line in done.stderr.splitlines()]]
                for text in expected:
                    self.assertTrue(any(line.startswith(text) for line in lines), (text, lines))
                self.assertEqual(done.returncode, int(expected[0].startswith("!")))

    def test_walks(self):
        for arguments, status, expected in WALKS:
            with self.subTest(arguments=arguments):
                done = run("walk.py", *arguments)
                self.assertEqual(done.returncode, status, done.stderr)
                said, at = done.stdout + done.stderr, 0
                for text in expected:
                    self.assertIn(text, said[at:])
                    at = said.index(text, at)


class Told(unittest.TestCase):
    def test_rows(self):
        for arguments, status, text in TOLD:
            with self.subTest(arguments=arguments):
                done = subprocess.run([os.path.join(SCRIPTS, arguments[0]), *arguments[1:]], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, text in done.stderr), (status, True), done.stderr)

    def test_the_notes_of_the_release_are_its_section_alone(self):
        root = pathlib.Path(SCRIPTS).parent
        version = re.search(r"version: '([^']+)'", (root / "meson.build").read_text(encoding="utf-8")).group(1)
        with tempfile.TemporaryDirectory() as folder:
            released = pathlib.Path(folder, "released")
            shutil.copytree(SCRIPTS, released / "scripts")
            for name in ("CHANGELOG.md", "meson.build"):
                shutil.copy(root / name, released)
            (released / "VERSION").write_text(f"{version}\nunknown\n", encoding="ascii")
            subprocess.run([released / "scripts/release.sh", "v" + version, "--out", folder], check=True)
            notes = pathlib.Path(folder, "notes.md").read_text(encoding="utf-8")
        self.assertGreater(len(notes.splitlines()), 12)
        self.assertNotRegex(notes, r"(?m)^## ")
        self.assertRegex(notes, r"(?m)^### ")


# what dpkg-query prints, the version that the table has
VERSIONS = [
    ("1.9.0-3+b1", "1.9.0"),
    ("1.5.0+dfsg1-3+b1", "1.5.0"),
    ("2:2.12.1~rc1-4", "2.12.1"),
    ("156.0.8078.108-1~deb12u1", "156.0.8078.108"),
    ("", "missing"),
]


class Versions(unittest.TestCase):
    def test_rows(self):
        for said, expected in VERSIONS:
            with self.subTest(said=said), mock.patch.object(tested, "out", return_value=said):
                self.assertEqual(tested.version_of("a-package"), expected)

    def test_what_did_not_pass_is_named(self):
        results = {test: "OK" for row in tested.ROWS for test in row[3]}
        self.assertEqual(tested.table(results)[1], [])
        results |= {"interop pcu_kills": "SKIP"}
        del results["quic"]
        self.assertEqual(tested.table(results)[1], ["osmo-pcu: interop pcu_kills: SKIP", "ngtcp2: quic: did not run"])

    def test_a_block_is_written_where_it_is_and_nowhere_else(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.md"
            page.write_text(f"before\n<!-- begin measured: {tested.COMMAND} -->\nold\n<!-- end measured -->\nbehind\n", encoding="utf-8")
            tested.write(page, ["new", "lines"])
            self.assertRegex(page.read_text(encoding="utf-8"),
                             r"^before\n<!-- begin measured: .* -->\nnew\nlines\n<!-- end measured, sha256 [0-9a-f]{8} -->\nbehind\n$")
            page.write_text("no block\n", encoding="utf-8")
            with self.assertRaises(SystemExit):
                tested.write(page, ["new"])


class Pictures(unittest.TestCase):
    def test_what_is_no_gbflow_is_said(self):
        for program in ("/nope", "/bin/false"):
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([os.path.join(SCRIPTS, "pictures.sh"), "top"], capture_output=True, text=True, check=False,
                                      env={**os.environ, "GBFLOW": program, "PICTURES": folder})
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, rf"^pictures.sh: \S*{program[4:]}: is no gbflow: build it \(ninja -C build\), or set GBFLOW\n$")


if __name__ == "__main__":
    unittest.main()
