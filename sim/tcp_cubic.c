/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/tcp_cubic.h"

#include "dataplane/base/moment.h"

#define MILLISECOND (MOMENT_SECOND / 1000)

/* C = 0.4 segments/s^3: with d in ms, 0.4 d^3 / 10^9 segments. alpha = 3 (1 - beta) / (1 + beta) = 9/17. */
enum { BETA_NUM = 7, BETA_DEN = 10, ALPHA_NUM = 9, ALPHA_DEN = 17, MIN_SEGMENTS = 2, EST_UNIT = 1024 };

#define CUBE_PER_SEGMENT     INT64_C(2500000000) /* ms^3 */
#define FARTHEST_MS          INT64_C(100000)     /* d^3 times an MSS fits 63 bits */
#define TARGET_LIMIT(octets) ((octets) + (octets) / 2)

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The largest number whose cube is at most n. */
static int64_t cube_root(uint64_t n)
{
    uint64_t root = 0;
    for (int bit = 20; bit >= 0; bit--) {
        uint64_t next = root | UINT64_C(1) << bit;
        if (next * next * next <= n)
            root = next;
    }
    return (int64_t)root;
}

/* K: the time in which the window grows from cwnd to w_max (4.2). */
static int64_t k_of(const struct tcp_cubic *c, const struct tcp_cubic_step *step)
{
    if (c->w_max_octets <= step->cwnd_octets)
        return 0;
    uint64_t segments_e6 = (c->w_max_octets - step->cwnd_octets) * 1000000 / step->mss_octets;
    return cube_root(segments_e6 * (CUBE_PER_SEGMENT / 1000000)) * MILLISECOND;
}

static void begin_epoch(struct tcp_cubic *c, const struct tcp_cubic_step *step)
{
    if (c->is_after_timeout || c->w_max_octets < step->cwnd_octets)
        c->w_max_octets = step->cwnd_octets;
    c->k_ns = k_of(c, step);
    c->epoch_ns = step->now;
    c->w_est = step->cwnd_octets * EST_UNIT;
    c->credit = 0;
    c->has_epoch = true;
    c->is_after_timeout = false;
}

/* W_cubic(t), t after the epoch. Its distance from w_max is cut to whole segments, as in Linux: the window
 * reaches w_max up to 1.4 s before K. */
static uint64_t cubic_octets(const struct tcp_cubic *c, int64_t t_ns, uint32_t mss_octets)
{
    int64_t ms = (t_ns - c->k_ns) / MILLISECOND;
    ms = ms < -FARTHEST_MS ? -FARTHEST_MS : ms > FARTHEST_MS ? FARTHEST_MS : ms;
    int64_t octets = (int64_t)c->w_max_octets + ms * ms * ms / CUBE_PER_SEGMENT * mss_octets;
    return octets > 0 ? (uint64_t)octets : 0;
}

/* 4.3: with alpha until the window before the reduction is reached, then like Reno. */
static void grow_estimate(struct tcp_cubic *c, const struct tcp_cubic_step *step)
{
    uint64_t growth = step->acked_octets * EST_UNIT * step->mss_octets / step->cwnd_octets;
    bool is_below = c->w_est < c->prior_octets * EST_UNIT;
    c->w_est += is_below ? growth * ALPHA_NUM / ALPHA_DEN : growth;
}

uint64_t tcp_cubic_grow(struct tcp_cubic *c, const struct tcp_cubic_step *step)
{
    if (!c->has_epoch)
        begin_epoch(c, step);
    grow_estimate(c, step);
    int64_t t_ns = step->now - c->epoch_ns;
    uint64_t cwnd = step->cwnd_octets, est_octets = c->w_est / EST_UNIT;
    if (cubic_octets(c, t_ns, step->mss_octets) < est_octets)
        return max_u64(cwnd, est_octets);
    uint64_t target = cubic_octets(c, t_ns + step->rtt_ns, step->mss_octets);
    target = target < TARGET_LIMIT(cwnd) ? target : TARGET_LIMIT(cwnd);
    if (target <= cwnd)
        return cwnd;
    c->credit += (target - cwnd) * step->acked_octets;
    uint64_t growth = c->credit / cwnd;
    c->credit %= cwnd;
    return cwnd + growth;
}

uint64_t tcp_cubic_reduce(struct tcp_cubic *c, uint64_t cwnd_octets, uint64_t flight_octets,
                          uint32_t mss_octets)
{
    c->prior_octets = cwnd_octets;
    /* Fast convergence, 4.7. In whole segments: the window comes close to w_max for a long time. */
    bool is_shrinking = cwnd_octets / mss_octets < c->w_max_octets / mss_octets;
    c->w_max_octets = is_shrinking ? cwnd_octets * (BETA_DEN + BETA_NUM) / (2 * BETA_DEN) : cwnd_octets;
    c->has_epoch = false;
    uint64_t used_octets = flight_octets < cwnd_octets ? flight_octets : cwnd_octets;
    return max_u64(used_octets * BETA_NUM / BETA_DEN, MIN_SEGMENTS * (uint64_t)mss_octets);
}

void tcp_cubic_timeout(struct tcp_cubic *c)
{
    c->is_after_timeout = true;
}

void tcp_cubic_idle(struct tcp_cubic *c, int64_t idle_ns)
{
    c->epoch_ns += c->has_epoch ? idle_ns : 0;
}
#define MIN_RTT_THRESH_NS (4 * MILLISECOND)
#define MAX_RTT_THRESH_NS (16 * MILLISECOND)

/* 4.3; the limit is that of senders that do not pace. */
enum { RTT_DIVISOR = 8, RTT_SAMPLES = 8, GROWTH_DIVISOR = 4, ROUNDS = 5, LIMIT_SEGMENTS = 8 };

void tcp_hystart_start(struct tcp_hystart *h, uint64_t nxt)
{
    *h = (struct tcp_hystart){
        .round_end = nxt, .last_ns = MOMENT_NEVER, .present_ns = MOMENT_NEVER, .baseline_ns = MOMENT_NEVER};
}

static void begin_round(struct tcp_hystart *h, uint64_t nxt)
{
    h->round_end = nxt;
    h->last_ns = h->present_ns;
    h->present_ns = MOMENT_NEVER;
    h->samples = 0;
    h->rounds += h->is_conservative;
}

static void judge(struct tcp_hystart *h)
{
    if (h->samples < RTT_SAMPLES)
        return;
    if (h->is_conservative) {
        h->is_conservative = h->present_ns >= h->baseline_ns;
        return;
    }
    if (h->last_ns == MOMENT_NEVER)
        return;
    int64_t thresh_ns =
        moment_max(MIN_RTT_THRESH_NS, moment_min(h->last_ns / RTT_DIVISOR, MAX_RTT_THRESH_NS));
    if (h->present_ns < h->last_ns + thresh_ns)
        return;
    h->baseline_ns = h->present_ns;
    h->is_conservative = true;
    h->rounds = 0;
}

bool tcp_hystart_acked(struct tcp_hystart *h, uint64_t ack, uint64_t nxt, int64_t rtt_ns)
{
    if (h->is_over)
        return true;
    if (rtt_ns >= 0) {
        h->present_ns = moment_min(h->present_ns, rtt_ns);
        h->samples++;
        judge(h);
    }
    if (ack >= h->round_end)
        begin_round(h, nxt);
    h->is_over = h->is_conservative && h->rounds >= ROUNDS;
    return h->is_over;
}

uint64_t tcp_hystart_growth(const struct tcp_hystart *h, uint64_t acked_octets, uint32_t mss_octets)
{
    uint64_t most_octets = LIMIT_SEGMENTS * (uint64_t)mss_octets;
    uint64_t octets = acked_octets < most_octets ? acked_octets : most_octets;
    return h->is_conservative ? octets / GROWTH_DIVISOR : octets;
}

/* a - b, 0 if b is larger. */
static uint64_t above(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

void tcp_prr_start(struct tcp_prr *p, uint64_t flight_octets)
{
    *p = (struct tcp_prr){.flight_octets = max_u64(flight_octets, 1)};
}

void tcp_prr_sent(struct tcp_prr *p, uint64_t octets)
{
    p->out_octets += octets;
}

uint64_t tcp_prr_acked(struct tcp_prr *p, const struct tcp_prr_ack *ack)
{
    p->delivered_octets += ack->delivered_octets;
    if (ack->in_flight_octets > ack->ssthresh_octets) {
        uint64_t due = (p->delivered_octets * ack->ssthresh_octets + p->flight_octets - 1) / p->flight_octets;
        return ack->in_flight_octets + above(due, p->out_octets);
    }
    uint64_t limit =
        max_u64(above(p->delivered_octets, p->out_octets), ack->delivered_octets) + ack->mss_octets;
    uint64_t room = ack->ssthresh_octets - ack->in_flight_octets;
    return ack->in_flight_octets + (room < limit ? room : limit);
}
