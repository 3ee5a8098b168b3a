/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * On which side of a packet the mobile is. Told: the one whose address lies in a given prefix. Otherwise, the
 * first of these that tells one from the other:
 *   1. an address that is a mobile's already, be it from GTP-C or by one of the next two;
 *   2. one private address (RFC 1918, RFC 6598, RFC 4193) and one public;
 *   3. the sender of a SYN, as mobiles open connections.
 */
#ifndef ANALYZE_GI_SIDE_H
#define ANALYZE_GI_SIDE_H

#include "analyze/gi_users.h"

enum { GI_SIDE_PREFIXES = 64 };

enum gi_side { GI_SIDE_UNKNOWN, GI_SIDE_UPLINK, GI_SIDE_DOWNLINK };

struct gi_prefix {
    struct gi_address address, mask;
};

/* No prefix: the sides are found. */
struct gi_prefixes {
    struct gi_prefix list[GI_SIDE_PREFIXES];
    unsigned count;
};

/* "10.45.0.0/16", "2001:db8::/32", or an address. False: it is none, or there are too many. */
bool gi_side_add(struct gi_prefixes *told, const char *text);

/* Which way a packet goes. */
enum gi_side gi_side_of(const struct gi_prefixes *told, const struct gi_users *users,
                        const struct gi_packet *p);

#endif
