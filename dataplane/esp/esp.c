/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/esp.h"

#include "dataplane/base/budget.h"
#include "dataplane/base/drop.h"
#include "dataplane/esp/options.h"
#include "dataplane/esp/sa.h"
#include "dataplane/ports/port.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <string.h>

enum { UDP_CHECKSUM_AT = 6 };
enum { ECN_NOT = 0, ECN_CE = 3 };

/* Octets and numbers of a frame that are kept while its association works on it. */
struct kept {
    uint8_t macs[12];
    uint8_t tos;
    bool is_malformed; /* its ICV is right, and its padding or next header wrong */
    bool is_dummy;     /* of one that is_malformed */
    uint16_t octets;   /* of the IP packet */
    uint64_t number;   /* sequence number: the lower 32 bits of it, until the window has said the others */
};

/* The frames of one association in a burst; those that fail are behind the others. */
struct run {
    struct sa *sa;
    uint32_t group; /* of its rules */
    unsigned count;
    struct sa_counts more; /* that the association has not got yet */
    struct rte_mbuf *frames[ESP_BURST];
};

struct burst {
    struct kept kept[ESP_BURST];  /* by tso_segsz of a frame, which nothing uses meanwhile */
    struct rules_memo memo;       /* of the packet before, and its association: mostly the next has both */
    const struct rules_sa *found; /* NULL: there is none */
    unsigned waiting_count;
    struct waiting {
        struct rte_mbuf *frame;
        struct sa *sa;
        uint32_t group;
    } waiting[ESP_BURST];
};

static void drop(struct rte_mbuf *frame, enum drop reason, uint64_t *drops)
{
    drops[reason]++;
    rte_pktmbuf_free(frame);
}

static void note_packet(const struct esp *esp, const struct rte_mbuf *frame, enum drop reason, bool is_out)
{
    if (faults_wants(esp->faults, reason))
        faults_note_packet(esp->faults, reason, rte_pktmbuf_mtod(frame, const uint8_t *) + ETHER_OCTETS,
                           rte_pktmbuf_data_len(frame) - (size_t)ETHER_OCTETS, is_out);
}

static void note_sa(const struct esp *esp, const struct sa *sa, enum drop reason)
{
    if (faults_wants(esp->faults, reason))
        faults_note_sa(esp->faults, reason, &sa->params);
}

/* Computes a run; returns how many frames are good. Those that the device gave up are left out of the run. */
static unsigned compute(const struct esp *esp, struct run *run, uint64_t *drops)
{
    const struct sa_queue queue = {.ops = esp->ops, .number = esp->queue};
    unsigned count = run->count, good = sa_compute(run->sa, &queue, run->frames, &run->count);
    if (unlikely(run->count < count)) {
        drops[DROP_ESP_DEVICE] += count - run->count;
        note_sa(esp, run->sa, DROP_ESP_DEVICE);
    }
    return good;
}

/* --- Counts --- */

/* Other threads read a count while its worker adds to it. */
static void add(uint64_t *count, uint64_t more)
{
    __atomic_store_n(count, *count + more, __ATOMIC_RELAXED);
}

static void add_counts(const struct esp *esp, const struct run *run)
{
    struct sa_counts *counts = &run->sa->counts[esp->queue];
    add(&counts->packets, run->more.packets);
    add(&counts->octets, run->more.octets);
    add(&counts->replays, run->more.replays);
    add(&counts->wrong, run->more.wrong);
    add(&counts->numbers, run->more.numbers);
}

/* --- Bursts --- */

static void wait_for(struct burst *burst, struct rte_mbuf *frame, struct sa *sa, uint32_t group)
{
    burst->waiting[burst->waiting_count++] = (struct waiting){frame, sa, group};
}

/* The waiting frames of the association of the first, in their order; false: none waits. */
static bool take_run(struct burst *burst, struct run *run)
{
    unsigned left = 0;
    if (burst->waiting_count == 0)
        return false;
    run->sa = burst->waiting[0].sa;
    run->group = burst->waiting[0].group;
    run->count = 0;
    run->more = (struct sa_counts){0};
    for (unsigned i = 0; i < burst->waiting_count; i++)
        if (burst->waiting[i].sa == run->sa)
            run->frames[run->count++] = burst->waiting[i].frame;
        else
            burst->waiting[left++] = burst->waiting[i];
    burst->waiting_count = left;
    return true;
}

/* Notes what is to be kept of a frame, before anything of it is moved. */
static struct kept *note_frame(struct burst *burst, struct rte_mbuf *frame, unsigned l3_octets)
{
    const unsigned place = burst->waiting_count;
    frame->tx_offload = rte_mbuf_tx_offload(ETHER_OCTETS, l3_octets, 0, place, 0, 0, 0);
    memcpy(burst->kept[place].macs, rte_pktmbuf_mtod(frame, const uint8_t *),
           sizeof(burst->kept[place].macs));
    burst->kept[place].octets = (uint16_t)(rte_pktmbuf_data_len(frame) - ETHER_OCTETS);
    return &burst->kept[place];
}

/* --- Frames that come --- */

static bool is_encap(const struct rules *rules, uint16_t port)
{
    for (unsigned i = 0; i < rules->encap_count; i++)
        if (rules->encap_ports[i] == port)
            return true;
    return false;
}

/* The octets of headers before ESP in an IP packet; 0: it has none. */
static unsigned esp_offset(const struct rules *rules, const struct rule_packet *packet, const uint8_t *ip)
{
    unsigned offset = packet->header_octets;
    if (packet->is_fragment)
        return 0;
    if (packet->protocol == ESP_PROTO)
        return offset;
    if (packet->protocol != IPV4_PROTO_UDP || !packet->has_ports ||
        !is_encap(rules, packet->destination_port))
        return 0;
    offset += UDP_OCTETS;
    bool is_ike = packet->octets < offset + ESP_HEAD_OCTETS || bytes_get_u32(ip + offset) == 0;
    return is_ike ? 0 : offset;
}

/* A NAT keepalive, which is ignored (RFC 3948 clause 4). */
static bool is_keepalive(const struct esp *esp, const struct rule_packet *packet, const uint8_t *ip)
{
    uint16_t port = packet->destination_port;
    return rule_packet_is_keepalive(packet, ip) &&
           (is_encap(esp->rules, port) || (esp->take_ike && port == RULES_PORT_NAT));
}

static const struct rules_sa *inbound(const struct rules *rules, struct burst *burst, uint32_t spi)
{
    if (!burst->found || burst->found->sa->params.spi != spi)
        burst->found = rules_inbound(rules, spi);
    return burst->found;
}

static uint64_t source_of(const struct rule_packet *packet)
{
    return packet->is_ipv6 ? budget_source_ipv6(packet->source)
                           : budget_source_ipv4(bytes_get_u32(packet->source));
}

/* As rule_packet_read(), of ESP behind an IPv4 header without options, as most frames have it. */
static bool read_usual(struct rule_packet *packet, const uint8_t *ip, size_t octets)
{
    if (octets < IPV4_OCTETS + ESP_HEAD_OCTETS || ip[0] != RULES_MEMO_FIRST || ip[9] != ESP_PROTO ||
        bytes_get_u16(ip + 6) & IPV4_FRAGMENT)
        return false;
    *packet = (struct rule_packet){.protocol = ESP_PROTO,
                                   .tos = ip[1],
                                   .header_octets = IPV4_OCTETS,
                                   .octets = bytes_get_u16(ip + 2),
                                   .source = ip + 12,
                                   .destination = ip + 16};
    return packet->octets >= IPV4_OCTETS && packet->octets <= octets;
}

/* Takes the options of an IPv6 packet away if ESP is behind them. */
static enum drop skip_options(const struct esp *esp, struct rte_mbuf *frame, struct rule_packet *packet)
{
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    uint8_t next = 0;
    int end = options_end(ip, packet->octets, &next);
    if (end < 0)
        return DROP_IP_EXTENSION;
    bool is_esp = next == ESP_PROTO || (next == IPV4_PROTO_UDP && packet->octets >= end + UDP_OCTETS &&
                                        is_encap(esp->rules, bytes_get_u16(ip + end + 2)));
    if (!is_esp)
        return DROP_NONE;
    options_remove(frame, (unsigned)end, next);
    ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    rule_packet_read(packet, ip, rte_pktmbuf_data_len(frame) - (size_t)ETHER_OCTETS);
    return DROP_NONE;
}

static enum drop read_received(const struct esp *esp, struct rte_mbuf *frame, struct rule_packet *packet)
{
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    size_t octets = rte_pktmbuf_data_len(frame) - (size_t)ETHER_OCTETS;
    if (read_usual(packet, ip, octets))
        return DROP_NONE;
    if (!rule_packet_read(packet, ip, octets))
        return DROP_IP_MALFORMED;
    return packet->is_ipv6 && options_is_one(packet->protocol) ? skip_options(esp, frame, packet) : DROP_NONE;
}

/* Sorts a frame that has come: DROP_NONE, and *is_waiting or not. */
static enum drop sort_received(const struct esp *esp, struct burst *burst, struct rte_mbuf *frame,
                               bool *is_waiting)
{
    struct rule_packet packet;
    uint16_t octets = rte_pktmbuf_data_len(frame),
             type = octets < ETHER_OCTETS ? 0 : bytes_get_u16(rte_pktmbuf_mtod(frame, const uint8_t *) + 12);
    *is_waiting = false;
    if (type != ETHER_TYPE_IPV4 && type != ETHER_TYPE_IPV6)
        return DROP_NONE;
    enum drop reason = read_received(esp, frame, &packet);
    if (reason != DROP_NONE)
        return reason;
    const uint8_t *ip = rte_pktmbuf_mtod_offset(frame, const uint8_t *, ETHER_OCTETS);
    octets = rte_pktmbuf_data_len(frame);
    unsigned offset = esp_offset(esp->rules, &packet, ip);
    if (offset == 0) {
        if (rule_packet_is_discovery(&packet, ip))
            return DROP_NONE;
        if (is_keepalive(esp, &packet, ip))
            return DROP_ESP_KEEPALIVE;
        if (esp->take_ike && rule_packet_is_ike(&packet, ip, packet.destination_port))
            return esp->take_ike(esp->arg, frame, source_of(&packet));
        enum rule_action action = rules_action(esp->rules, rules_in(esp->rules, &packet));
        return action == RULE_PASS ? DROP_NONE : action == RULE_PROTECT ? DROP_ESP_MISSING : DROP_ESP_POLICY;
    }
    if (!packet.is_ipv6 && !ipv4_is_checksum_good(ip, packet.header_octets))
        return DROP_IP_MALFORMED;
    if (packet.octets < offset + ESP_HEAD_OCTETS)
        return DROP_ESP_MALFORMED;
    const struct rules_sa *found = inbound(esp->rules, burst, bytes_get_u32(ip + offset));
    if (!found || (offset != packet.header_octets) != (found->sa->params.encap_destination != 0) ||
        packet.is_ipv6 != found->sa->params.is_ipv6)
        return DROP_ESP_SPI;
    /* Padding of Ethernet behind the packet is no part of ESP. */
    if (unlikely(packet.octets < octets - ETHER_OCTETS))
        rte_pktmbuf_trim(frame, (uint16_t)(octets - ETHER_OCTETS - packet.octets));
    /* The offset is that behind UDP, which rte_ipsec does not know of here. */
    struct kept *kept = note_frame(burst, frame, offset);
    kept->tos = packet.tos;
    kept->is_malformed = false;
    kept->number = bytes_get_u32(ip + offset + 4);
    wait_for(burst, frame, found->sa, found->group);
    *is_waiting = true;
    return DROP_NONE;
}

/* RFC 6040 clause 4.2: the mark of a router between the ends of a tunnel. False: it may not be lost. */
static bool join_ecn(uint8_t *ip, bool is_ipv6, uint8_t outer)
{
    uint8_t inner = is_ipv6 ? (uint8_t)(ip[1] >> 4 & IPV4_ECN) : ip[1] & IPV4_ECN;
    if ((outer & IPV4_ECN) != ECN_CE || inner == ECN_CE)
        return true;
    if (inner == ECN_NOT)
        return false;
    if (is_ipv6) {
        ip[1] |= ECN_CE << 4;
        return true;
    }
    bytes_put_u16(ip + 10, ipv4_checksum_add(bytes_get_u16(ip + 10), (uint32_t)(ECN_CE - inner)));
    ip[1] |= ECN_CE;
    return true;
}

static void fix_checksum(uint8_t *ip, bool is_ipv6)
{
    if (is_ipv6)
        return;
    bytes_put_u16(ip + 10, 0);
    bytes_put_u16(ip + 10, ipv4_checksum(ip, 4u * (ip[0] & 15)));
}

/* Whether a packet that came out of an association may have been in it; DROP_NONE, or why not. */
static enum drop examine(const struct esp *esp, struct burst *burst, const struct run *run, const uint8_t *ip,
                         unsigned octets)
{
    struct rule_packet packet;
    const struct rule *rule = burst->memo.rule;
    if (!rules_memo_fits(&burst->memo, ip, octets)) {
        if (!rule_packet_read(&packet, ip, octets))
            return DROP_ESP_MALFORMED;
        rule = rules_in(esp->rules, &packet);
        rules_memo_note(&burst->memo, &packet, ip, rule);
    }
    return rule && rule->action == RULE_PROTECT && rule->group == run->group ? DROP_NONE : DROP_ESP_POLICY;
}

/* Whether a packet in transport mode has no content (RFC 4303 clause 2.6). */
static bool is_dummy(const uint8_t *ip)
{
    enum { PROTO_AT = 9, NEXT_AT = 6 };
    return ip[ip[0] >> 4 == 6 ? NEXT_AT : PROTO_AT] == ESP_NO_NEXT;
}

/* A frame without ESP; its Ethernet header is missing behind a tunnel. */
static void count_proven(struct run *run, const struct rte_mbuf *frame)
{
    run->more.packets++;
    run->more.octets += rte_pktmbuf_pkt_len(frame) - (run->sa->params.is_tunnel ? 0 : ETHER_OCTETS);
}

/* Puts the Ethernet header back before the packet that came out of an association. */
static enum drop unpack(const struct esp *esp, struct burst *burst, struct run *run, struct rte_mbuf *frame)
{
    const struct kept *kept = &burst->kept[frame->tso_segsz];
    uint8_t *ip = rte_pktmbuf_mtod(frame, uint8_t *);
    if (!run->sa->params.is_tunnel)
        ip += ETHER_OCTETS;
    if (!run->sa->params.is_tunnel && is_dummy(ip))
        return DROP_ESP_DUMMY;
    count_proven(run, frame);
    unsigned octets = rte_pktmbuf_data_len(frame) - (unsigned)(ip - rte_pktmbuf_mtod(frame, uint8_t *));
    enum drop reason = examine(esp, burst, run, ip, octets);
    if (reason != DROP_NONE)
        return reason;
    bool is_ipv6 = ip[0] >> 4 == 6;
    if (!run->sa->params.is_tunnel) {
        fix_checksum(ip, is_ipv6);
        return DROP_NONE;
    }
    if (!join_ecn(ip, is_ipv6, kept->tos))
        return DROP_ESP_ECN;
    uint8_t *ether = (uint8_t *)rte_pktmbuf_prepend(frame, ETHER_OCTETS);
    memcpy(ether, kept->macs, sizeof(kept->macs));
    bytes_put_u16(ether + sizeof(kept->macs), is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
    return DROP_NONE;
}

/* Frames whose numbers are old cost no cipher. */
static void leave_out_old(const struct esp *esp, struct burst *burst, struct run *run, uint64_t *drops)
{
    unsigned kept = 0, all = run->count;
    for (unsigned i = 0; i < run->count; i++) {
        uint64_t *number = &burst->kept[run->frames[i]->tso_segsz].number;
        *number = sa_window_number(&run->sa->window, (uint32_t)*number);
        if (sa_window_is_new(&run->sa->window, *number)) {
            run->frames[kept++] = run->frames[i];
            continue;
        }
        note_packet(esp, run->frames[i], DROP_ESP_REPLAY, false);
        drop(run->frames[i], DROP_ESP_REPLAY, drops);
    }
    run->count = kept;
    run->more.replays += all - kept;
}

static enum drop fault_of(struct run *run, const struct kept *kept, const struct rte_mbuf *frame)
{
    if (kept->is_malformed)
        return kept->is_dummy ? DROP_ESP_DUMMY : DROP_ESP_MALFORMED;
    bool is_wrong = frame->ol_flags & RTE_MBUF_F_RX_SEC_OFFLOAD_FAILED;
    run->more.wrong += is_wrong;
    run->more.replays += !is_wrong;
    return is_wrong ? DROP_ESP_ICV : DROP_ESP_REPLAY;
}

/* Of the proven frames, at the front, those that are copies of others in the burst are left out; returns how
 * many are not. */
static unsigned note_good(struct burst *burst, struct run *run, unsigned good, uint64_t *drops)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < run->count; i++) {
        struct kept *of = &burst->kept[run->frames[i]->tso_segsz];
        if (i < good && !sa_window_is_new(&run->sa->window, of->number)) {
            drop(run->frames[i], DROP_ESP_REPLAY, drops);
            continue;
        }
        if (i >= good && !(run->frames[i]->ol_flags & RTE_MBUF_F_RX_SEC_OFFLOAD_FAILED)) {
            of->is_malformed = sa_window_is_new(&run->sa->window, of->number);
            of->is_dummy = of->is_malformed && sa_is_dummy(run->sa, run->frames[i]);
        }
        if (i < good || (of->is_malformed && of->is_dummy))
            sa_window_note(&run->sa->window, of->number);
        run->frames[kept++] = run->frames[i];
    }
    good -= run->count - kept;
    run->more.replays += run->count - kept;
    run->count = kept;
    return good;
}

unsigned esp_receive(const struct esp *esp, struct rte_mbuf **frames, unsigned count, uint64_t *drops)
{
    struct burst burst;
    struct run run;
    unsigned kept = 0;
    bool is_waiting;
    burst.memo.rule = NULL;
    burst.found = NULL;
    burst.waiting_count = 0;
    for (unsigned i = 0; i < count; i++) {
        enum drop reason = sort_received(esp, &burst, frames[i], &is_waiting);
        if (reason == DROP_IKE)
            drops[reason]++;
        else if (reason != DROP_NONE) {
            note_packet(esp, frames[i], reason, false);
            drop(frames[i], reason, drops);
        } else if (!is_waiting)
            frames[kept++] = frames[i];
    }
    while (take_run(&burst, &run)) {
        rte_spinlock_lock(&run.sa->lock);
        leave_out_old(esp, &burst, &run, drops);
        unsigned good = compute(esp, &run, drops);
        unsigned proven = good;
        good = note_good(&burst, &run, good, drops);
        if (good < proven)
            note_sa(esp, run.sa, DROP_ESP_REPLAY);
        rte_spinlock_unlock(&run.sa->lock);
        for (unsigned i = 0; i < run.count; i++) {
            const struct kept *of = &burst.kept[run.frames[i]->tso_segsz];
            enum drop reason =
                i < good ? unpack(esp, &burst, &run, run.frames[i]) : fault_of(&run, of, run.frames[i]);
            run.frames[i]->tx_offload = 0;
            if (reason == DROP_NONE) {
                run.frames[i]->ol_flags &= ~(RTE_MBUF_F_RX_L4_CKSUM_MASK | RTE_MBUF_F_RX_IP_CKSUM_MASK);
                run.frames[i]->ol_flags |= PORT_GUARDED;
                frames[kept++] = run.frames[i];
                continue;
            }
            if (reason != DROP_ESP_ICV) /* rte_ipsec has taken the outer header off */
                note_sa(esp, run.sa, reason);
            else
                note_packet(esp, run.frames[i], reason, false);
            drop(run.frames[i], reason, drops);
        }
        add_counts(esp, &run);
    }
    return kept;
}

/* --- Frames that leave --- */

/* A frame that the association may write to: in one buffer of its own, with room around it. NULL: none. */
static struct rte_mbuf *own_frame(const struct esp *esp, struct rte_mbuf *frame)
{
    enum { BEFORE = 72, BEHIND = 64 }; /* outer headers, ESP and IV; padding, ICV, AAD */
    bool is_own = frame->nb_segs == 1 && RTE_MBUF_DIRECT(frame) && rte_mbuf_refcnt_read(frame) == 1;
    if (is_own && rte_pktmbuf_headroom(frame) >= BEFORE && rte_pktmbuf_tailroom(frame) >= BEHIND)
        return frame;
    struct rte_mbuf *copy = rte_pktmbuf_copy(frame, esp->buffers, 0, UINT32_MAX);
    bool has_room = copy && copy->nb_segs == 1 && rte_pktmbuf_tailroom(copy) >= BEHIND;
    rte_pktmbuf_free(frame);
    if (has_room)
        return copy;
    rte_pktmbuf_free(copy);
    return NULL;
}

/* The rule of a packet that leaves in ESP, else NULL: DROP_NONE where it leaves as it is, or why not. */
static enum drop find_rule(const struct esp *esp, struct burst *burst, const uint8_t *ip, unsigned octets,
                           const struct rule **rule)
{
    struct rule_packet packet;
    *rule = burst->memo.rule;
    if (rules_memo_fits(&burst->memo, ip, octets))
        return DROP_NONE;
    *rule = NULL;
    if (!rule_packet_read(&packet, ip, octets))
        return DROP_ESP_MALFORMED;
    if (rule_packet_is_discovery(&packet, ip) ||
        (esp->take_ike && rule_packet_is_ike(&packet, ip, packet.source_port)))
        return DROP_NONE;
    const struct rule *found = rules_out(esp->rules, &packet);
    enum rule_action action = rules_action(esp->rules, found);
    if (action != RULE_PROTECT)
        return action == RULE_PASS ? DROP_NONE : DROP_ESP_POLICY;
    if (!found || !found->sa)
        return DROP_ESP_NO_SA;
    rules_memo_note(&burst->memo, &packet, ip, found);
    *rule = found;
    return DROP_NONE;
}

static enum drop sort_sent(const struct esp *esp, struct burst *burst, struct rte_mbuf **frame,
                           bool *is_waiting)
{
    const uint8_t *bytes = rte_pktmbuf_mtod(*frame, const uint8_t *), *ip = bytes + ETHER_OCTETS;
    uint16_t octets = rte_pktmbuf_data_len(*frame), type = bytes_get_u16(bytes + 12);
    const struct rule *rule;
    *is_waiting = false;
    if (type != ETHER_TYPE_IPV4 && type != ETHER_TYPE_IPV6)
        return DROP_NONE;
    enum drop reason = find_rule(esp, burst, ip, octets - ETHER_OCTETS, &rule);
    if (!rule)
        return reason;
    unsigned header_octets = type == ETHER_TYPE_IPV6 ? IPV6_OCTETS : 4u * (ip[0] & 15);
    *frame = own_frame(esp, *frame);
    if (!*frame)
        return DROP_NO_BUFFER;
    note_frame(burst, *frame, header_octets);
    wait_for(burst, *frame, rule->sa, rule->group);
    *is_waiting = true;
    return DROP_NONE;
}

/* IPv6 has no UDP without a checksum; rte_ipsec writes none, and the kernel's receiver drops such a packet.
 */
static void put_udp_checksum(uint8_t *bytes, size_t octets)
{
    struct ipv6 ip;
    if (ipv6_decode(&ip, bytes, octets) < 0)
        return;
    uint8_t *udp = bytes + IPV6_OCTETS;
    bytes_put_u16(udp + UDP_CHECKSUM_AT, 0);
    uint16_t checksum = ipv6_checksum(&ip, IPV4_PROTO_UDP, udp, octets - IPV6_OCTETS);
    bytes_put_u16(udp + UDP_CHECKSUM_AT, checksum ? checksum : UINT16_MAX);
}

/* Words of 16 bits, as rte_ipsec has just stored them: a longer load waits for both stores (7 ns). */
static void put_outer_checksum(const struct sa *sa, uint8_t *ip)
{
    uint32_t sum = sa->outer_sum + bytes_get_u16(ip) + bytes_get_u16(ip + 2) + bytes_get_u16(ip + 4) +
                   bytes_get_u16(ip + 6);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    bytes_put_u16(ip + 10, (uint16_t)~sum);
}

/* The type of the outer packet is that of the tunnel; rte_ipsec leaves the checksums to a card. */
static void put_ether(const struct run *run, const struct kept *kept, struct rte_mbuf *frame)
{
    uint8_t *ether = rte_pktmbuf_mtod(frame, uint8_t *), *ip = ether + ETHER_OCTETS;
    const struct sa_params *params = &run->sa->params;
    if (params->is_tunnel && !params->is_ipv6)
        put_outer_checksum(run->sa, ip);
    else
        fix_checksum(ip, params->is_ipv6);
    if (params->is_ipv6 && params->encap_destination)
        put_udp_checksum(ip, frame->data_len - ETHER_OCTETS);
    memcpy(ether, kept->macs, sizeof(kept->macs));
    bytes_put_u16(ether + sizeof(kept->macs), params->is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4);
    frame->tx_offload = 0;
}

unsigned esp_send(const struct esp *esp, struct rte_mbuf **frames, unsigned count, uint64_t *drops)
{
    struct burst burst;
    struct run run;
    unsigned ready = 0;
    bool is_waiting;
    burst.memo.rule = NULL;
    burst.waiting_count = 0;
    for (unsigned i = 0; i < count; i++) {
        enum drop reason = sort_sent(esp, &burst, &frames[i], &is_waiting);
        if (reason != DROP_NONE) {
            if (frames[i])
                note_packet(esp, frames[i], reason, true);
            drop(frames[i], reason, drops);
        } else if (!is_waiting)
            frames[ready++] = frames[i];
    }
    while (take_run(&burst, &run)) {
        run.more.numbers = run.count;
        unsigned good = compute(esp, &run, drops);
        run.more.packets = good;
        for (unsigned i = 0; i < good; i++) {
            const struct kept *of = &burst.kept[run.frames[i]->tso_segsz];
            run.more.octets += of->octets;
            put_ether(&run, of, run.frames[i]);
            frames[ready++] = run.frames[i];
        }
        if (good < run.count)
            note_sa(esp, run.sa, DROP_ESP_SEQUENCE);
        for (unsigned i = good; i < run.count; i++)
            drop(run.frames[i], DROP_ESP_SEQUENCE, drops);
        add_counts(esp, &run);
    }
    return ready;
}
