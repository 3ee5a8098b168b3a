/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Emission times of one mobile's downlink IP packets, found by IPv4 identification. Senders increment it for
 * each packet to a destination, so it identifies a packet while fewer than FLIGHT_WINDOW are in transit.
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

/* Emission time of a packet that arrived; -1: overwritten by a later packet. */
static inline int64_t flight_emitted_ns(const struct flight *f, uint16_t ip_id)
{
    return f->id[ip_id % FLIGHT_WINDOW] == ip_id ? f->emitted_ns[ip_id % FLIGHT_WINDOW] : -1;
}

#endif
