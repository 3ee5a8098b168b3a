/* SPDX-License-Identifier: BSD-3-Clause */
/* A Lua file as an AQM scheme: what it is shown, what it may answer, and what becomes of its mistakes. */
#include "control/config/lua_aqm_script.h"

#include "dataplane/aqm/aqm_setup.h"
#include "dataplane/base/moment.h"
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
TEST(example_drops_old_heads)
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
    for (size_t i = 0; i < COUNT(rows); i++)
        if (leave(&rig, rows[i].instance, rows[i].age_ms * MS, rows[i].now_ms * MS) != rows[i].expect)
            fail_msg("row %zu", i);
    assert_null(lua_aqm_script_failure(rig.script));
    rig_fini(&rig);
}

/* Each field of the view, checked by the script itself. */
TEST(sees_the_view)
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

TEST(equal_seeds_decide_alike)
{
    assert_true(draws(1) == draws(1));
    assert_true(draws(1) != draws(2));
}

/* The limits of work are those of a call: 60 000 calls take twice the budget of a configuration.
 */
TEST(work_is_limited_by_call)
{
    struct rig rig;
    rig_write(&rig,
              "return { name = 'long', dequeue = function(v, m)\n"
              "  m.text = string.format('%s %d', ('x'):rep(200), v.octets)\n"
              "  for i = 1, 10 do m.n = (m.n or 0) + #m.text:sub(1, i) end\n"
              "end }",
              1);
    for (int i = 0; i < 60000; i++)
        leave(&rig, 0, 0, i);
    if (lua_aqm_script_failure(rig.script))
        fail_msg("%s", lua_aqm_script_failure(rig.script));
    rig_fini(&rig);
}

/* Parameters have ranges as those of C, and each law its own values. */
TEST(parameters_are_values_of_the_law)
{
    static const char text[] =
        "return { name = 'p', title = 'T', parameters = {\n"
        "  { name = 'target', kind = 'duration', min = '1 ms', max = '1 s', default = '5 ms', doc = 'd' },\n"
        "  { name = 'mode', kind = 'enum', values = { 'a', 'b' }, default = 'b', doc = 'd' },\n"
        "  { name = 'share', kind = 'percent', min = '0 %', max = '100 %', default = '50 %', doc = 'd' } },\n"
        "  dequeue = function(v, m, now_s, p)\n"
        "    return p.mode == 'a' and p.share == 0.5 and v.age_s > p.target and 'drop' or 'pass' end }";
    static const struct {
        int64_t target_ns, mode, age_ns;
        enum aqm_verdict expect;
    } rows[] = {{5 * MS, 0, 6 * MS, AQM_DROP}, {5 * MS, 1, 6 * MS, AQM_PASS}, {7 * MS, 0, 6 * MS, AQM_PASS}};
    struct rig rig;
    char message[128];
    rig_write(&rig, text, 1);
    const struct aqm_ops *ops = lua_aqm_script_ops(rig.script);
    assert_int_equal(ops->param_count, 4);
    assert_string_equal(ops->title, "T");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const int64_t values[] = {0, rows[i].target_ns, rows[i].mode, 500000};
        struct aqm_choice choice = {.ops = ops, .values = values};
        aqm_setup_free(rig.setup);
        rig.setup = aqm_setup_new(&choice, message, sizeof(message));
        assert_non_null(rig.setup);
        assert_int_equal(leave(&rig, 0, rows[i].age_ns, 0), rows[i].expect);
    }
    const int64_t low[] = {0, 1, 0, 0};
    struct aqm_choice choice = {.ops = ops, .values = low};
    assert_null(aqm_setup_new(&choice, message, sizeof(message)));
    assert_non_null(strstr(message, "target: 1 ns is out of range"));
    rig_fini(&rig);
}

/* The first mistake is kept, with its place and the N-PDU's number, and all later N-PDUs pass. */
TEST(mistakes_are_told)
{
    static const struct {
        const char *body, *expect;
    } rows[] = {{"return 'burn'", ":1: enqueue, N-PDU 1: a hook must return"},
                {"return {}", "a hook must return"},
                {"error('no')", "error"},
                {"return v.x.y", ":1: enqueue, N-PDU 1: attempt to index a nil value"},
                {"\n\nlocal t = nil\nreturn t.x", ":4: enqueue, N-PDU 1: "},
                {"while true do end", ":1: enqueue, N-PDU 1: takes too long: more than 100000 instructions"},
                {"return ('x'):rep(1e9)", "makes too long a string"},
                {"for i = 1, 99 do v.y = ('x'):rep(1e6) end", "takes too long"},
                {"local a, b = ('x'):rep(1e5), ('x'):rep(1e5) for i = 1, 8 do a, b = a .. a, b .. b end "
                 "while true do local x = a < b end",
                 "a call of Lua took more than 1.0 s of processor time (of a hook)"},
                {"v.tag = 'x'", "a whole number"},
                {"v.tag = 4294967296", "a whole number"}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
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

UNIT_MAIN(NULL, NULL)
