/* SPDX-License-Identifier: BSD-3-Clause */
/* Items from the other workers of the process, received and sent by a step. */
#include "dataplane/worker/admission.h"
#include "dataplane/worker/gb_rx.h"
#include "dataplane/worker/moves.h"
#include "dataplane/worker/worker.h"
#include "dataplane/worker/xworker.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"

#include <assert.h>
#include <rte_mbuf.h>
#include <stdint.h>

#define RETRY_NS 10000

static_assert(XWORKER_BURST <= WORKER_BURST, "the items taken off a ring are one burst");

static void prefetch(const struct xworker_item *items, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        rte_prefetch0(items[i].kind == XWORKER_NOTE ? items[i].what : pool_n_pdu(items[i].what));
}

static unsigned receive(struct worker *w, unsigned from, int64_t now)
{
    struct xworker_item items[XWORKER_BURST];
    struct rte_mbuf *gb_frames[XWORKER_BURST];
    struct admission burst;
    unsigned gb_count = 0;
    unsigned count = xworker_take(w->xworker, from, w->number, items);

    admission_start(&burst, true);
    prefetch(items, count);
    for (unsigned i = 0; i < count; i++) {
        switch (items[i].kind) {
        case XWORKER_FRAME:
            admission_put(&burst, pool_n_pdu(items[i].what));
            break;
        case XWORKER_N_PDU:
            moves_guest_n_pdu(w, pool_n_pdu(items[i].what), now);
            break;
        case XWORKER_GB_FRAME:
            gb_frames[gb_count++] = items[i].what;
            break;
        case XWORKER_NOTE:
            moves_order_receive(w, items[i].what, now);
            break;
        }
    }
    w->stats.gn_steered_in += burst.count;
    admission_queue(w, &burst, now);
    gb_rx_take_steered(w, gb_frames, gb_count, now);
    return count;
}

unsigned xworker_rx_receive(struct worker *w, int64_t now)
{
    unsigned count = 0;
    for (unsigned from = 0; w->xworker && from < w->xworker->count; from++)
        count += receive(w, from, now);
    return count;
}

unsigned xworker_rx_flush(struct worker *w, int64_t now)
{
    return w->xworker ? moves_send_held(w) + xworker_flush(w->xworker, w->number) : 0;
}

int64_t xworker_rx_next_ns(const struct worker *w, int64_t now)
{
    return w->xworker && xworker_has_waiting(w->xworker, w->number) ? now + RETRY_NS : MOMENT_NEVER;
}
