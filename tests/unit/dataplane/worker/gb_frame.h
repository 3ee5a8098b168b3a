/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Frames of Gb made octet by octet, without the codecs: what the worker must send for an N-PDU, and what a
 * mobile's LLC-PDUs look like when they come. The FCS is computed bit by bit; ciphering is the portable
 * engine's, packet by packet.
 */
#ifndef TESTS_UNIT_DATAPLANE_WORKER_GB_FRAME_H
#define TESTS_UNIT_DATAPLANE_WORKER_GB_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Not ciphered when all zero. */
struct gb_frame_cipher {
    bool is_on;
    uint8_t key[16];
    uint32_t input; /* of N(U) 0, OC included */
};

/* What decides the octets of the next downlink frame; moves on with each, OC where N(U) wraps. */
struct gb_frame_downlink {
    uint16_t n201_u;
    uint8_t imsi_octets;
    uint32_t tlli;       /* 0: the kit's */
    uint8_t sapi, nsapi; /* 0: the kit's */
    bool is_pm0;
    uint16_t ip_id, nu, number;
    struct gb_frame_cipher cipher;
};

/* Writes segment `segment` of an N-PDU and returns the frame's octets; *offset, 0 at first, moves on. */
size_t gb_frame_segment(uint8_t *out, struct gb_frame_downlink *d, const uint8_t *n_pdu, uint16_t octets,
                        uint16_t *offset);

/* An uplink LLC-PDU in UL-UNITDATA. Zero fields: the kit's mobile, cell and NS-VC, N(U) 0, one whole N-PDU.
 */
struct gb_frame_uplink {
    uint32_t tlli;       /* 0: the kit's */
    uint8_t sapi, nsapi; /* 0: the kit's */
    uint8_t nsvc;        /* which one it comes on */
    uint16_t bvci;       /* 0: the kit's */
    uint16_t nu;
    uint8_t segment;
    bool more;
    bool is_pm0; /* FCS over the header and four octets only */
    bool has_bad_fcs;
    bool is_clear; /* not ciphered, whatever cipher says */
    struct gb_frame_cipher cipher;
    uint8_t compression; /* DCOMP and PCOMP */
    uint8_t sndcp;       /* not 0: the first octet of SNDCP as it is */
    bool is_empty;       /* no information, not even SNDCP's header */
    uint8_t control;     /* not 0: a frame with this control octet and no more of SNDCP */
    uint16_t number;
    uint16_t octets;     /* of data */
    const uint8_t *data; /* NULL: a pattern of the segment's number */
};

size_t gb_frame_uplink(uint8_t *out, const struct gb_frame_uplink *in);

/* Writes UDP, IP and Ethernet around an NS PDU that comes on a NS-VC. Returns the frame's octets. */
size_t gb_frame_wrap(uint8_t *out, uint8_t nsvc, const uint8_t *ns_pdu, size_t octets);

/* The same around one that leaves on NS-VC 0. */
size_t gb_frame_wrap_down(uint8_t *out, uint16_t ip_id, const uint8_t *ns_pdu, size_t octets);

/* An LLC-PDU of control's on its way down, in a frame on NS-VC 0: header and information as given. */
size_t gb_frame_signalling(uint8_t *out, const struct gb_frame_downlink *d, const uint8_t *llc,
                           size_t octets);

/* FCS of TS 44.064 clause 5.5, as the number whose least octet is sent first. */
uint32_t gb_frame_fcs(const uint8_t *bytes, size_t octets);

#endif
