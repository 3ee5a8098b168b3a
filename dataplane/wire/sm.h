/* SPDX-License-Identifier: BSD-3-Clause */
/* GPRS session management messages (TS 24.008 clauses 9.5 and 10.5.6), both directions. */
#ifndef DATAPLANE_WIRE_SM_H
#define DATAPLANE_WIRE_SM_H

#include "dataplane/wire/l3.h"

#include <stddef.h>
#include <stdint.h>

/* A field is valid if l3_has(&head, SM_IE_...). Spans point into the decoded octets. */
struct sm {
    struct l3 head; /* of octet 1 the TI flag and the protocol discriminator count */
    uint8_t ti;     /* 0 to 6, or 7 to 127 in an extension octet (TS 24.007 clause 11.2.3.1.3) */
    uint32_t nsapi, sapi, request_type, radio_priority, pfi, cause, second_cause, back_off, teardown;
    struct ie_span qos, pdp_address, apn, pco, linked_ti, tft;
};

/** The codec's tables, for callers that access fields by name. */
extern const struct l3_grammar sm_grammar;

/**
 * Decodes one message, from its transaction identifier on; as l3_decode(). An error with cause 0: the message
 * is to be ignored, as it ends before its type, or has a reserved TI (TS 24.008 clauses 8.2, 8.3.2).
 * Flag, ti and type are set also by other errors.
 */
int sm_decode(struct sm *out, enum l3_sender from, const uint8_t *bytes, size_t len);

/** Encodes by in->head.row; as l3_encode(). */
int sm_encode(uint8_t *bytes, size_t cap, const struct sm *in);

#endif
