/* SPDX-License-Identifier: BSD-3-Clause */
/* The ways to compute the LLC FCS. llc_fcs_init() picks one; tests and benchmarks compare them. */
#ifndef DATAPLANE_WIRE_LLC_FCS_ENGINE_H
#define DATAPLANE_WIRE_LLC_FCS_ENGINE_H

#include <stddef.h>
#include <stdint.h>

enum { LLC_FCS_ENGINES_MAX = 3 };

struct llc_fcs_engine {
    const char *name;
    /* As llc_fcs_update(), of which state has 24 bits. Reads no octet beyond those given. */
    uint32_t (*update)(uint32_t state, const uint8_t *bytes, size_t octets);
};

/* Fills in the engines that this processor can run, slowest first, the portable one always; returns how many.
 */
unsigned llc_fcs_engines(struct llc_fcs_engine out[LLC_FCS_ENGINES_MAX]);

/* Slicing by 16, for any processor. */
uint32_t llc_fcs_sliced_update(uint32_t state, const uint8_t *bytes, size_t octets);

#ifdef __x86_64__
/* Needs pclmul, ssse3, sse4.1. */
uint32_t llc_fcs_clmul_update(uint32_t state, const uint8_t *bytes, size_t octets);

/* Needs vpclmulqdq and AVX-512 F, BW, VL, VBMI2. */
uint32_t llc_fcs_vclmul_update(uint32_t state, const uint8_t *bytes, size_t octets);
#endif

#endif
