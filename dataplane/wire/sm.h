/* SPDX-License-Identifier: BSD-3-Clause */
/* GPRS session management messages (TS 24.008 clauses 9.5 and 10.5.6), both directions. */
#ifndef DATAPLANE_WIRE_SM_H
#define DATAPLANE_WIRE_SM_H

#include "dataplane/wire/l3.h"

#include <stddef.h>
#include <stdint.h>

/* A field is valid if l3_has(&head, SM_IE_...). Spans point into the decoded octets. */
struct sm {
    struct l3 head;
    uint32_t nsapi, sapi, request_type, radio_priority, pfi, cause, second_cause, back_off, teardown;
    struct ie_span qos, pdp_address, apn, pco, linked_ti, tft;
};

/** The codec's tables, for callers that access fields by name. */
extern const struct l3_grammar sm_grammar;

/**
 * Decodes one message, from its transaction identifier on; as l3_decode(). ERR_UNSUPPORTED, cause 95: the
 * extended transaction identifier (TS 24.007 clause 11.2.3.1.3), which is not supported.
 */
int sm_decode(struct sm *out, enum l3_sender from, const uint8_t *bytes, size_t len);

/** Encodes by in->head.row; as l3_encode(). */
int sm_encode(uint8_t *bytes, size_t cap, const struct sm *in);

#endif
