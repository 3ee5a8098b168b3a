// SPDX-License-Identifier: BSD-3-Clause
// Time of the wire formats, in ns per packet over bursts that stay in the caches (32 packets, 64 for
// framing): checksums, each engine of the FCS beside a table of one octet, and the worker's whole framing, in
// clear and ciphered. The other stages: `gbflow bench stages`. Compare medians;
// --benchmark_enable_random_interleaving=true makes them fairer on a busy machine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>

extern "C" {
#include "bench/micro/wire_fixture.h"
#include "dataplane/wire/llc_fcs.h"
}

namespace {

constexpr int repetitions = 9;
constexpr double min_seconds = 0.05;

using fixture_stage = uint32_t (*)(wire_fixture *);

void report(benchmark::State &state, unsigned burst)
{
    double packets = static_cast<double>(state.iterations()) * burst;
    state.counters["per_packet"] =
        benchmark::Counter(packets, benchmark::Counter::kIsRate | benchmark::Counter::kInvert); // shown in ns
}

std::unique_ptr<wire_fixture, decltype(&wire_fixture_free)> fixture_of(benchmark::State &state)
{
    return {wire_fixture_new(static_cast<uint16_t>(state.range(0))), wire_fixture_free};
}

void stage(benchmark::State &state, fixture_stage run)
{
    auto fixture = fixture_of(state);
    if (!fixture || run(fixture.get()) == 0) {
        state.SkipWithError("a packet is refused");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(run(fixture.get()));
    report(state, WIRE_FIXTURE_BURST);
}

void fcs(benchmark::State &state, llc_fcs_engine engine)
{
    auto fixture = fixture_of(state);
    llc_fcs_engine all[LLC_FCS_ENGINES_MAX]; // the first is the portable one
    llc_fcs_engines(all);
    if (!fixture || wire_fixture_fcs(fixture.get(), &engine) != wire_fixture_fcs(fixture.get(), &all[0])) {
        state.SkipWithError("engines differ");
        return;
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(wire_fixture_fcs(fixture.get(), &engine));
    report(state, WIRE_FIXTURE_BURST);
}

bool is_sound = true; /* of all that was framed */ // all frames so far are correct

void judge(benchmark::State &state, const wire_framing *f)
{
    if (wire_fixture_framing_is_sound(f))
        return;
    is_sound = false;
    state.SkipWithError("a frame is wrong");
}

// With the elements known from attach; ciphered by an algorithm, 0: in clear, and then judged.
void framing(benchmark::State &state, bool has_elements, uint8_t algorithm)
{
    std::unique_ptr<wire_framing, decltype(&wire_fixture_framing_free)> f = {
        wire_fixture_framing_new(static_cast<uint16_t>(state.range(0))), wire_fixture_framing_free};
    if (has_elements)
        wire_fixture_framing_elements(f.get());
    if (algorithm > 0)
        wire_fixture_framing_cipher(f.get(), algorithm);
    for (auto _ : state)
        benchmark::DoNotOptimize(wire_fixture_framing_burst(f.get()));
    if (algorithm == 0)
        judge(state, f.get());
    report(state, WIRE_FRAMING_BURST);
}

template <class Function, class... Args>
void add(const std::string &name, const char *octets, Function function, Args... args)
{
    benchmark::RegisterBenchmark(name.c_str(), function, args...)
        ->ArgName(octets)
        ->Arg(64)
        ->Arg(500)
        ->Arg(1500)
        ->MinTime(min_seconds)
        ->Repetitions(repetitions)
        ->ReportAggregatesOnly();
}

void add_fcs()
{
    llc_fcs_engine engines[LLC_FCS_ENGINES_MAX];
    unsigned count = llc_fcs_engines(engines);
    add("fcs_octet_table", "octets", fcs, wire_fixture_octet_table());
    for (unsigned i = 0; i < count; i++)
        add(std::string("fcs_") + engines[i].name, "octets", fcs, engines[i]);
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    llc_fcs_init();
    add("ipv4_sum_tested", "npdu", stage, wire_fixture_test_ipv4_sum);
    add("card_flag_read", "npdu", stage, wire_fixture_read_flag);
    add("udp_sum_written", "npdu", stage, wire_fixture_write_udp_sum);
    add("udp_sum_left", "npdu", stage, wire_fixture_leave_udp_sum);
    add_fcs();
    constexpr uint8_t clear = 0, gea3 = 3, gea4 = 4;
    add("framing", "llc_pdu", framing, false, clear);
    add("framing_elements", "llc_pdu", framing, true, clear);
    add("framing_gea3", "llc_pdu", framing, false, gea3);
    add("framing_gea4", "llc_pdu", framing, false, gea4);
    benchmark::RunSpecifiedBenchmarks();
    return is_sound ? 0 : 1;
}
