// SPDX-License-Identifier: BSD-3-Clause
// Cost of the bucket's arithmetic, and of one LLC-PDU through the scheduler: enqueue, deadline, pick.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <vector>

extern "C" {
#include "dataplane/base/moment.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/queue/sched.h"
}

namespace {

constexpr uint16_t n_pdu_octets = 500;
constexpr uint32_t ms_per_cell = 64;
constexpr uint64_t cell_rate_bps = 80000;
constexpr uint64_t cell_max_octets = 10000;

// One LLC-PDU for each time the bucket has room again: both branches of the test, one charge.
void bucket_test_and_charge(benchmark::State &state)
{
    bucket b;
    int64_t now = 0;
    bucket_init(&b, 10000, 8000000, now);
    for (auto _ : state) {
        while (!bucket_can_take(&b, n_pdu_octets, now))
            now += 250000;
        bucket_take(&b, n_pdu_octets, now);
        benchmark::DoNotOptimize(b);
    }
}
BENCHMARK(bucket_test_and_charge);

void bucket_deadline(benchmark::State &state)
{
    bucket b;
    bucket_init(&b, 10000, static_cast<uint64_t>(state.range(0)), 0);
    bucket_take(&b, 10000, 0);
    for (auto _ : state) {
        benchmark::DoNotOptimize(b);
        benchmark::DoNotOptimize(bucket_earliest_ns(&b, n_pdu_octets));
    }
}
BENCHMARK(bucket_deadline)->Arg(80000)->Arg(8000000);

// A node of mobiles in cells of 64, each with one N-PDU of its own.
struct node {
    sched s;
    std::vector<sched_bvc> cells;
    std::vector<sched_ms> ms;
    std::vector<n_pdu> n_pdus;
    int64_t now = 0;

    node(uint32_t ms_count, bool limited)
        : cells((ms_count + ms_per_cell - 1) / ms_per_cell), ms(ms_count), n_pdus(ms_count)
    {
        sched_new(&s, ms_count, static_cast<uint32_t>(cells.size()));
        for (auto &cell : cells)
            open(cell, limited);
        for (uint32_t i = 0; i < ms_count; i++)
            open(ms[i], cells[i % cells.size()], limited);
    }

    ~node()
    {
        sched_free(&s);
    }

    node(const node &) = delete;
    node &operator=(const node &) = delete;

    void open(sched_bvc &cell, bool limited)
    {
        sched_bvc_init(&cell, now);
        if (limited)
            bucket_init(&cell.bucket, cell_max_octets, cell_rate_bps, now);
        else
            bucket_init(&cell.bucket, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, now);
        sched_bvc_use(&s, &cell, true);
    }

    // A limited mobile has its share of the cell and half as much again, so that either bucket may be closed.
    void open(sched_ms &mobile, sched_bvc &cell, bool limited)
    {
        sched_ms_init(&mobile, &cell, now);
        if (limited)
            bucket_init(&mobile.bucket, 600, cell_rate_bps * 3 / (2 * ms_per_cell), now);
        else
            bucket_init(&mobile.bucket, BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS, now);
        mobile.queue.segmenting = {.first_octets = 1516,
                                   .next_octets = 1517,
                                   .first_overhead_octets = 10,
                                   .next_overhead_octets = 9};
        mobile.queue.limit_octets = UINT16_MAX;
        mobile.queue.max_age_ns = MOMENT_NEVER;
    }

    void put(sched_ms &mobile, n_pdu &packet)
    {
        packet = {};
        packet.octets = n_pdu_octets;
        packet.arrival_ns = now;
        sched_enqueue(&s, &mobile, &packet);
    }
};

// Buckets wide open: a packet goes to the next mobile and leaves at once.
void sched_unlimited(benchmark::State &state)
{
    auto n = std::make_unique<node>(static_cast<uint32_t>(state.range(0)), false);
    sched_grant grant;
    size_t i = 0;
    for (auto _ : state) {
        n->put(n->ms[i], n->n_pdus[i]);
        sched_advance(&n->s, n->now);
        if (!sched_pick(&n->s, &grant, n->now))
            state.SkipWithError("an open bucket is closed");
        benchmark::DoNotOptimize(grant);
        n->now += 100;
        i = i + 1 < n->ms.size() ? i + 1 : 0;
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sched_unlimited)->Arg(1000)->Arg(65000);

// Every mobile always has a packet: time jumps from deadline to deadline, what leaves is put again.
void sched_limited(benchmark::State &state)
{
    auto n = std::make_unique<node>(static_cast<uint32_t>(state.range(0)), true);
    sched_grant grant;
    for (size_t i = 0; i < n->ms.size(); i++)
        n->put(n->ms[i], n->n_pdus[i]);
    for (auto _ : state) {
        while (!sched_pick(&n->s, &grant, n->now)) {
            n->now = moment_max(n->now, sched_next_ns(&n->s));
            sched_advance(&n->s, n->now);
        }
        n->put(*grant.ms, *grant.n_pdu);
        benchmark::DoNotOptimize(grant);
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(sched_limited)->Arg(1000)->Arg(65000);

} // namespace

BENCHMARK_MAIN();
