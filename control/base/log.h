/* SPDX-License-Identifier: BSD-3-Clause */
/* Log lines for the operator, with level and time, limited to lines_per_s. Lines beyond the limit are dropped
 * and counted; a line with their number follows. Never used per packet. */
#ifndef CONTROL_BASE_LOG_H
#define CONTROL_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct log {
    FILE *out;
    unsigned lines_per_s;
    bool is_verbose;  /* level info too */
    int64_t whole_ns; /* when the leaky bucket of lines is empty */
    uint64_t written, left_out, left_out_told;
};

/* lines_per_s, at least 1, is the burst as well. */
void log_init(struct log *log, FILE *out, unsigned lines_per_s);

/* One line, "12.345678 who: level: text". Level: "info", "warn" or "error". Control characters of the text
 * are written as \n and \xHH. */
void log_line(struct log *log, const char *who, const char *level, const char *text, int64_t now);

#endif
