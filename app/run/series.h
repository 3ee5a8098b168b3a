/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * series.csv: samples at a fixed interval, and events, one value per line: time_s,name,of,value. Times are
 * the scenario's own.
 */
#ifndef APP_RUN_SERIES_H
#define APP_RUN_SERIES_H

#include "control/report/field.h"

#include <stdio.h>

/* The names in the file. */
enum run_series_name {
    RUN_SERIES_SGSN_BACKLOG,
    RUN_SERIES_BSS_BACKLOG,
    RUN_SERIES_BUCKET_LEVEL,
    RUN_SERIES_GOODPUT,
    RUN_SERIES_AIR_UTILISATION,
    RUN_SERIES_DELAY,
    RUN_SERIES_NPDU_DROP,
    RUN_SERIES_PING_RTT,
    RUN_SERIES_RTT,
    RUN_SERIES_SENT,
    RUN_SERIES_RETRANSMITTED,
    RUN_SERIES_ACKED,
};

/* Name, unit and sentence of each, in this order; label: what the column `of` holds. */
extern const struct field run_series[];

struct run_series {
    FILE *file;
    int64_t every_ns;
    int64_t next_ns; /* of the next sample, in the run's time */
    bool has_failed;
};

struct run;

/* Creates the file. 0, or a positive errno. */
int run_series_open(struct run_series *s, const char *path, int64_t every_ns);

/* Gives the file its name. 0, or a positive errno when anything could not be written. No effect when it was
 * never opened. */
int run_series_close(struct run_series *s, const char *path);

/* One line: with a whole number, or with a time that is written in seconds. */
void run_series_put(struct run_series *s, int64_t at_ns, enum run_series_name name, const char *of,
                    int64_t value);
void run_series_put_ns(struct run_series *s, int64_t at_ns, enum run_series_name name, const char *of,
                       int64_t value_ns);

/* An N-PDU that the SGSN dropped. */
void run_series_drop(struct run_series *s, int64_t at_ns, const char *mobile, int reason);

/* Takes the samples that are due: an actor of the loop, self is a struct run. */
int64_t run_series_step(void *run, int64_t now);

#endif
