/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/report/llc_fields.h"

#include "control/report/drop_fields.h"
#include "control/report/node_fields.h"
#include "control/report/worker_fields.h"

#include <assert.h>
#include <string.h>

/* Counters of lua/llc/unnumbered.lua, named as there. */
struct counts {
    uint64_t xid_answered, xid_refused_parameter, xid_networks_parameter, xid_malformed, xid_unexpected;
    uint64_t reset_sent, reset_done, reset_unanswered;
    uint64_t gmm, sms, empty;
    uint64_t null, sabm, disc, ua, dm, frmr, undefined, poll_missing, i_frame, s_frame;
    uint64_t malformed, unknown_mobile;
};

struct llc {
    const struct lua_llc *lua;
    struct worker_stats stats;
    struct counts counts;
};

#define ROW(name, unit, sentence) FIELD(struct counts, COUNTER, #name, unit, name, sentence)

const struct field llc_fields_counts[] = {
    ROW(xid_answered, "XID commands", "XID commands of mobiles that were answered."),
    ROW(xid_refused_parameter, "parameters", "Parameters in XID commands with values that are not allowed."),
    ROW(xid_networks_parameter, "parameters", "Parameters in XID commands that only the network may set."),
    ROW(xid_malformed, "XID frames", "XID frames whose information field is malformed."),
    ROW(xid_unexpected, "XID frames", "XID responses that answer no XID command of the node."),
    ROW(reset_sent, "XID commands", "XID commands with Reset sent, retransmissions included."),
    ROW(reset_done, "resets", "Resets that mobiles answered."),
    ROW(reset_unanswered, "resets", "Resets given up after N200 retransmissions."),
    ROW(gmm, "UI frames", "UI frames of SAPI 1 (GMM, SM), which the node does not answer."),
    ROW(sms, "UI frames", "UI frames of SAPI 7 (SMS), which the node does not answer."),
    ROW(empty, "UI frames", "UI frames of SAPI 1 or 7 without content."),
    ROW(null, "LLC frames", "NULL commands received."),
    ROW(sabm, "LLC frames", "SABM commands received with P = 1, each answered with DM."),
    ROW(disc, "LLC frames", "DISC commands received with P = 1, each answered with DM."),
    ROW(ua, "LLC frames", "UA responses received."),
    ROW(dm, "LLC frames", "DM responses received."),
    ROW(frmr, "LLC frames", "FRMR responses received."),
    ROW(undefined, "LLC frames", "U frames received of a type that TS 44.064 does not define."),
    ROW(poll_missing, "LLC frames",
        "SABM, DISC and XID commands with P = 0, which are discarded (TS 44.064 clause 8.2)."),
    ROW(i_frame, "LLC frames", "I frames received; acknowledged mode is not offered."),
    ROW(s_frame, "LLC frames", "S frames received; acknowledged mode is not offered."),
    ROW(malformed, "LLC frames", "LLC frames passed to the control plane that are malformed."),
    ROW(unknown_mobile, "LLC frames",
        "LLC frames passed to the control plane whose mobile was deleted meanwhile."),
    FIELD_END,
};

static void set_count(void *arg, const struct lua_llc_count *count)
{
    if (!count->name)
        return;
    const struct field *row = llc_fields_counts;
    while (row->name && strcmp(row->name, count->name) != 0)
        row++;
    assert(row->name); /* each counter of Lua has a row */
    *(uint64_t *)((char *)arg + row->offset) = count->count;
}

void llc_fields_put_counts(const struct lua_llc *llc, struct field_sink *sink)
{
    struct counts found = {0};
    lua_llc_counts(llc, set_count, &found);
    field_put(sink, NULL, &found);
}

void llc_fields_each(const void *record, struct field_sink *sink)
{
    const struct node_fields *node = record;
    struct llc llc = {.lua = &node->node->core.llc, .stats = node->stats};
    lua_llc_counts(llc.lua, set_count, &llc.counts);
    field_put(sink, NULL, &llc);
}

/* --- messages that nothing handles --- */

const struct field llc_fields_unhandled[] = {
    FIELD(struct lua_llc_count, LABEL, "sapi", "", sapi, "SAPI: 1 or 7."),
    FIELD(struct lua_llc_count, LABEL, "protocol", "", protocol, "Protocol discriminator (TS 24.007)."),
    FIELD(struct lua_llc_count, LABEL, "message", "", message, "Message type."),
    FIELD(struct lua_llc_count, COUNTER, "frames", "UI frames", count, "UI frames with such a message."),
    FIELD_END,
};

static void put_unhandled(void *sink, const struct lua_llc_count *count)
{
    if (!count->name)
        field_put(sink, NULL, count);
}

void llc_fields_put_unhandled(const struct lua_llc *llc, struct field_sink *sink)
{
    lua_llc_counts(llc, put_unhandled, sink);
}

static void each_unhandled(const void *record, struct field_sink *sink)
{
    llc_fields_put_unhandled(((const struct llc *)record)->lua, sink);
}

const struct field llc_fields[] = {
    WORKER_FIELD(struct llc, "uplink_frames", stats, ul_llc_frames),
    WORKER_FIELD(struct llc, "overflow_counter_recovered", stats, ul_oc_recovered),
    WORKER_FIELD(struct llc, "control_frames", stats, llc_orders),
    FIELD_COUNTERS(struct llc, "drops", "LLC-PDUs", stats.gb_drops, drop_fields_llc_pdus,
                   "Uplink LLC-PDUs dropped, by reason."),
    FIELD_ROWS(offsetof(struct llc, counts), llc_fields_counts),
    FIELD_INSIDE(LIST, "unhandled", 0, llc_fields_unhandled, "UI frames of gmm and sms by message.",
                 .each = each_unhandled, .when = "when mobiles send GMM, SM or SMS messages"),
    FIELD_END,
};
