/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_gtpc.h"
#include "control/core/core.h"
#include "control/core/sessions.h"

#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <arpa/inet.h>
#include <rte_mbuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A context to be requested of a GGSN, repeatedly until it is active (TS 29.060 clause 7.3.1). */
struct core_wanted {
    uint64_t id; /* never used again in a run */
    const char *imsi, *msisdn, *apn;
    uint32_t sgsn_ip, ggsn_ip, teid;
    uint32_t address;           /* 0: the GGSN allocates it */
    uint64_t prefix, interface; /* likewise */
    uint8_t ip_version;         /* 0: both */
    uint8_t nsapi, qclass;
    const uint8_t *pco; /* protocol configuration options, NULL: none */
    size_t pco_octets;
    uint64_t linked;    /* id of a context with the same address, of which this one is a secondary; 0: none */
    const uint8_t *tft; /* traffic flow template, NULL: none */
    size_t tft_octets;
    bool is_once; /* not repeated: on_ended() tells that it was refused or lost */
};

#define SENDER 0 /* the worker that sends */

static bool has_gtpc(const struct core *core)
{
    return core->gtpc.object.L != NULL;
}

/* --- intents --- */

uint32_t core_gtpc_address(struct core *core, const char *text)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    if (text && inet_pton(AF_INET, text, octets) == 1)
        return core_address(core, octets, 4);
    if (text && inet_pton(AF_INET6, text, octets) == 1)
        return core_address(core, octets, sizeof(octets));
    return ADDRESS_NONE;
}

/* Workers keep an allowance for GTP-C from addresses to which requests are sent. */
static void tell_peer(struct core *core, uint32_t ip)
{
    const struct msg msg = {.type = MSG_GN_PEER, .address = {.ip = ip, .is_there = true}};
    uint32_t *told = &core->gtpc_peers[ip % CORE_GTPC_PEERS];
    if (ip == ADDRESS_NONE || *told == ip)
        return;
    *told = ip;
    core_order(core, &msg);
}

void core_gtpc_send(struct core *core, struct core_intent *intent)
{
    struct msg *msg = &intent->msg;
    msg->datagram.ours = core_gtpc_address(core, intent->ours);
    msg->datagram.theirs = core_gtpc_address(core, intent->ggsn);
    if (!msg->datagram.is_answer)
        tell_peer(core, msg->datagram.theirs);
    msg->mbuf = core_link_buffer(core, intent->octets.bytes, intent->octets.count);
    if (msg->mbuf)
        core_link_order(core, SENDER, msg);
}

static uint64_t half_of(const uint8_t *octets)
{
    return (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
}

static struct core_given given_of(struct core *core, const struct core_intent *intent)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    struct core_given given = {.ggsn_ip = core_gtpc_address(core, intent->ggsn),
                               .ggsn_teid = intent->ggsn_teid,
                               .qclass = (uint8_t)qclass_from_name(intent->qclass),
                               .ipv4 = intent->ipv4,
                               .ipv6 = intent->ipv6,
                               .pco = intent->octets.bytes,
                               .pco_octets = intent->octets.count};
    if (intent->ipv4 && inet_pton(AF_INET, intent->ipv4, octets) == 1)
        given.address = bytes_get_u32(octets);
    if (intent->ipv6 && inet_pton(AF_INET6, intent->ipv6, octets) == 1) {
        given.prefix = half_of(octets);
        given.interface = half_of(octets + 8);
    }
    return given;
}

void core_gtpc_up(struct core *core, struct core_intent *intent)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    if (!mobiles->arg)
        return;
    struct core_given given = given_of(core, intent);
    if (given.ggsn_ip == ADDRESS_NONE) {
        core_log(core, "gtpc", "warning",
                 "no room for another IPv6 address of a GGSN (1024 at most): a context carries no packets");
        mobiles->on_gone(mobiles->arg, intent->id);
        return;
    }
    mobiles->on_given(mobiles->arg, intent->id, &given);
}

void core_gtpc_class(struct core *core, struct core_intent *intent)
{
    const struct core_mobiles *mobiles = &core->mobiles;
    if (mobiles->arg)
        mobiles->on_class(mobiles->arg, intent->id, (uint8_t)qclass_from_name(intent->qclass), intent->cause);
}

void core_gtpc_ended(struct core *core, struct core_intent *intent)
{
    if (core->mobiles.arg)
        core->mobiles.on_ended(core->mobiles.arg, intent->id, intent->cause);
}

void core_gtpc_down(struct core *core, struct core_intent *intent)
{
    if (core->mobiles.arg)
        core->mobiles.on_gone(core->mobiles.arg, intent->id);
}

/* --- set-up and end --- */

void core_gtpc_init(struct core *core)
{
    lua_gtpc_init(&core->gtpc, &core->intents, core->config->live.restarts);
}

void core_gtpc_fini(struct core *core)
{
    if (has_gtpc(core))
        lua_gtpc_fini(&core->gtpc);
}

/* --- requested contexts --- */

static const char *ipv4_text(uint32_t address, char text[INET6_ADDRSTRLEN])
{
    uint8_t octets[4];
    bytes_put_u32(octets, address);
    return address ? inet_ntop(AF_INET, octets, text, INET6_ADDRSTRLEN) : NULL;
}

static const char *ipv6_text(uint64_t prefix, uint64_t interface, char text[INET6_ADDRSTRLEN])
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    bytes_put_u32(octets, (uint32_t)(prefix >> 32));
    bytes_put_u32(octets + 4, (uint32_t)prefix);
    bytes_put_u32(octets + 8, (uint32_t)(interface >> 32));
    bytes_put_u32(octets + 12, (uint32_t)interface);
    return prefix ? inet_ntop(AF_INET6, octets, text, INET6_ADDRSTRLEN) : NULL;
}

static const char *pdp_type_of(uint8_t ip_version)
{
    if (ip_version == PDP_ANY_PAYLOAD)
        return "non_ip";
    return ip_version == 4 ? "ipv4" : ip_version == 6 ? "ipv6" : "ipv4v6";
}

/* Workers must accept GTP-C responses to this address before a tunnel ends on it. */
static void claim(struct core *core, uint32_t sgsn_ip)
{
    struct msg msg = {.type = MSG_GN_ADDRESS, .address = {.ip = sgsn_ip, .is_there = true}};
    core_order(core, &msg);
}

/* False: this run has no GTP-C. */
static bool core_gtpc_add(struct core *core, const struct core_wanted *w)
{
    char ours[ADDRESS_BOOK_TEXT_CHARS], ggsn[ADDRESS_BOOK_TEXT_CHARS], ipv4[INET6_ADDRSTRLEN],
        ipv6[INET6_ADDRSTRLEN];
    if (!has_gtpc(core))
        return false;
    struct lua_gtpc_wanted wanted = {
        .id = w->id,
        .imsi = w->imsi,
        .msisdn = w->msisdn && w->msisdn[0] ? w->msisdn : NULL,
        .apn = w->apn,
        .pdp_type = pdp_type_of(w->ip_version),
        .qclass = qclass_name(w->qclass),
        .ours = address_book_text(&core->addresses, w->sgsn_ip, ours),
        .ggsn = address_book_text(&core->addresses, w->ggsn_ip, ggsn),
        .ipv4 = ipv4_text(w->address, ipv4),
        .ipv6 = ipv6_text(w->prefix, w->interface, ipv6),
        .teid = w->teid,
        .nsapi = w->nsapi,
        .linked = w->linked,
        .tft = w->tft,
        .tft_octets = w->tft_octets,
        .pco = w->pco,
        .pco_octets = w->pco_octets,
        .is_once = w->is_once,
    };
    claim(core, w->sgsn_ip);
    lua_gtpc_add(&core->gtpc, &wanted, core->now);
    core->has_new_timers = true;
    return true;
}

static void core_gtpc_del(struct core *core, uint64_t id)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_del(&core->gtpc, id, core->now);
    core->has_new_timers = true;
}

void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid)
{
    if (has_gtpc(core))
        lua_gtpc_set_teid(&core->gtpc, id, teid);
}

static void core_gtpc_change(struct core *core, uint64_t id, const struct lua_gtpc_change *change)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_change(&core->gtpc, id, change, core->now);
    core->has_new_timers = true;
}

void core_gtpc_lost(struct core *core, uint64_t id, const char *why)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_lost(&core->gtpc, id, why, core->now);
    core->has_new_timers = true;
}

void core_gtpc_check(struct core *core, uint64_t id)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_check(&core->gtpc, id, core->now);
    core->has_new_timers = true;
}

/* --- reception --- */

void core_gtpc_punt(struct core *core, const struct msg *msg)
{
    char ours[ADDRESS_BOOK_TEXT_CHARS], theirs[ADDRESS_BOOK_TEXT_CHARS];
    if (has_gtpc(core) && msg->datagram.theirs != ADDRESS_NONE) {
        struct lua_gtpc_way way = {.ours = address_book_text(&core->addresses, msg->datagram.ours, ours),
                                   .theirs =
                                       address_book_text(&core->addresses, msg->datagram.theirs, theirs),
                                   .port = msg->datagram.port,
                                   .is_right_port = msg->datagram.is_right_port};
        lua_gtpc_receive(&core->gtpc, &way, rte_pktmbuf_mtod(msg->mbuf, uint8_t *),
                         rte_pktmbuf_data_len(msg->mbuf), core->now);
    }
    rte_pktmbuf_free(msg->mbuf);
}

void core_gtpc_reachable(struct core *core, uint32_t ip)
{
    char text[ADDRESS_BOOK_TEXT_CHARS];
    if (has_gtpc(core))
        lua_gtpc_reachable(&core->gtpc, address_book_text(&core->addresses, ip, text), core->now);
}

#define SLOT_BITS 24 /* of an id; the other bits are a count, which makes ids unique */

static uint32_t slots(const struct sessions *s)
{
    return s->core->config->limits.contexts;
}

static struct sessions_wanted *core_gtpc_find(const struct sessions *s, uint64_t id)
{
    uint32_t pdp = (uint32_t)(id & ((1U << SLOT_BITS) - 1));
    return s->wanted && id != 0 && pdp < slots(s) && s->wanted[pdp].id == id ? &s->wanted[pdp] : NULL;
}

const struct sessions_wanted *sessions_gtpc_get(const struct sessions *s, uint64_t id)
{
    return core_gtpc_find(s, id);
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

/* --- requested contexts --- */

static void core_gtpc_ask(struct sessions *s, const struct sessions_wanted *wanted,
                          const struct sessions_asked *asked)
{
    const struct session *params = &wanted->params;
    struct core_wanted ask = {
        .id = wanted->id,
        .imsi = asked->imsi,
        .msisdn = asked->msisdn,
        .apn = wanted->apn,
        .sgsn_ip = params->sgsn_ip,
        .ggsn_ip = params->ggsn_ip,
        .teid = params->teid,
        .address = params->address,
        .prefix = params->prefix,
        .interface = params->interface,
        .ip_version = params->ip_version,
        .nsapi = params->gtp_nsapi,
        .qclass = params->qclass,
        .pco = asked->pco,
        .pco_octets = asked->pco_octets,
        .linked = asked->linked,
        .tft = asked->tft,
        .tft_octets = asked->tft_octets,
        .is_once = asked->is_once,
    };
    core_gtpc_add(s->core, &ask);
}

static bool has_table(struct sessions *s)
{
    if (!s->wanted)
        s->wanted = calloc(slots(s), sizeof(*s->wanted));
    return s->wanted && s->core->gtpc.object.L;
}

bool sessions_gtpc_want(struct sessions *s, uint32_t mobile, const struct node_config_mobile *listed,
                        const struct node_config_context *context, const struct session *params)
{
    const struct sessions_asked asked = {.imsi = listed->imsi, .msisdn = listed->msisdn, .apn = context->apn};
    if (!s->core->gtpc.object.L && s->refused == 0)
        core_log(s->core, "gtpc", "warning",
                 "contexts with an APN are ignored: only a live node sends GTP-C to GGSNs");
    return sessions_gtpc_ask(s, mobile, &asked, params);
}

bool sessions_gtpc_ask(struct sessions *s, uint32_t mobile, const struct sessions_asked *asked,
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
    sessions_count_pdp(s, pdp, false);
    wanted->params.wanted = wanted->id;
    wanted->params.is_teid_given = true;
    wanted->params.teid = next_teid(s, wanted);
    s->mobiles[mobile].wanted++;
    s->mobiles[mobile].wanted_pdp[params->nsapi - MS_NSAPI_MIN] = pdp + 1;
    core_gtpc_ask(s, wanted, asked);
    return true;
}

static void core_gtpc_end(struct sessions *s, const struct sessions_wanted *wanted)
{
    if (wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active)
        sessions_end(s, &s->list[wanted->session]);
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

void sessions_gtpc_forget(struct sessions *s, uint32_t pdp)
{
    struct sessions_wanted *wanted = &s->wanted[pdp];
    core_gtpc_end(s, wanted);
    core_gtpc_del(s->core, wanted->id);
    release(s, wanted);
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

void sessions_gtpc_drop(struct sessions *s, uint32_t mobile, uint8_t nsapi)
{
    const struct sessions_wanted *wanted = wanted_of(s, mobile, nsapi);
    if (wanted)
        sessions_gtpc_forget(s, slot_of(s, wanted));
}

bool sessions_gtpc_reclass(struct sessions *s, uint32_t mobile, uint8_t nsapi,
                           const struct lua_gtpc_change *change)
{
    const struct sessions_wanted *wanted = wanted_of(s, mobile, nsapi);
    if (wanted)
        core_gtpc_change(s->core, wanted->id, change);
    return wanted;
}

/* The session of a requested context; NULL: it is not active. */
static const struct session *active_of(const struct sessions *s, const struct sessions_wanted *wanted)
{
    const struct session *session =
        wanted && wanted->session != SESSIONS_NONE ? &s->list[wanted->session] : NULL;
    return session && session->is_active ? session : NULL;
}

bool sessions_gtpc_set_llc(struct sessions *s, uint32_t mobile, uint8_t nsapi, bool is_acknowledged)
{
    const struct session *session = active_of(s, wanted_of(s, mobile, nsapi));
    if (!session)
        return false;
    const struct msg msg = {
        .type = MSG_PDP_LLC,
        .slot = session->pdp,
        .llc_mode = {.generation = session->generation, .is_acknowledged = is_acknowledged}};
    core_order(s->core, &msg);
    return true;
}

bool sessions_gtpc_change(struct sessions *s, const char *imsi, uint8_t nsapi, uint8_t qclass)
{
    uint32_t mobile = sessions_find_mobile(s, imsi);
    struct sessions_wanted *wanted = mobile == SESSIONS_NONE ? NULL : wanted_of(s, mobile, nsapi);
    const struct lua_gtpc_change change = {.qclass = qclass_name(qclass)};
    if (!wanted)
        return false;
    wanted->params.qclass = qclass;
    core_gtpc_change(s->core, wanted->id, &change);
    return true;
}

/* --- callbacks of the core --- */

static struct session params_of(const struct sessions_wanted *wanted, const struct core_given *given)
{
    struct session params = wanted->params;
    params.ggsn_ip = given->ggsn_ip;
    params.ggsn_teid = given->ggsn_teid;
    params.address = given->address;
    params.prefix = given->prefix;
    params.interface = given->interface;
    params.qclass = given->qclass;
    return params;
}

void sessions_gtpc_up(struct sessions *s, uint64_t id, const struct core_given *given)
{
    struct sessions_wanted *wanted = core_gtpc_find(s, id);
    if (!wanted)
        return;
    struct session params = params_of(wanted, given);
    core_gtpc_end(s, wanted);
    if (sessions_fill(s, wanted->mobile, slot_of(s, wanted), &params))
        wanted->session = s->pdp_session[slot_of(s, wanted)];
    else
        s->refused++;
    if (wanted->is_once)
        core_phones_up(s->core, wanted->mobile, wanted->params.nsapi, given);
}

void sessions_gtpc_class(struct sessions *s, uint64_t id, uint8_t qclass, int cause)
{
    const struct sessions_wanted *wanted = core_gtpc_find(s, id);
    struct msg msg = {.type = MSG_PDP_QCLASS, .qclass = qclass};
    if (!active_of(s, wanted))
        return;
    s->list[wanted->session].qclass = qclass;
    msg.slot = slot_of(s, wanted);
    core_order(s->core, &msg);
    if (wanted->is_once)
        core_phones_class(s->core, wanted->mobile, wanted->params.nsapi, qclass, cause);
}

void sessions_gtpc_down(struct sessions *s, uint64_t id)
{
    struct sessions_wanted *wanted = core_gtpc_find(s, id);
    if (!wanted)
        return;
    s->lost += wanted->session != SESSIONS_NONE && s->list[wanted->session].is_active;
    core_gtpc_end(s, wanted);
    wanted->params.teid = next_teid(s, wanted);
    core_gtpc_teid(s->core, id, wanted->params.teid);
}

void sessions_gtpc_ended(struct sessions *s, uint64_t id, int cause)
{
    struct sessions_wanted *wanted = core_gtpc_find(s, id);
    if (!wanted)
        return;
    uint32_t mobile = wanted->mobile;
    uint8_t nsapi = wanted->params.nsapi;
    core_gtpc_end(s, wanted);
    release(s, wanted);
    core_phones_down(s->core, mobile, nsapi, cause);
}

/* The active context of a phone in a slot; NULL. */
static const struct sessions_wanted *phones_context(const struct sessions *s, uint32_t pdp)
{
    const struct sessions_wanted *wanted =
        pdp < slots(s) && sessions_gtpc_has(s, pdp) ? &s->wanted[pdp] : NULL;
    return active_of(s, wanted) && wanted->is_once ? wanted : NULL;
}

/* The answer about a context that has ended is of no use. */
void sessions_gtpc_llc(struct sessions *s, uint32_t pdp, uint32_t generation, bool is_set)
{
    const struct sessions_wanted *wanted = phones_context(s, pdp);
    if (wanted && active_of(s, wanted)->generation == generation)
        core_phones_llc(s->core, wanted->mobile, wanted->params.nsapi, is_set);
}

void sessions_gtpc_llc_lost(struct sessions *s, uint32_t pdp)
{
    const struct sessions_wanted *wanted = phones_context(s, pdp);
    if (wanted)
        core_phones_llc_lost(s->core, wanted->mobile, wanted->params.nsapi);
}
