/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/bssgp.h"

#include "dataplane/base/err.h"
#include "dataplane/wire/bssgp_table.h"

int bssgp_misplaced_cause(uint8_t type, enum bssgp_sender from, uint16_t bvci)
{
    static const uint8_t kinds[] = {BSSGP_TABLE_SIG, BSSGP_TABLE_PTM};
    const struct pdu_row *row = pdu_row_get(&bssgp_grammar, type);
    if (!row || !(row->senders & from))
        return BSSGP_CAUSE_UNSPECIFIED;
    uint8_t kind = bvci < BSSGP_BVCI_FIRST_PTP ? kinds[bvci] : BSSGP_TABLE_PTP;
    return row->bvcs & kind ? 0 : BSSGP_CAUSE_INCOMPATIBLE_STATE;
}

static unsigned count_present(const struct pdu *pdu, const uint8_t *ies, size_t count)
{
    unsigned present = 0;
    for (size_t i = 0; i < count; i++)
        present += pdu_has(pdu, ies[i]);
    return present;
}

static enum pdu_fault one_of(const struct pdu *pdu, const uint8_t *ies, size_t count)
{
    unsigned present = count_present(pdu, ies, count);
    if (present == 1)
        return PDU_FAULT_NONE;
    return present ? PDU_FAULT_CONDITIONAL_EXTRA : PDU_FAULT_CONDITIONAL_MISSING;
}

/* Conditions that the PDU itself decides. */
static enum pdu_fault broken_rule(const struct bssgp *in)
{
    static const uint8_t areas[] = {BSSGP_IE_BVCI, BSSGP_IE_LOCATION_AREA, BSSGP_IE_ROUTEING_AREA,
                                    BSSGP_IE_BSS_AREA};
    static const uint8_t names[] = {BSSGP_IE_TLLI, BSSGP_IE_TMSI, BSSGP_IE_IMSI};
    bool is_missing = false;
    switch (in->head.row->rule) {
    case BSSGP_TABLE_ONE_AREA:
        return one_of(&in->head, areas, sizeof areas);
    case BSSGP_TABLE_ONE_NAME:
        return one_of(&in->head, names, sizeof names);
    case BSSGP_TABLE_TRANSFER:
        is_missing = in->flush_action == 1 && !pdu_has(&in->head, BSSGP_IE_BVCI_NEW);
        break;
    case BSSGP_TABLE_CAPABILITY:
        is_missing = in->ra_cap_cause == 0 && !pdu_has(&in->head, BSSGP_IE_MS_RA_CAPABILITY);
        break;
    }
    return is_missing ? PDU_FAULT_CONDITIONAL_MISSING : PDU_FAULT_NONE;
}

static uint8_t cause_of(enum pdu_fault fault)
{
    static const uint8_t causes[] = {
        [PDU_FAULT_TYPE] = BSSGP_CAUSE_UNSPECIFIED,
        [PDU_FAULT_MANDATORY_MISSING] = BSSGP_CAUSE_MANDATORY_MISSING,
        [PDU_FAULT_MANDATORY_BAD] = BSSGP_CAUSE_MANDATORY_INVALID,
        [PDU_FAULT_CONDITIONAL_MISSING] = BSSGP_CAUSE_CONDITIONAL_MISSING,
        [PDU_FAULT_CONDITIONAL_EXTRA] = BSSGP_CAUSE_CONDITIONAL_UNEXPECTED,
        [PDU_FAULT_CONDITIONAL_BAD] = BSSGP_CAUSE_CONDITIONAL_INVALID,
    };
    return causes[fault];
}

/* The granularity may follow the values that it scales, hence after the walk (TS 48.018 §11.3.102). */
static void scale(struct bssgp *out)
{
    uint64_t unit = BSSGP_UNIT;
    for (uint32_t g = 0; g < out->granularity; g++)
        unit *= 10;
    out->bucket_octets *= unit;
    out->rate_bps *= unit;
    out->ms_bucket_octets *= unit;
    out->ms_rate_bps *= unit;
    for (unsigned i = 0; i < out->pfcs.count; i++) {
        out->pfcs.flow[i].bucket_octets *= unit;
        out->pfcs.flow[i].rate_bps *= unit;
    }
}

int bssgp_decode(struct bssgp *out, const uint8_t *bytes, size_t len)
{
    *out = (struct bssgp){0};
    int n = pdu_decode(&out->head, &bssgp_grammar, bytes, len);
    if (n >= 0 && (out->head.fault = (uint8_t)broken_rule(out)) != PDU_FAULT_NONE)
        n = ERR_MALFORMED;
    if (n < 0)
        out->error_cause = cause_of(out->head.fault);
    scale(out);
    return n;
}
