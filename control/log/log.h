/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Log lines for the operator, with time, category and level, limited to lines_per_s. Lines beyond the limit
 * are dropped and counted; a line with their number follows. Never used per packet. Level debug has the
 * events and messages of state machines (lua/base/trace.lua).
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

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG, LOG_LEVELS };
enum log_format { LOG_TEXT, LOG_JSON, LOG_JOURNAL };

#define LOG_CATEGORIES           13
#define LOG_FOLLOWERS            5
#define LOG_FOLLOWER_LINES_PER_S 1000
#define LOG_FOLLOWER_LINE_OCTETS 1000 /* of a line, the rest is cut off */
#define LOG_NAMES_CHARS          (10 * LOG_CATEGORIES)
#define LOG_WORD_CHARS           64

struct log_category {
    const char *name, *what;
};
extern const struct log_category log_categories[LOG_CATEGORIES];

struct log_levels {
    uint8_t own[LOG_CATEGORIES]; /* enum log_level + 1 of each category; 0: none of its own */
    uint8_t others;              /* enum log_level of all others */
};

/* Where lines go, at most lines_per_s and as many at once. */
struct log_sink {
    struct log_levels levels;
    unsigned lines_per_s;
    int64_t whole_ns; /* when the leaky bucket of lines is empty */
    uint64_t written, left_out, left_out_told;
};

/* A client that gets the lines, too, as texts. One that does not read them in time loses lines. */
struct log_follower {
    int fd; /* the client's, of a socket with messages; -1: the place is free */
    struct log_sink sink;
    bool may_act;              /* not only read (control/base/asker.h) */
    char word[LOG_WORD_CHARS]; /* that the lines have, "": all */
};

struct log {
    FILE *out;
    enum log_format format;
    int64_t (*wall_ns)(void); /* time since 1970; NULL: none */
    struct log_sink own;      /* of out */
    struct log_follower followers[LOG_FOLLOWERS];
};

/* lines_per_s, at least 1, is the burst as well. Level warn, no follower. */
void log_init(struct log *log, FILE *out, unsigned lines_per_s);

/* Sets levels by a list such as "warn,gtpc:info,ns=error". NULL, or the first wrong part: static, with the
 * levels unchanged from there on. */
const char *log_levels_set(struct log_levels *levels, const char *list);

/* The level of a category. */
enum log_level log_levels_of(const struct log_levels *levels, unsigned category);

/* The names of all categories, and of all levels, separated by blanks. Static. */
const char *log_category_names(void);
const char *log_level_names(void);
const char *log_level_name(enum log_level level);

/* The names of the categories with level debug, separated by blanks; false: there are none. */
bool log_debug_names(const struct log_levels *levels, char out[LOG_NAMES_CHARS]);

/* Sets the format "text", "json", "journal" or "auto": journal if stderr is the journal's stream
 * (JOURNAL_STREAM), else text. False: unknown. */
bool log_set_format(struct log *log, const char *name);

/* One line. Level: "debug", "info", "warn", "warning" or "error". Control characters of the text are written
 * as \n and \xHH, in JSON as JSON does. */
void log_line(struct log *log, const char *who, const char *level, const char *text, int64_t now);

/* Whether a text has a word between characters that belong to no number, name or address. */
bool log_has_word(const char *text, const char *word);

/* From now on a client gets lines with this word ("": all) by the list of levels, besides those of log->own.
 * With neither it gets the lines that log->own has; with a word alone, all of it. Where all places are taken,
 * one that may act takes that of one that may only read, whose connection ends. NULL, or why it gets none:
 * static. */
const char *log_follow(struct log *log, int fd, bool may_act, const char *word, const char *list);

/* The client has gone; the caller closes it. */
void log_leave(struct log *log, int fd);

/* Tells followers how many lines they have lost, if they read again. */
void log_tell_followers(struct log *log, int64_t now);

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
