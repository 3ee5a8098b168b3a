/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/sessions_gtpc.h"

#include "control/core/core.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_intent.h"
#include "control/core/core_gb.h"
#include "control/sessions/sessions_records.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/msg.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOST         (-1) /* cause of the end of a context: not by its GGSN's wish */
#define NO_RESOURCES 199  /* of GTP-C */

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

bool sessions_gtpc_has_id(const struct sessions *s, uint64_t id)
{
    return wanted_by(s, id) != NULL;
}

/* The TEID that the slot will have when it is filled next. */
static uint32_t next_teid(struct sessions *s, const struct sessions_wanted *wanted)
{
    struct session next = wanted->params;
    next.home = (uint8_t)mobility_home(&s->core->mobility, next.mobile);
    next.generation = sessions_generation(s, next.home, next.pdp) + 1;
    return session_teid_give(s, &next);
}

/* --- addresses --- */

static uint64_t half_of(const uint8_t *octets)
{
    return (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
}

static void set_addresses(struct session *params, const char *ipv4, const char *ipv6)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    bool is_ipv4 = ipv4 && inet_pton(AF_INET, ipv4, octets) == 1;
    params->address = is_ipv4 ? bytes_get_u32(octets) : 0;
    bool is_ipv6 = ipv6 && inet_pton(AF_INET6, ipv6, octets) == 1;
    params->prefix = is_ipv6 ? half_of(octets) : 0;
    params->interface = is_ipv6 ? half_of(octets + 8) : 0;
}

/* --- requested contexts --- */

static bool has_table(struct sessions *s)
{
    if (!s->wanted)
        s->wanted = calloc(slots(s), sizeof(*s->wanted));
    return s->wanted && core_has(s->core, gtpc);
}

/* NULL: no slot is free, or this run has no GTP-C. */
static struct sessions_wanted *reserve(struct sessions *s, uint32_t mobile, const struct session *params)
{
    uint32_t pdp = sessions_free_pdp(s);
    if (pdp == SESSIONS_NONE || !has_table(s))
        return NULL;
    struct sessions_wanted *wanted = &s->wanted[pdp];
    *wanted = (struct sessions_wanted){.id = ++s->wanted_count << SLOT_BITS | pdp, .params = *params};
    wanted->params.pdp = pdp;
    wanted->params.mobile = mobile;
    wanted->params.wanted = wanted->id;
    wanted->params.is_teid_given = true;
    wanted->params.teid = next_teid(s, wanted);
    sessions_count_pdp(s, pdp, false);
    s->mobiles[mobile].wanted++;
    s->mobiles[mobile].wanted_pdp[params->nsapi - MS_NSAPI_MIN] = pdp + 1;
    return wanted;
}

/* asked: the table that Lua keeps; linked: id of the context with its address, 0. */
static void request(struct sessions *s, const struct sessions_wanted *wanted, struct lua_arg asked,
                    uint64_t linked)
{
    const struct session *params = &wanted->params;
    const struct core_gtpc_place at = core_gtpc_place(s->core, s->core->mobility.list[params->mobile].cell);
    const struct core_event_place place = {.teid = params->teid,
                                           .linked = linked,
                                           .zone = at.zone,
                                           .cell = {at.has_cell ? (const char *)at.cell : NULL, AREA_CELL}};
    core_gtpc_claim_one(s->core, params->sgsn_ip);
    core_tell(s->core, gtpc_add, LUA_ARG(wanted->id), asked, CORE_RECORD(place, &place));
}

bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const char *msisdn, const char *apn,
                        const struct session *params)
{
    const struct address_book *book = &s->core->addresses;
    char ours[ADDRESS_BOOK_TEXT_CHARS], ggsn[ADDRESS_BOOK_TEXT_CHARS], ipv4[INET6_ADDRSTRLEN],
        ipv6[INET6_ADDRSTRLEN];
    const struct core_event_wanted asked = {.imsi = s->mobiles[mobile].imsi,
                                            .msisdn = msisdn[0] ? msisdn : NULL,
                                            .apn = apn,
                                            .pdp_type = sessions_text_pdp_type(params),
                                            .qclass = n_pdu_qclass_name(params->qclass),
                                            .ours = address_book_text(book, params->sgsn_ip, ours),
                                            .ggsn = address_book_text(book, params->ggsn_ip, ggsn),
                                            .ipv4 = sessions_text_ipv4(params, ipv4),
                                            .ipv6 = sessions_text_ipv6(params, ipv6),
                                            .nsapi = params->gtp_nsapi};
    if (!core_has(s->core, gtpc) && s->refused == 0)
        core_log(s->core, "gtpc", "warning",
                 "contexts with an APN are ignored: only a live node sends GTP-C to GGSNs");
    struct sessions_wanted *wanted = reserve(s, mobile, params);
    if (!wanted)
        return false;
    snprintf(wanted->apn, sizeof(wanted->apn), "%s", apn);
    request(s, wanted, CORE_RECORD(wanted, &asked), 0);
    return true;
}

/* The session of a requested context; NULL: it is not active. */
static struct session *active_of(const struct sessions *s, const struct sessions_wanted *wanted)
{
    uint32_t place = wanted ? s->pdp_session[wanted->params.pdp] : SESSIONS_NONE;
    return place != SESSIONS_NONE && s->list[place].is_active ? &s->list[place] : NULL;
}

/* Ends its session, of which the next record gives this cause. */
static void end_session(struct sessions *s, struct sessions_wanted *wanted, enum records_cause cause)
{
    struct session *session = active_of(s, wanted);
    if (!session)
        return;
    sessions_records_end(s, session->pdp, cause);
    sessions_end(s, session);
}

/* Frees the slot of a request. */
static void release(struct sessions *s, struct sessions_wanted *wanted)
{
    const struct session params = wanted->params;
    uint32_t *mine = &s->mobiles[params.mobile].wanted_pdp[params.nsapi - MS_NSAPI_MIN];
    *mine = *mine == params.pdp + 1 ? 0 : *mine;
    *wanted = (struct sessions_wanted){0};
    sessions_count_pdp(s, params.pdp, true);
    s->mobiles[params.mobile].wanted--;
    sessions_drop_idle(s, params.mobile);
}

static void forget(struct sessions *s, uint32_t pdp, bool is_moved)
{
    struct sessions_wanted *wanted = &s->wanted[pdp];
    end_session(s, wanted, is_moved ? RECORDS_OTHER_SGSN : RECORDS_NORMAL);
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

static bool is_nsapi(uint8_t nsapi)
{
    return nsapi >= MS_NSAPI_MIN && nsapi < MS_NSAPI_MIN + MS_NSAPIS;
}

/* The requested context of a mobile on an NSAPI; NULL: none. */
static struct sessions_wanted *wanted_of(const struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    if (!s->wanted || mobile >= s->core->config->limits.mobiles || !is_nsapi(nsapi))
        return NULL;
    uint32_t pdp = s->mobiles[mobile].wanted_pdp[nsapi - MS_NSAPI_MIN];
    return pdp == 0 ? NULL : &s->wanted[pdp - 1];
}

/* The id of such a context that is active; 0: none. */
static uint64_t id_of(const struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    const struct sessions_wanted *wanted = wanted_of(s, mobile, nsapi);
    return active_of(s, wanted) ? wanted->id : 0;
}

/* False: no such context. */
static bool change(struct sessions *s, const struct sessions_wanted *wanted, const char *qclass,
                   struct lua_arg tft, struct lua_arg pco)
{
    if (!wanted)
        return false;
    core_gtpc_set_place(s->core, wanted->id, s->core->mobility.list[wanted->params.mobile].cell);
    core_tell(s->core, gtpc_change, LUA_ARG(wanted->id), LUA_ARG(qclass), tft, pco);
    return true;
}

bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    struct sessions_wanted *wanted = mobile == SESSIONS_NONE ? NULL : wanted_of(s, mobile, nsapi);
    if (wanted)
        wanted->params.qclass = qclass;
    return change(s, wanted, n_pdu_qclass_name(qclass), LUA_OCTETS(NULL, 0), LUA_OCTETS(NULL, 0));
}

/* --- what became of a request --- */

static void lose(struct sessions *s, struct sessions_wanted *wanted)
{
    s->lost += active_of(s, wanted) != NULL;
    end_session(s, wanted, RECORDS_ABNORMAL);
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
    params.is_uncompressed = intent->is_uncompressed;
    set_addresses(&params, intent->ipv4, intent->ipv6);
    end_session(s, wanted, RECORDS_ABNORMAL);
    bool is_filled = sessions_fill(s, params.mobile, params.pdp, &params);
    s->refused += !is_filled;
    if (is_filled && wanted->is_once)
        sessions_records_begin(s, params.pdp, intent);
    return is_filled;
}

void sessions_gtpc_up(struct sessions *s, struct core_intent *intent)
{
    struct sessions_wanted *wanted = wanted_by(s, intent->id);
    uint32_t ggsn_ip = intent->is_refused ? ADDRESS_NONE : core_address_read(s->core, intent->ggsn);
    if (ggsn_ip == ADDRESS_NONE && !intent->is_refused)
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
        core_tell(s->core, phones_context_up, LUA_ARG(wanted->params.mobile), LUA_ARG(wanted->params.nsapi),
                  CORE_INTENT(intent));
}

static void let_take(struct sessions *s, struct session *session, bool is_uncompressed)
{
    bool took_data = sessions_takes_data(session);
    session->is_uncompressed = is_uncompressed;
    bool takes_data = sessions_takes_data(session);
    if (takes_data != took_data && sessions_compresses(s))
        core_tell(s->core, llc_pdp_data, LUA_ARG(session->mobile), LUA_ARG(session->nsapi),
                  LUA_BOOL(takes_data));
}

void sessions_gtpc_class(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_by(s, intent->id);
    struct msg msg = {.type = MSG_PDP_QCLASS, .qclass = (uint8_t)n_pdu_qclass_from_name(intent->qclass)};
    struct session *session = active_of(s, wanted);
    if (!session)
        return;
    session->qclass = msg.qclass;
    msg.slot = session->pdp;
    core_order(s->core, &msg);
    let_take(s, session, intent->is_uncompressed);
    if (wanted->is_once)
        core_tell(s->core, phones_context_class, LUA_ARG(wanted->params.mobile),
                  LUA_ARG(wanted->params.nsapi), CORE_INTENT(intent));
}

void sessions_gtpc_modify(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_by(s, intent->id);
    if (active_of(s, wanted))
        core_tell(s->core, phones_context_modify, LUA_ARG(wanted->params.mobile),
                  LUA_ARG(wanted->params.nsapi), CORE_INTENT(intent));
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
    uint32_t mobile = wanted->params.mobile;
    uint8_t nsapi = wanted->params.nsapi;
    end_session(s, wanted, cause == LOST ? RECORDS_ABNORMAL : RECORDS_NORMAL);
    release(s, wanted);
    core_tell(s->core, phones_context_down, LUA_ARG(mobile), LUA_ARG(nsapi), LUA_ARG(cause));
}

void sessions_gtpc_ended(struct sessions *s, struct core_intent *intent)
{
    sessions_gtpc_end(s, intent->id, intent->cause);
}

/* --- contexts of phones --- */

static bool is_phone(const struct sessions *s, uint32_t slot)
{
    return slot < s->core->config->limits.mobiles && s->mobiles[slot].in_use && s->mobiles[slot].is_phone;
}

static uint8_t version_of(const char *pdp_type)
{
    if (strcmp(pdp_type, "non_ip") == 0)
        return PDP_ANY_PAYLOAD;
    return strcmp(pdp_type, "ipv4") == 0 ? 4 : strcmp(pdp_type, "ipv6") == 0 ? 6 : 0;
}

/* False: no room, also for another IPv6 address, or the context to which it is linked is not active. */
static bool want(struct sessions *s, const struct core_intent *intent)
{
    uint32_t mobile = intent->msg.slot;
    uint64_t linked = intent->linked ? id_of(s, mobile, intent->linked) : 0;
    const struct session params = {.sgsn_ip = core_address_read(s->core, intent->ours),
                                   .ip_version = version_of(intent->pdp_type),
                                   .is_any_payload = intent->is_any_payload,
                                   .takes = intent->takes,
                                   .gtp_nsapi = intent->nsapi,
                                   .nsapi = intent->nsapi,
                                   .sapi = intent->sapi,
                                   .pfi = intent->pfi};
    bool may_begin = is_phone(s, mobile) && is_nsapi(params.nsapi) && (!intent->linked || linked) &&
                     params.sgsn_ip != ADDRESS_NONE;
    struct sessions_wanted *wanted = may_begin ? reserve(s, mobile, &params) : NULL;
    if (!wanted)
        return false;
    wanted->is_once = true;
    request(s, wanted, CORE_INTENT_FIELD(intent, "wanted"), linked);
    return true;
}

void sessions_gtpc_add(struct sessions *s, struct core_intent *intent)
{
    if (intent->is_refused || !want(s, intent))
        core_tell(s->core, phones_context_down, LUA_ARG(intent->msg.slot), LUA_ARG(intent->nsapi),
                  LUA_ARG(NO_RESOURCES));
}

void sessions_gtpc_reclass(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_of(s, intent->msg.slot, intent->nsapi);
    if (wanted && intent->is_refused)
        return withdraw(s, wanted);
    if (!change(s, wanted, intent->qclass, CORE_INTENT_FIELD(intent, "tft"),
                CORE_INTENT_FIELD(intent, "pco")))
        core_tell(s->core, phones_context_down, LUA_ARG(intent->msg.slot), LUA_ARG(intent->nsapi),
                  LUA_ARG(LOST));
}

void sessions_gtpc_modified(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_of(s, intent->msg.slot, intent->nsapi);
    if (wanted)
        core_tell(s->core, gtpc_modified, LUA_ARG(wanted->id), CORE_INTENT(intent));
}

void sessions_gtpc_drop(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_of(s, intent->msg.slot, intent->nsapi);
    if (wanted)
        forget(s, wanted->params.pdp, intent->is_moved);
}

/* --- the mode of LLC --- */

static void note_llc(struct sessions *s, struct session *session, bool is_acknowledged)
{
    session->is_acknowledged = is_acknowledged;
    if (sessions_compresses(s))
        core_tell(s->core, llc_pdp_mode, LUA_ARG(session->mobile), LUA_ARG(session->nsapi),
                  LUA_ARG(is_acknowledged));
}

void sessions_gtpc_set_llc(struct sessions *s, struct core_intent *intent)
{
    struct session *session = active_of(s, wanted_of(s, intent->msg.slot, intent->nsapi));
    if (!session) {
        core_tell(s->core, phones_context_llc, LUA_ARG(intent->msg.slot), LUA_ARG(intent->nsapi),
                  LUA_BOOL(false));
        return;
    }
    note_llc(s, session, intent->msg.llc_mode.is_acknowledged);
    struct msg msg = {.type = MSG_PDP_LLC, .slot = session->pdp, .llc_mode = intent->msg.llc_mode};
    msg.llc_mode.generation = session->generation;
    core_order(s->core, &msg);
}

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
        core_tell(s->core, phones_context_llc, LUA_ARG(wanted->params.mobile), LUA_ARG(wanted->params.nsapi),
                  LUA_BOOL(msg->answer.status == 0));
}

void sessions_gtpc_llc_lost(struct sessions *s, const struct msg *msg)
{
    const struct sessions_wanted *wanted = phones_context(s, msg->slot);
    if (wanted)
        core_tell(s->core, phones_context_llc_lost, LUA_ARG(wanted->params.mobile),
                  LUA_ARG(wanted->params.nsapi));
}

/* --- other SGSNs --- */

void sessions_gtpc_sgsn(struct sessions *s, struct core_intent *intent)
{
    struct core_event_ids ids[MS_NSAPIS];
    size_t count = 0;
    for (uint8_t i = 0; i < MS_NSAPIS; i++) {
        ids[count] = (struct core_event_ids){MS_NSAPI_MIN + i, id_of(s, intent->msg.slot, MS_NSAPI_MIN + i)};
        count += ids[count].id != 0;
    }
    core_tell(s->core, gtpc_sgsn, LUA_OCTETS(intent->octets.bytes, intent->octets.count),
              CORE_LIST(ids, ids, count));
}

void sessions_gtpc_forward(struct sessions *s, struct core_intent *intent)
{
    const struct msg msg = {.type = MSG_PDP_FORWARD,
                            .slot = intent->msg.slot,
                            .forward = {.ip = core_address_read(s->core, intent->ggsn),
                                        .teid = intent->ggsn_teid,
                                        .nsapi = intent->nsapi}};
    if (active_of(s, wanted_of(s, intent->msg.slot, intent->nsapi)))
        core_order(s->core, &msg);
}

static void move_tunnel(struct sessions *s, struct session *session, uint32_t ggsn_ip, uint32_t ggsn_teid)
{
    sessions_list_leave(s, session);
    core_path_del(s->core, session->sgsn_ip, session->ggsn_ip);
    session->ggsn_ip = ggsn_ip;
    session->ggsn_teid = ggsn_teid;
    core_path_add(s->core, session->sgsn_ip, session->ggsn_ip);
    sessions_list_enter(s, session);
}

void sessions_gtpc_ends(struct sessions *s, struct core_intent *intent)
{
    const struct sessions_wanted *wanted = wanted_by(s, intent->id);
    struct session *session = active_of(s, wanted);
    uint32_t ggsn_ip = core_address_read(s->core, intent->ggsn);
    if (!session || ggsn_ip == ADDRESS_NONE)
        return;
    if (ggsn_ip != session->ggsn_ip || intent->ggsn_teid != session->ggsn_teid)
        move_tunnel(s, session, ggsn_ip, intent->ggsn_teid);
    set_addresses(session, intent->ipv4, intent->ipv6);
    const struct msg msg = {.type = MSG_PDP_GGSN,
                            .slot = session->pdp,
                            .ggsn = {.ip = ggsn_ip,
                                     .teid = intent->ggsn_teid,
                                     .address = session->address,
                                     .prefix = session->prefix,
                                     .interface = session->interface}};
    core_order(s->core, &msg);
}

void sessions_gtpc_from(struct sessions *s, struct core_intent *intent)
{
    const struct session *session = active_of(s, wanted_of(s, intent->msg.slot, intent->nsapi));
    struct msg msg = {.type = MSG_PDP_FROM, .forwarder_ip = core_address_read(s->core, intent->forwarder)};
    if (!session)
        return;
    msg.slot = session->pdp;
    core_order(s->core, &msg);
}
