/* SPDX-License-Identifier: BSD-3-Clause */
/* UDP of a run: what became of the packets of each cbr or trace item. */
#include "app/run/summary.h"

struct datagrams {
    const char *mobile, *way;
    unsigned item;
    struct app_cbr_record record;
    uint64_t lost;
    int64_t mean_ns, max_ns;
};

static struct datagrams datagrams_of(const struct run_app *app)
{
    const struct app_cbr_record *record = app_cbr_record(app->cbr);
    bool has_delay = record->received > 0;
    return (struct datagrams){
        .mobile = app->mobile->config->name,
        .way = app->config->cbr.is_uplink ? "up" : "down",
        .item = app->number,
        .record = *record,
        .lost = record->sent - record->received,
        .mean_ns = has_delay ? record->delay_sum_ns / (int64_t)record->received : MOMENT_NEVER,
        .max_ns = has_delay ? record->delay_max_ns : MOMENT_NEVER,
    };
}

void summary_each_datagrams(const void *record, struct field_sink *sink)
{
    struct run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        if (r->apps[i].config->kind != SCENARIO_CONFIG_CBR)
            continue;
        const struct datagrams datagrams = datagrams_of(&r->apps[i]);
        field_put(sink, NULL, &datagrams);
    }
}

static const struct field delays[] = {
    FIELD(struct datagrams, GAUGE, "mean", "seconds", mean_ns, "Mean."),
    FIELD(struct datagrams, GAUGE, "max", "seconds", max_ns, "Largest value."),
    FIELD_END,
};

const struct field summary_datagrams[] = {
    FIELD(struct datagrams, LABEL, "mobile", "", mobile, "Name of the mobile."),
    FIELD(struct datagrams, LABEL, "item", "", item, "Its traffic item, counted from 0."),
    FIELD(struct datagrams, LABEL, "way", "", way, "down: to the mobile; up: from the mobile."),
    FIELD(struct datagrams, COUNTER, "sent", "packets", record.sent, "UDP packets sent."),
    FIELD(struct datagrams, COUNTER, "received", "packets", record.received, "UDP packets received."),
    FIELD(struct datagrams, COUNTER, "octets", "octets", record.received_octets, "UDP payload received."),
    FIELD(struct datagrams, GAUGE, "not_received", "packets", lost,
          "sent less received: lost, or on their way at the end."),
    FIELD(struct datagrams, COUNTER, "out_of_order", "packets", record.out_of_order,
          "Packets received behind one that was sent later."),
    FIELD_INSIDE(OBJECT, "delay_s", 0, delays,
                 "Delay of the packets received in the whole run; null without one."),
    FIELD_END,
};
