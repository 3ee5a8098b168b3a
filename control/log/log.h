/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log lines for the operator, with time, category and level, limited to lines_per_s. Lines beyond the limit
 * are dropped and counted; a line with their number follows. Never used per packet.
 *
 * Formats:
 *
 *   LOG_TEXT     2026-11-23T03:50:00.123456Z gtpc: warn: text; without a wall clock the seconds of `now`
 *   LOG_JSON     {"time":"2026-...Z","level":"warn","category":"gtpc","text":"text"}
 *   LOG_JOURNAL  <4>gtpc: warn: text, a priority of syslog(3) that systemd's journal takes off
 */
#ifndef CONTROL_LOG_LOG_H
#define CONTROL_LOG_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVELS };
enum log_format { LOG_TEXT, LOG_JSON, LOG_JOURNAL };

#define LOG_CATEGORIES 13

struct log {
    FILE *out;
    unsigned lines_per_s;
    enum log_format format;
    int64_t (*wall_ns)(void);       /* time since 1970; NULL: none */
    bool is_verbose;                /* level info, too, for categories without a level of their own */
    uint8_t levels[LOG_CATEGORIES]; /* enum log_level + 1 of each category; 0: none of its own */
    uint8_t level;                  /* the same of all others */
    int64_t whole_ns;               /* when the leaky bucket of lines is empty */
    uint64_t written, left_out, left_out_told;
};

/* lines_per_s, at least 1, is the burst as well. Level warn. */
void log_init(struct log *log, FILE *out, unsigned lines_per_s);

/* Sets levels by a list such as "warn,gtpc:info,ns:error". NULL, or the first wrong part: static, with the
 * log unchanged from there on. */
const char *log_set_levels(struct log *log, const char *list);

/* The names of all categories, separated by blanks. Static. */
const char *log_categories(void);

/* Sets the format "text", "json", "journal" or "auto": journal if stderr is the journal's stream
 * (JOURNAL_STREAM), else text. False: unknown. */
bool log_set_format(struct log *log, const char *name);

/* One line. Level: "info", "warn", "warning" or "error". Control characters of the text are written as \n and
 * \xHH, in JSON as JSON does. */
void log_line(struct log *log, const char *who, const char *level, const char *text, int64_t now);

/*
 * Tells systemd the state of a service (sd_notify(3): datagrams to the socket $NOTIFY_SOCKET), and that it
 * works (WatchdogSec=, $WATCHDOG_USEC). No effect outside of a service with Type=notify.
 */

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
