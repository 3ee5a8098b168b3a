/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema has checked everything: presence, kinds, ranges, and that names lead to something. */
#include "control/lua_config_node.h"

#include "control/lua_table.h"
#include "dataplane/base/qclass.h"

#include <assert.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

/* --- fields of the table on top of the stack
 * -------------------------------------------------------------------------- */

/* An absent address becomes a locally administered one that tells the ports apart. */
static void mac(lua_State *L, const char *key, uint8_t *out, uint8_t last)
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

/* --- Gb
 * ---------------------------------------------------------------------------------------------------------------
 */

static void read_nsvc(lua_State *L, struct node_config *config, uint32_t nse)
{
    struct node_config_nsvc *nsvc = lua_table_append(&config->nsvcs, &config->nsvc_count, sizeof(*nsvc));
    nsvc->nse = (uint16_t)nse;
    nsvc->nsvci = (uint16_t)lua_table_integer(L, "nsvci");
    nsvc->address = lua_table_address(L, "address");
    nsvc->udp_port = (uint16_t)lua_table_integer(L, "udp_port");
    mac(L, "mac", nsvc->mac, 0x20);
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
}

static void read_nse(lua_State *L, struct node_config *config, uint32_t parent)
{
    uint16_t *nsei = lua_table_append(&config->nseis, &config->nse_count, sizeof(*nsei));
    *nsei = (uint16_t)lua_table_integer(L, "nsei");
    each(L, "nsvcs", config, config->nse_count - 1, read_nsvc);
    each(L, "cells", config, config->nse_count - 1, read_cell);
}

static uint16_t cell_of(lua_State *L, const struct node_config *config, uint32_t nsei)
{
    int cell =
        node_config_cell(config, node_config_nse(config, nsei), (uint32_t)lua_table_integer(L, "bvci"));
    assert(cell >= 0);
    return (uint16_t)cell;
}

/* --- mobiles
 * ----------------------------------------------------------------------------------------------------------
 */

static void read_home(lua_State *L, struct node_config *config, uint32_t parent)
{
    uint16_t *home = lua_table_append(&config->homes, &config->home_count, sizeof(*home));
    *home = cell_of(L, config, (uint32_t)lua_table_integer(L, "nsei"));
}

static void read_context(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_context *context =
        lua_table_append(&config->contexts, &config->context_count, sizeof(*context));
    char qclass[16];
    lua_table_text(L, "class", qclass, sizeof(qclass));
    context->nsapi = (uint8_t)lua_table_integer(L, "nsapi");
    context->teid = (uint32_t)lua_table_integer(L, "teid");
    context->ggsn_teid = (uint32_t)lua_table_integer(L, "ggsn_teid");
    context->sgsn_address = lua_table_address(L, "sgsn_address");
    context->ggsn_address = lua_table_address(L, "ggsn_address");
    context->address = lua_table_address(L, "address");
    context->qclass = (uint8_t)qclass_from_name(qclass);
}

static void read_mobile(lua_State *L, struct node_config *config, uint32_t parent)
{
    struct node_config_mobile *mobile =
        lua_table_append(&config->list, &config->mobile_count, sizeof(*mobile));
    lua_table_text(L, "imsi", mobile->imsi, sizeof(mobile->imsi));
    mobile->tlli = (uint32_t)lua_table_integer(L, "tlli");
    mobile->cell = cell_of(L, config, (uint32_t)lua_table_integer(L, "nsei"));
    mobile->first_context = config->context_count;
    each(L, "contexts", config, 0, read_context);
    mobile->context_count = config->context_count - mobile->first_context;
}

static void read_mobiles(lua_State *L, struct node_config *config)
{
    char source[8];
    lua_getfield(L, -1, "mobiles");
    lua_table_text(L, "source", source, sizeof(source));
    config->mobiles.are_learned = strcmp(source, "gtpc") == 0;
    config->mobiles.first_tlli = (uint32_t)lua_table_integer(L, "first_tlli");
    config->mobiles.sapi = (uint8_t)lua_table_integer(L, "sapi");
    config->mobiles.n201_u = (uint16_t)lua_table_integer(L, "n201_u");
    config->mobiles.queue_limit_octets = (uint32_t)lua_table_integer(L, "queue_limit");
    each(L, "homes", config, 0, read_home);
    if (!config->mobiles.are_learned)
        each(L, "list", config, 0, read_mobile);
    lua_pop(L, 1);
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

/* --- the other end of Gb
 * ---------------------------------------------------------------------------------------------- */

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
    a->every_ns = lua_table_integer(L, "announce_every");
    a->first_ms = config->announced_ms_count;
    each(L, "ms", config, 0, read_announced_ms);
    a->ms_count = config->announced_ms_count - a->first_ms;
}

static void read_bss(lua_State *L, struct node_config *config, uint32_t parent)
{
    each(L, "cells", config, (uint32_t)lua_table_integer(L, "nsei"), read_announcement);
}

/* --- the whole
 * -------------------------------------------------------------------------------------------------------- */

static void read_ports(lua_State *L, struct node_config *config)
{
    lua_getfield(L, -1, "gn");
    mac(L, "mac", config->gn.mac, 0x01);
    mac(L, "peer_mac", config->gn.peer_mac, 0x02);
    lua_pop(L, 1);
    lua_getfield(L, -1, "gb");
    config->gb.address = lua_table_address(L, "address");
    config->gb.udp_port = (uint16_t)lua_table_integer(L, "udp_port");
    config->gb.mtu_octets = (uint32_t)lua_table_integer(L, "mtu");
    config->gb.overhead_octets = (uint32_t)lua_table_integer(L, "overhead_octets");
    mac(L, "mac", config->gb.mac, 0x10);
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
    lua_pop(L, 1);
}

void lua_config_node(lua_State *L, struct node_config *config)
{
    *config = (struct node_config){0};
    read_ports(L, config);
    each(L, "nses", config, 0, read_nse);
    read_mobiles(L, config);
    read_lifetime(L, &config->lifetime);
    each(L, "emulated_bss", config, 0, read_bss);
    read_limits(L, config);
}
