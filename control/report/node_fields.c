/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/node_fields.h"
#include "control/report/field.h"
#include "control/report/lua_rows.h"
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
const struct field_words drop_fields_llc_pdus = {"REASON", DROP_UNKNOWN_TLLI, DROP_SNDCP_MALFORMED, reasons};

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

LUA_ROWS(llc_counts);
LUA_ROWS(llc_unhandled);

struct llc_events {
    const struct core *core;
    struct worker_stats stats;
    struct llc_counts counts;
};

static void llc_fields_each(const void *record, struct field_sink *sink)
{
    const struct node_fields *node = record;
    struct llc_events llc = {.core = &node->node->core, .stats = node->stats};
    core_read(llc.core, llc_count, llc_counts_of_lua, &llc.counts);
    field_put(sink, NULL, &llc);
}

LUA_ROWS_LIST(llc_unhandled, llc_messages, ((const struct llc_events *)record)->core)

/* Rows of the object that llc_fields_each() puts; record: struct node_fields. */
static const struct field llc_fields[] = {
    WORKER_FIELD(struct llc_events, "uplink_frames", stats, ul_llc_frames),
    WORKER_FIELD(struct llc_events, "overflow_counter_recovered", stats, ul_oc_recovered),
    WORKER_FIELD(struct llc_events, "control_frames", stats, llc_orders),
    WORKER_FIELD(struct llc_events, "cell_undecided", stats, cell_undecided),
    FIELD_COUNTERS(struct llc_events, "drops", "LLC-PDUs", stats.gb_drops, drop_fields_llc_pdus,
                   "Uplink LLC-PDUs dropped, by reason."),
    FIELD_ROWS(offsetof(struct llc_events, counts), llc_counts_rows),
    FIELD_INSIDE(LIST, "unhandled", 0, llc_unhandled_rows, "UI frames of gmm and sms by message.",
                 .each = llc_unhandled_each, .when = "when mobiles send GMM, SM or SMS messages"),
    FIELD_END,
};

LUA_ROWS_STRUCT(paths);

const struct field path_fields[] = {LUA_ROWS_FIELDS(paths)};

void node_fields_each_path(const void *record, struct field_sink *sink)
{
    const struct core *core = &((const struct node_fields *)record)->node->core;
    for (uint32_t i = 0; i < core->paths.count; i++) {
        const struct core_paths_entry *entry = &core->paths.list[i];
        char ours[ADDRESS_BOOK_TEXT_CHARS], theirs[ADDRESS_BOOK_TEXT_CHARS];
        struct paths path = {0};
        core_read(core, gn_state, paths_of_lua, &path, LUA_ARG(i));
        path.sgsn_address = address_book_text(&core->addresses, entry->ours, ours);
        path.ggsn_address = address_book_text(&core->addresses, entry->theirs, theirs);
        path.contexts = entry->contexts;
        field_put(sink, NULL, &path);
    }
}

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
    GN("answers_held", gn_answers_held),
    GN("gtpc_unsent", gn_gtpc_unsent),
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
