/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/crypto/burst.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct burst *burst_new(void)
{
    struct burst *b = calloc(1, sizeof *b);
    if (b == NULL)
        abort();
    return b;
}

void burst_free(struct burst *b)
{
    free(b);
}

static void fill_octets(uint8_t *bytes, size_t octets, struct rng *r)
{
    for (size_t i = 0; i < octets; i++)
        bytes[i] = (uint8_t)rng_u64(r);
}

void burst_fill(struct burst *b, size_t count, struct rng *r, uint16_t low_octets, uint16_t high_octets)
{
    assert(count <= BURST_MAX_JOBS);
    b->count = count;
    for (size_t i = 0; i < count; i++) {
        uint8_t kc[GEA_KEY_OCTETS];
        fill_octets(kc, sizeof kc, r);
        fill_octets(b->before[i], BURST_ROOM_OCTETS, r);
        b->algorithm[i] = (uint8_t)rng_between(r, 3, 4);
        gea_key(b->keys[i], b->algorithm[i], kc, b->algorithm[i] == 3 ? 8 : 16);
        b->jobs[i] = (struct gea_job){
            .key = b->keys[i],
            .data = b->room[i] + BURST_MARGIN_OCTETS + rng_below(r, 16),
            .input = (uint32_t)rng_u64(r),
            .octets = (uint16_t)rng_between(r, low_octets, high_octets),
            .direction = (uint8_t)rng_below(r, 2),
        };
    }
    burst_reset(b);
}

void burst_reset(struct burst *b)
{
    memcpy(b->room, b->before, b->count * sizeof b->room[0]);
}

uint8_t burst_stream(const struct burst *b, size_t job, size_t i)
{
    size_t at = (size_t)(b->jobs[job].data - b->room[job]) + i;
    return b->room[job][at] ^ b->before[job][at];
}

bool burst_is_kept(const struct burst *b, size_t job)
{
    size_t begin = (size_t)(b->jobs[job].data - b->room[job]), end = begin + b->jobs[job].octets;
    return memcmp(b->room[job], b->before[job], begin) == 0 &&
           memcmp(b->room[job] + end, b->before[job] + end, BURST_ROOM_OCTETS - end) == 0;
}
