/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Preloaded in front of libc: shifts the clocks of a program, whenever the file was written that FAULT_CLOCK
 * names in the environment. It holds two numbers of 64 bits in the machine's order: nanoseconds added to the
 * wall clock, and nanoseconds added to the monotonic clock. What the kernel waits for is not shifted.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS INT64_C(1000000000)

static const volatile int64_t *shifts;

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("FAULT_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *place = file >= 0 ? mmap(NULL, 2 * sizeof *shifts, PROT_READ, MAP_SHARED, file, 0) : MAP_FAILED;
    shifts = place == MAP_FAILED ? NULL : place;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    long status = syscall(SYS_clock_gettime, clock, now);
    if (status != 0 || !shifts || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
        return (int)status;
    int64_t ns = now->tv_sec * SECOND_NS + now->tv_nsec + shifts[clock == CLOCK_MONOTONIC];
    now->tv_sec = ns / SECOND_NS;
    now->tv_nsec = ns % SECOND_NS;
    return 0;
}
