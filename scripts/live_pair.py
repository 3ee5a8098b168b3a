# SPDX-License-Identifier: BSD-3-Clause
"""A live pair: `gbflow serve` and `gbflow bench generate` over memif in a folder of their own: without rights and
without huge pages."""
import json
import os
import re
import shlex
import signal
import subprocess
import tempfile
import time

FAULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), *"../tests/system/faults".split("/"))
MOBILES, CELLS, WORKERS = 300, 7, 2
POINT = ["--mobiles", str(MOBILES), "--cells", str(CELLS), "--workers", str(WORKERS), "--pages", "small"]
SHOWS = 12  # of a table, of 5 s each
START_S, STOP_S, TRIAL_S = 300, 120, 600  # a sanitizer on a busy machine
SANITIZER = re.compile(r"runtime error:|Sanitizer|SUMMARY:")


class Failure(Exception):
    """A run did not do what it had to."""


def preloaded(folder, name):
    """A library in folder, compiled from tests/system/faults/NAME.c, for LD_PRELOAD."""
    path = os.path.join(folder, name + ".so")
    source = os.path.join(FAULTS, name + ".c")
    compiler = shlex.split(os.environ.get("CC", "cc"))
    subprocess.run([*compiler, "-O2", "-shared", "-fPIC", "-o", path, source], check=True)
    return path


def files_of(pid):
    """The least number of open files in two seconds: connections of the peer and of `gbflow show` close meanwhile."""
    least = None
    for _ in range(8):
        count = len(os.listdir(f"/proc/{pid}/fd"))
        least = count if least is None else min(least, count)
        time.sleep(0.25)
    return least


def memory_of(pid):
    """Resident octets but for DPDK's memory, a shared mapping whose pages become resident as buffers are used."""
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        sizes = dict(re.findall(r"^Rss(\w+):\s+(\d+) kB", file.read(), re.MULTILINE))
    return 1024 * (int(sizes["Anon"]) + int(sizes["File"]))


def held_by(pid, control):
    """Memory (octets), open files and packet buffers of a node now; control: its row of `gbflow show control`."""
    return {"rss_octets": memory_of(pid), "files": files_of(pid),
            **{name: control[name] for name in ("lua_octets", "rx_buffers", "tx_buffers")}}


class Pair:
    """A running node; `with` ends it."""

    def __init__(self, program, environment=None):
        self.program, self.holder = os.path.abspath(program), tempfile.TemporaryDirectory(prefix="gbflow-pair-")
        self.folder = self.holder.name
        self.link = f"pair{os.getpid()}x{os.path.basename(self.folder)}"
        self.environment = {**os.environ, **(environment or {}), "XDG_RUNTIME_DIR": self.folder}
        self.node = self.path("node.lua")
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.holder.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def call(self, *words, **options):
        return subprocess.run([self.program, *words], env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, errors="replace", check=False, timeout=TRIAL_S, **options)

    def must(self, *words):
        """A command that must succeed; what it prints."""
        done = self.call(*words)
        if done.returncode != 0:
            raise Failure(f"{' '.join(words)}: " + (done.stdout + done.stderr)[-2000:])
        return done.stdout

    def log(self):
        with open(self.path("log"), encoding="utf-8", errors="replace") as file:
            return file.read()

    def write_node(self, *more, replace=()):
        self.must("bench", "node", self.node, "--set", "link=" + self.link, *POINT, *more)
        with open(self.node, encoding="utf-8") as file:
            text = file.read().replace('idle = "poll"', 'idle = "sleep"').replace("gbflow-generate", self.link)
        for old, new in replace:
            if old not in text:
                raise Failure(f"bench node writes no '{old}'")
            text = text.replace(old, new)
        with open(self.node, "w", encoding="utf-8") as file:
            file.write(text)

    def serve(self):
        """Starts the node of the file; returns when it runs."""
        with open(self.path("log"), "w", encoding="utf-8") as log:
            self.process = subprocess.Popen([self.program, "serve", self.node, "--json", self.path("final.json")],
                                            env=self.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        end_at = time.monotonic() + START_S
        while "running" not in self.log():
            if self.process.poll() is not None or time.monotonic() > end_at:
                raise Failure("the node does not run: " + self.log()[-2000:])
            time.sleep(0.1)

    def generator(self, seconds, rate, *more):
        """The words of a trial."""
        return ["bench", "generate", "--set", "link=" + self.link, "--set", "gap_us=5000000", "--octets", "512",
                "--rate", str(rate), "--seconds", str(seconds), "--json", self.path("trial.json"), *POINT, *more]

    def trial(self, seconds, rate, *more):
        """What the generator says of a trial that must succeed."""
        self.must(*self.generator(seconds, rate, *more))
        with open(self.path("trial.json"), encoding="utf-8") as file:
            return json.load(file)["trials"][0]

    def show(self, what):
        """A table; asked for again while the node gets no time to answer."""
        for _ in range(SHOWS):
            done = self.call("show", what, "--json", "--prefix", self.link)
            if "has not answered within" not in done.stderr:
                break
        if done.returncode != 0:
            raise Failure(f"show {what}: {done.stderr[-2000:]}")
        return json.loads(done.stdout)

    def held(self):
        return held_by(self.process.pid, self.show("control")[0])

    def stop(self):
        """Ends the node; its report, whose sums must agree."""
        self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(STOP_S)
        log = self.log()
        report = SANITIZER.search(log)
        if status != 0 or report:
            begin = log.rfind("\n", 0, report.start()) + 1 if report else max(len(log) - 6000, 0)
            raise Failure(f"the node ends with status {status}: {log[begin:begin + 6000]}")
        with open(self.path("final.json"), encoding="utf-8") as file:
            report = json.load(file)
        npdu = report["npdu"]
        if npdu["in"] != npdu["out"] + npdu["dropped"] + npdu["queued"]:
            raise Failure(f"N-PDUs that are not accounted for: {npdu}")
        return report
