/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SNDCP's acknowledged mode of one NSAPI (TS 44.065 clauses 5.1.2.21, 6.7 and 6.9.1): numbers of N-PDUs
 * modulo 256, confirmation, and resumption without loss or duplicate after LLC was established again.
 * Segments go through LLC in order; memory of N-PDUs is the caller's.
 *
 *     numbers:  confirmed <= offered <= put,  put - confirmed <= SN_ACK_MAX
 *
 * An N-PDU is confirmed when LLC has confirmed all its segments. After an establishment N-PDUs that are not
 * are offered again from their first segments, with their numbers. The receiver then drops N-PDUs before its
 * receive number, which is one more than that of the last complete one. A number behind it, which no peer
 * sends, is taken, or nothing would be received any more.
 *
 * At most 127 are unconfirmed: "before the receive number", modulo 256, has then one meaning.
 */
#ifndef DATAPLANE_ABM_SN_ACK_H
#define DATAPLANE_ABM_SN_ACK_H

#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stdint.h>

enum { SN_ACK_MAX = 127, SN_ACK_SLOTS = 128 };

/* An N-PDU that is not confirmed. */
struct sn_ack_n_pdu {
    void *n_pdu;
    uint8_t segments;
    uint8_t left; /* that are not confirmed */
};

/* Zeroed: a context at its activation. The slot of a number is number mod SN_ACK_SLOTS. */
struct sn_ack {
    struct sn_ack_n_pdu *slots; /* SN_ACK_SLOTS of the caller's */
    uint8_t put;                /* number of the next new N-PDU */
    uint8_t offered;            /* of the next one to give to LLC */
    uint8_t confirmed;          /* of the oldest that is not confirmed */
    uint8_t receive;            /* receive N-PDU number */
    bool is_partial;            /* segments of the number `receive` came */
    bool is_skipping;           /* segments of an N-PDU that is not wanted come */
    bool is_recovering;
};

/* --- sending --- */

/* Takes a new N-PDU of this many segments (1..255). Returns its number, or -1: SN_ACK_MAX are unconfirmed. */
int sn_ack_put(struct sn_ack *s, void *n_pdu, unsigned segments);

/* The next N-PDU whose segments all go to LLC; its number in *number. NULL: none. */
void *sn_ack_offer(struct sn_ack *s, uint8_t *number);

/* LLC has confirmed the oldest segment that it had not. Returns the N-PDU if this was its last one, which is
 * the caller's again; else NULL. */
void *sn_ack_confirm(struct sn_ack *s);

/* The peer's receive number, as an SGSN or a mobile tells it with a routeing area update: returns the oldest
 * N-PDU before it, the caller's again; NULL: none, or the number is not one of an unconfirmed N-PDU or the
 * next. */
void *sn_ack_sequence(struct sn_ack *s, uint8_t receive);

/* --- receiving --- */

enum sn_ack_fate {
    SN_ACK_WHOLE,  /* an N-PDU of one segment: deliver */
    SN_ACK_BEGIN,  /* its first segment */
    SN_ACK_APPEND, /* a further one */
    SN_ACK_END,    /* the last one: deliver */
    SN_ACK_AGAIN,  /* of an N-PDU that is not wanted: drop */
    SN_ACK_ERROR,  /* no first segment came before: drop */
};

/* The fate of a segment. With SN_ACK_WHOLE and SN_ACK_BEGIN, segments that were kept are dropped first. */
enum sn_ack_fate sn_ack_receive(struct sn_ack *s, const struct sn_data *in);

/* There is no room for the N-PDU of which segments came: they were dropped, its others are, and it counts as
 * received. */
void sn_ack_skip(struct sn_ack *s);

/* --- both --- */

/* LLC was established again: all unconfirmed N-PDUs are offered again; kept segments are to be dropped. */
void sn_ack_established(struct sn_ack *s);

#endif
