/* SPDX-License-Identifier: BSD-3-Clause */
/* One mobile and direction: LLC-PDUs as a stream of octets, cut into numbered blocks, and the send window of
   blocks that have not all been received (TS 44.060 §9.1). */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bss/radio_state.h"
#include "dataplane/base/moment.h"

enum { LENGTH_INDICATOR_OCTETS = 1, FIRST_REPEATS = 8 };

void radio_flow_append(struct radio_fifo *fifo, struct radio_pdu *pdu)
{
    pdu->next = NULL;
    if (fifo->head)
        fifo->tail->next = pdu;
    else
        fifo->head = pdu;
    fifo->tail = pdu;
}

struct radio_pdu *radio_flow_pop(struct radio_fifo *fifo)
{
    struct radio_pdu *pdu = fifo->head;
    fifo->head = pdu->next;
    return pdu;
}

static void drain(struct radio_fifo *fifo)
{
    while (fifo->head)
        free(radio_flow_pop(fifo));
}

static void close_tbf(struct radio_flow *flow)
{
    flow->open_ns = MOMENT_NEVER;
    flow->close_ns = INT64_MIN;
    flow->period_ns = INT64_MIN;
}

void radio_flow_init(struct radio_flow *flow, uint32_t tlli, unsigned window_blocks)
{
    *flow = (struct radio_flow){.tlli = tlli, .window = window_blocks};
    close_tbf(flow);
}

void radio_flow_restart(struct radio_flow *flow)
{
    if (flow->sent.head) {
        flow->sent.tail->next = flow->waiting.head;
        if (!flow->waiting.head)
            flow->waiting.tail = flow->sent.tail;
        flow->waiting.head = flow->sent.head;
        flow->sent.head = NULL;
    }
    flow->taken_octets = 0;
    flow->repeat_count = 0;
    flow->oldest_block = flow->next_block;
    memset(flow->received, 0, sizeof flow->received);
    close_tbf(flow);
}

void radio_flow_fini(struct radio_flow *flow)
{
    drain(&flow->waiting);
    drain(&flow->sent);
    free(flow->repeats);
}

void radio_flow_put(struct radio_flow *flow, struct radio_pdu *pdu)
{
    radio_flow_append(&flow->waiting, pdu);
}

bool radio_flow_is_busy(const struct radio_flow *flow)
{
    return flow->waiting.head || flow->repeat_count;
}

bool radio_flow_is_open(const struct radio_flow *flow, int64_t now)
{
    return flow->open_ns <= now && now < flow->close_ns;
}

int64_t radio_flow_ready_ns(const struct radio_flow *flow)
{
    int64_t ready_ns = MOMENT_NEVER;
    if (flow->repeat_count)
        ready_ns = flow->repeats[flow->repeat_first].due_ns;
    if (flow->waiting.head && flow->next_block - flow->oldest_block < flow->window)
        ready_ns = moment_min(ready_ns, flow->waiting.head->at_ns);
    return moment_max(ready_ns, flow->open_ns);
}

bool radio_flow_has_repeat(const struct radio_flow *flow, int64_t now)
{
    return flow->repeat_count && flow->repeats[flow->repeat_first].due_ns <= now;
}

uint64_t radio_flow_take_repeat(struct radio_flow *flow)
{
    uint64_t block = flow->repeats[flow->repeat_first].block;
    flow->repeat_first = (flow->repeat_first + 1) % flow->repeat_cap;
    flow->repeat_count--;
    return block;
}

/* Doubles the full ring; the places before the first move behind the others. */
static void grow_repeats(struct radio_flow *flow)
{
    unsigned cap = flow->repeat_cap ? 2 * flow->repeat_cap : FIRST_REPEATS;
    struct radio_repeat *repeats = realloc(flow->repeats, cap * sizeof *repeats);
    if (!repeats) {
        fprintf(stderr, "gbflow: out of memory for the blocks that a radio repeats\n");
        exit(1);
    }
    memcpy(repeats + flow->repeat_cap, repeats, flow->repeat_first * sizeof *repeats);
    flow->repeats = repeats;
    flow->repeat_cap = cap;
}

void radio_flow_put_repeat(struct radio_flow *flow, uint64_t block, int64_t due_ns)
{
    assert(flow->repeat_count < flow->window);
    if (flow->repeat_count == flow->repeat_cap)
        grow_repeats(flow);
    unsigned place = (flow->repeat_first + flow->repeat_count++) % flow->repeat_cap;
    flow->repeats[place] = (struct radio_repeat){block, due_ns};
}

size_t radio_flow_take(struct radio_flow *flow, uint64_t block, size_t room)
{
    struct radio_pdu *pdu = flow->waiting.head;
    size_t left = pdu->octets + LENGTH_INDICATOR_OCTETS - flow->taken_octets;
    if (left > room) {
        flow->taken_octets += room;
        return room;
    }
    pdu->last_block = block;
    flow->taken_octets = 0;
    radio_flow_append(&flow->sent, radio_flow_pop(&flow->waiting));
    return left;
}

static uint64_t *word_of(struct radio_flow *flow, uint64_t block)
{
    return &flow->received[block / 64 % RADIO_WINDOW_WORDS];
}

/* The bits of blocks outside of the window are zero. */
void radio_flow_receive(struct radio_flow *flow, uint64_t block)
{
    *word_of(flow, block) |= UINT64_C(1) << block % 64;
    while (*word_of(flow, flow->oldest_block) & UINT64_C(1) << flow->oldest_block % 64) {
        *word_of(flow, flow->oldest_block) &= ~(UINT64_C(1) << flow->oldest_block % 64);
        flow->oldest_block++;
    }
}

struct radio_pdu *radio_flow_take_whole(struct radio_flow *flow)
{
    bool is_whole = flow->sent.head && flow->sent.head->last_block < flow->oldest_block;
    return is_whole ? radio_flow_pop(&flow->sent) : NULL;
}
