/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The addresses on Gn to which workers send, with their next hops. A worker repeats its request for the next
 * hop of an address while it sends there, so an address that is not requested any more is not in use.
 *
 * The source of a GTP message that needs an answer but no context can be forged. Such addresses have at most
 * DESTINATIONS_ANSWERS places, a budget of new ones for each net (IPv4: 24 bits, IPv6: 64 bits) and in all,
 * and are given up first: after DESTINATIONS_SILENT_NS while no neighbour answers.
 */
#ifndef CONTROL_LINKS_DESTINATIONS_H
#define CONTROL_LINKS_DESTINATIONS_H

#include "control/base/neighbour_ip.h"
#include "dataplane/base/budget.h"
#include "dataplane/base/moment.h"

#define DESTINATIONS_MAX       1024
#define DESTINATIONS_ANSWERS   256
#define DESTINATIONS_SILENT_NS (3 * MOMENT_SECOND)
#define DESTINATIONS_ANSWER_NS (60 * MOMENT_SECOND)  /* since the last request: of an address for answers */
#define DESTINATIONS_USED_NS   (300 * MOMENT_SECOND) /* of one that contexts use */

/* In the order of their right to a place. */
enum destination_kind {
    DESTINATION_ANSWER,     /* for answers alone */
    DESTINATION_USED,       /* contexts and paths send there */
    DESTINATION_CONFIGURED, /* stays */
};

struct destination {
    uint32_t ip; /* base/address.h */
    enum destination_kind kind;
    bool has_mac;
    int64_t began_at_ns, used_at_ns;
    struct neighbour_ip hop;
};

struct destinations {
    uint32_t count, answers;
    struct destination list[DESTINATIONS_MAX];
    struct budget budget; /* of new ones for answers */
    uint64_t refused;     /* which the limits for answers refused */
};

void destinations_init(struct destinations *d);

/* The destination with this address, used at now, whose kind rises to `kind`; NULL: there is none. */
struct destination *destinations_use(struct destinations *d, uint32_t ip, enum destination_kind kind,
                                     int64_t now);

/* Whether the limits let an address be added now; `octets` is the same address. Charges the budget. */
bool destinations_may_add(struct destinations *d, const struct neighbour_ip *octets,
                          enum destination_kind kind, int64_t now);

/* The destination that a new one of this kind displaces, as it is of a lower kind and the longest unused;
 * NULL: there is a free place, or none to displace. */
struct destination *destinations_displaced(struct destinations *d, enum destination_kind kind);

/* Adds one; NULL: the table is full. */
struct destination *destinations_add(struct destinations *d, const struct destination *destination);

/* Deletes one; the last one takes its place. */
void destinations_del(struct destinations *d, struct destination *destination);

/* Whether a destination is not in use any more at now. */
bool destinations_is_old(const struct destination *destination, int64_t now);

#endif
