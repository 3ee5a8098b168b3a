/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sndcp.h"
#include "dataplane/base/bytes.h"

int sndcp_decode(struct sndcp *out, const uint8_t *bytes, size_t len)
{
    if (len < SNDCP_LATER_OCTETS)
        return ERR_TRUNCATED;
    bool first = bytes[0] & SNDCP_F;
    size_t octets = first ? SNDCP_FIRST_OCTETS : SNDCP_LATER_OCTETS;
    if (!(bytes[0] & SNDCP_T) || (bytes[0] & 15) < SNDCP_NSAPI_MIN)
        return ERR_UNSUPPORTED;
    if (len < octets)
        return ERR_TRUNCATED;
    unsigned numbers = bytes_get_u16(bytes + octets - 2);
    *out = (struct sndcp){
        .n_pdu_number = numbers & 0xfff,
        .nsapi = bytes[0] & 15,
        .segment = (uint8_t)(numbers >> 12),
        .comp = first ? bytes[1] : 0,
        .first = first,
        .more = bytes[0] & SNDCP_M,
    };
    return first == (out->segment == 0) ? (int)octets : ERR_MALFORMED;
}

int sndcp_segments(size_t n_pdu_octets, unsigned n201_u_octets)
{
    if (n201_u_octets < SNDCP_N201_U_MIN_OCTETS || n201_u_octets > SNDCP_N201_U_MAX_OCTETS)
        return ERR_RANGE;
    if (n_pdu_octets > sndcp_segment_offset(n201_u_octets, SNDCP_MAX_SEGMENTS))
        return ERR_RANGE;
    if (n_pdu_octets <= n201_u_octets - SNDCP_FIRST_OCTETS)
        return 1;
    /* Counts the longer part of the first header as data: then all segments hold the same. */
    unsigned octets = (unsigned)n_pdu_octets + SNDCP_FIRST_OCTETS - SNDCP_LATER_OCTETS;
    unsigned capacity = n201_u_octets - SNDCP_LATER_OCTETS;
    return (int)((octets + capacity - 1) / capacity);
}

size_t sndcp_segment_octets(size_t n_pdu_octets, unsigned n201_u_octets, unsigned i)
{
    size_t begin = sndcp_segment_offset(n201_u_octets, i), end = sndcp_segment_offset(n201_u_octets, i + 1);
    if (begin >= n_pdu_octets)
        return 0;
    return (end < n_pdu_octets ? end : n_pdu_octets) - begin;
}

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
        .comp = first ? bytes[1] : 0,
        .first = first,
        .more = bytes[0] & SNDCP_M,
    };
    return (int)octets;
}

int sn_data_encode(uint8_t *bytes, size_t cap, const struct sn_data *in)
{
    size_t octets = in->first ? SN_DATA_FIRST_OCTETS : SN_DATA_LATER_OCTETS;
    if (in->nsapi < SNDCP_NSAPI_MIN || in->nsapi > SNDCP_NSAPI_MAX)
        return ERR_RANGE;
    if (cap < octets)
        return ERR_NO_SPACE;
    bytes[0] = (uint8_t)((in->first ? SNDCP_F : 0) | (in->more ? SNDCP_M : 0) | in->nsapi);
    if (in->first) {
        bytes[1] = in->comp;
        bytes[2] = in->number;
    }
    return (int)octets;
}

unsigned sn_data_segments(size_t n_pdu_octets, unsigned n201_i_octets)
{
    size_t first = n201_i_octets - SN_DATA_FIRST_OCTETS, later = n201_i_octets - SN_DATA_LATER_OCTETS;
    return n_pdu_octets <= first ? 1 : (unsigned)(1 + (n_pdu_octets - first + later - 1) / later);
}
