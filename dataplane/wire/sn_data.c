/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sn_data.h"

#include "dataplane/base/err.h"

int sn_data_decode(struct sn_data *out, const uint8_t *bytes, size_t len)
{
    if (len < SN_DATA_LATER_OCTETS)
        return ERR_TRUNCATED;
    bool first = bytes[0] & SNDCP_F;
    size_t octets = first ? SN_DATA_FIRST_OCTETS : SN_DATA_LATER_OCTETS;
    if (bytes[0] & SNDCP_T || (bytes[0] & 15) < SNDCP_NSAPI_MIN)
        return ERR_UNSUPPORTED;
    if (len < octets)
        return ERR_TRUNCATED;
    *out = (struct sn_data){
        .nsapi = bytes[0] & 15,
        .number = first ? bytes[2] : 0,
        .dcomp = first ? bytes[1] >> 4 : 0,
        .pcomp = first ? bytes[1] & 15 : 0,
        .first = first,
        .more = bytes[0] & SNDCP_M,
    };
    return (int)octets;
}

int sn_data_encode(uint8_t *bytes, size_t cap, const struct sn_data *in)
{
    size_t octets = in->first ? SN_DATA_FIRST_OCTETS : SN_DATA_LATER_OCTETS;
    if (in->nsapi < SNDCP_NSAPI_MIN || in->nsapi > SNDCP_NSAPI_MAX || in->dcomp > 15 || in->pcomp > 15)
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((in->first ? SNDCP_F : 0) | (in->more ? SNDCP_M : 0) | in->nsapi);
    if (in->first) {
        bytes[1] = (uint8_t)(in->dcomp << 4 | in->pcomp);
        bytes[2] = in->number;
    }
    return (int)octets;
}

unsigned sn_data_segments(size_t n_pdu_octets, unsigned n201_i_octets)
{
    size_t first = n201_i_octets - SN_DATA_FIRST_OCTETS, later = n201_i_octets - SN_DATA_LATER_OCTETS;
    return n_pdu_octets <= first ? 1 : (unsigned)(1 + (n_pdu_octets - first + later - 1) / later);
}
