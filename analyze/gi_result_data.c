/* SPDX-License-Identifier: BSD-3-Clause */
/* Losses and their side, throughput, and throughput by TCP options. */
#include "analyze/gi_result.h"

static enum gi_bottleneck bottleneck_of(const struct gi_conn *c)
{
    uint32_t access = c->flight.lost, internet = c->down.repaired;
    if (access == 0 && internet == 0)
        return GI_BOTTLENECK_NONE;
    return internet > access ? GI_BOTTLENECK_INTERNET : GI_BOTTLENECK_ACCESS;
}

static double rate(uint64_t octets, int64_t time_ns)
{
    return time_ns > 0 ? 8e9 * (double)octets / (double)time_ns : 0;
}

/* R of section VI.B, and the same for the connection alone. */
static void judge_rates(struct gi_verdict *v, const struct gi_conn *c)
{
    const struct gi_conn_down *d = &c->down;
    int64_t time_ns = d->first_ack_ns ? d->last_ack_ns - d->first_ack_ns : 0;
    uint64_t all_octets = d->end_octets - d->start_octets;
    v->other_octets = all_octets > d->octets ? all_octets - d->octets : 0;
    v->throughput_bps = rate(d->octets, time_ns);
    v->goodput_bps = rate(d->payload_octets, time_ns);
    v->user_bps = rate(d->octets + v->other_octets, time_ns);
}

void gi_result_data_judge(struct gi_verdict *v, const struct gi_conn *c, const struct gi_limits *limits)
{
    const struct gi_conn_down *d = &c->down;
    uint64_t lost = c->flight.lost + (uint64_t)d->repaired, sent = d->packets + (uint64_t)d->repaired;
    bool is_wanted = limits->http_port == 0 || limits->http_port == c->server_port;
    v->bottleneck = bottleneck_of(c);
    v->loss = (double)lost / (double)sent;
    v->is_single = is_wanted && c->is_alone && d->is_acked && !c->has_second_request;
    judge_rates(v, c);
}

static void add_single(struct gi_result *r, const struct gi_verdict *v)
{
    unsigned bin = v->loss < 0.01 ? 0 : v->loss < 0.02 ? 1 : v->loss < 0.03 ? 2 : 3;
    gi_spread_add(&r->throughput_bps, (int64_t)v->throughput_bps);
    gi_spread_add(&r->goodput_bps, (int64_t)v->goodput_bps);
    gi_moments_add(&r->loss_bins[bin].throughput_bps, v->throughput_bps);
    gi_moments_add(&r->loss_bins[bin].goodput_bps, v->goodput_bps);
}

static void add_user(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v)
{
    double share = (double)c->down.octets / (double)(c->down.octets + v->other_octets);
    unsigned bin = (unsigned)(share * GI_RESULT_SHARE_BINS);
    unsigned third = share > 2.0 / 3 ? 0 : share > 1.0 / 3 ? 1 : 2;
    r->shares[bin < GI_RESULT_SHARE_BINS ? bin : GI_RESULT_SHARE_BINS - 1]++;
    gi_spread_add(&r->user_bps[third], (int64_t)v->user_bps);
}

static void add_cluster(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v)
{
    double bps = v->goodput_bps;
    gi_moments_add(&r->overall_bps, bps);
    gi_moments_add(&r->window_bps[v->window], bps);
    gi_moments_add(&r->sack_bps[c->has_sack], bps);
    gi_moments_add(&r->timestamp_bps[c->has_timestamp], bps);
    if (v->mss == GI_LEVEL_MEDIUM)
        return;
    bool is_high = v->mss == GI_LEVEL_HIGH;
    gi_moments_add(&r->mss_bps[is_high], bps);
    gi_moments_add(&r->cluster_bps[v->window][c->has_sack][is_high][c->has_timestamp], bps);
}

static void add_loss(struct gi_loss *l, const struct gi_conn *c)
{
    const struct gi_conn_down *d = &c->down;
    l->packets += d->packets;
    l->access += c->flight.lost;
    l->internet += d->repaired;
    l->retransmitted += d->retransmitted;
    l->spurious += c->flight.spurious;
    l->late += d->late;
    l->missed += d->missed;
}

void gi_result_data_add(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
                        const struct gi_limits *limits)
{
    uint64_t octets = c->down.payload_octets;
    bool is_measured = v->throughput_bps > 0;
    r->with_data++;
    add_loss(&r->loss, c);
    r->bottleneck[v->bottleneck]++;
    if (is_measured && v->is_single && octets > (uint64_t)limits->long_octets)
        add_single(r, v);
    if (is_measured && v->is_single && octets > (uint64_t)limits->bulk_octets)
        add_cluster(r, c, v);
    if (is_measured && !c->has_second_request && octets > (uint64_t)limits->long_octets)
        add_user(r, c, v);
}
