/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The far side of Gb for measurements: counts frames, and on request opens each of them: NS, BSSGP and LLC
 * decode, the mobile is there, its frames come in the order of their N(U), the FCS is right, deciphered if
 * need be.
 */
#ifndef BENCH_THROUGHPUT_SINK_H
#define BENCH_THROUGHPUT_SINK_H

#include "dataplane/context/llc_cipher.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gea_engine;

#define BENCH_SINK_TLLI 0xc0000000 /* of the first mobile */

struct bench_sink {
    uint64_t frames, octets; /* of whole frames */
    uint64_t malformed, wrong_fcs, out_of_order;
    uint32_t mobiles;
    uint32_t *counts; /* of each mobile's frames; NULL: nothing is opened */
    struct llc_key *keys;
    const struct gea_engine *gea;
};

/* False without memory. With is_checked it opens frames. */
bool bench_sink_new(struct bench_sink *sink, uint32_t mobiles, const struct gea_engine *gea, bool is_checked);
void bench_sink_free(struct bench_sink *sink);

/* The ciphering of a mobile: its key is made from its number. */
struct llc_cipher_params bench_sink_cipher(uint8_t algorithm, uint32_t mobile);

/* Frames of a mobile will be ciphered; no effect if nothing is opened. */
void bench_sink_expect(struct bench_sink *sink, uint32_t mobile, const struct llc_cipher_params *cipher);

/* A frame, from Ethernet on; deciphers it in place. */
void bench_sink_take(struct bench_sink *sink, uint8_t *frame, size_t octets);

/* Whether nothing was wrong with what was opened. */
static inline bool bench_sink_is_content(const struct bench_sink *sink)
{
    return sink->malformed + sink->wrong_fcs + sink->out_of_order == 0;
}

#endif
