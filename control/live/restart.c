/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/live/restart.h"

#include "control/config/lua_budget.h"
#include "control/config/lua_config_diff.h"
#include "control/core/core.h"
#include "control/live/live.h"
#include "control/lua/lua_host.h"

static void end_thread(struct live *live)
{
    atomic_store(&live->restart.is_ready, true);
    wake_call(&live->wake);
}

static void *read_state(void *arg)
{
    struct live *live = arg;
    live->restart.L = lua_config_diff_state(live->options->node, live->text);
    end_thread(live);
    return NULL;
}

static void *release_state(void *arg)
{
    struct live *live = arg;
    lua_host_free(live->restart.L);
    live->restart.L = NULL;
    end_thread(live);
    return NULL;
}

/* Without a thread the control thread does the work. */
static void start_thread(struct live *live, enum live_restart_stage stage, void *(*work)(void *))
{
    struct live_restart *restart = &live->restart;
    restart->stage = stage;
    atomic_store(&restart->is_ready, false);
    restart->has_thread = pthread_create(&restart->thread, NULL, work, live) == 0;
    if (!restart->has_thread)
        work(live);
}

static void join(struct live_restart *restart)
{
    if (restart->has_thread)
        pthread_join(restart->thread, NULL);
    restart->has_thread = false;
}

const char *live_restart_begin(struct live *live, enum core_restart_reason reason)
{
    struct live_restart *restart = &live->restart;
    if (live->reload.stage != LIVE_RELOAD_IDLE)
        return "a reload is in progress; try again when it has ended";
    if (restart->stage == LIVE_RESTART_READ)
        return "a restart of control is in progress";
    restart->is_ordered = restart->stage == LIVE_RESTART_RELEASE;
    if (restart->is_ordered)
        return NULL;
    restart->reason = reason;
    start_thread(live, LIVE_RESTART_READ, read_state);
    return NULL;
}

/* Both states have a watchdog, of which one is in force. */
static void watch_state(struct live *live, lua_State *L)
{
    if (!lua_host_watch(L, live->node.config.limits.lua_call_ns, "limits.lua_call"))
        core_log(&live->node.core, "control", "warn", "limits.lua_call is not in force");
}

static void exchange(struct live *live)
{
    struct core *core = &live->node.core;
    struct live_restart *restart = &live->restart;
    lua_State *former = live->node.L, *L = restart->L;
    int64_t began_ns = clock_counter_ns(&live->clock);
    core->now = moment_max(core->now, began_ns);
    lua_host_defer(L);
    watch_state(live, L);
    bool is_new = core_restart_exchange(core, L);
    live->node.L = is_new ? L : former;
    core_log_trace(core);
    restart->L = is_new ? former : L;
    if (is_new)
        core_restart_done(core, restart->reason, began_ns, clock_counter_ns(&live->clock));
    else
        watch_state(live, former);
    if (!is_new)
        core_restart_failed(core, restart->reason);
}

bool live_restart_is_ready(const struct live *live)
{
    return live->restart.stage != LIVE_RESTART_IDLE && atomic_load(&live->restart.is_ready);
}

static enum core_restart_reason due_of(struct live *live)
{
    const struct live_restart *restart = &live->restart;
    if (restart->stage != LIVE_RESTART_IDLE)
        return CORE_RESTART_NONE;
    return restart->is_ordered ? CORE_RESTART_ORDER : core_restart_due(&live->node.core);
}

void live_restart_step(struct live *live)
{
    struct live_restart *restart = &live->restart;
    enum core_restart_reason due = due_of(live);
    if (due != CORE_RESTART_NONE)
        live_restart_begin(live, due);
    if (!live_restart_is_ready(live))
        return;
    join(restart);
    if (restart->stage == LIVE_RESTART_READ && restart->L)
        exchange(live);
    else if (restart->stage == LIVE_RESTART_READ)
        core_restart_failed(&live->node.core, restart->reason);
    if (restart->L)
        start_thread(live, LIVE_RESTART_RELEASE, release_state);
    else
        restart->stage = LIVE_RESTART_IDLE;
}

void live_restart_stop(struct live_restart *restart)
{
    if (restart->has_thread && restart->stage == LIVE_RESTART_READ)
        lua_budget_stop();
    join(restart);
    lua_host_free(restart->L);
    restart->L = NULL;
}
