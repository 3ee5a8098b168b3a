/* SPDX-License-Identifier: BSD-3-Clause */
/* A link that only delays: packets leave in the order in which they came, each after the same time. Never
 * loses. */
#ifndef SIM_DELAY_LINE_H
#define SIM_DELAY_LINE_H

#include <stddef.h>
#include <stdint.h>

struct delay_line_packet {
    int64_t due_ns;
    uint32_t octets;
};

struct delay_line {
    int64_t delay_ns;
    void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now);
    void *arg;
    struct delay_line_packet *packets; /* a ring: head .. head + count */
    size_t head, count, cap;
    uint8_t *bytes; /* room of one packet for each place in the ring */
};

/* An empty line; its memory grows with what is under way. */
void delay_line_init(struct delay_line *line, int64_t delay_ns,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg);
void delay_line_fini(struct delay_line *line);

/* Copies a packet in. Ends the program when memory is short. */
void delay_line_put(struct delay_line *line, const uint8_t *packet, size_t octets, int64_t now);

/* Hands out what is due; an actor of the loop, self is the line. */
int64_t delay_line_step(void *self, int64_t now);

#endif
