/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Charging records of phones, in a file: a line of JSON, or of osmo-sgsn's CSV, for each attach, detach,
 * begin and end of a context, and for each context in intervals (TS 32.298, S-CDR and M-CDR). Each line is
 * one write() to the end of the file, before what it tells is confirmed.
 */
#ifndef CONTROL_SESSIONS_RECORDS_H
#define CONTROL_SESSIONS_RECORDS_H

#include "control/base/live_config.h"
#include "dataplane/base/teid.h"
#include "dataplane/context/context.h"

#include <stdbool.h>
#include <stdint.h>

struct records {
    int fd;      /* 0: none */
    int next_fd; /* prepared; 0: none */
    struct live_config_records config;
    const struct context_volumes *volumes[TEID_WORKERS]; /* by worker and PDP slot; NULL: none */
    uint64_t written, lost;                              /* lines */
    int error;                                           /* errno of the last write, 0: it succeeded */
    uint32_t next_slot;                                  /* to look at for an interval that is over */
    int64_t step_ns;                                     /* time of that */
};

enum records_kind {
    RECORDS_ATTACH,
    RECORDS_DETACH,
    RECORDS_CONTEXT_BEGIN,
    RECORDS_CONTEXT_INTERIM,
    RECORDS_CONTEXT_END,
};

/* causeForRecClosing of TS 32.298. */
enum records_cause {
    RECORDS_NORMAL = 0,
    RECORDS_ABNORMAL = 4,
    RECORDS_TIME_LIMIT = 17,
    RECORDS_OTHER_SGSN = 18,
    RECORDS_MANAGEMENT = 20,
    RECORDS_OPEN = -1, /* the record closes nothing */
};

/* A line; NULL: not known. */
struct records_line {
    enum records_kind kind;
    enum records_cause cause;
    int64_t at_ns, opened_ns, begun_ns; /* since 1970: of the line, of the record, of its context */
    const char *imsi, *msisdn, *imeisv;
    const char *mcc, *mnc;
    uint16_t lac, ci;
    uint8_t rac;
    /* of a context */
    const char *apn, *pdp_type, *ipv4, *ipv6, *ggsn, *sgsn, *class;
    uint8_t nsapi;
    uint32_t charging_id, sequence;
    struct context_volumes volumes, all; /* since the record before, and since the context began */
};

/* Opens the file of the configuration, if it names one. False, with a line on stderr. */
bool records_open(struct records *r, const struct live_config_records *config);

/* Closes the file and opens the one that has its name now, for a program that rotates it. Returns 0, or
 * errno: the former file stays. */
int records_reopen(struct records *r);
void records_close(struct records *r);

/* Opens the file of another configuration, in any thread, for records_exchange(). False, with a line on
 * stderr.
 */
bool records_prepare(struct records *r, const struct live_config_records *config);

/* Closes the file, and continues with the one that was prepared for this configuration; none: nothing. */
void records_exchange(struct records *r, const struct live_config_records *config);

static inline bool records_are_on(const struct records *r)
{
    return r && r->fd > 0;
}

/* Volumes of a PDP slot at all workers. */
struct context_volumes records_volumes(const struct records *r, uint32_t pdp);

/* Writes a line. False: that failed; it is counted, and r->error says why. */
bool records_write(struct records *r, const struct records_line *line);

#endif
