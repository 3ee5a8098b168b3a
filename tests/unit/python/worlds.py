# SPDX-License-Identifier: BSD-3-Clause
"""Outcomes of P3 to P5 that nobody ran: worlds with the effects that the papers describe, and with others."""

import dataclasses

import numpy

from gbflow_results.files import Curve
from gbflow_report.papers import p3, p4, p5


def curve(times_s, values):
    return Curve(numpy.array(times_s, dtype=float), numpy.array(values, dtype=float))


def p3_world(loss=0.44, with_bler=0.0, pings_s=(0.0, 0.0), slope=1.9, **more):
    """What RLC RTT 300 ms costs. loss: share of a download's rate at a BLER of 10 %; with_bler: at 1 % and none; pings_s: what it adds to
    a small ping at 10 %, and with fewer errors. more: latency, whether a page depends on it; page_rise, what RLC RTT adds to a page; timeouts,
    early, shares of downloads with a time-out at RLC RTT 300 ms and below; flat, whether nothing depends on the latency beside the wait for it; rate and wait, factors of downloads' rates and of waits; min_rise_s of
    the small ping; unlucky_ms, RLC RTT from which on all large pings are repeated."""
    return {case: p3_outcome(case, (case.rtt_ms - 50) / 250, (loss, with_bler, pings_s, slope), more) for case in p3.CASES}


def p3_outcome(case, far, costs, more):
    loss, with_bler, pings_s, slope = costs
    rate, wait = more.get("rate", 1), more.get("wait", 1)
    cost = loss if case.bler_percent == 10 else with_bler
    late = 0.0 if more.get("flat") else (case.latency_ms - 10) / 190
    wait_s = 0.05 * case.latency_ms if more.get("latency", True) else 0.0
    ping_s = wait * 0.09 + far * pings_s[case.bler_percent != 10]
    large_s = 0.25 + slope * (case.rtt_ms - 50) / 1000 + 0.002 * case.latency_ms
    page_s = wait * (8.3 + wait_s) * (1 + more.get("page_rise", 0.6) * far * (1 - 0.1 * late))
    timeouts = case.downloads * more.get("timeouts" if case.rtt_ms == 300 else "early", 0.0)
    if case.tti_ms or case.has_tbfs:
        return p3_aside(case, far, more)
    return p3.Outcome(94 * rate, 290 * rate * (1 - 0.3 * late) * (1 - cost * far * (1 - 0.3 * late)), page_s, ping_s, 0.08 + far * more.get("min_rise_s", 0), ping_s, large_s,
                      0.2 if case.rtt_ms < more.get("unlucky_ms", 300) else 0.5, timeouts, None)


def p3_aside(case, far, more):
    """The model of the link, and pings that set up TBFs. more: by_tti, what a TTI of 10 ms multiplies rates with; parts_s, such a ping and its way down."""
    by_tti = more.get("by_tti", 1) if case.tti_ms == 10 else 1
    ping_s, down_s = more.get("parts_s", (0.8, 0.14))
    return p3.Outcome(94, 290 * by_tti * (1 - 0.4 * far), 8, ping_s, ping_s, ping_s, 0.2, 0.2, 0, down_s)


def climb(top_s=48.0, power=0.33):
    """A round-trip time that climbs for four minutes, and then no more."""
    times = numpy.arange(0, 900, 2.0)
    return curve(times, 1 + (top_s - 1) * numpy.minimum(times / 240, 1) ** power)


def fallen(floor_s=1.0, again_s=40.0):
    """A climb to 40 s, a fall, a climb."""
    return curve(range(300), [*numpy.linspace(1, 40, 150), *numpy.linspace(floor_s, again_s, 150)])


def saw(low_s=2.0, high_s=9.0, teeth=22):
    return curve(range(20 * (teeth + 2)), [*numpy.linspace(low_s, high_s, 20)] * (teeth + 2))


P4_CURVES = {"": climb(), "loss": fallen(), "quick": fallen(), "route": climb(), "fit": climb()}


def p4_world(rate_kbps, rtt_max_s, short_kbps=None, curves=None, **more):
    """Goodput of one PDCH and round-trip times; short_kbps with the buffer of 5 s; curves of round-trip times with 63 s by kind. more: teeth,
    the curve with 5 s; route_max_s, the largest on a route that keeps a threshold."""
    found = {}
    for case in p4.CASES:
        kbps = short_kbps if short_kbps is not None and case.lifetime_s == 5 else rate_kbps
        shown = {**P4_CURVES, **(curves or {})}[case.kind] if case.lifetime_s == 63 else more.get("teeth", saw())
        found[case] = p4.Outcome(kbps * case.pdchs, rtt_max_s.get((case.pdchs, case.lifetime_s), 12), shown)
    found[p4.KNOWN] = dataclasses.replace(found[p4.KNOWN], rtt_max_s=more.get("route_max_s", 48))
    return found


def p5_curves(recovery_s=20.0, peak_kb=16.4, first_kb=65.5, doubled=False):
    """Sent, sent again and acknowledged: each time one segment is repeated 4 s after the last ACK, and all is acknowledged recovery_s after
    this ACK; in between the octets in flight are peak_kb, at first first_kb. doubled: four are repeated at nearly the same time."""
    sent, again, acked, octets = [(1, 0), (20, 1e3 * first_kb)], [], [(0, 0)], 0.0
    for start_s in numpy.arange(60, 2400, 63):
        octets += 200e3
        sent.append((start_s - 1, octets))
        again += [(start_s + 4 + 0.1 * place, octets - 5e3) for place in range(4 if doubled else 1)]
        acked += [(start_s - 2, octets - 1e3 * peak_kb), (start_s, octets - 1e3 * peak_kb + 1), (start_s + recovery_s, octets)]
    return tuple(curve(*zip(*rows)) for rows in (sent, again, acked))


def p5_world(rates, rtts=(2.9, 3.1, 3.3), again=7.0, flushed=9.5, **more):
    """Goodput and round-trip times at 3, 6 and 15 s. more: uplink, per cent of the restarts; recovery_s, peak_kb, first_kb; sgsn, packets lost there;
    preemptions, of a run; doubled, of which durations; cure, fields of this case's outcome."""
    sizes = {name: more[name] for name in ("recovery_s", "peak_kb", "first_kb") if name in more}
    free = p5.Outcome(30.0, 0.0, 2.0, 0.0, more.get("sgsn", 0.0), 0.0, more.get("preemptions", 38), *p5_curves(**sizes))
    found = {case: free for case in p5.CASES}
    for case, rate, rtt, first in zip(p5.PUBLISHED, rates, rtts, more.get("uplink", (100, 100, 0))):
        found[case] = dataclasses.replace(free, goodput_kbps=rate, retransmitted_percent=again, rtt_s=rtt, flushed=flushed, uplink_percent=first)
    for case, doubled in zip(p5.PUBLISHED, more.get("doubled", (False, False, True))):
        found[case] = dataclasses.replace(found[case], again=p5_curves(**sizes, doubled=doubled)[1])
    for case, rtt in zip(p5.SETTLED, rtts):
        found[case] = dataclasses.replace(found[p5.PUBLISHED[0]], rtt_s=rtt)
    left_kbps = 30.0 * p5.MINUTE_S / (p5.MINUTE_S + p5.CURE.hold_s)
    found[p5.CURE] = dataclasses.replace(free, **{"goodput_kbps": left_kbps, **more.get("cure", {})})
    return found
