/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/trace.h"

#include <rte_ring.h>
#include <rte_ring_elem.h>

struct rte_ring *trace_new(const char *name, unsigned size)
{
    return rte_ring_create_elem(name, sizeof(struct trace_event), size, SOCKET_ID_ANY,
                                RING_F_SP_ENQ | RING_F_SC_DEQ);
}

bool trace_put(struct rte_ring *ring, const struct trace_event *event)
{
    return rte_ring_sp_enqueue_elem(ring, (void *)(uintptr_t)event, sizeof(*event)) == 0;
}

bool trace_take(struct rte_ring *ring, struct trace_event *event)
{
    return rte_ring_sc_dequeue_elem(ring, event, sizeof(*event)) == 0;
}
