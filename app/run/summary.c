/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/summary.h"

#include "control/base/command.h"
#include "control/report/field.h"
#include "control/report/node_fields.h"

#define SCHEMA "gbflow-summary/2"

/* --- the record --- */

static uint64_t link_rate_bps(const struct run *r)
{
    uint64_t rate_bps = 0;
    for (uint32_t i = 0; i < r->node.config.nse_count; i++)
        rate_bps += r->node.config.nses[i].link.rate_bps;
    return rate_bps;
}

/* Octets that left over links with a rate, of all that their rates allow in the time; NaN without a rate. */
static double gb_utilisation(const struct run *r)
{
    double seconds = (double)r->scenario.duration_ns / MOMENT_SECOND;
    uint64_t sent_octets = 0, rate_bps = link_rate_bps(r);

    for (uint32_t i = 0; i < r->node.config.nse_count; i++)
        sent_octets += r->node.workers[r->node.config.nses[i].worker]->context.nses[i].sched.sent_octets;
    return rate_bps > 0 ? (double)sent_octets * 8 / ((double)rate_bps * seconds) : NAN;
}

static struct summary_account bss_account(const struct run *r)
{
    struct summary_account sum = {0};
    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct bss_account *a = &r->mobiles[i].account;
        sum.in += a->in;
        sum.out += a->out;
        sum.queued += bss_account_queued(a);
        for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
            sum.dropped += a->dropped[end];
    }
    return sum;
}

bool run_summary_write(struct run *r, const char *path)
{
    struct summary_page_times times = summary_page_times(r, QCLASS_COUNT);
    const char *slash = strrchr(r->options->scenario, '/');
    uint64_t rate_bps = link_rate_bps(r);
    const struct summary record = {
        .run = r,
        .schema = SCHEMA,
        .version = version_text(),
        .scenario = slash ? slash + 1 : r->options->scenario,
        .title = r->scenario.title,
        .seed = r->scenario.seed,
        .duration_ns = r->scenario.duration_ns,
        .warmup_ns = r->scenario.warmup_ns,
        .node = node_fields_of(&r->node),
        .page_times = quantiles_of(&times.times),
        .gb = {rate_bps > 0 ? rate_bps : FIELD_NONE, gb_utilisation(r)},
        .bss = bss_account(r),
    };
    samples_free(&times.times);
    return field_json_write(summary, &record, path);
}

/* --- its fields --- */

struct set {
    const char *path, *value;
};

static void each_set(const void *record, struct field_sink *sink)
{
    const struct scenario_config *scenario = &((const struct summary *)record)->run->scenario;
    for (uint32_t i = 0; i < scenario->set_count; i++) {
        const struct set set = {scenario->sets[i].path, scenario->sets[i].value};
        field_put(sink, NULL, &set);
    }
}

static const struct field sets[] = {
    FIELD(struct set, LABEL, "path", "", path, "Path of the key."),
    FIELD(struct set, LABEL, "value", "", value, "Its value, as it was written."),
    FIELD_END,
};

struct assumption {
    const char *path, *value, *why, *holds_over;
};

static void each_assumption(const void *record, struct field_sink *sink)
{
    const struct scenario_config *scenario = &((const struct summary *)record)->run->scenario;
    for (uint32_t i = 0; i < scenario->assumption_count; i++) {
        const struct scenario_config_assumption *a = &scenario->assumptions[i];
        const struct assumption assumption = {a->path, a->value, a->why, a->holds_over};
        field_put(sink, NULL, &assumption);
    }
}

static const struct field assumptions[] = {
    FIELD(struct assumption, LABEL, "path", "", path, "Path of the key in the scenario."),
    FIELD(struct assumption, LABEL, "value", "", value, "Its value, as text."),
    FIELD(struct assumption, LABEL, "why", "", why, "Why this value was chosen."),
    FIELD(struct assumption, LABEL, "holds_over", "", holds_over,
          "Range of values over which the result holds."),
    FIELD_END,
};

static const struct field gb[] = {
    WORKER_FIELD(struct summary, "llc_frames", node.stats, llc_frames),
    FIELD(struct summary, GAUGE, "rate_bps", "bit/s", gb.rate_bps,
          "Rate of the Gb links (sgsn.gb.rate); null without one."),
    FIELD(struct summary, GAUGE, "utilisation", "ratio", gb.utilisation,
          "Octets of NS-PDUs with N-PDUs sent, with gb.overhead_octets, by what the links' rates allow in "
          "the whole run; the "
          "bucket's first burst can make it more than 1; null without a rate."),
    WORKER_FIELD(struct summary, "signalling_lost", node.stats, gb_signalling_lost),
    FIELD_END,
};

static const struct field bss[] = {
    FIELD(struct summary_account, COUNTER, "in", "N-PDUs", in, "N-PDUs whose first segment reached the BSS."),
    FIELD(struct summary_account, COUNTER, "out", "N-PDUs", out, "N-PDUs delivered whole to their mobile."),
    FIELD(struct summary_account, COUNTER, "dropped", "N-PDUs", dropped,
          "N-PDUs dropped in the BSS, each counted once."),
    FIELD(struct summary_account, GAUGE, "queued", "N-PDUs", queued, "N-PDUs in the BSS at the end."),
    FIELD_END,
};

static const struct field conservation[] = {
    FIELD_INSIDE(OBJECT, "sgsn", offsetof(struct summary, node.totals), node_fields_npdus,
                 "N-PDUs of the SGSN: in = out + dropped + queued."),
    FIELD_INSIDE(OBJECT, "bss", offsetof(struct summary, bss), bss,
                 "N-PDUs of the BSS: in = out + dropped + queued."),
    FIELD_END,
};

#define LABEL(name, member, sentence) FIELD(struct summary, LABEL, name, "", member, sentence)

const struct field summary[] = {
    FIELDS_OF_ORIGIN(struct summary, SCHEMA),
    LABEL("scenario", scenario, "Name of the scenario's file."),
    LABEL("title", title, "Title of the scenario."),
    LABEL("seed", seed, "Seed of the run (--seed)."),
    FIELD_INSIDE(LIST, "set", 0, sets, "A key changed by --set, in the order of the command line.",
                 .each = each_set),
    FIELD(struct summary, GAUGE, "duration_s", "seconds", duration_ns, "Virtual time of the run."),
    FIELD(struct summary, GAUGE, "warmup_s", "seconds", warmup_ns,
          "Time at the beginning that delays, sojourns, goodputs and page times leave out."),
    FIELD_INSIDE(LIST, "assumptions", 0, assumptions, "A value that the scenario marks as assumed.",
                 .each = each_assumption),
    FIELD_INSIDE(MAP, "classes", 0, summary_classes,
                 "A traffic class that has a mobile: signalling, sms, conversational, streaming, thp1, thp2, "
                 "thp3, background.",
                 .each = summary_each_class, .label = "CLASS"),
    FIELD_INSIDE(LIST, "mobiles", 0, summary_mobiles, "A mobile, in the order of the scenario.",
                 .each = summary_each_mobile),
    FIELD_INSIDE(LIST, "tcp", 0, summary_tcp,
                 "A download or upload, or all connections of a web item together.",
                 .each = summary_each_connection),
    FIELD_INSIDE(LIST, "pages", 0, summary_pages, "A page of a web item.", .each = summary_each_page),
    FIELD_INSIDE(OBJECT, "page_time_s", offsetof(struct summary, page_times), quantiles_pages,
                 "Page time of all classes together, as of a class."),
    FIELD_INSIDE(LIST, "ping", 0, summary_pings, "A ping item.", .each = summary_each_ping),
    FIELD_INSIDE(LIST, "datagrams", 0, summary_datagrams, "A cbr or trace item.",
                 .each = summary_each_datagrams, .is_optional = true, .when = "with cbr or trace items"),
    FIELD_INSIDE(MAP, "cells", 0, summary_cells, "A cell, by its BVCI.", .each = summary_each_cell,
                 .label = "BVCI"),
    FIELD_ROWS(offsetof(struct summary, node), node_fields),
    FIELD_ROWS(offsetof(struct summary, node), node_fields_signalling),
    FIELD_INSIDE(OBJECT, "gb", 0, gb, "The Gb links of all NSEs together."),
    FIELD_INSIDE(LIST, "pacing", 0, summary_pacing, "TCP of the mobiles of a worker.",
                 .each = summary_each_pacing, .is_optional = true, .when = "with sgsn.queues.pacing"),
    FIELD_INSIDE(OBJECT, "conservation", 0, conservation, "Where all N-PDUs are at the end of the run."),
    FIELD_END,
};
