# SPDX-License-Identifier: BSD-3-Clause
"""DPDK's own tools at a running node (docs/serve.md): dpdk-telemetry.py at any node; dpdk-proc-info and dpdk-dumpcap at one with eal.shared. And
EAL arguments of the command line."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

import node
import test_walk

PAGES = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")
NEEDED = 256  # pages of 2 MiB: of the node, and what the tools add
# Packets go down alone, for longer than a phone is READY by default.
SHARED = node.TEXT.replace('huge_pages = "no" }', 'huge_pages = "auto", shared = true, memory = "256 MiB" }').replace(
    'source = "list"', 'source = "list", ready_timer = "infinite"')


@contextlib.contextmanager
def huge_pages():
    """A mounted hugetlbfs with enough free pages; afterwards as many as before."""
    before = int(PAGES.read_text())
    free = int((PAGES.parent / "free_hugepages").read_text())
    taken = int((PAGES.parent / "surplus_hugepages").read_text())  # of processes that outlive a former reservation
    with tempfile.TemporaryDirectory(prefix="gbflow-huge-") as folder:
        try:
            PAGES.write_text(str(before + taken + max(0, NEEDED - free)))
            subprocess.run(["mount", "-t", "hugetlbfs", "-o", "pagesize=2M", "none", folder], check=True)
            yield int((PAGES.parent / "free_hugepages").read_text())
        finally:
            for left in pathlib.Path(folder).iterdir():  # a mount that a process elsewhere still has keeps no pages
                left.unlink()
            subprocess.run(["umount", "--lazy", folder], check=False)
            for _ in range(100):  # pages of a process that has just ended are free a moment later
                PAGES.write_text(str(before))
                if int(PAGES.read_text()) <= before:
                    break
                time.sleep(0.1)


class Arguments(unittest.TestCase):
    def test_behind_two_dashes(self):
        running = node.Node(gn="net_ring0", gb="net_ring1", words=("--", "--log-level=lib.eal:debug"))
        self.addCleanup(running.kill)
        running.wait_for("^EAL: .*lcore")
        self.assertEqual(running.stop(), 0)

    def test_unknown_and_too_many(self):
        for words, status, pattern in ((("--", "--no-such-argument"), 1, "DPDK does not start"),
                                       (("--", *["--no-hpet"] * 40), 2, "at most 32 EAL arguments"),
                                       (("--", "x" * 300), 2, "of 255 characters"), (("--", "junk"), 1, "'junk': not an EAL argument"),
                                       (("--", "--proc-type", "secondary"), 1, "--proc-type: gbflow sets it"),
                                       (("--", "--file-prefix=a"), 1, "--file-prefix=a: gbflow sets it"),
                                       (("--", "--vdev", "net_null7"), 1, "--vdev: gbflow sets it")):
            with self.subTest(words[1][:20]):
                failed = node.Node(gn="net_ring0", gb="net_ring1", words=words)
                self.addCleanup(failed.kill)
                self.assertEqual(failed.finish(), status, failed.lines)
                self.assertRegex("\n".join(failed.lines), pattern)


@unittest.skipUnless(shutil.which("dpdk-telemetry.py"), "no dpdk-telemetry.py: package dpdk")
class Telemetry(unittest.TestCase):
    def test_ports(self):
        running = node.Node(gn="net_ring0", gb="net_ring1")
        self.addCleanup(running.kill)
        running.wait_for("running")
        done = subprocess.run(["dpdk-telemetry.py", "-f", running.prefix], input="/ethdev/list\n/ethdev/info,0\nquit\n",
                              capture_output=True, text=True, check=False, timeout=60, env=running.environment())
        self.assertIn('"/ethdev/list": [0, 1]', " ".join(done.stdout.split()), done.stderr)
        self.assertIn("net_ring", done.stdout)
        self.assertEqual(running.stop(), 0)


# A secondary process of DPDK maps the node's memory at the node's address, where its own random layout may have something else. It
# ends then, the next one is laid out elsewhere.
TAKEN, TRIES = "Cannot get a virtual area at requested address", 8


@unittest.skipUnless(os.geteuid() == 0, "mounting hugetlbfs needs root")
@unittest.skipUnless(shutil.which("dpdk-dumpcap"), "no dpdk-dumpcap: package dpdk")
class Attached(test_walk.Case):
    def setUp(self):
        pages = self.enterContext(huge_pages())
        if pages < NEEDED:
            self.skipTest(f"{pages} of {NEEDED} huge pages could be reserved: memory is fragmented")
        super().setUp()

    def attach(self, play):
        """Each try has a node of its own: a process that ends by TAKEN leaves a lock held in the memory that it shares with the
        node, and the next one would wait for it for ever. play() returns what the process said."""
        for _ in range(TRIES):
            self.node = node.Node(self.lab, text=SHARED)
            self.addCleanup(self.node.kill)
            self.node.wait_for("running")
            if TAKEN not in play():
                return
            self.node.kill()
        self.fail(f"{TRIES} times: {TAKEN}")

    def test_proc_info(self):
        self.attach(self.proc_info)
        self.assertEqual(self.node.stop(), 0)

    def proc_info(self):
        done = subprocess.run(["dpdk-proc-info", f"--file-prefix={self.node.prefix}", "--log-level=error", "--", "--stats"],
                              capture_output=True, text=True, check=False, timeout=60, env=self.node.environment())
        if TAKEN not in done.stderr:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.count("NIC statistics for port"), 2, done.stdout)
        return done.stderr

    def capture(self, file):
        """Status and words of a dpdk-dumpcap that ends after ten packets and those that came with the tenth, and the N-PDUs that
        passed meanwhile."""
        reader = subprocess.Popen(["dpdk-dumpcap", f"--file-prefix={self.node.prefix}", "-i", "net_af_packet0", "-c", "10", "-P",
                                   "-w", file, "-f", "udp"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=self.node.environment())
        self.addCleanup(reader.wait, 10)
        self.addCleanup(reader.kill)
        sent, end = [], time.monotonic() + 2 * node.START_S
        while reader.poll() is None and time.monotonic() < end:  # until the reader has begun, nothing is captured
            sent.append(self.down(100, len(sent)))
            self.assertEqual(self.bss.packet(node.TLLI), sent[-1])
            time.sleep(0.05)
        out, error = reader.communicate(timeout=60)
        return reader.returncode, out + error, sent

    def test_dumpcap(self):
        """N-PDUs pass while dpdk-dumpcap reads Gn: from its first one on it has each, as it was sent."""
        self.attach(self.dumpcap)
        self.check_down(1000, 7)
        self.assertEqual(self.node.stop(), 0)

    def dumpcap(self):
        file = os.path.join(self.node.holder.name, "gn.pcap")
        self.open_ends()
        self.bss.bring_up()
        status, words, sent = self.capture(file)
        if TAKEN in words:
            self.bss.close()
            self.ggsn.close()
            return words
        self.assertEqual(status, 0, words)
        captured = pathlib.Path(file).read_bytes()
        found = [number for number, packet in enumerate(sent) if packet in captured]
        self.assertGreaterEqual(len(found), 10, words)
        self.assertEqual(found, list(range(found[0], found[0] + len(found))), words)
        return words


class Refused(unittest.TestCase):
    def test_without_huge_pages(self):
        failed = node.Node(gn="net_ring0", gb="net_ring1", text=SHARED.replace('huge_pages = "auto"', 'huge_pages = "no"'))
        self.addCleanup(failed.kill)
        self.assertEqual(failed.finish(), 1)
        self.assertRegex("\n".join(failed.lines), "eal.shared: it needs .* MiB of huge pages")


if __name__ == "__main__":
    unittest.main()
