/* SPDX-License-Identifier: BSD-3-Clause */
/* A host whose connections are watched: what it sends must be sound, and its numbers must keep their order.
 */
#ifndef TESTS_FUZZ_HOST_BENCH_H
#define TESTS_FUZZ_HOST_BENCH_H

#include "sim/host.h"
#include "tests/fuzz/fuzz.h"

enum { HOST_BENCH_CONNECTIONS = 3 };

extern struct host *host_bench;
extern struct tcp *host_bench_live[HOST_BENCH_CONNECTIONS]; /* NULL: a free place */

/* A host with parameters as the input decides, which listens on NEAR_SEGMENT_PORT; host_free() ends it. */
void host_bench_open(struct fuzz_input *in);

/* Opens a connection to one of two ports if there is a place. */
void host_bench_connect(uint8_t what, int64_t now);

/* A packet arrives, and is counted once. */
void host_bench_give(const uint8_t *bytes, size_t octets, int64_t now);

/* The invariants of struct tcp, of all connections. */
void host_bench_check(void);

#endif
