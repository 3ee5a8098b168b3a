/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua file as an AQM scheme: what it is shown, what it may answer, and what becomes of its mistakes. */
#include "control/config/lua_aqm_script.h"

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define EXAMPLE "config/aqm/drop-front.lua"
#define MS      INT64_C(1000000)

struct rig {
    struct lua_aqm_script *script;
    struct aqm_setup *setup;
    _Alignas(16) uint8_t states[2][AQM_MAX_STATE];
};

static void rig_init(struct rig *rig, const char *path, uint64_t seed)
{
    char message[128];
    rig->script = lua_aqm_script_new(path);
    assert_non_null(rig->script);
    struct aqm_choice choice = {.ops = lua_aqm_script_ops(rig->script), .seed = seed};
    rig->setup = aqm_setup_new(&choice, message, sizeof(message));
    assert_non_null(rig->setup);
    for (int i = 0; i < 2; i++)
        aqm_setup_start(rig->setup, rig->states[i], 0);
}

static void rig_fini(struct rig *rig)
{
    aqm_setup_free(rig->setup);
    lua_aqm_script_free(rig->script);
}

/* The same with a file of this text. */
static void rig_write(struct rig *rig, const char *text, uint64_t seed)
{
    char path[] = "/tmp/lua-aqm-XXXXXX";
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    rig_init(rig, path, seed);
    remove(path);
}

static enum aqm_verdict leave(struct rig *rig, int instance, int64_t age_ns, int64_t now)
{
    struct aqm_view view = {.age_ns = age_ns, .left_ns = MOMENT_NEVER, .octets = 500};
    return aqm_setup_ask(rig->setup, AQM_AT_DEQUEUE, rig->states[instance], &view, now);
}

/* Once at half a second, then no sooner than a second later; another instance has a memory of its own. */
static void example_drops_old_heads(void **state)
{
    static const struct {
        int64_t age_ms, now_ms;
        int instance;
        enum aqm_verdict expect;
    } rows[] = {{499, 0, 0, AQM_PASS},    {500, 10, 0, AQM_DROP},   {600, 500, 0, AQM_PASS},
                {600, 500, 1, AQM_DROP},  {600, 1009, 0, AQM_PASS}, {600, 1010, 0, AQM_DROP},
                {600, 1500, 0, AQM_PASS}, {600, 1511, 0, AQM_DROP}, {100, 1512, 0, AQM_PASS},
                {600, 1513, 0, AQM_DROP}};
    struct rig rig;
    rig_init(&rig, EXAMPLE, 1);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (leave(&rig, rows[i].instance, rows[i].age_ms * MS, rows[i].now_ms * MS) != rows[i].expect)
            fail_msg("row %zu", i);
    assert_null(lua_aqm_script_failure(rig.script));
    rig_fini(&rig);
}

/* Each field of the view, checked by the script itself. */
static void sees_the_view(void **state)
{
    struct rig rig;
    rig_write(&rig,
              "return { name = 'eyes', enqueue = function(v, m, now)\n"
              "  local scope = v.backlog_octets == 1234 and v.backlog_pkts == 5 and v.rate_bps == 80000\n"
              "  local times = v.sojourn_s == 1.5 and v.age_s == 0.25 and v.parked_s == 0.125 and now == 2\n"
              "  local rest = v.left_s == math.huge and v.octets == 500 and v.class == 'thp2' and "
              "v.is_ecn_capable\n"
              "  v.tag = 77\n"
              "  return scope and times and rest and v.random >= 0 and v.random < 1 and 'pass' or 'drop'\n"
              "end, dequeue = function(v) return v.tag == 77 and 'mark' or 'drop' end }\n",
              1);
    struct aqm_view view = {.backlog_octets = 1234,
                            .backlog_pkts = 5,
                            .rate_bps = 80000,
                            .octets = 500,
                            .sojourn_ns = 1500 * MS,
                            .age_ns = 250 * MS,
                            .parked_ns = 125 * MS,
                            .left_ns = MOMENT_NEVER,
                            .qclass = QCLASS_THP2,
                            .ecn = AQM_ECN_ECT1};
    rig.setup->is_marking = true;
    assert_int_equal(aqm_setup_ask(rig.setup, AQM_AT_ENQUEUE, rig.states[0], &view, 2000 * MS), AQM_PASS);
    assert_null(lua_aqm_script_failure(rig.script));
    assert_int_equal(view.tag, 77);
    assert_int_equal(aqm_setup_ask(rig.setup, AQM_AT_DEQUEUE, rig.states[0], &view, 0), AQM_MARK);
    rig_fini(&rig);
}

static uint64_t draws(uint64_t seed)
{
    uint64_t hash = 0;
    struct rig rig;
    rig_write(
        &rig,
        "return { name = 'dice', dequeue = function(v) return v.random < 0.5 and 'drop' or 'pass' end }",
        seed);
    for (int i = 0; i < 64; i++)
        hash = hash << 1 | (leave(&rig, 0, 0, i) == AQM_DROP);
    rig_fini(&rig);
    return hash;
}

static void equal_seeds_decide_alike(void **state)
{
    assert_true(draws(1) == draws(1));
    assert_true(draws(1) != draws(2));
}

/* The first mistake is kept, and everything passes from there on. */
static void mistakes_are_told(void **state)
{
    static const struct {
        const char *body, *expect;
    } rows[] = {{"return 'burn'", "a hook must return"},
                {"return {}", "a hook must return"},
                {"error('no')", "error"},
                {"return v.x.y", "a nil value"},
                {"v.tag = 'x'", "a whole number"},
                {"v.tag = 4294967296", "a whole number"}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char text[256];
        struct rig rig;
        struct aqm_view view = {.octets = 500};
        snprintf(
            text, sizeof(text),
            "return { name = 'x', enqueue = function(v) %s end, dequeue = function() return 'drop' end }",
            rows[i].body);
        rig_write(&rig, text, 1);
        assert_int_equal(aqm_setup_ask(rig.setup, AQM_AT_ENQUEUE, rig.states[0], &view, 0), AQM_PASS);
        assert_non_null(strstr(lua_aqm_script_failure(rig.script), rows[i].expect));
        assert_int_equal(leave(&rig, 0, 0, 0), AQM_PASS);
        rig_fini(&rig);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_drops_old_heads),
        cmocka_unit_test(sees_the_view),
        cmocka_unit_test(equal_seeds_decide_alike),
        cmocka_unit_test(mistakes_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
