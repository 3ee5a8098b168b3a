/* SPDX-License-Identifier: BSD-3-Clause */
/* The two BSSGP PDUs of every packet, without tables: DL-UNITDATA and UL-UNITDATA (TS 48.018 §10.2.1,
 * §10.2.2). */
#ifndef DATAPLANE_WIRE_BSSGP_UNITDATA_H
#define DATAPLANE_WIRE_BSSGP_UNITDATA_H

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/ie.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/ns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All but the LLC-PDU and the elements of bssgp.h: TLLI and QoS 8, lifetime 4, IMSI 10, old TLLI 6,
 * PFI 3, LLC-PDU's identifier and length 3. With alignment octets up to 5 more. */
enum { BSSGP_DL_PLAIN_MAX_OCTETS = 34, BSSGP_DL_TLLI_OLD_OCTETS = 6, BSSGP_DL_ALIGNMENT_MAX_OCTETS = 5 };
enum {
    BSSGP_DL_HEADER_MAX_OCTETS =
        (int)BSSGP_DL_PLAIN_MAX_OCTETS + (int)BSSGP_ELEMENTS_OCTETS + (int)BSSGP_DL_ALIGNMENT_MAX_OCTETS
};
/* TLLI and QoS 8, cell 10, LLC-PDU's identifier and length 3. */
enum { BSSGP_UL_HEADER_MAX_OCTETS = 21 };

struct bssgp_dl {
    uint32_t tlli;
    uint32_t tlli_old; /* if has_tlli_old */
    uint8_t qos_profile[3];
    uint8_t pfi; /* if has_pfi; 0..127 */
    bool has_tlli_old, has_pfi;
    bool is_aligned;      /* the LLC-PDU's element begins at a multiple of four octets */
    uint16_t lifetime_cs; /* 0xffff: infinite */
    uint16_t llc_octets;
    uint8_t imsi_octets;                   /* 0: none; at most 8 */
    const uint8_t *imsi;                   /* value part as identity_imsi_encode() writes it; the caller's */
    const struct bssgp_elements *elements; /* the caller's; NULL: none */
};

/* Input of bssgp_dl_common_put(). */
struct bssgp_dl_common {
    uint32_t tlli;
    uint8_t qos;
    bool has_imsi;
    uint16_t lifetime_cs, llc_octets;
    const uint8_t *imsi;
};

/* Identifiers and lengths of its elements, and its octets without IMSI and the LLC-PDU's length. The PDU type
 * is 0. */
enum {
    BSSGP_DL_COMMON_LIFETIME = 0x16820000,
    BSSGP_DL_COMMON_IMSI = 0x0d88,
    BSSGP_DL_COMMON_LLC_SHORT = 0x0e80,
    BSSGP_DL_COMMON_LLC_LONG = 0x0e0000,
    BSSGP_DL_COMMON_OCTETS = 13,
    BSSGP_DL_COMMON_IMSI_OCTETS = 8
};

/* QoS Profile and PFI have no reader, as the uplink is not scheduled here. */
struct bssgp_ul {
    uint32_t tlli;
    uint16_t llc_octets;
    const uint8_t *cell_id; /* 8 octets */
    const uint8_t *llc_pdu; /* inside the decoded octets; not used when encoding */
};

/* Octets of the alignment element at this offset: two of its own and up to three to fill. */
static inline int bssgp_dl_alignment_octets(int at)
{
    int gap = -at & 3;
    return gap == 1 ? BSSGP_DL_ALIGNMENT_MAX_OCTETS : gap;
}

/* Octets of the element IMSI with a value of so many octets. */
static inline unsigned bssgp_dl_imsi_octets(unsigned value_octets)
{
    return value_octets ? 2 + value_octets : 0;
}

/** Octets that bssgp_dl_unitdata_encode_header() will write. */
static inline int bssgp_dl_unitdata_header_octets(const struct bssgp_dl *in)
{
    int octets = 12; /* fixed fields and lifetime */
    octets += (int)bssgp_dl_imsi_octets(in->imsi_octets) + (in->has_pfi ? 3 : 0);
    octets += in->has_tlli_old ? BSSGP_DL_TLLI_OLD_OCTETS : 0;
    octets += in->elements ? (int)bssgp_elements_octets(in->elements) : 0;
    octets += in->is_aligned ? bssgp_dl_alignment_octets(octets) : 0;
    return octets + 1 + ie_tlv_length_octets(in->llc_octets);
}

/**
 * Writes a DL-UNITDATA up to and including the LLC-PDU's length; in->llc_octets octets of LLC-PDU must
 * follow. The length takes one octet up to 127, else two. Returns octets, ERR_NO_SPACE, or ERR_RANGE (LLC-PDU
 * over 32767 octets, IMSI over 8, PFI over 127).
 */
int bssgp_dl_unitdata_encode_header(uint8_t *bytes, size_t cap, const struct bssgp_dl *in);

/* Octets of the commonest header: lifetime, an IMSI of 15 digits or none, and no other optional element. */
static inline unsigned bssgp_dl_common_octets(const struct bssgp_dl_common *in)
{
    return BSSGP_DL_COMMON_OCTETS + (in->has_imsi ? 2 + BSSGP_DL_COMMON_IMSI_OCTETS : 0) +
           (unsigned)ie_tlv_length_octets(in->llc_octets);
}

/* Writes that header, bssgp_dl_common_octets(), as bssgp_dl_unitdata_encode_header() would, in whole
 * words and without its tests. qos: the last octet of the QoS profile, the others are 0; imsi: 8 octets. */
static inline void bssgp_dl_common_put(uint8_t *p, const struct bssgp_dl_common *in)
{
    bytes_put_u64(p, (uint64_t)in->tlli << 24 | in->qos);
    bytes_put_u32(p + 8, BSSGP_DL_COMMON_LIFETIME | in->lifetime_cs);
    p += 12;
    if (in->has_imsi) {
        bytes_put_u16(p, BSSGP_DL_COMMON_IMSI);
        memcpy(p + 2, in->imsi, BSSGP_DL_COMMON_IMSI_OCTETS);
        p += 2 + BSSGP_DL_COMMON_IMSI_OCTETS;
    }
    if (in->llc_octets <= TLV_SHORT_OCTETS)
        bytes_put_u16(p, (uint16_t)(BSSGP_DL_COMMON_LLC_SHORT | in->llc_octets));
    else
        bytes_put_u24(p, BSSGP_DL_COMMON_LLC_LONG | in->llc_octets);
}

/** Writes an UL-UNITDATA up to and including the LLC-PDU's length, likewise; its QoS Profile is 0, 0, 4. */
int bssgp_ul_unitdata_encode_header(uint8_t *bytes, size_t cap, const struct bssgp_ul *in);

/**
 * Decodes an UL-UNITDATA; both length forms, elements in any order, unknown ones skipped. Returns len;
 * ERR_UNSUPPORTED for another PDU type; ERR_TRUNCATED, ERR_MALFORMED (bssgp_decode() tells the cause for a
 * STATUS).
 */
int bssgp_ul_unitdata_decode(struct bssgp_ul *out, const uint8_t *bytes, size_t len);

/*
 * The headers of nearly all users' frames on Gb, written at once: SNDCP, LLC, DL-UNITDATA with PDU Lifetime
 * and an IMSI of 15 digits or none, NS-UNITDATA. The octets are those of the encoders of each header.
 */

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

/* The four octets of the header of a first segment, with DCOMP and PCOMP, or the three of another. */
static inline uint32_t dl_frame_sndcp(uint8_t nsapi, bool has_more, uint8_t segment, uint16_t number,
                                      uint8_t comp)
{
    uint32_t first = (uint32_t)SNDCP_T | (uint32_t)has_more * SNDCP_M | nsapi;
    if (segment == 0)
        return (first | SNDCP_F) << 24 | (uint32_t)comp << 16 | number;
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
