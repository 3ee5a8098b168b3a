/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/base/err.h"
#include "dataplane/wire/bssgp.h"

enum { MAX_UNITS = 0xffff };

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Fields of a PDU that has none of these elements are 0, as the caller's initialiser left them. */
static uint64_t largest_value(const struct bssgp *in)
{
    uint64_t most = larger(in->bucket_octets, in->rate_bps);
    most = larger(most, larger(in->ms_bucket_octets, in->ms_rate_bps));
    for (unsigned i = 0; i < in->pfcs.count && i < PFC_LIST_MAX; i++)
        most = larger(most, larger(in->pfcs.flow[i].bucket_octets, in->pfcs.flow[i].rate_bps));
    return most;
}

int bssgp_encode(uint8_t *bytes, size_t cap, const struct bssgp *in)
{
    struct bssgp sized = *in;
    uint64_t unit = BSSGP_UNIT, most = largest_value(in);
    uint32_t least = pdu_has(&in->head, BSSGP_IE_GRANULARITY) ? in->granularity : 0, g = 0;
    if (least > BSSGP_MAX_GRANULARITY)
        return ERR_RANGE;
    for (; g < least || most / unit > MAX_UNITS; g++, unit *= 10)
        if (g == BSSGP_MAX_GRANULARITY)
            return ERR_RANGE;
    sized.granularity = g;
    if (g)
        pdu_mark(&sized.head, BSSGP_IE_GRANULARITY);
    return pdu_encode(bytes, cap, &bssgp_grammar, &sized.head, unit);
}
