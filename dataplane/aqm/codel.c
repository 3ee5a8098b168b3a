/* SPDX-License-Identifier: BSD-3-Clause */
/* CoDel (model: codel_law.h), with target and interval as configured. */
#include "dataplane/aqm/codel_law.h"

enum { ECN, TARGET, INTERVAL, MTU, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [TARGET] = {"target", "sojourn that is fine; longer for an interval is a standing queue", AQM_DURATION,
                100000, 60000000000, 5000000, NULL},
    [INTERVAL] = {"interval", "about the longest round trip", AQM_DURATION, 1000000, 600000000000, 100000000,
                  NULL},
    [MTU] = {"mtu", "with no more than this waiting nothing is signalled", AQM_OCTETS, 0, 65535, 1500, NULL},
};

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct codel_law *codel = law;
    if (values[TARGET] >= values[INTERVAL])
        return "target must be less than interval";
    codel->target_ns = values[TARGET];
    codel->interval_ns = values[INTERVAL];
    codel->mtu_octets = (uint64_t)values[MTU];
    codel_law_roots(codel);
    return NULL;
}

static enum aqm_verdict dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct codel_law *codel = law;
    const struct codel_times times = {codel->target_ns, codel->interval_ns};
    return codel_law_leave(codel, &times, state, view, now);
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    return codel_law_read(state, out);
}

static bool is_idle(const void *law, const void *state)
{
    return codel_law_is_idle(state);
}

const struct aqm_ops codel_ops = {
    .name = "codel",
    .title = "controlled delay",
    .summary = "Once the sojourn has been above target for an interval, signals at the head at times "
               "interval / sqrt(count) "
               "apart until it is below.",
    .source = "RFC 8289, section 5",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct codel_law),
    .state_octets = sizeof(struct codel_state),
    .flags = AQM_RATELESS,
    .axis = AQM_AXIS_AGE,
    .prepare = prepare,
    .dequeue = dequeue,
    .read = read,
    .is_idle = is_idle,
};
