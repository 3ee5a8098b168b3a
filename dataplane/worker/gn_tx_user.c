/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gn_tx_user.h"

#include "dataplane/memory/pool.h"
#include "dataplane/wire/gtpu.h"
#include "dataplane/worker/gn_tx.h"
#include "dataplane/worker/inner.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>
#include <string.h>

static void put_tunnel_header(const struct pdp_params *pdp, struct rte_mbuf *mbuf)
{
    struct gtpu gtpu = {
        .type = GTPU_G_PDU, .teid = pdp->ggsn_teid, .payload_octets = rte_pktmbuf_data_len(mbuf)};
    gtpu_encode((uint8_t *)rte_pktmbuf_prepend(mbuf, GTPU_OCTETS), GTPU_OCTETS, &gtpu);
}

static struct pacing_at at_of(struct worker *w, const struct pdp_params *pdp)
{
    const struct ms *ms = &w->context.mobiles[pdp->ms];
    return (struct pacing_at){
        .ms = pdp->ms,
        .bvc = ms->bvc,
        .qclass = pdp->qclass,
        .ms_rate_bps = ms->sched.bucket.rate_bps,
        .bvc_rate_bps = w->context.bvcs[ms->bvc].sched.bucket.rate_bps,
    };
}

bool gn_tx_user_pace_downlink(struct worker *w, const struct pdp_params *pdp, const uint8_t *bytes,
                              uint16_t octets, int64_t now)
{
    struct pacing_at at = at_of(w, pdp);
    return pacing_downlink(w->pacing, &at, bytes, octets, now);
}

static enum drop send_to_ggsn(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *mbuf,
                              int64_t now)
{
    struct gn_way way = {.src_ip = pdp->sgsn_ip, .dst_ip = pdp->ggsn_ip, .dst_port = GTPU_PORT};
    put_tunnel_header(pdp, mbuf);
    enum drop reason = gn_tx_send(w, mbuf, &way, now);
    w->stats.ul_npdu_out += reason == DROP_NONE;
    return reason;
}

/* Its context may have ended while it was held. */
static void send_held(struct worker *w, struct rte_mbuf *mbuf, int64_t now)
{
    const struct n_pdu *record = pool_n_pdu(mbuf);
    const struct pdp *pdp = &w->context.pdps[record->pdp];
    if (pdp->in_use && pdp->generation == record->generation) {
        enum drop reason = send_to_ggsn(w, &pdp->params, mbuf, now);
        w->stats.gb_drops[reason] += reason != DROP_NONE;
        return;
    }
    w->stats.pacing_lost++;
    rte_pktmbuf_free(mbuf);
}

/* True: the N-PDU is held. */
static bool pace_uplink(struct worker *w, const struct pdp_params *params, struct rte_mbuf *mbuf, int64_t now)
{
    struct pacing_at at = at_of(w, params);
    const struct pdp *pdp = (const struct pdp *)(const void *)params;
    struct n_pdu *record = pool_n_pdu(mbuf);
    record->pdp = (uint32_t)(pdp - w->context.pdps);
    record->generation = pdp->generation;
    struct pacing_fate fate = pacing_uplink(w->pacing, &at, rte_pktmbuf_mtod(mbuf, uint8_t *),
                                            rte_pktmbuf_data_len(mbuf), mbuf, now);
    if (fate.first)
        send_held(w, fate.first, now);
    if (fate.ended)
        rte_pktmbuf_free(fate.ended);
    return fate.is_held;
}

static void join(struct rte_mbuf *mbuf, struct rte_mbuf *const *segments, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        uint16_t length = rte_pktmbuf_data_len(segments[i]);
        memcpy(rte_pktmbuf_append(mbuf, length), rte_pktmbuf_mtod(segments[i], uint8_t *), length);
    }
}

enum drop gn_tx_user_send(struct worker *w, const struct pdp_params *pdp, struct rte_mbuf *const *segments,
                          unsigned count, int64_t now)
{
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(w->tx_pool);

    if (!mbuf)
        return DROP_NO_BUFFER;
    join(mbuf, segments, count);
    uint8_t *bytes = rte_pktmbuf_mtod(mbuf, uint8_t *);
    enum drop reason = DROP_NONE;
    if (!w->no_uplink_filter)
        reason =
            inner_judge_uplink(&w->lookup, pdp, bytes, rte_pktmbuf_data_len(mbuf), w->is_any_destination);
    if (reason != DROP_NONE) {
        rte_pktmbuf_free(mbuf);
        return reason;
    }
    if (unlikely(w->pacing) && pace_uplink(w, pdp, mbuf, now))
        return DROP_NONE;
    return send_to_ggsn(w, pdp, mbuf, now);
}

/* --- held ACKs --- */

static void count(struct worker *w)
{
    const struct pacing_stats *stats = pacing_stats_of(w->pacing);
    w->stats.pacing_clamped = stats->clamped;
    w->stats.pacing_implausible = stats->implausible;
    w->stats.pacing_evicted = stats->evicted;
    w->stats.pacing_overflow = stats->overflow;
    w->stats.pacing_held = stats->held;
    w->stats.pacing_merged = stats->merged;
    w->stats.pacing_released = stats->released;
    w->stats.pacing_expired = stats->expired;
    w->stats.pacing_holding = stats->holding;
    w->stats.pacing_hold_ms = stats->hold_ms;
}

unsigned gn_tx_user_release(struct worker *w, int64_t now)
{
    struct rte_mbuf *mbuf;
    unsigned released = 0;
    for (; (mbuf = pacing_release(w->pacing, now)); released++)
        send_held(w, mbuf, now);
    count(w);
    return released;
}

void gn_tx_user_free(struct worker *w)
{
    struct rte_mbuf *mbuf;
    while (w->pacing && (mbuf = pacing_drain(w->pacing, 0)))
        rte_pktmbuf_free(mbuf);
}

static uint32_t class_octets(const void *owner, uint16_t bvc, uint8_t qclass)
{
    const struct worker *w = owner;
    const struct sched_bvc *cell = &w->context.bvcs[bvc].sched;
    return cell->bucket.rate_bps > 0 ? cell->classes[qclass].octets : UINT32_MAX;
}

static uint32_t ms_octets(const void *owner, uint32_t index, int64_t now)
{
    const struct worker *w = owner;
    const struct sched_ms *ms = &w->context.mobiles[index].sched;
    if (ms->bucket.rate_bps == 0)
        return UINT32_MAX;
    uint64_t octets = sched_ms_backlog(&w->context.sched, ms).octets + bucket_level_octets(&ms->bucket, now);
    return octets < UINT32_MAX ? (uint32_t)octets : UINT32_MAX;
}

struct pacing_view gn_tx_user_view(struct worker *w)
{
    return (struct pacing_view){.owner = w, .class_octets = class_octets, .ms_octets = ms_octets};
}
