// SPDX-License-Identifier: BSD-3-Clause
// One step of a worker: a burst of 64 G-PDUs in, their frames out, buckets that never limit, through ports
// made of rings. The time of ports and buffers alone is a benchmark of its own, to be subtracted.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <map>
#include <utility>

extern "C" {
#include "bench/micro/worker_fixture.h"
}

namespace {

// Kept for all runs: Google Benchmark calls each function several times.
worker_fixture *fixture_of(int64_t mobiles, bool is_foreign = false)
{
    static std::map<std::pair<int64_t, bool>, worker_fixture *> rigs;
    auto &fixture = rigs[{mobiles, is_foreign}];
    if (!fixture)
        fixture = worker_fixture_new(static_cast<uint32_t>(mobiles), is_foreign);
    return fixture;
}

void report(benchmark::State &state)
{
    double n_pdus = static_cast<double>(state.iterations()) * WORKER_FIXTURE_BURST;
    state.SetItemsProcessed(state.iterations() * WORKER_FIXTURE_BURST);
    state.counters["per_npdu"] =
        benchmark::Counter(n_pdus, benchmark::Counter::kIsRate | benchmark::Counter::kInvert); // shown in ns
}

void downlink(benchmark::State &state, bool is_foreign)
{
    worker_fixture *fixture = fixture_of(state.range(0), is_foreign);
    auto octets = static_cast<uint16_t>(state.range(1));
    for (auto _ : state) {
        worker_fixture_feed(fixture, octets);
        worker_fixture_step(fixture);
        if (worker_fixture_take_sent(fixture) != WORKER_FIXTURE_BURST) {
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

// The same with foreign TEIDs: each is found by the hash.
void worker_downlink_foreign(benchmark::State &state)
{
    downlink(state, true);
}
BENCHMARK(worker_downlink_foreign)->ArgNames({"mobiles", "octets"})->ArgsProduct({{1000, 100000}, {64}});

// From TEID to context alone, by index and through the hash.
void worker_find(benchmark::State &state)
{
    worker_fixture *fixture = fixture_of(state.range(0), state.range(1) != 0);
    for (auto _ : state)
        benchmark::DoNotOptimize(worker_fixture_find(fixture));
    report(state);
}
BENCHMARK(worker_find)->ArgNames({"mobiles", "foreign"})->ArgsProduct({{1000, 100000}, {0, 1}});

// Ports and buffers without the worker: the cost of the measurement.
void ports_alone(benchmark::State &state)
{
    worker_fixture *fixture = fixture_of(1000);
    auto octets = static_cast<uint16_t>(state.range(0));
    for (auto _ : state) {
        worker_fixture_feed(fixture, octets);
        benchmark::DoNotOptimize(worker_fixture_take_fed(fixture));
    }
    report(state);
}
BENCHMARK(ports_alone)->ArgName("octets")->Arg(64)->Arg(512)->Arg(1400);

// The buffers of a further segment of an N-PDU: its payload copied, or referred to.
void segment(benchmark::State &state)
{
    worker_fixture *fixture = fixture_of(1000);
    for (auto _ : state)
        worker_fixture_segments(fixture, static_cast<uint16_t>(state.range(0)), state.range(1) != 0);
    report(state);
}
BENCHMARK(segment)->ArgNames({"octets", "chained"})->ArgsProduct({{100, 490, 1500}, {0, 1}});

// A step without work.
void worker_idle(benchmark::State &state)
{
    worker_fixture *fixture = fixture_of(1000);
    for (auto _ : state)
        worker_fixture_step(fixture);
}
BENCHMARK(worker_idle);

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    worker_fixture_start();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
