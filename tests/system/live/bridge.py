# SPDX-License-Identifier: BSD-3-Clause
"""The wire between ports of a node that are no interfaces of the kernel and the lab's kernels: dpdk-testpmd passes frames.

    bridge = Bridge(lab, {"gn": "net_vhost0,iface=/tmp/gn", "gb": "net_vhost1,iface=/tmp/gb"})    behind them are gn0 and gb0
    bridge.wait()
    bridge.kill(), bridge.start()

With `queues` the ports have as many queues, and gn0 and gb0 as well: queue i of a port is queue i of the interface, between
whose queues the kernel deals frames by a hash of addresses and ports.
"""
import os
import re
import shutil
import subprocess
import tempfile
import threading
import time

START_S = 60
PROGRAM, RUNNING = "dpdk-testpmd", "packet forwarding"


def missing():
    """Why there can be no bridge here, or None."""
    return None if shutil.which(PROGRAM) else f"needs {PROGRAM} (dpdk-dev)"


class Bridge:
    """`devices`: by a side of the node, gn or gb or both, the DPDK device at the other end of its port."""

    def __init__(self, lab, devices, queues=1):
        self.lab, self.queues, self.lines = lab, queues, []
        self.holder = tempfile.TemporaryDirectory(prefix="gbflow-bridge-")
        self.devices = []
        for number, (side, device) in enumerate(devices.items()):
            self.devices += ["--vdev", device, "--vdev", f"net_af_packet{number},iface={side}0,qpairs={queues}"]
        self.start()

    def words(self):
        """testpmd pairs ports 0 and 1, 2 and 3, in the order of their names on its command line."""
        return [PROGRAM, "--lcores", f"0@({self.cpus()}),1@({self.cpus()})", "--no-pci", "--no-huge", "-m", "192", "--no-shconf",
                "--no-telemetry", "--iova-mode=va", "--file-prefix", os.path.basename(self.holder.name), *self.devices,
                "--", "--forward-mode=io", "--nb-cores=1", "--total-num-mbufs=16383", "--no-mlockall", f"--rxq={self.queues}",
                f"--txq={self.queues}", "--auto-start", "--interactive", "--no-flush-rx"]

    @staticmethod
    def cpus():
        return ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)))

    def start(self):
        self.process = subprocess.Popen(self.lab.command("node", *self.words()), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, errors="replace",
                                        env=dict(os.environ, RUNTIME_DIRECTORY=self.holder.name))
        self.begin = len(self.lines)
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, stream):
        for line in stream:
            self.lines.append(line.rstrip("\n"))

    def wait(self):
        """Until it passes frames; a port that waits for its peer first needs that."""
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            if any(re.search(RUNNING, line) for line in self.lines[self.begin:]):
                return
            time.sleep(0.02)
        raise AssertionError(f"{PROGRAM} does not forward; status {self.process.poll()}\n" + "\n".join(self.lines[-30:]))

    def kill(self):
        """As a peer that dies: without a word to the other end."""
        self.process.kill()
        self.process.wait(60)
        self.reader.join(5)
        self.process.stdin.close()
        self.process.stdout.close()

    def close(self):
        if self.process.returncode is None:
            self.kill()
        self.holder.cleanup()
