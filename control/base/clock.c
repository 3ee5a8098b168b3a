/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/clock.h"

#include "dataplane/base/moment.h"

#include <time.h>

int64_t clock_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * MOMENT_SECOND + now.tv_nsec;
}

int64_t clock_spent_ns(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
    return spent.tv_sec * MOMENT_SECOND + spent.tv_nsec;
}

int64_t clock_thread_ns(void)
{
    struct timespec spent;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return spent.tv_sec * MOMENT_SECOND + spent.tv_nsec;
}

int64_t clock_wall_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * MOMENT_SECOND + now.tv_nsec;
}

struct clock_zone clock_zone_now(void)
{
    time_t now = time(NULL);
    struct tm local;
    if (!localtime_r(&now, &local))
        return (struct clock_zone){0};
    return (struct clock_zone){.quarters = (int8_t)(local.tm_gmtoff / 900),
                               .is_daylight = local.tm_isdst > 0};
}

#ifdef __x86_64__
static uint64_t ticks(void)
{
    return __builtin_ia32_rdtsc();
}

static uint64_t ns_times_2_32_of(uint64_t hz)
{
    return ((uint64_t)MOMENT_SECOND << 32) / hz;
}
#else /* the system's clock has to do */
static uint64_t ticks(void)
{
    return (uint64_t)clock_now_ns();
}

static uint64_t ns_times_2_32_of(uint64_t hz)
{
    return UINT64_C(1) << 32;
}
#endif

struct clock_counter clock_counter_start(uint64_t hz)
{
    return (struct clock_counter){.start = ticks(), .ns_times_2_32 = ns_times_2_32_of(hz)};
}

struct clock_counter clock_counter_shared(uint64_t hz)
{
    return (struct clock_counter){.ns_times_2_32 = ns_times_2_32_of(hz)};
}

int64_t clock_counter_ns(const struct clock_counter *counter)
{
    uint64_t gone = ticks() - counter->start;
    return (int64_t)((unsigned __int128)gone * counter->ns_times_2_32 >> 32);
}
