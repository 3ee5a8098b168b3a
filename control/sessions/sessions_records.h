/* SPDX-License-Identifier: BSD-3-Clause */
/* Charging records of the phones of sessions (records.h). Without records nothing is written. */
#ifndef CONTROL_SESSIONS_SESSIONS_RECORDS_H
#define CONTROL_SESSIONS_SESSIONS_RECORDS_H

#include "control/config/node_config.h"
#include "control/sessions/records.h"

struct core_intent;
struct sessions;

/* The records of a context: their state from one to the next. */
struct sessions_record {
    bool is_open;
    char apn[NODE_CONFIG_APN_CHARS], msisdn[16], imeisv[17];
    uint32_t charging_id;                /* 0: the GGSN gives none */
    int64_t begun_ns, opened_ns, due_ns; /* since 1970: the context, the record; the next one, as core->now */
    uint32_t sequence;
    struct context_volumes at_begin, at_opening;
};

/* The context of a phone in a PDP slot is active, as intent `up` says; it ends, if it began. To be called
 * while it has its session. */
void sessions_records_begin(struct sessions *s, uint32_t pdp, const struct core_intent *intent);
void sessions_records_end(struct sessions *s, uint32_t pdp, enum records_cause cause);

/* Writes the records of contexts whose interval is over; returns when to call it again. */
int64_t sessions_records_step(struct sessions *s, int64_t now);

/* Another interval, also for the records in progress. */
void sessions_records_set_every(struct sessions *s, int64_t every_ns);

/* The node ends: closes the records of all contexts. */
void sessions_records_end_all(struct sessions *s);

#endif
