# SPDX-License-Identifier: BSD-3-Clause
"""The real osmo-ggsn in the lab's namespace of the GGSN, with kernel routing behind its tun device.

    ggsn = Ggsn(lab)        missing() says why a machine cannot
    ggsn.stop(); ggsn.start()
"""
import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import lab

START_S = 60
POOL, APN, DNS = "10.46.0.0/24", "internet", ("198.18.0.53", "198.18.0.54")

CONFIG = """log stderr
 logging filter all 1
 logging color 0
 logging print category 0
 logging timestamp 0
 logging level ggsn info
 logging level lgtp info
line vty
 no login
ggsn ggsn0
 gtp state-dir %(folder)s
 gtp bind-ip %(address)s
 apn %(apn)s
  gtpu-mode tun
  tun-device tun4
  type-support v4
  ip prefix dynamic %(pool)s
  ip ifconfig %(pool)s
  ip dns 0 %(dns)s
  ip dns 1 %(dns_too)s
  no shutdown
%(more)s default-apn %(apn)s
 no shutdown ggsn
"""


def missing():
    """Why there can be no GGSN here, or None."""
    if shutil.which("osmo-ggsn") is None:
        return "needs the program osmo-ggsn"
    if not os.path.exists("/dev/net/tun"):
        return "needs /dev/net/tun"
    return lab.missing()


class Ggsn:
    def __init__(self, place, address=lab.GN_GGSN, more=""):
        self.lab = place
        self.holder = tempfile.TemporaryDirectory(prefix="gbflow-ggsn-")
        self.path = os.path.join(self.holder.name, "ggsn.cfg")
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(CONFIG % {"folder": self.holder.name, "address": address, "apn": APN, "pool": POOL, "more": more,
                                 "dns": DNS[0], "dns_too": DNS[1]})
        self.lines, self.process = [], None
        self.start()

    def start(self):
        seen = len(self.lines)
        self.process = subprocess.Popen(self.lab.command("ggsn", "osmo-ggsn", "-c", self.path), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
                                        cwd=self.holder.name)
        self.reader = threading.Thread(target=self._read, args=(self.process.stderr,), daemon=True)
        self.reader.start()
        self.wait_for("Successfully started|started", seen)

    def _read(self, stream):
        for line in stream:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern, start=0, timeout_s=START_S):
        """Waits for a line of its log that matches."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            for line in self.lines[start:]:
                if re.search(pattern, line):
                    return line
            time.sleep(0.01)
        raise AssertionError(f"no line '{pattern}'\n" + "\n".join(self.lines[-30:]))

    def stop(self, number=signal.SIGTERM):
        """Ends it; contexts are forgotten, the restart counter is kept in a file."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(60)
        self.reader.join(5)
        self.process.stderr.close()

    def close(self):
        self.stop(signal.SIGKILL)
        self.holder.cleanup()
