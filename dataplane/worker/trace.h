/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fate of each downlink N-PDU, one event by value, for replay, scenarios and tests. Without a ring the
 * worker writes none.
 */
#ifndef DATAPLANE_WORKER_TRACE_H
#define DATAPLANE_WORKER_TRACE_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct rte_ring;

struct trace_event {
    int64_t at_ns;
    int64_t arrival_ns;
    uint32_t pdp; /* index of the PDP context, UINT32_MAX when there was none */
    uint32_t generation;
    uint16_t octets;
    uint8_t reason; /* enum drop; DROP_NONE: delivered to NS */
    uint8_t qclass;
    uint32_t is_marked; /* 1: gbflow set CE */
};

static_assert(sizeof(struct trace_event) % 4 == 0, "rings carry multiples of four octets");

#define TRACE_NO_PDP UINT32_MAX

/* A ring of `size` slots (a power of two), which holds size - 1 events; NULL: out of memory. The caller
 * frees it by rte_ring_free(). */
struct rte_ring *trace_new(const char *name, unsigned size);

/* False when the ring is full (put) or empty (get). */
bool trace_put(struct rte_ring *ring, const struct trace_event *event);
bool trace_take(struct rte_ring *ring, struct trace_event *event);

#endif
