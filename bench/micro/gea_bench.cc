// SPDX-License-Identifier: BSD-3-Clause
// Time of ciphering, in ns per packet: bursts of packets with their own keys, in caches, by each engine that
// runs here, beside libosmocore's gprs_cipher_run if it is installed. "unequal" draws lengths from 64 .. 1500
// octets and counts 500 octets as a packet. Compare medians; --benchmark_enable_random_interleaving=true
// makes them fairer on a busy machine.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

extern "C" {
#include "dataplane/base/rng.h"
#include "dataplane/crypto/gea.h"
#if HAVE_OSMOCORE
#include <osmocom/crypt/gprs_cipher.h>
#endif
}

namespace {

constexpr int repetitions = 9;
constexpr double min_seconds = 0.02;
constexpr int64_t unequal = 0; // in place of a length
constexpr double unequal_packet_octets = 500;

struct burst {
    std::vector<uint8_t> keys, data;
    std::vector<gea_job> jobs;
    double octets = 0;

    burst(int64_t job_octets, size_t count)
        : keys(count * GEA_KEY_OCTETS), data(count * (GEA_MAX_OCTETS + 1)), jobs(count)
    {
        rng r;
        rng_init(&r, 1, static_cast<uint64_t>(job_octets));
        for (auto &octet : keys)
            octet = static_cast<uint8_t>(rng_u64(&r));
        for (size_t i = 0; i < count; i++)
            fill(i, job_octets == unequal ? rng_between(&r, 64, 1500) : static_cast<uint64_t>(job_octets),
                 &r);
    }

    void fill(size_t i, uint64_t job_octets, rng *r)
    {
        jobs[i].key = &keys[i * GEA_KEY_OCTETS];
        jobs[i].data = &data[i * (GEA_MAX_OCTETS + 1)];
        jobs[i].input = static_cast<uint32_t>(rng_u64(r));
        jobs[i].octets = static_cast<uint16_t>(job_octets);
        jobs[i].direction = GEA_DOWNLINK;
        octets += static_cast<double>(job_octets);
    }
};

void report(benchmark::State &state, const burst &b)
{
    double packets =
        state.range(0) == unequal ? b.octets / unequal_packet_octets : static_cast<double>(b.jobs.size());
    state.counters["per_packet"] =
        benchmark::Counter(packets * static_cast<double>(state.iterations()),
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert); // shown in ns
}

void run_engine(benchmark::State &state, const gea_engine *engine)
{
    burst b(state.range(0), static_cast<size_t>(state.range(1)));
    for (auto _ : state) {
        gea_cipher_burst(engine, b.jobs.data(), b.jobs.size());
        benchmark::ClobberMemory();
    }
    report(state, b);
}

#if HAVE_OSMOCORE
void run_osmocore(benchmark::State &state)
{
    burst b(state.range(0), static_cast<size_t>(state.range(1)));
    for (auto _ : state) {
        for (auto &job : b.jobs) {
            uint8_t stream[GEA_MAX_OCTETS + 8];
            gprs_cipher_run(stream, job.octets, GPRS_ALGO_GEA4, const_cast<uint8_t *>(job.key), job.input,
                            GPRS_CIPH_SGSN2MS);
            for (unsigned i = 0; i < job.octets; i++)
                job.data[i] ^= stream[i];
        }
        benchmark::ClobberMemory();
    }
    report(state, b);
}
#endif

// The burst size does not matter to an engine that takes packets one by one.
void shape(benchmark::internal::Benchmark *benchmark, bool is_one_by_one)
{
    std::vector<int64_t> bursts =
        is_one_by_one ? std::vector<int64_t>{1} : std::vector<int64_t>{1, 2, 8, 32, 64, 256};
    benchmark->ArgNames({"octets", "burst"})
        ->ArgsProduct({{64, 500, 1500}, bursts})
        ->ArgsProduct({{unequal}, is_one_by_one ? bursts : std::vector<int64_t>{32, 64, 256}})
        ->MinTime(min_seconds)
        ->Repetitions(repetitions)
        ->ReportAggregatesOnly();
}

void register_all()
{
    size_t count;
    const gea_engine *engines = gea_engines(&count);
    for (size_t i = 0; i < count; i++) {
        const char *reason;
        const gea_engine *engine = gea_init(engines[i].name, &reason);
        std::string name = std::string("gea/") + engines[i].name;
        if (engine == nullptr)
            benchmark::AddCustomContext(engines[i].name, reason);
        else
            shape(benchmark::RegisterBenchmark(name.c_str(), run_engine, engine), name == "gea/ipsec-mb");
    }
#if HAVE_OSMOCORE
    shape(benchmark::RegisterBenchmark("gea/libosmocore", run_osmocore), true);
#else
    benchmark::AddCustomContext("libosmocore", "not installed");
#endif
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    register_all();
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
