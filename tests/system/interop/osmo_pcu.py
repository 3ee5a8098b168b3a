# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program osmo-pcu in a namespace of a lab."""
import os
import shutil
import signal
import subprocess

TEXT = """log stderr
 logging filter all 1
 logging color 0
 logging print category 1
 logging timestamp 1
 logging level all notice
line vty
 no login
 bind %(vty)s
ns
 timer tns-block 3
 timer tns-block-retries 3
 timer tns-reset 3
 timer tns-reset-retries 3
 timer tns-test %(test_s)d
 timer tns-alive %(alive_s)d
 timer tns-alive-retries %(retries)d
 timer tsns-prov 3
pcu
 pcu-socket %(socket)s
 gb-dialect %(dialect)s
 flow-control-interval 1
 cs %(scheme)d
 alloc-algorithm a
 gamma 0
 timer X102 5
%(more)s"""
DEFAULTS = {"test_s": 30, "alive_s": 3, "retries": 10, "scheme": 1, "dialect": "classic", "vty": "127.0.0.1",
            "more": ""}


def missing():
    """Why there can be no osmo-pcu here, or None."""
    return None if shutil.which("osmo-pcu") else "needs the program osmo-pcu (Debian package osmo-pcu)"


class OsmoPcu:
    """A running osmo-pcu; its log is in `log`."""

    def __init__(self, lab, folder, socket, side="bss", **values):
        self.log = os.path.join(folder, "osmo-pcu.log")
        config = os.path.join(folder, "osmo-pcu.cfg")
        with open(config, "w", encoding="ascii") as file:
            file.write(TEXT % {**DEFAULTS, "socket": socket, **values})
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
