/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/recovery.h"

#define LAST_PART 10 /* of the slots, has to be without loss */

void bench_recovery_begin(struct bench_recovery *r, int64_t start_ns, int64_t slot_ns)
{
    *r = (struct bench_recovery){.start_ns = start_ns, .slot_ns = slot_ns};
}

/* BENCH_RECOVERY_SLOTS: before the start. N-PDUs behind the last slot belong to it. */
static size_t slot_of(const struct bench_recovery *r, int64_t sent_ns)
{
    if (r->slot_ns <= 0 || sent_ns < r->start_ns)
        return BENCH_RECOVERY_SLOTS;
    const int64_t slot = (sent_ns - r->start_ns) / r->slot_ns;
    return slot < BENCH_RECOVERY_SLOTS ? (size_t)slot : BENCH_RECOVERY_SLOTS - 1;
}

void bench_recovery_sent(struct bench_recovery *r, int64_t sent_ns, uint32_t count)
{
    size_t slot = slot_of(r, sent_ns);
    if (slot < BENCH_RECOVERY_SLOTS)
        r->sent[slot] += count;
}

void bench_recovery_came(struct bench_recovery *r, int64_t sent_ns)
{
    size_t slot = slot_of(r, sent_ns);
    if (slot < BENCH_RECOVERY_SLOTS)
        r->came[slot]++;
}

static bool has_loss(const struct bench_recovery *r, size_t slot)
{
    return r->came[slot] < r->sent[slot];
}

int64_t bench_recovery_ns(const struct bench_recovery *r)
{
    for (size_t slot = BENCH_RECOVERY_SLOTS; slot-- > 0;)
        if (has_loss(r, slot))
            return (int64_t)(slot + 1) * r->slot_ns;
    return 0;
}

uint64_t bench_recovery_lost(const struct bench_recovery *r)
{
    uint64_t lost = 0;
    for (size_t slot = 0; slot < BENCH_RECOVERY_SLOTS; slot++)
        lost += has_loss(r, slot) ? r->sent[slot] - r->came[slot] : 0;
    return lost;
}

bool bench_recovery_is_over(const struct bench_recovery *r)
{
    size_t used = BENCH_RECOVERY_SLOTS;
    while (used > 0 && r->sent[used - 1] == 0)
        used--;
    for (size_t slot = used - used / LAST_PART; slot < used; slot++)
        if (has_loss(r, slot))
            return false;
    return used > 0;
}
