/* SPDX-License-Identifier: BSD-3-Clause */
/* One TCP connection between a mobile and a server, as seen by a monitor at Gi. */
#ifndef ANALYZE_GI_CONN_H
#define ANALYZE_GI_CONN_H

#include "analyze/gi_flight.h"
#include "analyze/gi_limits.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_users.h"

/* The side that sent the SYN. */
enum gi_opener { GI_OPENER_UNSEEN, GI_OPENER_MOBILE, GI_OPENER_SERVER };

struct gi_setup {
    int64_t syn_ns, syn_ack_ns, ack_ns; /* the first of each; 0: none */
    int64_t last_ns;                    /* of the last packet of the set-up */
    uint32_t opener_isn, answer_isn;
    uint16_t syns, syn_acks;
    bool has_background; /* the mobile was not silent before the first SYN */
    bool is_reset;       /* before the set-up was complete */
    bool is_crossed;     /* both sides sent a SYN: a simultaneous open (RFC 9293 clause 3.5) */
};

/* Downlink data of the connection. */
struct gi_conn_down {
    int64_t first_ack_ns, last_ack_ns; /* ACK of the first segment; last new ACK */
    uint64_t start_octets,
        end_octets;          /* down_octets of the mobile before the first and after the last data packet */
    uint64_t octets;         /* IP octets of this connection between the two */
    uint64_t pending_octets; /* IP octets since the last data packet */
    uint64_t payload_octets; /* without retransmissions */
    uint32_t first_end, data_end;
    uint32_t packets; /* with data */
    uint32_t retransmitted, repaired, late, missed, window_probes;
    bool has_data, is_acked; /* is_acked: up to data_end */
};

struct gi_rtt {
    uint32_t count, least_us, most_us;
    uint64_t sum_us;
};

/*
 * Periods in which a connection keeps its mobile's channel full, and the channel's rate in them (section IV
 * of the paper): no loss, no reordering, and more than flight_octets outstanding.
 *
 * Model: a period lasts from one ACK to another, each of which ends with a segment. The queue after the
 * monitor is in order, so between them the mobile has received the packets of all its connections that passed
 * the monitor between those two segments, less those found lost meanwhile. A loss ends a period at the last
 * ACK before it; the next period begins when all octets outstanding at the loss are acknowledged.
 */

struct gi_conn_period {
    int64_t start_ns, end_ns;
    uint32_t start_place, end_place; /* the mobile's down_octets, 32 bits of them */
    uint32_t start_lost, end_lost;   /* its lost_octets, likewise 32 bits */
    uint32_t recover;                /* the sequence number that ends a recovery, while is_recovering */
    bool is_open, is_recovering;
};

/* A new ACK. */
struct gi_conn_period_ack {
    int64_t at_ns;
    uint32_t ack, place, lost;
    uint32_t flight_octets; /* after the ACK */
    bool is_exact;
};

/* The pool uses the first four octets while is_open is false. */
struct gi_conn {
    uint32_t user;
    bool is_open;
    uint8_t opener; /* enum gi_opener */
    uint8_t fins;   /* bit 0: the mobile's, bit 1: the server's */
    bool is_reset, is_alone, has_second_request, has_sack, has_timestamp, has_up;
    bool is_server_closed; /* the server's window is 0 */
    uint8_t scale;         /* of the mobile's window */
    uint8_t scales_seen;   /* bits as in fins */
    uint8_t sacks_seen, timestamps_seen;
    uint16_t mobile_port, server_port;
    uint16_t last_window;
    struct gi_address mobile, server;
    int64_t first_ns, last_ns;
    uint64_t packets, others; /* others: packets of the mobile's other connections, at the start */
    uint32_t largest_octets;  /* IP packet */
    uint32_t window_octets;   /* the largest that the mobile offered */
    uint32_t up_top, up_retransmitted;
    uint64_t up_octets; /* payload */
    struct gi_setup setup;
    struct gi_conn_down down;
    struct gi_rtt rtt;
    struct gi_conn_period period;
    struct gi_flight flight;
};

_Static_assert(sizeof(struct gi_conn) + sizeof(struct gi_user) <= 1024,
               "a connection and its mobile take less than 1 KiB together");

/* Objects and callbacks that a connection's packets change besides the connection. */
struct gi_scene {
    const struct gi_limits *limits;
    struct gi_user *user;
    void (*rate)(void *to, const struct gi_conn *conn, struct gi_user *user, double rate_bps);
    void (*rtt)(void *to, int64_t rtt_ns);
    void *to;
};

/* Begins a connection with its first packet; call gi_conn_packet() for that packet next. was_silent: the
   mobile had no packet for silence_ns. */
void gi_conn_begin(struct gi_conn *c, const struct gi_packet *p, bool is_downlink, bool was_silent);

/* Is the packet the SYN of a new connection with the same ports? Both SYNs of a simultaneous open are of one.
 */
bool gi_conn_is_another(const struct gi_conn *c, const struct gi_packet *p, bool is_downlink);

/* Reads a packet, after gi_users_count(). */
void gi_conn_packet(struct gi_conn *c, const struct gi_packet *p, bool is_downlink,
                    const struct gi_scene *scene);

/* Settles open counts after the last packet. */
void gi_conn_finish(struct gi_conn *c, const struct gi_scene *scene);

/* Takes in an ACK. Returns the rate in bit/s of a period that it ends; 0: none. */
double gi_conn_period_acked(struct gi_conn_period *p, const struct gi_conn_period_ack *a,
                            const struct gi_limits *limits);

/* Takes in a loss or reordering; octets up to `top` are outstanding. Returns as gi_conn_period_acked(). */
double gi_conn_period_break(struct gi_conn_period *p, uint32_t top, const struct gi_limits *limits);

/* Ends the period with the connection. Returns as gi_conn_period_acked(). */
double gi_conn_period_finish(struct gi_conn_period *p, const struct gi_limits *limits);

static inline bool gi_conn_has_ended(const struct gi_conn *c)
{
    return c->is_reset || c->fins == 3;
}

#endif
