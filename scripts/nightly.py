#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs the parts of a night and adds them to those of earlier nights; scripts/nightly.sh --help says how."""
import argparse
import datetime
import fcntl
import json
import os
import re
import signal
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
TOTALS = "totals.jsonl"
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
END_S, POLL_S = 60, 0.2  # END_S: for what an interrupted part still has to do
SKIPPED = 77
ROW = {"night": (int,), "part": (str,), "verdict": (str,), "said": (str,), "amount": (int, float),
       "seconds": (int, float)}


class Part:
    """One kind of work: command(amount, night, state) gives its words, amount is the usual one; it runs a built gbflow,
    or builds what it runs."""

    def __init__(self, unit, amount, command, is_of_build=True):
        self.unit, self.amount, self.command, self.is_of_build = unit, amount, command, is_of_build


BUILD = ("scripts/build.sh", "--no-setup")
PARTS = {
    "fuzz": Part("h", 4, lambda amount, night, state: [
        "scripts/fuzz.sh", "--hours", amount, "--state", os.path.join(state, "fuzz")], False),
    "live": Part("min", 60, lambda amount, night, state: [
        "scripts/soak.sh", "--live", amount, "--seed", str(night)]),
    "virtual": Part("d", 30, lambda amount, night, state: ["scripts/soak.sh", "--virtual", amount]),
    "races": Part("min", 30, lambda amount, night, state: ["scripts/tsan.sh", "--live", amount], False),
    "kills": Part("kills", 100, lambda amount, night, state: [
        "tests/system/live/kills.py", "--kills", amount, "--seed", str(night)]),
    "without": Part("times", 1, lambda amount, night, state: ["scripts/without.sh"], False),
    "pages": Part("times", 1, lambda amount, night, state: ["tests/system/docs/play.py", "--all"]),
    "sizes": Part("M", 1, lambda amount, night, state: [
        "scripts/sizes.sh", "--count", str(round(float(amount) * 1e6)), "--seed", str(night)]),
}


def row_of(line):
    """ValueError: it is damaged."""
    row = json.loads(line)
    if not isinstance(row, dict) or not all(type(row.get(name)) in kinds for name, kinds in ROW.items()):
        raise ValueError
    return row


def read_totals(path):
    """The lines of earlier nights; a last one that was cut is left out."""
    rows = []
    try:
        with open(path, "rb") as file:
            for line in file:
                try:
                    rows.append(row_of(line))
                except (ValueError, RecursionError):
                    print(f"{path}: a damaged line is left out", file=sys.stderr)
    except FileNotFoundError:
        pass
    return rows


def add_total(path, row):
    """A line of its own also behind one that was cut."""
    with open(path, "ab+") as file:
        file.seek(0)
        text = file.read()
        file.write((("\n" if text and not text.endswith(b"\n") else "") + json.dumps(row) + "\n").encode())
        file.flush()
        os.fsync(file.fileno())


def commit():
    done = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True,
                          check=False)
    return done.stdout.strip() or "unknown"


def last_line(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    return lines[-1] if lines else "no output"


class Interrupts:
    """SIGINT and SIGTERM go to the part that runs, whose group is killed if it does not end; then the night ends."""

    def __init__(self):
        self.process, self.cut_at = None, None
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self.cut)

    def cut(self, *unused):
        self.cut_at = self.cut_at or time.monotonic()
        if self.process:
            self.send(signal.SIGINT)

    def send(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def run(self, words, file):
        """Its status."""
        self.process = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=file,
                                        stderr=subprocess.STDOUT, start_new_session=True)
        if self.cut_at:
            self.send(signal.SIGINT)
        while self.process.poll() is None:
            if self.cut_at and time.monotonic() > self.cut_at + END_S:
                self.send(signal.SIGKILL)
            time.sleep(POLL_S)
        self.send(signal.SIGKILL)  # what it left behind
        status, self.process = self.process.returncode, None
        return status


def play(interrupts, name, amount, night, state):
    """Runs a part; its row of the totals."""
    part, began_at = PARTS[name], time.monotonic()
    log = os.path.join(state, "logs", f"{night:04}-{name}.log")
    print(f"-- {name}: {amount} {part.unit}, {os.path.relpath(log, state)}", flush=True)
    with open(log, "w", encoding="utf-8") as file:
        status = interrupts.run(part.command(amount, night, state), file)
    verdict = "cut" if interrupts.cut_at else {0: "ok", SKIPPED: "skipped"}.get(status, "failed")
    said = last_line(log).removeprefix("failed: ")
    print(f"   {verdict}: {said}", flush=True)
    at = datetime.datetime.now().isoformat(timespec="seconds")
    return {"night": night, "at": at, "commit": commit(), "part": name, "verdict": verdict, "said": said,
            "amount": float(amount) if verdict in ("ok", "failed") else 0.0,
            "seconds": round(time.monotonic() - began_at)}


def plays(chosen, night, state):
    """The rows of the parts; an interrupt ends them."""
    interrupts = Interrupts()
    for name, amount in chosen.items():
        if not interrupts.cut_at:
            yield play(interrupts, name, amount, night, state)


def print_totals(rows):
    print(f"\n{'part':<8} {'nights':>6} {'in all':>14} {'hours':>7} {'failed':>6}   last")
    for name, part in PARTS.items():
        of_part = [row for row in rows if row["part"] == name]
        if of_part:
            amount = f"{sum(row['amount'] for row in of_part):g} {part.unit}"
            failed = sum(row["verdict"] not in ("ok", "skipped") for row in of_part)
            print(f"{name:<8} {len({row['night'] for row in of_part}):>6} {amount:>14} "
                  f"{sum(row['seconds'] for row in of_part) / 3600:>7.1f} {failed:>6}   {of_part[-1]['said']}")


def chosen_of(words, parser):
    """{part: amount as text} of the arguments, or the usual night."""
    chosen = {}
    for word in words:
        name, is_given, amount = word.partition("=")
        if name not in PARTS:
            parser.error(f"no part '{name}', one of: {', '.join(PARTS)}")
        if not is_given or not NUMBER.fullmatch(amount) or float(amount) == 0:
            parser.error(f"{name}: '{amount}' is no number above 0, such as {name}={PARTS[name].amount}")
        if name == "kills" and "." in amount:
            parser.error(f"kills: '{amount}' is no whole number")
        chosen[name] = amount
    return chosen or {name: str(part.amount) for name, part in PARTS.items()}


def opened(state, parser):
    """The folder's lock, which ends with the process."""
    if os.path.isdir(state) and os.listdir(state) and not os.path.exists(os.path.join(state, TOTALS)):
        parser.error(f"{state}: is neither empty nor a folder of earlier nights; name another one")
    try:
        os.makedirs(os.path.join(state, "logs"), exist_ok=True)
        lock = open(os.path.join(state, TOTALS), "a", encoding="utf-8")
    except OSError as error:
        parser.error(f"{state}: {error.strerror}; name a folder that can be written")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        parser.error(f"{state}: another night runs in it; wait for its end, or name another folder")
    return lock


def main(argv):
    parser = argparse.ArgumentParser(prog="nightly.sh", add_help=False)
    parser.add_argument("--state", required=True, metavar="FOLDER")
    parser.add_argument("parts", nargs="*", metavar="PART=AMOUNT")
    options = parser.parse_args(argv)
    chosen, state = chosen_of(options.parts, parser), os.path.abspath(options.state)
    totals = os.path.join(state, TOTALS)
    with opened(state, parser):
        rows = read_totals(totals)
        night = max((row["night"] for row in rows), default=0) + 1
        if any(PARTS[name].is_of_build for name in chosen):
            subprocess.run(BUILD, cwd=ROOT, stdin=subprocess.DEVNULL, check=True)
        tonight, fault = [], None
        try:
            for row in plays(chosen, night, state):
                tonight.append(row)
                add_total(totals, row)
        except OSError as error:
            fault = f"{state}: {error.strerror}; this night's totals are not complete there, make room"
    print_totals(rows + tonight)
    if fault:
        print(fault, file=sys.stderr)
    return 1 if fault or any(row["verdict"] not in ("ok", "skipped") for row in tonight) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
