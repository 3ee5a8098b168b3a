# SPDX-License-Identifier: BSD-3-Clause
"""Runs `gbflow serve` in a lab, bounded in time, and reads what it leaves. GBFLOW names the program."""
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, os.path.join(ROOT, "tests", "oracles", "gb"))
sys.path.append(os.path.join(ROOT, "python"))

from gbflow_results import Failure  # noqa: E402  pylint: disable=wrong-import-position
from gbflow_top import telemetry  # noqa: E402  pylint: disable=wrong-import-position

START_S, STOP_S = 60, 60
SANITIZER = re.compile(r"runtime error:|Sanitizer|SUMMARY:")
TLLI, TEID, GGSN_TEID = 0xC0000001, 0x1001, 0x2001
ADDRESS = "10.45.0.1"

TEXT = """return {
  workers = %(workers)d,
  gn = { port = "%(gn)s"%(gn_more)s },
  gb = { address = "198.51.100.1", port = "%(gb)s"%(gb_more)s },
  nses = { { nsei = 101%(nse_more)s, nsvcs = { { nsvci = 101, address = "198.51.100.2" }%(nsvcs)s },
    cells = { { bvci = 1800, cell_id = { mcc = "262", mnc = "42", lac = 4660, rac = 5, ci = 1 }%(cell_more)s } } } },
  mobiles = { source = "list", list = { %(mobiles)s } },
  live = { idle = "%(idle)s", max_sleep = "5 ms"%(live_more)s },
  eal = { prefix = "%(prefix)s", huge_pages = "no" },
  limits = { npdu_buffers = 2047, mobiles = %(limit)d, contexts = %(limit)d, fragments = 64 }%(more)s
}
"""
MOBILE = """{ imsi = "262420000000001", tlli = 0xC0000001, bvci = 1800, contexts = { { nsapi = 5, teid = 0x1001,
    sgsn_address = "192.0.2.1", ggsn_address = "192.0.2.2", ggsn_teid = 0x2001, address = "10.45.0.1" } } }"""
VETH = {"gn": "net_af_packet0,iface=gn0", "gb": "net_af_packet1,iface=gb0", "gn_more": "", "gb_more": "", "idle": "sleep",
        "live_more": "", "nse_more": "", "nsvcs": "", "cell_more": "", "more": "", "workers": 1, "mobiles": MOBILE, "limit": 16}


def program():
    path = os.environ.get("GBFLOW") or os.path.join(ROOT, "build", "gbflow")
    if not os.access(path, os.X_OK):
        sys.exit(f"no program '{path}': set GBFLOW")
    return os.path.abspath(path)


def wait_for_standby(prefix, imsi, **how):
    """Until the worker of a mobile has found the end of its READY timer, as an act says that is not carried out."""
    end, said = time.monotonic() + START_S, ""
    while "the mobile is in STANDBY" not in said:
        if time.monotonic() > end:
            raise AssertionError(said)
        done = subprocess.run([program(), "page", imsi, "--dry-run", "--prefix", prefix], capture_output=True, text=True, check=False,
                              timeout=60, **how)
        said = done.stdout + done.stderr


class Node:
    """A running node; `lines` is what it has written to stderr so far."""

    command, side = "serve", "node"  # what is run, and in which namespace of the lab

    def __init__(self, lab=None, text=TEXT, words=(), user=None, **values):
        self.holder = tempfile.TemporaryDirectory(prefix="gbflow-live-")
        os.chmod(self.holder.name, 0o777)
        self.path = os.path.join(self.holder.name, "node.lua")
        self.json = os.path.join(self.holder.name, "final.json")
        self.prefix = f"live{os.getpid()}x{id(self) & 0xFFFF:x}"
        self.user, self.runtime = user, values.pop("runtime", self.holder.name)
        for name, content in values.pop("files", {}).items():  # beside the configuration
            with open(os.path.join(self.holder.name, name), "w", encoding="utf-8") as file:
                file.write(content)
        self.values = dict(VETH, **{"prefix": self.prefix, **values})
        self.write(text)
        command = [*values.pop("wrapper", ()), program(), self.command, self.path, "--json", self.json, "--verbose", *words]
        self.words = lab.command(self.side, *command) if lab else command
        self.lines, self.out, self.report = [], "", None
        self.start()

    def start(self):
        """Again, with the same configuration, after its end."""
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        text=True, errors="replace", cwd=self.holder.name, env=self.environment(), user=self.user)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def write(self, text=TEXT, **values):
        """Writes the configuration (anew)."""
        self.values.update(values)
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(text % self.values)

    def environment(self):
        leaks = f"suppressions={HERE}/lsan.supp:print_suppressions=0"  # of a build with AddressSanitizer
        return dict(os.environ, RUNTIME_DIRECTORY=self.runtime, LSAN_OPTIONS=leaks)

    def run_show(self, what, *words):
        return subprocess.run([program(), "show", what, "--prefix", self.prefix, *words], capture_output=True, text=True,
                              check=False, timeout=60, env=self.environment(), user=self.user)

    def run_reload(self, *words, **values):
        """Writes the configuration and lets `gbflow reload` apply it."""
        self.write(**values)
        return subprocess.run([program(), "reload", "--prefix", self.prefix, *words], capture_output=True, text=True, check=False,
                              timeout=120, env=self.environment(), user=self.user)

    def wait_for_standby(self, imsi="262420000000001"):
        wait_for_standby(self.prefix, imsi, env=self.environment(), user=self.user)

    def show(self, what):
        """A table of the running node: a list of dicts."""
        done = self.run_show(what, "--json")
        if done.returncode != 0:
            raise AssertionError(f"show {what}: {done.stderr}")
        return json.loads(done.stdout)

    def show_until(self, what, is_right, timeout_s=START_S):
        """Asks the node's socket again until a table is right; returns it. A start of `gbflow show` for each look would take most of
        the processor under sanitizers."""
        end = time.monotonic() + timeout_s
        client = telemetry.Client(self.prefix)
        client.path = Path(self.runtime, "dpdk", self.prefix, telemetry.SOCKET)
        with contextlib.closing(client):
            while True:
                try:
                    rows = client.rows(what, 0)
                except telemetry.NoTable:  # a row that came between two answers makes the rows before it come again
                    rows = None
                except Failure as failure:
                    raise AssertionError(f"show {what}: {failure}") from failure
                if rows is not None and is_right(rows):
                    return rows
                if time.monotonic() > end:
                    raise AssertionError(f"show {what}: {rows or 'no table'}")
                time.sleep(0.05)

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def wait_for(self, pattern, timeout_s=START_S, start=0):
        """Waits for a line on stderr that matches."""
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            for line in self.lines[start:]:
                if re.search(pattern, line):
                    return line
            if self.process.poll() is not None:
                break
            time.sleep(0.01)
        raise AssertionError(f"no line '{pattern}'; status {self.process.poll()}\n" + "\n".join(self.lines[-30:]))

    def stop(self, number=signal.SIGINT):
        """Ends it by a signal; returns its exit status. report is its final JSON then."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.finish()

    def finish(self, timeout_s=STOP_S):
        """Waits for its end."""
        try:
            self.out = self.process.stdout.read() if self._ends(timeout_s) else ""
            self.reader.join(5)
            text = "\n".join(self.lines)
            if self.process.returncode < 0 or SANITIZER.search(text):
                raise AssertionError(f"status {self.process.returncode}\n{text[-6000:]}")
            if os.path.exists(self.json):
                with open(self.json, encoding="utf-8") as file:
                    self.report = json.load(file)
        finally:
            self.process.stdout.close()
            self.process.stderr.close()
            self.holder.cleanup()
        return self.process.returncode

    def _ends(self, timeout_s):
        try:
            self.process.wait(timeout_s)
            return True
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(60)
            raise AssertionError("it did not end\n" + "\n".join(self.lines[-30:])) from None

    def kill(self):
        """For the end of a test that failed, and harmless after others."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(60)
        self.reader.join(5)
        self.process.stdout.close()
        self.process.stderr.close()
        self.holder.cleanup()
