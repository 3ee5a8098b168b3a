/* SPDX-License-Identifier: BSD-3-Clause */
/* Web pages (sim/app_web.h) and their page times. */
#include "app/run/summary.h"
#include "app/run/traffic_connection.h"

#include "sim/app_web.h"

#include <stdio.h>

#define WEB(member, key) LUA_FIELD_OF(struct app_web_config, member, key)

static const struct lua_field web_fields[] = {
    WEB(pages, "pages"),
    WEB(request_octets, "request"),
    WEB(page_octets, "page"),
    WEB(items, "items"),
    WEB(item_octets, "item"),
    LUA_FIELD_AS(U32S, struct app_web_config, sizes, "sizes"),
    WEB(parallel, "parallel"),
    WEB(is_persistent, "persistent"),
    WEB(is_close_awaited, "close_awaited"),
    WEB(reading_ns, "reading"),
    LUA_FIELD_WORDS(IS_WORD, struct app_web_config, is_reading_exponential, "reading_law", "exponential"),
    {0}};

static void *start_web(struct run_app *app)
{
    const struct scenario_config_traffic *item = app->config;
    const struct scenario_run *r = app->mobile->run;
    struct app_web_config config = *(const struct app_web_config *)item->settings;
    config.mobile = app->mobile->host;
    config.server = r->server;
    config.server_port = traffic_port(app);
    config.quic = item->quic;
    config.seed = r->scenario.seed;
    config.stream = traffic_stream(app);
    config.start_ns = r->begin_ns + item->start_ns;
    config.stop_ns = r->begin_ns + item->stop_ns;
    config.mobile_tcp = config.server_tcp = item->tcp;
    config.observer = traffic_connection_observer(app);
    return traffic_connection_quic(app, &config.port) ? app_web_new(&config) : NULL;
}

static void end_web(const struct run_app *app)
{
    app_web_free(app->model);
}

static bool record_of(const struct run_app *app, struct app_record_tcp *out)
{
    return app_web_record(app->model, out);
}

static void add_pages(const struct run_app *app, enum page_end end, struct page_times *times)
{
    size_t count;
    const struct scenario_run *r = app->mobile->run;
    const struct app_web_page *pages = app_web_pages(app->model, &count);

    for (size_t i = 0; i < count; i++) {
        int64_t end_ns = end == PAGE_END_FIRST ? pages[i].first_ns : pages[i].end_ns;
        bool is_finished = end_ns != MOMENT_NEVER;
        if (pages[i].start_ns < r->begin_ns + r->scenario.warmup_ns)
            continue;
        page_times_add(times, (struct page_time){(is_finished ? end_ns : r->end_ns) - pages[i].start_ns,
                                                 pages[i].octets, is_finished});
    }
}

static const char *page_quantile(struct page_times *times, unsigned percent, char out[16])
{
    int64_t ns = page_times_quantile_ns(times, percent);
    snprintf(out, 16, "%.3f s", (double)ns / MOMENT_SECOND);
    return ns == MOMENT_NEVER ? "not reached" : out;
}

static void print_web(const struct run_app *app)
{
    struct page_times times = {0}, firsts = {0};
    struct app_record_tcp record;
    char p50[16], p95[16], first[16];

    add_pages(app, PAGE_END_LAST, &times);
    add_pages(app, PAGE_END_FIRST, &firsts);
    printf("%-14s  web: %zu pages, %zu unfinished, median %s, p95 %s\n", app->mobile->config->name,
           times.count, times.unfinished, page_quantile(&times, 50, p50), page_quantile(&times, 95, p95));
    printf("%-14s  web: first object p95 %s", app->mobile->config->name, page_quantile(&firsts, 95, first));
    traffic_connection_print_rtt(record_of(app, &record) ? &record : NULL);
    page_times_free(&times);
    page_times_free(&firsts);
}

/* --- results --- */

struct page {
    const char *mobile;
    uint64_t octets;
    int64_t start_ns, first_ns, time_ns;
};

static int64_t since(const struct app_web_page *page, int64_t at_ns)
{
    return at_ns == MOMENT_NEVER ? MOMENT_NEVER : at_ns - page->start_ns;
}

static void put_pages(const struct run_app *app, struct field_sink *sink)
{
    size_t count;
    const struct app_web_page *pages = app_web_pages(app->model, &count);
    for (size_t i = 0; i < count; i++) {
        const struct page page = {
            .mobile = app->mobile->config->name,
            .octets = pages[i].octets,
            .start_ns = pages[i].start_ns - app->mobile->run->begin_ns,
            .first_ns = since(&pages[i], pages[i].first_ns),
            .time_ns = since(&pages[i], pages[i].end_ns),
        };
        field_put(sink, NULL, &page);
    }
}

static void each_page(const void *record, struct field_sink *sink)
{
    traffic_put_all(((const struct summary *)record)->run, sink, put_pages);
}

#define SECONDS(name, member, sentence) FIELD(struct page, GAUGE, name, "seconds", member, sentence)

static const struct field page_fields[] = {
    FIELD(struct page, LABEL, "mobile", "", mobile, "Name of the mobile."),
    SECONDS("start_s", start_ns, "When the page was requested."),
    FIELD(struct page, GAUGE, "octets", "octets", octets,
          "Octets of the main object and the items that arrived."),
    SECONDS("first_s", first_ns, "From the request to the last octet of the main object; null without that."),
    SECONDS("time_s", time_ns,
            "Page time: from the request to the last octet; null for an unfinished page. Pages of the whole "
            "run, the warm-up included."),
    FIELD_END,
};

const struct app_ops traffic_web = {
    .name = "web",
    .settings = web_fields,
    .settings_octets = sizeof(struct app_web_config),
    .has_many = true,
    .start = start_web,
    .end = end_web,
    .print = print_web,
    .record = record_of,
    .add_pages = add_pages,
    .put = put_pages,
    .results =
        {
            FIELD_INSIDE(LIST, "pages", 0, page_fields, "A page of a web item.", .each = each_page),
            FIELD_INSIDE(OBJECT, "page_time_s", offsetof(struct summary, page_times), page_times_fields,
                         "Page time of all classes together, as of a class."),
        },
};
