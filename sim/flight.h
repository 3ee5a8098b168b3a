/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When each downlink IP packet of one mobile was emitted, found again by its IPv4 identification: senders
 * count it up for each packet to a destination, so it names a packet as long as fewer than FLIGHT_WINDOW are
 * under way.
 */
#ifndef SIM_FLIGHT_H
#define SIM_FLIGHT_H

#include <stdint.h>

#define FLIGHT_WINDOW 8192 /* a power of two */

struct flight {
    int64_t emitted_ns[FLIGHT_WINDOW];
    uint16_t id[FLIGHT_WINDOW];
};

static inline void flight_begin(struct flight *f, uint16_t ip_id, int64_t now)
{
    f->id[ip_id % FLIGHT_WINDOW] = ip_id;
    f->emitted_ns[ip_id % FLIGHT_WINDOW] = now;
}

/* The emission of a packet that arrived; -1 when it is not known any more. */
static inline int64_t flight_emitted_ns(const struct flight *f, uint16_t ip_id)
{
    return f->id[ip_id % FLIGHT_WINDOW] == ip_id ? f->emitted_ns[ip_id % FLIGHT_WINDOW] : -1;
}

#endif
