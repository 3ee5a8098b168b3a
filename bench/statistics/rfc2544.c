/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/statistics/rfc2544.h"

#define BURST_FIRST  32
#define BURST_NARROW 64 /* the interval ends at 1 / BURST_NARROW of the burst */
#define LAST_PART    10 /* of the slots, has to be without loss */

int64_t bench_percentile(const int64_t *ascending, size_t count, unsigned permille)
{
    if (count == 0)
        return 0;
    size_t rank = (count * permille + 999) / 1000;
    return ascending[rank == 0 ? 0 : rank > count ? count - 1 : rank - 1];
}

/* --- bursts --- */

uint64_t bench_burst_search_next(const struct bench_burst_search *s)
{
    uint64_t next;
    if (s->lost == 0)
        next = s->passed == 0 ? BURST_FIRST : 2 * s->passed;
    else
        next = s->lost - s->passed > 1 + s->passed / BURST_NARROW ? s->passed + (s->lost - s->passed) / 2 : 0;
    if (s->lost == 0 && next > s->limit)
        next = s->passed < s->limit ? s->limit : 0;
    return next;
}

void bench_burst_search_add(struct bench_burst_search *s, uint64_t length, bool is_lossless)
{
    if (is_lossless)
        s->passed = length > s->passed ? length : s->passed;
    else
        s->lost = s->lost == 0 || length < s->lost ? length : s->lost;
}

double bench_burst_buffer(double length, double burst_rate, double ndr)
{
    return burst_rate > ndr && burst_rate > 0 ? length * (1 - ndr / burst_rate) : 0;
}

/* --- recovery --- */

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
