/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/cell_gap.h"

#include "dataplane/base/moment.h"

enum {
    MULTIFRAME = 51,
    CYCLE = 8 * MULTIFRAME,
    BLOCK_END = 6,
    BLOCK_BEGIN = 2,
    SCH_EVERY = 10,
    SCH_LAST = 41
};

static int64_t frames_ns(unsigned frames)
{
    return (int64_t)frames * 60 * 1000000 / 13;
}

/* From the beginning of a frame to the end of the next one with SCH. */
static unsigned sch_frames(unsigned frame)
{
    unsigned next = 1;
    while (next < frame && next < SCH_LAST)
        next += SCH_EVERY;
    return next >= frame ? next + 1 - frame : MULTIFRAME + 2 - frame;
}

static unsigned bit_of(unsigned tc)
{
    static const unsigned types[8] = {[0] = 1, [2] = 2, [4] = 4, [6] = 2}; /* SI 1, 3, 13, 3 */
    return types[tc % 8];
}

/* From the beginning of a frame of the cycle until all three types have been read. */
static unsigned information_frames(unsigned frame)
{
    unsigned read = 0, tc = (frame + MULTIFRAME - 1 - BLOCK_BEGIN) / MULTIFRAME;
    for (;; tc++) {
        read |= bit_of(tc);
        if (read == 7)
            return tc * MULTIFRAME + BLOCK_END - frame;
    }
}

struct cell_gap cell_gap_draw(const struct cell_gap_config *config, bool is_other_area, struct rng *rng)
{
    struct cell_gap gap = {
        .sync_ns = config->sync_ns,
        .information_ns = config->information_ns,
        .access_ns = config->access_ns,
        .update_ns = is_other_area ? config->area_update_ns : config->cell_update_ns,
    };
    int64_t sync_ns = frames_ns(sch_frames((unsigned)rng_below(rng, MULTIFRAME)));
    int64_t read_ns = frames_ns(information_frames((unsigned)rng_below(rng, CYCLE)));
    if (gap.sync_ns == CELL_GAP_DRAWN)
        gap.sync_ns = sync_ns;
    if (gap.information_ns == CELL_GAP_DRAWN)
        gap.information_ns = read_ns;
    if (config->has_nacc)
        gap.information_ns = 0;
    return gap;
}

int64_t cell_gap_sum_ns(const struct cell_gap *gap)
{
    return gap->sync_ns + gap->information_ns + gap->access_ns + gap->update_ns;
}
