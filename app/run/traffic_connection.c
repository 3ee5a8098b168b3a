/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/run/traffic_connection.h"

#include "app/run/summary.h"

#include <stdio.h>

#define OF_CHARS (SCENARIO_CONFIG_NAME_CHARS + 32)

bool traffic_connection_quic(struct run_app *app, struct quic_session_port **port)
{
    struct run_mobile *mobile = app->mobile;
    *port = NULL;
    if (!app->config->is_quic)
        return true;
    if (!mobile->quic)
        mobile->quic = quic_session_port_new(mobile->host, mobile->run->server);
    *port = mobile->quic;
    return *port;
}

/* --- series --- */

enum { RTT, SENT, RETRANSMITTED, ACKED };

#define CONNECTION "connection: NAME#ITEM, of a web item NAME#ITEM.NUMBER"

const struct field traffic_connection_series[] = {
    [RTT] = SERIES_ROW(GAUGE, "rtt_s", CONNECTION, "seconds", "Event: a sample of the TCP round-trip time."),
    [SENT] = SERIES_ROW(GAUGE, "sent_octets", CONNECTION, "octets",
                        "Event: the server sent a TCP segment; the stream offset of its end."),
    [RETRANSMITTED] =
        SERIES_ROW(GAUGE, "retransmitted_octets", CONNECTION, "octets",
                   "Event: the server retransmitted a TCP segment; the stream offset of its end."),
    [ACKED] = SERIES_ROW(GAUGE, "acked_octets", CONNECTION, "octets",
                         "Event: the server received an ACK; the stream offset that it acknowledges."),
    FIELD_END,
};

/* "NAME#item", and "NAME#item.connection" where an item has several. */
static void put_connection(const struct run_app *app, uint32_t connection, char out[OF_CHARS])
{
    char *end = run_series_number(stpcpy(stpcpy(out, app->mobile->config->name), "#"), app->number);
    if (app->config->ops->has_many)
        run_series_number(stpcpy(end, "."), connection);
}

static void on_rtt(void *arg, uint32_t connection, int64_t now, int64_t rtt_ns)
{
    const struct run_app *app = arg;
    struct scenario_run *r = app->mobile->run;
    char of[OF_CHARS];
    if (!r->series.file)
        return;
    put_connection(app, connection, of);
    run_series_put_ns(&r->series, now - r->begin_ns, &traffic_connection_series[RTT], of, rtt_ns);
}

static void put_octets(const struct run_app *app, uint32_t connection, int64_t now, const struct field *row,
                       uint64_t octets)
{
    struct scenario_run *r = app->mobile->run;
    char of[OF_CHARS];
    if (!r->series.file)
        return;
    put_connection(app, connection, of);
    run_series_put(&r->series, now - r->begin_ns, row, of, (int64_t)octets);
}

static void on_sent(void *arg, uint32_t connection, int64_t now, uint64_t end_octets, bool is_retransmission)
{
    put_octets(arg, connection, now, &traffic_connection_series[is_retransmission ? RETRANSMITTED : SENT],
               end_octets);
}

static void on_acked(void *arg, uint32_t connection, int64_t now, uint64_t acked_octets)
{
    put_octets(arg, connection, now, &traffic_connection_series[ACKED], acked_octets);
}

static void on_goodput(void *arg, uint32_t connection, int64_t now, uint64_t octets)
{
    run_series_goodput(((const struct run_app *)arg)->mobile, octets, now);
}

struct app_record_observer traffic_connection_observer(struct run_app *app)
{
    return (struct app_record_observer){
        .arg = app,
        .on_rtt = on_rtt,
        .on_sent = on_sent,
        .on_acked = on_acked,
        .on_goodput = app->config->ops->is_up ? NULL : on_goodput, /* which is that of the downlink */
    };
}

/* --- results --- */

void traffic_connection_print_rtt(const struct app_record_tcp *record)
{
    if (record && record->rtt_count > 0)
        printf(", RTT %.2f s on average, %.2f s at most",
               (double)record->rtt_sum_ns / (double)record->rtt_count / MOMENT_SECOND,
               (double)record->rtt_max_ns / MOMENT_SECOND);
    printf("\n");
}

#define SECONDS(record, name, member, sentence) FIELD(record, GAUGE, name, "seconds", member, sentence)

struct connection {
    const char *mobile, *way, *transport;
    char name[SCENARIO_CONFIG_NAME_CHARS + 16];
    struct app_record_tcp record;
    int64_t start_ns, end_ns;
    uint64_t goodput_bps;
    double retransmitted;
    int64_t rtt_avg_ns, rtt_max_ns;
};

static struct connection connection_of(const struct run_app *app, const struct app_record_tcp *record)
{
    const struct scenario_run *r = app->mobile->run;
    double sent = (double)record->sent_octets;
    bool has_rtt = record->rtt_count > 0;
    struct connection connection = {
        .mobile = app->mobile->config->name,
        .way = app->config->ops->is_up ? "up" : "down",
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

static void each_connection(const void *record, struct field_sink *sink)
{
    const struct scenario_run *r = ((const struct summary *)record)->run;
    for (uint32_t i = 0; i < r->scenario.traffic_count; i++) {
        const struct run_app *app = &r->apps[i];
        struct app_record_tcp tcp;
        if (!app->config->ops->record || !app->config->ops->record(app, &tcp))
            continue;
        struct connection connection = connection_of(app, &tcp);
        field_put(sink, NULL, &connection);
    }
}

static const struct field rtts[] = {
    FIELD(struct connection, COUNTER, "n", "samples", record.rtt_count, "Samples."),
    SECONDS(struct connection, "avg", rtt_avg_ns, "Mean."),
    SECONDS(struct connection, "max", rtt_max_ns, "Largest value."),
    FIELD_END,
};

static const struct field connections[] = {
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

const struct field traffic_connection_results[] = {
    FIELD_INSIDE(LIST, "tcp", 0, connections,
                 "A download or upload, or all connections of a web item together.", .each = each_connection),
    FIELD_END,
};
