/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/wire/ns.h"

#include <string.h>

#define NUMBER(n, i, field, octets)                                                                          \
    {                                                                                                        \
        .name = n, .iei = i, .at = offsetof(struct ns, field), .format = IE_NUMBER, .min_octets = octets     \
    }
#define TV(n, i, field, form, octets)                                                                        \
    {                                                                                                        \
        .name = n, .iei = i, .at = offsetof(struct ns, field), .format = form, .is_tv = true,                \
        .min_octets = octets                                                                                 \
    }
#define SPAN(n, i, field, form, least)                                                                       \
    {                                                                                                        \
        .name = n, .iei = i, .at = offsetof(struct ns, field), .format = form, .min_octets = least           \
    }
/* clang-format off */
static const struct ie ies[NS_IE_COUNT + 1] = {
    [NS_IE_CAUSE] = NUMBER("cause", 0x00, cause, 1),
    [NS_IE_NSVCI] = NUMBER("nsvci", 0x01, nsvci, 2),
    [NS_IE_PDU] = SPAN("ns_pdu", 0x02, pdu, IE_SPAN, 1),
    [NS_IE_BVCI] = NUMBER("bvci", 0x03, bvci, 2),
    [NS_IE_NSEI] = NUMBER("nsei", 0x04, nsei, 2),
    [NS_IE_IP4_LIST] = SPAN("ip4_list", 0x05, ip4_list, IE_ENDPOINTS, 8),
    [NS_IE_IP6_LIST] = SPAN("ip6_list", 0x06, ip6_list, IE_ENDPOINTS, 20),
    [NS_IE_MAX_NSVCS] = TV("max_nsvcs", 0x07, max_nsvcs, IE_NUMBER, 2),
    [NS_IE_IP4_ENDPOINTS] = TV("ip4_endpoints", 0x08, ip4_endpoints, IE_NUMBER, 2),
    [NS_IE_IP6_ENDPOINTS] = TV("ip6_endpoints", 0x09, ip6_endpoints, IE_NUMBER, 2),
    [NS_IE_RESET_FLAG] = TV("reset_flag", 0x0a, reset_flag, IE_FLAG, 1),
    [NS_IE_ADDRESS] = TV("address", 0x0b, address, IE_ADDRESS, 5),
    [NS_IE_END_FLAG] = SPAN("end_flag", 0, end_flag, IE_FLAG, 1),
    [NS_IE_TRANSACTION] = NUMBER("transaction", 0, transaction, 1),
    [NS_IE_CONTROL_BITS] = NUMBER("control_bits", 0, control_bits, 1),
    [NS_IE_UNITDATA_BVCI] = NUMBER("bvci", 0, bvci, 2),
    [NS_IE_SDU] = SPAN("sdu", 0, sdu, IE_SPAN, 0),
};

#define PLACES static const struct pdu_place
#define F(name) {NS_IE_##name, PDU_FIXED}
#define M(name) {NS_IE_##name, PDU_MANDATORY}
#define C(name) {NS_IE_##name, PDU_CONDITIONAL}
#define END {0, PDU_END}
PLACES unitdata[] = {F(CONTROL_BITS), F(UNITDATA_BVCI), F(SDU), END};
PLACES reset[] = {M(CAUSE), M(NSVCI), M(NSEI), END};
PLACES reset_ack[] = {M(NSVCI), M(NSEI), END};
PLACES block[] = {M(CAUSE), M(NSVCI), END};
PLACES block_ack[] = {M(NSVCI), END};
PLACES nothing[] = {END};
PLACES status[] = {M(CAUSE), C(NSVCI), C(PDU), C(BVCI), C(IP4_LIST), C(IP6_LIST), END};
PLACES sns_ack[] = {M(NSEI), F(TRANSACTION), C(CAUSE), C(ADDRESS), C(IP4_LIST), C(IP6_LIST), END};
PLACES sns_lists[] = {M(NSEI), F(TRANSACTION), C(IP4_LIST), C(IP6_LIST), END};
PLACES sns_delete[] = {M(NSEI), F(TRANSACTION), C(ADDRESS), C(IP4_LIST), C(IP6_LIST), END};
PLACES sns_config[] = {F(END_FLAG), M(NSEI), C(IP4_LIST), C(IP6_LIST), END};
PLACES sns_result[] = {M(NSEI), C(CAUSE), END};
PLACES sns_size[] = {M(NSEI), M(RESET_FLAG), M(MAX_NSVCS), C(IP4_ENDPOINTS), C(IP6_ENDPOINTS), END};

#define PDU(id, text, list) {.type = id, .name = text, .places = list}
static const struct pdu_row rows[] = {
    PDU(NS_UNITDATA, "unitdata", unitdata),
    PDU(NS_RESET, "reset", reset),
    PDU(NS_RESET_ACK, "reset_ack", reset_ack),
    PDU(NS_BLOCK, "block", block),
    PDU(NS_BLOCK_ACK, "block_ack", block_ack),
    PDU(NS_UNBLOCK, "unblock", nothing),
    PDU(NS_UNBLOCK_ACK, "unblock_ack", nothing),
    PDU(NS_STATUS, "status", status),
    PDU(NS_ALIVE, "alive", nothing),
    PDU(NS_ALIVE_ACK, "alive_ack", nothing),
    PDU(NS_SNS_ACK, "sns_ack", sns_ack),
    PDU(NS_SNS_ADD, "sns_add", sns_lists),
    PDU(NS_SNS_CHANGEWEIGHT, "sns_changeweight", sns_lists),
    PDU(NS_SNS_CONFIG, "sns_config", sns_config),
    PDU(NS_SNS_CONFIG_ACK, "sns_config_ack", sns_result),
    PDU(NS_SNS_DELETE, "sns_delete", sns_delete),
    PDU(NS_SNS_SIZE, "sns_size", sns_size),
    PDU(NS_SNS_SIZE_ACK, "sns_size_ack", sns_result),
};
/* clang-format on */

const struct pdu_grammar ns_grammar = {ies, rows, sizeof ies / sizeof ies[0], sizeof rows / sizeof rows[0]};

static uint8_t cause_of(enum pdu_fault fault)
{
    switch (fault) {
    case PDU_FAULT_TYPE:
        return NS_CAUSE_UNSPECIFIED;
    case PDU_FAULT_MANDATORY_MISSING:
        return NS_CAUSE_MISSING_ESSENTIAL_IE;
    default:
        return NS_CAUSE_INVALID_ESSENTIAL_IE;
    }
}

int ns_decode(struct ns *out, const uint8_t *bytes, size_t len)
{
    *out = (struct ns){0};
    int n = pdu_decode(&out->head, &ns_grammar, bytes, len);
    if (n < 0) {
        out->error_cause = cause_of(out->head.fault);
        return n;
    }
    /* Without elements; TS 48.016 requires a length of exactly one octet. */
    if ((out->head.type == NS_UNBLOCK || out->head.type == NS_UNBLOCK_ACK) && len != 1) {
        out->error_cause = NS_CAUSE_UNSPECIFIED;
        return ERR_MALFORMED;
    }
    return n;
}

int ns_encode(uint8_t *bytes, size_t cap, const struct ns *in)
{
    return pdu_encode(bytes, cap, &ns_grammar, &in->head, 1);
}

int ns_endpoint_get(struct ns_endpoint *out, const struct ns *in, enum ns_family family, size_t i)
{
    const struct ie_span *list = family == NS_IP4 ? &in->ip4_list : &in->ip6_list;
    size_t each = ns_endpoint_octets(family);
    if (i >= list->octets / each)
        return ERR_RANGE;
    const uint8_t *p = list->at + i * each, *tail = p + each - 4;
    *out = (struct ns_endpoint){p, bytes_get_u16(tail), tail[2], tail[3]};
    return 0;
}

int ns_endpoint_encode(uint8_t *bytes, size_t cap, const struct ns_endpoint *in, enum ns_family family)
{
    size_t each = ns_endpoint_octets(family);
    if (cap < each)
        return ERR_NO_SPACE;
    memcpy(bytes, in->address, each - 4);
    bytes_put_u16(bytes + each - 4, in->udp_port);
    bytes[each - 2] = in->signalling_weight;
    bytes[each - 1] = in->data_weight;
    return (int)each;
}
