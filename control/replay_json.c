/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/replay_report.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/qclass.h"

#include <arpa/inet.h>
#include <jansson.h>
#include <stdio.h>

#define SCHEMA "gbflow-replay/1"

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

static void put_count(json_t *object, const char *key, uint64_t value)
{
    put(object, key, json_integer((json_int_t)value));
}

static json_t *ip(uint32_t address)
{
    char text[INET_ADDRSTRLEN];
    struct in_addr in = {.s_addr = htonl(address)};
    return json_string(inet_ntop(AF_INET, &in, text, sizeof(text)));
}

/* Drops of frames or of N-PDUs, every reason, also those that did not happen. */
static json_t *drops(const uint64_t *counts, bool are_npdus)
{
    json_t *object = json_object();
    for (int i = DROP_NONE + 1; i < DROP_COUNT; i++)
        if (drop_is_npdu((enum drop)i) == are_npdus)
            put_count(object, drop_name((enum drop)i), counts[i]);
    return object;
}

static json_t *sojourn(struct replay_session *row)
{
    static const struct {
        const char *key;
        unsigned percent;
    } quantiles[] = {{"p50", 50}, {"p95", 95}, {"max", 100}};
    json_t *object = json_object();

    for (size_t i = 0; i < sizeof(quantiles) / sizeof(quantiles[0]); i++) {
        if (row->sojourns.count == 0)
            put(object, quantiles[i].key, json_null());
        else
            put(object, quantiles[i].key,
                json_real((double)samples_quantile_ns(&row->sojourns, quantiles[i].percent) / MOMENT_SECOND));
    }
    return object;
}

static json_t *session(const struct session *s, struct replay_session *row)
{
    json_t *object = json_object();
    put_count(object, "teid", s->teid);
    put(object, "sgsn_address", ip(s->sgsn_ip));
    put(object, "address", ip(s->address));
    put(object, "class", json_string(qclass_name(s->qclass)));
    put_count(object, "npdu_in", row->npdu_in);
    put_count(object, "npdu_out", row->npdu_out);
    put_count(object, "octets_out", row->octets_out);
    put(object, "sojourn_s", sojourn(row));
    put(object, "drops", drops(row->drops, true));
    return object;
}

static json_t *frames(const struct replay *r)
{
    const struct worker_stats *w = &r->node.worker->stats;
    json_t *object = json_object();
    put_count(object, "read", r->feed.capture.frames);
    put_count(object, "cut_short", r->feed.capture.cut_short);
    put_count(object, "clock_steps", r->feed.capture.clock_steps);
    put_count(object, "no_buffer", r->feed.no_buffer);
    put_count(object, "too_long", r->feed.too_long);
    put_count(object, "received", w->gn_frames);
    put_count(object, "merged_fragments", w->gn_merged);
    put_count(object, "held_fragments", w->gn_held);
    put(object, "drops", drops(w->gn_drops, false));
    return object;
}

static json_t *gtpc(const struct replay *r)
{
    json_t *object = json_object();
    put_count(object, "messages", r->learn.messages);
    put_count(object, "malformed", r->learn.malformed);
    put_count(object, "unfollowed", r->learn.unfollowed);
    put_count(object, "refused_sessions", r->node.sessions.refused);
    return object;
}

static json_t *npdu(const struct replay *r)
{
    struct replay_totals t = replay_report_totals(r);
    json_t *object = json_object();
    put_count(object, "in", t.in);
    put_count(object, "out", t.out);
    put_count(object, "dropped", t.dropped);
    put_count(object, "queued", t.queued);
    return object;
}

static json_t *report(const struct replay *r)
{
    const struct worker_stats *w = &r->node.worker->stats;
    json_t *object = json_object(), *list = json_array();

    put(object, "schema", json_string(SCHEMA));
    put(object, "npdu", npdu(r));
    put(object, "drops", drops(w->gn_drops, true));
    put_count(object, "llc_frames", w->llc_frames);
    for (uint32_t i = 0; i < r->stats.count; i++)
        json_array_append_new(list, session(&r->node.sessions.list[i], &r->stats.sessions[i]));
    put(object, "sessions", list);
    put(object, "frames", frames(r));
    put(object, "gtpc", gtpc(r));
    put(object, "duration_s", json_real((double)(r->now - r->start_ns) / MOMENT_SECOND));
    return object;
}

bool replay_report_write(const struct replay *r, const char *path)
{
    json_t *object = report(r);
    FILE *file = fopen(path, "w");
    bool is_written = file && json_dumpf(object, file, JSON_INDENT(2) | JSON_REAL_PRECISION(12)) == 0 &&
                      fputc('\n', file) != EOF;
    if (file && fclose(file) != 0)
        is_written = false;
    if (!is_written)
        fprintf(stderr, "%s: cannot be written\n", path);
    json_decref(object);
    return is_written;
}
