/* SPDX-License-Identifier: BSD-3-Clause */
/* SN-UNITDATA header and the geometry of segmentation (TS 44.065 6.7, 7.2). No state: numbers are the
 * caller's. */
#ifndef DATAPLANE_WIRE_SNDCP_H
#define DATAPLANE_WIRE_SNDCP_H

#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SNDCP_F = 0x40, SNDCP_T = 0x20, SNDCP_M = 0x10 }; /* the first octet */

enum {
    SNDCP_FIRST_OCTETS = 4, /* header of the first segment */
    SNDCP_LATER_OCTETS = 3,
    SNDCP_MAX_SEGMENTS = 16,
    SNDCP_NPDU_MODULUS = 4096,
    SNDCP_NSAPI_MIN = 5,
    SNDCP_NSAPI_MAX = 15,
    SNDCP_N201_U_MIN_OCTETS = 140, /* TS 44.064 table 9 */
    SNDCP_N201_U_MAX_OCTETS = 1520,
};

/* first <=> segment = 0; comp = 0 unless first. */
struct sndcp {
    uint16_t n_pdu_number; /* 0..4095 */
    uint8_t nsapi;
    uint8_t segment; /* 0..15 */
    uint8_t comp;    /* DCOMP << 4 | PCOMP; 0: as it is */
    bool first;      /* F */
    bool more;       /* M: not the last one */
};

/*
 * Reads the header of an SN-UNITDATA PDU (a UI frame's information). Returns 4 or 3, where its data begins.
 * ERR_TRUNCATED; ERR_UNSUPPORTED: SN-DATA, or an NSAPI that names no PDP context; ERR_MALFORMED: F
 * contradicts the segment number.
 */
int sndcp_decode(struct sndcp *out, const uint8_t *bytes, size_t len);

static inline bool sndcp_is_encodable(const struct sndcp *in)
{
    return in->n_pdu_number < SNDCP_NPDU_MODULUS && in->nsapi >= SNDCP_NSAPI_MIN &&
           in->nsapi <= SNDCP_NSAPI_MAX && in->segment < SNDCP_MAX_SEGMENTS &&
           (in->segment == 0) == in->first;
}

/* Writes the header. Returns 4 or 3; ERR_NO_SPACE; ERR_RANGE: a field does not fit, or first contradicts
 * segment. */
static inline int sndcp_encode(uint8_t *bytes, size_t cap, const struct sndcp *in)
{
    size_t octets = in->first ? SNDCP_FIRST_OCTETS : SNDCP_LATER_OCTETS;
    if (!sndcp_is_encodable(in))
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((in->first ? SNDCP_F : 0) | SNDCP_T | (in->more ? SNDCP_M : 0) | in->nsapi);
    if (in->first)
        bytes[1] = in->comp;
    bytes_put_u16(bytes + octets - 2, (uint16_t)(in->segment << 12 | in->n_pdu_number));
    return (int)octets;
}

/* Writes the header of a first segment, SNDCP_FIRST_OCTETS, as sndcp_encode() does, in one word; comp: DCOMP
 * and PCOMP. The fields must be in range. */
static inline void sndcp_first_put(uint8_t *bytes, uint8_t nsapi, bool more, uint16_t n_pdu_number,
                                   uint8_t comp)
{
    uint32_t first = SNDCP_F | SNDCP_T | nsapi | (more ? SNDCP_M : 0U);
    bytes_put_u32(bytes, first << 24 | (uint32_t)comp << 16 | n_pdu_number);
}

/*
 * Number of segments of an N-PDU of n_pdu_octets, headers included in n201_u_octets: 1..16 (1 for an empty
 * one). ERR_RANGE: more than 16, or N201-U outside 140..1520.
 */
int sndcp_segments(size_t n_pdu_octets, unsigned n201_u_octets);

/* Offset of segment number i in its N-PDU, all before it being full. i and N201-U as sndcp_segments()
 * allows. */
static inline size_t sndcp_segment_offset(unsigned n201_u_octets, unsigned i)
{
    return i ? (size_t)i * (n201_u_octets - SNDCP_LATER_OCTETS) - (SNDCP_FIRST_OCTETS - SNDCP_LATER_OCTETS)
             : 0;
}

/* Data octets of segment number i without its header; 0 behind the last one. */
size_t sndcp_segment_octets(size_t n_pdu_octets, unsigned n201_u_octets, unsigned i);

/*
 * Header of SNDCP's SN-DATA PDU, the information of an I frame (TS 44.065 clause 7.2). It has no segment
 * number: LLC keeps the order.
 *
 *     first segment   X F=1 T=0 M NSAPI | DCOMP PCOMP | N-PDU number
 *     another         X F=0 T=0 M NSAPI
 */

enum { SN_DATA_FIRST_OCTETS = 3, SN_DATA_LATER_OCTETS = 1 };

/* number and comp are 0 unless first. */
struct sn_data {
    uint8_t nsapi;
    uint8_t number; /* of the N-PDU, modulo 256 */
    uint8_t comp;   /* as of struct sndcp */
    bool first;     /* F */
    bool more;      /* M: not the last one */
};

/* Reads a header. Returns 3 or 1, where its data begins. ERR_TRUNCATED; ERR_UNSUPPORTED: SN-UNITDATA, or an
 * NSAPI that names no PDP context. */
int sn_data_decode(struct sn_data *out, const uint8_t *bytes, size_t len);

/* Writes the header. Returns 3 or 1; ERR_NO_SPACE; ERR_RANGE: a field does not fit. */
int sn_data_encode(uint8_t *bytes, size_t cap, const struct sn_data *in);

/* Segments of an N-PDU, headers included in n201_i_octets, which is above 3; 1 of an empty one. */
unsigned sn_data_segments(size_t n_pdu_octets, unsigned n201_i_octets);

#endif
