// SPDX-License-Identifier: BSD-3-Clause
// Time of the bucket's arithmetic and of the timing wheel. The whole scheduler: sched_bench.cc.
#include <benchmark/benchmark.h>

#include <cstdint>

extern "C" {
#include "dataplane/base/rng.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/queue/wheel.h"
}

namespace {

constexpr uint16_t n_pdu_octets = 500;

// One LLC-PDU each time the bucket has room again: both branches of the test, one charge.
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

// One entry per parked entity on the wheel: each due entry is taken and set again for later.
void wheel_take_and_set(benchmark::State &state)
{
    auto count = static_cast<uint32_t>(state.range(0));
    constexpr int64_t wait_ns = 100 * 1000 * 1000;
    wheel w;
    wheel_entry entry;
    rng r;
    rng_init(&r, 1, 0);
    wheel_new(&w, count);
    for (uint32_t i = 0; i < count; i++)
        wheel_set(&w, static_cast<int64_t>(rng_below(&r, wait_ns)), nullptr);
    for (auto _ : state) {
        int64_t now = wheel_next_ns(&w);
        wheel_take(&w, &entry, now);
        wheel_set(&w, now + wait_ns + static_cast<int64_t>(rng_u64(&r) & 0xffffff), nullptr);
    }
    wheel_free(&w);
}
BENCHMARK(wheel_take_and_set)->Arg(1000)->Arg(65536)->Arg(1000000);

} // namespace

BENCHMARK_MAIN();
