/* SPDX-License-Identifier: BSD-3-Clause */
/* What every decoder must stand: any octets of any length, each in a heap block that ends where they end. */
#ifndef TESTS_UNIT_DATAPLANE_WIRE_PROBE_H
#define TESTS_UNIT_DATAPLANE_WIRE_PROBE_H

#include <stddef.h>
#include <stdint.h>

enum { PROBE_ROUNDS = 100000 };

/* A decoder with its result thrown away. */
typedef int probe_decoder(const uint8_t *bytes, size_t len);

/* xorshift64; *state must not be 0. */
uint64_t probe_random(uint64_t *state);

/* Decodes a copy whose end is the block's end; fails the test unless the answer is 0..len or an enum err.
 * Returns it. */
int probe_exact(probe_decoder *decode, const uint8_t *bytes, size_t len);

/* PROBE_ROUNDS times random octets of 0 to 64 octets. */
void probe_noise(probe_decoder *decode, uint64_t seed);

/* PROBE_ROUNDS times a prefix of these octets with one to four of them overwritten. At most 512 octets. */
void probe_mutations(probe_decoder *decode, const uint8_t *bytes, size_t len, uint64_t seed);

/* A decoder's name for the probes: what it says, or where the payload ends that it found. */
#define PROBED(name, type, decoder)                                                                          \
    static int name(const uint8_t *bytes, size_t len)                                                        \
    {                                                                                                        \
        type out;                                                                                            \
        return decoder(&out, bytes, len);                                                                    \
    }
#define PROBED_PAYLOAD(name, type, decoder)                                                                  \
    static int name(const uint8_t *bytes, size_t len)                                                        \
    {                                                                                                        \
        type out;                                                                                            \
        int offset = decoder(&out, bytes, len);                                                              \
        return offset < 0 ? offset : offset + out.payload_octets;                                            \
    }

#endif
