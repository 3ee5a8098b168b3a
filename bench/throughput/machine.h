/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that a measurement ran on. */
#ifndef BENCH_THROUGHPUT_MACHINE_H
#define BENCH_THROUGHPUT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_MACHINE_CHARS 128

struct bench_machine {
    char cpu[BENCH_MACHINE_CHARS], kernel[BENCH_MACHINE_CHARS], dpdk[BENCH_MACHINE_CHARS];
    unsigned processors; /* online CPUs */
    uint64_t tsc_hz;
    uint64_t memory_octets;
    double load; /* average of the last minute */
    bool is_virtual, has_huge_pages, has_avx512;
};

/* Call while DPDK runs. A field that cannot be read is empty or 0. */
void bench_machine_get(struct bench_machine *machine);

#endif
