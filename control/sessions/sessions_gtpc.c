/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/sessions_gtpc.h"

#include "control/core/core.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_intent.h"
#include "control/core/core_gb.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/msg.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#define LOST (-1) /* cause of the end of a context: not by its GGSN's wish */

#define SLOT_BITS 24 /* of an id; the other bits are a count, which makes ids unique */

static uint32_t slots(const struct sessions *s)
{
    return s->core->config->limits.contexts;
}

static struct sessions_wanted *wanted_by(const struct sessions *s, uint64_t id)
{
    uint32_t pdp = (uint32_t)(id & ((1U << SLOT_BITS) - 1));
    return s->wanted && id != 0 && pdp < slots(s) && s->wanted[pdp].id == id ? &s->wanted[pdp] : NULL;
}

const struct sessions_wanted *sessions_gtpc_get(const struct sessions *s, uint64_t id)
{
    return wanted_by(s, id);
}

static uint32_t slot_of(const struct sessions *s, const struct sessions_wanted *wanted)
{
    return (uint32_t)(wanted - s->wanted);
}

/* The TEID that the slot will have when it is filled next. */
static uint32_t next_teid(struct sessions *s, const struct sessions_wanted *wanted)
{
    struct session next = wanted->params;
    next.pdp = slot_of(s, wanted);
    next.home = (uint8_t)mobility_home(&s->core->mobility, wanted->mobile);
    next.generation = sessions_generation(s, next.home, next.pdp) + 1;
    return session_teid_give(s, &next);
}

/* --- addresses --- */

static uint64_t half_of(const uint8_t *octets)
{
    return (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
}

void sessions_gtpc_addresses(struct session *params, const char *ipv4, const char *ipv6)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    bool is_ipv4 = ipv4 && inet_pton(AF_INET, ipv4, octets) == 1;
    params->address = is_ipv4 ? bytes_get_u32(octets) : 0;
    bool is_ipv6 = ipv6 && inet_pton(AF_INET6, ipv6, octets) == 1;
    params->prefix = is_ipv6 ? half_of(octets) : 0;
    params->interface = is_ipv6 ? half_of(octets + 8) : 0;
}

/* --- requested contexts --- */

/* Requests a context; `asked` has what its session does not have. */
static void request(struct sessions *s, const struct sessions_wanted *wanted,
                    const struct core_event_wanted *asked)
{
    const struct session *params = &wanted->params;
    const struct address_book *book = &s->core->addresses;
    char ours[ADDRESS_BOOK_TEXT_CHARS], ggsn[ADDRESS_BOOK_TEXT_CHARS], ipv4[INET6_ADDRSTRLEN],
        ipv6[INET6_ADDRSTRLEN];
    const struct core_gtpc_place place =
        core_gtpc_place(s->core, s->core->mobility.list[wanted->mobile].cell);
    struct core_event_wanted out = *asked;
    out.msisdn = asked->msisdn && asked->msisdn[0] ? asked->msisdn : NULL;
    out.apn = wanted->apn;
    out.pdp_type = sessions_text_pdp_type(params);
    out.qclass = n_pdu_qclass_name(params->qclass);
    out.ours = address_book_text(book, params->sgsn_ip, ours);
    out.ggsn = address_book_text(book, params->ggsn_ip, ggsn);
    out.ipv4 = sessions_text_ipv4(params, ipv4);
    out.ipv6 = sessions_text_ipv6(params, ipv6);
    out.teid = params->teid;
    out.nsapi = params->gtp_nsapi;
    out.zone = place.zone;
    if (place.has_cell)
        out.cell = (struct lua_field_octets){(const char *)place.cell, sizeof(place.cell)};
    core_gtpc_add(s->core, wanted->id, &out, params->sgsn_ip);
}

static bool has_table(struct sessions *s)
{
    if (!s->wanted)
        s->wanted = calloc(slots(s), sizeof(*s->wanted));
    return s->wanted && core_has(s->core, gtpc);
}

bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params)
{
    const struct core_event_wanted asked = {
        .imsi = listed->imsi, .msisdn = listed->msisdn, .apn = context->apn};
    if (!core_has(s->core, gtpc) && s->refused == 0)
        core_log(s->core, "gtpc", "warning",
                 "contexts with an APN are ignored: only a live node sends GTP-C to GGSNs");
    return sessions_gtpc_ask(s, mobile, &asked, params);
}

bool sessions_gtpc_ask(struct sessions *s, uint32_t mobile, const struct core_event_wanted *asked,
                       const struct session *params)
{
    uint32_t pdp = sessions_free_pdp(s);
    if (pdp == SESSIONS_NONE || !has_table(s))
        return false;
    struct sessions_wanted *wanted = &s->wanted[pdp];
    *wanted = (struct sessions_wanted){.id = ++s->wanted_count << SLOT_BITS | pdp,
                                       .mobile = mobile,
                                       .session = SESSIONS_NONE,
                                       .params = *params,
                                       .is_once = asked->is_once};
    snprintf(wanted->apn, sizeof(wanted->apn), "%s", asked->apn);
    sessions_records_note(&wanted->record, asked->msisdn, asked->imeisv);
    sessions_count_pdp(s, pdp, false);
    wanted->params.wanted = wanted->id;
    wanted->params.is_teid_given = true;
    wanted->params.teid = next_teid(s, wanted);
    s->mobiles[mobile].wanted++;
    s->mobiles[mobile].wanted_pdp[params->nsapi - MS_NSAPI_MIN] = pdp + 1;
    request(s, wanted, asked);
    return true;
}

static void end_session(struct sessions *s, const struct sessions_wanted *wanted)
{
    if (wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active)
        sessions_end(s, &s->list[wanted->session]);
}

/* Its next record says that it has ended for this cause. */
static void close_for(struct sessions *s, struct sessions_wanted *wanted, enum records_cause cause)
{
    if (wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active)
        sessions_records_end(s, wanted, cause);
}

/* Frees the slot of a request. */
static void release(struct sessions *s, struct sessions_wanted *wanted)
{
    uint32_t mobile = wanted->mobile, pdp = slot_of(s, wanted) + 1;
    uint32_t *mine = &s->mobiles[mobile].wanted_pdp[wanted->params.nsapi - MS_NSAPI_MIN];
    *mine = *mine == pdp ? 0 : *mine;
    *wanted = (struct sessions_wanted){0};
    sessions_count_pdp(s, (uint32_t)(wanted - s->wanted), true);
    s->mobiles[mobile].wanted--;
    sessions_drop_idle(s, mobile);
}

static void forget(struct sessions *s, uint32_t pdp, bool is_moved)
{
    struct sessions_wanted *wanted = &s->wanted[pdp];
    close_for(s, wanted, is_moved ? RECORDS_OTHER_SGSN : RECORDS_NORMAL);
    end_session(s, wanted);
    if (is_moved)
        core_tell(s->core, gtpc_moved, LUA_ARG(wanted->id));
    else
        core_tell(s->core, gtpc_del, LUA_ARG(wanted->id));
    release(s, wanted);
}

void sessions_gtpc_forget(struct sessions *s, uint32_t pdp)
{
    forget(s, pdp, false);
}

/* The requested context of a mobile on an NSAPI; NULL: none. */
static struct sessions_wanted *wanted_of(const struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    if (!s->wanted || nsapi < MS_NSAPI_MIN || nsapi >= MS_NSAPI_MIN + MS_NSAPIS)
        return NULL;
    uint32_t pdp = s->mobiles[mobile].wanted_pdp[nsapi - MS_NSAPI_MIN];
    return pdp == 0 ? NULL : &s->wanted[pdp - 1];
}

uint64_t sessions_gtpc_id(const struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    const struct sessions_wanted *wanted = wanted_of(s, mobile, nsapi);
    return wanted && wanted->session != SESSIONS_NONE ? wanted->id : 0;
}

void sessions_gtpc_drop(struct sessions *s, uint32_t mobile, uint8_t nsapi, bool is_moved)
{
    const struct sessions_wanted *wanted = wanted_of(s, mobile, nsapi);
    if (wanted)
        forget(s, slot_of(s, wanted), is_moved);
}

/* False: no such context. */
static bool change(struct sessions *s, const struct sessions_wanted *wanted, const char *qclass,
                   const struct lua_field_octets *tft)
{
    if (!wanted)
        return false;
    core_gtpc_set_place(s->core, wanted->id, s->core->mobility.list[wanted->mobile].cell);
    core_tell(s->core, gtpc_change, LUA_ARG(wanted->id), LUA_ARG(qclass), LUA_OCTETS(tft->bytes, tft->count));
    return true;
}

bool sessions_gtpc_reclass(struct sessions *s, uint32_t mobile, uint8_t nsapi, const char *qclass,
                           const struct lua_field_octets *tft)
{
    return change(s, wanted_of(s, mobile, nsapi), qclass, tft);
}

/* The session of a requested context; NULL: it is not active. */
static struct session *active_of(const struct sessions *s, const struct sessions_wanted *wanted)
{
    struct session *session = wanted && wanted->session != SESSIONS_NONE ? &s->list[wanted->session] : NULL;
    return session && session->is_active ? session : NULL;
}

static void note_llc(struct sessions *s, struct session *session, bool is_acknowledged)
{
    session->is_acknowledged = is_acknowledged;
    if (sessions_compresses(s))
        core_tell(s->core, llc_pdp_mode, LUA_ARG(session->mobile), LUA_ARG(session->nsapi),
                  LUA_ARG(is_acknowledged));
}

bool sessions_gtpc_set_llc(struct sessions *s, uint32_t mobile, uint8_t nsapi,
                           const struct msg_llc_mode *mode)
{
    struct session *session = active_of(s, wanted_of(s, mobile, nsapi));
    if (!session)
        return false;
    note_llc(s, session, mode->is_acknowledged);
    struct msg msg = {.type = MSG_PDP_LLC, .slot = session->pdp, .llc_mode = *mode};
    msg.llc_mode.generation = session->generation;
    core_order(s->core, &msg);
    return true;
}

bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    struct sessions_wanted *wanted = mobile == SESSIONS_NONE ? NULL : wanted_of(s, mobile, nsapi);
    if (wanted)
        wanted->params.qclass = qclass;
    return change(s, wanted, n_pdu_qclass_name(qclass), &(struct lua_field_octets){0});
}

/* --- what became of a request --- */

static void lose(struct sessions *s, struct sessions_wanted *wanted)
{
    close_for(s, wanted, RECORDS_ABNORMAL);
    s->lost += wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active;
    end_session(s, wanted);
    wanted->params.teid = next_teid(s, wanted);
    core_tell(s->core, gtpc_set_teid, LUA_ARG(wanted->id), LUA_ARG(wanted->params.teid));
}

/* A phone's context without a place here ends at the GGSN, too, and the phone is told so. */
static void withdraw(struct sessions *s, const struct sessions_wanted *wanted)
{
    uint64_t id = wanted->id;
    core_tell(s->core, gtpc_del, LUA_ARG(id));
    sessions_gtpc_end(s, id, 0);
}

/* False: there is no room. */
static bool fill(struct sessions *s, struct sessions_wanted *wanted, uint32_t ggsn_ip,
                 const struct core_intent *intent)
{
    struct session params = wanted->params;
    params.ggsn_ip = ggsn_ip;
    params.ggsn_teid = intent->ggsn_teid;
    params.qclass = (uint8_t)n_pdu_qclass_from_name(intent->qclass);
    sessions_gtpc_addresses(&params, intent->ipv4, intent->ipv6);
    close_for(s, wanted, RECORDS_ABNORMAL);
    end_session(s, wanted);
    bool is_filled = sessions_fill(s, wanted->mobile, slot_of(s, wanted), &params);
    if (is_filled)
        wanted->session = s->pdp_session[slot_of(s, wanted)];
    s->refused += !is_filled;
    wanted->charging_id = intent->charging_id;
    if (is_filled)
        sessions_records_begin(s, wanted);
    return is_filled;
}

void sessions_gtpc_up(struct sessions *s, struct core_intent *intent)
{
    struct sessions_wanted *wanted = wanted_by(s, intent->id);
    uint32_t ggsn_ip = core_address_read(s->core, intent->ggsn);
    const struct core_event_given given = {
        .ipv4 = intent->ipv4, .ipv6 = intent->ipv6, .qclass = intent->qclass, .pco = intent->octets};
    if (ggsn_ip == ADDRESS_NONE)
        core_log(s->core, "gtpc", "warning",
                 "no room for another IPv6 address of a GGSN (1024 at most): a context carries no packets");
    if (!wanted)
        return;
    bool is_filled = ggsn_ip != ADDRESS_NONE && fill(s, wanted, ggsn_ip, intent);
    if (!is_filled && wanted->is_once)
        withdraw(s, wanted);
    else if (ggsn_ip == ADDRESS_NONE)
        lose(s, wanted);
    if (!is_filled)
        return;
    if (wanted->is_once)
        core_tell(s->core, phones_context_up, LUA_ARG(wanted->mobile), LUA_ARG(wanted->params.nsapi),
                  CORE_RECORD(given, &given));
}

void sessions_gtpc_class(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_by(s, intent->id);
    struct msg msg = {.type = MSG_PDP_QCLASS, .qclass = (uint8_t)n_pdu_qclass_from_name(intent->qclass)};
    if (!active_of(s, wanted))
        return;
    s->list[wanted->session].qclass = msg.qclass;
    msg.slot = slot_of(s, wanted);
    core_order(s->core, &msg);
    const struct core_event_given granted = {.qclass = intent->qclass, .cause = intent->cause};
    if (wanted->is_once)
        core_tell(s->core, phones_context_class, LUA_ARG(wanted->mobile), LUA_ARG(wanted->params.nsapi),
                  CORE_RECORD(given, &granted));
}

void sessions_gtpc_down(struct sessions *s, struct core_intent *intent)
{
    struct sessions_wanted *wanted = wanted_by(s, intent->id);
    if (wanted)
        lose(s, wanted);
}

void sessions_gtpc_end(struct sessions *s, uint64_t id, int cause)
{
    struct sessions_wanted *wanted = wanted_by(s, id);
    if (!wanted)
        return;
    uint32_t mobile = wanted->mobile;
    uint8_t nsapi = wanted->params.nsapi;
    close_for(s, wanted, cause == LOST ? RECORDS_ABNORMAL : RECORDS_NORMAL);
    end_session(s, wanted);
    release(s, wanted);
    core_tell(s->core, phones_context_down, LUA_ARG(mobile), LUA_ARG(nsapi), LUA_ARG(cause));
}

void sessions_gtpc_ended(struct sessions *s, struct core_intent *intent)
{
    sessions_gtpc_end(s, intent->id, intent->cause);
}

/* --- the mode of LLC --- */

/* The active context of a phone in a slot; NULL. */
static const struct sessions_wanted *phones_context(const struct sessions *s, uint32_t pdp)
{
    const struct sessions_wanted *wanted =
        pdp < slots(s) && sessions_gtpc_has(s, pdp) ? &s->wanted[pdp] : NULL;
    return active_of(s, wanted) && wanted->is_once ? wanted : NULL;
}

/* The answer about a context that has ended is of no use. */
void sessions_gtpc_llc(struct sessions *s, const struct msg *msg)
{
    const struct sessions_wanted *wanted = phones_context(s, msg->slot);
    bool is_present = wanted && active_of(s, wanted)->generation == msg->answer.generation;
    if (is_present && msg->answer.status == MSG_NO_LINK)
        note_llc(s, active_of(s, wanted), false);
    if (is_present)
        core_tell(s->core, phones_context_llc, LUA_ARG(wanted->mobile), LUA_ARG(wanted->params.nsapi),
                  LUA_BOOL(msg->answer.status == 0));
}

void sessions_gtpc_llc_lost(struct sessions *s, const struct msg *msg)
{
    const struct sessions_wanted *wanted = phones_context(s, msg->slot);
    if (wanted)
        core_tell(s->core, phones_context_llc_lost, LUA_ARG(wanted->mobile), LUA_ARG(wanted->params.nsapi));
}

/* --- other SGSNs --- */

void sessions_gtpc_forward(struct sessions *s, uint32_t mobile, uint8_t nsapi, uint32_t sgsn_ip,
                           uint32_t teid)
{
    const struct msg msg = {
        .type = MSG_PDP_FORWARD, .slot = mobile, .forward = {.ip = sgsn_ip, .teid = teid, .nsapi = nsapi}};
    if (active_of(s, wanted_of(s, mobile, nsapi)))
        core_order(s->core, &msg);
}

void sessions_gtpc_ends(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_by(s, intent->id);
    struct session *session = active_of(s, wanted);
    uint32_t ggsn_ip = core_address_read(s->core, intent->ggsn);
    if (!session || ggsn_ip == ADDRESS_NONE)
        return;
    sessions_list_leave(s, session);
    core_path_del(s->core, session->sgsn_ip, session->ggsn_ip);
    session->ggsn_ip = ggsn_ip;
    session->ggsn_teid = intent->ggsn_teid;
    core_path_add(s->core, session->sgsn_ip, session->ggsn_ip);
    sessions_list_enter(s, session);
    const struct msg msg = {
        .type = MSG_PDP_GGSN, .slot = session->pdp, .ggsn = {.ip = ggsn_ip, .teid = intent->ggsn_teid}};
    core_order(s->core, &msg);
}

/* N-PDUs of an address besides the GGSN's are taken, too; ADDRESS_NONE: no longer. */
static void take_from(struct sessions *s, const struct session *session, uint32_t forwarder_ip)
{
    const struct msg msg = {.type = MSG_PDP_FROM, .slot = session->pdp, .forwarder_ip = forwarder_ip};
    core_order(s->core, &msg);
}

void sessions_gtpc_from(struct sessions *s, uint32_t mobile, uint8_t nsapi, uint32_t forwarder_ip)
{
    const struct session *session = active_of(s, wanted_of(s, mobile, nsapi));
    if (session)
        take_from(s, session, forwarder_ip);
}
