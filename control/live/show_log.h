/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of gbflow log; record: struct live (telemetry.h). */
#ifndef CONTROL_LIVE_SHOW_LOG_H
#define CONTROL_LIVE_SHOW_LOG_H

/* Sets the levels of stderr by a list of log_levels_set(), all of it or nothing. */
const char *show_log_set(void *record, const char *list);

/* parameters: "WORD,LEVELS", as of log_follow(), both of which may be empty. */
const char *show_log_follow(void *record, const char *parameters, int fd);
void show_log_leave(void *record, int fd);

#endif
