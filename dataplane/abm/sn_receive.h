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
 * At most SN_MOST_UNCONFIRMED are unconfirmed: "before the receive number", modulo 256, has then one meaning.
 */
#ifndef DATAPLANE_ABM_SN_RECEIVE_H
#define DATAPLANE_ABM_SN_RECEIVE_H

#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stdint.h>

enum { SN_MOST_UNCONFIRMED = 127 };

/* Zeroed: a context at its activation. */
struct sn_receive {
    uint8_t number;         /* receive N-PDU number */
    bool is_partial : 1;    /* segments of this number came */
    bool is_skipping : 1;   /* segments of an N-PDU that is not wanted come */
    bool is_recovering : 1; /* LLC was established again, and nothing new has come */
    uint8_t segment : 5;    /* index of the last one that came of an N-PDU, at most 31 */
};

enum sn_fate {
    SN_WHOLE,  /* an N-PDU of one segment: deliver */
    SN_BEGIN,  /* its first segment */
    SN_APPEND, /* a further one */
    SN_END,    /* the last one: deliver */
    SN_AGAIN,  /* of an N-PDU that is not wanted: drop */
    SN_ERROR,  /* no first segment came before: drop */
};

/* A first segment. Without recovery LLC has kept the order, and the number is the sender's affair. */
static inline enum sn_fate sn_receive_begin(struct sn_receive *s, const struct sn_data *in)
{
    bool is_before = (uint8_t)(s->number - in->number - 1) < SN_MOST_UNCONFIRMED;
    bool is_again = s->is_recovering && is_before;
    s->is_partial = false;
    s->is_skipping = is_again && in->more;
    if (is_again)
        return SN_AGAIN;
    s->is_recovering = false;
    s->number = in->number;
    s->is_partial = in->more;
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
    if (s->is_skipping) {
        s->is_skipping = in->more;
        return SN_AGAIN;
    }
    if (!s->is_partial)
        return SN_ERROR;
    s->segment += s->segment < 31;
    if (in->more)
        return SN_APPEND;
    s->is_partial = false;
    s->number++;
    return SN_END;
}

/* LLC was established again: kept segments are to be dropped. */
static inline void sn_receive_established(struct sn_receive *s)
{
    s->is_partial = s->is_skipping = false;
    s->is_recovering = true;
}

#endif
