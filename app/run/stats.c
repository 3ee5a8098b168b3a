/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/stats.h"

#include "app/run/run.h"

static void take(struct run *r, const struct trace_event *event)
{
    if (event->pdp >= r->scenario.mobile_count)
        return; /* belongs to no session; the totals count it */
    struct run_mobile *mobile = &r->mobiles[event->pdp];
    struct run_mobile_stats *stats = &mobile->stats;

    stats->npdu_in++;
    if (event->reason != DROP_NONE) {
        stats->drops[event->reason]++;
        run_series_drop(&r->series, event->at_ns - r->begin_ns, mobile->config->name, event->reason);
        return;
    }
    stats->npdu_out++;
    stats->marks += event->is_marked;
    if (event->at_ns < r->begin_ns + r->scenario.warmup_ns)
        return;
    stats->octets_out += event->octets;
    samples_add(&stats->sojourns, event->at_ns - event->arrival_ns);
}

void run_stats_take(struct run *r)
{
    struct trace_event event;
    for (unsigned i = 0; i < r->node.worker_count; i++)
        while (trace_take(r->node.traces[i], &event))
            take(r, &event);
}

static void add_samples(struct samples *to, const struct samples *from)
{
    for (size_t i = 0; i < from->count; i++)
        samples_add(to, from->ns[i]);
}

/* Goodput of the mobiles of a class: sum, mean, smallest over mean, and Jain's index. */
static void judge_goodput(struct run *r, enum qclass qclass)
{
    struct run_class *class = &r->classes.of[qclass];
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;
    double sum = 0, squares = 0, worst = -1;

    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        if (r->mobiles[i].config->qclass != qclass)
            continue;
        double bps = (double)r->mobiles[i].stats.goodput_octets * 8 / seconds;
        sum += bps;
        squares += bps * bps;
        if (worst < 0 || bps < worst)
            worst = bps;
    }
    class->goodput_total_bps = sum;
    class->goodput_mean_bps = sum / class->mobiles;
    class->worst_user = sum > 0 ? worst * class->mobiles / sum : 0;
    class->jain = squares > 0 ? sum * sum / (class->mobiles * squares) : 0;
}

/* The trace has an event at the end of each N-PDU; N-PDUs still queued are added to npdu_in here. */
static void add_waiting(struct run *r)
{
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct context *context = &run_server(r, i)->context;
        r->mobiles[i].stats.npdu_in += sched_ms_backlog(&context->sched, &context->mobiles[i].sched).pkts;
    }
}

static void sum_shares(struct run *r)
{
    uint64_t all = 0;
    for (int i = 0; i < QCLASS_COUNT; i++)
        all += r->classes.of[i].octets_out;
    for (int i = 0; i < QCLASS_COUNT && all > 0; i++)
        r->classes.of[i].share = (double)r->classes.of[i].octets_out / (double)all;
}

void run_stats_sum(struct run *r)
{
    add_waiting(r);
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct run_mobile_stats *stats = &r->mobiles[i].stats;
        struct run_class *class = &r->classes.of[r->mobiles[i].config->qclass];
        class->mobiles++;
        class->npdu_in += stats->npdu_in;
        class->npdu_out += stats->npdu_out;
        class->marks += stats->marks;
        class->octets_out += stats->octets_out;
        for (int reason = 0; reason < DROP_COUNT; reason++)
            class->drops[reason] += stats->drops[reason];
        add_samples(&class->delays, &stats->delays);
        add_samples(&class->sojourns, &stats->sojourns);
    }
    for (int i = 0; i < QCLASS_COUNT; i++)
        if (r->classes.of[i].mobiles > 0)
            judge_goodput(r, (enum qclass)i);
    sum_shares(r);
}

void run_stats_free(struct run *r)
{
    for (uint32_t i = 0; r->mobiles && i < r->scenario.mobile_count; i++) {
        samples_free(&r->mobiles[i].stats.delays);
        samples_free(&r->mobiles[i].stats.sojourns);
    }
    for (int i = 0; i < QCLASS_COUNT; i++) {
        samples_free(&r->classes.of[i].delays);
        samples_free(&r->classes.of[i].sojourns);
    }
}
