/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/context/ms.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/llc.h"

#include "dataplane/base/bigmem.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/sched/sched.h"
#include "dataplane/wire/ns.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MS_LINK_MAX_OCTETS 249 /* leaves room for TLLI(old) */

enum { LLC_OCTETS = (int)LLC_UI_OCTETS + (int)LLC_FCS_OCTETS };

struct segmenting ms_segmenting(bool is_acknowledged)
{
    if (is_acknowledged)
        return (struct segmenting){
            .first_octets = SN_DATA_FIRST_OCTETS,
            .later_octets = SN_DATA_LATER_OCTETS,
            .llc_octets = (int)LLC_I_OCTETS + (int)LLC_FCS_OCTETS,
        };
    return (struct segmenting){
        .first_octets = SNDCP_FIRST_OCTETS,
        .later_octets = SNDCP_LATER_OCTETS,
        .llc_octets = LLC_OCTETS,
    };
}

int ms_cipher_switch(struct ms *ms, const struct llc_cipher_params *params)
{
    int status = llc_cipher_switch(&ms->cipher, ms->llc, params);
    ms->is_ciphered = llc_cipher_is_on(&ms->cipher);
    return status;
}

bool ms_can_n201_u(uint32_t octets)
{
    return octets >= SNDCP_N201_U_MIN_OCTETS && octets <= SNDCP_N201_U_MAX_OCTETS;
}

uint32_t ms_largest_pdu(const struct ms *ms)
{
    return (uint32_t)ms->sched.n201_u + LLC_OCTETS;
}

static_assert(MS_LINK_MAX_OCTETS + BSSGP_DL_TLLI_OLD_OCTETS <= UINT8_MAX, "as it says");

static uint8_t within_limits(int octets)
{
    return (uint8_t)(octets < 0 ? 0 : octets > MS_LINK_MAX_OCTETS ? MS_LINK_MAX_OCTETS : octets);
}

uint8_t ms_link_octets(const struct ms_link_header *header, int overhead_octets)
{
    const struct bssgp_dl dl = {.has_pfi = header->has_pfi,
                                .is_aligned = header->is_aligned,
                                .llc_octets = SNDCP_N201_U_MAX_OCTETS,
                                .imsi_octets = (uint8_t)header->imsi_octets};
    return within_limits(NS_UNITDATA_HEADER_OCTETS + bssgp_dl_unitdata_header_octets(&dl) + overhead_octets);
}

uint8_t ms_link_octets_with(uint8_t link_octets, int more)
{
    return within_limits(link_octets + more);
}
