/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/config/lua_budget.h"

#include "control/base/clock.h"
#include "control/base/utf8.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"

#include <errno.h>
#include <inttypes.h>
#include <lauxlib.h>
#include <lua.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/*
 * Limits for reading a configuration: its text in the sandbox (lua/schema/sandbox.lua, which has limits of
 * its own), the checks of its table, and the library functions that both call.
 */

#define LUA_BUDGET_SECONDS       30 /* of the thread's processor time */
#define LUA_BUDGET_PARSE_SECONDS 2  /* likewise, of Lua's parser alone */
#define LUA_BUDGET_INSTRUCTIONS  INT64_C(20000000000)
#define LUA_BUDGET_OCTETS        ((size_t)640 << 20)

#define STRIDE 100000 /* instructions */

/* Of the reading in progress; a process reads one configuration at a time. */
static struct {
    atomic_bool is_stopped;        /* for ever: also a reading that begins later ends at once */
    bool is_spared;                /* by the hard end */
    volatile sig_atomic_t is_late; /* written by on_late() */
    bool was_late;                 /* at the end of the latest reading */
    const char *path;
    timer_t timer;
    struct sigaction former; /* of the signal */
    int64_t limit_ns;
    int64_t parse_end_ns;
    int64_t instructions_left;
    const char *excess;
} budget = {.limit_ns = LUA_BUDGET_SECONDS * MOMENT_SECOND};

static bool is_time_over(void)
{
    return budget.is_stopped || budget.is_late;
}

static void on_count(lua_State *L, lua_Debug *unused_record)
{
    budget.instructions_left -= STRIDE;
    if (budget.instructions_left < 0)
        budget.excess = "instructions of Lua";
    else if (is_time_over())
        budget.excess = "processor time";
    if (budget.excess)
        luaL_error(L, "over the limit");
}

/* --- the limit of processor time --- */

/*
 * A timer of the thread's processor time. At the limit the text fails at its next instructions, which gives
 * the line; checks of the table fail after STRIDE. A function in C that Lua calls runs no instructions: where
 * one takes a part of the limit more, 6 s of 30 s, the process ends.
 */

#define LUA_BUDGET_GRACE_PART 5
#define LUA_BUDGET_SIGNAL     (SIGRTMIN + 3)
#define LUA_BUDGET_STATUS     2 /* the configuration is wrong */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* glibc has no name for it before 2.38 */
#endif

static void tell(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0)
        return;
}

/* In the thread of the reading. */
static void on_late(int unused_signal)
{
    if (budget.is_late && !budget.is_spared) {
        tell(budget.path);
        tell(": reading it takes more processor time than it may, in one call of a library function\n");
        _exit(LUA_BUDGET_STATUS);
    }
    budget.is_late = 1;
}

static struct timespec timespec_of(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / MOMENT_SECOND, .tv_nsec = ns % MOMENT_SECOND};
}

/* False, with errno: there is no timer. */
static bool start_timer(void)
{
    struct sigaction action = {.sa_handler = on_late, .sa_flags = SA_RESTART};
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = LUA_BUDGET_SIGNAL};
    const struct itimerspec end = {.it_value = timespec_of(budget.limit_ns),
                                   .it_interval = timespec_of(budget.limit_ns / LUA_BUDGET_GRACE_PART)};
    event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
    budget.is_late = 0;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &budget.timer) != 0)
        return false;
    sigaction(LUA_BUDGET_SIGNAL, &action, &budget.former);
    timer_settime(budget.timer, 0, &end, NULL);
    return true;
}

/* A driver of DPDK looks for a signal without a handler: the former one returns. */
static void stop_timer(void)
{
    timer_delete(budget.timer);
    sigaction(LUA_BUDGET_SIGNAL, &budget.former, NULL);
    budget.was_late = budget.is_late;
    budget.is_late = 0;
}

bool lua_budget_was_late(void)
{
    return budget.was_late;
}

void lua_budget_spare(void)
{
    budget.is_spared = true;
}

int64_t lua_budget_limit(int64_t limit_ns)
{
    int64_t former_ns = budget.limit_ns;
    budget.limit_ns = limit_ns;
    return former_ns;
}

void lua_budget_stop(void)
{
    budget.is_stopped = true;
}

/* --- the module --- */

static int limit_s(lua_State *L)
{
    lua_pushnumber(L, (double)budget.limit_ns / MOMENT_SECOND);
    return 1;
}

static int is_over(lua_State *L)
{
    lua_pushboolean(L, is_time_over());
    return 1;
}

static int begin_parse(lua_State *unused_state)
{
    budget.parse_end_ns = clock_thread_ns() + LUA_BUDGET_PARSE_SECONDS * MOMENT_SECOND;
    return 0;
}

static int is_parse_over(lua_State *L)
{
    lua_pushboolean(L, is_time_over() || clock_thread_ns() > budget.parse_end_ns);
    return 1;
}

/* --- the meter of a text --- */

#define STRIDES 64 /* of watched instructions, between two calls of `check` */

/* A hook has no argument. */
static struct {
    int stride, strides;
    lua_Integer steps; /* since the latest call of `check` */
    double seen_kib, most_kib;
} meter;

static double held_kib(lua_State *L)
{
    return lua_gc(L, LUA_GCCOUNT) + lua_gc(L, LUA_GCCOUNTB) / 1024.0;
}

static void on_stride(lua_State *L, lua_Debug *unused_record)
{
    double held = held_kib(L), grown = held - meter.seen_kib;
    meter.seen_kib = held;
    meter.steps += meter.stride + (grown > 0 ? (lua_Integer)grown : 0);
    if (++meter.strides < STRIDES && held <= meter.most_kib && !is_time_over())
        return;
    lua_rawgetp(L, LUA_REGISTRYINDEX, &meter);
    lua_pushinteger(L, meter.steps);
    meter.strides = 0;
    meter.steps = 0;
    lua_call(L, 1, 0);
    meter.seen_kib = held_kib(L);
}

static int lua_budget_watch(lua_State *L)
{
    lua_State *thread = lua_tothread(L, 1);
    luaL_argcheck(L, thread != NULL, 1, "a thread");
    meter.stride = (int)luaL_checkinteger(L, 2);
    meter.seen_kib = luaL_checknumber(L, 3);
    meter.most_kib = luaL_checknumber(L, 4);
    meter.strides = 0;
    meter.steps = 0;
    lua_settop(L, 5);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &meter);
    lua_sethook(thread, on_stride, LUA_MASKCOUNT, meter.stride);
    return 0;
}

int luaopen_gbflow_budget(lua_State *L)
{
    static const luaL_Reg functions[] = {{"is_over", is_over},         {"limit_s", limit_s},
                                         {"begin_parse", begin_parse}, {"is_parse_over", is_parse_over},
                                         {"watch", lua_budget_watch},  {NULL, NULL}};
    luaL_newlib(L, functions);
    lua_pushinteger(L, LUA_BUDGET_PARSE_SECONDS);
    lua_setfield(L, -2, "parse_s");
    return 1;
}

static int add_traceback(lua_State *L)
{
    if (!budget.excess)
        luaL_traceback(L, L, lua_tostring(L, 1), 1);
    return 1;
}

static void lua_budget_complain(lua_State *L, int status, const char *path)
{
    if (status == LUA_ERRMEM)
        utf8_printf(stderr, "%s: reading it takes more than %zu MiB of memory\n", path,
                    LUA_BUDGET_OCTETS >> 20);
    else if (budget.excess && budget.instructions_left < 0)
        utf8_printf(stderr, "%s: reading it takes more than %" PRId64 " %s\n", path, LUA_BUDGET_INSTRUCTIONS,
                    budget.excess);
    else if (budget.excess)
        utf8_printf(stderr, "%s: reading it takes more than %.3g s of %s\n", path,
                    (double)budget.limit_ns / MOMENT_SECOND, budget.excess);
    else
        utf8_printf(stderr, "%s: defect in gbflow's check of configurations, please report it: %s\n", path,
                    luaL_tolstring(L, -1, NULL));
}

bool lua_budget_call(lua_State *L, int arguments, int results, const char *path)
{
    int handler = lua_gettop(L) - arguments;
    budget.path = path;
    if (!start_timer()) {
        utf8_printf(stderr, "%s: it cannot be read: no timer for its processor time: %s\n", path,
                    strerror(errno));
        lua_settop(L, handler - 1);
        return false;
    }
    size_t limit_octets = lua_host_limit(L, LUA_BUDGET_OCTETS);
    budget.instructions_left = LUA_BUDGET_INSTRUCTIONS;
    budget.excess = NULL;
    lua_pushcfunction(L, add_traceback);
    lua_insert(L, handler);
    lua_sethook(L, on_count, LUA_MASKCOUNT, STRIDE);
    int status = lua_pcall(L, arguments, results, handler);
    stop_timer();
    lua_sethook(L, NULL, 0, 0);
    lua_host_limit(L, limit_octets);
    if (status == LUA_OK) {
        lua_remove(L, handler);
        return true;
    }
    lua_budget_complain(L, status, path);
    lua_settop(L, handler - 1);
    return false;
}
