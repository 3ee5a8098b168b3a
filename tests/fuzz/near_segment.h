/* SPDX-License-Identifier: BSD-3-Clause */
/* Packets that get past the first checks of an IP host: right sums, and numbers near a connection's. */
#ifndef TESTS_FUZZ_NEAR_SEGMENT_H
#define TESTS_FUZZ_NEAR_SEGMENT_H

#include "sim/tcp.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

enum { NEAR_SEGMENT_TO = 0x0a2d0001, NEAR_SEGMENT_FROM = 0x0a2e0001, NEAR_SEGMENT_PORT = 80 };

typedef void near_segment_taker(const uint8_t *bytes, size_t octets, int64_t now);

/* Gives one segment for a connection (t), or for whoever listens on the port (NULL), as the input decides. */
void near_segment_give(struct fuzz_input *in, const struct tcp *t, int64_t now, near_segment_taker *give);

/* Makes the sums of a packet right, as far as it is one. */
void near_segment_sum(uint8_t *bytes, size_t octets);

/* Reads a TCP header without a checksum before it; what the encoder can write reads back the same. */
void near_segment_check(const uint8_t *bytes, size_t len);

#endif
