/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ends calls of Lua that do not return: a timer of the thread's processor time, four ticks to the limit. A
 * call that is running since four ticks fails with an error at its next instruction. A protected call of Lua
 * that catches the error has the limit's time to end; then the error comes at each instruction until the
 * outermost call is over. A C function that Lua calls is not interrupted.
 */
#ifndef CONTROL_LUA_LUA_WATCHDOG_H
#define CONTROL_LUA_LUA_WATCHDOG_H

#include <lua.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct lua_watchdog {
    lua_State *L; /* NULL: not started */
    timer_t timer;
    int64_t limit_ns;
    volatile sig_atomic_t call;      /* odd: in a call; one more at each begin and end */
    volatile sig_atomic_t seen_call; /* at the latest tick */
    volatile sig_atomic_t ticks;     /* with the same call */
    volatile sig_atomic_t is_hooked;
    bool has_failed; /* the call has had an error */
};

/* Watches the calls that this thread makes from now on; limit_ns >= 4 ns, of processor time. A second call
 * changes the limit. False, with errno: no timer. The struct must stay at its address until
 * lua_watchdog_stop(). */
bool lua_watchdog_start(struct lua_watchdog *watchdog, lua_State *L, int64_t limit_ns);
void lua_watchdog_stop(struct lua_watchdog *watchdog);

/* Around the outermost call. */
void lua_watchdog_begin(struct lua_watchdog *watchdog);
void lua_watchdog_end(struct lua_watchdog *watchdog);

#endif
