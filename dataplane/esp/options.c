/* SPDX-License-Identifier: BSD-3-Clause */
#include "dataplane/esp/options.h"

#include "dataplane/wire/ether.h"

#include <rte_mbuf.h>
#include <string.h>

/* RFC 8200 clauses 4.2 to 4.4. */
enum { UNIT = 8, NEXT_AT = 6, PAYLOAD_AT = 4, SEGMENTS_AT = 3, HEADS_MOST = 4 };
enum { OPTION_PAD1 = 0, OPTION_ACTION = 0xc0 /* 0: skip it */ };

/* Whether the options between two octets of a header can all be skipped. */
static bool are_skipped(const uint8_t *at, const uint8_t *end)
{
    while (at < end) {
        if (*at & OPTION_ACTION)
            return false;
        if (*at == OPTION_PAD1)
            at++;
        else if (end - at < 2 || end - at < 2 + at[1])
            return false;
        else
            at += 2 + at[1];
    }
    return true;
}

int options_end(const uint8_t *ip, size_t octets, uint8_t *next_header)
{
    struct ipv6 head;
    if (ipv6_decode(&head, ip, octets) < 0)
        return -1;
    size_t at = IPV6_OCTETS, all = at + head.payload_octets;
    uint8_t next = head.next_header;
    for (unsigned heads = 0; options_is_one(next); heads++) {
        bool is_first = heads == 0, is_routing = next == IPV6_ROUTING;
        if (heads == HEADS_MOST || all - at < UNIT || (next == IPV6_HOP_BY_HOP && !is_first))
            return -1;
        size_t length = UNIT * ((size_t)ip[at + 1] + 1);
        if (length > all - at || at + length - IPV6_OCTETS > OPTIONS_MAX_OCTETS)
            return -1;
        if (is_routing ? ip[at + SEGMENTS_AT] != 0 : !are_skipped(ip + at + 2, ip + at + length))
            return -1;
        next = ip[at];
        at += length;
    }
    *next_header = next;
    return (int)at;
}

void options_remove(struct rte_mbuf *frame, unsigned end, uint8_t next_header)
{
    uint8_t *bytes = rte_pktmbuf_mtod(frame, uint8_t *), *ip = bytes + ETHER_OCTETS;
    unsigned octets = end - IPV6_OCTETS;
    bytes_put_u16(ip + PAYLOAD_AT, (uint16_t)(bytes_get_u16(ip + PAYLOAD_AT) - octets));
    ip[NEXT_AT] = next_header;
    memmove(bytes + octets, bytes, ETHER_OCTETS + IPV6_OCTETS);
    rte_pktmbuf_adj(frame, (uint16_t)octets);
}
