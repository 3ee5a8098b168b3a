# SPDX-License-Identifier: BSD-3-Clause
"""What a run might leave, made up: a queue that fills and empties, three mobiles, one cell. Same seed, same octets."""

import json
import math
import pathlib
import random

DURATION_S = 120


def quantiles(scale_s):
    return {"n": 985, "p50": scale_s, "p95": 2 * scale_s, "p99": 2.5 * scale_s, "max": 3 * scale_s}


def class_row(mobiles, scale_s, pages):
    return {
        "mobiles": mobiles, "npdu_in": 1000, "npdu_out": 985, "marks": 0, "drops": {"lifetime": 10, "queue_full": 2},
        "delay_s": quantiles(scale_s), "sojourn_s": quantiles(scale_s / 2),
        "goodput_bps": {"per_user_mean": 18000.0, "total": 18000.0 * mobiles, "page_mean": 21000.0 if pages else None},
        "fairness": {"worst_user": 0.8, "jain": 0.95}, "page_time_s": {"p50": 40.0, "p95": 55.0, "pages": 7, "unfinished": 1} if pages else None,
        "first_object_s": {"p50": 4.0, "p95": 6.0, "n": 7} if pages else None, "rtt_s": {"n": 431, "avg": 1.5 * scale_s, "max": 4 * scale_s}, "dropped": 0.012,
        "pings_sent": 0, "pings_received": 0, "pings_lost": None, "ping_rtt_s": {"n": 0, "p95": None},
    }


def summary(seed=1):
    return {
        "schema": "gbflow-summary/2", "scenario": "config/scenarios/quickstart.lua", "title": "Quick start & <friends>",
        "seed": seed, "duration_s": DURATION_S, "warmup_s": 5,
        "assumptions": [{"path": "cells[1].tbf.setup", "value": "200 ms", "why": "not stated", "holds_over": "100-400 ms"},
                        {"path": "cells[1].x", "value": {"on": True, "ms": [1, 2]}, "why": None, "holds_over": None}],
        "classes": {"background": class_row(1, 1.4, False), "thp2": class_row(2, 0.6, True)},
        "mobiles": [{"mobile": "anna", "class": "background", "drops": {"lifetime": 31, "queue_full": 0}}, {"mobile": "berta", "class": "thp2"}],
        "tcp": [{"mobile": "anna", "connection": 1, "octets": 300000, "goodput_bps": 21000.0,
                 "retransmitted_fraction": 0.02, "rtt_s": {"avg": 2.0, "max": 4.4}},
                {"mobile": "berta", "connection": 1, "octets": 90000, "goodput_bps": 15000.0,
                 "retransmitted_fraction": 0.0, "rtt_s": {"avg": 0.9, "max": None}}],
        "pages": [{"mobile": "berta", "start_s": 10.0, "octets": 90000, "first_s": 4.0, "time_s": 38.0},
                  {"mobile": "berta", "start_s": 60.0, "octets": 90000, "first_s": 6.0, "time_s": None}],
        "ping": [{"mobile": "carla", "sent": 119, "received": 118,
                  "rtt_s": {"n": 118, "avg": 0.6, "min": 0.4, "max": 1.9, "p95": 1.1}}],
        "cells": {"2": {"air_utilisation": 0.93, "bss_queue_octets_max": 21000, "drops": {"lifetime": 3}}},
        "gb": {"utilisation": 0.021},
        "conservation": {"sgsn": {"in": 2000, "out": 1970, "dropped": 24, "queued": 6},
                         "bss": {"in": 1970, "out": 1960, "dropped": 3, "queued": 8}},
    }


def wave(time_s, shift):
    """A saw-tooth between 0 and 1."""
    return math.fmod(time_s / 40 + shift, 1.0)


def sampled_rows(time_s):
    for index, name in enumerate(("anna", "berta", "carla")):
        level = wave(time_s, index / 3)
        yield time_s, "sgsn_backlog_octets", name, 24000 * level / (index + 1)
        yield time_s, "bss_backlog_octets", name, 9000 * wave(time_s, 0.5) / (index + 1)
        yield time_s, "goodput_bps", name, 30000 * (1 - level)
        yield time_s, "bucket_level_octets", "ms " + name, 12000 * level
    yield time_s, "bucket_level_octets", "bvc 2", 20000 * wave(time_s, 0.2)
    yield time_s, "air_utilisation", "2", min(1.0, 0.8 + 0.3 * wave(time_s, 0.1))


def packet_rows(rng, time_s, mobile, kind):
    delay_s = 0.3 + 4 * wave(time_s, 0) * (1 if mobile == "anna" else 0.3) + rng.random() * 0.2
    yield time_s, "delay_s", f"{mobile} {kind}", delay_s
    if mobile == "carla":
        yield time_s, "ping_rtt_s", mobile, delay_s + 0.2
        return
    offset = 1460 * round(time_s * (2 if mobile == "anna" else 1) * 3)
    connection = f"{mobile}#1"
    yield time_s, "rtt_s", connection, delay_s + 0.3
    yield time_s, "sent_octets", connection, offset + 1460 + 20000 * wave(time_s, 0)
    yield time_s, "acked_octets", connection, offset
    if rng.random() < 0.03:
        yield time_s, "retransmitted_octets", connection, offset + 1460
        yield time_s, "npdu_drop", f"{mobile} lifetime", 1


def rows(seed=1, duration_s=DURATION_S):
    rng = random.Random(seed)
    for of, top in (("ms anna", 12000), ("ms berta", 12000), ("bvc 2", 20000)):
        yield 0, "bucket_max_octets", of, top
    for step in range(duration_s):
        yield from sampled_rows(step)
        for part in range(6):
            yield from packet_rows(rng, step + part / 6, "anna", "background")
        for part in range(3):
            yield from packet_rows(rng, step + part / 3 + 0.05, "berta", "thp2")
        yield from packet_rows(rng, step + 0.4, "carla", "thp2")


def write_series(path, given):
    lines = [f"{time_s:.9g},{name},{of},{value:.9g}" for time_s, name, of, value in given]
    path.write_text("\n".join(["time_s,name,of,value", *lines]) + "\n")


def write(folder, seed=1):
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.json").write_text(json.dumps(summary(seed)))
    write_series(folder / "series.csv", rows(seed))
    return folder
