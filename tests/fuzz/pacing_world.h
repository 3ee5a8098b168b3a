/* SPDX-License-Identifier: BSD-3-Clause */
/* The SGSN of pacing_soak.c, with its cells and both ways around it, and what it holds of each segment. */
#ifndef TESTS_FUZZ_PACING_WORLD_H
#define TESTS_FUZZ_PACING_WORLD_H

#include "tests/fuzz/pacing_peers.h"

#include "dataplane/base/moment.h"
#include "dataplane/base/rng.h"
#include "dataplane/pacing/pacing.h"

#include <stdio.h>

#define SLOTS      48
#define MOBILES    16
#define CELLS      4
#define BATCH      200
#define MS         INT64_C(1000000)
#define STUCK_NS   (6 * 3600 * MOMENT_SECOND)
#define QUEUE_MOST 40
#define MOOD_NS    (MOMENT_SECOND / 4)

enum pacing_world_event { AT_SGSN, AT_SERVER, AT_MOBILE, TIMER, SERVED, MOOD, BEGIN };

struct event {
    int64_t at_ns;
    uint64_t order;
    enum pacing_world_event type;
    uint32_t slot;
    struct pacing_peers_packet *packet;
};

struct cell {
    struct pacing_peers_packet *head, *last;
    uint32_t pkts;
    uint64_t rate_bps, sent_octets;
    int64_t until_ns; /* R is 0 */
    bool is_busy;
};

struct pacing_world {
    struct rng rng;
    struct pacing *pacing;
    struct pacing_params params;
    struct pacing_peers conns[SLOTS];
    int64_t armed_ns[SLOTS];
    struct cell cells[CELLS];
    uint16_t cell_of[MOBILES];
    bool is_hostile;
    struct event *heap;
    size_t events, room;
    uint64_t order;
    int64_t now;
    struct pacing_peers_packet *spare;
    uint64_t packets; /* not in spare */
    uint64_t wanted, begun, ended[4], passed, changed, digest;
    uint64_t clamped, evicted, implausible, repeated;
    FILE *pcap;
};

extern struct pacing_world soak;

/* Ends the program. c: NULL or a connection. */
void pacing_world_fail(const char *what, const struct pacing_peers *c);
uint64_t pacing_world_below(uint64_t n);

void pacing_world_put(int64_t at_ns, enum pacing_world_event type, uint32_t slot,
                      struct pacing_peers_packet *packet);
struct event pacing_world_take(void);

struct pacing_peers_packet *pacing_world_packet(void);
void pacing_world_free(struct pacing_peers_packet *packet);
/* The connection of a packet; NULL: it has ended. */
struct pacing_peers *pacing_world_conn(const struct pacing_peers_packet *packet);

struct pacing_at pacing_world_at(uint32_t ms);
struct pacing_view pacing_world_view(void);
/* A packet reaches the SGSN; one leaves it to the server; one has left a cell. */
void pacing_world_uplink(struct pacing_peers_packet *packet);
void pacing_world_downlink(struct pacing_peers_packet *packet);
void pacing_world_pass(struct pacing_peers_packet *packet);
void pacing_world_served(uint32_t cell);

#endif
