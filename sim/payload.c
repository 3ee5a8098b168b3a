/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/payload.h"

#include <string.h>

enum { WORD_OCTETS = 8, PAGE_WORDS = 1024, OWN_WORDS = 8, OWN_OF_256 = 90 };

static uint64_t mix(uint64_t z)
{
    z *= UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 32) * UINT64_C(0xd6e8feb86659fd93);
    return z ^ z >> 32;
}

static uint64_t spell(uint64_t random)
{
    static const char letters[32] = "eeeetttaaaooinnsshhrrdlcumwfgyp ";
    uint64_t word = (uint64_t)' ' << 56;
    for (unsigned i = 0; i < 7; i++)
        word |= (uint64_t)letters[random >> 5 * i & 31] << 8 * i;
    return word;
}

/* A number below OWN_WORDS, the low ones more often. */
static unsigned own_word(uint64_t random)
{
    return (unsigned)((random & 255) * (random >> 8 & 255) * (random >> 16 & 255) * OWN_WORDS >> 24);
}

/* One of the words that come again in its page, or a new one. */
static uint64_t text_word(uint64_t key, uint64_t word)
{
    uint64_t random = mix(word + (key << 32)), page = mix(~(word / PAGE_WORDS + (key << 32)));
    return spell(random >> 56 < OWN_OF_256 ? mix(page + own_word(random)) : random);
}

/* Eight octets of the stream, by a mixing function; the first is the lowest. */
static uint64_t payload_word(uint64_t key, uint64_t word)
{
    return key & PAYLOAD_KEY_TEXT ? text_word(key, word) : mix(word + (key << 32));
}

static uint8_t octet(uint64_t key, uint64_t place)
{
    return (uint8_t)(payload_word(key, place / WORD_OCTETS) >> 8 * (place % WORD_OCTETS));
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

void payload_fill(uint8_t *bytes, uint32_t octets, uint64_t key, uint64_t place)
{
    uint32_t at = 0, head = head_octets(octets, place);
    for (; at < head; at++)
        bytes[at] = octet(key, place + at);
    for (; octets - at >= WORD_OCTETS; at += WORD_OCTETS)
        put_word(bytes + at, payload_word(key, (place + at) / WORD_OCTETS));
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

uint32_t payload_mismatches(const uint8_t *bytes, uint32_t octets, uint64_t key, uint64_t place)
{
    uint8_t expected[512];
    uint32_t mismatches = 0;
    for (uint32_t at = 0; at < octets; at += sizeof(expected)) {
        uint32_t part = octets - at < sizeof(expected) ? octets - at : (uint32_t)sizeof(expected);
        payload_fill(expected, part, key, place + at);
        if (memcmp(bytes + at, expected, part) != 0)
            mismatches += differing(bytes + at, expected, part);
    }
    return mismatches;
}
