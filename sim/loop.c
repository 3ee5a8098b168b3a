/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/loop.h"

#include "dataplane/base/moment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void delay_line_init(struct delay_line *line, int64_t delay_ns,
                     void (*out)(void *arg, const uint8_t *packet, size_t octets, int64_t now), void *arg)
{
    *line = (struct delay_line){.delay_ns = delay_ns, .out = out, .arg = arg};
}

void delay_line_fini(struct delay_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        free(line->packets[(line->head + i) % line->cap]);
    free(line->packets);
    *line = (struct delay_line){0};
}

static void *need(void *memory)
{
    if (!memory) {
        fprintf(stderr, "gbflow: out of memory for packets in transit\n");
        exit(1);
    }
    return memory;
}

static void grow(struct delay_line *line)
{
    size_t cap = line->cap ? 2 * line->cap : 64;
    struct delay_line_packet **packets = need(calloc(cap, sizeof(*packets)));
    for (size_t i = 0; i < line->count; i++)
        packets[i] = line->packets[(line->head + i) % line->cap];
    free(line->packets);
    line->packets = packets;
    line->cap = cap;
    line->head = 0;
}

void delay_line_put(struct delay_line *line, const uint8_t *packet, size_t octets, int64_t now)
{
    struct delay_line_packet *copy = need(malloc(sizeof(*copy) + octets));
    copy->due_ns = moment_add(now, line->delay_ns);
    copy->octets = octets;
    memcpy(copy->bytes, packet, octets);
    if (line->count == line->cap)
        grow(line);
    line->packets[(line->head + line->count++) % line->cap] = copy;
}

int64_t delay_line_step(void *self, int64_t now)
{
    struct delay_line *line = self;
    int64_t next = MOMENT_NEVER;

    while (line->count > 0) {
        struct delay_line_packet *head = line->packets[line->head];
        if (head->due_ns > now)
            return next == now ? now : head->due_ns;
        line->head = (line->head + 1) % line->cap; /* out() may put into this very line */
        line->count--;
        line->out(line->arg, head->bytes, head->octets, now);
        free(head);
        next = now;
    }
    return next;
}

/* Bursts are bounded, so a busy instant takes many rounds; with more than these the actors are in an endless
   circle. */
#define ROUNDS_AT_ONE_INSTANT 10000000

/* Calls all actors until none has more to do at `now`; returns the next deadline, or now after
 * ROUNDS_AT_ONE_INSTANT. */
static int64_t settle(struct loop *loop, int64_t now)
{
    for (unsigned round = 0; round < ROUNDS_AT_ONE_INSTANT; round++) {
        int64_t next = MOMENT_NEVER;
        for (size_t i = 0; i < loop->count; i++)
            next = moment_min(next, loop->actors[i].step(loop->actors[i].self, now));
        loop->rounds++;
        if (next > now)
            return next;
    }
    return now;
}

enum loop_end loop_run(struct loop *loop, int64_t *now, int64_t until)
{
    for (;;) {
        int64_t next = settle(loop, *now);
        if (next <= *now)
            return LOOP_STUCK;
        if (loop->is_done && loop->is_done(loop->arg, *now))
            return LOOP_DONE;
        if (next > until) {
            *now = until;
            return LOOP_UNTIL;
        }
        *now = next;
    }
}
