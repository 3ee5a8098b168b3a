#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Stands in for `gbflow run` in tests: curves of the published shape, or not, as FAKE_MODE says.

Every call adds its arguments as a line to FAKE_CALLS. FAKE_MODE: good, slow (half the throughput), flat (no teeth),
fail, silent (status 0 and no files), other-seed.
"""

import json
import os
import pathlib
import re
import sys
import time

import synthetic

CASES = 15  # of P4: numbers of --seed from one seed to the next
RTT_MAX_S = {(1, 63): 48.0, (2, 63): 25.0, (3, 63): 17.0, (1, 5): 9.0, (2, 5): 8.5, (3, 5): 8.0}


def round_trips(lifetime_s, top_s, mode, period_s):
    """(time, value) of 15 minutes; a loss after each period."""
    for second in range(0, 900, 2):
        if lifetime_s == 63:
            at_s = second % period_s
            yield second, 1 + (top_s - 1) * min(0.9 * at_s / 60, 0.9 + (at_s - 60) / 2400, 1)
        else:
            yield second, 5.0 if mode == "flat" else 2 + (top_s - 2) * (second % 44) / 42


def summary(seed, goodput_bps, top_s):
    tcp = {"mobile": "anna", "connection": 1, "octets": int(goodput_bps * 112), "goodput_bps": goodput_bps,
           "retransmitted_fraction": 0.01, "rtt_s": {"avg": top_s / 2, "max": top_s}}
    assumption = {"path": "cells[1].tbf.setup", "value": "200 ms", "why": "not stated", "holds_over": "100-400 ms"}
    return {**synthetic.summary(seed), "duration_s": 900, "tcp": [tcp], "assumptions": [assumption]}


def main(arguments):
    mode, text = os.environ.get("FAKE_MODE", "good"), " ".join(arguments)
    with open(os.environ["FAKE_CALLS"], "a", encoding="utf-8") as calls:
        calls.write(json.dumps([arguments, time.monotonic()]) + "\n")
    if mode == "fail" and "pdchs=2" in text:
        print("gbflow: cells[1].pdchs: out of order", file=sys.stderr)
        return 1
    out = pathlib.Path(arguments[arguments.index("--out") + 1])
    seed = int(arguments[arguments.index("--seed") + 1])
    pdchs = int(re.search(r"cells\[1\]\.pdchs=(\d)", text).group(1))
    lifetime_s = int(re.search(r"sgsn\.lifetime\.sgsn_max=(\d+) s", text).group(1))
    time.sleep(float(os.environ.get("FAKE_SLEEP_S", "0")))
    if mode == "silent":
        return 0
    out.mkdir(parents=True, exist_ok=True)
    top_s = RTT_MAX_S[pdchs, lifetime_s]
    goodput_bps = (10.4e3 * pdchs + 10 * ((seed - 1) // CASES + 1)) * (0.5 if mode == "slow" else 1) * (0.98 if lifetime_s == 5 else 1)
    given = summary(seed + (mode == "other-seed"), goodput_bps, top_s)
    (out / "summary.json").write_text(json.dumps(given))
    (out / "provenance.json").write_text(json.dumps({"schema": "gbflow-provenance/1", "commit": "0123456789ab"}))
    rows = ((at_s, "rtt_s", "anna#1", value) for at_s, value in round_trips(lifetime_s, top_s, mode, 300 if "internet_loss" in text else 900))
    synthetic.write_series(out / "series.csv", rows)
    with open(os.environ["FAKE_CALLS"], "a", encoding="utf-8") as calls:
        calls.write(json.dumps(["end", time.monotonic()]) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
