/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_pattern.h"

/* Eight octets of the stream, by a mixing function. */
static uint64_t pattern_word(uint32_t key, uint64_t word)
{
    uint64_t z = (word + ((uint64_t)key << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ z >> 32;
}

void tcp_pattern_fill(uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place)
{
    uint64_t word = pattern_word(key, place / 8);
    for (uint32_t i = 0; i < octets; i++, place++) {
        if (place % 8 == 0)
            word = pattern_word(key, place / 8);
        bytes[i] = (uint8_t)(word >> 8 * (place % 8));
    }
}

uint32_t tcp_pattern_mismatches(const uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place)
{
    uint32_t mismatches = 0;
    uint64_t word = pattern_word(key, place / 8);
    for (uint32_t i = 0; i < octets; i++, place++) {
        if (place % 8 == 0)
            word = pattern_word(key, place / 8);
        mismatches += bytes[i] != (uint8_t)(word >> 8 * (place % 8));
    }
    return mismatches;
}
