/* SPDX-License-Identifier: BSD-3-Clause */
/* Downlink data and its ACKs. */
#include "analyze/gi_conn.h"

static void end_period(struct gi_conn *c, const struct gi_scene *scene, double rate_bps)
{
    if (rate_bps > 0)
        scene->rate(scene->to, c, scene->user, rate_bps);
}

static void break_period(struct gi_conn *c, const struct gi_scene *scene)
{
    end_period(c, scene, gi_period_break(&c->period, c->flight.top, scene->limits));
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

void gi_conn_data(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene)
{
    uint32_t end = p->seq + p->payload_octets + (p->flags & GI_PACKET_FIN ? 1 : 0);
    struct gi_stamp stamp = {(uint32_t)scene->user->down_octets, (uint32_t)(p->at_ns / 1000), &p->options};
    if (p->flags & (GI_PACKET_SYN | GI_PACKET_RST) || end == p->seq) {
        c->down.pending_octets += p->ip_octets;
        return;
    }
    bool is_data = p->payload_octets > 0;
    enum gi_flight_event event =
        gi_flight_sent(&c->flight, p->seq, end, stamp, (uint32_t)(scene->limits->reorder_ns / 1000));
    if (event == GI_FLIGHT_PROBE || !is_data) {
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
    struct gi_period_ack ack = {
        .at_ns = p->at_ns,
        .ack = p->ack,
        .place = a->place,
        .lost = (uint32_t)scene->user->lost_octets,
        .flight_octets = gi_flight_octets(&c->flight),
        .is_exact = a->is_exact,
    };
    end_period(c, scene, gi_period_acked(&c->period, &ack, scene->limits));
}

/* If the first segment was lost, a repeated ACK is the first sign that data has arrived. */
static void read_repeated_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene)
{
    if (!c->down.first_ack_ns && c->down.has_data)
        c->down.first_ack_ns = p->at_ns;
    break_period(c, scene);
}

void gi_conn_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene)
{
    if (!(p->flags & GI_PACKET_ACK) || p->flags & GI_PACKET_RST)
        return;
    bool may_repeat = p->payload_octets == 0 && !(p->flags & (GI_PACKET_SYN | GI_PACKET_FIN)) &&
                      p->window == c->last_window;
    c->last_window = p->window;
    struct gi_flight_ack a =
        gi_flight_acked(&c->flight, p->ack, &p->options, may_repeat, (uint32_t)(p->at_ns / 1000));
    if (a.missed)
        break_period(c, scene);
    if (a.is_new)
        read_new_ack(c, p, &a, scene);
    else if (a.is_duplicate)
        read_repeated_ack(c, p, scene);
}
