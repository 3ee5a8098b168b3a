/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths between sessions, the worker's rings, which the test holds, and Lua. */
#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/sessions.h"
#include "control/lua/lua_host.h"

#include "dataplane/base/moment.h"
#include "dataplane/memory/pool.h"
#include "dataplane/worker/gn_rx.h"
#include "tests/unit/unit.h"

#include <string.h>

#define CONFIG                                                                                               \
    "tests/unit/control/core/path_node.lua" /* one context over IPv6, one over IPv4; 60 s, 5 s, twice,       \
                                               delete */
#define BUFFERS 63
#define START   (1000 * MOMENT_SECOND)
#define SGSN_V4 0x0a620002u
#define GGSN_V4 0x0a620001u
#define SGSN_V6 address_of_place(0)
#define GGSN_V6 address_of_place(1)

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
    struct sessions sessions;
};

/* The next order to the worker of these types, whatever is between; false: none. */
static bool next_of(struct rig *rig, uint16_t first, uint16_t second, struct msg *msg)
{
    while (msg_take(rig->rings.to_worker, msg)) {
        if (msg_has_mbuf(msg->type))
            rte_pktmbuf_free(msg->mbuf);
        if (msg->type == first || msg->type == second)
            return true;
    }
    return false;
}

static void open(struct rig *rig)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, CONFIG, &rig->config));
    assert_true(msg_rings_new(&rig->rings, "rig", 128));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *const rings[] = {&rig->rings};
    assert_true(core_init(&rig->core, rig->L, &rig->config, rings, rig->pool));
    assert_true(sessions_new(&rig->sessions, &rig->core));
    rig->core.mobiles = sessions_for_core(&rig->sessions);
    sessions_add_configured(&rig->sessions);
}

static void close(struct rig *rig)
{
    struct msg msg;
    core_fini(&rig->core);
    sessions_free(&rig->sessions);
    assert_false(next_of(rig, MSG_GN_ECHO, MSG_GN_ECHO, &msg));
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

/* Lets control work up to an instant, as an event loop does. */
static void step(struct rig *rig, int64_t until)
{
    for (int64_t next = rig->core.now; next <= until;) {
        int64_t now = next > rig->core.now ? next : rig->core.now;
        next = core_step(&rig->core, now);
    }
    core_step(&rig->core, until);
}

static void expect_echo(struct rig *rig, uint32_t ours, uint32_t theirs, uint16_t seq)
{
    struct msg msg;
    assert_true(next_of(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_int_equal(msg.type, MSG_GN_ECHO);
    assert_int_equal(msg.path.ours, ours);
    assert_int_equal(msg.path.theirs, theirs);
    assert_int_equal(msg.path.seq, seq);
    assert_true(msg.path.is_to_send);
}

static void expect_nothing(struct rig *rig)
{
    struct msg msg;
    assert_false(next_of(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
}

static void answer(struct rig *rig, uint32_t ours, uint32_t theirs, uint16_t seq)
{
    struct msg msg = {.type = MSG_GN_ECHOED, .path = {.ours = ours, .theirs = theirs, .seq = seq}};
    assert_true(msg_put(rig->rings.to_control, &msg));
}

/* Addresses are told before the contexts that have them, with the octets of the configuration. */
TEST(addresses)
{
    static const uint8_t want[2][16] = {{0x20, 1, 0x0d, 0xb8, [15] = 1}, {0x20, 1, 0x0d, 0xb8, [15] = 2}};
    struct rig rig;
    struct msg msg;
    open(&rig);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(next_of(&rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
        assert_int_equal(msg.type, MSG_GN_IPV6);
        assert_int_equal(msg.ipv6.place, i);
        assert_memory_equal(msg.ipv6.octets, want[i], 16);
    }
    assert_true(next_of(&rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
    assert_true(msg.type == MSG_PDP_ADD && msg.pdp.sgsn_ip == SGSN_V6 && msg.pdp.ggsn_ip == GGSN_V6);
    assert_true(msg.pdp.ip_version == 6 && msg.pdp.address == 0);
    assert_true(msg.pdp.prefix == UINT64_C(0x20010db800420007) && msg.pdp.interface == 0xabc);
    assert_true(next_of(&rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
    assert_true(msg.type == MSG_PDP_ADD && msg.pdp.sgsn_ip == SGSN_V4 && msg.pdp.ggsn_ip == GGSN_V4);
    assert_true(msg.pdp.ip_version == 0 && msg.pdp.address == 0x0a2d0001u);
    assert_true(core_address(&rig.core, want[1], 16) == GGSN_V6);
    assert_int_equal(core_address(&rig.core, (uint8_t[16]){0}, 16), ADDRESS_NONE);
    assert_int_equal(core_address(&rig.core, (uint8_t[16]){0xff, 2}, 16), ADDRESS_NONE);
    assert_int_equal(core_address(&rig.core, (uint8_t[4]){240, 0, 0, 1}, 4), ADDRESS_NONE);
    assert_int_equal(core_address(&rig.core, want[1], 15), ADDRESS_NONE);
    close(&rig);
}

/* Counted from the start of control, not of its clock; one path answers, the other one's context ends. */
TEST(supervised)
{
    struct rig rig;
    struct msg msg;
    struct lua_paths_state path;
    open(&rig);
    core_start(&rig.core, START);
    step(&rig, START + 60 * MOMENT_SECOND - 1);
    expect_nothing(&rig);
    step(&rig, START + 60 * MOMENT_SECOND);
    expect_echo(&rig, SGSN_V6, GGSN_V6, 0);
    expect_echo(&rig, SGSN_V4, GGSN_V4, 0);
    answer(&rig, SGSN_V4, GGSN_V4, 0);
    answer(&rig, SGSN_V4, GGSN_V6, 0); /* no such path */
    step(&rig, START + 65 * MOMENT_SECOND);
    expect_echo(&rig, SGSN_V6, GGSN_V6, 0);
    expect_nothing(&rig);
    assert_int_equal(rig.sessions.lost, 0);
    step(&rig, START + 70 * MOMENT_SECOND);
    assert_int_equal(rig.sessions.lost, 1);
    assert_false(rig.sessions.list[0].is_active);
    assert_true(rig.sessions.list[1].is_active);
    assert_true(next_of(&rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_true(msg.type == MSG_GN_ECHO_END && msg.path.ours == SGSN_V6 && msg.path.theirs == GGSN_V6);
    lua_paths_get(&rig.core.paths.lua, 0, &path);
    assert_string_equal(path.state, "off");
    assert_true(path.requests == 1 && path.repeats == 1 && path.answers == 0 && path.losses == 1);
    lua_paths_get(&rig.core.paths.lua, 1, &path);
    assert_string_equal(path.state, "up");
    assert_int_equal(rig.core.paths.list[0].contexts, 0);
    assert_int_equal(rig.core.paths.list[1].contexts, 1);
    step(&rig, START + 120 * MOMENT_SECOND);
    expect_echo(&rig, SGSN_V4, GGSN_V4, 1);
    expect_nothing(&rig);
    close(&rig);
}

/* A path is one as long as any context has it. */
TEST(counted)
{
    struct rig rig;
    struct msg msg;
    open(&rig);
    core_start(&rig.core, START);
    core_path_add(&rig.core, SGSN_V4, GGSN_V4);
    core_path_add(&rig.core, SGSN_V4, ADDRESS_NONE); /* nobody known to ask */
    core_path_del(&rig.core, SGSN_V4, ADDRESS_NONE);
    assert_int_equal(rig.core.paths.count, 2);
    core_path_del(&rig.core, SGSN_V4, GGSN_V4);
    expect_nothing(&rig);
    core_path_del(&rig.core, SGSN_V4, GGSN_V4);
    assert_true(next_of(&rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_int_equal(msg.type, MSG_GN_ECHO_END);
    core_path_add(&rig.core, SGSN_V4, GGSN_V4);
    assert_int_equal(rig.core.paths.count, 2);
    close(&rig);
}

/* A GGSN that names another address each time takes no place for good; what is left is followed. */
TEST(reused)
{
    struct rig rig;
    struct lua_paths_state path;
    struct msg msg;
    open(&rig);
    core_start(&rig.core, START);
    core_path_del(&rig.core, SGSN_V4, GGSN_V4);
    for (uint32_t i = 1; i <= GN_ECHO_PATHS + 10; i++) {
        core_path_add(&rig.core, SGSN_V4, GGSN_V4 + i);
        core_path_del(&rig.core, SGSN_V4, GGSN_V4 + i);
        while (msg_take(rig.rings.to_worker, &msg))
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
    }
    assert_int_equal(rig.core.paths.count, GN_ECHO_PATHS);
    core_path_add(&rig.core, SGSN_V4, GGSN_V4 + 5 * GN_ECHO_PATHS);
    const struct core_paths_entry *entry = rig.core.paths.list;
    while (entry->theirs != GGSN_V4 + 5 * GN_ECHO_PATHS)
        entry++;
    assert_int_equal(entry->contexts, 1);
    lua_paths_get(&rig.core.paths.lua, (uint32_t)(entry - rig.core.paths.list), &path);
    assert_string_equal(path.state, "unknown");
    assert_true(rig.core.paths.list[0].contexts == 1 || rig.core.paths.list[1].contexts == 1); /* over IPv6 */
    core_path_del(&rig.core, SGSN_V4, GGSN_V4 + 7); /* was not followed */
    assert_int_equal(rig.core.paths.count, GN_ECHO_PATHS);
    close(&rig);
}

static int start_eal(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

UNIT_MAIN(start_eal, NULL)
