/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp_guard/esp_guard.h"

#include "dataplane/base/teid.h"
#include "dataplane/context/gb.h"
#include "dataplane/esp/fit.h"
#include "dataplane/esp/options.h"
#include "dataplane/esp/sa.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include <assert.h>
#include <rte_mbuf.h>

static_assert(SA_WORKERS == TEID_WORKERS, "an association counts for each worker");

static const struct budget_rates ike_rates = {
    .each = {MOMENT_SECOND / ESP_GUARD_IKE_PER_S, ESP_GUARD_IKE_BURST},
    .all = {MOMENT_SECOND / ESP_GUARD_IKE_ALL_PER_S, ESP_GUARD_IKE_ALL_BURST},
};
static_assert(BUDGET_SOURCES > ESP_GUARD_IKE_ALL_BURST + ESP_GUARD_IKE_ALL_PER_S / ESP_GUARD_IKE_PER_S,
              "one each");

/* Passes a frame to control, for the daemon. */
static enum drop take_ike(void *arg, struct rte_mbuf *frame, uint64_t source)
{
    struct guard *guard = arg;
    struct worker *w = guard->worker;
    struct msg msg = {.type = MSG_IKE, .port = guard->port, .mbuf = frame};
    bool is_put = budget_take(&guard->ike_budget, source, w->step_ns) ? shares_put(&w->rings, &msg, SHARE_IKE)
                                                                      : shares_refuse(&w->rings, SHARE_IKE);
    return is_put ? DROP_IKE : DROP_PUNT_FULL;
}

/* --- faults --- */

static void tell_fault(struct guard *guard, unsigned i)
{
    struct worker *w = guard->worker;
    struct guard_told *told = &guard->told[i];
    uint64_t count = guard->drops[FAULTS_FIRST + i] + guard->unsent[FAULTS_FIRST + i];
    struct msg msg = {.type = MSG_ESP_FAULT,
                      .esp_fault = {.one = guard->faults.list[i],
                                    .count = count - told->count,
                                    .reason = (uint16_t)(FAULTS_FIRST + i),
                                    .port = guard->port}};
    if (told->count > 0 && w->step_ns - told->at_ns < ESP_GUARD_FAULT_NS)
        return;
    told->at_ns = w->step_ns;
    if (!shares_put(&w->rings, &msg, SHARE_FAULTS))
        return;
    told->count = count;
    guard->faults.seen &= ~(UINT32_C(1) << i);
}

static void tell_faults(struct guard *guard)
{
    for (unsigned i = 0; i < FAULTS_COUNT; i++)
        if (guard->faults.seen >> i & 1)
            tell_fault(guard, i);
}

/* --- fragments --- */

/* The protocol in an IPv6 fragment; -1: its lengths contradict each other. */
static int protocol_in(const uint8_t *ip, const struct rule_packet *packet)
{
    struct ipv6_fragment fragment;
    unsigned octets = packet->octets - (unsigned)IPV6_OCTETS;
    if (ipv6_fragment_decode(&fragment, ip + IPV6_OCTETS, octets) < 0)
        return -1;
    octets -= IPV6_FRAGMENT_OCTETS;
    bool is_ragged = fragment.more && octets % 8 != 0;
    return octets == 0 || is_ragged || fragment.offset_octets + octets > UINT16_MAX ? -1
                                                                                    : fragment.next_header;
}

/* Whether a fragment may be of ESP, in UDP or not or behind options, or of IKE, or its rule depends on what
 * it hides. Others are Gn's, or dropped by a rule. */
static bool is_collected(const struct esp *esp, const struct rule_packet *packet, int protocol)
{
    if (protocol != IPV4_PROTO_UDP)
        return protocol == IPV6_ESP || protocol == IPV6_DESTINATION;
    if (rules_need_whole(esp->rules, packet, IPV4_PROTO_UDP))
        return true;
    const struct rule *rule = rules_in(esp->rules, packet);
    return (esp->rules->encap_count > 0 || esp->take_ike) && rules_action(esp->rules, rule) != RULE_PASS;
}

/* Whether a packet may be a fragment. Its header is read in full where that is so, or in esp_receive(). */
static bool may_be_fragment(const uint8_t *ip, unsigned octets)
{
    enum { FRAGMENT_AT = 6, NEXT_HEADER_AT = 6 };
    if (octets < IPV4_OCTETS)
        return false;
    return ip[0] >> 4 == 4 ? bytes_get_u16(ip + FRAGMENT_AT) & IPV4_FRAGMENT
                           : ip[NEXT_HEADER_AT] == IPV6_FRAGMENT || options_is_one(ip[NEXT_HEADER_AT]);
}

/* Takes options away that stand before a fragment header. */
static void skip_options(struct rte_mbuf *frame)
{
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    uint8_t next = 0;
    int end = options_end(ip, rte_pktmbuf_data_len(frame) - (size_t)ETHER_OCTETS, &next);
    if (end > IPV6_OCTETS && next == IPV6_FRAGMENT)
        options_remove(frame, (unsigned)end, next);
}

/* The frame, or the packet that it completes. NULL: it is kept, or dropped and counted. */
static struct rte_mbuf *collect(struct guard *guard, struct rte_mbuf *frame)
{
    struct worker *w = guard->worker;
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    size_t octets = rte_pktmbuf_data_len(frame) - (size_t)ETHER_OCTETS;
    struct rule_packet packet;
    if (!rule_packet_read(&packet, ip, octets) || !packet.is_fragment)
        return frame;
    int protocol = packet.is_ipv6                                    ? protocol_in(ip, &packet)
                   : ipv4_is_checksum_good(ip, packet.header_octets) ? packet.protocol
                                                                     : -1;
    if (!is_collected(&guard->esp, &packet, protocol))
        return frame;
    frame->l2_len = ETHER_OCTETS;
    enum fragments_place place = guard->port == MSG_PORT_GB ? FRAGMENTS_GB_BEFORE : FRAGMENTS_GN_BEFORE;
    if (packet.is_ipv6)
        return fragments_put_ipv6(&w->fragments, &w->stats, place, frame, w->step_ns);
    struct ipv4 part;
    ipv4_decode(&part, ip, octets);
    return fragments_put(&w->fragments, &w->stats, place, frame, &part, w->step_ns);
}

/* As collect(), of any frame. */
static struct rte_mbuf *whole_of(struct guard *guard, struct rte_mbuf *frame)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(frame, const uint8_t *);
    uint16_t octets = rte_pktmbuf_data_len(frame),
             type = octets < ETHER_OCTETS ? 0 : bytes_get_u16(bytes + 12);
    if ((type != ETHER_TYPE_IPV4 && type != ETHER_TYPE_IPV6) ||
        likely(!may_be_fragment(bytes + ETHER_OCTETS, octets - ETHER_OCTETS)))
        return frame;
    if (type == ETHER_TYPE_IPV6)
        skip_options(frame);
    return collect(guard, frame);
}

/* A capture has the frames of the port, before or after ESP. */
static void note(const struct guard *guard, struct rte_mbuf *const *frames, unsigned count,
                 enum tap_side side, enum tap_kind kind)
{
    struct worker *w = guard->worker;
    const struct tap_about about = {.kind = kind, .port = (uint8_t)guard->port};
    if (unlikely(tap_is_on(w->tap)))
        tap_port_put(w->tap, frames, count, side, &about, w->step_ns);
}

static unsigned guard_receive(void *arg, struct rte_mbuf **frames, unsigned count)
{
    struct guard *guard = arg;
    unsigned whole = 0;
    note(guard, frames, count, TAP_OUTSIDE, TAP_PORT_IN);
    for (unsigned i = 0; i < count; i++) {
        struct rte_mbuf *frame = whole_of(guard, frames[i]);
        if (frame)
            frames[whole++] = frame;
    }
    whole = esp_receive(&guard->esp, frames, whole, guard->drops);
    note(guard, frames, whole, TAP_INSIDE, TAP_PORT_IN);
    if (unlikely(guard->faults.seen))
        tell_faults(guard);
    return whole;
}

static unsigned guard_send(void *arg, struct rte_mbuf **frames, unsigned count)
{
    struct guard *guard = arg;
    note(guard, frames, count, TAP_INSIDE, TAP_PORT_OUT);
    count = esp_send(&guard->esp, frames, count, guard->unsent);
    note(guard, frames, count, TAP_OUTSIDE, TAP_PORT_OUT);
    if (unlikely(guard->faults.seen))
        tell_faults(guard);
    return count;
}

static void put_one(const struct esp_guard *esp, struct guard *guard, const struct worker_config *config,
                    struct port *port)
{
    struct rules *rules = esp->rules[guard->port];
    if (!rules)
        return;
    budget_init_rates(&guard->ike_budget, &ike_rates);
    guard->esp = (struct esp){.rules = rules,
                              .ops = esp->ops,
                              .buffers = config->tx_pool,
                              .take_ike = esp->has_ike ? take_ike : NULL,
                              .arg = guard,
                              .faults = &guard->faults,
                              .queue = (uint16_t)config->number};
    guard->calls = (struct port_guard){.arg = guard, .receive = guard_receive, .send = guard_send};
    port->guard = &guard->calls;
    port->sums_udp = false; /* a device cannot write into what is encrypted */
}

static void put_both(void *arg, struct worker *w, const struct worker_config *config)
{
    struct esp_guard *esp = arg;
    struct guard *gn = &esp->guards[MSG_PORT_GN], *gb = &esp->guards[MSG_PORT_GB];
    struct worker_stats *stats = &w->stats;
    *gn = (struct guard){
        .worker = w, .port = MSG_PORT_GN, .drops = stats->gn_drops, .unsent = stats->gn_unsent};
    *gb = (struct guard){
        .worker = w, .port = MSG_PORT_GB, .drops = stats->gb_drops, .unsent = stats->gb_unsent};
    put_one(esp, gn, config, &w->gn);
    w->guards.gn_more_octets = w->gn.guard ? SA_OVERHEAD_MAX_OCTETS : 0;
    put_one(esp, gb, config, &w->gb);
}

/* --- lengths --- */

static struct sched_link_frame frame_of(const struct sa_params *params, unsigned header_octets, int overhead)
{
    struct sa_growth g = sa_growth_of(params, header_octets);
    unsigned inside = UDP_OCTETS + (params->is_tunnel ? header_octets : 0);
    return (struct sched_link_frame){
        .pad_octets = (uint8_t)(g.block_octets - 1),
        .before_octets = (int16_t)((int)(inside + g.tail_octets) - overhead),
        .behind_octets = (int16_t)((int)(g.fixed_octets - UDP_OCTETS - header_octets) + overhead)};
}

static struct sched_link_frame frame(const void *arg, const struct gb_nsvc *nsvc)
{
    const struct guard *guard = &((const struct esp_guard *)arg)->guards[MSG_PORT_GB];
    const struct gb_nsvc_params *p = &nsvc->params;
    const uint8_t *ip = nsvc->header + ETHER_OCTETS;
    const struct rule_ends ends = {.source = ip + (nsvc->is_ipv6 ? 8 : 12),
                                   .destination = ip + (nsvc->is_ipv6 ? 24 : 16),
                                   .source_port = p->local_port,
                                   .destination_port = p->remote_port};
    struct rule_packet packet = rule_packet_of_udp(&ends, nsvc->is_ipv6);
    const struct sa_params *params = fit_protector(guard->esp.rules, &packet);
    if (!params)
        return (struct sched_link_frame){0};
    return frame_of(params, packet.header_octets, guard->worker->gb_overhead_octets);
}

static struct guards_fit fit(const void *arg, const struct guards_ends *ends, unsigned mtu_octets)
{
    const struct guard *guard = &((const struct esp_guard *)arg)->guards[MSG_PORT_GN];
    const struct rule_ends of = {.source = ends->source,
                                 .destination = ends->destination,
                                 .source_port = ends->source_port,
                                 .destination_port = ends->destination_port};
    struct rule_packet packet = rule_packet_of_udp(&of, ends->is_ipv6);
    struct fit fit = fit_of(guard->esp.rules, &packet, mtu_octets);
    return (struct guards_fit){fit.octets, fit.is_whole_first};
}

/* --- rules --- */

static int order(void *arg, const struct msg *msg)
{
    struct esp_guard *guards = arg;
    struct esp *esp = msg->rules.port < MSG_PORTS ? &guards->guards[msg->rules.port].esp : NULL;
    if (!esp || !esp->rules)
        return -1;
    struct rules *former = esp->rules;
    esp->rules = msg->rules.rules;
    atomic_fetch_sub_explicit(&former->users, 1, memory_order_release);
    return msg->rules.port == MSG_PORT_GB;
}

struct guards esp_guard_of(struct esp_guard *esp)
{
    static const struct guards_ops guards_ops = {.put = put_both, .fit = fit, .frame = frame, .order = order};
    return (struct guards){.ops = &guards_ops, .arg = esp};
}
