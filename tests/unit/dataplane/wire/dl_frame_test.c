/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames that dl_frame_put() writes, and the same of the encoders of each header. */
#include "dataplane/wire/bssgp_unitdata.h"

#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/unit.h"

#define CASES        100000
#define FRAME_OCTETS 128 /* of headers and the first octets of the payload */
#define PAYLOAD_AT   64

struct frame {
    struct llc llc;
    struct sndcp sndcp;
    struct bssgp_dl dl;
    uint16_t bvci;
};

static const uint8_t imsi[] = {0x29, 0x26, 0x24, 0x10, 0x32, 0x54, 0x76, 0x98};

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
                          .imsi_octets = prng_below(seed, 2) ? sizeof(imsi) : 0,
                          .imsi = imsi};
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
        .imsi = f->dl.imsi_octets ? imsi : NULL,
        .tlli = f->dl.tlli,
        .llc = dl_frame_llc(f->llc.sapi, f->llc.nu, f->llc.e, f->llc.pm),
        .sndcp = dl_frame_sndcp(f->sndcp.nsapi, f->sndcp.more, f->sndcp.segment, f->sndcp.n_pdu_number),
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
