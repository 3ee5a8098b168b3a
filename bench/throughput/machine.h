/* SPDX-License-Identifier: BSD-3-Clause */
/* The machine that a measurement ran on, and the generator's ports, as DPDK describes them. */
#ifndef BENCH_THROUGHPUT_MACHINE_H
#define BENCH_THROUGHPUT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_MACHINE_CHARS      128
#define BENCH_MACHINE_LINE_CHARS 2048

struct bench_machine {
    char cpu[BENCH_MACHINE_CHARS], kernel[BENCH_MACHINE_CHARS], dpdk[BENCH_MACHINE_CHARS];
    unsigned processors; /* online CPUs */
    uint64_t tsc_hz;
    uint64_t memory_octets;
    double load; /* average of the last minute */
    bool is_virtual, has_huge_pages, has_avx512;
    char microcode[BENCH_MACHINE_CHARS],
        hypervisor[BENCH_MACHINE_CHARS]; /* hypervisor: its CPUID signature */
    char bios[BENCH_MACHINE_CHARS], board[BENCH_MACHINE_CHARS], product[BENCH_MACHINE_CHARS];
    char kernel_line[BENCH_MACHINE_LINE_CHARS]; /* the kernel's command line */
    char governor[BENCH_MACHINE_CHARS];         /* of CPU 0's frequency */
    uint64_t huge_2m, huge_1g;                  /* pages reserved, free or not */
    unsigned numa_nodes;
};

/* Call while DPDK runs. A field that cannot be read is empty or 0. */
void bench_machine_get(struct bench_machine *machine);

/* A port of the generator. */

#define BENCH_PORT_CHARS 64

enum bench_port_kind {
    BENCH_PORT_VIRTUAL,  /* no card: shared memory, or a socket of the kernel */
    BENCH_PORT_EMULATED, /* a card that a hypervisor emulates */
    BENCH_PORT_PASSED,   /* a card of a virtual machine that may be real */
    BENCH_PORT_CARD,
};

/* Texts that are not known are empty, numbers 0 or -1. */
struct bench_port {
    char device[BENCH_PORT_CHARS], driver[BENCH_PORT_CHARS], firmware[BENCH_PORT_CHARS],
        bus[BENCH_PORT_CHARS];
    int numa_node;            /* -1: not known */
    uint32_t link_mbit_per_s; /* 0: no link, or not known */
    uint16_t mtu;
    uint8_t mac[6];
    enum bench_port_kind kind;
};

struct bench_ports {
    struct bench_port gn, gb;
};

/* Of a started port; is_virtual: this machine has a hypervisor. */
void bench_machine_port_get(struct bench_port *port, uint16_t id, bool is_virtual);

#endif
