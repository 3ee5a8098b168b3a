/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sink: the receiver on Gb of workers fed from memory: counts frames, and on request checks each: NS,
 * BSSGP and LLC can be decoded, the TLLI is known, N(U) is the next one, the FCS is right, after deciphering
 * if the mobile has a key.
 */
#ifndef BENCH_THROUGHPUT_SINK_H
#define BENCH_THROUGHPUT_SINK_H

#include "dataplane/context/llc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gea_engine;

#define BENCH_SINK_TLLI 0xc0000000 /* of the first mobile */

struct bench_sink {
    uint64_t frames, octets; /* octets from Ethernet on */
    uint64_t malformed, wrong_fcs, out_of_order;
    uint32_t mobiles;
    uint32_t *counts; /* frames of each mobile; NULL: frames are not checked */
    struct llc_key *keys;
    const struct gea_engine *gea;
};

/* is_checked: frames are checked. False: out of memory. */
bool bench_sink_new(struct bench_sink *sink, uint32_t mobiles, const struct gea_engine *gea, bool is_checked);
void bench_sink_free(struct bench_sink *sink);

/* The ciphering of a mobile; its Kc is made of its number. */
struct llc_cipher_params bench_sink_cipher(uint8_t algorithm, uint32_t mobile);

/* Sets a mobile's key. No effect unless frames are checked. */
void bench_sink_expect(struct bench_sink *sink, uint32_t mobile, const struct llc_cipher_params *cipher);

/* Receives a frame, from Ethernet on; deciphers it in place. */
void bench_sink_take(struct bench_sink *sink, uint8_t *frame, size_t octets);

/* Whether all checked frames were right. */
static inline bool bench_sink_is_content(const struct bench_sink *sink)
{
    return sink->malformed + sink->wrong_fcs + sink->out_of_order == 0;
}

#endif
