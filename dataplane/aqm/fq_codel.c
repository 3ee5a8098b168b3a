/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CoDel of FQ-CoDel (RFC 8290): one instance for each flow queue, which the scheduler keeps. On a slow
 * link a single packet takes longer than any sensible target (1500 octets at 20 kbit/s: 600 ms), so with a
 * known rate both times grow:
 *   target   = max(configured, mtus x the time of an MTU at that rate)
 *   interval = configured + increase of target: the round trip is longer by the same time.
 */
#include "dataplane/aqm/codel.h"

enum { ECN, TARGET, INTERVAL, MTU, MTUS, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(1),
    [TARGET] = {"target", "least target", AQM_DURATION, 100000, 60000000000, 5000000, NULL},
    [INTERVAL] = {"interval", "with the least target; about the longest round trip", AQM_DURATION, 1000000,
                  600000000000, 100000000, NULL},
    [MTU] = {"mtu", "with no more than this waiting in the flow nothing is signalled", AQM_OCTETS, 20, 65535,
             1500, NULL},
    [MTUS] = {"mtus", "target in times of an MTU at the known rate; 0 %: target and interval stay", AQM_SHARE,
              0, 10000000, 1500000, NULL},
};

struct fq_codel {
    struct codel_law codel;
    uint64_t target_octets; /* that fit into a target */
};

struct fq_codel_state {
    struct codel_state codel;
    struct codel_times times;
    uint64_t rate_bps; /* for which the times were computed */
};

static const char *fq_codel_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct fq_codel *fq = law;
    if (values[TARGET] >= values[INTERVAL])
        return "target must be less than interval";
    fq->codel.target_ns = values[TARGET];
    fq->codel.interval_ns = values[INTERVAL];
    fq->codel.mtu_octets = (uint64_t)values[MTU];
    fq->target_octets = (uint64_t)(values[MTU] * values[MTUS] / 1000000);
    codel_law_roots(&fq->codel);
    return NULL;
}

static void set_times(const struct fq_codel *fq, struct fq_codel_state *s, uint64_t rate_bps)
{
    const struct codel_times least = {fq->codel.target_ns, fq->codel.interval_ns};
    s->times = codel_times_at(&least, fq->target_octets, rate_bps);
    s->rate_bps = rate_bps;
}

static void init(const void *law, void *state, int64_t now)
{
    set_times(law, state, 0);
}

/* A rate of 0 (unknown) keeps the times of the last known rate. */
static enum aqm_verdict fq_codel_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct fq_codel *fq = law;
    struct fq_codel_state *s = state;
    if (view->rate_bps > 0 && view->rate_bps != s->rate_bps)
        set_times(fq, s, view->rate_bps);
    return codel_law_leave(&fq->codel, &s->times, &s->codel, view, now);
}

/* As CoDel's; the times are those of the last rate. */
static bool is_idle(const void *law, const void *state)
{
    const struct fq_codel_state *s = state;
    return codel_law_is_idle(&s->codel);
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    const struct fq_codel_state *s = state;
    unsigned count = codel_law_read(&s->codel, out);
    out[count] = (struct aqm_reading){"target_s", (double)s->times.target_ns / 1e9};
    out[count + 1] = (struct aqm_reading){"interval_s", (double)s->times.interval_ns / 1e9};
    return count + 2;
}

const struct aqm_ops fq_codel_ops = {
    .name = "fq_codel",
    .title = "flow queue CoDel",
    .summary = "CoDel in each flow queue, with target and interval grown by the time that an MTU takes at "
               "the known rate.",
    .source = "RFC 8290; slow links: its section 5.2.1 and RFC 8289, section 4.3",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct fq_codel),
    .state_octets = sizeof(struct fq_codel_state),
    .axis = AQM_AXIS_AGE,
    .prepare = fq_codel_prepare,
    .init = init,
    .dequeue = fq_codel_dequeue,
    .read = read,
    .is_idle = is_idle,
};
