/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts over GTP-C between sessions, the worker's rings, which the test holds, and Lua. */
#include "tests/unit/control/gtpc_put.h"
#include "tests/unit/unit.h"

#include "control/base/eal.h"
#include "control/config/lua_config.h"
#include "control/core/core.h"
#include "control/core/core_gtpc.h"
#include "control/core/core_link.h"
#include "control/core/core_path.h"
#include "control/sessions/sessions_gtpc.h"
#include "control/lua/lua_host.h"
#include "control/lua/lua_object.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/worker/gn_echo.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define CONFIG  "tests/unit/control/sessions/gtpc_node.lua"
#define BUFFERS 63
#define SGSN    0x0a620002u
#define GGSN    0x0a620001u
#define GGSN_2  0x0a620009u
#define VICTIM  0x0a630001u
#define FIRST   "262420000000001"
#define SECOND  "262420000000002"

struct rig {
    lua_State *L;
    struct node_config config;
    struct msg_rings rings;
    struct rte_mempool *pool;
    struct core core;
    struct sessions sessions;
    struct gtpc sent; /* the latest of GTP-C, and its way */
    unsigned ci;      /* that of the mobile's cell in it */
    struct msg way;
};

static void note_sent(struct rig *rig, const struct msg *msg)
{
    rig->way = *msg;
    assert_true(
        gtpc_decode(&rig->sent, rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf)) > 0);
    rig->sent.qos = NULL;
    static const uint8_t location[] = {152, 0, 8, 0, 0x62, 0xf2, 0x24, 0x12, 0x34, 0};
    const uint8_t *at = memmem(rte_pktmbuf_mtod(msg->mbuf, uint8_t *), rte_pktmbuf_data_len(msg->mbuf),
                               location, sizeof(location));
    rig->ci = at ? at[sizeof(location)] : 0;
}

/* The next order to the worker of these types, whatever is between; false: none. */
static bool next_of_two(struct rig *rig, uint16_t first, uint16_t second, struct msg *msg)
{
    while (msg_take(rig->rings.to_worker, msg)) {
        if (msg->type == MSG_GN_SEND)
            note_sent(rig, msg);
        if (msg_has_mbuf(msg->type))
            rte_pktmbuf_free(msg->mbuf);
        if (msg->type == first || msg->type == second)
            return true;
    }
    return false;
}

static bool next_of(struct rig *rig, uint16_t type, struct msg *msg)
{
    return next_of_two(rig, type, type, msg);
}

static void load(struct rig *rig, const char *config)
{
    *rig = (struct rig){.L = lua_host_new(lua_modules)};
    assert_true(lua_config_load_node(rig->L, config, &rig->config));
}

static void begin(struct rig *rig)
{
    assert_true(msg_rings_new(&rig->rings, "rig", 128));
    assert_non_null(rig->pool = pool_new("pool", BUFFERS));
    struct msg_rings *const rings[] = {&rig->rings};
    assert_true(core_init(&rig->core, rig->L, &rig->config, rings, rig->pool));
    assert_true(sessions_new(&rig->sessions, &rig->core));
    sessions_core_join(&rig->sessions);
    assert_int_equal(lua_object_next_ns(&rig->core.objects[CORE_OBJECT_gtpc]), MOMENT_NEVER);
    sessions_listed_add_all(&rig->sessions);
    bool is_repeated = lua_object_next_ns(&rig->core.objects[CORE_OBJECT_gtpc]) != MOMENT_NEVER;
    assert_true(is_repeated == rig->config.live.is_on && rig->core.has_new_timers);
}

static void open(struct rig *rig, bool is_live)
{
    load(rig, CONFIG);
    rig->config.live.is_on = is_live;
    begin(rig);
}

/* No order of this type is left. */
static void close_without(struct rig *rig, uint16_t type)
{
    struct msg msg;
    core_fini(&rig->core);
    sessions_free(&rig->sessions);
    assert_false(next_of(rig, type, &msg));
    msg_rings_free(&rig->rings);
    assert_int_equal(rte_mempool_avail_count(rig->pool), BUFFERS);
    rte_mempool_free(rig->pool);
    node_config_free(&rig->config);
    lua_host_free(rig->L);
}

static void close_rig(struct rig *rig)
{
    close_without(rig, MSG_ANSWER);
}

static void receive(struct rig *rig, const struct gtpc *message, uint32_t ours, uint32_t theirs)
{
    struct msg msg = {.type = MSG_PUNT_GN, .datagram = {.ours = ours, .theirs = theirs, .port = GTPC_PORT}};
    uint8_t bytes[GTPC_PUT_OCTETS];
    int octets = gtpc_put(bytes, message);
    assert_non_null(msg.mbuf = core_link_buffer(&rig->core, bytes, (size_t)octets));
    assert_true(msg_put(rig->rings.to_control, &msg));
    core_step(&rig->core, rig->core.now);
}

static struct gtpc accept_of(const struct gtpc *request)
{
    static const uint8_t thp2[] = {0x0b, 0x92, 0x1f, 0x71, 0x96, 0xfe, 0xfe, 0x74, 0x02, 0xff, 0xff};
    struct gtpc answer = {
        .type = (uint8_t)(request->type + 1),
        .teid = request->teid_control,
        .seq = request->seq,
        .has = GTPC_HAS_CAUSE | GTPC_HAS_RECOVERY | GTPC_HAS_TEID_DATA | GTPC_HAS_TEID_CONTROL |
               GTPC_HAS_END_USER | GTPC_HAS_CONTROL_ADDRESS | GTPC_HAS_USER_ADDRESS | GTPC_HAS_QOS,
        .cause = GTPC_CAUSE_ACCEPTED,
        .recovery = 9,
        .teid_data = 0x201,
        .teid_control = 0x202,
        .pdp_type = GTPC_PDP_IPV4,
        .user_ipv4 = {4, {10, 46, 0, 5}},
        .control = {4, {10, 98, 0, 1}},
        .user = {4, {10, 98, 0, 9}},
        .arp = 2,
        .qos = thp2,
        .qos_octets = sizeof(thp2),
    };
    return answer;
}

/* The Create Request of the first mobile, the second one's behind it. */
static struct gtpc first_request(struct rig *rig)
{
    struct msg msg;
    assert_true(next_of(rig, MSG_GN_SEND, &msg));
    struct gtpc request = rig->sent;
    assert_int_equal(rig->way.datagram.ours, SGSN);
    assert_int_equal(rig->way.datagram.theirs, GGSN);
    assert_int_equal(rig->way.datagram.port, GTPC_PORT);
    assert_string_equal(request.imsi, FIRST);
    assert_true(next_of(rig, MSG_GN_SEND, &msg));
    return request;
}

static struct session *session_of(struct rig *rig)
{
    return &rig->sessions.list[rig->sessions.count - 1];
}

#define RIG_TEST(name) TEST_IN(name, struct rig, rig, open(rig, true), close_rig(rig))

/* The address is ours before the request goes out; the slot is kept; the answer fills it. */
RIG_TEST(set_up)
{
    struct msg msg;
    assert_true(next_of(rig, MSG_GN_ADDRESS, &msg));
    assert_true(msg.address.ip == SGSN && msg.address.is_there);
    struct gtpc request = first_request(rig);
    assert_true(request.teid_data == 0x00100000 && request.nsapi == 5 && rig->ci == 1);
    assert_int_equal(rig->sessions.count, 1); /* that which is given */
    assert_int_equal(rig->sessions.list[0].pdp, 1);
    struct gtpc answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(next_of(rig, MSG_PDP_ADD, &msg));
    assert_true(msg.slot == 0 && msg.pdp.teid == request.teid_data && msg.pdp.ggsn_teid == 0x201);
    assert_true(msg.pdp.sgsn_ip == SGSN && msg.pdp.ggsn_ip == GGSN_2 && msg.pdp.address == 0x0a2e0005u);
    assert_true(msg.pdp.nsapi == 5 && msg.pdp.sapi == 5 && msg.pdp.ip_version == 4);
    assert_int_equal(msg.pdp.qclass, QCLASS_THP2);
    assert_true(session_of(rig)->is_active);
    receive(rig, &answer, SGSN, GGSN);
    assert_false(next_of(rig, MSG_PDP_ADD, &msg));
}

/* An answer of the context's GGSN to what was sent last. */
static void answer_update(struct rig *rig, uint32_t teid, uint8_t cause)
{
    const struct gtpc answer = {.type = GTPC_UPDATE_RESPONSE,
                                .teid = teid,
                                .seq = rig->sent.seq,
                                .has = GTPC_HAS_CAUSE,
                                .cause = cause};
    assert_int_equal(rig->sent.type, GTPC_UPDATE_REQUEST);
    receive(rig, &answer, SGSN, GGSN);
}

/* Over IPv6, of both types. */
RIG_TEST(over_ipv6)
{
    struct msg msg;
    first_request(rig);
    struct gtpc answer = accept_of(&rig->sent);
    assert_string_equal(rig->sent.imsi, SECOND);
    assert_int_equal(rig->sent.control.octets, 16);
    assert_int_equal(rig->sent.pdp_type, GTPC_PDP_IPV4V6);
    assert_true(rig->way.datagram.ours == address_of_place(0) &&
                rig->way.datagram.theirs == address_of_place(1));
    answer.pdp_type = GTPC_PDP_IPV4V6;
    answer.user_ipv6 = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, 0, 7, [15] = 1}};
    answer.control = answer.user = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, [15] = 9}};
    receive(rig, &answer, address_of_place(0), address_of_place(1));
    assert_true(next_of(rig, MSG_GN_IPV6, &msg));
    assert_true(msg.ipv6.place == 2 && msg.ipv6.octets[15] == 9);
    assert_true(next_of(rig, MSG_PDP_ADD, &msg));
    assert_true(msg.pdp.ggsn_ip == address_of_place(2) && msg.pdp.ip_version == 0);
    assert_true(msg.pdp.address == 0x0a2e0005u && msg.pdp.prefix == UINT64_C(0x20010db800070000) &&
                msg.pdp.interface == 1);
}

/* Without room for its GGSN's address a context carries no packets; one of a phone ends there. */
RIG_TEST(no_room_for_an_address)
{
    struct msg msg;
    first_request(rig);
    struct gtpc answer = accept_of(&rig->sent);
    answer.pdp_type = GTPC_PDP_IPV4V6;
    answer.user_ipv6 = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, 0, 7, [15] = 1}};
    answer.control = answer.user = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, [15] = 9}};
    uint32_t count = rig->core.addresses.count;
    memset(rig->core.addresses.list[count], 0xfd, (ADDRESS_BOOK_MAX - count) * ADDRESS_IPV6_OCTETS);
    rig->core.addresses.count = ADDRESS_BOOK_MAX;
    rig->sessions.wanted[2].is_once = true;
    receive(rig, &answer, address_of_place(0), address_of_place(1));
    assert_true(!next_of(rig, MSG_PDP_ADD, &msg) && rig->sent.type == GTPC_DELETE_REQUEST);
    assert_int_equal(rig->sessions.count, 1);
}

/* An Error Indication ends nothing while the GGSN has the context; else it comes again, with another TEID. */
RIG_TEST(lost_and_found)
{
    struct msg msg;
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    rig->config.cells[0].ci = 9;
    sessions_lose(&rig->sessions, GGSN_2, 0x201, SGSN);
    assert_true(next_of(rig, MSG_PDP_ADD, &msg));
    assert_true(next_of(rig, MSG_GN_SEND, &msg) && rig->ci == 9);
    answer_update(rig, request.teid_control, GTPC_CAUSE_ACCEPTED);
    assert_false(next_of(rig, MSG_PDP_DEL, &msg));
    sessions_lose(&rig->sessions, GGSN_2, 0x201, SGSN);
    assert_true(next_of(rig, MSG_GN_SEND, &msg));
    answer_update(rig, request.teid_control, 192); /* non-existent */
    assert_int_equal(rig->sessions.lost, 1);
    assert_true(next_of(rig, MSG_PDP_DEL, &msg) && !next_of(rig, MSG_MS_DEL, &msg));
    for (int64_t at = 0; at <= 10 * MOMENT_SECOND; at += MOMENT_SECOND)
        core_step(&rig->core, at);
    assert_true(next_of(rig, MSG_GN_SEND, &msg)); /* the second one's, again */
    while (strcmp(rig->sent.imsi, FIRST) != 0)
        assert_true(next_of(rig, MSG_GN_SEND, &msg));
    assert_int_equal(rig->sent.teid_data, 0x00200000);
    answer = accept_of(&rig->sent);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(next_of(rig, MSG_PDP_ADD, &msg) && msg.pdp.teid == 0x00200000);
}

RIG_TEST(another_class)
{
    struct msg msg;
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(next_of(rig, MSG_PDP_ADD, &msg));
    assert_false(sessions_gtpc_change(&rig->sessions, FIRST, 6, QCLASS_THP3));
    assert_false(sessions_gtpc_change(&rig->sessions, "262420000000009", 5, QCLASS_THP3));
    rig->config.cells[0].ci = 9;
    assert_true(sessions_gtpc_change(&rig->sessions, FIRST, 5, QCLASS_THP3));
    assert_true(next_of(rig, MSG_GN_SEND, &msg) && rig->ci == 9);
    assert_true(rig->sent.type == GTPC_UPDATE_REQUEST && rig->sent.teid == 0x202);
    answer_update(rig, request.teid_control, GTPC_CAUSE_ACCEPTED);
    assert_true(next_of(rig, MSG_PDP_QCLASS, &msg) && msg.slot == 0 && msg.qclass == QCLASS_THP3);
    assert_int_equal(session_of(rig)->qclass, QCLASS_THP3);
    rig->config.cells[0].ci = 11;
    sessions_gtpc_reclass(&rig->sessions, session_of(rig)->mobile, 5, "thp2", &(struct lua_field_octets){0});
    assert_true(next_of(rig, MSG_GN_SEND, &msg) && rig->ci == 11);
}

/* Of a context that is active, with its session's generation. */
RIG_TEST(mode_of_llc)
{
    struct msg msg;
    const struct msg_llc_mode mode = {0, true, true, 7, 9};
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    uint32_t mobile = sessions_find_mobile(&rig->sessions, FIRST);
    assert_false(sessions_gtpc_set_llc(&rig->sessions, mobile, 5, &mode));
    receive(rig, &answer, SGSN, GGSN);
    assert_false(sessions_gtpc_set_llc(&rig->sessions, mobile, 6, &mode));
    assert_true(sessions_gtpc_set_llc(&rig->sessions, mobile, 5, &mode));
    assert_true(next_of(rig, MSG_PDP_LLC, &msg) && msg.slot == 0 && session_of(rig)->is_acknowledged);
    assert_true(msg.llc_mode.generation == session_of(rig)->generation && msg.llc_mode.receive == 9);
    assert_true(sessions_gtpc_set_llc(&rig->sessions, mobile, 5, &(struct msg_llc_mode){0}));
    assert_true(next_of(rig, MSG_PDP_LLC, &msg));
    assert_false(msg.llc_mode.is_acknowledged || session_of(rig)->is_acknowledged);
}

static void forget(struct rig *rig, const char *imsi)
{
    for (uint32_t pdp = 0; pdp < rig->config.limits.contexts; pdp++)
        if (sessions_gtpc_has(&rig->sessions, pdp) &&
            rig->sessions.wanted[pdp].mobile == sessions_find_mobile(&rig->sessions, imsi))
            sessions_gtpc_forget(&rig->sessions, pdp);
}

/* The slot and, with its last context, the mobile are free at once; the GGSN is told. */
RIG_TEST(not_wanted_any_more)
{
    struct msg msg;
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(sessions_gtpc_has(&rig->sessions, 0));
    forget(rig, FIRST);
    assert_false(sessions_gtpc_has(&rig->sessions, 0));
    assert_true(next_of(rig, MSG_PDP_DEL, &msg));
    assert_true(next_of(rig, MSG_GN_SEND, &msg));
    assert_true(rig->sent.type == GTPC_DELETE_REQUEST && rig->sent.teid == 0x202 && rig->sent.teardown);
    assert_false(next_of(rig, MSG_MS_DEL, &msg)); /* the given one is there */
    forget(rig, SECOND);
    assert_true(next_of(rig, MSG_MS_DEL, &msg));
}

/* A slot keeps its place in the list of a live node: what is up there again is what ends. */
RIG_TEST(up_again_in_its_place)
{
    struct msg msg;
    struct gtpc request = first_request(rig), answer = accept_of(&request), other = accept_of(&rig->sent);
    receive(rig, &answer, SGSN, GGSN);
    other.pdp_type = GTPC_PDP_IPV4V6;
    other.user_ipv6 = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, 0, 7, [15] = 1}};
    other.control = other.user = (struct gtpc_address){16, {0x20, 1, 0x0d, 0xb8, [15] = 9}};
    receive(rig, &other, address_of_place(0), address_of_place(1));
    sessions_lose(&rig->sessions, GGSN_2, 0x201, SGSN);
    while (next_of(rig, MSG_GN_SEND, &msg))
        ;
    answer_update(rig, request.teid_control, 192); /* non-existent */
    for (int64_t at = 0; at <= 10 * MOMENT_SECOND; at += MOMENT_SECOND)
        core_step(&rig->core, at);
    while (next_of(rig, MSG_GN_SEND, &msg))
        ;
    answer = accept_of(&rig->sent);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(next_of(rig, MSG_PDP_ADD, &msg));
    assert_int_equal(msg.slot, 0);
    forget(rig, FIRST);
    assert_true(next_of(rig, MSG_PDP_DEL, &msg));
    assert_int_equal(msg.slot, 0);
    assert_false(next_of(rig, MSG_PDP_DEL, &msg));
}

static void sweep(struct rig *rig)
{
    for (uint32_t pdp = 0; pdp < rig->config.limits.contexts; pdp++)
        sessions_listed_sweep(&rig->sessions, pdp);
}

/* A marked mobile leaves with all its contexts, the requested and the given; others stay. */
RIG_TEST(marked_mobiles_leave)
{
    struct msg msg;
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    uint32_t mobiles = rig->sessions.mobile_count, contexts = rig->sessions.context_count;
    sweep(rig);
    assert_int_equal(rig->sessions.mobile_count, mobiles);
    sessions_listed_mark(&rig->sessions, "262420000000009");
    sessions_listed_mark(&rig->sessions, FIRST);
    sweep(rig);
    assert_int_equal(rig->sessions.mobile_count, mobiles - 1);
    assert_int_equal(rig->sessions.context_count, contexts - 2);
    assert_int_equal(sessions_find_mobile(&rig->sessions, FIRST), SESSIONS_NONE);
    assert_true(next_of(rig, MSG_MS_DEL, &msg));
    assert_int_not_equal(sessions_find_mobile(&rig->sessions, SECOND), SESSIONS_NONE);
}

/* Echo Requests that name a victim as their source: their answers stay within the budget of an address and
 * of all addresses, and the budget is regained with time. */
RIG_TEST(answers_have_a_budget)
{
    struct msg msg;
    struct gtpc echo = {.type = GTPC_ECHO_REQUEST};
    unsigned answers = 0;
    while (next_of(rig, MSG_GN_SEND, &msg))
        ;
    for (unsigned i = 0; i < 300; i++) {
        receive(rig, &echo, SGSN, VICTIM);
        answers += next_of(rig, MSG_GN_SEND, &msg);
    }
    assert_int_equal(answers, BUDGET_SOURCE_BURST);
    for (unsigned i = 1; i <= 300; i++) {
        receive(rig, &echo, SGSN, VICTIM + i);
        answers += next_of(rig, MSG_GN_SEND, &msg);
    }
    assert_int_equal(answers, BUDGET_ALL_BURST);
    rig->core.now += MOMENT_SECOND / BUDGET_SOURCE_PER_S;
    receive(rig, &echo, SGSN, VICTIM);
    assert_true(next_of(rig, MSG_GN_SEND, &msg));
    assert_int_equal(rig->sent.type, GTPC_ECHO_RESPONSE);
}

/* Elsewhere than in a live node nobody is asked. */
TEST_IN(only_live, struct rig, rig, open(rig, false), close_rig(rig))
{
    struct msg msg;
    assert_int_equal(rig->sessions.refused, 2);
    assert_false(next_of(rig, MSG_GN_SEND, &msg));
}

static int start(void **state)
{
    return eal_start_virtual(64u * 1024 * 1024) ? 0 : -1;
}

/* --- Paths between sessions, the worker's rings, which the test holds, and Lua --- */

#define PATH_CONFIG                                                                                          \
    "tests/unit/control/sessions/path_node.lua" /* one context over IPv6, one over IPv4; 60 s, 5 s, twice,   \
                                               delete */
#define START   (1000 * MOMENT_SECOND)
#define SGSN_V4 0x0a620002u
#define GGSN_V4 0x0a620001u
#define SGSN_V6 address_of_place(0)
#define GGSN_V6 address_of_place(1)

static void open_paths(struct rig *rig)
{
    load(rig, PATH_CONFIG);
    begin(rig);
}

static void close_paths(struct rig *rig)
{
    close_without(rig, MSG_GN_ECHO);
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
    assert_true(next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_int_equal(msg.type, MSG_GN_ECHO);
    assert_int_equal(msg.path.ours, ours);
    assert_int_equal(msg.path.theirs, theirs);
    assert_int_equal(msg.path.seq, seq);
    assert_true(msg.path.is_to_send);
}

static void expect_nothing(struct rig *rig)
{
    struct msg msg;
    assert_false(next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
}

static void answer_echo(struct rig *rig, uint32_t ours, uint32_t theirs, uint16_t seq)
{
    struct msg msg = {.type = MSG_GN_ECHOED, .path = {.ours = ours, .theirs = theirs, .seq = seq}};
    assert_true(msg_put(rig->rings.to_control, &msg));
}

#define OPEN_PATHS_TEST(name) TEST_IN(name, struct rig, rig, open_paths(rig), close_paths(rig))

/* Addresses are told before the contexts that have them, with the octets of the configuration. */
OPEN_PATHS_TEST(addresses)
{
    static const uint8_t want[2][16] = {{0x20, 1, 0x0d, 0xb8, [15] = 1}, {0x20, 1, 0x0d, 0xb8, [15] = 2}};
    struct msg msg;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(next_of_two(rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
        assert_int_equal(msg.type, MSG_GN_IPV6);
        assert_int_equal(msg.ipv6.place, i);
        assert_memory_equal(msg.ipv6.octets, want[i], 16);
    }
    assert_true(next_of_two(rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
    assert_true(msg.type == MSG_PDP_ADD && msg.pdp.sgsn_ip == SGSN_V6 && msg.pdp.ggsn_ip == GGSN_V6);
    assert_true(msg.pdp.ip_version == 6 && msg.pdp.address == 0);
    assert_true(msg.pdp.prefix == UINT64_C(0x20010db800420007) && msg.pdp.interface == 0xabc);
    assert_true(next_of_two(rig, MSG_GN_IPV6, MSG_PDP_ADD, &msg));
    assert_true(msg.type == MSG_PDP_ADD && msg.pdp.sgsn_ip == SGSN_V4 && msg.pdp.ggsn_ip == GGSN_V4);
    assert_true(msg.pdp.ip_version == 0 && msg.pdp.address == 0x0a2d0001u);
    assert_true(core_address(&rig->core, want[1], 16) == GGSN_V6);
    assert_int_equal(core_address(&rig->core, (uint8_t[16]){0}, 16), ADDRESS_NONE);
    assert_int_equal(core_address(&rig->core, (uint8_t[16]){0xff, 2}, 16), ADDRESS_NONE);
    assert_int_equal(core_address(&rig->core, (uint8_t[4]){240, 0, 0, 1}, 4), ADDRESS_NONE);
    assert_int_equal(core_address(&rig->core, want[1], 15), ADDRESS_NONE);
}

/* Counted from the start of control, not of its clock; one path answers, the other one's context ends. */
OPEN_PATHS_TEST(supervised)
{
    struct msg msg;
    struct core_path_state path;
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
    assert_true(next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_true(msg.type == MSG_GN_ECHO_END && msg.path.ours == SGSN_V6 && msg.path.theirs == GGSN_V6);
    core_path_state(&rig->core, 0, &path);
    assert_string_equal(path.state, "off");
    assert_true(path.requests == 1 && path.repeats == 1 && path.answers == 0 && path.losses == 1);
    core_path_state(&rig->core, 1, &path);
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
    core_path_add(&rig->core, SGSN_V4, ADDRESS_NONE); /* nobody known to ask */
    core_path_del(&rig->core, SGSN_V4, ADDRESS_NONE);
    assert_int_equal(rig->core.paths.count, 2);
    core_path_del(&rig->core, SGSN_V4, GGSN_V4);
    expect_nothing(rig);
    core_path_del(&rig->core, SGSN_V4, GGSN_V4);
    assert_true(next_of_two(rig, MSG_GN_ECHO, MSG_GN_ECHO_END, &msg));
    assert_int_equal(msg.type, MSG_GN_ECHO_END);
    core_path_add(&rig->core, SGSN_V4, GGSN_V4);
    assert_int_equal(rig->core.paths.count, 2);
}

/* A GGSN that names another address each time takes no place for good; what is left is followed. */
OPEN_PATHS_TEST(reused)
{
    struct core_path_state path;
    struct msg msg;
    core_start(&rig->core, START);
    core_path_del(&rig->core, SGSN_V4, GGSN_V4);
    for (uint32_t i = 1; i <= GN_ECHO_PATHS + 10; i++) {
        core_path_add(&rig->core, SGSN_V4, GGSN_V4 + i);
        core_path_del(&rig->core, SGSN_V4, GGSN_V4 + i);
        while (msg_take(rig->rings.to_worker, &msg))
            if (msg_has_mbuf(msg.type))
                rte_pktmbuf_free(msg.mbuf);
    }
    assert_int_equal(rig->core.paths.count, GN_ECHO_PATHS);
    core_path_add(&rig->core, SGSN_V4, GGSN_V4 + 5 * GN_ECHO_PATHS);
    const struct core_paths_entry *entry = rig->core.paths.list;
    while (entry->theirs != GGSN_V4 + 5 * GN_ECHO_PATHS)
        entry++;
    assert_int_equal(entry->contexts, 1);
    core_path_state(&rig->core, (uint32_t)(entry - rig->core.paths.list), &path);
    assert_string_equal(path.state, "unknown");
    assert_true(rig->core.paths.list[0].contexts == 1 ||
                rig->core.paths.list[1].contexts == 1); /* over IPv6 */
    core_path_del(&rig->core, SGSN_V4, GGSN_V4 + 7);    /* was not followed */
    assert_int_equal(rig->core.paths.count, GN_ECHO_PATHS);
}

UNIT_MAIN(start, NULL)
