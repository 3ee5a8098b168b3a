/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/system/live/esp_flow.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/rng.h"

#include <stdlib.h>
#include <string.h>

bool flow_tally_new(struct flow_tally *tally, uint32_t seed, uint32_t count)
{
    *tally = (struct flow_tally){.seed = seed, .count = count, .seen = calloc(count / 8 + 1, 1)};
    return tally->seen;
}

void flow_tally_free(struct flow_tally *tally)
{
    free(tally->seen);
}

/* The number and random octets, as many as the number says. */
static size_t write_payload(uint32_t seed, uint32_t number, uint8_t *payload)
{
    struct rng rng;
    rng_init(&rng, seed, number);
    size_t octets = FLOW_OCTETS_HEAD + rng_below(&rng, FLOW_OCTETS_MAX - FLOW_OCTETS_HEAD + 1);
    bytes_put_u32(payload, number);
    bytes_put_u32(payload + 4, seed);
    for (size_t at = FLOW_OCTETS_HEAD; at < octets; at += sizeof(uint64_t)) {
        uint64_t draw = rng_u64(&rng);
        memcpy(payload + at, &draw, octets - at < sizeof(draw) ? octets - at : sizeof(draw));
    }
    return octets;
}

size_t flow_tally_put(struct flow_tally *tally, uint8_t *payload)
{
    return write_payload(tally->seed, (uint32_t)tally->sent++, payload);
}

void flow_tally_take(struct flow_tally *tally, const uint8_t *payload, size_t octets)
{
    uint8_t expected[FLOW_OCTETS_MAX];
    uint32_t number = octets < FLOW_OCTETS_HEAD ? UINT32_MAX : bytes_get_u32(payload);
    if (number >= tally->sent || write_payload(tally->seed, number, expected) != octets ||
        memcmp(expected, payload, octets) != 0) {
        tally->wrong++;
        return;
    }
    uint8_t bit = (uint8_t)(1 << number % 8);
    if (tally->seen[number / 8] & bit)
        tally->twice++;
    else
        tally->once++;
    tally->seen[number / 8] |= bit;
}
