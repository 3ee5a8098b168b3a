/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_llc.h"

#include "control/core/core.h"
#include "control/core/core_intent.h"

#include <rte_mbuf.h>

static bool has_memory(void *arg, unsigned kind)
{
    struct core *core = arg;
    return kind < COMPRESSION_KINDS && compression_pool_has(&core->compression, (enum compression_kind)kind);
}

void core_llc_init(struct core *core)
{
    core->llc.has_memory = has_memory;
    core->llc.arg = core;
    lua_llc_init(&core->llc, &core->intents);
}

void core_llc_fini(struct core *core)
{
    lua_llc_fini(&core->llc);
}

static bool has_control_plane(const struct core *core)
{
    return core->llc.object.L != NULL;
}

void core_llc_punt(struct core *core, const struct msg *msg)
{
    if (has_control_plane(core))
        lua_llc_frame(&core->llc, msg->slot, rte_pktmbuf_mtod(msg->mbuf, uint8_t *),
                      rte_pktmbuf_data_len(msg->mbuf), core->now);
    rte_pktmbuf_free(msg->mbuf);
}

void core_llc_ms_add(struct core *core, uint32_t slot, uint16_t cell,
                     const struct llc_cipher_params *ciphering)
{
    if (!has_control_plane(core))
        return;
    const struct node_config_cell *at = &core->config->cells[cell];
    struct lua_llc_mobile mobile = {
        .slot = slot,
        .nsei = core->config->nses[at->nse].nsei,
        .bvci = at->bvci,
        .iov_ui = ciphering && ciphering->algorithm != 0 ? (int64_t)ciphering->iov_ui : -1,
    };
    lua_llc_ms_add(&core->llc, &mobile, core->now);
}

void core_llc_ms_del(struct core *core, uint32_t slot)
{
    if (has_control_plane(core))
        lua_llc_ms_del(&core->llc, slot, core->now);
}

/* A node with a million contexts does not tell Lua of each if it compresses nothing. */
static bool has_compression(const struct core *core)
{
    return has_control_plane(core) && core->config->compression.entities > 0;
}

void core_llc_pdp_add(struct core *core, const struct lua_llc_context *context)
{
    if (has_compression(core))
        lua_llc_pdp_add(&core->llc, context, core->now);
}

void core_llc_pdp_mode(struct core *core, uint32_t slot, uint8_t nsapi, bool is_acknowledged)
{
    if (has_compression(core))
        lua_llc_pdp_mode(&core->llc, slot, nsapi, is_acknowledged, core->now);
}

void core_llc_pdp_del(struct core *core, uint32_t slot, uint8_t nsapi)
{
    if (has_compression(core))
        lua_llc_pdp_del(&core->llc, slot, nsapi, core->now);
}

void core_llc_reset(struct core *core, uint32_t slot)
{
    if (has_control_plane(core))
        lua_llc_reset(&core->llc, slot, core->now);
}

void core_llc_settled(struct core *core, uint32_t slot)
{
    if (has_control_plane(core))
        lua_llc_settled(&core->llc, slot, core->now);
}

void core_llc_cell_open(struct core *core, uint32_t nsei, uint32_t bvci)
{
    if (has_control_plane(core))
        lua_llc_cell_open(&core->llc, nsei, bvci, core->now);
}

void core_llc_cell_closed(struct core *core, uint32_t nsei, uint32_t bvci)
{
    if (has_control_plane(core))
        lua_llc_cell_closed(&core->llc, nsei, bvci);
}

void core_llc_compression(struct core *core, struct core_intent *intent)
{
    struct msg_compression *compression = &intent->msg.compression;
    if (intent->is_added) /* Lua has asked whether there is some */
        compression->memory = compression_pool_take(&core->compression, compression->params.kind);
    core_order(core, &intent->msg);
}
