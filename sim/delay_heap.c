/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/delay_heap.h"

#include "dataplane/base/moment.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct delay_heap_packet {
    struct timer timer; /* first */
    size_t octets;
    uint8_t bytes[];
};

void delay_heap_init(struct delay_heap *heap,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg)
{
    *heap = (struct delay_heap){.out = out, .arg = arg};
}

void delay_heap_fini(struct delay_heap *heap)
{
    struct timer *timer;
    while ((timer = timers_take_due(&heap->due, MOMENT_NEVER)))
        free(timer);
    timers_free(&heap->due);
}

void delay_heap_put(struct delay_heap *heap, const uint8_t *packet, size_t octets, int64_t at_ns)
{
    struct delay_heap_packet *copy = malloc(sizeof(*copy) + octets);
    if (!copy) {
        fprintf(stderr, "gbflow: out of memory for packets in transit\n");
        exit(1);
    }
    copy->timer = (struct timer){.rank = heap->put++};
    copy->octets = octets;
    memcpy(copy->bytes, packet, octets);
    timers_set(&heap->due, &copy->timer, at_ns);
}

int64_t delay_heap_step(struct delay_heap *heap, int64_t now)
{
    bool is_moved = false;
    struct timer *timer;
    while ((timer = timers_take_due(&heap->due, now))) {
        struct delay_heap_packet *packet = (struct delay_heap_packet *)timer;
        heap->out(heap->arg, packet->bytes, packet->octets, now);
        free(packet);
        is_moved = true;
    }
    return is_moved ? now : timers_next_ns(&heap->due);
}
