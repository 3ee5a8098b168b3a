/* SPDX-License-Identifier: BSD-3-Clause */
/* MM Context and PDP Context: values beyond those of the sample messages, what is lenient, and each refusal.
 */
#include "tests/unit/dataplane/wire/probe.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/gtp_context.h"

#include <stdbool.h>
#include <string.h>

enum { ROOM = 1024 };

static const uint8_t octets[256] = {[0 ... 255] = 0x5a};
static const uint8_t qos_value[] = {0x1b, 0x92, 0x1f, 0x72, 0x96, 0x40, 0x40, 0x74, 0x02, 0, 0};

#define SPAN(count)                                                                                          \
    {                                                                                                        \
        octets, count                                                                                        \
    }

PROBED(mm_decode, struct gtp_context_mm, gtp_context_mm_decode)
PROBED(pdp_decode, struct gtp_context_pdp, gtp_context_pdp_decode)

static struct gtp_context_vector vector_of(uint8_t xres_octets)
{
    return (struct gtp_context_vector){.rand = SPAN(16),
                                       .sres = SPAN(4),
                                       .kc = SPAN(8),
                                       .xres = {octets, xres_octets},
                                       .ck = SPAN(16),
                                       .ik = SPAN(16),
                                       .autn = SPAN(16)};
}

static struct gtp_context_mm mm_of(uint8_t mode, uint8_t vectors)
{
    struct gtp_context_mm mm = {.mode = mode,
                                .cksn = 3,
                                .cipher = 3,
                                .vectors = vectors,
                                .kc = SPAN(8),
                                .ck = SPAN(16),
                                .ik = SPAN(16),
                                .drx = SPAN(2),
                                .capability = SPAN(3)};
    for (unsigned i = 0; i < GTP_CONTEXT_VECTORS; i++)
        mm.vector[i] = vector_of((uint8_t)(4 + 3 * i));
    return mm;
}

static int encode_mm(uint8_t *bytes, size_t cap, const struct gtp_context_mm *in)
{
    struct cursor_out out = {.bytes = bytes, .cap = cap};
    int err = gtp_context_mm_encode(&out, in);
    return err < 0 ? err : out.is_over ? ERR_NO_SPACE : (int)out.octets;
}

static int encode_pdp(uint8_t *bytes, size_t cap, const struct gtp_context_pdp *in)
{
    struct cursor_out out = {.bytes = bytes, .cap = cap};
    int err = gtp_context_pdp_encode(&out, in);
    return err < 0 ? err : out.is_over ? ERR_NO_SPACE : (int)out.octets;
}

static void check_vectors(const struct gtp_context_mm *in, const struct gtp_context_mm *out)
{
    bool has_quintuplets = in->mode != GTP_CONTEXT_GSM;
    assert_int_equal(out->vectors, in->vectors);
    for (unsigned i = 0; i < in->vectors; i++) {
        assert_int_equal(out->vector[i].rand.octets, 16);
        assert_int_equal(out->vector[i].sres.octets, has_quintuplets ? 0 : 4);
        assert_int_equal(out->vector[i].xres.octets, has_quintuplets ? in->vector[i].xres.octets : 0);
        assert_int_equal(out->vector[i].autn.octets, has_quintuplets ? 16 : 0);
    }
}

/* Every mode with every number of vectors, both ways, at every room. */
TEST(modes_and_vectors)
{
    for (uint8_t mode = 0; mode < 4; mode++)
        for (uint8_t vectors = 0; vectors <= GTP_CONTEXT_VECTORS; vectors++) {
            struct gtp_context_mm in = mm_of(mode, vectors), out;
            uint8_t bytes[ROOM], again[ROOM];
            int n = encode_mm(bytes, sizeof bytes, &in);
            assert_true(n > 0);
            assert_int_equal(gtp_context_mm_decode(&out, bytes, (size_t)n), n);
            assert_int_equal(out.mode, mode);
            assert_int_equal(out.cksn, 3);
            assert_int_equal(out.cipher, mode == GTP_CONTEXT_UMTS ? 0 : 3);
            assert_int_equal(out.kc.octets, mode & 1 ? 8 : 0);
            assert_int_equal(out.ck.octets, mode & 1 ? 0 : 16);
            check_vectors(&in, &out);
            assert_int_equal(encode_mm(again, sizeof again, &out), n);
            assert_memory_equal(again, bytes, n);
            for (size_t cap = 0; cap < (size_t)n; cap++) {
                bool lacks_end = cap == (size_t)n - 1 || cap == (size_t)n - 3; /* of lengths that are 0 */
                assert_int_equal(encode_mm(again, cap, &in), ERR_NO_SPACE);
                assert_int_equal(probe_exact(mm_decode, bytes, cap), lacks_end ? (int)cap : ERR_MALFORMED);
            }
        }
}

/* The parts at the end: an identity, access restriction data, both, neither; their absence is read, too. */
TEST(end_of_mm_context)
{
    static const struct {
        const char *imeisv;
        size_t access, whole, short_of_access;
    } rows[] = {
        {"", 0, 3, 2}, {"3512345678901231", 0, 14, 13}, {"351234567890123", 1, 14, 12}, {"", 2, 5, 2}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtp_context_mm in = mm_of(GTP_CONTEXT_GSM, 1), out;
        uint8_t bytes[ROOM];
        strcpy(in.imeisv, rows[i].imeisv);
        in.access = (struct ie_span)SPAN(rows[i].access);
        int n = encode_mm(bytes, sizeof bytes, &in);
        size_t head = (size_t)n - rows[i].whole;
        assert_int_equal(head, 2 + 8 + 28 + 2 + 4);
        assert_int_equal(gtp_context_mm_decode(&out, bytes, (size_t)n), n);
        assert_string_equal(out.imeisv, in.imeisv);
        assert_int_equal(out.access.octets, rows[i].access);
        assert_int_equal(gtp_context_mm_decode(&out, bytes, head), head);
        assert_string_equal(out.imeisv, "");
        size_t shorter = head + rows[i].short_of_access;
        assert_int_equal(gtp_context_mm_decode(&out, bytes, shorter), shorter);
        assert_string_equal(out.imeisv, in.imeisv);
        assert_int_equal(out.access.octets, 0);
    }
}

/* A container behind `head`, whose identity is found or is not there. */
TEST(containers)
{
    static const struct {
        uint8_t octets, bytes[24];
        const char *imeisv;
        bool is_malformed;
    } rows[] = {
        {2, {0, 0}, "", false},
        {5, {0, 3, 0x17, 1, 9}, "", false},          /* another element */
        {5, {0, 3, 0x23, 9, 1}, "", false},          /* an identity that is cut short */
        {7, {0, 5, 0x23, 3, 0x02, 0, 0}, "", false}, /* one of too few digits */
        {3, {0, 3, 0x23}, "", true},                 /* the container is cut short */
        {1, {0}, "", true},
        {17,
         {0, 14, 0x17, 1, 9, 0x23, 9, 0x33, 0x15, 0x32, 0x54, 0x76, 0x98, 0x10, 0x32, 0xf1, 0},
         "3512345678901231",
         false},
        {5, {0, 0, 1, 9, 9}, "", false}, /* octets behind the end */
        {4, {0, 0, 2, 9}, "", true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtp_context_mm in = mm_of(GTP_CONTEXT_GSM, 0), out;
        uint8_t bytes[ROOM];
        size_t head = (size_t)encode_mm(bytes, sizeof bytes, &in) - 3, len = head + rows[i].octets;
        memcpy(bytes + head, rows[i].bytes, rows[i].octets);
        assert_int_equal(gtp_context_mm_decode(&out, bytes, len),
                         rows[i].is_malformed ? ERR_MALFORMED : (int)len);
        if (!rows[i].is_malformed)
            assert_string_equal(out.imeisv, rows[i].imeisv);
    }
}

/* Octets of a whole MM context that are changed to what contradicts its lengths. */
TEST(wrong_mm_contexts)
{
    static const struct {
        uint8_t mode, vectors, at, value;
    } rows[] = {
        {1, 1, 1, 0x73},  {1, 5, 1, 0x7b}, {1, 0, 1, 0x53}, /* more vectors than there are, or may be */
        {0, 1, 34, 1},    {0, 1, 35, 71},  {0, 1, 35, 69},  /* length of all quintuplets */
        {0, 0, 35, 1},    {3, 0, 11, 1},   {0, 1, 1, 0x03}, /* ... without any */
        {0, 1, 52, 3},    {0, 1, 52, 17},  {0, 1, 52, 5},   /* length of XRES */
        {0, 1, 89, 15},   {0, 1, 89, 17},  {2, 1, 89, 0},   /* length of AUTN */
        {1, 0, 12, 0xff}, {1, 0, 12, 7},                    /* length of the capability */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtp_context_mm in = mm_of(rows[i].mode, rows[i].vectors), out;
        uint8_t bytes[ROOM];
        int n = encode_mm(bytes, sizeof bytes, &in);
        assert_true(n > rows[i].at && bytes[rows[i].at] != rows[i].value);
        assert_int_equal(gtp_context_mm_decode(&out, bytes, (size_t)n), n);
        bytes[rows[i].at] = rows[i].value;
        assert_int_equal(gtp_context_mm_decode(&out, bytes, (size_t)n), ERR_MALFORMED);
    }
}

TEST(mm_contexts_that_are_not_written)
{
    uint8_t bytes[ROOM];
    struct gtp_context_mm in;
#define REFUSED(change_mode, change)                                                                         \
    do {                                                                                                     \
        in = mm_of(change_mode, 2);                                                                          \
        assert_true(encode_mm(bytes, sizeof bytes, &in) > 0);                                                \
        change;                                                                                              \
        assert_int_equal(encode_mm(bytes, sizeof bytes, &in), ERR_RANGE);                                    \
    } while (0)
    REFUSED(1, in.mode = 4);
    REFUSED(1, in.cksn = 8);
    REFUSED(1, in.cipher = 8);
    REFUSED(1, in.vectors = 6);
    REFUSED(1, in.kc.octets = 7);
    REFUSED(0, in.ck.octets = 15);
    REFUSED(2, in.ik.octets = 0);
    REFUSED(3, in.kc.octets = 16);
    REFUSED(1, in.drx.octets = 1);
    REFUSED(1, in.capability.octets = 0);
    REFUSED(1, in.capability.octets = 256);
    REFUSED(1, in.access.octets = 256);
    REFUSED(1, strcpy(in.imeisv, "12345678901234"));
    REFUSED(1, strcpy(in.imeisv, "12345678901234a"));
    REFUSED(1, in.vector[1].rand.octets = 15);
    REFUSED(1, in.vector[0].sres.octets = 8);
    REFUSED(1, in.vector[0].kc.octets = 4);
    REFUSED(3, in.vector[1].xres.octets = 3);
    REFUSED(3, in.vector[1].xres.octets = 17);
    REFUSED(0, in.vector[1].ck.octets = 17);
    REFUSED(0, in.vector[1].ik.octets = 17);
    REFUSED(2, in.vector[1].autn.octets = 15);
#undef REFUSED
}

/* --- PDP Context --- */

static const struct gtp_context_qos qos = {{qos_value, sizeof qos_value}, 2};

static struct gtp_context_pdp pdp_of(uint8_t type)
{
    bool is_4 = type == GTPC_PDP_IPV4 || type == GTPC_PDP_IPV4V6;
    bool is_6 = type == GTPC_PDP_IPV6 || type == GTPC_PDP_IPV4V6;
    return (struct gtp_context_pdp){.is_active = true,
                                    .nsapi = 5,
                                    .sapi = 3,
                                    .subscribed = qos,
                                    .requested = qos,
                                    .negotiated = qos,
                                    .sequence_down = 0xfffe,
                                    .sequence_up = 0xffff,
                                    .send_n_pdu = 255,
                                    .receive_n_pdu = 254,
                                    .teid_control = 0x80000001,
                                    .teid_data = 0xffffffff,
                                    .context_id = 50,
                                    .pdp_type = type,
                                    .ipv4 = {is_4 ? 4 : 0, {10, 11, 0, 2}},
                                    .ipv6 = {is_6 ? 16 : 0, {0x20, 1, [15] = 9}},
                                    .control = {4, {192, 0, 2, 1}},
                                    .user = {16, {0xfd, [15] = 1}},
                                    .apn = "internet.mnc001.mcc001.gprs",
                                    .ti = 15,
                                    .ti_extension = 0x9f};
}

static void check_pdp(const struct gtp_context_pdp *in, const struct gtp_context_pdp *out)
{
    assert_int_equal(out->is_active, in->is_active);
    assert_int_equal(out->reordering, in->reordering);
    assert_int_equal(out->vplmn_allowed, in->vplmn_allowed);
    assert_int_equal(out->nsapi << 8 | out->sapi, in->nsapi << 8 | in->sapi);
    assert_int_equal(out->sequence_down, in->sequence_down);
    assert_int_equal(out->sequence_up, in->sequence_up);
    assert_int_equal(out->send_n_pdu << 8 | out->receive_n_pdu, in->send_n_pdu << 8 | in->receive_n_pdu);
    assert_int_equal(out->teid_control, in->teid_control);
    assert_int_equal(out->teid_data, in->teid_data);
    assert_int_equal(out->context_id, in->context_id);
    assert_int_equal(out->pdp_type, in->pdp_type);
    assert_int_equal(out->ipv4.octets << 8 | out->ipv6.octets, in->ipv4.octets << 8 | in->ipv6.octets);
    assert_memory_equal(out->ipv4.bytes, in->ipv4.bytes, in->ipv4.octets);
    assert_memory_equal(out->ipv6.bytes, in->ipv6.bytes, in->ipv6.octets);
    assert_memory_equal(&out->control, &in->control, sizeof in->control);
    assert_memory_equal(&out->user, &in->user, sizeof in->user);
    assert_string_equal(out->apn, in->apn);
    assert_int_equal(out->ti << 8 | out->ti_extension, in->ti << 8 | in->ti_extension);
    assert_int_equal(out->requested.arp, in->requested.arp);
    assert_int_equal(out->requested.value.octets, in->requested.value.octets);
}

TEST(pdp_types)
{
    static const struct {
        uint8_t type;
        bool is_dynamic;
        const char *apn;
        uint8_t flags;
    } rows[] = {
        {GTPC_PDP_IPV4, false, "internet", 0}, {GTPC_PDP_IPV4, true, "", 1},
        {GTPC_PDP_IPV6, false, "a.b", 2},      {GTPC_PDP_IPV6, true, "internet", 4},
        {GTPC_PDP_IPV4V6, false, "x", 7},      {GTPC_PDP_IPV4V6, true, "x", 6},
        {GTPC_PDP_NON_IP, false, "iot", 3},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gtp_context_pdp in = pdp_of(rows[i].type), out;
        uint8_t bytes[ROOM];
        strcpy(in.apn, rows[i].apn);
        in.is_active = rows[i].flags & 1;
        in.reordering = rows[i].flags & 2;
        in.vplmn_allowed = rows[i].flags & 4;
        if (rows[i].is_dynamic)
            in.ipv4.octets = in.ipv6.octets = 0;
        int n = encode_pdp(bytes, sizeof bytes, &in);
        assert_true(n > 0);
        assert_int_equal(gtp_context_pdp_decode(&out, bytes, (size_t)n), n);
        check_pdp(&in, &out);
        for (size_t len = 0; len < (size_t)n; len++) {
            assert_int_equal(probe_exact(pdp_decode, bytes, len), ERR_MALFORMED);
            assert_int_equal(encode_pdp((uint8_t[ROOM]){0}, len, &in), ERR_NO_SPACE);
        }
        bytes[n] = 0x77; /* octets behind the end */
        assert_int_equal(gtp_context_pdp_decode(&out, bytes, (size_t)n + 1), n + 1);
        check_pdp(&in, &out);
    }
}

/* What other SGSNs write: three QoS of other lengths, addresses of both versions in other forms. */
TEST(lenient_pdp_contexts)
{
    static const struct {
        uint8_t head, octets, tail[48];
        uint8_t type, ipv4, ipv6;
        bool is_malformed;
    } rows[] = {
        /* organisation, type, address; GGSN addresses; APN; TI; extended type and address */
        {5, 8, {0xf1, 0x21, 0, 0, 0, 0, 8, 0}, 0x21, 0, 0, false},
        {5, 12, {0xf1, 0x8d, 4, 1, 2, 3, 4, 0, 0, 0, 8, 0}, 0x8d, 4, 0, false},
        {5, 28, {0xf1, 0x8d, 20, 1, 2, 3, 4, [27] = 0}, 0x8d, 4, 16, false},
        {0x85, 30, {0xf1, 0x57, 16, [24] = 0x21, 4, 1, 2, 3, 4}, 0x8d, 4, 16, false},
        {0x85, 26, {0xf1, 0x21, 0, 0, 0, 0, 8, 0, 0x57, 16}, 0x8d, 0, 16, false},
        {0x85, 10, {0xf1, 0x21, 0, 0, 0, 0, 8, 0, 0x21, 0}, 0x21, 0, 0, false},
        {0x85, 11, {0xf1, 0x21, 0, 0, 0, 0, 8, 0, 0x99, 1, 1}, 0x21, 0, 0, false},
        {5, 9, {0xf0, 0x01, 1, 9, 0, 0, 0, 8, 0}, 0, 0, 0, false}, /* PPP */
        {5, 9, {0xf1, 0x99, 1, 9, 0, 0, 0, 8, 0}, 0, 0, 0, false},
        {0x85, 10, {0xf0, 0x02, 0, 0, 0, 0, 8, 0, 0x21, 0}, 2, 0, 0, false},
        {5, 11, {0xf1, 0x21, 3, 1, 2, 3, 0, 0, 0, 8, 0}, 0, 0, 0, true},
        {5, 12, {0xf1, 0x57, 4, 1, 2, 3, 4, 0, 0, 0, 8, 0}, 0, 0, 0, true},
        {5, 28, {0xf1, 0x21, 20}, 0, 0, 0, true},
        {5, 9, {0xf1, 0x21, 0, 1, 9, 0, 0, 8, 0}, 0, 0, 0, true}, /* a GGSN's address of one octet */
        {5, 9, {0xf1, 0x21, 0, 0, 1, 9, 0, 8, 0}, 0, 0, 0, true},
        {5, 9, {0xf1, 0x21, 0, 0, 0, 1, 0, 8, 0}, 0, 0, 0, true}, /* an APN of an empty label */
        {4, 8, {0xf1, 0x21, 0, 0, 0, 0, 8, 0}, 0, 0, 0, true},    /* reserved NSAPI */
        {0x85, 8, {0xf1, 0x21, 0, 0, 0, 0, 8, 0}, 0, 0, 0, true}, /* no extended address */
        {0x85, 12, {0xf1, 0x21, 0, 0, 0, 0, 8, 0, 0x57, 2, 1, 1}, 0, 0, 0, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[ROOM] = {rows[i].head, 0xf3, 0, 1, 7, 4, 2, 1, 2, 3, [25] = 0};
        struct gtp_context_pdp out;
        size_t len = 25u + rows[i].octets;
        memcpy(bytes + 25, rows[i].tail, rows[i].octets);
        assert_int_equal(probe_exact(pdp_decode, bytes, len),
                         rows[i].is_malformed ? ERR_MALFORMED : (int)len);
        if (rows[i].is_malformed)
            continue;
        assert_int_equal(gtp_context_pdp_decode(&out, bytes, len), len);
        assert_int_equal(out.sapi, 3);
        assert_int_equal(out.subscribed.value.octets, 0);
        assert_int_equal(out.requested.arp, 7);
        assert_int_equal(out.negotiated.value.octets, 3);
        assert_int_equal(out.pdp_type, rows[i].type);
        assert_int_equal(out.ipv4.octets, rows[i].ipv4);
        assert_int_equal(out.ipv6.octets, rows[i].ipv6);
    }
}

TEST(pdp_contexts_that_are_not_written)
{
    uint8_t bytes[ROOM];
    struct gtp_context_pdp in;
#define REFUSED(change)                                                                                      \
    do {                                                                                                     \
        in = pdp_of(GTPC_PDP_IPV4);                                                                          \
        assert_true(encode_pdp(bytes, sizeof bytes, &in) > 0);                                               \
        change;                                                                                              \
        assert_int_equal(encode_pdp(bytes, sizeof bytes, &in), ERR_RANGE);                                   \
    } while (0)
    REFUSED(in.nsapi = 4);
    REFUSED(in.nsapi = 16);
    REFUSED(in.sapi = 1);
    REFUSED(in.sapi = 0);
    REFUSED(in.subscribed.value.octets = 0);
    REFUSED(in.requested.value.octets = 10);
    REFUSED(in.negotiated.value = (struct ie_span)SPAN(255));
    REFUSED(in.pdp_type = 0);
    REFUSED(in.pdp_type = GTPC_PDP_IPV6);
    REFUSED(in.pdp_type = GTPC_PDP_NON_IP);
    REFUSED(in.ipv6.octets = 16);
    REFUSED(in.ipv4.octets = 16);
    REFUSED(in.control.octets = 0);
    REFUSED(in.user.octets = 5);
    REFUSED(in.ti = 16);
    REFUSED(strcpy(in.apn, "a..b"));
    REFUSED(strcpy(in.apn, "a."));
#undef REFUSED
}

TEST(contexts_in_noise)
{
    struct gtp_context_mm mm = mm_of(0, 3);
    struct gtp_context_pdp pdp = pdp_of(GTPC_PDP_IPV4V6);
    uint8_t bytes[ROOM];
    probe_noise(mm_decode, 21);
    probe_noise(pdp_decode, 22);
    probe_mutations(mm_decode, bytes, (size_t)encode_mm(bytes, sizeof bytes, &mm), 23);
    probe_mutations(pdp_decode, bytes, (size_t)encode_pdp(bytes, sizeof bytes, &pdp), 24);
}

UNIT_MAIN(NULL, NULL)
