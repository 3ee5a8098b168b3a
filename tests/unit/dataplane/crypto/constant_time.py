#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""No branch and no address of the ciphering engines depends on a key: clang's MemorySanitizer watches.

usage: constant_time.py

Builds constant_time_run and the engines with clang, runs each engine, and three that are wrong on purpose. Status: 0 all as
expected, 1 not, 77 no clang with MemorySanitizer here (1 where CI=true).
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[3]
CRYPTO = ROOT / "dataplane/crypto"
EXIT_SKIP = 77
REPORT = "MemorySanitizer: use-of-uninitialized-value"
# Engine, the function that must be blamed or None for clean.
ROWS = [("portable", None), ("avx512", None), ("avx2", None), ("planted-load", "plant_load"), ("planted-branch", "plant_branch"),
        ("planted-lone", "plant_load")]
# A key may be an argument; clang 16 and later would report that, too, unless told not to.
FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-g", "-fno-strict-aliasing", "-fsanitize=memory", "-fno-sanitize-recover=all",
         "-fno-sanitize-memory-param-retval"]


def unavailable(reason):
    print(reason)
    return 1 if os.environ.get("CI") == "true" else EXIT_SKIP


def has_sanitizer(clang, folder):
    probe = folder / "probe.c"
    probe.write_text("int main(void)\n{\n    return 0;\n}\n")
    command = [clang, "-fsanitize=memory", probe, "-o", folder / "probe"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def build(clang, folder, level):
    """The program; -O2 is what is shipped, -O0 has every branch that was written."""
    made = folder / "dataplane/crypto"
    made.mkdir(parents=True, exist_ok=True)
    for name, mode in (("tables", "vector"), ("circuit", "circuit"), ("nibbles", "nibbles"), ("terms", "terms")):
        with open(made / f"kasumi_{name}.h", "w", encoding="utf-8") as out:
            subprocess.run([sys.executable, CRYPTO / "kasumi_sbox.py", mode], stdout=out, check=True)
    program = folder / f"run{level}"
    # Keys are made by a library, which is not built for it.
    sources = [path for path in sorted(CRYPTO.glob("*.c")) if path.name != "kdf.c"] + [HERE / "constant_time_run.c"]
    subprocess.run([clang, *FLAGS, level, f"-I{ROOT}", f"-I{folder}", *sources, "-o", program], check=True)
    return program


def judge(program, engine, blamed):
    """True when the engine does as expected; prints what it did."""
    done = subprocess.run([program, engine], capture_output=True, text=True, check=False)
    if done.returncode == EXIT_SKIP:
        print(f"{program.name} {engine}: the processor cannot run it")
        return True
    caught = REPORT in done.stderr
    is_right = caught and f" in {blamed} " in done.stderr if blamed else done.returncode == 0
    print(f"{program.name} {engine}: {'caught' if caught else 'clean'}, status {done.returncode}")
    if not is_right:
        print(done.stderr[:2000])
    return is_right


def main():
    clang = shutil.which("clang-14") or shutil.which("clang")
    if clang is None:
        return unavailable("clang is not installed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if not has_sanitizer(clang, folder):
            return unavailable(f"{clang} comes without MemorySanitizer")
        programs = [build(clang, folder, level) for level in ("-O0", "-O2")]
        results = [judge(program, *row) for program in programs for row in ROWS]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
