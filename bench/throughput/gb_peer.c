/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/gb_peer.h"
#include "bench/throughput/node_mac.h"
#include "bench/statistics/recovery.h"
#include "bench/throughput/sink.h"

#include "bench/throughput/generator.h"
#include "bss/bss.h"
#include "dataplane/base/bytes.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/gb.h"
#include "dataplane/context/llc.h"
#include "dataplane/crypto/gea.h"
#include "dataplane/ports/port.h"
#include "dataplane/queue/bucket.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/wire/ns.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool bench_gb_peer_is_user(const uint8_t *frame, size_t octets);
static void bench_gb_peer_take(struct bench_generator *g, const uint8_t *frame, size_t octets, int64_t now);

#define TAKE_BURST     64
#define TLLI_OFFSET    (GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS + 1)
#define LLC_IEI_OFFSET (GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS + 12) /* without IMSI and PFI */
#define SHORT_LENGTH   0x80
#define HEADERS_OCTETS (ETHER_OCTETS + IPV4_OCTETS + UDP_OCTETS)
#define SNDCP_MORE     0x10

/* TLLI and LLC-PDU of a user's frame. */
struct user_frame {
    uint32_t tlli;
    const uint8_t *llc;
    size_t llc_octets;
};

/* A worker of ndr and soak sends fixed offsets; a node may add IEs, so that its frames are decoded. */
static bool find_llc(const struct bench_generator *g, struct user_frame *user, const uint8_t *frame,
                     size_t octets)
{
    size_t before = GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS;
    struct bssgp bssgp = {0};
    if (g->gb_peers) {
        if (octets <= before || bssgp_decode(&bssgp, frame + before, octets - before) < 0)
            return false;
        *user = (struct user_frame){bssgp.tlli, bssgp.llc_pdu.at, bssgp.llc_pdu.octets};
        return user->llc_octets > LLC_UI_OCTETS + LLC_FCS_OCTETS + BENCH_GB_PEER_STAMP_OCTETS;
    }
    user->llc = frame + LLC_IEI_OFFSET + (frame[LLC_IEI_OFFSET + 1] & SHORT_LENGTH ? 2 : 3);
    user->tlli = bytes_get_u32(frame + TLLI_OFFSET);
    user->llc_octets = (size_t)(bytes_get_u16(frame + GB_HEADER_OCTETS - 4) + GB_HEADER_OCTETS - 8) -
                       (size_t)(user->llc - frame);
    return true;
}

/* The link of a mobile, whose frame came on this one: a card deals frames to its queues as it likes. */
static struct bench_generator_link *link_of(struct bench_generator *g, struct bench_generator_link *link,
                                            uint32_t tlli)
{
    for (unsigned i = 0; i < g->link_count && g->is_outside; i++) {
        const struct bench_traffic_params *params = &g->links[i].traffic.params;
        if (tlli - BENCH_SINK_TLLI - params->first < params->mobiles)
            return &g->links[i];
    }
    return link;
}

static void gb_rx_judge_llc(struct bench_generator_link *link, struct bench_trial *t,
                            const struct user_frame *user)
{
    struct llc llc;
    uint32_t mobile = user->tlli - BENCH_SINK_TLLI - link->traffic.params.first;
    if (mobile >= link->traffic.params.mobiles || llc_decode(&llc, user->llc, user->llc_octets) < 0 ||
        !llc_fcs_is_right(user->llc, llc.header_octets, llc.info_octets, llc.pm)) {
        t->wrong_fcs++;
        return;
    }
    t->reordered += (uint16_t)(llc.nu - link->next_nu[mobile]) % LLC_NU_MODULUS > LLC_NU_MODULUS / 2;
    link->next_nu[mobile] = (uint16_t)((llc.nu + 1) % LLC_NU_MODULUS);
}

/* end: of the N-PDU. */
static void put_sample(struct bench_generator *g, struct bench_trial *t, const uint8_t *end, int64_t now)
{
    const uint8_t *stamp = end - BENCH_GB_PEER_STAMP_OCTETS;
    int64_t sent_ns = (int64_t)((uint64_t)bytes_get_u32(stamp) << 32 | bytes_get_u32(stamp + 4));
    if (sent_ns <= 0 || now < sent_ns)
        return;
    if (t->recovery)
        bench_recovery_came(t->recovery, sent_ns);
    const double us = (double)(now - sent_ns) * 1e-3;
    t->max_us = us > t->max_us ? us : t->max_us;
    if (t->stamped++ % (t->sample_every + (t->sample_every == 0)) == 0 &&
        t->sample_count < BENCH_GENERATOR_SAMPLES)
        g->samples_ns[t->sample_count++] = now - sent_ns;
}

/* Without ciphering. */
static void gb_rx_open_frame(struct bench_generator *g, struct bench_generator_link *link,
                             struct bench_trial *t, struct rte_mbuf *mbuf, int64_t now)
{
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    struct user_frame user;
    if (!find_llc(g, &user, frame, rte_pktmbuf_data_len(mbuf))) {
        t->wrong_fcs++;
        return;
    }
    if (link->next_nu)
        gb_rx_judge_llc(link_of(g, link, user.tlli), t, &user);
    if (t->has_latency && !(user.llc[LLC_UI_OCTETS] & SNDCP_MORE))
        put_sample(g, t, user.llc + user.llc_octets - LLC_FCS_OCTETS, now);
}

/* Whether testpmd has forwarded a frame of the generator's, rather than one of others on the link. */
static bool is_own(const uint8_t *frame, size_t octets)
{
    return octets > HEADERS_OCTETS && frame[ETHER_OCTETS] == 0x45 &&
           frame[ETHER_OCTETS + 9] == IPV4_PROTO_UDP &&
           bytes_get_u16(frame + ETHER_OCTETS + IPV4_OCTETS + 2) == GTPU_PORT;
}

/* Moves the generator's frames to the front; returns their number. */
static unsigned pick_own(struct rte_mbuf **mbufs, unsigned count)
{
    unsigned own = 0;
    for (unsigned i = 0; i < count; i++) {
        if (is_own(rte_pktmbuf_mtod(mbufs[i], const uint8_t *), rte_pktmbuf_data_len(mbufs[i])))
            mbufs[own++] = mbufs[i];
        else
            rte_pktmbuf_free(mbufs[i]);
    }
    return own;
}

/* Gives frames that are not users' to the Gb peer, and moves users' frames to the front; returns their
 * number. */
static unsigned sort_out(struct bench_generator *g, struct rte_mbuf **mbufs, unsigned count, int64_t now)
{
    unsigned users = 0;
    for (unsigned i = 0; i < count; i++) {
        const uint8_t *frame = rte_pktmbuf_mtod(mbufs[i], const uint8_t *);
        if (bench_gb_peer_is_user(frame, rte_pktmbuf_data_len(mbufs[i]))) {
            mbufs[users++] = mbufs[i];
            continue;
        }
        bench_gb_peer_take(g, frame, rte_pktmbuf_data_len(mbufs[i]), now);
        rte_pktmbuf_free(mbufs[i]);
    }
    return users;
}

unsigned bench_gb_peer_rx_burst(struct bench_generator *g, struct bench_generator_link *link,
                                struct bench_trial *t, int64_t now)
{
    struct rte_mbuf *mbufs[TAKE_BURST];
    unsigned count = rte_eth_rx_burst(link->gb.id, link->gb.queue, mbufs, TAKE_BURST);
    bool is_opened = !g->is_testpmd && g->point.cipher == 0 && (link->next_nu || t->has_latency);
    if (g->is_outside)
        count = g->is_testpmd ? pick_own(mbufs, count) : sort_out(g, mbufs, count, now);
    for (unsigned i = 0; i < count && g->is_testpmd && t->has_latency; i++)
        put_sample(g, t, rte_pktmbuf_mtod(mbufs[i], const uint8_t *) + rte_pktmbuf_data_len(mbufs[i]), now);
    for (unsigned i = 0; i < count && is_opened; i++)
        gb_rx_open_frame(g, link, t, mbufs[i], now);
    rte_pktmbuf_free_bulk(mbufs, count);
    if (count > 0)
        bench_gaps_silences_came(&link->silences, now);
    t->received += count;
    return count;
}

#define TTL     64
#define NEXT_NS (MOMENT_SECOND / 1000) /* until the next step, at most */

/* --- sending --- */

static void put_headers(struct bench_gb_peer *peer, uint8_t *at, size_t ns_octets)
{
    struct ether ether = {.type = ETHER_TYPE_IPV4, .src = BENCH_GB_PEER_GB_MAC};
    struct ipv4 ip = {.src = BENCH_GB_PEER_BSS_IP,
                      .dst = BENCH_GB_PEER_SGSN_IP,
                      .ttl = TTL,
                      .proto = IPV4_PROTO_UDP,
                      .id = peer->ip_id++,
                      .payload_octets = (uint16_t)(UDP_OCTETS + ns_octets)};
    struct udp udp = {
        .src_port = peer->udp_port, .dst_port = BENCH_GB_PEER_PORT, .payload_octets = (uint16_t)ns_octets};
    memcpy(ether.dst, peer->node_mac, sizeof(ether.dst));
    at += ether_encode(at, ETHER_OCTETS, &ether);
    at += ipv4_encode(at, IPV4_OCTETS, &ip);
    udp_encode(at, UDP_OCTETS, &udp);
}

static void sends(void *arg, unsigned nsvc, const uint8_t *ns_pdu, size_t octets)
{
    struct bench_gb_peer *peer = arg;
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(peer->pool);
    uint8_t *at = mbuf ? (uint8_t *)rte_pktmbuf_append(mbuf, (uint16_t)(HEADERS_OCTETS + octets)) : NULL;
    if (at) {
        put_headers(peer, at, octets);
        memcpy(at + HEADERS_OCTETS, ns_pdu, octets);
        if (rte_eth_tx_burst(peer->gb->id, peer->gb->queue, &mbuf, 1) == 1)
            return;
    }
    rte_pktmbuf_free(mbuf);
    peer->unsent++;
}

static void delivers(void *arg, uint16_t bvci, uint32_t tlli, const uint8_t *llc_pdu, size_t octets,
                     int64_t now)
{
}

/* --- the BSS --- */

static struct bss *gb_peer_make(struct bench_gb_peer *peer, const struct bench_gb_peer_params *params)
{
    const uint16_t nsvcis[] = {(uint16_t)(BENCH_GB_PEER_NSVCI + params->number)}, cells = params->cells;
    const struct bss_bucket open = {BUCKET_MAX_OCTETS, BUCKET_MAX_RATE_BPS};
    const struct bss_ops ops = {.arg = peer, .send = sends, .deliver = delivers};
    struct bss_config config = {.nsei = (uint16_t)(BENCH_GB_PEER_NSEI + params->number),
                                .nsvcis = nsvcis,
                                .nsvc_count = 1,
                                .cell_count = cells};
    struct bss_cell_config *list = calloc(cells, sizeof(*list));
    if (!list)
        return NULL;
    for (uint16_t i = 0; i < cells; i++)
        list[i] = (struct bss_cell_config){.bvci = (uint16_t)(peer->first_bvci + i),
                                           .cell_id = {.mcc = "001",
                                                       .mnc = "01",
                                                       .lac = 1,
                                                       .rac = 1,
                                                       .ci = (uint16_t)(params->first_cell + i)},
                                           .bvc = open,
                                           .ms_default = open};
    config.cells = list;
    struct bss *bss = bss_new(&config, &ops);
    free(list);
    return bss;
}

bool bench_gb_peer_new(struct bench_gb_peer *peer, const struct port *gb, struct rte_mempool *pool,
                       const struct bench_gb_peer_params *params)
{
    *peer = (struct bench_gb_peer){.gb = gb,
                                   .pool = pool,
                                   .first_bvci = (uint16_t)(BENCH_GB_PEER_BVCI + params->first_cell),
                                   .cells = params->cells,
                                   .udp_port = (uint16_t)(BENCH_GB_PEER_PORT + params->number),
                                   .is_mac_known = params->mac != NULL};
    if (params->mac)
        memcpy(peer->node_mac, params->mac, sizeof(peer->node_mac));
    peer->bss = gb_peer_make(peer, params);
    return peer->bss != NULL;
}

void bench_gb_peer_free(struct bench_gb_peer *peer)
{
    bss_free(peer->bss);
    peer->bss = NULL;
}

/* --- steps and frames --- */

void bench_gb_peer_step(struct bench_gb_peer *peer, int64_t now)
{
    if (now < peer->next_ns || !peer->is_mac_known)
        return;
    int64_t next_ns = bss_step(peer->bss, now);
    peer->next_ns = next_ns <= now ? now : moment_min(next_ns, now + NEXT_NS);
}

/* Offset and length of the NS PDU in a frame to a BSS, and its UDP port; offset 0: another frame. The frame
 * may be longer: cards pad to 60 octets. */
static size_t ns_offset(const uint8_t *frame, size_t octets, struct ether *ether, struct udp *udp)
{
    struct ipv4 ip;
    int l2 = ether_decode(ether, frame, octets);
    if (l2 < 0 || ether->type != ETHER_TYPE_IPV4)
        return 0;
    int l3 = ipv4_decode(&ip, frame + l2, octets - (size_t)l2);
    if (l3 < 0 || ip.proto != IPV4_PROTO_UDP || ip.dst != BENCH_GB_PEER_BSS_IP || ipv4_is_fragment(&ip))
        return 0;
    int l4 = udp_decode(udp, frame + l2 + l3, ip.payload_octets);
    return l4 < 0 ? 0 : (size_t)(l2 + l3 + l4);
}

/* Whether a frame carries a user's LLC-PDU. */
static bool bench_gb_peer_is_user(const uint8_t *frame, size_t octets)
{
    const uint8_t *ns = frame + HEADERS_OCTETS;
    return octets > HEADERS_OCTETS + NS_UNITDATA_HEADER_OCTETS && ns[0] == NS_UNITDATA &&
           ns[NS_UNITDATA_HEADER_OCTETS] == BSSGP_DL_UNITDATA && frame[ETHER_OCTETS] == 0x45 &&
           frame[ETHER_OCTETS + 9] == IPV4_PROTO_UDP;
}

/* Processes any other frame, at the BSS with its UDP port. */
static void bench_gb_peer_take(struct bench_generator *g, const uint8_t *frame, size_t octets, int64_t now)
{
    struct ether ether;
    struct udp udp = {.dst_port = 0};
    const size_t offset = ns_offset(frame, octets, &ether, &udp);
    const unsigned number = udp.dst_port - (unsigned)BENCH_GB_PEER_PORT;
    if (offset == 0 || number >= g->link_count) {
        bench_node_mac_take(g, frame, octets);
        g->gb_peers->other_frames++;
        return;
    }
    struct bench_gb_peer *peer = &g->gb_peers[number];
    bss_rx(peer->bss, 0, frame + offset, udp.payload_octets, now);
    peer->next_ns = now;
}

static bool is_up(const struct bench_gb_peer *peer)
{
    for (uint16_t i = 0; i < peer->cells; i++)
        if (!bss_is_up(peer->bss, (uint16_t)(peer->first_bvci + i)))
            return false;
    return true;
}

bool bench_gb_peer_are_up(const struct bench_gb_peer *peers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (!is_up(&peers[i]))
            return false;
    return true;
}
