/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes and encodes a layer 3 message of SM by its row in a grammar (TS 24.007 clause 11.2):
 * half octets, fields without identifier, then elements with one. An identifier means one thing in one
 * message and another in the next, so the row has it, and the table of elements only says what a value is. */
#ifndef DATAPLANE_WIRE_L3_H
#define DATAPLANE_WIRE_L3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dataplane/wire/ie.h"

/* Formats of TS 24.007 clause 11.2.1.1. Those from L3_TV on are optional and have an identifier. */
enum l3_form {
    L3_END,
    L3_LOW,   /* V, bits 4 to 1; the octet ends with the L3_HIGH or L3_SPARE that follows */
    L3_HIGH,  /* V, bits 8 to 5 */
    L3_SPARE, /* bits 8 to 5, 0 */
    L3_V,
    L3_LV,
    L3_TV, /* of the element's min_octets */
    L3_TLV,
    L3_TV1, /* identifier in bits 8 to 5, value in bits 4 to 1 */
    L3_T,   /* identifier alone; the value is 1 */
};

/* One element of a message, in the order of transmission. */
struct l3_place {
    uint8_t ie; /* index into the grammar's ies */
    uint8_t form;
    uint8_t iei;
};

enum l3_sender { L3_FROM_MS = 1, L3_FROM_SGSN = 2 };

struct l3_row {
    const char *name;
    uint8_t type, senders;
    const struct l3_place *places; /* up to L3_END */
};

struct l3_grammar {
    const struct ie *ies; /* ends with a row without name; iei and is_tv are not used */
    const struct l3_row *rows;
    size_t ie_count, row_count;
};

enum l3_discriminator { L3_GMM = 8, L3_SMS = 9, L3_SM = 10 };

enum l3_cause {
    L3_CAUSE_SEMANTICALLY_INCORRECT = 95,
    L3_CAUSE_MANDATORY_INVALID = 96,
    L3_CAUSE_TYPE_UNKNOWN = 97,
    L3_CAUSE_UNSPECIFIED = 111,
};

enum { L3_PRESENT_WORDS = 2, L3_MAX_OCTETS = 1024 };

/* First member of every message's struct; offsets in rows of ies count from it. */
struct l3 {
    uint8_t head;             /* octet 1: protocol discriminator; skip indicator of GMM, transaction of SM */
    uint8_t type;             /* octet 2 */
    uint8_t cause;            /* enum l3_cause, of a decode that failed */
    const struct l3_row *row; /* set by a decode, NULL when the type is unknown */
    uint32_t present[L3_PRESENT_WORDS];
};

static inline bool l3_has(const struct l3 *l3, unsigned ie)
{
    return l3->present[ie / 32] >> ie % 32 & 1;
}

static inline void l3_mark(struct l3 *l3, unsigned ie)
{
    l3->present[ie / 32] |= UINT32_C(1) << ie % 32;
}

/** The row of a message type that `from` may send, or NULL. */
const struct l3_row *l3_row_get(const struct l3_grammar *grammar, uint8_t type, enum l3_sender from);

/** The row of a message's name, or NULL. */
const struct l3_row *l3_row_by_name(const struct l3_grammar *grammar, const char *name);

/** Whether an element has to be in its message. */
static inline bool l3_is_mandatory(const struct l3_place *place)
{
    return place->form >= L3_LOW && place->form <= L3_LV && place->form != L3_SPARE;
}

/**
 * Decodes into a struct that begins with struct l3 and that the caller has cleared. Spans point into bytes.
 * Returns len, or ERR_TRUNCATED, ERR_MALFORMED, ERR_UNSUPPORTED with out->cause set (TS 24.008 clauses 8.3
 * to 8.6). Of repeated elements the first counts; an unknown one is skipped, unless comprehension is required
 * (IEI 0x00 to 0x0f); an optional element with an error counts as absent.
 */
int l3_decode(struct l3 *out, const struct l3_grammar *grammar, enum l3_sender from, const uint8_t *bytes,
              size_t len);

/**
 * Encodes by in->row: mandatory elements always, others when marked. Returns octets, ERR_NO_SPACE, or
 * ERR_RANGE when a value has no place on the wire.
 */
int l3_encode(uint8_t *bytes, size_t cap, const struct l3_grammar *grammar, const struct l3 *in);

#endif
