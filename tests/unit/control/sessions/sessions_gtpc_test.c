/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts over GTP-C between sessions, the worker's rings, which the test holds, and Lua. */
#include "tests/unit/control/gtpc_put.h"
#include "tests/unit/control/sessions/gtpc_rig.h"
#include "tests/unit/unit.h"

#include "control/core/core_gtpc.h"
#include "control/core/core_intent.h"
#include "control/core/core_link.h"
#include "control/report/lua_rows.h"
#include "control/sessions/sessions_gtpc.h"
#include "control/lua/lua_object.h"
#include "dataplane/base/moment.h"
#include "dataplane/base/n_pdu.h"

#include <rte_mbuf.h>
#include <stdio.h>
#include <string.h>

#define CONFIG "tests/unit/control/sessions/gtpc_node.lua"
#define SGSN   0x0a620002u
#define GGSN   0x0a620001u
#define GGSN_2 0x0a620009u
#define VICTIM 0x0a630001u
#define FIRST  "262420000000001"
#define SECOND "262420000000002"

static void open(struct gtpc_rig *rig, bool is_live)
{
    gtpc_rig_load(rig, CONFIG);
    rig->config.live.is_on = is_live;
    gtpc_rig_begin(rig);
}

static void receive(struct gtpc_rig *rig, const struct gtpc *message, uint32_t ours, uint32_t theirs)
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
static struct gtpc first_request(struct gtpc_rig *rig)
{
    struct msg msg;
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
    struct gtpc request = rig->sent;
    assert_int_equal(rig->way.datagram.ours, SGSN);
    assert_int_equal(rig->way.datagram.theirs, GGSN);
    assert_int_equal(rig->way.datagram.port, GTPC_PORT);
    assert_string_equal(request.imsi, FIRST);
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
    return request;
}

static struct session *session_of(struct gtpc_rig *rig)
{
    return &rig->sessions.list[rig->sessions.count - 1];
}

#define RIG_TEST(name) TEST_IN(name, struct gtpc_rig, rig, open(rig, true), gtpc_rig_close(rig, MSG_ANSWER))

/* The address is ours before the request goes out; the slot is kept; the answer fills it. */
RIG_TEST(set_up)
{
    struct msg msg;
    assert_true(gtpc_rig_next_of(rig, MSG_GN_ADDRESS, &msg));
    assert_true(msg.address.ip == SGSN && msg.address.is_there);
    struct gtpc request = first_request(rig);
    assert_true(request.teid_data == 0x00100000 && request.nsapi == 5 && rig->ci == 1);
    assert_int_equal(rig->sessions.count, 1); /* that which is given */
    assert_int_equal(rig->sessions.list[0].pdp, 1);
    struct gtpc answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg));
    assert_true(msg.slot == 0 && msg.pdp.teid == request.teid_data && msg.pdp.ggsn_teid == 0x201);
    assert_true(msg.pdp.sgsn_ip == SGSN && msg.pdp.ggsn_ip == GGSN_2 && msg.pdp.address == 0x0a2e0005u);
    assert_true(msg.pdp.nsapi == 5 && msg.pdp.sapi == 5 && msg.pdp.ip_version == 4);
    assert_int_equal(msg.pdp.qclass, QCLASS_THP2);
    assert_true(session_of(rig)->is_active);
    receive(rig, &answer, SGSN, GGSN);
    assert_false(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg));
}

/* An answer of the context's GGSN to what was sent last. */
static void answer_update(struct gtpc_rig *rig, uint32_t teid, uint8_t cause)
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
    assert_true(gtpc_rig_next_of(rig, MSG_GN_IPV6, &msg));
    assert_true(msg.ipv6.place == 2 && msg.ipv6.octets[15] == 9);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg));
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
    assert_true(!gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg) && rig->sent.type == GTPC_DELETE_REQUEST);
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
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg));
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg) && rig->ci == 9);
    answer_update(rig, request.teid_control, GTPC_CAUSE_ACCEPTED);
    assert_false(gtpc_rig_next_of(rig, MSG_PDP_DEL, &msg));
    sessions_lose(&rig->sessions, GGSN_2, 0x201, SGSN);
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
    answer_update(rig, request.teid_control, 192); /* non-existent */
    assert_int_equal(rig->sessions.lost, 1);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_DEL, &msg) && !gtpc_rig_next_of(rig, MSG_MS_DEL, &msg));
    for (int64_t at = 0; at <= 10 * MOMENT_SECOND; at += MOMENT_SECOND)
        core_step(&rig->core, at);
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg)); /* the second one's, again */
    while (strcmp(rig->sent.imsi, FIRST) != 0)
        assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
    assert_int_equal(rig->sent.teid_data, 0x00200000);
    answer = accept_of(&rig->sent);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg) && msg.pdp.teid == 0x00200000);
}

RIG_TEST(another_class)
{
    struct msg msg;
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg));
    assert_false(sessions_gtpc_change(&rig->sessions, FIRST, 6, QCLASS_THP3));
    assert_false(sessions_gtpc_change(&rig->sessions, "262420000000009", 5, QCLASS_THP3));
    rig->config.cells[0].ci = 9;
    assert_true(sessions_gtpc_change(&rig->sessions, FIRST, 5, QCLASS_THP3));
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg) && rig->ci == 9);
    assert_true(rig->sent.type == GTPC_UPDATE_REQUEST && rig->sent.teid == 0x202);
    answer_update(rig, request.teid_control, GTPC_CAUSE_ACCEPTED);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_QCLASS, &msg) && msg.slot == 0 && msg.qclass == QCLASS_THP3);
    assert_int_equal(session_of(rig)->qclass, QCLASS_THP3);
}

/* The ends of a context that is active: the worker gets all of them; and what its GGSN says of compression.
 */
RIG_TEST(other_ends)
{
    struct msg msg;
    struct core_intent intent = {.ggsn = "10.0.0.9",
                                 .ggsn_teid = 0x209,
                                 .ipv4 = "10.46.0.6",
                                 .ipv6 = "2001:db8:7::1",
                                 .qclass = "thp3",
                                 .is_uncompressed = true};
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    intent.id = rig->sessions.wanted[0].id;
    sessions_gtpc_ends(&rig->sessions, &intent); /* it is not active */
    receive(rig, &answer, SGSN, GGSN);
    assert_true(sessions_takes_data(session_of(rig)));
    sessions_gtpc_ends(&rig->sessions, &intent);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_GGSN, &msg) && msg.ggsn.teid == 0x209 &&
                msg.ggsn.address == 0x0a2e0006u);
    assert_true(msg.ggsn.prefix == UINT64_C(0x20010db800070000) && msg.ggsn.interface == 1);
    assert_true(session_of(rig)->address == 0x0a2e0006u && session_of(rig)->ggsn_ip == msg.ggsn.ip);
    assert_false(gtpc_rig_next_of(rig, MSG_PDP_GGSN, &msg));
    sessions_gtpc_class(&rig->sessions, &intent);
    assert_false(sessions_takes_data(session_of(rig)));
    intent.is_uncompressed = false;
    sessions_gtpc_class(&rig->sessions, &intent);
    assert_true(sessions_takes_data(session_of(rig)));
}

/* Of a context that is active, with its session's generation. */
RIG_TEST(mode_of_llc)
{
    struct msg msg;
    struct core_intent intent = {.msg.llc_mode = {0, true, true, 7, 9}, .nsapi = 6};
    struct gtpc request = first_request(rig), answer = accept_of(&request);
    intent.msg.slot = sessions_find_mobile(&rig->sessions, FIRST);
    sessions_gtpc_set_llc(&rig->sessions, &intent); /* it has no such context */
    intent.nsapi = 5;
    sessions_gtpc_set_llc(&rig->sessions, &intent);
    receive(rig, &answer, SGSN, GGSN);
    sessions_gtpc_set_llc(&rig->sessions, &intent);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_LLC, &msg) && msg.slot == 0 &&
                session_of(rig)->is_acknowledged);
    assert_true(msg.llc_mode.generation == session_of(rig)->generation && msg.llc_mode.receive == 9);
    assert_false(gtpc_rig_next_of(rig, MSG_PDP_LLC, &msg));
    intent.msg.llc_mode = (struct msg_llc_mode){0};
    sessions_gtpc_set_llc(&rig->sessions, &intent);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_LLC, &msg));
    assert_false(msg.llc_mode.is_acknowledged || session_of(rig)->is_acknowledged);
}

static void forget(struct gtpc_rig *rig, const char *imsi)
{
    for (uint32_t pdp = 0; pdp < rig->config.limits.contexts; pdp++)
        if (sessions_gtpc_has(&rig->sessions, pdp) &&
            rig->sessions.wanted[pdp].params.mobile == sessions_find_mobile(&rig->sessions, imsi))
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
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_DEL, &msg));
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
    assert_true(rig->sent.type == GTPC_DELETE_REQUEST && rig->sent.teid == 0x202 && rig->sent.teardown);
    assert_false(gtpc_rig_next_of(rig, MSG_MS_DEL, &msg)); /* the given one is there */
    forget(rig, SECOND);
    assert_true(gtpc_rig_next_of(rig, MSG_MS_DEL, &msg));
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
    gtpc_rig_next_of(rig, MSG_ANSWER, &msg);       /* there is none: takes all */
    answer_update(rig, request.teid_control, 192); /* non-existent */
    for (int64_t at = 0; at <= 10 * MOMENT_SECOND; at += MOMENT_SECOND)
        core_step(&rig->core, at);
    gtpc_rig_next_of(rig, MSG_ANSWER, &msg); /* there is none: takes all */
    answer = accept_of(&rig->sent);
    receive(rig, &answer, SGSN, GGSN);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_ADD, &msg));
    assert_int_equal(msg.slot, 0);
    forget(rig, FIRST);
    assert_true(gtpc_rig_next_of(rig, MSG_PDP_DEL, &msg));
    assert_int_equal(msg.slot, 0);
    assert_false(gtpc_rig_next_of(rig, MSG_PDP_DEL, &msg));
}

static void sweep(struct gtpc_rig *rig)
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
    assert_true(gtpc_rig_next_of(rig, MSG_MS_DEL, &msg));
    assert_int_not_equal(sessions_find_mobile(&rig->sessions, SECOND), SESSIONS_NONE);
}

/* Echo Requests that name a victim as their source: their answers stay within the budget of an address and
 * of all addresses, and the budget is regained with time. */
RIG_TEST(answers_have_a_budget)
{
    struct msg msg;
    struct gtpc echo = {.type = GTPC_ECHO_REQUEST};
    unsigned answers = 0;
    gtpc_rig_next_of(rig, MSG_ANSWER, &msg); /* there is none: takes all */
    for (unsigned i = 0; i < 300; i++) {
        receive(rig, &echo, SGSN, VICTIM);
        answers += gtpc_rig_next_of(rig, MSG_GN_SEND, &msg);
    }
    assert_int_equal(answers, BUDGET_SOURCE_BURST);
    for (unsigned i = 1; i <= 300; i++) {
        receive(rig, &echo, SGSN, VICTIM + i);
        answers += gtpc_rig_next_of(rig, MSG_GN_SEND, &msg);
    }
    assert_int_equal(answers, BUDGET_ALL_BURST);
    rig->core.now += MOMENT_SECOND / BUDGET_SOURCE_PER_S;
    receive(rig, &echo, SGSN, VICTIM);
    assert_true(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
    assert_int_equal(rig->sent.type, GTPC_ECHO_RESPONSE);
}

/* Elsewhere than in a live node nobody is asked. */
TEST_IN(only_live, struct gtpc_rig, rig, open(rig, false), gtpc_rig_close(rig, MSG_ANSWER))
{
    struct msg msg;
    assert_int_equal(rig->sessions.refused, 2);
    assert_false(gtpc_rig_next_of(rig, MSG_GN_SEND, &msg));
}

UNIT_MAIN(gtpc_rig_start, NULL)
