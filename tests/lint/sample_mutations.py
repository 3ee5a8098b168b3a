#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plants mutations sampled over all product folders, one at a time, and counts those that no test notices.

usage: sample_mutations.py [OPTION]...

  --count N        mutations to judge (200), in proportion to each folder's lines, at least 3 of each
  --seed N         of the sample (1); 0 takes today's date
  --replay FILE    the mutations of FILE instead of a sample, where their line stands in the tree unchanged
  --write FILE     the mutations and what became of each, as JSON, for --replay
  --only PREFIX    of files whose path begins so
  --list           prints the sample, builds nothing
  --tree DIR       the tree that is mutated, in a copy (this one)
  --keep DIR       the copies and their builds, for the next time (a temporary folder)
  --jobs N         copies that are worked in at a time (1)
  --limit SECONDS  for the tests of one mutation (90); the rest of its tests are not run then
  --hours N        begins no further mutation after so long, the build included (no limit)
  --most PERCENT   of the judged mutations that may survive (100)

A test notices when it fails, crashes, or takes ten times as long as without a mutation. Tests that can see the mutated file run,
the most related first, until one notices; with --replay the one that noticed before is the first. A mutation that does not
compile is replaced by the next one of its folder, but for --replay. One with the same object or byte code as before is equivalent.
Status: 0 no more survived than may, 1 more did, or none was judged, 2 usage, or the tree does not build.
"""
import argparse
import ast
import collections
import concurrent.futures
import contextlib
import dataclasses
import glob
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import mutations
from mutate import ROOT, Bench
from mutation_tests import LEFT_OUT, Tests, read_json, read_text
from tree import Tree

KILLED, SURVIVED, EQUIVALENT, BROKEN = "killed", "survived", "equivalent", "does not compile"
PATIENCE, PATIENCE_SECONDS = 10, 10  # times and seconds that a test may take longer than without a mutation
LUA_CODE = "io.write(string.dump(assert(loadfile(os.getenv('MUTATED'))), true))"  # without names of lines
CHUNK = 6  # tests that are linked at a time, after the first one


class Unusable(Exception):
    """What was given: the last line of the program."""


class Workshop(Bench):
    """A copy of the tree with a whole build, in which one mutation at a time is judged."""

    def __init__(self, folder, root, limit, like=None):
        if like is not None and not os.path.exists(folder):
            copy_build(like.folder, folder)
        super().__init__(folder, None, root)
        self.limit, self.digests, self.tests = limit, {}, None
        if self.run(["ninja", "-C", "build"]) != 0:
            raise Unusable(f"{root}: does not build; say --keep DIR and see ninja -C DIR/0/build")

    def measure(self):
        """The log of a run of all tests, which knows their times."""
        log, built = (os.path.join(self.folder, "build", name) for name in ("meson-logs/before.json", "build.ninja"))
        if not os.path.exists(log) or os.path.getmtime(log) < os.path.getmtime(built):
            self.run(["meson", "test", "-C", "build", "--no-rebuild", "--logbase", "before", "--timeout-multiplier", "8",
                      *(word for suite in sorted(LEFT_OUT) for word in ("--no-suite", suite))], environment={"TEST_SHORT": "1"})
        return read_text(log)

    def know(self, log):
        """Knows the tests that pass; returned: the names of the others."""
        self.tests = Tests(self.folder, os.path.join(self.folder, "build"))
        failed = self.tests.measured(log)
        self.tests.read_symbols()
        return failed

    def run(self, command, seconds=None, environment=None, folder=None):
        """As Bench.run(), but what the command started ends with it."""
        with subprocess.Popen(command, cwd=folder or self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})}, start_new_session=True) as process:
            try:
                return process.wait(seconds)
            except subprocess.TimeoutExpired:
                return None
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)

    def code(self, path):
        """A digest of what is made of a file; None when it does not compile."""
        if path.endswith(".c"):
            return self.objects(path)
        full = os.path.join(self.folder, path)
        if path.endswith(".lua"):
            done = subprocess.run(["lua5.4", "-e", LUA_CODE], env={**os.environ, "MUTATED": full}, capture_output=True, check=False)
            return done.stdout if done.returncode == 0 else None
        try:
            with open(full, encoding="utf-8") as file:
                tree = ast.parse(file.read())
            compile(tree, path, "exec")
            return ast.dump(tree)
        except SyntaxError:
            return None

    def objects(self, path):
        names = self.tests.objects.get(path, [])
        if self.run(["ninja", "-C", "build", *names]) != 0:
            return None
        digest = hashlib.sha256()
        for name in names:
            with tempfile.NamedTemporaryFile() as stripped:
                self.run(["objcopy", "--strip-debug", os.path.join("build", name), stripped.name])
                digest.update(stripped.read())
        return digest.digest()

    def judge(self, mutation, killer=None):
        """(what became of it, tests that ran, tests that see it); killer: the name of the test that is to run first"""
        path = os.path.join(self.folder, mutation.path)
        if mutation.path not in self.digests:
            self.digests[mutation.path] = self.code(mutation.path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            write(path, mutation.planted(text))
            code = self.code(mutation.path)
            if code in (None, self.digests[mutation.path]):
                return BROKEN if code is None else EQUIVALENT, [], []
            seeing = sorted(self.tests.seeing(mutation.path), key=lambda test: test.name != killer)
            return *self.run_tests(seeing), seeing
        finally:
            write(path, text)

    def run_tests(self, seeing):
        """However long it takes, the first one runs."""
        ran, spent = [], 0.0
        for first in [0, *range(1, len(seeing), CHUNK)]:
            chunk = [test for test in seeing[first:first + (CHUNK if first else 1)] if not first or spent + test.seconds < self.limit]
            targets = sorted({target for test in chunk for target in test.targets})
            if targets and self.run(["ninja", "-C", "build", *targets]) != 0:
                return BROKEN, [*ran, "the build"]
            for test in chunk:
                begun = time.monotonic()
                if not ran or spent + test.seconds < self.limit:
                    ran.append(test.name)
                    if self.notices(test):
                        return KILLED, ran
                    spent += time.monotonic() - begun
        return SURVIVED, ran

    def notices(self, test):
        """77 is a test that was skipped."""
        status = self.run(test.command, PATIENCE_SECONDS + PATIENCE * test.seconds,
                          {**test.environment, "TEST_SHORT": "1", "PYTHONDONTWRITEBYTECODE": "1"}, test.folder)
        return status not in (0, 77)


def copy_build(folder, other):
    """A tree and its build, with the times of both; Meson wrote the folder's own path into some files of the build."""
    shutil.copytree(folder, other, symlinks=True)
    build = os.path.join(other, "build")
    for path in [os.path.join(build, name) for name in ("build.ninja", "compile_commands.json")] + glob.glob(os.path.join(build, "meson-info", "*.json")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        write(path, text.replace(folder, other))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


@dataclasses.dataclass
class Verdict:
    mutation: mutations.Mutation
    outcome: str
    ran: list
    seen_by: int
    seconds: float

    def words(self):
        if self.outcome == KILLED:
            return f"killed by {self.ran[-1]}"
        return f"SURVIVED {len(self.ran)} of {self.seen_by} tests" if self.outcome == SURVIVED else self.outcome

    def as_row(self):
        return {**self.mutation.as_row(), "outcome": self.outcome, "ran": self.ran, "seen_by": self.seen_by, "seconds": round(self.seconds, 1)}


class Sample:
    """Mutations that are waiting, and the verdicts so far. Threads take and give.

    spare: {folder: mutations that may replace one}; killers: {mutation: the test that noticed it in the other tree}; seed and
    path: of the file that is written after each verdict, if any.
    """

    def __init__(self, waiting, spare, killers, seed=0, path=None):
        self.waiting, self.spare, self.killers = collections.deque(waiting), spare, killers
        self.seed, self.path, self.until = seed, path, float("inf")
        self.verdicts, self.lock = [], threading.Lock()

    def take(self):
        """None when none waits, or the time is over."""
        with self.lock:
            return self.waiting.popleft() if self.waiting and time.monotonic() < self.until else None

    def give(self, verdict):
        with self.lock:
            self.verdicts.append(verdict)
            spare = self.spare.get(verdict.mutation.folder)
            if verdict.outcome == BROKEN and spare:
                self.waiting.append(spare.pop(0))
            one = verdict.mutation
            print(f"{len(self.verdicts)} of {len(self.verdicts) + len(self.waiting)}+: {one.path}:{one.line}: {one.operator}: {verdict.words()} "
                  f"({verdict.seconds:.0f} s)", flush=True)
            self.keep(self.verdicts)

    def keep(self, verdicts):
        """As JSON, of verdicts or mutations."""
        if self.path:
            write(self.path, json.dumps({"seed": self.seed, "mutations": [one.as_row() for one in verdicts]}, indent=1))

    def work(self, workshop):
        while (mutation := self.take()) is not None:
            begun = time.monotonic()
            outcome, ran, seeing = workshop.judge(mutation, self.killers.get(mutation))
            self.give(Verdict(mutation, outcome, ran, len(seeing), time.monotonic() - begun))


def drawn(sources, given):
    """The mutations in the order in which they are judged, and those by folder that may replace one."""
    quotas, by_folder = mutations.sample(sources, given.count, given.seed)
    order = [(index / quotas[folder], folder, one) for folder, found in by_folder.items()
             for index, one in enumerate(found[:quotas[folder]])]
    # However soon the time is over, each folder has its share of what was judged.
    waiting = [one for _, _, one in sorted(order, key=lambda row: row[:2])]
    return waiting, {folder: found[quotas[folder]:] for folder, found in by_folder.items()}


def chosen(given):
    """The sample, of this tree or of a file."""
    sources = [source for source in Tree(given.tree).sources if mutations.is_product(source) and source.path.startswith(given.only)]
    if not sources:
        raise Unusable(f"--tree {given.tree}, --only '{given.only}': no product file there")
    if not given.replay:
        return Sample(*drawn(sources, given), {}, given.seed, given.write)
    try:
        rows = read_json(given.replay)["mutations"]
        rows = [row for row in rows if row["path"].startswith(given.only) and row.get("outcome") != BROKEN]
        found = mutations.found_again(rows, sources)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise Unusable(f"--replay {given.replay}: no mutations that --write wrote: {error!r}") from error
    for row, one in zip(rows, found):
        if one is None:
            print(f"not in this tree: {row['path']}:{row['line']}: {row['operator']}: {row['text']}")
    print(f"{len(found) - found.count(None)} of {len(rows)} mutations stand in this tree, {found.count(None)} do not")
    killers = {one: row["ran"][-1] for row, one in zip(rows, found) if one and row.get("outcome") == KILLED}
    return Sample([one for one in found if one], {}, killers, given.seed, given.write)


def tell(verdicts, tree):
    for verdict in verdicts:
        if verdict.outcome == SURVIVED:
            one = verdict.mutation
            with open(os.path.join(tree, one.path), encoding="utf-8") as file:
                print(f"\nsurvived: {one.path}:{one.line}: {one.function}: {one.operator}\n{one.diff(file.read())}")
            print(f"{len(verdict.ran)} of {verdict.seen_by} tests: {', '.join(verdict.ran) or 'none'}")
    rows = collections.Counter((verdict.mutation.folder, verdict.outcome) for verdict in verdicts)
    print(f"\n{'folder':10} {'killed':>8} {'survived':>8} {'equivalent':>10} {'does not compile':>16}")
    for folder in sorted({folder for folder, _ in rows}):
        print(f"{folder:10} {rows[folder, KILLED]:8} {rows[folder, SURVIVED]:8} {rows[folder, EQUIVALENT]:10} {rows[folder, BROKEN]:16}")


def status_of(verdicts, most):
    """Prints the last line."""
    counts = collections.Counter(verdict.outcome for verdict in verdicts)
    judged = counts[KILLED] + counts[SURVIVED]
    percent = 100 * counts[SURVIVED] / judged if judged else 100
    print(f"{judged + counts[EQUIVALENT]} mutations: {counts[KILLED]} killed, {counts[SURVIVED]} survived, {counts[EQUIVALENT]} equivalent; "
          f"{counts[BROKEN]} did not compile. {percent:.0f} % of those judged survived, at most {most:g} % may.")
    return 0 if judged and percent <= most else 1


def workshops(given, folder):
    """The first is built and measured, the others are copies of it."""
    folders = [os.path.join(folder, str(number)) for number in range(given.jobs)]
    first = Workshop(folders[0], os.path.abspath(given.tree), given.limit)
    log = first.measure()
    failed = first.know(log)
    if failed:
        print(f"not run, as they do not pass without any mutation: {', '.join(failed)}", flush=True)
    others = [Workshop(other, os.path.abspath(given.tree), given.limit, first) for other in folders[1:]]
    for other in others:
        other.know(log.replace(first.folder, other.folder))
    return [first, *others]


def judge_all(sample, given):
    """In a workshop for each job; what is judged when the user stops it is told, too."""
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        try:
            running = [pool.submit(sample.work, workshop) for workshop in workshops(given, os.path.abspath(given.keep or folder))]
            for future in concurrent.futures.as_completed(running):
                future.result()
        except KeyboardInterrupt:
            sample.until = 0
            print("stops after the mutations that are being judged")


def parse():
    parser = argparse.ArgumentParser(usage=__doc__.split("usage: ", 1)[1])
    for name, kind, default in (("count", int, 200), ("seed", int, 1), ("replay", str, None), ("write", str, None), ("only", str, ""),
                                ("tree", str, ROOT), ("keep", str, None), ("jobs", int, 1), ("limit", float, 90), ("hours", float, None),
                                ("most", float, 100)):
        parser.add_argument("--" + name, type=kind, default=default)
    parser.add_argument("--list", action="store_true")
    given = parser.parse_args()
    given.seed = given.seed or int(time.strftime("%Y%m%d"))
    if given.count < 1 or given.jobs < 1:
        parser.error("--count and --jobs are at least 1")
    if not given.limit > 0 or (given.hours is not None and not given.hours > 0) or not 0 <= given.most <= 100:
        parser.error("--limit and --hours are above 0, --most is 0 to 100")
    if given.write and not os.path.isdir(os.path.dirname(os.path.abspath(given.write))):
        parser.error(f"--write {given.write}: no such folder")
    return given


def interrupt(*_):
    """SIGTERM ends as SIGINT does: what was started ends, too."""
    raise KeyboardInterrupt


def main():
    signal.signal(signal.SIGTERM, interrupt)
    try:
        return run(parse())
    except Unusable as reason:
        print(reason, file=sys.stderr)
        return 2


def run(given):
    until = time.monotonic() + 3600 * given.hours if given.hours else float("inf")
    sample = chosen(given)
    if given.list:
        print("\n".join(f"{one.path}:{one.line}: {one.operator}" for one in sample.waiting))
        sample.keep(sample.waiting)
        return 0
    if not sample.waiting:
        raise Unusable("no mutation to judge")
    print(f"{len(sample.waiting)} mutations{'' if given.replay else f' of seed {given.seed}'}", flush=True)
    sample.until = until
    judge_all(sample, given)
    tell(sample.verdicts, given.tree)
    return status_of(sample.verdicts, given.most)


if __name__ == "__main__":
    sys.exit(main())
