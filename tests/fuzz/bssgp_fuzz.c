/* SPDX-License-Identifier: BSD-3-Clause */
/* BSSGP: round trip of every PDU, and the two unit data PDUs against their codecs for the hot path. */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/ie.h"
#include "dataplane/wire/pdu.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/pdu_check.h"

#include <string.h>

static uint8_t room[UINT16_MAX + 1], less[UINT16_MAX + 1];

static void check_round_trip(const struct bssgp *in, size_t len)
{
    struct bssgp again;
    int octets = bssgp_encode(room, sizeof room, in);
    FUZZ_CHECK(octets > 0 && (size_t)octets <= len);
    FUZZ_CHECK(bssgp_encode(less, (size_t)octets - 1, in) < 0);
    FUZZ_CHECK(bssgp_decode(&again, room, (size_t)octets) == octets);
    pdu_check_equal(&in->head, &again.head, &bssgp_grammar);
    FUZZ_CHECK(in->bucket_octets == again.bucket_octets && in->rate_bps == again.rate_bps);
    FUZZ_CHECK(in->ms_bucket_octets == again.ms_bucket_octets && in->ms_rate_bps == again.ms_rate_bps);
}

static void check_uplink_again(const struct bssgp_ul *in)
{
    uint8_t header[BSSGP_UL_HEADER_MAX_OCTETS];
    struct bssgp out;
    int octets = bssgp_ul_unitdata_encode_header(header, sizeof header, in);
    FUZZ_CHECK(octets > 0 && bssgp_ul_unitdata_encode_header(less, (size_t)octets - 1, in) == ERR_NO_SPACE);
    memcpy(room, header, (size_t)octets);
    FUZZ_CHECK(bssgp_decode(&out, room, (size_t)octets + in->llc_octets) == octets + in->llc_octets);
    FUZZ_CHECK(out.tlli == in->tlli && out.llc_pdu.octets == in->llc_octets);
}

/* The quick decoder takes whatever the table takes, and says the same of it. */
static void check_uplink(const struct bssgp *in, int decoded, const uint8_t *bytes, size_t len)
{
    struct bssgp_ul quick;
    int octets = bssgp_ul_unitdata_decode(&quick, bytes, len);
    if (octets >= 0) {
        FUZZ_CHECK(octets == (int)len && fuzz_is_inside(quick.llc_pdu, quick.llc_octets, bytes, len));
        FUZZ_CHECK(fuzz_is_inside(quick.cell_id, AREA_CELL, bytes, len));
    }
    if (decoded < 0 || in->head.type != BSSGP_UL_UNITDATA)
        return;
    FUZZ_CHECK(octets == decoded && quick.tlli == in->tlli);
    check_uplink_again(&quick);
    FUZZ_CHECK(quick.llc_pdu == in->llc_pdu.at && quick.llc_octets == in->llc_pdu.octets);
}

/* Elements of a mobile that the input asks for; whether there are any. */
static bool take_elements(struct fuzz_input *input, struct bssgp_elements *out)
{
    const struct bssgp_elements_values values = {
        .ms_ra_capability = {room, (size_t)fuzz_take(input, 1)},
        .drx_parameters = {room, (size_t)(fuzz_take(input, 1) % 4)},
        .lsa_information = {room, (size_t)(fuzz_take(input, 1) % 32)},
        .priority = (int)fuzz_take(input, 2) - 1,
        .service_utran_cco = (int)(fuzz_take(input, 1) % 257) - 1,
        .spid = (int)fuzz_take(input, 1) - 1,
    };
    size_t capability = values.ms_ra_capability.octets, drx = values.drx_parameters.octets;
    int octets = bssgp_elements_encode(out, &values);
    FUZZ_CHECK(octets <= BSSGP_ELEMENTS_OCTETS);
    FUZZ_CHECK((int)bssgp_elements_octets(out) == (octets < 0 ? 0 : octets));
    if (octets >= 0)
        FUZZ_CHECK((drx == 0 || drx == 2) && (capability == 0 || capability >= 5) && values.priority < 256);
    return octets > 0;
}

static void check_elements(const struct bssgp_dl *in, const struct bssgp *again)
{
    struct bssgp_elements_values values = {.ms_ra_capability = again->ms_ra_capability,
                                           .drx_parameters = again->drx_parameters,
                                           .lsa_information = again->lsa_information,
                                           .priority = BSSGP_ELEMENTS_NONE,
                                           .service_utran_cco = BSSGP_ELEMENTS_NONE,
                                           .spid = BSSGP_ELEMENTS_NONE};
    struct bssgp_elements same;
    if (pdu_has(&again->head, BSSGP_IE_PRIORITY))
        values.priority = (int)again->priority;
    if (pdu_has(&again->head, BSSGP_IE_SERVICE_UTRAN_CCO))
        values.service_utran_cco = (int)again->service_utran_cco;
    if (pdu_has(&again->head, BSSGP_IE_SPID))
        values.spid = (int)again->spid;
    FUZZ_CHECK(bssgp_elements_encode(&same, &values) >= 0);
    FUZZ_CHECK(in->elements ? memcmp(&same, in->elements, sizeof same) == 0
                            : bssgp_elements_octets(&same) == 0);
    FUZZ_CHECK(!in->is_aligned ||
               (again->llc_pdu.at - room - 1 - ie_tlv_length_octets(in->llc_octets)) % 4 == 0);
}

static void check_downlink(struct fuzz_input input)
{
    struct bssgp again;
    struct bssgp_elements elements;
    struct bssgp_dl in = {
        .tlli = (uint32_t)fuzz_take(&input, 4),
        .tlli_old = (uint32_t)fuzz_take(&input, 4),
        .pfi = (uint8_t)fuzz_take(&input, 1),
        .has_tlli_old = fuzz_take(&input, 1) & 1,
        .has_pfi = fuzz_take(&input, 1) & 1,
        .lifetime_cs = (uint16_t)fuzz_take(&input, 2),
        .imsi_octets = (uint8_t)(fuzz_take(&input, 1) % 10),
        .llc_octets = (uint16_t)fuzz_take(&input, 2),
        .imsi = (const uint8_t *)"\x29\x26\x24\x00\x00\x00\x00\x10",
    };
    in.is_aligned = fuzz_take(&input, 1) & 1;
    in.elements = take_elements(&input, &elements) ? &elements : NULL;
    int header = bssgp_dl_unitdata_encode_header(room, sizeof room, &in);
    if (in.imsi_octets > 8 || in.llc_octets > TLV_MAX_OCTETS || (in.has_pfi && in.pfi > 127)) {
        FUZZ_CHECK(header == ERR_RANGE);
        return;
    }
    FUZZ_CHECK(header == bssgp_dl_unitdata_header_octets(&in) && header <= BSSGP_DL_HEADER_MAX_OCTETS);
    FUZZ_CHECK(bssgp_dl_unitdata_encode_header(less, (size_t)header - 1, &in) == ERR_NO_SPACE);
    FUZZ_CHECK(bssgp_decode(&again, room, (size_t)header + in.llc_octets) == header + in.llc_octets);
    FUZZ_CHECK(again.tlli == in.tlli && again.lifetime_cs == in.lifetime_cs);
    FUZZ_CHECK(again.llc_pdu.at == room + header && again.llc_pdu.octets == in.llc_octets);
    FUZZ_CHECK(pdu_has(&again.head, BSSGP_IE_TLLI_OLD) == in.has_tlli_old);
    FUZZ_CHECK(pdu_has(&again.head, BSSGP_IE_PFI) == in.has_pfi);
    FUZZ_CHECK(pdu_has(&again.head, BSSGP_IE_IMSI) == (in.imsi_octets >= 3));
    check_elements(&in, &again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct bssgp in;
    if (len > sizeof room)
        return 0;
    int decoded = bssgp_decode(&in, bytes, len);
    check_uplink(&in, decoded, bytes, len);
    check_downlink((struct fuzz_input){bytes, len});
    if (decoded < 0) {
        FUZZ_CHECK(in.error_cause != 0);
        return 0;
    }
    FUZZ_CHECK(decoded == (int)len && in.error_cause == 0);
    pdu_check_fields(&in.head, &bssgp_grammar, bytes, len);
    FUZZ_CHECK(in.pfcs.count <= PFC_LIST_MAX && in.granularity <= BSSGP_MAX_GRANULARITY);
    FUZZ_CHECK(bssgp_misplaced_cause(in.head.type, 0, 0) == BSSGP_CAUSE_UNSPECIFIED);
    check_round_trip(&in, len);
    return 0;
}
