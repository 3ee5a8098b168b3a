/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/live_claims.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static void restarts_are_counted(void **state)
{
    char path[] = "/tmp/gbflow-restarts-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(restarts_next(path), 0);
    assert_int_equal(restarts_next(path), 1);
    assert_int_equal(pwrite(fd, "255", 3, 0), 3);
    assert_int_equal(restarts_next(path), 0);
    close(fd);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
