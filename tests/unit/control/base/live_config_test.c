/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/live_config.h"
#include "tests/unit/unit.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

TEST(restarts_are_counted)
{
    char path[] = "/tmp/gbflow-restarts-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(live_config_next_restart(path), 0);
    assert_int_equal(live_config_next_restart(path), 1);
    assert_int_equal(pwrite(fd, "255", 3, 0), 3);
    assert_int_equal(live_config_next_restart(path), 0);
    close(fd);
    unlink(path);
}

UNIT_MAIN(NULL, NULL)
