# SPDX-License-Identifier: BSD-3-Clause
"""The wire between ports of a node that are no interfaces of the kernel and the lab's kernels: dpdk-testpmd passes frames.

    bridge = Bridge(lab, {"gn": "net_vhost0,iface=/tmp/gn", "gb": "net_vhost1,iface=/tmp/gb"})    behind them are gn0 and gb0
    bridge.wait(), bridge.forward()
    bridge.kill(), bridge.start()

It begins to pass frames when it is told to, behind the links' way up: DPDK 22.11's net_memif connects in a thread of its own,
without a lock against bursts, and ends the process that is in one (SIGSEGV, 2 of 50 times beside load).

With `queues` the ports have as many queues, and gn0 and gb0 as well: queue i of a port is queue i of the interface, between
whose queues the kernel deals frames by a hash of addresses and ports.
"""
import contextlib
import os
import shutil
import subprocess
import tempfile
import threading
import time

START_S = 60
PROGRAM, READY, FORWARDS = "dpdk-testpmd", "packets per burst set to 32", "packet forwarding - ports="


def missing():
    """Why there can be no bridge here, or None."""
    return None if shutil.which(PROGRAM) else f"needs {PROGRAM} (dpdk-dev)"


class Bridge:
    """`devices`: by a side of the node, gn or gb or both, the DPDK device at the other end of its port."""

    def __init__(self, lab, devices, queues=1):
        self.lab, self.queues, self.text = lab, queues, ""
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
                f"--txq={self.queues}", "--disable-link-check", "--interactive", "--no-flush-rx"]

    @staticmethod
    def cpus():
        return ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0)))

    def start(self):
        words = ["stdbuf", "--output=L", *self.words()]  # what it says comes at once
        self.process = subprocess.Popen(self.lab.command("node", *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, env=dict(os.environ, RUNTIME_DIRECTORY=self.holder.name))
        self.begin = len(self.text)
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self.reader.start()

    def _read(self, stream):
        while octets := stream.read1():
            self.text += octets.decode(errors="replace")

    def _await(self, text):
        end = time.monotonic() + START_S
        while time.monotonic() < end and self.process.poll() is None:
            if text in self.text[self.begin:]:
                return
            time.sleep(0.02)
        raise AssertionError(f"no '{text}'; {self.state()}")

    def _say(self, command, answer):
        """Its prompt is written letter by letter between lines of other threads; an answer is a line."""
        with contextlib.suppress(BrokenPipeError):  # the answer says so, too
            self.process.stdin.write(command)
            self.process.stdin.flush()
        self._await(answer)

    def wait(self):
        """Until its ports are open and it takes commands; a port that waits for its peer is open behind that."""
        self._say(b"set burst 32\n", READY)

    def forward(self):
        """Until it passes frames."""
        self._say(b"start\n", FORWARDS)

    def state(self):
        """Its status, None while it runs, and what it said last."""
        return f"{PROGRAM}: status {self.process.poll()}\n" + "\n".join(self.text.splitlines()[-10:])

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
