/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A restart of control: a second Lua state takes over from the first, while the workers
 * forward. Its machines are made of the configuration and adopt the records of the former ones
 * (lua_records.h), so that peers notice nothing. It is begun by an order, or by failures of Lua
 * (docs/decisions/contained-control.md).
 */
#ifndef CONTROL_CORE_CORE_RESTART_H
#define CONTROL_CORE_CORE_RESTART_H

#include "control/lua/lua_records.h"

#include <stdbool.h>
#include <stdint.h>

struct lua_State;

struct core;

/* Why control restarts; the names are those of `gbflow show control`. */
enum core_restart_reason {
    CORE_RESTART_ORDER,  /* the operator's */
    CORE_RESTART_ERRORS, /* too many errors of Lua in a minute */
    CORE_RESTART_TIME,   /* too many calls without an end */
    CORE_RESTART_MEMORY, /* too many calls without memory */
    CORE_RESTART_REASONS,
    CORE_RESTART_NONE = CORE_RESTART_REASONS,
};

#define CORE_RESTART_ERRORS_MOST   20 /* errors of Lua in a minute; so many restart control */
#define CORE_RESTART_WINDOW_PLACES CORE_RESTART_ERRORS_MOST

/* The latest times of a kind of event. */
struct core_restart_window {
    int64_t at_ns[CORE_RESTART_WINDOW_PLACES];
    uint32_t count; /* events so far; event n is at place n % CORE_RESTART_WINDOW_PLACES */
};

static inline void core_restart_note(struct core_restart_window *window, int64_t now)
{
    window->at_ns[window->count++ % CORE_RESTART_WINDOW_PLACES] = now;
}

struct core_restart {
    struct lua_records records;
    struct core_restart_window
        failures[CORE_RESTART_REASONS];    /* since the latest restart, by what they cause */
    struct core_restart_window tries;      /* restarts by failures */
    uint64_t counts[CORE_RESTART_REASONS]; /* restarts */
    uint64_t failed;          /* restarts that found no memory or configuration; control stayed as it was */
    uint64_t adoption_errors; /* errors of Lua while records were adopted, of all restarts */
    uint64_t adopted;         /* records of the latest restart */
    int64_t duration_ns;      /* of the latest restart: the time in which control took no message */
    bool is_spent;            /* a line has told that failures restart control no more for a while */
};

/* Whether failures want a restart now; CORE_RESTART_NONE. Not inside of a call of Lua. When there have been
 * too many restarts, one line says so, and there is no further one until the first of them is ten minutes
 * ago, or an order restarts control: what one peer sends takes away no restart of later. */
enum core_restart_reason core_restart_due(struct core *core);

/*
 * Exchanges the Lua state of the core. L: a new one, with the checked configuration in force on top of its
 * stack, which is popped. True: the objects are those of L, and have adopted everything; the caller closes
 * the former state. False: out of memory; nothing has changed, and the caller closes L.
 */
bool core_restart_exchange(struct core *core, struct lua_State *L);

/* Counts a restart and prints one line to stderr; began_ns: on the clock of core->now. */
void core_restart_done(struct core *core, enum core_restart_reason reason, int64_t began_ns, int64_t now);
void core_restart_failed(struct core *core, enum core_restart_reason reason);

#endif
