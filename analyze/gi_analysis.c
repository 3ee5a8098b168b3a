/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_analysis.h"

#include "capture/link.h"
#include "dataplane/wire/ipv4.h"

#include <stdlib.h>

struct gi_analysis *gi_analysis_new(const struct gi_limits *limits, const struct gi_prefixes *told)
{
    struct gi_analysis *a = calloc(1, sizeof(*a));
    if (!a)
        return NULL;
    a->limits = *limits;
    a->told = *told;
    bool has_users = gi_users_new(&a->users, (uint32_t)limits->mobiles);
    bool has_table = gi_table_new(&a->table, (uint32_t)limits->connections);
    if (has_users && has_table)
        return a;
    gi_analysis_free(a);
    return NULL;
}

void gi_analysis_free(struct gi_analysis *a)
{
    gi_table_free(&a->table);
    gi_users_free(&a->users);
    free(a);
}

static void add_rate(void *to, const struct gi_conn *conn, struct gi_user *user, double rate_bps)
{
    struct gi_analysis *a = to;
    gi_spread_add(&a->result.rate_bps, (int64_t)rate_bps);
    gi_sketch_add(&user->rates_bps, rate_bps);
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

static void end_connection(struct gi_analysis *a, struct gi_conn *c)
{
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

static uint32_t user_of(struct gi_analysis *a, const struct gi_packet *p, enum gi_side side)
{
    if (side == GI_SIDE_UNKNOWN) {
        gi_users_meet(&a->users, p);
        a->counts.unassigned++;
        return GI_USERS_NONE;
    }
    return gi_users_add(&a->users, side == GI_SIDE_UPLINK ? p->src : p->dst);
}

static bool was_silent(const struct gi_analysis *a, const struct gi_user *user, int64_t now)
{
    return user->last_ns == INT64_MIN || now - user->last_ns >= a->limits.silence_ns;
}

static struct gi_conn *begin(struct gi_analysis *a, const struct gi_packet *p)
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

static void read_tcp(struct gi_analysis *a, const struct gi_packet *p)
{
    struct gi_conn *c = gi_table_find(&a->table, p);
    if (c && gi_conn_is_another(c, p)) {
        end_connection(a, c);
        c = NULL;
    }
    if (!c)
        c = begin(a, p);
    if (!c)
        return;
    bool is_downlink = c->mobile_port == p->dst_port && gi_packet_is_same(c->mobile, p->dst);
    struct gi_scene scene = scene_of(a, c->user);
    gi_users_count(scene.user, p, is_downlink);
    gi_conn_packet(c, p, is_downlink, &scene);
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

static void learn(struct gi_analysis *a)
{
    for (unsigned i = 0; i < a->tunnel.mobile_count && a->told.count == 0; i++)
        gi_users_add(&a->users, a->tunnel.mobiles[i]);
}

/* Decodes the user's packet in a frame. False: the frame completes none. */
static bool open_frame(struct gi_analysis *a, struct capture_frame *frame, struct gi_packet *p)
{
    if (!capture_link_strip(frame)) {
        a->counts.other_frames++;
        return false;
    }
    p->at_ns = frame->at_ns;
    if (gi_packet_decode(p, frame->bytes, frame->captured, frame->wire_octets) < 0) {
        a->counts.malformed++;
        return false;
    }
    enum gi_tunnel_kind kind = gi_tunnel_open(&a->tunnel, p);
    if (kind == GI_TUNNEL_ADDRESSES)
        learn(a);
    a->counts.signalling += kind == GI_TUNNEL_NOTHING || kind == GI_TUNNEL_ADDRESSES;
    return kind == GI_TUNNEL_PLAIN || kind == GI_TUNNEL_INNER;
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
    a->counts.headless += p.protocol == IPV4_PROTO_TCP && !p.is_tcp;
    if (p.is_tcp)
        read_tcp(a, &p);
    else
        read_other(a, &p);
}

void gi_analysis_finish(struct gi_analysis *a)
{
    struct gi_conn *c;
    a->table.hand = 0;
    while ((c = gi_table_any(&a->table)) != NULL)
        end_connection(a, c);
}
