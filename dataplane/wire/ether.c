/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ether.h"

int ether_encode(uint8_t *bytes, size_t cap, const struct ether *in)
{
    size_t octets = in->has_vlan ? ETHER_TAGGED_OCTETS : ETHER_OCTETS;
    if (cap < octets)
        return ERR_NO_SPACE;
    memcpy(bytes, in->dst, 6);
    memcpy(bytes + 6, in->src, 6);
    if (in->has_vlan) {
        bytes_put_u16(bytes + 12, ETHER_TYPE_VLAN);
        bytes_put_u16(bytes + 14, in->vlan_tci);
    }
    bytes_put_u16(bytes + octets - 2, in->type);
    return (int)octets;
}
