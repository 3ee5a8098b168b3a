/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/delay_line.h"

#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PACKET_MAX_OCTETS 2048

void delay_line_init(struct delay_line *line, int64_t delay_ns,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg)
{
    *line = (struct delay_line){.delay_ns = delay_ns, .out = out, .arg = arg};
}

void delay_line_fini(struct delay_line *line)
{
    free(line->packets);
    free(line->bytes);
    *line = (struct delay_line){0};
}

/* Slot i of the ring owns octets [i, i + 1) * PACKET_MAX_OCTETS. */
static void grow(struct delay_line *line)
{
    size_t cap = line->cap ? 2 * line->cap : 64;
    struct delay_line_packet *packets = calloc(cap, sizeof(*packets));
    uint8_t *bytes = malloc(cap * PACKET_MAX_OCTETS);

    if (!packets || !bytes) {
        fprintf(stderr, "gbflow: out of memory for packets in transit\n");
        exit(1);
    }
    for (size_t i = 0; i < line->count; i++) {
        size_t from = (line->head + i) % line->cap;
        packets[i] = line->packets[from];
        memcpy(bytes + i * PACKET_MAX_OCTETS, line->bytes + from * PACKET_MAX_OCTETS, packets[i].octets);
    }
    free(line->packets);
    free(line->bytes);
    line->packets = packets;
    line->bytes = bytes;
    line->cap = cap;
    line->head = 0;
}

void delay_line_put(struct delay_line *line, const uint8_t *packet, size_t octets, int64_t now)
{
    if (octets > PACKET_MAX_OCTETS) {
        fprintf(stderr, "gbflow: defect: packet of %zu octets on a delay line for %d\n", octets,
                PACKET_MAX_OCTETS);
        abort();
    }
    if (line->count == line->cap)
        grow(line);
    size_t slot = (line->head + line->count++) % line->cap;
    line->packets[slot] =
        (struct delay_line_packet){.due_ns = moment_add(now, line->delay_ns), .octets = (uint32_t)octets};
    memcpy(line->bytes + slot * PACKET_MAX_OCTETS, packet, octets);
}

int64_t delay_line_step(void *self, int64_t now)
{
    struct delay_line *line = self;
    uint8_t packet[PACKET_MAX_OCTETS];
    int64_t next = MOMENT_NEVER;

    while (line->count > 0) {
        const struct delay_line_packet *head = &line->packets[line->head];
        size_t octets = head->octets;
        if (head->due_ns > now)
            return next == now ? now : head->due_ns;
        /* A copy: out() may put into this very line. */
        memcpy(packet, line->bytes + line->head * PACKET_MAX_OCTETS, octets);
        line->head = (line->head + 1) % line->cap;
        line->count--;
        line->out(line->arg, packet, octets, now);
        next = now;
    }
    return next;
}
