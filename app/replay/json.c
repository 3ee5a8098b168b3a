/* SPDX-License-Identifier: BSD-3-Clause */
#include "app/replay/report.h"

#include "control/base/command.h"
#include "control/report/field.h"
#include "control/report/node_fields.h"
#include "control/report/totals.h"
#include "dataplane/base/n_pdu.h"

#define SCHEMA "gbflow-replay/2"

struct report {
    const char *schema, *version;
    struct replay *replay;
    struct node_fields node;
    struct {
        uint64_t read, cut_short, clock_steps, no_buffer, too_long;
    } frames;
    struct {
        uint64_t messages, malformed, unfollowed, refused_sessions;
    } gtpc;
    int64_t duration_ns;
};

/* --- sessions --- */

struct session_record {
    uint32_t teid;
    char sgsn_address[ADDRESS_BOOK_TEXT_CHARS], address[INET_ADDRSTRLEN];
    const char *class;
    struct replay_session session;
    struct quantiles sojourns;
};

static void each_session(const void *record, struct field_sink *sink)
{
    struct replay *r = ((const struct report *)record)->replay;
    for (uint32_t i = 0; i < r->stats.count; i++) {
        const struct session *s = &r->node.sessions.list[i];
        struct session_record row = {
            .teid = s->teid,
            .class = qclass_name(s->qclass),
            .session = r->stats.sessions[i],
            .sojourns = quantiles_of(&r->stats.sessions[i].sojourns),
        };
        address_book_text(&r->node.core.addresses, s->sgsn_ip, row.sgsn_address);
        fields_ip(s->address, row.address);
        field_put(sink, NULL, &row);
    }
}

#define SESSION(kind, name, unit, member, sentence)                                                          \
    FIELD(struct session_record, kind, name, unit, member, sentence)

static const struct field sessions[] = {
    SESSION(LABEL, "teid", "", teid, "Downlink TEID, as a number."),
    SESSION(LABEL, "sgsn_address", "", sgsn_address, "The node's address of the GTP-U tunnel."),
    SESSION(LABEL, "address", "", address, "The mobile's IPv4 address; 0.0.0.0 if it is not known."),
    SESSION(LABEL, "class", "", class,
            "Traffic class: signalling, sms, conversational, streaming, thp1, thp2, thp3 or background."),
    SESSION(COUNTER, "npdu_in", "N-PDUs", session.npdu_in, "Downlink N-PDUs received for the session."),
    SESSION(COUNTER, "npdu_out", "N-PDUs", session.npdu_out, "N-PDUs whose last segment was handed to NS."),
    SESSION(COUNTER, "octets_out", "octets", session.octets_out,
            "Octets of those N-PDUs: IP packets without headers of the node."),
    FIELD_INSIDE(
        OBJECT, "sojourn_s", offsetof(struct session_record, sojourns), quantiles_short,
        "Time in the node of N-PDUs sent, from arrival on Gn until the last segment is handed to NS."),
    FIELD_COUNTERS(struct session_record, "drops", "N-PDUs", session.drops, drop_fields_npdus,
                   "N-PDUs of the session dropped, by reason."),
    FIELD_END,
};

/* --- the whole --- */

#define COUNT(name, unit, member, sentence) FIELD(struct report, COUNTER, name, unit, member, sentence)

static const struct field frames[] = {
    COUNT("read", "frames", frames.read, "Frames in the capture."),
    COUNT("cut_short", "frames", frames.cut_short, "Frames in the capture that its snap length cut."),
    COUNT("clock_steps", "frames", frames.clock_steps,
          "Frames whose timestamp is earlier than the previous frame's, or more than a day later."),
    COUNT("no_buffer", "frames", frames.no_buffer,
          "Frames not given to the worker because no packet buffer was free (limits.npdu_buffers)."),
    COUNT("too_long", "frames", frames.too_long,
          "Frames not given to the worker because they are longer than a packet buffer."),
    WORKER_FIELD(struct report, "received", node.stats, gn_frames),
    WORKER_FIELD(struct report, "merged_fragments", node.stats, gn_merged),
    WORKER_FIELD(struct report, "held_fragments", node.stats, gn_held),
    FIELD_COUNTERS(struct report, "drops", "frames", node.stats.gn_drops, drop_fields_frames,
                   "Frames from Gn dropped, by reason."),
    FIELD_END,
};

static const struct field gtpc[] = {
    COUNT("messages", "messages", gtpc.messages, "GTP-C messages decoded."),
    COUNT("malformed", "messages", gtpc.malformed, "GTP-C messages that could not be decoded."),
    COUNT("unsupported", "exchanges", gtpc.unfollowed,
          "GTP-C exchanges that do not make or end a session: updates, tunnels without TEID or address."),
    COUNT("refused_sessions", "sessions", gtpc.refused_sessions,
          "Sessions refused because limits.mobiles or limits.contexts was reached."),
    FIELD_END,
};

const struct field replay_report[] = {
    FIELDS_OF_ORIGIN(struct report, SCHEMA),
    FIELD_INSIDE(OBJECT, "npdu", offsetof(struct report, node.totals), node_fields_npdus,
                 "N-PDUs: in = out + dropped + queued."),
    FIELD_COUNTERS(struct report, "drops", "N-PDUs", node.stats.gn_drops, drop_fields_npdus,
                   "Downlink N-PDUs dropped, by reason."),
    WORKER_FIELD(struct report, "llc_frames", node.stats, llc_frames),
    FIELD_INSIDE(LIST, "sessions", 0, sessions, "A session (PDP context), in the order of their beginning.",
                 .each = each_session),
    FIELD_INSIDE(OBJECT, "frames", 0, frames,
                 "Frames: received = npdu.in + merged_fragments + held_fragments + the sum of drops."),
    FIELD_ROWS(offsetof(struct report, node), node_fields),
    FIELD_ROWS(offsetof(struct report, node), node_fields_signalling),
    FIELD_INSIDE(OBJECT, "gtpc", 0, gtpc, "GTP-C in the capture."),
    FIELD(struct report, GAUGE, "duration_s", "seconds", duration_ns,
          "Virtual time, from one second before the first frame."),
    FIELD_END,
};

bool replay_report_write(struct replay *r, const char *path)
{
    const struct report report = {
        .schema = SCHEMA,
        .version = version_text(),
        .replay = r,
        .node = node_fields_of(&r->node),
        .frames = {.read = r->feed.capture.frames,
                   .cut_short = r->feed.capture.cut_short,
                   .clock_steps = r->feed.capture.timeline.steps,
                   .no_buffer = r->feed.no_buffer,
                   .too_long = r->feed.too_long},
        .gtpc = {.messages = r->learn.messages,
                 .malformed = r->learn.malformed,
                 .unfollowed = r->learn.unfollowed,
                 .refused_sessions = r->node.sessions.refused},
        .duration_ns = r->now - r->start_ns,
    };
    return field_json_write(replay_report, &report, path);
}
