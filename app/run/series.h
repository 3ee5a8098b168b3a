/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * series.csv: samples at a fixed interval, and events, one value per line: time_s,name,of,value. Times are
 * the scenario's own.
 */
#ifndef APP_RUN_SERIES_H
#define APP_RUN_SERIES_H

#include "control/report/field.h"
#include "control/report/totals.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/worker/fate.h"

#include <stdint.h>
#include <stdio.h>

/* Statistics of a run per mobile and per traffic class (definitions: docs/reference/run-results.md). */

struct run_mobile_stats {
    uint64_t goodput_octets;        /* in order to the application, after the warm-up */
    uint64_t goodput_window_octets; /* since the last sample of the series */
    uint64_t arrived_window_octets; /* of IP packets, likewise */
    uint64_t npdu_in, npdu_out;     /* of the SGSN */
    uint64_t marks;                 /* of npdu_out, with CE set here */
    uint64_t octets_out;            /* of N-PDUs that left it after the warm-up */
    uint64_t *drops;                /* DROP_COUNT, by reason; NULL: none */
    uint64_t unknown_emission; /* delivered N-PDUs whose time of emission is not recorded: 0, or a defect */
    bool has_load;             /* a traffic item of it, no probe, has begun */
    bool has_waited;           /* an N-PDU of it waited in the SGSN after the warm-up */
    struct samples delays, sojourns;
};

struct scenario_run;
struct run_mobile;

/* Some mobiles of a run: of those from index first on the ones of a class, or all (QCLASS_COUNT). */
struct run_members {
    uint32_t first, count;
    int qclass;
};

/*
 * Sums over members. Their shares are those of users alone. A user is a mobile that
 *
 *     (1) has load: a traffic item other than a probe that has begun, and
 *     (2) waits: after the warm-up an N-PDU of it left the SGSN later than it came, or was dropped later, or
 *         is still there.
 *
 * (2) is the "backlogged session" of Parekh and Gallager (1993, section II): a fair server gives equal rates
 * to sessions with data in the queue; of another one it cannot be asked, as it is served all that it brings.
 */
struct run_sum {
    uint32_t mobiles, users;
    uint32_t without_load, without_wait; /* mobiles that are no users by (1); by (2) alone */
    uint64_t npdu_in, npdu_out, marks, octets_out;
    uint64_t drops[DROP_COUNT];
    double goodput_total_bps, goodput_mean_bps, worst_user, jain; /* the last two of users; NAN: no goodput */
};

/* Takes the events of the worker's trace. */
void run_series_stats_take(struct scenario_run *r);

/* Completes the statistics of the mobiles; to be called once, at the end. */
void run_series_stats_end(struct scenario_run *r);

bool run_series_is_member(const struct run_members *members, const struct run_mobile *mobile);

/* Sums members up, after run_series_stats_end(). */
struct run_sum run_series_sum(const struct scenario_run *r, const struct run_members *members);

/* The delays of members' N-PDUs, and their times in the SGSN. */
struct quantiles run_series_delays(const struct scenario_run *r, const struct run_members *members);
struct quantiles run_series_sojourns(const struct scenario_run *r, const struct run_members *members);

/* Adds payload that an application of the mobile has, in order. */
void run_series_goodput(struct run_mobile *mobile, uint64_t octets, int64_t now);

/* A quantile in seconds as text; "-" without samples. Returns out. */
const char *run_series_quantile(struct samples *samples, unsigned percent, char out[16]);

void run_series_stats_free(struct scenario_run *r);

/* Rows of the file that are not of traffic. */
enum {
    RUN_SERIES_SGSN_BACKLOG,
    RUN_SERIES_BSS_BACKLOG,
    RUN_SERIES_BUCKET_LEVEL,
    RUN_SERIES_BUCKET_MAX,
    RUN_SERIES_GOODPUT,
    RUN_SERIES_THROUGHPUT,
    RUN_SERIES_AIR_UTILISATION,
    RUN_SERIES_DELAY,
    RUN_SERIES_NPDU_DROP,
};

/* Name, unit and sentence of each, in this order; label: what the column `of` holds. run_apps_series has them
 * and those of traffic. */
extern const struct field run_series[];

#define SERIES_ROW(kind, name_, label_, unit, sentence)                                                      \
    {                                                                                                        \
        .name = name_, .meaning = FIELD_MEANING(kind, unit, sentence), .type = FIELD_REAL, .label = label_   \
    }

struct run_series {
    FILE *file; /* NULL: not wanted, nothing may be put */
    int64_t every_ns;
    int64_t next_ns; /* of the next sample, in the run's time */
    bool has_failed;
};

/* Creates the file. 0, or a positive errno. */
int run_series_open(struct run_series *s, const char *path, int64_t every_ns);

/* Gives the file its name. 0, or a positive errno when anything could not be written. No effect when it was
 * never opened. */
int run_series_close(struct run_series *s, const char *path);

/* One line of a row: with a whole number, or with a time that is written in seconds. */
void run_series_put(struct run_series *s, int64_t at_ns, const struct field *row, const char *of,
                    int64_t value);
void run_series_put_ns(struct run_series *s, int64_t at_ns, const struct field *row, const char *of,
                       int64_t value_ns);

/* Writes a number and a NUL, for texts of series; returns the NUL's place. */
char *run_series_number(char *to, uint64_t value);

/* Takes the samples that are due: an actor of the loop, self is a struct scenario_run. */
int64_t run_series_step(void *run, int64_t now);

#endif
