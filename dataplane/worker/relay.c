/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/relay.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/tunnelled.h"
#include "dataplane/worker/uplink.h"

#define RETRY_NS 10000

static_assert(PEERS_BURST <= WORKER_BURST, "what comes one way is one burst");

static void prefetch(const struct peers_item *items, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        rte_prefetch0(items[i].kind == PEERS_NOTE ? items[i].what : pool_n_pdu(items[i].what));
}

static unsigned receive(struct worker *w, unsigned from, int64_t now)
{
    struct peers_item items[PEERS_BURST];
    struct rte_mbuf *gb_frames[PEERS_BURST];
    struct tunnelled burst;
    unsigned gb_count = 0;
    unsigned count = peers_take(w->peers, from, w->number, items);

    tunnelled_start(&burst, true);
    prefetch(items, count);
    for (unsigned i = 0; i < count; i++) {
        switch (items[i].kind) {
        case PEERS_FRAME:
            tunnelled_put(&burst, pool_n_pdu(items[i].what));
            break;
        case PEERS_N_PDU:
            moves_guest_n_pdu(w, pool_n_pdu(items[i].what), now);
            break;
        case PEERS_GB_FRAME:
            gb_frames[gb_count++] = items[i].what;
            break;
        case PEERS_NOTE:
            moves_receive(w, items[i].what, now);
            break;
        }
    }
    w->stats.gn_taken_over += burst.count;
    tunnelled_queue(w, &burst, now);
    uplink_take_over(w, gb_frames, gb_count, now);
    return count;
}

unsigned relay_receive(struct worker *w, int64_t now)
{
    unsigned count = 0;
    for (unsigned from = 0; w->peers && from < w->peers->count; from++)
        count += receive(w, from, now);
    return count;
}

unsigned relay_flush(struct worker *w)
{
    return w->peers ? moves_send_held(w) + peers_flush(w->peers, w->number) : 0;
}

int64_t relay_next_ns(const struct worker *w, int64_t now)
{
    return w->peers && peers_has_waiting(w->peers, w->number) ? now + RETRY_NS : MOMENT_NEVER;
}
