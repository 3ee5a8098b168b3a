/* SPDX-License-Identifier: BSD-3-Clause */
/* The process at the other end of the generator's memif links: a worker of ours, or dpdk-testpmd that hands
 * every frame from one to the other. */
#ifndef BENCH_THROUGHPUT_PEER_H
#define BENCH_THROUGHPUT_PEER_H

#include "bench/throughput/device.h"
#include "bench/throughput/trial.h"

#include <sys/types.h>

struct bench_peer {
    pid_t pid; /* 0: none runs */
    int page_fd, input_fd;
    struct bench_page *page;
    bool is_mirror; /* dpdk-testpmd */
    uint64_t delay_ns;
    char socket[64];
};

/* `point` is one of the plan's. False, with a line on stderr. */
bool bench_peer_start(struct bench_peer *peer, const struct bench_plan *plan, const struct bench_point *point,
                      bool is_mirror);
void bench_peer_stop(struct bench_peer *peer);

/* Stops it where it is, and lets it go on; all that it knows stays. */
void bench_peer_pause(const struct bench_peer *peer);
void bench_peer_resume(const struct bench_peer *peer);

/* Whether its ports are there to be connected to. */
bool bench_peer_is_listening(const struct bench_peer *peer);

/* Whether it is still there. */
bool bench_peer_is_alive(struct bench_peer *peer);

/* Since the last call: the gaps that it saw itself, or, of testpmd, how long the kernel let its forwarding
 * thread wait, if that is more than gap_ns. */
struct bench_gaps bench_peer_gaps(struct bench_peer *peer, int64_t gap_ns);

#endif
