/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/address_book.h"
#include "control/config/lua_config_node.h"
#include "control/config/node_config.h"
#include "control/lua/lua_elements.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_table.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/context/ms.h"

#include <assert.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

/* Reads the optional elements of mobiles' DL-UNITDATA from the checked tables of lua/node/radio.lua. */

/* Reads queues, flow control and link rates from the checked table of a node's configuration
 * (lua/node/schema_queues.lua). */

/* Appends `elements` of the table on top of the stack, which stays there, to config->elements; returns their
 * number there, or `otherwise` when the table has none. */
static uint32_t lua_config_radio_add(lua_State *L, struct node_config *config, uint32_t otherwise)
{
    if (!lua_table_enter(L, "elements"))
        return otherwise;
    lua_pop(L, 1);
    struct bssgp_elements *elements =
        lua_table_append(&config->elements, &config->elements_count, sizeof(*elements));
    lua_elements_read(L, elements);
    return config->elements_count;
}

/* Reads `dl_unitdata` of the `gb` on top of the stack. */
static void lua_config_radio_switches(lua_State *L, struct node_config *config)
{
    if (!lua_table_enter(L, "dl_unitdata"))
        return;
    config->gb.tells_imsi = lua_table_boolean(L, "imsi");
    config->policy.unitdata = (struct context_unitdata){.tells_tlli_old = lua_table_boolean(L, "tlli_old"),
                                                        .is_aligned = lua_table_boolean(L, "alignment")};
    lua_pop(L, 1);
}

#define PPM_PER_PERCENT 10000

/* mbufs for packets that are not queued yet, and for held fragments: a share of all, at most MOST_SPARE. */
#define SPARE_SHARE 8
#define MOST_SPARE  8192

static uint32_t percent(lua_State *L, const char *key)
{
    return (uint32_t)(lua_table_integer(L, key) / PPM_PER_PERCENT);
}

/* Reads `gb` of the NSE on top of the stack, which stays there. */
static void lua_config_queues_link(lua_State *L, struct sched_link_rate *link)
{
    lua_table_enter(L, "gb");
    *link = (struct sched_link_rate){
        .rate_bps = (uint64_t)lua_table_integer(L, "rate"),
        .max_octets = (uint64_t)lua_table_integer(L, "bucket"),
        .signalling_percent = percent(L, "signalling_share"),
    };
    lua_pop(L, 1);
}

/* Reads `flow_control` of the cell or node on top of the stack. */
static void lua_config_queues_policy(lua_State *L, struct gb_policy *policy)
{
    gb_policy_default(policy);
    lua_table_enter(L, "flow_control");
    policy->bss_target_ns = lua_table_integer(L, "bss_target");
    policy->rate_percent = percent(L, "rate_factor");
    policy->max_rate_bps = (uint64_t)lua_table_integer(L, "max_rate");
    policy->max_octets = (uint64_t)lua_table_integer(L, "max_bucket");
    lua_pop(L, 1);
}

static void read_weights(lua_State *L, struct sched_params *params)
{
    lua_table_enter(L, "weights");
    for (int i = 0; i < QCLASS_COUNT; i++)
        params->weights[i] = (uint16_t)lua_table_integer(L, qclass_name((enum qclass)i));
    lua_pop(L, 1);
}

static bool is_word(lua_State *L, const char *key, const char *word)
{
    char value[sizeof("acknowledged")];
    lua_table_text(L, key, value, sizeof(value));
    return strcmp(value, word) == 0;
}

static void read_classes(lua_State *L, struct sched_params *params)
{
    lua_table_enter(L, "class");
    for (int i = 0; i < QCLASS_COUNT; i++) {
        if (!lua_table_enter(L, qclass_name((enum qclass)i)))
            continue;
        struct sched_limit *limit = &params->class_limits[i];
        limit->octets = (uint64_t)lua_table_integer_or(L, "octets", LUA_MAXINTEGER);
        limit->pkts = (uint32_t)lua_table_integer_or(L, "packets", UINT32_MAX);
        params->fifo_classes |= (uint8_t)(is_word(L, "order", "fifo") ? 1U << i : 0);
        params->sfq_classes |= (uint8_t)(is_word(L, "order", "sfq") ? 1U << i : 0);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_room(lua_State *L, struct sched_room *room)
{
    lua_table_enter(L, "share_limit");
    room->loaded.pkts = (uint32_t)lua_table_integer(L, "packets");
    room->loaded.time_ns = lua_table_integer(L, "time");
    room->alone.pkts = (uint32_t)lua_table_integer(L, "alone_packets");
    room->alone.time_ns = lua_table_integer(L, "alone_time");
    room->protects = lua_table_boolean(L, "protect");
    lua_pop(L, 1);
}

static void read_pacing_class(lua_State *L, void *arg, uint32_t unused_parent)
{
    struct pacing_params *pacing = arg;
    pacing->classes |= (uint8_t)(1U << qclass_from_name(lua_tostring(L, -1)));
}

static void read_pacing(lua_State *L, struct pacing_params *pacing)
{
    lua_table_enter(L, "pacing");
    lua_table_each(L, "classes", read_pacing_class, pacing, 0);
    pacing->flows = (uint32_t)lua_table_integer(L, "flows");
    pacing->round_trip_ns = lua_table_integer(L, "round_trip");
    pacing->ewa_octets = is_word(L, "window", "ewa") ? (uint32_t)lua_table_integer(L, "buffer") : 0;
    pacing->no_clamp = !lua_table_boolean(L, "clamp");
    pacing->max_hold_ns = lua_table_boolean(L, "hold") ? lua_table_integer(L, "max_hold") : 0;
    pacing->target_ns = lua_table_integer(L, "target");
    pacing->ms_target_ns = lua_table_integer(L, "mobile_target");
    lua_pop(L, 1);
}

/* All mbufs without the reserve and the spare ones, so that the longest queue drops an N-PDU before the pool
 * is empty. */
static uint32_t default_budget(uint32_t buffers, uint32_t reserve)
{
    uint32_t spare = buffers / SPARE_SHARE < MOST_SPARE ? buffers / SPARE_SHARE : MOST_SPARE;
    uint32_t left = buffers - reserve;
    return left > spare ? left - spare : 1;
}

/* Reads `queues` and `flow_control` of the node on top of the stack into its policy and limits. Its other
 * limits must have been read before. */
static void lua_config_queues_read(lua_State *L, struct node_config *config)
{
    struct sched_params *params = &config->policy.sched;

    lua_config_queues_policy(L, &config->policy.gb);
    lua_table_enter(L, "queues");
    read_weights(L, params);
    read_classes(L, params);
    params->reserve_pkts = (uint32_t)lua_table_integer(L, "reserve_packets");
    params->budget_pkts = (uint32_t)lua_table_integer_or(
        L, "budget_packets", default_budget(config->limits.npdu_buffers, params->reserve_pkts));
    config->limits.extra_flows = (uint32_t)lua_table_integer(L, "extra_flows");
    params->flow_queues = (uint8_t)lua_table_integer(L, "flow_queues");
    params->drops_duplicates = lua_table_boolean(L, "drop_duplicates");
    params->flow_tags = is_word(L, "flow_order", "sfq");
    params->flow_quantum_octets = (uint16_t)lua_table_integer(L, "flow_quantum");
    params->ms_quantum_octets = (uint16_t)lua_table_integer_or(L, "mobile_quantum", 0);
    config->pacing.quantum_octets = params->ms_quantum_octets;
    config->limits.flow_sets = (uint32_t)lua_table_integer(L, "flow_sets");
    lua_config_aqm_read(L, config);
    read_room(L, &params->room);
    read_pacing(L, &config->pacing);
    lua_table_enter(L, "mobile");
    config->mobiles.queue_limit_octets = (uint32_t)lua_table_integer(L, "octets");
    params->ms_limit_pkts = (uint32_t)lua_table_integer(L, "packets");
    lua_pop(L, 2);
}

/* --- fields of the table on top of the stack --- */

/* Reads a MAC address. False: it is absent; *out is then a locally administered one, different for each port.
 */
static bool mac(lua_State *L, const char *key, uint8_t *out, uint8_t last)
{
    char form[18];
    unsigned byte[6] = {0x02, 0, 0, 0, 0, last};
    lua_getfield(L, -1, key);
    bool is_given = lua_isstring(L, -1);
    lua_pop(L, 1);
    if (is_given) {
        lua_table_text(L, key, form, sizeof(form));
        sscanf(form, "%x:%x:%x:%x:%x:%x", &byte[0], &byte[1], &byte[2], &byte[3], &byte[4], &byte[5]);
    }
    for (int i = 0; i < 6; i++)
        out[i] = (uint8_t)byte[i];
    return is_given;
}

typedef void (*each_fn)(lua_State *L, struct node_config *config, uint32_t parent);

/* Calls fn with each item of a list of the table on top of the stack, on top of the stack. */
static void each(lua_State *L, const char *key, struct node_config *config, uint32_t parent, each_fn fn)
{
    lua_getfield(L, -1, key);
    lua_Integer count = lua_istable(L, -1) ? luaL_len(L, -1) : 0;
    for (lua_Integer i = 1; i <= count; i++) {
        lua_geti(L, -1, i);
        fn(L, config, parent);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

/* --- Gb --- */

/* An address of either IP version. */
static uint32_t address_of(lua_State *L, const char *key, struct address_book *book)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    return address_book_put(book, octets, lua_table_ip(L, key, octets));
}

static void read_nsvc(lua_State *L, struct node_config *config, uint32_t nse)
{
    struct node_config_nsvc *nsvc = lua_table_append(&config->nsvcs, &config->nsvc_count, sizeof(*nsvc));
    nsvc->nse = (uint16_t)nse;
    nsvc->nsvci = (uint16_t)lua_table_integer(L, "nsvci");
    nsvc->own_address = config->gb.address;
    nsvc->own_port = config->gb.udp_port;
    nsvc->address = address_of(L, "address", &config->addresses);
    nsvc->udp_port = (uint16_t)lua_table_integer(L, "udp_port");
    nsvc->data_weight = 1;
    nsvc->has_mac = mac(L, "mac", nsvc->mac, 0x20);
}

/* Reserves NS-VC slots for an NSE with IP-SNS, numbered as in lua/gb/sns.lua: the first for SNS-SIZE, the
 * others for NS-VCs that the BSS configures.
 */
static void read_sns(lua_State *L, struct node_config *config, uint32_t nse)
{
    if (!lua_table_enter(L, "sns"))
        return;
    read_nsvc(L, config, nse);
    config->nsvcs[config->nsvc_count - 1].data_weight = 0;
    lua_Integer count = lua_table_integer(L, "max_nsvcs");
    for (lua_Integer i = 0; i < count; i++) {
        struct node_config_nsvc *nsvc = lua_table_append(&config->nsvcs, &config->nsvc_count, sizeof(*nsvc));
        *nsvc = (struct node_config_nsvc){.nse = (uint16_t)nse, .is_absent = true};
        mac(L, "mac", nsvc->mac, 0x20);
    }
    lua_pop(L, 1);
}

static void read_flow_control(lua_State *L, struct node_config_cell *cell)
{
    lua_config_queues_policy(L, &cell->policy);
    lua_table_enter(L, "flow_control");
    cell->max_rise_ppm = (uint32_t)lua_table_integer(L, "max_rise");
    if (lua_table_enter(L, "initial")) {
        cell->initial_octets = (uint64_t)lua_table_integer(L, "bmax");
        cell->initial_bps = (uint64_t)lua_table_integer(L, "leak_rate");
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_cell(lua_State *L, struct node_config *config, uint32_t nse)
{
    struct node_config_cell *cell = lua_table_append(&config->cells, &config->cell_count, sizeof(*cell));
    cell->nse = (uint16_t)nse;
    cell->bvci = (uint16_t)lua_table_integer(L, "bvci");
    lua_getfield(L, -1, "cell_id");
    lua_table_text(L, "mcc", cell->mcc, sizeof(cell->mcc));
    lua_table_text(L, "mnc", cell->mnc, sizeof(cell->mnc));
    cell->lac = (uint16_t)lua_table_integer(L, "lac");
    cell->rac = (uint8_t)lua_table_integer(L, "rac");
    cell->ci = (uint16_t)lua_table_integer(L, "ci");
    lua_pop(L, 1);
    read_flow_control(L, cell);
}

static void read_accepted(lua_State *L, struct node_config *config)
{
    if (!lua_table_enter(L, "nses_accepted"))
        return;
    config->accepted.most = (uint32_t)lua_table_integer(L, "most");
    config->accepted.cells = (uint32_t)lua_table_integer(L, "cells");
    config->accepted.nsvcs = (uint32_t)lua_table_integer(L, "nsvcs");
    config->accepted.nse = (struct node_config_nse){.is_accepted = true};
    lua_config_queues_link(L, &config->accepted.nse.link);
    read_flow_control(L, &config->accepted.cell);
    lua_pop(L, 1);
    if (!node_config_reserve_accepted(config))
        lua_guard_no_memory("the configuration");
}

static void read_nse(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_nse *nse = lua_table_append(&config->nses, &config->nse_count, sizeof(*nse));
    nse->nsei = (uint16_t)lua_table_integer(L, "nsei");
    nse->worker = (uint8_t)lua_table_integer(L, "worker");
    nse->is_dealt = lua_table_boolean(L, "is_dealt");
    lua_config_queues_link(L, &nse->link);
    each(L, "nsvcs", config, config->nse_count - 1, read_nsvc);
    read_sns(L, config, config->nse_count - 1);
    each(L, "cells", config, config->nse_count - 1, read_cell);
}

static uint16_t cell_of(lua_State *L, const struct node_config *config, uint32_t nsei)
{
    int cell =
        node_config_cell(config, node_config_nse(config, nsei), (uint32_t)lua_table_integer(L, "bvci"));
    assert(cell >= 0);
    return (uint16_t)cell;
}

/* --- mobiles --- */

static void read_home(lua_State *L, struct node_config *config, uint32_t parent)
{
    uint16_t *home = lua_table_append(&config->homes, &config->home_count, sizeof(*home));
    *home = cell_of(L, config, (uint32_t)lua_table_integer(L, "nsei"));
}

static void read_user_addresses(lua_State *L, struct node_config_context *context)
{
    uint8_t octets[ADDRESS_IPV6_OCTETS];
    lua_getfield(L, -1, "address");
    bool has_ipv4 = !lua_isnil(L, -1);
    lua_pop(L, 1);
    if (has_ipv4)
        context->address = lua_table_address(L, "address");
    context->ip_version = 4;
    if (!lua_table_ipv6(L, "ipv6_address", octets))
        return;
    context->ip_version = has_ipv4 ? 0 : 6;
    context->prefix = (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
    context->interface = (uint64_t)bytes_get_u32(octets + 8) << 32 | bytes_get_u32(octets + 12);
}

/* A text, if it is there. */
static void read_text(lua_State *L, const char *key, char *out, size_t cap)
{
    lua_getfield(L, -1, key);
    if (lua_isstring(L, -1))
        snprintf(out, cap, "%s", lua_tostring(L, -1));
    lua_pop(L, 1);
}

/* The PDP type of a requested context, which may have no address yet. */
static void read_pdp_type(lua_State *L, struct node_config_context *context)
{
    char type[8] = "";
    read_text(L, "pdp_type", type, sizeof(type));
    if (type[0])
        context->ip_version = strcmp(type, "non_ip") == 0 ? PDP_ANY_PAYLOAD
                              : strcmp(type, "ipv4") == 0 ? 4
                              : strcmp(type, "ipv6") == 0 ? 6
                                                          : 0;
}

static void read_context(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_context *context =
        lua_table_append(&config->contexts, &config->context_count, sizeof(*context));
    char qclass[16];
    lua_table_text(L, "class", qclass, sizeof(qclass));
    context->nsapi = (uint8_t)lua_table_integer(L, "nsapi");
    context->sapi = (uint8_t)lua_table_integer(L, "sapi");
    context->teid = (uint32_t)lua_table_integer(L, "teid");
    context->ggsn_teid = (uint32_t)lua_table_integer(L, "ggsn_teid");
    context->sgsn_address = address_of(L, "sgsn_address", &config->addresses);
    context->ggsn_address = address_of(L, "ggsn_address", &config->addresses);
    read_user_addresses(L, context);
    read_pdp_type(L, context);
    context->is_any_payload = lua_table_boolean(L, "any_payload");
    context->is_acknowledged = is_word(L, "llc", "acknowledged");
    read_text(L, "apn", context->apn, sizeof(context->apn));
    context->qclass = (uint8_t)qclass_from_name(qclass);
    context->pfi = (uint8_t)lua_table_integer_or(L, "pfi", N_PDU_NO_PFI);
}

/* A list of SAPIs as bits; `otherwise` when there is no list. */
static uint8_t unprotected_of(lua_State *L, uint8_t otherwise)
{
    uint8_t bits = 0;
    if (!lua_table_enter(L, "unprotected_sapis"))
        return otherwise;
    for (lua_Integer i = 1; i <= luaL_len(L, -1); i++) {
        lua_geti(L, -1, i);
        int index = ms_sapi_index((uint8_t)lua_tointeger(L, -1)); /* the schema allows no other */
        bits |= (uint8_t)(index < 0 ? 0 : 1U << index);
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
    return bits;
}

void lua_config_node_ciphering(lua_State *L, struct llc_cipher_params *cipher)
{
    char kc[2 * LLC_CIPHER_KC_OCTETS + 1] = "";
    if (!lua_table_enter(L, "ciphering"))
        return;
    cipher->algorithm = (uint8_t)lua_table_integer(L, "number");
    cipher->iov_ui = (uint32_t)lua_table_integer(L, "iov_ui");
    if (cipher->algorithm != 0)
        lua_table_text(L, "kc", kc, sizeof(kc));
    for (unsigned octet; sscanf(kc + (size_t)2 * cipher->kc_octets, "%2x", &octet) == 1; cipher->kc_octets++)
        cipher->kc[cipher->kc_octets] = (uint8_t)octet;
    lua_pop(L, 1);
}

static void read_mobile(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_mobile *mobile =
        lua_table_append(&config->list, &config->mobile_count, sizeof(*mobile));
    lua_table_text(L, "imsi", mobile->imsi, sizeof(mobile->imsi));
    read_text(L, "msisdn", mobile->msisdn, sizeof(mobile->msisdn));
    mobile->tlli = (uint32_t)lua_table_integer(L, "tlli");
    mobile->cell = cell_of(L, config, (uint32_t)lua_table_integer(L, "nsei"));
    mobile->unprotected = unprotected_of(L, config->mobiles.unprotected);
    lua_config_node_ciphering(L, &mobile->ciphering);
    mobile->elements = lua_config_radio_add(L, config, config->mobiles.elements);
    mobile->first_context = config->context_count;
    each(L, "contexts", config, 0, read_context);
    mobile->context_count = config->context_count - mobile->first_context;
}

static void read_mobiles(lua_State *L, struct node_config *config)
{
    lua_getfield(L, -1, "mobiles");
    config->mobiles.are_learned = is_word(L, "source", "gtpc");
    config->mobiles.first_tlli = (uint32_t)lua_table_integer(L, "first_tlli");
    config->mobiles.sapi = (uint8_t)lua_table_integer(L, "sapi");
    config->mobiles.unprotected = unprotected_of(L, 0);
    config->mobiles.n201_u = (uint16_t)lua_table_integer(L, "n201_u");
    lua_Integer ready_ns = lua_table_integer_or(L, "ready_timer", -1);
    config->mobiles.ready_ns = ready_ns > CONTEXT_MAX_READY_NS ? 0 : ready_ns;
    config->mobiles.elements = lua_config_radio_add(L, config, 0);
    read_text(L, "file", config->mobiles.file, sizeof(config->mobiles.file));
    config->mobiles.adds_links = lua_table_boolean(L, "adds_links");
    config->mobiles.adds_buffers = (uint32_t)lua_table_integer(L, "adds_buffers");
    each(L, "homes", config, 0, read_home);
    if (!config->mobiles.are_learned)
        each(L, "list", config, 0, read_mobile);
    lua_pop(L, 1);
    if (lua_table_enter(L, "phones")) {
        config->phones.have_area_checks = lua_table_boolean(L, "area_checks");
        config->phones.drop_suspended = is_word(L, "suspended", "drop");
        lua_pop(L, 1);
    }
}

static void read_lifetime(lua_State *L, struct lifetime *lifetime)
{
    char mode[12];
    lua_getfield(L, -1, "lifetime");
    lua_table_text(L, "mode", mode, sizeof(mode));
    lifetime->mode = strcmp(mode, "sgsn_only") == 0  ? LIFETIME_SGSN_ONLY
                     : strcmp(mode, "per_node") == 0 ? LIFETIME_PER_NODE
                                                     : LIFETIME_SPLIT;
    lifetime->sgsn_max_ns = lua_table_integer(L, "sgsn_max");
    lifetime->bss_min_ns = lua_table_integer(L, "bss_min");
    lifetime->bss_max_ns = lua_table_integer(L, "bss_max");
    lua_pop(L, 1);
}

/* --- the other end of Gb --- */

static void read_bucket(lua_State *L, const char *key, uint64_t *octets, uint64_t *rate_bps)
{
    lua_getfield(L, -1, key);
    *octets = (uint64_t)lua_table_integer(L, "bucket");
    *rate_bps = (uint64_t)lua_table_integer(L, "rate");
    lua_pop(L, 1);
}

static void read_announced_ms(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_announced_ms *ms =
        lua_table_append(&config->announced_ms, &config->announced_ms_count, sizeof(*ms));
    ms->tlli = (uint32_t)lua_table_integer(L, "tlli");
    ms->bucket_octets = (uint64_t)lua_table_integer(L, "bucket");
    ms->rate_bps = (uint64_t)lua_table_integer(L, "rate");
    ms->at_ns = lua_table_integer(L, "at");
}

static void read_announcement(lua_State *L, struct node_config *config, uint32_t nsei)
{
    struct node_config_announcement *a =
        lua_table_append(&config->announcements, &config->announcement_count, sizeof(*a));
    a->cell = cell_of(L, config, nsei);
    read_bucket(L, "bvc", &a->bucket_octets, &a->rate_bps);
    read_bucket(L, "ms_default", &a->ms_bucket_octets, &a->ms_rate_bps);
    if (lua_table_enter(L, "pfc")) {
        a->pfc_bucket_octets = (uint64_t)lua_table_integer(L, "bucket");
        a->pfc_rate_bps = (uint64_t)lua_table_integer(L, "rate");
        lua_pop(L, 1);
    }
    a->every_ns = lua_table_integer(L, "announce_every");
    a->has_measurement = lua_table_boolean(L, "measurement");
    a->has_level = lua_table_boolean(L, "bucket_level");
    a->first_ms = config->announced_ms_count;
    each(L, "ms", config, 0, read_announced_ms);
    a->ms_count = config->announced_ms_count - a->first_ms;
}

static void read_bss(lua_State *L, struct node_config *config, uint32_t parent)
{
    each(L, "cells", config, (uint32_t)lua_table_integer(L, "nsei"), read_announcement);
}

/* --- the whole --- */

static void read_ports(lua_State *L, struct node_config *config)
{
    lua_getfield(L, -1, "gn");
    mac(L, "mac", config->gn.mac, 0x01);
    mac(L, "peer_mac", config->gn.peer_mac, 0x02);
    config->gn.mtu_octets = (uint32_t)lua_table_integer(L, "mtu");
    config->gn.no_uplink_filter = !lua_table_boolean(L, "check_uplink");
    config->gn.is_any_destination = lua_table_boolean(L, "uplink_any_destination");
    lua_getfield(L, -1, "oversize");
    config->gn.is_whole = strcmp(lua_tostring(L, -1), "drop") == 0;
    lua_pop(L, 1);
    lua_pop(L, 1);
    lua_getfield(L, -1, "gb");
    config->gb.address = address_of(L, "address", &config->addresses);
    config->gb.udp_port = (uint16_t)lua_table_integer(L, "udp_port");
    config->gb.mtu_octets = (uint32_t)lua_table_integer(L, "mtu");
    config->gb.overhead_octets = (int)lua_table_integer(L, "overhead_octets");
    mac(L, "mac", config->gb.mac, 0x10);
    lua_config_radio_switches(L, config);
    lua_pop(L, 1);
}

static void read_limits(lua_State *L, struct node_config *config)
{
    lua_getfield(L, -1, "limits");
    config->limits.mobiles = (uint32_t)lua_table_integer(L, "mobiles");
    config->limits.contexts = (uint32_t)lua_table_integer(L, "contexts");
    config->limits.npdu_buffers = (uint32_t)lua_table_integer(L, "npdu_buffers");
    config->limits.reassemblies = (uint32_t)lua_table_integer(L, "reassemblies");
    config->limits.fragments = (uint32_t)lua_table_integer(L, "fragments");
    config->limits.lua_call_ns = lua_table_integer(L, "lua_call");
    config->limits.lua_octets = (uint64_t)lua_table_integer(L, "lua_memory");
    lua_pop(L, 1);
}

#define DECISECOND_NS INT64_C(100000000)

void lua_config_link_values(lua_State *L, struct link_values *values)
{
    *values = (struct link_values){
        .n201_i_octets = (uint16_t)lua_table_integer(L, "n201_i"),
        .m_down = (uint16_t)lua_table_integer(L, "m_down"),
        .m_up = (uint16_t)lua_table_integer(L, "m_up"),
        .t200_ds = (uint16_t)(lua_table_integer(L, "t200") / DECISECOND_NS),
        .k_down = (uint8_t)lua_table_integer(L, "k_down"),
        .k_up = (uint8_t)lua_table_integer(L, "k_up"),
        .n200 = (uint8_t)lua_table_integer(L, "n200"),
    };
}

static void read_acknowledged(lua_State *L, struct link_settings *abm)
{
    lua_table_enter(L, "llc");
    lua_table_enter(L, "acknowledged");
    *abm = (struct link_settings){.links = (uint32_t)lua_table_integer(L, "links"),
                                  .buffers = (uint32_t)lua_table_integer(L, "buffers")};
    lua_config_link_values(L, &abm->values);
    lua_pop(L, 2);
}

void lua_config_node(lua_State *L, struct node_config *config)
{
    *config = (struct node_config){.worker_count = (uint32_t)lua_table_integer(L, "workers")};
    context_policy_default(&config->policy);
    read_ports(L, config);
    each(L, "nses", config, 0, read_nse);
    read_mobiles(L, config);
    read_lifetime(L, &config->policy.lifetime);
    each(L, "emulated_bss", config, 0, read_bss);
    read_accepted(L, config);
    read_limits(L, config);
    read_acknowledged(L, &config->abm);
    lua_config_queues_read(L, config);
    lua_config_live_read(L, config);
    lua_getfield(L, -1, "crypto");
    lua_table_text(L, "engine_name", config->gea_engine, sizeof(config->gea_engine));
    lua_pop(L, 1);
}
