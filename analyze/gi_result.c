/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyze/gi_result.h"
#include "analyze/gi_conn.h"

#include "dataplane/base/moment.h"

#include <math.h>
#include <stdint.h>

static void gi_result_data_judge(struct gi_verdict *v, const struct gi_conn *c,
                                 const struct gi_limits *limits);
static void gi_result_data_add(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
                               const struct gi_limits *limits);

static enum gi_branch branch_of(const struct gi_setup *s)
{
    if (s->ack_ns)
        return s->syns == 1 && s->syn_acks == 1 ? GI_BRANCH_OPTIMAL : GI_BRANCH_SLIGHT;
    if (s->syn_acks)
        return s->is_reset ? GI_BRANCH_RESET : GI_BRANCH_SILENT;
    return s->is_reset ? GI_BRANCH_REFUSED : GI_BRANCH_NO_RESPONSE;
}

/* The capture ends while the next packet of the set-up may still arrive. */
static bool is_undecided(const struct gi_setup *s, const struct gi_limits *limits, int64_t end_ns)
{
    return !s->ack_ns && !s->is_reset && end_ns - s->last_ns < limits->undecided_ns;
}

static enum gi_level mss_of(const struct gi_conn *c, const struct gi_limits *l)
{
    int64_t octets = c->largest_octets;
    if (octets >= l->mss_low_from_octets && octets <= l->mss_low_to_octets)
        return GI_LEVEL_LOW;
    if (octets >= l->mss_high_from_octets && octets <= l->mss_high_to_octets)
        return GI_LEVEL_HIGH;
    return GI_LEVEL_MEDIUM;
}

static enum gi_level window_of(const struct gi_conn *c, const struct gi_limits *l)
{
    if (c->window_octets < l->window_low_octets)
        return GI_LEVEL_LOW;
    return c->window_octets > l->window_high_octets ? GI_LEVEL_HIGH : GI_LEVEL_MEDIUM;
}

struct gi_verdict gi_result_judge(const struct gi_conn *c, const struct gi_limits *limits, int64_t end_ns)
{
    const struct gi_setup *s = &c->setup;
    struct gi_verdict v = {
        .branch = GI_BRANCH_NONE,
        .has_background = s->has_background,
        .mss = mss_of(c, limits),
        .window = window_of(c, limits),
    };
    if (c->opener == GI_OPENER_MOBILE && !is_undecided(s, limits, end_ns))
        v.branch = branch_of(s);
    if (v.branch == GI_BRANCH_OPTIMAL || v.branch == GI_BRANCH_SLIGHT)
        v.setup_ns = s->ack_ns - s->syn_ns;
    if (v.branch == GI_BRANCH_OPTIMAL && !v.has_background) {
        v.internet_rtt_ns = s->syn_ack_ns - s->syn_ns;
        v.access_rtt_ns = s->ack_ns - s->syn_ack_ns;
    }
    if (c->down.packets)
        gi_result_data_judge(&v, c, limits);
    return v;
}

static enum gi_time time_of(int64_t at_ns, const struct gi_limits *l)
{
    int64_t hour = (at_ns / MOMENT_SECOND / 3600 + l->utc_offset_h + 24) % 24;
    if (hour >= l->peak_from_h && hour < l->peak_to_h)
        return GI_TIME_PEAK;
    return hour >= l->quiet_from_h && hour < l->quiet_to_h ? GI_TIME_QUIET : GI_TIME_ALL;
}

static void add_round_trips(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
                            const struct gi_limits *limits)
{
    enum gi_time when = time_of(c->setup.syn_ns, limits);
    gi_spread_add(&r->internet_rtt_ns[GI_TIME_ALL], v->internet_rtt_ns);
    gi_spread_add(&r->access_rtt_ns[GI_TIME_ALL], v->access_rtt_ns);
    if (when == GI_TIME_ALL)
        return;
    gi_spread_add(&r->internet_rtt_ns[when], v->internet_rtt_ns);
    gi_spread_add(&r->access_rtt_ns[when], v->access_rtt_ns);
}

static void add_setup(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
                      const struct gi_limits *limits)
{
    struct gi_leaf *leaf = &r->tree[v->branch][v->has_background];
    leaf->count++;
    if (v->branch != GI_BRANCH_OPTIMAL && v->branch != GI_BRANCH_SLIGHT)
        return;
    gi_spread_add(&leaf->setup_ns, v->setup_ns);
    gi_spread_add(&r->setup_ns, v->setup_ns);
    if (v->branch == GI_BRANCH_OPTIMAL && !v->has_background)
        add_round_trips(r, c, v, limits);
}

void gi_result_add(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
                   const struct gi_limits *limits)
{
    r->connections++;
    r->by_mobile += c->opener == GI_OPENER_MOBILE;
    r->by_server += c->opener == GI_OPENER_SERVER;
    r->without_setup += c->opener == GI_OPENER_UNSEEN;
    if (c->opener == GI_OPENER_MOBILE) {
        r->undecided += v->branch == GI_BRANCH_NONE;
        r->sack += c->has_sack;
        r->timestamp += c->has_timestamp;
        r->mss[v->mss]++;
        r->window[v->window]++;
    }
    if (v->branch != GI_BRANCH_NONE)
        add_setup(r, c, v, limits);
    if (c->down.packets)
        gi_result_data_add(r, c, v, limits);
}

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

/* Parts of the two functions above, for connections with data. */
static void gi_result_data_judge(struct gi_verdict *v, const struct gi_conn *c,
                                 const struct gi_limits *limits)
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
    gi_spread_moments_add(&r->loss_bins[bin].throughput_bps, v->throughput_bps);
    gi_spread_moments_add(&r->loss_bins[bin].goodput_bps, v->goodput_bps);
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
    gi_spread_moments_add(&r->overall_bps, bps);
    gi_spread_moments_add(&r->window_bps[v->window], bps);
    gi_spread_moments_add(&r->sack_bps[c->has_sack], bps);
    gi_spread_moments_add(&r->timestamp_bps[c->has_timestamp], bps);
    if (v->mss == GI_LEVEL_MEDIUM)
        return;
    bool is_high = v->mss == GI_LEVEL_HIGH;
    gi_spread_moments_add(&r->mss_bps[is_high], bps);
    gi_spread_moments_add(&r->cluster_bps[v->window][c->has_sack][is_high][c->has_timestamp], bps);
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
    l->window_probes += d->window_probes;
}

static void gi_result_data_add(struct gi_result *r, const struct gi_conn *c, const struct gi_verdict *v,
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

const char *gi_result_branch_name(enum gi_branch branch)
{
    static const char *const names[] = {"optimal", "slight", "no_response", "refused",
                                        "reset",   "silent", "none"};
    return names[branch];
}

const char *gi_result_level_name(enum gi_level level)
{
    static const char *const names[] = {"low", "medium", "high"};
    return names[level];
}
