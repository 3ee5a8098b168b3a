# SPDX-License-Identifier: BSD-3-Clause
"""gbflow doctor on machines that are planted, one fault each."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

from planted import CLOCK, CPU, FLAGS, GBFLOW, NODE, PAGES, PCI, Machine, driver
from planted import HAS_IPSEC_MB, TUN, XFRM  # of ESP

CAPTURE = pathlib.Path(__file__).resolve().parents[2] / "data/captures/gn-osmo-ggsn.pcap"


def without(*names):
    return " ".join(flag for flag in FLAGS.split() if flag not in names)


# What is done to a sound machine: the finding, its verdict, words of what is said, a word of the advice.
FAULTS = [
    (lambda m: m.cpu_flags(without("gfni")), "instructions", "warn", "VPCLMULQDQ, no GFNI: ciphering is by AVX2", "host"),
    (lambda m: m.cpu_flags(without("gfni", "avx2")), "instructions", "warn", "ciphering is by the portable code", "host"),
    (lambda m: m.cpu_flags(without("vpclmulqdq")), "instructions", "warn", "not all of AVX-512", "host"),
    (lambda m: m.cpu_flags(without("vpclmulqdq")), "instructions", "warn", "ciphering is by AVX-512", "host"),
    (lambda m: m.cpu_flags(without("vpclmulqdq", "pclmulqdq")), "instructions", "warn", "no PCLMULQDQ", "host"),
    (lambda m: m.cpu_flags(FLAGS + " hypervisor"), "machine", "warn", "virtual", "trials of the benchmark are void"),
    (lambda m: m.put(CLOCK, "hpet"), "clock source", "warn", "uses hpet", "clocksource=tsc"),
    (lambda m: m.take(CLOCK), "clock source", "warn", "an unknown one", "dmesg"),
    (lambda m: m.cpu_flags(without("nonstop_tsc")), "clock source", "warn", "stops", "do not rely"),
    (lambda m: m.put(f"{CPU}/cpu2/cpufreq/scaling_governor", "powersave"), "frequency", "warn",
     '1 of 4 CPUs are governed by "powersave"', "cpupower"),
    (lambda m: m.put(f"{CPU}/intel_pstate/no_turbo", "0"), "boost", "warn", "on", "no_turbo"),
    (lambda m: m.process(cpus="3"), "cores", "warn", "1 CPU", "sleep"),
    (lambda m: m.take("proc/self/status"), "cores", "warn", "unknown", "/proc"),
    (lambda m: m.put(f"{CPU}/isolated", ""), "isolation", "warn", "no CPU is isolated", "isolcpus="),
    (lambda m: m.put(f"{CPU}/nohz_full", "(null)"), "isolation", "warn", "2-3 are isolated, but", "nohz_full="),
    (lambda m: m.put(f"{CPU}/smt/active", "1"), "smt", "warn", "two CPUs are one core", "nosmt"),
    (lambda m: m.put("proc/meminfo", "MemAvailable: 200000 kB"), "memory", "missing", "195 MiB free", "huge"),
    (lambda m: m.take("proc/meminfo"), "memory", "missing", "unknown", "/proc"),
    (lambda m: m.pages(PAGES, 0, 0), "huge pages", "missing", "none", "nr_hugepages"),
    (lambda m: m.pages(PAGES, 1024, 3), "huge pages", "warn", "6 of 2048 MiB free", "hugepagesz=1G"),
    (lambda m: m.pages(f"{NODE}/node1/hugepages", 8, 0), "numa", "warn", "2 nodes, without free huge pages: node1",
     "nodeN"),
    (lambda m: m.process(locked="65536", capabilities="0"), "memlock", "warn", "64 KiB", "LimitMEMLOCK"),
    (lambda m: m.process(files="1024"), "open files", "warn", "1024, fewer", "LimitNOFILE"),
    (lambda m: m.process(capabilities="5000"), "rights", "warn", "no CAP_NET_RAW", "AmbientCapabilities"),
    (lambda m: m.process(capabilities="6000"), "rights", "warn", "no CAP_NET_ADMIN", "AmbientCapabilities"),
    (lambda m: m.take("usr/bin/python3"), "reports", "missing", "no python3", "matplotlib"),
    (lambda m: shutil.rmtree(m.root / "sys/kernel/iommu_groups"), "iommu", "missing", "off", "iommu=pt"),
    (lambda m: shutil.rmtree(m.root / "sys/bus/pci/drivers"), "vfio-pci", "missing", "not loaded", "modprobe"),
    (lambda m: shutil.rmtree(m.root / PCI), "card", "missing", "no network card", "net_memif"),
    (lambda m: m.card("0000:01:00.0", "ixgbe", interface="net/ens1"), "card", "warn",
     "0000:01:00.0: used by the kernel, driver ixgbe, interface ens1", "only if nothing else uses the interface"),
    (lambda m: m.card("0000:01:00.0", "virtio-pci", interface="virtio3/net/eth0"), "card", "warn",
     "interface eth0", "net_af_packet0,iface=eth0"),
    (lambda m: m.card("0000:01:00.0", "igb_uio"), "card", "warn", "for root only", "--bind=vfio-pci 0000:01:00.0"),
    (lambda m: m.card("0000:01:00.0", None), "card", "warn", "driver none", "dpdk-devbind.py"),
    (lambda m: m.take(driver("ipsec_mb")), "esp devices", "warn", "crypto_openssl alone", "librte-crypto-ipsec-mb"),
    (lambda m: [m.take(driver(name)) for name in ("ipsec_mb", "openssl")], "esp devices", "missing", "no crypto_aesni_gcm, crypto_aesni_mb or crypto_openssl", "librte-crypto-ipsec-mb"),
    (lambda m: m.take(XFRM), "esp ike", "missing", "no XFRM in this kernel", "esp.keys in place of esp.ike"),
    (lambda m: m.take(TUN), "esp ike", "missing", "no /dev/net/tun", "modprobe tun"),
]

# What is done to a sound machine and leaves it so.
SOUND = [
    (lambda m: shutil.rmtree(m.root / CPU / "intel_pstate"), "frequency", "performance, on all 4 CPUs"),
    (lambda m: [shutil.rmtree(m.root / CPU / f"cpu{cpu}") for cpu in range(4)], "frequency", "no governor"),
    (lambda m: m.pages(f"{NODE}/node1/hugepages", 8, 8), "numa", "2 nodes, each"),
    (lambda m: m.process(locked="65536"), "memlock", "without effect on a process with CAP_IPC_LOCK"),
    (lambda m: m.process(locked="4294967296", capabilities="0"), "memlock", "4096 MiB"),
    (lambda m: m.process(cpus="0,2-3,8"), "cores", "4 CPUs may be used: 0,2-3,8"),
    (lambda m: m.card("0000:01:00.0", "mlx5_core", interface="net/ens1"), "card", "driver mlx5_core, which DPDK and the kernel share"),
    (lambda m: m.take(driver("openssl")), "esp devices", "crypto_aesni_gcm, crypto_aesni_mb"),
    (lambda m: m.card("0000:02:00.0", "nvme", kind="0x010802"), "card", "0000:01:00.0: vfio-pci, NUMA node 0"),
]


class Doctor(unittest.TestCase):
    def setUp(self):
        self.machine = Machine()

    def tearDown(self):
        self.machine.folder.cleanup()

    def test_sound(self):
        run = self.machine.doctor("--json")
        said = json.loads(run.stdout)
        self.assertEqual(run.returncode, 0)
        self.assertEqual((said["schema"], said["usable"]), ("gbflow-doctor/1", True))
        self.assertEqual([f for f in said["findings"] if f["verdict"] != "ok" or f["advice"] or f["needed"]],
                         [
                             *([] if HAS_IPSEC_MB else self.machine.findings("esp ipsec_mb")),
                         ])
        self.assertEqual([f["name"] for f in said["findings"]],
                         ["instructions", "machine", "clock source", "frequency", "boost", "cores", "isolation", "smt",
                          "memory", "huge pages", "numa", "memlock", "open files", "rights", "reports", "iommu",
                          "vfio-pci", "card",
                          "esp ipsec_mb", "esp devices", "esp ike",
                          ])

    def test_faults(self):
        for change, name, verdict, what, advice in FAULTS:
            with self.subTest(name=name, what=what):
                self.tearDown()
                self.setUp()
                change(self.machine)
                found = self.machine.finding(name)
                self.assertEqual(found["verdict"], verdict)
                self.assertIn(what, found["what"])
                self.assertIn(advice, found["advice"])

    def test_differences_that_do_not_matter(self):
        for change, name, what in SOUND:
            with self.subTest(name=name, what=what):
                self.tearDown()
                self.setUp()
                change(self.machine)
                found = self.machine.finding(name)
                self.assertEqual((found["verdict"], found["advice"]), ("ok", ""))
                self.assertIn(what, found["what"])

    def test_no_iommu_mode(self):
        shutil.rmtree(self.machine.root / "sys/kernel/iommu_groups")
        self.machine.put("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y")
        self.assertEqual(self.machine.finding("iommu")["verdict"], "warn")

    def test_every_card_until_there_are_too_many(self):
        for slot in range(40):
            self.machine.card(f"0000:02:{slot // 8:02x}.{slot % 8}", "vfio-pci")
        cards = self.machine.findings("card")
        self.assertEqual(len(cards), 33)
        self.assertEqual(cards[-1]["what"], "and 9 more")

    def test_the_table_says_the_same(self):
        self.machine.pages(PAGES, 0, 0)
        run = self.machine.doctor()
        self.assertEqual(run.returncode, 0)
        self.assertIn("missing  huge pages     none;", run.stdout)
        self.assertIn("-> echo 1024 > /sys/kernel/mm", run.stdout)
        verdicts = [found["verdict"] for found in json.loads(self.machine.doctor("--json").stdout)["findings"]]
        ok, warnings = verdicts.count("ok"), verdicts.count("warn")
        self.assertTrue(run.stdout.endswith(f"{ok} ok, {warnings} to be warned of, 1 missing: gbflow can be used here\n"), run.stdout)

    def test_what_cannot_be_done_without(self):
        for change, name in ((lambda m: m.cpu_flags(without("sse4_2")), "instructions"),
                             (lambda m: m.put("proc/meminfo", "MemAvailable: 4096 kB"), "memory"),
                             (lambda m: m.put("proc/cpuinfo", "Features: asimd"), "instructions")):
            with self.subTest(name=name):
                self.tearDown()
                self.setUp()
                change(self.machine)
                run = self.machine.doctor()
                self.assertEqual(run.returncode, 1)
                self.assertIn(f"cannot be used here without: {name}", run.stdout)
                self.assertFalse(json.loads(self.machine.doctor("--json").stdout)["usable"])

    def test_nothing_there_at_all(self):
        shutil.rmtree(self.machine.root / "sys")
        shutil.rmtree(self.machine.root / "proc")
        run = self.machine.doctor("--json")
        self.assertEqual(run.returncode, 1)
        self.assertIn("card", [f["name"] for f in json.loads(run.stdout)["findings"]])

    def test_wrong_arguments(self):
        for arguments in (["--nothing"], ["word"], ["--sysroot", "/nowhere/at/all"], ["--sysroot"], ["--port"],
                          ["--workers", "17"], ["--workers", "0"], ["--workers", "2"]):
            run = subprocess.run([os.environ["GBFLOW"], "doctor", *arguments], capture_output=True, text=True,
                                 check=False)
            self.assertEqual((run.returncode, run.stdout), (2, ""), arguments)

    def test_ports_asked(self):
        rows = ((("net_null0",), [("ok", "net_null0: driver net_null"), ("ok", "1 worker: one queue"), ("ok", "offloads")]),
                (("net_memif0,role=server", "--workers", "3"),
                 [("ok", "driver net_memif"), ("warn", "of 3 workers: as the driver deals them"), ("ok", "MTU up to")]),
                ((f"net_pcap0,rx_pcap={CAPTURE},tx_pcap=/dev/null", "--workers", "2"),
                 [("ok", "net_pcap0"), ("missing", "it has 1 queue for 2 workers"), ("ok", "none")]),
                (("net_pcap0,rx_pcap=/no/such/file",), [("missing", "net_pcap0: ")]),
                (("nonsense",), [("missing", "nonsense: DPDK does not make a port of it")]))
        for words, wanted in rows:
            with self.subTest(words[0]):
                run = self.machine.doctor("--json", "--port", *words)
                found = [f for f in json.loads(run.stdout)["findings"] if f["name"] == "port"]
                self.assertEqual(run.returncode, int(any(verdict == "missing" for verdict, _ in wanted)))
                self.assertEqual([f["verdict"] for f in found], [verdict for verdict, _ in wanted], found)
                for finding, (_, words_of) in zip(found, wanted):
                    self.assertIn(words_of, finding["what"])

    def test_this_machine(self):
        run = subprocess.run([os.environ["GBFLOW"], "doctor", "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertGreater(len(json.loads(run.stdout)["findings"]), 12)


if __name__ == "__main__":
    unittest.main()
