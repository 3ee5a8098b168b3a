/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/address_book.h"
#include "control/config/lua_config_node.h"
#include "control/config/node_config.h"
#include "control/lua/lua_elements.h"
#include "control/lua/lua_fields.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_table.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/context/ms.h"
#include "dataplane/sched/link.h"

#include <assert.h>
#include <lauxlib.h>
#include <lua.h>
#include <stdio.h>
#include <string.h>

/* mbufs for packets that are not queued yet, and for held fragments: a share of all, at most MOST_SPARE. */
#define SPARE_SHARE 8
#define MOST_SPARE  8192

/* --- rows of keys --- */

#define NODE(member, key)          LUA_FIELD_OF(struct node_config, member, key)
#define IS(member, key, word)      LUA_FIELD_WORDS(IS_WORD, struct node_config, member, key, word)
#define NODE_AS(KIND, member, key) LUA_FIELD_AS(KIND, struct node_config, member, key)
#define NSVC(member, key)          LUA_FIELD_OF(struct node_config_nsvc, member, key)
#define CELL(member, key)          LUA_FIELD_OF(struct node_config_cell, member, key)
#define NSE(member, key)           LUA_FIELD_OF(struct node_config_nse, member, key)
#define CONTEXT(member, key)       LUA_FIELD_OF(struct node_config_context, member, key)
#define MOBILE(member, key)        LUA_FIELD_OF(struct node_config_mobile, member, key)
#define BSS(member, key)           LUA_FIELD_OF(struct node_config_announcement, member, key)
#define BSS_MS(member, key)        LUA_FIELD_OF(struct node_config_announced_ms, member, key)

#define DSCP(side)                                                                                           \
    NODE(side.marking.copies_dscp, #side ".dscp.copy"),                                                      \
        NODE(side.marking.dscp[QCLASS_SIGNALLING], #side ".dscp.signalling"),                                \
        NODE(side.marking.dscp[QCLASS_CONVERSATIONAL], #side ".dscp.conversational"),                        \
        NODE(side.marking.dscp[QCLASS_STREAMING], #side ".dscp.streaming"),                                  \
        NODE(side.marking.dscp[QCLASS_THP1], #side ".dscp.thp1"),                                            \
        NODE(side.marking.dscp[QCLASS_THP2], #side ".dscp.thp2"),                                            \
        NODE(side.marking.dscp[QCLASS_THP3], #side ".dscp.thp3"),                                            \
        NODE(side.marking.dscp[QCLASS_BACKGROUND], #side ".dscp.background")

static const struct lua_field node_fields[] = {
    NODE(worker_count, "workers"),
    NODE(gn.mtu_octets, "gn.mtu"),
    NODE_AS(NOT, gn.no_uplink_filter, "gn.check_uplink"),
    NODE(gn.is_any_destination, "gn.uplink_any_destination"),
    IS(gn.is_whole, "gn.oversize", "drop"),
    IS(gn.marking.clears_ecn, "gn.ecn", "clear"),
    DSCP(gn),
    NODE(gb.udp_port, "gb.udp_port"),
    NODE(gb.mtu_octets, "gb.mtu"),
    NODE(gb.overhead_octets, "gb.overhead_octets"),
    DSCP(gb),
    NODE(gb.tells_imsi, "gb.dl_unitdata.imsi"),
    IS(mobiles.are_learned, "mobiles.source", "gtpc"),
    NODE(mobiles.first_tlli, "mobiles.first_tlli"),
    NODE(mobiles.sapi, "mobiles.sapi"),
    NODE(mobiles.n201_u, "mobiles.n201_u"),
    LUA_FIELD_OR(I64, struct node_config, mobiles.ready_ns, "mobiles.ready_timer", -1),
    NODE(mobiles.file, "mobiles.file"),
    NODE(mobiles.adds_links, "mobiles.adds_links"),
    NODE(mobiles.adds_buffers, "mobiles.adds_buffers"),
    NODE(mobiles.queue_limit_octets, "queues.mobile.octets"),
    NODE(phones.have_area_checks, "phones.area_checks"),
    IS(phones.drop_suspended, "phones.suspended", "drop"),
    LUA_FIELD_WORDS(WORD, struct node_config, policy.lifetime.mode, "lifetime.mode", "split", "sgsn_only",
                    "per_node"),
    NODE(policy.lifetime.sgsn_max_ns, "lifetime.sgsn_max"),
    NODE(policy.lifetime.bss_min_ns, "lifetime.bss_min"),
    NODE(policy.lifetime.bss_max_ns, "lifetime.bss_max"),
    NODE(accepted.most, "nses_accepted.most"),
    NODE(accepted.cells, "nses_accepted.cells"),
    NODE(accepted.nsvcs, "nses_accepted.nsvcs"),
    NODE(limits.mobiles, "limits.mobiles"),
    NODE(limits.contexts, "limits.contexts"),
    NODE(limits.npdu_buffers, "limits.npdu_buffers"),
    NODE(limits.reassemblies, "limits.reassemblies"),
    NODE(limits.fragments, "limits.fragments"),
    NODE(limits.lua_call_ns, "limits.lua_call"),
    NODE(limits.lua_octets, "limits.lua_memory"),
    NODE(limits.extra_flows, "queues.extra_flows"),
    NODE(limits.flow_sets, "queues.flow_sets"),
    NODE(abm.links, "llc.acknowledged.links"),
    NODE(abm.buffers, "llc.acknowledged.buffers"),
    NODE(policy.sched.reserve_pkts, "queues.reserve_packets"),
    NODE(policy.sched.flow_queues, "queues.flow_queues"),
    NODE(policy.sched.drops_duplicates, "queues.drop_duplicates"),
    IS(policy.sched.flow_tags, "queues.flow_order", "sfq"),
    NODE(policy.sched.flow_quantum_octets, "queues.flow_quantum"),
    NODE(policy.sched.ms_quantum_octets, "queues.mobile_quantum"),
    NODE(policy.sched.ms_limit_pkts, "queues.mobile.packets"),
    IS(policy.sched.airtime, "queues.share", "airtime"),
    NODE(policy.sched.credit_octets, "queues.credit"),
    NODE(pacing.flows, "queues.pacing.flows"),
    NODE(pacing.drops_repeated, "queues.drop_duplicates"),
    NODE(pacing.ms_target_ns, "queues.pacing.mobile_target"),
    NODE(gea_engine, "crypto.engine_name"),
    {0}};

/* `flow_control` of a cell or of the node. */
static const struct lua_field policy_fields[] = {
    LUA_FIELD_OF(struct gb_policy, bss_target_ns, "flow_control.bss_target"),
    LUA_FIELD_AS(PERCENT, struct gb_policy, rate_percent, "flow_control.rate_factor"),
    LUA_FIELD_OF(struct gb_policy, max_rate_bps, "flow_control.max_rate"),
    LUA_FIELD_OF(struct gb_policy, max_octets, "flow_control.max_bucket"),
    {0}};

static const struct lua_field nse_fields[] = {
    NSE(nsei, "nsei"), NSE(worker, "worker"), NSE(is_dealt, "is_dealt"), {0}};

/* `gb` of an NSE, or of those of nses_accepted. */
static const struct lua_field link_fields[] = {
    NSE(link.rate_bps, "gb.rate"),
    NSE(link.max_octets, "gb.bucket"),
    LUA_FIELD_AS(PERCENT, struct node_config_nse, link.signalling_percent, "gb.signalling_share"),
    {0}};

static const struct lua_field nsvc_fields[] = {NSVC(nsvci, "nsvci"), NSVC(udp_port, "udp_port"), {0}};

static const struct lua_field cell_fields[] = {CELL(bvci, "bvci"),
                                               CELL(mcc, "cell_id.mcc"),
                                               CELL(mnc, "cell_id.mnc"),
                                               CELL(lac, "cell_id.lac"),
                                               CELL(rac, "cell_id.rac"),
                                               CELL(ci, "cell_id.ci"),
                                               {0}};

static const struct lua_field flow_control_fields[] = {CELL(max_rise_ppm, "flow_control.max_rise"),
                                                       CELL(initial_octets, "flow_control.initial.bmax"),
                                                       CELL(initial_bps, "flow_control.initial.leak_rate"),
                                                       {0}};

static const struct lua_field context_fields[] = {
    CONTEXT(nsapi, "nsapi"),
    CONTEXT(sapi, "sapi"),
    CONTEXT(teid, "teid"),
    CONTEXT(ggsn_teid, "ggsn_teid"),
    LUA_FIELD_AS(IPV4, struct node_config_context, address, "address"),
    CONTEXT(is_any_payload, "any_payload"),
    LUA_FIELD_WORDS(IS_WORD, struct node_config_context, is_acknowledged, "llc", "acknowledged"),
    LUA_FIELD_WORDS(WORD, struct node_config_context, takes, "compression", NODE_CONFIG_TAKES_WORDS),
    CONTEXT(apn, "apn"),
    LUA_FIELD_OR(U8, struct node_config_context, pfi, "pfi", N_PDU_NO_PFI),
    {0}};

static const struct lua_field mobile_fields[] = {
    MOBILE(imsi, "imsi"), MOBILE(msisdn, "msisdn"), MOBILE(tlli, "tlli"), {0}};

static const struct lua_field announced_ms_fields[] = {
    BSS_MS(tlli, "tlli"), BSS_MS(bucket_octets, "bucket"), BSS_MS(rate_bps, "rate"),
    BSS_MS(at_ns, "at"),  BSS_MS(by_coding, "by_coding"),  {0}};

static const struct lua_field announcement_fields[] = {BSS(bucket_octets, "bvc.bucket"),
                                                       BSS(rate_bps, "bvc.rate"),
                                                       BSS(ms_bucket_octets, "ms_default.bucket"),
                                                       BSS(ms_rate_bps, "ms_default.rate"),
                                                       BSS(pfc_bucket_octets, "pfc.bucket"),
                                                       BSS(pfc_rate_bps, "pfc.rate"),
                                                       BSS(every_ns, "announce_every"),
                                                       BSS(has_measurement, "measurement"),
                                                       BSS(has_level, "bucket_level"),
                                                       {0}};

#define VALUE(member, key) LUA_FIELD_OF(struct link_values, member, key)

static const struct lua_field value_fields[] = {VALUE(n201_i_octets, "n201_i"),
                                                VALUE(m_down, "m_down"),
                                                VALUE(m_up, "m_up"),
                                                VALUE(k_down, "k_down"),
                                                VALUE(k_up, "k_up"),
                                                VALUE(n200, "n200"),
                                                {0}};

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

/* Reads `dl_unitdata` of the node's `gb`; without it the policy's defaults hold. */
static void read_unitdata(lua_State *L, struct context_unitdata *unitdata)
{
    lua_table_enter(L, "gb");
    if (lua_table_enter(L, "dl_unitdata")) {
        *unitdata = (struct context_unitdata){.tells_tlli_old = lua_table_boolean(L, "tlli_old"),
                                              .is_aligned = lua_table_boolean(L, "alignment")};
        lua_pop(L, 1);
    }
    lua_pop(L, 1);
}

static void read_policy(lua_State *L, struct gb_policy *policy)
{
    gb_policy_default(policy);
    lua_fields_load(L, policy_fields, policy);
}

static void read_weights(lua_State *L, struct sched_params *params)
{
    lua_table_enter(L, "weights");
    for (int i = 0; i < QCLASS_COUNT; i++)
        params->weights[i] = (uint16_t)lua_table_integer(L, n_pdu_qclass_name((enum qclass)i));
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
        if (!lua_table_enter(L, n_pdu_qclass_name((enum qclass)i)))
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

static void read_pacing_class(lua_State *L, void *arg, uint32_t unused_parent)
{
    struct pacing_params *pacing = arg;
    pacing->classes |= (uint8_t)(1U << n_pdu_qclass_from_name(lua_tostring(L, -1)));
}

static void read_pacing(lua_State *L, struct pacing_params *pacing)
{
    lua_table_enter(L, "pacing");
    lua_table_each(L, "classes", read_pacing_class, pacing, 0);
    pacing->ewa_octets = is_word(L, "window", "ewa") ? (uint32_t)lua_table_integer(L, "buffer") : 0;
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

/* Members without a row, of `queues` and `flow_control` of the node on top of the stack. */
static void read_queues(lua_State *L, struct node_config *config)
{
    struct sched_params *params = &config->policy.sched;
    read_policy(L, &config->policy.gb);
    lua_table_enter(L, "queues");
    read_weights(L, params);
    read_classes(L, params);
    params->budget_pkts = (uint32_t)lua_table_integer_or(
        L, "budget_packets", default_budget(config->limits.npdu_buffers, params->reserve_pkts));
    lua_config_aqm_read(L, config);
    read_pacing(L, &config->pacing);
    lua_pop(L, 1);
}

/* Reads a MAC address. False: it is absent; *out is then a locally administered one, different for each port.
 */
static bool mac(lua_State *L, const char *key, uint8_t *out, uint8_t last)
{
    const struct lua_field fields[] = {{.key = key, .kind = LUA_FIELD_MAC}, {0}};
    memcpy(out, (const uint8_t[]){0x02, 0, 0, 0, 0, last}, 6);
    lua_fields_load(L, fields, out);
    bool is_given = lua_getfield(L, -1, key) != LUA_TNIL;
    lua_pop(L, 1);
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
    lua_fields_load(L, nsvc_fields, nsvc);
    nsvc->own_address = config->gb.address;
    nsvc->own_port = config->gb.udp_port;
    nsvc->address = address_of(L, "address", &config->addresses);
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
    read_policy(L, &cell->policy);
    lua_fields_load(L, flow_control_fields, cell);
}

static void read_cell(lua_State *L, struct node_config *config, uint32_t nse)
{
    struct node_config_cell *cell = lua_table_append(&config->cells, &config->cell_count, sizeof(*cell));
    cell->nse = (uint16_t)nse;
    lua_fields_load(L, cell_fields, cell);
    read_flow_control(L, cell);
}

static void read_accepted(lua_State *L, struct node_config *config)
{
    if (!lua_table_enter(L, "nses_accepted"))
        return;
    config->accepted.nse = (struct node_config_nse){.is_accepted = true};
    lua_fields_load(L, link_fields, &config->accepted.nse);
    read_flow_control(L, &config->accepted.cell);
    lua_pop(L, 1);
    if (!node_config_reserve_accepted(config))
        lua_guard_no_memory("the configuration");
}

static void read_nse(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_nse *nse = lua_table_append(&config->nses, &config->nse_count, sizeof(*nse));
    lua_fields_load(L, nse_fields, nse);
    lua_fields_load(L, link_fields, nse);
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
    bool has_ipv4 = lua_getfield(L, -1, "address") != LUA_TNIL;
    lua_pop(L, 1);
    context->ip_version = 4;
    if (!lua_table_ipv6(L, "ipv6_address", octets))
        return;
    context->ip_version = has_ipv4 ? 0 : 6;
    context->prefix = (uint64_t)bytes_get_u32(octets) << 32 | bytes_get_u32(octets + 4);
    context->interface = (uint64_t)bytes_get_u32(octets + 8) << 32 | bytes_get_u32(octets + 12);
}

/* The PDP type of a requested context, which may have no address yet. */
static void read_pdp_type(lua_State *L, struct node_config_context *context)
{
    char type[8];
    lua_table_text(L, "pdp_type", type, sizeof(type));
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
    lua_fields_load(L, context_fields, context);
    context->sgsn_address = address_of(L, "sgsn_address", &config->addresses);
    context->ggsn_address = address_of(L, "ggsn_address", &config->addresses);
    read_user_addresses(L, context);
    read_pdp_type(L, context);
    context->qclass = (uint8_t)n_pdu_qclass_from_name(qclass);
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
    lua_fields_load(L, mobile_fields, mobile);
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
    lua_table_enter(L, "mobiles");
    if (config->mobiles.ready_ns > CONTEXT_MAX_READY_NS)
        config->mobiles.ready_ns = 0;
    config->mobiles.unprotected = unprotected_of(L, 0);
    config->mobiles.elements = lua_config_radio_add(L, config, 0);
    each(L, "homes", config, 0, read_home);
    if (!config->mobiles.are_learned)
        each(L, "list", config, 0, read_mobile);
    lua_pop(L, 1);
}

/* --- the other end of Gb --- */

static void read_announced_ms(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_announced_ms *ms =
        lua_table_append(&config->announced_ms, &config->announced_ms_count, sizeof(*ms));
    lua_fields_load(L, announced_ms_fields, ms);
}

static void read_announcement(lua_State *L, struct node_config *config, uint32_t nsei)
{
    struct node_config_announcement *a =
        lua_table_append(&config->announcements, &config->announcement_count, sizeof(*a));
    a->cell = cell_of(L, config, nsei);
    lua_fields_load(L, announcement_fields, a);
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
    lua_table_enter(L, "gn");
    mac(L, "mac", config->gn.mac, 0x01);
    mac(L, "peer_mac", config->gn.peer_mac, 0x02);
    lua_pop(L, 1);
    lua_table_enter(L, "gb");
    config->gb.address = address_of(L, "address", &config->addresses);
    mac(L, "mac", config->gb.mac, 0x10);
    lua_pop(L, 1);
}

#define DECISECOND_NS INT64_C(100000000)

void lua_config_node_link_values(lua_State *L, struct link_values *values)
{
    *values = (struct link_values){.t200_ds = (uint16_t)(lua_table_integer(L, "t200") / DECISECOND_NS)};
    lua_fields_load(L, value_fields, values);
}

static void read_acknowledged(lua_State *L, struct link_settings *abm)
{
    lua_table_enter(L, "llc");
    lua_table_enter(L, "acknowledged");
    lua_config_node_link_values(L, &abm->values);
    lua_pop(L, 2);
}

static const struct lua_field compression_fields[] = {
    NODE(compression.entities, "entities"),
    NODE(compression.slots, "rfc1144.slots"),
    NODE(compression.codewords, "v42bis.codewords"),
    NODE(compression.string_octets, "v42bis.string"),
    LUA_FIELD_WORDS(WORD, struct node_config, compression.directions, "v42bis.direction", "none", "uplink",
                    "downlink", "both"),
    {0}};

/* All is 0 while it is off; so are the values of a kind that is not configured. */
static void read_compression(lua_State *L, struct node_config *config)
{
    lua_table_enter(L, "sndcp");
    lua_table_enter(L, "compression");
    if (!is_word(L, "mode", "off"))
        lua_fields_load(L, compression_fields, config);
    config->compression.is_acknowledged = config->abm.links > 0 || config->mobiles.adds_links;
    lua_pop(L, 2);
}

void lua_config_node(lua_State *L, struct node_config *config)
{
    *config = (struct node_config){0};
    context_policy_default(&config->policy);
    lua_fields_load(L, node_fields, config);
    read_ports(L, config);
    read_unitdata(L, &config->policy.unitdata);
    each(L, "nses", config, 0, read_nse);
    read_mobiles(L, config);
    each(L, "emulated_bss", config, 0, read_bss);
    read_accepted(L, config);
    read_acknowledged(L, &config->abm);
    read_compression(L, config);
    read_queues(L, config);
    lua_config_live_read(L, config);
    lua_esp_config_read(L, &config->esp);
}
