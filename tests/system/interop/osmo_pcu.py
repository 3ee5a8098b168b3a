# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program osmo-pcu in a namespace of a lab."""
import os
import shutil
import signal
import subprocess

import lab  # noqa: F401  pylint: disable=unused-import  (where gbflow_bts is)
from gbflow_bts import pcu_config

def missing():
    """Why there can be no osmo-pcu here, or None."""
    return None if shutil.which("osmo-pcu") else "needs the program osmo-pcu (Debian package osmo-pcu)"


class OsmoPcu:
    """A running osmo-pcu; its log is in `log`."""

    def __init__(self, lab, folder, socket, side="bss", **values):
        self.log = os.path.join(folder, "osmo-pcu.log")
        config = os.path.join(folder, "osmo-pcu.cfg")
        with open(config, "w", encoding="ascii") as file:
            file.write(pcu_config.text(socket, **values))
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(lab.command(side, "osmo-pcu", "-c", config), stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, cwd=folder)

    def is_running(self):
        return self.process.poll() is None

    def stop(self, number=signal.SIGKILL):
        """Ends it; a killed PCU says nothing to anybody."""
        if self.is_running():
            self.process.send_signal(number)
        self.process.wait(10)

    def text(self):
        with open(self.log, encoding="utf-8", errors="replace") as file:
            return file.read()
