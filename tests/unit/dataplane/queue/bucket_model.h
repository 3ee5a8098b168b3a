/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The flow-control algorithm of TS 48.018 clause 8.2.3.2.2 as its text has it, signed and step by step: what
 * the leaky bucket under test is held against. Octets are kept as fractions with denominator 8 * 10^9.
 *
 * Not here: speed. The earliest instant is searched by halving, with nothing but the conformance test.
 */
#ifndef TESTS_UNIT_DATAPLANE_QUEUE_BUCKET_MODEL_H
#define TESTS_UNIT_DATAPLANE_QUEUE_BUCKET_MODEL_H

#include <stdbool.h>
#include <stdint.h>

struct bucket_model {
    __int128 b; /* B after the last LLC-PDU or change, in 1 / (8 * 10^9) octet */
    int64_t tp_ns;
    uint64_t rate_bps;
    uint64_t max_octets;
};

/* One octet in those fractions. */
#define BUCKET_MODEL_OCTET ((__int128)8 * 1000000000)

/* An empty bucket. */
void bucket_model_init(struct bucket_model *m, uint64_t max_octets, uint64_t rate_bps, int64_t now);

/* max(0, B - R (now - Tp)), in the fractions of b. */
__int128 bucket_model_level(const struct bucket_model *m, int64_t now);

/* Whether an LLC-PDU of that length conforms at now. */
bool bucket_model_can_take(const struct bucket_model *m, uint32_t octets, int64_t now);

/* The first instant from `now` on at which it conforms, MOMENT_NEVER if none below it. */
int64_t bucket_model_earliest_ns(const struct bucket_model *m, uint32_t octets, int64_t now);

/* Passes an LLC-PDU that conforms. */
void bucket_model_take(struct bucket_model *m, uint32_t octets, int64_t now);

/* New parameters, a new level in percent of Bmax, octets gone, everything gone. */
void bucket_model_set(struct bucket_model *m, uint64_t max_octets, uint64_t rate_bps, int64_t now);
void bucket_model_set_ratio(struct bucket_model *m, uint32_t ratio_percent, int64_t now);
void bucket_model_discard(struct bucket_model *m, uint64_t octets, int64_t now);
void bucket_model_reset(struct bucket_model *m, int64_t now);

#endif
