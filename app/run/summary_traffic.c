/* SPDX-License-Identifier: BSD-3-Clause */
/* The traffic in a summary: pages, connections and pings of a run. */
#include "app/run/summary.h"

#define SECONDS(record, name, member, sentence) FIELD(record, GAUGE, name, "seconds", member, sentence)

static void each_app(const void *record, enum scenario_config_kind kind, struct field_sink *sink,
                     void (*put)(struct scenario_run *r, const struct run_app *app, struct field_sink *sink))
{
    struct scenario_run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++)
        if (r->apps[i].config->kind == kind)
            put(r, &r->apps[i], sink);
}

/* --- pages --- */

void summary_traffic_add_pages(const struct scenario_run *r, const struct run_app *app,
                               struct page_times *times)
{
    size_t count;
    const struct app_web_page *pages = app_web_pages(app->web, &count);

    for (size_t i = 0; i < count; i++) {
        bool is_finished = pages[i].end_ns != MOMENT_NEVER;
        if (pages[i].start_ns < r->begin_ns + r->scenario.warmup_ns)
            continue;
        page_times_add(times,
                       (struct page_time){(is_finished ? pages[i].end_ns : r->end_ns) - pages[i].start_ns,
                                          pages[i].octets, is_finished});
    }
}

struct page_times summary_traffic_page_times(const struct scenario_run *r, int qclass)
{
    struct page_times times = {0};
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        if (app->config->kind == SCENARIO_CONFIG_WEB &&
            (qclass == QCLASS_COUNT || app->mobile->config->qclass == qclass))
            summary_traffic_add_pages(r, app, &times);
    }
    return times;
}

void summary_traffic_each_mobile_pages(const void *record, struct field_sink *sink)
{
    const struct run_mobile *mobile = *(const struct run_mobile *const *)record;
    const struct scenario_run *r = mobile->run;
    struct page_times times = {0};
    bool is_web = false;
    for (uint32_t i = 0; i < mobile->config->traffic_count; i++) {
        const struct run_app *app = &r->apps[mobile->config->first_traffic + i];
        if (app->config->kind != SCENARIO_CONFIG_WEB)
            continue;
        is_web = true;
        summary_traffic_add_pages(r, app, &times);
    }
    const struct page_times_figures figures = page_times_figures_of(&times);
    if (is_web)
        field_put(sink, NULL, &figures);
    page_times_free(&times);
}

struct page {
    const char *mobile;
    uint64_t octets;
    int64_t start_ns, first_ns, time_ns;
};

static int64_t since(const struct app_web_page *page, int64_t at_ns)
{
    return at_ns == MOMENT_NEVER ? MOMENT_NEVER : at_ns - page->start_ns;
}

static void put_pages(struct scenario_run *r, const struct run_app *app, struct field_sink *sink)
{
    size_t count;
    const struct app_web_page *pages = app_web_pages(app->web, &count);
    for (size_t i = 0; i < count; i++) {
        const struct page page = {
            .mobile = app->mobile->config->name,
            .octets = pages[i].octets,
            .start_ns = pages[i].start_ns - r->begin_ns,
            .first_ns = since(&pages[i], pages[i].first_ns),
            .time_ns = since(&pages[i], pages[i].end_ns),
        };
        field_put(sink, NULL, &page);
    }
}

void summary_traffic_each_page(const void *record, struct field_sink *sink)
{
    each_app(record, SCENARIO_CONFIG_WEB, sink, put_pages);
}

const struct field summary_pages[] = {
    FIELD(struct page, LABEL, "mobile", "", mobile, "Name of the mobile."),
    SECONDS(struct page, "start_s", start_ns, "When the page was requested."),
    FIELD(struct page, GAUGE, "octets", "octets", octets,
          "Octets of the main object and the items that arrived."),
    SECONDS(struct page, "first_s", first_ns,
            "From the request to the last octet of the main object; null without that."),
    SECONDS(struct page, "time_s", time_ns,
            "Page time: from the request to the last octet; null for an unfinished page. Pages of the whole "
            "run, the warm-up included."),
    FIELD_END,
};

/* --- connections --- */

struct connection {
    const char *mobile, *way, *transport;
    char name[SCENARIO_CONFIG_NAME_CHARS + 16];
    struct app_record_tcp record;
    int64_t start_ns, end_ns;
    uint64_t goodput_bps;
    double retransmitted;
    int64_t rtt_avg_ns, rtt_max_ns;
};

static struct connection connection_of(struct scenario_run *r, const struct run_app *app,
                                       const struct app_record_tcp *record)
{
    double sent = (double)record->sent_octets;
    bool has_rtt = record->rtt_count > 0;
    struct connection connection = {
        .mobile = app->mobile->config->name,
        .way = app->config->kind == SCENARIO_CONFIG_UPLOAD ? "up" : "down",
        .transport = app->config->is_quic ? "quic" : "tcp",
        .record = *record,
        .start_ns = record->start_ns - r->begin_ns,
        .end_ns = record->end_ns - r->begin_ns,
        .goodput_bps = app_record_goodput_bps(record, record->end_ns),
        .retransmitted = sent > 0 ? (double)record->retransmitted_octets / sent : NAN,
        .rtt_avg_ns = has_rtt ? record->rtt_sum_ns / (int64_t)record->rtt_count : MOMENT_NEVER,
        .rtt_max_ns = has_rtt ? record->rtt_max_ns : MOMENT_NEVER,
    };
    snprintf(connection.name, sizeof(connection.name), "%s#%u", connection.mobile, app->number);
    return connection;
}

void summary_traffic_each_connection(const void *record, struct field_sink *sink)
{
    struct scenario_run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        struct app_record_tcp tcp;
        if (!run_apps_record(app, &tcp))
            continue;
        struct connection connection = connection_of(r, app, &tcp);
        field_put(sink, NULL, &connection);
    }
}

static const struct field rtts[] = {
    SECONDS(struct connection, "avg", rtt_avg_ns, "Mean."),
    SECONDS(struct connection, "max", rtt_max_ns, "Largest value."),
    FIELD_END,
};

const struct field summary_tcp[] = {
    FIELD(struct connection, LABEL, "mobile", "", mobile, "Name of the mobile."),
    FIELD(struct connection, LABEL, "connection", "", name,
          "NAME#ITEM: the mobile, and its traffic item, counted from 0."),
    FIELD(struct connection, LABEL, "way", "", way, "down: the mobile receives; up: it sends."),
    FIELD(struct connection, LABEL, "transport", "", transport, "tcp or quic."),
    FIELD(struct connection, COUNTER, "octets", "octets", record.octets,
          "TCP payload, or octets of QUIC streams, delivered in order to the receiver in the whole run, the "
          "warm-up included."),
    SECONDS(struct connection, "start_s", start_ns, "When the mobile sent its first packet."),
    SECONDS(struct connection, "end_s", end_ns, "When the last octet in order was delivered."),
    FIELD(struct connection, GAUGE, "goodput_bps", "bit/s", goodput_bps,
          "octets divided by the time from start_s to end_s, rounded down: of the whole run, the warm-up "
          "included."),
    FIELD(struct connection, GAUGE, "retransmitted_fraction", "ratio", retransmitted,
          "Payload octets that the sender retransmitted, of all that it sent; null if it sent none."),
    FIELD(
        struct connection, COUNTER, "repeated_octets", "octets", record.octets_repeated,
        "Payload octets that arrived at the receiver when it had them; of QUIC those that it had in order."),
    FIELD(struct connection, COUNTER, "timeouts", "timeouts", record.timeouts,
          "Retransmission timeouts of the sender (RFC 6298), or probe timeouts (RFC 9002)."),
    FIELD_INSIDE(OBJECT, "rtt_s", 0, rtts,
                 "Round-trip time as tcptrace samples it at the sender, without ACKs of retransmitted "
                 "segments; of QUIC the sender's changes of its latest RTT; of the whole run, the warm-up "
                 "included; null without a sample."),
    FIELD_END,
};

/* --- pings --- */

struct ping {
    const char *mobile;
    uint64_t sent, received;
    struct quantiles rtts;
};

static void put_ping(struct scenario_run *r, const struct run_app *app, struct field_sink *sink)
{
    uint32_t sent;
    struct samples samples = {0};
    const int64_t *rtts_ns = app_ping_rtts_ns(app->ping, &sent);
    for (uint32_t i = 0; i < sent; i++)
        if (rtts_ns[i] >= 0)
            samples_add(&samples, rtts_ns[i]);
    const struct ping ping = {app->mobile->config->name, sent, samples.count, quantiles_of(&samples)};
    field_put(sink, NULL, &ping);
    samples_free(&samples);
}

void summary_traffic_each_ping(const void *record, struct field_sink *sink)
{
    each_app(record, SCENARIO_CONFIG_PING, sink, put_ping);
}

const struct field summary_pings[] = {
    FIELD(struct ping, LABEL, "mobile", "", mobile, "Name of the mobile that sends the requests."),
    FIELD(struct ping, COUNTER, "sent", "messages", sent,
          "ICMP Echo Requests sent in the whole run, the warm-up included."),
    FIELD(struct ping, COUNTER, "received", "messages", received,
          "ICMP Echo Replies received in the whole run, the warm-up included."),
    FIELD_INSIDE(
        OBJECT, "rtt_s", offsetof(struct ping, rtts), quantiles_ping,
        "Round-trip time of answered requests of the whole run, the warm-up included; null without one."),
    FIELD_END,
};
