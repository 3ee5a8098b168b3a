/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/queue/lifetime.h"

#include "dataplane/base/moment.h"

#define NS_PER_CS      INT64_C(10000000)
#define LONGEST_PDU_CS (LIFETIME_INFINITE_CS - 1)

int64_t lifetime_max_age_ns(const struct lifetime *l)
{
    if (l->sgsn_max_ns == MOMENT_NEVER || l->mode != LIFETIME_SPLIT)
        return l->sgsn_max_ns;
    return moment_max(-1, l->sgsn_max_ns - l->bss_min_ns);
}

static int64_t remaining_ns(const struct lifetime *l, int64_t age_ns)
{
    switch (l->mode) {
    case LIFETIME_SGSN_ONLY:
        return MOMENT_NEVER;
    case LIFETIME_PER_NODE:
        return l->bss_max_ns;
    case LIFETIME_SPLIT:
        break;
    }
    int64_t left = l->sgsn_max_ns == MOMENT_NEVER ? MOMENT_NEVER : l->sgsn_max_ns - age_ns;
    return moment_min(left, l->bss_max_ns);
}

uint16_t lifetime_pdu_cs(const struct lifetime *l, int64_t age_ns)
{
    int64_t left = remaining_ns(l, age_ns);
    if (left == MOMENT_NEVER)
        return LIFETIME_INFINITE_CS;
    return (uint16_t)moment_min(left / NS_PER_CS, LONGEST_PDU_CS);
}
