# SPDX-License-Identifier: BSD-3-Clause
"""The real osmo-sgsn in the lab's namespace of the node, with Gb and Gn on that side's interfaces.

    sgsn = OsmoSgsn(lab)        missing() says why a machine cannot
"""
import os
import shutil
import subprocess
import tempfile

import lab

CONFIG = """log stderr
 logging filter all 1
 logging color 0
line vty
 no login
sgsn
 gtp state-dir %(folder)s
 gtp local-ip %(gn)s
 ggsn 0 remote-ip %(ggsn)s
 ggsn 0 gtp-version 1
 authentication required
 auth-policy remote
 gsup remote-ip 127.0.0.1
 gsup remote-port 4222
 apn * ggsn 0
 encryption gea 3
 compression rfc1144 passive
 compression v42bis passive
ns
 bind udp local
  listen %(gb)s 23000
  accept-ipaccess
"""


def missing():
    """Why there can be no osmo-sgsn here, or None."""
    return None if shutil.which("osmo-sgsn") else "needs the program osmo-sgsn"


class OsmoSgsn:
    def __init__(self, place):
        name = place.names["node"]
        for interface, address in (("gn0", lab.GN_SGSN), ("gb0", lab.GB_SGSN)):
            place.ip(name, "address", "add", address + "/24", "dev", interface)
        self.holder = tempfile.TemporaryDirectory(prefix="gbflow-sgsn-")
        path = os.path.join(self.holder.name, "sgsn.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIG % {"folder": self.holder.name, "gn": lab.GN_SGSN, "ggsn": lab.GN_GGSN, "gb": lab.GB_SGSN})
        self.process = subprocess.Popen(place.command("node", "osmo-sgsn", "-c", path), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.holder.name)

    def close(self):
        self.process.kill()
        self.process.wait(60)
        self.holder.cleanup()
