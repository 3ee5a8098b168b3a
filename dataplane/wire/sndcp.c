/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/sndcp.h"

#include "dataplane/base/bytes.h"
#include "dataplane/base/err.h"

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
        .dcomp = first ? bytes[1] >> 4 : 0,
        .pcomp = first ? bytes[1] & 15 : 0,
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
