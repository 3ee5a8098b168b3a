/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ground truth of a run, to judge analyses of a capture at Gi: counts packets where they leave the server,
 * are lost, pass the monitor, and reach their mobile.
 *
 * Model: an IPv4 identification identifies a packet to or from a mobile while fewer than TRUTH_WINDOW are in
 * transit. After the monitor, packets of a connection stay in order: a packet that has not arrived when a
 * later one of its connection has, was lost there; packets after the last arrived one are unsettled: in
 * transit or lost when the run ended. A mobile's channel is busy from one arrival to the next if the later
 * packet was already waiting at the first.
 */
#ifndef SIM_TRUTH_H
#define SIM_TRUTH_H

#include "sim/tcp_header.h"

#define TRUTH_WINDOW 8192 /* a power of two */
#define TRUTH_NEVER  INT64_MIN

/* Segments with data, towards the mobile. Invariants: sent = internet_lost + passed + in transit before the
 * monitor; passed >= last_arrived >= arrived. */
struct truth_data {
    uint64_t sent, retransmitted, internet_lost, passed, arrived;
    uint64_t last_arrived;     /* number of the last arrived among those that passed, from 1 */
    uint64_t passed_octets;    /* IP */
    int64_t first_ns, last_ns; /* arrival of the first and the last */
    uint64_t user_from_octets,
        user_to_octets; /* octets that had reached the mobile at first_ns and last_ns */
    uint32_t sent_top;  /* sequence number after the sent octets; valid if sent > 0 */
};

/* Counted at the monitor unless a comment differs. */
struct truth_setup {
    int64_t syn_ns, syn_ack_ns, ack_ns; /* the first of each, TRUTH_NEVER: none */
    int64_t quiet_ns;                   /* since the mobile's last packet before the SYN; -1: none */
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
    uint32_t largest_octets;   /* largest IP packet that passed */
    struct truth_setup setup;
    struct truth_data data;
};

#define TRUTH_NONE UINT32_MAX

/* Arrivals of one interval. */
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
    uint32_t number; /* among the connection's segments with data that passed; 0: none */
    uint16_t id;
    bool is_known;
};

struct truth_mobile {
    struct truth_packet *down, *up; /* TRUTH_WINDOW each; up: packets that left the mobile */
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
    int64_t least_ns; /* delay from monitor to mobile without a queue; a packet waits from then on */
};

struct truth_config {
    uint32_t mobiles;
    int64_t every_ns, least_ns;
};

/* False: no memory. Out of memory later ends the program. */
bool truth_new(struct truth *t, const struct truth_config *config);
void truth_free(struct truth *t);

/* Where a packet of a mobile is seen. Packets that tcp_header.h does not decode are ignored. */
enum truth_place {
    TRUTH_SERVER_SENDS,
    TRUTH_INTERNET_LOSES, /* a downlink packet */
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

/* Segments with data lost after the monitor for certain, and unsettled ones. */
static inline uint64_t truth_access_lost(const struct truth_data *d)
{
    return d->last_arrived - d->arrived;
}

static inline uint64_t truth_unsettled(const struct truth_data *d)
{
    return d->passed - d->last_arrived;
}

#endif
