/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rules of a port (RFC 4301 clause 4.4.1) in their order, each for the packets that its selector
 * names. The first that fits a packet holds; without one, that of all others.
 *
 * Control makes a whole set of rules with their associations, and workers change from one to the next between
 * two bursts: a set in use never changes.
 */
#ifndef DATAPLANE_ESP_RULES_H
#define DATAPLANE_ESP_RULES_H

#include "dataplane/base/bytes.h"
#include "dataplane/base/u64_map.h"
#include "dataplane/esp/sa_params.h"
#include "dataplane/wire/ipv4.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RULES_MAX     256 /* of a direction */
#define RULES_SAS_MAX 512
#define RULES_ENCAPS  4 /* UDP ports */

#define RULES_PORT_NAT 4500 /* of IKE and ESP in UDP */

enum rule_action {
    RULE_PASS,    /* as it is */
    RULE_PROTECT, /* in ESP alone */
    RULE_DROP,
};

/* `local` is the node's end, `remote` the other. Bits of a prefix; 0: any. */
struct rule_selector {
    bool is_ipv6;
    uint8_t local_bits, remote_bits, protocol; /* 0: any */
    uint16_t local_port, remote_port;          /* of UDP, TCP and SCTP; 0: any */
    struct sa_address local, remote;
};

struct sa;

/* Rules of a group are protected by the same associations. */
struct rule {
    struct rule_selector selector;
    enum rule_action action;
    uint32_t group;
    struct sa *sa; /* of the outbound direction; NULL: there is none yet */
};

struct rules {
    atomic_uint users; /* workers that have it, or are about to; control frees it at 0 */
    unsigned out_count, in_count, sa_count, encap_count;
    enum rule_action others; /* of packets that no rule fits */
    uint16_t encap_ports[RULES_ENCAPS];
    struct u64_map by_spi; /* index in sas[] of an inbound association */
    struct rule out[RULES_MAX], in[RULES_MAX];
    struct rules_sa {
        struct sa *sa;
        uint32_t group;
    } sas[RULES_SAS_MAX];
};

/* Fields of an IP packet that rules read. */
struct rule_packet {
    bool is_ipv6, has_ports, is_fragment;
    uint8_t protocol, tos;
    uint16_t source_port, destination_port;
    uint16_t header_octets, octets; /* of IP; of the packet */
    const uint8_t *source, *destination;
};

/* The ends of a datagram: octets of addresses, which must outlive its packet. */
struct rule_ends {
    const uint8_t *source, *destination;
    uint16_t source_port, destination_port;
};

/* A packet of UDP that is not made yet. */
struct rule_packet rule_packet_of_udp(const struct rule_ends *ends, bool is_ipv6);

/* Reads an IP packet; false: it is malformed. */
bool rule_packet_read(struct rule_packet *packet, const uint8_t *bytes, size_t octets);

/* Whether a packet with this port of the node is of an IKE daemon: with no SPI at the port of encapsulation.
 * The other end may take any port, so its port proves nothing. */
bool rule_packet_is_ike(const struct rule_packet *packet, const uint8_t *ip, uint16_t local_port);

/* Whether a packet of UDP is a NAT keepalive (RFC 3948 clause 2.3), if its port is one of ESP in UDP. */
bool rule_packet_is_keepalive(const struct rule_packet *packet, const uint8_t *ip);

/* Whether it is of Neighbour Discovery (RFC 4861). */
bool rule_packet_is_discovery(const struct rule_packet *packet, const uint8_t *ip);

/* The rule for a packet that leaves, or that has come; NULL: none fits. */
const struct rule *rules_out(const struct rules *rules, const struct rule_packet *packet);
const struct rule *rules_in(const struct rules *rules, const struct rule_packet *packet);

/* Whether the rule for a packet of the protocol depends on what this fragment of it that has come hides:
 * ports, and over IPv6 the protocol. */
bool rules_need_whole(const struct rules *rules, const struct rule_packet *fragment, uint8_t protocol);

/*
 * The rule of the packet before: mostly the next is of the same flow, and its header need not be read. Of
 * IPv4 with ports and without options; all of it is in the order of the wire.
 */
struct rules_memo {
    const struct rule *rule; /* NULL: there is none */
    uint64_t ends;
    uint32_t ports;
    uint8_t protocol;
};

enum { RULES_MEMO_FIRST = 0x45, RULES_MEMO_OCTETS = 24 };

/* Whether a packet has the rule of the memo. */
static inline bool rules_memo_fits(const struct rules_memo *memo, const uint8_t *ip, size_t octets)
{
    uint64_t ends;
    uint32_t ports;
    if (!memo->rule || octets < RULES_MEMO_OCTETS || ip[0] != RULES_MEMO_FIRST)
        return false;
    memcpy(&ends, ip + 12, sizeof(ends));
    memcpy(&ports, ip + 20, sizeof(ports));
    unsigned total = bytes_get_u16(ip + 2);
    return ends == memo->ends && ports == memo->ports && ip[9] == memo->protocol &&
           (bytes_get_u16(ip + 6) & IPV4_FRAGMENT) == 0 && total >= RULES_MEMO_OCTETS && total <= octets;
}

/* Notes a packet and its rule, if the rule holds for each packet of the flow: not where some are IKE. */
void rules_memo_note(struct rules_memo *memo, const struct rule_packet *packet, const uint8_t *ip,
                     const struct rule *rule);

/* The action for a packet, and the rule that fits it or NULL. */
static inline enum rule_action rules_action(const struct rules *rules, const struct rule *rule)
{
    return rule ? rule->action : rules->others;
}

/* An empty set; NULL: no memory. */
struct rules *rules_new(void);
void rules_free(struct rules *rules);

/* Adds an inbound association. False: there are too many, or one has the SPI. */
bool rules_add_inbound(struct rules *rules, struct sa *sa, uint32_t group);

/* The association with an SPI; NULL: there is none. */
static inline const struct rules_sa *rules_inbound(const struct rules *rules, uint32_t spi)
{
    uint32_t index = u64_map_get(&rules->by_spi, spi);
    return index == U64_MAP_NONE ? NULL : &rules->sas[index];
}

#endif
