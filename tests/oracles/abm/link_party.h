/* SPDX-License-Identifier: BSD-3-Clause */
/* A side of link_play: a link, N-PDUs to send on it, and segments put together; a trace of what it does. */
#ifndef TESTS_ORACLES_ABM_LINK_PARTY_H
#define TESTS_ORACLES_ABM_LINK_PARTY_H

#include "dataplane/abm/link.h"
#include "dataplane/base/rng.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    PARTY_SLOTS = 128,
    PARTY_NSAPIS = 4, /* from LINK_NSAPI_MIN on */
    PARTY_N_PDU_OCTETS = 1500,
    PARTY_LLC_OCTETS = 1600,
    PARTY_MOST_WAITING = 40,
};

/* An LLC-PDU with its FCS. */
struct packet {
    uint8_t bytes[PARTY_LLC_OCTETS];
    uint16_t octets;
    bool is_u;
    bool is_copied; /* it arrives once more */
};

struct partial {
    uint8_t bytes[PARTY_N_PDU_OCTETS];
    unsigned octets;
};

struct party {
    struct link link;
    struct link_kind kind;
    struct abm_sent sent[PARTY_SLOTS];
    void *stored[PARTY_SLOTS];
    struct partial partials[PARTY_NSAPIS];
    struct n_pdu_list waiting; /* of a side that sends by link_send() */
    struct rng rng;
    unsigned index, made, in_queue;
    long alive;      /* N-PDUs and received frames in memory */
    bool is_putting; /* it sends by link_put() */
    uint32_t iov;
    int64_t told_due_ns;
    /* A frame goes. */
    void (*transmit)(struct party *party, const struct packet *packet);
};

/* Zeroed before. Values are drawn. */
void party_init(struct party *p, unsigned index, uint64_t seed);

/* A new N-PDU. */
void party_make(struct party *p, unsigned nsapi, unsigned octets, int64_t now);

/* Whether it has N-PDUs that the other side may not have. */
bool party_is_idle(const struct party *p);

/* Sends at most `most` frames: first those that the link has, then new ones. */
void party_send(struct party *p, unsigned most, int64_t now);

/* An LLC-PDU arrives, whose FCS is right. */
void party_take(struct party *p, const struct packet *packet, int64_t now);

/* Empties the link; what is not confirmed is put again, or given up. */
void party_empty(struct party *p, bool is_kept);

/* The context of an NSAPI is another one: all its N-PDUs are given up. */
void party_forget(struct party *p, unsigned nsapi);

/* Says the moment at which the timer runs out, if it is another. */
void party_say_due(struct party *p, int64_t now);

#endif
