/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"

#include <stdlib.h>
#include <string.h>

uint64_t probe_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

int probe_exact(probe_decoder *decode, const uint8_t *bytes, size_t len)
{
    /* One octet in front, so that there is a block even for no octets. */
    uint8_t *block = malloc(1 + len);
    assert_non_null(block);
    memcpy(block + 1, bytes, len);
    int answer = decode(block + 1, len);
    free(block);
    assert_in_range(answer + 16, 16 + ERR_CHECKSUM, 16 + len);
    return answer;
}

void probe_noise(probe_decoder *decode, uint64_t seed)
{
    uint8_t bytes[64];
    for (unsigned round = 0; round < PROBE_ROUNDS; round++) {
        size_t len = probe_random(&seed) % (sizeof bytes + 1);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)(probe_random(&seed) >> 24);
        probe_exact(decode, bytes, len);
    }
}

void probe_mutations(probe_decoder *decode, const uint8_t *bytes, size_t len, uint64_t seed)
{
    uint8_t copy[512];
    assert_in_range(len, 1, sizeof copy);
    for (unsigned round = 0; round < PROBE_ROUNDS; round++) {
        memcpy(copy, bytes, len);
        for (unsigned n = 1 + probe_random(&seed) % 4; n; n--)
            copy[probe_random(&seed) % len] = (uint8_t)(probe_random(&seed) >> 24);
        probe_exact(decode, copy, probe_random(&seed) % (len + 1));
    }
}
