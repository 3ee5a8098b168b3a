/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BLUE: the chance of a signal follows events, not the length of the queue. A queue that is too long raises
 * it, one that has run empty lowers it, each at most once in a freeze time:
 *   full:  chance += up    idle:  chance -= down
 * so that it settles where the sources need it, while RED's chance moves with every burst. "Full" is a
 * backlog of `limit`, which the paper gives for queues that keep room for bursts, and not a loss; the
 * queue's own limits bound the rest.
 *
 * An idle time lowers the chance once per freeze time in it; this is done at its end, as no hook is called
 * before.
 */
#include "dataplane/aqm/aqm.h"

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
    uint64_t limit_octets;
    int64_t freeze_ns;
    int64_t up, down;
};

struct blue_state {
    int64_t chance;
    int64_t changed_ns; /* last change of chance */
    int64_t idle_ns;    /* since when the queue is empty; from the start */
};

static const char *prepare(const struct aqm_ops *ops, void *law, const int64_t *values)
{
    struct blue *blue = law;
    blue->limit_octets = (uint64_t)values[LIMIT];
    blue->freeze_ns = values[FREEZE];
    blue->up = aqm_fixed_ppm(values[UP]);
    blue->down = aqm_fixed_ppm(values[DOWN]);
    return NULL;
}

static void init(const void *law, void *state, int64_t now)
{
    struct blue_state *s = state;
    s->idle_ns = now;
    s->changed_ns = now - ((const struct blue *)law)->freeze_ns;
}

static void raise(const struct blue *blue, struct blue_state *s, int64_t now)
{
    if (now - s->changed_ns < blue->freeze_ns)
        return;
    int64_t room = AQM_FIXED_ONE - s->chance;
    s->chance += blue->up < room ? blue->up : room;
    s->changed_ns = now;
}

static void lower(const struct blue *blue, struct blue_state *s, int64_t times, int64_t now)
{
    aqm_wide all = (aqm_wide)blue->down * times;
    s->chance = all < s->chance ? s->chance - (int64_t)all : 0;
    s->changed_ns = now;
}

/* A packet ends an idle time. */
static void end_idle(const struct blue *blue, struct blue_state *s, int64_t now)
{
    int64_t since_ns = s->idle_ns > s->changed_ns ? s->idle_ns : s->changed_ns;
    int64_t times = (now - since_ns) / blue->freeze_ns;
    if (times > 0)
        lower(blue, s, times, now);
}

static enum aqm_verdict enqueue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct blue *blue = law;
    struct blue_state *s = state;
    if (view->backlog_octets == 0)
        end_idle(blue, s, now);
    else if (view->backlog_octets >= blue->limit_octets)
        raise(blue, s, now);
    return aqm_fixed_uniform(view->random) < s->chance ? AQM_MARK : AQM_PASS;
}

static enum aqm_verdict dequeue(const void *law, void *state, struct aqm_view *view, int64_t now)
{
    const struct blue *blue = law;
    struct blue_state *s = state;
    if (view->backlog_octets > 0)
        return AQM_PASS;
    s->idle_ns = now;
    if (now - s->changed_ns >= blue->freeze_ns)
        lower(blue, s, 1, now);
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
    .prepare = prepare,
    .init = init,
    .enqueue = enqueue,
    .dequeue = dequeue,
    .read = read,
};
