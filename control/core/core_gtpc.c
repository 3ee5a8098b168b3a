/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_gtpc.h"

#include "control/core/core_address.h"
#include "control/core/core_intent.h"
#include "control/core/core_order.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/moment.h"

#include <arpa/inet.h>
#include <rte_mbuf.h>

#define SENDER 0 /* the worker that sends */

static bool has_gtpc(const struct core *core)
{
    return core->gtpc.object.L != NULL;
}

static void look_at_timers(struct core *core)
{
    core->timer_ns = moment_min(core->timer_ns, lua_object_next_ns(&core->gtpc.object));
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
    msg->mbuf = core_buffer(core, intent->octets.bytes, intent->octets.count);
    if (msg->mbuf)
        core_request(core, SENDER, msg);
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
        core_tell(core, "gtpc", "warning",
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
        mobiles->on_class(mobiles->arg, intent->id, (uint8_t)qclass_from_name(intent->qclass));
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
    return ip_version == 4 ? "ipv4" : ip_version == 6 ? "ipv6" : "ipv4v6";
}

/* Workers must accept GTP-C responses to this address before a tunnel ends on it. */
static void claim(struct core *core, uint32_t sgsn_ip)
{
    struct msg msg = {.type = MSG_GN_ADDRESS, .address = {.ip = sgsn_ip, .is_there = true}};
    core_order(core, &msg);
}

bool core_gtpc_add(struct core *core, const struct core_wanted *w)
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
        .pco = w->pco,
        .pco_octets = w->pco_octets,
        .is_once = w->is_once,
    };
    claim(core, w->sgsn_ip);
    lua_gtpc_add(&core->gtpc, &wanted, core->now);
    look_at_timers(core);
    return true;
}

void core_gtpc_del(struct core *core, uint64_t id)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_del(&core->gtpc, id, core->now);
    look_at_timers(core);
}

void core_gtpc_teid(struct core *core, uint64_t id, uint32_t teid)
{
    if (has_gtpc(core))
        lua_gtpc_set_teid(&core->gtpc, id, teid);
}

void core_gtpc_change(struct core *core, uint64_t id, uint8_t qclass)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_change(&core->gtpc, id, qclass_name(qclass), core->now);
    look_at_timers(core);
}

void core_gtpc_lost(struct core *core, uint64_t id, const char *why)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_lost(&core->gtpc, id, why, core->now);
    look_at_timers(core);
}

void core_gtpc_check(struct core *core, uint64_t id)
{
    if (!has_gtpc(core))
        return;
    lua_gtpc_check(&core->gtpc, id, core->now);
    look_at_timers(core);
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
