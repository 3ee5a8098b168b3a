/* SPDX-License-Identifier: BSD-3-Clause */
/* The places of sessions in a live node, and the index by the GGSN's end. */
#include "tests/unit/control/core/session_rig.h"

#define A "262420000000001"

/* In a live node a PDP slot's next session has the place of the one that ended; the GGSN's end finds the new
 * one, and the old one no more. */
TEST(places_are_used_again)
{
    struct session_rig rig;
    session_rig_open(&rig);
    rig.config.live.is_on = true;
    for (uint32_t i = 0; i < 200; i++) {
        struct session params = session_rig_tunnel(i, 5), other = session_rig_tunnel(1000 + i, 6);
        assert_true(sessions_add(&rig.sessions, A, &params));
        assert_true(sessions_add(&rig.sessions, A, &other));
        sessions_lose(&rig.sessions, params.ggsn_ip, params.ggsn_teid - 1, 0);
        assert_int_equal(rig.sessions.lost, 2 * i);
        sessions_lose(&rig.sessions, params.ggsn_ip, params.ggsn_teid, 0);
        assert_true(rig.sessions.list[1].is_active);
        sessions_lose(&rig.sessions, params.ggsn_ip, other.ggsn_teid, 0);
        assert_int_equal(rig.sessions.lost, 2 * i + 2);
        session_rig_said(&rig);
    }
    assert_int_equal(rig.sessions.count, 2);
    session_rig_close(&rig);
}

UNIT_MAIN(session_rig_start, NULL)
