/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gn_tx_user.h"

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

static void count(struct worker *w)
{
    const struct pacing_stats *stats = pacing_stats_of(w->pacing);
    w->stats.pacing_clamped = stats->clamped;
    w->stats.pacing_implausible = stats->implausible;
    w->stats.pacing_evicted = stats->evicted;
}

void gn_tx_user_pace_downlink(struct worker *w, const struct pdp_params *pdp, const uint8_t *bytes,
                              uint16_t octets, int64_t now)
{
    struct pacing_at at = at_of(w, pdp);
    pacing_downlink(w->pacing, &at, bytes, octets, now);
    count(w);
}

static void pace_uplink(struct worker *w, const struct pdp_params *pdp, uint8_t *bytes, uint16_t octets,
                        int64_t now)
{
    struct pacing_at at = at_of(w, pdp);
    pacing_uplink(w->pacing, &at, bytes, octets, now);
    count(w);
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
    struct gn_way way = {.src_ip = pdp->sgsn_ip, .dst_ip = pdp->ggsn_ip, .dst_port = GTPU_PORT};
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
    if (unlikely(w->pacing))
        pace_uplink(w, pdp, bytes, rte_pktmbuf_data_len(mbuf), now);
    put_tunnel_header(pdp, mbuf);
    reason = gn_tx_send(w, mbuf, &way, now);
    w->stats.ul_npdu_out += reason == DROP_NONE;
    return reason;
}
