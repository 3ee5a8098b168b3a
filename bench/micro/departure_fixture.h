/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker with its ports for departure_bench: one PDP context per mobile, mobiles distributed over the cells
 * in turn; only the buckets of mobiles limit. Ends the process on an error. */
#ifndef BENCH_MICRO_DEPARTURE_FIXTURE_H
#define BENCH_MICRO_DEPARTURE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define DEPARTURE_FIXTURE_LLC_OCTETS    500 /* of each LLC-PDU, which carries one N-PDU */
#define DEPARTURE_FIXTURE_BUCKET_OCTETS 1000

struct departure_fixture;

struct departure_load {
    uint32_t mobiles, cells;
    uint32_t buffers; /* maximum of queued N-PDUs */
    uint64_t rate_bps;
};

/* A frame that left on Gb. */
struct departure {
    uint32_t mobile;
    uint32_t llc_octets;
};

/* Starts DPDK on one core, without huge pages and hardware, with memory for loads up to `largest`; once. */
bool departure_fixture_start(unsigned core, const struct departure_load *largest);

/* Makes a worker whose buckets are empty at 0. */
struct departure_fixture *departure_fixture_new(const struct departure_load *load);
void departure_fixture_free(struct departure_fixture *fixture);

/* Puts an N-PDU for a mobile into the Gn port; false: the port is full. */
bool departure_fixture_feed(struct departure_fixture *fixture, uint32_t mobile);

/* worker_step(). */
int64_t departure_fixture_step(struct departure_fixture *fixture, int64_t now);

/* Takes the next frame that left on Gb; false: none. */
bool departure_fixture_take(struct departure_fixture *fixture, struct departure *out);

#endif
