/* SPDX-License-Identifier: BSD-3-Clause */
/* BSSGP: round trip of every PDU, and the two unit data PDUs against their codecs for the hot path. */
#include "dataplane/base/err.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/tlv.h"
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
    FUZZ_CHECK(quick.llc_pdu == in->llc_pdu.at && quick.llc_octets == in->llc_pdu.octets);
    FUZZ_CHECK(quick.has_pfi == pdu_has(&in->head, BSSGP_IE_PFI) && (!quick.has_pfi || quick.pfi == in->pfi));
}

static void check_downlink(struct fuzz_input input)
{
    struct bssgp again;
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
    int header = bssgp_dl_unitdata_encode_header(room, sizeof room, &in);
    if (in.imsi_octets > 8 || in.llc_octets > TLV_MAX_OCTETS) {
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
