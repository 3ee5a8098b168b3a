/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/gb.h"

#include "dataplane/base/drop.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/sched/sched.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The operator's changes to announced flow control.
 *
 * A BSS that announces a bucket of several seconds receives the whole standing queue, where the AQM of this
 * node has no effect. With bss_target the octets believed to lie in the BSS are also kept below a cap:
 *
 *     mobile:  target R_MS, at least its largest LLC-PDU
 *     cell:    max(50 ms R_BVC, (ceil(R_BVC / R_default_MS) + 1) largest LLC-PDUs)
 *
 * The cell's second term allows an LLC-PDU in the BSS to each of as many mobiles as use up R_BVC; with
 * R_default_MS = 0 no number does, and the cell has no cap. Packet flows have no cap: their mobile's limits
 * their sum.
 *
 * Invariant: without a target and with neutral values, Bmax and R are as announced.
 */

#define GB_POLICY_BVC_TARGET_NS INT64_C(50000000)

#define GB_POLICY_MAX_PERCENT 1000

bool gb_defaults_set(struct defaults *d, uint64_t max_octets, uint64_t rate_bps, int64_t now)
{
    if (d->max_octets == max_octets && d->rate_bps == rate_bps)
        return false;
    d->offset_nbit += ((defaults_nbit)d->rate_bps - (defaults_nbit)rate_bps) * now;
    d->max_octets = max_octets;
    d->rate_bps = rate_bps;
    gb_defaults_renew(d, now);
    return true;
}

void gb_defaults_renew(struct defaults *d, int64_t now)
{
    d->since_ns = now;
    d->epoch++;
}

void gb_defaults_leak(const struct defaults *d, struct bucket *b, defaults_nbit offset_nbit)
{
    defaults_nbit before = (defaults_nbit)b->rate_bps * b->t_ns + offset_nbit;
    defaults_nbit leak = (defaults_nbit)d->rate_bps * d->since_ns + d->offset_nbit - before;
    defaults_nbit level = (defaults_nbit)bucket_level_nbit(b);
    bucket_put(b, level > leak ? (bucket_nbit)(level - leak) : 0, d->since_ns);
}

#define SECOND_NBIT BUCKET_NBIT_PER_OCTET /* octets times this is what a rate leaks in nanoseconds */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void gb_policy_default(struct gb_policy *policy)
{
    *policy = (struct gb_policy){.rate_percent = 100};
}

bool gb_policy_is_valid(const struct gb_policy *policy)
{
    return policy->bss_target_ns >= 0 && policy->rate_percent > 0 &&
           policy->rate_percent <= GB_POLICY_MAX_PERCENT;
}

uint64_t gb_policy_rate(const struct gb_policy *policy, uint64_t announced_bps)
{
    return least(announced_bps * policy->rate_percent / 100, BUCKET_MAX_RATE_BPS);
}

uint64_t gb_policy_bvc_rate(const struct gb_policy *policy, uint64_t announced_bps)
{
    uint64_t rate_bps = gb_policy_rate(policy, announced_bps);
    return policy->max_rate_bps > 0 ? least(rate_bps, policy->max_rate_bps) : rate_bps;
}

/* Octets that leak in a time, rounded down; at most BUCKET_MAX_OCTETS. */
static uint64_t leaks_octets(uint64_t rate_bps, int64_t time_ns)
{
    bucket_nbit octets = (bucket_nbit)rate_bps * (uint64_t)time_ns / SECOND_NBIT;
    return octets < BUCKET_MAX_OCTETS ? (uint64_t)octets : BUCKET_MAX_OCTETS;
}

uint64_t gb_policy_ms_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                             uint32_t pdu_octets)
{
    if (policy->bss_target_ns == 0)
        return announced_octets;
    uint64_t cap_octets = leaks_octets(rate_bps, policy->bss_target_ns);
    return least(announced_octets, cap_octets > pdu_octets ? cap_octets : pdu_octets);
}

uint64_t gb_policy_air_octets(uint64_t rate_bps, uint64_t ms_rate_bps)
{
    return ms_rate_bps > 0 ? (rate_bps + ms_rate_bps - 1) / ms_rate_bps * SCHED_LARGEST_PDU : 0;
}

uint64_t gb_policy_bvc_octets(const struct gb_policy *policy, uint64_t announced_octets, uint64_t rate_bps,
                              uint64_t ms_rate_bps)
{
    if (policy->max_octets > 0)
        announced_octets = least(announced_octets, policy->max_octets);
    if (policy->bss_target_ns == 0 || ms_rate_bps == 0)
        return announced_octets;
    uint64_t by_time_octets = leaks_octets(rate_bps, GB_POLICY_BVC_TARGET_NS);
    uint64_t by_mobiles_octets = gb_policy_air_octets(rate_bps, ms_rate_bps) + SCHED_LARGEST_PDU;
    return least(announced_octets, by_time_octets > by_mobiles_octets ? by_time_octets : by_mobiles_octets);
}

#define RATIO_MAX_PERCENT 255

bool gb_flow_is_valid(const struct gb_flow *flow)
{
    return flow->bucket_octets <= BUCKET_MAX_OCTETS && flow->rate_bps <= BUCKET_MAX_RATE_BPS &&
           flow->ms_bucket_octets <= BUCKET_MAX_OCTETS && flow->ms_rate_bps <= BUCKET_MAX_RATE_BPS &&
           flow->ratio_percent <= RATIO_MAX_PERCENT;
}

void gb_flow_set(struct bucket *bucket, const struct gb_flow *flow, uint64_t octets, uint64_t rate_bps,
                 int64_t now)
{
    if (flow->ratio_percent >= 0) {
        bucket_set(bucket, flow->bucket_octets, rate_bps, now);
        bucket_set_ratio(bucket, (uint32_t)flow->ratio_percent, now);
    }
    bucket_set(bucket, octets, rate_bps, now);
}
