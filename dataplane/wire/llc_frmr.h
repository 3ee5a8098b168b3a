/* SPDX-License-Identifier: BSD-3-Clause */
/* The information field of an FRMR frame about the rejected frame (TS 44.064 6.4.1.5). */
#ifndef DATAPLANE_WIRE_LLC_FRMR_H
#define DATAPLANE_WIRE_LLC_FRMR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LLC_FRMR_OCTETS = 10, LLC_FRMR_CONTROL_OCTETS = 6 };

/* Reasons. */
enum llc_frmr_why {
    LLC_FRMR_W1_CONTROL = 1,     /* the control field is undefined, or not allowed here */
    LLC_FRMR_W2_INFORMATION = 2, /* information where none may be, or a wrong length; with W1 */
    LLC_FRMR_W3_TOO_LONG = 4,    /* information above N201 */
    LLC_FRMR_W4_SEQUENCE = 8,    /* N(R) out of range */
};

struct llc_frmr {
    uint8_t control[LLC_FRMR_CONTROL_OCTETS]; /* of the rejected frame, left justified, zeros behind it */
    uint16_t vs, vr;                          /* V(S), V(R) of the rejecting side, 0..511 */
    bool cr;                                  /* the rejected frame was a response */
    uint8_t why;                              /* sum of enum llc_frmr_why */
};

/* Reads the information field. Returns 10, or ERR_TRUNCATED. */
int llc_frmr_decode(struct llc_frmr *out, const uint8_t *bytes, size_t len);

/* Writes it. Returns 10; ERR_NO_SPACE; ERR_RANGE: V(S) or V(R) above 511, or more than four reasons. */
int llc_frmr_encode(uint8_t *bytes, size_t cap, const struct llc_frmr *in);

#endif
