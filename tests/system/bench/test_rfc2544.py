# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench generate --rfc2544` over memif, without huge pages: the node and dpdk-testpmd by one command, by the commands that it
prints, and runs that end early. Nothing here looks at how fast anything was."""
import html.parser
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

from harness import GBFLOW, Case

# A node that waits for its CPU loses frames at any load: trials are short, gaps void none, and a search ends soon.
POINT = ["--mobiles", "300", "--cells", "7", "--pages", "small"]
QUICK = ["--trial-ms", "2", "--seconds", "20", "--set", "bursts=2", "--set", "gap_us=5000000"]
PAGE = pathlib.Path(__file__).parents[3] / "docs" / "benchmark-setup.md"
TRIES = 3
NOTHING = "the machine is too busy for any rate without loss"


class Text(html.parser.HTMLParser):
    """The text of a page, and what it would load."""

    def __init__(self):
        super().__init__()
        self.texts, self.loads = [], []

    def handle_data(self, data):
        self.texts.append(data)

    def handle_starttag(self, tag, attrs):
        self.loads += [value for name, value in attrs if name in ("src", "href") and value and not value.startswith("#")]


class Rfc2544(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-rfc2544-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.json, self.page = os.path.join(self.folder, "report.json"), os.path.join(self.folder, "page.html")
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder)
        self.link = f"rfc2544-{os.getpid()}-{id(self) & 0xffff}"

    def start(self, *words, **how):
        process = subprocess.Popen(words, text=True, env=self.environment, start_new_session=True, **how)
        self.addCleanup(self.stop, process)
        return process

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.kill()
        process.wait(20)
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()

    def bench(self, *more):
        return subprocess.run([GBFLOW, "bench", "generate", "--rfc2544", *POINT, "--json", self.json, *more], capture_output=True,
                              text=True, timeout=280, check=False, env=self.environment)

    def read(self):
        with open(self.json, encoding="utf-8") as file:
            return json.load(file)

    def need_testpmd(self):
        if not shutil.which("dpdk-testpmd"):
            self.skipTest("dpdk-testpmd is missing (package dpdk-dev)")

    def check_entry(self, trial):
        """Where a rate was found, all that follows from it is there."""
        self.assertEqual((trial["mode"], trial["mobiles"], trial["cells"], trial["wrong_fcs"], trial["reordered"]), ("rfc2544", 300, 7, 0, 0))
        self.assertGreater(trial["tried_trials"], 0)
        if not trial["complete"]:
            return False
        self.assertGreaterEqual(trial["pdr_npdu_per_s"], trial["ndr_npdu_per_s"])
        self.assertEqual([level["percent"] for level in trial["latency_at"]], [10, 50, 90])
        for level in trial["latency_at"]:
            known = [level[field] for field in ("p50", "p90", "p99", "p99_9", "most") if level["npdus"] > 0]
            self.assertEqual(known, sorted(known))
        return True

    def check_node(self, trial):
        burst, recovery = trial["back_to_back"], trial["recovery"]
        self.assertEqual(burst["searches"], 2)
        self.assertTrue(0 <= burst["least"] <= burst["npdus"] <= burst["most"] <= burst["limit_npdus"], burst)
        self.assertGreater(recovery["overload_npdu_per_s"], recovery["then_npdu_per_s"])
        self.assertEqual(recovery["recovery_us"] > 0, recovery["npdus_lost_after"] > 0)
        self.assertGreater(recovery["resolution_us"], 0)

    def check_machine(self, report):
        self.assertEqual(report["schema"], "gbflow-bench/2")
        for field in ("microcode", "hypervisor", "bios", "board", "product", "kernel_command_line", "governor", "huge_pages_2m", "numa_nodes"):
            self.assertIn(field, report["machine"])
        for side in ("gn", "gb"):
            port = report["ports"][side]
            self.assertEqual((port["driver"], port["kind"], port["bus"]), ("net_memif", "virtual", "vdev"))
            self.assertGreater(port["mtu"], 0)

    def check_page(self, words):
        with open(self.page, encoding="utf-8") as file:
            text = file.read()
        page = Text()
        page.feed(text)
        self.assertEqual(page.loads, [])
        for word in words:
            self.assertIn(word, "".join(page.texts))
        self.assertIn('id="rfc2544-rates', text)

    def test_one_command(self):
        """Table, JSON and page of the node and of testpmd; nothing is left behind."""
        self.need_testpmd()
        before = set(os.listdir("/tmp"))
        for _ in range(TRIES):
            done = self.bench("--serve", "--check-fcs", "--octets", "64,1500,imix", "--html", self.page, *QUICK)
            report = self.read()
            if all(trial["complete"] for trial in report["trials"]):
                break
        trials = report["trials"]
        self.assertIn(done.returncode, (0, 1), done.stderr)
        self.assertEqual(done.returncode == 0, report["stopped"] is None, done.stderr)
        self.check_machine(report)
        self.assertEqual([(trial["dut"], trial["octets"]) for trial in trials],
                         [(dut, octets) for dut in ("node", "testpmd") for octets in (64, 1500, "imix")], done.stderr)
        pairs = [pair for pair in zip(trials[:3], trials[3:]) if all([self.check_entry(trial) for trial in pair])]
        if not pairs:
            self.skipTest(NOTHING)
        for node, testpmd in pairs:
            self.check_node(node)
            self.assertEqual((testpmd["back_to_back"], testpmd["recovery"]), (None, None))
            self.assertEqual(node["roofline_npdu_per_s"], testpmd["ndr_npdu_per_s"])
            self.assertRegex(done.stdout, rf"(?m)^node +{node['octets']} +{node['gn']['frame_octets']:.0f} +(>=)?{node['ndr_npdu_per_s']:.0f} ")
            self.assertRegex(done.stdout, rf"(?m)^{node['octets']} .* {100 * node['roofline_share']:.0f}%(  NOT VALID.*)?$")
        self.assertEqual([trial["frames_per_npdu"] for trial in trials], [1, 4, 1.5, 1, 1, 1])
        self.check_page(["A running node by N-PDU size", "Recovery after overload", "The longest burst without loss", "net_memif",
                         "no card: a virtual port"])
        left = [name for name in set(os.listdir("/tmp")) - before if name.startswith("gbflow-bench-")]
        self.assertEqual(left, [])

    def printed(self, *more):
        """A run that waits for the other side, and the commands that it prints."""
        process = self.start(GBFLOW, "bench", "generate", "--rfc2544", *POINT, "--set", "link=" + self.link, "--octets", "64", "--json",
                             self.json, *QUICK, *more, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        commands = []
        for line in process.stderr:
            if line.startswith("  "):
                commands.append(shlex.split(line))
            if commands and commands[-1][0] == "dpdk-testpmd" or commands and commands[-1][:2] == ["gbflow", "serve"]:
                return process, commands
        self.fail("it ended without a command: " + process.stdout.read())
        return None

    def run_printed(self, commands):
        for command in commands:
            command = [GBFLOW if word == "gbflow" else word for word in command]
            if "serve" in command or command[0] == "dpdk-testpmd":
                log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")  # pylint: disable=consider-using-with
                self.addCleanup(log.close)
                return self.start(*command, cwd=self.folder, stdin=subprocess.PIPE, stdout=log, stderr=log)
            self.assertEqual(subprocess.run([*command, "--pages", "small"], cwd=self.folder, env=self.environment, check=False).returncode, 0)
        return None

    def test_commands_for_another_machine(self):
        """The commands that it prints are run as they stand; testpmd's report becomes the roofline of the node's."""
        self.need_testpmd()
        roofline = os.path.join(self.folder, "testpmd.json")
        process, commands = self.printed("--testpmd")
        testpmd = self.run_printed(commands)
        output, errors = process.communicate(timeout=200)
        trial, = self.read()["trials"]
        self.assertEqual(trial["dut"], "testpmd", output + errors)
        os.rename(self.json, roofline)
        self.stop(testpmd)
        process, commands = self.printed("--roofline", roofline)
        self.run_printed(commands)
        output, errors = process.communicate(timeout=200)
        node, = self.read()["trials"]
        self.assertEqual((node["dut"], node["roofline_npdu_per_s"]), ("node", trial["ndr_npdu_per_s"]), output + errors)

    def test_interrupted(self):
        """SIGINT, as Ctrl-C sends it: what was measured is written, and no process is left."""
        process = self.start(GBFLOW, "bench", "generate", "--rfc2544", "--serve", "--no-roofline", *POINT, "--octets", "64,512", "--trial-s", "1",
                             "--json", self.json, "--html", self.page, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for line in process.stderr:
            if "NDR and PDR" in line:
                break
        time.sleep(3)
        children = self.children_of(process.pid)
        self.assertEqual(len(children), 1)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1, errors)
        self.assertIn("stopped: interrupted", output)
        report = self.read()
        self.assertEqual(report["stopped"], "interrupted")
        self.assertLessEqual(len(report["trials"]), 1)
        self.assertFalse(any(trial["complete"] for trial in report["trials"]))
        self.assertTrue(os.path.exists(self.page))
        self.assertFalse([pid for pid in children if os.path.exists(f"/proc/{pid}")])

    @staticmethod
    def children_of(pid):
        with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
            return file.read().split()

    def test_the_node_does_not_start(self):
        done = self.bench("--serve", "--no-roofline", "--octets", "64", "--gn", "net_null0", "--gb", "net_null1",
                          "--node-gn", "net_af_packet0,iface=nowhere0", "--node-gb", "net_af_packet1,iface=nowhere1")
        self.assertEqual(done.returncode, 1)
        said = re.search(r"gbflow bench generate: (gbflow serve ended with status 1: .*'nowhere0'; its output is in (\S+))\n", done.stderr)
        self.assertTrue(said, done.stderr)
        self.addCleanup(os.unlink, said[2])
        self.assertIn("'nowhere0'", pathlib.Path(said[2]).read_text(encoding="utf-8"))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual((self.read()["trials"], self.read()["stopped"]), ([], said[1]))

    def test_the_walk_of_the_page(self):
        """The command of docs/benchmark-setup.md, "Try it here first", as it stands, with short trials."""
        self.need_testpmd()
        section = PAGE.read_text(encoding="utf-8").split("### Try it here first\n")[1].split("\n### ")[0]
        command, = re.findall(r"^    (gbflow .*)$", section, re.MULTILINE)
        words = [GBFLOW, *shlex.split(command)[1:], *QUICK]
        done = subprocess.run(words, capture_output=True, text=True, timeout=280, check=False, env=self.environment, cwd=self.folder)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        with open(os.path.join(self.folder, "try.json"), encoding="utf-8") as file:
            trials = json.load(file)["trials"]
        self.assertEqual([(trial["dut"], trial["octets"]) for trial in trials], [("node", 64), ("node", "imix"), ("testpmd", 64), ("testpmd", "imix")])
        self.page = os.path.join(self.folder, "try.html")
        self.check_page(["no card: a virtual port"])

    def test_each_command_of_the_page_is_parsed(self):
        """Options of all commands of the page, --help behind them: nothing runs."""
        text = PAGE.read_text(encoding="utf-8").replace("\\\n", " ")
        commands = re.findall(r"^ +(?:taskset -c \S+ )?gbflow (bench generate [^>\n]*)$", text, re.MULTILINE)
        self.assertGreaterEqual(len(commands), 5)
        for command in commands:
            with self.subTest(command=command):
                words = shlex.split(command)
                done = subprocess.run([GBFLOW, *words, "--help"], capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_marks_of_the_summary(self):
        """Testpmd's rate of a report that says that it is neither valid nor finished."""
        path = os.path.join(self.folder, "testpmd.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"trials": [{"dut": "testpmd", "octets": 64, "ndr_npdu_per_s": 1e9, "pdr_npdu_per_s": 1e9, "valid": False,
                                   "search_finished": False}]}, file)
        done = self.bench("--serve", "--octets", "64", "--roofline", path, *QUICK)
        trials = self.read()["trials"]
        self.assertEqual(len(trials), 1, done.stderr)
        mark = ("" if trials[0]["valid"] else "!") + (">=" if trials[0]["ndr_is_least"] else "")
        self.assertRegex(done.stdout, rf"(?m)^64 +{mark}{trials[0]['ndr_npdu_per_s'] or 0:.0f} +!>=1000000000 ")
        self.assertIn("!: not valid; >=: the search did not end in time", done.stdout)
        self.assertEqual(trials[0]["valid"], trials[0]["not_valid_because"] is None)

    def test_reports_that_are_no_roofline(self):
        path = os.path.join(self.folder, "none.json")
        with open(path, "w", encoding="utf-8") as file:
            file.write("{}")
        for given, say in ((path, "it has no trials"), ("/nowhere/r.json", "/nowhere/r.json")):
            done = self.bench("--serve", "--octets", "64", "--roofline", given, *QUICK)
            self.assertEqual(done.returncode, 1)
            self.assertRegex(done.stderr, "--roofline .*" + re.escape(say))


if __name__ == "__main__":
    unittest.main()
