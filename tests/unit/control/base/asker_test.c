/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/asker.h"
#include "tests/unit/unit.h"

#include <sys/socket.h>
#include <unistd.h>

TEST(the_other_end_of_a_socket_is_known)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
    const struct asker asker = asker_of(ends[0]);
    assert_true(asker.is_known);
    assert_int_equal(asker.uid, geteuid());
    assert_int_equal(asker.pid, getpid());
    assert_true(asker_may_act(&asker));
    close(ends[0]);
    close(ends[1]);
    assert_false(asker_of(-1).is_known);
}

TEST(root_and_the_own_user_may_act)
{
    assert_true(asker_may_act(&(struct asker){.uid = 0, .is_known = true}));
    assert_true(asker_may_act(&(struct asker){.uid = geteuid(), .is_known = true}));
    assert_false(asker_may_act(&(struct asker){.uid = geteuid() + 1, .is_known = true}));
    assert_false(asker_may_act(&(struct asker){.uid = 0}));
}

UNIT_MAIN(NULL, NULL)
