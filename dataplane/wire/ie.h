/* SPDX-License-Identifier: BSD-3-Clause */
/* Information elements described by rows of a table: offset of the value in its PDU's struct, and format of
 * its octets. NS and BSSGP each have such a table; their codecs and the Lua binding use it. */
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

/** Octets of value that follow a TV identifier, or ERR_TRUNCATED, ERR_MALFORMED. */
int ie_tv_octets(const struct ie *ie, const uint8_t *bytes, size_t len);

/** Stores a value of `octets` octets into the struct at `out`. Returns 0, or ERR_TRUNCATED, ERR_MALFORMED. */
int ie_decode(void *out, const struct ie *ie, const uint8_t *value, size_t octets);

/** Octets that the value in the struct at `in` takes on the wire. */
size_t ie_octets(const struct ie *ie, const void *in);

/**
 * Writes the value alone, ie_octets() of them. `unit` divides IE_UNITS and IE_PFCS and is not 0. Returns
 * octets, ERR_NO_SPACE, or ERR_RANGE when the value does not fit its place or is no multiple of the unit.
 */
int ie_encode(uint8_t *bytes, size_t cap, const struct ie *ie, const void *in, uint64_t unit);

#endif
