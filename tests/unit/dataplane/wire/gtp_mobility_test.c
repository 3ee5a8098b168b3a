/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between SGSNs: fields of the sample messages, elements in each message, and refusals.
 * recode_test.c takes the samples both ways and cuts them. */
#include "tests/data/vectors/vectors.h"
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtp_ie.h"
#include "dataplane/wire/gtp_mobility.h"

#include <string.h>

enum { FIRST = 107, LAST = 119, OF_GGSN = 118 };

static const uint8_t old_sgsn[] = {192, 0, 2, 10}, new_sgsn[] = {192, 0, 2, 20}, ggsn[] = {192, 0, 2, 1};
static const uint8_t kc[] = {0x2b, 0xd6, 0x45, 0x9f, 0x82, 0xc5, 0xbc, 0};

PROBED(mobility_decode, struct gtp_mobility, gtp_mobility_decode)

static void decode_vector(struct gtp_mobility *out, unsigned number)
{
    const struct vector *v = vectors_get(number);
    assert_int_equal(gtp_mobility_decode(out, v->bytes, v->octets), v->octets);
}

static void assert_address(const struct gtpc_address *address, const uint8_t *expect)
{
    assert_int_equal(address->octets, 4);
    assert_memory_equal(address->bytes, expect, 4);
}

/* What was decoded is encoded as it was. */
static void assert_again(const struct gtp_mobility *m, unsigned number)
{
    const struct vector *v = vectors_get(number);
    uint8_t bytes[GTP_MOBILITY_MAX_OCTETS];
    assert_int_equal(gtp_mobility_encode(bytes, sizeof bytes, m), v->octets);
    assert_memory_equal(bytes, v->bytes, v->octets);
}

TEST(samples_decode)
{
    static const struct {
        unsigned number;
        uint32_t has, teid, teid_control;
        uint16_t seq;
        uint8_t type, cause, vectors, contexts, tunnels;
    } rows[] = {
        {107, 0x501014c, 0, 0xaa01, 0x101, 50, 0, 0, 0, 0},
        {108, 0x001018e, 0, 0xaa01, 0x102, 50, 0, 0, 0, 0},
        {109, 0x001c503, 0xaa01, 0xbb02, 0x101, 51, 128, 0, 1, 0},
        {110, 0x001c103, 0xaa01, 0xbb02, 0x103, 51, 128, 0, 1, 0},
        {111, 0x0014103, 0xaa01, 0xbb02, 0x104, 51, 128, 0, 0, 0},
        {112, 0x0000001, 0xaa01, 0, 0x102, 51, 194, 0, 0, 0},
        {113, 0x0000001, 0xaa01, 0, 0x102, 51, 206, 0, 0, 0},
        {114, 0x0040201, 0xbb02, 0, 0x101, 52, 128, 0, 0, 1},
        {115, 0x0000054, 0, 0, 0x201, 48, 0, 0, 0, 0},
        {116, 0x0000023, 0, 0, 0x201, 49, 128, 1, 0, 0},
        {117, 0x0000001, 0, 0, 0x201, 49, 194, 0, 0, 0},
        {119, 0xa100000, 0, 0, 7, 70, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtp_mobility m;
        decode_vector(&m, rows[i].number);
        assert_int_equal(m.has, rows[i].has);
        assert_int_equal(m.teid, rows[i].teid);
        assert_int_equal(m.teid_control, rows[i].teid_control);
        assert_int_equal(m.seq, rows[i].seq);
        assert_int_equal(m.type, rows[i].type);
        assert_int_equal(m.cause, rows[i].cause);
        assert_int_equal(m.vectors, rows[i].vectors);
        assert_int_equal(m.contexts, rows[i].contexts);
        assert_int_equal(m.tunnels, rows[i].tunnels);
        assert_again(&m, rows[i].number);
    }
}

TEST(values_of_requests)
{
    static const uint8_t rai[] = {0, 0xf1, 0x10, 0, 1, 2}, signature[] = {0xa1, 0xb2, 0xc3};
    struct gtp_mobility m;
    decode_vector(&m, 107);
    assert_memory_equal(m.rai, rai, sizeof rai);
    assert_int_equal(m.tlli, 0x80d54321);
    assert_memory_equal(m.signature, signature, sizeof signature);
    assert_address(&m.control, new_sgsn);
    assert_int_equal(m.rat_type, 2);
    assert_int_equal(m.hop_counter, 5);
    decode_vector(&m, 108);
    assert_string_equal(m.imsi, "001010000000010");
    assert_int_equal(m.ms_validated, 1);
    decode_vector(&m, 115);
    assert_int_equal(m.p_tmsi, 0xc0d54321);
    decode_vector(&m, 119);
    assert_int_equal(m.container.octets, 37);
    assert_int_equal(m.container.at[0], 0x71);
    assert_int_equal(m.rim_address.octets, 8);
    assert_int_equal(m.rim_discriminator, 0);
}

TEST(values_of_contexts)
{
    static const uint8_t mobile[] = {10, 11, 0, 2};
    struct gtp_mobility m;
    decode_vector(&m, 109);
    assert_int_equal(m.priority_sms, 1);
    assert_address(&m.control, old_sgsn);
    assert_int_equal(m.mm.mode, GTP_CONTEXT_GSM);
    assert_int_equal(m.mm.cksn, 3);
    assert_int_equal(m.mm.cipher, 3);
    assert_int_equal(m.mm.vectors, 1);
    assert_memory_equal(m.mm.kc.at, kc, sizeof kc);
    assert_int_equal(bytes_get_u32(m.mm.vector[0].sres.at), 0xdeadbeef);
    assert_int_equal(m.mm.vector[0].kc.at[0], 0x01);
    assert_int_equal(bytes_get_u16(m.mm.drx.at), 0x0a00);
    assert_int_equal(m.mm.capability.octets, 3);
    const struct gtp_context_pdp *pdp = &m.context[0];
    assert_true(pdp->is_active && pdp->vplmn_allowed && !pdp->reordering);
    assert_int_equal(pdp->nsapi << 4 | pdp->sapi, 0x53);
    assert_int_equal(pdp->sequence_down, 0x1122);
    assert_int_equal(pdp->sequence_up, 0x3344);
    assert_int_equal(pdp->send_n_pdu << 8 | pdp->receive_n_pdu, 0x0907);
    assert_int_equal(pdp->teid_control, 0x11112222);
    assert_int_equal(pdp->teid_data, 0x33334444);
    assert_int_equal(pdp->pdp_type, GTPC_PDP_IPV4);
    assert_address(&pdp->ipv4, mobile);
    assert_address(&pdp->control, ggsn);
    assert_string_equal(pdp->apn, "internet");
    assert_int_equal(pdp->ti, 8);
    decode_vector(&m, 110);
    assert_int_equal(m.mm.mode, GTP_CONTEXT_UMTS_CIPHER);
    assert_int_equal(m.mm.cksn, 2);
    assert_int_equal(m.mm.ck.at[1] << 8 | m.mm.ik.at[0], 0x0110);
    assert_int_equal(m.mm.vector[0].xres.octets << 8 | m.mm.vector[0].autn.at[0], 0x04ff);
    assert_true(m.context[0].reordering);
}

/* A message of that type, sequence number 7, with these elements. */
static int decode_elements(struct gtp_mobility *out, uint8_t type, const uint8_t *elements, size_t len)
{
    static uint8_t bytes[1024]; /* spans point into it */
    memset(bytes, 0, sizeof bytes);
    bytes[0] = 0x32;
    bytes[1] = type;
    bytes_put_u16(bytes + 2, (uint16_t)(4 + len));
    bytes[9] = 7;
    memcpy(bytes + 12, elements, len);
    int answer = gtp_mobility_decode(out, bytes, 12 + len);
    return answer < 0 ? answer : answer - 12;
}

#define RAI        3, 0x00, 0xf1, 0x10, 0, 1, 2
#define P_TMSI     5, 0xc0, 1, 2, 3
#define TEID       17, 0, 0, 0, 9
#define ADDRESS(n) 133, 0, 4, 192, 0, 2, n
#define IMSI       2, 0, 1, 1, 0, 0, 0, 0, 0xf1
#define TUNNEL(n)  18, n, 0, 0, 0, n

static const struct {
    uint8_t type, bytes[64];
    size_t len;
    int answer;
    uint8_t fault;
    uint32_t has;
} element_rows[] = {
    {48, {RAI, P_TMSI}, 12, 12, 0, 0x14},
    {48, {P_TMSI, RAI}, 12, 12, 0, 0x14}, /* in any order */
    {48, {RAI}, 7, ERR_MALFORMED, 202, 0},
    {48, {P_TMSI}, 5, ERR_MALFORMED, 202, 0},
    {48, {0}, 0, ERR_MALFORMED, 202, 0},
    {48, {RAI, P_TMSI, 163, 0, 1, 4, ADDRESS(1), 255, 0, 2, 1, 1}, 28, 28, 0, 0x4010014},
    {48, {RAI, P_TMSI, 163, 0, 0}, 15, ERR_MALFORMED, 201, 0},
    {48, {RAI, P_TMSI, 133, 0, 3, 1, 1, 1}, 18, ERR_MALFORMED, 201, 0},
    {48, {RAI, P_TMSI, 133, 0, 4, 1, 1, 1}, 18, ERR_TRUNCATED, 193, 0},
    {48, {RAI, P_TMSI, 12, 1, 2}, 15, ERR_TRUNCATED, 193, 0},
    {48, {3, 0x00, 0xfa, 0x10, 0, 1, 2, P_TMSI}, 12, ERR_MALFORMED, 201, 0},
    {48, {RAI, P_TMSI, 100, 12, 1, 2, 3}, 17, 17, 0, 0x14}, /* an unknown TV type hides the rest */
    {48, {RAI, P_TMSI, TEID, IMSI}, 26, 26, 0, 0x14},       /* known ones of other messages */
    {49, {1, 194}, 2, 2, 0, 1},
    {49, {1, 128}, 2, ERR_MALFORMED, 202, 0},
    {49, {1, 128, IMSI}, 11, 11, 0, 3},
    {49, {1, 128, 2, 0x0a, 1, 1, 0, 0, 0, 0, 0xf1}, 11, ERR_MALFORMED, 201, 0},
    {49, {1, 128, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, 11, ERR_MALFORMED, 201, 0},
    {49, {1, 128, IMSI, 217, 0, 1, 1}, 15, 15, 0, 3},
    {49, {1, 128, IMSI, 136, 0, 1, 1}, 15, ERR_MALFORMED, 201, 0},
    {50, {RAI, P_TMSI, TEID, ADDRESS(1)}, 24, 24, 0, 0x10114},
    {50, {RAI, TEID, ADDRESS(1)}, 19, ERR_MALFORMED, 202, 0}, /* of which mobile? */
    {50, {RAI, P_TMSI, TEID}, 17, ERR_MALFORMED, 202, 0},
    {50, {RAI, P_TMSI, ADDRESS(1)}, 19, ERR_MALFORMED, 202, 0},
    {50, {P_TMSI, TEID, ADDRESS(1)}, 17, ERR_MALFORMED, 202, 0},
    {50, {RAI, P_TMSI, 13, 0xff, TEID, ADDRESS(1)}, 26, ERR_MALFORMED, 202, 0}, /* validated, but no IMSI
                                                                                 */
    {50, {RAI, P_TMSI, 13, 0xfe, TEID, ADDRESS(1)}, 26, 26, 0, 0x10194},
    {50, {RAI, P_TMSI, TEID, ADDRESS(1), ADDRESS(2), ADDRESS(3)}, 38, 38, 0, 0x30114},
    {50, {RAI, P_TMSI, TEID, ADDRESS(1), 147, 0, 2, 0x91, 0x21}, 29, 29, 0, 0x410114},
    {50, {RAI, P_TMSI, TEID, ADDRESS(1), 147, 0, 2, 0x91, 0xaa}, 29, 29, 0, 0x10114},
    {50, {RAI, P_TMSI, TEID, ADDRESS(1), 147, 0, 0}, 27, 27, 0, 0x10114},
    {51, {1, 194}, 2, 2, 0, 1},
    {51, {1, 194, IMSI}, 11, 11, 0, 3},
    {51, {0}, 0, ERR_MALFORMED, 202, 0},
    {51, {1, 128, IMSI, TEID}, 16, ERR_MALFORMED, 202, 0},
    {51, {1, 128, IMSI, TEID, 129, 0, 1, 9}, 20, ERR_MALFORMED, 201, 0},
    {51, {1, 128, IMSI, TEID, 130, 0, 1, 9}, 20, ERR_MALFORMED, 201, 0},
    {52, {1, 208}, 2, 2, 0, 1},
    {52, {1, 128}, 2, 2, 0, 1},
    {52, {1, 128, TUNNEL(5)}, 8, ERR_MALFORMED, 202, 0},
    {52, {1, 128, TUNNEL(5), TUNNEL(6), ADDRESS(1)}, 21, 21, 0, 0x40201},
    {52, {1, 128, TUNNEL(5), TUNNEL(6), ADDRESS(1), ADDRESS(2)}, 28, 28, 0, 0x40201},
    {52, {1, 128, TUNNEL(5), TUNNEL(6), TUNNEL(7), ADDRESS(1), ADDRESS(2)}, 34, ERR_MALFORMED, 201, 0},
    {70, {144, 0, 1, 9}, 4, 4, 0, 0x100000},
    {70, {144, 0, 0}, 3, ERR_MALFORMED, 201, 0},
    {70, {158, 0, 1, 9}, 4, ERR_MALFORMED, 202, 0},
    {70, {144, 0, 1, 9, 178, 0, 0}, 7, ERR_MALFORMED, 201, 0},
    {53, {RAI}, 7, ERR_UNSUPPORTED, 0, 0},
    {16, {RAI}, 7, ERR_UNSUPPORTED, 0, 0},
};

TEST(elements_of_messages)
{
    for (size_t i = 0; i < COUNT(element_rows); i++) {
        struct gtp_mobility m;
        int answer = decode_elements(&m, element_rows[i].type, element_rows[i].bytes, element_rows[i].len);
        assert_int_equal(answer, element_rows[i].answer);
        assert_int_equal(m.fault, element_rows[i].fault);
        assert_int_equal(m.type, element_rows[i].type);
        assert_int_equal(m.seq, 7);
        if (answer >= 0)
            assert_int_equal(m.has, element_rows[i].has);
    }
}

/* 6 to 15 digits are an IMSI (TS 23.003 §2.2). */
TEST(lengths_of_imsis)
{
    for (size_t digits = 0; digits <= 16; digits++) {
        uint8_t bytes[] = {1, 194, 2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
        struct gtp_mobility m;
        for (size_t i = 0; i < digits; i++)
            bytes[3 + i / 2] &= (uint8_t)(i % 2 ? 0x1f : 0xf1);
        bool is_right = digits >= 6 && digits <= 15;
        assert_int_equal(decode_elements(&m, 51, bytes, sizeof bytes), is_right ? 11 : ERR_MALFORMED);
        assert_int_equal(m.fault, is_right ? 0 : GTPC_CAUSE_MANDATORY_INCORRECT);
    }
}

/* A response with all there may be. */
static struct gtp_mobility response_of(unsigned contexts)
{
    struct gtp_mobility m;
    decode_vector(&m, 109);
    m.has |= GTP_MOBILITY_PRIORITIES | GTP_MOBILITY_PFIS | GTP_MOBILITY_CHARGING | GTP_MOBILITY_PRIORITIZED |
             GTP_MOBILITY_PRIORITY_LCS;
    m.charging = 0x0800;
    m.priority_lcs = 4;
    m.contexts = m.priorities = m.pfis = (uint8_t)contexts;
    for (unsigned i = 0; i < contexts; i++) {
        m.context[i] = m.context[0];
        m.context[i].nsapi = (uint8_t)(5 + i);
        m.priority[i] = (struct gtp_mobility_value){(uint8_t)(5 + i), (uint8_t)(i % 5)};
        m.pfi[i] = (struct gtp_mobility_value){(uint8_t)(5 + i), (uint8_t)(8 + i)};
    }
    return m;
}

/* Of repeated elements the first counts, but of the lists. */
TEST(repeated_elements)
{
    static const uint8_t request[] = {RAI, 3, 0, 0xf1, 0x10, 0, 9, 9, P_TMSI, 5, 1, 1, 1, 1};
    static const uint8_t acknowledge[] = {1,          128,        1,          208,       TUNNEL(5),
                                          TUNNEL(15), ADDRESS(1), ADDRESS(2), ADDRESS(3)};
    static const uint8_t one[] = {1, 128, 18, 0xf5, 0, 0, 0, 5, ADDRESS(1), ADDRESS(2)}; /* spare bits, too */
    struct gtp_mobility m;
    assert_int_equal(decode_elements(&m, 48, request, sizeof request), sizeof request);
    assert_int_equal(m.rai[5], 2);
    assert_int_equal(m.p_tmsi, 0xc0010203);
    assert_int_equal(decode_elements(&m, 52, acknowledge, sizeof acknowledge), sizeof acknowledge);
    assert_int_equal(m.cause, 128);
    assert_int_equal(m.tunnels, 2);
    assert_int_equal(m.tunnel[1].nsapi << 8 | m.tunnel[1].teid, 0x0f0f);
    assert_int_equal(m.users, 2);
    assert_int_equal(m.user[1].bytes[3], 2);
    assert_int_equal(decode_elements(&m, 52, one, sizeof one), sizeof one);
    assert_int_equal(m.users << 4 | m.tunnel[0].nsapi, 0x15);
}

/* A second context of one NSAPI is none; eleven tunnels with an address each. */
TEST(eleven_of_each)
{
    struct gtp_mobility in = response_of(11), out;
    static uint8_t bytes[GTP_MOBILITY_MAX_OCTETS];
    int n = gtp_mobility_encode(bytes, sizeof bytes, &in), contexts = 0;
    for (int i = 0; i + 3 < n; i++)
        if (bytes[i] == 130 && bytes[i + 1] == 0 && (bytes[i + 3] & 15) >= 5 && contexts++ > 0)
            bytes[i + 3] = (uint8_t)((bytes[i + 3] & 0xf0) | 5);
    assert_int_equal(contexts, 11);
    assert_int_equal(gtp_mobility_decode(&out, bytes, (size_t)n), n);
    assert_int_equal(out.contexts, 1);
    decode_vector(&in, 114);
    in.tunnels = in.users = 11;
    for (unsigned i = 0; i < 11; i++) {
        in.tunnel[i] = (struct gtp_mobility_tunnel){.nsapi = (uint8_t)(5 + i), .teid = i};
        in.user[i] = in.user[0];
        in.user[i].bytes[3] = (uint8_t)i;
    }
    n = gtp_mobility_encode(bytes, sizeof bytes, &in);
    assert_int_equal(gtp_mobility_decode(&out, bytes, (size_t)n), n);
    assert_int_equal(out.users << 8 | out.user[10].bytes[3], 0x0b0a);
}

/* Six vectors are five; those of another kind than the first are none. */
TEST(vectors_of_an_identification)
{
    for (unsigned kind = 0; kind < 2; kind++) {
        uint8_t bytes[512] = {1, 128, IMSI};
        size_t len = 11;
        for (unsigned i = 0; i < 6; i++) {
            bool is_triplet = (i == 3) != (kind == 0);
            bytes[len] = is_triplet ? 9 : 136;
            if (!is_triplet) {
                bytes[len + 2] = 70;
                bytes[len + 3 + 16] = 4;
                bytes[len + 3 + 16 + 5 + 32] = 16;
            }
            len += is_triplet ? 29 : 73;
        }
        struct gtp_mobility m;
        assert_int_equal(decode_elements(&m, 49, bytes, len), len);
        assert_int_equal(m.vectors, 5);
        assert_int_equal(m.has, 3 | (kind == 0 ? GTP_MOBILITY_TRIPLETS : GTP_MOBILITY_QUINTUPLETS));
        assert_int_equal(m.vector[3].sres.octets, kind == 0 ? 4 : 0);
    }
}

TEST(a_response_with_eleven_contexts)
{
    struct gtp_mobility in = response_of(11), out;
    uint8_t bytes[GTP_MOBILITY_MAX_OCTETS], again[GTP_MOBILITY_MAX_OCTETS];
    int n = gtp_mobility_encode(bytes, sizeof bytes, &in);
    assert_true(n > 0);
    assert_int_equal(gtp_mobility_decode(&out, bytes, (size_t)n), n);
    assert_int_equal(out.has, in.has);
    assert_int_equal(out.contexts, 11);
    assert_int_equal(out.context[10].nsapi, 15);
    assert_memory_equal(out.priority, in.priority, sizeof in.priority);
    assert_memory_equal(out.pfi, in.pfi, sizeof in.pfi);
    assert_int_equal(out.charging << 8 | out.priority_lcs, 0x080004);
    assert_int_equal(gtp_mobility_encode(again, sizeof again, &out), n);
    assert_memory_equal(again, bytes, n);
    for (size_t cap = 0; cap < (size_t)n; cap++)
        assert_int_equal(gtp_mobility_encode(again, cap, &in), ERR_NO_SPACE);
    static const uint8_t last[] = {133, 0, 4, 192, 0, 2, 10, 145, 0, 0, 150, 0, 1, 0xfc};
    assert_memory_equal(bytes + n - sizeof last, last, sizeof last);
}

/* The longest values of all. */
TEST(the_longest_response)
{
    static const uint8_t long_value[254];
    struct gtp_mobility in = response_of(11);
    uint8_t bytes[GTP_MOBILITY_MAX_OCTETS];
    const struct gtp_context_qos qos = {{long_value, sizeof long_value}, 1};
    for (unsigned i = 0; i < 11; i++) {
        struct gtp_context_pdp *pdp = &in.context[i];
        pdp->subscribed = pdp->requested = pdp->negotiated = qos;
        pdp->pdp_type = GTPC_PDP_IPV4V6;
        pdp->ipv6.octets = pdp->control.octets = pdp->user.octets = 16;
        memset(pdp->apn, 'a', sizeof pdp->apn);
        pdp->apn[50] = '.';
        pdp->apn[100] = '\0';
    }
    in.mm.mode = GTP_CONTEXT_UMTS;
    in.mm.ck = in.mm.ik = (struct ie_span){long_value, 16};
    in.mm.vectors = 5;
    in.mm.capability = in.mm.access = (struct ie_span){long_value, sizeof long_value};
    for (unsigned i = 0; i < 5; i++)
        in.mm.vector[i].rand = in.mm.vector[i].xres = in.mm.vector[i].ck = in.mm.vector[i].ik =
            in.mm.vector[i].autn = in.mm.ck;
    strcpy(in.mm.imeisv, "3512345678901231");
    int n = gtp_mobility_encode(bytes, sizeof bytes, &in);
    assert_in_range(n, 10000, sizeof bytes);
    assert_int_equal(mobility_decode(bytes, (size_t)n), n);
}

TEST(messages_that_are_not_written)
{
    uint8_t bytes[GTP_MOBILITY_MAX_OCTETS];
    struct gtp_mobility in;
#define REFUSED(number, change)                                                                              \
    do {                                                                                                     \
        decode_vector(&in, number);                                                                          \
        assert_true(gtp_mobility_encode(bytes, sizeof bytes, &in) > 0);                                      \
        change;                                                                                              \
        assert_int_equal(gtp_mobility_encode(bytes, sizeof bytes, &in), ERR_RANGE);                          \
    } while (0)
    REFUSED(107, in.type = 53);
    REFUSED(107, in.type = GTPC_IDENTIFICATION_REQUEST);
    REFUSED(107, in.has &= ~(uint32_t)GTP_MOBILITY_TLLI);
    REFUSED(107, in.has &= ~(uint32_t)GTP_MOBILITY_RAI);
    REFUSED(107, in.has &= ~(uint32_t)GTP_MOBILITY_CONTROL);
    REFUSED(107, in.has |= GTP_MOBILITY_CAUSE);
    REFUSED(107, in.has |= GTP_MOBILITY_CONTROL_OTHER);
    REFUSED(107, in.has |= GTP_MOBILITY_NUMBER);
    REFUSED(107, memset(in.rai, 0xee, sizeof in.rai));
    REFUSED(108, in.has &= ~(uint32_t)GTP_MOBILITY_IMSI);
    REFUSED(108, in.imsi[0] = 'a');
    REFUSED(108, in.imsi[0] = '\0');
    REFUSED(108, in.imsi[5] = '\0');
    REFUSED(109, in.has &= ~(uint32_t)GTP_MOBILITY_MM);
    REFUSED(109, in.has &= ~(uint32_t)GTP_MOBILITY_CONTROL);
    REFUSED(109, in.priority_sms = 8);
    REFUSED(109, in.contexts = 0);
    REFUSED(109, in.contexts = 12);
    REFUSED(109, in.context[in.contexts++] = in.context[0]);
    REFUSED(109, in.context[0].nsapi = 3);
    REFUSED(109, in.mm.kc.octets = 9);
    REFUSED(109, in.has |= GTP_MOBILITY_PFIS);
    REFUSED(109, (in.has |= GTP_MOBILITY_PFIS, in.pfis = 1));
    REFUSED(109, (in.has |= GTP_MOBILITY_PRIORITIES, in.priorities = 1, in.priority[0].nsapi = 4));
    REFUSED(112, in.cause = 128);
    REFUSED(114, in.has &= ~(uint32_t)GTP_MOBILITY_USERS);
    REFUSED(114, in.users = 2);
    REFUSED(114, (in.users = 2, in.user[1] = in.user[0]));
    REFUSED(114, in.tunnel[0].nsapi = 16);
    REFUSED(114, in.user[0].octets = 3);
    REFUSED(116, in.has |= GTP_MOBILITY_QUINTUPLETS);
    REFUSED(116, (in.has |= GTP_MOBILITY_QUINTUPLETS,
                  in.vector[0].ck = in.vector[0].ik = in.vector[0].autn = in.vector[0].rand,
                  in.vector[0].xres = in.vector[0].sres));
    REFUSED(116, in.vectors = 6);
    REFUSED(116, in.vector[0].sres.octets = 5);
    REFUSED(119, in.container.octets = 0);
    REFUSED(119, in.rim_address.octets = 0);
    REFUSED(119, in.rim_discriminator = 16);
#undef REFUSED
}

/* The header's Length cut too: then an element is cut or missing, or only optional ones are. */
TEST(every_shorter_length_is_safe)
{
    for (unsigned number = FIRST; number <= LAST; number++) {
        struct vector v = *vectors_get(number);
        for (size_t len = 12; len < v.octets && number != OF_GGSN; len++) {
            bytes_put_u16(v.bytes + 2, (uint16_t)(len - 8));
            int answer = probe_exact(mobility_decode, v.bytes, len);
            assert_true(answer == ERR_TRUNCATED || answer == ERR_MALFORMED || answer == (int)len);
        }
    }
}

TEST(mobility_in_noise)
{
    probe_noise(mobility_decode, 31);
    for (unsigned number = FIRST; number <= LAST; number++)
        probe_mutations(mobility_decode, vectors_get(number)->bytes, vectors_get(number)->octets, number);
}

/* Requests go from a port of their own, as does what acknowledges the response to one; responses come there.
 */
TEST(ports)
{
    static const struct siphash_key key = {1, 2};
    for (unsigned number = FIRST; number <= LAST; number++) {
        const struct vector *v = vectors_get(number);
        uint16_t seq = bytes_get_u16(v->bytes + 8), port = gtpc_port_of(&key, 5, seq);
        bool is_request = v->bytes[1] % 2 == 0;
        assert_int_equal(gtpc_request_seq(v->bytes, v->octets), is_request ? seq : -1);
        assert_int_equal(gtpc_port_is_right(&key, 5, port, v->bytes, v->octets), !is_request);
    }
}

TEST(texts)
{
    static const uint8_t apn[] = {1, 'a', 2, 'b', 'c'}, digits[] = {0x21, 0xf3}, odd[] = {0x21, 0x3a};
    char text[8];
    assert_int_equal(gtp_ie_apn_decode(text, sizeof text, apn, sizeof apn), 4);
    assert_string_equal(text, "a.bc");
    assert_int_equal(gtp_ie_apn_decode(text, 4, apn, sizeof apn), ERR_MALFORMED);
    assert_int_equal(gtp_ie_apn_decode(text, sizeof text, apn, 4), ERR_MALFORMED);
    assert_int_equal(gtp_ie_apn_decode(text, sizeof text, NULL, 0), 0);
    static const uint8_t wrong[][3] = {{2, 'a', '.'}, {2, 'a', ' '},  {2, 0, 'a'},
                                       {1, 'a', 0},   {64, 'a', 'b'}, {2, 'a', 0x7f}};
    for (size_t i = 0; i < COUNT(wrong); i++)
        assert_int_equal(gtp_ie_apn_decode(text, sizeof text, wrong[i], 3), ERR_MALFORMED);
    assert_int_equal(gtp_ie_digits_decode(text, sizeof text, digits, sizeof digits), 3);
    assert_string_equal(text, "123");
    assert_int_equal(gtp_ie_digits_decode(text, 3, digits, sizeof digits), ERR_MALFORMED);
    assert_int_equal(gtp_ie_digits_decode(text, sizeof text, odd, sizeof odd), ERR_MALFORMED);
}

UNIT_MAIN(NULL, NULL)
