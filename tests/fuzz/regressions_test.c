/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kinds of defect that other people's GTP, Gb and IP code became known for, a few rows each. Every row's
 * octets lie in a block that ends with them, so that the sanitizers see what reads on.
 */
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtpc.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/ie.h"
#include "dataplane/wire/pdu.h"
#include "dataplane/wire/qos.h"
#include "dataplane/wire/sndcp.h"
#include "dataplane/wire/ns.h"
#include "sim/tcp_header.h"
#include "tests/unit/dataplane/wire/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* --- the decoders; an answer of those that can say more ends in what they said --- */

static int gtpu(const uint8_t *bytes, size_t len)
{
    struct gtpu out;
    int offset = gtpu_decode(&out, bytes, len);
    return offset < 0 ? offset : out.payload_octets;
}

static int gtp_error(const uint8_t *bytes, size_t len)
{
    struct gtpu_signal_error out;
    return gtpu_signal_error_decode(&out, bytes, len);
}

static int gtp_ie(const uint8_t *bytes, size_t len)
{
    struct gtp_ie out;
    return gtp_ie_decode(&out, bytes, len);
}

static int gtpc(const uint8_t *bytes, size_t len)
{
    struct gtpc out;
    return gtpc_decode(&out, bytes, len);
}

static int qos(const uint8_t *bytes, size_t len)
{
    struct qos out;
    return qos_decode(&out, bytes, len);
}

static int ns(const uint8_t *bytes, size_t len)
{
    struct ns out;
    return ns_decode(&out, bytes, len);
}

static int bssgp(const uint8_t *bytes, size_t len)
{
    struct bssgp out;
    return bssgp_decode(&out, bytes, len);
}

/* Octets of IMSI that were kept. */
static int bssgp_imsi(const uint8_t *bytes, size_t len)
{
    struct bssgp out;
    int octets = bssgp_decode(&out, bytes, len);
    return octets < 0 ? octets : (int)(pdu_has(&out.head, BSSGP_IE_IMSI) ? out.imsi.octets : 0);
}

/* Octets of LLC-PDU. */
static int bssgp_uplink(const uint8_t *bytes, size_t len)
{
    struct bssgp_ul out;
    int octets = bssgp_ul_unitdata_decode(&out, bytes, len);
    return octets < 0 ? octets : out.llc_octets;
}

static int tlv(const uint8_t *bytes, size_t len)
{
    struct tlv out;
    return ie_tlv_decode(&out, bytes, len);
}

static int llc(const uint8_t *bytes, size_t len)
{
    struct llc out;
    return llc_decode(&out, bytes, len);
}

static int sndcp(const uint8_t *bytes, size_t len)
{
    struct sndcp out;
    return sndcp_decode(&out, bytes, len);
}

static int ipv4(const uint8_t *bytes, size_t len)
{
    struct ipv4 out;
    int header = ipv4_decode(&out, bytes, len);
    return header < 0 ? header : out.payload_octets;
}

static int udp(const uint8_t *bytes, size_t len)
{
    struct udp out;
    int header = udp_decode(&out, bytes, len);
    return header < 0 ? header : out.payload_octets;
}

static int tcp(const uint8_t *bytes, size_t len)
{
    struct tcp_header out;
    return tcp_header_decode(&out, bytes, len);
}

/* --- rows --- */

struct row {
    const char *name;
    probe_decoder *decode;
    int expect;
    uint32_t len; /* behind the octets below come zeros */
    uint8_t bytes[64];
};

/* GTP-C, UI and TCP rows share beginnings. */
#define REQUEST(length)        0x32, 16, 0, length, 0, 0, 0, 0, 0, 1, 0, 0
#define DL_UNITDATA            0, 1, 2, 3, 4, 0, 0, 0, 0x16, 0x82, 0, 9, 0x0e, 0x80
#define UL_UNITDATA            1, 1, 2, 3, 4, 0, 0, 0
#define CELL                   0x08, 0x88, 0x62, 0xf2, 0x24, 0x12, 0x34, 5, 0, 1
#define TCP(offset)            0, 80, 0, 81, 0, 0, 0, 0, 0, 0, 0, 0, (offset) << 4, 16, 0, 0, 0, 0, 0, 0
#define IP(first, total)       first, 0, (total) >> 8, (total)&255, 0, 0, 0, 0, 64, 17
#define TLLI                   0x1f, 0x84, 1, 2, 3, 4
#define FLOW_PFC(list, octets) 0x2d, TLLI, 0x1e, 0x81, 1, 0x52, 0x80 | (octets), list

static const struct row over_buffer[] = {
    {"IMSI of 9 octets is cut to 8", bssgp_imsi, 8, 14 + 11, {DL_UNITDATA, 0x0d, 0x89, 0x29}},
    {"IMSI of 127 octets", bssgp_imsi, 8, 14 + 129, {DL_UNITDATA, 0x0d, 0xff, 0x29}},
    {"IMSI of 300 octets", bssgp_imsi, 8, 14 + 303, {DL_UNITDATA, 0x0d, 1, 44, 0x29}},
    {"12 flows for 11 places", bssgp, ERR_MALFORMED, 12 + 61, {FLOW_PFC(12, 61)}},
    {"11 flows", bssgp, 12 + 56, 12 + 56, {FLOW_PFC(11, 56)}},
    {"255 flows, none there", bssgp, ERR_MALFORMED, 13, {FLOW_PFC(255, 1)}},
    {"address of 5 octets", gtpc, ERR_MALFORMED, 20, {REQUEST(12), 133, 0, 5}},
    {"address of 17 octets", gtpc, ERR_MALFORMED, 32, {REQUEST(24), 133, 0, 17}},
    {"address of 255 octets", gtpc, ERR_TRUNCATED, 20, {REQUEST(12), 133, 0, 255}},
    {"end user address of 22 octets", gtpc, ERR_MALFORMED, 37, {REQUEST(29), 128, 0, 22, 0xf1, 0x8d}},
    {"address of 16 octets where 4 fit", gtp_error, 24, 24, {16, 0, 0, 0, 1, 133, 0, 16}},
    {"address of 17 octets", gtp_error, ERR_UNSUPPORTED, 25, {16, 0, 0, 0, 1, 133, 0, 17}},
    {"address of no octets", gtp_error, ERR_UNSUPPORTED, 8, {16, 0, 0, 0, 1, 133, 0, 0}},
    {"SACK of 38 octets", tcp, ERR_MALFORMED, 60, {TCP(15), 5, 40}},
    {"4 SACK blocks", tcp, 60, 60, {TCP(15), 5, 34}},
    {"list of one and a half endpoints",
     ns,
     ERR_MALFORMED,
     20,
     {0x0d, 4, 0x82, 0, 101, 7, 5, 0x8c, 10, 0, 0, 1, 0x59, 0xd8, 1, 2}},
};

static const struct row extensions[] = {
    {"of no length", gtpu, ERR_MALFORMED, 17, {0x34, 255, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0xc0, 0, 0, 0, 0, 0x45}},
    {"the second of no length", gtpu, ERR_MALFORMED, 21, {0x34, 255, 0, 13, 0,    0, 0, 1, 0, 0,   0,
                                                          0xc0, 1,   0, 0,  0xc0, 0, 0, 0, 0, 0x45}},
    {"behind the end", gtpu, ERR_MALFORMED, 16, {0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0xc0, 2, 0, 0, 0}},
    {"no end of the chain",
     gtpu,
     ERR_MALFORMED,
     16,
     {0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0xc0, 1, 0, 0, 0xc0}},
    {"255 units announced", gtpu, ERR_MALFORMED, 1031, {0x34, 255, 3, 255, 0, 0, 0, 1, 0, 0, 0, 0xc0, 255}},
    {"255 units there", gtpu, 1, 1033, {0x34, 255, 4, 1, 0, 0, 0, 1, 0, 0, 0, 0xc0, 255}},
    {"flagged without the octets", gtpu, ERR_MALFORMED, 11, {0x34, 255, 0, 3, 0, 0, 0, 1, 0, 0, 0}},
    {"of no length, unknown and insisted on",
     gtpu,
     ERR_MALFORMED,
     16,
     {0x34, 255, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0x99, 0}},
};

static const struct row short_inside[] = {
    {"G-PDU of nothing", gtpu, ERR_MALFORMED, 8, {0x30, 255, 0, 0, 0, 0, 0, 1}},
    {"G-PDU of a sequence number", gtpu, ERR_MALFORMED, 12, {0x32, 255, 0, 4, 0, 0, 0, 1}},
    {"Length inside the options", gtpu, ERR_MALFORMED, 12, {0x32, 255, 0, 3, 0, 0, 0, 1}},
    {"IPv4 of 19 octets", ipv4, ERR_TRUNCATED, 19, {IP(0x45, 19)}},
    {"IPv4 total of 19", ipv4, ERR_MALFORMED, 40, {IP(0x45, 19)}},
    {"IPv4 header of 16", ipv4, ERR_MALFORMED, 40, {IP(0x44, 40)}},
    {"IPv4 header over the total", ipv4, ERR_MALFORMED, 60, {IP(0x4f, 40)}},
    {"IPv4 total over what is there", ipv4, ERR_TRUNCATED, 40, {IP(0x45, 41)}},
    {"UDP length 7", udp, ERR_MALFORMED, 20, {0, 1, 0, 2, 0, 7}},
    {"UDP length 0", udp, ERR_MALFORMED, 20, {0, 1, 0, 2, 0, 0}},
    {"UDP length over what is there", udp, ERR_TRUNCATED, 20, {0, 1, 0, 2, 0, 21}},
    {"TCP offset 4", tcp, ERR_MALFORMED, 20, {TCP(4)}},
    {"TCP offset over what is there", tcp, ERR_TRUNCATED, 59, {TCP(15)}},
    {"LLC of an address", llc, ERR_TRUNCATED, 1, {0x43}},
    {"UI frame without FCS", llc, ERR_TRUNCATED, 5, {0x43, 0xc0, 0x01}},
    {"I frame in the room of a UI frame", llc, ERR_TRUNCATED, 6, {0x43, 0x40}},
    {"first segment in the room of a later one", sndcp, ERR_TRUNCATED, 3, {0x65}},
    {"NS-UNITDATA without BVCI", ns, ERR_TRUNCATED, 3, {0}},
    {"LLC-PDU over its PDU", bssgp_uplink, ERR_MALFORMED, 21, {UL_UNITDATA, CELL, 0x0e, 0x82, 1}},
    {"LLC-PDU of 32767 octets over its PDU",
     bssgp_uplink,
     ERR_MALFORMED,
     22,
     {UL_UNITDATA, CELL, 0x0e, 0x7f, 0xff, 1}},
    {"length of two octets, one there", bssgp_uplink, ERR_MALFORMED, 20, {UL_UNITDATA, CELL, 0x0e, 0}},
};

static const struct row zero_length[] = {
    {"QoS profile", gtpc, ERR_MALFORMED, 15, {REQUEST(7), 135}},
    {"end user address", gtpc, ERR_MALFORMED, 15, {REQUEST(7), 128}},
    {"GSN address", gtpc, ERR_MALFORMED, 15, {REQUEST(7), 133}},
    {"unknown element, then nothing mandatory", gtpc, ERR_MALFORMED, 18, {REQUEST(10), 250, 0, 0, 251}},
    {"unknown element", gtp_ie, 3, 3, {250}},
    {"list of extension types", gtp_ie, 2, 2, {141}},
    {"QoS of nothing", qos, ERR_TRUNCATED, 0, {0}},
    {"TLV, short form", tlv, 2, 2, {7, 0x80}},
    {"TLV, long form", tlv, 3, 3, {7, 0, 0}},
    {"TCP option of length 0", tcp, ERR_MALFORMED, 24, {TCP(6), 2, 0}},
    {"TCP option of length 1", tcp, ERR_MALFORMED, 24, {TCP(6), 99, 1}},
    {"SACK without blocks", tcp, ERR_MALFORMED, 24, {TCP(6), 5, 2}},
    {"optional IMSI counts as absent", bssgp_imsi, 0, 16, {DL_UNITDATA, 0x0d, 0x80}},
    {"LLC-PDU of nothing is one", bssgp_uplink, 0, 20, {UL_UNITDATA, CELL, 0x0e, 0x80}},
    {"cell of nothing", bssgp_uplink, ERR_MALFORMED, 12, {UL_UNITDATA, 0x08, 0x80, 0x0e, 0x80}},
    {"list of flows", bssgp, ERR_MALFORMED, 12, {0x2d, TLLI, 0x1e, 0x81, 1, 0x52, 0x80}},
    {"NS cause", ns, ERR_MALFORMED, 11, {2, 0, 0x80, 1, 0x82, 0, 1, 4, 0x82, 0, 1}},
};

static const struct row wraps[] = {
    {"Length 65535", gtpu, 65535, 65543, {0x30, 255, 255, 255}},
    {"Length 65535, one octet missing", gtpu, ERR_TRUNCATED, 65542, {0x30, 255, 255, 255}},
    {"Length 65535 with sequence number", gtpu, 65531, 65543, {0x32, 255, 255, 255}},
    {"Length 65535 in 7 octets", gtpu, ERR_TRUNCATED, 15, {0x30, 255, 255, 255}},
    {"element of 65535 octets", gtp_ie, 65538, 65538, {250, 255, 255}},
    {"element of 65535 octets, one missing", gtp_ie, ERR_TRUNCATED, 65537, {250, 255, 255}},
    {"element of 65533 octets in 65536", gtp_ie, 65536, 65536, {250, 255, 253}},
    {"IPv4 of 65535", ipv4, 65515, 65535, {IP(0x45, 65535)}},
    {"IPv4 of 65535 in 65534", ipv4, ERR_TRUNCATED, 65534, {IP(0x45, 65535)}},
    {"IPv4 of 40 in 65576", ipv4, 20, 65576, {IP(0x45, 40)}},
    {"UDP of 65535", udp, 65527, 65535, {0, 1, 0, 2, 255, 255}},
    {"TLV of 32767", tlv, 32770, 32770, {7, 0x7f, 0xff}},
    {"TLV of 32767, one octet missing", tlv, ERR_TRUNCATED, 32769, {7, 0x7f, 0xff}},
    {"BSSGP of 65537 octets, LLC-PDU of 1", bssgp_uplink, 1, 65537, {UL_UNITDATA, CELL, 0x0e, 0x81}},
};

static void walk(const struct row *rows, size_t count)
{
    static uint8_t bytes[70000];
    for (size_t i = 0; i < count; i++) {
        memset(bytes, 0, sizeof bytes);
        memcpy(bytes, rows[i].bytes, sizeof rows[i].bytes);
        int answer = probe_exact(rows[i].decode, bytes, rows[i].len);
        if (answer != rows[i].expect)
            fail_msg("%s: %d, not %d", rows[i].name, answer, rows[i].expect);
    }
}

static void lengths_over_fixed_buffers(void **state)
{
    walk(over_buffer, COUNT(over_buffer));
}

static void extension_header_loops(void **state)
{
    walk(extensions, COUNT(extensions));
}

static void inner_shorter_than_its_header(void **state)
{
    walk(short_inside, COUNT(short_inside));
}

static void elements_of_no_length(void **state)
{
    walk(zero_length, COUNT(zero_length));
}

static void sixteen_bits_wrap(void **state)
{
    walk(wraps, COUNT(wraps));
}

/* What does not fit 16 bits is refused by encoders, too. */
static void encoders_do_not_wrap(void **state)
{
    uint8_t bytes[64];
    const struct gtpu gpdu = {.type = GTPU_G_PDU, .flags = GTPU_S, .payload_octets = 65532};
    const struct ipv4 ip = {.payload_octets = 65516};
    const struct udp datagram = {.payload_octets = 65528};
    const struct bssgp_dl dl = {.llc_octets = 32768};
    const struct llc ui = {.sapi = 3, .nu = 512};
    const struct sndcp segment = {.nsapi = 5, .n_pdu_number = 4096, .first = true};
    assert_int_equal(gtpu_encode(bytes, sizeof bytes, &gpdu), ERR_RANGE);
    assert_int_equal(ipv4_encode(bytes, sizeof bytes, &ip), ERR_RANGE);
    assert_int_equal(udp_encode(bytes, sizeof bytes, &datagram), ERR_RANGE);
    assert_int_equal(ie_tlv_header_put(bytes, sizeof bytes, 7, 32768), ERR_RANGE);
    assert_int_equal(bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &dl), ERR_RANGE);
    assert_int_equal(llc_ui_encode(bytes, sizeof bytes, &ui), ERR_RANGE);
    assert_int_equal(sndcp_encode(bytes, sizeof bytes, &segment), ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_over_fixed_buffers),
        cmocka_unit_test(extension_header_loops),
        cmocka_unit_test(inner_shorter_than_its_header),
        cmocka_unit_test(elements_of_no_length),
        cmocka_unit_test(sixteen_bits_wrap),
        cmocka_unit_test(encoders_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
