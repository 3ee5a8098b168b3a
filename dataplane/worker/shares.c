/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/shares.h"
#include "dataplane/worker/msg.h"

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_malloc.h>
#include <rte_ring.h>
#include <stdint.h>

#define SURE         4  /* places that a share may have whatever others have */
#define WEIGHT_UNIT  4  /* a share of this weight may have as many places as are free */
#define WEIGHT       16 /* of an NSE, and of a peer */
#define WEIGHT_KINDS 4  /* of senders that cannot be told apart */

bool shares_new(struct shares *s, uint32_t nses, unsigned most)
{
    s->count = SHARE_NSES + nses;
    s->most = most;
    s->places = most - most / 4;
    s->rows = rte_zmalloc("shares", s->count * sizeof(*s->rows), 0);
    return s->rows != NULL;
}

void shares_free(struct shares *s)
{
    rte_free(s->rows);
    *s = (struct shares){0};
}

static uint64_t get(const atomic_ullong *count)
{
    return atomic_load_explicit(count, memory_order_relaxed);
}

/* Of a counter that only the caller writes. */
static void add_one(atomic_ullong *count)
{
    atomic_store_explicit(count, get(count) + 1, memory_order_relaxed);
}

void shares_begin_worker(struct shares *s, uint32_t share)
{
    atomic_store_explicit(&s->rows[share].put, 0, memory_order_relaxed);
    atomic_store_explicit(&s->rows[share].lost, 0, memory_order_relaxed);
}

void shares_begin_control(struct shares *s, uint32_t share)
{
    atomic_store_explicit(&s->rows[share].taken, 0, memory_order_relaxed);
    atomic_store_explicit(&s->rows[share].late, 0, memory_order_relaxed);
}

unsigned shares_waiting(const struct shares *s, uint32_t share)
{
    const struct share_row *row = &s->rows[share];
    uint64_t taken = get(&row->taken), put = get(&row->put);
    return put > taken ? (unsigned)(put - taken) : 0;
}

static bool has_place(const struct msg_rings *rings, uint32_t share)
{
    const struct shares *s = rings->shares;
    unsigned weight = share >= SHARE_PEERS ? WEIGHT : WEIGHT_KINDS;
    unsigned own = shares_waiting(s, share), all = shares_waiting(s, SHARE_NONE);
    unsigned room = rte_ring_free_count(rings->to_control);
    if (own < SURE)
        return all < s->most && room > 0;
    if (all >= s->places || room <= 2 * SHARES_KEPT)
        return false;
    return own * WEIGHT_UNIT < weight * RTE_MIN(s->places - all, room - 2 * SHARES_KEPT);
}

bool shares_refuse(const struct msg_rings *rings, uint32_t share)
{
    add_one(&rings->shares->rows[share].lost);
    return false;
}

bool shares_put(const struct msg_rings *rings, struct msg *msg, uint32_t share)
{
    struct share_row *rows = rings->shares->rows;
    msg->share = share;
    if (unlikely(!has_place(rings, share)))
        return shares_refuse(rings, share);
    add_one(&rows[share].put); /* before control can take it */
    add_one(&rows[SHARE_NONE].put);
    return msg_put(rings->to_control, msg);
}

void shares_count_late(const struct shares *s, uint32_t share)
{
    add_one(&s->rows[share].late);
}

bool shares_take(const struct msg_rings *rings, struct msg *msg)
{
    if (!msg_take(rings->to_control, msg))
        return false;
    if (msg->share == SHARE_NONE)
        return true;
    add_one(&rings->shares->rows[msg->share].taken);
    add_one(&rings->shares->rows[SHARE_NONE].taken);
    return true;
}
