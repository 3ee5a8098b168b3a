# SPDX-License-Identifier: BSD-3-Clause
"""Options of `gbflow bench` and gbflow-fitness: each mode takes what its help lists, and refuses the rest by name."""
import pathlib
import re
import unittest

from harness import FITNESS_MODES, Case, run

ROOT = pathlib.Path(__file__).parents[3]
MODES = ["preloaded", "workers", "ndr", "soak", "stages", "compare", "sched", "generate", "node", "report"]
OPTIONS_MOST = 16
MORE_OPTIONS = {"generate": 26}  # with those of --rfc2544
# A value that each option takes, and one that it refuses where there is any.
VALUES = {
    "octets": ("64", "63"), "cipher": ("none", "gea1"), "mobiles": ("1000", "0"), "cells": ("10", "0"), "workers": ("1", "17"),
    "windows": ("5", "none"), "rounds": ("1", "0"), "slices": ("1", "0"), "margin": ("0", "100"), "least": ("97", "1001"),
    "slowdown": ("5", "0"), "searches": ("1", "33"), "minutes": ("0.5", "0"), "rate": ("1000", "0"), "seconds": ("1", "0"),
    "trial-ms": ("5", "0"), "gn": ("net_null0", "x" * 300), "gb": ("net_null1", "x" * 300), "program": ("gbflow", None),
    "cores": ("0,0", "4096"), "pages": ("small", "large"), "out": ("/nowhere/d", None), "json": ("/nowhere/a", None), "html": ("/nowhere/b", None),
    "esp": ("gn,gb", "gn,gp"), "esp-suite": ("aes-gcm-256", "aes"), "esp-device": ("crypto_openssl", "crypto_null"),
    "check-fcs": (None, None), "no-roofline": (None, None), "set": (None, "nonsense"),
    "rfc2544": (None, None), "serve": (None, None), "testpmd": (None, None), "roofline": ("/nowhere/c", None), "trial-s": ("60", "0"),
    "limit-minutes": ("10", "0"), "node-gn": ("net_null2", "x" * 300), "node-gb": ("net_null3", "x" * 300),
}
PARAMETERS = {
    "n201_u": ("500", "139"), "aqm": ("pie", "nothing"), "aqm_scope": ("flow", "cell"), "teids": ("foreign", "mine"), "zipf": ("1", "nan"),
    "bvc_rate": ("90", "0"), "seed": ("7", "-1"), "gap_us": ("50", "0"), "window_ms": ("2", "0"), "link": ("name", None),
    "gn_mac": ("02:00:00:00:00:01", "02:00"), "gb_mac": ("02:00:00:00:00:01", "02"),
    "counted_steps": ("3", "1001"), "bursts": ("50", "0"), "overload": ("120", "100"), "node_core": ("0", "4096"),
}
# Of preloaded: arguments, what is said.
WRONG = [
    (["--octets", "63"], "--octets takes whole numbers from 64 to 1500, not 63"),
    (["--octets", "64,"], "--octets takes"),
    (["--octets", "128,frame64"], "--octets takes frame118 to frame1554, not frame64: an Ethernet frame on Gn, with FCS, has 54 octets more"),
    (["--octets", "frame1555"], "not frame1555"),
    (["--octets", "frame128x"], "not frame128x"),
    (["--octets", ",".join(["64"] * 13)], "--octets takes up to 12 values"),
    (["--cipher", "gea1"], "--cipher takes none, gea3 and gea4, not gea1"),
    (["--mobiles", "4194304"], "--mobiles takes"),
    (["--workers", "2", "--cells", "1"], "each worker needs a cell: 2 workers, 1 cell"),
    (["--workers", "2", "--mobiles", "1"], "each worker needs a mobile: 2 workers, 1 mobile"),
    (["--set", "zipf=-1"], "zipf takes a number from 0 to 4, not -1"),
    (["--set", "bvc_rate=0"], "bvc_rate takes whole numbers from 1 to 1000, not 0"),
    (["--set", "aqm=nothing"], "--set aqm: 'nothing' is no AQM scheme: one of none, tail_drop, "),
    (["--set", "aqm_scope=cell"], "aqm_scope takes class_of_nse, class_of_bvc, ms or flow, not cell"),
    (["--set", "speed=1"], "--set: 'speed' is no parameter: one of "),
    (["--set", "zipf"], "--set takes NAME=VALUE, not zipf"),
    (["--windows"], "--windows needs an argument"),
    (["--check-fcs=yes"], "--check-fcs takes no argument"),
    (["--fast"], "unknown option --fast"),
    (["--plant", "5"], "unknown option --plant"),
    (["-x"], "unknown option -x"),
    (["more"], "it takes options only, not more"),
    (["--esp", "gn,"], "--esp takes gn, gb or gn,gb, not gn,"),
    (["--esp", "gn", "--esp-suite", "aes-gcm-12"], "--esp-suite: 'aes-gcm-12' is no suite of ESP: one of aes-gcm-128, "),
    (["--esp", "gn", "--esp-device", "qat"], "--esp-device: 'qat' is no crypto device: one of auto, ipsec_mb, crypto_aesni_gcm"),
    (["--esp-suite", "aes-gcm-128"], "--esp-suite and --esp-device need --esp gn, gb or gn,gb"),
    (["--esp-device", "auto"], "--esp-suite and --esp-device need --esp gn, gb or gn,gb"),
    (["--esp", "gn", "--workers", "2"], "--esp measures one worker, not 2; leave out --workers"),
    (["--cores", "4095"], "--cores: CPU 4095 is not in the process's affinity mask (taskset, cpuset)"),
]


def listed(mode):
    """Options and parameters of a mode's help, in its order."""
    text = run(mode, "--help").stdout
    return re.findall(r"^  --([a-z0-9-]+)", text, re.MULTILINE), re.findall(r"^  ([a-z0-9_]+)=", text, re.MULTILINE)


def given(option, value):
    return ["--" + option] if value is None else ["--" + option, value]


class Options(Case):
    def each_mode(self):
        for mode in [*MODES, *FITNESS_MODES]:
            with self.subTest(mode=mode):
                yield mode, *listed(mode)

    def test_wrong_ones_are_refused(self):
        for arguments, say in WRONG:
            with self.subTest(arguments=arguments):
                self.refuse("preloaded", *arguments, say=say)

    def test_a_mode_has_to_be_given(self):
        self.refuse(say="gbflow bench: missing MODE, one of: " + ", ".join(MODES) + "\n")
        self.refuse("--octets", "64", say="gbflow bench: missing MODE, one of: ")
        self.refuse("loaded", say="gbflow bench: 'loaded' is no MODE: one of preloaded, ")

    def test_the_help_lists_modes(self):
        text = run("--help").stdout
        self.assertEqual(re.findall(r"^  ([a-z]+) +\S", text, re.MULTILINE), MODES)

    def test_the_help_of_a_mode(self):
        for mode, options, parameters in self.each_mode():
            self.assertTrue(0 < len(options) <= MORE_OPTIONS.get(mode, OPTIONS_MOST), options)
            self.assertEqual(len(options), len(set(options)))
            self.assertLessEqual(set(options), set(VALUES))
            self.assertLessEqual(set(parameters), set(PARAMETERS))
            self.assertEqual("set" in options, bool(parameters))
            text = run(mode, "--help").stdout
            for line in ("usage: ", "example:$", "results: docs/benchmarking.md, ", "exit status: 0 "):
                self.assertRegex(text, "(?m)^" + line)
            for page, heading in re.findall(r'(docs/[a-z-]+\.md), "([^"]+)"', text):
                self.assertIn(f"\n## {heading}\n", (ROOT / page).read_text(encoding="utf-8"))
            for option in set(options) - {"set", "html"}:
                self.assertRegex(text, rf"(?ms)^  --{option} .*?;\s+default\s+\S", option)

    def test_each_option_is_parsed(self):
        """With --help behind it nothing runs; a value that is refused is an error before that."""
        for mode, options, parameters in self.each_mode():
            for option in options:
                good, bad = VALUES[option]
                if option != "set":
                    self.assertEqual(run(mode, *given(option, good), "--help").returncode, 0, option)
                if bad:
                    done = run(mode, *given(option, bad), "--help")
                    self.assertEqual((done.returncode, done.stdout), (2, ""), option)
            for name in parameters:
                good, bad = PARAMETERS[name]
                self.assertEqual(run(mode, "--set", f"{name}={good}", "--help").returncode, 0, name)
                if bad:
                    self.assertEqual(run(mode, "--set", f"{name}={bad}", "--help").returncode, 2, name)

    def test_options_of_other_modes_are_refused_with_their_names(self):
        for modes in (MODES, FITNESS_MODES):
            lists = {mode: listed(mode) for mode in modes}
            for kind, values in enumerate((VALUES, PARAMETERS)):
                for name in values:
                    self.check_owners(name, kind, {mode: lists[mode][kind] for mode in modes}, bool(kind))

    def check_owners(self, name, kind, lists, is_parameter):
        owners = ", ".join(f"'{mode}'" for mode, names in lists.items() if name in names)
        value = (VALUES, PARAMETERS)[kind][name][0]
        words = ["--set", f"{name}={value}"] if is_parameter else given(name, value)
        for mode, names in lists.items():
            if name in names or not owners or (is_parameter and mode in ("report", "distance")):
                continue
            with self.subTest(mode=mode, words=words):
                program = "gbflow-fitness" if mode in FITNESS_MODES else "gbflow bench"
                self.refuse(mode, *words, say=f"{program} {mode}: {'--set: ' if is_parameter else '--'}{name} belongs to {owners}\n")


if __name__ == "__main__":
    unittest.main()
