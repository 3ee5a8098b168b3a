/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/base/wake.h"

#include "dataplane/base/moment.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <unistd.h>

bool wake_init(struct wake *wake)
{
    wake->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    atomic_init(&wake->is_asleep, false);
    return wake->fd >= 0;
}

void wake_fini(struct wake *wake)
{
    if (wake->fd > 0)
        close(wake->fd);
    wake->fd = -1;
}

void wake_sleep_begin(struct wake *wake)
{
    atomic_store(&wake->is_asleep, true);
}

void wake_sleep_end(struct wake *wake)
{
    uint64_t calls;
    atomic_store(&wake->is_asleep, false);
    while (read(wake->fd, &calls, sizeof(calls)) < 0 && errno == EINTR)
        ;
}

void wake_sleep(struct wake *wake, int64_t wait_ns)
{
    struct pollfd fd = {.fd = wake->fd, .events = POLLIN};
    struct timespec wait = {.tv_sec = wait_ns / MOMENT_SECOND, .tv_nsec = wait_ns % MOMENT_SECOND};
    ppoll(&fd, 1, &wait, NULL);
}

void wake_call(struct wake *wake)
{
    const uint64_t one = 1;
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load(&wake->is_asleep) || !atomic_exchange(&wake->is_asleep, false))
        return;
    while (write(wake->fd, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
}
