// SPDX-License-Identifier: BSD-3-Clause
// VJ benchmark: time of header compression by RFC 1144 in ns per packet, with 16 slots: acknowledgements and
// data of connections that take turns. With 20 connections no packet finds its slot, and all are
// uncompressed. A fresh header is copied for each packet, which counts, too.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "dataplane/base/bytes.h"
#include "dataplane/compression/vj.h"
}

namespace {

constexpr int repetitions = 9;
constexpr double min_seconds = 0.05;
constexpr unsigned slots = 16, packets = 1024, header_octets = 40, room_octets = 64;

struct packet {
    uint8_t bytes[header_octets];
    unsigned octets; // of headers, whole or compressed
    vj_type type;
};

struct aligned_free {
    void operator()(void *memory) const
    {
        std::free(memory);
    }
};

template <class Type> std::unique_ptr<Type, aligned_free> memory(size_t octets)
{
    return std::unique_ptr<Type, aligned_free>(static_cast<Type *>(std::aligned_alloc(64, octets)));
}

struct fixture {
    std::vector<packet> whole{packets}, sent{packets};
    std::unique_ptr<vj_compressor, aligned_free> compressor =
        memory<vj_compressor>(vj_compressor_octets(slots));
    std::unique_ptr<vj_decompressor, aligned_free> decompressor =
        memory<vj_decompressor>(vj_decompressor_octets(slots));
    unsigned data_octets;
    alignas(64) uint8_t block[room_octets + 1500] = {};

    uint8_t *data()
    {
        return block + room_octets;
    }

    // Headers end where the data begin.
    uint8_t *place(const packet &from)
    {
        std::memcpy(data() - header_octets, from.bytes, header_octets);
        return data() - from.octets;
    }
};

uint16_t checksum(const uint8_t *ip)
{
    uint32_t sum = 0;
    for (unsigned at = 0; at < 20; at += 2)
        sum += bytes_get_u16(ip + at);
    return static_cast<uint16_t>(~((sum & 0xffff) + (sum >> 16)));
}

// Each connection acknowledges 1460 octets more, or sends its next data; the window stays, and IDs count up.
packet segment(unsigned connection, unsigned number, unsigned data_octets)
{
    packet made = {
        {0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, 6, 0, 0, 10, 11, 0, 2, 192, 0, 2, 1}, header_octets, VJ_IP};
    uint8_t *tcp = made.bytes + 20;
    bytes_put_u16(made.bytes + 2, static_cast<uint16_t>(header_octets + data_octets));
    bytes_put_u16(made.bytes + 4, static_cast<uint16_t>(number));
    bytes_put_u16(made.bytes + 10, checksum(made.bytes));
    bytes_put_u16(tcp, static_cast<uint16_t>(40000 + connection));
    bytes_put_u16(tcp + 2, 80);
    bytes_put_u32(tcp + (data_octets ? 4 : 8), number * (data_octets ? data_octets : 1460));
    tcp[12] = 0x50;
    tcp[13] = 0x10;
    bytes_put_u16(tcp + 14, 8192);
    return made;
}

unsigned compress(fixture *f, const packet &in, vj_type *type)
{
    return vj_compress(f->compressor.get(), f->place(in), header_octets + f->data_octets, type);
}

std::unique_ptr<fixture> fixture_of(benchmark::State &state, unsigned data_octets)
{
    auto f = std::make_unique<fixture>();
    const auto connections = static_cast<unsigned>(state.range(0));
    f->data_octets = data_octets;
    vj_compressor_start(f->compressor.get(), slots);
    vj_decompressor_start(f->decompressor.get(), slots);
    for (unsigned i = 0; i < packets; i++) {
        f->whole[i] = segment(i % connections, i / connections, data_octets);
        f->sent[i].octets = header_octets - compress(f.get(), f->whole[i], &f->sent[i].type);
        std::memcpy(f->sent[i].bytes, f->data() - header_octets, header_octets);
    }
    return f;
}

void report(benchmark::State &state, const fixture *f)
{
    uint64_t octets = 0;
    for (const packet &sent : f->sent)
        octets += sent.octets;
    state.counters["header_octets"] = static_cast<double>(octets) / packets;
    state.counters["per_packet"] =
        benchmark::Counter(static_cast<double>(state.iterations()) * packets,
                           benchmark::Counter::kIsRate | benchmark::Counter::kInvert); // shown in ns
}

void compressing(benchmark::State &state, unsigned data_octets)
{
    auto f = fixture_of(state, data_octets);
    for (auto _ : state)
        for (const packet &in : f->whole) {
            vj_type type;
            benchmark::DoNotOptimize(compress(f.get(), in, &type));
        }
    report(state, f.get());
}

void decompressing(benchmark::State &state, unsigned data_octets)
{
    auto f = fixture_of(state, data_octets);
    int wrong = 0;
    for (auto _ : state)
        for (const packet &in : f->sent)
            wrong += vj_decompress(f->decompressor.get(), in.type, f->place(in), in.octets + data_octets,
                                   room_octets) != static_cast<int>(header_octets - in.octets);
    if (wrong)
        state.SkipWithError("a packet is refused");
    report(state, f.get());
}

void add(const char *name, void (*run)(benchmark::State &, unsigned), unsigned data_octets)
{
    benchmark::RegisterBenchmark(name, run, data_octets)
        ->ArgName("connections")
        ->Arg(1)
        ->Arg(16)
        ->Arg(20)
        ->MinTime(min_seconds)
        ->Repetitions(repetitions)
        ->ReportAggregatesOnly();
}

} // namespace

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    add("compress_ack", compressing, 0);
    add("compress_data", compressing, 1400);
    add("decompress_ack", decompressing, 0);
    add("decompress_data", decompressing, 1400);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
