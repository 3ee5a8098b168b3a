/* SPDX-License-Identifier: BSD-3-Clause */
/* A reload that finds no memory, at each allocation of the reading in turn: it is rejected, and no more; a
 * text that is no regular file. */
#include "tests/unit/unit.h"

#include "control/config/lua_budget.h"
#include "control/config/lua_config.h"
#include "control/config/lua_config_diff.h"
#include "control/config/lua_config_node.h"
#include "control/config/lua_text.h"
#include "control/config/node_config.h"
#include "control/lua/lua_host.h"
#include "dataplane/base/moment.h"
#include "dataplane/sched/link.h"

#include <lauxlib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOCATIONS_MAX 200

#define MOBILE(n)                                                                                            \
    "{ imsi = '26242000000000" #n "', tlli = 0xC000000" #n                                                   \
    ", bvci = 2, contexts = { { nsapi = 5, teid = " #n                                                       \
    ", sgsn_address = '192.0.2.1', ggsn_address = '192.0.2.2', ggsn_teid = 2, address = '10.45.0.1' } } }"
#define NODE(mobiles)                                                                                        \
    "return { gn = { port = 'net_ring0' }, gb = { address = '198.51.100.1', port = 'net_ring1' },"           \
    "  nses = { { nsei = 101, nsvcs = { { nsvci = 1, address = '198.51.100.2' } },"                          \
    "    cells = { { bvci = 2, cell_id = { mcc = '262', mnc = '42', lac = 1, rac = 5, ci = 1 } } } } },"     \
    "  queues = { class = { background = { aqm = { scheme = 'codel' } } } },"                                \
    "  mobiles = { source = 'list', list = { " mobiles " } } }"

static unsigned left = UINT32_MAX; /* allocations until one fails */

/* In place of the C library's reallocarray(), by which the lists of a configuration grow. */
void *lua_config_diff_test_reallocarray(void *memory, size_t count, size_t octets) __asm__("reallocarray");

void *lua_config_diff_test_reallocarray(void *memory, size_t count, size_t octets)
{
    if (left == 0 || (octets > 0 && count > SIZE_MAX / octets))
        return NULL;
    left -= left != UINT32_MAX;
    return realloc(memory, count * octets);
}

TEST(rejected_at_each)
{
    static const struct lua_config_diff_texts texts = {"node.lua", NODE(MOBILE(1)),
                                                       NODE(MOBILE(1) ", " MOBILE(2))};
    struct lua_config_diff diff;
    struct node_config running = {
        .limits = {.mobiles = 4096, .contexts = 8192, .npdu_buffers = 32767, .reassemblies = 1024}};
    unsigned failed = 0;
    bool is_right = false;
    for (unsigned at = 0; at < ALLOCATIONS_MAX && !is_right; at++) {
        left = at;
        is_right = lua_config_diff_new(&diff, &texts, &running);
        failed += !is_right;
        left = UINT32_MAX;
        lua_config_diff_free(&diff);
    }
    assert_true(is_right);
    assert_in_range(failed, 5, ALLOCATIONS_MAX);
}

/* The lists of a running node: as before where there is no memory; else no further allocation. */
TEST(reserved)
{
    struct node_config config = {0},
                       more = {.nse_count = 2, .cell_count = 3, .nsvc_count = 4, .home_count = 1};
    node_config_add_nse(&config, &(struct node_config_nse){.nsei = 1});
    for (unsigned at = 0; at < 4; at++) {
        left = at > 0;
        assert_false(node_config_reserve(&config, &more));
        assert_true(config.nse_count == 1 && config.nses[0].nsei == 1);
    }
    left = 1;
    assert_true(node_config_reserve(&config, &more));
    left = 0;
    for (uint16_t i = 0; i < 3; i++) {
        if (i < 2)
            assert_int_equal(node_config_add_nse(&config, &(struct node_config_nse){.nsei = i}), i + 1);
        assert_int_equal(node_config_add_cell(&config, &(struct node_config_cell){.bvci = i}), i);
    }
    assert_int_equal(node_config_add_nsvcs(&config, 4), 0);
    left = UINT32_MAX;
    node_config_free(&config);
}

/* A FIFO without a writer would hold the reader. */
TEST(read_from_files_only)
{
    char folder[] = "/tmp/gbflow-diff-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/node.lua", folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_null(lua_config_diff_text(path));
    assert_null(lua_config_diff_text(folder));
    unlink(path);
    assert_null(lua_config_diff_text(path));
    rmdir(folder);
}

/* --- How packets wait: from a node's file to what the program goes by --- */

#define QUEUES   "tests/unit/control/core/node_queues.lua"
#define DEFAULTS "config/nodes/replay-80k.lua" /* 32767 buffers */

static void with(const char *path, void (*look)(const struct node_config *config))
{
    struct node_config config;
    lua_State *L = lua_host_new(lua_modules);
    assert_true(lua_config_load_node(L, path, &config));
    look(&config);
    node_config_free(&config);
    lua_host_free(L);
}

static void look_at_links(const struct node_config *config)
{
    const struct sched_link_rate *link = &config->nses[0].link;
    assert_true(config->nses[0].nsei == 101 && config->nses[1].nsei == 102);
    assert_true(link->rate_bps == 2000000 && link->max_octets == 25000 && link->signalling_percent == 7);
    assert_true(config->nses[1].link.rate_bps == 0);
    assert_int_equal(config->gb.overhead_octets, -5);
}

TEST_CALL(links, with(QUEUES, look_at_links))

static void look_at_marking(const struct node_config *config)
{
    const struct marking *gn = &config->gn.marking, *gb = &config->gb.marking;
    static const uint8_t wanted[QCLASS_COUNT] = {1, 0, 2, 3, 4, 5, 6, 63};
    assert_true(gn->clears_ecn && gn->copies_dscp && !gb->copies_dscp);
    assert_true(gn->dscp[QCLASS_SIGNALLING] == 26 && gn->dscp[QCLASS_THP1] == 0 &&
                gn->dscp[QCLASS_BACKGROUND] == 1);
    assert_memory_equal(gb->dscp, wanted, sizeof wanted);
}

TEST_CALL(marking, with(QUEUES, look_at_marking))

static void look_at_no_marking(const struct node_config *config)
{
    static const struct marking none;
    assert_memory_equal(&config->gn.marking, &none, sizeof none);
    assert_memory_equal(&config->gb.marking, &none, sizeof none);
}

TEST_CALL(no_marking, with(DEFAULTS, look_at_no_marking))

static void assert_policy(const struct gb_policy *policy, uint64_t max_rate_bps, uint32_t rate_percent)
{
    assert_true(gb_policy_is_valid(policy));
    assert_int_equal(policy->bss_target_ns, 250000000);
    assert_int_equal(policy->max_octets, 8000);
    assert_int_equal(policy->max_rate_bps, max_rate_bps);
    assert_int_equal(policy->rate_percent, rate_percent);
}

static void look_at_policies(const struct node_config *config)
{
    assert_policy(&config->policy.gb, 0, 100);
    assert_policy(&config->cells[0].policy, 0, 100);
    assert_policy(&config->cells[1].policy, 50000, 90);
    assert_policy(&config->cells[2].policy, 0, 100);
}

TEST_CALL(policies, with(QUEUES, look_at_policies))

static void look_at_queues(const struct node_config *config)
{
    static const uint16_t weights[QCLASS_COUNT] = {1000, 500, 900, 7, 50, 35, 15, 65535};
    const struct sched_params *params = &config->policy.sched;
    assert_memory_equal(params->weights, weights, sizeof(weights));
    assert_true(config->mobiles.queue_limit_octets == 9000 && params->ms_limit_pkts == 12);
    assert_true(params->class_limits[QCLASS_THP1].octets == 5000 &&
                params->class_limits[QCLASS_THP1].pkts == UINT32_MAX);
    assert_true(params->class_limits[QCLASS_SMS].pkts == 3);
    for (int i = 0; i < QCLASS_COUNT; i++)
        assert_true(i == QCLASS_THP1 || params->class_limits[i].octets >= INT64_MAX);
    assert_true(params->reserve_pkts == 5 && config->limits.extra_flows == 6);
    assert_true(params->flow_queues == 12 && params->flow_quantum_octets == 300);
    assert_true(params->ms_quantum_octets == 4000);
    assert_true(config->pacing.ms_target_ns == 2000000000 && config->pacing.classes == 1 << QCLASS_THP2);
    assert_int_equal(config->limits.flow_sets, 7);
    assert_true(params->flow_tags && params->sfq_classes == 1 << QCLASS_THP3);
    assert_true(params->credit_octets == 3000 && params->drops_duplicates);
    assert_true(params->airtime);
    assert_int_equal(params->budget_pkts, 1023 - 5 - 1023 / 8);
    assert_true(config->contexts[0].pfi == 9 && config->contexts[1].pfi == N_PDU_NO_PFI);
}

TEST_CALL(queues, with(QUEUES, look_at_queues))

/* What is not said is what the scheduler has by itself, but for the budget. */
static void look_at_defaults(const struct node_config *config)
{
    struct context_policy policy;
    const struct sched_params *params = &config->policy.sched;
    context_policy_default(&policy);
    assert_memory_equal(params->weights, policy.sched.weights, sizeof(params->weights));
    assert_true(params->reserve_pkts == policy.sched.reserve_pkts);
    assert_true(params->ms_limit_pkts == policy.sched.ms_limit_pkts);
    assert_int_equal(params->budget_pkts, 32767 - 64 - 32767 / 8);
    assert_true(config->policy.gb.bss_target_ns == 0 && config->policy.gb.rate_percent == 100);
    assert_true(config->limits.extra_flows == config->limits.contexts);
    assert_true(params->flow_queues == 0 && config->limits.flow_sets == 0);
    assert_int_equal(params->flow_quantum_octets, policy.sched.flow_quantum_octets);
    assert_true(params->fifo_classes == 0 && params->ms_quantum_octets == 0);
    assert_true(params->sfq_classes == 0 && !params->flow_tags && params->credit_octets == 0);
    assert_false(params->drops_duplicates || params->airtime);
    for (int i = 0; i < QCLASS_COUNT; i++)
        assert_true(params->class_limits[i].pkts == UINT32_MAX);
}

TEST_CALL(defaults, with(DEFAULTS, look_at_defaults))

/* --- What DL-UNITDATA says of mobiles: from a node's file to octets --- */

#define RADIO "tests/unit/control/config/node_radio.lua"

static const struct bssgp_elements *elements_of(const struct node_config *config, unsigned mobile)
{
    uint32_t number = config->list[mobile].elements;
    assert_in_range(number, 1, config->elements_count);
    return &config->elements[number - 1];
}

static void look_at_radio(const struct node_config *config)
{
    static const uint8_t behind[] = {0x17, 0x81, 0x79, 0x0a, 0x82, 0x12, 0xff,
                                     0x27, 0x81, 0x00, 0x3d, 0x81, 0x02};
    static const uint8_t others[] = {0x0a, 0x82, 0x80, 0x20};
    const struct bssgp_elements *first = elements_of(config, 0), *second = elements_of(config, 1);
    assert_int_equal(first->front_octets, 131 + 3 + 4);
    assert_int_equal(first->back_octets, 3 + 3);
    assert_memory_equal(first->bytes, "\x13\x00\x80\x0a", 4);
    assert_memory_equal(first->bytes + 131, behind, sizeof behind);
    assert_int_equal(bssgp_elements_octets(second), sizeof others);
    assert_memory_equal(second->bytes, others, sizeof others);
    assert_int_equal(bssgp_elements_octets(elements_of(config, 2)), 0);
    assert_int_equal(config->mobiles.elements, config->list[1].elements);
    assert_true(!config->gb.tells_imsi && config->policy.unitdata.is_aligned &&
                !config->policy.unitdata.tells_tlli_old);
}

TEST_CALL(radio, with(RADIO, look_at_radio))

static void look_at_radio_defaults(const struct node_config *config)
{
    assert_int_equal(config->elements_count, 0);
    assert_int_equal(config->mobiles.elements, 0);
    assert_true(config->gb.tells_imsi && !config->policy.unitdata.is_aligned &&
                config->policy.unitdata.tells_tlli_old);
}

TEST_CALL(radio_defaults, with(DEFAULTS, look_at_radio_defaults))

/* --- Limits for reading a configuration --- */

static bool call(lua_State *L, const char *text)
{
    assert_int_equal(luaL_loadstring(L, text), LUA_OK);
    return lua_budget_call(L, 0, 0, "the text");
}

/* What costs the most in an instruction that is charged one step. */
#define LONG "local a, b = ('x'):rep(1e6), ('x'):rep(1e6) "

static const char *const endless[] = {
    LONG "while true do local x = a < b end",
    LONG "while true do local x = a <= b end",
    LONG "while true do local x = a == b end",
    LONG "while true do if a ~= b then a = b end end",
    LONG "while true do local x = a .. b end",
    "local t, a = {}, ('x'):rep(1e6) while true do local x = t[a .. 'y'] end",
    "local a = ('1'):rep(1e5) while true do local x = a + 1 end",
    "local a = ('1'):rep(1e5) while true do local x = math.sqrt(a) end",
    "local t = {} for i = 1, 16384 do t['k' .. i] = i end local i = 0 "
    "while true do i = i + 1 t['k' .. i] = nil t['k' .. i + 16384] = 1 end",
    "local function f(n, ...) if n > 0 then return f(n - 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...) end "
    "while true do local x = { ... } end end f(1000)",
    "local function f(...) return ... end local t = {} for i = 1, 900 do t[i] = i end "
    "while true do f(f(f(table.unpack(t)))) end",
    "local s = ('x'):rep(9000) while true do for x in s:gmatch('x') do end end",
    "while true do local x = ('x'):rep(1e5):byte(1, -1) end",
    "while true do local x = ('%99.99f'):format(1e308) end",
    "local t = {} for i = 1, 5000 do t[i] = i end while true do table.sort(t, math.ult) end",
    "local function f() return f() end f()",
    "::a:: goto a",
};

#define TIME_NS (MOMENT_SECOND / 5)

/* By steps, processor time or memory; the error says which of them. */
static const char end_of_each[] =
    "local text = ... local value, err = require('schema.sandbox').load(text, 'a.lua') "
    "assert(value == nil and err.line == 1, err.message) "
    "assert(err.message:find('^takes too long: more than 10000000 steps$') "
    "or err.message:find('^takes too much processor time: more than 0.2 s$') "
    "or err.message:find('^takes too much memory: more than 33554432 octets$'), err.message)";

TEST(texts_that_do_not_end)
{
    int64_t former_ns = lua_budget_limit(TIME_NS);
    for (size_t i = 0; i < COUNT(endless); i++) {
        lua_State *L = lua_host_new(lua_modules);
        assert_int_equal(luaL_loadstring(L, end_of_each), LUA_OK);
        lua_pushstring(L, endless[i]);
        if (!lua_budget_call(L, 1, 0, "the text"))
            fail_msg("%s", endless[i]);
        lua_host_free(L);
    }
    lua_budget_limit(former_ns);
}

/* A text of a kind to be found out is not read again by that kind. */
TEST(a_late_text_is_read_once)
{
    char path[] = "/tmp/gbflow-late-XXXXXX", kind[LUA_TEXT_KIND];
    int fd = mkstemp(path);
    lua_State *L = lua_host_new(lua_modules);
    int64_t former_ns = lua_budget_limit(TIME_NS);
    assert_int_equal(write(fd, endless[0], strlen(endless[0])), strlen(endless[0]));
    close(fd);
    assert_false(lua_text_kind(L, path, kind));
    assert_int_equal(lua_gettop(L), 0);
    lua_budget_limit(former_ns);
    lua_host_free(L);
    unlink(path);
}

/* Without the sandbox, which lets no such call pass: one that does not return. */
static const char one_call[] = "(('x'):rep(60)):find(('x*'):rep(60) .. 'y')";

static int status_of_reading(int stderr_fd)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        dup2(stderr_fd, STDERR_FILENO);
        lua_budget_limit(TIME_NS);
        call(lua_host_new(lua_modules), one_call);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(a_call_that_does_not_return)
{
    char said[256] = "";
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(status_of_reading(ends[1]), 2);
    assert_true(read(ends[0], said, sizeof(said) - 1) > 0);
    assert_string_equal(said, "the text: reading it takes more processor time than it may, in one call of a "
                              "library function\n");
    close(ends[0]);
    close(ends[1]);
}

/* The order to end holds for all later readings, too: this test is the last. */
TEST(stopped_for_ever)
{
    lua_State *L = lua_host_new(lua_modules);
    assert_true(call(L, "for i = 1, 1000000 do end"));
    assert_true(call(L, "assert(not require('gbflow_budget').is_over())"));
    assert_true(call(L, "local b = require('gbflow_budget') b.begin_parse() assert(not b.is_parse_over())"));
    lua_budget_stop();
    for (unsigned reading = 0; reading < 3; reading++)
        assert_false(call(L, "while true do end"));
    assert_true(call(L, "assert(require('gbflow_budget').is_over())")); /* too short for the hook */
    assert_true(call(L, "local b = require('gbflow_budget') b.begin_parse() assert(b.is_parse_over())"));
    assert_int_equal(lua_gettop(L), 0);
    lua_host_free(L);
}

UNIT_MAIN(NULL, NULL)
