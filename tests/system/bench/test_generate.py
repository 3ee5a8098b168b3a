# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench generate` against `gbflow serve` over memif, without rights and without huge pages: the node file fits, and
all that is sent comes."""
import json
import os
import pwd
import subprocess
import tempfile
import time

from harness import GBFLOW, Case

POINT = ["--mobiles", "300", "--cells", "7", "--pages", "small"]
NOBODY = pwd.getpwnam("nobody").pw_uid if os.getuid() == 0 else None
UP_S = 40
RING = 1024  # frames


class Generate(Case):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="gbflow-generate-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        os.chmod(folder.name, 0o777)
        self.folder, self.node = folder.name, os.path.join(folder.name, "node.lua")
        self.link = f"generate{os.getpid()}.{id(self) & 0xffff}"

    def call(self, *words, **how):
        return subprocess.run([GBFLOW, *words], capture_output=True, text=True, timeout=200, check=False, user=NOBODY,
                              env=dict(os.environ, XDG_RUNTIME_DIR=self.folder), **how)

    def write_node(self, *more):
        done = self.call("bench", "node", self.node, "--set", "link=" + self.link, *POINT, *more)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.node, encoding="utf-8") as file:
            return file.read()

    def serve(self):
        """A node of the file; ends with the test."""
        log = os.path.join(self.folder, "log")
        with open(log, "w", encoding="utf-8") as file:
            process = subprocess.Popen([GBFLOW, "serve", self.node, "--json", os.path.join(self.folder, "final.json")],
                                       stdout=subprocess.DEVNULL, stderr=file, user=NOBODY,
                                       env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
        self.addCleanup(self.stop, process)
        end = time.monotonic() + UP_S
        while time.monotonic() < end and process.poll() is None:
            with open(log, encoding="utf-8") as file:
                text = file.read()
            if "running" in text:
                return process
            time.sleep(0.05)
        self.fail("the node does not run: " + text)

    @staticmethod
    def stop(process):
        if process.poll() is None:
            process.terminate()
        process.wait(20)

    def test_without_a_node(self):
        """It says what has to run."""
        self.write_node()
        process = subprocess.Popen([GBFLOW, "bench", "generate", "--set", "link=" + self.link, *POINT, "--rate", "10", "--seconds", "1"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, user=NOBODY,
                                   env=dict(os.environ, XDG_RUNTIME_DIR=self.folder))
        self.addCleanup(process.stderr.close)
        self.addCleanup(self.stop, process)
        for line in process.stderr:
            if "no node runs at the other ends of Gn and Gb" in line:
                self.assertIn("gbflow serve node.lua", line)
                return
        self.fail("it ended without a word")

    def generate(self, *more):
        """The trial of a run that must succeed."""
        path = os.path.join(self.folder, "report.json")
        done = self.call("bench", "generate", "--set", "link=" + self.link, "--json", path, "--set", "gap_us=5000000", *POINT, *more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        with open(path, encoding="utf-8") as file:
            trial, = json.load(file)["trials"]
        self.assertEqual((trial["mode"], trial["mobiles"], trial["cells"]), ("generate", 300, 7))
        self.assertEqual((trial["wrong_fcs"], trial["reordered"]), (0, 0))
        return trial

    def check_all_came(self, trial, frames_each, process):
        self.assertGreater(trial["offered"], 50)
        # All frames of a run fit in a ring: nothing is lost on the way, however long a process is away.
        self.assertLess(trial["frames_expected"], RING)
        # What found no room while the node was away is lost; all else comes.
        if trial["frames_received"] < trial["frames_expected"] - frames_each * trial["tx_ring_full"]:
            self.fail(f"{trial}\nthe node: {self.final(process)}")
        self.assertAlmostEqual(trial["loss"], 1 - trial["frames_received"] / trial["frames_expected"], places=6)

    def final(self, process):
        self.stop(process)
        with open(os.path.join(self.folder, "final.json"), encoding="utf-8") as file:
            return json.load(file)

    def test_all_that_is_sent_comes(self):
        text = self.write_node()
        self.assertEqual(self.call("check", self.node).returncode, 0)
        self.assertIn("serve", text)
        process = self.serve()
        trial = self.generate("--octets", "64", "--rate", "800", "--seconds", "1", "--check-fcs")
        self.check_all_came(trial, 1, process)
        self.assertEqual(trial["frames_expected"], trial["offered"])
        self.assertIsNone(trial["ndr_npdu_per_s"])
        self.assertGreater(trial["latency_us"]["p50"], 0)
        # The generator goes and comes again: Gb comes up anew.
        trial = self.generate("--octets", "1400", "--rate", "300", "--seconds", "1", "--check-fcs")
        self.check_all_came(trial, 3, process)
        self.assertEqual(trial["frames_expected"], 3 * trial["offered"])

    def test_ciphered_with_strangers_teids(self):
        more = ["--cipher", "gea3", "--set", "teids=foreign"]
        self.assertIn("teid = i + 1", self.write_node(*more))
        process = self.serve()
        trial = self.generate("--octets", "imix", "--rate", "600", "--seconds", "1", *more)
        self.assertAlmostEqual(trial["frames_expected"] / trial["offered"], 1.5, delta=0.1)
        self.check_all_came(trial, 3, process)
        self.assertIsNone(trial["latency_us"]["p50"])

    def test_two_workers_with_a_queue_each(self):
        """Queue n of both ports carries the traffic of worker n alone."""
        text = self.write_node("--workers", "2")
        self.assertIn("workers = 2,", text)
        with open(self.node, "w", encoding="utf-8") as file:
            file.write(text.replace('idle = "poll"', 'idle = "sleep"'))  # two workers and a generator, on two processors
        process = self.serve()
        trial = self.generate("--octets", "imix", "--rate", "600", "--seconds", "1", "--check-fcs", "--workers", "2")
        self.assertEqual(trial["workers"], 2)
        done = self.call("show", "workers", "--json", "--prefix", "gbflow-generate")
        self.assertEqual(done.returncode, 0, done.stderr)
        workers = json.loads(done.stdout)
        self.assertEqual(len(workers), 2)
        for worker in workers:
            self.assertGreater(min(worker["gn_own"], worker["gb_own"], worker["npdu_out"]), 0)
            self.assertEqual((worker["gn_steered"], worker["gb_steered"]), (0, 0))
        self.check_all_came(trial, 3, process)

    def test_a_search(self):
        self.write_node()
        self.serve()
        trial = self.generate("--octets", "64", "--seconds", "10", "--trial-ms", "5")
        self.assertGreater(trial["ndr_npdu_per_s"], 0)
        self.assertGreaterEqual(trial["pdr_npdu_per_s"], trial["ndr_npdu_per_s"])
        self.assertGreater(trial["tried_trials"], 2)

    def test_ports_and_addresses_of_the_node(self):
        text = self.write_node("--gn", "0000:01:00.0", "--gb", "net_af_packet0,iface=eth1")
        self.assertIn('port = "0000:01:00.0", mtu = "1536 octets"', text)
        self.assertIn('port = "net_af_packet0,iface=eth1"', text)

    def test_wrong_arguments_are_refused(self):
        for more, say in ((["--octets", "64,512"], "--octets takes one value without --rfc2544; 2 given"),
                          (["--serve"], "need --rfc2544"), (["--rfc2544", "--rate", "5"], "give one of them"),
                          (["--rfc2544", "--node-gn", "a"], "--node-gn and --node-gb need --serve"),
                          (["--rfc2544", "--gn", "a"], "--gn and --gb are given together"),
                          (["--rfc2544", "--serve", "--gn", "a", "--gb", "b"], "are given together, or none"),
                          (["--rfc2544", "--testpmd", "--roofline", "a"], "not with --testpmd"), (["--cells", "5000"], "from 1 to 4096, not 5000"),
                          (["--set", "gn_mac=02:00"], "gn_mac takes a MAC address, 02:00:00:00:00:01, not 02:00"),
                          (["--set", "gb_mac=02:00:00:00:00:01:02"], "gb_mac takes a MAC address"),
                          (["--rate", "0"], "--rate takes 1 to 1000000000 N-PDU/s, not 0"),
                          (["--workers", "1,2"], "--workers takes one value, not 1,2"), (["--workers", "8"], "from 1 to 7, not 8"),
                          (["--workers", "3", "--cells", "2"], "each worker needs a cell: 3 workers, 2 cells"),
                          (["--rfc2544", "--workers", "2"], "--rfc2544 measures a node with one worker, not 2"),
                          (["--gn", "x" * 300], "--gn takes up to")):
            with self.subTest(more=more):
                self.refuse("generate", *more, say=say)
        for more, say in (([], "it takes one file to write, NODE.lua; 0 given"), (["a", "b"], "2 given"),
                          (["a", "--mobiles", "1,2"], "--mobiles takes one value, not 1,2")):
            with self.subTest(more=more):
                self.refuse("node", *more, say=say)
        done = self.call("bench", "node", "/nowhere/node.lua")
        self.assertEqual(done.returncode, 1)
        self.assertIn("/nowhere/node.lua", done.stderr)
