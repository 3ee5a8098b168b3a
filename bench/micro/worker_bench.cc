// SPDX-License-Identifier: BSD-3-Clause
// One pass of a worker: a burst of 32 G-PDUs in, their frames out, buckets wide open, through ports made of
// rings. What the ports and buffers alone cost is a benchmark of its own, to be subtracted.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <utility>

extern "C" {
#include "bench/micro/worker_rig.h"
}

namespace {

// Kept for all runs: Google Benchmark calls each function several times.
worker_rig *rig_of(int64_t mobiles, bool is_foreign = false)
{
    static std::map<std::pair<int64_t, bool>, worker_rig *> rigs;
    auto &rig = rigs[{mobiles, is_foreign}];
    if (!rig)
        rig = worker_rig_new(static_cast<uint32_t>(mobiles), is_foreign);
    return rig;
}

void report(benchmark::State &state)
{
    double n_pdus = static_cast<double>(state.iterations()) * WORKER_RIG_BURST;
    state.SetItemsProcessed(state.iterations() * WORKER_RIG_BURST);
    state.counters["per_npdu"] =
        benchmark::Counter(n_pdus, benchmark::Counter::kIsRate | benchmark::Counter::kInvert); // shown in ns
}

void downlink(benchmark::State &state, bool is_foreign)
{
    worker_rig *rig = rig_of(state.range(0), is_foreign);
    auto octets = static_cast<uint16_t>(state.range(1));
    for (auto _ : state) {
        worker_rig_feed(rig, octets);
        worker_rig_step(rig);
        if (worker_rig_take_sent(rig) != WORKER_RIG_BURST) {
            state.SkipWithError("an open bucket is closed");
            break;
        }
    }
    report(state);
}

void worker_downlink(benchmark::State &state)
{
    downlink(state, false);
}
BENCHMARK(worker_downlink)->ArgNames({"mobiles", "octets"})->ArgsProduct({{1000, 100000}, {64, 512, 1400}});

// The same with TEIDs that others chose: each through the hash.
void worker_downlink_foreign(benchmark::State &state)
{
    downlink(state, true);
}
BENCHMARK(worker_downlink_foreign)->ArgNames({"mobiles", "octets"})->ArgsProduct({{1000, 100000}, {64}});

// From TEID to context alone, by index and through the hash.
void worker_find(benchmark::State &state)
{
    worker_rig *rig = rig_of(state.range(0), state.range(1) != 0);
    for (auto _ : state)
        benchmark::DoNotOptimize(worker_rig_find(rig));
    report(state);
}
BENCHMARK(worker_find)->ArgNames({"mobiles", "foreign"})->ArgsProduct({{1000, 100000}, {0, 1}});

// Ports and buffers without the worker: what the measurement itself costs.
void ports_alone(benchmark::State &state)
{
    worker_rig *rig = rig_of(1000);
    auto octets = static_cast<uint16_t>(state.range(0));
    for (auto _ : state) {
        worker_rig_feed(rig, octets);
        benchmark::DoNotOptimize(worker_rig_take_fed(rig));
    }
    report(state);
}
BENCHMARK(ports_alone)->ArgName("octets")->Arg(64)->Arg(512)->Arg(1400);

// A pass that finds nothing to do.
void worker_idle(benchmark::State &state)
{
    worker_rig *rig = rig_of(1000);
    for (auto _ : state)
        worker_rig_step(rig);
}
BENCHMARK(worker_idle);

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    if (!worker_rig_start()) {
        fprintf(stderr, "worker_bench: DPDK does not start\n");
        return 1;
    }
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
