/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libosmocore and libosmogb say of the frames of a capture that judge_frames wrote.
 *
 * usage: osmo_judge ns|bssgp FRAMES.pcap SAYINGS.txt
 *
 * A line for each frame: the verdict, then "elements=", each with its identifier in front, in their order.
 */
#include "tests/oracles/judges/saying.h"

#include <osmocom/core/logging.h>
#include <osmocom/gprs/gprs_bssgp.h>
#include <osmocom/gprs/protocol/gsm_08_16.h>
#include <osmocom/gsm/tlv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FILE_HEADER_OCTETS = 24,
    RECORD_HEADER_OCTETS = 16,
    LENGTH_AT = 8,
    MAX_OCTETS = 65535,
    UNITDATA_OCTETS = 8
};
enum { ADDRESS_IP4 = 1, ADDRESS_IP6 = 2 };

/* libosmogb wants to tell its program of BSSGP's events, of which there are none here. */
int osmo_judge_event(void *event, void *context) __asm__("bssgp_prim_cb");

int osmo_judge_event(void *event, void *context)
{
    return 0;
}

/* Their parser with the shapes of TS 48.016 10.3; what it does not know it takes for a TLV. */
static struct tlv_definition ns_shapes;

static void shapes_init(void)
{
    for (unsigned i = 0; i < 256; i++)
        ns_shapes.def[i].type = TLV_TYPE_TvLV;
    ns_shapes.def[NS_IE_MAX_NR_NSVC].type = ns_shapes.def[NS_IE_IPv4_EP_NR].type =
        ns_shapes.def[NS_IE_IPv6_EP_NR].type = TLV_TYPE_FIXED;
    ns_shapes.def[NS_IE_MAX_NR_NSVC].fixed_len = ns_shapes.def[NS_IE_IPv4_EP_NR].fixed_len =
        ns_shapes.def[NS_IE_IPv6_EP_NR].fixed_len = 2;
    ns_shapes.def[NS_IE_RESET_FLAG].type = TLV_TYPE_TV;
    ns_shapes.def[NS_IE_IP_ADDR].type = TLV_TYPE_FIXED;
}

/* The lone address is as long as its first octet says, which is no shape that their parser has. NULL: it says
 * neither. */
static const struct tlv_definition *shapes_of(const uint8_t *bytes, size_t len)
{
    static const uint16_t octets[] = {[ADDRESS_IP4] = 5, [ADDRESS_IP6] = 17};
    if (len < 2 || bytes[0] != NS_IE_IP_ADDR)
        return &ns_shapes;
    if (bytes[1] != ADDRESS_IP4 && bytes[1] != ADDRESS_IP6)
        return NULL;
    ns_shapes.def[NS_IE_IP_ADDR].fixed_len = octets[bytes[1]];
    return &ns_shapes;
}

static void say_element(struct saying *out, uint8_t iei, const uint8_t *value, size_t octets)
{
    static uint8_t element[1 + MAX_OCTETS];
    element[0] = iei;
    if (octets)
        memcpy(element + 1, value, octets);
    saying_octets_item(out, element, 1 + octets);
}

/* Elements up to `most` of them or up to the end. Returns octets read; -1 when one overruns. */
static int walk(struct saying *out, const uint8_t *bytes, size_t len, unsigned most,
                const struct tlv_definition *bssgp)
{
    size_t at = 0;
    for (unsigned i = 0; i < most && at < len; i++) {
        uint8_t iei;
        uint16_t octets;
        const uint8_t *value;
        const struct tlv_definition *shapes = bssgp ? bssgp : shapes_of(bytes + at, len - at);
        int n = shapes ? tlv_parse_one(&iei, &octets, &value, shapes, bytes + at, (int)(len - at)) : -1;
        if (n <= 0 || value + octets > bytes + len)
            return -1;
        say_element(out, iei, value, octets);
        at += (size_t)n;
    }
    return (int)at;
}

/* The two PDUs with fields between elements need their order. */
static int walk_ns(struct saying *out, const uint8_t *bytes, size_t len)
{
    int n = 0;
    size_t at = 1;
    if (bytes[0] == NS_PDUT_UNITDATA)
        return 0;
    if (bytes[0] == SNS_PDUT_CONFIG)
        at = 2;
    else if (bytes[0] == SNS_PDUT_ACK || bytes[0] == SNS_PDUT_ADD || bytes[0] == SNS_PDUT_CHANGE_WEIGHT ||
             bytes[0] == SNS_PDUT_DELETE) {
        n = walk(out, bytes + at, len - at, 1, NULL);
        at += n < 0 ? 0 : (size_t)n + 1;
    }
    return n < 0 || at > len ? -1 : walk(out, bytes + at, len - at, UINT32_MAX, NULL);
}

static void judge_ns(struct saying *out, struct saying *elements, const uint8_t *bytes, size_t len)
{
    saying_begin(elements, 0);
    saying_list(elements, "elements");
    int answer = walk_ns(elements, bytes, len);
    saying_text(out, "walk", answer < 0 ? "cut" : "whole");
}

/* They know mandatory elements and least lengths, too. */
static const char *bssgp_verdict(const uint8_t *bytes, size_t at, size_t len)
{
    static struct tlv_parsed parsed[2];
    memset(parsed, 0, sizeof parsed);
    if (!osmo_pdef_bssgp.msg_def[bytes[0]].name)
        return "unknown";
    int answer = osmo_tlv_prot_parse(&osmo_pdef_bssgp, parsed, 2, bytes[0], bytes + at, (unsigned)(len - at),
                                     0, 0, DLGLOBAL, "judge");
    switch (answer) {
    case OSMO_TLVP_ERR_MAND_IE_MISSING:
        return "missing";
    case OSMO_TLVP_ERR_IE_TOO_SHORT:
        return "short";
    default:
        return answer < 0 ? "cut" : "whole";
    }
}

static void judge_bssgp(struct saying *out, struct saying *elements, const uint8_t *bytes, size_t len)
{
    size_t at = bytes[0] <= 1 ? UNITDATA_OCTETS : 1;
    saying_begin(elements, 0);
    saying_list(elements, "elements");
    if (at <= len)
        walk(elements, bytes + at, len - at, UINT32_MAX, osmo_pdef_bssgp.tlv_def);
    saying_text(out, "walk", at > len ? "cut" : bssgp_verdict(bytes, at, len));
}

static void judge(FILE *files[2], bool is_bssgp)
{
    static struct saying verdict, elements;
    static uint8_t bytes[MAX_OCTETS];
    uint8_t head[RECORD_HEADER_OCTETS];
    uint32_t octets;
    while (fread(head, 1, sizeof head, files[0]) == sizeof head) {
        memcpy(&octets, head + LENGTH_AT, sizeof octets);
        if (octets > sizeof bytes || fread(bytes, 1, octets, files[0]) != octets)
            exit(2);
        saying_begin(&verdict, 0);
        (is_bssgp ? judge_bssgp : judge_ns)(&verdict, &elements, bytes, octets);
        fprintf(files[1], "%s%s\n", verdict.text, elements.text + strlen("ok"));
    }
}

int main(int argc, char **argv)
{
    static const struct log_info no_categories;
    uint8_t head[FILE_HEADER_OCTETS];
    FILE *files[2];
    if (argc != 4 || (strcmp(argv[1], "ns") != 0 && strcmp(argv[1], "bssgp") != 0)) {
        fprintf(stderr, "usage: osmo_judge ns|bssgp FRAMES.pcap SAYINGS.txt\n");
        return 2;
    }
    files[0] = fopen(argv[2], "rb");
    files[1] = fopen(argv[3], "wb");
    if (!files[0] || !files[1] || fread(head, 1, sizeof head, files[0]) != sizeof head) {
        perror("osmo_judge");
        return 2;
    }
    log_init(&no_categories, NULL);
    shapes_init();
    judge(files, strcmp(argv[1], "bssgp") == 0);
    fclose(files[0]);
    return fclose(files[1]) ? 2 : 0;
}
