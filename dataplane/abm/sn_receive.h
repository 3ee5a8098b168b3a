/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiver of SNDCP's acknowledged mode of one NSAPI (TS 44.065 clauses 5.1.2.21, 6.7 and 6.9.1): numbers
 * of N-PDUs modulo 256, and no duplicate after LLC was established again. Memory of segments is the caller's.
 *
 * After an establishment the sender offers all N-PDUs that are not confirmed again, from their first segments
 * and with their numbers. The receiver then drops N-PDUs before its receive number, which is one more than
 * that of the last complete one. A number behind it, which no peer sends, is taken, or nothing would be
 * received any more.
 *
 * One with `comp` that it drops for that has to be restored before, as those after it build on it.
 *
 * At most SN_MOST_UNCONFIRMED are unconfirmed: "before the receive number", modulo 256, has then one meaning.
 */
#ifndef DATAPLANE_ABM_SN_RECEIVE_H
#define DATAPLANE_ABM_SN_RECEIVE_H

#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stdint.h>

enum { SN_MOST_UNCONFIRMED = 127 };

/* The N-PDU of the segment before this one. */
enum sn_receive_state {
    SN_IDLE,      /* it is complete */
    SN_WANTED,    /* it has the receive number */
    SN_SKIPPED,   /* it was received before */
    SN_REPEATING, /* the same, with `comp` */
};

/* Zeroed: a context at its activation. */
struct sn_receive {
    uint8_t number;         /* receive N-PDU number */
    uint8_t state : 2;      /* enum sn_receive_state */
    bool is_recovering : 1; /* LLC was established again, and nothing new has come */
    uint8_t segment : 5;    /* index of the last one that came of an N-PDU, at most 31 */
};

enum sn_fate {
    SN_WHOLE,     /* an N-PDU of one segment: deliver */
    SN_BEGIN,     /* its first segment */
    SN_APPEND,    /* a further one */
    SN_END,       /* the last one: deliver */
    SN_AGAIN,     /* of an N-PDU that is not wanted: drop */
    SN_ERROR,     /* no first segment came before: drop */
    SN_WHOLE_OLD, /* as SN_WHOLE, of one with `comp` that was received before: restore, drop */
    SN_END_OLD,   /* as SN_END */
};

/* Whether an N-PDU comes before a receive number. */
static inline bool sn_is_before(uint8_t number, uint8_t receive)
{
    return (uint8_t)(receive - number - 1) < SN_MOST_UNCONFIRMED;
}

static inline bool sn_fate_begins(enum sn_fate fate)
{
    return fate == SN_WHOLE || fate == SN_BEGIN || fate == SN_WHOLE_OLD;
}

static inline bool sn_fate_is_old(enum sn_fate fate)
{
    return fate == SN_WHOLE_OLD || fate == SN_END_OLD;
}

/* A first segment of an N-PDU that was received before. */
static inline enum sn_fate sn_receive_again(struct sn_receive *s, const struct sn_data *in)
{
    bool is_plain = in->comp == 0;
    s->state = !in->more ? SN_IDLE : is_plain ? SN_SKIPPED : SN_REPEATING;
    s->segment = 0;
    if (is_plain)
        return SN_AGAIN;
    return in->more ? SN_BEGIN : SN_WHOLE_OLD;
}

/* A first segment. Without recovery LLC has kept the order, and the number is the sender's affair. */
static inline enum sn_fate sn_receive_begin(struct sn_receive *s, const struct sn_data *in)
{
    if (s->is_recovering && sn_is_before(in->number, s->number))
        return sn_receive_again(s, in);
    s->is_recovering = false;
    s->number = in->number;
    s->state = in->more ? SN_WANTED : SN_IDLE;
    s->segment = 0;
    if (in->more)
        return SN_BEGIN;
    s->number++;
    return SN_WHOLE;
}

/* The fate of a segment. With SN_WHOLE and SN_BEGIN, segments that were kept are dropped first. */
static inline enum sn_fate sn_receive_take(struct sn_receive *s, const struct sn_data *in)
{
    if (in->first)
        return sn_receive_begin(s, in);
    uint8_t state = s->state;
    if (state == SN_IDLE)
        return SN_ERROR;
    s->segment += s->segment < 31;
    if (!in->more)
        s->state = SN_IDLE;
    if (state == SN_SKIPPED)
        return SN_AGAIN;
    if (in->more)
        return SN_APPEND;
    s->number += state == SN_WANTED;
    return state == SN_WANTED ? SN_END : SN_END_OLD;
}

/* LLC was established again: kept segments are to be dropped. */
static inline void sn_receive_established(struct sn_receive *s)
{
    s->state = SN_IDLE;
    s->is_recovering = true;
}

#endif
