/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/sim/segment.h"

#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/sndcp.h"

#include <string.h>

size_t segment_put(uint8_t frame[SEGMENT_FRAME_OCTETS], const struct segment *s)
{
    struct llc llc = {
        .sapi = s->fault == SEGMENT_OTHER_SAPI ? LLC_SAPI_DATA_5 : LLC_SAPI_DATA_3,
        .cr = s->fault != SEGMENT_FROM_MOBILE,
        .nu = s->nu,
        .e = s->fault == SEGMENT_CIPHERED,
        .pm = true,
    };
    struct sndcp sndcp = {
        .n_pdu_number = s->number,
        .nsapi = s->fault == SEGMENT_OTHER_NSAPI ? 6 : 5,
        .segment = s->index,
        .first = s->index == 0,
        .more = s->more,
        .comp = s->fault == SEGMENT_COMPRESSED,
    };
    size_t at = (size_t)llc_ui_encode(frame, SEGMENT_FRAME_OCTETS, &llc);
    at += (size_t)sndcp_encode(frame + at, SEGMENT_FRAME_OCTETS - at, &sndcp);
    memcpy(frame + at, s->data, s->octets);
    at += s->octets;
    llc_fcs_put(frame + at, llc_fcs(frame, at) ^ (s->fault == SEGMENT_BAD_FCS));
    return at + LLC_FCS_OCTETS - (s->fault == SEGMENT_CUT);
}
