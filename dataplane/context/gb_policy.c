/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/gb_policy.h"

#include "dataplane/sched/sched.h"

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
