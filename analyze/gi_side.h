/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Finds the mobile's side of a packet. With prefixes given: the address in a prefix is the mobile. Otherwise
 * the first of these rules that distinguishes the two addresses:
 *   1. one address is known as a mobile's, from GTP-C or by one of the next two rules;
 *   2. one address is private (RFC 1918, RFC 6598, RFC 4193), the other is not;
 *   3. the sender of a SYN is the mobile, as mobiles open connections.
 */
#ifndef ANALYZE_GI_SIDE_H
#define ANALYZE_GI_SIDE_H

#include "analyze/gi_users.h"

enum { GI_SIDE_PREFIXES = 64 };

enum gi_side { GI_SIDE_UNKNOWN, GI_SIDE_UPLINK, GI_SIDE_DOWNLINK };

struct gi_prefix {
    struct gi_address address, mask;
};

/* count 0: the sides are found by the rules. */
struct gi_prefixes {
    struct gi_prefix list[GI_SIDE_PREFIXES];
    unsigned count;
};

/* Adds "10.45.0.0/16", "2001:db8::/32", or an address. False: malformed, or too many. */
bool gi_side_add(struct gi_prefixes *told, const char *text);

/* The direction of a packet. */
enum gi_side gi_side_of(const struct gi_prefixes *told, const struct gi_users *users,
                        const struct gi_packet *p);

#endif
