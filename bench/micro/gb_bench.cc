// SPDX-License-Identifier: BSD-3-Clause
// What the Gb control plane does in a second on one core: FLOW-CONTROL-MS decoded, ordered from the worker
// and acknowledged, by mobiles that take turns.
#include <benchmark/benchmark.h>

#include <cstdint>

extern "C" {
#include "bench/micro/gb_rig.h"
#include "control/base/eal.h"
}

namespace {

void flow_control_ms(benchmark::State &state)
{
    auto mobiles = static_cast<uint32_t>(state.range(0));
    gb_rig *rig = gb_rig_new(mobiles);
    for (uint32_t i = 0; i < mobiles; i += GB_RIG_BURST) // each has buckets of its own from now on
        gb_rig_announce(rig);
    for (auto _ : state)
        gb_rig_announce(rig);
    state.SetItemsProcessed(state.iterations() * GB_RIG_BURST);
    gb_rig_free(rig);
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
