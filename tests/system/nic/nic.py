#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""gbflow on DPDK's drivers of network cards, in a virtual machine; scripts/nic.sh --help says how."""
import argparse
import os
import shutil
import signal
import sys
import tempfile
import time

import cards
import checks
import guest
import machine
import pair

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
BOOT_S, CPUS = 180, 3
CLOSING_LINES = 15


class Count:
    def __init__(self):
        self.passed = self.failed = self.skipped = 0

    def line(self, kind, check, verdict, figures, seconds=None):
        took = "" if seconds is None else f"{seconds:5.1f} s"
        print(f"{kind:11}{check:9}{verdict:8}{took:9}{figures}", flush=True)

    def end(self, seconds):
        print(f"{seconds:.0f} s in all")
        print(f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped", flush=True)
        return 0 if self.failed == 0 and self.passed > 0 else 1


def why_not(program):
    """Why nothing can be checked here, or None."""
    for tool, package in (("qemu-system-x86_64", "qemu-system-x86"), ("setpriv", "util-linux"), ("ip", "iproute2")):
        if shutil.which(tool) is None:
            return f"{tool} is missing (package {package}; scripts/setup.sh --nightly)"
    if not os.access(guest.BUSYBOX, os.X_OK):
        return f"{guest.BUSYBOX} is missing (package busybox-static; scripts/setup.sh --nightly)"
    return None if os.access(program, os.X_OK) else f"no program '{program}'; scripts/build.sh builds it"


def check_kind(vm, kind, options, count):
    """All checks of a kind; after one that failed the others of the kind are not run."""
    found = cards.addresses(vm.monitor)
    devices = {side: found[kind.card(side)] for side in cards.SIDES}
    two = pair.Pair(vm, options.program, devices)
    this, is_well = checks.Round(vm, two, kind), True
    walk = (("walk", lambda this: checks.walk(this, options.walk)),)
    for name, check in walk if options.walk else checks.CHECKS:
        if not is_well:
            count.skipped += 1
            count.line(kind.name, name, "skipped", "a check before it failed")
            continue
        began = time.monotonic()
        try:
            figures = check(this)
            count.passed += 1
            count.line(kind.name, name, "ok", figures, time.monotonic() - began)
        except (pair.Failed, machine.Failed) as error:
            is_well = False
            count.failed += 1
            count.line(kind.name, name, "FAILED", str(error), time.monotonic() - began)
    two.kill()


def boot(kinds, kernel, folder, options):
    initrd = os.path.join(folder, "initrd")
    guest.write_initrd(initrd, kernel)
    words = cards.wrapper(kinds) + machine.arguments(kernel, initrd, folder, ROOT, CPUS) + cards.words(kinds)
    vm = machine.Machine(words, folder, options.verbose)
    try:
        vm.wait_until_ready(BOOT_S)
    except BaseException:
        print("\n".join((vm.log("qemu") + vm.log("console")).splitlines()[-CLOSING_LINES:]), file=sys.stderr)
        vm.close()
        raise
    return vm


def check_all(kinds, kernel, folder, options, count):
    began = time.monotonic()
    vm = None
    try:
        vm = boot(kinds, kernel, folder, options)
        count.passed += 1
        count.line("machine", "boot", "ok", os.path.basename(kernel.image), time.monotonic() - began)
        for kind in kinds:
            check_kind(vm, kind, options, count)
    except machine.Failed as error:
        count.failed += 1
        count.line("machine", "run", "FAILED", str(error), time.monotonic() - began)
    finally:
        if vm:
            vm.close()


def chosen_kinds(options, count):
    """Those that can be here; the others are skipped with their reason."""
    kinds = [kind for kind in cards.KINDS if not options.card or kind.name in options.card]
    reason = cards.why_no_taps() if any(kind.has_taps for kind in kinds) else None
    for kind in kinds:
        if kind.has_taps and reason:
            count.skipped += 1
            count.line(kind.name, "all", "skipped", reason)
    return [kind for kind in kinds if not (kind.has_taps and reason)]


def parse():
    parser = argparse.ArgumentParser(usage="see scripts/nic.sh --help")
    parser.add_argument("--card", action="append", choices=[kind.name for kind in cards.KINDS], default=[])
    parser.add_argument("--program", default=os.path.join(ROOT, "build", "gbflow"))
    parser.add_argument("--walk", metavar="DIR")
    parser.add_argument("--keep", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    if options.walk and not os.path.isdir(options.walk):
        parser.error(f"--walk: no such folder: {options.walk}")
    return options


def main():
    options, count, began = parse(), Count(), time.monotonic()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    folder = tempfile.mkdtemp(prefix="gbflow-nic-")
    try:
        reason = why_not(options.program)
        if reason is None:
            kernel = guest.find_kernel(os.path.join(os.path.dirname(options.program), "nic"))
            kinds = chosen_kinds(options, count)
            if kinds:
                check_all(kinds, kernel, folder, options, count)
    except guest.Missing as missing:
        reason = str(missing)
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
    if reason:
        count.skipped += 1
        print(f"skipped: {reason}")
    return count.end(time.monotonic() - began)


if __name__ == "__main__":
    sys.exit(main())
