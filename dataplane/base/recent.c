/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/recent.h"

#include <stdlib.h>

#define RECENT_SPAN_NS INT64_C(1000000000)
#define RECENT_STRIDE  65536 /* largest stride */
#define HALF           (RECENT_RECORDS / 2)
#define SETTLE         (RECENT_RECORDS / 8) /* records between two changes of the stride */

bool recent_new(struct recent *r)
{
    *r = (struct recent){.left = 1, .stride = 1};
    r->records = calloc(RECENT_RECORDS, sizeof(*r->records));
    return r->records != NULL;
}

void recent_free(struct recent *r)
{
    free(r->records);
    r->records = NULL;
}

/* The record before half a ring tells how much time half a ring spans. */
static void recent_settle(struct recent *r, uint64_t count, int64_t now)
{
    if (count < HALF || count - r->settled < SETTLE)
        return;
    int64_t span_ns = now - r->records[(count - HALF) % RECENT_RECORDS].at_ns;
    if (span_ns < RECENT_SPAN_NS && r->stride < RECENT_STRIDE)
        r->stride *= 2;
    else if (span_ns > 4 * RECENT_SPAN_NS && r->stride > 1)
        r->stride /= 2;
    r->settled = count;
}

void recent_put(struct recent *r, const struct recent_record *record)
{
    uint64_t count = atomic_load_explicit(&r->count, memory_order_relaxed);
    struct recent_record *to = &r->records[count % RECENT_RECORDS];
    *to = *record;
    to->weight = r->stride;
    recent_settle(r, count, record->at_ns);
    r->left = r->stride;
    atomic_store_explicit(&r->count, count + 1, memory_order_release);
}

unsigned recent_copy(const struct recent *r, struct recent_record *out)
{
    uint64_t end = atomic_load_explicit(&r->count, memory_order_acquire);
    uint64_t begin = end > RECENT_RECORDS ? end - RECENT_RECORDS : 0;
    for (uint64_t i = begin; i < end; i++)
        out[i - begin] = r->records[i % RECENT_RECORDS];
    atomic_thread_fence(memory_order_acquire);
    /* The place of the next record may be half written. */
    uint64_t later = atomic_load_explicit(&r->count, memory_order_relaxed) + 1;
    uint64_t valid = later > RECENT_RECORDS ? later - RECENT_RECORDS : 0;
    unsigned left = valid >= end ? 0 : (unsigned)(end - (valid > begin ? valid : begin));
    for (unsigned i = 0; valid > begin && i < left; i++)
        out[i] = out[valid - begin + i];
    return left;
}
