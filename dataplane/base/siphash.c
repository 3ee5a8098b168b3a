/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/siphash.h"

struct state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotl(uint64_t x, unsigned bits)
{
    return x << bits | x >> (64 - bits);
}

/* SipRound, section 2.2 of the paper. */
static void mix(struct state *s, unsigned rounds)
{
    for (; rounds > 0; rounds--) {
        s->v0 += s->v1;
        s->v2 += s->v3;
        s->v1 = rotl(s->v1, 13) ^ s->v0;
        s->v3 = rotl(s->v3, 16) ^ s->v2;
        s->v0 = rotl(s->v0, 32) + s->v3;
        s->v2 += s->v1;
        s->v1 = rotl(s->v1, 17) ^ s->v2;
        s->v3 = rotl(s->v3, 21) ^ s->v0;
        s->v2 = rotl(s->v2, 32);
    }
}

static void compress(struct state *s, uint64_t word)
{
    s->v3 ^= word;
    mix(s, 2);
    s->v0 ^= word;
}

uint64_t siphash_u64(const struct siphash_key *key, uint64_t input)
{
    struct state s = {
        key->low ^ UINT64_C(0x736f6d6570736575),
        key->high ^ UINT64_C(0x646f72616e646f6d),
        key->low ^ UINT64_C(0x6c7967656e657261),
        key->high ^ UINT64_C(0x7465646279746573),
    };
    compress(&s, input);
    compress(&s, UINT64_C(8) << 56); /* the last word: only the length in octets */
    s.v2 ^= 0xff;
    mix(&s, 4);
    return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
