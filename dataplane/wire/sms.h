/* SPDX-License-Identifier: BSD-3-Clause */
/* Short messages between mobile and network (TS 24.011), both directions: CP-messages (clauses 7.2 and 8.1),
 * and in the user data of CP-DATA the RP-messages (clauses 7.3 and 8.2). */
#ifndef DATAPLANE_WIRE_SMS_H
#define DATAPLANE_WIRE_SMS_H

#include "dataplane/wire/l3.h"

/* A field is valid if l3_has(&head, CP_IE_...). Spans point into the decoded octets. */
struct cp {
    struct l3 head;
    uint32_t cause;
    struct ie_span user_data; /* an RP-message */
};

/* head.head is the message reference, head.type the message type indicator. Addresses have type of number and
 * plan, and digits; the one that the direction does not have is empty. */
struct rp {
    struct l3 head;
    uint32_t cause;
    struct ie_span originator, destination, user_data; /* user_data: a TPDU */
};

/** The codecs' tables, for callers that access fields by name. */
extern const struct l3_grammar cp_grammar, rp_grammar;

/** Decodes one CP-message, from its transaction identifier on; as l3_decode(). */
int cp_decode(struct cp *out, enum l3_sender from, const uint8_t *bytes, size_t len);

/** Encodes by in->head.row; as l3_encode(). */
int cp_encode(uint8_t *bytes, size_t cap, const struct cp *in);

/** Decodes one RP-message, from its message type indicator on; as l3_decode(), the causes being those of
 * TS 24.011 clause 9.3, which have the same numbers. */
int rp_decode(struct rp *out, enum l3_sender from, const uint8_t *bytes, size_t len);

/** Encodes by in->head.row and in->head.head; as l3_encode(). */
int rp_encode(uint8_t *bytes, size_t cap, const struct rp *in);

#endif
