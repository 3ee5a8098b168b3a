/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/flight.h"

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_CAP = 16 };

static struct flight_packet *at(const struct flight *f, uint32_t i)
{
    return &f->packets[(f->first + i) & (f->cap - 1)];
}

static uint16_t distance(const struct flight *f, uint16_t id)
{
    return (uint16_t)(id - at(f, 0)->id);
}

static void drop_first(struct flight *f)
{
    f->first = (f->first + 1) & (f->cap - 1);
    f->count--;
}

void flight_fini(struct flight *f)
{
    free(f->packets);
    *f = (struct flight){0};
}

/* Forgets the packets that have arrived; doubles the ring if more than half of it is in use then. */
static void make_room(struct flight *f)
{
    struct flight old = *f;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < old.count; i++)
        kept += !at(&old, i)->has_arrived;
    f->cap = !old.cap ? FIRST_CAP : kept > old.cap / 2 ? 2 * old.cap : old.cap;
    f->packets = malloc(f->cap * sizeof(*f->packets));
    if (!f->packets) {
        fprintf(stderr, "gbflow: out of memory for packets in transit\n");
        exit(1);
    }
    f->first = f->count = 0;
    for (uint32_t i = 0; i < old.count; i++)
        if (!at(&old, i)->has_arrived)
            f->packets[f->count++] = *at(&old, i);
    free(old.packets);
}

void flight_begin(struct flight *f, uint16_t ip_id, int64_t now)
{
    while (f->count > 0 && (at(f, 0)->has_arrived || distance(f, ip_id) >= FLIGHT_WINDOW))
        drop_first(f);
    if (f->count > 0 && at(f, f->count - 1)->id == ip_id)
        f->count--;
    if (f->count == f->cap)
        make_room(f);
    *at(f, f->count++) = (struct flight_packet){.emitted_ns = now, .id = ip_id};
}

/* The packet; NULL: it is not there. By bisection: ids ascend. */
static struct flight_packet *flight_find(const struct flight *f, uint16_t id)
{
    uint32_t low = 0, high = f->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (distance(f, at(f, middle)->id) < distance(f, id))
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->count && at(f, low)->id == id ? at(f, low) : NULL;
}

int64_t flight_end(struct flight *f, uint16_t ip_id)
{
    struct flight_packet *packet = flight_find(f, ip_id);
    if (!packet || packet->has_arrived)
        return -1;
    packet->has_arrived = true;
    int64_t emitted_ns = packet->emitted_ns;
    while (f->count > 0 && at(f, 0)->has_arrived)
        drop_first(f);
    return emitted_ns;
}
