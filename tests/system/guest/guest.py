#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs a command as root on a kernel of Debian, with the files of this machine, which the command cannot change.

usage: guest.py [--timeout S] [--cache FOLDER] [--machine kvm|uml|tcg] COMMAND [ARGUMENT]...

Standard output has what the command writes, the exit status is its own; 124 after the time limit, 125 when the machine gave no
status. The machine is QEMU with KVM, else User-Mode Linux, whose programs run at full speed on any processor, else QEMU without
KVM, which is 20 times slower. scripts/setup.sh --test installs them. QEMU's kernel is fetched when none is below /boot.
"""
import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

import kernel

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
MODULES = ("ipv6", "overlay", "veth", "bridge", "tun", "sch_netem", "esp4", "esp6", "xfrm_user", "gcm", "ctr", "ghash_generic",
           "ecb", "cbc", "hmac", "sha256_generic", "sha512_generic", "jitterentropy_rng", "drbg", "authenc", "authencesn", "echainiv", "seqiv", "crypto_null")
OF_QEMU = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", *MODULES, "ghash-clmulni-intel", "aesni-intel", "sha256-ssse3")
KEPT = ("PATH", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "CI", "LANG")
TIMED_OUT, NO_STATUS = 124, 125
CPUS, MEMORY_MIB = 2, 2048
ENDS_WITH_THIS = ("setpriv", "--pdeathsig", "KILL", "unshare", "--pid", "--fork", "--kill-child")


def has_kvm():
    """Whether KVM runs Debian's kernel: that of a paravirtual machine (PVM) has the device and no such processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read().split()
    return ("vmx" in flags or "svm" in flags) and os.access("/dev/kvm", os.R_OK | os.W_OK)


def best_machine():
    """The name of the best that is here, or None."""
    has_qemu = shutil.which("qemu-system-x86_64") and os.uname().machine == "x86_64"
    if has_qemu and has_kvm():
        return "kvm"
    return "uml" if kernel.find_uml() else "tcg" if has_qemu else None


def missing():
    """Why there can be no guest here, or None."""
    if os.geteuid() != 0:
        return "a guest needs root, to read all files"
    if best_machine() is None:
        return "neither QEMU for x86_64 nor User-Mode Linux is here (package user-mode-linux or qemu-system-x86; scripts/setup.sh --test)"
    return None if os.access(kernel.BUSYBOX, os.X_OK) else f"{kernel.BUSYBOX} is missing (package busybox-static; scripts/setup.sh --test)"


def script(words, environment):
    """The command for sh, in this folder and with the variables that it needs."""
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    lines = [f"export {name}={shlex.quote(value)}" for name, value in {"HOME": "/run", **kept, **environment}.items()]
    return "\n".join([*lines, f"cd {shlex.quote(os.getcwd())} || exit", f"exec {shlex.join(words)}", ""])


def write_initrd(path, found, text):
    initrd = kernel.Initrd(found, MODULES if found.image == kernel.UML else OF_QEMU)
    initrd.file("init", os.path.join(HERE, "init.sh"))
    initrd.add("command", 0o100644, text.encode())
    initrd.write(path)


def uml(found, folder):
    """Its memory is a file in TMPDIR; the consoles but the second have no use."""
    return ["env", "TMPDIR=/dev/shm", found.image, f"mem={MEMORY_MIB}M", f"initrd={folder}/initrd", "root=/dev/ram0", f"guest.status={folder}",
            "con=null", "con0=null,fd:2", "con1=null,fd:1", "ssl=null", "panic=-1", "quiet"]


def qemu(found, folder, kind):
    kinds = {"kvm": ["-accel", "kvm", "-cpu", "host"], "tcg": ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max"]}
    return ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot", *kinds[kind],
            "-smp", str(CPUS), "-m", f"{MEMORY_MIB}M", "-kernel", found.image, "-initrd", f"{folder}/initrd",
            "-append", "console=ttyS0 quiet panic=-1 tsc=reliable mitigations=off random.trust_cpu=on", "-serial", f"file:{folder}/console",
            "-fsdev", "local,id=host,path=/,security_model=none,readonly=on,multidevs=remap",
            "-device", "virtio-9p-pci,fsdev=host,mount_tag=host", "-device", "virtio-serial-pci",
            "-chardev", "file,id=output,path=/dev/stdout,append=on", "-device", "virtserialport,chardev=output,nr=1",
            "-chardev", f"file,id=status,path={folder}/status", "-device", "virtserialport,chardev=status,nr=2"]


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", errors="replace") as file:
        return file.read()


def run(words, cache, timeout_s=600, kind=None, environment=None):
    """The command's exit status. kernel.Missing: there is no kernel, and none can be fetched."""
    kind = kind or best_machine()
    found = kernel.find_uml() if kind == "uml" else kernel.find_kernel(cache)
    with tempfile.TemporaryDirectory(prefix="gbflow-guest-") as folder:
        write_initrd(f"{folder}/initrd", found, script(words, environment or {}))
        with open(f"{folder}/status", "wb"):
            pass
        machine = uml(found, folder) if kind == "uml" else qemu(found, folder, kind)
        with open(f"{folder}/console", "ab") as console, \
                subprocess.Popen([*ENDS_WITH_THIS, *machine], stdin=subprocess.DEVNULL, stderr=console) as process:
            try:
                process.wait(timeout_s)
                default = NO_STATUS
            except subprocess.TimeoutExpired:
                default = TIMED_OUT
            finally:
                process.kill()
        status = read(folder, "status").strip()
        if not status:
            print(f"guest: no status of the command; the console's end:\n{read(folder, 'console')[-3000:]}", file=sys.stderr)
        return int(status) if status else default


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ")[1].splitlines()[0])
    parser.add_argument("--timeout", type=float, default=600)
    parser.add_argument("--cache", default=os.path.join(ROOT, "build", "nic"))
    parser.add_argument("--machine", choices=("kvm", "uml", "tcg"))
    parser.add_argument("words", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    reason = missing()
    if reason:
        sys.exit(reason)
    return run(options.words, options.cache, options.timeout, options.machine)


if __name__ == "__main__":
    sys.exit(main())
