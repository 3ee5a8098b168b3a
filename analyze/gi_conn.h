/* SPDX-License-Identifier: BSD-3-Clause */
/* One TCP connection between a mobile and a server, as the packets that pass a monitor tell of it. */
#ifndef ANALYZE_GI_CONN_H
#define ANALYZE_GI_CONN_H

#include "analyze/gi_flight.h"
#include "analyze/gi_limits.h"
#include "analyze/gi_packet.h"
#include "analyze/gi_period.h"
#include "analyze/gi_users.h"

/* Who sent the SYN. */
enum gi_opener { GI_OPENER_UNSEEN, GI_OPENER_MOBILE, GI_OPENER_SERVER };

struct gi_setup {
    int64_t syn_ns, syn_ack_ns, ack_ns; /* the first of each; 0: none */
    int64_t last_ns;                    /* of the last packet of the set-up */
    uint32_t opener_isn, answer_isn;
    uint16_t syns, syn_acks;
    bool has_background; /* the mobile was not silent before the first SYN */
    bool is_reset;       /* before it was complete */
};

/* What went to the mobile. */
struct gi_conn_down {
    int64_t first_ack_ns, last_ack_ns; /* of the first segment, and the last ACK that was new */
    uint64_t start_octets,
        end_octets;          /* down_octets of the mobile before the first data packet, behind the last */
    uint64_t octets;         /* IP, of this connection, between those two */
    uint64_t pending_octets; /* the same since the last data packet */
    uint64_t payload_octets; /* without repetitions */
    uint32_t first_end, data_end;
    uint32_t packets; /* with data */
    uint32_t retransmitted, repaired, late, missed;
    bool has_data, is_acked; /* is_acked: up to data_end */
};

struct gi_rtt {
    uint32_t count, least_us, most_us;
    uint64_t sum_us;
};

/* Below 1 KiB. The first four octets are the pool's while is_open is false. */
struct gi_conn {
    uint32_t user;
    bool is_open;
    uint8_t opener; /* enum gi_opener */
    uint8_t fins;   /* bit 0: the mobile's, bit 1: the server's */
    bool is_reset, is_alone, has_second_request, has_sack, has_timestamp, has_up;
    uint8_t scale;       /* of the mobile's window */
    uint8_t scales_seen; /* bits as in fins */
    uint8_t sacks_seen, timestamps_seen;
    uint16_t mobile_port, server_port;
    uint16_t last_window;
    struct gi_address mobile, server;
    int64_t first_ns, last_ns;
    uint64_t packets, others; /* others: the mobile's packets that are not this connection's, at its start */
    uint32_t largest_octets;  /* IP packet */
    uint32_t window_octets;   /* the largest that the mobile offered */
    uint32_t up_top, up_retransmitted;
    uint64_t up_octets; /* payload */
    struct gi_setup setup;
    struct gi_conn_down down;
    struct gi_rtt rtt;
    struct gi_period period;
    struct gi_flight flight;
};

_Static_assert(sizeof(struct gi_conn) + sizeof(struct gi_user) <= 1024,
               "a connection and its mobile take less than 1 KiB together");

/* What a connection's packets change besides it. */
struct gi_scene {
    const struct gi_limits *limits;
    struct gi_user *user;
    void (*rate)(void *to, const struct gi_conn *conn, struct gi_user *user, double rate_bps);
    void (*rtt)(void *to, int64_t rtt_ns);
    void *to;
};

/* The first packet, which comes before gi_conn_packet() with the same one. silence: of the mobile before. */
void gi_conn_begin(struct gi_conn *c, const struct gi_packet *p, bool is_downlink, bool was_silent);

/* Whether a SYN is another connection's with the same ports. */
bool gi_conn_is_another(const struct gi_conn *c, const struct gi_packet *p);

/* A packet, which gi_users_count() has counted. */
void gi_conn_packet(struct gi_conn *c, const struct gi_packet *p, bool is_downlink,
                    const struct gi_scene *scene);

/* No packet will come. */
void gi_conn_finish(struct gi_conn *c, const struct gi_scene *scene);

/* Parts of gi_conn_packet(). */
void gi_conn_data(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene);
void gi_conn_ack(struct gi_conn *c, const struct gi_packet *p, const struct gi_scene *scene);

static inline bool gi_conn_has_ended(const struct gi_conn *c)
{
    return c->is_reset || c->fins == 3;
}

#endif
