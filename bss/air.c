/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/air.h"

#include "bss/announce.h"
#include "bss/bss_ms.h"
#include "bss/calls.h"
#include "bss/model.h"

#include <stdlib.h>

enum { MAX_FRAMES = 0xff, FIRST_ROOM = 16 };

static void tell(struct bss_cell *cell, struct bss_discarded *mobile, int64_t now)
{
    struct bssgp pdu = {.head.type = BSSGP_LLC_DISCARDED,
                        .tlli = mobile->tlli,
                        .frames_discarded = mobile->frames,
                        .bvci = cell->config.bvci,
                        .octets_affected = mobile->octets};
    if (bss_cell_is_up(cell)) {
        cell->bss->stats.told_discarded += mobile->frames;
        bss_gb_send(cell->bss, BSSGP_BVCI_SIGNALLING, &pdu);
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

static void discarded_put(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
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

static int64_t discarded_due_ns(const struct bss_cell *cell)
{
    int64_t due_ns = MOMENT_NEVER;
    for (unsigned i = 0; i < cell->discarded_count; i++)
        if (cell->discarded[i].frames)
            due_ns = moment_min(due_ns, cell->discarded[i].due_ns);
    return due_ns;
}

static void discarded_expire(struct bss_cell *cell, int64_t now)
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

static void discarded_fini(struct bss_cell *cell)
{
    free(cell->discarded);
}

static void deliver(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
{
    struct bss *bss = cell->bss;
    bss->stats.delivered++;
    bss->has_acted = true;
    bss->ops.deliver(bss->ops.arg, cell->config.bvci, frame->tlli, frame->llc_pdu, frame->octets, now);
}

static void on_delivered(void *arg, enum radio_way way, const struct radio_frame *frame, int64_t now)
{
    struct bss_cell *cell = arg;
    if (way == RADIO_DOWN)
        deliver(cell, frame, now);
    else
        bss_gb_unitdata(cell->bss, cell, frame);
}

/* LLC-DISCARDED is about downlink only, and what RLC lost in unacknowledged mode the BSS does not know. */
static void on_lost(void *arg, enum radio_way way, enum radio_discard reason, const struct radio_frame *frame,
                    int64_t now)
{
    struct bss_cell *cell = arg;
    const struct bss_ops *ops = &cell->bss->ops;
    if (way != RADIO_DOWN)
        return;
    if (reason != RADIO_DISCARD_RLC)
        discarded_put(cell, frame, now);
    if (ops->on_discard)
        ops->on_discard(ops->arg, cell->config.bvci, reason, frame, now);
}

static void on_block(void *arg, enum radio_way way, const struct radio_block *block, int64_t now)
{
    struct bss_cell *cell = arg;
    const struct bss_ops *ops = &cell->bss->ops;
    if (way == RADIO_DOWN)
        ops->on_block(ops->arg, cell->config.bvci, block, now);
}

bool bss_air_init(struct bss_cell *cell, const struct radio_config *config)
{
    struct radio_ops ops = {cell, on_delivered, on_lost, cell->bss->ops.on_block ? on_block : NULL};
    if (config)
        cell->radio = radio_new(config, &ops);
    return !config || cell->radio;
}

void bss_air_fini(struct bss_cell *cell)
{
    radio_free(cell->radio);
    discarded_fini(cell);
}

int64_t bss_air_due_ns(const struct bss_cell *cell)
{
    if (!cell->radio)
        return MOMENT_NEVER;
    int64_t due_ns = moment_min(radio_due_ns(cell->radio), discarded_due_ns(cell));
    return moment_min(due_ns, bss_calls_due_ns(cell));
}

void bss_air_expire(struct bss_cell *cell, int64_t now)
{
    if (!cell->radio)
        return;
    bss_calls_expire(cell, now);
    radio_step(cell->radio, now);
    bss_announce_look(cell, now);
    discarded_expire(cell, now);
}

void bss_air_wake(struct bss_cell *cell)
{
    cell->bss->due_ns = moment_min(cell->bss->due_ns, bss_air_due_ns(cell));
}

void bss_air_put(struct bss_cell *cell, const struct radio_frame *frame, uint16_t lifetime_cs, int64_t now)
{
    if (!cell->radio) {
        deliver(cell, frame, now);
        return;
    }
    radio_down(cell->radio, frame->tlli, frame->llc_pdu, frame->octets, lifetime_cs, now);
    bss_announce_look(cell, now);
    bss_air_wake(cell);
}

void bss_air_down(struct bss_cell *cell, const struct bssgp *pdu, int64_t now)
{
    const struct bss_ops *ops = &cell->bss->ops;
    struct radio_frame frame = {pdu->tlli, pdu->llc_pdu.at, pdu->llc_pdu.octets};
    if (pdu_has(&pdu->head, BSSGP_IE_TLLI_OLD) && ops->ms && ops->ms->on_renamed)
        ops->ms->on_renamed(ops->arg, pdu->tlli, pdu->tlli_old);
    if (ops->on_down)
        ops->on_down(ops->arg, cell->config.bvci, frame.tlli, frame.llc_pdu, frame.octets, now);
    bss_air_put(cell, &frame, (uint16_t)pdu->lifetime_cs, now);
}

bool bss_air_up(struct bss_cell *cell, const struct radio_frame *frame, int64_t now)
{
    if (!cell->radio)
        return bss_gb_unitdata(cell->bss, cell, frame);
    bool is_taken = radio_up(cell->radio, frame->tlli, frame->llc_pdu, frame->octets, now);
    bss_air_wake(cell);
    return is_taken;
}
