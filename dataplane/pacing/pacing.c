/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/pacing/pacing.h"
#include "dataplane/base/n_pdu.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/pacing/ewa.h"
#include "dataplane/pacing/hold.h"

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
 *     A    = max(2 MSS, 1.5 x round trip x share)
 *
 * MSS is the mobile's, less the timestamps of each segment where both ends have them. f is the number of the
 * mobile's flows in this or the last window of 2^32 ns, whichever is more. The share is R of the mobile, but
 * at most the octets of TCP that arrived for its class in its cell in the last window, divided by the mobiles
 * that they were for, if those of all classes were more than half of R of the cell. Flows seen without their
 * handshake, fragments and IPsec are left as they are.
 *
 * An acknowledgement of octets that were not sent to the mobile through here changes nothing. Windows of
 * SYNs, which have no scale, are left.
 *
 * With max_hold_ns ACKs are held: a segment that only acknowledges octets that no passed ACK did (no data, no
 * flag but ACK and PSH, no SACK blocks, window not 0) waits, and the newest of a flow replaces an older one.
 * A segment that passes with the number of the held one, or a later one, ends it; a second ACK with the same
 * number and window passes behind the first. For each class k of a cell, ACKs pass while
 *
 *     queued + permitted < max(2 packets, c target)
 *
 * c is the rate of TCP of k in the cell in the last window. permitted are the octets that the last passed
 * ACKs acknowledged, until data arrives for them or PEND_NS end. Next is the mobile with the least start tag,
 * in octets that it was permitted, among those with queue + octets in the BSS + permitted < max(2 packets,
 * share ms_target), then its flow with the least tag. Tags are never lowered. Cells that share a Gb link
 * without a limit of their own have one room of k on the link, by all that is queued and permitted there and
 * the rate of TCP of k on the link; their turns are by start tags in octets for each mobile of k. After
 * max_hold_ns an ACK passes in any case. Rooms are tested when an ACK arrives, and every 5 ms.
 *
 * With ewa_octets windows are those of ewa.h, and no mobile has a loan.
 *
 * A mobile that begins has a loan, in which its ACKs pass and its windows cover the loan (hold.h).
 *
 * A downlink segment whose data a held ACK acknowledges is a repetition that the mobile does not need.
 *
 * Flows are in sets of PACING_WAYS by a keyed hash; a new flow takes the place of the one in its set that was
 * idle for longest.
 */

#define PACING_WAYS 4

static inline uint32_t pacing_window_of(int64_t now)
{
    return (uint32_t)((uint64_t)now >> 32) + 1; /* 0: never */
}

#define NS_PER_SECOND UINT64_C(1000000000)

/* Ends windows that are over. */
static void pacing_load_turn(struct pacing_window *window, int64_t now)
{
    uint32_t number = pacing_window_of(now);
    if (window->number == number)
        return;
    bool is_next = window->number + 1 == number;
    window->last_octets = is_next ? window->octets : 0;
    window->last_count = is_next ? window->count : 0;
    window->octets = window->count = 0;
    window->number = number;
}

static uint64_t bps_of(uint32_t octets)
{
    return ((uint64_t)octets * 8 * NS_PER_SECOND) >> 32;
}

uint64_t pacing_load_share_bps(const struct pacing_load *load, const struct pacing_at *at, int64_t now)
{
    struct pacing_window *mine = &load->windows[at->qclass], *all = &load->windows[QCLASS_COUNT];
    pacing_load_turn(mine, now);
    pacing_load_turn(all, now);
    if (mine->last_count == 0 || bps_of(all->last_octets) < load->rate_bps / 2)
        return at->ms_rate_bps;
    uint64_t share_bps = bps_of(mine->last_octets) / mine->last_count;
    return share_bps < at->ms_rate_bps ? share_bps : at->ms_rate_bps;
}

uint64_t pacing_load_rate_bps(const struct pacing_load *load, uint8_t qclass, int64_t now)
{
    struct pacing_window *mine = &load->windows[qclass];
    pacing_load_turn(mine, now);
    return mine->last_count > 0 ? bps_of(mine->last_octets) : load->rate_bps;
}

uint32_t pacing_load_mobiles(const struct pacing_load *load, uint8_t qclass, int64_t now)
{
    pacing_load_turn(&load->windows[qclass], now);
    return load->windows[qclass].last_count;
}

struct pacing_load pacing_load_of(struct pacing *p, const struct pacing_at *at)
{
    const struct pacing_view *view = &p->params.view;
    uint64_t link_bps = view->link_rate_bps ? view->link_rate_bps(view->owner, at->bvc) : 0;
    if (link_bps > 0)
        return (struct pacing_load){&p->link_loads[(size_t)at->link * PACING_LOADS], link_bps, true};
    return (struct pacing_load){&p->loads[(size_t)at->bvc * PACING_LOADS], at->bvc_rate_bps, false};
}

#define IDLE_NS        (INT64_C(60) * 1000000000) /* a flow that was silent for longer may be replaced */
#define BITS_NS        UINT64_C(8000000000)
#define DEFAULT_MSS    536 /* RFC 9293 clause 3.7.1 */
#define LEAST_MSS      88  /* smaller ones would let W be too small for its scale */
#define ADVANCE_OCTETS (1 << 24)
#define MAX_RATE_BPS   UINT64_C(1000000000)
#define MAX_W_OCTETS   (UINT32_C(1) << 30)

struct pacing *pacing_new(const struct pacing_params *params, const struct pacing_limits *limits)
{
    struct pacing *p = calloc(1, sizeof(*p));
    if (!p)
        return NULL;
    p->params = *params;
    p->sets = (params->flows + PACING_WAYS - 1) / PACING_WAYS;
    p->sets += p->sets == 0;
    p->flows = calloc((size_t)p->sets * PACING_WAYS, sizeof(*p->flows));
    p->mobiles = calloc(limits->mobiles, sizeof(*p->mobiles));
    p->seen = calloc(limits->mobiles, sizeof(*p->seen));
    p->loans = calloc(limits->mobiles, sizeof(*p->loans));
    p->left = calloc(limits->mobiles, sizeof(*p->left));
    p->loads = calloc((size_t)limits->cells * PACING_LOADS, sizeof(*p->loads));
    p->link_loads = calloc((size_t)limits->links * PACING_LOADS, sizeof(*p->link_loads));
    p->ewas = params->ewa_octets > 0 ? calloc((size_t)limits->links * QCLASS_COUNT, sizeof(*p->ewas)) : NULL;
    if (p->flows && p->mobiles && p->seen && p->loans && p->left && p->loads && p->link_loads &&
        (p->ewas || params->ewa_octets == 0) && pacing_turns_new(p, limits))
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
    free(p->mobiles);
    free(p->seen);
    free(p->loans);
    free(p->left);
    free(p->loads);
    free(p->link_loads);
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
    p->left[ms]++;
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
    uint64_t generation = at->generation + p->left[at->ms];
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
    return !best || flow->phase == PACING_FREE || flow->used_ns < best->used_ns;
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
    p->stats.evicted += best->phase != PACING_FREE && best->hash != hash && now - best->used_ns < IDLE_NS;
    pacing_turns_forget(p, best);
    *best = (struct pacing_flow){.hash = hash, .used_ns = now, .mss = DEFAULT_MSS};
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
    if (flow->has_timestamps && has_timestamps)
        flow->mss = (uint16_t)(flow->mss - TCP_TIMESTAMPS_OCTETS);
}

/* Of a SYN. False: the segments are signed, and stay as they are. */
static bool read_options(struct tcp_options *out, const uint8_t *packet, const struct tcp *tcp)
{
    tcp_options_decode(out, packet, tcp);
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

/* A SYN of the mobile begins a flow, if that has a place. */
static void begin_up(struct pacing *p, uint64_t hash, const struct tcp *tcp,
                     const struct tcp_options *options, int64_t now)
{
    struct pacing_flow *flow = pacing_take(p, hash, now);
    if (!flow)
        return;
    take_options(flow, options);
    flow->has_timestamps = options->has_timestamps;
    flow->phase = PACING_SYN_UP;
    flow->syn = tcp->seq;
    flow->high = tcp->seq + 1;
}

/* A SYN of the mobile, or its answer to one. Another number is that of another connection. The same SYN comes
 * again when a round trip takes longer than the mobile's timeout. */
static struct pacing_fate syn_up(struct pacing *p, uint64_t hash, const uint8_t *packet,
                                 const struct tcp *tcp, int64_t now)
{
    struct pacing_fate fate = {0};
    struct pacing_flow *flow = pacing_find(p, hash);
    struct tcp_options options;
    bool is_signed = !read_options(&options, packet, tcp);
    bool is_known = flow && flow->phase == PACING_KNOWN && flow->syn == tcp->seq;
    bool is_answer = flow && flow->phase == PACING_SYN_DOWN && tcp->flags & TCP_ACK && tcp->ack == flow->high;
    if (flow && (is_signed || (!is_known && !is_answer)))
        fate = pacing_end(p, flow, now);
    if (is_signed || is_known)
        return fate;
    if (!(tcp->flags & TCP_ACK)) {
        begin_up(p, hash, tcp, &options, now);
    } else if (is_answer) {
        bool is_scaled = flow->has_scale;
        take_options(flow, &options);
        flow->scale = is_scaled && flow->has_scale ? flow->scale : 0;
        agree(flow, options.has_timestamps);
        flow->syn = tcp->seq;
        flow->edge = tcp->ack + tcp->window;
        flow->has_edge = true;
    }
    return fate;
}

/* A forged SYN does not end a flow in use. */
static void syn_down(struct pacing *p, uint64_t hash, const uint8_t *packet, const struct tcp *tcp,
                     int64_t now)
{
    struct pacing_flow *flow = pacing_find(p, hash);
    struct tcp_options options;
    if (!read_options(&options, packet, tcp))
        return;
    if (!(tcp->flags & TCP_ACK)) {
        if (flow && (flow->held || (flow->phase == PACING_KNOWN && now - flow->used_ns < IDLE_NS)))
            return;
        flow = pacing_take(p, hash, now);
        if (!flow)
            return;
        flow->phase = PACING_SYN_DOWN;
        flow->has_scale = options.has_scale;
        flow->has_timestamps = options.has_timestamps;
        flow->high = tcp->seq + 1;
    } else if (flow && flow->phase == PACING_SYN_UP && tcp->ack == flow->high) {
        flow->scale = options.has_scale ? flow->scale : 0;
        agree(flow, options.has_timestamps);
        flow->high = tcp->seq + 1;
    }
}

/* --- load --- */

static void count_flow(struct pacing *p, struct pacing_flow *flow, uint32_t ms, int64_t now)
{
    uint32_t number = pacing_window_of(now);
    if (flow->window == number)
        return;
    flow->window = number;
    pacing_load_turn(&p->mobiles[ms], now);
    p->mobiles[ms].count++;
}

static void count_in(struct pacing_window *windows, unsigned qclass, size_t octets, bool is_new, int64_t now)
{
    pacing_load_turn(&windows[qclass], now);
    pacing_load_turn(&windows[QCLASS_COUNT], now);
    windows[qclass].octets += (uint32_t)octets;
    windows[QCLASS_COUNT].octets += (uint32_t)octets;
    windows[qclass].count += is_new;
}

static void count_octets(struct pacing *p, const struct pacing_at *at, size_t octets, int64_t now)
{
    bool is_new = p->seen[at->ms] != pacing_window_of(now);
    count_in(&p->loads[(size_t)at->bvc * PACING_LOADS], at->qclass, octets, is_new, now);
    count_in(&p->link_loads[(size_t)at->link * PACING_LOADS], at->qclass, octets, is_new, now);
    p->seen[at->ms] = pacing_window_of(now);
}

static uint64_t share_of(struct pacing *p, const struct pacing_at *at, int64_t now)
{
    struct pacing_load load = pacing_load_of(p, at);
    return pacing_load_share_bps(&load, at, now);
}

static bool is_paced(const struct pacing *p, const struct pacing_at *at)
{
    return p->params.classes >> at->qclass & 1;
}

/* The known flow of a fragment or of a packet with extension headers, which cannot be paced with those that
 * can: the server would see edges of both. NULL: none. */
static struct pacing_flow *find_opaque(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                       size_t octets, bool is_up)
{
    struct tcp tcp;
    struct pacing_flow *flow =
        tcp_find(&tcp, packet, octets) ? pacing_find(p, hash_of(p, at, packet, &tcp, is_up)) : NULL;
    return flow && flow->phase == PACING_KNOWN ? flow : NULL;
}

enum pacing_downlink_fate pacing_downlink(struct pacing *p, const struct pacing_at *at, const uint8_t *packet,
                                          size_t octets, int64_t now)
{
    struct tcp tcp;
    if (!is_paced(p, at))
        return PACING_DOWNLINK_OTHER;
    if (!tcp_decode(&tcp, packet, octets)) {
        struct pacing_flow *opaque = find_opaque(p, at, packet, octets, false);
        if (opaque)
            opaque->is_opaque = true;
        return PACING_DOWNLINK_OTHER;
    }
    uint64_t hash = hash_of(p, at, packet, &tcp, false);
    struct pacing_flow *flow = tcp.flags & TCP_SYN ? NULL : pacing_find(p, hash);
    if (flow && flow->phase == PACING_KNOWN && pacing_hold_covers(flow, &tcp)) {
        p->stats.repeated++;
        return PACING_DOWNLINK_REPEATED;
    }
    count_octets(p, at, octets, now);
    if (tcp.flags & TCP_SYN)
        syn_down(p, hash, packet, &tcp, now);
    if (!flow || flow->phase != PACING_KNOWN)
        return PACING_DOWNLINK_OTHER;
    int32_t ahead = (int32_t)(tcp.seq + tcp.data_octets + (tcp.flags & TCP_FIN) - flow->high);
    if (ahead > 0 && ahead < ADVANCE_OCTETS)
        flow->high += (uint32_t)ahead;
    flow->used_ns = now;
    count_flow(p, flow, at->ms, now);
    if (tcp.data_octets > 0)
        pacing_loan_use(&p->loans[at->ms], tcp.data_octets, now);
    if (p->holders && tcp.data_octets > 0)
        pacing_turns_arrived(p, flow, at, tcp.data_octets);
    return p->holders && tcp.data_octets > 0 ? PACING_DOWNLINK_PACED : PACING_DOWNLINK_OTHER;
}

/* --- clamp --- */

static uint32_t octets_by_share(struct pacing *p, const struct pacing_at *at, const struct pacing_flow *flow,
                                int64_t now)
{
    struct pacing_window *mobile = &p->mobiles[at->ms];
    pacing_load_turn(mobile, now);
    uint64_t rate_bps = share_of(p, at, now);
    rate_bps = rate_bps < MAX_RATE_BPS ? rate_bps : MAX_RATE_BPS;
    uint64_t octets = rate_bps * ((uint64_t)p->params.round_trip_ns / 1000) * 3 / 2 / (BITS_NS / 1000);
    uint64_t least = UINT64_C(2) * flow->mss;
    uint64_t flows = mobile->count > mobile->last_count ? mobile->count : mobile->last_count;
    uint64_t unit = (flows > 0 ? flows : 1) * flow->mss;
    octets = ((octets > least ? octets : least) + unit - 1) / unit * flow->mss;
    uint64_t loan_octets = (p->loans[at->ms].left_octets + flow->mss - UINT64_C(1)) / flow->mss * flow->mss;
    octets = octets > loan_octets ? octets : loan_octets;
    return octets < MAX_W_OCTETS ? (uint32_t)octets : MAX_W_OCTETS;
}

static uint32_t pacing_octets_of(struct pacing *p, const struct pacing_at *at, const struct pacing_flow *flow,
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

/* Nothing is queued for the mobile or in the BSS. The last ACKs of a page may be held when the next one
 * begins. */
static bool is_idle(const struct pacing *p, uint32_t ms, int64_t now)
{
    const struct pacing_view *view = &p->params.view;
    return view->ms_octets(view->owner, ms, now) == 0;
}

static bool has_sack(const uint8_t *packet, const struct tcp *tcp)
{
    struct tcp_options options;
    tcp_options_decode(&options, packet, tcp);
    return options.has_sack;
}

struct pacing_fate pacing_uplink(struct pacing *p, const struct pacing_at *at, uint8_t *packet, size_t octets,
                                 void *buffer, int64_t now)
{
    const struct pacing_fate passes = {0};
    struct tcp tcp;
    if (!is_paced(p, at))
        return passes;
    if (!tcp_decode(&tcp, packet, octets)) {
        struct pacing_flow *opaque = find_opaque(p, at, packet, octets, true);
        return opaque ? pacing_end(p, opaque, now) : passes;
    }
    uint64_t hash = hash_of(p, at, packet, &tcp, true);
    if (tcp.flags & TCP_SYN)
        return syn_up(p, hash, packet, &tcp, now);
    struct pacing_flow *flow = pacing_find(p, hash);
    if (!flow || (tcp.flags & TCP_RST) || !(tcp.flags & TCP_ACK))
        return passes;
    if (flow->is_opaque || flow->phase != PACING_KNOWN) /* or the other SYN was not seen here */
        return pacing_end(p, flow, now);
    int32_t behind = (int32_t)(flow->high - tcp.ack);
    if (behind < 0 || behind > (int32_t)MAX_W_OCTETS) {
        p->stats.implausible++;
        return passes;
    }
    flow->used_ns = now;
    count_flow(p, flow, at->ms, now);
    if (tcp.data_octets > 0 && !p->ewas && is_idle(p, at->ms, now))
        pacing_loan_ask(&p->loans[at->ms], share_of(p, at, now), flow->mss, now);
    uint32_t w_octets = pacing_hold_is_late(flow, tcp.ack) ? 0 : pacing_octets_of(p, at, flow, now);
    if (!p->params.no_clamp)
        clamp(p, flow, w_octets, packet, &tcp);
    if (!p->holders)
        return passes;
    const struct pacing_ack ack = {
        .tcp = &tcp, .window = tcp.window, .has_sack = has_sack(packet, &tcp), .buffer = buffer};
    return pacing_hold_judge(p, flow, at, &ack, now);
}
