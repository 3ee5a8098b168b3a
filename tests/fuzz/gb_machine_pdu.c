/* SPDX-License-Identifier: BSD-3-Clause */
/* What the BSSs of gb_machine_fuzz.c send: any PDU of the codec's tables, with values near the right ones. */
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ns.h"
#include "tests/fuzz/gb_machine.h"

#include <string.h>

enum { TLLIS = 0xc0000000, CELLS = 8 };

static const struct node_config_nse *nse_of(uint32_t nsvc)
{
    return &machine_node.nses[machine_node.nsvcs[nsvc].nse];
}

/* A cell of an NSE by a number, any cell for high ones. */
static const struct node_config_cell *cell_of(uint32_t nsvc, unsigned number)
{
    unsigned count = machine_node.cell_count;
    for (unsigned i = 0; i < count && number < 0xe0; i++) {
        const struct node_config_cell *cell = &machine_node.cells[(number + i) % count];
        if (cell->nse == machine_node.nsvcs[nsvc].nse)
            return cell;
    }
    return &machine_node.cells[number % count];
}

static struct area area_of(const struct node_config_cell *cell)
{
    struct area area = {.lac = cell->lac, .rac = cell->rac, .ci = cell->ci};
    memcpy(area.mcc, cell->mcc, sizeof area.mcc);
    memcpy(area.mnc, cell->mnc, sizeof area.mnc);
    return area;
}

/* The value of every element that is a number; those of the row are encoded. */
static void fill_numbers(struct bssgp *pdu, struct fuzz_input *in)
{
    uint32_t value = (uint32_t)fuzz_take(in, 1);
    pdu->tlli = pdu->tlli_old = TLLIS | (uint32_t)(fuzz_take(in, 1) % 8);
    pdu->tag = pdu->pfi = pdu->suspend_ref = value & 0x7f;
    pdu->cause = pdu->radio_cause = pdu->ra_cap_cause = value & 0x2f;
    pdu->bucket_octets = pdu->ms_bucket_octets = (uint64_t)value * 1000;
    pdu->rate_bps = pdu->ms_rate_bps = (uint64_t)value * 8000;
    pdu->ratio_percent = value % 101;
    pdu->measurement_cs = pdu->octets_affected = pdu->lifetime_cs = value;
    pdu->flush_action = value & 1;
    pdu->frames_discarded = pdu->t10 = pdu->pft = value & 7;
    pdu->feature_bitmap = pdu->extended_feature_bitmap = value;
    pdu->send_state = value;
    pdu->nsei_new = 101 + value % 3;
}

static void fill_spans(struct bssgp *pdu)
{
    static const uint8_t imsi[] = {0x09, 0x10, 0x10, 0, 0, 0, 0, 0x10}, zeros[32];
    struct ie_span some = {zeros, 11};
    pdu->imsi = (struct ie_span){imsi, sizeof imsi};
    pdu->llc_pdu = pdu->llc_pdu_initial = pdu->ms_ra_capability = pdu->abqp = pdu->pdu_in_error = some;
    pdu->qos_profile = (struct ie_span){zeros, 3};
    pdu->pfcs = (struct pfc_list){.count = 1, .flow = {{.pfi = 9, .bucket_octets = 1000, .rate_bps = 8000}}};
}

/* Optional elements, by a bit for each. */
static void mark_places(struct bssgp *pdu, const struct pdu_row *row, unsigned bits)
{
    for (const struct pdu_place *place = row->places; place->presence != PDU_END; place++) {
        if (bits & 1)
            pdu_mark(&pdu->head, place->ie);
        bits = bits >> 1 | (bits & 1) << 7;
    }
}

/* One octet of the finished PDU may become another. */
static void spoil(struct fuzz_input *in, uint8_t *bytes, int octets)
{
    unsigned what = (unsigned)fuzz_take(in, 1);
    if (octets > 0 && what >= 0xf0)
        fuzz_spoil(in, bytes, (size_t)octets);
}

static int encode_unitdata(const struct bssgp *pdu, uint16_t bvci, uint8_t *bytes, size_t cap)
{
    int octets = bssgp_encode(bytes + NS_UNITDATA_HEADER_OCTETS, cap - NS_UNITDATA_HEADER_OCTETS, pdu);
    return octets > 0 ? ns_unitdata_header_put(bytes, bvci) + octets : octets;
}

int gb_machine_bssgp(struct fuzz_input *in, uint32_t nsvc, uint8_t *bytes, size_t cap)
{
    struct bssgp pdu = {0};
    const struct pdu_row *row = &bssgp_grammar.rows[fuzz_take(in, 1) % bssgp_grammar.row_count];
    unsigned number = (unsigned)fuzz_take(in, 1), other = (unsigned)fuzz_take(in, 1);
    const struct node_config_cell *cell = cell_of(nsvc, number);
    bool is_ptp = row->bvcs != 1;
    pdu.head.type = row->type;
    fill_numbers(&pdu, in);
    fill_spans(&pdu);
    pdu.bvci = number == 0xff ? 0 : cell->bvci;
    pdu.bvci_new = cell_of(nsvc, other)->bvci;
    pdu.cell_id = pdu.routeing_area = pdu.location_area = area_of(other < 0x80 ? cell : cell_of(nsvc, other));
    mark_places(&pdu, row, (unsigned)fuzz_take(in, 1));
    int octets =
        encode_unitdata(&pdu, other == 0xff ? !is_ptp * cell->bvci : is_ptp * cell->bvci, bytes, cap);
    spoil(in, bytes, octets);
    return octets;
}

int gb_machine_ns(struct fuzz_input *in, uint32_t nsvc, uint8_t *bytes, size_t cap)
{
    uint8_t list[16] = {10, 99, 0, 2 + (uint8_t)(nsvc % 8), 0x59, 0xd8, 1, 1, 10, 99, 0, 9, 0x59, 0xd8, 1, 1};
    struct ns pdu = {.nsei = nse_of(nsvc)->nsei, .nsvci = machine_node.nsvcs[nsvc].nsvci};
    const struct pdu_row *row = &ns_grammar.rows[fuzz_take(in, 1) % ns_grammar.row_count];
    unsigned value = (unsigned)fuzz_take(in, 1), other = (unsigned)fuzz_take(in, 1);
    pdu.head.type = row->type;
    pdu.cause = value & 15;
    pdu.transaction = value & 15;
    pdu.reset_flag = pdu.end_flag = value >> 4 & 1;
    pdu.max_nsvcs = 1 + (value & 7);
    pdu.ip4_endpoints = 1 + (value >> 6);
    pdu.nsei += other >= 0xf0;
    pdu.nsvci += other >> 4 == 14;
    list[6] = list[7] = (uint8_t)(other & 3);
    list[3] += (uint8_t)(other >> 2 & 1);
    pdu.ip4_list = (struct ie_span){list, other & 8 ? 16 : 8};
    pdu.bvci = cell_of(nsvc, other)->bvci;
    pdu.address = (struct ie_span){list, 4};
    pdu.pdu = pdu.sdu = (struct ie_span){list, 5};
    for (const struct pdu_place *place = row->places; place->presence != PDU_END; place++)
        if (place->ie != NS_IE_IP6_LIST && place->ie != NS_IE_IP6_ENDPOINTS &&
            (place->ie != NS_IE_CAUSE || value & 0x20))
            pdu_mark(&pdu.head, place->ie);
    int octets = ns_encode(bytes, cap, &pdu);
    spoil(in, bytes, octets);
    return octets;
}

/* --- into service --- */

static int put(uint8_t *bytes, const void *from, size_t octets)
{
    memcpy(bytes, from, octets);
    return (int)octets;
}

/* NS-RESET, NS-UNBLOCK and the answer to NS-ALIVE; IP-SNS: SIZE, CONFIG and the answer to CONFIG. */
static int start_ns(uint32_t nsvc, unsigned step, uint8_t *bytes, size_t cap)
{
    static const uint8_t plain[][1] = {{NS_UNBLOCK}, {NS_ALIVE_ACK}};
    uint8_t list[] = {10, 99, 0, 3, 0x59, 0xd8, 1, 1};
    bool is_sns = nse_of(nsvc)->nsei == 102;
    static const uint8_t types[] = {NS_SNS_SIZE, NS_SNS_CONFIG, NS_SNS_CONFIG_ACK};
    struct ns pdu = {.nsei = nse_of(nsvc)->nsei,
                     .nsvci = machine_node.nsvcs[nsvc].nsvci,
                     .cause = 1,
                     .reset_flag = 1,
                     .end_flag = 1,
                     .max_nsvcs = 4,
                     .ip4_endpoints = 1};
    if (!is_sns && step > 0)
        return put(bytes, plain[step - 1], 1);
    pdu.head.type = is_sns ? types[step] : NS_RESET;
    pdu.ip4_list = (struct ie_span){list, sizeof list};
    if (is_sns && step == 0)
        pdu_mark(&pdu.head, NS_IE_IP4_ENDPOINTS);
    if (is_sns && step == 1)
        pdu_mark(&pdu.head, NS_IE_IP4_LIST);
    return ns_encode(bytes, cap, &pdu);
}

/* BVC-RESET of the signalling BVC with all features, then of each cell, then its FLOW-CONTROL-BVC. */
static int start_bvcs(uint32_t nsvc, unsigned step, uint8_t *bytes, size_t cap)
{
    const struct node_config_cell *cell = cell_of(nsvc, step / 2);
    struct bssgp pdu = {.head.type = step % 2 ? BSSGP_FLOW_CONTROL_BVC : BSSGP_BVC_RESET,
                        .cause = 8,
                        .tag = 1,
                        .feature_bitmap = 0xff,
                        .extended_feature_bitmap = 0xff,
                        .bucket_octets = 20000,
                        .rate_bps = 80000,
                        .ms_bucket_octets = 10000,
                        .ms_rate_bps = 40000};
    if (step == 0) {
        pdu_mark(&pdu.head, BSSGP_IE_FEATURE_BITMAP);
        pdu_mark(&pdu.head, BSSGP_IE_EXTENDED_FEATURE_BITMAP);
        return encode_unitdata(&pdu, 0, bytes, cap);
    }
    pdu.bvci = cell->bvci;
    pdu.cell_id = area_of(cell);
    pdu_mark(&pdu.head, BSSGP_IE_CELL_ID);
    pdu.head.type = step % 2 ? BSSGP_BVC_RESET : BSSGP_FLOW_CONTROL_BVC;
    return encode_unitdata(&pdu, step % 2 ? 0 : cell->bvci, bytes, cap);
}

int gb_machine_up(uint32_t nsvc, unsigned step, uint8_t *bytes, size_t cap)
{
    if (step < 3)
        return start_ns(nsvc, step, bytes, cap);
    return step < 3 + CELLS ? start_bvcs(nsvc, step - 3, bytes, cap) : 0;
}
