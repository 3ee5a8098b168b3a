# SPDX-License-Identifier: BSD-3-Clause
"""The real osmo-hlr in the namespace of the node, on 127.0.0.1 or another address, with one subscriber or more.

    hlr = Hlr(lab, imsi, ki, *((other_imsi, other_ki), ...))        missing() says why a machine cannot
    hlr = Hlr(lab, imsi, ki, is_usim=True)                          quintets, by the same test algorithm
"""
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import tempfile
import threading
import time

CONFIG = """log stderr
 logging filter all 1
 logging color 0
line vty
 no login
 bind {0}
ctrl
 bind {0}
hlr
 gsup
  bind ip {0}
"""
# osmo-hlr 1.9 has the cause as a value whose default is another, 1.5 of Debian 12 always this one.
UNKNOWN_IMSI = " reject-cause not-found imsi-unknown\n"
XOR, START_S = 4, 60


def missing():
    """Why there can be no HLR here, or None."""
    for name in ("osmo-hlr", "osmo-hlr-db-tool"):
        if shutil.which(name) is None:
            return f"needs the program {name}"
    return None


class Hlr:
    address = "127.0.0.1"

    def __init__(self, lab, imsi, ki, *others, is_usim=False):
        self.lab = lab
        self.holder = tempfile.TemporaryDirectory(prefix="gbflow-hlr-")
        self.database = os.path.join(self.holder.name, "hlr.db")
        with open(os.path.join(self.holder.name, "hlr.cfg"), "w", encoding="utf-8") as file:
            file.write(CONFIG.format(self.address) + (UNKNOWN_IMSI if self.is_cause_a_value() else ""))
        subprocess.run(["osmo-hlr-db-tool", "-l", self.database, "create"], check=True, capture_output=True, timeout=60)
        with contextlib.closing(sqlite3.connect(self.database)) as base:
            for number, (name, key) in enumerate(((imsi, ki), *others), 1):
                base.execute("INSERT INTO subscriber (id, imsi, msisdn, nam_ps) VALUES (?, ?, ?, 1)", (number, name, f"49170{number}"))
                if is_usim:  # XOR uses no OPC, but osmo-hlr 1.5 wants one
                    base.execute("INSERT INTO auc_3g (subscriber_id, algo_id_3g, k, opc) VALUES (?, ?, ?, ?)",
                                 (number, XOR, key.hex(), "00" * 16))
                else:
                    base.execute("INSERT INTO auc_2g (subscriber_id, algo_id_2g, ki) VALUES (?, ?, ?)", (number, XOR, key.hex()))
            base.commit()
        self.lines = []
        self.start()

    @staticmethod
    def is_cause_a_value():
        """Whether this osmo-hlr can be told the cause for an unknown IMSI."""
        return "reject-cause" in subprocess.run(["osmo-hlr", "--vty-ref-xml"], check=True, capture_output=True, text=True, timeout=60).stdout

    def start(self):
        words = self.lab.command("node", "osmo-hlr", "-c", os.path.join(self.holder.name, "hlr.cfg"), "-l", self.database)
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                        text=True, cwd=self.holder.name)
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def _read(self, process):
        for line in process.stderr:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern, timeout_s=START_S):
        end = time.monotonic() + timeout_s
        while not any(re.search(pattern, line) for line in list(self.lines)):
            if time.monotonic() > end:
                raise AssertionError(f"osmo-hlr: no line like {pattern}\n" + "\n".join(self.lines[-20:]))
            time.sleep(0.05)

    def sgsn_of(self, imsi):
        """The SGSN that the HLR has stored."""
        with contextlib.closing(sqlite3.connect(self.database)) as base:
            return base.execute("SELECT sgsn_number, ms_purged_ps FROM subscriber WHERE imsi = ?", (imsi,)).fetchone()

    def kill(self):
        self.process.kill()
        self.process.wait(60)

    def close(self):
        if self.process.poll() is None:
            self.kill()
        self.holder.cleanup()


class SecondHlr(Hlr):
    """Beside the first one."""
    address = "127.0.0.2"
