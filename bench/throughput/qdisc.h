/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A qdisc of Linux for scale: htb with a class for each mobile, each with a leaf. A process sends datagrams
 * of 500 octets to random classes, out of a TUN device of a network namespace of its own, first without a
 * qdisc, then with it. No class reaches its rate, so that the sender's thread also dequeues.
 */
#ifndef BENCH_THROUGHPUT_QDISC_H
#define BENCH_THROUGHPUT_QDISC_H

#include <stdint.h>

#define BENCH_QDISC_FAULT_CHARS 128
#define BENCH_QDISC_CLASSES     4096U /* at most */

/* Processor time of the thread for a datagram, system calls and all; medians. */
struct bench_qdisc {
    const char *leaf; /* "fq_codel" */
    uint32_t classes;
    double without_ns, with_ns;
    char fault[BENCH_QDISC_FAULT_CHARS]; /* why it was not measured; empty: it was */
};

void bench_qdisc_measure(struct bench_qdisc *q, const char *leaf, uint32_t classes);

#endif
