/* SPDX-License-Identifier: BSD-3-Clause */
#include "bss/radio_flow.h"

#include "bss/radio_air.h"
#include "dataplane/base/moment.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TLLI_OCTETS = 4 }; /* of a block with it: TS 44.060 §10.2.2 */
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
    while (64 * (flow->last_word + 1) < window_blocks)
        flow->last_word = 2 * flow->last_word + 1;
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
    if (flow->waiting.head)
        flow->waiting.head->is_hurt = false;
    flow->taken_octets = 0;
    flow->repeat_count = 0;
    flow->oldest_block = flow->acked_block = flow->next_block;
    flow->unasked = 0;
    flow->start_stamp++;
    if (flow->received)
        memset(flow->received, 0, (flow->last_word + 1) * sizeof *flow->received);
    close_tbf(flow);
}

void radio_flow_fini(struct radio_flow *flow)
{
    drain(&flow->waiting);
    drain(&flow->sent);
    free(flow->repeats);
    free(flow->received);
    free(flow->link);
}

void radio_flow_put(struct radio_flow *flow, struct radio_pdu *pdu)
{
    radio_flow_append(&flow->waiting, pdu);
}

bool radio_flow_is_busy(const struct radio_flow *flow)
{
    return flow->waiting.head || flow->repeat_count;
}

int64_t radio_flow_ready_ns(const struct radio_flow *flow)
{
    int64_t ready_ns = MOMENT_NEVER;
    if (flow->repeat_count)
        ready_ns = flow->repeats[flow->repeat_first].due_ns;
    if (flow->waiting.head && radio_flow_has_window(flow))
        ready_ns = moment_min(ready_ns, flow->waiting.head->at_ns);
    return moment_max(ready_ns, moment_max(flow->open_ns, flow->usf_ns));
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
    flow->repeats[place] = (struct radio_repeat){block, flow->sends, due_ns};
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
    return &flow->received[block / 64 & flow->last_word];
}

void radio_flow_hurt(struct radio_flow *flow, uint64_t block)
{
    for (struct radio_pdu *pdu = flow->sent.head; pdu; pdu = pdu->next)
        pdu->is_hurt |= pdu->last_block == block;
    if (flow->taken_octets)
        flow->waiting.head->is_hurt = true;
}

static void make_received(struct radio_flow *flow)
{
    flow->received = calloc(flow->last_word + 1, sizeof *flow->received);
    if (!flow->received) {
        fprintf(stderr, "gbflow: out of memory for the blocks that a radio has received\n");
        exit(1);
    }
}

/* The bits of blocks outside of the window are zero. */
void radio_flow_receive(struct radio_flow *flow, uint64_t block)
{
    if (!flow->received)
        make_received(flow);
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

static inline void radio_sum_sub(struct radio_sum *sum, size_t octets)
{
    sum->frames--;
    sum->octets -= octets;
}

static struct radio_frame frame_of(const struct radio_pdu *pdu)
{
    return (struct radio_frame){pdu->flow->tlli, pdu->llc_pdu, pdu->octets};
}

void radio_flow_unqueue(struct radio *radio, enum radio_way way, const struct radio_pdu *pdu)
{
    radio_sum_sub(&radio->airs[way].stats.queued, pdu->octets);
    radio_sum_sub(&pdu->flow->queue.queued, pdu->octets);
}

/* Count, report (ops) and free an LLC-PDU. */
static void radio_flow_deliver(struct radio *radio, enum radio_way way, struct radio_pdu *pdu, int64_t now)
{
    struct radio_frame frame = frame_of(pdu);
    radio_flow_unqueue(radio, way, pdu);
    radio_sum_add(&radio->airs[way].stats.delivered, pdu->octets);
    radio->ops.delivered(radio->ops.arg, way, &frame, now);
    free(pdu);
}

void radio_flow_lose(struct radio *radio, enum radio_way way, enum radio_discard reason,
                     struct radio_pdu *pdu, int64_t now)
{
    struct radio_frame frame = frame_of(pdu);
    radio_flow_unqueue(radio, way, pdu);
    radio_sum_add(&radio->airs[way].stats.discarded[reason], pdu->octets);
    pdu->flow->queue.discarded_frames++;
    radio->ops.lost(radio->ops.arg, way, reason, &frame, now);
    free(pdu);
}

/* Has the head no block yet, and has its lifetime ended? */
static bool is_expired(const struct radio_flow *flow, int64_t now)
{
    return flow->taken_octets == 0 && flow->waiting.head->latest_ns < now;
}

void radio_flow_expire(struct radio *radio, enum radio_way way, struct radio_flow *flow, int64_t now)
{
    while (flow->waiting.head && is_expired(flow, now))
        radio_flow_lose(radio, way, RADIO_DISCARD_LIFETIME, radio_flow_pop(&flow->waiting), now);
}

/* Counts the head's first block and its wait. */
static void count_begun(struct radio_stats *stats, const struct radio_pdu *head, int64_t now)
{
    stats->begun_frames++;
    stats->begun_wait_ns += (uint64_t)(now - head->at_ns);
}

/* Puts octets of the head into the new block. Returns how many. */
static size_t fill_from_head(struct radio *radio, enum radio_way way, struct radio_flow *flow, size_t room,
                             int64_t now)
{
    struct radio_frame frame = frame_of(flow->waiting.head);
    struct radio_block block = {.tlli = flow->tlli, .number = flow->next_block, .frame = &frame};
    if (flow->taken_octets == 0)
        count_begun(&radio->airs[way].stats, flow->waiting.head, now);
    radio_air_tell(radio, way, &block, now);
    return radio_flow_take(flow, flow->next_block, room);
}

bool radio_flow_fill(struct radio *radio, enum radio_way way, struct radio_flow *flow, size_t room,
                     int64_t now)
{
    room -= now < flow->resolved_ns ? TLLI_OCTETS : 0;
    size_t left = room;
    while (left && flow->waiting.head && flow->waiting.head->at_ns <= now) {
        if (is_expired(flow, now)) {
            radio_flow_lose(radio, way, RADIO_DISCARD_LIFETIME, radio_flow_pop(&flow->waiting), now);
            continue;
        }
        left -= fill_from_head(radio, way, flow, left, now);
    }
    return left < room;
}

void radio_flow_accept(struct radio_air *air, struct radio_flow *flow, uint64_t block, int64_t now)
{
    radio_flow_receive(flow, block);
    for (struct radio_pdu *pdu; (pdu = radio_flow_take_whole(flow));) {
        pdu->at_ns = now + air->block_ns + air->config.delay_ns;
        radio_flow_append(&air->arriving, pdu);
    }
}

void radio_flow_arrive(struct radio *radio, enum radio_way way, int64_t now)
{
    struct radio_air *air = &radio->airs[way];
    while (air->arriving.head && air->arriving.head->at_ns <= now) {
        struct radio_pdu *pdu = radio_flow_pop(&air->arriving);
        if (pdu->is_hurt)
            radio_flow_lose(radio, way, RADIO_DISCARD_RLC, pdu, now);
        else
            radio_flow_deliver(radio, way, pdu, now);
    }
}
