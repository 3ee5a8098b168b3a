/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate of a cell from the blocks that its air carried, by the formula of OsmoPCU 1.1.0, read in its
   source and observed on the wire. Since the last report, of `possible` blocks on all PDCHs `used` carried
   data, of which `good` arrived:
     usage = used / possible, in whole thousandths
     R     = usage x Rmax x good / used + (1 - usage) x Rmax
     B     = R x T

   If no block was used or possible, R = Rmax and the counts continue from the same start. Rates and buckets
   of mobiles are never measured. Not here: OsmoPCU's acknowledgements come in batches, so its usage may
   exceed 1 and its R wrap around; it counts each coding scheme as the best one allowed. */
#include "bss/bss_state.h"

enum { THOUSAND = 1000, MAX_BUCKET_OCTETS = 6553500 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t measured_bps(struct bss_cell *cell, uint64_t most_bps, int64_t now)
{
    const struct radio_stats *stats = radio_stats_get(cell->radio, RADIO_DOWN);
    struct bss_measured *last = &cell->measured;
    struct bss_measured this = {stats->blocks - stats->control_blocks, stats->bad_blocks, now};
    uint64_t possible = radio_possible_blocks(cell->radio, last->since_ns, now);
    uint64_t used = this.blocks - last->blocks;
    if (!possible || !used)
        return most_bps;
    uint64_t good = used - least(used, this.bad_blocks - last->bad_blocks);
    uint64_t usage = least(used * THOUSAND / possible, THOUSAND);
    *last = this;
    return (most_bps * good / used * usage + most_bps * (THOUSAND - usage)) / THOUSAND;
}

/* A rate for all PDCHs, scaled to the PDCHs that calls leave. */
static uint64_t left_bps(const struct bss_cell *cell, uint64_t whole_bps)
{
    const struct bss_calls *calls = &cell->calls;
    return calls->is_there ? whole_bps * calls->left_pdchs / calls->pdchs : whole_bps;
}

struct bss_bucket bss_measured_bucket(struct bss_cell *cell, const struct bss_bucket *whole, int64_t now)
{
    int64_t bucket_ns = cell->config.policy.measured_ns;
    struct bss_bucket bucket = {whole->bucket_octets, left_bps(cell, whole->rate_bps)};
    if (!bucket_ns || !cell->radio || !bucket.rate_bps)
        return bucket;
    bucket.rate_bps = measured_bps(cell, bucket.rate_bps, now);
    uint64_t octets = bucket.rate_bps / 8 * (uint64_t)(bucket_ns / (MOMENT_SECOND / 1000)) / 1000;
    bucket.bucket_octets = least(octets, MAX_BUCKET_OCTETS);
    return bucket;
}
