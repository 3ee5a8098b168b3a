/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/account/account.h"

#include <stddef.h>

#define GOLDEN UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio: multiplicative hashing */
#define PROBES 64

void lines_start_step(struct lines *lines)
{
    lines->step++;
}

/* NULL: no room. */
static struct lines_slot *lines_find(struct lines *lines, uint64_t line)
{
    uint32_t at = (uint32_t)(line * GOLDEN >> 32);
    for (unsigned i = 0; i < PROBES; i++) {
        struct lines_slot *slot = &lines->slots[(at + i) % LINES_SLOTS];
        if (slot->step != lines->step)
            *slot = (struct lines_slot){.line = line, .step = lines->step};
        if (slot->line == line)
            return slot;
    }
    return NULL;
}

static bool is_watched(const struct lines *lines, uint64_t line)
{
    bool is_in = false;
    for (unsigned i = 0; i < ACCOUNT_WATCHES; i++)
        is_in |= line >= lines->watches[i].first && line < lines->watches[i].end;
    return is_in;
}

static void touch(const struct lines *lines, struct lines_slot *slot, unsigned stage,
                  struct account_figures *figures)
{
    const uint16_t bit = (uint16_t)(1U << stage);
    if (slot->stages == 0) {
        figures[stage].new_lines++;
        figures[stage].watched_lines += is_watched(lines, slot->line);
        if (slot->is_prefetched)
            figures[slot->prefetched_by].unused_prefetches--;
    }
    if (!(slot->stages & bit))
        figures[stage].lines++;
    slot->stages |= bit;
}

void lines_touch(struct lines *lines, unsigned stage, uint64_t address, unsigned octets,
                 struct account_figures *figures)
{
    const uint64_t last = (address + (octets > 0 ? octets : 1) - 1) / ACCOUNT_LINE_OCTETS;
    for (uint64_t line = address / ACCOUNT_LINE_OCTETS; line <= last; line++) {
        struct lines_slot *slot = lines_find(lines, line);
        if (slot)
            touch(lines, slot, stage, figures);
    }
}

void lines_prefetch(struct lines *lines, unsigned stage, uint64_t address, struct account_figures *figures)
{
    struct lines_slot *slot = lines_find(lines, address / ACCOUNT_LINE_OCTETS);
    if (!slot || slot->stages != 0 || slot->is_prefetched)
        return;
    slot->is_prefetched = true;
    slot->prefetched_by = (uint8_t)stage;
    figures[stage].unused_prefetches++;
}
