/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_conn.h"
#include "analyze/gi_flight.h"
#include "analyze/gi_limits.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_users.h"

double gi_conn_period_finish(struct gi_conn_period *p, const struct gi_limits *limits)
{
    uint32_t octets = p->end_place - p->start_place, lost = p->end_lost - p->start_lost;
    bool is_rate =
        p->is_open && p->end_ns > p->start_ns && lost < octets && octets - lost >= limits->period_octets;
    p->is_open = false;
    return is_rate ? 8e9 * (double)(octets - lost) / (double)(p->end_ns - p->start_ns) : 0;
}

double gi_conn_period_break(struct gi_conn_period *p, uint32_t top, const struct gi_limits *limits)
{
    p->is_recovering = true;
    p->recover = top;
    return gi_conn_period_finish(p, limits);
}

double gi_conn_period_acked(struct gi_conn_period *p, const struct gi_conn_period_ack *a,
                            const struct gi_limits *limits)
{
    if (p->is_recovering) {
        p->is_recovering = (int32_t)(a->ack - p->recover) < 0;
        return 0;
    }
    bool is_full = a->flight_octets > limits->flight_octets;
    if (a->is_exact) {
        p->end_ns = a->at_ns;
        p->end_place = a->place;
        p->end_lost = a->lost;
    }
    if (!p->is_open && a->is_exact && is_full) {
        p->is_open = true;
        p->start_ns = a->at_ns;
        p->start_place = a->place;
        p->start_lost = a->lost;
    }
    return is_full ? 0 : gi_conn_period_finish(p, limits);
}

static void gi_conn_data(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene);
static void gi_conn_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene);

static bool has(const struct gi_packet *p, uint8_t flags)
{
    return (p->flags & flags) == flags;
}

/* 1: the mobile's, 2: the server's. */
static uint8_t side_bit(bool is_downlink)
{
    return is_downlink ? 2 : 1;
}

void gi_conn_begin(struct gi_conn *c, const struct gi_packet *p, bool is_downlink, bool was_silent)
{
    bool is_syn = has(p, GI_PACKET_SYN), is_answer = is_syn && has(p, GI_PACKET_ACK);
    c->is_open = c->is_alone = true;
    c->first_ns = p->at_ns;
    c->mobile = is_downlink ? p->dst : p->src;
    c->server = is_downlink ? p->src : p->dst;
    c->mobile_port = is_downlink ? p->dst_port : p->src_port;
    c->server_port = is_downlink ? p->src_port : p->dst_port;
    c->setup.has_background = !was_silent;
    if (is_syn && !is_answer)
        c->opener = is_downlink ? GI_OPENER_SERVER : GI_OPENER_MOBILE;
}

/* Of the side that did not open: its own SYN, which crosses the opener's while the set-up is not complete. */
static bool is_crossing(const struct gi_conn *c, bool is_downlink)
{
    bool is_openers = is_downlink == (c->opener == GI_OPENER_SERVER);
    return !is_openers && !c->is_reset && !c->setup.ack_ns && (c->setup.is_crossed || !c->setup.syn_acks);
}

bool gi_conn_is_another(const struct gi_conn *c, const struct gi_packet *p, bool is_downlink)
{
    const struct gi_setup *s = &c->setup;
    if (!has(p, GI_PACKET_SYN) || has(p, GI_PACKET_ACK))
        return false;
    if (c->opener == GI_OPENER_UNSEEN)
        return true;
    bool is_openers = is_downlink == (c->opener == GI_OPENER_SERVER);
    if (is_openers)
        return p->seq != s->opener_isn;
    return !is_crossing(c, is_downlink) && !(s->is_crossed && p->seq == s->answer_isn);
}

static void read_syn_options(struct gi_conn *c, const struct gi_packet *p, bool is_downlink)
{
    uint8_t bit = side_bit(is_downlink);
    if (p->options.has_sack_permitted)
        c->sacks_seen |= bit;
    if (p->options.has_timestamp)
        c->timestamps_seen |= bit;
    if (p->options.window_scale == GI_OPTIONS_NO_SCALE)
        return;
    c->scales_seen |= bit;
    if (!is_downlink)
        c->scale = p->options.window_scale;
}

static void read_syn(struct gi_conn *c, const struct gi_packet *p, bool is_downlink)
{
    struct gi_setup *s = &c->setup;
    bool is_openers = is_downlink == (c->opener == GI_OPENER_SERVER);
    s->last_ns = p->at_ns;
    s->is_crossed |= c->opener != GI_OPENER_UNSEEN && is_openers == has(p, GI_PACKET_ACK);
    read_syn_options(c, p, is_downlink);
    c->flight.has_sack = c->sacks_seen == 3;
    if (has(p, GI_PACKET_ACK)) {
        s->syn_ack_ns = s->syn_acks ? s->syn_ack_ns : p->at_ns;
        s->syn_acks += s->syn_acks < UINT16_MAX;
    } else {
        s->syn_ns = s->syns ? s->syn_ns : p->at_ns;
        s->syns += s->syns < UINT16_MAX;
    }
    bool is_opening = has(p, GI_PACKET_ACK) ? s->is_crossed && is_openers : is_openers;
    if (is_opening)
        s->opener_isn = p->seq;
    else
        s->answer_isn = p->seq;
    if (is_downlink && !c->down.has_data)
        gi_flight_sync(&c->flight, p->seq + 1);
    if (!is_downlink) {
        c->up_top = p->seq + 1;
        c->has_up = true;
    }
}

/* The ACK that completes a set-up comes from the opener and acknowledges the answer's SYN. */
static void read_first_ack(struct gi_conn *c, const struct gi_packet *p, bool is_downlink)
{
    struct gi_setup *s = &c->setup;
    bool is_openers = is_downlink == (c->opener == GI_OPENER_SERVER);
    if (s->ack_ns || !s->syn_acks || !is_openers || !has(p, GI_PACKET_ACK) ||
        gi_flight_is_before(p->ack, s->answer_isn + 1))
        return;
    s->ack_ns = s->last_ns = p->at_ns;
    /* The handshake's ACK answers a short segment in an empty queue: no ACK of data arrives sooner. */
    if (!is_downlink && s->syn_acks == 1)
        c->flight.least_rtt_us = (uint32_t)((p->at_ns - s->syn_ack_ns) / 1000);
}

static void read_window(struct gi_conn *c, const struct gi_packet *p)
{
    bool is_scaled = !has(p, GI_PACKET_SYN) && c->scales_seen == 3;
    uint32_t octets = (uint32_t)p->window << (is_scaled ? c->scale : 0);
    if (octets > c->window_octets && !has(p, GI_PACKET_RST))
        c->window_octets = octets;
}

static void read_server_window(struct gi_conn *c, const struct gi_packet *p)
{
    if (has(p, GI_PACKET_ACK) && !has(p, GI_PACKET_RST))
        c->is_server_closed = p->window == 0;
}

static void read_uplink(struct gi_conn *c, const struct gi_packet *p)
{
    uint32_t end = p->seq + p->payload_octets;
    read_window(c, p);
    bool is_probe = c->is_server_closed && c->has_up && p->payload_octets == 1 && p->seq == c->up_top;
    if (p->payload_octets == 0 || is_probe)
        return;
    c->up_octets += p->payload_octets;
    if (c->has_up && gi_flight_is_before(p->seq, c->up_top)) {
        c->up_retransmitted++;
        return;
    }
    c->has_second_request |= c->down.has_data;
    c->has_up = true;
    c->up_top = end;
}

static void read_end(struct gi_conn *c, const struct gi_packet *p, bool is_downlink)
{
    if (has(p, GI_PACKET_FIN))
        c->fins |= side_bit(is_downlink);
    if (!has(p, GI_PACKET_RST))
        return;
    c->is_reset = true;
    if (!c->setup.ack_ns) {
        c->setup.is_reset = true;
        c->setup.last_ns = p->at_ns;
    }
}

void gi_conn_packet(struct gi_conn *c, const struct gi_packet *p, bool is_downlink,
                    const struct gi_scene *scene)
{
    c->last_ns = p->at_ns;
    c->packets++;
    uint64_t others = scene->user->packets - c->packets;
    if (c->packets == 1)
        c->others = others;
    c->is_alone &= c->others == others;
    if (p->ip_octets > c->largest_octets)
        c->largest_octets = p->ip_octets;
    if (has(p, GI_PACKET_SYN))
        read_syn(c, p, is_downlink);
    if (!has(p, GI_PACKET_RST) && (!has(p, GI_PACKET_SYN) || c->setup.is_crossed))
        read_first_ack(c, p, is_downlink);
    read_end(c, p, is_downlink);
    if (p->options.has_timestamp && !has(p, GI_PACKET_SYN) && c->opener == GI_OPENER_UNSEEN)
        c->timestamps_seen |= side_bit(is_downlink);
    if (is_downlink) {
        read_server_window(c, p);
        gi_conn_data(c, p, scene);
    } else {
        read_uplink(c, p);
        gi_conn_ack(c, p, scene);
    }
    c->has_sack = c->sacks_seen == 3;
    c->has_timestamp = c->timestamps_seen == 3;
}

void gi_conn_finish(struct gi_conn *c, const struct gi_scene *scene)
{
    uint32_t before = c->flight.lost;
    gi_flight_finish(&c->flight);
    scene->user->lost_octets += (uint64_t)(c->flight.lost - before) * c->largest_octets;
    double rate_bps = gi_conn_period_finish(&c->period, scene->limits);
    if (rate_bps > 0)
        scene->rate(scene->to, c, scene->user, rate_bps);
}

static void end_period(struct gi_conn *c, const struct gi_scene *scene, double rate_bps)
{
    if (rate_bps > 0)
        scene->rate(scene->to, c, scene->user, rate_bps);
}

static void break_period(struct gi_conn *c, const struct gi_scene *scene)
{
    end_period(c, scene, gi_conn_period_break(&c->period, c->flight.top, scene->limits));
}

static void count_event(struct gi_conn *c, const struct gi_packet *p, enum gi_flight_event event)
{
    struct gi_conn_down *d = &c->down;
    bool is_first_time = event == GI_FLIGHT_NEW || event == GI_FLIGHT_GAP || event == GI_FLIGHT_LATE ||
                         event == GI_FLIGHT_REPAIR || event == GI_FLIGHT_LOST_TRACK;
    d->payload_octets += is_first_time ? p->payload_octets : 0;
    d->late += event == GI_FLIGHT_LATE;
    d->repaired += event == GI_FLIGHT_REPAIR;
    d->retransmitted += event == GI_FLIGHT_AGAIN || event == GI_FLIGHT_NEEDLESS;
}

/* Btcp and Bother of section VI.B run from the first data packet to the last. */
static void count_packet(struct gi_conn *c, const struct gi_packet *p, const struct gi_user *user)
{
    struct gi_conn_down *d = &c->down;
    if (!d->has_data) {
        d->has_data = true;
        d->start_octets = user->down_octets - p->ip_octets;
        d->first_end = p->seq + p->payload_octets;
        d->pending_octets = 0;
    }
    if (d->packets == 0 || gi_flight_is_before(d->data_end, p->seq + p->payload_octets)) {
        d->data_end = p->seq + p->payload_octets;
        d->is_acked = false;
    }
    d->packets++;
    d->octets += d->pending_octets + p->ip_octets;
    d->pending_octets = 0;
    d->end_octets = user->down_octets;
}

/* Parts of gi_conn_packet(). */
static void gi_conn_data(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene)
{
    uint32_t end = p->seq + p->payload_octets + (p->flags & GI_PACKET_FIN ? 1 : 0);
    struct gi_stamp stamp = {(uint32_t)scene->user->down_octets, (uint32_t)(p->at_ns / 1000), &p->options,
                             p->payload_octets == 0};
    if (p->flags & (GI_PACKET_SYN | GI_PACKET_RST) || end == p->seq) {
        c->down.pending_octets += p->ip_octets;
        return;
    }
    bool is_data = p->payload_octets > 0;
    enum gi_flight_event event =
        gi_flight_sent(&c->flight, p->seq, end, stamp, (uint32_t)(scene->limits->reorder_ns / 1000));
    c->down.window_probes += event == GI_FLIGHT_WINDOW_PROBE && is_data;
    if (event == GI_FLIGHT_PROBE || event == GI_FLIGHT_WINDOW_PROBE || !is_data) {
        c->down.pending_octets += p->ip_octets;
        return;
    }
    count_packet(c, p, scene->user);
    count_event(c, p, event);
    if (event != GI_FLIGHT_NEW)
        break_period(c, scene);
}

static void sample(struct gi_conn *c, uint32_t rtt_us, const struct gi_scene *scene)
{
    struct gi_rtt *r = &c->rtt;
    r->least_us = r->count == 0 || rtt_us < r->least_us ? rtt_us : r->least_us;
    r->most_us = rtt_us > r->most_us ? rtt_us : r->most_us;
    r->sum_us += rtt_us;
    r->count++;
    scene->rtt(scene->to, (int64_t)rtt_us * 1000);
}

static void read_new_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_flight_ack *a,
                         const struct gi_scene *scene)
{
    struct gi_conn_down *d = &c->down;
    d->missed += a->missed;
    if (d->has_data && !d->is_acked) {
        d->last_ack_ns = p->at_ns;
        d->is_acked = !gi_flight_is_before(p->ack, d->data_end);
    }
    if (!d->first_ack_ns && d->has_data && !gi_flight_is_before(p->ack, d->first_end))
        d->first_ack_ns = p->at_ns;
    scene->user->lost_octets += (uint64_t)a->lost * c->largest_octets;
    if (a->rtt_us)
        sample(c, a->rtt_us, scene);
    struct gi_conn_period_ack ack = {
        .at_ns = p->at_ns,
        .ack = p->ack,
        .place = a->place,
        .lost = (uint32_t)scene->user->lost_octets,
        .flight_octets = gi_flight_octets(&c->flight),
        .is_exact = a->is_exact,
    };
    end_period(c, scene, gi_conn_period_acked(&c->period, &ack, scene->limits));
}

/* If the first segment was lost, a repeated ACK is the first sign that data has arrived. */
static void read_repeated_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene)
{
    if (!c->down.first_ack_ns && c->down.has_data)
        c->down.first_ack_ns = p->at_ns;
    break_period(c, scene);
}

static void gi_conn_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene)
{
    if (!(p->flags & GI_PACKET_ACK) || p->flags & GI_PACKET_RST)
        return;
    bool may_repeat = p->payload_octets == 0 && !(p->flags & (GI_PACKET_SYN | GI_PACKET_FIN)) &&
                      p->window == c->last_window;
    c->last_window = p->window;
    c->flight.is_closed = p->window == 0;
    struct gi_flight_ack a =
        gi_flight_acked(&c->flight, p->ack, &p->options, may_repeat, (uint32_t)(p->at_ns / 1000));
    if (a.missed)
        break_period(c, scene);
    if (a.is_new)
        read_new_ack(c, p, &a, scene);
    else if (a.is_duplicate)
        read_repeated_ack(c, p, scene);
}
