/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/core/core_restart.h"

#include "control/core/core.h"
#include "control/core/core_gb.h"
#include "control/core/core_path.h"
#include "control/core/lua_core.h"
#include "control/lua/lua_guard.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_object.h"
#include "control/lua/lua_records.h"

#include "dataplane/base/moment.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#define CORE_RESTART_CALLS_MOST 3 /* the same of calls that take too long, and of those without memory */
#define CORE_RESTART_TRIES      5 /* restarts by failures in CORE_RESTART_TRIES_NS at most */
#define CORE_RESTART_TRIES_NS   (600 * MOMENT_SECOND)

#define MINUTE_NS (60 * MOMENT_SECOND)

/* The lines of this file are few, and bypass the limit of log lines. */

/* --- failures --- */

/* "order", "errors", "time" or "memory". */
static const char *core_restart_name(enum core_restart_reason reason)
{
    static const char *const names[] = {"order", "errors", "time", "memory"};
    return names[reason];
}

/* Whether there were `most` events in the time up to now. */
static bool has(const struct core_restart_window *window, uint32_t most, int64_t span_ns, int64_t now)
{
    return window->count >= most &&
           now - window->at_ns[(window->count - most) % CORE_RESTART_WINDOW_PLACES] < span_ns;
}

static enum core_restart_reason wanted(const struct core *core)
{
    const struct core_restart_window *failures = core->restart.failures;
    if (has(&failures[CORE_RESTART_TIME], CORE_RESTART_CALLS_MOST, MINUTE_NS, core->now))
        return CORE_RESTART_TIME;
    if (has(&failures[CORE_RESTART_MEMORY], CORE_RESTART_CALLS_MOST, MINUTE_NS, core->now))
        return CORE_RESTART_MEMORY;
    if (has(&failures[CORE_RESTART_ERRORS], CORE_RESTART_ERRORS_MOST, MINUTE_NS, core->now))
        return CORE_RESTART_ERRORS;
    return CORE_RESTART_NONE;
}

enum core_restart_reason core_restart_due(struct core *core)
{
    struct core_restart *restart = &core->restart;
    enum core_restart_reason reason = wanted(core);
    bool is_spent = has(&restart->tries, CORE_RESTART_TRIES, CORE_RESTART_TRIES_NS, core->now);
    bool was_told = restart->is_spent;
    restart->is_spent = is_spent && (was_told || reason != CORE_RESTART_NONE);
    if (!is_spent)
        return reason;
    if (restart->is_spent && !was_told)
        fprintf(
            stderr,
            "gbflow: control: restarted %d times in %d minutes and fails again; there is no further restart "
            "in this time, workers forward. `gbflow restart-control` restarts it\n",
            CORE_RESTART_TRIES, (int)(CORE_RESTART_TRIES_NS / MINUTE_NS));
    return CORE_RESTART_NONE;
}

/* --- the new objects --- */

struct build {
    struct core *core;
    struct lua_State *L;
};

static void build(void *arg)
{
    const struct build *b = arg;
    lua_object_keep_records(b->L);
    lua_core_number(b->L, b->core->config);
    core_make_objects(b->core, b->L);
    core_gb_accepted(b->core);
}

/* The objects, and their intents, which a restart exchanges. */
struct objects {
    struct lua_intents intents;
    struct lua_object list[CORE_OBJECTS];
};

static struct objects objects_of(const struct core *core)
{
    struct objects objects = {.intents = core->intents};
    memcpy(objects.list, core->objects, sizeof(objects.list));
    return objects;
}

static void set_objects(struct core *core, const struct objects *objects)
{
    core->intents = objects->intents;
    memcpy(core->objects, objects->list, sizeof(objects->list));
}

/* --- adoption --- */

/* A record of an object that the configuration in force does not have has no taker. */
static void adopt_record(struct core *core, const struct lua_record *record)
{
    for (const struct lua_object *object = core->objects; object < core->objects + CORE_OBJECTS; object++)
        if (object->L && object->who == record->who)
            lua_object_adopt(object, record->key, record->octets, record->count, core->now);
}

/* The objects write their records again: one that was not adopted is gone. */
static void adopt(struct core *core)
{
    struct lua_records kept;
    const struct lua_record *record;
    lua_records_move(&kept, &core->restart.records);
    if (core->sessions.arg)
        core->sessions.adopt_mobiles(core->sessions.arg);
    TAILQ_FOREACH(record, &kept.list, all)
    adopt_record(core, record);
    core->restart.adopted = kept.count;
    lua_records_free(&kept);
    for (enum core_object object = 0; object < CORE_OBJECTS; object++)
        if (core->objects[object].L && object != CORE_OBJECT_gn && object != CORE_OBJECT_gtpc)
            lua_object_adopted(&core->objects[object], core->now);
    if (core_has(core, gtpc)) /* it tells phones what became of their contexts; gn keeps no records */
        lua_object_adopted(&core->objects[CORE_OBJECT_gtpc], core->now);
    if (core->sessions.arg)
        core->sessions.adopt_contexts(core->sessions.arg);
    core_path_start(core);
}

bool core_restart_exchange(struct core *core, struct lua_State *L)
{
    struct objects former = objects_of(core);
    struct build b = {core, L};
    uint64_t errors = core->lua_errors;
    memset(core->objects, 0, sizeof(core->objects));
    if (!lua_guard_run(build, &b)) {
        set_objects(core, &former);
        return false;
    }
    core_acts_lose(core);
    adopt(core);
    core_acts_find(core);
    core_tell(core, phones_start);
    core->restart.adoption_errors += core->lua_errors - errors;
    memset(core->restart.failures, 0, sizeof(core->restart.failures));
    core->has_new_timers = true;
    return true;
}

/* --- the end --- */

void core_restart_done(struct core *core, enum core_restart_reason reason, int64_t began_ns, int64_t now)
{
    struct core_restart *restart = &core->restart;
    restart->counts[reason]++;
    restart->duration_ns = now - began_ns;
    if (reason == CORE_RESTART_ORDER)
        restart->tries = (struct core_restart_window){0};
    else
        core_restart_note(&restart->tries, now);
    fprintf(stderr,
            "gbflow: control: restarted (%s) in %.3f s, %" PRIu64
            " records adopted; workers forwarded meanwhile\n",
            core_restart_name(reason), (double)restart->duration_ns / MOMENT_SECOND, restart->adopted);
}

void core_restart_failed(struct core *core, enum core_restart_reason reason)
{
    struct core_restart *restart = &core->restart;
    restart->failed++;
    memset(restart->failures, 0, sizeof(restart->failures));
    if (reason != CORE_RESTART_ORDER)
        core_restart_note(&restart->tries, core->now);
    fprintf(stderr, "gbflow: control: no memory for a restart (%s); control stays as it is\n",
            core_restart_name(reason));
}
