/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/emulate/emulate.h"

#include "control/base/clock.h"
#include "control/report/fields.h"

#include <stdio.h>

static uint64_t discarded(const struct radio_stats *stats)
{
    uint64_t frames = 0;
    for (int reason = 0; reason < RADIO_DISCARDS; reason++)
        frames += stats->discarded[reason].frames;
    return frames;
}

static void print_cell(const struct emulate *e, uint32_t i)
{
    uint16_t bvci = e->config.air.cells[i].bvci;
    const struct radio *radio = bss_radio_get(e->bss, bvci);
    static const char *const names[RADIO_WAYS] = {[RADIO_DOWN] = "down", [RADIO_UP] = "up"};
    for (int way = 0; way < RADIO_WAYS; way++) {
        const struct radio_stats *s = radio_stats_get(radio, (enum radio_way)way);
        printf(
            "cell %u %s: LLC-PDUs: in %lu = delivered %lu + discarded %lu + queued %lu; %lu blocks, %lu of "
            "them again\n",
            bvci, names[way], (unsigned long)s->in.frames, (unsigned long)s->delivered.frames,
            (unsigned long)discarded(s), (unsigned long)s->queued.frames, (unsigned long)s->blocks,
            (unsigned long)s->repeated_blocks);
    }
}

void emulate_report_print(const struct emulate *e)
{
    const struct bss_stats *s = bss_stats_get(e->bss);
    uint64_t down = 0, up = 0;
    for (uint32_t i = 0; i < e->config.mobile_count; i++) {
        down += e->mobiles[i].down_npdus;
        up += e->mobiles[i].up_npdus;
    }
    printf("N-PDUs: %lu to hosts, %lu from hosts\n", (unsigned long)down, (unsigned long)up);
    printf("Gb: %lu NS PDUs received, %lu sent\n", (unsigned long)s->rx_pdus, (unsigned long)s->tx_pdus);
    for (uint32_t i = 0; i < e->config.cell_count; i++)
        print_cell(e, i);
}

static json_t *gb_of(const struct emulate *e)
{
    const struct bss_stats *s = bss_stats_get(e->bss);
    json_t *object = json_object();
    fields_put_count(object, "received", s->rx_pdus);
    fields_put_count(object, "sent", s->tx_pdus);
    fields_put_count(object, "send_failures", e->send_failures);
    fields_put_count(object, "malformed", s->malformed);
    fields_put_count(object, "unexpected", s->unexpected);
    fields_put_count(object, "gave_up", s->gave_up);
    fields_put_count(object, "undelivered", s->undelivered);
    fields_put_count(object, "unsent", s->unsent);
    fields_put_count(object, "told_discarded", s->told_discarded);
    return object;
}

static json_t *way_of(const struct radio *radio, enum radio_way way)
{
    static const char *const names[RADIO_DISCARDS] = {
        [RADIO_DISCARD_LIFETIME] = "lifetime",   [RADIO_DISCARD_MOBILE_FULL] = "mobile_full",
        [RADIO_DISCARD_CELL_FULL] = "cell_full", [RADIO_DISCARD_FLUSHED] = "flushed",
        [RADIO_DISCARD_PREEMPTED] = "preempted",
    };
    const struct radio_stats *s = radio_stats_get(radio, way);
    json_t *object = json_object(), *reasons = json_object();
    fields_put_count(object, "in", s->in.frames);
    fields_put_count(object, "delivered", s->delivered.frames);
    fields_put_count(object, "queued", s->queued.frames);
    fields_put_count(object, "taken", s->taken.frames);
    for (int reason = 0; reason < RADIO_DISCARDS; reason++)
        fields_put_count(reasons, names[reason], s->discarded[reason].frames);
    fields_put(object, "discarded", reasons);
    fields_put_count(object, "delivered_octets", s->delivered.octets);
    fields_put_count(object, "queued_max_octets", s->queued_max_octets);
    fields_put_count(object, "blocks", s->blocks);
    fields_put_count(object, "repeated_blocks", s->repeated_blocks);
    fields_put_count(object, "setups", s->setups);
    return object;
}

static json_t *cell_of(const struct emulate *e, uint32_t i, int64_t now)
{
    uint16_t bvci = e->config.air.cells[i].bvci;
    struct bss_calls_stats calls = bss_calls_stats_get(e->bss, bvci, now);
    const struct radio *radio = bss_radio_get(e->bss, bvci);
    json_t *object = json_object();
    fields_put_count(object, "bvci", bvci);
    fields_put(object, "is_up", json_boolean(bss_is_up(e->bss, bvci)));
    fields_put(object, "down", way_of(radio, RADIO_DOWN));
    fields_put(object, "up", way_of(radio, RADIO_UP));
    fields_put_count(object, "preemptions", calls.preemptions);
    fields_put_seconds(object, "preempted_s", calls.preempted_ns);
    return object;
}

static json_t *mobile_of(const struct emulate_mobile *mobile)
{
    char tlli[9];
    json_t *object = json_object();
    snprintf(tlli, sizeof(tlli), "%08x", mobile->config->tlli);
    fields_put(object, "tlli", json_string(tlli));
    fields_put(object, "address", fields_ip(mobile->config->address));
    fields_put_count(object, "down_npdus", mobile->down_npdus);
    fields_put_count(object, "down_octets", mobile->down_octets);
    fields_put_count(object, "up_npdus", mobile->up_npdus);
    fields_put_count(object, "up_octets", mobile->up_octets);
    fields_put_count(object, "holes", mobile->stack.holes);
    fields_put_count(object, "bad_frames", mobile->stack.bad_frames);
    fields_put_count(object, "xids", mobile->xids);
    fields_put_count(object, "unwritten", mobile->unwritten);
    fields_put_count(object, "unsent", mobile->unsent);
    return object;
}

bool emulate_report_write(const struct emulate *e, const char *path)
{
    int64_t now = clock_now_ns() - e->start_ns;
    json_t *root = json_object(), *cells = json_array(), *mobiles = json_array();
    for (uint32_t i = 0; i < e->config.cell_count; i++)
        json_array_append_new(cells, cell_of(e, i, now));
    for (uint32_t i = 0; i < e->config.mobile_count; i++)
        json_array_append_new(mobiles, mobile_of(&e->mobiles[i]));
    fields_put(root, "schema", json_string("gbflow-emulate/1"));
    fields_put_seconds(root, "duration_s", now);
    fields_put(root, "gb", gb_of(e));
    fields_put(root, "cells", cells);
    fields_put(root, "mobiles", mobiles);
    fields_put_count(root, "unknown_mobile", e->unknown_mobile);
    fields_put_count(root, "strays", e->strays);
    fields_put_count(root, "uplink_lost", e->uplink_lost);
    return fields_write(root, path);
}
