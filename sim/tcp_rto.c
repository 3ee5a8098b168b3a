/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_rto.h"
#include "sim/tcp.h"

#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRANULARITY_NS (MOMENT_SECOND / 1000) /* the timestamp clock's tick */
#define LINUX_TICK_NS  (MOMENT_SECOND / 100)

void tcp_rto_init(struct tcp_rto *r, const struct tcp_params *params)
{
    *r = (struct tcp_rto){
        .rto_ns = params->initial_rto_ns,
        .min_ns = params->min_rto_ns,
        .max_ns = params->max_rto_ns,
    };
}

/* RFC 6298 (2.2) and (2.3), the gains divided by the samples per round trip. */
static void smooth(struct tcp_rto *r, int64_t rtt_ns, int64_t share)
{
    if (r->srtt_ns == 0) {
        r->srtt_ns = rtt_ns;
        r->rttvar_ns = rtt_ns / 2;
        return;
    }
    int64_t error_ns = rtt_ns - r->srtt_ns;
    int64_t distance_ns = error_ns < 0 ? -error_ns : error_ns;
    r->rttvar_ns += (distance_ns - r->rttvar_ns) / (4 * share);
    r->srtt_ns += error_ns / (8 * share);
}

void tcp_rto_sample(struct tcp_rto *r, int64_t rtt_ns, uint32_t share, bool has_new)
{
    smooth(r, moment_max(rtt_ns, 1), share ? share : 1);
    int64_t rto_ns = r->srtt_ns + moment_max(GRANULARITY_NS, 4 * r->rttvar_ns);
    rto_ns = moment_min(moment_max(rto_ns, r->min_ns), r->max_ns);
    if (has_new)
        r->is_backed_off = false;
    r->rto_ns = r->is_backed_off ? moment_max(r->rto_ns, rto_ns) : rto_ns;
}

static void smooth_linux(struct tcp_rto *r, int64_t rtt_ns)
{
    if (r->srtt_ns == 0) {
        r->srtt_ns = rtt_ns;
        r->mdev_ns = rtt_ns;
        r->rttvar_ns = r->mdev_max_ns = moment_max(r->mdev_ns, r->min_ns / 4);
        return;
    }
    int64_t error_ns = rtt_ns - r->srtt_ns;
    int64_t change_ns = (error_ns < 0 ? -error_ns : error_ns) - r->mdev_ns;
    r->srtt_ns += error_ns / 8;
    r->mdev_ns += change_ns / (error_ns < 0 && change_ns > 0 ? 32 : 4);
    r->mdev_max_ns = moment_max(r->mdev_max_ns, r->mdev_ns);
    r->rttvar_ns = moment_max(r->rttvar_ns, r->mdev_max_ns);
}

void tcp_rto_sample_linux(struct tcp_rto *r, const struct tcp_rto_linux *sample)
{
    smooth_linux(r, moment_max(sample->rtt_ns - sample->rtt_ns % LINUX_TICK_NS, LINUX_TICK_NS));
    if (sample->ends_round) {
        if (r->mdev_max_ns < r->rttvar_ns)
            r->rttvar_ns -= (r->rttvar_ns - r->mdev_max_ns) / 4;
        r->mdev_max_ns = r->min_ns / 4;
    }
    r->backoffs = sample->keeps_backoff ? r->backoffs : 0;
    r->is_backed_off = r->backoffs > 0;
    r->rto_ns = r->srtt_ns + 4 * r->rttvar_ns;
    for (uint32_t i = 0; i < r->backoffs && r->rto_ns < r->max_ns; i++)
        r->rto_ns *= 2;
    r->rto_ns = moment_min(r->rto_ns, r->max_ns);
}

void tcp_rto_back_off(struct tcp_rto *r)
{
    r->rto_ns = moment_min(2 * r->rto_ns, r->max_ns);
    r->is_backed_off = true;
    r->backoffs++;
}

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
static void tcp_rto_grow(struct rtt_tcptrace *r)
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
        tcp_rto_grow(r);
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
