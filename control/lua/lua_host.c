/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/lua/lua_host.h"

#include "control/lua/lua_guard.h"
#include "control/lua/lua_memory.h"
#include "dataplane/base/moment.h"
#include "lua/lua_embedded.h"

#include <lauxlib.h>
#include <lua.h>
#include <lualib.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <sys/random.h>

/*
 * Ends calls of Lua that do not return: a timer of the thread's processor time, four ticks to the limit. A
 * call that is running since four ticks fails with an error at its next instruction. A protected call of Lua
 * that catches the error has the limit's time to end; then the error comes at each instruction until the
 * outermost call is over. A C function that Lua calls is not interrupted.
 */

struct lua_watchdog {
    lua_State *L; /* NULL: not started */
    timer_t timer;
    int64_t limit_ns;
    const char *limit;               /* its name, for the error */
    volatile sig_atomic_t call;      /* odd: in a call; one more at each begin and end */
    volatile sig_atomic_t seen_call; /* at the latest tick */
    volatile sig_atomic_t ticks;     /* with the same call */
    volatile sig_atomic_t is_hooked;
    bool has_failed; /* the call has had an error */
};

#define TICKS 4

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid /* glibc has no name for it before 2.38 */
#endif

static struct lua_watchdog *watchdog_of(lua_State *L);

/* --- in a call --- */

static void on_instruction(lua_State *L, lua_Debug *unused_record)
{
    struct lua_watchdog *w = watchdog_of(L);
    if (!w->has_failed) {
        lua_sethook(L, NULL, 0, 0);
        w->is_hooked = 0;
        w->ticks = 0;
    }
    w->has_failed = true;
    luaL_error(L, "a call of Lua took more than %f s of processor time (%s)",
               (double)w->limit_ns / MOMENT_SECOND, w->limit);
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

/* Around the outermost call. */
static void lua_watchdog_begin(struct lua_watchdog *w)
{
    w->call++;
}

static void lua_watchdog_end(struct lua_watchdog *w)
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

/* Watches the calls that this thread makes from now on; limit_ns >= 4 ns, of processor time. A second call
 * changes the limit. False, with errno: no timer. The struct must stay at its address until
 * lua_watchdog_stop(). */
static bool lua_watchdog_start(struct lua_watchdog *w, lua_State *L, int64_t limit_ns)
{
    int64_t tick_ns = limit_ns / TICKS;
    struct itimerspec every = {
        .it_interval = {.tv_sec = tick_ns / MOMENT_SECOND, .tv_nsec = tick_ns % MOMENT_SECOND}};
    every.it_value = every.it_interval;
    w->limit_ns = limit_ns;
    if (!w->L && !make_timer(w))
        return false;
    w->L = L;
    return timer_settime(w->timer, 0, &every, NULL) == 0;
}

static void lua_watchdog_stop(struct lua_watchdog *w)
{
    if (w->L)
        timer_delete(w->timer);
    w->L = NULL;
}

/* The memory limit of a state: enough for a control plane with a million mobiles that have a bucket each. */
#define MEMORY_MAX_OCTETS ((size_t)1 << 30)

/* Arguments and intents are pushed and read outside of protected calls, where an error cannot be caught; what
 * these need besides the limit. */
#define SPARE_OCTETS ((size_t)4 << 20)

/* Garbage is collected in many small steps. Lua's defaults (100, 13) make a step of 51 200 units of work,
 * which takes milliseconds with a heap larger than the cache: 8 ms with 4000 mobiles. These values make steps
 * of 288 units; since a table of any size is one unit, they take 0.25 ms with 4000 mobiles, 0.5 ms with 20
 * 000. A cycle lasts until new objects are 0.15 times the heap. */
#define GC_STEP_PERCENT     8
#define GC_STEP_LOG2_OCTETS 9

/* With deferred collection: a cycle begins in idle time when the heap is 1.5 times as large as after the
 * latest cycle. In busy time it begins when the heap is 3 times as large, or larger by GARBAGE_KB, or by a
 * quarter of what the limit leaves: at the limit Lua collects everything at once, and a large block finds no
 * room among the small ones. A cycle continues in steps that the loop calls, never within an allocation:
 * there Lua does all the work at once that a large block is worth, 0.4 s for a block of 8 MB. At that amount
 * of garbage the steps may take HURRY_PERCENT of the time of other work, with more garbage more in
 * proportion. The latest cycle may have ended in a flood, whose objects are garbage now. So a cycle begins
 * in idle time also LOOK_NS after lua_host_tidy() has seen a call since the latest one began.
 */
#define BEGIN(kept_kb) ((kept_kb) + (kept_kb) / 2 + 1024)
#define HURRY(kept_kb) (2 * (kept_kb) + 8192)
#define GARBAGE_KB     65536 /* in busy time: make_texts() has room for the texts in it */
#define HURRY_PERCENT  100
#define HURRY_LEAST    25
#define LOOK_NS        (30 * MOMENT_SECOND)

struct host {
    struct lua_memory memory;
    struct lua_watchdog watchdog;
    int kept_kb;        /* after the latest cycle */
    int64_t look_ns;    /* when the next one begins at the latest; MOMENT_NEVER: not known */
    int seen_kb;        /* at the end of the latest lua_host_hurry() with a step */
    unsigned depth;     /* of protected calls */
    bool is_collecting; /* in the midst of a cycle */
    bool is_used;       /* a call since the latest cycle began */
};

static struct host *host_of(lua_State *L)
{
    void *memory;
    lua_getallocf(L, &memory);
    return memory; /* its first member */
}

static struct lua_watchdog *watchdog_of(lua_State *L)
{
    return &host_of(L)->watchdog;
}

/* Bytecode of another Lua than the build's is refused: then the text is parsed. */
static int load_embedded(lua_State *L, const struct lua_embedded_module *module, const char *place)
{
    if (module->code) {
        if (luaL_loadbufferx(L, module->code, module->code_octets, place, "b") == LUA_OK)
            return LUA_OK;
        lua_pop(L, 1);
    }
    return luaL_loadbufferx(L, module->text, module->octets, place, "t");
}

static int search_embedded(lua_State *L)
{
    const char *name = luaL_checkstring(L, 1);
    for (size_t i = 0; i < lua_embedded_count; i++) {
        const struct lua_embedded_module *module = &lua_embedded_modules[i];
        if (strcmp(module->name, name) != 0)
            continue;
        lua_pushfstring(L, "@lua/%s.lua", luaL_gsub(L, name, ".", "/"));
        if (load_embedded(L, module, lua_tostring(L, -1)) != LUA_OK)
            return lua_error(L);
        return 1;
    }
    lua_pushfstring(L, "no module '%s' in the program", name);
    return 1;
}

/* Makes `require` search preloaded and embedded modules only. */
static void set_searchers(lua_State *L)
{
    lua_getglobal(L, "package");
    lua_createtable(L, 2, 0);
    lua_getfield(L, -2, "searchers");
    lua_geti(L, -1, 1);
    lua_seti(L, -3, 1);
    lua_pop(L, 1);
    lua_pushcfunction(L, search_embedded);
    lua_seti(L, -2, 2);
    lua_setfield(L, -2, "searchers");
    lua_pop(L, 1);
}

static void preload(lua_State *L, const luaL_Reg *modules)
{
    for (const luaL_Reg *module = modules; module->name; module++) {
        luaL_requiref(L, module->name, module->func, 0);
        lua_pop(L, 1);
    }
}

lua_State *lua_host_new(const luaL_Reg *modules)
{
    struct host *host = calloc(1, sizeof(*host));
    if (!host)
        return NULL;
    lua_memory_init(&host->memory, MEMORY_MAX_OCTETS);
    host->memory.spare_octets = SPARE_OCTETS;
    lua_State *L = lua_newstate(lua_memory_allocate, &host->memory);
    if (!L) {
        lua_memory_fini(&host->memory);
        free(host);
        return NULL;
    }
    luaL_openlibs(L);
    lua_gc(L, LUA_GCINC, 0, GC_STEP_PERCENT, GC_STEP_LOG2_OCTETS);
    set_searchers(L);
    preload(L, modules);
    return L;
}

void lua_host_free(lua_State *L)
{
    if (!L)
        return;
    struct host *host = host_of(L);
    lua_watchdog_stop(&host->watchdog);
    lua_close(L);
    lua_memory_fini(&host->memory);
    free(host);
}

size_t lua_host_limit(lua_State *L, size_t octets)
{
    struct lua_memory *memory = &host_of(L)->memory;
    size_t previous = memory->limit_octets;
    memory->limit_octets = octets;
    return previous;
}

size_t lua_host_octets(lua_State *L)
{
    return host_of(L)->memory.used_octets;
}

bool lua_host_watch(lua_State *L, int64_t limit_ns, const char *limit)
{
    watchdog_of(L)->limit = limit;
    return lua_watchdog_start(watchdog_of(L), L, limit_ns);
}

void lua_host_begin(lua_State *L)
{
    lua_watchdog_begin(watchdog_of(L));
}

void lua_host_end(lua_State *L)
{
    lua_watchdog_end(watchdog_of(L));
}

/* --- garbage --- */

void lua_host_defer(lua_State *L)
{
    struct host *host = host_of(L);
    host->kept_kb = lua_gc(L, LUA_GCCOUNT);
    host->look_ns = MOMENT_NEVER;
    lua_gc(L, LUA_GCSTOP);
}

static int garbage_most_kb(const struct host *host)
{
    int room_kb = ((int)(host->memory.limit_octets >> 10) - host->kept_kb) / 4,
        most_kb = HURRY(host->kept_kb);
    most_kb = most_kb < GARBAGE_KB ? most_kb : GARBAGE_KB;
    return room_kb < most_kb ? (room_kb > 1 ? room_kb : 1) : most_kb;
}

static void lua_host_step(lua_State *L, struct host *host)
{
    if (!host->is_collecting) {
        host->is_used = false;
        host->look_ns = MOMENT_NEVER;
    }
    host->is_collecting = lua_gc(L, LUA_GCSTEP, 0) == 0;
    if (!host->is_collecting)
        host->kept_kb = lua_gc(L, LUA_GCCOUNT);
}

/* Garbage is 1.5 times the limit: a step for each KiB that was made since the latest call, however short. */
static void steps_of_new(lua_State *L, struct host *host)
{
    for (int left_kb = lua_gc(L, LUA_GCCOUNT) - host->seen_kb; left_kb > 1 && host->is_collecting; left_kb--)
        lua_host_step(L, host);
}

unsigned lua_host_hurry(lua_State *L)
{
    struct host *host = host_of(L);
    int most_kb = garbage_most_kb(host), garbage_kb = lua_gc(L, LUA_GCCOUNT) - host->kept_kb;
    if (!host->is_collecting && garbage_kb < most_kb)
        return 0;
    lua_host_step(L, host);
    if (garbage_kb >= most_kb + most_kb / 2)
        steps_of_new(L, host);
    host->seen_kb = lua_gc(L, LUA_GCCOUNT);
    int64_t percent = HURRY_PERCENT * (int64_t)garbage_kb / most_kb;
    return !host->is_collecting ? 0 : percent > HURRY_LEAST ? (unsigned)percent : HURRY_LEAST;
}

bool lua_host_tidy(lua_State *L, int64_t now)
{
    struct host *host = host_of(L);
    if (host->is_used && host->look_ns == MOMENT_NEVER)
        host->look_ns = now + LOOK_NS;
    if (!host->is_collecting && lua_gc(L, LUA_GCCOUNT) < BEGIN(host->kept_kb) && now < host->look_ns)
        return false;
    lua_host_step(L, host);
    return true;
}

int64_t lua_host_look_ns(lua_State *L)
{
    return host_of(L)->look_ns;
}

/* Errors without memory have a text of Lua's, and no memory for a traceback. */
static int add_traceback(lua_State *L)
{
    if (lua_type(L, 1) == LUA_TSTRING)
        luaL_traceback(L, L, lua_tostring(L, 1), 1);
    else
        luaL_traceback(L, L, "an error without a text", 1);
    return 1;
}

bool lua_host_try(lua_State *L, int arguments, int results)
{
    struct host *host = host_of(L);
    int handler = lua_gettop(L) - arguments;
    lua_pushcfunction(L, add_traceback);
    lua_insert(L, handler);
    unsigned depth = host->depth++;
    host->is_used = true;
    if (depth == 0)
        lua_watchdog_begin(&host->watchdog);
    host->memory.spare_octets = 0;
    bool is_good = lua_pcall(L, arguments, results, handler) == LUA_OK;
    host->depth = depth;
    if (depth == 0) {
        host->memory.spare_octets = SPARE_OCTETS;
        lua_watchdog_end(&host->watchdog);
    }
    lua_remove(L, handler);
    return is_good;
}

void lua_host_call(lua_State *L, int arguments, int results)
{
    if (lua_host_try(L, arguments, results))
        return;
    fprintf(stderr, "gbflow: defect in the Lua control plane: %s\n", luaL_tolstring(L, -1, NULL));
    lua_guard_leave();
    abort();
}

void lua_host_require(lua_State *L, const char *module)
{
    lua_getglobal(L, "require");
    lua_pushstring(L, module);
    lua_host_call(L, 1, 1);
}

/* --- texts of Lua --- */

/* Lua has a table of all short texts, garbage included. When it is full, Lua doubles it at once, and halves
 * it when three quarters are empty; with half a million either takes 10 ms. So it gets its size at the start.
 * Garbage of the 64 MiB at which a collection begins, and what is made until its end, has 260 000 texts. */
#define TEXTS               (1 << 19)
#define TEXTS_MOBILES       16384               /* with fewer, garbage is less */
#define TEXTS_MEMORY_OCTETS ((size_t)256 << 20) /* with a lower limit of memory, too */
#define TEXTS_OF_LIST       512                 /* the collector goes through a list at once */
#define SCATTER             2654435761u         /* Lua's hash of numbers in sequence has long chains */

/* With half as many texts as it has room for, the table is doubled for the last time. A quarter stays: with
 * fewer texts it would be halved. */
static int make_texts(lua_State *L)
{
    lua_newtable(L);
    lua_pushnil(L); /* in place of a list */
    for (int i = 0; i <= TEXTS / 2; i++) {
        const uint32_t number = (uint32_t)i * SCATTER;
        if (i <= TEXTS / 4 && i % TEXTS_OF_LIST == 0) {
            lua_pop(L, 1);
            lua_createtable(L, TEXTS_OF_LIST, 0);
            lua_pushvalue(L, -1);
            lua_rawseti(L, -3, i / TEXTS_OF_LIST + 1);
        }
        lua_pushlstring(L, (const char *)&number, sizeof(number));
        if (i <= TEXTS / 4)
            lua_rawseti(L, -2, i % TEXTS_OF_LIST + 1);
        else
            lua_pop(L, 1);
    }
    lua_pop(L, 1);
    luaL_ref(L, LUA_REGISTRYINDEX);
    return 0;
}

void lua_host_prepare(lua_State *L, uint32_t mobiles, size_t limit_octets)
{
    if (mobiles < TEXTS_MOBILES || limit_octets < TEXTS_MEMORY_OCTETS)
        return;
    int is_running = lua_gc(L, LUA_GCISRUNNING);
    lua_gc(L, LUA_GCSTOP);
    lua_pushcfunction(L, make_texts);
    if (!lua_host_try(L, 0, 0))
        lua_pop(L, 1);
    lua_gc(L, LUA_GCCOLLECT);
    if (is_running)
        lua_gc(L, LUA_GCRESTART);
}

int lua_host_random(lua_State *L)
{
    uint64_t limit = (uint64_t)luaL_checkinteger(L, 1), number;
    luaL_argcheck(L, limit >= 1 && limit <= UINT32_MAX, 1, "out of range 1 .. 4294967295");
    if (getrandom(&number, sizeof number, 0) != sizeof number)
        return luaL_error(L, "getrandom() gives no random number");
    lua_pushinteger(L, (lua_Integer)(number % limit) + 1);
    return 1;
}

const char *lua_host_version(void)
{
    return LUA_RELEASE;
}
