# SPDX-License-Identifier: BSD-3-Clause
"""Files that another user puts into a folder: each one, executed or imported, writes a line into a file elsewhere. A row of KINDS for
each way in which a program might take a file of a folder for a part of itself."""
import contextlib
import os
import pickle
import shutil
import subprocess

# As gbflow asks pip for them: an environment that has these lines is taken as complete.
READY = "snakemake>=9,<10\npyarrow>=15\n"
MODULES = ("argparse ast bomb csv datetime dateutil encodings ensurepip fractions gbflow_lab gbflow_report gbflow_results gbflow_top gzip json "
           "logging matplotlib numpy pandas pathlib pip PIL pyarrow pyparsing random scipy shlex sitecustomize six snakemake subprocess tempfile "
           "threading typing urllib usercustomize venv zipfile").split()
PROGRAMS = "dot git gnuplot latex pip pip3 python python3 sbatch scancel sh tc tshark weasyprint xelatex".split()
OBJECTS = "bomb.so gbflow_wire.so json.so libcapstone.so.4 libm.so.6 numpy.so plugins/bomb.so".split()
# Those of scenarios are without io and os; a Lua that has them writes the line.
LUA = """local shell = os and os.execute
if shell then shell("echo lua >>%(marker)s") end
if io then io.open("%(marker)s", "a"):write("lua\\n") end
return { }
"""
C = """#include <stdio.h>
__attribute__((constructor)) static void bomb(void)
{
    FILE *file = fopen("%(marker)s", "a");
    fputs("object\\n", file);
    fclose(file);
}
"""
WRITTEN = ("series.csv summary.json provenance.json gi.truth.json packet.json report.html gi.pcapng gn.pcapng gb.pcapng analysis.json "
           "comparison.json comparison.csv results.csv points.csv results.parquet sweep.json reproduction.json aqm-codel.json aqm-codel.html "
           "delay-cdf.pdf distributions.json warmup.json finished.json log.txt job.sh job.done series.csv.gz.part summary.json.gz.part").split()
RC = "backend: module://bomb\nfigure.facecolor: red\nfont.size: 30\nsvg.hashsalt: other\ntimezone: Asia/Tokyo\n"


class Exploding:
    """What unpickling runs."""

    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


class Bombs:
    """marker: the file in which a line for each bomb that went off stands."""

    def __init__(self, folder):
        self.marker = os.path.join(folder, "marker")
        self.kept = os.path.join(folder, "kept")
        os.mkdir(self.kept)
        self.object = os.path.join(folder, "bomb.so")
        source = os.path.join(folder, "bomb.c")
        with open(source, "w", encoding="ascii") as file:
            file.write(C % {"marker": self.marker})
        subprocess.run(["cc", "-shared", "-fPIC", "-o", self.object, source], check=True)

    def gone_off(self):
        """The kinds, each once."""
        if not os.path.exists(self.marker):
            return self.overwritten()
        with open(self.marker, encoding="utf-8") as file:
            return sorted(set(file.read().split())) + self.overwritten()

    def disarm(self):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.marker)

    def put(self, path, text, mode=0o644):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)

    def module(self, path, kind):
        self.put(path, f"import os\nos.system('echo {kind} >>{self.marker}')\n")

    def program(self, path, kind):
        self.put(path, f"#!/bin/sh\necho {kind} >>{self.marker}\nexit 1\n", 0o755)

    def modules(self, folder):
        for name in MODULES:
            self.module(f"{folder}/{name}.py", f"module:{name}")
        self.module(f"{folder}/__main__.py", "module:__main__")

    def programs(self, folder):
        for name in PROGRAMS:
            self.program(f"{folder}/{name}", f"program:{name}")

    def objects(self, folder):
        for name in OBJECTS:
            os.makedirs(os.path.dirname(f"{folder}/{name}"), exist_ok=True)
            shutil.copy(self.object, f"{folder}/{name}")

    def environment(self, folder):
        """Of Python, with Snakemake and pyarrow."""
        self.put(f"{folder}/environment/gbflow-ready", READY)
        for name in ("snakemake", "python3", "python", "pip"):
            self.program(f"{folder}/environment/bin/{name}", f"environment:{name}")
        self.put(f"{folder}/pyvenv.cfg", f"home = {folder}/environment/bin\n")

    def snakemake(self, folder):
        """What Snakemake itself takes from the folder that it works in."""
        command = f"echo snakemake >>{self.marker}"
        for name in ("Snakefile", "workflow/Snakefile", ".gbflow-snakemake/Snakefile"):
            self.put(f"{folder}/{name}", f"shell({command!r})\n")
        for name in ("default", "profiles/default", ".gbflow-snakemake/profiles/default"):
            self.put(f"{folder}/{name}/config.yaml", f"snakefile: {folder}/Snakefile\n")
        for name in (".snakemake/pip-deployments", ".gbflow-snakemake/.snakemake/pip-deployments"):
            self.module(f"{folder}/{name}/snakemake_executor_plugin_bomb/__init__.py", "snakemake:plugin")
        self.put(f"{folder}/.gbflow-snakemake/.snakemake/iocache/latest.pkl", pickle.dumps(Exploding(command)))
        for name in ("json", "yaml", "psutil", "snakemake"):
            self.module(f"{folder}/.gbflow-snakemake/{name}.py", f"snakemake:{name}")

    def repository(self, folder):
        """Of git, whose settings are commands."""
        program = f"{folder}/.git/bomb"
        self.program(program, "git")
        self.put(f"{folder}/.git/HEAD", "ref: refs/heads/main\n")
        self.put(f"{folder}/.git/config", f"[core]\n\trepositoryformatversion = 0\n\tfsmonitor = {program}\n\tpager = {program}\n\teditor = {program}\n"
                 f"[diff]\n\texternal = {program}\n[alias]\n\tdescribe = !{program}\n")
        for name in ("objects", "refs/heads"):
            os.makedirs(f"{folder}/.git/{name}", exist_ok=True)
        for name in ("post-checkout", "pre-commit", "post-index-change"):
            self.program(f"{folder}/.git/hooks/{name}", "git:hook")

    def settings(self, folder):
        self.put(f"{folder}/matplotlibrc", RC)
        self.put(f"{folder}/stylelib/classic.mplstyle", RC)
        self.put(f"{folder}/gbflow-report.pyz", f"import os\nos.system('echo pyz >>{self.marker}')\n")
        self.put(f"{folder}/bomb.pth", f"import os; os.system('echo pth >>{self.marker}')\n")

    def lua(self, folder):
        for name in ("bomb", "base/units", "init", "node/schema", "scenario/read", "schema/config"):
            self.put(f"{folder}/{name}.lua", LUA % {"marker": self.marker})

    def links(self, folder):
        """In place of each file that gbflow writes, to a place of the user's own; nothing is there, which would be read."""
        for name in WRITTEN:
            os.makedirs(folder, exist_ok=True)
            os.symlink(f"{self.kept}/{os.path.basename(folder)}-{name}", f"{folder}/{name}")

    def overwritten(self):
        """The places of links where a file is now; each is told once."""
        found = sorted(os.listdir(self.kept))
        for name in found:
            os.unlink(os.path.join(self.kept, name))
        return [f"link:{name}" for name in found]

    def plant(self, folder):
        """All kinds."""
        for kind in KINDS:
            kind(self, folder)


KINDS = (Bombs.modules, Bombs.programs, Bombs.objects, Bombs.environment, Bombs.snakemake, Bombs.repository, Bombs.settings, Bombs.lua, Bombs.links)
