/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gb_tx_outbox.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>

/* Room on the port that users' frames leave for signalling. */
#define SIGNALLING_ROOM WORKER_BURST

/* Fills up the spare buffers to a burst. Most N-PDUs need none, and unused ones are kept. */
static bool fill_spare(struct worker *w, struct gb_tx_batch *batch)
{
    unsigned missing = WORKER_BURST - batch->spare_count;
    if (missing > 0 && rte_pktmbuf_alloc_bulk(w->tx_pool, batch->spare + batch->spare_count, missing) != 0)
        return false;
    batch->spare_count = WORKER_BURST;
    return true;
}

unsigned gb_tx_outbox_flush(struct worker *w)
{
    cipher_run(&w->outbox.cipher, w->gea);
    return port_flush(&w->gb);
}

bool gb_tx_outbox_needs_flush(const struct worker *w)
{
    return !w->outbox.is_open && port_room(&w->gb) < WORKER_BURST + SIGNALLING_ROOM;
}

bool gb_tx_outbox_open(struct worker *w)
{
    struct gb_tx_outbox *outbox = &w->outbox;
    struct gb_tx_batch *batch = &outbox->batch;
    if (outbox->is_open)
        return true;
    if (port_is_down(&w->gb))
        return false; /* users' N-PDUs wait in the scheduler */
    if (gb_tx_outbox_needs_flush(w))
        gb_tx_outbox_flush(w);
    outbox->is_open = port_room(&w->gb) >= WORKER_BURST + SIGNALLING_ROOM && fill_spare(w, batch);
    if (!outbox->is_open)
        return false;
    batch->count = batch->passed = 0;
    batch->most = WORKER_BURST;
    batch->has_sums = false;
    batch->age_ns = 0;
    batch->lifetime_cs = lifetime_pdu_cs(&w->context.lifetime, 0);
    return true;
}

void gb_tx_outbox_close(struct worker *w)
{
    w->outbox.is_open = false;
    w->outbox.batch.count = 0;
    w->outbox.batch.most = WORKER_BURST;
}

void gb_tx_outbox_rest(struct worker *w)
{
    struct gb_tx_batch *batch = &w->outbox.batch;
    if (batch->spare_count > 0) /* often 0 in an idle worker */
        rte_pktmbuf_free_bulk(batch->spare, batch->spare_count);
    batch->spare_count = 0;
}
