/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/bssgp_elements.h"

#include "dataplane/base/err.h"
#include "dataplane/wire/tlv.h"

enum {
    IEI_DRX_PARAMETERS = 0x0a,
    IEI_MS_RA_CAPABILITY = 0x13,
    IEI_PRIORITY = 0x17,
    IEI_LSA_INFORMATION = 0x27,
    IEI_SERVICE_UTRAN_CCO = 0x3d,
    IEI_SPID = 0x81,
};
enum { DRX_OCTETS = 2, RA_CAPABILITY_MIN_OCTETS = 5 };

/* Where the next element goes; `status` keeps the first error. */
struct run {
    struct bssgp_elements *out;
    int octets;
    int status;
};

static void put(struct run *run, uint8_t iei, const uint8_t *value, size_t octets)
{
    if (run->status < 0 || octets == 0)
        return;
    if (octets > BSSGP_ELEMENTS_OCTETS) {
        run->status = ERR_NO_SPACE;
        return;
    }
    const struct tlv tlv = {.iei = iei, .octets = (uint16_t)octets, .value = value};
    int n = tlv_encode(run->out->bytes + run->octets, (size_t)(BSSGP_ELEMENTS_OCTETS - run->octets), &tlv);
    if (n < 0)
        run->status = n;
    else
        run->octets += n;
}

static void put_span(struct run *run, uint8_t iei, const struct ie_span *span)
{
    put(run, iei, span->at, span->octets);
}

static void put_number(struct run *run, uint8_t iei, int value)
{
    const uint8_t octet = (uint8_t)value;
    if (value > UINT8_MAX || value < BSSGP_ELEMENTS_NONE)
        run->status = ERR_RANGE;
    else if (value != BSSGP_ELEMENTS_NONE)
        put(run, iei, &octet, 1);
}

static int range_of(const struct bssgp_elements_values *in)
{
    size_t drx = in->drx_parameters.octets, capability = in->ms_ra_capability.octets;
    bool is_good =
        (drx == 0 || drx == DRX_OCTETS) && (capability == 0 || capability >= RA_CAPABILITY_MIN_OCTETS);
    return is_good ? 0 : ERR_RANGE;
}

int bssgp_elements_encode(struct bssgp_elements *out, const struct bssgp_elements_values *in)
{
    struct run run = {.out = out, .status = range_of(in)};
    *out = (struct bssgp_elements){0};
    put_span(&run, IEI_MS_RA_CAPABILITY, &in->ms_ra_capability);
    put_number(&run, IEI_PRIORITY, in->priority);
    put_span(&run, IEI_DRX_PARAMETERS, &in->drx_parameters);
    int front = run.octets;
    put_span(&run, IEI_LSA_INFORMATION, &in->lsa_information);
    put_number(&run, IEI_SERVICE_UTRAN_CCO, in->service_utran_cco);
    put_number(&run, IEI_SPID, in->spid);
    if (run.status < 0) {
        *out = (struct bssgp_elements){0};
        return run.status;
    }
    out->front_octets = (uint8_t)front;
    out->back_octets = (uint8_t)(run.octets - front);
    return run.octets;
}
