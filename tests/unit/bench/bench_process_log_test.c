/* SPDX-License-Identifier: BSD-3-Clause */
/* The cause that is found in the output of a process that ended, and the file that has the output. */
#include "tests/unit/unit.h"

#include "bench/throughput/process_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXITED(status) ((status) << 8) /* as waitpid() has them */
#define KILLED(signal) (signal)

struct row {
    const char *output;
    int status;
    const char *expect; /* before "; its output is in" */
};

static const struct row rows[] = {
    {"testpmd: one\n\nEAL: FATAL: Cannot get hugepage information.\nEAL: Error - exiting with code: 1\n"
     "  Cause: Cannot init EAL: Permission denied\n",
     EXITED(1),
     "ended with status 1: EAL: FATAL: Cannot get hugepage information.: Cannot init EAL: Permission denied"},
    {"memif_set_role(): Unknown role: x.\nvdev_probe(): failed to initialize\n", EXITED(1),
     "ended with status 1: memif_set_role(): Unknown role: x."},
    {"EAL: Error - exiting with code: 1\n  Cause: no pool\nPort 0 is closed\n", EXITED(2),
     "ended with status 2: no pool"},
    {"first\nlast  \n\n", KILLED(9), "ended by signal 9: last"},
    {"", KILLED(11), "ended by signal 11"},
};

TEST(test_the_cause_is_told)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct bench_process_log log;
        char expect[PATH_MAX + BENCH_PROCESS_LOG_CHARS], path[PATH_MAX];
        assert_true(bench_process_log_open(&log, NULL, "test"));
        assert_int_equal(write(log.fd, rows[i].output, strlen(rows[i].output)), strlen(rows[i].output));
        bench_process_log_end(&log, rows[i].status);
        snprintf(expect, sizeof(expect), "%s; its output is in %s", rows[i].expect, log.path);
        assert_string_equal(log.ended, expect);
        snprintf(path, sizeof(path), "%s", log.path);
        bench_process_log_close(&log);
        assert_int_equal(unlink(path), 0); /* it was kept */
    }
}

/* The log of a process that did not end by itself goes; one in a folder of the user's stays. */
TEST(test_the_file_that_is_left)
{
    struct bench_process_log log;
    char path[PATH_MAX], folder[] = "/tmp/gbflow-log-XXXXXX";
    assert_true(bench_process_log_open(&log, NULL, "test"));
    snprintf(path, sizeof(path), "%s", log.path);
    bench_process_log_close(&log);
    assert_int_equal(access(path, F_OK), -1);
    assert_non_null(mkdtemp(folder));
    assert_true(bench_process_log_open(&log, folder, "testpmd"));
    bench_process_log_close(&log);
    snprintf(path, sizeof(path), "%s/testpmd.log", folder);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    assert_false(bench_process_log_open(&log, folder, "testpmd"));
}

UNIT_MAIN(NULL, NULL)
