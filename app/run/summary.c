/* SPDX-License-Identifier: BSD-3-Clause */
/* summary.json of a run; fields and definitions: docs/run.md. */
#include "app/run/run.h"

#include "control/base/utf8.h"
#include "control/report/aqm_fields.h"
#include "control/report/fields.h"
#include "control/report/fields_workers.h"
#include "control/report/llc_fields.h"
#include "control/report/path_report.h"
#include "control/report/totals.h"

#define SCHEMA "gbflow-summary/2"

/* --- pages --- */

/* Page times of one class, or of all (QCLASS_COUNT): finished ones, and how old unfinished ones are already.
 */
struct page_times {
    struct samples times;
    double rate_sum_bps; /* of finished ones */
    uint64_t finished;
};

static void add_pages(struct run *r, const struct run_app *app, struct page_times *out)
{
    size_t count;
    const struct app_web_page *pages = app_web_pages(app->web, &count);

    for (size_t i = 0; i < count; i++) {
        if (pages[i].start_ns < r->begin_ns + r->scenario.warmup_ns)
            continue;
        bool is_finished = pages[i].end_ns != MOMENT_NEVER;
        int64_t time_ns = (is_finished ? pages[i].end_ns : r->now) - pages[i].start_ns;
        samples_add(&out->times, time_ns);
        if (is_finished && time_ns > 0) {
            out->finished++;
            out->rate_sum_bps += (double)pages[i].octets * 8 * MOMENT_SECOND / (double)time_ns;
        }
    }
}

static struct page_times page_times_of(struct run *r, int qclass)
{
    struct page_times times = {.finished = 0};
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        if (app->config->kind == SCENARIO_CONFIG_WEB &&
            (qclass == QCLASS_COUNT || app->mobile->config->qclass == qclass))
            add_pages(r, app, &times);
    }
    return times;
}

static json_t *page_quantiles(struct page_times *times)
{
    json_t *object = fields_quantiles(&times->times, false);
    json_object_del(object, "max");
    return object;
}

static void list_pages(struct run *r, const struct run_app *app, json_t *list)
{
    size_t count;
    const struct app_web_page *pages = app_web_pages(app->web, &count);

    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();
        fields_put(object, "mobile", json_string(app->mobile->config->name));
        fields_put_seconds(object, "start_s", pages[i].start_ns - r->begin_ns);
        fields_put_count(object, "octets", pages[i].octets);
        if (pages[i].end_ns == MOMENT_NEVER)
            fields_put(object, "time_s", json_null());
        else
            fields_put_seconds(object, "time_s", pages[i].end_ns - pages[i].start_ns);
        json_array_append_new(list, object);
    }
}

static json_t *pages(struct run *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        if (r->apps[i].config->kind == SCENARIO_CONFIG_WEB)
            list_pages(r, &r->apps[i], list);
    return list;
}

/* --- connections and pings --- */

static json_t *connection(struct run *r, const struct run_app *app, const struct app_record_tcp *record)
{
    json_t *object = json_object(), *rtt = json_object();
    char name[SCENARIO_CONFIG_NAME_CHARS + 16];
    double sent = (double)record->sent_octets;

    snprintf(name, sizeof(name), "%s#%u", app->mobile->config->name, app->number);
    fields_put(object, "mobile", json_string(app->mobile->config->name));
    fields_put(object, "connection", json_string(name));
    fields_put_count(object, "octets", record->octets);
    fields_put_seconds(object, "start_s", record->start_ns - r->begin_ns);
    fields_put_seconds(object, "end_s", record->end_ns - r->begin_ns);
    fields_put_count(object, "goodput_bps", app_record_goodput_bps(record, record->end_ns));
    fields_put(object, "retransmitted_fraction",
               sent > 0 ? json_real((double)record->retransmitted_octets / sent) : json_null());
    fields_put_count(object, "timeouts", record->timeouts);
    if (record->rtt_count > 0) {
        fields_put_seconds(rtt, "avg", record->rtt_sum_ns / (int64_t)record->rtt_count);
        fields_put_seconds(rtt, "max", record->rtt_max_ns);
    } else {
        fields_put(rtt, "avg", json_null());
        fields_put(rtt, "max", json_null());
    }
    fields_put(object, "rtt_s", rtt);
    return object;
}

static json_t *connections(struct run *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        struct app_record_tcp record;
        bool has_record = false;
        if (app->config->kind == SCENARIO_CONFIG_DOWNLOAD)
            has_record = app_download_record(app->download, &record);
        else if (app->config->kind == SCENARIO_CONFIG_WEB)
            has_record = app_web_record(app->web, &record);
        if (has_record)
            json_array_append_new(list, connection(r, app, &record));
    }
    return list;
}

static json_t *ping(const struct run_app *app)
{
    json_t *object = json_object(), *rtt;
    struct samples samples = {0};
    uint32_t sent;
    const int64_t *rtts_ns = app_ping_rtts_ns(app->ping, &sent);
    int64_t least_ns = MOMENT_NEVER;

    for (uint32_t i = 0; i < sent; i++) {
        if (rtts_ns[i] < 0)
            continue;
        samples_add(&samples, rtts_ns[i]);
        least_ns = moment_min(least_ns, rtts_ns[i]);
    }
    fields_put(object, "mobile", json_string(app->mobile->config->name));
    fields_put_count(object, "sent", sent);
    fields_put_count(object, "received", samples.count);
    rtt = fields_quantiles(&samples, false);
    if (samples.count > 0) {
        fields_put_seconds(rtt, "avg", samples_mean_ns(&samples));
        fields_put_seconds(rtt, "min", least_ns);
    } else {
        fields_put(rtt, "avg", json_null());
        fields_put(rtt, "min", json_null());
    }
    fields_put(object, "rtt_s", rtt);
    samples_free(&samples);
    return object;
}

static json_t *pings(struct run *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        if (r->apps[i].config->kind == SCENARIO_CONFIG_PING)
            json_array_append_new(list, ping(&r->apps[i]));
    return list;
}

/* --- classes and mobiles --- */

static json_t *goodput(const struct run_class *class, const struct page_times *times)
{
    json_t *object = json_object();
    fields_put(object, "per_user_mean", json_real(class->goodput_mean_bps));
    fields_put(object, "total", json_real(class->goodput_total_bps));
    fields_put(object, "page_mean",
               times->finished ? json_real(times->rate_sum_bps / (double)times->finished) : json_null());
    return object;
}

static json_t *class_of(struct run *r, int qclass)
{
    struct run_class *class = &r->classes.of[qclass];
    struct page_times times = page_times_of(r, qclass);
    json_t *object = json_object(), *fairness = json_object();

    fields_put_count(object, "mobiles", class->mobiles);
    fields_put_count(object, "npdu_in", class->npdu_in);
    fields_put_count(object, "npdu_out", class->npdu_out);
    fields_put_count(object, "marks", class->marks);
    fields_put_count(object, "octets_out", class->octets_out);
    fields_put(object, "share", json_real(class->share));
    fields_put(object, "drops", fields_drops(class->drops, true));
    fields_put(object, "delay_s", fields_quantiles(&class->delays, true));
    fields_put(object, "sojourn_s", fields_quantiles(&class->sojourns, true));
    fields_put(object, "goodput_bps", goodput(class, &times));
    fields_put(object, "page_time_s", page_quantiles(&times));
    fields_put(fairness, "worst_user", json_real(class->worst_user));
    fields_put(fairness, "jain", json_real(class->jain));
    fields_put(object, "fairness", fairness);
    samples_free(&times.times);
    return object;
}

static json_t *classes(struct run *r)
{
    json_t *object = json_object();
    for (int i = 0; i < QCLASS_COUNT; i++)
        if (r->classes.of[i].mobiles > 0)
            fields_put(object, qclass_name((enum qclass)i), class_of(r, i));
    return object;
}

static json_t *mobiles(struct run *r)
{
    json_t *list = json_array();
    double seconds = (double)(r->scenario.duration_ns - r->scenario.warmup_ns) / MOMENT_SECOND;

    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        struct run_mobile *mobile = &r->mobiles[i];
        json_t *object = json_object();
        fields_put(object, "mobile", json_string(mobile->config->name));
        fields_put(object, "class", json_string(qclass_name(mobile->config->qclass)));
        fields_put_count(object, "npdu_in", mobile->stats.npdu_in);
        fields_put_count(object, "npdu_out", mobile->stats.npdu_out);
        fields_put(object, "drops", fields_drops(mobile->stats.drops, true));
        fields_put(object, "delay_s", fields_quantiles(&mobile->stats.delays, true));
        fields_put(object, "goodput_bps", json_real((double)mobile->stats.goodput_octets * 8 / seconds));
        json_array_append_new(list, object);
    }
    return list;
}

/* --- cells, accounts --- */

static json_t *cell_of(struct run *r, uint32_t i)
{
    const struct radio *radio = run_radio(r, i);
    const struct radio_stats *stats = radio_stats_get(radio, RADIO_DOWN);
    json_t *object = json_object(), *drops = json_object();
    uint64_t ends[BSS_ACCOUNT_ENDS] = {0};

    for (uint32_t m = 0; m < r->scenario.mobile_count; m++)
        for (int end = 0; end < BSS_ACCOUNT_ENDS && r->mobiles[m].config->cell == i; end++)
            ends[end] += r->mobiles[m].account.dropped[end];
    for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
        fields_put_count(drops, bss_account_name((enum bss_account_end)end), ends[end]);
    uint64_t possible = radio_possible_blocks(radio, r->begin_ns, r->end_ns);
    fields_put(object, "air_utilisation", json_real((double)stats->blocks / (double)possible));
    fields_put_count(object, "bss_queue_octets_max", stats->queued_max_octets);
    fields_put(object, "drops", drops);
    fields_put(object, "calls", run_calls_fields(r, i));
    return object;
}

static json_t *cells(struct run *r)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < r->scenario.cell_count; i++) {
        char bvci[8];
        snprintf(bvci, sizeof(bvci), "%u", r->scenario.cells[i].bvci);
        fields_put(object, bvci, cell_of(r, i));
    }
    return object;
}

static json_t *account(uint64_t in, uint64_t out, uint64_t dropped, uint64_t queued)
{
    json_t *object = json_object();
    fields_put_count(object, "in", in);
    fields_put_count(object, "out", out);
    fields_put_count(object, "dropped", dropped);
    fields_put_count(object, "queued", queued);
    return object;
}

static json_t *conservation(struct run *r)
{
    struct totals sgsn = totals_of_all(r->node.workers, r->node.worker_count);
    uint64_t in = 0, out = 0, dropped = 0, queued = 0;
    json_t *object = json_object();

    for (uint32_t i = 0; i < r->scenario.mobile_count; i++) {
        const struct bss_account *a = &r->mobiles[i].account;
        in += a->in;
        out += a->out;
        queued += bss_account_queued(a);
        for (int end = 0; end < BSS_ACCOUNT_ENDS; end++)
            dropped += a->dropped[end];
    }
    fields_put(object, "sgsn", account(sgsn.in, sgsn.out, sgsn.dropped, sgsn.queued));
    fields_put(object, "bss", account(in, out, dropped, queued));
    return object;
}

static uint64_t link_rate_bps(const struct run *r)
{
    uint64_t rate_bps = 0;
    for (uint32_t i = 0; i < r->node.config.nse_count; i++)
        rate_bps += r->node.config.nses[i].link.rate_bps;
    return rate_bps;
}

/* Octets that left over links with a rate, of all that their rates allow in the time. */
static json_t *gb_utilisation(const struct run *r)
{
    double seconds = (double)r->scenario.duration_ns / MOMENT_SECOND;
    uint64_t sent_octets = 0, rate_bps = link_rate_bps(r);

    for (uint32_t i = 0; i < r->node.config.nse_count; i++)
        sent_octets += r->node.workers[r->node.config.nses[i].worker]->context.nses[i].sched.sent_octets;
    return rate_bps > 0 ? json_real((double)sent_octets * 8 / ((double)rate_bps * seconds)) : json_null();
}

static json_t *gb(const struct run *r, const struct worker_stats *stats)
{
    uint64_t rate_bps = link_rate_bps(r);
    json_t *object = json_object();

    fields_put_count(object, "llc_frames", stats->llc_frames);
    fields_put(object, "rate_bps", rate_bps > 0 ? json_integer((json_int_t)rate_bps) : json_null());
    fields_put(object, "utilisation", gb_utilisation(r));
    fields_put_count(object, "signalling_lost", stats->gb_signalling_lost);
    return object;
}

/* --- the whole --- */

static json_t *assumptions(struct run *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->scenario.assumption_count; i++) {
        const struct scenario_config_assumption *a = &r->scenario.assumptions[i];
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "path", utf8_json(a->path), "value",
                                              utf8_json(a->value), "why", utf8_json(a->why), "holds_over",
                                              utf8_json(a->holds_over)));
    }
    return list;
}

static json_t *sets(struct run *r)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < r->scenario.set_count; i++)
        json_array_append_new(list, json_pack("{s:o, s:o}", "path", utf8_json(r->scenario.sets[i].path),
                                              "value", utf8_json(r->scenario.sets[i].value)));
    return list;
}

bool run_summary_write(struct run *r, const char *path)
{
    json_t *object = json_object();
    struct worker_stats stats = totals_stats(r->node.workers, r->node.worker_count);
    struct page_times times = page_times_of(r, QCLASS_COUNT);
    const char *slash = strrchr(r->options->scenario, '/');

    fields_put(object, "schema", json_string(SCHEMA));
    fields_put(object, "scenario", utf8_json(slash ? slash + 1 : r->options->scenario));
    fields_put(object, "title", utf8_json(r->scenario.title));
    fields_put_count(object, "seed", r->scenario.seed);
    fields_put(object, "set", sets(r));
    fields_put_seconds(object, "duration_s", r->scenario.duration_ns);
    fields_put_seconds(object, "warmup_s", r->scenario.warmup_ns);
    fields_put(object, "assumptions", assumptions(r));
    fields_put(object, "classes", classes(r));
    fields_put(object, "mobiles", mobiles(r));
    fields_put(object, "tcp", connections(r));
    fields_put(object, "pages", pages(r));
    fields_put(object, "page_time_s", page_quantiles(&times));
    fields_put(object, "ping", pings(r));
    fields_put(object, "cells", cells(r));
    fields_put(object, "aqm", aqm_fields(r->node.workers, r->node.worker_count));
    fields_put(object, "gn", fields_gn(&stats, r->node.sessions.lost));
    fields_put(object, "paths", path_report(&r->node.core));
    fields_put(object, "gb", gb(r, &stats));
    fields_put(object, "llc", llc_fields(&r->node.core, &stats));
    fields_put(object, "conservation", conservation(r));
    fields_workers_put(object, &r->node);
    samples_free(&times.times);
    return fields_write(object, path);
}
