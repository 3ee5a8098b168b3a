/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user packet while it is ours. Nothing here knows whose memory it lies in: the worker keeps it in the
 * private area of the buffer that holds the packet, tests keep it in an array.
 *
 * Invariant: sent_octets <= octets; an N-PDU with sent_octets > 0 is in service: next of its mobile, no more
 * to be queued behind another.
 */
#ifndef DATAPLANE_BASE_N_PDU_H
#define DATAPLANE_BASE_N_PDU_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define N_PDU_NO_PFI UINT8_MAX

struct n_pdu {
    struct n_pdu *next;
    uint8_t *data;         /* first octet of the whole N-PDU, in clear */
    int64_t arrival_ns;    /* receipt on Gn */
    uint32_t pdp;          /* index of its PDP context */
    uint32_t generation;   /* of that context, so that a stale index shows */
    uint16_t octets;       /* of the whole N-PDU */
    uint16_t sent_octets;  /* already handed out in segments */
    uint16_t number;       /* SNDCP N-PDU number, given with the first segment */
    uint8_t segment;       /* segments handed out */
    uint8_t qclass;        /* enum qclass */
    uint8_t drop_reason;   /* enum drop, set when it is put on a list of dropped ones */
    uint8_t sapi;          /* of the LLC entity that carries it */
    uint8_t pfi;           /* packet flow of its context, N_PDU_NO_PFI */
    bool is_marked;        /* CE was set here */
    uint16_t next_octets;  /* of the one behind it in its queue */
    bool is_given_away;    /* its memory goes with one of its segments */
    uint32_t flow_hash;    /* of addresses, protocol and ports; set when there are flow queues */
    uint32_t aqm_tag;      /* of the AQM scheme of its class */
    int64_t aqm_parked_ns; /* what its mobile's clock of standing still said when it came */
};

static_assert(sizeof(struct n_pdu) <= 64, "one cache line of a buffer's private area");

/* First in, first out; links through n_pdu.next. A zeroed list is empty. */
struct n_pdu_list {
    struct n_pdu *head;
    struct n_pdu *last;
};

static inline void n_pdu_list_put(struct n_pdu_list *list, struct n_pdu *n_pdu)
{
    n_pdu->next = NULL;
    if (list->head)
        list->last->next = n_pdu;
    else
        list->head = n_pdu;
    list->last = n_pdu;
}

/* Takes the first, NULL when there is none. */
static inline struct n_pdu *n_pdu_list_take(struct n_pdu_list *list)
{
    struct n_pdu *n_pdu = list->head;
    if (n_pdu)
        list->head = n_pdu->next;
    return n_pdu;
}

#endif
