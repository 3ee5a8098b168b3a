/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/rules.h"

#include "dataplane/esp/sa.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/ipv6.h"

#include <stdlib.h>
#include <string.h>

enum { PROTO_SCTP = 132, PORTS_OCTETS = 4 };

static void read_ports(struct rule_packet *packet, const uint8_t *bytes, size_t octets)
{
    bool is_known = packet->protocol == IPV4_PROTO_TCP || packet->protocol == IPV4_PROTO_UDP ||
                    packet->protocol == PROTO_SCTP;
    packet->has_ports = is_known && !packet->is_fragment && octets >= PORTS_OCTETS;
    if (!packet->has_ports)
        return;
    packet->source_port = bytes_get_u16(bytes);
    packet->destination_port = bytes_get_u16(bytes + 2);
}

bool rule_packet_read(struct rule_packet *packet, const uint8_t *bytes, size_t octets)
{
    struct ipv4 v4;
    struct ipv6 v6;
    *packet = (struct rule_packet){0};
    if (octets > 0 && bytes[0] >> 4 == 4) {
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
        packet->is_ipv6 = true;
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

static bool is_in(const uint8_t *address, const struct sa_address *net, unsigned bits)
{
    unsigned whole = bits / 8, rest = bits % 8;
    return memcmp(address, net->octets, whole) == 0 &&
           (rest == 0 || (uint8_t)((address[whole] ^ net->octets[whole]) >> (8 - rest)) == 0);
}

static bool is_port(uint16_t wanted, uint16_t port, bool has_ports)
{
    return wanted == 0 || (has_ports && wanted == port);
}

static bool fits(const struct rule_selector *s, const struct rule_packet *p, bool is_out)
{
    return s->is_ipv6 == p->is_ipv6 && (s->protocol == 0 || s->protocol == p->protocol) &&
           is_in(is_out ? p->destination : p->source, &s->remote, s->remote_bits) &&
           is_in(is_out ? p->source : p->destination, &s->local, s->local_bits) &&
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
