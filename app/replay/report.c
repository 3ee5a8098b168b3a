/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of `gbflow replay`: its table and its JSON. */
#include "app/replay/gtpc_pieces.h"
#include "app/replay/replay.h"

#include "control/base/command.h"
#include "control/report/field.h"
#include "control/report/node_fields.h"
#include "control/report/totals.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <arpa/inet.h>
#include <stdio.h>

static const char *dotted(uint32_t ip, char *out)
{
    struct in_addr in = {.s_addr = htonl(ip)};
    return inet_ntop(AF_INET, &in, out, INET_ADDRSTRLEN);
}

static void print_drops(const uint64_t *drops)
{
    const char *comma = "";
    for (int i = 0; i < DROP_COUNT; i++) {
        if (drops[i] == 0 || !drop_is_npdu((enum drop)i))
            continue;
        printf("%s%s %lu", comma, drop_name((enum drop)i), (unsigned long)drops[i]);
        comma = ", ";
    }
    printf("%s\n", *comma ? "" : "-");
}

static void print_session(const struct session *session, struct replay_session *row)
{
    char address[INET_ADDRSTRLEN];
    printf("%-15s  %08x  %-14s  %7lu  %7lu  %10lu  ", dotted(session->address, address), session->teid,
           n_pdu_qclass_name(session->qclass), (unsigned long)row->npdu_in, (unsigned long)row->npdu_out,
           (unsigned long)row->octets_out);
    if (row->sojourns.count == 0) {
        printf("%8s  %8s  ", "-", "-");
    } else {
        printf("%8.3f  %8.3f  ", (double)samples_quantile_ns(&row->sojourns, 50) / MOMENT_SECOND,
               (double)samples_quantile_ns(&row->sojourns, 95) / MOMENT_SECOND);
    }
    print_drops(row->drops);
}

static void print_learning(const struct replay *r)
{
    const struct gtpc_learn *learn = &r->learn;
    if (!r->node.config.mobiles.are_learned)
        return;
    printf("GTP-C: %lu message%s, %u session%s learned", (unsigned long)learn->messages,
           words_plural(learn->messages), r->node.sessions.count, words_plural(r->node.sessions.count));
    if (learn->malformed)
        printf(", %lu message%s malformed", (unsigned long)learn->malformed, words_plural(learn->malformed));
    uint64_t incomplete = gtpc_pieces_incomplete(&learn->pieces);
    if (incomplete)
        printf(", %lu message%s in incomplete IP fragments", (unsigned long)incomplete,
               words_plural(incomplete));
    if (learn->unfollowed)
        printf(", %lu exchange%s not followed (updates, tunnels without TEID or address)",
               (unsigned long)learn->unfollowed, words_plural(learn->unfollowed));
    if (r->node.sessions.refused)
        printf(", %lu session%s refused (limits)", (unsigned long)r->node.sessions.refused,
               words_plural(r->node.sessions.refused));
    printf("\n");
}

static void print_frames(const struct replay *r)
{
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    const char *colon = ": ";

    uint64_t pieces = w.gn_merged + w.gn_held;
    printf("Gn: %lu frame%s read, %lu held N-PDUs in %lu piece%s more, others",
           (unsigned long)r->feed.capture.frames, words_plural(r->feed.capture.frames),
           (unsigned long)w.npdu_in, (unsigned long)pieces, words_plural(pieces));
    for (int i = 0; i < DROP_FIRST_NPDU; i++) {
        if (w.gn_drops[i] == 0)
            continue;
        printf("%s%s %lu", colon, drop_name((enum drop)i), (unsigned long)w.gn_drops[i]);
        colon = ", ";
    }
    printf("%s\n", *colon == ':' ? ": none" : "");
    if (r->feed.no_buffer + r->feed.too_long > 0)
        printf("Gn: lost before the worker: no buffer %lu, too long %lu\n", (unsigned long)r->feed.no_buffer,
               (unsigned long)r->feed.too_long);
}

void replay_report_print(struct replay *r)
{
    struct worker_stats w = totals_stats(r->node.workers, r->node.worker_count);
    struct totals t = totals_of_all(r->node.workers, r->node.worker_count);

    printf("%-15s  %-8s  %-14s  %7s  %7s  %10s  %8s  %8s  %s\n", "mobile", "TEID", "class", "in", "out",
           "octets", "p50 s", "p95 s", "dropped");
    for (uint32_t i = 0; i < r->stats.count; i++)
        print_session(&r->node.sessions.list[i], &r->stats.sessions[i]);
    printf("\nN-PDUs: in %lu = out %lu + dropped %lu + queued %lu; ", (unsigned long)t.in,
           (unsigned long)t.out, (unsigned long)t.dropped, (unsigned long)t.queued);
    print_drops(w.gn_drops);
    printf("Gb: %lu LLC frames sent, %lu received by the BSS\n", (unsigned long)w.llc_frames,
           (unsigned long)r->far.delivered);
    print_learning(r);
    print_frames(r);
}

#define SCHEMA "gbflow-replay/2"

struct report {
    const char *schema, *version;
    struct replay *replay;
    struct node_fields node;
    struct {
        uint64_t read, cut_short, clock_steps, no_buffer, too_long;
    } frames;
    struct {
        uint64_t messages, malformed, incomplete, unfollowed, refused_sessions;
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
            .class = n_pdu_qclass_name(s->qclass),
            .session = r->stats.sessions[i],
            .sojourns = quantiles_of(&r->stats.sessions[i].sojourns),
        };
        address_book_text(&r->node.core.addresses, s->sgsn_ip, row.sgsn_address);
        field_ip(s->address, row.address);
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
    COUNT("incomplete", "messages", gtpc.incomplete,
          "GTP-C messages in IP fragments of which some are missing, contradict others, or exceed 2048 "
          "octets."),
    COUNT("unsupported", "exchanges", gtpc.unfollowed,
          "GTP-C exchanges that do not make or end a session: updates, tunnels without TEID or address."),
    COUNT("refused_sessions", "sessions", gtpc.refused_sessions,
          "Sessions refused because limits.mobiles or limits.contexts was reached."),
    FIELD_END,
};

const struct field replay_report[] = {
    FIELDS_OF_ORIGIN(struct report, SCHEMA),
    FIELD_INSIDE(OBJECT, "npdu", offsetof(struct report, node.totals), worker_fields_npdus,
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
    FIELD_ROWS(offsetof(struct report, node), worker_fields_layers),
    FIELD_INSIDE(OBJECT, "gtpc", 0, gtpc, "GTP-C in the capture."),
    FIELD(struct report, GAUGE, "duration_s", "seconds", duration_ns,
          "Virtual time, from one second before the first frame."),
    FIELD_END,
};

bool replay_report_write(struct replay *r, const char *path)
{
    const struct report report = {
        .schema = SCHEMA,
        .version = command_version(),
        .replay = r,
        .node = node_fields_of(&r->node),
        .frames = {.read = r->feed.capture.frames,
                   .cut_short = r->feed.capture.cut_short,
                   .clock_steps = r->feed.capture.timeline.steps,
                   .no_buffer = r->feed.no_buffer,
                   .too_long = r->feed.too_long},
        .gtpc = {.messages = r->learn.messages,
                 .malformed = r->learn.malformed,
                 .incomplete = gtpc_pieces_incomplete(&r->learn.pieces),
                 .unfollowed = r->learn.unfollowed,
                 .refused_sessions = r->node.sessions.refused},
        .duration_ns = r->now - r->start_ns,
    };
    return field_json_write(replay_report, &report, path);
}
