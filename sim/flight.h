/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Emission times of one mobile's downlink IP packets that have not arrived, found by IPv4 identification.
 * Senders increment it for each packet to a destination, so it identifies a packet while at most
 * FLIGHT_WINDOW are in transit. Memory grows with the packets in transit and those lost among the last
 * FLIGHT_WINDOW.
 */
#ifndef SIM_FLIGHT_H
#define SIM_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

#define FLIGHT_WINDOW 8192 /* a power of two */

struct flight_packet {
    int64_t emitted_ns;
    uint16_t id;
    bool has_arrived;
};

/* Invariant: ids ascend from the first, which has not arrived, to the last, by less than FLIGHT_WINDOW in
 * all. A zeroed one is empty. */
struct flight {
    struct flight_packet *packets; /* ring of `cap` places, 0 or a power of two */
    uint32_t cap, first, count;
};

void flight_fini(struct flight *f);

/* A packet is sent: identifications ascend; the last one may come again, then the latest emission counts.
 * Ends the program when memory is short. */
void flight_begin(struct flight *f, uint16_t ip_id, int64_t now);

/* A packet arrives: returns its emission time and forgets it. -1: it is not in transit, or FLIGHT_WINDOW
 * later ones were sent. */
int64_t flight_end(struct flight *f, uint16_t ip_id);

#endif
