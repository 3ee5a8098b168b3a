/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Asynchronous balanced mode of LLC (TS 44.064 clause 8.7): the states of one link, sending and receiving.
 */
/* --- sending --- */
#ifndef DATAPLANE_ABM_ABM_H
#define DATAPLANE_ABM_ABM_H

#include "dataplane/wire/llc.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct abm_params {
    uint32_t send_octets;    /* 16 m of the direction of sending; 0: no limit */
    uint16_t n201_i_octets;  /* of both directions */
    uint8_t k_send;          /* 1..255 frames */
    uint8_t k_receive;       /* 1..255 frames */
    uint8_t n200;            /* repetitions */
    uint8_t sapi;            /* 3, 5, 9, 11 */
    uint8_t i_bitmap_octets; /* the longest bitmap that I frames carry; longer ones go in S frames */
    bool is_network;         /* which side this is, for the C/R bit */
};

/* A frame that was sent and is not confirmed. */
struct abm_sent {
    void *frame;  /* the caller's */
    uint16_t tag; /* likewise */
    uint16_t order;
    uint16_t octets;
    uint8_t repeats;
    uint8_t flags;
};

enum abm_failure {
    ABM_WORKS,
    ABM_FAILED_N200, /* re-establish */
    ABM_FAILED_FRMR, /* send FRMR with abm_taken.why, then re-establish */
    ABM_ENDED,       /* by abm_drop_take() */
};

enum abm_timer { ABM_TIMER_AS_IT_IS, ABM_TIMER_START, ABM_TIMER_STOP };

/* Use the functions. The caller reads vs, vr, failure. */
struct abm {
    struct abm_sent *sent; /* slot of a count: count mod send_slots */
    void **stored;         /* NULL: nothing; count mod receive_slots */
    struct abm_params params;
    uint32_t vs, va, confirmed; /* counts */
    uint32_t vr, delivered;
    uint32_t stored_end; /* behind the last stored frame; <= vr: none is */
    uint32_t octets_out; /* of frames from V(A) to V(S) */
    uint32_t timed;      /* the frame that T201 runs for */
    uint16_t order;      /* of the next transmission, modulo 2^16: fewer are unacknowledged */
    uint16_t newest;     /* order of the newest acknowledged transmission + 1 */
    uint16_t send_mask, receive_mask;
    uint16_t waiting; /* frames to repeat */
    uint8_t polls;    /* unanswered, while the peer is busy */
    uint8_t failure;  /* enum abm_failure */
    uint8_t timer;    /* enum abm_timer: what abm_timer_take() has not said yet */
    bool is_timed, is_peer_busy, is_busy;
    bool owes_report; /* A = 1 was received */
    bool has_poll;    /* an S frame with A = 1 is to be sent */
};

static_assert(sizeof(struct abm) <= 128 && sizeof(struct abm_sent) == 16,
              "with k = 16 of both directions a mobile's memory is 512 octets");

/* Slots of both tables for a k: the next power of two. */
unsigned abm_slots(unsigned k);

/*
 * A link at its (re-)establishment, with tables of abm_slots(k_send) and abm_slots(k_receive), which stay the
 * caller's. 0, or ERR_RANGE: a parameter that its comment does not allow, or m below N201-I.
 */
int abm_init(struct abm *a, const struct abm_params *params, struct abm_sent *sent, void **stored);

/* An I frame's information. */
struct abm_frame {
    void *frame;     /* not NULL; given back by abm_confirm_take() or abm_drop_take() */
    uint16_t octets; /* 1 to N201-I */
    uint16_t tag;    /* the caller's, for a repetition */
    bool is_last;    /* nothing is known to follow it */
};

/* Whether a new I frame with this information may be sent. */
bool abm_can_send(const struct abm *a, uint32_t octets);

/* Numbers a frame that abm_can_send() allows, and makes its header. Returns its count. */
uint32_t abm_send(struct abm *a, const struct abm_frame *in, struct llc_abm *header);

/* A repetition: the information is that of the first transmission. */
struct abm_repeat {
    void *frame;
    uint32_t count;
    uint16_t octets, tag;
    struct llc_abm header;
};

/* Octets of information of the next frame to repeat; 0: none. */
unsigned abm_repeat_octets(const struct abm *a);

/* The next frame to repeat. False: none; or the link has failed, as this one was repeated N200 times.
 * is_last: no new frame follows. */
bool abm_repeat_take(struct abm *a, bool is_last, struct abm_repeat *out);

/* The S frame that is to be sent now. False: none. */
bool abm_report_take(struct abm *a, struct llc_abm *out);

/* --- receiving --- */

enum abm_fate {
    ABM_FATE_S,         /* an S frame */
    ABM_FATE_NEXT,      /* in sequence: abm_deliver_take() */
    ABM_FATE_STORED,    /* until the frames before it arrive */
    ABM_FATE_DUPLICATE, /* or outside of the window */
    ABM_FATE_BUSY,      /* no room: to be sent again */
    ABM_FATE_EMPTY,     /* in sequence or stored, without information */
    ABM_FATE_REFUSED,   /* the link has failed */
};

struct abm_taken {
    enum abm_fate fate;
    uint8_t why;  /* of ABM_FAILED_FRMR: bits of enum llc_frmr_why */
    bool is_kept; /* the frame now belongs to the link */
    bool is_late; /* its report was overtaken */
};

/* The count of a received N(S) (for deciphering): within the window, or before V(R). */
uint32_t abm_count(const struct abm *a, uint16_t ns);

/* Whether a received N(S) is in the window, and its frame is neither stored nor delivered. */
bool abm_is_new(const struct abm *a, uint16_t ns);

/* Takes a frame whose FCS is right. frame: the caller's, for its information; octets of it. */
struct abm_taken abm_receive(struct abm *a, const struct llc_abm *in, void *frame, uint32_t octets);

/* The next frame in sequence; NULL: none. It is the caller's again. */
void *abm_deliver_take(struct abm *a);

/* The next frame that the peer has received, in order; NULL: none. It is the caller's again. */
void *abm_confirm_take(struct abm *a);

/* The receiver has no room, or has it again. Frames that arrive meanwhile are not kept. */
void abm_set_busy(struct abm *a, bool is_busy);

/* --- time and change --- */

/* The change of T201 since the last call; a start while it runs is a restart. */
enum abm_timer abm_timer_take(struct abm *a);

/* T201 ran out. */
void abm_t201(struct abm *a);

/* LLC-PDUs were lost on the way, it is not known which: the peer is asked what it has. */
void abm_ask(struct abm *a);

/* All frames that are not acknowledged were lost (clause 8.3.2: the cell's queue was deleted): they are
 * repeated, and do not count for N200. */
void abm_repeat_all(struct abm *a);

/* Empties the link, frame by frame: those sent first, by age, then those stored. NULL: empty. */
void *abm_drop_take(struct abm *a);

#endif
