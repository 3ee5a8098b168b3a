/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/worker/gb_transport.h"
#include "dataplane/context/context.h"
#include "dataplane/context/gb.h"
#include "dataplane/worker/msg.h"
#include "dataplane/worker/tap.h"
#include "dataplane/worker/worker.h"

#include "dataplane/base/address.h"
#include "dataplane/base/bytes.h"
#include "dataplane/memory/pool.h"
#include "dataplane/wire/ether.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/base/drop.h"
#include "dataplane/base/moment.h"

#include <rte_mbuf.h>
#include <stdint.h>
#include <string.h>

#define TTL             64
#define NO_UDP_CHECKSUM 0xffff /* sent over IPv6 when the sum is 0 */

/* --- sending --- */

static void put_ipv4(uint8_t *ip, const struct gb_nsvc_params *p)
{
    struct ipv4 header = {.src = p->local_ip, .dst = p->remote_ip, .ttl = TTL, .proto = IPV4_PROTO_UDP};
    ipv4_encode(ip, IPV4_OCTETS, &header);
}

static int put_ipv6(const struct worker *w, uint8_t *ip, const struct gb_nsvc_params *p)
{
    struct ipv6 header = {
        .src = addresses_octets(&w->lookup.ipv6, p->local_ip),
        .dst = addresses_octets(&w->lookup.ipv6, p->remote_ip),
        .next_header = IPV4_PROTO_UDP,
        .hop_limit = TTL,
    };
    if (!header.src || !header.dst)
        return -1;
    return ipv6_encode(ip, IPV6_OCTETS, &header) < 0 ? -1 : 0;
}

int gb_transport_template(const struct worker *w, struct gb_nsvc *nsvc)
{
    const struct gb_nsvc_params *p = &nsvc->params;
    struct udp udp = {.src_port = p->local_port, .dst_port = p->remote_port};
    uint8_t *ip = nsvc->header + ETHER_OCTETS;

    nsvc->is_ipv6 = address_is_ipv6(p->local_ip);
    nsvc->header_octets = nsvc->is_ipv6 ? GB_HEADER_MAX_OCTETS : GB_HEADER_OCTETS;
    if (address_is_ipv6(p->remote_ip) != nsvc->is_ipv6)
        return -1;
    struct ether ether = {.type = nsvc->is_ipv6 ? ETHER_TYPE_IPV6 : ETHER_TYPE_IPV4};
    memcpy(ether.dst, p->remote_mac, sizeof(ether.dst));
    memcpy(ether.src, p->local_mac, sizeof(ether.src));
    ether_encode(nsvc->header, ETHER_OCTETS, &ether);
    udp_encode(nsvc->header + nsvc->header_octets - UDP_OCTETS, UDP_OCTETS, &udp);
    if (nsvc->is_ipv6)
        return put_ipv6(w, ip, p);
    put_ipv4(ip, p);
    return 0;
}

void gb_transport_sum(uint8_t *frame, size_t octets)
{
    uint8_t *udp = frame + ETHER_OCTETS + IPV6_OCTETS;
    struct ipv6 ip = {.src = frame + ETHER_OCTETS + 8, .dst = frame + ETHER_OCTETS + 24};
    uint16_t sum = ipv6_checksum(&ip, IPV4_PROTO_UDP, udp, octets - ETHER_OCTETS - IPV6_OCTETS);
    bytes_put_u16(udp + 6, sum ? sum : NO_UDP_CHECKSUM);
}

/* --- receiving --- */

/* The rest of a frame at each layer, and the addresses and ports read so far. */
struct incoming {
    const uint8_t *bytes;
    size_t octets;
    struct table_key key; /* aligned to 8 */
    enum port_sum sum;    /* as the device found it */
};

/* Reads the UDP header at in->bytes of a segment between these addresses. */
static enum drop read_udp(struct incoming *in, uint32_t local, uint32_t remote, struct udp *udp)
{
    if (udp_decode(udp, in->bytes, in->octets) < 0)
        return DROP_UDP_MALFORMED;
    in->key = lookup_endpoint_key(local, udp->dst_port, remote, udp->src_port);
    in->bytes += UDP_OCTETS;
    in->octets = udp->payload_octets;
    return DROP_NONE;
}

static enum drop read_ipv4(struct incoming *in)
{
    struct ipv4 ip;
    struct udp udp;
    int header = ipv4_decode(&ip, in->bytes, in->octets);
    if (header < 0 || ipv4_is_fragment(&ip) || !ipv4_is_checksum_good(in->bytes, (size_t)header))
        return DROP_IP_MALFORMED;
    if (ip.proto != IPV4_PROTO_UDP)
        return DROP_NOT_UDP;
    if (address_is_ipv6(ip.src) || address_is_ipv6(ip.dst)) /* no host's, and equal to IPv6 indices */
        return DROP_UNKNOWN_NSVC;
    in->bytes += header;
    in->octets = ip.payload_octets;
    return read_udp(in, ip.dst, ip.src, &udp);
}

static enum drop judge_ipv6(const struct ipv6 *ip)
{
    if (ip->next_header == IPV4_PROTO_UDP)
        return DROP_NONE;
    return ipv6_is_extension(ip->next_header) ? DROP_IP_EXTENSION : DROP_NOT_UDP;
}

static enum drop read_ipv6(const struct worker *w, struct incoming *in)
{
    struct ipv6 ip;
    struct udp udp;
    int header = ipv6_decode(&ip, in->bytes, in->octets);
    if (header < 0)
        return DROP_IP_MALFORMED;
    enum drop reason = judge_ipv6(&ip);
    if (reason != DROP_NONE)
        return reason;
    uint32_t local = addresses_get(&w->lookup.ipv6, ip.dst), remote = addresses_get(&w->lookup.ipv6, ip.src);
    if (local == ADDRESS_NONE || remote == ADDRESS_NONE)
        return DROP_UNKNOWN_NSVC;
    const uint8_t *segment = in->bytes += header;
    in->octets = ip.payload_octets;
    reason = read_udp(in, local, remote, &udp);
    if (reason != DROP_NONE)
        return reason;
    bool is_good = udp.checksum != 0 &&
                   (in->sum == PORT_SUM_UNKNOWN ? ipv6_checksum(&ip, IPV4_PROTO_UDP, segment,
                                                                UDP_OCTETS + (size_t)udp.payload_octets) == 0
                                                : in->sum == PORT_SUM_GOOD);
    return is_good ? DROP_NONE : DROP_UDP_CHECKSUM;
}

/* The octets of the IP header; negative: there is no UDP in the packet. */
static int read_addresses(struct gb_transport_datagram *out, uint16_t type, const uint8_t *packet,
                          size_t octets, size_t *udp_octets)
{
    struct ipv4 ip;
    struct ipv6 ip6;
    bool is_ipv6 = type == ETHER_TYPE_IPV6;
    int header = is_ipv6 ? ipv6_decode(&ip6, packet, octets) : ipv4_decode(&ip, packet, octets);
    if (header < 0 || (is_ipv6 ? ip6.next_header : ip.proto) != IPV4_PROTO_UDP)
        return -1;
    if (!is_ipv6 && (ipv4_is_fragment(&ip) || !ipv4_is_checksum_good(packet, (size_t)header)))
        return -1;
    out->address_octets = is_ipv6 ? ADDRESS_IPV6_OCTETS : sizeof(uint32_t);
    out->remote = packet + (is_ipv6 ? 8 : 12);
    out->local = out->remote + out->address_octets;
    *udp_octets = is_ipv6 ? ip6.payload_octets : ip.payload_octets;
    return header;
}

bool gb_transport_read(struct gb_transport_datagram *out, const uint8_t *frame, size_t octets)
{
    struct ether ether;
    struct udp udp;
    size_t udp_octets;
    int offset = ether_decode(&ether, frame, octets);
    if (offset < 0 || (ether.type != ETHER_TYPE_IPV4 && ether.type != ETHER_TYPE_IPV6))
        return false;
    const uint8_t *packet = frame + offset;
    int header = read_addresses(out, ether.type, packet, octets - (size_t)offset, &udp_octets);
    if (header < 0 || udp_decode(&udp, packet + header, udp_octets) < 0)
        return false;
    out->payload = packet + header + UDP_OCTETS;
    out->octets = udp.payload_octets;
    out->remote_port = udp.src_port;
    out->local_port = udp.dst_port;
    return true;
}

enum drop gb_transport_unwrap(struct worker *w, struct rte_mbuf *mbuf, uint32_t *nsvc)
{
    const uint8_t *frame = rte_pktmbuf_mtod(mbuf, const uint8_t *);
    size_t octets = rte_pktmbuf_data_len(mbuf);
    struct ether ether;

    int offset = ether_decode(&ether, frame, octets);
    if (offset < 0 || (ether.type != ETHER_TYPE_IPV4 && ether.type != ETHER_TYPE_IPV6))
        return DROP_NOT_IP;
    struct incoming in = {
        .bytes = frame + offset, .octets = octets - (size_t)offset, .sum = port_udp_sum(mbuf)};
    enum drop reason = ether.type == ETHER_TYPE_IPV4 ? read_ipv4(&in) : read_ipv6(w, &in);
    if (unlikely(reason != DROP_NONE))
        return reason;
    *nsvc = table_get(w->lookup.endpoints, &in.key);
    if (unlikely(*nsvc >= LOOKUP_AT))
        return DROP_UNKNOWN_NSVC;
    mbuf->data_off = (uint16_t)(in.bytes - (const uint8_t *)mbuf->buf_addr);
    mbuf->data_len = (uint16_t)in.octets;
    mbuf->pkt_len = mbuf->data_len;
    return DROP_NONE;
}

#define RETRY_NS 10000 /* the port has no room */

static_assert(SIGNALLING_WAITING <= UINT8_MAX, "counted in gb_nse.signals");

/* Whether a frame may be sent now; else sets the instant in its NSE. */
static bool can_go(struct gb_nse *nse, uint32_t ns_octets, int64_t now)
{
    if (sched_link_can_signal(&nse->sched, ns_octets, now))
        return true;
    nse->signal_ns = bucket_earliest_ns(&nse->sched.signalling, ns_octets);
    return false;
}

static void gb_transport_send(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame,
                              uint32_t ns_octets, int64_t now)
{
    sched_link_signal(&nse->sched, ns_octets, now);
    tap_burst_put(w->tap, &frame, 1, TAP_SIGNALLING, now);
    port_send(&w->gb, frame);
}

int signalling_send(struct worker *w, struct gb_nse *nse, struct rte_mbuf *frame, uint32_t ns_octets,
                    int64_t now)
{
    struct signalling *s = &w->signalling;
    if (nse->signals == 0 && can_go(nse, ns_octets, now)) {
        gb_transport_send(w, nse, frame, ns_octets, now);
        return 0;
    }
    if (s->count == SIGNALLING_WAITING) {
        w->stats.gb_signalling_lost++;
        rte_pktmbuf_free(frame);
        return -1;
    }
    s->frames[s->count++] = (struct signalling_frame){frame, nse, ns_octets};
    nse->signals++;
    return 0;
}

static int64_t first_ns(const struct signalling *s)
{
    int64_t next_ns = MOMENT_NEVER;
    for (uint32_t i = 0; i < s->count; i++)
        next_ns = moment_min(next_ns, s->frames[i].nse->signal_ns);
    return next_ns;
}

int64_t signalling_next_ns(const struct worker *w, int64_t now)
{
    int64_t next_ns = first_ns(&w->signalling);
    return next_ns <= now ? now + RETRY_NS : next_ns;
}

unsigned signalling_release(struct worker *w, int64_t now)
{
    struct signalling *s = &w->signalling;
    uint32_t kept = 0;
    if (first_ns(s) > now)
        return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const struct signalling_frame *frame = &s->frames[i];
        struct gb_nse *nse = frame->nse;
        if (nse->signal_ns > now || port_room(&w->gb) == 0 || !can_go(nse, frame->ns_octets, now)) {
            s->frames[kept++] = *frame;
            continue;
        }
        nse->signals--;
        gb_transport_send(w, nse, frame->mbuf, frame->ns_octets, now);
    }
    unsigned sent = s->count - kept;
    s->count = kept;
    return sent;
}

void signalling_end(struct worker *w, const struct gb_nse *nse, int64_t now)
{
    struct signalling *s = &w->signalling;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        struct rte_mbuf *mbuf = s->frames[i].mbuf;
        if (s->frames[i].nse != nse) {
            s->frames[kept++] = s->frames[i];
        } else if (port_room(&w->gb) > 0) {
            tap_burst_put(w->tap, &mbuf, 1, TAP_SIGNALLING, now);
            port_send(&w->gb, mbuf);
        } else {
            w->stats.gb_signalling_lost++;
            rte_pktmbuf_free(mbuf);
        }
    }
    s->count = kept;
}

void signalling_free(struct worker *w)
{
    for (uint32_t i = 0; i < w->signalling.count; i++)
        rte_pktmbuf_free(w->signalling.frames[i].mbuf);
    w->signalling.count = 0;
}

static bool tell(struct worker *w, const struct ms *ms, uint16_t type)
{
    struct msg msg = {
        .type = type, .nse = w->context.bvcs[ms->bvc].nse, .slot = (uint32_t)(ms - w->context.mobiles)};
    return msg_put(w->rings.to_control, &msg);
}

/* Tells control that N-PDUs are queued for a lost mobile, unless it knows, or the mobile is suspended. */
static void standby_ask(struct worker *w, struct ms *ms)
{
    bool is_wanted = (ms->sched.flags & SCHED_MS_FROZEN) == SCHED_MS_LOST;
    if (w->has_paging && is_wanted && !ms->is_paged)
        ms->is_paged = tell(w, ms, MSG_PAGE_WANTED);
}

void standby_look_back(struct worker *w, struct ms *ms)
{
    if (sched_ms_backlog(&w->context.sched, &ms->sched).pkts > 0)
        standby_ask(w, ms);
}

void standby_wait(struct worker *w, struct ms *ms, int64_t now)
{
    if (!(ms->sched.flags & SCHED_MS_LOST))
        context_ms_lost(&w->context, (uint32_t)(ms - w->context.mobiles), true, now);
    standby_ask(w, ms);
}

bool standby_want(struct worker *w, struct ms *ms, int64_t now)
{
    standby_look(w, &w->context, ms, now);
    return (ms->sched.flags & SCHED_MS_FROZEN) != 0 || tell(w, ms, MSG_MS_REACHED);
}

void standby_heard(struct worker *w, struct ms *ms)
{
    if (ms->is_paged)
        ms->is_paged = !tell(w, ms, MSG_MS_REACHED);
}
