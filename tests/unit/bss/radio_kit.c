/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/bss/radio_kit.h"
#include "tests/unit/unit.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBER_OCTETS = 4 };

static uint8_t octet_of(uint32_t number, size_t place)
{
    return (uint8_t)(place < NUMBER_OCTETS ? number >> 8 * place : number * 7 + place);
}

static uint32_t number_of(const struct radio_frame *frame)
{
    uint32_t number = 0;
    for (size_t i = 0; i < NUMBER_OCTETS; i++)
        number |= (uint32_t)frame->llc_pdu[i] << 8 * i;
    for (size_t i = 0; i < frame->octets; i++)
        assert_int_equal(frame->llc_pdu[i], octet_of(number, i));
    return number;
}

static void note(struct radio_kit *kit, enum radio_way way, int what, const struct radio_frame *frame,
                 int64_t now)
{
    if (kit->count == kit->room) {
        kit->room = kit->room ? 2 * kit->room : 64;
        kit->events = realloc(kit->events, kit->room * sizeof *kit->events);
        assert_non_null(kit->events);
    }
    struct radio_kit_event *event = &kit->events[kit->count++];
    memset(event, 0, sizeof *event); /* logs are compared as octets */
    event->at_ns = now;
    event->tlli = frame->tlli;
    event->number = number_of(frame);
    event->octets = (uint32_t)frame->octets;
    event->way = (uint8_t)way;
    event->what = (uint8_t)what;
}

static void on_delivered(void *arg, enum radio_way way, const struct radio_frame *frame, int64_t now)
{
    struct radio_kit *kit = arg;
    int64_t *last = &kit->last_number[way][frame->tlli & 0xff];
    note(kit, way, RADIO_KIT_DELIVERED, frame, now);
    assert_true((int64_t)number_of(frame) > *last);
    *last = number_of(frame);
}

static void on_lost(void *arg, enum radio_way way, enum radio_discard reason, const struct radio_frame *frame,
                    int64_t now)
{
    note(arg, way, (int)reason, frame, now);
}

void radio_kit_init(struct radio_kit *kit, const struct radio_config *config)
{
    struct radio_ops ops = {.arg = kit, .delivered = on_delivered, .lost = on_lost};
    *kit = (struct radio_kit){.now = 0};
    memset(kit->last_number, 0xff, sizeof kit->last_number);
    kit->radio = radio_new(config, &ops);
    assert_non_null(kit->radio);
}

void radio_kit_fini(struct radio_kit *kit)
{
    radio_kit_check(kit);
    radio_free(kit->radio);
    free(kit->events);
}

bool radio_kit_put(struct radio_kit *kit, enum radio_way way, uint32_t tlli, size_t octets,
                   uint16_t lifetime_cs)
{
    uint8_t llc_pdu[2048];
    uint32_t number = kit->next_number++;
    assert_in_range(octets, NUMBER_OCTETS, sizeof llc_pdu);
    for (size_t i = 0; i < octets; i++)
        llc_pdu[i] = octet_of(number, i);
    if (way == RADIO_DOWN)
        return radio_down(kit->radio, tlli, llc_pdu, octets, lifetime_cs, kit->now);
    return radio_up(kit->radio, tlli, llc_pdu, octets, kit->now);
}

void radio_kit_fill(struct radio_kit *kit, enum radio_way way, uint32_t tlli, size_t octets, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        assert_true(radio_kit_put(kit, way, tlli, octets, RADIO_INFINITE_CS));
}

static bool step_until(struct radio_kit *kit, int64_t until_ns)
{
    int64_t due_ns = radio_due_ns(kit->radio);
    if (due_ns > until_ns || due_ns == INT64_MAX)
        return false;
    assert_true(due_ns >= kit->now);
    kit->now = due_ns;
    kit->steps++;
    int64_t next_ns = radio_step(kit->radio, kit->now);
    assert_true(next_ns > kit->now);
    assert_int_equal(next_ns, radio_due_ns(kit->radio));
    return true;
}

void radio_kit_run(struct radio_kit *kit, int64_t until_ns)
{
    while (step_until(kit, until_ns))
        ;
    kit->now = until_ns;
}

void radio_kit_finish(struct radio_kit *kit)
{
    while (step_until(kit, INT64_MAX))
        ;
}

size_t radio_kit_count(const struct radio_kit *kit, enum radio_way way, int what, uint32_t tlli)
{
    size_t count = 0;
    for (size_t i = 0; i < kit->count; i++) {
        const struct radio_kit_event *event = &kit->events[i];
        count += event->way == (uint8_t)way && event->what == (uint8_t)what && event->tlli == tlli;
    }
    return count;
}

static void check_sum(const struct radio_kit *kit, enum radio_way way, int what, const struct radio_sum *sum)
{
    uint64_t frames = 0, octets = 0;
    for (size_t i = 0; i < kit->count; i++) {
        bool counts = kit->events[i].way == (uint8_t)way && kit->events[i].what == (uint8_t)what;
        frames += counts;
        octets += counts ? kit->events[i].octets : 0;
    }
    assert_int_equal(sum->frames, frames);
    assert_int_equal(sum->octets, octets);
}

void radio_kit_check(const struct radio_kit *kit)
{
    uint64_t in = 0;
    for (int way = 0; way < RADIO_WAYS; way++) {
        const struct radio_stats *stats = radio_stats_get(kit->radio, way);
        struct radio_sum out = {stats->delivered.frames + stats->taken.frames,
                                stats->delivered.octets + stats->taken.octets};
        check_sum(kit, way, RADIO_KIT_DELIVERED, &stats->delivered);
        for (int reason = 0; reason < RADIO_DISCARDS; reason++) {
            check_sum(kit, way, reason, &stats->discarded[reason]);
            out.frames += stats->discarded[reason].frames;
            out.octets += stats->discarded[reason].octets;
        }
        assert_int_equal(stats->in.frames, out.frames + stats->queued.frames);
        assert_int_equal(stats->in.octets, out.octets + stats->queued.octets);
        in += stats->in.frames;
    }
    assert_int_equal(in, kit->next_number);
}
