# SPDX-License-Identifier: BSD-3-Clause
"""gbflow sweep on Slurm: a cluster of one node on loopback, started here without systemd, gives the octets that a local sweep gives."""
import contextlib
import filecmp
import getpass
import glob
import os
import shutil
import socket
import subprocess
import time
import unittest

import scenario
from scenario import gbflow

TOOLS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "sinfo", "squeue")
MISSING = [tool for tool in TOOLS if not shutil.which(tool, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")]
# What names folders, times or the spreader itself.
OWN = {"log.txt.gz", "provenance.json.gz"}
READY_S = 60
STUDY = """return { title = "Slurm", scenario = "s.lua", seeds = 2, baseline = { scheme = "none" }, axes = {
  { name = "scheme", points = { { label = "none" }, { label = "CoDel", set = { %s } } } },
  { name = "pdchs", set = { "cells[1].pdchs" }, values = { 1, 2 } } } }
"""
CONF = """ClusterName=gbflow
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
CredType=cred/munge
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=1,bf_interval=1
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """munged, slurmctld and slurmd in the foreground; their files lie in `folder`."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        self.environment = {**os.environ, "SLURM_CONF": os.path.join(folder, "slurm.conf"),
                            "PATH": os.environ.get("PATH", "") + ":/usr/sbin:/sbin"}
        for name in ("munge", "state", "spool"):
            os.makedirs(os.path.join(folder, name), mode=0o700)
        with open(self.environment["SLURM_CONF"], "w", encoding="ascii") as file:
            file.write(CONF.format(folder=folder, host=socket.gethostname().split(".")[0], user=getpass.getuser(), ports=free_ports(2),
                                   cpus=len(os.sched_getaffinity(0))))

    def start(self):
        munge = os.path.join(self.folder, "munge")
        with open(os.open(os.path.join(munge, "key"), os.O_WRONLY | os.O_CREAT, 0o400), "wb") as file:
            file.write(os.urandom(1024))
        # --force: the scratch folder's parents may be writable by others
        self.run("munged", "--foreground", "--force", *(f"--{name}-file={munge}/{name}" for name in ("key", "pid", "log", "seed")),
                 f"--socket={munge}/socket")
        self.wait(lambda: os.path.exists(f"{munge}/socket"), "munged has no socket")
        self.run("slurmctld", "-D")
        self.run("slurmd", "-D")
        self.wait(lambda: self.state() == "idle", "the node is not idle")

    def run(self, *words):
        with open(os.path.join(self.folder, words[0] + ".out"), "wb") as log:
            self.processes.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                                   stderr=subprocess.STDOUT))

    def state(self):
        return subprocess.run(["sinfo", "--noheader", "--format=%t"], env=self.environment, capture_output=True, text=True,
                              check=False).stdout.strip()

    def wait(self, is_ready, message):
        until = time.monotonic() + READY_S
        while not is_ready():
            if time.monotonic() > until:
                logs = [subprocess.run(["tail", "-n3", path], capture_output=True, text=True, check=False).stdout
                        for path in glob.glob(os.path.join(self.folder, "*.out"))]
                raise AssertionError(f"{message}: {logs}")
            time.sleep(0.2)

    def stop(self):
        for process in reversed(self.processes):
            process.terminate()
            process.wait(60)


@unittest.skipIf(MISSING and os.environ.get("CI") != "true", f"{', '.join(MISSING)} not installed: scripts/setup.sh --nightly")
class Slurm(scenario.gbflow.Case):
    def setUp(self):
        super().setUp()
        self.assertEqual(MISSING, [])
        self.cluster = Cluster(self.path("cluster"))
        self.addCleanup(self.cluster.stop)
        self.cluster.start()
        self.environment = self.cluster.environment
        with open(self.path("s.lua"), "w", encoding="utf-8") as file:
            file.write(scenario.text(duration="20 s", cells='bler = "5 %", flow_control = { bucket_time = "2 s" }',
                                     mobiles='{ name = "a", count = 2, traffic = { { download = { octets = "infinite" } } } }'))

    def command(self, out, *words, change='["sgsn.queues.aqm.scheme"] = "codel"'):
        with open(self.path("study.lua"), "w", encoding="utf-8") as file:
            file.write(STUDY % change)
        return [gbflow.program(), "sweep", self.path("study.lua"), "--out", self.path(out), "--no-parquet", *words]

    def sweep(self, out, *words, **given):
        return subprocess.run(self.command(out, *words, **given), env=self.environment, cwd=self.folder, capture_output=True, text=True,
                              check=False)

    def test_equal_octets(self):
        for out, words in (("local", ()), ("slurm", ("--spread", "slurm"))):
            done = self.sweep(out, *words)
            self.assertEqual(done.returncode, 0, done.stderr)
        files = [{os.path.relpath(path, self.path(out)) for path in glob.glob(self.path(out) + "/**", recursive=True) if os.path.isfile(path)}
                 for out in ("local", "slurm")]
        self.assertEqual(files[1] - files[0], {"slurm/array.sh", "slurm/list.txt", "slurm/log.txt"})
        self.assertEqual(files[0] - files[1], set())
        self.assertEqual(sum(path.endswith("/summary.json.gz") for path in files[0]), 8)
        for path in sorted(files[0]):
            if os.path.basename(path) not in OWN:
                self.assertTrue(filecmp.cmp(self.path(f"local/{path}"), self.path(f"slurm/{path}"), shallow=False), path)
        self.assertIn("8 of 8 runs are there already", self.sweep("slurm", "--spread", "slurm").stderr)

    def test_failing_run(self):
        """The run that failed is named with its message; those that ended are kept."""
        with open(self.path("bad.lua"), "w", encoding="ascii") as file:
            file.write('return { name = "bad", dequeue = function() error("no") end }')
        done = self.sweep("bad", "--spread", "slurm", change='["sgsn.queues.aqm.lua"] = "bad.lua"')
        self.assertEqual(done.returncode, 1, done)
        self.assertRegex(done.stderr, "points scheme=CoDel,pdchs=[12] seed [12]: ")
        self.assertIn("the AQM scheme failed", done.stderr)
        self.assertTrue(os.path.exists(self.path("bad/runs/points/scheme=none,pdchs=1-seed1/finished.json")))


    def test_interrupted(self):
        """No run stays in Slurm's queue."""
        def queued():
            return subprocess.run(["squeue", "--noheader"], env=self.environment, capture_output=True, text=True, check=True).stdout.split()

        with subprocess.Popen(self.command("cut", "--spread", "slurm", change='duration = "86400 s"'), env=self.environment, cwd=self.folder,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            self.addCleanup(process.kill)
            self.cluster.wait(queued, "nothing is queued")
            process.terminate()
            self.assertEqual(process.wait(60), 1)
        self.cluster.wait(lambda: not queued(), "runs are still queued")


if __name__ == "__main__":
    unittest.main()
