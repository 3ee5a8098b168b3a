/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/tables.h"

#include "control/sessions/sessions_gtpc.h"
#include "control/lua/lua_gb.h"
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

struct mobile {
    const char *imsi, *state;
    char tlli[HEX_CHARS];
    struct lua_gb_state_ms place;
    uint32_t contexts;
    uint64_t sent, dropped;
    struct show_state live;
};

static struct mobile mobile_of(const struct live *live, const struct sessions_mobile *known)
{
    struct mobile m = {.imsi = imsi_of(known), .contexts = (uint32_t)__builtin_popcount(known->nsapis)};
    bool is_there = lua_gb_state_ms(&live->node.core.gb, known->tlli, live->node.core.now, &m.place);
    m.state = !is_there              ? "unknown"
              : m.place.is_suspended ? "suspended"
              : m.place.is_paged     ? "paged"
                                     : "ready";
    put_hex(m.tlli, known->tlli);
    show_state_ms(&m.live, live, (uint32_t)(known - live->node.sessions.mobiles), &m.sent, &m.dropped);
    return m;
}

void show_sessions_each_mobile(const void *record, struct field_sink *sink)
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

const struct field show_sessions_mobiles[] = {
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

void show_sessions_each_context(const void *record, struct field_sink *sink)
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

const struct field show_sessions_contexts[] = {
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
    uint8_t nsapi;
    char ggsn_address[ADDRESS_BOOK_TEXT_CHARS];
};

struct filling {
    const struct live *live;
    struct field_sink *sink;
};

static void put_wanted(void *arg, const struct lua_gtpc_row *row)
{
    const struct filling *filling = arg;
    const struct sessions *s = &filling->live->node.sessions;
    const struct sessions_wanted *wanted = sessions_gtpc_get(s, row->id);
    if (!wanted || !field_wants(filling->sink))
        return;
    struct wanted out = {
        .imsi = s->mobiles[wanted->mobile].imsi,
        .apn = wanted->apn,
        .state = row->state,
        .cause = row->cause,
        .nsapi = wanted->params.nsapi,
    };
    address_book_text(&filling->live->node.core.addresses, wanted->params.ggsn_ip, out.ggsn_address);
    field_put(filling->sink, NULL, &out);
}

void show_sessions_each_gtpc(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    struct filling filling = {live, sink};
    lua_gtpc_list(&live->node.core.gtpc, &filling, put_wanted);
}

const struct field show_sessions_gtpc[] = {
    FIELD(struct wanted, LABEL, "imsi", "", imsi, "IMSI of the mobile."),
    FIELD(struct wanted, LABEL, "nsapi", "", nsapi, "NSAPI of the PDP context."),
    FIELD(struct wanted, LABEL, "apn", "", apn, "Requested APN."),
    FIELD(struct wanted, LABEL, "ggsn_address", "", ggsn_address, "The GGSN's address for GTP-C."),
    FIELD(struct wanted, LABEL, "state", "", state,
          "creating, active, updating, resting, leaving or deleting (docs/gtpc.md)."),
    FIELD(struct wanted, LABEL, "cause", "", cause,
          "GTP cause of the latest refusal, or silence if no answer came."),
    FIELD_END,
};

/* --- phones --- */

struct subscriber {
    struct lua_phones_row row;
    char tlli[HEX_CHARS];
};

static void put_subscriber(void *arg, const struct lua_phones_row *row)
{
    struct field_sink *sink = arg;
    struct subscriber out = {.row = *row};
    if (!field_wants(sink))
        return;
    put_hex(out.tlli, row->tlli);
    field_put(sink, NULL, &out);
}

void show_sessions_each_subscriber(const void *record, struct field_sink *sink)
{
    const struct lua_phones *phones = &((const struct live *)record)->node.core.phones;
    if (phones->object.L)
        lua_phones_list(phones, sink, put_subscriber);
}

const struct field show_sessions_subscribers[] = {
    FIELD(struct subscriber, LABEL, "imsi", "", row.imsi, "IMSI of the phone, - until it is known."),
    FIELD(struct subscriber, LABEL, "tlli", "", tlli, "TLLI, hexadecimal."),
    FIELD(struct subscriber, LABEL, "nsei", "", row.nsei, "NSEI of the cell of its latest signalling."),
    FIELD(struct subscriber, LABEL, "bvci", "", row.bvci, "BVCI of that cell."),
    FIELD(struct subscriber, LABEL, "state", "", row.state, "State of GMM (lua/gmm/machine.lua)."),
    FIELD(struct subscriber, LABEL, "gea", "", row.algorithm, "GEA algorithm, 0: not ciphered."),
    FIELD(struct subscriber, LABEL, "contexts", "", row.contexts,
          "NSAPI and address of each context, or its state."),
    FIELD_END,
};

struct event {
    const char *name;
    uint64_t count;
};

static void put_event(void *arg, const char *name, uint64_t count)
{
    const struct event out = {name, count};
    if (field_wants(arg))
        field_put(arg, NULL, &out);
}

void show_sessions_each_event(const void *record, struct field_sink *sink)
{
    const struct lua_phones *phones = &((const struct live *)record)->node.core.phones;
    if (phones->object.L)
        lua_phones_counts(phones, sink, put_event);
}

const struct field show_sessions_events[] = {
    FIELD(struct event, LABEL, "name", "", name, "A message, procedure or reject cause."),
    FIELD(struct event, COUNTER, "count", "events", count, "How often it happened."),
    FIELD_END,
};

/* --- Gb links --- */

struct link_row {
    uint16_t nsei;
    uint8_t worker;
    struct show_state state;
};

void show_flows_each_link(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < config->nse_count; i++) {
        const struct node_config_nse *nse = &config->nses[i];
        struct link_row row = {.nsei = nse->nsei, .worker = nse->worker};
        if (nse->is_gone || !field_wants(sink))
            continue;
        show_state_link(&row.state, live, (uint16_t)i);
        field_put(sink, NULL, &row);
    }
}

const struct field show_flows_links[] = {
    FIELD(struct link_row, LABEL, "nsei", "", nsei, "NSEI of the link's NSE."),
    FIELD(struct link_row, LABEL, "worker", "", worker, "Worker that serves the NSE."),
    FIELD_ROWS(offsetof(struct link_row, state), show_state_queue),
    FIELD_ROWS(offsetof(struct link_row, state), show_state_bucket),
    FIELD_ROWS(offsetof(struct link_row, state), show_state_second),
    FIELD_END,
};

/* --- classes of the node --- */

struct class_row {
    const char *class;
    struct show_state state;
};

static void add_queued(const struct node *node, unsigned qclass, struct context_look *look)
{
    for (uint32_t i = 0; i < node->config.nse_count; i++) {
        const struct node_config_nse *nse = &node->config.nses[i];
        if (nse->is_gone)
            continue;
        const struct sched_link *link = &node->workers[nse->worker]->context.nses[i].sched;
        look->queued_octets += link->classes[qclass].octets;
        look->queued_pkts += link->classes[qclass].pkts;
    }
}

void show_flows_each_class(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    for (enum qclass k = 0; k < QCLASS_COUNT; k++) {
        const struct watch_key key = {WATCH_ANY, WATCH_ANY, WATCH_ANY, k};
        struct class_row row = {.class = n_pdu_qclass_name(k)};
        show_state_second_of(&row.state, live, &key);
        add_queued(&live->node, k, &row.state.look);
        field_put(sink, NULL, &row);
    }
}

const struct field show_flows_classes[] = {
    FIELD(struct class_row, LABEL, "class", "", class, "Traffic class."),
    FIELD_ROWS(offsetof(struct class_row, state), show_state_queue),
    FIELD_ROWS(offsetof(struct class_row, state), show_state_second),
    FIELD_END,
};

/* --- classes of cells --- */

struct cell_row {
    uint16_t nsei, bvci;
    const char *class, *reason;
    struct gb_counts counts;
    uint64_t dropped;
};

static uint64_t dropped_of(const struct gb_counts *counts)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < DROP_COUNT - DROP_FIRST_NPDU; i++)
        sum += counts->drops[i];
    return sum;
}

/* Calls put for each cell and class. */
static void each_cell(const struct live *live, struct field_sink *sink,
                      void (*put)(struct field_sink *sink, struct cell_row *row))
{
    const struct node_config *config = &live->node.config;
    for (uint32_t i = 0; i < config->cell_count; i++) {
        const struct node_config_cell *cell = &config->cells[i];
        const struct context *c = &live->node.workers[config->nses[cell->nse].worker]->context;
        for (enum qclass k = 0; !cell->is_gone && k < QCLASS_COUNT; k++) {
            struct cell_row row = {.nsei = config->nses[cell->nse].nsei,
                                   .bvci = cell->bvci,
                                   .class = n_pdu_qclass_name(k),
                                   .counts = *context_counts(c, (uint16_t)i, k)};
            put(sink, &row);
        }
    }
}

static void put_cell(struct field_sink *sink, struct cell_row *row)
{
    row->dropped = dropped_of(&row->counts);
    if (row->counts.in + row->counts.out + row->dropped > 0)
        field_put(sink, NULL, row);
}

void show_flows_each_cell(const void *record, struct field_sink *sink)
{
    each_cell(record, sink, put_cell);
}

#define COUNT(name, unit, member, sentence) FIELD(struct cell_row, COUNTER, name, unit, member, sentence)

const struct field show_flows_cells[] = {
    FIELD(struct cell_row, LABEL, "nsei", "", nsei, "NSEI of the cell's NSE."),
    FIELD(struct cell_row, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct cell_row, LABEL, "class", "", class, "Traffic class; only those with N-PDUs are listed."),
    COUNT("in", "N-PDUs", counts.in,
          "N-PDUs for mobiles in the cell; at high load an estimate (docs/watch.md)."),
    COUNT("in_octets", "octets", counts.in_octets, "Octets of these N-PDUs."),
    COUNT("out", "N-PDUs", counts.out, "N-PDUs sent in the cell; at high load an estimate (docs/watch.md)."),
    COUNT("out_octets", "octets", counts.out_octets, "Octets of these N-PDUs."),
    COUNT("marked", "N-PDUs", counts.marked, "N-PDUs sent with CE set by an AQM scheme."),
    COUNT("dropped", "N-PDUs", dropped, "N-PDUs for mobiles in the cell that were dropped."),
    FIELD_END,
};

static void put_drops(struct field_sink *sink, struct cell_row *row)
{
    for (unsigned i = 0; i < DROP_COUNT - DROP_FIRST_NPDU; i++) {
        if (row->counts.drops[i] == 0)
            continue;
        row->reason = drop_name((enum drop)(DROP_FIRST_NPDU + i));
        row->dropped = row->counts.drops[i];
        field_put(sink, NULL, row);
    }
}

void show_flows_each_drop(const void *record, struct field_sink *sink)
{
    each_cell(record, sink, put_drops);
}

const struct field show_flows_drops[] = {
    FIELD(struct cell_row, LABEL, "nsei", "", nsei, "NSEI of the cell's NSE."),
    FIELD(struct cell_row, LABEL, "bvci", "", bvci, "BVCI of the cell."),
    FIELD(struct cell_row, LABEL, "class", "", class, "Traffic class."),
    FIELD(struct cell_row, LABEL, "reason", "", reason,
          "Reason (docs/reference/drops.md); only those that happened are listed."),
    COUNT("count", "N-PDUs", dropped, "N-PDUs dropped for it."),
    FIELD_END,
};

/* --- NS-VCs --- */

struct nsvc {
    struct lua_gb_state_nsvc lua;
    const char *source;
    char address[ADDRESS_BOOK_TEXT_CHARS];
    uint16_t udp_port;
};

/* The key of the configuration by which an NSE (index) is there. */
static const char *source_of(const struct node_config *config, uint16_t nse)
{
    return config->nses[nse].is_accepted ? "nses_accepted" : "nses";
}

static void put_nsvc(void *arg, const struct lua_gb_state_nsvc *lua)
{
    const struct filling *filling = arg;
    const struct node *node = &filling->live->node;
    const struct node_config_nsvc *config = &node->config.nsvcs[lua->index];
    struct nsvc nsvc = {
        .lua = *lua, .udp_port = config->udp_port, .source = source_of(&node->config, config->nse)};
    address_book_text(&node->core.addresses, config->address, nsvc.address);
    field_put(filling->sink, NULL, &nsvc);
}

void show_gb_each_nsvc(const void *record, struct field_sink *sink)
{
    const struct live *live = record;
    struct filling filling = {live, sink};
    lua_gb_state_nsvcs(&live->node.core.gb, &filling, put_nsvc);
}

const struct field show_gb_nsvcs[] = {
    FIELD(struct nsvc, LABEL, "nsei", "", lua.nsei, "NSEI of the NS-VC's NSE."),
    FIELD(struct nsvc, LABEL, "nsvci", "", lua.nsvci, "NS-VCI; with IP-SNS a number given by the node."),
    FIELD(struct nsvc, LABEL, "address", "", address, "IP address of the BSS."),
    FIELD(struct nsvc, LABEL, "udp_port", "", udp_port, "UDP port of the BSS."),
    FIELD(struct nsvc, LABEL, "source", "", source, "Why it is there: nses or nses_accepted."),
    FIELD(struct nsvc, LABEL, "state", "", lua.state,
          "dead, resetting, blocked, unblocking or unblocked; with IP-SNS absent, waiting, alive or silent."),
    FIELD(struct nsvc, LABEL, "test", "", lua.test, "State of the test procedure (NS-ALIVE)."),
    FIELD_END,
};

/* --- cells --- */

struct bvc {
    struct lua_gb_state_bvc lua;
    const char *usable, *source;
    char cell_id[32];
    struct show_state state;
};

struct bvc_filling {
    const struct live *live;
    struct field_sink *sink;
    uint32_t next; /* cell of the configuration at which the search begins: both are in one order */
};

/* The index of a cell; -1: it is not configured any more. */
static int cell_of(struct bvc_filling *filling, uint32_t nsei, uint32_t bvci)
{
    const struct node_config *config = &filling->live->node.config;
    for (uint32_t i = 0; i < config->cell_count; i++) {
        uint32_t at = (filling->next + i) % config->cell_count;
        const struct node_config_cell *cell = &config->cells[at];
        if (cell->is_gone || cell->bvci != bvci || config->nses[cell->nse].nsei != nsei)
            continue;
        filling->next = at + 1;
        return (int)at;
    }
    return -1;
}

static void put_bvc(void *arg, const struct lua_gb_state_bvc *lua)
{
    struct bvc_filling *filling = arg;
    struct bvc bvc = {.lua = *lua,
                      .usable = !lua->is_usable   ? "no"
                                : lua->is_waiting ? "waits for flow control"
                                                  : "yes",
                      .source = ""};
    if (!field_wants(filling->sink))
        return;
    int cell = cell_of(filling, lua->nsei, lua->bvci);
    if (cell >= 0) {
        const struct node_config_cell *row = &filling->live->node.config.cells[cell];
        bvc.source = source_of(&filling->live->node.config, row->nse);
        snprintf(bvc.cell_id, sizeof(bvc.cell_id), "%s-%s-%u-%u-%u", row->mcc, row->mnc, row->lac, row->rac,
                 row->ci);
        show_state_bvc(&bvc.state, filling->live, (uint16_t)cell);
    }
    field_put(filling->sink, NULL, &bvc);
}

void show_gb_each_bvc(const void *record, struct field_sink *sink)
{
    struct bvc_filling filling = {.live = record, .sink = sink};
    lua_gb_state_bvcs(&filling.live->node.core.gb, &filling, put_bvc);
}

const struct field show_gb_bvcs[] = {
    FIELD(struct bvc, LABEL, "nsei", "", lua.nsei, "NSEI of the cell's NSE."),
    FIELD(struct bvc, LABEL, "bvci", "", lua.bvci, "BVCI of the cell."),
    FIELD(
        struct bvc, LABEL, "cell_id", "", cell_id,
        "Cell Identity: MCC, MNC, LAC, RAC and CI, as configured; with nses_accepted, as the BSS named it."),
    FIELD(struct bvc, LABEL, "source", "", source, "Why it is there: nses or nses_accepted."),
    FIELD(struct bvc, LABEL, "state", "", lua.state, "State of the BVC (TS 48.018 clause 8)."),
    FIELD(struct bvc, LABEL, "usable", "", usable,
          "yes, no, or waits for flow control: no FLOW-CONTROL-BVC has been received yet, and "
          "flow_control.initial is absent."),
    FIELD(struct bvc, GAUGE, "bucket_octets", "octets", lua.bucket_octets,
          "Bmax of the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "rate_bps", "bit/s", lua.rate_bps,
          "Bucket leak rate of the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_bucket_octets", "octets", lua.ms_bucket_octets,
          "Default Bmax of mobiles in the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_rate_bps", "bit/s", lua.ms_rate_bps,
          "Default bucket leak rate of mobiles in the last FLOW-CONTROL-BVC."),
    FIELD(struct bvc, GAUGE, "ms_buckets", "mobiles", lua.own_buckets,
          "Mobiles with a bucket of their own (FLOW-CONTROL-MS)."),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_queue),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_bucket),
    FIELD_ROWS(offsetof(struct bvc, state), show_state_second),
    FIELD_END,
};

/* --- counts --- */

static void put_count(void *sink, const struct lua_gb_state_count *count)
{
    field_put(sink, NULL, count);
}

void show_gb_each_count(const void *record, struct field_sink *sink)
{
    lua_gb_state_counts(&((const struct live *)record)->node.core.gb, sink, put_count);
}

const struct field show_gb_counts[] = {
    FIELD(struct lua_gb_state_count, LABEL, "name", "", name,
          "Name of the event: a PDU, a timer or a fault."),
    FIELD(struct lua_gb_state_count, COUNTER, "count", "events", count, "How often it happened."),
    FIELD_END,
};
