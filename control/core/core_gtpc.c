/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_gtpc.h"
#include "control/base/clock.h"
#include "control/core/core.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"

#include <rte_mbuf.h>
#include <string.h>

#define SENDER 0 /* the worker that sends */

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

/* --- addresses and places --- */

/* Workers take GTP-C, and Echo of GTP-U, to this address though no tunnel ends on it. */
static void claim(struct core *core, uint32_t sgsn_ip)
{
    struct msg msg = {.type = MSG_GN_ADDRESS, .address = {.ip = sgsn_ip, .is_there = true}};
    core_order(core, &msg);
}

struct core_gtpc_place core_gtpc_place(const struct core *core, uint16_t cell)
{
    struct clock_zone zone = clock_zone_now();
    struct core_gtpc_place place = {.zone = (int16_t)(zone.quarters * 4 + zone.is_daylight)};
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
    struct core_gtpc_place place = core_gtpc_place(core, cell);
    core_tell(core, gtpc_set_place, LUA_ARG(id), LUA_ARG(place.zone),
              LUA_OCTETS(place.has_cell ? place.cell : NULL, AREA_CELL));
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

void core_gtpc_rim(struct core *core, struct core_intent *intent)
{
    core_tell(core, gtpc_rim, LUA_OCTETS(intent->octets.bytes, intent->octets.count),
              LUA_OCTETS(intent->routing.bytes ? intent->routing.bytes : "", intent->routing.count));
}

/* --- reception --- */

void core_gtpc_punt(struct core *core, const struct msg *msg)
{
    char ours[ADDRESS_BOOK_TEXT_CHARS], theirs[ADDRESS_BOOK_TEXT_CHARS];
    const struct core_event_way way = {.ours = address_book_text(&core->addresses, msg->datagram.ours, ours),
                                       .theirs =
                                           address_book_text(&core->addresses, msg->datagram.theirs, theirs),
                                       .port = msg->datagram.port,
                                       .is_right_port = msg->datagram.is_right_port};
    if (msg->datagram.theirs != ADDRESS_NONE)
        core_tell(core, gtpc_receive, CORE_RECORD(way, &way),
                  LUA_OCTETS(rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf)));
    rte_pktmbuf_free(msg->mbuf);
}
