/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/report.h"

#include "control/report/aqm_fields.h"
#include "control/report/fields.h"
#include "control/report/fields_workers.h"
#include "control/report/llc_fields.h"
#include "control/report/path_report.h"
#include "control/report/totals.h"
#include "dataplane/base/qclass.h"

#define SCHEMA "gbflow-replay/2"

static json_t *session(const struct address_book *book, const struct session *s, struct replay_session *row)
{
    json_t *object = json_object();
    fields_put_count(object, "teid", s->teid);
    fields_put(object, "sgsn_address", fields_address(book, s->sgsn_ip));
    fields_put(object, "address", fields_ip(s->address));
    fields_put(object, "class", json_string(qclass_name(s->qclass)));
    fields_put_count(object, "npdu_in", row->npdu_in);
    fields_put_count(object, "npdu_out", row->npdu_out);
    fields_put_count(object, "octets_out", row->octets_out);
    fields_put(object, "sojourn_s", fields_quantiles(&row->sojourns, false));
    fields_put(object, "drops", fields_drops(row->drops, true));
    return object;
}

static json_t *frames(const struct replay *r)
{
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    json_t *object = json_object();
    fields_put_count(object, "read", r->feed.capture.frames);
    fields_put_count(object, "cut_short", r->feed.capture.cut_short);
    fields_put_count(object, "clock_steps", r->feed.capture.timeline.steps);
    fields_put_count(object, "no_buffer", r->feed.no_buffer);
    fields_put_count(object, "too_long", r->feed.too_long);
    fields_put_count(object, "received", w.gn_frames);
    fields_put_count(object, "merged_fragments", w.gn_merged);
    fields_put_count(object, "held_fragments", w.gn_held);
    fields_put(object, "drops", fields_drops(w.gn_drops, false));
    return object;
}

static json_t *gtpc(const struct replay *r)
{
    json_t *object = json_object();
    fields_put_count(object, "messages", r->learn.messages);
    fields_put_count(object, "malformed", r->learn.malformed);
    fields_put_count(object, "unfollowed", r->learn.unfollowed);
    fields_put_count(object, "refused_sessions", r->node.sessions.refused);
    return object;
}

static json_t *npdu(const struct replay *r)
{
    struct totals t = totals_of_all(r->node.workers, r->node.worker_count);
    json_t *object = json_object();
    fields_put_count(object, "in", t.in);
    fields_put_count(object, "out", t.out);
    fields_put_count(object, "dropped", t.dropped);
    fields_put_count(object, "queued", t.queued);
    return object;
}

static json_t *report(const struct replay *r)
{
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    json_t *object = json_object(), *list = json_array();

    fields_put(object, "schema", json_string(SCHEMA));
    fields_put(object, "npdu", npdu(r));
    fields_put(object, "drops", fields_drops(w.gn_drops, true));
    fields_put_count(object, "llc_frames", w.llc_frames);
    for (uint32_t i = 0; i < r->stats.count; i++)
        json_array_append_new(
            list, session(&r->node.core.addresses, &r->node.sessions.list[i], &r->stats.sessions[i]));
    fields_put(object, "sessions", list);
    fields_put(object, "frames", frames(r));
    fields_put(object, "aqm", aqm_fields(r->node.workers, r->node.worker_count));
    fields_put(object, "gn", fields_gn(&w, r->node.sessions.lost));
    fields_put(object, "paths", path_report(&r->node.core));
    fields_put(object, "gtpc", gtpc(r));
    fields_put(object, "llc", llc_fields(&r->node.core, &w));
    fields_put_seconds(object, "duration_s", r->now - r->start_ns);
    fields_workers_put(object, &r->node);
    return object;
}

bool replay_report_write(struct replay *r, const char *path)
{
    return fields_write(report(r), path);
}
