/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes and encodes a PDU by its row in a grammar: type octet, fields without identifier, then TLVs in any
 * order. Unknown elements are skipped; a repeated one fills the next free place that its PDU has for this
 * identifier, or is skipped (TS 48.018 §9, §11.1; TS 48.016 §10). */
#ifndef DATAPLANE_WIRE_PDU_H
#define DATAPLANE_WIRE_PDU_H

#include "dataplane/wire/ie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pdu_presence { PDU_END, PDU_FIXED, PDU_MANDATORY, PDU_CONDITIONAL, PDU_OPTIONAL };

/* One element of a PDU, in the order of transmission. */
struct pdu_place {
    uint8_t ie; /* index into the grammar's ies */
    uint8_t presence;
};

struct pdu_row {
    const char *name;
    uint8_t type;
    uint8_t senders, bvcs, rule;    /* the grammar's own, see bssgp.h */
    const struct pdu_place *places; /* up to PDU_END */
};

struct pdu_grammar {
    const struct ie *ies;
    const struct pdu_row *rows;
    size_t ie_count, row_count;
};

enum pdu_fault {
    PDU_FAULT_NONE,
    PDU_FAULT_TYPE,
    PDU_FAULT_MANDATORY_MISSING,
    PDU_FAULT_MANDATORY_BAD,
    PDU_FAULT_CONDITIONAL_MISSING,
    PDU_FAULT_CONDITIONAL_EXTRA,
    PDU_FAULT_CONDITIONAL_BAD,
};

enum { PDU_PRESENT_WORDS = 3 };

/* First member of every PDU's struct; offsets in rows of ies count from it. */
struct pdu {
    uint8_t type;
    uint8_t fault;             /* enum pdu_fault, of a decode that failed */
    const struct pdu_row *row; /* set by a decode, NULL when the type is unknown */
    uint32_t present[PDU_PRESENT_WORDS];
};

static inline bool pdu_has(const struct pdu *pdu, unsigned ie)
{
    return pdu->present[ie / 32] >> ie % 32 & 1;
}

static inline void pdu_mark(struct pdu *pdu, unsigned ie)
{
    pdu->present[ie / 32] |= UINT32_C(1) << ie % 32;
}

/** The row of a type octet, or NULL. */
const struct pdu_row *pdu_row_get(const struct pdu_grammar *grammar, uint8_t type);

/** The row of a PDU's name, or NULL. */
const struct pdu_row *pdu_row_by_name(const struct pdu_grammar *grammar, const char *name);

/**
 * Decodes into a struct that begins with struct pdu and that the caller has cleared. Spans point into bytes.
 * Returns len, or ERR_TRUNCATED, ERR_MALFORMED, ERR_UNSUPPORTED with out->fault set. An optional element with
 * an error counts as absent.
 */
int pdu_decode(struct pdu *out, const struct pdu_grammar *grammar, const uint8_t *bytes, size_t len);

/**
 * Encodes by in->type: fixed and mandatory elements always, others when marked present. Returns octets,
 * ERR_NO_SPACE, ERR_RANGE, or ERR_UNSUPPORTED for an unknown type. `unit` as ie_encode().
 */
int pdu_encode(uint8_t *bytes, size_t cap, const struct pdu_grammar *grammar, const struct pdu *in,
               uint64_t unit);

#endif
