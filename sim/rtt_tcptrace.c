/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/rtt_tcptrace.h"

#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 2 };

void rtt_tcptrace_init(struct rtt_tcptrace *r)
{
    r->segment = NULL;
    r->cap = r->first = r->segments = 0;
    r->highest_end = r->count = r->sent_octets = r->repeated_octets = r->overflows = 0;
    r->sum_ns = r->min_ns = r->max_ns = 0;
    r->last_repeat_ns = -1;
}

static struct rtt_tcptrace_segment *segment_at(struct rtt_tcptrace *r, uint32_t i)
{
    return &r->segment[(r->first + i) & (r->cap - 1)];
}

void rtt_tcptrace_fini(struct rtt_tcptrace *r)
{
    free(r->segment);
    r->segment = NULL;
    r->cap = r->first = r->segments = 0;
}

/* Doubles the full ring; the places before `first` move behind the others. */
static void grow(struct rtt_tcptrace *r)
{
    uint32_t cap = r->cap ? 2 * r->cap : FIRST_CAP;
    struct rtt_tcptrace_segment *segment = realloc(r->segment, cap * sizeof(*segment));
    if (!segment) {
        fprintf(stderr, "gbflow: out of memory for the segments of a TCP connection\n");
        exit(1);
    }
    memcpy(segment + r->cap, segment, r->first * sizeof(*segment));
    r->segment = segment;
    r->cap = cap;
}

static void mark_repeated(struct rtt_tcptrace *r, uint64_t start, uint64_t end)
{
    for (uint32_t i = 0; i < r->segments; i++) {
        struct rtt_tcptrace_segment *segment = segment_at(r, i);
        if (segment->end > start) {
            segment->is_repeated = true;
            if (segment->end >= end)
                return;
        }
    }
}

void rtt_tcptrace_sent(struct rtt_tcptrace *r, uint64_t start, uint64_t end, int64_t now)
{
    r->sent_octets += end - start;
    if (start < r->highest_end) {
        r->repeated_octets += end - start;
        r->last_repeat_ns = now;
        mark_repeated(r, start, end);
    }
    if (end <= r->highest_end)
        return;
    r->highest_end = end;
    if (r->segments == RTT_TCPTRACE_SEGMENTS) {
        r->overflows++;
        return;
    }
    if (r->segments == r->cap)
        grow(r);
    *segment_at(r, r->segments++) = (struct rtt_tcptrace_segment){.end = end, .sent_ns = now};
}

static void count_sample(struct rtt_tcptrace *r, int64_t rtt_ns)
{
    r->min_ns = r->count ? moment_min(r->min_ns, rtt_ns) : rtt_ns;
    r->max_ns = moment_max(r->max_ns, rtt_ns);
    r->sum_ns += rtt_ns;
    r->count++;
}

int64_t rtt_tcptrace_acked(struct rtt_tcptrace *r, uint64_t ack, int64_t now)
{
    bool has_doubt = false;
    struct rtt_tcptrace_segment last = {0};
    while (r->segments > 0 && segment_at(r, 0)->end <= ack) {
        last = *segment_at(r, 0);
        has_doubt |= last.is_repeated;
        r->first = (r->first + 1) & (r->cap - 1);
        r->segments--;
    }
    if (has_doubt || last.end == 0 || last.end != ack || r->last_repeat_ns >= last.sent_ns)
        return -1;
    count_sample(r, now - last.sent_ns);
    return now - last.sent_ns;
}

int64_t rtt_tcptrace_average_ns(const struct rtt_tcptrace *r)
{
    return r->count ? r->sum_ns / (int64_t)r->count : 0;
}
