/* SPDX-License-Identifier: BSD-3-Clause */

#include "control/report/node_fields.h"

#include "dataplane/base/moment.h"
#include "dataplane/pacing/pacing.h"

struct pacing_record {
    uint32_t worker;
    struct worker_stats stats;
    const struct pacing_stats *pacing;
};

void pacing_fields_each(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    for (unsigned i = 0; i < node->worker_count; i++) {
        const struct worker *worker = node->workers[i];
        if (!worker->pacing)
            continue;
        const struct pacing_record row = {i, worker->stats, pacing_stats_of(worker->pacing)};
        field_put(sink, NULL, &row);
    }
}

/* --- hold times --- */

struct hold_record {
    uint64_t count;
    double p50_s, p95_s, most_s;
};

static uint64_t count_of(const uint64_t *bins)
{
    uint64_t count = 0;
    for (unsigned i = 0; i < PACING_HOLDS; i++)
        count += bins[i];
    return count;
}

static double hold_at(const uint64_t *bins, uint64_t rank)
{
    unsigned i = 0;
    for (uint64_t sum = bins[0]; sum < rank && i + 1 < PACING_HOLDS; sum += bins[i])
        i++;
    return (double)pacing_hold_of_bin(i) / MOMENT_SECOND;
}

static void each_hold(const void *record, struct field_sink *sink)
{
    const struct pacing_stats *stats = ((const struct pacing_record *)record)->pacing;
    for (unsigned k = 0; k < QCLASS_COUNT; k++) {
        const uint64_t *bins = stats->holds[k], count = count_of(bins);
        const struct hold_record hold = {count, hold_at(bins, (count + 1) / 2),
                                         hold_at(bins, (count * 95 + 99) / 100), hold_at(bins, count)};
        if (count > 0)
            field_put(sink, qclass_name((enum qclass)k), &hold);
    }
}

static const struct field holds[] = {
    FIELD(struct hold_record, COUNTER, "count", "N-PDUs", count, "ACKs that were held and are not any more."),
    FIELD(struct hold_record, GAUGE, "p50_s", "seconds", p50_s,
          "Median of their hold times, each rounded up by at most an eighth or 1 ms."),
    FIELD(struct hold_record, GAUGE, "p95_s", "seconds", p95_s, "95th percentile of the same."),
    FIELD(struct hold_record, GAUGE, "max_s", "seconds", most_s, "Longest of the same."),
    FIELD_END,
};

#define COUNT(name, member) WORKER_FIELD(struct pacing_record, name, stats, member)

const struct field pacing_fields_counts[] = {
    FIELD(struct pacing_record, LABEL, "worker", "", worker, "Number of the worker."),
    COUNT("clamped", pacing_clamped),
    COUNT("implausible", pacing_implausible),
    COUNT("evicted", pacing_evicted),
    COUNT("overflow", pacing_overflow),
    COUNT("held", pacing_held),
    COUNT("merged", pacing_merged),
    COUNT("released", pacing_released),
    COUNT("expired", pacing_expired),
    COUNT("lost", pacing_lost),
    COUNT("holding", pacing_holding),
    FIELD_END,
};

static const struct field rows[] = {
    FIELD_ROWS(0, pacing_fields_counts),
    FIELD_INSIDE(MAP, "hold", 0, holds, "Hold times of the ACKs of a traffic class.", .each = each_hold,
                 .label = "CLASS"),
    FIELD_END,
};

const struct field pacing_fields[] = {
    FIELD_INSIDE(LIST, "pacing", 0, rows, "TCP of the mobiles of a worker.", .each = pacing_fields_each,
                 .is_optional = true, .when = "with queues.pacing"),
    FIELD_END,
};
