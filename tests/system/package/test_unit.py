# SPDX-License-Identifier: BSD-3-Clause
"""The systemd unit of a node: the exposure that systemd-analyze finds, alone and with the drop-in for net_af_packet."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

DEBIAN = pathlib.Path(__file__).resolve().parents[3] / "debian"
UNIT = "gbflow@lab.service"


class Exposure(unittest.TestCase):
    def exposure(self, *drop_ins):
        if shutil.which("systemd-analyze") is None:
            print("skipped: there is no systemd-analyze")
            self.skipTest("there is no systemd-analyze")
        with tempfile.TemporaryDirectory(prefix="gbflow-unit-") as folder:
            path = os.path.join(folder, UNIT)
            shutil.copy(DEBIAN / "gbflow@.service", path)
            for name in drop_ins:
                os.makedirs(path + ".d", exist_ok=True)
                shutil.copy(DEBIAN / name, path + ".d")
            done = subprocess.run(["systemd-analyze", "security", "--offline=true", "--no-pager", path], capture_output=True,
                                  text=True, check=False, timeout=60)
        found = re.search(r"exposure level for \S+: ([0-9.]+)", done.stdout)
        self.assertIsNotNone(found, done)
        return float(found.group(1))

    def test_for_cards(self):
        self.assertLessEqual(self.exposure(), 1.5)

    def test_with_packet_sockets(self):
        self.assertLessEqual(self.exposure("af-packet.conf"), 1.7)

    def test_with_credentials(self):
        self.assertLessEqual(self.exposure("credentials.conf"), 1.5)

    def test_drop_ins_are_examples(self):
        listed = (DEBIAN / "gbflow.examples").read_text(encoding="ascii").split()
        for path in DEBIAN.glob("*.conf"):
            self.assertIn(f"debian/{path.name}", listed)

    def test_folder_outlives_a_node(self):
        """Instances share it."""
        unit = (DEBIAN / "gbflow@.service").read_text(encoding="utf-8")
        self.assertRegex(unit, r"(?m)^RuntimeDirectory=gbflow\nRuntimeDirectoryMode=0750\n(#.*\n)*RuntimeDirectoryPreserve=yes$")


if __name__ == "__main__":
    unittest.main()
