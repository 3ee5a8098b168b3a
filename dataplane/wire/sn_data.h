/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Header of SNDCP's SN-DATA PDU, the information of an I frame (TS 44.065 clause 7.2). It has no segment
 * number: LLC keeps the order.
 *
 *     first segment   X F=1 T=0 M NSAPI | DCOMP PCOMP | N-PDU number
 *     another         X F=0 T=0 M NSAPI
 */
#ifndef DATAPLANE_WIRE_SN_DATA_H
#define DATAPLANE_WIRE_SN_DATA_H

#include "dataplane/wire/sndcp.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SN_DATA_FIRST_OCTETS = 3, SN_DATA_LATER_OCTETS = 1 };

/* number, dcomp and pcomp are 0 unless first. */
struct sn_data {
    uint8_t nsapi;
    uint8_t number; /* of the N-PDU, modulo 256 */
    uint8_t dcomp, pcomp;
    bool first; /* F */
    bool more;  /* M: not the last one */
};

/* Reads a header. Returns 3 or 1, where its data begins. ERR_TRUNCATED; ERR_UNSUPPORTED: SN-UNITDATA, or an
 * NSAPI that names no PDP context. */
int sn_data_decode(struct sn_data *out, const uint8_t *bytes, size_t len);

/* Writes the header. Returns 3 or 1; ERR_NO_SPACE; ERR_RANGE: a field does not fit. */
int sn_data_encode(uint8_t *bytes, size_t cap, const struct sn_data *in);

/* Segments of an N-PDU, headers included in n201_i_octets, which is above 3; 1 of an empty one. */
unsigned sn_data_segments(size_t n_pdu_octets, unsigned n201_i_octets);

#endif
