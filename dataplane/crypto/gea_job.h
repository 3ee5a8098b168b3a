/* SPDX-License-Identifier: BSD-3-Clause */
/* One packet to cipher with GEA3 or GEA4: the input of every engine. */
#ifndef DATAPLANE_CRYPTO_GEA_JOB_H
#define DATAPLANE_CRYPTO_GEA_JOB_H

#include <stdint.h>

enum { GEA_KEY_OCTETS = 16, GEA_MAX_OCTETS = 1523 }; /* 1523: TS 44.064 A.2.1 */

enum gea_direction { GEA_UPLINK = 0, GEA_DOWNLINK = 1 };

/* Both pointers are borrowed for the call. The data of two jobs of one burst do not overlap. */
struct gea_job {
    const uint8_t *key; /* GEA_KEY_OCTETS: Kc128, or for GEA3 Kc twice, see gea_key() */
    uint8_t *data;      /* ciphered in place: keystream octet i is added to data[i]; any alignment */
    uint32_t input;     /* INPUT of TS 44.064 A.2.1 */
    uint16_t octets;    /* 1 .. GEA_MAX_OCTETS */
    uint8_t direction;  /* enum gea_direction */
};

#endif
