/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares by weight: start-time fair queueing. A class that becomes active takes the virtual time as its
 * start tag, unless its own is later; the class with the least tag sends, and its tag grows by octets /
 * weight. The virtual time is the least tag among the active.
 *
 * Signalling and short messages go first as long as they are not further ahead of their share than
 * BURST_OCTETS; then they compete like the others, so their weight bounds them.
 */
#include "dataplane/sched/sched_parts.h"

#define BURST_OCTETS  (8 * SCHED_LARGEST_PDU)
#define REBASE_TAG    (UINT64_C(1) << 62)
#define INVERSE_SCALE (UINT32_C(1) << 24)

void sched_share_set(struct sched *s, unsigned qclass, uint16_t weight)
{
    s->params.weights[qclass] = weight;
    s->inverse_weights[qclass] = INVERSE_SCALE / weight;
}

static uint64_t *tag_at(uint64_t *tags, size_t stride, unsigned qclass)
{
    return (uint64_t *)(void *)((char *)tags + qclass * stride);
}

/* Long before tags would wrap, all are decreased by the same amount. */
static void rebase(uint64_t *tags, size_t stride, uint64_t *now_tag)
{
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        uint64_t *tag = tag_at(tags, stride, k);
        *tag = *tag > *now_tag ? *tag - *now_tag : 0;
    }
    *now_tag = 0;
}

unsigned sched_share_choose(const struct sched *s, unsigned active, uint64_t *tags, size_t stride,
                            uint64_t *now_tag)
{
    unsigned best = (unsigned)__builtin_ctz(active);
    uint64_t best_tag = *tag_at(tags, stride, best);
    for (unsigned left = active & (active - 1); left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        uint64_t tag = *tag_at(tags, stride, k);
        if (tag < best_tag) {
            best = k;
            best_tag = tag;
        }
    }
    if (best_tag > *now_tag)
        *now_tag = best_tag;
    if (*now_tag >= REBASE_TAG)
        rebase(tags, stride, now_tag);
    for (unsigned left = active & SCHED_SHARE_STRICT; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctz(left);
        if (*tag_at(tags, stride, k) <= *now_tag + sched_share_cost(s, k, BURST_OCTETS))
            return k;
    }
    return best;
}
