/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/totals.h"
#include "control/report/field.h"

#include "dataplane/base/moment.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(sizeof(struct worker_stats) % sizeof(uint64_t) == 0, "nothing but counters");

static void account_frames(struct totals *t, const struct worker_stats *w)
{
    t->frames = w->gn_frames;
    t->frames_accounted = w->npdu_in + w->gn_merged + w->gn_held + w->gn_steered_out - w->gn_steered_in;
    t->gb_frames = w->gb_frames + w->gb_steered_in + w->gb_returned;
    t->gb_accounted = w->punted + w->ul_segments + w->ul_held + w->gb_merged + w->gb_held + w->gb_steered_out;
    for (int i = 0; i < DROP_COUNT; i++) {
        t->gb_accounted += w->gb_drops[i];
        if (drop_is_npdu((enum drop)i))
            t->dropped += w->gn_drops[i];
        else
            t->frames_accounted += w->gn_drops[i];
    }
}

struct totals totals_of(const struct worker *worker)
{
    const struct worker_stats *w = &worker->stats;
    struct totals t = {
        .in = w->npdu_in,
        .out = w->npdu_out,
        .queued = context_queued_pkts(&worker->context) + w->npdu_held,
        .forwarded = w->forward_npdu_out,
        .left = w->npdu_xworker_out,
        .joined = w->npdu_xworker_in,
    };
    account_frames(&t, w);
    t.is_conserved = t.in + t.joined == t.out + t.forwarded + t.dropped + t.queued + t.left &&
                     t.frames == t.frames_accounted && t.gb_frames == t.gb_accounted;
    return t;
}

static void totals_add(struct totals *sum, const struct totals *t)
{
    sum->in += t->in;
    sum->out += t->out;
    sum->forwarded += t->forwarded;
    sum->dropped += t->dropped;
    sum->queued += t->queued;
    sum->left += t->left;
    sum->joined += t->joined;
    sum->frames += t->frames;
    sum->frames_accounted += t->frames_accounted;
    sum->gb_frames += t->gb_frames;
    sum->gb_accounted += t->gb_accounted;
    sum->is_conserved &= t->is_conserved;
}

struct totals totals_of_all(struct worker *const *workers, unsigned count)
{
    struct totals sum = {.is_conserved = true};
    uint64_t steered_out = 0, steered_in = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct worker_stats *w = &workers[i]->stats;
        struct totals t = totals_of(workers[i]);
        totals_add(&sum, &t);
        steered_out += w->gn_steered_out + w->gb_steered_out;
        steered_in += w->gn_steered_in + w->gb_steered_in;
    }
    sum.is_conserved &= sum.left == sum.joined && steered_out == steered_in;
    return sum;
}

struct worker_stats totals_stats(struct worker *const *workers, unsigned count)
{
    struct worker_stats sum = {0};
    for (unsigned i = 0; i < count; i++) {
        const uint64_t *from = (const uint64_t *)&workers[i]->stats;
        uint64_t *to = (uint64_t *)&sum;
        for (size_t k = 0; k < sizeof(sum) / sizeof(*to); k++)
            to[k] += __atomic_load_n(&from[k], __ATOMIC_RELAXED); /* the worker may count meanwhile */
    }
    return sum;
}

enum { FIRST_CAP = 8 };

void samples_add(struct samples *s, int64_t ns)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap + s->cap / 2 : FIRST_CAP;
        s->ns = reallocarray(s->ns, s->cap, sizeof(*s->ns));
        if (!s->ns) {
            fprintf(stderr, "gbflow: out of memory for samples\n");
            exit(1);
        }
    }
    s->ns[s->count++] = ns;
    s->is_sorted = false;
}

void samples_free(struct samples *s)
{
    free(s->ns);
    *s = (struct samples){0};
}

static int totals_compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t samples_quantile_ns(struct samples *s, unsigned percent)
{
    if (!s->is_sorted)
        qsort(s->ns, s->count, sizeof(*s->ns), totals_compare);
    s->is_sorted = true;
    return s->ns[(s->count * percent + 99) / 100 - 1];
}

/* Mean, rounded down; the bag must not be empty. */
static int64_t samples_mean_ns(const struct samples *s)
{
    __int128 sum = 0;
    assert(s->count > 0);
    for (size_t i = 0; i < s->count; i++)
        sum += s->ns[i];
    return (int64_t)(sum / (__int128)s->count);
}

struct quantiles quantiles_of(struct samples *samples)
{
    if (samples->count == 0)
        return (struct quantiles){
            0, MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER, MOMENT_NEVER};
    int64_t p50_ns = samples_quantile_ns(samples, 50);
    return (struct quantiles){
        .count = samples->count,
        .mean_ns = samples_mean_ns(samples),
        .min_ns = samples->ns[0], /* sorted by now */
        .p50_ns = p50_ns,
        .p95_ns = samples_quantile_ns(samples, 95),
        .p99_ns = samples_quantile_ns(samples, 99),
        .max_ns = samples_quantile_ns(samples, 100),
    };
}

#define ROW(name, member, sentence) FIELD(struct quantiles, GAUGE, name, "seconds", member, sentence)
#define N                           FIELD(struct quantiles, COUNTER, "n", "samples", count, "Samples.")
#define MEAN(name)                  ROW(name, mean_ns, "Mean.")
#define MIN                         ROW("min", min_ns, "Smallest value.")
#define P50                         ROW("p50", p50_ns, "Median.")
#define P95                         ROW("p95", p95_ns, "95th percentile.")
#define P99                         ROW("p99", p99_ns, "99th percentile.")
#define MAX                         ROW("max", max_ns, "Largest value.")

const struct field quantiles_whole[] = {N, MEAN("mean"), P50, P95, P99, MAX, FIELD_END};
const struct field quantiles_short[] = {N, P50, P95, MAX, FIELD_END};
const struct field quantiles_ping[] = {N, MEAN("avg"), MIN, P50, P95, MAX, FIELD_END};
