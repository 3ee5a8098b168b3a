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

static const struct core *core_of(const void *record)
{
    return &((const struct live *)record)->node.core;
}

static void put_wanted_row(void *sink, const void *row)
{
    if (field_wants(sink))
        field_put(sink, NULL, row);
}

static void put_hex(char out[HEX_CHARS], uint32_t number)
{
    snprintf(out, HEX_CHARS, "%08x", number);
}

/* --- mobiles --- */

struct mobile {
    const char *imsi, *state;
    char tlli[HEX_CHARS];
    struct core_event_ms place;
    uint32_t contexts;
    uint64_t sent, dropped;
    struct show_state live;
};

static struct mobile mobile_of(const struct live *live, const struct sessions_mobile *known)
{
    struct mobile m = {.imsi = imsi_of(known), .contexts = (uint32_t)__builtin_popcount(known->nsapis)};
    bool is_there =
        core_read(&live->node.core, gb_ms_state, core_event_ms_fields, &m.place, LUA_ARG(known->tlli));
    m.state = !is_there              ? "unknown"
              : m.place.is_suspended ? "suspended"
              : m.place.is_paged     ? "paged"
                                     : "ready";
    put_hex(m.tlli, known->tlli);
    show_state_ms(&m.live, live, (uint32_t)(known - live->node.sessions.mobiles), &m.sent, &m.dropped);
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
    FIELD(struct mobile, LABEL, "nsei", "", place.nsei, "NSEI of the cell that it is in, or is paged in."),
    FIELD(struct mobile, LABEL, "bvci", "", place.bvci, "BVCI of that cell."),
    FIELD(struct mobile, LABEL, "state", "", state,
          "ready, suspended, paged, or unknown to the Gb control plane."),
    FIELD(struct mobile, GAUGE, "moves", "cell changes", place.moves,
          "Cell changes that it may make at once now (mobiles.moves)."),
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

struct wanted {
    const char *imsi, *apn, *state, *cause;
    uint64_t id;
    uint8_t nsapi;
    char ggsn_address[ADDRESS_BOOK_TEXT_CHARS];
};

static const struct lua_field wanted_fields[] = {LUA_FIELD_OF(struct wanted, id, "id"),
                                                 LUA_FIELD_AS(TEXT, struct wanted, state, "state"),
                                                 LUA_FIELD_AS(TEXT, struct wanted, cause, "cause"),
                                                 {0}};

struct filling {
    const struct live *live;
    struct field_sink *sink;
};

static void put_wanted(void *arg, const void *row)
{
    const struct filling *filling = arg;
    const struct sessions *s = &filling->live->node.sessions;
    struct wanted out = *(const struct wanted *)row;
    const struct sessions_wanted *wanted = sessions_gtpc_get(s, out.id);
    if (!wanted || !field_wants(filling->sink))
        return;
    out.imsi = s->mobiles[wanted->mobile].imsi;
    out.apn = wanted->apn;
    out.nsapi = wanted->params.nsapi;
    address_book_text(&filling->live->node.core.addresses, wanted->params.ggsn_ip, out.ggsn_address);
    field_put(filling->sink, NULL, &out);
}

static void show_sessions_each_gtpc(const void *record, struct field_sink *sink)
{
    struct filling filling = {record, sink};
    struct wanted row = {0};
    core_each(core_of(record), gtpc_list,
              &((struct lua_list){NULL, wanted_fields, &row, sizeof(row), put_wanted, &filling}));
}

static const struct field show_sessions_gtpc[] = {
    FIELD(struct wanted, LABEL, "imsi", "", imsi, "IMSI of the mobile."),
    FIELD(struct wanted, LABEL, "nsapi", "", nsapi, "NSAPI of the PDP context."),
    FIELD(struct wanted, LABEL, "apn", "", apn, "Requested APN."),
    FIELD(struct wanted, LABEL, "ggsn_address", "", ggsn_address, "The GGSN's address for GTP-C."),
    FIELD(struct wanted, LABEL, "state", "", state,
          "creating, active, updating, withdrawing, resting, leaving or deleting (docs/gtpc.md)."),
    FIELD(
        struct wanted, LABEL, "cause", "", cause,
        "GTP cause of the latest refusal, silence if no answer came, or refused here if the answer cannot be "
        "used."),
    FIELD_END,
};

/* --- phones --- */

struct subscriber {
    const char *imsi, *state, *contexts;
    uint32_t number, nsei, bvci, algorithm;
    char tlli[HEX_CHARS];
};

static const struct lua_field subscriber_fields[] = {
    LUA_FIELD_AS(TEXT, struct subscriber, imsi, "imsi"),
    LUA_FIELD_AS(TEXT, struct subscriber, state, "state"),
    LUA_FIELD_AS(TEXT, struct subscriber, contexts, "contexts"),
    LUA_FIELD_OF(struct subscriber, number, "tlli"),
    LUA_FIELD_OF(struct subscriber, nsei, "nsei"),
    LUA_FIELD_OF(struct subscriber, bvci, "bvci"),
    LUA_FIELD_OF(struct subscriber, algorithm, "algorithm"),
    {0}};

static void put_subscriber(void *sink, const void *row)
{
    struct subscriber out = *(const struct subscriber *)row;
    put_hex(out.tlli, out.number);
    put_wanted_row(sink, &out);
}

static void show_sessions_each_subscriber(const void *record, struct field_sink *sink)
{
    struct subscriber row = {.imsi = "-", .state = "-", .contexts = "-"};
    core_each(core_of(record), phones_list,
              &((struct lua_list){NULL, subscriber_fields, &row, sizeof(row), put_subscriber, sink}));
}

static const struct field show_sessions_subscribers[] = {
    FIELD(struct subscriber, LABEL, "imsi", "", imsi, "IMSI of the phone, - until it is known."),
    FIELD(struct subscriber, LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    FIELD(struct subscriber, LABEL, "nsei", "", nsei, "NSEI of the cell of its latest signalling."),
    FIELD(struct subscriber, LABEL, "bvci", "", bvci, "BVCI of that cell."),
    FIELD(struct subscriber, LABEL, "state", "", state, "State of GMM (lua/gmm/machine.lua)."),
    FIELD(struct subscriber, LABEL, "gea", "", algorithm, "GEA algorithm, 0: not ciphered."),
    FIELD(struct subscriber, LABEL, "contexts", "", contexts,
          "NSAPI and address of each context, or its state."),
    FIELD_END,
};

struct hlr {
    const char *address, *state;
    uint32_t tcp_port;
    bool is_up;
};

static const struct lua_field hlr_fields[] = {LUA_FIELD_AS(TEXT, struct hlr, address, "address"),
                                              LUA_FIELD_OF(struct hlr, tcp_port, "port"),
                                              LUA_FIELD_OF(struct hlr, is_up, "is_up"),
                                              {0}};

static void show_sessions_each_hlr(const void *record, struct field_sink *sink)
{
    struct hlr row = {0};
    if (!core_read(core_of(record), phones_hlr_state, hlr_fields, &row))
        return;
    row.state = row.is_up ? "up" : "down";
    put_wanted_row(sink, &row);
}

static const struct field show_sessions_hlr[] = {
    FIELD(struct hlr, LABEL, "address", "", address, "IP address of the HLR (phones.hlr)."),
    FIELD(struct hlr, LABEL, "tcp_port", "", tcp_port, "TCP port of its GSUP."),
    FIELD(struct hlr, LABEL, "state", "", state,
          "up or down: the connection; up once the HLR has asked for the node's name."),
    FIELD_END,
};

struct pool {
    const char *nris, *offload;
    uint64_t leaving, told;
};

static const struct lua_field pool_fields[] = {LUA_FIELD_AS(TEXT, struct pool, nris, "nris"),
                                               LUA_FIELD_AS(TEXT, struct pool, offload, "offload"),
                                               LUA_FIELD_OF(struct pool, leaving, "leaving"),
                                               LUA_FIELD_OF(struct pool, told, "told"),
                                               {0}};

static void show_sessions_each_pool(const void *record, struct field_sink *sink)
{
    struct pool row = {.nris = "-", .offload = "-"};
    if (core_read(core_of(record), phones_pool_state, pool_fields, &row))
        put_wanted_row(sink, &row);
}

static const struct field show_sessions_pool[] = {
    FIELD(struct pool, LABEL, "nris", "", nris, "NRIs of the node, - without NRIs."),
    FIELD(struct pool, LABEL, "offload", "", offload, "The offload in progress, -: none."),
    FIELD(struct pool, GAUGE, "leaving", "phones", leaving,
          "Phones that another SGSN has or asks for, and that are not forgotten yet."),
    FIELD(struct pool, COUNTER, "told", "phones", told, "Phones that offloads have told to go."),
    FIELD_END,
};

struct event {
    const char *name;
    uint64_t count;
};

static const struct lua_field event_fields[] = {
    LUA_FIELD_AS(TEXT, struct event, name, "name"), LUA_FIELD_OF(struct event, count, "count"), {0}};

static void show_sessions_each_event(const void *record, struct field_sink *sink)
{
    struct event row = {.name = "-"};
    core_each(core_of(record), phones_report,
              &((struct lua_list){NULL, event_fields, &row, sizeof(row), put_wanted_row, sink}));
}

static const struct field show_sessions_events[] = {
    FIELD(struct event, LABEL, "name", "", name, "A message, procedure or reject cause."),
    FIELD(struct event, COUNTER, "count", "events", count, "How often it happened."),
    FIELD_END,
};

/* --- tables --- */

const struct field show_sessions_tables[] = {
    SHOW_TABLE("ms", show_sessions_each_mobile, show_sessions_mobiles, "Mobiles."),
    SHOW_TABLE("pdp", show_sessions_each_context, show_sessions_contexts, "Active PDP contexts."),
    SHOW_TABLE("gtpc", show_sessions_each_gtpc, show_sessions_gtpc,
               "PDP contexts that the node requests of GGSNs by GTP-C."),
    SHOW_TABLE("subscribers", show_sessions_each_subscriber, show_sessions_subscribers,
               "Phones (docs/phones.md)."),
    SHOW_TABLE("hlr", show_sessions_each_hlr, show_sessions_hlr,
               "The GSUP connection to the HLR of phones (docs/phones.md)."),
    SHOW_TABLE("pool", show_sessions_each_pool, show_sessions_pool,
               "The pool of SGSNs that the node is in (docs/pool.md)."),
    SHOW_TABLE("phone_counts", show_sessions_each_event, show_sessions_events,
               "Messages, procedures and reject causes of phones."),
    FIELD_END,
};
