/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tells systemd the state of a service (sd_notify(3): datagrams to the socket $NOTIFY_SOCKET), and that it
 * works (WatchdogSec=, $WATCHDOG_USEC). No effect outside of a service with Type=notify.
 */
#ifndef CONTROL_LOG_NOTIFY_H
#define CONTROL_LOG_NOTIFY_H

#include <stdbool.h>
#include <stdint.h>

struct notify {
    int fd;           /* -1: no socket */
    int64_t every_ns; /* half of the watchdog's time; 0: off */
    int64_t due_ns;   /* of the next sign of life */
};

/* Opens the socket before the process drops its rights. */
void notify_open(struct notify *notify);
void notify_close(struct notify *notify);

/* Sends assignments, such as "READY=1\nSTATUS=running". */
void notify_send(const struct notify *notify, const char *text);

/* Sends a sign of life if one is due and the caller works; returns the next deadline, MOMENT_NEVER without a
 * watchdog. */
int64_t notify_alive(struct notify *notify, bool is_working, int64_t now);

#endif
