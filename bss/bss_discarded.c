/* SPDX-License-Identifier: BSD-3-Clause */
/* LLC-DISCARDED (TS 48.018): reports discarded LLC-PDUs to the SGSN, which takes them out of its buckets. A
   mobile's first is reported with all others of its instant; the following ones are summed up for
   BSS_DISCARDED_EVERY_NS and reported in one PDU. A cell that is not up reports nothing: the SGSN's buckets
   start empty when it comes up. */
#include <stdlib.h>

#include "bss/bss_state.h"

enum { MAX_FRAMES = 0xff, FIRST_ROOM = 16 };

static void tell(struct bss_cell *cell, struct bss_discarded *mobile, int64_t now)
{
    struct bssgp pdu = {.head.type = BSSGP_LLC_DISCARDED,
                        .tlli = mobile->tlli,
                        .frames_discarded = mobile->frames,
                        .bvci = cell->config.bvci,
                        .octets_affected = mobile->octets};
    if (bss_bvc_is_up(cell)) {
        cell->bss->stats.told_discarded += mobile->frames;
        bss_bssgp_send(cell->bss, BSSGP_BVCI_SIGNALLING, &pdu);
    }
    *mobile = (struct bss_discarded){.tlli = mobile->tlli, .due_ns = now + BSS_DISCARDED_EVERY_NS};
}

static bool has_room(struct bss_cell *cell)
{
    if (cell->discarded_count < cell->discarded_room)
        return true;
    unsigned room = cell->discarded_room ? 2 * cell->discarded_room : FIRST_ROOM;
    struct bss_discarded *grown = realloc(cell->discarded, room * sizeof *grown);
    if (!grown)
        return false;
    cell->discarded = grown;
    cell->discarded_room = room;
    return true;
}

/* The mobile's entry; NULL: out of memory. */
static struct bss_discarded *entry_of(struct bss_cell *cell, uint32_t tlli)
{
    for (unsigned i = 0; i < cell->discarded_count; i++)
        if (cell->discarded[i].tlli == tlli)
            return &cell->discarded[i];
    if (!has_room(cell))
        return NULL;
    struct bss_discarded *mobile = &cell->discarded[cell->discarded_count++];
    *mobile = (struct bss_discarded){.tlli = tlli, .due_ns = INT64_MIN};
    return mobile;
}

void bss_discarded_put(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
{
    struct bss_discarded alone = {.tlli = frame->tlli}, *mobile = entry_of(cell, frame->tlli);
    if (!mobile)
        mobile = &alone;
    if (mobile->frames == MAX_FRAMES)
        tell(cell, mobile, now);
    mobile->due_ns = moment_max(mobile->due_ns, now);
    mobile->frames++;
    mobile->octets += (uint32_t)frame->octets;
    if (mobile == &alone)
        tell(cell, mobile, now);
}

int64_t bss_discarded_due_ns(const struct bss_cell *cell)
{
    int64_t due_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < cell->discarded_count; i++)
        if (cell->discarded[i].frames)
            due_ns = moment_min(due_ns, cell->discarded[i].due_ns);
    return due_ns;
}

void bss_discarded_expire(struct bss_cell *cell, int64_t now)
{
    for (unsigned i = 0; i < cell->discarded_count;) {
        struct bss_discarded *mobile = &cell->discarded[i];
        bool is_due = mobile->due_ns <= now;
        if (is_due && !mobile->frames) {
            *mobile = cell->discarded[--cell->discarded_count];
            continue;
        }
        if (is_due)
            tell(cell, mobile, now);
        i++;
    }
}

void bss_discarded_fini(struct bss_cell *cell)
{
    free(cell->discarded);
}
