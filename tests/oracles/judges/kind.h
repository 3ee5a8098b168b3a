/* SPDX-License-Identifier: BSD-3-Clause */
/* A kind of frame that judges look at: how good ones are made, and what our decoder says of any. */
#ifndef TESTS_ORACLES_JUDGES_KIND_H
#define TESTS_ORACLES_JUDGES_KIND_H

#include "dataplane/base/rng.h"
#include "tests/oracles/judges/saying.h"

#include <stddef.h>
#include <stdint.h>

enum { KIND_MAX_OCTETS = 2048 };

struct kind {
    const char *name;
    /* Writes a frame that our encoder finds good; returns its octets. cap is KIND_MAX_OCTETS. */
    size_t (*make)(struct rng *rng, uint8_t *bytes, size_t cap);
    /* Where elements with identifier and length begin, for mutations that keep the others in step; len if
     * there are none. */
    size_t (*elements_at)(const uint8_t *bytes, size_t len);
    /* Puts right what mutations would always break (lengths, FCS), or wrong what they seldom do; may be NULL.
     */
    void (*settle)(struct rng *rng, uint8_t *bytes, size_t len);
    void (*say)(struct saying *out, const uint8_t *bytes, size_t len);
};

extern const struct kind kind_gtpu, kind_gtpc, kind_ns, kind_sns, kind_bssgp, kind_llc, kind_sndcp;

/* Fills octets at random. */
void kind_fill(struct rng *rng, uint8_t *bytes, size_t octets);

/* True once in n. */
static inline bool kind_once_in(struct rng *rng, unsigned n)
{
    return rng_below(rng, n) == 0;
}

#endif
