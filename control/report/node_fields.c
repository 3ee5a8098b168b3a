/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/node_fields.h"
#include "control/report/field.h"
#include "control/report/totals.h"

#include "control/sessions/node.h"
#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/sched/aqm.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <string.h>

/* Counters of LLC frames that the control plane handles: those without SNDCP. */

static const struct field_word reasons[DROP_COUNT] = {
#define DROP_FRAME(id, name, cause)   [DROP_##id] = {name, cause},
#define DROP_HANDLED(id, name, cause) [DROP_##id] = {name, cause},
#define DROP_NPDU(id, name, cause)    [DROP_##id] = {name, cause},
#include "dataplane/base/drop.def"
#undef DROP_FRAME
#undef DROP_HANDLED
#undef DROP_NPDU
};

const struct field_words drop_fields_frames = {"REASON", DROP_NONE + 1, DROP_FIRST_NPDU, reasons};
const struct field_words drop_fields_lost = {"REASON", DROP_NONE + 1, DROP_FIRST_HANDLED, reasons};
const struct field_words drop_fields_handled = {"KIND", DROP_FIRST_HANDLED, DROP_FIRST_NPDU, reasons};
const struct field_words drop_fields_npdus = {"REASON", DROP_FIRST_NPDU, DROP_COUNT, reasons};
const struct field_words drop_fields_llc_pdus = {"REASON", DROP_UNKNOWN_TLLI, DROP_LLC_ABM + 1, reasons};

static const char *scope_of(const struct sched *sched, enum qclass qclass)
{
    static const char *const scopes[] = {[SCHED_AQM_CLASS_OF_NSE] = "class_of_nse",
                                         [SCHED_AQM_CLASS_OF_BVC] = "class_of_bvc",
                                         [SCHED_AQM_MS] = "ms",
                                         [SCHED_AQM_FLOW] = "flow"};
    return scopes[sched->params.aqm[qclass].scope];
}

static void node_fields_add(struct aqm_counts *sum, const struct aqm_counts *counts)
{
    sum->asked += counts->asked;
    sum->marked += counts->marked;
    sum->dropped += counts->dropped;
    sum->unmarkable += counts->unmarkable;
}

bool node_fields_aqm_of(struct worker *const *workers, unsigned count, enum qclass qclass,
                        struct aqm_fields *out)
{
    const struct sched *first = &workers[0]->context.sched;
    const struct aqm_setup *setup = sched_aqm_setup(first, qclass);
    if (!setup)
        return false;
    *out = (struct aqm_fields){
        .class = n_pdu_qclass_name(qclass), .scheme = setup->ops->name, .scope = scope_of(first, qclass)};
    for (unsigned i = 0; i < count; i++) {
        setup = sched_aqm_setup(&workers[i]->context.sched, qclass);
        if (!setup) /* a reload is under way */
            continue;
        struct aqm_counts enqueue = aqm_setup_counts(setup, qclass, AQM_AT_ENQUEUE);
        struct aqm_counts dequeue = aqm_setup_counts(setup, qclass, AQM_AT_DEQUEUE);
        node_fields_add(&out->enqueue, &enqueue);
        node_fields_add(&out->dequeue, &dequeue);
    }
    return true;
}

/* Puts all classes with a scheme, by name; record: struct node_fields. */
static void aqm_fields_each(const void *record, struct field_sink *sink)
{
    const struct node *node = ((const struct node_fields *)record)->node;
    struct aqm_fields row;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++)
        if (node_fields_aqm_of(node->workers, node->worker_count, k, &row))
            field_put(sink, row.class, &row);
}

#define COUNT(name, member, sentence) FIELD(struct aqm_counts, COUNTER, name, "N-PDUs", member, sentence)

const struct field aqm_fields_counts[] = {
    COUNT("offered", asked, "N-PDUs shown to the scheme; N-PDUs neither marked nor dropped pass."),
    COUNT("marked", marked, "N-PDUs that the scheme let pass with CE set (RFC 3168)."),
    COUNT("dropped", dropped, "N-PDUs that the scheme dropped."),
    COUNT("dropped_not_ect", unmarkable,
          "Dropped N-PDUs that the scheme would have marked if they were ECN-capable (Not-ECT, RFC 3168)."),
    FIELD_END,
};

const struct field aqm_fields_scheme[] = {
    FIELD(struct aqm_fields, LABEL, "scheme", "", scheme, "Name of the AQM scheme (gbflow aqm list)."),
    FIELD(struct aqm_fields, LABEL, "scope", "", scope,
          "Scope of an instance of the scheme: class_of_nse, class_of_bvc, ms or flow."),
    FIELD_END,
};

const struct field aqm_fields[] = {
    FIELD_ROWS(0, aqm_fields_scheme),
    FIELD_INSIDE(OBJECT, "enqueue", offsetof(struct aqm_fields, enqueue), aqm_fields_counts,
                 "The scheme's answers when N-PDUs are enqueued."),
    FIELD_INSIDE(OBJECT, "dequeue", offsetof(struct aqm_fields, dequeue), aqm_fields_counts,
                 "The scheme's answers when the first segment of an N-PDU is about to be sent."),
    FIELD_END,
};

/* Counters of lua/llc/unnumbered.lua, named as there. */
struct counts {
    uint64_t xid_answered, xid_refused_parameter, xid_networks_parameter, xid_malformed, xid_unexpected;
    uint64_t xid_compression_refused, xid_sndcp_malformed;
    uint64_t compression_accepted, compression_changed, compression_ended, compression_proposed,
        compression_unanswered, compression_refused_algorithm, compression_refused_collision,
        compression_refused_context, compression_refused_direction, compression_refused_malformed,
        compression_refused_number, compression_refused_parameter, compression_refused_peer,
        compression_refused_room, compression_refused_taken, compression_refused_unknown;
    uint64_t reset_sent, reset_done, reset_unanswered;
    uint64_t gmm, sms, empty;
    uint64_t null, sabm, disc, ua, dm, frmr, undefined, poll_missing, i_frame, s_frame;
    uint64_t malformed, unknown_mobile;
};

struct llc_events {
    const struct core *core;
    struct worker_stats stats;
    struct counts counts;
};

#define ROW(name, unit, sentence) FIELD(struct counts, COUNTER, #name, unit, name, sentence)

const struct field llc_fields_counts[] = {
    ROW(xid_answered, "XID commands", "XID commands of mobiles that were answered."),
    ROW(xid_refused_parameter, "parameters", "Parameters in XID commands with values that are not allowed."),
    ROW(xid_networks_parameter, "parameters", "Parameters in XID commands that only the network may set."),
    ROW(xid_compression_refused, "entities",
        "Entities of compression in XID commands of mobiles that the node refused, for each cause below."),
    ROW(xid_sndcp_malformed, "XID frames", "XID commands whose SNDCP parameters are cut short."),
    ROW(compression_accepted, "entities", "Entities of compression that the node or a mobile accepted."),
    ROW(compression_changed, "entities", "Entities of compression with other values or contexts."),
    ROW(compression_ended, "entities",
        "Entities of compression that mobiles, LLC's Reset or the end of contexts ended."),
    ROW(compression_proposed, "XID commands",
        "XID commands with entities of compression sent, retransmissions included."),
    ROW(compression_unanswered, "proposals", "Proposals of compression given up after N200 retransmissions."),
    ROW(compression_refused_algorithm, "entities",
        "Entities of compression refused: of an algorithm that is not configured."),
    ROW(compression_refused_collision, "entities",
        "Entities of compression refused: while the node proposes one of that kind."),
    ROW(compression_refused_context, "entities",
        "Entities of compression refused: without a context on that SAPI that can use it."),
    ROW(compression_refused_direction, "entities",
        "Entities of compression refused: of directions that are not configured."),
    ROW(compression_refused_malformed, "entities",
        "Entities of compression refused: in a field that is cut short."),
    ROW(compression_refused_number, "entities",
        "Entities of compression refused: whose PCOMP or DCOMP are 0 or equal."),
    ROW(compression_refused_parameter, "entities",
        "Entities of compression refused: with a parameter out of range."),
    ROW(compression_refused_peer, "entities", "Entities of compression refused: of the node, by mobiles."),
    ROW(compression_refused_room, "entities",
        "Entities of compression refused: beyond `sndcp.compression.entities`."),
    ROW(compression_refused_taken, "entities",
        "Entities of compression refused: of a kind that the SAPI already has."),
    ROW(compression_refused_unknown, "entities",
        "Entities of compression refused: that do not exist and are to change."),
    ROW(xid_malformed, "XID frames", "XID frames whose information field is malformed."),
    ROW(xid_unexpected, "XID frames", "XID responses that answer no XID command of the node."),
    ROW(reset_sent, "XID commands", "XID commands with Reset sent, retransmissions included."),
    ROW(reset_done, "resets", "Resets that mobiles answered."),
    ROW(reset_unanswered, "resets", "Resets given up after N200 retransmissions."),
    ROW(gmm, "UI frames", "UI frames of SAPI 1 (GMM, SM), which the node does not answer."),
    ROW(sms, "UI frames", "UI frames of SAPI 7 (SMS), which the node does not answer."),
    ROW(empty, "UI frames", "UI frames of SAPI 1 or 7 without content."),
    ROW(null, "LLC frames", "NULL commands received."),
    ROW(sabm, "LLC frames", "SABM commands for such a SAPI received with P = 1, each answered with DM."),
    ROW(disc, "LLC frames", "DISC commands for such a SAPI received with P = 1, each answered with DM."),
    ROW(ua, "LLC frames", "UA responses received."),
    ROW(dm, "LLC frames", "DM responses received."),
    ROW(frmr, "LLC frames", "FRMR responses received."),
    ROW(undefined, "LLC frames", "U frames received of a type that TS 44.064 does not define."),
    ROW(poll_missing, "LLC frames",
        "SABM, DISC and XID commands with P = 0, which are discarded (TS 44.064 clause 8.2)."),
    ROW(i_frame, "LLC frames", "I frames received for a SAPI without a link in acknowledged mode."),
    ROW(s_frame, "LLC frames", "S frames received for a SAPI without a link in acknowledged mode."),
    ROW(malformed, "LLC frames", "LLC frames passed to the control plane that are malformed."),
    ROW(unknown_mobile, "LLC frames",
        "LLC frames passed to the control plane whose mobile was deleted meanwhile."),
    FIELD_END,
};

/* A counter: of a named event, or of layer 3 messages without a handler, by SAPI, protocol discriminator and
 * type. */
struct llc_count {
    const char *name; /* NULL: messages */
    uint8_t sapi, protocol, message;
    uint64_t count;
};

static const struct lua_field llc_count_fields[] = {
    LUA_FIELD_AS(TEXT, struct llc_count, name, "name"),   LUA_FIELD_OF(struct llc_count, sapi, "sapi"),
    LUA_FIELD_OF(struct llc_count, protocol, "protocol"), LUA_FIELD_OF(struct llc_count, message, "message"),
    LUA_FIELD_OF(struct llc_count, count, "count"),       {0}};

/* All named counters, also those with 0, then those of the messages in order. */
static void llc_counts(const struct core *core, void (*each)(void *arg, const void *row), void *arg)
{
    struct llc_count row = {0};
    core_each(core, llc_report, &((struct lua_list){NULL, llc_count_fields, &row, sizeof(row), each, arg}));
}

static void set_count(void *arg, const void *count)
{
    const struct llc_count *counted = count;
    if (!counted->name)
        return;
    const struct field *row = llc_fields_counts;
    while (row->name && strcmp(row->name, counted->name) != 0)
        row++;
    assert(row->name); /* each counter of Lua has a row */
    *(uint64_t *)((char *)arg + row->offset) = counted->count;
}

void node_fields_put_llc(const struct core *core, struct field_sink *sink)
{
    struct counts found = {0};
    llc_counts(core, set_count, &found);
    field_put(sink, NULL, &found);
}

static void llc_fields_each(const void *record, struct field_sink *sink)
{
    const struct node_fields *node = record;
    struct llc_events llc = {.core = &node->node->core, .stats = node->stats};
    llc_counts(llc.core, set_count, &llc.counts);
    field_put(sink, NULL, &llc);
}

/* --- messages that nothing handles --- */

const struct field llc_fields_unhandled[] = {
    FIELD(struct llc_count, LABEL, "sapi", "", sapi, "SAPI: 1 or 7."),
    FIELD(struct llc_count, LABEL, "protocol", "", protocol, "Protocol discriminator (TS 24.007)."),
    FIELD(struct llc_count, LABEL, "message", "", message, "Message type."),
    FIELD(struct llc_count, COUNTER, "frames", "UI frames", count, "UI frames with such a message."),
    FIELD_END,
};

static void put_unhandled(void *sink, const void *count)
{
    if (!((const struct llc_count *)count)->name)
        field_put(sink, NULL, count);
}

void node_fields_put_unhandled(const struct core *core, struct field_sink *sink)
{
    llc_counts(core, put_unhandled, sink);
}

static void each_unhandled(const void *record, struct field_sink *sink)
{
    node_fields_put_unhandled(((const struct llc_events *)record)->core, sink);
}

/* Rows of the object that llc_fields_each() puts; record: struct node_fields. */
static const struct field llc_fields[] = {
    WORKER_FIELD(struct llc_events, "uplink_frames", stats, ul_llc_frames),
    WORKER_FIELD(struct llc_events, "overflow_counter_recovered", stats, ul_oc_recovered),
    WORKER_FIELD(struct llc_events, "control_frames", stats, llc_orders),
    FIELD_COUNTERS(struct llc_events, "drops", "LLC-PDUs", stats.gb_drops, drop_fields_llc_pdus,
                   "Uplink LLC-PDUs dropped, by reason."),
    FIELD_ROWS(offsetof(struct llc_events, counts), llc_fields_counts),
    FIELD_INSIDE(LIST, "unhandled", 0, llc_fields_unhandled, "UI frames of gmm and sms by message.",
                 .each = each_unhandled, .when = "when mobiles send GMM, SM or SMS messages"),
    FIELD_END,
};

struct path {
    char sgsn_address[ADDRESS_BOOK_TEXT_CHARS], ggsn_address[ADDRESS_BOOK_TEXT_CHARS];
    uint64_t contexts;
    struct core_path_state lua;
};

void node_fields_each_path(const void *record, struct field_sink *sink)
{
    const struct core *core = &((const struct node_fields *)record)->node->core;
    for (uint32_t i = 0; i < core->paths.count; i++) {
        const struct core_paths_entry *entry = &core->paths.list[i];
        struct path path = {.contexts = entry->contexts};
        address_book_text(&core->addresses, entry->ours, path.sgsn_address);
        address_book_text(&core->addresses, entry->theirs, path.ggsn_address);
        core_path_state(core, i, &path.lua);
        field_put(sink, NULL, &path);
    }
}

const struct field path_fields[] = {
    FIELD(struct path, LABEL, "sgsn_address", "", sgsn_address, "The node's address of the path."),
    FIELD(struct path, LABEL, "ggsn_address", "", ggsn_address, "The GGSN's address of the path."),
    FIELD(struct path, GAUGE, "contexts", "PDP contexts", contexts, "Active PDP contexts that use the path."),
    FIELD(struct path, LABEL, "state", "", lua.state,
          "off (not supervised), unknown (no answer yet), up, or down (gn.path)."),
    FIELD(struct path, COUNTER, "requests", "messages", lua.requests,
          "Echo Requests, without retransmissions."),
    FIELD(struct path, COUNTER, "retransmissions", "messages", lua.repeats,
          "Retransmissions of Echo Requests after T3-RESPONSE."),
    FIELD(struct path, COUNTER, "answers", "messages", lua.answers, "Echo Responses received in time."),
    FIELD(struct path, COUNTER, "failures", "times", lua.losses,
          "Path failures: times that the state became down."),
    FIELD_END,
};

struct node_fields node_fields_of(const struct node *node)
{
    return (struct node_fields){
        .node = node,
        .stats = totals_stats(node->workers, node->worker_count),
        .totals = totals_of_all(node->workers, node->worker_count),
        .lost_sessions = node->sessions.lost,
    };
}

#define GN(name, number) WORKER_FIELD(struct node_fields, name, stats, number)

static const struct field gn[] = {
    GN("answers_due", gn_answers_due),
    GN("echo_responses", gn_echo_responses),
    GN("error_indications", gn_error_indications),
    GN("extension_notifications", gn_extension_notifications),
    GN("rate_limited", gn_rate_limited),
    GN("unanswerable", gn_unanswerable),
    GN("answers_unsent", gn_answers_unsent),
    GN("echo_requests", gn_echo_requests),
    GN("echo_unsent", gn_echo_unsent),
    GN("echo_answered", gn_echo_answered),
    GN("echo_unexpected", gn_echo_unexpected),
    GN("fragmented", gn_fragmented),
    GN("fragments", gn_fragments),
    GN("tunnel_errors", gn_tunnel_errors),
    FIELD(
        struct node_fields, COUNTER, "lost_sessions", "sessions", lost_sessions,
        "Sessions lost at their GGSN (Error Indication, restart, deletion there), or by a path that is down "
        "(gn.path.on_loss)."),
    FIELD_END,
};

const struct field node_fields[] = {
    FIELD_INSIDE(MAP, "aqm", 0, aqm_fields, "A traffic class with an AQM scheme.", .label = "CLASS",
                 .each = aqm_fields_each),
    FIELD_INSIDE(OBJECT, "gn", 0, gn,
                 "GTP-U messages and IP fragments on Gn; answers_due is the sum of the six fields after it."),
    FIELD_INSIDE(LIST, "workers", 0, worker_fields,
                 "A worker, by its number; counters outside workers[] are sums over all workers.",
                 .each = worker_fields_each, .is_optional = true, .when = "with several workers"),
    FIELD_INSIDE(OBJECT, "mobility", 0, worker_fields_mobility,
                 "Mobiles that move between workers, and their uplink frames from other NSEs.",
                 .each = worker_fields_each_mobility, .is_optional = true,
                 .when = "with several workers or NSEs"),
    FIELD_END,
};

const struct field node_fields_signalling[] = {
    FIELD_INSIDE(LIST, "paths", 0, path_fields,
                 "A GTP-U path that sessions use or used, in order of its first session.",
                 .each = node_fields_each_path),
    FIELD_INSIDE(OBJECT, "llc", 0, llc_fields,
                 "LLC frames to and from mobiles, and what the control plane does with them.",
                 .each = llc_fields_each),
    FIELD_END,
};
