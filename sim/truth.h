/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What really happened to the packets of a run, for whoever judges an analysis of a capture taken at Gi:
 * counted where a packet leaves the server, is lost, passes the monitor, and reaches its mobile.
 *
 * Model: an IPv4 identification names a packet to or from a mobile as long as fewer than TRUTH_WINDOW are
 * under way. Behind the monitor packets of a connection stay in order: one that has not arrived when a later
 * one of the same connection has was lost there; what follows the last one that arrived is unsettled, under
 * way or lost when the run ended. A mobile's channel is busy from one arrival to the next when the later
 * packet waited by then.
 */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include "sim/ip_packet.h"

#define TRUTH_WINDOW 8192 /* a power of two */
#define TRUTH_NEVER  INT64_MIN

/* Segments with data, towards the mobile. Invariants: sent = internet_lost + passed + under way in front of
 * the monitor; passed >= last_arrived >= arrived. */
struct truth_data {
    uint64_t sent, retransmitted, internet_lost, passed, arrived;
    uint64_t last_arrived;                     /* which of those that passed, counted from 1 */
    uint64_t passed_octets;                    /* IP */
    int64_t first_ns, last_ns;                 /* when the first one and the last one arrived */
    uint64_t user_from_octets, user_to_octets; /* all that the mobile had by then */
    uint32_t sent_top;                         /* sequence number behind what was sent; while sent > 0 */
};

/* At the monitor, but for what says otherwise. */
struct truth_setup {
    int64_t syn_ns, syn_ack_ns, ack_ns; /* the first of each, TRUTH_NEVER: none */
    int64_t quiet_ns;                   /* since the mobile's packet before the SYN; -1: there was none */
    uint32_t syns, syn_acks;
    bool has_answer; /* a SYN-ACK reached the mobile */
    bool is_reset;   /* a RST passed before the ACK */
};

enum truth_branch {
    TRUTH_OPTIMAL,
    TRUTH_SLIGHT,
    TRUTH_NO_RESPONSE,
    TRUTH_REFUSED,
    TRUTH_RESET,
    TRUTH_SILENT,
};

struct truth_conn {
    uint32_t mobile, next; /* index; next: of the same mobile, opened before; TRUTH_NONE */
    uint16_t mobile_port, server_port;
    uint32_t isn;
    uint8_t sacks, timestamps; /* offered by: bit 0 the mobile, bit 1 the server */
    uint32_t largest_octets;   /* IP packet that passed */
    struct truth_setup setup;
    struct truth_data data;
};

#define TRUTH_NONE UINT32_MAX

/* What arrived in one interval. */
struct truth_row {
    int64_t from_ns;
    uint64_t octets, busy_octets; /* IP; busy: of packets that had waited */
    int64_t busy_ns;
};

struct truth_way {
    uint64_t packets;
    int64_t sum_ns;
};

struct truth_packet {
    int64_t at_ns;
    uint32_t number; /* of the connection's segments with data that passed; 0: none */
    uint16_t id;
    bool is_known;
};

struct truth_mobile {
    struct truth_packet *down, *up; /* TRUTH_WINDOW of each; up: as they left the mobile */
    struct truth_row *rows;
    uint32_t row_count, last_conn;
    int64_t last_passed_ns, last_arrived_ns;
    uint64_t octets, busy_octets; /* arrived */
    int64_t busy_ns;
    struct truth_way access_down, access_up; /* from the monitor to the mobile, and back */
};

struct truth {
    struct truth_mobile *mobiles;
    struct truth_conn *conns;
    uint32_t mobile_count, conn_count;
    int64_t every_ns; /* length of a row */
    int64_t least_ns; /* what the way from the monitor to the mobile takes without a queue: it waits from then
                         on */
};

struct truth_config {
    uint32_t mobiles;
    int64_t every_ns, least_ns;
};

/* False: no memory. Later memory that runs out ends the program. */
bool truth_new(struct truth *t, const struct truth_config *config);
void truth_free(struct truth *t);

/* A packet of mobile number `mobile`, at one of these places. Other packets than ip_packet.h reads are
 * ignored. */
enum truth_place {
    TRUTH_SERVER_SENDS,
    TRUTH_INTERNET_LOSES, /* on its way to the mobile */
    TRUTH_PASSES_DOWN,    /* the monitor */
    TRUTH_REACHES_MOBILE,
    TRUTH_MOBILE_SENDS,
    TRUTH_PASSES_UP,
};
struct truth_sighting {
    enum truth_place place;
    uint32_t mobile;
    const uint8_t *packet;
    size_t octets;
};
void truth_see(struct truth *t, const struct truth_sighting *seen, int64_t now);

enum truth_branch truth_branch_of(const struct truth_conn *c);

/* Segments with data lost behind the monitor for certain, and those that are unsettled. */
static inline uint64_t truth_access_lost(const struct truth_data *d)
{
    return d->last_arrived - d->arrived;
}

static inline uint64_t truth_unsettled(const struct truth_data *d)
{
    return d->passed - d->last_arrived;
}

#endif
