/* SPDX-License-Identifier: BSD-3-Clause */
/* Quality of service value (TS 24.008 10.5.6.5), as in the GTP QoS profile behind its ARP octet, and in
 * BSSGP's ABQP. */
#ifndef DATAPLANE_WIRE_QOS_H
#define DATAPLANE_WIRE_QOS_H

#include "dataplane/base/n_pdu.h"

#include <stddef.h>
#include <stdint.h>

enum {
    QOS_R97_OCTETS = 3,
    QOS_R99_OCTETS = 11,
    QOS_RATE_UNSET = -1, /* the subscribed rate, or the form has none */

    QOS_CONVERSATIONAL = 1,
    QOS_STREAMING = 2,
    QOS_INTERACTIVE = 3,
    QOS_BACKGROUND = 4,
};

/* Small fields have the code on the wire, 0 = subscribed. The short form leaves fields it does not have at 0
 * or unset. */
struct qos {
    int64_t max_rate_up_bps, max_rate_down_bps;
    int64_t guaranteed_rate_up_bps, guaranteed_rate_down_bps;
    uint16_t max_sdu_octets;    /* 0 = subscribed or reserved */
    uint16_t transfer_delay_ms; /* 0 = subscribed or reserved */
    uint8_t delay_class;        /* 1..4 */
    uint8_t reliability_class;  /* 1..5 */
    uint8_t peak_class;         /* n stands for 1000 x 2^(n-1) octets a second */
    uint8_t mean_class;         /* 31 = best effort */
    uint8_t precedence;         /* 1 high, 2 normal, 3 low */
    uint8_t traffic_class;      /* QOS_CONVERSATIONAL and so on; 0 in the short form */
    uint8_t thp;                /* traffic handling priority 1..3 of the interactive class */
    uint8_t delivery_order;     /* 1 yes, 2 no */
    uint8_t erroneous_sdu;
    uint8_t signalling; /* 1: signalling indication */
};

/*
 * Reads a value of 3 octets, or of 11 and more (octets behind the sixteenth are ignored). Returns len.
 * ERR_TRUNCATED: below 3; ERR_MALFORMED: 4 to 10 octets.
 */
int qos_decode(struct qos *out, const uint8_t *bytes, size_t len);

/*
 * The traffic class for the scheduler: the R99 class and priority, an interactive one without priority
 * counting as the lowest; without an R99 class the delay class decides (TS 23.107 9.1.2.3), 1 to 3 being
 * interactive and all else background.
 */
enum qclass qos_qclass(const struct qos *qos);

#endif
