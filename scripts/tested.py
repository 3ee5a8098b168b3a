#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""usage: scripts/tested.py [--build DIR] [--resume] [--write FILE]

Runs the tests that have programs of others as peers or judges, and prints a table: each program with the version that
the tests ran with. Status: 0 all passed, 1 one failed or was skipped, or FILE cannot be written.
  --build DIR   a build of all tests (default: build)
  --resume      leaves out the tests that passed in the last run, if the program has not been built again since
  --write FILE  puts the table into FILE, between the lines "begin measured" and "end measured" of this command;
                needs a tree without changes, as the table names its commit
"""
import argparse
import datetime
import hashlib
import json
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMMAND = "scripts/tested.py --write docs/tested.md"

# program, package that has its version, part, names of Meson's tests, page
ROWS = [
    ("osmo-pcu", "osmo-pcu",
     "PCU below a node: NS, IP-SNS, BSSGP, flow control", ["interop osmo-pcu", "interop pcu_kills"], "interop.md"),
    ("osmo-ggsn", "osmo-ggsn", "GGSN above a node: GTP-C, GTP-U", ["interop osmo-pcu", "live test_lab"], "gtpc.md"),
    ("osmo-hlr", "osmo-hlr", "HLR of a node: GSUP", ["interop osmo-pcu"], "phones.md"),
    ("osmo-sgsn", "osmo-sgsn", "SGSN above the emulated BSS and its phones", ["live osmo_sgsn"], "emulate.md"),
    ("libosmocore", "libosmocore-dev", "judge of NS, BSSGP and GEA", ["judges short", "gea judges", "abm link cipher"],
     "messages.md"), ("tshark", "tshark", "judge of all PDUs",
                      ["judges short", "oracle test_tshark", "worker gn tshark", "lua sms tshark",
                                             "lua sndcp tshark",
                                             "abm link tshark", "pacing tshark", "analyze test_judges"],
                      "messages.md"), ("tcptrace", "tcptrace", "judge of the analysis of TCP", ["analyze test_judges"],
                                       "analyze.md"), ("DPDK", "libdpdk-dev", "library: ports, rings, packet buffers",
                                                       ["ports port", "live ports.Sockets"], "serve.md"),
        ("ngtcp2", "libngtcp2-dev", "library: QUIC of scenarios", ["quic", "scenario test_quic"], "quic.md"),
        ("Prometheus", "prometheus", "reader of the metrics", ["live prometheus"], "watch.md"),
        ("Chromium", "chromium", "reader of the pages' plots", ["report charts browser"], "run.md"),
        ("Linux", "", "packet sockets, veth, TUN", ["live ports_kernel", "live ports.Sockets"], "serve.md"),
]


def out(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()


def version_of(package):
    """The upstream version of a package, without what Debian adds; of the kernel without a package."""
    said = out("dpkg-query", "-W", "-f", "${Version}", package) if package else platform.release()
    match = re.match(r"(?:\d+:)?(\d+(?:\.\d+)*)", said)
    return match.group(1) if match else "missing"


def read(log):
    """{test: OK, SKIP, ...} of a log of Meson."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return {test["name"].split(" / ", 1)[-1]: test["result"] for test in map(json.loads, lines)}


def results_of(build, names, resume):
    """The results of these tests; with resume those that passed in the last run are kept."""
    log, kept = build / "meson-logs" / "tested.json", build / "meson-logs" / "tested-passed.json"
    passed = {}
    if resume and kept.exists() and kept.stat().st_mtime > (build / "gbflow").stat().st_mtime:
        passed = json.loads(kept.read_text(encoding="utf-8"))
    log.unlink(missing_ok=True)
    left = [name for name in names if name not in passed]
    if left:
        subprocess.run(["meson", "test", "-C", str(build), "--no-rebuild", "--logbase", "tested",
                        "--timeout-multiplier", "8", *left],
                       check=False, stdout=sys.stderr)
    results = passed | read(log)
    kept.write_text(json.dumps({test: "OK" for test, result in results.items() if result == "OK"}), encoding="utf-8")
    return results


def table(results):
    """Lines of the table, and what did not pass."""
    lines = ["| Program | Version | Part | Tests of Meson |", "| --- | --- | --- | --- |"]
    faults = []
    for program, package, part, tests, page in ROWS:
        faults += [f"{program}: {test}: {results.get(test, 'did not run')}"
                   for test in tests if results.get(test) != "OK"]
        named = ", ".join(f"`{test}`" for test in tests)
        lines.append(f"| {program} | {version_of(package)} | [{part}]({page}) | {named} |")
    return lines, faults


def system():
    release = pathlib.Path("/etc/os-release").read_text(encoding="utf-8")
    return re.search(r'^PRETTY_NAME="?([^"\n]*)', release, re.MULTILINE).group(1)


def lead():
    commit, day = out("git", "rev-parse", "--short=8", "HEAD"), datetime.datetime.now(datetime.timezone.utc).date()
    return f"Measured on {day} at commit {commit} by `{COMMAND}`, on {system()}: all tests passed."


def write(path, lines):
    text = path.read_text(encoding="utf-8")
    digest = hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()[:8]
    begin = f"<!-- begin measured: {COMMAND} -->\n"
    block = begin + "\n".join(lines) + f"\n<!-- end measured, sha256 {digest} -->"
    changed, count = re.subn(re.escape(begin) + r".*?<!-- end measured[^\n]*-->", lambda _: block, text,
                             flags=re.DOTALL)
    if count != 1:
        sys.exit(f"tested.py: {path} has no block '{begin.strip()}'; add this line and '<!-- end measured -->'")
    path.write_text(changed, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.partition("usage: ")[2])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    given = parser.parse_args()
    if given.write and out("git", "status", "--porcelain", "--untracked-files=no"):
        sys.exit("tested.py: the tree has changes that are in no commit; commit them first")
    lines, faults = table(results_of(given.build, sorted({test for row in ROWS for test in row[3]}), given.resume))
    print("\n".join(lines))
    if faults:
        sys.exit("\n".join(["tested.py: not all tests passed:", *faults]))
    if given.write:
        write(given.write, [lead(), "", *lines])


if __name__ == "__main__":
    main()
