# SPDX-License-Identifier: BSD-3-Clause
"""What a virtual machine boots: a kernel of Debian with the few modules it needs, and an initrd that is made here.

    kernel = find_kernel(cache)         cache: a folder for a kernel that is not installed
    kernel = find_uml()                 that of User-Mode Linux, or None
    initrd = Initrd(kernel, MODULES)    the modules in the order that /modules/order says, and busybox
    initrd.file("init", path)
    initrd.write(path)
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile

BUSYBOX = "/bin/busybox"
UML = "/usr/bin/linux.uml"
META = "linux-image-amd64"


class Missing(Exception):
    """Something that the test needs is not on this machine."""


class Kernel:
    def __init__(self, image, modules):
        self.image, self.modules = image, modules


def kernels_below(root):
    """Debian's kernels whose image and modules are below a folder, newest last."""
    images = sorted(glob.glob(os.path.join(root, "boot", "vmlinuz-*-amd64")), key=os.path.getmtime)
    pairs = [(image, os.path.join(root, "lib", "modules", os.path.basename(image)[len("vmlinuz-"):])) for image in images]
    return [Kernel(image, modules) for image, modules in pairs if os.path.isdir(os.path.join(modules, "kernel"))]


def run(*words, cwd=None):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise Missing(f"{' '.join(words)}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def download_kernel(cache):
    """Unpacks the package of Debian's kernel, which is not installed, so that the machine's boot menu stays as it is."""
    depends = run("apt-cache", "depends", META) if shutil.which("apt-cache") else ""
    package = re.search(r"Depends: (linux-image-\S+)", depends)
    if not package:
        raise Missing(f"no kernel of Debian below /boot, and apt-get knows no {META}; scripts/setup.sh --nightly brings the lists")
    os.makedirs(cache, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        run("apt-get", "download", package.group(1), cwd=folder)
        file, = glob.glob(os.path.join(folder, "*.deb"))
        unpacked = os.path.join(folder, "unpacked")
        run("dpkg-deb", "-x", file, unpacked)
        for name in ("boot", "lib"):
            shutil.rmtree(os.path.join(cache, name), ignore_errors=True)
            os.rename(os.path.join(unpacked, name), os.path.join(cache, name))


def find_kernel(cache):
    if not kernels_below("/") and not kernels_below(cache):
        download_kernel(cache)
    found = kernels_below("/") or kernels_below(cache)
    if not found:
        raise Missing(f"the package {META} has no image and modules that fit together")
    return found[-1]


def find_uml():
    found = sorted(glob.glob("/usr/lib/uml/modules/*"), key=os.path.getmtime)
    return Kernel(UML, found[-1]) if found and os.access(UML, os.X_OK) else None


def built_in(kernel):
    with open(os.path.join(kernel.modules, "modules.builtin"), encoding="utf-8") as file:
        return {os.path.basename(line.strip())[:-3].replace("-", "_") for line in file}


def needed_modules(kernel, wanted):
    """Paths of the modules that the kernel itself does not have, each behind those it depends on. A name that ends with "?": if
    there is such a module."""
    inside = built_in(kernel)
    paths = {os.path.basename(path)[:-3]: path for path in glob.glob(os.path.join(kernel.modules, "kernel", "**", "*.ko"), recursive=True)}
    order = []

    def add(name):
        path = paths.get(name) or paths.get(name.replace("_", "-"))
        if not path:
            raise Missing(f"{kernel.modules} has no module {name}")
        if path in order:
            return
        with open(path, "rb") as file:
            depends = re.search(rb"\0depends=([^\0]*)", file.read()).group(1).decode()
        for other in filter(None, depends.split(",")):
            add(other)
        order.append(path)

    for name in wanted:
        bare = name.rstrip("?").replace("-", "_")
        is_there = bare in paths or bare.replace("_", "-") in paths
        if bare not in inside and (is_there or not name.endswith("?")):
            add(bare)
    return order


class Initrd:
    """A cpio archive (newc), as the kernel unpacks it."""

    def __init__(self, kernel, wanted, parameters=None):
        self.octets, self.count = bytearray(), 0
        for folder in ("bin", "dev", "proc", "sys", "modules"):
            self.folder(folder)
        self.add("dev/console", 0o020600, device=(5, 1))
        self.file("bin/busybox", BUSYBOX)
        modules = needed_modules(kernel, wanted)
        names = [os.path.basename(module)[:-3] for module in modules]
        for name, module in zip(names, modules):
            self.file(f"modules/{name}.ko", module)
        order = "".join(f"{name} {(parameters or {}).get(name, '')}\n" for name in names)
        self.add("modules/order", 0o100644, order.encode())

    def add(self, name, mode, content=b"", device=(0, 0)):
        self.count += 1
        path = name.encode() + b"\0"
        numbers = (self.count, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(path), 0)
        self.octets += b"070701" + b"".join(b"%08X" % number for number in numbers) + path
        self.pad()
        self.octets += content
        self.pad()

    def pad(self):
        self.octets += bytes(-len(self.octets) % 4)

    def folder(self, name):
        self.add(name, 0o040755)

    def file(self, name, path, mode=0o100755):
        with open(path, "rb") as file:
            self.add(name, mode, file.read())

    def write(self, path):
        self.add("TRAILER!!!", 0)
        with open(path, "wb") as file:
            file.write(self.octets)
