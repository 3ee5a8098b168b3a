/* SPDX-License-Identifier: BSD-3-Clause */
/* G-PDUs towards the GGSN that do not fit gn_mtu, over IPv4 and IPv6. */
#include "tests/unit/dataplane/worker/gb_frame.h"
#include "tests/unit/dataplane/worker/gn_frame.h"
#include "tests/unit/dataplane/worker/gn_ipv6_frame.h"

#include "dataplane/base/bytes.h"

#include <rte_mbuf.h>
#include <string.h>

#define TEID 0x00003001u

struct send_row {
    const char *name;
    bool is_ipv6, is_whole;
    uint16_t mtu_octets, inner_octets;
    uint8_t frames; /* 0: dropped */
};

static const struct send_row rows[] = {
    {"fits", false, false, 1500, 1464, 1},
    {"one more", false, false, 1500, 1465, 2},
    {"longest", false, false, 1500, 1503, 2},
    {"longest, fits", false, false, 1539, 1503, 1},
    {"smallest MTU", false, false, 576, 1503, 3},
    {"smallest MTU, two full", false, false, 576, 552 * 2 - 16, 2},
    {"smallest MTU, one more", false, false, 576, 552 * 2 - 15, 3},
    {"to be dropped, fits", false, true, 1500, 1464, 1},
    {"to be dropped", false, true, 1500, 1465, 0},
    {"IPv6 fits", true, false, 1500, 1444, 1},
    {"IPv6 one more", true, false, 1500, 1445, 2},
    {"IPv6 longest", true, false, 1500, 1503, 2},
    {"IPv6 never below 1280", true, false, 576, 1224, 1},
    {"IPv6 above 1280", true, false, 576, 1225, 2},
    {"IPv6 to be dropped", true, true, 1500, 1445, 0},
};

static uint16_t u16(const uint8_t *p)
{
    return (uint16_t)(p[0] << 8 | p[1]);
}

/* Collects the UDP segment from the frames that went; what is in each IP header is held here. */
static size_t join(struct kit *kit, const struct send_row *row, uint8_t *segment)
{
    uint8_t frame[KIT_FRAME_OCTETS], id[4] = {0};
    size_t done = 0;
    unsigned mtu_octets = row->is_ipv6 && row->mtu_octets < 1280 ? 1280 : row->mtu_octets;
    for (unsigned i = 0; i < row->frames; i++) {
        bool more = i + 1u < row->frames, is_piece = row->frames > 1;
        size_t octets = kit_take_gn(kit, frame) - 14, header = row->is_ipv6 ? 40 + 8u * is_piece : 20;
        const uint8_t *ip = frame + 14, *fragment = ip + 40;
        assert_true(octets <= mtu_octets && octets > header);
        assert_int_equal(octets, row->is_ipv6 ? 40u + u16(ip + 4) : u16(ip + 2));
        if (more) /* the next unit would not fit */
            assert_true(octets + 8 > mtu_octets);
        if (row->is_ipv6) {
            assert_int_equal(u16(frame + 12), 0x86dd);
            assert_int_equal(ip[6], is_piece ? 44 : 17);
            assert_int_equal(ip[7], 64);
            assert_memory_equal(ip + 8, gn_ipv6_addresses[0], 32);
            if (is_piece)
                assert_true(fragment[0] == 17 && fragment[1] == 0 && u16(fragment + 2) == (done | more));
            assert_true(i == 0 || memcmp(fragment + 4, id, 4) == 0);
            memcpy(id, fragment + 4, 4);
        } else {
            uint8_t sum[2] = {ip[10], ip[11]};
            gn_frame_sum_ip(frame + 14);
            assert_memory_equal(ip + 10, sum, 2);
            assert_int_equal(u16(ip + 6), done / 8 | (more ? 0x2000u : 0)); /* DF clear */
            assert_true(i == 0 || memcmp(ip + 4, id, 2) == 0);
            memcpy(id, ip + 4, 2);
        }
        memcpy(segment + done, ip + header, octets - header);
        done += octets - header;
    }
    return done;
}

static void expect_segment(const struct send_row *row, const uint8_t *segment, size_t octets,
                           const uint8_t *n_pdu)
{
    uint8_t frame[KIT_FRAME_OCTETS], gtp[KIT_FRAME_OCTETS] = {0x30, 255};
    const uint8_t *const ip[] = {gn_ipv6_addresses[0], gn_ipv6_addresses[1]};
    static const uint16_t ports[] = {2152, 2152};
    gtp[2] = (uint8_t)(row->inner_octets >> 8);
    gtp[3] = (uint8_t)row->inner_octets;
    gtp[6] = 0x20;
    gtp[7] = 0x02;
    memcpy(gtp + 8, n_pdu, row->inner_octets);
    assert_int_equal(octets, 16 + row->inner_octets);
    if (row->is_ipv6)
        gn_ipv6_wrap(frame, ip, ports, gtp, octets - 8);
    else
        gn_frame_wrap(frame, (uint32_t[]){KIT_SGSN_IP, KIT_GGSN_IP}, ports, gtp, octets - 8);
    assert_memory_equal(segment, frame + (row->is_ipv6 ? GN_IPV6_UDP : GN_FRAME_UDP), octets);
}

static void play(const struct send_row *row)
{
    struct kit kit;
    uint8_t n_pdu[1503], frame[KIT_FRAME_OCTETS], segment[KIT_FRAME_OCTETS];
    struct gb_frame_uplink in = {
        .nsapi = row->is_ipv6 ? 6 : KIT_NSAPI, .octets = row->inner_octets, .data = n_pdu};

    kit_open(&kit, &(struct kit_options){.gn_mtu_octets = row->mtu_octets, .is_gn_whole = row->is_whole});
    gn_ipv6_order(&kit, TEID);
    gn_frame_inner(n_pdu, row->inner_octets, 9);
    kit_from_gb(&kit, frame, gb_frame_uplink(frame, &in));
    const struct worker_stats *s = &kit.worker->stats;
    unsigned is_cut = row->frames > 1;
    if (s->ul_npdu_out != (row->frames > 0) || s->gb_drops[DROP_UL_TOO_LONG] != (row->frames == 0) ||
        s->gn_fragmented != is_cut || s->gn_fragments != is_cut * row->frames)
        fail_msg("%s: out %lu, cut in %lu", row->name, s->ul_npdu_out, s->gn_fragments);
    size_t octets = join(&kit, row, segment);
    assert_int_equal(kit_drain(&kit.gn), 0);
    if (row->frames > 0)
        expect_segment(row, segment, octets, n_pdu);
    kit_close(&kit);
}

TEST_EACH(lengths, play, rows)

/* Buffers for only some of the pieces: none goes, and all come back. */
KIT_TEST(no_buffers, &(struct kit_options){.tx_buffers = 40, .gn_mtu_octets = 576})
{
    uint8_t n_pdu[1503], frame[KIT_FRAME_OCTETS];
    struct rte_mbuf *taken[38];
    struct gb_frame_uplink in = {.octets = sizeof(n_pdu), .data = n_pdu};
    assert_int_equal(rte_pktmbuf_alloc_bulk(kit->tx_pool, taken, COUNT(taken)), 0);
    gn_frame_inner(n_pdu, sizeof(n_pdu), 1);
    kit_from_gb(kit, frame, gb_frame_uplink(frame, &in));
    assert_int_equal(kit->worker->stats.gb_drops[DROP_NO_BUFFER], 1);
    assert_int_equal(kit->worker->stats.gn_fragmented, 0);
    assert_int_equal(kit_drain(&kit->gn), 0);
    rte_pktmbuf_free_bulk(taken, COUNT(taken));
}

/* --- identifications --- */

enum { WORKERS = 2, DATAGRAMS = 2 };

/* Of a worker that sends. */
struct sender {
    uint32_t salt, number;
};

static struct sender sender;
static struct xworker *xworker;

static void configure(struct worker_config *config)
{
    config->salt = sender.salt;
    config->number = sender.number;
    config->xworker = xworker;
}

/* Of datagrams of two fragments each. */
static void read_ids(bool is_ipv6, struct sender of, uint32_t ids[DATAGRAMS])
{
    struct kit kit;
    uint8_t n_pdu[1503], frame[KIT_FRAME_OCTETS];
    sender = of;
    xworker = xworker_new("ids", WORKERS);
    assert_non_null(xworker);
    kit_open(&kit, &(struct kit_options){.gn_mtu_octets = 1500, .configure = configure});
    gn_ipv6_order(&kit, TEID);
    gn_frame_inner(n_pdu, sizeof(n_pdu), 1);
    for (uint8_t i = 0; i < DATAGRAMS; i++) {
        struct gb_frame_uplink in = {
            .nu = i, .number = i, .nsapi = is_ipv6 ? 6 : KIT_NSAPI, .octets = sizeof(n_pdu), .data = n_pdu};
        kit_from_gb(&kit, frame, gb_frame_uplink(frame, &in));
        assert_true(kit_take_gn(&kit, frame) > 0);
        ids[i] = is_ipv6 ? bytes_get_u32(frame + GN_IPV6_UDP + 4) : u16(frame + GN_FRAME_IP + 4);
        assert_int_equal(kit_drain(&kit.gn), 1);
    }
    kit_close(&kit);
    xworker_free(xworker, moves_free_note);
}

/* Datagrams of a node differ, and from the first ones that it sends after another start (RFC 7739). */
TEST(identifications)
{
    static const struct sender senders[] = {{81, 0}, {81, 1}, {181, 0}};
    for (unsigned is_ipv6 = 0; is_ipv6 < 2; is_ipv6++) {
        uint32_t ids[COUNT(senders) * DATAGRAMS];
        for (unsigned i = 0; i < COUNT(senders); i++)
            read_ids(is_ipv6, senders[i], &ids[i * DATAGRAMS]);
        for (unsigned i = 1; i < COUNT(ids); i++)
            for (unsigned k = 0; k < i; k++)
                assert_int_not_equal(ids[i], ids[k]);
    }
}

UNIT_MAIN(kit_start, NULL)
