/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/ms.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"

enum { LLC_OCTETS = (int)LLC_UI_OCTETS + (int)LLC_FCS_OCTETS };

int ms_sapi_index(uint8_t sapi)
{
    return sapi % 2 == 1 && sapi <= 11 ? sapi / 2 : -1;
}

struct segmenting ms_segmenting(uint16_t n201_u)
{
    return (struct segmenting){
        .first_octets = (uint16_t)(n201_u - SNDCP_FIRST_OCTETS),
        .next_octets = (uint16_t)(n201_u - SNDCP_LATER_OCTETS),
        .first_overhead_octets = (int)SNDCP_FIRST_OCTETS + (int)LLC_OCTETS,
        .next_overhead_octets = (int)SNDCP_LATER_OCTETS + (int)LLC_OCTETS,
    };
}
