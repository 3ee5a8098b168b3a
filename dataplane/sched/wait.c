/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/sched/wait.h"

#include "dataplane/sched/flow.h"

#define FLAGS ((1U << SCHED_MS_WAIT_SHIFT) - 1)

void sched_wait_init(struct sched_ms *ms, int64_t now)
{
    ms->wait.ticks[SCHED_WAIT_NONE] = -sched_wait_tick(now);
}

/* --- the clock of a cell that may not send --- */

static uint32_t down_ticks(const struct sched_bvc *bvc, uint32_t now_ticks)
{
    return bvc->down_ticks + (bvc->mode == SCHED_MODE_STOPPED ? now_ticks : 0);
}

void sched_wait_use(const struct sched *s, struct sched_bvc *bvc, bool usable)
{
    bvc->down_ticks += usable ? s->now_ticks : -s->now_ticks;
}

/* --- changes --- */

static void enter_turns(struct sched_ms *ms, uint32_t now_ticks)
{
    uint32_t down = down_ticks(ms->bvc, now_ticks);
    ms->wait.ticks[SCHED_WAIT_DOWN] -= down;
    ms->wait.ticks[SCHED_WAIT_TURN] -= now_ticks - down;
}

static void wait_leave_turns(const struct sched *s, struct sched_ms *ms)
{
    struct sched_bvc *bvc = ms->bvc;
    uint32_t down = down_ticks(bvc, s->now_ticks);
    if (bvc->parked_for.ms == ms)
        sched_wait_wake(s, &bvc->parked_for, SCHED_WAIT_BVC);
    if (bvc->link->parked_for.ms == ms)
        sched_wait_wake(s, &bvc->link->parked_for, SCHED_WAIT_LINK);
    ms->wait.ticks[SCHED_WAIT_DOWN] += down;
    ms->wait.ticks[SCHED_WAIT_TURN] += s->now_ticks - down;
}

void sched_wait_change(struct sched *s, struct sched_ms *ms, unsigned cause)
{
    unsigned before = sched_wait_stored(ms);
    if (before == SCHED_WAIT_TURN)
        wait_leave_turns(s, ms);
    else
        ms->wait.ticks[before] += s->now_ticks;
    ms->flags = (uint8_t)((ms->flags & FLAGS) | cause << SCHED_MS_WAIT_SHIFT);
    if (cause == SCHED_WAIT_TURN)
        enter_turns(ms, s->now_ticks);
    else
        ms->wait.ticks[cause] -= s->now_ticks;
}

/* --- between workers --- */

static enum sched_wait_cause on_the_way(bool has_n_pdus)
{
    return has_n_pdus ? SCHED_WAIT_MOVING : SCHED_WAIT_NONE;
}

struct sched_wait sched_wait_take(const struct sched *s, const struct sched_ms *ms, bool has_n_pdus)
{
    struct sched_wait wait = ms->wait;
    wait.ticks[SCHED_WAIT_NONE] += s->now_ticks;
    wait.ticks[on_the_way(has_n_pdus)] -= s->now_ticks;
    return wait;
}

void sched_wait_put(const struct sched *s, struct sched_ms *ms, const struct sched_wait *wait,
                    bool has_n_pdus)
{
    ms->wait = *wait;
    ms->wait.ticks[on_the_way(has_n_pdus)] += s->now_ticks;
    ms->wait.ticks[SCHED_WAIT_NONE] -= s->now_ticks;
}

/* --- the cause --- */

/* Of all flows: whether any has N-PDUs, and whether any of those waits for its turn. */
static unsigned cause_of_flows(const struct sched *s, const struct sched_ms *ms)
{
    bool is_empty = true, is_in_turns = false;
    for (const struct sched_flow *flow = &ms->flow; flow; flow = sched_flow_more(s, flow)) {
        is_empty &= flow->queue.pkts == 0;
        is_in_turns |= flow->queue.pkts > 0 && !(flow->turn.flags & SCHED_FLOW_PARKED);
    }
    if (is_empty)
        return SCHED_WAIT_NONE;
    if (is_in_turns)
        return SCHED_WAIT_TURN;
    return ms->flags & SCHED_MS_CLOSED ? SCHED_WAIT_WINDOW : SCHED_WAIT_PFC;
}

unsigned sched_wait_cause_of(const struct sched *s, const struct sched_ms *ms)
{
    unsigned cause = cause_of_flows(s, ms);
    if (cause == SCHED_WAIT_NONE)
        return cause;
    if (ms->flags & SCHED_MS_SUSPENDED)
        return SCHED_WAIT_SUSPENDED;
    if (ms->flags & SCHED_MS_LOST)
        return SCHED_WAIT_PAGE;
    return ms->flags & SCHED_MS_PARKED ? SCHED_WAIT_MS : cause;
}

/* --- readers --- */

static void read_parked(struct sched_wait_now *out, const struct sched_ms *mobile,
                        const struct sched_parked_for *parked, enum sched_wait_cause cause,
                        uint32_t now_ticks)
{
    struct sched_parked_for p = *parked;
    if (p.ms != mobile)
        return;
    out->ticks[SCHED_WAIT_TURN] -= now_ticks - p.since_ticks;
    out->ticks[cause] += now_ticks - p.since_ticks;
    out->cause = cause;
}

/* Of a mobile that waits for its turn. */
static void read_turns(struct sched_wait_now *out, const struct sched_bvc *bvc, const struct sched_ms *mobile,
                       uint32_t now_ticks)
{
    uint32_t down = down_ticks(bvc, now_ticks);
    out->ticks[SCHED_WAIT_DOWN] += down;
    out->ticks[SCHED_WAIT_TURN] += now_ticks - down;
    if (bvc->mode == SCHED_MODE_STOPPED)
        out->cause = SCHED_WAIT_DOWN;
    read_parked(out, mobile, &bvc->parked_for, SCHED_WAIT_BVC, now_ticks);
    read_parked(out, mobile, &bvc->link->parked_for, SCHED_WAIT_LINK, now_ticks);
}

struct sched_wait_now sched_wait_read(const struct sched_ms *ms, const struct sched_ms *mobile, int64_t now)
{
    struct sched_wait_now out = {.cause = (enum sched_wait_cause)sched_wait_stored(ms)};
    for (unsigned i = 0; i < SCHED_WAIT_CAUSES; i++)
        out.ticks[i] = ms->wait.ticks[i];
    if (out.cause == SCHED_WAIT_TURN)
        read_turns(&out, ms->bvc, mobile, sched_wait_tick(now));
    else
        out.ticks[out.cause] += sched_wait_tick(now);
    out.born_ticks = sched_wait_tick(now);
    for (unsigned i = 0; i < SCHED_WAIT_CAUSES; i++)
        out.born_ticks -= out.ticks[i];
    return out;
}

const char *sched_wait_name(enum sched_wait_cause cause)
{
    static const char *const names[SCHED_WAIT_CAUSES] = {
        [SCHED_WAIT_NONE] = "-",
        [SCHED_WAIT_MS] = "own bucket",
        [SCHED_WAIT_PFC] = "PFC bucket",
        [SCHED_WAIT_WINDOW] = "window",
        [SCHED_WAIT_SUSPENDED] = "suspended",
        [SCHED_WAIT_PAGE] = "page",
        [SCHED_WAIT_TURN] = "turn",
        [SCHED_WAIT_BVC] = "cell bucket",
        [SCHED_WAIT_LINK] = "link bucket",
        [SCHED_WAIT_DOWN] = "unusable cell",
        [SCHED_WAIT_MOVING] = "moving",
    };
    return names[cause];
}
