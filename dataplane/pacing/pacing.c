/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/pacing.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/pacing/ewa.h"
#include "dataplane/pacing/hold.h"
#include "dataplane/pacing/room.h"

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
 *     edge = max(edge, ACK + W)       never back, and never beyond what the mobile advertises
 *     W    = max(1, ceil(A / f / MSS)) MSS
 *     A    = max(2 MSS, w share (2/3 ms_target + 7/4 core))
 *
 * w is 1 while ACKs of the class wait in the cell, else 2, or 8 if more than a quarter of R of the cell is
 * left: ACKs may be long on their way up behind data of the mobile. core is the time from here to the servers
 * and back: from a SYN of the mobile to its answer, or from the mobile's answer to what the server sends
 * next, a mean over the class in the cell. MSS is the mobile's, less the timestamps of each segment where
 * both ends have them. f is the number of the mobile's flows in this or the last window of 2^32 ns, whichever
 * is more, without those that both ends have closed. The share is R of the mobile, but at most the octets
 * that arrived for its class in its cell in the last window, divided by the mobiles that they were for. R of
 * the cell beyond all that arrived for it counts to the class if it is more than a quarter of R. Flows seen
 * without their handshake, fragments and IPsec are left as they are.
 *
 * An acknowledgement of octets that were not sent to the mobile through here changes nothing. Windows of
 * SYNs, which have no scale, are left.
 *
 * With params.holds ACKs are held: a segment that only acknowledges octets that no passed ACK did (no data,
 * no flag but ACK and PSH, no SACK blocks, window not 0) waits, and the newest of a flow replaces an older
 * one. A segment that passes with the number of the held one, or a later one, ends it; a second ACK with the
 * same number and window passes behind the first. An ACK of mobile m in class k of a cell passes while
 *
 *     own + permitted < max(2 packets, share (ms_target + (core - 100 ms) / 2))  octets of m, here and in the
 * BSS queued + permitted < room                                                octets of k in the cell
 *
 * permitted are the octets that the last passed ACKs acknowledged, until data arrives for them or 5/4 core +
 * 100 ms end. Next is the mobile with the least start tag, in octets that it was permitted, then its flow
 * with the least tag. Tags are never lowered. A mobile whose start tag in the scheduler lags behind the
 * virtual time of its class by the credit needs no room of its class, as long as less than two packets of it
 * are queued or permitted: others of its class, whose packets cannot be paced, take what it leaves.
 *
 * The room is the least with which the class does not run empty, as dynamic queue limits have it for a
 * transmit ring (Herbert 2011). At the end of an interval of core or 100 ms with held ACKs a class that was
 * empty at more than a tenth of the ticks gets an eighth more; else it gives back what it never used, at most
 * a fiftieth. Rooms are tested when an ACK arrives, and every 5 ms.
 *
 * With ewa_octets windows are those of ewa.h.
 *
 * A downlink segment is a repetition that the mobile does not need if a held ACK acknowledges its data; or,
 * with params.drops_repeated, if all of its octets went to the mobile and can still be acknowledged: they
 * were not dropped here or in the BSS, the mobile has neither sent a duplicate ACK or SACK block since nor
 * changed its cell, and the last progress of the flow is younger than twice the time from data to its ACK, a
 * mean over the class in the cell, and younger than a second if that is more.
 *
 * Flows are in sets of PACING_WAYS by a keyed hash; a new flow takes the place of the one in its set that was
 * idle for longest.
 */

#define PACING_WAYS 4

#define IDLE_MS        60000 /* a flow that was silent for longer may be replaced */
#define DEFAULT_MSS    536   /* RFC 9293 clause 3.7.1 */
#define LEAST_MSS      88    /* smaller ones would let W be too small for its scale */
#define ADVANCE_OCTETS (1 << 24)
#define MAX_RATE_BPS   UINT64_C(1000000000)
#define MAX_W_OCTETS   (UINT32_C(1) << 30)
#define BITS_US        UINT64_C(8000000)
/* Of times that are measured, or one server or mobile would set those of all. */
#define CORE_MOST_MS    4000
#define DOWN_MOST_MS    15000
#define REPEAT_LEAST_MS 1000 /* after which a repetition passes */

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
    p->groups = calloc((size_t)limits->cells * QCLASS_COUNT, sizeof(*p->groups));
    p->ewas = params->ewa_octets > 0 ? calloc((size_t)limits->links * QCLASS_COUNT, sizeof(*p->ewas)) : NULL;
    if (p->flows && p->users && p->loads && p->groups && (p->ewas || params->ewa_octets == 0) &&
        pacing_turns_new(p, limits))
        return p;
    pacing_free(p);
    return NULL;
}

void pacing_free(struct pacing *p)
{
    if (!p)
        return;
    pacing_turns_free(p);
    free(p->flows);
    free(p->users);
    free(p->loads);
    free(p->groups);
    free(p->ewas);
    free(p);
}

const struct pacing_stats *pacing_stats_of(const struct pacing *p)
{
    return &p->stats;
}

unsigned pacing_hold_bin(int64_t hold_ns)
{
    uint32_t ms = (uint32_t)(hold_ns / MS_NS);
    if (ms < PACING_HOLD_STEPS)
        return ms;
    unsigned octave = 31U - (unsigned)__builtin_clz(ms) - PACING_HOLD_BITS;
    unsigned bin = (octave + 1) * PACING_HOLD_STEPS + (ms >> octave) % PACING_HOLD_STEPS;
    return bin < PACING_HOLDS ? bin : PACING_HOLDS - 1;
}

int64_t pacing_hold_of_bin(unsigned bin)
{
    if (bin < PACING_HOLD_STEPS)
        return (int64_t)(bin + 1) * MS_NS;
    unsigned octave = bin / PACING_HOLD_STEPS - 1;
    return (int64_t)(PACING_HOLD_STEPS + bin % PACING_HOLD_STEPS + 1) * MS_NS << octave;
}

/* --- table --- */

void pacing_ms_left(struct pacing *p, uint32_t ms)
{
    p->users[ms].left++;
}

void pacing_ms_lost(struct pacing *p, uint32_t ms)
{
    p->users[ms].lost++;
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
    if (flow->held || (best && best->phase == PACING_FREE))
        return false;
    return !best || flow->phase == PACING_FREE || (int32_t)(flow->used_ms - best->used_ms) < 0;
}

/* An emptied flow: its own place, a free one, or that of the one which was idle for longest. NULL: the ACKs
 * of all are held. */
static struct pacing_flow *pacing_take(struct pacing *p, uint64_t hash, int64_t now)
{
    struct pacing_flow *set = set_of(p, hash), *best = pacing_find(p, hash);
    for (unsigned i = 0; i < PACING_WAYS && (!best || best->hash != hash); i++)
        if (is_better(&set[i], best))
            best = &set[i];
    if (!best) {
        p->stats.overflow++;
        return NULL;
    }
    p->stats.evicted +=
        best->phase != PACING_FREE && best->hash != hash && pacing_ms_of(now) - best->used_ms < IDLE_MS;
    pacing_turns_forget(p, best);
    *best = (struct pacing_flow){
        .hash = hash, .used_ms = pacing_ms_of(now), .mark_ms = pacing_ms_of(now), .mss = DEFAULT_MSS};
    return best;
}

/* --- handshake --- */

/* A TCP segment: where it belongs, its connection, its arrival. */
struct segment {
    const struct pacing_at *at;
    const uint8_t *packet;
    struct tcp tcp;
    uint64_t hash;
    int64_t now;
};

#define MEAN_PART 8 /* of a sample in a mean */

static void add_sample(uint32_t *mean_us, uint32_t sample_ms, uint32_t most_ms)
{
    uint32_t sample_us = (sample_ms < most_ms ? sample_ms : most_ms) * 1000;
    sample_us += sample_us == 0; /* 0: not measured */
    *mean_us = *mean_us == 0 ? sample_us : *mean_us - *mean_us / MEAN_PART + sample_us / MEAN_PART;
}

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
static void time_core(struct pacing *p, struct pacing_flow *flow, const struct segment *by)
{
    add_sample(&pacing_group_of(p, by->at)->core_us, pacing_ms_of(by->now) - flow->mark_ms, CORE_MOST_MS);
    flow->is_core_timed = false;
}

/* Of a SYN. False: the segments are signed, and stay as they are. */
static bool read_options(struct tcp_options *out, const struct segment *syn)
{
    tcp_options_decode(out, syn->packet, &syn->tcp);
    return !out->is_signed;
}

/* A connection that is paced no longer. Its held ACK goes before the segment that ends it. */
static struct pacing_fate pacing_end(struct pacing *p, struct pacing_flow *flow, int64_t now)
{
    struct pacing_fate fate = {.first = pacing_hold_end(p, flow, now)};
    pacing_turns_forget(p, flow);
    flow->phase = PACING_FREE;
    return fate;
}

/* A SYN of the mobile begins a flow, if that has a place. It may come again with fewer options. */
static void begin_up(struct pacing *p, struct pacing_flow *flow, const struct segment *syn,
                     const struct tcp_options *options)
{
    flow = flow ? flow : pacing_take(p, syn->hash, syn->now);
    if (!flow)
        return;
    take_options(flow, options);
    flow->has_timestamps = options->has_timestamps;
    flow->phase = PACING_SYN_UP;
    flow->syn = syn->tcp.seq;
    flow->high = syn->tcp.seq + 1;
}

/* The mobile's answer to a SYN. */
static void answer_up(struct pacing_flow *flow, const struct segment *syn, const struct tcp_options *options)
{
    bool is_scaled = flow->has_scale;
    take_options(flow, options);
    flow->scale = is_scaled && flow->has_scale ? flow->scale : 0;
    agree(flow, options->has_timestamps);
    flow->syn = syn->tcp.seq;
    flow->edge = syn->tcp.ack + syn->tcp.window;
    flow->has_edge = true;
    flow->mark_ms = pacing_ms_of(syn->now);
    flow->is_core_timed = true;
}

/* A SYN of the mobile, or its answer to one. Another number is that of another connection. The same SYN comes
 * again when a round trip takes longer than the mobile's timeout. */
static struct pacing_fate syn_up(struct pacing *p, const struct segment *syn)
{
    struct pacing_fate fate = {0};
    const struct tcp *tcp = &syn->tcp;
    struct pacing_flow *flow = pacing_find(p, syn->hash);
    struct tcp_options options;
    bool is_signed = !read_options(&options, syn), is_again = flow && flow->syn == tcp->seq;
    bool is_known = is_again && flow->phase == PACING_KNOWN;
    bool is_answer = flow && flow->phase == PACING_SYN_DOWN && tcp->flags & TCP_ACK && tcp->ack == flow->high;
    is_again = is_again && flow->phase == PACING_SYN_UP && !is_signed;
    if (flow && (is_signed || (!is_known && !is_answer && !is_again)))
        fate = pacing_end(p, flow, syn->now);
    if (is_signed || is_known)
        return fate;
    if (!(tcp->flags & TCP_ACK))
        begin_up(p, is_again ? flow : NULL, syn, &options);
    else if (is_answer)
        answer_up(flow, syn, &options);
    return fate;
}

/* A forged SYN does not end a flow in use. */
static void syn_down(struct pacing *p, const struct segment *syn)
{
    const struct tcp *tcp = &syn->tcp;
    struct pacing_flow *flow = pacing_find(p, syn->hash);
    struct tcp_options options;
    if (!read_options(&options, syn))
        return;
    if (!(tcp->flags & TCP_ACK)) {
        bool is_used = flow && pacing_ms_of(syn->now) - flow->used_ms < IDLE_MS;
        if (flow && (flow->held || (flow->phase == PACING_KNOWN && is_used)))
            return;
        flow = pacing_take(p, syn->hash, syn->now);
        if (!flow)
            return;
        flow->phase = PACING_SYN_DOWN;
        flow->used_ms -= IDLE_MS / 2; /* flows that are in use outlive a flood of SYNs */
        flow->has_scale = options.has_scale;
        flow->has_timestamps = options.has_timestamps;
        flow->high = tcp->seq + 1;
    } else if (flow && flow->phase == PACING_SYN_UP && tcp->ack == flow->high) {
        flow->scale = options.has_scale ? flow->scale : 0;
        flow->high = tcp->seq + 1;
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

/* Octets that the mobile has lost since the flow last looked may be of the flow. */
static void look_for_losses(struct pacing *p, struct pacing_flow *flow, const struct pacing_at *at)
{
    struct pacing_user *user = &p->users[at->ms];
    user->lost = (uint16_t)(user->lost + (user->bvc != at->bvc));
    user->bvc = at->bvc;
    if (flow->lost == user->lost)
        return;
    flow->lost = user->lost;
    flow->doubt = flow->high;
}

/* All of its data went to the mobile and can still be acknowledged. */
static bool is_repeated(const struct pacing *p, const struct pacing_flow *flow, const struct segment *by)
{
    const struct tcp *tcp = &by->tcp;
    uint32_t end = tcp->seq + tcp->data_octets, down_ms = pacing_group_of(p, by->at)->down_us / 500;
    uint32_t most_ms = down_ms > REPEAT_LEAST_MS ? down_ms : REPEAT_LEAST_MS;
    return flow->has_acked && tcp->data_octets > 0 &&
           !(tcp->flags & (TCP_SYN | TCP_FIN | TCP_RST | TCP_URG)) && (int32_t)(end - flow->acked) > 0 &&
           (int32_t)(flow->high - end) >= 0 && (int32_t)(tcp->seq - flow->doubt) >= 0 &&
           pacing_ms_of(by->now) - flow->progress_ms < most_ms;
}

/* A FIN at the end of the octets sent so far, or beyond a part of them. Others may be forged. */
static bool is_last(const struct pacing_flow *flow, const struct tcp *tcp)
{
    uint32_t end = tcp->seq + tcp->data_octets + 1;
    return tcp->flags & TCP_FIN && (int32_t)(tcp->seq - flow->high) <= 0 && (int32_t)(end - flow->high) >= 0;
}

/* A flow that both ends have closed counts no longer, and may lose its place at once. */
static void touch(struct pacing *p, struct pacing_flow *flow, const struct segment *by, bool is_up)
{
    bool was_closed = flow->has_fin_up && flow->has_fin_down;
    flow->has_fin_up |= is_up && by->tcp.flags & TCP_FIN;
    flow->has_fin_down |= !is_up && is_last(flow, &by->tcp);
    bool is_closed = flow->has_fin_up && flow->has_fin_down;
    flow->used_ms = pacing_ms_of(by->now) - (is_closed ? IDLE_MS : 0);
    if (is_closed && !was_closed)
        pacing_uncount_flow(p, flow, by->at->ms, by->now);
}

/* A segment of a known flow that goes to the mobile. */
static void passed_down(struct pacing *p, struct pacing_flow *flow, const struct segment *by)
{
    const struct tcp *tcp = &by->tcp;
    int32_t ahead = (int32_t)(tcp->seq + tcp->data_octets + (tcp->flags & TCP_FIN) - flow->high);
    touch(p, flow, by, false);
    if (ahead <= 0 || ahead >= ADVANCE_OCTETS) {
        flow->has_mark =
            flow->has_mark && tcp->data_octets == 0; /* what it times may be acknowledged twice */
        return;
    }
    if ((int32_t)(tcp->seq - flow->high) > 0)
        flow->doubt = tcp->seq; /* octets of the gap have not come here */
    flow->high += (uint32_t)ahead;
    flow->progress_ms = pacing_ms_of(by->now);
    if (flow->has_mark)
        return;
    flow->has_mark = true;
    flow->mark = flow->high;
    flow->mark_ms = flow->progress_ms;
}

/* The server does not keep to the windows that it has seen: its queue is not that of held ACKs. */
static bool is_beyond(const struct pacing *p, const struct pacing_flow *flow, const struct tcp *tcp)
{
    return !p->params.no_clamp && flow->has_edge && (int32_t)(tcp->seq + tcp->data_octets - flow->edge) > 0;
}

enum pacing_downlink_fate pacing_downlink(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                          size_t octets, int64_t now)
{
    struct segment by = {.at = at, .packet = packet, .now = now};
    pacing_count_arrived(p, at, octets, now);
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
        look_for_losses(p, flow, at);
        bool is_again = p->params.drops_repeated && is_repeated(p, flow, &by);
        if (is_again || pacing_hold_covers(flow, &by.tcp)) {
            p->stats.repeated++;
            return PACING_DOWNLINK_REPEATED;
        }
    }
    pacing_count_octets(p, at, octets, by.tcp.data_octets > 0, now);
    if (by.tcp.flags & TCP_SYN)
        syn_down(p, &by);
    else if (flow && !is_known) /* the handshake ended unseen */
        (void)pacing_end(p, flow, now);
    if (!is_known)
        return PACING_DOWNLINK_OTHER;
    passed_down(p, flow, &by);
    pacing_count_flow(p, flow, at->ms, now);
    if (!p->holders || by.tcp.data_octets == 0 || is_beyond(p, flow, &by.tcp))
        return PACING_DOWNLINK_OTHER;
    pacing_turns_arrived(p, flow, at, by.tcp.data_octets);
    return PACING_DOWNLINK_PACED;
}

/* --- clamp --- */

#define WIDE   2 /* windows while no ACK of the class waits */
#define WIDEST 8 /* and the cell is not full: ACKs may wait behind the mobile's own uploads */

static uint32_t octets_by_share(struct pacing *p, const struct pacing_at *at, const struct pacing_flow *flow,
                                int64_t now)
{
    const struct pacing_group *group = pacing_group_of(p, at);
    uint64_t rate_bps = pacing_share_bps(p, at, now);
    rate_bps = rate_bps < MAX_RATE_BPS ? rate_bps : MAX_RATE_BPS;
    uint64_t time_us = (uint64_t)p->params.ms_target_ns / 1500 + UINT64_C(7) * group->core_us / 4;
    if (p->holders && group->head == UINT32_MAX)
        time_us *= pacing_has_left(p, at, now) ? WIDEST : WIDE;
    uint64_t octets = rate_bps * time_us / BITS_US, least = UINT64_C(2) * flow->mss;
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

/* w_octets: 0 if the edge must not move, as an ACK is held whose edge is flow->edge. */
static void clamp(struct pacing *p, struct pacing_flow *flow, uint32_t w_octets, uint8_t *packet,
                  const struct tcp *tcp)
{
    uint32_t mobiles = tcp->ack + ((uint32_t)tcp->window << flow->scale), edge = tcp->ack + w_octets;
    if (flow->has_edge && (int32_t)(flow->edge - edge) > 0)
        edge = flow->edge;
    if ((int32_t)(mobiles - edge) > 0) {
        uint32_t window = (edge - tcp->ack + (1U << flow->scale) - 1) >> flow->scale;
        edge = tcp->ack + (window << flow->scale);
        p->stats.clamped += window != tcp->window;
        if (window != tcp->window)
            tcp_put_window(packet, tcp, (uint16_t)window);
    } else {
        edge = mobiles;
    }
    /* Not by what is only the unit of the scale, or late ACKs move it on and on. */
    if (w_octets > 0 && (!flow->has_edge || (int32_t)(edge - flow->edge) > 0))
        flow->edge = edge;
    flow->has_edge = true;
}

static bool has_sack(const uint8_t *packet, const struct tcp *tcp)
{
    struct tcp_options options;
    tcp_options_decode(&options, packet, tcp);
    return options.has_sack;
}

/* An ACK tells which data has arrived, and whether some is missing. */
static void heard(struct pacing *p, struct pacing_flow *flow, const struct segment *by, bool has_sack)
{
    uint32_t ack = by->tcp.ack, now_ms = pacing_ms_of(by->now);
    bool is_new = !flow->has_acked || (int32_t)(ack - flow->acked) > 0;
    bool is_twice = flow->has_acked && ack == flow->acked && by->tcp.data_octets == 0;
    touch(p, flow, by, true);
    if (has_sack || (is_twice && ack != flow->high))
        flow->doubt = flow->high;
    if (!is_new)
        return;
    if (flow->has_mark && (int32_t)(ack - flow->mark) >= 0) {
        add_sample(&pacing_group_of(p, by->at)->down_us, now_ms - flow->mark_ms, DOWN_MOST_MS);
        flow->has_mark = false;
    }
    flow->doubt = (int32_t)(flow->doubt - ack) > 0 ? flow->doubt : ack;
    flow->progress_ms = now_ms;
    flow->acked = ack;
    flow->has_acked = true;
}

struct pacing_fate pacing_uplink(struct pacing *p, const struct pacing_at *at, uint8_t *packet, size_t octets,
                                 void *buffer, int64_t now)
{
    struct pacing_fate fate = {0};
    struct segment by = {.at = at, .packet = packet, .now = now};
    if (!is_paced(p, at))
        return fate;
    if (!tcp_decode(&by.tcp, packet, octets)) {
        struct pacing_flow *opaque = find_opaque(p, at, packet, octets, true);
        return opaque ? pacing_end(p, opaque, now) : fate;
    }
    by.hash = hash_of(p, at, packet, &by.tcp, true);
    if (by.tcp.flags & TCP_SYN)
        return syn_up(p, &by);
    struct pacing_flow *flow = pacing_find(p, by.hash);
    if (!flow || (by.tcp.flags & TCP_RST) || !(by.tcp.flags & TCP_ACK))
        return fate;
    if (flow->is_opaque || flow->phase != PACING_KNOWN) /* or the other SYN was not seen here */
        return pacing_end(p, flow, now);
    int32_t behind = (int32_t)(flow->high - by.tcp.ack);
    if (behind < 0 || behind > (int32_t)MAX_W_OCTETS) {
        p->stats.implausible++;
        return fate;
    }
    pacing_count_flow(p, flow, at->ms, now);
    const struct pacing_ack ack = {
        .tcp = &by.tcp, .window = by.tcp.window, .has_sack = has_sack(packet, &by.tcp), .buffer = buffer};
    uint32_t w_octets = pacing_hold_is_late(flow, by.tcp.ack) ? 0 : window_octets(p, at, flow, now);
    if (!p->params.no_clamp)
        clamp(p, flow, w_octets, packet, &by.tcp);
    if (p->holders)
        fate = pacing_hold_judge(p, flow, at, &ack, now);
    heard(p, flow, &by, ack.has_sack);
    return fate;
}
