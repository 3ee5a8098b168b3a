/* SPDX-License-Identifier: BSD-3-Clause */
#include "capture/gsmtap.h"

#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"

#include <string.h>

#define VERSION         2
#define HEADER_WORDS    4 /* of 32 bits */
#define TYPE_GB_LLC     8
#define ARFCN_AT        4
#define UPLINK_OF_ARFCN 0x40 /* in the high octet */

void gsmtap_llc_header(uint8_t out[GSMTAP_OCTETS], bool is_uplink)
{
    memset(out, 0, GSMTAP_OCTETS);
    out[0] = VERSION;
    out[1] = HEADER_WORDS;
    out[2] = TYPE_GB_LLC;
    out[ARFCN_AT] = is_uplink ? UPLINK_OF_ARFCN : 0;
}

const uint8_t *gsmtap_llc_of(const uint8_t *ns, size_t octets, size_t *llc_octets)
{
    uint16_t bvci;
    struct bssgp pdu;
    int offset = ns_unitdata_header_get(&bvci, ns, octets);
    if (offset < 0 || (size_t)offset >= octets ||
        (ns[offset] != BSSGP_UL_UNITDATA && ns[offset] != BSSGP_DL_UNITDATA) ||
        bssgp_decode(&pdu, ns + offset, octets - (size_t)offset) < 0)
        return NULL;
    *llc_octets = pdu.llc_pdu.octets;
    return pdu.llc_pdu.octets > 0 ? pdu.llc_pdu.at : NULL;
}
