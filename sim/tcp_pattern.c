/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_pattern.h"

#include <string.h>

enum { WORD_OCTETS = 8 };

/* Eight octets of the stream, by a mixing function; the first is the lowest. */
static uint64_t pattern_word(uint32_t key, uint64_t word)
{
    uint64_t z = (word + ((uint64_t)key << 32)) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ z >> 32;
}

static uint8_t octet(uint32_t key, uint64_t place)
{
    return (uint8_t)(pattern_word(key, place / WORD_OCTETS) >> 8 * (place % WORD_OCTETS));
}

/* The octets in front of the first whole word. */
static uint32_t head_octets(uint32_t octets, uint64_t place)
{
    uint32_t head = (uint32_t)(-place % WORD_OCTETS);
    return head < octets ? head : octets;
}

static void put_word(uint8_t *bytes, uint64_t word)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    memcpy(bytes, &word, WORD_OCTETS);
}

void tcp_pattern_fill(uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place)
{
    uint32_t at = 0, head = head_octets(octets, place);
    for (; at < head; at++)
        bytes[at] = octet(key, place + at);
    for (; octets - at >= WORD_OCTETS; at += WORD_OCTETS)
        put_word(bytes + at, pattern_word(key, (place + at) / WORD_OCTETS));
    for (; at < octets; at++)
        bytes[at] = octet(key, place + at);
}

static uint32_t differing(const uint8_t *bytes, const uint8_t *expected, uint32_t octets)
{
    uint32_t mismatches = 0;
    for (uint32_t i = 0; i < octets; i++)
        mismatches += bytes[i] != expected[i];
    return mismatches;
}

uint32_t tcp_pattern_mismatches(const uint8_t *bytes, uint32_t octets, uint32_t key, uint64_t place)
{
    uint8_t expected[512];
    uint32_t mismatches = 0;
    for (uint32_t at = 0; at < octets; at += sizeof(expected)) {
        uint32_t part = octets - at < sizeof(expected) ? octets - at : (uint32_t)sizeof(expected);
        tcp_pattern_fill(expected, part, key, place + at);
        if (memcmp(bytes + at, expected, part) != 0)
            mismatches += differing(bytes + at, expected, part);
    }
    return mismatches;
}
