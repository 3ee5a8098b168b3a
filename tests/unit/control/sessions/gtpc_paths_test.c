/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths between sessions, the worker's rings, which the test holds, and Lua. */
#include "tests/unit/control/sessions/gtpc_rig.h"
#include "tests/unit/unit.h"

#include "control/core/core_path.h"
#include "control/report/lua_rows.h"
#include "dataplane/base/moment.h"
#include "dataplane/worker/gn_echo.h"

#define PATH_CONFIG                                                                                          \
    "tests/unit/control/sessions/path_node.lua" /* one context over IPv6, one over IPv4; 60 s, 5 s, twice,   \
                                               delete */
#define START   (1000 * MOMENT_SECOND)
#define SGSN_V4 0x0a620002u
#define GGSN_V4 0x0a620001u
#define SGSN_V6 address_of_place(0)
#define GGSN_V6 address_of_place(1)

static void open_paths(struct gtpc_rig *rig)
{
    gtpc_rig_load(rig, PATH_CONFIG);
    gtpc_rig_begin(rig);
}

static void close_paths(struct gtpc_rig *rig)
{
    gtpc_rig_close(rig, MSG_GN_ECHO);
}

/* Lets control work up to an instant, as an event loop does. */
static void step(struct gtpc_rig *rig, int64_t until)
{
    for (int64_t next = rig->core.now; next <= until;) {
        int64_t now = next > rig->core.now ? next : rig->core.now;
        next = core_step(&rig->core, now);
    }
    core_step(&rig->core, until);
}

static void expect_echo(struct gtpc_rig *rig, uint32_t ours, uint32_t theirs, uint16_t seq)
{
    struct msg msg;
    assert_true(gtpc_rig_next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_int_equal(msg.type, MSG_GN_ECHO);
    assert_int_equal(msg.path.ours, ours);
    assert_int_equal(msg.path.theirs, theirs);
    assert_int_equal(msg.path.seq, seq);
    assert_true(msg.path.is_to_send);
}

static void expect_nothing(struct gtpc_rig *rig)
{
    struct msg msg;
    assert_false(gtpc_rig_next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
}

static void answer_echo(struct gtpc_rig *rig, uint32_t ours, uint32_t theirs, uint16_t seq)
{
    struct msg msg = {.type = MSG_GN_ECHOED, .path = {.ours = ours, .theirs = theirs, .seq = seq}};
    assert_true(msg_put(rig->rings.to_control, &msg));
}

#define OPEN_PATHS_TEST(name) TEST_IN(name, struct gtpc_rig, rig, open_paths(rig), close_paths(rig))

/* Addresses are told before the contexts that have them, with the octets of the configuration. */
OPEN_PATHS_TEST(addresses)
{
    static const uint8_t want[2][16] = {{0x20, 1, 0x0d, 0xb8, [15] = 1}, {0x20, 1, 0x0d, 0xb8, [15] = 2}};
    struct msg msg;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(gtpc_rig_next_of_two(rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
        assert_int_equal(msg.type, MSG_GN_IPV6);
        assert_int_equal(msg.ipv6.place, i);
        assert_memory_equal(msg.ipv6.octets, want[i], 16);
    }
    assert_true(gtpc_rig_next_of_two(rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
    assert_true(msg.type == MSG_PDP_ADD && msg.pdp.sgsn_ip == SGSN_V6 && msg.pdp.ggsn_ip == GGSN_V6);
    assert_true(msg.pdp.ip_version == 6 && msg.pdp.address == 0);
    assert_true(msg.pdp.prefix == UINT64_C(0x20010db800420007) && msg.pdp.interface == 0xabc);
    assert_true(gtpc_rig_next_of_two(rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
    assert_true(msg.type == MSG_PDP_ADD && msg.pdp.sgsn_ip == SGSN_V4 && msg.pdp.ggsn_ip == GGSN_V4);
    assert_true(msg.pdp.ip_version == 0 && msg.pdp.address == 0x0a2d0001u);
    assert_true(core_address(&rig->core, want[1], 16) == GGSN_V6);
    assert_int_equal(core_address(&rig->core, (uint8_t[16]){0}, 16), ADDRESS_NONE);
    assert_int_equal(core_address(&rig->core, (uint8_t[16]){0xff, 2}, 16), ADDRESS_NONE);
    assert_int_equal(core_address(&rig->core, (uint8_t[4]){240, 0, 0, 1}, 4), ADDRESS_NONE);
    assert_int_equal(core_address(&rig->core, want[1], 15), ADDRESS_NONE);
}

LUA_ROWS_STRUCT(paths);

static struct paths path_of(const struct gtpc_rig *rig, uint32_t path)
{
    struct paths out = {0};
    assert_true(core_read(&rig->core, gn_state, paths_of_lua, &out, LUA_ARG(path)));
    return out;
}

/* Counted from the start of control, not of its clock; one path answers, the other one's context ends. */
OPEN_PATHS_TEST(supervised)
{
    struct msg msg;
    struct paths path;
    core_start(&rig->core, START);
    step(rig, START + 60 * MOMENT_SECOND - 1);
    expect_nothing(rig);
    step(rig, START + 60 * MOMENT_SECOND);
    expect_echo(rig, SGSN_V6, GGSN_V6, 0);
    expect_echo(rig, SGSN_V4, GGSN_V4, 0);
    answer_echo(rig, SGSN_V4, GGSN_V4, 0);
    answer_echo(rig, SGSN_V4, GGSN_V6, 0); /* no such path */
    step(rig, START + 65 * MOMENT_SECOND);
    expect_echo(rig, SGSN_V6, GGSN_V6, 0);
    expect_nothing(rig);
    assert_int_equal(rig->sessions.lost, 0);
    step(rig, START + 70 * MOMENT_SECOND);
    assert_int_equal(rig->sessions.lost, 1);
    assert_false(rig->sessions.list[0].is_active);
    assert_true(rig->sessions.list[1].is_active);
    assert_true(gtpc_rig_next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_true(msg.type == MSG_GN_ECHO_END && msg.path.ours == SGSN_V6 && msg.path.theirs == GGSN_V6);
    path = path_of(rig, 0);
    assert_string_equal(path.state, "off");
    assert_true(path.requests == 1 && path.retransmissions == 1 && path.answers == 0 && path.failures == 1);
    path = path_of(rig, 1);
    assert_string_equal(path.state, "up");
    assert_int_equal(rig->core.paths.list[0].contexts, 0);
    assert_int_equal(rig->core.paths.list[1].contexts, 1);
    step(rig, START + 120 * MOMENT_SECOND);
    expect_echo(rig, SGSN_V4, GGSN_V4, 1);
    expect_nothing(rig);
}

/* A path is one as long as any context has it. */
OPEN_PATHS_TEST(counted)
{
    struct msg msg;
    core_start(&rig->core, START);
    core_path_add(&rig->core, SGSN_V4, GGSN_V4);
    core_path_add(&rig->core, SGSN_V4, ADDRESS_NONE); /* no known GGSN to ask */
    core_path_del(&rig->core, SGSN_V4, ADDRESS_NONE);
    assert_int_equal(rig->core.paths.count, 2);
    core_path_del(&rig->core, SGSN_V4, GGSN_V4);
    expect_nothing(rig);
    core_path_del(&rig->core, SGSN_V4, GGSN_V4);
    assert_true(gtpc_rig_next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_int_equal(msg.type, MSG_GN_ECHO_END);
    core_path_add(&rig->core, SGSN_V4, GGSN_V4);
    assert_int_equal(rig->core.paths.count, 2);
}

/* A GGSN that names another address each time takes no place for good; what is left is followed. */
OPEN_PATHS_TEST(reused)
{
    struct paths path;
    struct msg msg;
    core_start(&rig->core, START);
    core_path_del(&rig->core, SGSN_V4, GGSN_V4);
    for (uint32_t i = 1; i <= GN_ECHO_PATHS + 10; i++) {
        core_path_add(&rig->core, SGSN_V4, GGSN_V4 + i);
        core_path_del(&rig->core, SGSN_V4, GGSN_V4 + i);
        gtpc_rig_next_of(rig, MSG_ANSWER, &msg);
    }
    assert_int_equal(rig->core.paths.count, GN_ECHO_PATHS);
    core_path_add(&rig->core, SGSN_V4, GGSN_V4 + 5 * GN_ECHO_PATHS);
    const struct core_paths_entry *entry = rig->core.paths.list;
    while (entry->theirs != GGSN_V4 + 5 * GN_ECHO_PATHS)
        entry++;
    assert_int_equal(entry->contexts, 1);
    path = path_of(rig, (uint32_t)(entry - rig->core.paths.list));
    assert_string_equal(path.state, "unknown");
    assert_true(rig->core.paths.list[0].contexts == 1 ||
                rig->core.paths.list[1].contexts == 1); /* over IPv6 */
    core_path_del(&rig->core, SGSN_V4, GGSN_V4 + 7);    /* was not followed */
    assert_int_equal(rig->core.paths.count, GN_ECHO_PATHS);
}

UNIT_MAIN(gtpc_rig_start, NULL)
