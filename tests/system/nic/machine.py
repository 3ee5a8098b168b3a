# SPDX-License-Identifier: BSD-3-Clause
"""A virtual machine without a disk: QEMU, its monitor (QMP), and a virtio port on which it takes commands.

    machine = Machine(arguments(...) + words_of_cards, folder)     folder: for its sockets and logs
    machine.wait_until_ready(120)
    status, text = machine.run("lspci")
    machine.monitor.ask("set_link", name="card0", up=False)
    machine.close()
"""
import json
import os
import signal
import socket
import subprocess
import sys
import time

PAGES = 768  # huge pages of 2 MiB
MEMORY_MIB = 3072
START_S = 20


class Failed(Exception):
    """The virtual machine did not do what it was told."""


class Lines:
    """A stream socket, read by lines and by octets."""

    def __init__(self, path, process):
        self.left = bytearray()
        end = time.monotonic() + START_S
        while True:
            self.socket = socket.socket(socket.AF_UNIX)
            try:
                self.socket.connect(path)
                return
            except OSError as error:
                self.socket.close()
                if process.poll() is not None or time.monotonic() > end:
                    raise Failed(f"QEMU does not listen on {path}: {error}") from error
                time.sleep(0.05)

    def _more(self, end):
        self.socket.settimeout(max(0.001, end - time.monotonic()))
        try:
            octets = self.socket.recv(65536)
        except TimeoutError:
            raise Failed("the virtual machine does not answer") from None
        if not octets:
            raise Failed("the virtual machine has ended")
        self.left += octets

    def line(self, end):
        while b"\n" not in self.left:
            self._more(end)
        line, _, rest = self.left.partition(b"\n")
        self.left = rest
        return line.decode(errors="replace")

    def octets(self, count, end):
        while len(self.left) < count:
            self._more(end)
        octets, self.left = bytes(self.left[:count]), self.left[count:]
        return octets.decode(errors="replace")

    def send(self, text):
        self.socket.settimeout(30)
        self.socket.sendall(text.encode())


class Monitor:
    """QMP: one command at a time; events are kept."""

    def __init__(self, path, process):
        self.stream, self.events = Lines(path, process), []
        self.stream.line(time.monotonic() + START_S)
        self.ask("qmp_capabilities")

    def ask(self, command, timeout_s=30, **arguments):
        self.stream.send(json.dumps({"execute": command, "arguments": arguments}) + "\n")
        while "return" not in (answer := self._read(timeout_s)):
            if "error" in answer:
                raise Failed(f"{command}: {answer['error']['desc']}")
        return answer["return"]

    def _read(self, timeout_s):
        answer = json.loads(self.stream.line(time.monotonic() + timeout_s))
        if "event" in answer:
            self.events.append(answer)
        return answer

    def wait_for_event(self, is_right, timeout_s):
        """Whether the event has come."""
        end = time.monotonic() + timeout_s
        while not any(is_right(event) for event in self.events):
            try:
                self._read(end - time.monotonic())
            except Failed:
                return False
        return True


def arguments(kernel, initrd, folder, tree, cpus):
    line = f"console=ttyS0 quiet panic=-1 intel_iommu=on mitigations=off nokaslr tsc=reliable random.trust_cpu=on nic.tree={tree} nic.pages={PAGES}"
    return ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", "-accel", "tcg,thread=multi,tb-size=512",
            "-cpu", "max", "-smp", str(cpus), "-m", f"{MEMORY_MIB}M", "-machine", "q35,kernel-irqchip=off",
            "-device", "intel-iommu,intremap=off,caching-mode=on", "-kernel", kernel.image, "-initrd", initrd, "-append", line,
            "-serial", f"file:{folder}/console", "-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=host,mount_tag=host,addr=0x1c",
            "-device", "virtio-serial-pci,addr=0x1d", "-chardev", f"socket,id=port,path={folder}/port,server=on,wait=off",
            "-device", "virtserialport,chardev=port,name=nic", "-qmp", f"unix:{folder}/monitor,server=on,wait=off"]


class Machine:
    def __init__(self, words, folder, is_verbose=False):
        self.folder, self.port, self.monitor, self.is_verbose = folder, None, None, is_verbose
        with open(os.path.join(folder, "qemu"), "wb") as log:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def wait_until_ready(self, timeout_s):
        end = time.monotonic() + timeout_s
        self.monitor = Monitor(os.path.join(self.folder, "monitor"), self.process)
        self.port = Lines(os.path.join(self.folder, "port"), self.process)
        self.port.line(end)

    def run(self, command, timeout_s=60):
        """Status and output of a command of one line in the machine."""
        end = time.monotonic() + timeout_s
        self.port.send(command + "\n")
        status, octets = self.port.line(end).split()
        text = self.port.octets(int(octets), end)
        if self.is_verbose:
            print(f"# {command}\n{text}# status {status}", file=sys.stderr)
        return int(status), text

    def run_beside(self, *words):
        """Runs a program of this machine in QEMU's network namespace, where the taps are."""
        done = subprocess.run(["nsenter", f"--net=/proc/{self.process.pid}/ns/net", *words], capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            raise Failed(f"{' '.join(words)}: {done.stderr}")

    def log(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8", errors="replace") as file:
            return file.read()

    def close(self):
        """Ends QEMU, with what its session still runs."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
