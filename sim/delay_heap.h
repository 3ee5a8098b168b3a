/* SPDX-License-Identifier: BSD-3-Clause */
/* A link that delays each packet by a time of its own and loses none. Packets due at one instant come out in
 * the order in which they were put. */
#ifndef SIM_DELAY_HEAP_H
#define SIM_DELAY_HEAP_H

#include "sim/timers.h"

#include <stddef.h>
#include <stdint.h>

struct delay_heap {
    struct timers due; /* of the packets in transit */
    void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now);
    void *arg;
    uint32_t put; /* packets so far: the rank of the next one */
};

/* Makes an empty link; its memory grows with the packets in transit. */
void delay_heap_init(struct delay_heap *heap,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg);
void delay_heap_fini(struct delay_heap *heap);

/* Copies a packet in, which is out at at_ns. Out of memory ends the program. */
void delay_heap_put(struct delay_heap *heap, const uint8_t *packet, size_t octets, int64_t at_ns);

/* Calls out(), which may put into this very link, for each packet that is due. Returns `now` if there was
 * one, else the next instant, MOMENT_NEVER without a packet. */
int64_t delay_heap_step(struct delay_heap *heap, int64_t now);

#endif
