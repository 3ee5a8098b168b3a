/* SPDX-License-Identifier: BSD-3-Clause */
/* Decodes and encodes a PDU by its row in a grammar: type octet, fields without identifier, then TLVs in any
 * order. Unknown elements are skipped; a repeated one fills the next free place that its PDU has for this
 * identifier, or is skipped (TS 48.018 §9, §11.1; TS 48.016 §10). */
#ifndef DATAPLANE_WIRE_PDU_H
#define DATAPLANE_WIRE_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The TLV form that NS and BSSGP share: identifier, length indicator of one or two octets, value
   (TS 48.016 §10.1, TS 48.018 §11.1). */

enum { TLV_SHORT_OCTETS = 0x7f, TLV_MAX_OCTETS = 0x7fff };

struct tlv {
    uint8_t iei;
    uint16_t octets;      /* of the value */
    const uint8_t *value; /* inside the decoded octets; the caller's when encoding, NULL with 0 octets */
};

/** Octets of a value's length indicator in the shortest form, which is the one sent. */
static inline int tlv_length_octets(size_t octets)
{
    return octets <= TLV_SHORT_OCTETS ? 1 : 2;
}

/** Reads a length indicator in either form. Returns 1 or 2, or ERR_TRUNCATED. */
int tlv_length_get(uint16_t *octets, const uint8_t *bytes, size_t len);

/** Writes a length indicator in its shortest form. Returns 1 or 2, ERR_NO_SPACE, or ERR_RANGE above 32767. */
int tlv_length_put(uint8_t *bytes, size_t cap, size_t octets);

/**
 * Reads one TLV. Returns the octets it takes, or ERR_TRUNCATED; then out->iei is valid if len is not 0, and
 * the value is empty.
 */
int tlv_decode(struct tlv *out, const uint8_t *bytes, size_t len);

/** Writes identifier and length of a value that the caller appends. Returns octets written or as
 * tlv_length_put(). */
int tlv_header_put(uint8_t *bytes, size_t cap, uint8_t iei, size_t octets);

/** Writes one TLV. Returns octets written, ERR_NO_SPACE or ERR_RANGE. */
int tlv_encode(uint8_t *bytes, size_t cap, const struct tlv *in);

/* Information elements described by rows of a table: offset of the value in its PDU's struct, and format of
 * its octets. NS and BSSGP each have such a table; their codecs and the Lua binding use it. */

/* The type of the field in the struct. */
enum ie_format {
    IE_NUMBER,    /* uint32_t, of min_octets big-endian octets */
    IE_FLAG,      /* uint32_t, 0 or 1: bit 1 of one octet */
    IE_UNITS,     /* uint64_t, two octets times the PDU's unit */
    IE_SPAN,      /* struct ie_span, min_octets to max_octets */
    IE_IMSI,      /* struct ie_span, checked to be digits */
    IE_ENDPOINTS, /* struct ie_span, one or more elements of min_octets */
    IE_ADDRESS,   /* struct ie_span of 4 or 16 octets, behind a type octet on the wire */
    IE_AREA,      /* struct area in its form of min_octets */
    IE_PFCS,      /* struct pfc_list */
};

/* Octets of the decoded PDU, or of an encoder's caller. */
struct ie_span {
    const uint8_t *at;
    size_t octets;
};

struct ie {
    const char *name;
    uint16_t at; /* offset in the PDU's struct */
    uint8_t iei;
    uint8_t format;
    bool is_tv;         /* identifier and value without length */
    uint8_t spare_bits; /* above a number: ignored when read, 0 when written */
    uint8_t min_octets;
    uint16_t max_octets; /* 0: no limit. A longer value is cut to its first octets */
};

/** Stores a value of `octets` octets into the struct at `out`. Returns 0, or ERR_TRUNCATED, ERR_MALFORMED. */
int ie_decode(void *out, const struct ie *ie, const uint8_t *value, size_t octets);

/** Octets that the value in the struct at `in` takes on the wire. */
size_t ie_octets(const struct ie *ie, const void *in);

/**
 * Writes the value alone, ie_octets() of them. `unit` divides IE_UNITS and IE_PFCS and is not 0. Returns
 * octets, ERR_NO_SPACE, or ERR_RANGE when the value does not fit its place or is no multiple of the unit.
 */
int ie_encode(uint8_t *bytes, size_t cap, const struct ie *ie, const void *in, uint64_t unit);

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
