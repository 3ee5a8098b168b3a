/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_llc.h"

#include "dataplane/base/moment.h"

#include <rte_mbuf.h>

static void send_frame(struct core *core, const struct lua_llc_intent *intent)
{
    struct rte_mbuf *mbuf = core_buffer(core, intent->bytes, intent->octets);
    struct msg msg = {.type = MSG_LLC_FRAME, .slot = intent->mobile, .mbuf = mbuf};
    if (mbuf)
        core_order(core, &msg);
}

static void apply(void *self, const struct lua_llc_intent *intent)
{
    struct core *core = self;
    struct msg msg = {.slot = intent->mobile};

    switch (intent->op) {
    case LUA_LLC_SEND:
        send_frame(core, intent);
        return;
    case LUA_LLC_N201_U:
        msg.type = MSG_MS_N201;
        msg.n201_u_octets = (uint32_t)intent->octets;
        break;
    case LUA_LLC_RESET:
        msg.type = MSG_MS_LLC_RESET;
        break;
    }
    core_order(core, &msg);
}

void core_llc_init(struct core *core, lua_State *L)
{
    lua_llc_init(&core->llc, L, apply, core);
}

void core_llc_fini(struct core *core)
{
    lua_llc_fini(&core->llc);
}

static bool has_control_plane(const struct core *core)
{
    return core->llc.L != NULL;
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

bool core_llc_advance(struct core *core)
{
    if (core_llc_next_ns(core) > core->now)
        return false;
    lua_llc_advance(&core->llc, core->now);
    return true;
}

int64_t core_llc_next_ns(const struct core *core)
{
    return has_control_plane(core) ? lua_llc_next_ns(&core->llc) : MOMENT_NEVER;
}
