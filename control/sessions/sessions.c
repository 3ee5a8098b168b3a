/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/sessions/sessions.h"
#include "control/base/neighbour_ip.h"
#include "control/config/mobile_keys.h"
#include "control/core/core.h"
#include "control/core/core_acts.h"
#include "control/core/core_gb.h"
#include "control/core/core_path.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "control/sessions/sessions_gtpc.h"

#include "dataplane/base/teid.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/wire/identity.h"
#include "dataplane/worker/lookup.h"
#include "dataplane/base/address.h"
#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whether an active session ends on this address and TEID. */
static bool session_teid_is_taken(const struct sessions *s, uint32_t sgsn_ip, uint32_t teid)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active && s->list[i].sgsn_ip == sgsn_ip && s->list[i].teid == teid)
            return true;
    return false;
}

static unsigned bits_of(const struct sessions *s)
{
    return teid_slot_bits(s->core->config->limits.contexts);
}

uint32_t session_teid_give(const struct sessions *s, const struct session *session)
{
    uint32_t teid = 0;
    unsigned bits = bits_of(s), generations = teid_generations(bits);
    for (unsigned i = 0; i < generations; i++) {
        unsigned generation = (session->generation - 1 + i) % generations + 1;
        teid = teid_make(session->home, generation, session->pdp, bits);
        if (s->lookalikes == 0 || !session_teid_is_taken(s, session->sgsn_ip, teid))
            break;
    }
    return teid;
}

bool session_teid_is_lookalike(const struct sessions *s, const struct session *session)
{
    unsigned worker = teid_worker(session->teid);
    bool is_worker = worker == 0 || worker < s->core->workers;
    return !session->is_teid_given && is_worker && teid_is_of(session->teid, worker, bits_of(s));
}

/* Counts a tunnel at a local address up or down; true: it is the first or the last one. When the table is
 * full, the address is not counted, and workers treat it as one without tunnels. */
static bool count_address(struct sessions *s, uint32_t ip, bool is_there)
{
    for (uint32_t i = 0; i < s->address_count; i++) {
        struct lookup_address *address = &s->addresses[i];
        if (address->ip != ip)
            continue;
        address->users += is_there ? 1u : UINT32_MAX;
        if (address->users > 0)
            return false;
        *address = s->addresses[--s->address_count];
        return true;
    }
    if (!is_there || s->address_count == LOOKUP_ADDRESSES)
        return false;
    s->addresses[s->address_count++] = (struct lookup_address){.ip = ip, .users = 1};
    return true;
}

/* Informs the workers other than its home that the session with a foreign TEID begins or ends. */
static void session_teid_tell(struct sessions *s, const struct session *session, bool is_there)
{
    struct msg address = {.type = MSG_GN_ADDRESS, .address = {.ip = session->sgsn_ip, .is_there = is_there}};
    struct msg tunnel = {.type = MSG_TUNNEL_AT,
                         .tunnel = {.sgsn_ip = session->sgsn_ip,
                                    .teid = session->teid,
                                    .worker = session->home,
                                    .is_there = is_there}};
    if (s->core->workers <= 1)
        return;
    if (count_address(s, session->sgsn_ip, is_there))
        core_order(s->core, &address);
    if (!session->is_teid_given)
        core_link_order_others(s->core, session->home, &tunnel);
}

#define NSAPI_MIN 5
#define NSAPI_MAX 15

bool sessions_new(struct sessions *s, struct core *core)
{
    uint32_t mobiles = core->config->limits.mobiles, pdps = core->config->limits.contexts;
    *s = (struct sessions){.core = core,
                           .next_tlli = core->config->mobiles.first_tlli,
                           .most_mobiles = mobiles,
                           .most_contexts = pdps};
    s->mobiles = calloc(mobiles, sizeof(*s->mobiles));
    s->pdp_session = malloc(pdps * sizeof(*s->pdp_session));
    s->pdp_generation = calloc((size_t)pdps * node_config_workers(core->config), sizeof(*s->pdp_generation));
    bool has_list = sessions_list_new(s, pdps);
    if (!has_list || !u64_map_new(&s->imsis, mobiles) || !s->mobiles || !s->pdp_session ||
        !s->pdp_generation) {
        sessions_free(s);
        return false;
    }
    for (uint32_t i = 0; i < pdps; i++)
        s->pdp_session[i] = SESSIONS_NONE;
    return true;
}

void sessions_free(struct sessions *s)
{
    sessions_list_free(s);
    free(s->mobiles);
    u64_map_free(&s->imsis);
    free(s->wanted);
    free(s->context_records);
    free(s->pdp_session);
    free(s->pdp_generation);
    *s = (struct sessions){0};
}

/* --- slots --- */

void sessions_limit(struct sessions *s, uint32_t mobiles, uint32_t contexts)
{
    s->most_mobiles = mobiles;
    s->most_contexts = contexts;
}

/* The lowest free slot; slots that are not in use, but that a worker still has, are passed over. */
static uint32_t free_mobile(struct sessions *s)
{
    uint32_t slot = s->mobile_hint, slots = s->core->config->limits.mobiles;
    if (s->mobile_count >= s->most_mobiles)
        return SESSIONS_NONE;
    while (slot < slots && s->mobiles[slot].in_use)
        slot++;
    s->mobile_hint = slot;
    while (slot < slots && (s->mobiles[slot].in_use || !mobility_is_free(&s->core->mobility, slot)))
        slot++;
    return slot < slots ? slot : SESSIONS_NONE;
}

uint32_t sessions_find_mobile(const struct sessions *s, const char *imsi)
{
    return imsi[0] ? u64_map_get(&s->imsis, mobile_keys_imsi(imsi)) : SESSIONS_NONE;
}

static bool is_pdp_used(const struct sessions *s, uint32_t pdp)
{
    uint32_t session = s->pdp_session[pdp];
    return (session != SESSIONS_NONE && s->list[session].is_active) || sessions_gtpc_has(s, pdp);
}

void sessions_count_pdp(struct sessions *s, uint32_t pdp, bool was_used)
{
    bool is_used = is_pdp_used(s, pdp);
    s->context_count += is_used - was_used;
    if (!is_used && pdp < s->pdp_hint)
        s->pdp_hint = pdp;
}

uint32_t sessions_free_pdp(struct sessions *s)
{
    uint32_t pdp = s->pdp_hint, slots = s->core->config->limits.contexts;
    if (s->context_count >= s->most_contexts)
        return SESSIONS_NONE;
    while (pdp < slots && is_pdp_used(s, pdp))
        pdp++;
    s->pdp_hint = pdp;
    while (pdp < slots && (is_pdp_used(s, pdp) || !mobility_is_pdp_free(&s->core->mobility, pdp)))
        pdp++;
    return pdp < slots ? pdp : SESSIONS_NONE;
}

static uint8_t pick_nsapi(const struct sessions_mobile *mobile, uint8_t wanted)
{
    if (wanted >= NSAPI_MIN && wanted <= NSAPI_MAX && !(mobile->nsapis >> wanted & 1))
        return wanted;
    for (uint8_t nsapi = NSAPI_MIN; nsapi <= NSAPI_MAX; nsapi++)
        if (!(mobile->nsapis >> nsapi & 1))
            return nsapi;
    return 0;
}

/* --- orders --- */

struct ms_imsi sessions_imsi(const struct sessions *s, uint32_t slot)
{
    struct ms_imsi imsi = {0};
    struct identity_imsi id;
    snprintf(id.digits, sizeof(id.digits), "%s", s->mobiles[slot].imsi);
    int octets = identity_imsi_encode(imsi.value, sizeof(imsi.value), &id);
    imsi.octets = octets > 0 && s->core->config->gb.tells_imsi ? (uint8_t)octets : 0;
    return imsi;
}

static void order_mobile(struct sessions *s, uint32_t slot, uint32_t tlli, uint16_t cell,
                         struct sessions_traits traits)
{
    struct msg msg = {.type = MSG_MS_ADD, .slot = slot};

    msg.ms = (struct ms_params){
        .tlli = tlli,
        .bvc = cell,
        .n201_u = s->core->config->mobiles.n201_u,
        .queue_limit_octets = s->core->config->mobiles.queue_limit_octets,
        .stays_in_area = traits.stays_in_area,
        .drops_suspended = traits.drops_suspended,
        .first_sapi = traits.first_sapi,
        .first_nu = traits.first_nu,
    };
    memcpy(msg.ms.first_down, traits.first_down, sizeof(msg.ms.first_down));
    const struct ms_imsi imsi = sessions_imsi(s, slot);
    msg.ms.imsi_octets = imsi.octets;
    memcpy(msg.ms.imsi, imsi.value, sizeof(msg.ms.imsi));
    const struct ms_link_header header = {msg.ms.imsi_octets, traits.has_pfi,
                                          s->core->config->policy.unitdata.is_aligned};
    msg.ms.link_octets = ms_link_octets(&header, s->core->config->gb.overhead_octets);
    mobility_add(&s->core->mobility, slot, tlli, cell);
    core_order(s->core, &msg);
    core_gb_ms_add(s->core, slot, tlli, s->mobiles[slot].imsi, cell);
}

void sessions_order_llc(struct sessions *s, uint32_t slot, uint16_t cell, uint8_t unprotected,
                        const struct llc_cipher_params *ciphering)
{
    struct msg pm = {.type = MSG_MS_PM, .slot = slot, .unprotected_sapis = unprotected};
    struct msg cipher = {.type = MSG_MS_CIPHER, .slot = slot, .cipher = *ciphering};
    if (unprotected != 0)
        core_order(s->core, &pm);
    if (ciphering->algorithm != 0)
        core_order(s->core, &cipher);
    core_gb_llc_ms_add(s->core, slot, cell, ciphering);
}

uint32_t sessions_make_mobile(struct sessions *s, const char *imsi, uint32_t tlli, uint16_t cell,
                              struct sessions_traits traits)
{
    uint32_t slot = free_mobile(s);
    if (slot == SESSIONS_NONE)
        return slot;
    s->mobiles[slot] = (struct sessions_mobile){.in_use = true};
    snprintf(s->mobiles[slot].imsi, sizeof(s->mobiles[slot].imsi), "%s", imsi);
    if (imsi[0])
        u64_map_put(&s->imsis, mobile_keys_imsi(imsi), slot);
    s->mobile_count++;
    order_mobile(s, slot, tlli, cell, traits);
    return slot;
}

static uint32_t learn_mobile(struct sessions *s, const char *imsi)
{
    const struct node_config *config = s->core->config;
    uint32_t slot = sessions_find_mobile(s, imsi);
    if (slot != SESSIONS_NONE)
        return slot;
    uint16_t cell = config->homes[s->next_home % config->home_count];
    slot = sessions_make_mobile(s, imsi, s->next_tlli, cell, (struct sessions_traits){0});
    if (slot != SESSIONS_NONE) {
        core_gb_ms_elements(s->core, s->next_tlli, cell,
                            node_config_elements(config, config->mobiles.elements));
        sessions_order_llc(s, slot, cell, config->mobiles.unprotected, &(struct llc_cipher_params){0});
        s->next_tlli++;
        s->next_home++;
    }
    return slot;
}

void sessions_tell_flow(struct sessions *s, const struct session *session)
{
    if (session->pfi != N_PDU_NO_PFI)
        core_tell(s->core, gb_pfc_add, LUA_ARG(session->mobile), LUA_ARG(session->pdp), LUA_ARG(session->pfi),
                  LUA_ARG(n_pdu_qclass_name(session->qclass)));
}

void sessions_begin_llc(struct sessions *s, uint32_t slot)
{
    if (slot >= s->core->config->limits.mobiles || !s->mobiles[slot].owes_reset)
        return;
    s->mobiles[slot].owes_reset = false;
    core_tell(s->core, llc_reset, LUA_ARG(slot));
}

bool sessions_takes_data(const struct session *session)
{
    return !session->is_uncompressed &&
           (session->takes == NODE_CONFIG_TAKES_ALL || session->takes == NODE_CONFIG_TAKES_DATA);
}

void sessions_tell_llc(struct sessions *s, const struct session *session, bool is_old)
{
    const struct core_event_context context = {
        .nsapi = session->nsapi,
        .sapi = session->sapi ? session->sapi : s->core->config->mobiles.sapi,
        .takes_headers = !session->is_any_payload && session->ip_version != 6 &&
                         session->takes <= NODE_CONFIG_TAKES_HEADERS,
        .takes_data = sessions_takes_data(session),
        .is_acknowledged = session->is_acknowledged,
        .is_old = is_old,
    };
    sessions_begin_llc(s, session->mobile); /* before a proposal of SNDCP */
    if (sessions_compresses(s))
        core_tell(s->core, llc_pdp_add, LUA_ARG(session->mobile), CORE_RECORD(context, &context));
}

static void order_context(struct sessions *s, const struct session *session)
{
    struct msg msg = {.type = MSG_PDP_ADD, .slot = session->pdp, .server_pdp = session->pdp};
    msg.pdp = (struct pdp_params){
        .ms = session->mobile,
        .sgsn_ip = session->sgsn_ip,
        .teid = session->teid,
        .ggsn_ip = session->ggsn_ip,
        .ggsn_teid = session->ggsn_teid,
        .address = session->address,
        .prefix = session->prefix,
        .interface = session->interface,
        .ip_version = session->is_any_payload ? PDP_ANY_PAYLOAD : session->ip_version,
        .nsapi = session->nsapi,
        .sapi = session->sapi ? session->sapi : s->core->config->mobiles.sapi,
        .qclass = session->qclass,
        .is_acknowledged = session->is_acknowledged,
        .pfi = N_PDU_NO_PFI, /* until the BSS has that packet flow */
    };
    core_order(s->core, &msg);
    session_teid_tell(s, session, true);
    core_path_add(s->core, session->sgsn_ip, session->ggsn_ip);
    sessions_tell_flow(s, session);
    sessions_tell_llc(s, session, false);
}

/* The active session with this address and TEID: of a Create Request that was sent and answered twice, or of
 * a reused TEID. */
static struct session *find_tunnel(struct sessions *s, const struct session *params)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].is_active && s->list[i].sgsn_ip == params->sgsn_ip && s->list[i].teid == params->teid)
            return &s->list[i];
    return NULL;
}

/* Whether the session is equal to that of an earlier, repeated request, which then stays. */
static bool is_repeated(const struct sessions *s, const struct session *old, const char *imsi,
                        const struct session *params)
{
    return imsi[0] && strcmp(s->mobiles[old->mobile].imsi, imsi) == 0 &&
           old->gtp_nsapi == params->gtp_nsapi && old->ggsn_ip == params->ggsn_ip &&
           old->ggsn_teid == params->ggsn_teid && old->ggsn_control_teid == params->ggsn_control_teid;
}

static uint32_t *generation_of(struct sessions *s, unsigned worker, uint32_t pdp)
{
    return &s->pdp_generation[(size_t)worker * s->core->config->limits.contexts + pdp];
}

uint32_t sessions_generation(struct sessions *s, unsigned worker, uint32_t pdp)
{
    return *generation_of(s, worker, pdp);
}

bool sessions_fill(struct sessions *s, uint32_t mobile, uint32_t pdp, const struct session *params)
{
    uint8_t nsapi = pick_nsapi(&s->mobiles[mobile], params->nsapi);
    if (pdp == SESSIONS_NONE || nsapi == 0)
        return false;
    if (session_teid_is_lookalike(s, params) && session_teid_is_taken(s, params->sgsn_ip, params->teid))
        return false;
    bool was_used = is_pdp_used(s, pdp);
    struct session *session = sessions_list_take(s, pdp);
    if (!session)
        return false;
    *session = *params;
    session->pdp = pdp;
    session->home = (uint8_t)mobility_home(&s->core->mobility, mobile);
    session->generation = ++*generation_of(s, session->home, pdp);
    session->mobile = mobile;
    session->nsapi = nsapi;
    if (session->is_teid_given && session->teid == 0)
        session->teid = session_teid_give(s, session);
    session->is_active = true;
    s->lookalikes += session_teid_is_lookalike(s, session);
    sessions_list_enter(s, session);
    sessions_count_pdp(s, pdp, was_used);
    s->mobiles[mobile].nsapis |= (uint16_t)(1U << nsapi);
    s->mobiles[mobile].has_more_llc = true;
    order_context(s, session);
    return true;
}

static bool add_context(struct sessions *s, uint32_t mobile, const struct session *params)
{
    return sessions_fill(s, mobile, sessions_free_pdp(s), params);
}

void sessions_drop_idle(struct sessions *s, uint32_t mobile)
{
    if (s->mobiles[mobile].nsapis != 0 || s->mobiles[mobile].wanted != 0)
        return;
    s->mobiles[mobile].in_use = false;
    core_acts_gone(s->core, mobile);
    s->mobile_count--;
    s->mobile_hint = mobile < s->mobile_hint ? mobile : s->mobile_hint;
    u64_map_del(&s->imsis, mobile_keys_imsi(s->mobiles[mobile].imsi), mobile);
    mobility_del(&s->core->mobility, mobile);
    core_tell(s->core, gb_ms_del, LUA_ARG(mobile));
    core_tell(s->core, llc_ms_del, LUA_ARG(mobile));
}

bool sessions_add(struct sessions *s, const char *imsi, const struct session *params)
{
    struct session learned = *params;
    struct session *old = params->is_teid_given ? NULL : find_tunnel(s, params);
    if (old && is_repeated(s, old, imsi, params))
        return true;
    if (old)
        sessions_end(s, old);
    uint32_t mobile = learn_mobile(s, imsi);
    if (mobile != SESSIONS_NONE) {
        learned.pfi = N_PDU_NO_PFI; /* GTP-C does not have it */
        if (add_context(s, mobile, &learned))
            return true;
        sessions_drop_idle(s, mobile);
    }
    s->refused++;
    return false;
}

void sessions_end(struct sessions *s, struct session *session)
{
    struct msg msg = {.type = MSG_PDP_DEL, .slot = session->pdp};
    session->is_active = false;
    sessions_list_leave(s, session);
    sessions_count_pdp(s, session->pdp, true);
    s->lookalikes -= session_teid_is_lookalike(s, session);
    s->mobiles[session->mobile].nsapis &= (uint16_t) ~(1U << session->nsapi);
    session_teid_tell(s, session, false);
    if (sessions_compresses(s))
        core_tell(s->core, llc_pdp_del, LUA_ARG(session->mobile), LUA_ARG(session->nsapi));
    core_order(s->core, &msg);
    core_path_del(s->core, session->sgsn_ip, session->ggsn_ip);
    if (session->pfi != N_PDU_NO_PFI)
        core_tell(s->core, gb_pfc_del, LUA_ARG(session->mobile), LUA_ARG(session->pdp),
                  LUA_ARG(session->pfi));
    sessions_drop_idle(s, session->mobile);
}

struct session *sessions_of(struct sessions *s, unsigned worker, uint32_t pdp, uint32_t generation)
{
    if (pdp >= s->core->config->limits.contexts)
        return NULL;
    for (uint32_t i = s->pdp_session[pdp]; i < s->count; i--)
        if (s->list[i].pdp == pdp && (s->list[i].home != worker || s->list[i].generation == generation))
            return &s->list[i];
    return NULL;
}

/* --- texts --- */

const char *sessions_text_ipv4(const struct session *session, char text[INET6_ADDRSTRLEN])
{
    uint8_t octets[4];
    bytes_put_u32(octets, session->address);
    return session->address ? inet_ntop(AF_INET, octets, text, INET6_ADDRSTRLEN) : NULL;
}

const char *sessions_text_ipv6(const struct session *session, char text[INET6_ADDRSTRLEN])
{
    uint64_t prefix = session->prefix, interface = session->interface;
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    bytes_put_u32(octets, (uint32_t)(prefix >> 32));
    bytes_put_u32(octets + 4, (uint32_t)prefix);
    bytes_put_u32(octets + 8, (uint32_t)(interface >> 32));
    bytes_put_u32(octets + 12, (uint32_t)interface);
    return prefix ? inet_ntop(AF_INET6, octets, text, INET6_ADDRSTRLEN) : NULL;
}

const char *sessions_text_pdp_type(const struct session *session)
{
    uint8_t ip_version = session->ip_version;
    if (ip_version == PDP_ANY_PAYLOAD)
        return "non_ip";
    return ip_version == 4 ? "ipv4" : ip_version == 6 ? "ipv6" : "ipv4v6";
}

/* --- losses --- */

/* The GGSN's end of a tunnel, and the local address, 0: any. */
struct end {
    uint32_t ggsn_ip, ggsn_teid, sgsn_ip;
};

static void end_lost(struct sessions *s, struct session *session)
{
    s->lost++;
    sessions_end(s, session);
}

/* An Error Indication proves nothing: its source can be forged, and GGSNs count their TEIDs up from 1. The
 * GGSN of a context over GTP-C is asked; of another context there is none to ask. */
static void doubt(struct sessions *s, struct session *session)
{
    if (!session->wanted)
        return end_lost(s, session);
    core_gtpc_set_place(s->core, session->wanted, s->core->mobility.list[session->mobile].cell);
    core_tell(s->core, gtpc_check, LUA_ARG(session->wanted));
}

/* The sessions that an Error Indication means, at most `most`: what ends one changes the list. */
static unsigned find_end(const struct sessions *s, const struct end *end, uint32_t *found, unsigned most)
{
    unsigned count = 0;
    uint32_t i = sessions_list_first(s, end->ggsn_ip, end->ggsn_teid);
    for (; i != SESSIONS_NONE && count < most; i = s->list[i].next_remote) {
        const struct session *session = &s->list[i];
        if (session->ggsn_ip == end->ggsn_ip && session->ggsn_teid == end->ggsn_teid &&
            (end->sgsn_ip == 0 || session->sgsn_ip == end->sgsn_ip))
            found[count++] = i;
    }
    return count;
}

void sessions_lose(struct sessions *s, uint32_t ggsn_ip, uint32_t ggsn_teid, uint32_t sgsn_ip)
{
    uint32_t found[LOOKUP_ADDRESSES];
    const struct end end = {ggsn_ip, ggsn_teid, sgsn_ip};
    unsigned count = find_end(s, &end, found, LOOKUP_ADDRESSES);
    for (unsigned i = 0; i < count; i++)
        if (s->list[found[i]].is_active)
            doubt(s, &s->list[found[i]]);
}

void sessions_lose_path(struct sessions *s, struct core_intent *intent)
{
    const struct core_paths_entry *path = &s->core->paths.list[intent->path];
    uint32_t sgsn_ip = path->ours, ggsn_ip = path->theirs;
    for (uint32_t i = 0; i < s->count; i++) {
        struct session *session = &s->list[i];
        if (!session->is_active || session->sgsn_ip != sgsn_ip || session->ggsn_ip != ggsn_ip)
            continue;
        if (!session->wanted) {
            end_lost(s, session);
            continue;
        }
        core_tell(s->core, gtpc_lost, LUA_ARG(session->wanted),
                  LUA_ARG("its path is down")); /* ends the session */
    }
}
