# SPDX-License-Identifier: BSD-3-Clause
"""Holds the figures that the program printed against those of the capture."""
import json
from collections import Counter
from fractions import Fraction

from gb_oracle import inet

TOLERANCE_S = Fraction(1, 10**6)


def _percentile(ordered, percent):
    """Nearest rank."""
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


def load(path):
    """The replay's JSON with exact decimal numbers."""
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_float=Fraction)


def _sessions(npdus):
    """{(TEID, address): sorted sojourns in nanoseconds}."""
    found = {}
    for npdu in npdus:
        if npdu.complete and npdu.packet is not None:
            octets = npdu.packet.octets
            address = inet.dotted(octets[16:20] if octets[0] >> 4 == 4 else octets[24:40])
            sojourn_ns = npdu.last.time_ns - npdu.packet.time_ns
            found.setdefault((npdu.packet.teid, address), []).append(sojourn_ns)
    return {key: sorted(times) for key, times in found.items()}


def _number(value):
    return int(value, 0) if isinstance(value, str) else value


def _of_run(summary, npdus, frames, captured, report):
    """The summary of a scenario, which tells mobiles by name."""
    npdu, mobiles, whole = summary["conservation"]["sgsn"], summary["mobiles"], [one for one in npdus if one.complete]
    counts = Counter(one.tlli for one in whole)
    rows = [
        ("in = out + dropped + queued", npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"]),
        ("sum of drops = dropped", sum(sum(one["drops"].values()) for one in mobiles), npdu["dropped"]),
        ("out = N-PDUs reassembled", npdu["out"], len(whole)),
        ("llc_frames = LLC frames captured", summary["gb"]["llc_frames"], frames),
        ("N-PDUs of each mobile", sorted(one["npdu_out"] for one in mobiles if one["npdu_out"]), sorted(counts.values())),
    ]
    if captured is not None:
        rows.append(("in = packets captured on Gn", npdu["in"], captured))
    for name, left, right in rows:
        report["totals"].expect(left == right, None, f"{name} does not hold: {left} and {right}")


def check(replay, npdus, frames, captured, report):
    """replay: what load() gave; frames: LLC frames counted downlink; captured: packets on Gn, or None."""
    if "conservation" in replay:
        _of_run(replay, npdus, frames, captured, report)
        return
    npdu, check_ = replay["npdu"], report["totals"]
    whole = sum(one.complete for one in npdus)
    rows = [
        ("in = out + dropped + queued", npdu["in"], npdu["out"] + npdu["dropped"] + npdu["queued"]),
        ("sum of drops = dropped", sum(replay["drops"].values()), npdu["dropped"]),
        ("out = N-PDUs reassembled", npdu["out"], whole),
        ("llc_frames = LLC frames captured", replay["llc_frames"], frames),
        ("out = sum over sessions", npdu["out"], sum(one["npdu_out"] for one in replay["sessions"])),
    ]
    if captured is not None:
        rows.append(("in = packets captured on Gn", npdu["in"], captured))
    for name, left, right in rows:
        check_.expect(left == right, None, f"{name} does not hold: {left} and {right}")
    found = _sessions(npdus)
    for session in replay["sessions"]:
        times = found.pop((_number(session["teid"]), session["address"]), [])
        _session(session, times, check_)
    for (teid, address), times in found.items():
        check_.fail(None, f"TEID {teid} {address} sent {len(times)} N-PDUs and is not among the sessions")


def _session(session, times, check_):
    who = f"TEID {session['teid']} {session['address']}"
    check_.expect(session["npdu_out"] == len(times), None,
                  f"{who}: npdu_out is {session['npdu_out']}, the capture has {len(times)}")
    if not times:
        return
    for name, percent in (("p50", 50), ("p95", 95), ("max", 100)):
        said, seen = session["sojourn_s"][name], Fraction(_percentile(times, percent), 10**9)
        check_.expect(said is not None and abs(said - seen) <= TOLERANCE_S, None,
                      f"{who}: sojourn {name} is {float(said or 0):.9f} s, the capture has {float(seen):.9f} s")
