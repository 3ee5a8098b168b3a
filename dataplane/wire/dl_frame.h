/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The headers of nearly all users' frames on Gb, written at once: SNDCP, LLC, DL-UNITDATA with PDU Lifetime
 * and an IMSI of 15 digits or none, NS-UNITDATA. The octets are those of the encoders of each header.
 */
#ifndef DATAPLANE_WIRE_DL_FRAME_H
#define DATAPLANE_WIRE_DL_FRAME_H

#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/ns.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/tlv.h"

/* Input of dl_frame_put(). */
struct dl_frame {
    const uint8_t *imsi; /* 8 octets; NULL: none */
    uint32_t tlli;
    uint32_t llc;   /* dl_frame_llc() */
    uint32_t sndcp; /* dl_frame_sndcp() */
    uint16_t bvci, lifetime_cs, llc_octets;
    uint8_t qos;   /* last octet of the QoS profile */
    bool is_first; /* segment of its N-PDU */
};

/* The three octets of a UI frame's header, in the network's direction. */
static inline uint32_t dl_frame_llc(uint8_t sapi, uint16_t nu, bool is_ciphered, bool is_protected)
{
    uint32_t control = (uint32_t)LLC_CONTROL_UI << 8 | (uint32_t)nu << 2 | (uint32_t)is_ciphered << 1;
    return (uint32_t)(LLC_ADDRESS_CR | sapi) << 16 | control | is_protected;
}

/* The four octets of the header of a first segment, or the three of another. */
static inline uint32_t dl_frame_sndcp(uint8_t nsapi, bool has_more, uint8_t segment, uint16_t number)
{
    uint32_t first = (uint32_t)SNDCP_T | (uint32_t)has_more * SNDCP_M | nsapi;
    if (segment == 0)
        return (first | SNDCP_F) << 24 | number;
    return first << 16 | (uint32_t)segment << 12 | number;
}

/* First octets of the LLC-PDU and of the NS PDU, which ends with the LLC-PDU. */
struct dl_frame_at {
    uint8_t *llc, *ns;
};

/* The identifier and length of the LLC-PDU end at `llc`; returns their first octet. */
static inline uint8_t *dl_frame_put_length(uint8_t *llc, uint16_t llc_octets)
{
    if (llc_octets <= TLV_SHORT_OCTETS) {
        bytes_put_u16(llc - 2, (uint16_t)(BSSGP_DL_COMMON_LLC_SHORT | llc_octets));
        return llc - 2;
    }
    bytes_put_u32(llc - 4, BSSGP_DL_COMMON_LLC_LONG | llc_octets);
    return llc - 3;
}

/* LLC and SNDCP header in front of the payload; returns the first octet. */
static inline uint8_t *dl_frame_put_llc(const struct dl_frame *in, uint8_t *payload)
{
    if (in->is_first) {
        bytes_put_u64(payload - 8, (uint64_t)in->llc << 32 | in->sndcp);
        return payload - 7;
    }
    bytes_put_u64(payload - 8, (uint64_t)in->llc << 24 | in->sndcp);
    return payload - 6;
}

/* Writes all headers in front of a segment's payload, from the back on: the first octets of some words are
 * those of the header in front. */
static inline struct dl_frame_at dl_frame_put(const struct dl_frame *in, uint8_t *payload)
{
    uint8_t *llc = dl_frame_put_llc(in, payload), *at = dl_frame_put_length(llc, in->llc_octets);
    if (in->imsi) {
        at -= 2 + BSSGP_DL_COMMON_IMSI_OCTETS;
        bytes_put_u16(at, BSSGP_DL_COMMON_IMSI);
        memcpy(at + 2, in->imsi, BSSGP_DL_COMMON_IMSI_OCTETS);
    }
    at -= 12 + NS_UNITDATA_HEADER_OCTETS;
    bytes_put_u64(at, (uint64_t)in->bvci << 32 | in->tlli >> 8);
    bytes_put_u64(at + 8, (uint64_t)in->tlli << 56 | (uint64_t)in->qos << 32 | BSSGP_DL_COMMON_LIFETIME |
                              in->lifetime_cs);
    return (struct dl_frame_at){.llc = llc, .ns = at};
}

#endif
