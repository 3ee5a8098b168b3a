/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in an object's methods, and in the n-th allocation of a call: the call is told as failed, its
 * intents are lost, the next call works. */
#include "control/lua/lua_table.h"
#include "control/config/lua_config.h"
#include "control/lua/lua_host.h"

#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <string.h>

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
    lua_object_push(&rig->object, method);
    lua_object_call(&rig->object, 0, 7);
}

TEST(an_error_ends_the_call_only)
{
    static const struct {
        const char *method, *text;
    } rows[] = {{"fail", "a defect"}, {"fail_oddly", "an error without a text"}, {"no_such_method", "nil"}};
    struct rig rig;
    open(&rig);
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
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
TEST(memory_has_a_limit)
{
    struct rig rig;
    open(&rig);
    lua_host_limit(rig.L, LIMIT_OCTETS);
    lua_host_defer(rig.L);
    for (unsigned i = 0; i < 20; i++) {
        call(&rig, "hoard");
        assert_int_equal(rig.failed, i + 1);
        assert_non_null(strstr(rig.text, "not enough memory"));
        call(&rig, "work");
        assert_int_equal(rig.done, 100 * (i + 1));
    }
    close(&rig);
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

UNIT_MAIN(NULL, NULL)
