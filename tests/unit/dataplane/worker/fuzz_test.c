/* SPDX-License-Identifier: BSD-3-Clause */
/* Random and mutated frames into both ports: no crash, every frame accounted for, every buffer back. */
#include "tests/unit/dataplane/queue/prng.h"
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"
#include "tests/unit/dataplane/worker/kit.h"
#include "tests/unit/short_form.h"

#include <rte_mbuf.h>
#include <string.h>

#ifdef __SANITIZE_ADDRESS__
#define FRAMES 60000
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define FRAMES 60000
#endif
#endif
#ifndef FRAMES
#define FRAMES (short_form_is_wanted() ? 250000u : 1000000u)
#endif

#define SEED      UINT64_C(20231)
#define IPV6_TEID 0x00003001u
#define WHOLE     4200 /* a datagram before it is cut in fragments */

/* Messages of the path, some with an extension header or elements, some about a tunnel of ours. */
static size_t gn_message(uint8_t *out, uint64_t *chance)
{
    static const uint8_t types[] = {1, 1, 2, 26, 26, 31, 253, 254};
    static const uint8_t about[] = {16, 0, 0, 0x20, 0x02, 133, 0, 4, 0xc0, 0, 2, 2};
    uint8_t gtp[64] = {(uint8_t)(0x30 | prng_below(chance, 8)), types[prng_below(chance, COUNT(types))]};
    size_t octets = 8 + prng_below(chance, 20) + sizeof(about);
    uint32_t src = prng_below(chance, 2) ? KIT_GGSN_IP : (uint32_t)prng_u64(chance);
    for (size_t i = 12; i < octets; i++)
        gtp[i] = (uint8_t)prng_below(chance, prng_below(chance, 2) ? 2 : 256);
    memcpy(gtp + (octets > 24 ? 12 : 8), about, sizeof(about));
    gtp[3] = (uint8_t)(octets - 8);
    return gn_frame_wrap(out, (uint32_t[]){src, KIT_SGSN_IP}, (uint16_t[]){(uint16_t)prng_u64(chance), 2152},
                         gtp, octets);
}

static size_t gn_valid(uint8_t *out, uint64_t *chance)
{
    struct gn_frame in = {
        .teid = KIT_TEID + (uint32_t)prng_below(chance, 3),
        .inner_octets = (uint16_t)prng_magnitude(chance, 1510),
        .seed = (uint16_t)prng_below(chance, 200),
        .has_vlan = prng_below(chance, 8) == 0,
        .ip_option_words = (uint8_t)(prng_below(chance, 6) == 0 ? prng_below(chance, 11) : 0),
        .gtp_flags = (uint8_t)(prng_below(chance, 3) == 0 ? prng_below(chance, 8) : 0),
        .extension = (uint8_t)prng_u64(chance),
        .padding_octets = (uint8_t)prng_below(chance, 9),
    };
    if (in.gtp_flags & 4)
        in.extension_units[0] = (uint8_t)prng_below(chance, 4);
    return gn_frame_build(out, &in);
}

/* Over IPv6, one in two a fragment. */
static size_t gn_ipv6(uint8_t *out, uint64_t *chance)
{
    uint8_t whole[WHOLE];
    uint16_t id = (uint16_t)prng_below(chance, 8);
    size_t octets = gn_ipv6_g_pdu(whole, IPV6_TEID, (uint16_t)(150 * id + 40), id);
    size_t piece = octets / (2 + id % 3u) / 8 * 8, pieces = (octets - GN_IPV6_UDP + piece - 1) / piece;
    if (prng_below(chance, 2))
        return gn_ipv6_fragment(out, whole, octets, piece, (unsigned)prng_below(chance, pieces));
    memcpy(out, whole, octets);
    return octets;
}

static size_t gn_piece(uint8_t *out, uint64_t *chance)
{
    uint8_t whole[WHOLE];
    uint16_t id = (uint16_t)prng_below(chance, 8);
    struct gn_frame in = {.teid = KIT_TEID, .inner_octets = (uint16_t)(400 * id + 200), .seed = id};
    size_t octets = gn_frame_build(whole, &in), piece = octets / (2 + id % 3u) / 8 * 8;
    size_t pieces = (octets - GN_FRAME_UDP + piece - 1) / piece;
    return gn_frame_fragment(out, whole, octets, piece, (unsigned)prng_below(chance, pieces));
}

/* What the mobile sends: how many frames it has, and whether it ciphers them, with a key of zeros. */
struct uplink {
    uint32_t count;
    bool is_ciphered;
};

static size_t gb_valid(uint8_t *out, uint64_t *chance, struct uplink *up)
{
    static const uint8_t sapis[] = {0, 0, 0, 0, 1, 5, 7, 4};
    struct gb_frame_uplink in = {
        .tlli = prng_below(chance, 16) ? 0 : (uint32_t)prng_u64(chance),
        .sapi = sapis[prng_below(chance, COUNT(sapis))],
        .nsapi = (uint8_t)(prng_below(chance, 8) ? 0 : prng_below(chance, 16)),
        .nu = (uint16_t)((prng_below(chance, 8) ? ++up->count : prng_below(chance, 512)) % 512),
        .segment = (uint8_t)(prng_below(chance, 2) ? 0 : prng_below(chance, 16)),
        .more = prng_below(chance, 2),
        .is_pm0 = prng_below(chance, 8) == 0,
        .compression = prng_below(chance, 20) == 0,
        .number = (uint16_t)prng_below(chance, 3),
        .octets = (uint16_t)prng_magnitude(chance, 1520),
    };
    static uint8_t n_pdu[1520];
    if (in.is_pm0 && in.octets < 4)
        in.octets = 4;
    gn_frame_inner(n_pdu, in.octets, in.number);
    if (prng_below(chance, 2))
        in.data = n_pdu; /* an IP packet, if it is not one of several segments */
    if (up->is_ciphered && prng_below(chance, 16)) {
        unsigned sapi = in.sapi ? in.sapi : KIT_SAPI;
        uint32_t overflow = in.nu == up->count % 512 ? up->count / 512 * 512 : 77;
        in.octets = in.octets <= 1500 ? in.octets : 1500;
        in.cipher =
            (struct gb_frame_cipher){.is_on = true, .input = 0x80000000u + sapi * 0x08000000u + overflow};
    }
    return gb_frame_uplink(out, &in);
}

static size_t gb_signalling(uint8_t *out, uint64_t *chance)
{
    uint8_t ns[64];
    size_t octets = prng_below(chance, sizeof(ns));
    for (size_t i = 0; i < octets; i++)
        ns[i] = (uint8_t)prng_below(chance, i < 5 ? 12 : 256);
    return gb_frame_wrap(out, (uint8_t)prng_below(chance, 2), ns, octets);
}

/* Octets changed, cut off, or put behind. Often the sum of the outer header is made good again. */
static size_t mutate(uint8_t *frame, size_t octets, uint64_t *chance)
{
    uint64_t changes = prng_below(chance, 2) ? prng_magnitude(chance, 8) : 0;
    for (; changes > 0; changes--)
        frame[prng_below(chance, prng_below(chance, 2) && octets > 70 ? 70 : octets)] ^=
            (uint8_t)(1u << prng_below(chance, 8));
    if (prng_below(chance, 16) == 0)
        octets = prng_below(chance, octets + 1);
    if (prng_below(chance, 4) && octets >= 14 + 60 && frame[12] == 8)
        gn_frame_sum_ip(frame + 14);
    return octets;
}

static size_t garbage(uint8_t *frame, uint64_t *chance)
{
    size_t octets = prng_magnitude(chance, 1900);
    for (size_t i = 0; i < octets; i++)
        frame[i] = (uint8_t)prng_u64(chance);
    return octets;
}

static void push_gn(struct kit *kit, uint64_t *chance)
{
    uint8_t frame[KIT_FRAME_OCTETS + 128] = {0};
    uint64_t kind = prng_below(chance, 16);
    size_t octets = kind == 0  ? garbage(frame, chance)
                    : kind < 4 ? gn_piece(frame, chance)
                    : kind < 6 ? gn_message(frame, chance)
                    : kind < 8 ? gn_ipv6(frame, chance)
                               : gn_valid(frame, chance);
    if (octets > 0)
        octets = mutate(frame, octets, chance);
    assert_int_equal(vport_push(&kit->gn, frame, octets), 0);
}

static void push_gb(struct kit *kit, uint64_t *chance, struct uplink *up)
{
    uint8_t frame[KIT_FRAME_OCTETS + 128] = {0};
    uint64_t kind = prng_below(chance, 16);
    size_t octets = kind == 0  ? garbage(frame, chance)
                    : kind < 3 ? gb_signalling(frame, chance)
                               : gb_valid(frame, chance, up);
    if (octets > 0)
        octets = mutate(frame, octets, chance);
    assert_int_equal(vport_push(&kit->gb, frame, octets), 0);
}

static void take_all(struct kit *kit)
{
    struct msg msg;
    kit_drain(&kit->gn);
    kit_drain(&kit->gb);
    while (kit_take_msg(kit, &msg))
        if (msg_has_mbuf(msg.type))
            rte_pktmbuf_free(msg.mbuf);
}

static void play(const struct kit_options *options, bool is_ciphered, uint64_t seed, unsigned frames)
{
    struct kit kit;
    uint64_t chance = seed;
    struct uplink up = {.is_ciphered = is_ciphered};
    struct msg msg = {.type = MSG_MS_CIPHER};

    kit_open(&kit, options);
    msg.cipher = (struct llc_cipher_params){.algorithm = is_ciphered ? 4 : 0, .kc_octets = 16};
    kit_do(&kit, &msg);
    gn_ipv6_order(&kit, IPV6_TEID);
    kit_flow(&kit, 20000, 100000000);
    for (unsigned i = 0; i < frames; i += 32) {
        for (unsigned k = 0; k < 16; k++) {
            push_gn(&kit, &chance);
            push_gb(&kit, &chance, &up);
        }
        kit.now += (int64_t)prng_magnitude(&chance, 400 * KIT_MS);
        kit_settle(&kit);
        take_all(&kit);
    }
    const struct worker_stats *s = &kit.worker->stats;
    assert_true(s->npdu_out > frames / 50);
    assert_true(s->ul_npdu_out > frames / (options->no_uplink_filter ? 50 : 1000));
    assert_true(s->gn_merged > frames / 5000);
    assert_true(s->gn_echo_responses > frames / 5000 && s->gn_error_indications > frames / 5000);
    assert_true(s->gn_rate_limited > 0 && s->gn_unanswerable > 0 && s->gn_tunnel_errors > 0);
    assert_int_equal(s->gn_frames + s->gb_frames, (frames + 31) / 32 * 32);
    assert_true((s->gb_drops[DROP_LLC_DECIPHER] > frames / 500) == is_ciphered);
    assert_true(!is_ciphered || s->gb_drops[DROP_LLC_CIPHERING] > frames / 500);
    kit_close(&kit);
}

TEST(wide)
{
    play(&(struct kit_options){.fragments = 64}, false, SEED, FRAMES / 2);
}

TEST(narrow)
{
    play(&(struct kit_options){.n201_u = 140,
                               .queue_limit_octets = 5000,
                               .lifetime_ns = 30 * KIT_MS,
                               .fragments = 4,
                               .no_uplink_filter = true,
                               .reassemblies = 1,
                               .imsi_octets = 8},
         false, SEED + 1, FRAMES / 2);
}

TEST(ciphered)
{
    play(&(struct kit_options){.fragments = 64, .n201_u = 300, .no_uplink_filter = true}, true, SEED + 2,
         FRAMES / 4);
}

UNIT_MAIN(kit_start, NULL)
