/* SPDX-License-Identifier: BSD-3-Clause */
/* Scripts of exchanges (sim/app_script.h), their times and those of their pages. */
#include "app/run/summary.h"
#include "app/run/traffic_connection.h"

#include "sim/app_script.h"

#include <math.h>
#include <stdio.h>

struct settings {
    bool is_again;
};

static const struct lua_field script_fields[] = {LUA_FIELD_OF(struct settings, is_again, "again"), {0}};

static void *start_script(struct run_app *app)
{
    const struct scenario_config_traffic *item = app->config;
    const struct scenario_run *r = app->mobile->run;
    const struct settings *settings = item->settings;
    struct app_script_config config = {
        .mobile = app->mobile->host,
        .server = r->server,
        .server_port = traffic_port(app),
        .script = &r->scenario.scripts[item->script - 1].script,
        .is_again = settings->is_again,
        .start_ns = r->begin_ns + item->start_ns,
        .stop_ns = r->begin_ns + item->stop_ns,
        .mobile_tcp = item->tcp,
        .server_tcp = item->tcp,
        .observer = traffic_connection_observer(app),
    };
    return app_script_new(&config);
}

static void end_script(const struct run_app *app)
{
    app_script_free(app->model);
}

static bool record_of(const struct run_app *app, struct app_record_tcp *out)
{
    return app_script_connections(app->model, out);
}

static void add_pages(const struct run_app *app, enum page_end end, struct page_times *times)
{
    const struct scenario_run *r = app->mobile->run;
    const struct app_script_record record = app_script_record(app->model);
    for (size_t i = 0; i < record.page_count; i++) {
        const struct app_script_page *page = &record.pages[i];
        int64_t end_ns = end == PAGE_END_FIRST ? page->first_ns : page->end_ns;
        bool is_finished = end_ns != MOMENT_NEVER;
        if (page->start_ns >= r->begin_ns + r->scenario.warmup_ns)
            page_times_add(times, (struct page_time){(is_finished ? end_ns : r->end_ns) - page->start_ns,
                                                     page->octets, is_finished});
    }
}

static uint32_t add_answers(const struct run_app *app, struct samples *times)
{
    const struct scenario_run *r = app->mobile->run;
    const struct exchanges *x = app_script_record(app->model).exchanges;
    uint32_t begun = 0;
    for (uint32_t i = 0; i < x->count; i++) {
        if (x->began_ns[i] < r->begin_ns + r->scenario.warmup_ns)
            continue;
        begun++;
        if (x->took_ns[i] >= 0)
            samples_add(times, x->took_ns[i]);
    }
    return begun;
}

/* --- results --- */

struct scripts {
    const char *mobile;
    unsigned item;
    uint64_t begun, done;
    struct app_script_record record;
    struct quantiles times;
};

static struct scripts scripts_of(const struct run_app *app)
{
    struct scripts all = {app->mobile->config->name, app->number, .record = app_script_record(app->model)};
    struct samples times = {0};
    all.begun = add_answers(app, &times);
    all.done = times.count;
    all.times = quantiles_of(&times);
    samples_free(&times);
    return all;
}

static const char *seconds(int64_t ns, char out[16])
{
    snprintf(out, 16, "%.3f s", (double)ns / MOMENT_SECOND);
    return ns == MOMENT_NEVER ? "-" : out;
}

static void print_script(const struct run_app *app)
{
    const struct scripts all = scripts_of(app);
    struct app_record_tcp record;
    char p50[16], p95[16];
    printf("%-14s  script: %lu of %lu exchanges done, median %s, p95 %s", all.mobile, (unsigned long)all.done,
           (unsigned long)all.begun, seconds(all.times.p50_ns, p50), seconds(all.times.p95_ns, p95));
    traffic_connection_print_rtt(record_of(app, &record) ? &record : NULL);
}

static void put_scripts(const struct run_app *app, struct field_sink *sink)
{
    const struct scripts all = scripts_of(app);
    field_put(sink, NULL, &all);
}

static void each_scripts(const void *record, struct field_sink *sink)
{
    traffic_put_all(((const struct summary *)record)->run, sink, put_scripts);
}

static const struct field scripts_fields[] = {
    FIELD(struct scripts, LABEL, "mobile", "", mobile, "Name of the mobile."),
    FIELD(struct scripts, LABEL, "item", "", item, "Its traffic item, counted from 0."),
    FIELD(struct scripts, COUNTER, "begun", "exchanges", begun, "Exchanges begun after the warm-up."),
    FIELD(struct scripts, COUNTER, "done", "exchanges", done, "Of begun, those that are done."),
    FIELD(struct scripts, COUNTER, "rounds", "rounds", record.rounds,
          "How often the script has begun, in the whole run, the warm-up included."),
    FIELD(struct scripts, COUNTER, "repeated", "exchanges", record.repeated,
          "Attempts after 1 s, as a connection ended early or found no room, in the whole run, the warm-up "
          "included."),
    FIELD_INSIDE(OBJECT, "exchange_s", offsetof(struct scripts, times), quantiles_whole,
                 "Time of done: from the beginning of an exchange until the mobile has the response, or, "
                 "without one, the ACK of its request; null without one."),
    FIELD_END,
};

const struct app_ops traffic_script = {
    .name = "script",
    .settings = script_fields,
    .settings_octets = sizeof(struct settings),
    .has_script = true,
    .has_many = true,
    .start = start_script,
    .end = end_script,
    .print = print_script,
    .record = record_of,
    .add_pages = add_pages,
    .add_answers = add_answers,
    .put = put_scripts,
    .results = {FIELD_INSIDE(LIST, "scripts", 0, scripts_fields, "A script item.", .each = each_scripts,
                             .is_optional = true, .when = "with script items")},
};
