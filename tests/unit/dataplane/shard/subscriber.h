/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Mobiles of a cluster, as control knows them and as they themselves see what comes over Gb: N(U) and N-PDU
 * numbers without a gap, segments in order, and every N-PDU the one that was sent next. Their slots differ
 * from worker to worker.
 */
#ifndef TESTS_UNIT_DATAPLANE_SHARD_SUBSCRIBER_H
#define TESTS_UNIT_DATAPLANE_SHARD_SUBSCRIBER_H

#include "tests/unit/dataplane/shard/cluster.h"

#define SUBSCRIBER_CONTEXTS 2
#define SUBSCRIBER_EXPECTED 8192 /* N-PDUs of a context under way */

/* An N-PDU that was sent. */
struct subscriber_sent {
    uint16_t octets, seed;
};

struct subscriber_context {
    bool is_there;
    uint32_t teid;
    uint16_t next_seed;
    uint32_t sent, seen; /* counted on for ever; those between are expected */
    struct subscriber_sent expected[SUBSCRIBER_EXPECTED];
    uint32_t skipped; /* that never came, and others did that were sent later */
    uint16_t number;  /* next one that the network takes */
    uint8_t segment;  /* next one of the N-PDU under way, 0: none is */
    uint32_t octets;  /* of it so far */
    uint8_t n_pdu[KIT_FRAME_OCTETS];
};

struct subscriber {
    uint32_t id, tlli;
    bool is_there;
    unsigned home, server; /* workers */
    unsigned receiver;     /* worker at whose Gn port its packets come */
    uint16_t bvc;
    uint8_t generation; /* in its TEIDs */
    uint16_t nu;        /* next one */
    uint32_t frames;
    unsigned last_worker; /* that a frame came from, and its cell */
    uint16_t last_bvci;
    struct subscriber_context contexts[SUBSCRIBER_CONTEXTS];
};

struct subscribers {
    struct cluster *cluster;
    bool may_lose; /* N-PDUs may be missing, never out of order */
    struct subscriber list[CLUSTER_MOBILES];
};

/* Takes what the cluster sends on Gb. */
void subscriber_open_all(struct subscribers *s, struct cluster *c);
/* Nothing that was sent has failed to come. */
void subscriber_check_all_came(const struct subscribers *s);

/* The slots of a mobile, and of one of its contexts, at a worker. */
uint32_t subscriber_slot(uint32_t id, unsigned worker);
uint32_t subscriber_pdp_slot(uint32_t id, unsigned context, unsigned worker);

/* Requests to make it at its home, in a cell there, and its contexts; TEIDs say where they are. */
struct msg subscriber_add(struct subscribers *s, uint32_t id, unsigned home, uint16_t bvc);
struct msg subscriber_add_context(struct subscribers *s, uint32_t id, unsigned context);
/* Both, with one context, carried out. */
void subscriber_begin(struct subscribers *s, uint32_t id, unsigned home, uint16_t bvc);

/* A request to move it. */
struct msg subscriber_move(const struct subscribers *s, uint32_t id, unsigned worker, uint16_t bvc);
/* Control was told that it is there. */
void subscriber_moved(struct subscribers *s, uint32_t id, unsigned worker, uint16_t bvc);
/* Moves it and settles: the status. */
int subscriber_go(struct subscribers *s, uint32_t id, unsigned worker, uint16_t bvc);

/* Hands one N-PDU of a context to the Gn port of its receiver. False: that is full. */
bool subscriber_send(struct subscribers *s, uint32_t id, unsigned context, uint16_t octets);

/* Writes the frame of one N-PDU that is sent now; its octets. */
size_t subscriber_build(struct subscribers *s, uint32_t id, unsigned context, uint16_t octets,
                        uint8_t *frame);

/* Whose a frame of Gb is, and its N(U). */
struct subscriber_heading {
    uint32_t tlli;
    uint16_t nu;
};
struct subscriber_heading subscriber_heading(const uint8_t *frame, size_t octets);

/* A frame that came over Gb. */
void subscriber_take_frame(struct subscribers *s, unsigned worker, const uint8_t *frame, size_t octets);

/* Those of a program, for UNIT_MAIN(subscriber_start, subscriber_stop), which starts DPDK, too. */
extern struct subscribers *subscribers;
int subscriber_start(void **state);
int subscriber_stop(void **state);

#endif
