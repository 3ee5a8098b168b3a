/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/delay_line.h"

#include "dataplane/base/moment.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_OCTETS ((size_t)32 << 10)

struct delay_line_packet {
    int64_t due_ns;
    size_t octets;
    uint8_t bytes[];
};

struct delay_line_block {
    struct delay_line_block *next;
    size_t used, cap;
    alignas(struct delay_line_packet) uint8_t bytes[];
};

void delay_line_init(struct delay_line *line, int64_t delay_ns,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg)
{
    *line = (struct delay_line){.delay_ns = delay_ns, .out = out, .arg = arg, .due_ns = MOMENT_NEVER};
}

void delay_line_fini(struct delay_line *line)
{
    while (line->first) {
        struct delay_line_block *block = line->first;
        line->first = block->next;
        free(block);
    }
    free(line->spare);
    *line = (struct delay_line){.due_ns = MOMENT_NEVER};
}

/* An empty block behind the others with room for a packet. */
static struct delay_line_block *add_block(struct delay_line *line, size_t octets)
{
    struct delay_line_block *block = line->spare;
    size_t cap = octets > BLOCK_OCTETS ? octets : BLOCK_OCTETS;
    if (block && block->cap >= cap)
        line->spare = NULL;
    else if (!(block = malloc(sizeof(*block) + cap))) {
        fprintf(stderr, "gbflow: out of memory for packets in transit\n");
        exit(1);
    } else {
        block->cap = cap;
    }
    block->next = NULL;
    block->used = 0;
    if (line->last)
        line->last->next = block;
    else
        line->first = block;
    return line->last = block;
}

void delay_line_put(struct delay_line *line, const uint8_t *packet, size_t octets, int64_t now)
{
    size_t whole = sizeof(struct delay_line_packet) + octets;
    whole += -whole % alignof(struct delay_line_packet);
    struct delay_line_block *block = line->last;
    if (block && block->used == 0 &&
        block->cap < whole) { /* of an idle line: none may stand before the packet's */
        free(block);
        line->first = line->last = block = NULL;
    }
    if (!block || block->cap - block->used < whole)
        block = add_block(line, whole);
    struct delay_line_packet *copy = (struct delay_line_packet *)(block->bytes + block->used);
    copy->due_ns = moment_add(now, line->delay_ns);
    copy->octets = octets;
    memcpy(copy->bytes, packet, octets);
    block->used += whole;
    if (line->due_ns == MOMENT_NEVER)
        line->due_ns = copy->due_ns;
}

/* Frees the first block if all of it is out; the last one is used again from its begin. */
static void drop_block(struct delay_line *line)
{
    struct delay_line_block *block = line->first;
    if (line->at < block->used)
        return;
    line->at = block->used = 0;
    if (block == line->last)
        return;
    line->first = block->next;
    free(line->spare);
    line->spare = block;
}

/* Takes the packet behind, if there is one, for the next. */
static void look_ahead(struct delay_line *line)
{
    drop_block(line);
    const struct delay_line_block *block = line->first;
    bool has_more = line->at < block->used;
    line->due_ns =
        has_more ? ((const struct delay_line_packet *)(block->bytes + line->at))->due_ns : MOMENT_NEVER;
}

int64_t delay_line_step(void *self, int64_t now)
{
    struct delay_line *line = self;
    bool is_moved = false;

    while (line->due_ns <= now) {
        const struct delay_line_packet *head = (struct delay_line_packet *)(line->first->bytes + line->at);
        size_t whole = sizeof(*head) + head->octets;
        line->at += whole + -whole % alignof(struct delay_line_packet);
        /* out() may put into this very line: what is out stays until then. */
        line->out(line->arg, head->bytes, head->octets, now);
        look_ahead(line);
        is_moved = true;
    }
    return is_moved ? now : line->due_ns;
}
