/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A user packet between its receipt and its delivery or drop. The caller owns the memory: a worker keeps the
 * struct in the private area of the packet's mbuf, tests keep it in an array.
 *
 * Invariant: sent_octets <= octets. An N-PDU with sent_octets > 0 is in service: it is next in its LLC
 * entity and is not queued behind another again.
 */
#ifndef DATAPLANE_BASE_N_PDU_H
#define DATAPLANE_BASE_N_PDU_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Traffic classes of queues, weights and reports, in order of precedence (TS 23.107; signalling and SMS
 * before).
 */

enum qclass {
    QCLASS_SIGNALLING,
    QCLASS_SMS,
    QCLASS_CONVERSATIONAL,
    QCLASS_STREAMING,
    QCLASS_THP1,
    QCLASS_THP2,
    QCLASS_THP3,
    QCLASS_BACKGROUND,
    QCLASS_COUNT,
};

/* Names as in configuration and reports, by class. */
static const char *const n_pdu_qclass_names[QCLASS_COUNT] = {
    "signalling", "sms", "conversational", "streaming", "thp1", "thp2", "thp3", "background",
};

/* Name of a class ("thp2"); "?" out of range. Static string. */
static inline const char *n_pdu_qclass_name(enum qclass qclass)
{
    return (unsigned)qclass < QCLASS_COUNT ? n_pdu_qclass_names[qclass] : "?";
}

/* Class of a name, or -1. */
static inline int n_pdu_qclass_from_name(const char *name)
{
    for (int i = 0; i < QCLASS_COUNT; i++)
        if (strcmp(n_pdu_qclass_names[i], name) == 0)
            return i;
    return -1;
}

#define N_PDU_NO_PFI UINT8_MAX
#define N_PDU_TOLD   0x100

struct n_pdu {
    struct n_pdu *next;
    uint8_t *data;            /* first octet of the whole N-PDU, in clear */
    int64_t arrival_ns;       /* receipt on Gn */
    uint32_t pdp;             /* index of its PDP context */
    uint32_t generation;      /* of that context, so that a stale index shows */
    uint16_t octets;          /* of the whole N-PDU */
    uint16_t sent_octets;     /* already sent in segments */
    uint16_t number;          /* SNDCP N-PDU number, assigned with the first segment; before that, with
                                 N_PDU_TOLD, the one that GTP-U told */
    uint8_t segment;          /* number of segments sent */
    uint8_t qclass;           /* enum qclass */
    uint8_t drop_reason;      /* enum drop, set when it is put on a list of dropped N-PDUs */
    uint8_t sapi;             /* of the LLC entity that carries it */
    uint8_t pfi;              /* packet flow of its context, N_PDU_NO_PFI */
    uint8_t tos;              /* ECN of the header taken off, later DSCP of Gb (context/marking.h) */
    uint16_t next_octets;     /* of the next N-PDU in its queue, and its mode (flow_queue.h) */
    uint8_t comp;             /* DCOMP << 4 | PCOMP: octets are those that leave, if not 0 */
    bool is_given_away : 1;   /* one of its segments owns its memory */
    bool is_marked : 1;       /* gbflow set CE */
    bool is_opaque : 1;       /* not to be looked into: it need not be IP */
    bool is_paced : 1;        /* no AQM judges it (pacing/pacing.h) */
    bool is_acknowledged : 1; /* goes in I frames (abm/link.h) */
    bool is_numbered : 1;     /* of these, number is set: NSAPI * 256 + N-PDU number modulo 256 */
    bool is_void : 1;         /* of these, its context is gone: not to be sent again */
    bool is_forwarded : 1;    /* it came from another SGSN (worker/forward.h) */
    uint32_t flow_hash;       /* of addresses, protocol and ports; set only with flow queues */
    uint32_t aqm_tag;         /* on arrival, time for which R of its mobile or cell had been 0 */
    int64_t aqm_parked_ns;    /* total time for which its mobile had been parked, on arrival */
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

/* Takes the first N-PDU, NULL when the list is empty. */
static inline struct n_pdu *n_pdu_list_take(struct n_pdu_list *list)
{
    struct n_pdu *n_pdu = list->head;
    if (n_pdu)
        list->head = n_pdu->next;
    return n_pdu;
}

#endif
