/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/msg.h"

#include "dataplane/compression/compression_pool.h"

#include <rte_mbuf.h>
#include <rte_ring.h>
#include <rte_ring_elem.h>
#include <stdio.h>

const struct msg_row msg_rows[MSG_TYPES + 1] = {
#define MSG_ORDER(NAME, name, subject, payload, flags, handler)                                              \
    [MSG_##NAME] = {#name, MSG_BY_##subject, flags, sizeof(((struct msg *)NULL)->payload)},
#define MSG_NEWS(NAME, name, payload, flags)                                                                 \
    [MSG_##NAME] = {#name, MSG_BY_NONE, flags, sizeof(((struct msg *)NULL)->payload)},
#include "dataplane/worker/msgs.def"
    [MSG_TYPES] = {.name = "no message"},
};

static struct rte_ring *create(const char *name, const char *way, unsigned size)
{
    char full[RTE_RING_NAMESIZE];
    snprintf(full, sizeof(full), "%s.%s", name, way);
    return rte_ring_create_elem(full, sizeof(struct msg), size, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
}

bool msg_rings_new(struct msg_rings *rings, const char *name, unsigned size)
{
    rings->to_worker = create(name, "down", size);
    rings->to_control = create(name, "up", size);
    if (rings->to_worker && rings->to_control)
        return true;
    msg_rings_free(rings);
    return false;
}

void msg_rings_free(struct msg_rings *rings)
{
    rte_ring_free(rings->to_worker);
    rte_ring_free(rings->to_control);
    *rings = (struct msg_rings){0};
}

bool msg_put(struct rte_ring *ring, const struct msg *msg)
{
    return rte_ring_sp_enqueue_elem(ring, (void *)(uintptr_t)msg, sizeof(*msg)) == 0;
}

bool msg_take(struct rte_ring *ring, struct msg *msg)
{
    return rte_ring_sc_dequeue_elem(ring, msg, sizeof(*msg)) == 0;
}

void msg_free(const struct msg *msg)
{
    if (msg_has_mbuf(msg->type))
        rte_pktmbuf_free(msg->mbuf);
    if (msg->type == MSG_MS_COMPRESSION && msg->compression.memory)
        compression_pool_return(msg->compression.memory);
}
