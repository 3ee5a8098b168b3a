/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/crypto/kasumi_lanes.h"

#include "dataplane/base/bytes.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { STRIDES = GEA_MAX_OCTETS / KASUMI_STRIDE_OCTETS + 1 };

/* Counting sort by strides, longest first. */
static void sort(struct kasumi_lanes *l)
{
    uint16_t begin[STRIDES + 1] = {0};
    for (size_t i = 0; i < l->count; i++) {
        assert(l->jobs[i].octets > 0 && l->jobs[i].octets <= GEA_MAX_OCTETS);
        begin[STRIDES - 1 - l->jobs[i].octets / KASUMI_STRIDE_OCTETS + 1]++;
    }
    for (unsigned i = 1; i < STRIDES; i++)
        begin[i] = (uint16_t)(begin[i] + begin[i - 1]);
    for (size_t i = 0; i < l->count; i++)
        l->order[begin[STRIDES - 1 - l->jobs[i].octets / KASUMI_STRIDE_OCTETS]++] = (uint16_t)i;
}

void kasumi_lanes_init(struct kasumi_lanes *l, const struct gea_job *jobs, size_t count)
{
    assert(count > 0 && count <= KASUMI_LANES_JOBS);
    l->jobs = jobs;
    l->count = count;
    l->next = 0;
    l->width = count < KASUMI_LANES ? (unsigned)count : KASUMI_LANES;
    memset(l->words, 0, sizeof l->words);
    memset(l->left_octets, 0, sizeof l->left_octets);
    for (unsigned i = 0; i < KASUMI_LANES; i++)
        l->data[i] = jobs[0].data;
    sort(l);
}

static void put(struct kasumi_lanes *l, unsigned lane, const struct gea_job *job)
{
    uint8_t first[8] = {0};
    bytes_put_u32(first, job->input);
    first[4] = (uint8_t)(job->direction << 2);
    first[5] = 0xff; /* CA of GEA3 and GEA4 */
    memcpy(&l->words[0][lane], job->key, 8);
    memcpy(&l->words[1][lane], job->key + 8, 8);
    memcpy(&l->words[2][lane], first, 8);
    l->data[lane] = job->data;
    l->left_octets[lane] = job->octets;
}

static unsigned idle(const struct kasumi_lanes *l)
{
    unsigned lanes = 0;
    for (unsigned i = 0; i < l->width; i++)
        lanes += l->left_octets[i] == 0;
    return lanes;
}

/*
 * When the key of one lane changes, the keys of all lanes are expanded again, at the cost of about two
 * blocks.
 */
static bool fill_pays(const struct kasumi_lanes *l)
{
    if (l->next == l->count)
        return false;
    unsigned lanes = idle(l);
    return lanes == l->width || lanes >= KASUMI_LANES_SPARE || lanes >= l->count - l->next;
}

uint64_t kasumi_lanes_fill(struct kasumi_lanes *l)
{
    uint64_t fresh = 0;
    if (!fill_pays(l))
        return 0;
    for (unsigned i = 0; i < l->width && l->next < l->count; i++) {
        if (l->left_octets[i] != 0)
            continue;
        put(l, i, &l->jobs[l->order[l->next++]]);
        fresh |= UINT64_C(1) << i;
    }
    return fresh;
}

unsigned kasumi_lanes_blocks(const struct kasumi_lanes *l)
{
    unsigned most = 0;
    for (unsigned i = 0; i < l->width; i++)
        most = l->left_octets[i] > most ? l->left_octets[i] : most;
    unsigned blocks = (most + 7) / 8;
    return blocks < KASUMI_STRIDE_BLOCKS ? blocks : KASUMI_STRIDE_BLOCKS;
}
