// SPDX-License-Identifier: BSD-3-Clause
// Rate of the Gb control plane on one core: FLOW-CONTROL-MS decoded, requested from the worker and
// acknowledged, for mobiles in turn.
#include <benchmark/benchmark.h>

#include <cstdint>

extern "C" {
#include "bench/micro/gb_fixture.h"
#include "control/base/eal.h"
}

namespace {

void flow_control_ms(benchmark::State &state)
{
    auto mobiles = static_cast<uint32_t>(state.range(0));
    gb_fixture *fixture = gb_fixture_new(mobiles);
    for (uint32_t i = 0; i < mobiles; i += GB_FIXTURE_BURST) // gives each mobile a bucket of its own
        gb_fixture_announce(fixture);
    for (auto _ : state)
        gb_fixture_announce(fixture);
    state.SetItemsProcessed(state.iterations() * GB_FIXTURE_BURST);
    gb_fixture_free(fixture);
}
BENCHMARK(flow_control_ms)->ArgName("mobiles")->Arg(1)->Arg(100)->Arg(4000);

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    if (!eal_start_virtual(UINT64_C(64) << 20))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    eal_stop();
    return 0;
}
