/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gn_echo.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/worker.h"

#include <rte_mbuf.h>

bool gn_echo_new(struct gn_echo *e)
{
    return u64_map_new(&e->expected, GN_ECHO_PATHS);
}

void gn_echo_free(struct gn_echo *e)
{
    u64_map_free(&e->expected);
}

static uint64_t key_of(uint32_t ours, uint32_t theirs)
{
    return (uint64_t)ours << 32 | theirs;
}

static void forget(struct gn_echo *e, uint64_t key)
{
    uint32_t seq = u64_map_get(&e->expected, key);
    if (seq != U64_MAP_NONE)
        u64_map_del(&e->expected, key, seq);
}

static void send_request(struct worker *w, const struct msg_path *path, int64_t now)
{
    struct gn_way way = {.src_ip = path->ours,
                         .dst_ip = path->theirs,
                         .dst_port = GTPU_PORT,
                         .tos = marking_signalling(&w->gn_marking),
                         .sent = &w->stats.gn_echo_requests,
                         .unsent = &w->stats.gn_echo_unsent};
    struct rte_mbuf *mbuf = rte_pktmbuf_alloc(w->tx_pool);
    if (mbuf) {
        uint8_t *bytes = rte_pktmbuf_mtod(mbuf, uint8_t *);
        int octets = gtpu_signal_echo_request_encode(bytes, rte_pktmbuf_tailroom(mbuf), path->seq);
        rte_pktmbuf_append(mbuf, (uint16_t)octets);
    }
    if (!mbuf || gn_tx_send(w, mbuf, &way, now) != DROP_NONE)
        w->stats.gn_echo_unsent++;
}

/* -1: too many paths. A request that finds no buffer is lost and counted, as it may be on the wire. */
int gn_echo_order(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    const struct msg_path *path = &msg->path;
    if (u64_map_put(&w->echo.expected, key_of(path->ours, path->theirs), path->seq) < 0)
        return -1;
    if (path->is_to_send)
        send_request(w, path, now);
    return 0;
}

int gn_echo_order_end(struct worker *w, uint32_t index, const struct msg *msg, int64_t now)
{
    forget(&w->echo, key_of(msg->path.ours, msg->path.theirs));
    return 0;
}

enum drop gn_echo_response(struct worker *w, const struct gn_datagram *datagram, const struct gtpu *gtpu)
{
    uint64_t key = key_of(datagram->dst_ip, datagram->src_ip);
    bool is_expected = gtpu->flags & GTPU_S && u64_map_get(&w->echo.expected, key) == gtpu->seq;
    if (!is_expected) {
        w->stats.gn_echo_unexpected++;
        return DROP_GTPU_ECHO_RESPONSE;
    }
    struct msg msg = {.type = MSG_GN_ECHOED,
                      .path = {.ours = datagram->dst_ip, .theirs = datagram->src_ip, .seq = gtpu->seq}};
    if (!msg_put(w->rings.to_control, &msg))
        return DROP_PUNT_FULL;
    forget(&w->echo, key);
    w->stats.gn_echo_answered++;
    return DROP_GTPU_ECHO_RESPONSE;
}
