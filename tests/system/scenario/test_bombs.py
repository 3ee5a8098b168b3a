# SPDX-License-Identifier: BSD-3-Clause
"""Results are data: of no file below a results folder or the current folder does a command execute or import anything (bombs.py)."""
import os
import shutil
import subprocess

import bombs
import scenario
from scenario import gbflow

CAPTURE = os.path.join(gbflow.ROOT, "tests", "data", "captures", "gi-osmo-ggsn.pcap.gz")
TEXT = 'local bomb = require "bomb"\n' + scenario.text(duration="20 s", cells='pdchs = 4, flow_control = { bucket_time = "2 s" },',
                     mobiles='{ name = "a", count = 2, traffic = { { download = { octets = "20 kB" } } } }')
STUDY = """return { scenario = "s.lua", seeds = 2, figures = { "classes.*.goodput_bps.total" },
  axes = { { name = "buffer", points = { { label = "1", set = {} } } } } }
"""
# Each reads results or files of the current folder; all are run in the order of the rows.
COMMANDS = (
    "run s.lua --out results",
    "run s.lua --out results --packet=a1:1",
    "run s.lua --out captured --pcap",
    "check s.lua study.lua",
    "fields",
    "rerun results",
    "rerun results --out again",
    "figure results --list",
    "figure results --figures figures",
    "figure results delay-cdf --out delay.svg",
    "compare results results",
    "compare results again --out comparison",
    "figure comparison --figures figures",
    "top results --once",
    f"analyze {CAPTURE} --out results",
    f"analyze {CAPTURE} --json analysis2.json --connections connections.csv",
    "aqm list",
    "aqm curve codel --out results/curve",
    "sweep study.lua",
    "sweep study.lua --out results",
    "figure out/sweep --figures figures",
    "reproduce P4 --seeds 1",
    "reproduce P4 --seeds 1 --out results",
    "compare out/reproduce out/reproduce",
)
# A registry of packages that does not answer: the real one is not asked by a test.
NO_REGISTRY = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_NO_CACHE_DIR": "1"}


# What Snakemake 9 executes beside its rules, as its modules __init__, cli, workflow and io have it; then the jobs.
SNAKEMAKE = """#!/usr/bin/python3 -I
import importlib, json, os, pathlib, pickle, pkgutil, subprocess, sys
given = dict(zip(sys.argv, sys.argv[1:]))
sys.path.append(".snakemake/pip-deployments")
for module in pkgutil.iter_modules():
    if module.name.startswith("snakemake_executor_plugin_"):
        importlib.import_module(module.name)
for folder in ("default", "profiles/default", given["--directory"] + "/profiles/default"):
    path = pathlib.Path(folder) / "config.yaml"
    if given.get("--workflow-profile") != "none" and path.is_file():
        exec(pathlib.Path(path.read_text().split()[1]).read_text(), {"shell": os.system})
os.chdir(given["--directory"])
sys.path.insert(0, given["--directory"])
for name in ("psutil", "yaml"):
    if importlib.util.find_spec(name):
        importlib.import_module(name)
cache = pathlib.Path(".snakemake/iocache/latest.pkl")
if cache.is_file():
    pickle.loads(cache.read_bytes())
for folder in json.loads(pathlib.Path("folders.json").read_text()):
    subprocess.run(["/bin/sh", folder + "/job.sh"], check=True)
"""


# Runs the tasks of an array here; its last words are the array's script and the list of folders.
SBATCH = """#!/bin/sh
for list; do script=$before before=$list; done
count=$(wc -l <"$list")
for task in $(seq "$count"); do SLURM_ARRAY_TASK_ID=$task sh "$script" "$list"; done
"""


class Bombs(gbflow.Case):
    def setUp(self):
        super().setUp()
        self.bombs = bombs.Bombs(self.folder)
        self.here = self.path("here")
        self.cache = self.path("home/cache")
        os.makedirs(self.cache)
        for folder in ("", "/results", "/again", "/out/reproduce", "/out/sweep", "/comparison", "/results/runs/P4", "/figures", "/captured",
                       "/results/curve", *(f"/{out}/runs/points/buffer=1-seed{seed}" for out in ("out/sweep", "results") for seed in (1, 2))):
            self.bombs.plant(self.here + folder)
        for name, text in (("s.lua", TEXT), ("study.lua", STUDY)):
            self.bombs.put(f"{self.here}/{name}", text)

    def put_environment(self):
        """The user's own, with a stand-in for Snakemake, and without pyarrow."""
        folder = f"{self.cache}/gbflow/environment"
        self.bombs.put(f"{folder}/gbflow-ready", bombs.READY)
        self.bombs.put(f"{folder}/bin/python3", '#!/bin/sh\nexec /usr/bin/python3 "$@"\n', 0o755)
        self.bombs.put(f"{folder}/bin/snakemake", SNAKEMAKE, 0o755)

    def run_all(self, commands=COMMANDS, **variables):
        """What went off, by command, and the commands that failed, which would show nothing."""
        found, failed = {}, {}
        environment = {**os.environ, "HOME": self.path("home"), "XDG_CACHE_HOME": self.cache, **NO_REGISTRY, **variables}
        for words in commands:
            done = subprocess.run([gbflow.program(), *words.split()], cwd=self.here, env=environment, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True, errors="replace", check=False, timeout=gbflow.RUN_SECONDS)
            off = self.bombs.gone_off()
            if off:
                found[words] = off
                self.bombs.disarm()
            if done.returncode != 0:
                failed[words] = f"status {done.returncode}: {done.stderr[-1500:]}"
        return found, failed

    def test_commands(self):
        self.put_environment()
        self.assertEqual(self.run_all(), ({}, {}))

    def test_import_path(self):
        """Empty and relative folders of PYTHONPATH are the current folder, or lie in it."""
        self.put_environment()
        self.assertEqual(self.run_all(("run s.lua --out results", "figure results --list"), PYTHONPATH=":.:results:/nowhere"), ({}, {}))

    def test_new_environment(self):
        """The environment that a study makes; its folder's name may not be relative, either."""
        found, failed = self.run_all(("sweep study.lua",), XDG_CACHE_HOME="results")
        self.assertEqual((found, failed), ({}, {}))
        self.assertTrue(os.path.isdir(self.path("home/.cache/gbflow/environment/bin")))

    def test_folders_of_the_user_stay(self):
        """In OUT, which may be any folder; what spreads the runs empties its own."""
        self.put_environment()
        self.bombs.put(f"{self.here}/bin/sbatch", SBATCH, 0o755)
        self.bombs.put(f"{self.here}/bin/scancel", "#!/bin/sh\n", 0o755)
        for spread in ("snakemake", "slurm"):
            path = f"{self.here}/own/{spread}/mine.sh"
            self.bombs.put(path, "true\n")
            found = self.run_all((f"sweep study.lua --out own --spread {spread}",), PATH=f"{self.here}/bin:{os.environ['PATH']}")
            self.assertEqual(found, ({}, {}))
            self.assertTrue(os.path.isfile(path))
            shutil.rmtree(f"{self.here}/own/runs")

    def test_a_folder_that_is_a_link(self):
        """A run does not begin in it; OUT itself may be one."""
        self.put_environment()
        runs = f"{self.here}/own/runs"
        for link in (runs, f"{runs}/points", f"{runs}/points/buffer=1-seed1"):
            with self.subTest(link=link):
                os.makedirs(os.path.dirname(link))
                os.symlink(self.bombs.kept, link)
                failed = self.run_all(("sweep study.lua --out own",))[1]
                self.assertRegex(str(failed), "own/runs.*is a link to .*; remove the link")
                self.assertEqual(self.bombs.gone_off(), [])
                shutil.rmtree(f"{self.here}/own")
        os.makedirs(f"{self.here}/true")
        os.symlink("true", f"{self.here}/own")
        self.assertEqual(self.run_all(("sweep study.lua --out own",)), ({}, {}))

    def test_they_go_off(self):
        """Each kind, where a program takes it."""
        for words, kind in ((["python3", "-m", "venv", "new"], "module:venv"), (["./git"], "program:git"),
                            (["python3", "-c", "import ctypes; ctypes.CDLL('./bomb.so')"], "object"),
                            (["environment/bin/snakemake"], "environment:snakemake"), (["python3", "gbflow-report.pyz"], "pyz"),
                            (["python3", "-I", "-c", "import pickle; pickle.load(open('.gbflow-snakemake/.snakemake/iocache/latest.pkl', 'rb'))"], "snakemake"),
                            (["python3", "-I", "-c", "import sys; sys.path.append('.snakemake/pip-deployments'); import snakemake_executor_plugin_bomb"],
                             "snakemake:plugin")):
            with self.subTest(kind=kind):
                subprocess.run(words, cwd=self.here, stdin=subprocess.DEVNULL, capture_output=True, check=False)
                self.assertIn(kind, self.bombs.gone_off())
                os.unlink(self.bombs.marker)
