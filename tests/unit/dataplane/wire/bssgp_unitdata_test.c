/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/dataplane/wire/pdu_helpers.h"
#include "tests/data/vectors/vectors.h"
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/bssgp_unitdata.h"

#include <string.h>

static const uint8_t imsi[] = {0x29, 0x26, 0x24, 0x00, 0x00, 0x00, 0x00, 0x10};
static const uint8_t cell[] = {0x62, 0xf2, 0x24, 0x12, 0x34, 0x05, 0x00, 0x01};

/* Rows 66 and 68 are what a plain packet looks like, in both length forms. */
TEST(headers_of_the_vectors)
{
    static const struct {
        unsigned vector;
        uint16_t llc_octets;
    } rows[] = {{66, 38}, {68, 198}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct vector *v = vectors_get(rows[i].vector);
        struct bssgp_dl in = {.tlli = 0xc1234567, .qos_profile = {0, 0, 0x20}, .lifetime_cs = 600};
        uint8_t bytes[BSSGP_DL_HEADER_MAX_OCTETS];
        in.llc_octets = rows[i].llc_octets;
        int n = bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &in);
        assert_int_equal(n + rows[i].llc_octets, v->octets);
        assert_memory_equal(bytes, v->bytes, n);
    }
}

/* The general decoder reads what the fast encoder writes, for every choice of optional elements and both
 * lengths. */
TEST(all_shapes_of_a_header)
{
    static const uint16_t lengths[] = {0, 1, 127, 128, 1543, 32767};
    static uint8_t bytes[33000];
    for (unsigned shape = 0; shape < 8 * 6; shape++) {
        struct bssgp_dl in = {
            .tlli = 0xfedcba98, .qos_profile = {1, 2, 3}, .lifetime_cs = 0xffff, .tlli_old = 7, .pfi = 9};
        struct bssgp out;
        in.imsi = imsi;
        in.imsi_octets = shape & 1 ? sizeof imsi : 0;
        in.has_tlli_old = shape & 2;
        in.has_pfi = shape & 4;
        in.llc_octets = lengths[shape / 8];
        int n = bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &in);
        assert_in_range(n, 14, BSSGP_DL_HEADER_MAX_OCTETS);
        assert_int_equal(n, bssgp_dl_unitdata_header_octets(&in));
        assert_int_equal(bssgp_dl_unitdata_encode_header(bytes, (size_t)n - 1, &in), ERR_NO_SPACE);
        assert_int_equal(bssgp_decode(&out, bytes, (size_t)n + in.llc_octets), n + in.llc_octets);
        assert_int_equal(out.tlli, in.tlli);
        assert_memory_equal(out.qos_profile.at, in.qos_profile, 3);
        assert_int_equal(out.lifetime_cs, 0xffff);
        assert_int_equal(out.imsi.octets, in.imsi_octets);
        assert_int_equal(pdu_field(&bssgp_grammar, &out.head, "tlli_old"),
                         in.has_tlli_old ? 7 : FIELD_ABSENT);
        assert_int_equal(pdu_field(&bssgp_grammar, &out.head, "pfi"), in.has_pfi ? 9 : FIELD_ABSENT);
        assert_int_equal(out.llc_pdu.octets, in.llc_octets);
        assert_ptr_equal(out.llc_pdu.at, bytes + n);
    }
}

/* The writer of the commonest header writes the same octets as that of all headers. */
TEST(common_header_is_the_same)
{
    static const uint16_t lengths[] = {1, 127, 128, 1543, 32767};
    for (unsigned i = 0; i < 2 * COUNT(lengths); i++) {
        struct bssgp_dl any = {.tlli = 0xfedcba98,
                               .qos_profile = {0, 0, 0x39},
                               .lifetime_cs = 0xfffe,
                               .llc_octets = lengths[i / 2],
                               .imsi_octets = i % 2 ? BSSGP_DL_COMMON_IMSI_OCTETS : 0,
                               .imsi = imsi};
        struct bssgp_dl_common common = {.tlli = any.tlli,
                                         .qos = 0x39,
                                         .has_imsi = i % 2,
                                         .lifetime_cs = any.lifetime_cs,
                                         .llc_octets = any.llc_octets,
                                         .imsi = imsi};
        uint8_t bytes[BSSGP_DL_HEADER_MAX_OCTETS], again[BSSGP_DL_HEADER_MAX_OCTETS];
        memset(bytes, 0xee, sizeof(bytes));
        memset(again, 0xee, sizeof(again));
        int n = bssgp_dl_unitdata_encode_header(bytes, sizeof(bytes), &any);
        assert_int_equal(bssgp_dl_common_octets(&common), n);
        bssgp_dl_common_put(again, &common);
        assert_memory_equal(again, bytes, sizeof(bytes));
    }
}

TEST(what_has_no_place)
{
    uint8_t bytes[64];
    struct bssgp_dl long_llc = {.llc_octets = 32768}, long_imsi = {.imsi = imsi, .imsi_octets = 9};
    struct bssgp_ul long_ul = {.llc_octets = 32768, .cell_id = cell};
    assert_int_equal(bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &long_llc), ERR_RANGE);
    assert_int_equal(bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &long_imsi), ERR_RANGE);
    assert_int_equal(bssgp_ul_unitdata_encode_header(bytes, sizeof bytes, &long_ul), ERR_RANGE);
    struct bssgp_dl wide_dl = {.has_pfi = true, .pfi = 128};
    assert_int_equal(bssgp_dl_unitdata_encode_header(bytes, sizeof bytes, &wide_dl), ERR_RANGE);
}

TEST(uplink_vector)
{
    const struct vector *v = vectors_get(69);
    struct bssgp_ul ul;
    assert_int_equal(bssgp_ul_unitdata_decode(&ul, v->bytes, v->octets), v->octets);
    assert_int_equal(ul.tlli, 0xc1234567);
    assert_memory_equal(ul.cell_id, cell, sizeof cell);
    assert_int_equal(ul.llc_octets, 38);
    assert_ptr_equal(ul.llc_pdu, v->bytes + v->octets - 38);
    for (size_t cut = 0; cut < v->octets; cut++)
        assert_true(bssgp_ul_unitdata_decode(&ul, v->bytes, cut) < 0);
}

/* As OsmoPCU writes it: an empty alignment element, and two octets of length whatever the length. */
TEST(uplink_of_a_real_pcu)
{
    static const uint8_t bytes[] = {0x01, 0xc1, 0x23, 0x45, 0x67, 0x00, 0x00, 0x04, 0x08,
                                    0x88, 0x62, 0xf2, 0x24, 0x12, 0x34, 0x05, 0x00, 0x01,
                                    0x00, 0x80, 0x0e, 0x00, 0x02, 0xaa, 0xbb};
    struct bssgp_ul ul;
    assert_int_equal(bssgp_ul_unitdata_decode(&ul, bytes, sizeof bytes), sizeof bytes);
    assert_int_equal(ul.llc_octets, 2);
    assert_int_equal(ul.llc_pdu[0], 0xaa);
}

TEST(uplink_without_what_it_needs)
{
    static const struct {
        const char *tlvs;
        size_t octets;
    } rows[] = {
        {"\x08\x87\x62\xf2\x24\x12\x34\x05\x00\x0e\x81\xaa", 12}, /* a cell of seven octets */
        {"\x0e\x81\xaa", 3},                                      /* no cell */
        {"\x08\x88\x62\xf2\x24\x12\x34\x05\x00\x01", 10},         /* no LLC-PDU */
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint8_t bytes[32] = {0x01, 0xc1, 0x23, 0x45, 0x67, 0x00, 0x00, 0x04};
        struct bssgp_ul ul;
        memcpy(bytes + 8, rows[i].tlvs, rows[i].octets);
        assert_int_equal(bssgp_ul_unitdata_decode(&ul, bytes, 8 + rows[i].octets), ERR_MALFORMED);
    }
    assert_int_equal(bssgp_ul_unitdata_decode(&(struct bssgp_ul){0}, (const uint8_t *)"\0", 1),
                     ERR_UNSUPPORTED);
}

TEST(uplink_header_comes_back)
{
    for (unsigned shape = 0; shape < 2; shape++) {
        uint8_t bytes[400] = {0};
        struct bssgp_ul in = {.tlli = 5, .llc_octets = shape ? 300 : 100, .cell_id = cell}, out;
        int n = bssgp_ul_unitdata_encode_header(bytes, sizeof bytes, &in);
        assert_in_range(n, 20, BSSGP_UL_HEADER_MAX_OCTETS);
        assert_int_equal(bssgp_ul_unitdata_encode_header(bytes, (size_t)n - 1, &in), ERR_NO_SPACE);
        assert_true(bssgp_ul_unitdata_decode(&out, bytes, (size_t)n + in.llc_octets) > 0);
        assert_int_equal(out.tlli, 5);
        assert_int_equal(out.llc_octets, in.llc_octets);
        assert_memory_equal(out.cell_id, cell, sizeof cell);
    }
}

/* The fast decoder and the table's agree on what an UL-UNITDATA is. */
TEST(both_decoders_agree)
{
    uint32_t seed = 69;
    unsigned decoded = 0;
    const struct vector *v = vectors_get(69);
    for (unsigned i = 0; i < 100000; i++) {
        uint8_t bytes[VECTORS_MAX_OCTETS];
        struct bssgp_ul ul;
        struct bssgp pdu;
        size_t len = v->octets - pdu_random(&seed) % 4;
        memcpy(bytes, v->bytes, len);
        for (unsigned hits = pdu_random(&seed) % 4; hits > 0; hits--)
            bytes[8 + pdu_random(&seed) % 20] = (uint8_t)pdu_random(&seed);
        int fast = bssgp_ul_unitdata_decode(&ul, bytes, len), slow = bssgp_decode(&pdu, bytes, len);
        if (slow < 0 && fast >= 0) { /* only the table looks at the digits of the cell */
            assert_int_equal(pdu.error_cause, 0x21);
            assert_false(pdu_has(&pdu.head, BSSGP_IE_CELL_ID));
            continue;
        }
        assert_int_equal(fast < 0, slow < 0);
        if (fast < 0)
            continue;
        decoded++;
        assert_ptr_equal(ul.llc_pdu, pdu.llc_pdu.at);
        assert_int_equal(ul.llc_octets, pdu.llc_pdu.octets);
    }
    assert_in_range(decoded, 1000, 99999);
}

/* --- Frames that dl_frame_put() writes, and the same of the encoders of each header --- */

#define CASES        100000
#define FRAME_OCTETS 128 /* of headers and the first octets of the payload */
#define PAYLOAD_AT   64

struct frame {
    struct llc llc;
    struct sndcp sndcp;
    struct bssgp_dl dl;
    uint16_t bvci;
};

static const uint8_t frame_imsi[] = {0x29, 0x26, 0x24, 0x10, 0x32, 0x54, 0x76, 0x98};

static void draw_llc(struct frame *f, uint64_t *seed)
{
    static const uint8_t sapis[] = {3, 5, 9, 11};
    f->llc = (struct llc){.sapi = sapis[prng_below(seed, sizeof(sapis))],
                          .nu = (uint16_t)prng_below(seed, LLC_NU_MODULUS),
                          .cr = true,
                          .e = prng_below(seed, 2),
                          .pm = prng_below(seed, 2)};
    uint8_t segment = prng_below(seed, 2) ? 0 : (uint8_t)prng_below(seed, SNDCP_MAX_SEGMENTS);
    f->sndcp = (struct sndcp){.n_pdu_number = (uint16_t)prng_below(seed, SNDCP_NPDU_MODULUS),
                              .nsapi = (uint8_t)(5 + prng_below(seed, 11)),
                              .segment = segment,
                              .first = segment == 0,
                              .more = prng_below(seed, 2)};
}

static struct frame draw(uint64_t *seed)
{
    struct frame f = {.bvci = (uint16_t)prng_below(seed, 65536)};
    draw_llc(&f, seed);
    f.dl =
        (struct bssgp_dl){.tlli = (uint32_t)prng_below(seed, UINT64_C(1) << 32),
                          .qos_profile = {0, 0, (uint8_t)prng_below(seed, 64)},
                          .lifetime_cs = (uint16_t)prng_below(seed, 65536),
                          .llc_octets = (uint16_t)(10 + prng_below(seed, prng_below(seed, 2) ? 240 : 1520)),
                          .imsi_octets = prng_below(seed, 2) ? sizeof(frame_imsi) : 0,
                          .imsi = frame_imsi};
    return f;
}

/* Header by header, from the payload to the front. */
static struct dl_frame_at put_each(struct frame *f, uint8_t *payload)
{
    uint8_t sndcp[SNDCP_FIRST_OCTETS];
    int octets = sndcp_encode(sndcp, sizeof(sndcp), &f->sndcp);
    assert_true(octets > 0);
    memcpy(payload - octets, sndcp, (size_t)octets);
    uint8_t *llc = payload - octets - LLC_UI_OCTETS;
    assert_int_equal(llc_ui_encode(llc, LLC_UI_OCTETS, &f->llc), LLC_UI_OCTETS);
    uint8_t *ns = llc - bssgp_dl_unitdata_header_octets(&f->dl) - NS_UNITDATA_HEADER_OCTETS;
    assert_true(bssgp_dl_unitdata_encode_header(ns + NS_UNITDATA_HEADER_OCTETS, BSSGP_DL_HEADER_MAX_OCTETS,
                                                &f->dl) > 0);
    ns_unitdata_header_put(ns, f->bvci);
    return (struct dl_frame_at){.llc = llc, .ns = ns};
}

static struct dl_frame_at put_plain(struct frame *f, uint8_t *payload)
{
    struct dl_frame plain = {
        .imsi = f->dl.imsi_octets ? frame_imsi : NULL,
        .tlli = f->dl.tlli,
        .llc = dl_frame_llc(f->llc.sapi, f->llc.nu, f->llc.e, f->llc.pm),
        .sndcp = dl_frame_sndcp(f->sndcp.nsapi, f->sndcp.more, f->sndcp.segment, f->sndcp.n_pdu_number,
                                f->sndcp.comp),
        .bvci = f->bvci,
        .lifetime_cs = f->dl.lifetime_cs,
        .llc_octets = f->dl.llc_octets,
        .qos = f->dl.qos_profile[2],
        .is_first = f->sndcp.first,
    };
    return dl_frame_put(&plain, payload);
}

TEST(writes_the_octets_of_each_encoder)
{
    uint64_t seed = 23;
    for (unsigned i = 0; i < CASES; i++) {
        uint8_t each[FRAME_OCTETS] = {0}, plain[FRAME_OCTETS] = {0};
        struct frame f = draw(&seed), again = f;
        struct dl_frame_at expect = put_each(&f, each + PAYLOAD_AT);
        struct dl_frame_at at = put_plain(&again, plain + PAYLOAD_AT);
        assert_int_equal(at.llc - plain, expect.llc - each);
        assert_int_equal(at.ns - plain, expect.ns - each);
        assert_memory_equal(at.ns, expect.ns, (size_t)(plain + FRAME_OCTETS - at.ns));
    }
}

UNIT_MAIN(NULL, NULL)
