# SPDX-License-Identifier: BSD-3-Clause
"""ESP of the Linux kernel as the other end, as in docs/esp.md; in a guest where this machine's kernel has none."""
import os
import subprocess
import sys
import unittest

import esp_kernel
import lab
import node

sys.path.append(os.path.join(os.path.dirname(node.HERE), "guest"))

import guest  # noqa: E402  pylint: disable=wrong-import-position
import kernel  # noqa: E402  pylint: disable=wrong-import-position

TIME_S = 3600  # of a guest that hangs; beside other load its work takes several times the 3 min of a quiet machine


def missing():
    """Why neither this kernel nor a guest's can judge, or None."""
    return lab.missing() or (esp_kernel.missing() and guest.missing())


def run(*words):
    """The status of a program of this folder, on a kernel that has ESP; it prints what the program does."""
    command = [sys.executable, "-B", *words]
    environment = {"PYTHONUNBUFFERED": "1", "PYTHONPATH": f".:{os.path.join(lab.ROOT, 'python')}", "GBFLOW": node.program(),
                   **{name: os.environ[name] for name in ("ESP_FLOW",) if name in os.environ}}
    if esp_kernel.missing() is None:
        return subprocess.run(command, cwd=node.HERE, env={**os.environ, **environment}, check=False, timeout=TIME_S).returncode
    os.chdir(node.HERE)
    return guest.run(command, os.path.join(lab.ROOT, "build", "nic"), TIME_S, environment=environment)


class Case(unittest.TestCase):
    def setUp(self):
        lab.need(self, missing())

    def check(self, *words):
        try:
            self.assertEqual(run(*words), 0)
        except kernel.Missing as reason:
            lab.need(self, str(reason))


class Kernel(Case):
    def test_flows(self):
        """Each suite, mode and version, with and without extended sequence numbers, through loss, reordering and copies."""
        self.check("esp_flows.py", "--packets", "200")

    def test_node(self):
        """The whole node."""
        self.check("esp_kernel_walk.py")


if __name__ == "__main__":
    unittest.main()
