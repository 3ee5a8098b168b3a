/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter field of LLC's XID frames, which SABM and UA may carry, too (TS 44.064 6.4.1.6, table 6).
 * Answering is elsewhere: here are octets, ranges and defaults.
 */
#ifndef DATAPLANE_WIRE_LLC_XID_H
#define DATAPLANE_WIRE_LLC_XID_H

#include <stddef.h>
#include <stdint.h>

enum llc_xid_type {
    LLC_XID_VERSION = 0,
    LLC_XID_IOV_UI = 1,
    LLC_XID_IOV_I = 2,
    LLC_XID_T200 = 3, /* tenths of a second */
    LLC_XID_N200 = 4,
    LLC_XID_N201_U = 5, /* octets */
    LLC_XID_N201_I = 6, /* octets */
    LLC_XID_M_D = 7,    /* 16 octets each, as M_U; 0: no limit */
    LLC_XID_M_U = 8,
    LLC_XID_K_D = 9, /* frames, as K_U */
    LLC_XID_K_U = 10,
    LLC_XID_L3 = 11, /* SNDCP's own field (TS 44.065 6.8) */
    LLC_XID_RESET = 12,
    LLC_XID_TYPES,
};

enum { LLC_XID_L3_MAX_OCTETS = 255, LLC_XID_ITEM_HEADER_MAX_OCTETS = 2 };

/* One item, encoded. */
struct llc_xid_item {
    const uint8_t *value; /* inside the decoded octets; the caller's when encoding, NULL with 0 octets */
    uint8_t octets;
    uint8_t type; /* 0..31 */
};

/* Bits of has and refused are 1 << enum llc_xid_type. */
struct llc_xid {
    uint16_t has;
    uint16_t refused; /* decode: present, but of wrong length or range, repeated, or a Reset behind others */
    uint8_t l3_octets;
    const uint8_t *l3;             /* inside the decoded octets; the caller's when encoding */
    uint32_t value[LLC_XID_TYPES]; /* all but L3 and RESET */
};

/* Range of a parameter. The value takes `octets` octets, of which the bits of `mask` count. */
struct llc_xid_row {
    const char *name;
    uint8_t octets;
    uint32_t mask, min, max; /* 0 is allowed for M_D and M_U, too */
};

/* The row of a type, or NULL for L3, RESET and unknown ones. */
const struct llc_xid_row *llc_xid_row_get(unsigned type);

/* Value for a SAPI before any XID (table 9); 0: the SAPI has no such parameter. */
uint32_t llc_xid_default_get(enum llc_xid_type type, unsigned sapi);

/* Reads the item at the start of bytes, either length form. Returns its octets, or ERR_TRUNCATED. */
int llc_xid_item_decode(struct llc_xid_item *out, const uint8_t *bytes, size_t len);

/* Writes one item in the shortest form. Returns octets, ERR_NO_SPACE, or ERR_RANGE: type above 31. */
int llc_xid_item_encode(uint8_t *bytes, size_t cap, const struct llc_xid_item *in);

/*
 * Reads a whole field. Items with an error count as absent and are noted in refused; unknown types are
 * skipped; of repeated ones the first counts. Returns len, or ERR_TRUNCATED: an item overruns the field.
 */
int llc_xid_decode(struct llc_xid *out, const uint8_t *bytes, size_t len);

/*
 * Writes what in->has names, Reset first, then by type. Returns octets, which may be 0; ERR_NO_SPACE;
 * ERR_RANGE: a value that its row does not allow.
 */
int llc_xid_encode(uint8_t *bytes, size_t cap, const struct llc_xid *in);

#endif
