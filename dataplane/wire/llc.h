/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC frame: address and control field (TS 44.064 6.2, 6.3). A frame is header, information, FCS of three
 * octets. Numbering, FCS and ciphering are done elsewhere.
 */
#ifndef DATAPLANE_WIRE_LLC_H
#define DATAPLANE_WIRE_LLC_H

#include "dataplane/base/bytes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LLC_ADDRESS_CR = 0x40,
    LLC_CONTROL_UI = 0xc0,
    LLC_SAPIS_KNOWN = 0x0bae,
    LLC_SAPIS_DATA = 0x0a28,

    LLC_UI_OCTETS = 3, /* header of a UI frame */
    LLC_U_OCTETS = 2,
    LLC_I_OCTETS = 4, /* without the bitmap of a SACK, as in S frames */
    LLC_S_OCTETS = 3,
    LLC_FCS_OCTETS = 3,
    LLC_NU_MODULUS = 512,

    LLC_SAPI_GMM = 1,
    LLC_SAPI_TOM2 = 2,
    LLC_SAPI_DATA_3 = 3,
    LLC_SAPI_DATA_5 = 5,
    LLC_SAPI_SMS = 7,
    LLC_SAPI_TOM8 = 8,
    LLC_SAPI_DATA_9 = 9,
    LLC_SAPI_DATA_11 = 11,
};

enum llc_format { LLC_I, LLC_S, LLC_UI, LLC_U };

/* The M bits of a U frame (6.4.1). */
enum llc_command {
    LLC_NULL = 0,
    LLC_DM = 1,
    LLC_DISC = 4,
    LLC_UA = 6,
    LLC_SABM = 7,
    LLC_FRMR = 8,
    LLC_XID = 11,
};

/* The S bits of I and S frames (6.3.4). */
enum llc_supervisory { LLC_RR = 0, LLC_ACK = 1, LLC_RNR = 2, LLC_SACK = 3 };

/*
 * header_octets + info_octets + LLC_FCS_OCTETS = the frame. A field that the format does not have is 0, and
 * is ignored when encoding.
 */
struct llc {
    enum llc_format format;
    uint16_t header_octets; /* without the SACK bitmap of I and S frames, which counts as information */
    uint16_t nu;            /* UI: N(U), 0..511 */
    uint16_t ns, nr;        /* I: N(S); I and S: N(R); 0..511 */
    uint32_t info_octets;
    uint8_t sapi;
    uint8_t command;     /* U: enum llc_command, or an undefined code */
    uint8_t supervisory; /* I and S: enum llc_supervisory */
    bool cr;             /* true: a command from the network, or a response from the mobile */
    bool pf;             /* U: poll/final */
    bool a;              /* I and S: requests an acknowledgement */
    bool e;              /* UI: information and FCS are ciphered */
    bool pm;             /* FCS covers all information; true for every format but UI */
};

/* Commands and responses that begin and end acknowledged mode. */
static inline bool llc_is_of_link(uint8_t command)
{
    return command == LLC_SABM || command == LLC_UA || command == LLC_DISC || command == LLC_DM ||
           command == LLC_FRMR;
}

/* True for the SAPIs of table 2 (6.2.3); frames with others are discarded. */
static inline bool llc_is_sapi_known(unsigned sapi)
{
    return sapi < 16 && (LLC_SAPIS_KNOWN >> sapi & 1);
}

/* True for the SAPIs of user data: 3, 5, 9 and 11. */
static inline bool llc_is_sapi_data(unsigned sapi)
{
    return sapi < 16 && (LLC_SAPIS_DATA >> sapi & 1);
}

/* A mobile's answer to XID of GMM's SAPI. */
static inline bool llc_is_xid_answer(const struct llc *in)
{
    return in->format == LLC_U && in->command == LLC_XID && in->cr && in->sapi == LLC_SAPI_GMM;
}

static inline uint8_t llc_address(const struct llc *in)
{
    return (uint8_t)((in->cr ? LLC_ADDRESS_CR : 0) | in->sapi);
}

/*
 * Reads the header of a whole frame, FCS included in len. Returns the information's offset. ERR_TRUNCATED: no
 * room for header and FCS; ERR_UNSUPPORTED: the PD bit says that it is not LLC, or a reserved SAPI.
 */
int llc_decode(struct llc *out, const uint8_t *bytes, size_t len);

/* Writes the header of a UI frame. Returns 3; ERR_NO_SPACE; ERR_RANGE: reserved SAPI, or N(U) above 511. */
static inline int llc_ui_encode(uint8_t *bytes, size_t cap, const struct llc *in)
{
    if (!llc_is_sapi_known(in->sapi) || in->nu >= LLC_NU_MODULUS)
        return ERR_RANGE;
    if (cap < LLC_UI_OCTETS)
        return ERR_NO_SPACE;
    bytes[0] = llc_address(in);
    bytes[1] = (uint8_t)(LLC_CONTROL_UI | in->nu >> 6);
    bytes[2] = (uint8_t)((in->nu & 0x3f) << 2 | (in->e ? 2 : 0) | in->pm);
    return LLC_UI_OCTETS;
}

/*
 * Writes the header of any format. Returns its octets; ERR_NO_SPACE; ERR_RANGE: reserved SAPI, or a field
 * that does not fit.
 */
int llc_encode(uint8_t *bytes, size_t cap, const struct llc *in);

/*
 * Headers of LLC's I and S frames with the bitmap of a SACK (TS 44.064 clauses 6.3.1, 6.3.2, 6.3.4). llc.h
 * has the octets in front of the bitmap.
 *
 *     I:  address, three octets of control, and of a SACK: K, then K + 1 octets of bitmap
 *     S:  address, two octets of control, and of a SACK: the bitmap, up to the FCS
 *
 * Bit 8 of the first octet of the bitmap is R(1): the frame with N(S) = N(R) + 1 was received.
 */

enum {
    LLC_ABM_BITMAP_MAX_OCTETS = 32,
    LLC_ABM_HEADER_MAX_OCTETS = LLC_I_OCTETS + 1 + LLC_ABM_BITMAP_MAX_OCTETS,
};

struct llc_abm {
    uint16_t ns, nr; /* 0..511; ns of S frames is 0 */
    uint8_t sapi;
    uint8_t supervisory;   /* enum llc_supervisory */
    uint8_t bitmap_octets; /* of a SACK 1..32, else 0 */
    bool is_i, a;
    bool cr; /* as in struct llc */
    uint8_t bitmap[LLC_ABM_BITMAP_MAX_OCTETS];
};

/*
 * Reads the header of a whole frame, FCS included in len. Returns the offset of the information, which of an
 * S frame has 0 octets. ERR_TRUNCATED, ERR_UNSUPPORTED: as llc_decode(), or no I or S frame; ERR_MALFORMED:
 * an S frame with information, or a SACK without bitmap or with one that does not fit (W1 and W2 of an FRMR).
 */
int llc_abm_decode(struct llc_abm *out, const uint8_t *bytes, size_t len);

/* Octets of the header. */
static inline unsigned llc_abm_octets(const struct llc_abm *in)
{
    if (!in->is_i)
        return (unsigned)LLC_S_OCTETS + in->bitmap_octets;
    return (unsigned)LLC_I_OCTETS + (in->bitmap_octets ? 1U + in->bitmap_octets : 0);
}

/* Writes the header. Returns its octets; ERR_NO_SPACE; ERR_RANGE: a field that does not fit, or a bitmap that
 * contradicts the S bits. */
int llc_abm_encode(uint8_t *bytes, size_t cap, const struct llc_abm *in);

/* The information field of an FRMR frame about the rejected frame (TS 44.064 6.4.1.5). */

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
