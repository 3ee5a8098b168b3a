/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/codel.h"

/* floor(sqrt(a)), bit by bit. */
static uint64_t root(aqm_uwide a)
{
    uint64_t found = 0;
    for (uint64_t bit = UINT64_C(1) << 63; bit > 0; bit >>= 1)
        if ((aqm_uwide)(found | bit) * (found | bit) <= a)
            found |= bit;
    return found;
}

static int64_t one_over_root(uint32_t count)
{
    return (int64_t)root(((aqm_uwide)1 << (2 * AQM_FIXED_BITS)) / count);
}

void codel_law_roots(struct codel_law *law)
{
    for (uint32_t count = 1; count < CODEL_LAW_ROOTS; count++)
        law->one_over_root[count] = one_over_root(count);
}

/*
 * Three Newton steps, y = y (3 - count y^2) / 2, from the nearest entry of the table: error 1/512 becomes
 * 10^-20.
 */
static int64_t one_over_large_root(const struct codel_law *law, uint32_t count)
{
    uint32_t small = count, halvings = 0;
    for (; small >= CODEL_LAW_ROOTS; small >>= 2)
        halvings++;
    int64_t y = law->one_over_root[small] >> halvings;
    for (int i = 0; i < 3; i++) {
        aqm_uwide product = (aqm_uwide)((aqm_wide)y * y) * count >> AQM_FIXED_BITS;
        y = (int64_t)(((aqm_wide)3 * AQM_FIXED_ONE - (aqm_wide)product) * y >> (AQM_FIXED_BITS + 1));
    }
    return y;
}

int64_t codel_law_gap_ns(const struct codel_law *law, const struct codel_times *times, uint32_t count)
{
    int64_t factor = count < CODEL_LAW_ROOTS ? law->one_over_root[count] : one_over_large_root(law, count);
    return aqm_fixed_mul(times->interval_ns, factor);
}

struct codel_times codel_times_at(const struct codel_times *least, uint64_t target_octets, uint64_t rate_bps)
{
    int64_t serial_ns = rate_bps > 0 ? aqm_fixed_serial_ns(target_octets, rate_bps) : 0;
    int64_t more_ns = serial_ns > least->target_ns ? serial_ns - least->target_ns : 0;
    return (struct codel_times){least->target_ns + more_ns, least->interval_ns + more_ns};
}

static bool is_above(const struct codel_law *law, const struct codel_times *times, struct codel_state *state,
                     const struct aqm_view *view, int64_t now)
{
    int64_t sojourn_ns = view->age_ns - view->parked_ns;
    if (sojourn_ns < times->target_ns || view->backlog_octets <= law->mtu_octets) {
        state->first_above_ns = 0;
        return false;
    }
    if (state->first_above_ns == 0) {
        state->first_above_ns = now + times->interval_ns;
        return false;
    }
    return now >= state->first_above_ns;
}

static enum aqm_verdict codel_begin(const struct codel_law *law, const struct codel_times *times,
                                    struct codel_state *state, int64_t now)
{
    uint32_t delta = state->count - state->last_count;
    bool is_recent = now - state->drop_next_ns < 16 * times->interval_ns;
    state->count = delta > 1 && is_recent ? delta : 1;
    state->last_count = state->count;
    state->drop_next_ns = now + codel_law_gap_ns(law, times, state->count);
    state->is_dropping = true;
    state->is_owed = false;
    return AQM_MARK;
}

enum aqm_verdict codel_law_leave(const struct codel_law *law, const struct codel_times *times,
                                 struct codel_state *state, const struct aqm_view *view, int64_t now)
{
    bool ok_to_drop = is_above(law, times, state, view, now);
    if (!state->is_dropping)
        return ok_to_drop ? codel_begin(law, times, state, now) : AQM_PASS;
    if (!ok_to_drop) {
        state->is_dropping = false;
        return AQM_PASS;
    }
    if (state->is_owed) {
        state->drop_next_ns += codel_law_gap_ns(law, times, state->count);
        state->is_owed = false;
    }
    if (now < state->drop_next_ns)
        return AQM_PASS;
    state->count++;
    state->is_owed = true;
    return AQM_MARK;
}

unsigned codel_law_read(const struct codel_state *state, struct aqm_reading *out)
{
    out[0] = (struct aqm_reading){"count", state->count};
    out[1] = (struct aqm_reading){"is_dropping", state->is_dropping};
    return 2;
}

enum { ECN, TARGET, INTERVAL, MTU, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [TARGET] = {"target", "sojourn that is fine; longer for an interval is a standing queue", AQM_DURATION,
                100000, 60000000000, 5000000, NULL},
    [INTERVAL] = {"interval", "about the longest round trip", AQM_DURATION, 1000000, 600000000000, 100000000,
                  NULL},
    [MTU] = {"mtu", "with no more than this waiting nothing is signalled", AQM_OCTETS, 0, 65535, 1500, NULL},
};

static const char *codel_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
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

static enum aqm_verdict codel_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
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
    .prepare = codel_prepare,
    .dequeue = codel_dequeue,
    .read = read,
    .is_idle = is_idle,
};
