/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/throughput/gb_rx.h"

#include "bench/throughput/gb_peer.h"
#include "bench/throughput/sink.h"
#include "dataplane/base/bytes.h"
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/llc.h"
#include "dataplane/wire/llc_fcs.h"
#include "dataplane/base/moment.h"
#include "dataplane/context/gb.h"
#include "dataplane/wire/ns.h"

#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define TAKE_BURST     64
#define TLLI_OFFSET    (GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS + 1)
#define LLC_IEI_OFFSET (GB_HEADER_OCTETS + NS_UNITDATA_HEADER_OCTETS + 12) /* without IMSI and PFI */
#define SHORT_LENGTH   0x80
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
    if (g->gb_peer) {
        if (octets <= before || bssgp_decode(&bssgp, frame + before, octets - before) < 0)
            return false;
        *user = (struct user_frame){bssgp.tlli, bssgp.llc_pdu.at, bssgp.llc_pdu.octets};
        return user->llc_octets > LLC_UI_OCTETS + LLC_FCS_OCTETS + BENCH_GB_RX_STAMP_OCTETS;
    }
    user->llc = frame + LLC_IEI_OFFSET + (frame[LLC_IEI_OFFSET + 1] & SHORT_LENGTH ? 2 : 3);
    user->tlli = bytes_get_u32(frame + TLLI_OFFSET);
    user->llc_octets = (size_t)(bytes_get_u16(frame + GB_HEADER_OCTETS - 4) + GB_HEADER_OCTETS - 8) -
                       (size_t)(user->llc - frame);
    return true;
}

static void judge_llc(struct bench_generator_link *link, struct bench_trial *t, const struct user_frame *user)
{
    struct llc llc;
    uint32_t mobile = user->tlli - BENCH_SINK_TLLI;
    if (mobile >= link->traffic.params.mobiles || llc_decode(&llc, user->llc, user->llc_octets) < 0 ||
        !llc_fcs_is_right(user->llc, llc.header_octets, llc.info_octets, llc.pm)) {
        t->wrong_fcs++;
        return;
    }
    t->reordered += (uint16_t)(llc.nu - link->next_nu[mobile]) % LLC_NU_MODULUS > LLC_NU_MODULUS / 2;
    link->next_nu[mobile] = (uint16_t)((llc.nu + 1) % LLC_NU_MODULUS);
}

static void put_sample(struct bench_generator *g, struct bench_trial *t, const uint8_t *end, int64_t now)
{
    const uint8_t *stamp = end - LLC_FCS_OCTETS - BENCH_GB_RX_STAMP_OCTETS;
    int64_t sent_ns = (int64_t)((uint64_t)bytes_get_u32(stamp) << 32 | bytes_get_u32(stamp + 4));
    if (t->sample_count < BENCH_GENERATOR_SAMPLES && sent_ns > 0 && now >= sent_ns)
        g->samples_ns[t->sample_count++] = now - sent_ns;
}

/* Without ciphering. */
static void open_frame(struct bench_generator *g, struct bench_generator_link *link, struct bench_trial *t,
                       struct rte_mbuf *mbuf, int64_t now)
{
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    struct user_frame user;
    if (!find_llc(g, &user, frame, rte_pktmbuf_data_len(mbuf))) {
        t->wrong_fcs++;
        return;
    }
    if (link->next_nu)
        judge_llc(link, t, &user);
    if (t->has_latency && !(user.llc[LLC_UI_OCTETS] & SNDCP_MORE))
        put_sample(g, t, user.llc + user.llc_octets, now);
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
        bench_gb_peer_take(g->gb_peer, frame, rte_pktmbuf_data_len(mbufs[i]), now);
        rte_pktmbuf_free(mbufs[i]);
    }
    return users;
}

unsigned bench_gb_rx_burst(struct bench_generator *g, struct bench_generator_link *link,
                           struct bench_trial *t, int64_t now)
{
    struct rte_mbuf *mbufs[TAKE_BURST];
    unsigned count = rte_eth_rx_burst(link->gb.id, 0, mbufs, TAKE_BURST);
    bool is_opened = !g->is_testpmd && g->point.cipher == 0 && (link->next_nu || t->has_latency);
    if (g->gb_peer)
        count = sort_out(g, mbufs, count, now);
    for (unsigned i = 0; i < count && is_opened; i++)
        open_frame(g, link, t, mbufs[i], now);
    rte_pktmbuf_free_bulk(mbufs, count);
    t->received += count;
    return count;
}
