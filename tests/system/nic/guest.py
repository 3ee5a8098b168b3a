# SPDX-License-Identifier: BSD-3-Clause
"""What the virtual machine with the cards boots."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "guest"))

from kernel import BUSYBOX, Initrd, Missing, find_kernel  # noqa: E402,F401  pylint: disable=wrong-import-position,unused-import

MODULES = ("virtio_pci", "virtio_console", "9pnet_virtio", "9p", "vfio_iommu_type1", "vfio-pci")
PARAMETERS = {"vfio_iommu_type1": "allow_unsafe_interrupts=1", "vfio": ""}


def write_initrd(path, kernel):
    initrd = Initrd(kernel, MODULES, PARAMETERS)
    for folder in ("host", "below"):
        initrd.folder(folder)
    for name, script in (("init", "init.sh"), ("agent.sh", "agent.sh")):
        initrd.file(name, os.path.join(HERE, script))
    initrd.write(path)
