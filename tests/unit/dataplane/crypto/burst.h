/* SPDX-License-Identifier: BSD-3-Clause */
/* Bursts of random jobs with room around their data to see what is written beside it. */
#ifndef TESTS_UNIT_DATAPLANE_CRYPTO_BURST_H
#define TESTS_UNIT_DATAPLANE_CRYPTO_BURST_H

#include "dataplane/base/rng.h"
#include "dataplane/crypto/gea.h"

enum {
    BURST_MAX_JOBS = 1200,
    BURST_MARGIN_OCTETS = 64,
    BURST_ROOM_OCTETS = 2 * BURST_MARGIN_OCTETS + GEA_MAX_OCTETS + 1,
};

/* count jobs in use; job i's data begin in room[i], BURST_MARGIN_OCTETS or up to 15 more behind its begin. */
struct burst {
    size_t count;
    struct gea_job jobs[BURST_MAX_JOBS];
    uint8_t algorithm[BURST_MAX_JOBS]; /* 3 or 4 */
    uint8_t keys[BURST_MAX_JOBS][GEA_KEY_OCTETS];
    uint8_t room[BURST_MAX_JOBS][BURST_ROOM_OCTETS];
    uint8_t before[BURST_MAX_JOBS][BURST_ROOM_OCTETS]; /* room as it was filled */
};

/* Random keys, INPUTs, directions, algorithms, data and alignment; lengths low .. high. Memory: burst_free().
 */
struct burst *burst_new(void);
void burst_free(struct burst *b);
void burst_fill(struct burst *b, size_t count, struct rng *r, uint16_t low_octets, uint16_t high_octets);

/* Data as they were before ciphering. */
void burst_reset(struct burst *b);

/* Keystream octet i that was added to a job's data. */
uint8_t burst_stream(const struct burst *b, size_t job, size_t i);

/* True where nothing in the job's room but its octets has changed. */
bool burst_is_kept(const struct burst *b, size_t job);

#endif
