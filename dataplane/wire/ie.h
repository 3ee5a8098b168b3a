/* SPDX-License-Identifier: BSD-3-Clause */
/* Information elements (IE): described by rows of a table, which have the offset of the value in its PDU's
 * struct and the format of its octets, and the TLV form on the wire. NS and BSSGP each have such a table;
 * their codecs and the Lua binding use it. */
#ifndef DATAPLANE_WIRE_IE_H
#define DATAPLANE_WIRE_IE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* PFC Flow Control Parameters: one bucket per packet flow of a mobile (TS 48.018 §11.3.68). */
enum { PFC_LIST_MAX = 11 };

struct pfc_flow {
    uint8_t pfi;
    uint8_t ratio_percent; /* B_PFC, of Bmax; valid if the list has_ratio */
    uint64_t bucket_octets;
    uint64_t rate_bps;
};

struct pfc_list {
    unsigned count;
    bool has_ratio;
    struct pfc_flow flow[PFC_LIST_MAX];
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

/** Octets of value that follow the identifier of an element without length, or ERR_TRUNCATED, ERR_MALFORMED.
 */
int ie_tv_octets(const struct ie *ie, const uint8_t *bytes, size_t len);

/** Octets that the value in the struct at `in` takes on the wire. */
size_t ie_octets(const struct ie *ie, const void *in);

/**
 * Writes the value alone, ie_octets() of them. `unit` divides IE_UNITS and IE_PFCS and is not 0. Returns
 * octets, ERR_NO_SPACE, or ERR_RANGE when the value does not fit its place or is no multiple of the unit.
 */
int ie_encode(uint8_t *bytes, size_t cap, const struct ie *ie, const void *in, uint64_t unit);

/* The TLV form that NS and BSSGP share: identifier, length indicator of one or two octets, value
   (TS 48.016 §10.1, TS 48.018 §11.1). */
enum { TLV_SHORT_OCTETS = 0x7f, TLV_MAX_OCTETS = 0x7fff };

struct tlv {
    uint8_t iei;
    uint16_t octets;      /* of the value */
    const uint8_t *value; /* inside the decoded octets; the caller's when encoding, NULL with 0 octets */
};

/** Octets of a value's length indicator in the shortest form, which is the one sent. */
static inline int ie_tlv_length_octets(size_t octets)
{
    return octets <= TLV_SHORT_OCTETS ? 1 : 2;
}

/** Reads a length indicator in either form. Returns 1 or 2, or ERR_TRUNCATED. */
int ie_tlv_length_get(uint16_t *octets, const uint8_t *bytes, size_t len);

/** Writes a length indicator in its shortest form. Returns 1 or 2, ERR_NO_SPACE, or ERR_RANGE above 32767. */
int ie_tlv_length_put(uint8_t *bytes, size_t cap, size_t octets);

/**
 * Reads one TLV. Returns the octets it takes, or ERR_TRUNCATED; then out->iei is valid if len is not 0, and
 * the value is empty.
 */
int ie_tlv_decode(struct tlv *out, const uint8_t *bytes, size_t len);

/** Writes identifier and length of a value that the caller appends. Returns octets written or as
 * ie_tlv_length_put(). */
int ie_tlv_header_put(uint8_t *bytes, size_t cap, uint8_t iei, size_t octets);

/** Writes one TLV. Returns octets written, ERR_NO_SPACE or ERR_RANGE. */
int ie_tlv_encode(uint8_t *bytes, size_t cap, const struct tlv *in);

#endif
