/* SPDX-License-Identifier: BSD-3-Clause */
/* A link that delays each packet by the same time, in order, and loses none. */
#ifndef SIM_DELAY_LINE_H
#define SIM_DELAY_LINE_H

#include <stddef.h>
#include <stdint.h>

struct delay_line_block;

/* Packets lie one behind the other in a list of blocks: they are read in the order of writing. */
struct delay_line {
    int64_t delay_ns;
    void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now);
    void *arg;
    struct delay_line_block *first, *last, *spare;
    size_t at;      /* in the first block: of the packet that is out next */
    int64_t due_ns; /* of that; MOMENT_NEVER: none */
};

/* Makes an empty line; its memory grows with the packets in transit. */
void delay_line_init(struct delay_line *line, int64_t delay_ns,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg);
void delay_line_fini(struct delay_line *line);

/* Copies a packet in. Out of memory ends the program. */
void delay_line_put(struct delay_line *line, const uint8_t *packet, size_t octets, int64_t now);

/* Calls out() for each packet that is due; an actor of the loop (struct loop_actor), self is the line. */
int64_t delay_line_step(void *self, int64_t now);

#endif
