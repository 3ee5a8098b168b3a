/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker with its ports for departure_bench: one PDP context for each mobile, mobiles in turn over the
 * cells, every bucket wide open but those of the mobiles. Ends the process when something is missing. */
#ifndef BENCH_MICRO_DEPARTURE_FIXTURE_H
#define BENCH_MICRO_DEPARTURE_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#define DEPARTURE_FIXTURE_LLC_OCTETS    500 /* of each LLC-PDU: one N-PDU */
#define DEPARTURE_FIXTURE_BUCKET_OCTETS 1000

struct departure_fixture;

struct departure_load {
    uint32_t mobiles, cells;
    uint32_t buffers; /* N-PDUs that wait at a time, at most */
    uint64_t rate_bps;
};

/* A frame that left on Gb. */
struct departure {
    uint32_t mobile;
    uint32_t llc_octets;
};

/* Starts DPDK on one core, without huge pages and hardware, with memory for such loads; once. */
bool departure_fixture_start(unsigned core, const struct departure_load *largest);

/* A worker whose buckets are empty at 0. */
struct departure_fixture *departure_fixture_new(const struct departure_load *load);
void departure_fixture_free(struct departure_fixture *fixture);

/* An N-PDU for a mobile waits at the Gn port; false when the port is full. */
bool departure_fixture_feed(struct departure_fixture *fixture, uint32_t mobile);

/* worker_step(). */
int64_t departure_fixture_step(struct departure_fixture *fixture, int64_t now);

/* Takes the next frame away that left on Gb; false when there is none. */
bool departure_fixture_take(struct departure_fixture *fixture, struct departure *out);

#endif
