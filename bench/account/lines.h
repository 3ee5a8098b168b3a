/* SPDX-License-Identifier: BSD-3-Clause */
/* The lines of cache that a step touches, and the stages that touch them. */
#ifndef BENCH_ACCOUNT_LINES_H
#define BENCH_ACCOUNT_LINES_H

#include "bench/account/account.h"

#define LINES_SLOTS (UINT32_C(1) << 17) /* a power of two; lines of a step beyond it are not counted */

struct lines_slot {
    uint64_t line;   /* address / ACCOUNT_LINE_OCTETS */
    uint32_t step;   /* the step that used the slot last */
    uint16_t stages; /* bit for each stage that touched the line */
    uint8_t prefetched_by;
    bool is_prefetched;
};

struct lines {
    uint32_t step;
    struct lines_slot slots[LINES_SLOTS];
};

/* A new step; `lines` begins as zeros. */
void lines_start_step(struct lines *lines);

/* Octets that an instruction of a stage reads, writes or prefetches; adds to figures[ACCOUNT_STAGES]. */
void lines_touch(struct lines *lines, unsigned stage, uint64_t address, unsigned octets,
                 struct account_figures *figures);
void lines_prefetch(struct lines *lines, unsigned stage, uint64_t address, struct account_figures *figures);

#endif
