/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/rules.h"

#include "dataplane/esp/sa.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <stdlib.h>
#include <string.h>

enum { PROTO_ICMPV6 = 58, PROTO_SCTP = 132, PORTS_OCTETS = 4 };
enum { ND_FIRST = 133, ND_LAST = 137 }; /* Neighbour Discovery, RFC 4861 */

static void read_ports(struct rule_packet *packet, const uint8_t *bytes, size_t octets)
{
    bool is_known = packet->protocol == IPV4_PROTO_UDP || packet->protocol == IPV4_PROTO_TCP ||
                    packet->protocol == PROTO_SCTP;
    packet->has_ports = is_known && !packet->is_fragment && octets >= PORTS_OCTETS;
    packet->source_port = packet->has_ports ? bytes_get_u16(bytes) : 0;
    packet->destination_port = packet->has_ports ? bytes_get_u16(bytes + 2) : 0;
}

bool rule_packet_read(struct rule_packet *packet, const uint8_t *bytes, size_t octets)
{
    struct ipv4 v4;
    struct ipv6 v6;
    packet->is_ipv6 = octets > 0 && bytes[0] >> 4 != 4;
    if (!packet->is_ipv6) {
        if (ipv4_decode(&v4, bytes, octets) < 0)
            return false;
        packet->protocol = v4.proto;
        packet->tos = v4.tos;
        packet->is_fragment = ipv4_is_fragment(&v4);
        packet->header_octets = v4.header_octets;
        packet->octets = (uint16_t)(v4.header_octets + v4.payload_octets);
        packet->source = bytes + 12;
        packet->destination = bytes + 16;
    } else {
        if (ipv6_decode(&v6, bytes, octets) < 0)
            return false;
        packet->protocol = v6.next_header;
        packet->tos = v6.traffic_class;
        packet->is_fragment = v6.next_header == IPV6_FRAGMENT;
        packet->header_octets = IPV6_OCTETS;
        packet->octets = (uint16_t)(IPV6_OCTETS + v6.payload_octets);
        packet->source = bytes + 8;
        packet->destination = bytes + 24;
    }
    read_ports(packet, bytes + packet->header_octets, packet->octets - packet->header_octets);
    return true;
}

struct rule_packet rule_packet_of_udp(const struct rule_ends *ends, bool is_ipv6)
{
    return (struct rule_packet){.is_ipv6 = is_ipv6,
                                .has_ports = true,
                                .protocol = IPV4_PROTO_UDP,
                                .source_port = ends->source_port,
                                .destination_port = ends->destination_port,
                                .header_octets = is_ipv6 ? IPV6_OCTETS : IPV4_OCTETS,
                                .source = ends->source,
                                .destination = ends->destination};
}

/* Whether an address of IPv6 is in a network. */
static bool is_in_ipv6(const uint8_t *address, const struct sa_address *net, unsigned bits)
{
    uint64_t high = bytes_get_u64(address) ^ bytes_get_u64(net->octets),
             low = bytes_get_u64(address + 8) ^ bytes_get_u64(net->octets + 8);
    if (bits <= 64)
        return bits == 0 || high >> (64 - bits) == 0;
    return high == 0 && low >> (128 - bits) == 0;
}

enum { PORT_IKE = 500 };

bool rule_packet_is_ike(const struct rule_packet *packet, const uint8_t *ip, uint16_t local_port)
{
    enum { MARKER = 4 };
    unsigned offset = packet->header_octets + UDP_OCTETS;
    if (packet->protocol != IPV4_PROTO_UDP || !packet->has_ports)
        return false;
    if (local_port == PORT_IKE || local_port != RULES_PORT_NAT)
        return local_port == PORT_IKE;
    return packet->octets < offset + MARKER || bytes_get_u32(ip + offset) == 0;
}

bool rule_packet_is_keepalive(const struct rule_packet *packet, const uint8_t *ip)
{
    enum { CONTENT = 0xff };
    unsigned offset = packet->header_octets + UDP_OCTETS;
    return packet->protocol == IPV4_PROTO_UDP && packet->has_ports && packet->octets == offset + 1 &&
           ip[offset] == CONTENT;
}

bool rule_packet_is_discovery(const struct rule_packet *packet, const uint8_t *ip)
{
    return packet->is_ipv6 && packet->protocol == PROTO_ICMPV6 && packet->octets > packet->header_octets &&
           ip[packet->header_octets] >= ND_FIRST && ip[packet->header_octets] <= ND_LAST;
}

static bool is_in(const uint8_t *address, const struct sa_address *net, unsigned bits, bool is_ipv6)
{
    if (is_ipv6)
        return is_in_ipv6(address, net, bits);
    return bits == 0 || (bytes_get_u32(address) ^ bytes_get_u32(net->octets)) >> (32 - bits) == 0;
}

static bool is_port(uint16_t wanted, uint16_t port, bool has_ports)
{
    return wanted == 0 || (has_ports && wanted == port);
}

static bool fits(const struct rule_selector *s, const struct rule_packet *p, bool is_out)
{
    return s->is_ipv6 == p->is_ipv6 && (s->protocol == 0 || s->protocol == p->protocol) &&
           is_in(is_out ? p->destination : p->source, &s->remote, s->remote_bits, p->is_ipv6) &&
           is_in(is_out ? p->source : p->destination, &s->local, s->local_bits, p->is_ipv6) &&
           is_port(s->remote_port, is_out ? p->destination_port : p->source_port, p->has_ports) &&
           is_port(s->local_port, is_out ? p->source_port : p->destination_port, p->has_ports);
}

static const struct rule *find(const struct rule *list, unsigned count, const struct rule_packet *packet,
                               bool is_out)
{
    for (unsigned i = 0; i < count; i++)
        if (fits(&list[i].selector, packet, is_out))
            return &list[i];
    return NULL;
}

const struct rule *rules_out(const struct rules *rules, const struct rule_packet *packet)
{
    return find(rules->out, rules->out_count, packet, true);
}

const struct rule *rules_in(const struct rules *rules, const struct rule_packet *packet)
{
    return find(rules->in, rules->in_count, packet, false);
}

bool rules_need_whole(const struct rules *rules, const struct rule_packet *fragment, uint8_t protocol)
{
    struct rule_packet whole = *fragment;
    whole.protocol = protocol;
    for (unsigned i = 0; i < rules->in_count; i++) {
        struct rule_selector s = rules->in[i].selector;
        bool has_ports = s.local_port != 0 || s.remote_port != 0,
             is_hidden = s.protocol != 0 && protocol != fragment->protocol;
        s.local_port = s.remote_port = 0;
        if (fits(&s, &whole, false))
            return has_ports || is_hidden;
    }
    return false;
}

void rules_memo_note(struct rules_memo *memo, const struct rule_packet *packet, const uint8_t *ip,
                     const struct rule *rule)
{
    bool is_plain = packet->has_ports && packet->header_octets == IPV4_OCTETS,
         is_ikes = packet->source_port == RULES_PORT_NAT || packet->destination_port == RULES_PORT_NAT;
    *memo = (struct rules_memo){.rule = is_plain && !is_ikes ? rule : NULL, .protocol = packet->protocol};
    if (!memo->rule)
        return;
    memcpy(&memo->ends, packet->source, sizeof(memo->ends));
    memcpy(&memo->ports, ip + IPV4_OCTETS, sizeof(memo->ports));
}

struct rules *rules_new(void)
{
    struct rules *rules = calloc(1, sizeof(*rules));
    if (rules && u64_map_new(&rules->by_spi, RULES_SAS_MAX))
        return rules;
    free(rules);
    return NULL;
}

void rules_free(struct rules *rules)
{
    if (!rules)
        return;
    u64_map_free(&rules->by_spi);
    free(rules);
}

bool rules_add_inbound(struct rules *rules, struct sa *sa, uint32_t group)
{
    if (rules->sa_count >= RULES_SAS_MAX || rules_inbound(rules, sa->params.spi))
        return false;
    rules->sas[rules->sa_count] = (struct rules_sa){.sa = sa, .group = group};
    u64_map_put(&rules->by_spi, sa->params.spi, rules->sa_count++);
    return true;
}
