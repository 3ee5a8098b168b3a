/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/drained.h"

#include "dataplane/base/moment.h"
#include "dataplane/sched/sched.h"

/* An R that comes as soon belongs to the one before, as after R = 0. From 1/50 s to 1/2 s drained_test has
 * equal figures; without it, that of a stop fails. */
enum { SHORTEST_NS = MOMENT_SECOND / 5 };
enum { THOUSAND = 1000 };

__extension__ typedef unsigned __int128 wide;

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t rate_of(uint64_t octets, int64_t time_ns)
{
    return (uint64_t)((wide)octets * 8 * MOMENT_SECOND / (uint64_t)time_ns);
}

static uint64_t octets_of(uint64_t rate_bps, int64_t time_ns)
{
    return (uint64_t)((wide)rate_bps * (uint64_t)time_ns / MOMENT_SECOND / 8);
}

static int64_t target_of(const struct drained *d, const struct drained_report *report)
{
    uint64_t pdu_ns = d->seen_bps > 0 ? SCHED_LARGEST_PDU * UINT64_C(8) * MOMENT_SECOND / d->seen_bps : 0;
    return (int64_t)larger((uint64_t)report->target_ns, pdu_ns);
}

static int64_t aim_of(int64_t target_ns)
{
    return (int64_t)larger((uint64_t)target_ns * 3 / 5, 1);
}

static uint64_t drained_bps(const struct drained *d, const struct drained_report *report, int64_t time_ns)
{
    int64_t gone_octets = (int64_t)(report->sent_octets - d->sent_octets + d->held_octets);
    uint64_t octets = gone_octets > 0 ? (uint64_t)gone_octets : 0; /* the BSS may have discarded more */
    uint64_t by_delay_bps = rate_of(octets, time_ns + report->delay_ns);
    uint64_t left_octets = octets > report->level_octets ? octets - report->level_octets : 0;
    uint64_t by_level_bps = rate_of(left_octets, time_ns);
    return by_delay_bps < by_level_bps ? by_delay_bps : by_level_bps;
}

static bool is_queued(const struct drained_report *report, uint64_t bps)
{
    return octets_of(bps, report->delay_ns) > SCHED_LARGEST_PDU;
}

static bool is_too_small(const struct drained *d, const struct drained_report *report, uint64_t bps)
{
    int64_t target_ns = target_of(d, report);
    bool is_late = report->delay_ns > target_ns, is_soon = report->delay_ns <= aim_of(target_ns);
    bool is_below = d->said_bps < (is_late ? bps * 3 / 4 : bps / 2);
    bool is_tight = is_soon && d->said_bps < report->ms_rate_bps / 2 && bps >= d->said_bps * 3 / 4;
    return d->said_bps > 0 && (is_below || is_tight);
}

static bool is_too_large(const struct drained *d, const struct drained_report *report, uint64_t bps)
{
    return report->delay_ns > target_of(d, report) && d->said_bps / 16 > bps && is_queued(report, bps);
}

static uint64_t grown(uint64_t bps, int64_t short_ns, int64_t aim_ns)
{
    uint64_t x = (uint64_t)(short_ns * THOUSAND / aim_ns);
    return bps + bps / 4 * x / THOUSAND * x / THOUSAND;
}

/* A delay without a queue, as of a TBF that is set up, lowers nothing. */
static uint64_t find(struct drained *d, const struct drained_report *report, uint64_t bps)
{
    int64_t aim_ns = aim_of(target_of(d, report)), late_ns = report->delay_ns - aim_ns;
    if (late_ns <= 0) {
        d->seen_bps = larger(d->seen_bps, bps);
        return larger(d->seen_bps, grown(bps, -late_ns, aim_ns));
    }
    if (!is_queued(report, bps))
        return d->seen_bps;
    d->seen_bps = larger(d->seen_bps / 2, bps);
    uint64_t late_ms = (uint64_t)late_ns / (MOMENT_SECOND / THOUSAND);
    return d->seen_bps - d->seen_bps * (late_ms < THOUSAND / 2 ? late_ms : THOUSAND / 2) / THOUSAND;
}

static uint64_t bounded(const struct drained *d, const struct drained_report *report, int64_t time_ns)
{
    uint64_t most_bps = report->rate_bps + rate_of(d->bucket_octets, time_ns);
    if (report->rate_bps >= d->seen_bps)
        most_bps = report->rate_bps;
    return d->rate_bps < most_bps ? d->rate_bps : most_bps;
}

static void judge(struct drained *d, const struct drained_report *report, uint64_t bps, int64_t time_ns)
{
    bool is_small = is_too_small(d, report, bps), is_first = d->doubts == 0;
    if (is_small || is_too_large(d, report, bps))
        d->doubts = DRAINED_DOUBTS;
    else if (d->doubts > 0)
        d->doubts--;
    d->bucket_octets =
        d->doubts > 0 ? larger(d->bucket_octets, report->bucket_octets) : report->bucket_octets;
    if (d->doubts == 0) {
        d->seen_bps = bps;
    } else if (is_small && is_first) {
        d->seen_bps = d->said_bps;
        d->rate_bps = report->rate_bps;
    } else {
        d->rate_bps = find(d, report, bps);
        d->rate_bps = bounded(d, report, time_ns);
    }
}

void drained_observe(struct drained *d, const struct drained_report *report, int64_t now)
{
    int64_t time_ns = now - d->announced_at_ns;
    if (d->is_begun && time_ns < SHORTEST_NS) {
        d->said_bps = larger(d->said_bps, report->rate_bps);
        return;
    }
    uint64_t bps = d->is_begun ? drained_bps(d, report, time_ns) : 0;
    if (d->is_begun)
        judge(d, report, bps, time_ns);
    d->is_begun = true;
    d->said_bps = report->rate_bps;
    d->announced_at_ns = now;
    d->sent_octets = report->sent_octets;
    d->held_octets = larger(report->level_octets, octets_of(bps, report->delay_ns));
}
