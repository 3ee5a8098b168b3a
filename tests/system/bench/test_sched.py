# SPDX-License-Identifier: BSD-3-Clause
"""`gbflow bench sched`: both schedulers have the load that a row names, and no step of rte_sched is left out."""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from harness import GBFLOW, Case, run

HUGE_PAGES = sum(int(file.read_text(encoding="utf-8")) for file in pathlib.Path("/sys/kernel/mm/hugepages").glob("*/nr_hugepages"))

FREE_PAGES = pathlib.Path("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages")
COVERED = f"""mount --bind "$1/free" {FREE_PAGES}
mount --bind "$1/present" /proc/sys/vm/nr_hugepages
exec "$2" bench sched --mobiles 64 --pages huge"""

LOADS = ["5 %", "90 %", "120 %", "120 %, unequal cells", "backlogged", "backlogged, unequal cells", "backlogged, 5 % more steps",
         "backlogged, rte_sched without rates", "backlogged, cells open"]


class Sched(Case):
    def test_loads(self):
        trials = self.measure("sched", "--mobiles", "512", "--rounds", "2", "--set", "counted_steps=0")["trials"]
        qdiscs = [trials.pop(), trials.pop()]
        self.assertEqual([trial["load"] for trial in trials], LOADS)
        for qdisc in qdiscs:
            self.assertEqual((qdisc["mode"], qdisc["classes"]), ("qdisc", 512))
            self.assertNotEqual(qdisc["fault"] is None, qdisc["with_ns"] is None)
        for trial in trials:
            with self.subTest(trial["load"]):
                self.assertEqual((trial["mode"], trial["mobiles"], trial["rounds"], trial["fault"]), ("sched", 512, 2, None))
                self.assertTrue(all(trial[field]["median"] > 0 for field in ("gbflow_ns", "rte_all_ns", "rte_full_ns", "ratio_all", "ratio_full")))
        light, busy, over, _, backlogged, _, more, free, _ = trials
        self.assertEqual((light["gbflow_sent_share"], light["rte_sent_share"], light["rte_full_steps_share"]), (1, 1, 1))
        self.assertGreater(busy["rte_sent_share"], 0.99)
        # What the rates let through, and so steps that found less than a burst, are the same on any machine: the clock is set.
        self.assertAlmostEqual(over["gbflow_sent_share"], 100 / 120, delta=0.01)
        self.assertAlmostEqual(over["rte_sent_share"], 100 / 120, delta=0.01)
        self.assertAlmostEqual(over["rte_full_steps_share"], 0.8, delta=0.05)
        self.assertGreater(backlogged["rte_full_steps_share"], 0.99)
        self.assertAlmostEqual(more["rte_full_steps_share"], 100 / 105, delta=0.01)
        self.assertEqual(free["rte_full_steps_share"], 1)

    def test_qdiscs_once(self):
        trials = self.measure("sched", "--mobiles", "128,64,64", "--rounds", "1", "--set", "counted_steps=0")["trials"]
        self.assertEqual([(trial["mode"], trial.get("classes")) for trial in trials],
                         [("sched", None)] * 3 * len(LOADS) + [("qdisc", 128)] * 2)

    def test_refused(self):
        self.refuse("sched", "--mobiles", "1000", say="--mobiles takes powers of 2, as rte_sched has pipes, not 1000")
        self.refuse("sched", "--mobiles", "32", say="--mobiles takes whole numbers from 64 to 65536, not 32")
        self.refuse("sched", "--cores", "0,1", say="--cores takes one CPU, not 2")
        self.refuse("sched", "--cores", "4095", say="--cores: CPU 4095 is not in the process's affinity mask")

    @unittest.skipIf(HUGE_PAGES, "this machine has huge pages")
    def test_huge_pages(self):
        done = run("sched", "--mobiles", "64", "--pages", "huge")
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("gbflow: of 257 MiB of huge pages that are needed 0 MiB are free; reserve them (sysctl vm.nr_hugepages=129), or choose other "
                      "pages (eal.huge_pages, bench: --pages)", done.stderr)

    @unittest.skipIf(HUGE_PAGES or os.geteuid() or not FREE_PAGES.exists(), "this machine has huge pages, or their files cannot be covered")
    def test_huge_pages_that_are_missing(self):
        """With some pages; and where enough are free, what keeps DPDK from starting is something else."""
        advice = "of 257 MiB of huge pages that are needed"
        for free, words in ("28", f"{advice} 56 MiB are free; reserve them (sysctl vm.nr_hugepages=201), or"), ("1000", None):
            with self.subTest(free), tempfile.TemporaryDirectory() as folder:
                for name, number in ("free", free), ("present", "100"):
                    pathlib.Path(folder, name).write_text(number + "\n", encoding="utf-8")
                done = subprocess.run(["unshare", "--mount", "sh", "-ec", COVERED, "sh", folder, GBFLOW], capture_output=True, text=True, timeout=60,
                                      check=False)
                self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
                self.assertIn("gbflow: DPDK does not start", done.stderr)
                self.assertIn(words or "", done.stderr)
                self.assertEqual(advice in done.stderr, words is not None, done.stderr)

    def short_of(self, kib):
        """The words of a run that may have so much address space, and does not start."""
        limited = ["sh", "-c", 'ulimit -v "$1"; shift; exec "$@"', "sh", str(kib), GBFLOW, "bench", "sched"]
        done = subprocess.run(limited, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn(f"the limit of address space is {kib} KiB, needed are ", done.stderr)
        self.assertIn("; raise it (ulimit -v, LimitAS=)", done.stderr)
        return done.stderr

    def test_address_space(self):
        """DPDK ends the program where a thread's stack has no room."""
        needed = int(re.search(r"needed are (\d+);", self.short_of(300000)).group(1))
        for kib in range(600000, needed, 100000):
            self.short_of(kib)
        self.short_of(needed - 1000)
