# SPDX-License-Identifier: BSD-3-Clause
"""Machines as /sys and /proc describe them, planted below a folder."""
import json
import os
import pathlib
import re
import subprocess
import tempfile

FLAGS = ("fpu tsc constant_tsc nonstop_tsc ssse3 sse4_1 sse4_2 popcnt pclmulqdq avx2 avx512f avx512bw avx512vl avx512vbmi "
         "avx512_vbmi2 gfni vpclmulqdq")
LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max open files            {files:<20} 1048576              files
Max locked memory         {locked:<20} unlimited            bytes
"""
CPU = "sys/devices/system/cpu"
NODE = "sys/devices/system/node"
PAGES = "sys/kernel/mm/hugepages"
PCI = "sys/bus/pci/devices"
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"


GBFLOW = pathlib.Path(os.environ["GBFLOW"])
# The folder whose drivers DPDK loads is a text in a program that looks for drivers.
FOUND = re.search(rb"/([!-~]+/pmds-[0-9.]+)", GBFLOW.read_bytes())
DRIVERS = FOUND[1].decode() if FOUND else "pmds-0"
HAS_IPSEC_MB = "libIPSec_MB" in subprocess.run(["ldd", GBFLOW], capture_output=True, text=True, check=True).stdout
XFRM = "proc/sys/net/core/xfrm_acq_expires"
TUN = "dev/net/tun"


def driver(name):
    """The file of a driver that DPDK loads: it ends in the ABI, as its folder does."""
    return f"{DRIVERS}/librte_crypto_{name}.so.{DRIVERS.rsplit('-', 1)[1]}"


class Machine:
    """A machine on which everything is as it should be; what a test changes is seen by the next finding()."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="gbflow-doctor-")
        self.root = pathlib.Path(self.folder.name)
        self.cpu_flags(FLAGS)
        self.put("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n")
        self.process()
        self.put(CLOCK, "tsc")
        for cpu in range(4):
            self.put(f"{CPU}/cpu{cpu}/cpufreq/scaling_governor", "performance")
        self.put(f"{CPU}/isolated", "2-3")
        self.put(f"{CPU}/nohz_full", "2-3")
        self.put(f"{CPU}/smt/active", "0")
        self.put(f"{CPU}/intel_pstate/no_turbo", "1")
        self.pages(PAGES, 1024, 1024)
        self.pages(f"{NODE}/node0/hugepages", 1024, 1024)
        self.put("usr/bin/python3", "")
        self.put("sys/kernel/iommu_groups/7/type", "DMA-FQ")
        self.put("sys/bus/pci/drivers/vfio-pci/new_id", "")
        self.card("0000:01:00.0", "vfio-pci")
        for path in (
                XFRM,
                driver("ipsec_mb"), driver("openssl"), TUN):
            self.put(path, "")

    def put(self, path, text):
        full = self.root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text + "\n", encoding="ascii")

    def take(self, path):
        (self.root / path).unlink()

    def cpu_flags(self, flags):
        self.put("proc/cpuinfo", f"processor\t: 0\nflags\t\t: {flags}\nbugs\t\t:\n\nprocessor\t: 1\nflags\t\t: {flags}")

    def process(self, cpus="0-3", capabilities="1ffffffffff", locked="unlimited", files="65536"):
        self.put("proc/self/status", f"Name:\tgbflow\nCapEff:\t{capabilities:0>16}\nCpus_allowed_list:\t{cpus}")
        self.put("proc/self/limits", LIMITS.format(locked=locked, files=files))

    def pages(self, folder, total, free):
        self.put(f"{folder}/hugepages-2048kB/nr_hugepages", str(total))
        self.put(f"{folder}/hugepages-2048kB/free_hugepages", str(free))

    def card(self, address, driver, kind="0x020000", interface=None):
        """interface: the folder of the kernel's interface below the device, such as net/eth0."""
        device = f"{PCI}/{address}"
        self.put(f"{device}/class", kind)
        self.put(f"{device}/numa_node", "0")
        link = self.root / device / "driver"
        link.unlink(missing_ok=True)
        if driver:
            link.symlink_to(f"../../../../bus/pci/drivers/{driver}")
        if interface:
            self.put(f"{device}/{interface}/mtu", "1500")
            self.put(f"sys/class/net/{interface.rsplit('/', 1)[-1]}/operstate", "up")

    def doctor(self, *arguments):
        return subprocess.run([os.environ["GBFLOW"], "doctor", "--sysroot", str(self.root), *arguments],
                              capture_output=True, text=True, check=False)

    def findings(self, name):
        said = json.loads(self.doctor("--json").stdout)
        return [finding for finding in said["findings"] if finding["name"] == name]

    def finding(self, name):
        found = self.findings(name)
        assert len(found) == 1, (name, found)
        return found[0]
