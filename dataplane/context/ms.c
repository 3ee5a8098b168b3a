/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/ms.h"

/* TS 44.065 clause 7.2: four header octets in the first segment, three later. TS 44.064: three octets and
 * FCS. */
#define SNDCP_FIRST_OCTETS 4
#define SNDCP_NEXT_OCTETS  3
#define LLC_UI_OCTETS      6

int ms_sapi_index(uint8_t sapi)
{
    return sapi % 2 == 1 && sapi <= 11 ? sapi / 2 : -1;
}

struct segmenting ms_segmenting(uint16_t n201_u)
{
    return (struct segmenting){
        .first_octets = (uint16_t)(n201_u - SNDCP_FIRST_OCTETS),
        .next_octets = (uint16_t)(n201_u - SNDCP_NEXT_OCTETS),
        .first_overhead_octets = SNDCP_FIRST_OCTETS + LLC_UI_OCTETS,
        .next_overhead_octets = SNDCP_NEXT_OCTETS + LLC_UI_OCTETS,
    };
}
