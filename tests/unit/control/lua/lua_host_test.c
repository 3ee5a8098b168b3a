/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/unit.h"

#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_intents.h"
#include "control/lua/lua_memory.h"
#include "control/lua/lua_object.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "lua/lua_embedded.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS    20000
#define STEPS_MOST 1000000
#define WATCHED_NS 40000000 /* tests only; a configuration has 100 ms at least */

static void make_garbage(lua_State *L, unsigned objects)
{
    for (unsigned i = 0; i < objects; i++) {
        lua_createtable(L, 8, 8);
        lua_pop(L, 1);
    }
}

static unsigned tidy(lua_State *L, int64_t now)
{
    unsigned steps = 0;
    while (lua_host_tidy(L, now) && steps < STEPS_MOST)
        steps++;
    return steps;
}

/* What is deferred waits; tidying takes many small steps, ends, and leaves what is in use. */
TEST(garbage_waits_for_time)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_int_equal(luaL_dostring(L, "kept = {} for i = 1, 20000 do kept[i] = { i } end"), LUA_OK);
    lua_gc(L, LUA_GCCOLLECT);
    lua_host_defer(L);
    int kept_kb = lua_gc(L, LUA_GCCOUNT);
    assert_int_equal(tidy(L, 0), 0);
    make_garbage(L, OBJECTS);
    int full_kb = lua_gc(L, LUA_GCCOUNT);
    assert_true(full_kb > 2 * kept_kb);
    assert_in_range(tidy(L, 0), 100, STEPS_MOST - 1);
    assert_in_range(lua_gc(L, LUA_GCCOUNT), kept_kb - 1, kept_kb + kept_kb / 8 + 64);
    assert_int_equal(luaL_dostring(L, "assert(#kept == 20000 and kept[20000][1] == 20000)"), LUA_OK);
    assert_int_equal(tidy(L, 0), 0);
    lua_host_free(L);
}

/* Of P-TMSIs, their signatures, TEIDs of GTP-C and its sequence numbers. */
TEST(random_numbers)
{
    enum { SIGNATURE = 0xffffff, FEW = 20 };
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    lua_pushcfunction(L, lua_host_random);
    lua_setglobal(L, "draw");
    lua_pushinteger(L, SIGNATURE);
    lua_setglobal(L, "limit");
    const char *text = "local seen, steps, bits, again, alike, last = {}, {}, {}, 0, 0, 0 "
                       "for i = 1, 10000 do "
                       "  local n = draw(limit) assert(n >= 1 and n <= limit) "
                       "  local step = n - last last = n "
                       "  if seen[n] then again = again + 1 end seen[n] = true "
                       "  if steps[step] then alike = alike + 1 end steps[step] = true "
                       "  for b = 0, 23 do bits[b] = (bits[b] or 0) + (n >> b & 1) end "
                       "end "
                       "for b = 0, 23 do assert(math.abs(bits[b] - 5000) < 500) end "
                       "return again, alike";
    assert_int_equal(luaL_dostring(L, text), LUA_OK);
    assert_in_range(lua_tointeger(L, -2), 0, FEW); /* 3 are to be expected of a generator of 24 bits */
    assert_in_range(lua_tointeger(L, -1), 0, FEW);
    lua_host_free(L);
}

static const char *run_text(lua_State *L, const char *text)
{
    assert_int_equal(luaL_loadstring(L, text), LUA_OK);
    return lua_host_try(L, 0, 0) ? NULL : lua_tostring(L, -1);
}

/* What a flood made was kept when it was measured. A minute later the heap and its memory are what they were.
 */
TEST(memory_of_a_flood_comes_back)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_null(run_text(L, "kept = {} for i = 1, 20000 do kept[i] = { i } end"));
    lua_gc(L, LUA_GCCOLLECT);
    lua_host_defer(L);
    int kept_kb = lua_gc(L, LUA_GCCOUNT);
    size_t kept_octets = lua_host_octets(L);
    assert_null(run_text(L, "flood = {} for i = 1, 500000 do flood[i] = { ('x'):rep(40) .. i } end"));
    tidy(L, 0);
    assert_true(lua_gc(L, LUA_GCCOUNT) > 20 * kept_kb);
    assert_null(run_text(L, "flood = nil"));
    assert_int_equal(tidy(L, MOMENT_SECOND), 0);
    int64_t look_ns = lua_host_look_ns(L);
    assert_in_range(look_ns, MOMENT_SECOND, 60 * MOMENT_SECOND);
    assert_in_range(tidy(L, look_ns), 100, STEPS_MOST - 1);
    /* Lua's table of texts becomes smaller by half in a cycle. */
    assert_in_range(lua_gc(L, LUA_GCCOUNT), 1, kept_kb + kept_kb / 8 + 4096);
    assert_in_range(lua_host_octets(L), 1, kept_octets + kept_octets / 4 + (5 << 20));
    assert_true(lua_host_look_ns(L) == MOMENT_NEVER);
    assert_int_equal(tidy(L, look_ns + 60 * MOMENT_SECOND), 0);
    assert_null(run_text(L, "assert(#kept == 20000 and kept[20000][1] == 20000)"));
    lua_host_free(L);
}

/* Where there is never time, memory stays bounded all the same. */
TEST(there_is_a_bound_without_time)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    lua_host_defer(L);
    int most_kb = 0;
    for (unsigned i = 0; i < 1000; i++) {
        make_garbage(L, 200);
        lua_host_hurry(L);
        int now_kb = lua_gc(L, LUA_GCCOUNT);
        most_kb = now_kb > most_kb ? now_kb : most_kb;
    }
    assert_in_range(most_kb, 1, 32 * 1024); /* of 100 MB */
    assert_in_range(tidy(L, 0), 1, STEPS_MOST - 1);
    assert_in_range(lua_gc(L, LUA_GCCOUNT), 1, 2 * 1024);
    lua_host_free(L);
}

/* Blocks of garbage stay small ones: a large block needs room that they have never taken. */
TEST(garbage_leaves_room_for_large_blocks)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_int_equal(luaL_dostring(L, "kept = {} for i = 1, 20000 do kept[i] = { i } end"), LUA_OK);
    lua_gc(L, LUA_GCCOLLECT);
    lua_host_defer(L);
    size_t kept_octets = lua_host_octets(L);
    lua_host_limit(L, 4 * kept_octets);
    for (unsigned i = 0; i < 1000; i++) {
        make_garbage(L, 100);
        lua_host_hurry(L);
    }
    assert_in_range(lua_host_octets(L), kept_octets, 3 * kept_octets);
    assert_int_equal(luaL_dostring(L, "large = string.rep('x', 100000)"), LUA_OK);
    lua_host_free(L);
}

/* What many mobiles need stays, though there is no mobile yet; few mobiles need nothing. */
TEST(a_state_for_many_mobiles_has_their_room)
{
    (void)state;
    static const size_t limit_octets = (size_t)1 << 30;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    lua_gc(L, LUA_GCCOLLECT);
    int empty_kb = lua_gc(L, LUA_GCCOUNT);
    lua_host_prepare(L, 4096, limit_octets);
    lua_host_prepare(L, 1000000, limit_octets / 16);
    assert_in_range(lua_gc(L, LUA_GCCOUNT), empty_kb, empty_kb + 64);
    lua_host_prepare(L, 1000000, limit_octets);
    int room_kb = lua_gc(L, LUA_GCCOUNT);
    assert_in_range(room_kb - empty_kb, 9 << 10, 11 << 10);
    assert_int_equal(luaL_dostring(L, "for i = 1, 200000 do local _ = 'a' .. i end"), LUA_OK);
    for (unsigned i = 0; i < 3; i++)
        lua_gc(L, LUA_GCCOLLECT);
    assert_in_range(lua_gc(L, LUA_GCCOUNT), room_kb - 64, room_kb + 64);
    lua_host_free(L);
}

/* Text for lua_host_try(), and what the error's text has; NULL: none. */
static const struct {
    const char *text, *error;
} watched[] = {
    {"while true do end", "(limits.lua_call)"},
    {"local function f() return f() end f()", "(limits.lua_call)"},
    {"while true do pcall(function() while true do end end) end", "(limits.lua_call)"},
    {"local good = pcall(function() while true do end end) assert(not good)", NULL},
    {"for _ = 1, 1000 do string.rep('x', 100) end", NULL},
    {"error('other')", "other"},
};

TEST(calls_that_do_not_return_end)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_true(lua_host_watch(L, WATCHED_NS, "limits.lua_call"));
    for (size_t i = 0; i < COUNT(watched); i++) {
        assert_int_equal(luaL_loadstring(L, watched[i].text), LUA_OK);
        bool is_good = lua_host_try(L, 0, 0);
        assert_int_equal(is_good, watched[i].error == NULL);
        if (!is_good)
            assert_non_null(strstr(lua_tostring(L, -1), watched[i].error));
        lua_settop(L, 0);
        assert_null(lua_gethook(L));
    }
    lua_host_free(L);
}

/* Each of many short calls is far from the limit; together they are beyond it. */
TEST(short_calls_are_never_ended)
{
    (void)state;
    lua_State *L = lua_host_new(lua_modules);
    assert_non_null(L);
    assert_true(lua_host_watch(L, WATCHED_NS, "limits.lua_call"));
    for (unsigned i = 0; i < 400; i++) {
        assert_int_equal(luaL_loadstring(L, "for _ = 1, 100000 do end"), LUA_OK);
        assert_true(lua_host_try(L, 0, 0));
    }
    lua_host_free(L);
}

#define BLOCKS 500
#define ROUNDS 200000
#define LARGE  ((size_t)2000)

struct block {
    uint8_t *at;
    size_t octets;
    uint8_t filling;
};

static void fill(struct block *block, unsigned round)
{
    block->filling = (uint8_t)round;
    if (block->octets > 0)
        memset(block->at, block->filling, block->octets);
}

static void check(const struct block *block, size_t octets)
{
    for (size_t i = 0; i < octets; i++)
        assert_int_equal(block->at[i], block->filling);
}

static void resize(struct lua_memory *memory, struct block *block, size_t octets, unsigned round)
{
    size_t kept = octets < block->octets ? octets : block->octets;
    block->at = lua_memory_allocate(memory, block->at, block->octets, octets);
    assert_true((block->at != NULL) == (octets > 0));
    if (octets > 0) {
        assert_int_equal((uintptr_t)block->at % LUA_MEMORY_STEP_OCTETS, 0);
        check(block, kept);
    }
    block->octets = octets;
    fill(block, round);
}

/* Blocks keep what is in them through other blocks' lives and their own growth. */
TEST(blocks_are_apart)
{
    (void)state;
    static struct block blocks[BLOCKS];
    struct lua_memory memory;
    struct rng rng;
    rng_init(&rng, 1, 0);
    lua_memory_init(&memory, SIZE_MAX / 2);
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct block *block = &blocks[rng_below(&rng, BLOCKS)];
        uint64_t most = rng_below(&rng, 4) == 0 ? LARGE : LUA_MEMORY_SMALL_OCTETS / 4;
        check(block, block->octets);
        resize(&memory, block, rng_below(&rng, 3) == 0 ? 0 : 1 + rng_below(&rng, most), round);
    }
    for (unsigned i = 0; i < BLOCKS; i++)
        resize(&memory, &blocks[i], 0, 0);
    lua_memory_fini(&memory);
}

/* What is let go is had again: nothing grows but by what is in use. */
TEST(blocks_are_used_again)
{
    (void)state;
    struct lua_memory memory;
    lua_memory_init(&memory, SIZE_MAX / 2);
    void *first = lua_memory_allocate(&memory, NULL, 5, 40);
    lua_memory_allocate(&memory, first, 40, 0);
    size_t used_octets = memory.used_octets;
    for (unsigned i = 0; i < 100000; i++) {
        void *block = lua_memory_allocate(&memory, NULL, 0, 40);
        assert_ptr_equal(block, first);
        lua_memory_allocate(&memory, block, 40, 0);
    }
    assert_int_equal(memory.used_octets, used_octets);
    lua_memory_fini(&memory);
}

TEST(larger_ones_go_back)
{
    (void)state;
    struct lua_memory memory;
    lua_memory_init(&memory, LARGE);
    void *block = lua_memory_allocate(&memory, NULL, 0, LARGE);
    assert_non_null(block);
    assert_int_equal(memory.used_octets, LARGE);
    assert_null(lua_memory_allocate(&memory, block, LARGE, LARGE + 1));
    assert_null(lua_memory_allocate(&memory, NULL, 0, LUA_MEMORY_SMALL_OCTETS + 1));
    assert_null(lua_memory_allocate(&memory, NULL, 0, 1));
    block = lua_memory_allocate(&memory, block, LARGE, LARGE - 1);
    assert_non_null(block);
    assert_null(lua_memory_allocate(&memory, block, LARGE - 1, 0));
    assert_int_equal(memory.used_octets, 0);
    lua_memory_fini(&memory);
}

/* Small ones end at the limit, too, and nothing that is there is lost by that. */
TEST(there_is_a_limit)
{
    (void)state;
    const size_t limit_octets = (size_t)1 << 20;
    struct lua_memory memory;
    unsigned count = 0;
    lua_memory_init(&memory, limit_octets);
    void **last = NULL, **block;
    while ((block = lua_memory_allocate(&memory, NULL, 0, 100))) {
        *block = (void *)last;
        last = block;
        count++;
    }
    assert_true(memory.used_octets <= limit_octets);
    assert_in_range(count, limit_octets / 112 * 9 / 10, limit_octets / 112);
    assert_null(lua_memory_allocate(&memory, (void *)last, 100, 200));
    for (; last; count--) {
        block = *last;
        lua_memory_allocate(&memory, (void *)last, 100, 0);
        last = block;
    }
    assert_int_equal(count, 0);
    lua_memory_fini(&memory);
}

/* Errors in an object's methods, and in the n-th allocation of a call: the call is told as failed, its
 * intents are lost, the next call works. */

#define LIMIT_OCTETS ((size_t)4 << 20)
#define ALLOCATIONS  2000 /* of a call that succeeds: fewer */

static const char object[] =
    "local o = { calls = 0 }\n"
    "function o:work(now) self.calls = self.calls + 1 local list = {}\n"
    "  for i = 1, 100 do list[i] = { op = 'done', text = ('%d of call %d'):format(i, self.calls) } end\n"
    "  return list end\n"
    "function o:fail(now) error('a defect') end\n"
    "function o:fail_oddly(now) error({}) end\n"
    "function o:hoard(now) local all = {} while true do all[#all + 1] = ('x'):rep(1000) .. #all end end\n"
    "function o:next_at() error('no time') end\n"
    "return function() return o end\n";

struct rig {
    lua_State *L;
    struct lua_intents intents;
    struct lua_object object;
    unsigned done, failed;
    char text[4096]; /* of the latest error */
};

static void emit(void *arg, const struct lua_object *from, unsigned op)
{
    ((struct rig *)arg)->done += op == 1;
}

static void fail_with(void *arg, const struct lua_object *from, const char *text)
{
    struct rig *rig = arg;
    rig->failed++;
    strncpy(rig->text, text, sizeof(rig->text) - 1);
}

static void open(struct rig *rig)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_non_null(rig->L);
    lua_intents_init(&rig->intents, rig->L, emit, rig);
    rig->intents.fail = fail_with;
    lua_intents_name(&rig->intents, "done", 1);
    assert_int_equal(luaL_dostring(rig->L, object), LUA_OK);
    lua_object_init(&rig->object, &rig->intents, "test", 0);
}

static void close(struct rig *rig)
{
    assert_int_equal(lua_gettop(rig->L), 0);
    lua_object_fini(&rig->object);
    lua_intents_fini(&rig->intents);
    lua_host_free(rig->L);
}

static void call(struct rig *rig, const char *method)
{
    lua_object_tell(&rig->object, &(struct lua_call){method, (const struct lua_arg[]){{0}}, 7});
}

TEST(an_error_ends_the_call_only)
{
    static const struct {
        const char *method, *text;
    } rows[] = {{"fail", "a defect"}, {"fail_oddly", "an error without a text"}, {"no_such_method", "nil"}};
    struct rig rig;
    open(&rig);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        call(&rig, rows[i].method);
        assert_int_equal(rig.failed, i + 1);
        assert_int_equal(rig.done, 100 * i);
        assert_non_null(strstr(rig.text, rows[i].text));
        assert_non_null(strstr(rig.text, "stack traceback"));
        call(&rig, "work");
        assert_int_equal(rig.done, 100 * (i + 1));
    }
    assert_int_equal(lua_object_next_ns(&rig.object), MOMENT_NEVER);
    close(&rig);
}

/* Beyond the limit the call fails; its garbage is collected, and the next one has room. */
TEST_IN(memory_has_a_limit, struct rig, rig, open(rig), close(rig))
{
    lua_host_limit(rig->L, LIMIT_OCTETS);
    lua_host_defer(rig->L);
    for (unsigned i = 0; i < 20; i++) {
        call(rig, "hoard");
        assert_int_equal(rig->failed, i + 1);
        assert_non_null(strstr(rig->text, "not enough memory"));
        call(rig, "work");
        assert_int_equal(rig->done, 100 * (i + 1));
    }
}

static unsigned countdown; /* allocations of a call until one fails; 0: none fails */

static void *failing(void *memory, void *block, size_t old_octets, size_t new_octets)
{
    bool is_in_call = ((struct lua_memory *)memory)->spare_octets == 0;
    bool is_growth = new_octets > (block ? old_octets : 0);
    if (is_in_call && is_growth && countdown > 0 && --countdown == 0)
        return NULL;
    return lua_memory_allocate(memory, block, old_octets, new_octets);
}

/* Lua collects its garbage and tries again after a failed allocation, so that both have to fail. */
static void *failing_for_good(void *memory, void *block, size_t old_octets, size_t new_octets)
{
    bool is_in_call = ((struct lua_memory *)memory)->spare_octets == 0;
    bool is_growth = new_octets > (block ? old_octets : 0);
    if (is_in_call && is_growth && countdown > 0 && (countdown == 1 || --countdown == 1))
        return NULL;
    return lua_memory_allocate(memory, block, old_octets, new_octets);
}

static unsigned fail_at_each(lua_Alloc allocate)
{
    struct rig rig;
    void *memory;
    unsigned failures = 0;
    open(&rig);
    lua_getallocf(rig.L, &memory);
    lua_setallocf(rig.L, allocate, memory);
    for (unsigned n = 2; n < ALLOCATIONS; n++) {
        unsigned done = rig.done, failed = rig.failed;
        countdown = n;
        call(&rig, "work");
        countdown = 0;
        assert_true(rig.failed == failed ? rig.done == done + 100 : rig.done == done);
        failures += rig.failed - failed;
        call(&rig, "work");
        assert_int_equal(rig.done, done + (rig.failed == failed ? 200 : 100));
    }
    close(&rig);
    return failures;
}

TEST(each_allocation_may_fail)
{
    assert_in_range(fail_at_each(failing_for_good), 50, ALLOCATIONS);
    assert_int_equal(fail_at_each(failing), 0); /* the second attempt succeeds */
}

static bool loads(lua_State *L, const char *bytes, size_t octets, const char *mode)
{
    bool is_loaded = luaL_loadbufferx(L, bytes, octets, "a module", mode) == LUA_OK;
    lua_settop(L, 0);
    return is_loaded;
}

/* Bytecode begins with what no text does. */
TEST(bytecode_is_of_this_lua)
{
    lua_State *L = luaL_newstate();
    for (size_t i = 0; i < lua_embedded_count; i++) {
        const struct lua_embedded_module *module = &lua_embedded_modules[i];
        assert_true(loads(L, module->text, module->octets, "t"));
        assert_true(!module->code || loads(L, module->code, module->code_octets, "b"));
    }
    lua_close(L);
}

UNIT_MAIN(NULL, NULL)
