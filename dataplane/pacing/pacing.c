/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/pacing.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/pacing/constants.h"
#include "dataplane/pacing/ewa.h"
#include "dataplane/pacing/flow.h"
#include "dataplane/pacing/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Clamp of the TCP windows that mobiles advertise, so that a sender does not fill the queue of its mobile.
 *
 * Model (RFC 9293, RFC 7323): for a flow whose handshake passed here, the right edge that the server sees is
 *
 *     edge = max(ACK + W, min(high, top))       never beyond what the mobile advertises
 *     W    = max(1, ceil(A / f / MSS)) MSS
 *     A    = max(2 MSS, w share (ms_target + 7/4 core))
 *
 * high is the end of what the server has sent, top the greatest edge so far: what a server that keeps to its
 * windows has sent stays inside. Else the edge may move back: windows that were given in an idle cell would
 * stay until their last octet. RFC 9293 clause 3.8.6 has senders bear this. A server is taken as one that
 * ignores windows only by data beyond top.
 *
 * w is 8 where R was not full in the last window and no mobile of the class waits for a turn, so that a cell
 * which is not full stays busy, else 1.
 * core is the time from here to the servers and back: from a SYN of the mobile to its answer, or from the
 * mobile's answer to what the server sends next, a mean over the class in the cell. MSS is the mobile's, less
 * the timestamps of each segment where both ends have them. f is the number of the mobile's flows in this or
 * the last window of 2^33 ns, whichever is more, without those that both ends have closed. The share is R of
 * the mobile, but at most the octets that arrived for its class in its cell in the last window, divided by
 * the mobiles that they were for in this window or that, or by those that wait for a turn of the class,
 * whichever is most. R of the cell beyond all that arrived for it counts to the class if it is more than a
 * quarter of R. Flows seen without their handshake, fragments and IPsec are left as they are.
 *
 * An acknowledgement of octets that were not sent to the mobile through here changes nothing. Windows of
 * SYNs, which have no scale, are left.
 *
 * With ewa_octets windows are those of ewa.h.
 *
 * With params.drops_repeated repetitions that the mobile does not need are not sent to it (progress.c). New
 * data of flows that keep to windows of shares is paced: AQM does not judge it. A repetition that passes is
 * not: AQM judges the copies of a sender whose timer is too short.
 *
 * Flows are in sets of PACING_WAYS by a keyed hash; a new flow takes the place of the one in its set that was
 * idle for longest.
 */

#define PACING_WAYS 4

#define IDLE_MS      60000 /* a flow that was silent for longer may be replaced */
#define DEFAULT_MSS  536   /* RFC 9293 clause 3.7.1 */
#define LEAST_MSS    88    /* smaller ones would let W be too small for its scale */
#define MAX_RATE_BPS UINT64_C(1000000000)
#define MAX_W_OCTETS (UINT32_C(1) << 30)
#define BITS_US      UINT64_C(8000000)

struct pacing *pacing_new(const struct pacing_params *params, const struct pacing_limits *limits)
{
    struct pacing *p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    p->params = *params;
    p->sets = (params->flows + PACING_WAYS - 1) / PACING_WAYS;
    p->sets += p->sets == 0;
    p->flows = calloc((size_t)p->sets * PACING_WAYS, sizeof(*p->flows));
    p->users = calloc(limits->mobiles, sizeof(*p->users));
    p->loads = calloc((size_t)limits->cells * PACING_LOADS, sizeof(*p->loads));
    p->means = calloc((size_t)limits->cells * QCLASS_COUNT, sizeof(*p->means));
    p->ewas = params->ewa_octets > 0 ? calloc((size_t)limits->links * QCLASS_COUNT, sizeof(*p->ewas)) : NULL;
    if (p->flows && p->users && p->loads && p->means && (p->ewas || params->ewa_octets == 0))
        return p;
    pacing_free(p);
    return NULL;
}

void pacing_free(struct pacing *p)
{
    if (!p)
        return;
    free(p->flows);
    free(p->users);
    free(p->loads);
    free(p->means);
    free(p->ewas);
    free(p);
}

const struct pacing_stats *pacing_stats_of(const struct pacing *p)
{
    return &p->stats;
}

/* --- table --- */

void pacing_ms_left(struct pacing *p, uint32_t ms)
{
    p->users[ms].left++;
}

void pacing_ms_lost(struct pacing *p, uint32_t ms, bool is_other)
{
    p->users[ms].lost += !is_other || p->ewas;
}

static uint64_t word_at(const uint8_t *octets)
{
    uint64_t word;
    memcpy(&word, octets, sizeof(word));
    return word;
}

/* Of one connection, equal in both directions. */
static uint64_t hash_of(const struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                        const struct tcp *tcp, bool is_up)
{
    unsigned octets = packet[0] >> 4 == 4 ? 4 : 16, from = packet[0] >> 4 == 4 ? 12 : 8;
    const uint8_t *src = packet + from, *dst = src + octets;
    uint8_t ends[32] = {0};
    uint16_t ports[] = {is_up ? tcp->src_port : tcp->dst_port, is_up ? tcp->dst_port : tcp->src_port};
    memcpy(ends, is_up ? src : dst, octets);
    memcpy(ends + octets, is_up ? dst : src, octets);
    uint64_t generation = at->generation + p->users[at->ms].left;
    uint64_t hash = ((uint64_t)at->ms << 32 | (uint32_t)ports[0] << 16 | ports[1]) ^ generation << 44;
    for (unsigned i = 0; i < 2 * octets; i += 8)
        hash = siphash_u64(&p->params.key, hash) ^ word_at(ends + i);
    return siphash_u64(&p->params.key, hash);
}

static struct pacing_flow *set_of(const struct pacing *p, uint64_t hash)
{
    return &p->flows[((hash >> 32) * p->sets >> 32) * PACING_WAYS];
}

static struct pacing_flow *pacing_find(const struct pacing *p, uint64_t hash)
{
    struct pacing_flow *set = set_of(p, hash);
    for (unsigned i = 0; i < PACING_WAYS; i++)
        if (set[i].phase != PACING_FREE && set[i].hash == hash)
            return &set[i];
    return NULL;
}

static bool is_better(const struct pacing_flow *flow, const struct pacing_flow *best)
{
    if (best && best->phase == PACING_FREE)
        return false;
    return !best || flow->phase == PACING_FREE || (int32_t)(flow->used_ms - best->used_ms) < 0;
}

/* An emptied flow: its own place, a free one, or that of the one which was idle for longest. */
static struct pacing_flow *pacing_take(struct pacing *p, uint64_t hash, int64_t now)
{
    struct pacing_flow *set = set_of(p, hash), *best = pacing_find(p, hash);
    for (unsigned i = 0; i < PACING_WAYS && (!best || best->hash != hash); i++)
        if (is_better(&set[i], best))
            best = &set[i];
    p->stats.evicted +=
        best->phase != PACING_FREE && best->hash != hash && pacing_ms_of(now) - best->used_ms < IDLE_MS;
    *best = (struct pacing_flow){
        .hash = hash, .used_ms = pacing_ms_of(now), .mark_ms = pacing_ms_of(now), .mss = DEFAULT_MSS};
    return best;
}

/* --- handshake --- */

static void take_options(struct pacing_flow *flow, const struct tcp_options *options)
{
    if (options->mss > 0)
        flow->mss = options->mss > LEAST_MSS ? options->mss : LEAST_MSS;
    flow->scale = options->scale;
    flow->has_scale = options->has_scale;
}

/* Both ends have said whether their segments have timestamps. Windows of whole MSSs with these would end with
 * a segment of 12 octets, which some senders send. */
static void agree(struct pacing_flow *flow, bool has_timestamps)
{
    flow->phase = PACING_KNOWN;
    flow->doubt = flow->high;
    if (flow->has_timestamps && has_timestamps)
        flow->mss = (uint16_t)(flow->mss - TCP_TIMESTAMPS_OCTETS);
}

/* The server's answer to the mobile's SYN, or to the mobile's answer. A repeated SYN is mostly one whose
 * answer takes longer than the mobile's timeout: the first one is timed. */
static void time_core(struct pacing *p, struct pacing_flow *flow, const struct pacing_segment *by)
{
    pacing_progress_sample(&pacing_means_of(p, by->at)->core_us, pacing_ms_of(by->now) - flow->mark_ms,
                           PACING_CORE_MOST_MS);
    flow->is_core_timed = false;
}

/* Of a SYN. False: the segments are signed, and stay as they are. */
static bool read_options(struct tcp_options *out, const struct pacing_segment *syn)
{
    tcp_options_decode(out, syn->packet, &syn->tcp);
    return !out->is_signed;
}

/* A connection that is paced no longer. */
static void pacing_end(struct pacing_flow *flow)
{
    flow->phase = PACING_FREE;
}

/* A SYN of the mobile begins a flow. It may come again with fewer options. */
static void begin_up(struct pacing *p, struct pacing_flow *flow, const struct pacing_segment *syn,
                     const struct tcp_options *options)
{
    flow = flow ? flow : pacing_take(p, syn->hash, syn->now);
    take_options(flow, options);
    flow->has_timestamps = options->has_timestamps;
    flow->phase = PACING_SYN_UP;
    flow->used_ms = pacing_ms_of(syn->now) - IDLE_MS / 2; /* flows in use outlive a flood */
    flow->syn = syn->tcp.seq;
    flow->high = syn->tcp.seq + 1;
}

/* The mobile's answer to a SYN. */
static void answer_up(struct pacing_flow *flow, const struct pacing_segment *syn,
                      const struct tcp_options *options)
{
    bool is_scaled = flow->has_scale;
    take_options(flow, options);
    flow->scale = is_scaled && flow->has_scale ? flow->scale : 0;
    agree(flow, options->has_timestamps);
    flow->syn = syn->tcp.seq;
    flow->top = syn->tcp.ack + syn->tcp.window;
    flow->has_top = true;
    flow->mark_ms = pacing_ms_of(syn->now);
    flow->is_core_timed = true;
}

/* A SYN of the mobile, or its answer to one. Another number is that of another connection. The same SYN comes
 * again when a round trip takes longer than the mobile's timeout. */
static void syn_up(struct pacing *p, const struct pacing_segment *syn)
{
    const struct tcp *tcp = &syn->tcp;
    struct pacing_flow *flow = pacing_find(p, syn->hash);
    struct tcp_options options;
    bool is_signed = !read_options(&options, syn), is_again = flow && flow->syn == tcp->seq;
    bool is_known = is_again && flow->phase == PACING_KNOWN;
    bool is_answer = flow && flow->phase == PACING_SYN_DOWN && tcp->flags & TCP_ACK && tcp->ack == flow->high;
    is_again = is_again && flow->phase == PACING_SYN_UP && !is_signed;
    if (flow && (is_signed || (!is_known && !is_answer && !is_again)))
        pacing_end(flow);
    if (is_signed || is_known)
        return;
    if (!(tcp->flags & TCP_ACK))
        begin_up(p, is_again ? flow : NULL, syn, &options);
    else if (is_answer)
        answer_up(flow, syn, &options);
}

/* A forged SYN does not end a flow in use. */
static void syn_down(struct pacing *p, const struct pacing_segment *syn)
{
    const struct tcp *tcp = &syn->tcp;
    struct pacing_flow *flow = pacing_find(p, syn->hash);
    struct tcp_options options;
    if (!read_options(&options, syn))
        return;
    if (!(tcp->flags & TCP_ACK)) {
        bool is_used = flow && pacing_ms_of(syn->now) - flow->used_ms < IDLE_MS;
        if (flow && flow->phase == PACING_KNOWN && is_used)
            return;
        flow = pacing_take(p, syn->hash, syn->now);
        flow->phase = PACING_SYN_DOWN;
        flow->used_ms -= IDLE_MS / 2; /* flows that are in use outlive a flood of SYNs */
        flow->has_scale = options.has_scale;
        flow->has_timestamps = options.has_timestamps;
        flow->high = tcp->seq + 1;
    } else if (flow && flow->phase == PACING_SYN_UP && tcp->ack == flow->high) {
        flow->scale = options.has_scale ? flow->scale : 0;
        flow->high = pacing_progress_end_of(tcp) + 1; /* a SYN is a number, and may have data */
        agree(flow, options.has_timestamps);
        time_core(p, flow, syn);
    }
}

static bool is_paced(const struct pacing *p, const struct pacing_at *at)
{
    return p->params.classes >> at->qclass & 1;
}

/* The flow of a fragment or of a packet with extension headers, which cannot be paced with those that can:
 * the server would see edges of both. NULL: none. */
static struct pacing_flow *find_opaque(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                       size_t octets, bool is_up)
{
    struct tcp tcp;
    return tcp_find(&tcp, packet, octets) ? pacing_find(p, hash_of(p, at, packet, &tcp, is_up)) : NULL;
}

/* --- to the mobile --- */

/* A FIN at the end of the octets sent so far, or beyond a part of them. Others may be forged. */
static bool is_last(const struct pacing_flow *flow, const struct tcp *tcp)
{
    return tcp->flags & TCP_FIN && (int32_t)(tcp->seq - flow->high) <= 0 &&
           (int32_t)(pacing_progress_end_of(tcp) - flow->high) >= 0;
}

/* A flow that both ends have closed counts no longer, and may lose its place at once. */
static void touch(struct pacing *p, struct pacing_flow *flow, const struct pacing_segment *by, bool is_up)
{
    bool was_closed = flow->has_fin_up && flow->has_fin_down;
    flow->has_fin_up |= is_up && by->tcp.flags & TCP_FIN;
    flow->has_fin_down |= !is_up && is_last(flow, &by->tcp);
    bool is_closed = flow->has_fin_up && flow->has_fin_down;
    flow->used_ms = pacing_ms_of(by->now) - (is_closed ? IDLE_MS : 0);
    if (is_closed && !was_closed)
        pacing_uncount_flow(p, flow, by->at->ms, by->now);
}

/* The server does not keep to the windows that it has seen. */
static bool is_beyond(const struct pacing_flow *flow, const struct tcp *tcp)
{
    return flow->has_top && (int32_t)(tcp->seq + tcp->data_octets - flow->top) > 0;
}

/* A segment of a known flow passes. */
static enum pacing_downlink_fate fate_of(struct pacing *p, struct pacing_flow *flow,
                                         const struct pacing_segment *by)
{
    bool is_first = by->tcp.data_octets > 0 && !pacing_progress_is_again(flow, &by->tcp);
    touch(p, flow, by, false);
    pacing_progress_down(flow, &by->tcp, by->now);
    pacing_count_flow(p, flow, by->at->ms, by->now);
    if (is_beyond(flow, &by->tcp)) {
        flow->doubt = flow->high; /* AQM may drop it, and tells no flow */
        return PACING_DOWNLINK_OTHER;
    }
    return is_first && !p->ewas ? PACING_DOWNLINK_PACED : PACING_DOWNLINK_OTHER;
}

enum pacing_downlink_fate pacing_downlink(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                          size_t octets, int64_t now)
{
    struct pacing_segment by = {.at = at, .packet = packet, .now = now};
    pacing_turn_cell(p, at->bvc, now);
    if (!is_paced(p, at))
        return PACING_DOWNLINK_OTHER;
    if (!tcp_decode(&by.tcp, packet, octets)) {
        struct pacing_flow *opaque = find_opaque(p, at, packet, octets, false);
        if (opaque)
            opaque->is_opaque = true;
        pacing_count_octets(p, at, octets, true, now);
        return PACING_DOWNLINK_OTHER;
    }
    by.hash = hash_of(p, at, packet, &by.tcp, false);
    struct pacing_flow *flow = by.tcp.flags & TCP_SYN ? NULL : pacing_find(p, by.hash);
    bool is_known = flow && flow->phase == PACING_KNOWN;
    if (is_known) {
        if (flow->is_core_timed)
            time_core(p, flow, &by);
        pacing_progress_look(p, flow, at);
        if (p->params.drops_repeated && pacing_progress_is_repeated(p, flow, &by)) {
            p->stats.repeated++;
            return PACING_DOWNLINK_REPEATED;
        }
    }
    pacing_count_octets(p, at, octets, by.tcp.data_octets > 0, now);
    if (by.tcp.flags & TCP_SYN)
        syn_down(p, &by);
    else if (flow && !is_known) /* the handshake ended unseen */
        pacing_end(flow);
    return is_known ? fate_of(p, flow, &by) : PACING_DOWNLINK_OTHER;
}

/* --- clamp --- */

static uint32_t octets_by_share(struct pacing *p, const struct pacing_at *at, const struct pacing_flow *flow,
                                int64_t now)
{
    uint64_t rate_bps = pacing_share_bps(p, at, now);
    rate_bps = rate_bps < MAX_RATE_BPS ? rate_bps : MAX_RATE_BPS;
    uint64_t core_us = pacing_means_of(p, at)->core_us;
    uint64_t time_us = (uint64_t)p->params.ms_target_ns / 1000 + PACING_CORE_QUARTERS * core_us / 4;
    if (pacing_is_idle(p, at))
        time_us *= PACING_WIDE;
    uint64_t octets = rate_bps * time_us / BITS_US, least = (uint64_t)PACING_LEAST_SEGMENTS * flow->mss;
    uint64_t unit = (uint64_t)pacing_flows_of(p, at->ms, now) * flow->mss;
    octets = ((octets > least ? octets : least) + unit - 1) / unit * flow->mss;
    return octets < MAX_W_OCTETS ? (uint32_t)octets : MAX_W_OCTETS;
}

static uint32_t window_octets(struct pacing *p, const struct pacing_at *at, const struct pacing_flow *flow,
                              int64_t now)
{
    if (!p->ewas)
        return octets_by_share(p, at, flow, now);
    const struct pacing_view *view = &p->params.view;
    struct ewa *ewa = &p->ewas[(size_t)at->link * QCLASS_COUNT + at->qclass];
    uint64_t q_octets = view->buffer_octets(view->owner, at->link, at->qclass);
    return (uint32_t)ewa_window_octets(ewa, q_octets, p->params.ewa_octets, flow->mss, now);
}

static void clamp(struct pacing *p, struct pacing_flow *flow, uint32_t w_octets, uint8_t *packet,
                  const struct tcp *tcp)
{
    uint32_t mobiles = tcp->ack + ((uint32_t)tcp->window << flow->scale), edge = tcp->ack + w_octets;
    uint32_t sent = (int32_t)(flow->high - flow->top) > 0 ? flow->top : flow->high;
    if (flow->has_top && (int32_t)(sent - edge) > 0)
        edge = sent;
    if ((int32_t)(mobiles - edge) > 0) {
        uint32_t window = (edge - tcp->ack + (1U << flow->scale) - 1) >> flow->scale;
        edge = tcp->ack + (window << flow->scale);
        p->stats.clamped += window != tcp->window;
        if (window != tcp->window)
            tcp_put_window(packet, tcp, (uint16_t)window);
    } else {
        edge = mobiles;
    }
    if (!flow->has_top || (int32_t)(edge - flow->top) > 0)
        flow->top = edge;
    flow->has_top = true;
}

static bool has_sack(const uint8_t *packet, const struct tcp *tcp)
{
    struct tcp_options options;
    tcp_options_decode(&options, packet, tcp);
    return options.has_sack;
}

void pacing_uplink(struct pacing *p, const struct pacing_at *at, uint8_t *packet, size_t octets, int64_t now)
{
    struct pacing_segment by = {.at = at, .packet = packet, .now = now};
    if (!is_paced(p, at))
        return;
    if (!tcp_decode(&by.tcp, packet, octets)) {
        struct pacing_flow *opaque = find_opaque(p, at, packet, octets, true);
        if (opaque)
            pacing_end(opaque);
        return;
    }
    by.hash = hash_of(p, at, packet, &by.tcp, true);
    if (by.tcp.flags & TCP_SYN) {
        syn_up(p, &by);
        return;
    }
    struct pacing_flow *flow = pacing_find(p, by.hash);
    if (!flow || (by.tcp.flags & TCP_RST) || !(by.tcp.flags & TCP_ACK))
        return;
    if (flow->is_opaque || flow->phase != PACING_KNOWN) { /* or the other SYN was not seen here */
        pacing_end(flow);
        return;
    }
    int32_t behind = (int32_t)(flow->high - by.tcp.ack);
    if (behind < 0 || behind > (int32_t)MAX_W_OCTETS) {
        p->stats.implausible++;
        return;
    }
    pacing_count_flow(p, flow, at->ms, now);
    bool has_blocks = has_sack(packet, &by.tcp);
    clamp(p, flow, window_octets(p, at, flow, now), packet, &by.tcp);
    touch(p, flow, &by, true);
    pacing_progress_heard(p, flow, &by, has_blocks);
}
