/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The scheduler's rules by brute force: arrays instead of lists, no timers, everything looked at every time,
 * buckets as in bucket_model.h. It says who may send in a cell at an instant and when that next changes.
 *
 * The one thing that the rules leave open, the order among mobiles that join a ring at the same instant, is
 * taken from the scheduler under test by sched_model_adopt(), which accepts no other difference.
 *
 * Not here: the order among cells, which do not touch each other.
 */
#ifndef TESTS_DATAPLANE_QUEUE_SCHED_MODEL_H
#define TESTS_DATAPLANE_QUEUE_SCHED_MODEL_H

#include "dataplane/base/n_pdu.h"
#include "tests/dataplane/queue/bucket_model.h"

#define SCHED_MODEL_MS    16
#define SCHED_MODEL_CELLS 4
#define SCHED_MODEL_PKTS  64
#define SCHED_MODEL_ALL   (SCHED_MODEL_MS * SCHED_MODEL_PKTS)

enum sched_model_place { SCHED_MODEL_OUT, SCHED_MODEL_RING, SCHED_MODEL_ASIDE };

struct sched_model_pdu {
    const struct n_pdu *n_pdu;
    int64_t arrival_ns;
    uint32_t pdp, octets, sent_octets, segments;
};

struct sched_model_ms {
    struct bucket_model bucket;
    struct sched_model_pdu pdus[SCHED_MODEL_PKTS];
    uint32_t pkts;
    uint32_t limit_octets, n201_u;
    int64_t max_age_ns;
    int64_t wake_ns; /* when its own bucket opens, while it is aside */
    enum sched_model_place place;
    uint8_t cell;
};

struct sched_model_cell {
    struct bucket_model bucket;
    uint8_t ring[SCHED_MODEL_MS];
    uint32_t count;
    uint32_t settled; /* that many of them stand in an order that the rules give */
    bool usable;
};

struct sched_model_drop {
    const struct n_pdu *n_pdu;
    int reason;
};

struct sched_model {
    struct sched_model_ms ms[SCHED_MODEL_MS];
    struct sched_model_cell cells[SCHED_MODEL_CELLS];
    struct sched_model_drop dropped[SCHED_MODEL_ALL];
    uint32_t dropped_pkts;
};

struct sched_model_llc {
    const struct n_pdu *n_pdu;
    uint32_t offset, segment, octets, payload_octets;
    uint8_t ms;
    bool last;
};

/* Queues an N-PDU; false when the limit refuses it. */
bool sched_model_put(struct sched_model *m, uint8_t ms, const struct n_pdu *n_pdu);

/* The bucket of a mobile was changed. */
void sched_model_changed(struct sched_model *m, uint8_t ms);

/* Drops what is too old at now, and lets those join whose bucket has opened. */
void sched_model_advance(struct sched_model *m, int64_t now);

/* The LLC-PDU that must leave a cell at now; false when none may. Closed mobiles lose their turn here. */
bool sched_model_turn(struct sched_model *m, uint8_t cell, struct sched_model_llc *llc, int64_t now);

/* It left. */
void sched_model_sent(struct sched_model *m, const struct sched_model_llc *llc, int64_t now);

/* Drops the N-PDUs of one PDP context, or all of a mobile's with this reason. */
void sched_model_remove_pdp(struct sched_model *m, uint8_t ms, uint32_t pdp);
void sched_model_flush(struct sched_model *m, uint8_t ms, int reason);

/* The first instant after now at which something leaves, opens or grows too old; sched_model_turn() was asked
 * for every usable cell. */
int64_t sched_model_next_ns(const struct sched_model *m, int64_t now);

/* Whether that is the order of a cell's ring, as far as the rules go; then it is the model's as well. */
bool sched_model_adopt(struct sched_model *m, uint8_t cell, const uint8_t *ring, uint32_t count);

/* Whether this drop was due; it is then off the list. */
bool sched_model_confirm_drop(struct sched_model *m, const struct n_pdu *n_pdu, int reason);

#endif
