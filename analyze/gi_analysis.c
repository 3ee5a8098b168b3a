/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_analysis.h"
#include "analyze/gi_conn.h"
#include "analyze/gi_result.h"
#include "analyze/gi_users.h"
#include "capture/reader.h"
#include "capture/source.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum gi_side { GI_SIDE_UNKNOWN, GI_SIDE_UPLINK, GI_SIDE_DOWNLINK };

static struct gi_address mask_of(unsigned bits)
{
    return (struct gi_address){
        .high = bits == 0 ? 0 : UINT64_MAX << (bits < 64 ? 64 - bits : 0),
        .low = bits <= 64 ? 0 : UINT64_MAX << (128 - bits),
    };
}

static bool is_in(struct gi_address a, const struct gi_prefix *p)
{
    return (a.high & p->mask.high) == p->address.high && (a.low & p->mask.low) == p->address.low;
}

/* Reads an address. Returns the prefix bits of its kind within 128; -1: not an address. */
static int read_address(const char *text, struct gi_address *out)
{
    uint8_t octets[16];
    if (inet_pton(AF_INET, text, octets) == 1) {
        *out = gi_packet_ipv4(bytes_get_u32(octets));
        return 96;
    }
    if (inet_pton(AF_INET6, text, octets) != 1)
        return -1;
    *out = gi_packet_ipv6(octets);
    return 0;
}

bool gi_analysis_prefix_add(struct gi_prefixes *told, const char *text)
{
    char copy[64];
    struct gi_address address;
    if (strlen(text) >= sizeof(copy) || told->count == GI_SIDE_PREFIXES)
        return false;
    memcpy(copy, text, strlen(text) + 1);
    char *slash = strchr(copy, '/'), *end = copy;
    if (slash)
        *slash = 0;
    int before = read_address(copy, &address);
    long bits = slash ? strtol(slash + 1, &end, 10) : 128 - before;
    if (before < 0 || (slash && (*end || end == slash + 1)) || bits < 0 || bits > 128 - before)
        return false;
    struct gi_address mask = mask_of((unsigned)before + (unsigned)bits);
    address.high &= mask.high;
    address.low &= mask.low;
    told->list[told->count++] = (struct gi_prefix){address, mask};
    return true;
}

static bool is_told(const struct gi_prefixes *told, struct gi_address a)
{
    for (unsigned i = 0; i < told->count; i++) {
        if (is_in(a, &told->list[i]))
            return true;
    }
    return false;
}

static bool is_private(struct gi_address a)
{
    uint32_t ip = (uint32_t)a.low;
    if (!gi_packet_is_ipv4(a))
        return a.high >> 57 == 0xfc >> 1;
    return ip >> 24 == 10 || ip >> 20 == 0xac1 || ip >> 16 == 0xc0a8 || ip >> 22 == 0x64400000 >> 22;
}

/* The mobile's side if exactly one of the two may be the mobile. */
static enum gi_side one_of(bool src, bool dst)
{
    return src == dst ? GI_SIDE_UNKNOWN : src ? GI_SIDE_UPLINK : GI_SIDE_DOWNLINK;
}

static enum gi_side side_of_syn(const struct gi_packet *p)
{
    if (!p->is_tcp || !(p->flags & GI_PACKET_SYN))
        return GI_SIDE_UNKNOWN;
    return p->flags & GI_PACKET_ACK ? GI_SIDE_DOWNLINK : GI_SIDE_UPLINK;
}

/* The direction of a packet. */
static enum gi_side gi_side_of(const struct gi_prefixes *told, const struct gi_users *users,
                               const struct gi_packet *p)
{
    if (told->count)
        return one_of(is_told(told, p->src), is_told(told, p->dst));
    enum gi_side side =
        one_of(gi_users_find(users, p->src) != GI_USERS_NONE, gi_users_find(users, p->dst) != GI_USERS_NONE);
    if (side == GI_SIDE_UNKNOWN)
        side = one_of(is_private(p->src), is_private(p->dst));
    return side == GI_SIDE_UNKNOWN ? side_of_syn(p) : side;
}

#define ROUNDS 8 /* of the sweep in idle_s */

static bool gi_table_new(struct gi_table *t, uint32_t limit)
{
    *t = (struct gi_table){.swept_ns = INT64_MIN};
    return gi_pool_new(&t->pool, limit, sizeof(struct gi_conn)) && u64_map_new(&t->map, limit);
}

static void gi_table_free(struct gi_table *t)
{
    gi_pool_free(&t->pool);
    if (t->map.slots)
        u64_map_free(&t->map);
}

static bool is_of(const struct gi_conn *c, const struct gi_packet *p)
{
    bool is_up = c->mobile_port == p->src_port && c->server_port == p->dst_port &&
                 gi_packet_is_same(c->mobile, p->src) && gi_packet_is_same(c->server, p->dst);
    return is_up || (c->mobile_port == p->dst_port && c->server_port == p->src_port &&
                     gi_packet_is_same(c->mobile, p->dst) && gi_packet_is_same(c->server, p->src));
}

/* A packet's connection, in either direction. NULL: unknown. */
static struct gi_conn *gi_table_find(const struct gi_table *t, const struct gi_packet *p)
{
    uint32_t number = u64_map_get(&t->map, gi_users_pair(p->src, p->src_port, p->dst, p->dst_port));
    struct gi_conn *c = number == U64_MAP_NONE ? NULL : gi_pool_at(&t->pool, number);
    return c && is_of(c, p) ? c : NULL;
}

/* Adds a zeroed connection for a packet. NULL: the table is full. */
static struct gi_conn *gi_table_add(struct gi_table *t, const struct gi_packet *p)
{
    uint32_t number = gi_pool_take(&t->pool);
    if (number != GI_POOL_NONE &&
        u64_map_add(&t->map, gi_users_pair(p->src, p->src_port, p->dst, p->dst_port), number) == 0)
        return gi_pool_at(&t->pool, number);
    if (number != GI_POOL_NONE)
        gi_pool_put(&t->pool, number);
    t->refused++;
    return NULL;
}

static uint32_t gi_analysis_number_of(const struct gi_table *t, const struct gi_conn *c)
{
    return (uint32_t)((size_t)((const uint8_t *)c - t->pool.records) / t->pool.record_octets);
}

static void gi_table_delete(struct gi_table *t, struct gi_conn *c)
{
    uint32_t number = gi_analysis_number_of(t, c);
    u64_map_del(&t->map, gi_users_pair(c->mobile, c->mobile_port, c->server, c->server_port), number);
    gi_pool_put(&t->pool, number);
}

static bool is_over(const struct gi_conn *c, const struct gi_limits *limits, int64_t now)
{
    int64_t wait_ns = gi_conn_has_ended(c) ? moment_min(limits->closed_ns, limits->idle_ns) : limits->idle_ns;
    return c->is_open && now - c->last_ns >= wait_ns;
}

/* The next ended connection in the sweep's share up to `now`; NULL: done. */
static struct gi_conn *gi_table_sweep(struct gi_table *t, const struct gi_limits *limits, int64_t now)
{
    int64_t step_ns = limits->idle_ns / ROUNDS / (t->pool.touched + 1) + 1;
    if (t->swept_ns == INT64_MIN || t->pool.touched == 0)
        t->swept_ns = now;
    /* After a long gap one round suffices. */
    t->swept_ns = moment_max(t->swept_ns, now - step_ns * t->pool.touched);
    while (t->swept_ns + step_ns <= now) {
        t->hand = t->hand < t->pool.touched ? t->hand : 0;
        struct gi_conn *c = gi_pool_at(&t->pool, t->hand++);
        t->swept_ns += step_ns;
        if (is_over(c, limits, now))
            return c;
    }
    return NULL;
}

/* Any open connection, at or after `hand`; NULL: none. For the end of the capture. */
static struct gi_conn *gi_table_any(struct gi_table *t)
{
    for (; t->hand < t->pool.touched; t->hand++) {
        struct gi_conn *c = gi_pool_at(&t->pool, t->hand);
        if (c->is_open)
            return c;
    }
    return NULL;
}

static void add_rate(void *to, const struct gi_conn *conn, struct gi_user *user, double rate_bps)
{
    struct gi_analysis *a = to;
    gi_spread_add(&a->result.rate_bps, (int64_t)rate_bps);
    gi_users_sketch_add(&user->rates_bps, rate_bps);
    if (a->on_period)
        a->on_period(a->periods_to, conn, rate_bps);
}

static void add_rtt(void *to, int64_t rtt_ns)
{
    struct gi_analysis *a = to;
    gi_spread_add(&a->result.loaded_rtt_ns, rtt_ns);
}

static struct gi_scene scene_of(struct gi_analysis *a, uint32_t user)
{
    return (struct gi_scene){
        .limits = &a->limits,
        .user = gi_users_at(&a->users, user),
        .rate = add_rate,
        .rtt = add_rtt,
        .to = a,
    };
}

static struct gi_exchanges *exchanges_of(const struct gi_analysis *a, const struct gi_conn *c)
{
    return gi_pool_at(&a->exchanges, gi_analysis_number_of(&a->table, c));
}

static void end_exchanges(struct gi_analysis *a, const struct gi_conn *c)
{
    struct gi_exchange exchange;
    if (a->on_exchange && gi_exchange_finish(exchanges_of(a, c), &exchange))
        a->on_exchange(a->exchanges_to, c, &exchange);
}

static void read_exchange(struct gi_analysis *a, const struct gi_conn *c, const struct gi_packet *p,
                          bool is_downlink)
{
    struct gi_exchange exchange;
    struct gi_exchanges *of = exchanges_of(a, c);
    if (c->packets == 1)
        *of = (struct gi_exchanges){0};
    if (gi_exchange_packet(of, p, is_downlink, &exchange))
        a->on_exchange(a->exchanges_to, c, &exchange);
}

static void end_connection(struct gi_analysis *a, struct gi_conn *c)
{
    end_exchanges(a, c);
    struct gi_scene scene = scene_of(a, c->user);
    gi_conn_finish(c, &scene);
    struct gi_verdict verdict = gi_result_judge(c, &a->limits, a->last_ns);
    gi_result_add(&a->result, c, &verdict, &a->limits);
    scene.user->connections++;
    scene.user->data_packets += c->down.packets;
    scene.user->access_lost += c->flight.lost;
    scene.user->internet_lost += c->down.repaired;
    if (a->on_end)
        a->on_end(a->to, c, &verdict);
    gi_table_delete(&a->table, c);
}

/* Its ports, or more of its header, are not captured. */
static bool is_headless(const struct gi_packet *p)
{
    bool is_cut = p->protocol == IPV4_PROTO_TCP
                      ? !p->is_tcp
                      : p->protocol == IPV4_PROTO_UDP && p->transport_captured < UDP_OCTETS;
    return is_cut && !p->fragment.is_one;
}

static uint32_t user_of(struct gi_analysis *a, const struct gi_packet *p, enum gi_side side)
{
    if (side == GI_SIDE_UNKNOWN) {
        gi_users_meet(&a->users, p);
        a->counts.unassigned += !is_headless(p) && !p->is_closed;
        return GI_USERS_NONE;
    }
    return gi_users_add(&a->users, side == GI_SIDE_UPLINK ? p->src : p->dst);
}

static bool was_silent(const struct gi_analysis *a, const struct gi_user *user, int64_t now)
{
    return user->last_ns == INT64_MIN || now - user->last_ns >= a->limits.silence_ns;
}

static struct gi_conn *gi_analysis_begin(struct gi_analysis *a, const struct gi_packet *p)
{
    enum gi_side side = gi_side_of(&a->told, &a->users, p);
    uint32_t user = user_of(a, p, side);
    struct gi_conn *c = user == GI_USERS_NONE ? NULL : gi_table_add(&a->table, p);
    if (!c)
        return NULL;
    c->user = user;
    gi_conn_begin(c, p, side == GI_SIDE_DOWNLINK, was_silent(a, gi_users_at(&a->users, user), p->at_ns));
    return c;
}

static bool is_to_mobile(const struct gi_conn *c, const struct gi_packet *p)
{
    return c->mobile_port == p->dst_port && gi_packet_is_same(c->mobile, p->dst);
}

static void read_tcp(struct gi_analysis *a, const struct gi_packet *p)
{
    struct gi_conn *c = gi_table_find(&a->table, p);
    if (c && gi_conn_is_another(c, p, is_to_mobile(c, p))) {
        end_connection(a, c);
        c = NULL;
    }
    if (!c)
        c = gi_analysis_begin(a, p);
    if (!c)
        return;
    bool is_downlink = is_to_mobile(c, p);
    struct gi_scene scene = scene_of(a, c->user);
    gi_users_count(scene.user, p, is_downlink);
    gi_conn_packet(c, p, is_downlink, &scene);
    if (a->on_exchange)
        read_exchange(a, c, p, is_downlink);
    a->counts.tcp++;
}

static void read_other(struct gi_analysis *a, const struct gi_packet *p)
{
    enum gi_side side = gi_side_of(&a->told, &a->users, p);
    uint32_t user = user_of(a, p, side);
    if (user == GI_USERS_NONE)
        return;
    gi_users_count(gi_users_at(&a->users, user), p, side == GI_SIDE_DOWNLINK);
    a->counts.others++;
}

static void read_packet(struct gi_analysis *a, const struct gi_packet *p)
{
    a->counts.headless += is_headless(p);
    if (p->is_tcp)
        read_tcp(a, p);
    else
        read_other(a, p);
}

/* At Gb the direction says which address is the mobile's. */
static void read_n_pdu(void *to, enum gb_way way, const uint8_t *octets, size_t count)
{
    struct gi_analysis *a = to;
    struct gi_packet p = {.at_ns = a->last_ns};
    if (gi_packet_decode(&p, octets, count, count) < 0 || p.has_no_length) {
        a->counts.malformed++;
        return;
    }
    if (a->told.count == 0)
        gi_users_add(&a->users, way == GB_UPLINK ? p.src : p.dst);
    read_packet(a, &p);
}

bool gi_analysis_init(struct gi_analysis *a, const struct gi_limits *limits, const struct gi_prefixes *told)
{
    a->limits = *limits;
    a->told = *told;
    bool has_users = gi_users_new(&a->users, (uint32_t)limits->mobiles);
    bool has_table = gi_table_new(&a->table, (uint32_t)limits->connections);
    const struct gb_sndcp_limits sndcp = {.flows = (uint32_t)limits->links,
                                          .entities = (uint32_t)limits->entities,
                                          .would = (uint32_t)limits->compared};
    a->links.sndcp.on_n_pdu = read_n_pdu;
    a->links.sndcp.to = a;
    bool has_links = gb_links_new(&a->links, (uint32_t)limits->links, &sndcp);
    return has_users && has_table && has_links;
}

bool gi_analysis_want_exchanges(struct gi_analysis *a,
                                void (*on_exchange)(void *to, const struct gi_conn *conn,
                                                    const struct gi_exchange *exchange),
                                void *to)
{
    a->exchanges_to = to;
    bool has_room = gi_pool_new(&a->exchanges, a->table.pool.limit, sizeof(struct gi_exchanges));
    a->on_exchange = has_room ? on_exchange : NULL;
    return has_room;
}

void gi_analysis_fini(struct gi_analysis *a)
{
    gi_pool_free(&a->exchanges);
    gb_links_free(&a->links);
    gi_table_free(&a->table);
    gi_users_free(&a->users);
}

struct gi_analysis *gi_analysis_new(const struct gi_limits *limits, const struct gi_prefixes *told)
{
    struct gi_analysis *a = calloc(1, sizeof(*a));
    if (!a || gi_analysis_init(a, limits, told))
        return a;
    gi_analysis_free(a);
    return NULL;
}

void gi_analysis_free(struct gi_analysis *a)
{
    gi_analysis_fini(a);
    free(a);
}

static void learn(struct gi_analysis *a)
{
    for (unsigned i = 0; i < a->tunnel.mobile_count && a->told.count == 0; i++)
        gi_users_add(&a->users, a->tunnel.mobiles[i]);
}

static bool is_mobile(const struct gi_analysis *a, struct gi_address address)
{
    return a->told.count ? is_told(&a->told, address) : gi_users_find(&a->users, address) != GI_USERS_NONE;
}

/* A frame of Ethernet in a tunnel that holds no IP: ARP is expected, all else is counted by what it is. */
static void read_inner(struct gi_analysis *a, struct capture_link link)
{
    a->counts.other_frames++;
    if (link.end != CAPTURE_LINK_PROTOCOL || link.type != ETHER_TYPE_ARP)
        capture_unread_put(&a->counts.inner, link, 1);
}

enum opening { IS_IP, IS_OTHER, IS_MALFORMED };

/* Opens tunnels. A tunnel of a mobile itself is its traffic, and stays closed. */
static enum opening open_tunnels(struct gi_analysis *a, struct capture_frame *frame, struct gi_packet *p)
{
    for (unsigned depth = 0;; depth++) {
        if (gi_packet_decode(p, frame->bytes, frame->captured, frame->wire_octets) < 0)
            return IS_MALFORMED;
        enum capture_tunnel_kind kind = capture_link_tunnel_of(p->protocol, p->dst_port);
        if (kind == CAPTURE_TUNNEL_NONE || is_mobile(a, p->src) || is_mobile(a, p->dst))
            return IS_IP;
        struct capture_tunnel tunnel = {.kind = kind};
        if (depth < CAPTURE_LINK_TUNNELS_MOST && !p->fragment.is_one)
            tunnel = capture_link_open_tunnel(frame);
        if (tunnel.kind == CAPTURE_TUNNEL_NONE)
            return IS_IP;
        if (tunnel.has_frame && !tunnel.is_open && tunnel.link.end != CAPTURE_LINK_CUT &&
            tunnel.link.end != CAPTURE_LINK_IP) {
            read_inner(a, tunnel.link);
            return IS_OTHER;
        }
        if (!tunnel.is_open) {
            p->is_closed = true;
            a->counts.closed[tunnel.kind]++;
            return IS_IP;
        }
    }
}

/* Decodes the user's packet in a frame. False: the frame completes none, or is of Gb and has been read. */
static bool open_frame(struct gi_analysis *a, struct capture_frame *frame, struct gi_packet *p)
{
    if (capture_link_strip(frame).end != CAPTURE_LINK_IP) {
        a->counts.other_frames++;
        return false;
    }
    p->at_ns = frame->at_ns;
    enum opening opening = open_tunnels(a, frame, p);
    a->counts.malformed += opening == IS_MALFORMED;
    if (opening != IS_IP)
        return false;
    enum gi_tunnel_kind kind = gi_tunnel_open(&a->tunnel, p);
    if (kind == GI_TUNNEL_ADDRESSES)
        learn(a);
    a->counts.signalling += kind == GI_TUNNEL_NOTHING || kind == GI_TUNNEL_ADDRESSES;
    return kind == GI_TUNNEL_INNER || (kind == GI_TUNNEL_PLAIN && !gb_links_read(&a->links, p));
}

void gi_analysis_frame(struct gi_analysis *a, struct capture_frame frame)
{
    struct gi_packet p = {0};
    struct gi_conn *over;
    a->last_ns = frame.at_ns;
    while ((over = gi_table_sweep(&a->table, &a->limits, frame.at_ns)) != NULL)
        end_connection(a, over);
    if (!open_frame(a, &frame, &p))
        return;
    a->counts.no_length += p.has_no_length;
    read_packet(a, &p);
}

void gi_analysis_finish(struct gi_analysis *a)
{
    struct gi_conn *c;
    gi_tunnel_finish(&a->tunnel);
    a->table.hand = 0;
    while ((c = gi_table_any(&a->table)) != NULL)
        end_connection(a, c);
}
