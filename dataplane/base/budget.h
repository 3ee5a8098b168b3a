/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A limit on answers to unauthenticated senders: per second for each source address, and for all together,
 * so that forged sources do not raise it. An IPv6 prefix of 64 bits is one source, as one host may have all
 * of its addresses. Both limits are kept as the instant at which the allowance is whole again (the virtual
 * scheduling form of a leaky bucket, ITU-T I.371).
 *
 * A source has an entry while its allowance is not whole. Even if every answer goes to another source, at
 * most BUDGET_ALL_BURST + BUDGET_ALL_PER_S / BUDGET_SOURCE_PER_S are in that state at a time, so
 * BUDGET_SOURCES entries always suffice.
 */
#ifndef DATAPLANE_BASE_BUDGET_H
#define DATAPLANE_BASE_BUDGET_H

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A limit of events per second with a burst: the virtual scheduling form of a leaky bucket (ITU-T I.371).
 * The only state is whole_ns, the instant at which the full burst is available again; INT64_MIN: from the
 * start.
 */

struct allowance {
    int64_t step_ns; /* time in which one event is regained */
    int64_t burst;   /* events available at whole_ns */
};

/* Whether an event is available at now. */
static inline bool allowance_has(const struct allowance *a, int64_t whole_ns, int64_t now)
{
    return whole_ns <= now || whole_ns - now <= (a->burst - 1) * a->step_ns;
}

/* Charges one event, whether it is available or not. */
static inline void allowance_charge(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    *whole_ns = moment_add(moment_max(*whole_ns, now), a->step_ns);
}

/* Charges one event if one is available; false, and nothing changes, if not. */
static inline bool allowance_take(const struct allowance *a, int64_t *whole_ns, int64_t now)
{
    if (!allowance_has(a, *whole_ns, now))
        return false;
    allowance_charge(a, whole_ns, now);
    return true;
}

#define BUDGET_SOURCE_PER_S 10 /* answers to one source address */
#define BUDGET_SOURCE_BURST 10
#define BUDGET_ALL_PER_S    100 /* answers to all */
#define BUDGET_ALL_BURST    100
#define BUDGET_SOURCES      128

static_assert(BUDGET_SOURCES > BUDGET_ALL_BURST + BUDGET_ALL_PER_S / BUDGET_SOURCE_PER_S, "one each");

struct budget_source {
    int64_t whole_ns;
    uint64_t source;
};

/* BUDGET_SOURCES must suffice: all.burst + each.step_ns / all.step_ns are below it. */
struct budget_rates {
    struct allowance each, all;
};

struct budget {
    const struct budget_rates *rates; /* static */
    int64_t whole_ns;                 /* of all sources together */
    struct budget_source sources[BUDGET_SOURCES];
};

/* With the limits of answers above, or with others. */
void budget_init(struct budget *b);
void budget_init_rates(struct budget *b, const struct budget_rates *rates);

/* The key of a source. No IPv6 prefix of a host equals an IPv4 key, whose upper half is of ff00::/8. */
static inline uint64_t budget_source_ipv4(uint32_t ip)
{
    return UINT64_C(0xffffffff00000000) | ip;
}

static inline uint64_t budget_source_ipv6(const uint8_t octets[16])
{
    return (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
}

/* Whether one more answer may be sent to a source now; if so, charges it to the source and to all. */
bool budget_take(struct budget *b, uint64_t source, int64_t now);

#endif
