// SPDX-License-Identifier: BSD-3-Clause
// Cost of idle mobiles: memory, the rate of making and deleting them by messages, and the time of a cell's
// new flow control by the number of its mobiles.
//
//   context_bench            all rows
//   context_bench memory     octets in memory of 1 000 000 mobiles with one context each in 10 000 cells,
//                            alone in its process
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

extern "C" {
#include "bench/micro/context_fixture.h"
}

namespace {

constexpr uint32_t many_mobiles = 1000000;
constexpr uint16_t many_cells = 10000;

// The rate of contexts, with their mobiles, deleted and made again: four requests and answers each, the
// control side's work on the rings included.
void context_churn(benchmark::State &state)
{
    auto mobiles = static_cast<uint32_t>(state.range(0));
    context_fixture *fixture = context_fixture_new(mobiles, static_cast<uint16_t>(mobiles / 100));
    context_fixture_fill(fixture);
    for (auto _ : state)
        context_fixture_churn(fixture);
    state.SetItemsProcessed(state.iterations() * CONTEXT_FIXTURE_BATCH);
    context_fixture_free(fixture);
}
BENCHMARK(context_churn)->ArgName("mobiles")->Arg(1000)->Arg(100000)->Arg(many_mobiles);

// One FLOW-CONTROL-BVC for a cell of `mobiles` mobiles, of which `busy` have N-PDUs queued.
void announce(benchmark::State &state, bool are_others)
{
    context_fixture *fixture = context_fixture_new(static_cast<uint32_t>(state.range(0)), 1);
    context_fixture_fill(fixture);
    context_fixture_announce(fixture, true);
    context_fixture_queue(fixture, static_cast<uint32_t>(state.range(1)));
    for (auto _ : state)
        context_fixture_announce(fixture, are_others);
    context_fixture_free(fixture);
}

void context_defaults_same(benchmark::State &state)
{
    announce(state, false);
}
BENCHMARK(context_defaults_same)
    ->ArgNames({"mobiles", "busy"})
    ->Args({1000, 0})
    ->Args({100000, 0})
    ->Args({100000, 1000});

void context_defaults_others(benchmark::State &state)
{
    announce(state, true);
}
BENCHMARK(context_defaults_others)
    ->ArgNames({"mobiles", "busy"})
    ->Args({1000, 0})
    ->Args({100000, 0})
    ->Args({100000, 1000})
    ->Args({100000, 100000});

int print_memory()
{
    context_fixture *fixture = context_fixture_new(many_mobiles, many_cells);
    context_fixture_fill(fixture);
    uint64_t octets = context_fixture_resident();
    printf("%u mobiles with one context each, %u cells: %.0f MiB in memory, %.0f octets per mobile\n",
           many_mobiles, many_cells, static_cast<double>(octets) / (1 << 20),
           static_cast<double>(octets) / many_mobiles);
    context_fixture_free(fixture);
    return octets <= uint64_t{1} << 30 ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    bool is_memory = argc == 2 && std::strcmp(argv[1], "memory") == 0;
    if (!is_memory && benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    if (!context_fixture_start("1024")) {
        fprintf(stderr, "context_bench: DPDK does not start\n");
        return 1;
    }
    if (is_memory)
        return print_memory();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
