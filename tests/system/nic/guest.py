# SPDX-License-Identifier: BSD-3-Clause
"""What the virtual machine boots: a kernel of Debian with the few modules it needs, and an initrd that is made here.

    kernel = find_kernel(cache)         cache: a folder for a kernel that is not installed
    write_initrd(path, kernel)
"""
import glob
import os
import re
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
BUSYBOX = "/bin/busybox"
MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "vfio_iommu_type1", "vfio-pci")
PARAMETERS = {"vfio_iommu_type1": "allow_unsafe_interrupts=1", "vfio": ""}
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


def needed_modules(kernel):
    """Paths of the modules, each behind those it depends on."""
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

    for name in MODULES:
        add(name)
    return order


class Archive:
    """A cpio archive (newc), as the kernel unpacks it."""

    def __init__(self):
        self.octets, self.count = bytearray(), 0

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

    def end(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.octets)


def write_initrd(path, kernel):
    archive, modules = Archive(), needed_modules(kernel)
    for folder in ("bin", "dev", "proc", "sys", "host", "below", "modules"):
        archive.folder(folder)
    archive.add("dev/console", 0o020600, device=(5, 1))
    archive.file("bin/busybox", BUSYBOX)
    archive.file("init", os.path.join(HERE, "init.sh"))
    archive.file("agent.sh", os.path.join(HERE, "agent.sh"))
    names = [os.path.basename(module)[:-3] for module in modules]
    for name, module in zip(names, modules):
        archive.file(f"modules/{name}.ko", module)
    order = "".join(f"{name} {PARAMETERS.get(name, '')}\n" for name in names)
    archive.add("modules/order", 0o100644, order.encode())
    with open(path, "wb") as file:
        file.write(archive.end())
