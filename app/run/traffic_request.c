/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests of a mobile over UDP and the server's answers (sim/app_request.h). */
#include "app/run/summary.h"
#include "app/run/traffic.h"

#include "sim/app_request.h"

#include <math.h>
#include <stdio.h>

#define REQUEST(member, key) LUA_FIELD_OF(struct app_request_config, member, key)

static const struct lua_field request_fields[] = {
    REQUEST(interval_ns, "every"),
    LUA_FIELD_WORDS(IS_WORD, struct app_request_config, is_random, "interval_law", "exponential"),
    REQUEST(request_octets, "octets"),
    REQUEST(answer_octets, "answer"),
    REQUEST(count, "count"),
    REQUEST(is_confirmable, "confirmable"),
    REQUEST(timeout_ns, "timeout"),
    REQUEST(repeats, "repeats"),
    {0}};

static uint32_t packet_octets(const struct scenario_config_traffic *item)
{
    const struct app_request_config *config = item->settings;
    return config->request_octets > config->answer_octets ? config->request_octets : config->answer_octets;
}

static void on_answer(void *arg, int64_t now, uint32_t payload_octets, int64_t unused_took_ns)
{
    run_series_goodput(((const struct run_app *)arg)->mobile, payload_octets, now);
}

static void *start_request(struct run_app *app)
{
    const struct scenario_config_traffic *item = app->config;
    const struct scenario_run *r = app->mobile->run;
    struct app_request_config config = *(const struct app_request_config *)item->settings;
    config.mobile = app->mobile->host;
    config.server = r->server;
    config.port = traffic_port(app);
    config.content = item->content;
    config.seed = r->scenario.seed;
    config.stream = traffic_stream(app);
    config.start_ns = r->begin_ns + item->start_ns;
    config.stop_ns = r->begin_ns + item->stop_ns;
    config.arg = app;
    config.on_answer = on_answer;
    return app_request_new(&config);
}

static void end_request(const struct run_app *app)
{
    app_request_free(app->model);
}

/* --- results --- */

struct requests {
    const char *mobile;
    unsigned item;
    uint64_t sent, answered;
    double answered_share;
    struct app_request_record record;
    struct quantiles answers;
};

static uint32_t add_answers(const struct run_app *app, struct samples *times)
{
    const struct scenario_run *r = app->mobile->run;
    const struct app_request_record record = app_request_record(app->model);
    uint32_t sent = 0;
    for (uint32_t i = 0; i < record.sent; i++) {
        if (record.began_ns[i] < r->begin_ns + r->scenario.warmup_ns)
            continue;
        sent++;
        if (record.took_ns[i] >= 0)
            samples_add(times, record.took_ns[i]);
    }
    return sent;
}

static struct requests requests_of(const struct run_app *app)
{
    struct requests all = {app->mobile->config->name, app->number, .record = app_request_record(app->model)};
    struct samples times = {0};
    all.sent = add_answers(app, &times);
    all.answered = times.count;
    all.answered_share = all.sent > 0 ? (double)all.answered / (double)all.sent : NAN;
    all.answers = quantiles_of(&times);
    samples_free(&times);
    return all;
}

static const char *seconds(int64_t ns, char out[16])
{
    snprintf(out, 16, "%.3f s", (double)ns / MOMENT_SECOND);
    return ns == MOMENT_NEVER ? "-" : out;
}

static void print_request(const struct run_app *app)
{
    const struct requests all = requests_of(app);
    char p50[16], p95[16];
    printf("%-14s  request: %lu of %lu answered, %u repeated, median %s, p95 %s\n", all.mobile,
           (unsigned long)all.answered, (unsigned long)all.sent, all.record.repeated,
           seconds(all.answers.p50_ns, p50), seconds(all.answers.p95_ns, p95));
}

static void put_requests(const struct run_app *app, struct field_sink *sink)
{
    const struct requests all = requests_of(app);
    field_put(sink, NULL, &all);
}

static void each_requests(const void *record, struct field_sink *sink)
{
    traffic_put_all(((const struct summary *)record)->run, sink, put_requests);
}

static const struct field requests_fields[] = {
    FIELD(struct requests, LABEL, "mobile", "", mobile, "Name of the mobile."),
    FIELD(struct requests, LABEL, "item", "", item, "Its traffic item, counted from 0."),
    FIELD(struct requests, COUNTER, "sent", "requests", sent,
          "Requests begun after the warm-up, without repetitions."),
    FIELD(struct requests, COUNTER, "answered", "requests", answered,
          "Of sent, those whose answer came: of confirmable ones before they were given up."),
    FIELD(struct requests, GAUGE, "answered_share", "ratio", answered_share,
          "answered divided by sent; null if none was sent. A request whose answer is under way at the end "
          "counts "
          "as not answered."),
    FIELD(struct requests, COUNTER, "repeated", "requests", record.repeated,
          "Repetitions of requests sent in the whole run, the warm-up included (RFC 7252 section 4.2)."),
    FIELD(struct requests, COUNTER, "given_up", "requests", record.given_up,
          "Confirmable requests without an answer after the last repetition, in the whole run, the warm-up "
          "included."),
    FIELD_INSIDE(
        OBJECT, "answer_s", offsetof(struct requests, answers), quantiles_whole,
        "Answer time of answered: from the first sending of a request to its answer; null without one."),
    FIELD_END,
};

const struct app_ops traffic_request = {
    .name = "request",
    .settings = request_fields,
    .settings_octets = sizeof(struct app_request_config),
    .packet_octets = packet_octets,
    .start = start_request,
    .end = end_request,
    .print = print_request,
    .add_answers = add_answers,
    .put = put_requests,
    .results = {FIELD_INSIDE(LIST, "requests", 0, requests_fields, "A request item.", .each = each_requests,
                             .is_optional = true, .when = "with request items")},
};
