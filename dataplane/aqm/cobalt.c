/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * COBALT, the AQM of CAKE: CoDel for flows that respond, BLUE for those that do not, side by side.
 *
 * CoDel's part signals as RFC 8289 while the sojourn is above target, the n-th signal interval / sqrt(n)
 * after the one before, but does not forget when it is below: the count then falls by one after each such
 * gap, so it comes down as fast as it went up, and a queue that is soon above target again is signalled at
 * the rate that it needed. above target:  now >= next: signal, count += 1, next += interval / sqrt(count)
 *   below:         now >= next: count -= 1, next += interval / sqrt(count) until the count is 0
 *   from below to above:  count = max(count, 1), next = now + interval / sqrt(count)
 * BLUE's part drops at the head with its chance, ECN capable or not: who is dropped by it did not respond.
 * `target` is its freeze time, and "full" a backlog of `limit`: no hook tells a scheme that a packet found no
 * room.
 *
 * The times grow on slow links as FQ-CoDel's.
 */
#include "dataplane/aqm/blue.h"
#include "dataplane/aqm/codel.h"

enum { ECN, TARGET, INTERVAL, MTU, MTUS, LIMIT, UP, DOWN, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(1),
    [TARGET] = {"target", "least target", AQM_DURATION, 100000, 60000000000, 5000000, NULL},
    [INTERVAL] = {"interval", "with the least target; about the longest round trip", AQM_DURATION, 1000000,
                  600000000000, 100000000, NULL},
    [MTU] = {"mtu", "with no more than this waiting CoDel does not signal", AQM_OCTETS, 20, 65535, 1500,
             NULL},
    [MTUS] = {"mtus", "target in times of an MTU at the known rate; 0 %: target and interval stay", AQM_SHARE,
              0, 10000000, 1500000, NULL},
    [LIMIT] = {"limit", "backlog from which the chance of BLUE rises", AQM_OCTETS, 1, 100000000, 30000, NULL},
    [UP] = {"up", "step of a queue that is too long, at most one in a target", AQM_SHARE, 1, 1000000, 3906,
            NULL},
    [DOWN] = {"down", "step of one that has run empty, at most one in a target", AQM_SHARE, 1, 1000000, 244,
              NULL},
};

struct cobalt {
    struct codel_law codel;
    struct blue_law blue;
    uint64_t target_octets; /* that fit into a target */
};

struct cobalt_state {
    struct blue_state blue;
    struct codel_times times;
    uint64_t rate_bps; /* for which the times were computed */
    int64_t next_ns;   /* next change of count while it is > 0 */
    uint32_t count;
    bool is_above;
};

static const char *cobalt_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct cobalt *cobalt = law;
    if (values[TARGET] >= values[INTERVAL])
        return "target must be less than interval";
    cobalt->codel.target_ns = values[TARGET];
    cobalt->codel.interval_ns = values[INTERVAL];
    cobalt->codel.mtu_octets = (uint64_t)values[MTU];
    cobalt->target_octets = (uint64_t)(values[MTU] * values[MTUS] / 1000000);
    codel_law_roots(&cobalt->codel);
    cobalt->blue.limit_octets = (uint64_t)values[LIMIT];
    cobalt->blue.up = aqm_fixed_ppm(values[UP]);
    cobalt->blue.down = aqm_fixed_ppm(values[DOWN]);
    return NULL;
}

/* A rate of 0 (unknown) keeps the times of the last known rate. */
static void set_times(const struct cobalt *cobalt, struct cobalt_state *s, uint64_t rate_bps)
{
    const struct codel_times least = {cobalt->codel.target_ns, cobalt->codel.interval_ns};
    if (rate_bps == 0 || rate_bps == s->rate_bps)
        return;
    s->times = codel_times_at(&least, cobalt->target_octets, rate_bps);
    s->rate_bps = rate_bps;
}

static void init(const void *law, void *state, int64_t now)
{
    const struct cobalt *cobalt = law;
    struct cobalt_state *s = state;
    s->times = (struct codel_times){cobalt->codel.target_ns, cobalt->codel.interval_ns};
    blue_law_start(&s->blue, s->times.target_ns, now);
}

/* Each turn takes back a signal. */
static void forget(const struct cobalt *cobalt, struct cobalt_state *s, int64_t now)
{
    while (s->count > 0 && now >= s->next_ns)
        if (--s->count > 0)
            s->next_ns += codel_law_gap_ns(&cobalt->codel, &s->times, s->count);
}

static bool is_above(const struct cobalt *cobalt, const struct cobalt_state *s, const struct aqm_view *view)
{
    return view->age_ns - view->parked_ns >= s->times.target_ns &&
           view->backlog_octets > cobalt->codel.mtu_octets;
}

/* CoDel's part: whether it signals. */
static bool signals(const struct cobalt *cobalt, struct cobalt_state *s, const struct aqm_view *view,
                    int64_t now)
{
    bool was_above = s->is_above;
    s->is_above = is_above(cobalt, s, view);
    if (!was_above || !s->is_above)
        forget(cobalt, s, now);
    if (!s->is_above)
        return false;
    if (!was_above) {
        s->count = s->count > 0 ? s->count : 1;
        s->next_ns = now + codel_law_gap_ns(&cobalt->codel, &s->times, s->count);
        return false;
    }
    if (now < s->next_ns)
        return false;
    s->count++;
    s->next_ns += codel_law_gap_ns(&cobalt->codel, &s->times, s->count);
    return true;
}

static enum aqm_verdict cobalt_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct cobalt *cobalt = law;
    struct cobalt_state *s = state;
    set_times(cobalt, s, view->rate_bps);
    blue_law_come(&cobalt->blue, &s->blue, s->times.target_ns, view, now);
    return AQM_PASS;
}

static enum aqm_verdict cobalt_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct cobalt *cobalt = law;
    struct cobalt_state *s = state;
    set_times(cobalt, s, view->rate_bps);
    bool is_signalled = signals(cobalt, s, view, now);
    bool is_hit = blue_law_hits(&s->blue, view);
    blue_law_leave(&cobalt->blue, &s->blue, s->times.target_ns, view, now);
    return is_hit ? AQM_DROP : is_signalled ? AQM_MARK : AQM_PASS;
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    const struct cobalt_state *s = state;
    out[0] = (struct aqm_reading){"count", s->count};
    out[1] = (struct aqm_reading){"chance", aqm_fixed_double(s->blue.chance)};
    out[2] = (struct aqm_reading){"target_s", (double)s->times.target_ns / 1e9};
    out[3] = (struct aqm_reading){"interval_s", (double)s->times.interval_ns / 1e9};
    return 4;
}

const struct aqm_ops cobalt_ops = {
    .name = "cobalt",
    .title = "CoDel and BLUE side by side",
    .summary =
        "CoDel whose count falls as fast as it rose, with FQ-CoDel's times on slow links, and beside it "
        "BLUE, which drops at the head, ECN capable or not, after the queue has been too long.",
    .source =
        "Hoiland-Jorgensen, Taht and Morton 2018 (Piece of CAKE); BLUE: Feng, Shin, Kandlur and Saha 2002",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct cobalt),
    .state_octets = sizeof(struct cobalt_state),
    .flags = AQM_DRAWS_DEQUEUE,
    .axis = AQM_AXIS_AGE,
    .prepare = cobalt_prepare,
    .init = init,
    .enqueue = cobalt_enqueue,
    .dequeue = cobalt_dequeue,
    .read = read,
};
