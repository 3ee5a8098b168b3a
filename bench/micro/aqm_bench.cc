// SPDX-License-Identifier: BSD-3-Clause
// Time that each AQM scheme adds per packet: both hooks, against a loop that only prepares the views. Schemes
// come from the registry, so a new one is measured without a change here. Loops alternate; the figure is the
// median of their differences.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include "control/base/clock.h"
#include "dataplane/aqm/aqm_registry.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"
}

namespace {

constexpr size_t packets = 8192; // a power of two
constexpr int64_t spacing_ns = 5'000'000;

struct free_setup {
    void operator()(aqm_setup *setup) const
    {
        aqm_setup_free(setup);
    }
};
using setup_ptr = std::unique_ptr<aqm_setup, free_setup>;

setup_ptr make(const aqm_ops *ops)
{
    char message[256];
    aqm_choice choice{ops, nullptr, 1, 0};
    return setup_ptr{aqm_setup_new(&choice, message, sizeof(message))};
}

// Views of a queue that varies around the schemes' default thresholds and empties now and then, as with
// senders that respond to signals; or of a queue that is almost empty.
std::vector<aqm_view> views(bool is_busy)
{
    std::vector<aqm_view> all(packets);
    rng r;
    rng_init(&r, 7, 0);
    for (size_t i = 0; i < packets; i++) {
        aqm_view &view = all[i];
        bool is_full = is_busy && i % 256 >= 4;
        view = {};
        view.octets = static_cast<uint32_t>(rng_between(&r, 40, 1500));
        view.backlog_octets = is_full ? 20000 + rng_below(&r, 10000) : rng_below(&r, 2) * 500;
        view.backlog_pkts = static_cast<uint32_t>(view.backlog_octets / 500);
        view.rate_bps = 200000;
        view.sojourn_ns = static_cast<int64_t>(view.backlog_octets) * 40000;
        view.age_ns = view.sojourn_ns;
        view.left_ns = MOMENT_NEVER;
        view.ecn = AQM_ECN_ECT0;
    }
    return all;
}

struct fixture {
    setup_ptr setup;
    std::vector<aqm_view> all;
    alignas(64) uint8_t state[AQM_MAX_STATE] = {};
    int64_t now = 1;
    uint64_t signals = 0;
};

// A function of its own, or the compiler hoists half of it out of the measured loop.
template <bool asks> __attribute__((noinline)) int64_t round(fixture &it)
{
    int64_t start_ns = clock_now_ns(), now = it.now;
    uint64_t signals = 0;
    for (size_t i = 0; i < packets; i++, now += spacing_ns) {
        aqm_view view = it.all[i];
        benchmark::DoNotOptimize(view);
        if constexpr (asks) {
            signals += aqm_setup_ask(it.setup.get(), AQM_AT_ENQUEUE, it.state, &view, now) != AQM_PASS;
            signals += aqm_setup_ask(it.setup.get(), AQM_AT_DEQUEUE, it.state, &view, now) != AQM_PASS;
        }
        benchmark::DoNotOptimize(view);
    }
    if constexpr (asks) {
        it.now = now;
        it.signals += signals;
    }
    return clock_now_ns() - start_ns;
}

double median(std::vector<double> &values)
{
    auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

void adds(benchmark::State &state, const aqm_ops *ops, bool is_busy)
{
    fixture it{make(ops), views(is_busy)};
    std::vector<double> added_ns;
    aqm_setup_start(it.setup.get(), it.state, 0);
    for (auto _ : state) {
        int64_t bare_ns = round<false>(it);
        added_ns.push_back(static_cast<double>(round<true>(it) - bare_ns) / packets);
    }
    aqm_counts total = aqm_setup_total(it.setup.get());
    state.counters["added_ns"] = median(added_ns);
    state.counters["signalled"] =
        total.asked > 0 ? 2.0 * static_cast<double>(it.signals) / static_cast<double>(total.asked) : 0;
}

// The same source as a plug-in and built in.
void plugin_adds(benchmark::State &state, const aqm_ops *built_in, const aqm_ops *plugin)
{
    fixture here{make(built_in), views(true)}, there{make(plugin), views(true)};
    std::vector<double> added_ns;
    for (auto _ : state) {
        int64_t here_ns = round<true>(here);
        added_ns.push_back(static_cast<double>(round<true>(there) - here_ns) / packets);
    }
    state.counters["added_ns"] = median(added_ns);
}

void register_schemes(const aqm_registry &built_in)
{
    for (unsigned i = 0; i < built_in.count; i++) {
        const aqm_ops *ops = built_in.schemes[i];
        for (bool is_busy : {false, true}) {
            std::string name = std::string("aqm/") + ops->name + (is_busy ? "/busy" : "/quiet");
            benchmark::RegisterBenchmark(name.c_str(), adds, ops, is_busy)->MinTime(0.3);
        }
    }
}

void register_plugin(const aqm_registry &built_in, aqm_registry &plugins, const char *program)
{
    std::string path = std::string(program), name = "aqm_bench_plugin.so";
    path = path.substr(0, path.rfind('/') + 1) + name;
    char message[512];
    if (aqm_registry_load(&plugins, path.c_str(), message, sizeof(message)))
        benchmark::RegisterBenchmark("aqm/plugin_over_built_in", plugin_adds,
                                     aqm_registry_find(&built_in, "red"), plugins.schemes[0])
            ->MinTime(0.3);
    else
        std::fprintf(stderr, "%s: %s\n", path.c_str(), message);
}

} // namespace

int main(int argc, char **argv)
{
    aqm_registry built_in, plugins = {};
    aqm_registry_init(&built_in);
    register_schemes(built_in);
    register_plugin(built_in, plugins, argv[0]);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    aqm_registry_fini(&plugins);
    return 0;
}
