/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/clock.h"

#include "dataplane/base/moment.h"

#include <time.h>

int64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * MOMENT_SECOND + now.tv_nsec;
}
