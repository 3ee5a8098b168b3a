/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_gtpc.h"
#include "control/base/clock.h"
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"

#include <rte_mbuf.h>
#include <string.h>

#define SENDER 0 /* the worker that sends */

static bool has_gtpc(const struct core *core)
{
    return core->gtpc.object.L != NULL;
}

/* --- intents --- */

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
    msg->datagram.ours = core_address_read(core, intent->ours);
    msg->datagram.theirs = core_address_read(core, intent->ggsn);
    if (!msg->datagram.is_answer)
        tell_peer(core, msg->datagram.theirs);
    msg->mbuf = core_link_buffer(core, intent->octets.bytes, intent->octets.count);
    if (msg->mbuf)
        core_link_order(core, SENDER, msg);
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

bool core_gtpc_is_empty(const struct core *core)
{
    return !has_gtpc(core) || lua_gtpc_is_empty(&core->gtpc);
}

/* Workers take GTP-C, and Echo of GTP-U, to this address though no tunnel ends on it. */
static void claim(struct core *core, uint32_t sgsn_ip)
{
    struct msg msg = {.type = MSG_GN_ADDRESS, .address = {.ip = sgsn_ip, .is_there = true}};
    core_order(core, &msg);
}

struct lua_gtpc_place core_gtpc_place(const struct core *core, uint16_t cell)
{
    struct clock_zone zone = clock_zone_now();
    struct lua_gtpc_place place = {.zone = (int16_t)(zone.quarters * 4 + zone.is_daylight)};
    if (cell >= core->config->cell_count)
        return place;
    const struct node_config_cell *row = &core->config->cells[cell];
    struct area area = {.lac = row->lac, .rac = row->rac, .ci = row->ci};
    memcpy(area.mcc, row->mcc, sizeof(area.mcc));
    memcpy(area.mnc, row->mnc, sizeof(area.mnc));
    place.has_cell = identity_area_encode(place.cell, AREA_CELL, &area, AREA_CELL) == AREA_CELL;
    return place;
}

void core_gtpc_set_place(struct core *core, uint64_t id, uint16_t cell)
{
    struct lua_gtpc_place place = core_gtpc_place(core, cell);
    if (has_gtpc(core))
        lua_gtpc_set_place(&core->gtpc, id, &place);
}

void core_gtpc_claim_one(struct core *core, uint32_t ip)
{
    claim(core, ip);
}

void core_gtpc_claim(struct core *core)
{
    const struct live_config *live = &core->config->live;
    for (uint32_t i = 0; i < live->address_count; i++)
        claim(core, live->addresses[i]);
}

/* --- requested contexts --- */

void core_gtpc_add(struct core *core, const struct lua_gtpc_wanted *wanted, uint32_t sgsn_ip)
{
    if (!has_gtpc(core))
        return;
    claim(core, sgsn_ip);
    lua_gtpc_add(&core->gtpc, wanted, core->now);
    core->has_new_timers = true;
}

void core_gtpc_del(struct core *core, uint64_t id)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_del(&core->gtpc, id, core->now);
    core->has_new_timers = true;
}

void core_gtpc_moved(struct core *core, uint64_t id)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_moved(&core->gtpc, id, core->now);
    core->has_new_timers = true;
}

void core_gtpc_sgsn(struct core *core, const struct core_intent *intent, const uint64_t ids[LUA_GTPC_NSAPIS])
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_sgsn(&core->gtpc, intent->octets.bytes, intent->octets.count, ids, core->now);
    core->has_new_timers = true;
}

void core_gtpc_rim(struct core *core, struct core_intent *intent)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_rim(&core->gtpc, &intent->octets, &intent->routing, core->now);
    core->has_new_timers = true;
}

void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid)
{
    if (has_gtpc(core))
        lua_gtpc_set_teid(&core->gtpc, id, teid);
}

void core_gtpc_change(struct core *core, uint64_t id, const struct lua_gtpc_change *change)
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
