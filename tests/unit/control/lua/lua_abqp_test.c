/* SPDX-License-Identifier: BSD-3-Clause */
/* The profile that packet flows are created with (lua/gb/abqp.lua), read by the codec of quality of service.
 */
#include "control/lua/lua_host.h"
#include "control/config/lua_config.h"
#include "dataplane/wire/sm.h"
#include "tests/unit/unit.h"

#include <lauxlib.h>
#include <stdbool.h>

static struct qos profile_of(lua_State *L, enum qclass qclass)
{
    struct qos qos;
    size_t octets;
    lua_host_require(L, "gb.abqp");
    lua_getfield(L, -1, "of_class");
    lua_pushstring(L, qclass_name(qclass));
    lua_host_call(L, 1, 1);
    const uint8_t *bytes = (const uint8_t *)lua_tolstring(L, -1, &octets);
    assert_int_equal(octets, QOS_R99_OCTETS); /* the least that BSSGP takes */
    assert_int_equal(qos_decode(&qos, bytes, octets), QOS_R99_OCTETS);
    lua_pop(L, 2);
    return qos;
}

/* Every class of users' packets comes back as itself; signalling and short messages are the first interactive
 * one. */
TEST(is_of_its_class)
{
    lua_State *L = lua_host_new(lua_modules);
    for (int i = 0; i < QCLASS_COUNT; i++) {
        struct qos qos = profile_of(L, (enum qclass)i);
        assert_int_equal(qos_qclass(&qos), i < QCLASS_CONVERSATIONAL ? QCLASS_THP1 : i);
        assert_int_equal(qos.reliability_class, 3);
        assert_int_equal(qos.mean_class, 31);
        assert_int_equal(qos.max_sdu_octets, 1500);
        assert_int_equal(qos.max_rate_down_bps, 240000);
        assert_true(qos.delay_class >= 1 && qos.delay_class <= 4);
        assert_true(qos.precedence >= 1 && qos.precedence <= 3);
        assert_true(qos.delivery_order == 2 && qos.erroneous_sdu == 3);
    }
    lua_host_free(L);
}

/* A rate and a delay are asked for only where they mean something (TS 23.107 clause 6.4.3.3). */
TEST(guarantees)
{
    lua_State *L = lua_host_new(lua_modules);
    for (int i = QCLASS_CONVERSATIONAL; i < QCLASS_COUNT; i++) {
        struct qos qos = profile_of(L, (enum qclass)i);
        bool is_guaranteed = i <= QCLASS_STREAMING;
        assert_int_equal(qos.guaranteed_rate_down_bps, is_guaranteed ? 16000 : 0);
        assert_int_equal(qos.guaranteed_rate_up_bps, is_guaranteed ? 16000 : 0);
        assert_int_equal(qos.transfer_delay_ms, is_guaranteed ? 1000 : 0);
    }
    lua_host_free(L);
}

UNIT_MAIN(NULL, NULL)
