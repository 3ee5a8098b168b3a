/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC frame: address and control field (TS 44.064 6.2, 6.3). A frame is header, information, FCS of three
 * octets. Numbering, FCS and ciphering are done elsewhere.
 */
#ifndef DATAPLANE_WIRE_LLC_H
#define DATAPLANE_WIRE_LLC_H

#include "dataplane/base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LLC_ADDRESS_CR = 0x40,
    LLC_CONTROL_UI = 0xc0,
    LLC_SAPIS_KNOWN = 0x0bae,

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

/* True for the SAPIs of table 2 (6.2.3); frames with others are discarded. */
static inline bool llc_is_sapi_known(unsigned sapi)
{
    return sapi < 16 && (LLC_SAPIS_KNOWN >> sapi & 1);
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

#endif
