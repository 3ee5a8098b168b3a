/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_watchdog.h"

#include "dataplane/base/moment.h"

#include <lauxlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define TICKS 4

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* glibc has no name for it before 2.38 */
#endif

/* A hook has no argument; a process has one control thread. */
static struct lua_watchdog *watchdog_of_process;

/* --- in a call --- */

static void on_instruction(lua_State *L, lua_Debug *unused_record)
{
    struct lua_watchdog *w = watchdog_of_process;
    if (!w->has_failed) {
        lua_sethook(L, NULL, 0, 0);
        w->is_hooked = 0;
        w->ticks = 0;
    }
    w->has_failed = true;
    luaL_error(L, "a call of Lua took more than %f s of processor time (limits.lua_call)",
               (double)w->limit_ns / MOMENT_SECOND);
}

/* In the thread of the calls. lua_sethook() may be called in a signal handler. */
static void on_tick(int unused_signal, siginfo_t *info, void *unused_context)
{
    struct lua_watchdog *w = info->si_value.sival_ptr;
    bool is_same = w->call % 2 == 1 && w->call == w->seen_call;
    w->seen_call = w->call;
    w->ticks = is_same ? w->ticks + 1 : 0;
    if (w->ticks < TICKS || w->is_hooked)
        return;
    w->is_hooked = 1;
    lua_sethook(w->L, on_instruction, LUA_MASKCOUNT, 1);
}

/* --- around calls --- */

void lua_watchdog_begin(struct lua_watchdog *w)
{
    w->call++;
}

void lua_watchdog_end(struct lua_watchdog *w)
{
    w->call++;
    if (w->is_hooked)
        lua_sethook(w->L, NULL, 0, 0);
    w->is_hooked = 0;
    w->has_failed = false;
}

/* --- the timer --- */

static bool make_timer(struct lua_watchdog *w)
{
    struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMIN};
    event.sigev_value.sival_ptr = w;
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    return sigaction(SIGRTMIN, &action, NULL) == 0 &&
           timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &w->timer) == 0;
}

bool lua_watchdog_start(struct lua_watchdog *w, lua_State *L, int64_t limit_ns)
{
    int64_t tick_ns = limit_ns / TICKS;
    struct itimerspec every = {
        .it_interval = {.tv_sec = tick_ns / MOMENT_SECOND, .tv_nsec = tick_ns % MOMENT_SECOND}};
    every.it_value = every.it_interval;
    w->limit_ns = limit_ns;
    if (!w->L && !make_timer(w))
        return false;
    w->L = L;
    watchdog_of_process = w;
    return timer_settime(w->timer, 0, &every, NULL) == 0;
}

void lua_watchdog_stop(struct lua_watchdog *w)
{
    if (w->L)
        timer_delete(w->timer);
    w->L = NULL;
}
