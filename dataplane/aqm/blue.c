/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/aqm/blue.h"

enum { ECN, LIMIT, FREEZE, UP, DOWN, PARAMS };

static const struct aqm_param params[PARAMS] = {
    [ECN] = AQM_PARAM_ECN(0),
    [LIMIT] = {"limit", "backlog from which the chance rises", AQM_OCTETS, 1, 100000000, 30000, NULL},
    [FREEZE] = {"freeze", "least time between two changes; about a round trip", AQM_DURATION, 1000000,
                600000000000, 1000000000, NULL},
    [UP] = {"up", "step of a queue that is too long", AQM_SHARE, 1, 1000000, 20000, NULL},
    [DOWN] = {"down", "step of one that has run empty", AQM_SHARE, 1, 1000000, 2000, NULL},
};

struct blue {
    struct blue_law law;
    int64_t freeze_ns;
};

static const char *blue_prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct blue *blue = law;
    blue->law.limit_octets = (uint64_t)values[LIMIT];
    blue->law.up = aqm_fixed_ppm(values[UP]);
    blue->law.down = aqm_fixed_ppm(values[DOWN]);
    blue->freeze_ns = values[FREEZE];
    return NULL;
}

void blue_law_start(struct blue_state *state, int64_t freeze_ns, int64_t now)
{
    state->idle_ns = now;
    state->changed_ns = now - freeze_ns;
}

static void raise(const struct blue_law *law, struct blue_state *state, int64_t now)
{
    int64_t room = AQM_FIXED_ONE - state->chance;
    state->chance += law->up < room ? law->up : room;
    state->changed_ns = now;
}

static void lower(const struct blue_law *law, struct blue_state *state, int64_t times, int64_t now)
{
    aqm_wide all = (aqm_wide)law->down * times;
    state->chance = all < state->chance ? state->chance - (int64_t)all : 0;
    state->changed_ns = now;
}

/* A packet ends an idle time. */
static void end_idle(const struct blue_law *law, struct blue_state *state, int64_t freeze_ns, int64_t now)
{
    int64_t since_ns = state->idle_ns > state->changed_ns ? state->idle_ns : state->changed_ns;
    int64_t times = (now - since_ns) / freeze_ns;
    if (times > 0)
        lower(law, state, times, now);
}

void blue_law_come(const struct blue_law *law, struct blue_state *state, int64_t freeze_ns,
                   const struct aqm_view *view, int64_t now)
{
    if (view->backlog_octets == 0)
        end_idle(law, state, freeze_ns, now);
    else if (view->backlog_octets >= law->limit_octets && now - state->changed_ns >= freeze_ns)
        raise(law, state, now);
}

void blue_law_leave(const struct blue_law *law, struct blue_state *state, int64_t freeze_ns,
                    const struct aqm_view *view, int64_t now)
{
    if (view->backlog_octets > 0)
        return;
    state->idle_ns = now;
    if (now - state->changed_ns >= freeze_ns)
        lower(law, state, 1, now);
}

static void init(const void *law, void *state, int64_t now)
{
    blue_law_start(state, ((const struct blue *)law)->freeze_ns, now);
}

static enum aqm_verdict blue_enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct blue *blue = law;
    blue_law_come(&blue->law, state, blue->freeze_ns, view, now);
    return blue_law_hits(state, view) ? AQM_MARK : AQM_PASS;
}

static enum aqm_verdict blue_dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct blue *blue = law;
    blue_law_leave(&blue->law, state, blue->freeze_ns, view, now);
    return AQM_PASS;
}

static unsigned read(const void *law, const void *state, struct aqm_reading *out)
{
    out[0].name = "chance";
    out[0].value = aqm_fixed_double(((const struct blue_state *)state)->chance);
    return 1;
}

const struct aqm_ops blue_ops = {
    .name = "blue",
    .title = "BLUE",
    .summary =
        "Signals with a chance that rises by a step when the queue is too long and falls by a smaller one "
        "when it has run empty, at most once in a freeze time each.",
    .source = "Feng, Shin, Kandlur and Saha 2002, section III",
    .params = params,
    .param_count = PARAMS,
    .law_octets = sizeof(struct blue),
    .state_octets = sizeof(struct blue_state),
    .flags = AQM_DRAWS | AQM_RATELESS,
    .axis = AQM_AXIS_BACKLOG,
    .prepare = blue_prepare,
    .init = init,
    .enqueue = blue_enqueue,
    .dequeue = blue_dequeue,
    .read = read,
};
