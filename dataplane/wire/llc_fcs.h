/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLC frame check sequence (TS 44.064 5.5): CRC-24, polynomial 0xBBA1B5, bits reflected, register preset to
 * ones and complemented; sent with the least significant octet first. Over "123456789" it is 0x4E86CB.
 */
#ifndef DATAPLANE_WIRE_LLC_FCS_H
#define DATAPLANE_WIRE_LLC_FCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The ways to compute the LLC FCS: sliced, for any processor; clmul, which needs pclmul, ssse3, sse4.1;
 * vclmul, which needs vpclmulqdq and AVX-512 F, BW, VL, VBMI2. llc_fcs_init() picks one; tests and benchmarks
 * compare them.
 */

enum { LLC_FCS_ENGINES_MAX = 3 };

struct llc_fcs_engine {
    const char *name;
    /* As llc_fcs_update(), of which state has 24 bits. Reads no octet beyond those given. */
    uint32_t (*update)(uint32_t state, const uint8_t *bytes, size_t octets);
};

/* Fills in the engines that this processor can run, slowest first, the portable one always; returns how many.
 */
unsigned llc_fcs_engines(struct llc_fcs_engine out[LLC_FCS_ENGINES_MAX]);

enum { LLC_FCS_START = 0xffffff, LLC_FCS_N202_OCTETS = 4 };

/* Picks the fastest engine for this processor; without it the portable one serves. Call once, before threads
 * start. */
void llc_fcs_init(void);

/* FCS of octets, 24 bits. */
uint32_t llc_fcs(const uint8_t *bytes, size_t octets);

/*
 * The same over pieces: begin with LLC_FCS_START, feed each result to the next call, complement the last
 * (result ^ LLC_FCS_START).
 */
uint32_t llc_fcs_update(uint32_t state, const uint8_t *bytes, size_t octets);

/* Octets from the frame's begin that the FCS covers: with pm (and in all but UI frames) everything, else N202
 * of info. */
static inline size_t llc_fcs_covered_octets(size_t header_octets, size_t info_octets, bool pm)
{
    bool is_all = pm || info_octets < LLC_FCS_N202_OCTETS;
    return header_octets + (is_all ? info_octets : (size_t)LLC_FCS_N202_OCTETS);
}

/* Writes the three octets. */
static inline void llc_fcs_put(uint8_t *bytes, uint32_t fcs)
{
    bytes[0] = (uint8_t)fcs;
    bytes[1] = (uint8_t)(fcs >> 8);
    bytes[2] = (uint8_t)(fcs >> 16);
}

/* Reads the three octets. */
static inline uint32_t llc_fcs_get(const uint8_t *bytes)
{
    return (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

/* Whether the three octets behind a frame's information are its FCS. */
static inline bool llc_fcs_is_right(const uint8_t *frame, size_t header_octets, size_t info_octets, bool pm)
{
    uint32_t fcs = llc_fcs(frame, llc_fcs_covered_octets(header_octets, info_octets, pm));
    return fcs == llc_fcs_get(frame + header_octets + info_octets);
}

#endif
