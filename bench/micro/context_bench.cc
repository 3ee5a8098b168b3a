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

struct memory_row {
    uint32_t mobiles;
    double most_gib;
};
constexpr memory_row memory_rows[] = {{many_mobiles, 1.0}, {4 * many_mobiles, 2.8}};

bool is_within(const memory_row &row)
{
    context_fixture *fixture = context_fixture_new(row.mobiles, many_cells);
    context_fixture_fill(fixture);
    double gib = static_cast<double>(context_fixture_resident()) / (1 << 30);
    bool is_good = gib <= row.most_gib;
    printf("%u mobiles with one context each, %u cells: %.2f GiB in memory, at most %.1f; %.0f octets per "
           "mobile%s\n",
           row.mobiles, many_cells, gib, row.most_gib, gib * (1 << 30) / row.mobiles,
           is_good ? "" : ": FAULT");
    context_fixture_free(fixture);
    return is_good;
}

int print_memory()
{
    bool are_good = true;
    for (const auto &row : memory_rows)
        are_good = is_within(row) && are_good;
    return are_good ? 0 : 1;
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    bool is_memory = argc == 2 && std::strcmp(argv[1], "memory") == 0;
    if (!is_memory && benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    context_fixture_start(is_memory ? 4096 : 1024);
    if (is_memory)
        return print_memory();
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
