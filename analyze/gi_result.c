/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up: the tree of figure 5 and round-trip times; table I. */
#include "analyze/gi_result.h"

#include "dataplane/base/moment.h"

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
