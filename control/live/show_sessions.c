/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of `gbflow show` about sessions: mobiles, contexts, subscribers, GTP-C. */
#include "control/live/tables.h"

#include "control/sessions/sessions_gtpc.h"
#include "control/report/field.h"
#include "control/live/live.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/context/context_look.h"

#define HEX_CHARS 9

/* NULL: not known. */
static const char *imsi_of(const struct sessions_mobile *mobile)
{
    return mobile->imsi[0] ? mobile->imsi : NULL;
}

static void put_hex(char out[HEX_CHARS], uint32_t number)
{
    snprintf(out, HEX_CHARS, "%08x", number);
}

/* --- mobiles --- */

LUA_ROWS(gb_ms);

struct mobile {
    const char *imsi;
    char tlli[HEX_CHARS];
    struct gb_ms place;
    uint32_t contexts;
    uint64_t sent, dropped;
    struct show_state live;
};

static struct mobile mobile_of(const struct live *live, const struct sessions_mobile *known)
{
    const struct core *core = &live->node.core;
    uint32_t slot = (uint32_t)(known - live->node.sessions.mobiles);
    struct mobile m = {.imsi = imsi_of(known),
                       .place = {.state = "unknown"},
                       .contexts = (uint32_t)__builtin_popcount(known->nsapis)};
    core_read(core, gb_ms_state, gb_ms_of_lua, &m.place, LUA_ARG(slot));
    put_hex(m.tlli, mobility_tlli(&core->mobility, slot));
    show_state_ms(&m.live, live, slot, &m.sent, &m.dropped);
    return m;
}

static void show_sessions_each_mobile(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < live->node.config.limits.mobiles; i++) {
        if (!s->mobiles[i].in_use || !field_wants(sink))
            continue;
        struct mobile mobile = mobile_of(live, &s->mobiles[i]);
        field_put(sink, NULL, &mobile);
    }
}

static const struct field show_sessions_mobiles[] = {
    FIELD(struct mobile, LABEL, "imsi", "", imsi, "IMSI of the mobile."),
    FIELD(struct mobile, LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    FIELD_ROWS(offsetof(struct mobile, place), gb_ms_rows),
    FIELD(struct mobile, GAUGE, "contexts", "PDP contexts", contexts, "Its PDP contexts."),
    FIELD(struct mobile, COUNTER, "sent", "N-PDUs", sent,
          "N-PDUs that were sent on its contexts at its worker; at high load an estimate (docs/watch.md)."),
    FIELD(struct mobile, COUNTER, "dropped", "N-PDUs", dropped,
          "N-PDUs of its contexts that were dropped at its worker."),
    FIELD_ROWS(offsetof(struct mobile, live), show_state_queue),
    FIELD_ROWS(offsetof(struct mobile, live), show_state_bucket),
    FIELD_ROWS(offsetof(struct mobile, live), show_state_second),
    FIELD_ROWS(offsetof(struct mobile, live), show_state_waits),
    FIELD(struct mobile, GAUGE, "links", "links", live.llc.links,
          "Its SAPIs with contexts in LLC's acknowledged mode."),
    FIELD(struct mobile, GAUGE, "links_open", "links", live.llc.open, "Of those, in acknowledged mode now."),
    FIELD(struct mobile, GAUGE, "unconfirmed", "I frames", live.llc.unconfirmed,
          "I frames to it that are not acknowledged."),
    FIELD(struct mobile, GAUGE, "repeated", "I frames", live.llc.repeated,
          "Repetitions since acknowledged mode was last established, modulo 65536."),
    FIELD_END,
};

/* --- PDP contexts --- */

struct pdp_row {
    const char *imsi, *class;
    uint8_t nsapi;
    char address[INET_ADDRSTRLEN], teid[HEX_CHARS], ggsn_teid[HEX_CHARS];
    char sgsn_address[ADDRESS_BOOK_TEXT_CHARS], ggsn_address[ADDRESS_BOOK_TEXT_CHARS];
};

static struct pdp_row context_of(const struct live *live, const struct session *session)
{
    const struct address_book *book = &live->node.core.addresses;
    struct pdp_row c = {
        .imsi = imsi_of(&live->node.sessions.mobiles[session->mobile]),
        .class = n_pdu_qclass_name(session->qclass),
        .nsapi = session->nsapi,
    };
    field_ip(session->address, c.address);
    put_hex(c.teid, session->teid);
    put_hex(c.ggsn_teid, session->ggsn_teid);
    address_book_text(book, session->sgsn_ip, c.sgsn_address);
    address_book_text(book, session->ggsn_ip, c.ggsn_address);
    return c;
}

static void show_sessions_each_context(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct sessions *s = &live->node.sessions;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->list[i].is_active || !field_wants(sink))
            continue;
        struct pdp_row context = context_of(live, &s->list[i]);
        field_put(sink, NULL, &context);
    }
}

static const struct field show_sessions_contexts[] = {
    FIELD(struct pdp_row, LABEL, "imsi", "", imsi, "IMSI of the mobile."),
    FIELD(struct pdp_row, LABEL, "nsapi", "", nsapi, "NSAPI of the PDP context."),
    FIELD(struct pdp_row, LABEL, "address", "", address,
          "The mobile's IPv4 address; 0.0.0.0 if it is not known."),
    FIELD(struct pdp_row, LABEL, "class", "", class, "Traffic class."),
    FIELD(struct pdp_row, LABEL, "teid", "", teid, "Downlink TEID of the node, hexadecimal."),
    FIELD(struct pdp_row, LABEL, "sgsn_address", "", sgsn_address, "The node's address of the GTP-U tunnel."),
    FIELD(struct pdp_row, LABEL, "ggsn_teid", "", ggsn_teid, "Uplink TEID of the GGSN, hexadecimal."),
    FIELD(struct pdp_row, LABEL, "ggsn_address", "", ggsn_address, "The GGSN's address of the GTP-U tunnel."),
    FIELD_END,
};

/* --- contexts over GTP-C --- */

LUA_ROWS(gtpc_contexts);

/* A context that is only being deleted at its GGSN has no row. */
static void put_context(void *arg, const void *row)
{
    const struct show_filling *filling = arg;
    const struct gtpc_contexts *context = row;
    if (sessions_gtpc_has_id(&filling->live->node.sessions, context->id) && field_wants(filling->sink))
        field_put(filling->sink, NULL, context);
}

static void show_sessions_each_gtpc(const void *record, struct field_sink *sink)
{
    struct show_filling filling = {record, sink, 0};
    struct gtpc_contexts row = {0};
    core_each(SHOW_CORE, gtpc_list,
              &((struct lua_list){NULL, gtpc_contexts_of_lua, &row, sizeof(row), put_context, &filling}));
}

/* --- phones --- */

LUA_ROWS(subscribers);
LUA_ROWS(hlr);
LUA_ROWS(pool);
LUA_ROWS(phone_counts);

LUA_ROWS_LIST(subscribers, phones_list, SHOW_CORE)
LUA_ROWS_RECORD(hlr, phones_hlr_state, SHOW_CORE)
LUA_ROWS_RECORD(pool, phones_pool_state, SHOW_CORE)
LUA_ROWS_LIST(phone_counts, phones_report, SHOW_CORE)

/* --- tables --- */

const struct field show_sessions_tables[] = {
    SHOW_TABLE("ms", show_sessions_each_mobile, show_sessions_mobiles, "Mobiles."),
    SHOW_TABLE("pdp", show_sessions_each_context, show_sessions_contexts, "Active PDP contexts."),
    SHOW_TABLE("gtpc", show_sessions_each_gtpc, gtpc_contexts_rows,
               "PDP contexts that the node requests of GGSNs by GTP-C."),
    SHOW_TABLE("subscribers", subscribers_each, subscribers_rows, "Phones (docs/phones.md)."),
    SHOW_TABLE("hlr", hlr_each, hlr_rows, "The GSUP connection to the HLR of phones (docs/phones.md)."),
    SHOW_TABLE("pool", pool_each, pool_rows, "The pool of SGSNs that the node is in (docs/pool.md)."),
    SHOW_TABLE("phone_counts", phone_counts_each, phone_counts_rows,
               "Messages, procedures and reject causes of phones."),
    FIELD_END,
};
